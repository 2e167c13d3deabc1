"""Which sources decide a bit, that a change of one is seen, and that the references share none of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import environment

import exactops
from exactops.records import sources
from exactops.system import modules

PACKAGE = Path(exactops.__file__).parent

#: Packages whose code computes results, or decides how.
KERNELS = ("lanes", "numerics", "ops", "codegen", "runtime", "frontend")


def in_packages(name: str, packages: tuple[str, ...]) -> bool:
    """Whether a module is one of these packages of exactops, or in it."""
    return any(f"{name}.".startswith(f"exactops.{package}.") for package in packages)


# --- the references -----------------------------------------------------------------------------------------------------


def reached(start: str) -> dict[str, str]:
    """The modules that imports lead to from a module, at its top or anywhere else, each with the one that imports it."""
    found, waiting = {start: ""}, [start]
    while waiting:
        name = waiting.pop()
        for each in sources.imports(name):
            if each not in found:
                found[each] = name
                waiting.append(each)
    return found


INDEPENDENT = ("decision", "filter", "functions", "powers", "multiprecision", "inputs", "reference")


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, _ in modules.submodules("exactops.verification")
        if in_packages(name, tuple(f"verification.{each}" for each in INDEPENDENT))
    ],
)
def test_the_references_share_nothing_with_the_kernels(name: str) -> None:
    """Neither directly nor through what they import."""
    shared = {each: why for each, why in reached(name).items() if in_packages(each, KERNELS) or each == "exactops"}
    assert not shared


def test_references_that_are_not_independent_are_found() -> None:
    """A test of the test: the fingerprints are computed by the kernels."""
    found = reached("exactops.verification.fingerprints.results")
    assert any(in_packages(each, KERNELS) for each in found)


def test_every_form_of_import_is_followed() -> None:
    text = (
        "import exactops.errors\nfrom exactops import lanes\nfrom exactops.table.formats import FORMATS\n"
        "from . import numbers\nfrom ..record import load\n"
        "def f():\n    from exactops.numerics import doubt as d\n    import exactops.codegen.target, os\n"
    )
    found = set(sources._named(text, "exactops.verification.reference.operators", False))
    assert found >= {
        "exactops.errors", "exactops.lanes", "exactops.table.formats", "exactops.verification.reference.numbers",
        "exactops.verification.record", "exactops.numerics.doubt", "exactops.codegen.target", "os",
    }  # fmt: skip
    assert "exactops.verification.reference.a" in sources._named("from .a import b", "exactops.verification.reference", True)


# --- the digests --------------------------------------------------------------------------------------------------------


def test_the_engine_is_all_of_the_lanes_and_of_the_code_generator() -> None:
    """Found by following imports: that nothing of these is missed."""
    wanted = {name for package in ("lanes", "codegen") for name, _ in modules.submodules(f"exactops.{package}")}
    engine = set(sources.engine())
    assert wanted <= engine
    assert {"exactops.table.formats", "exactops.table.operator", "exactops.runtime.ufuncs"} <= engine
    assert not any(in_packages(name, ("ops", "verification", "contracts", "cli", "testing")) for name in engine)


def test_the_kernel_is_what_the_operator_imports() -> None:
    for name in exactops.operators():
        found = set(sources.kernel(name))
        assert found and all(in_packages(each, ("ops", "numerics")) for each in found)
    assert "exactops.numerics.logarithm" in sources.kernel("log")
    assert "exactops.numerics.logarithm" not in sources.kernel("exp")


PROGRAM = """
import json, sys
import exactops
from exactops.records import files
from exactops.verification import campaign, record
file, task = files.writable(files.PROOFS), campaign.Task("exp", "f16")
if "prove" in sys.argv:
    found = campaign.Findings(inputs=task.count, digests={0: b"0"})
    file.unlink()
    record.store(file, record.entry_of(task, found, "scalar", 1.0, 1, record.digests("exp")))
c = exactops.contract("exp", "f16")
audit = c["variants"][0]["results"][0]["precision"]["exact"]["audit"]
print(json.dumps([audit["status"], record.is_current(file, task), c["revision"]]))
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package whose records say that its exp is proven."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(PACKAGE, folder / "exactops", ignore=shutil.ignore_patterns("__pycache__"))
    assert state(folder, "prove")[:2] == ("proven", True)
    return folder


def state(folder: Path, *arguments: str) -> tuple[str, bool, str]:
    """What the contract of a copy says of exp, whether its record is current, and the revision."""
    settings = environment() | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", PROGRAM, *arguments]
    run = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    status, current, revision = json.loads(run.stdout)
    return status, current, revision


@pytest.mark.parametrize(
    "file",
    [
        "ops/exp.py", "numerics/exponential.py", "lanes/vocabulary.py", "lanes/storage.py", "codegen/loops.py",
        "codegen/environment.py", "codegen/target.py", "codegen/lowering/operations.py", "table/formats.py",
        "runtime/ufuncs.py",
    ],
)  # fmt: skip
def test_a_changed_byte_is_no_longer_proven(file: str, copied: Path) -> None:
    """Of the kernel or of the engine: the contract and the test of the records see it alike."""
    before = state(copied)
    assert before[:2] == ("proven", True)
    path = copied / "exactops" / file
    text = path.read_bytes()
    try:
        path.write_bytes(text + b"#")
        status, current, revision = state(copied)
    finally:
        path.write_bytes(text)
    assert (status, current) == ("proven_for_other_sources", False)
    assert revision != before[2]


@pytest.mark.parametrize("file", ["ops/log.py", "numerics/logarithm.py", "cli/info.py", "verification/filter.py"])
def test_a_byte_of_something_else_changes_nothing(file: str, copied: Path) -> None:
    before = state(copied)
    path = copied / "exactops" / file
    text = path.read_bytes()
    try:
        path.write_bytes(text + b"#")
        assert state(copied) == before
    finally:
        path.write_bytes(text)


def test_a_contract_names_the_files_of_its_revision() -> None:
    for name in exactops.operators():
        found = sources.files(name)
        assert all((PACKAGE / file).is_file() for file in found)
        assert found == sorted(set(found)) and "ops" in {file.partition("/")[0] for file in found}


@pytest.mark.parametrize("name", ["exactops.numerics.rounding_test", "exactops.ops.exp", "exactops.ops"])
def test_sources_are_read_whatever_the_loader_hands_out(name: str) -> None:
    """pytest's own loader, which takes the first of these for a test, has no sources to hand out."""
    text = (PACKAGE.parent / name.replace(".", "/")).with_suffix(".py")
    text = text if text.is_file() else text.with_suffix("") / "__init__.py"
    assert modules.text_by(object(), name) == text.read_text(encoding="utf-8")
    assert modules.source(name) == text.read_bytes()
    assert sources.imports(name)
