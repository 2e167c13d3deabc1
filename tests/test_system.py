"""Files that are replaced in one step, locks, folders, processors, the control register, sources by the import system."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from pathlib import Path

import pytest
from support import DEFAULT_CONTROL
from support.processes import python, start

import exactops
from exactops.system import control_register, files, folders, modules, processors

POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users and permissions as POSIX has them")


# --- files --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [None, b"old"], ids=["new", "replaced"])
def test_a_file_is_whole_or_as_it_was(before: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "file"
    if before is not None:
        file.write_bytes(before)
    with pytest.raises(ZeroDivisionError), files.replacing(file) as temporary:
        temporary.write_bytes(b"half")
        assert not file.exists() if before is None else file.read_bytes() == before
        1 / 0  # noqa: B018
    assert [each.read_bytes() for each in tmp_path.iterdir()] == ([] if before is None else [before])
    files.write_bytes(file, b"new")
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("file", b"new")]


@POSIX
@pytest.mark.parametrize(
    ("old", "wanted", "mask"), [(None, None, 0o022), (None, None, 0o077), (0o640, None, 0), (0o644, 0o600, 0)]
)
def test_permissions(old: int | None, wanted: int | None, mask: int, tmp_path: Path) -> None:
    """Those that are asked for, else those of the file before, else what the umask leaves."""
    file = tmp_path / "file"
    if old is not None:
        file.touch()
        file.chmod(old)
    before = os.umask(mask)
    try:
        files.write_bytes(file, b"", mode=wanted)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == (wanted or old or 0o666 & ~mask)


def test_json_is_text_for_people(tmp_path: Path) -> None:
    files.write_json(tmp_path / "file", {"ü": [1]})
    assert (tmp_path / "file").read_bytes() == '{\n "ü": [\n  1\n ]\n}\n'.encode()


def test_locked_changes_are_not_lost(tmp_path: Path) -> None:
    """Four processes that each count to 25 in one file, reading and replacing it."""
    file = tmp_path / "count.json"
    files.write_json(file, 0)
    program = (
        "import json, sys\nfrom pathlib import Path\nfrom exactops.system import files\n"
        "file = Path(sys.argv[1])\n"
        "for _ in range(25):\n"
        "    with files.locked(file): files.write_json(file, json.loads(file.read_text()) + 1)"
    )
    processes = [start(program, str(file)) for _ in range(4)]
    assert [process.wait(120) for process in processes] == [0] * 4
    assert json.loads(file.read_text()) == 100


# --- folders and processors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [folders.cache_folder, folders.data_folder])
def test_the_variable_names_the_folder(folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EXACTOPS_CACHE_DIR", str(tmp_path))
    assert folder() == tmp_path
    monkeypatch.setenv("EXACTOPS_CACHE_DIR", "")
    empty = folder()
    monkeypatch.delenv("EXACTOPS_CACHE_DIR")
    assert folder() == empty and "exactops" in str(empty).lower()


@pytest.mark.parametrize("folder", [folders.cache_folder, folders.data_folder])
@pytest.mark.parametrize(
    "answer", [RuntimeError("could not determine the home directory"), "~/.cache/exactops"], ids=["raises", "~"]
)
def test_no_home_is_no_folder(folder, answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever platformdirs does of a user without a home."""

    def found(*arguments: object, **options: object) -> str:
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    def no_home(self: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("EXACTOPS_CACHE_DIR", raising=False)
    monkeypatch.setattr(folders.platformdirs, "user_cache_dir", found)
    monkeypatch.setattr(folders.platformdirs, "user_data_dir", found)
    monkeypatch.setattr(Path, "expanduser", no_home)
    assert folder() is None


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity")
def test_the_processors_of_this_process() -> None:
    before = os.sched_getaffinity(0)
    assert processors.available() == len(before)
    with processors.pinned() as chosen:
        assert os.sched_getaffinity(0) == {chosen} <= before
        assert processors.available() == 1
    assert os.sched_getaffinity(0) == before


# --- the control register -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", control_register.ENVIRONMENTS)
def test_an_environment_is_what_its_name_says(name: str) -> None:
    usual = control_register.settings(control_register.read())
    assert usual == control_register.Settings("to nearest", False, False)
    with control_register.environment(name):
        found = control_register.settings(control_register.read())
    assert control_register.read() == DEFAULT_CONTROL == control_register.default()
    rounding = "toward zero" if name == "all" else name.removeprefix("round-").replace("-", " ")
    assert found.rounding == (rounding if name == "all" or name.startswith("round") else "to nearest")
    assert found.flush_to_zero >= (name in ("flush-to-zero", "all"))
    assert found.denormals_are_zero >= (name in ("denormals-are-zero", "all"))
    assert (found != usual) is True


def test_a_changed_register_is_reported() -> None:
    with pytest.raises(RuntimeError, match="left the control register"), control_register.environment("round-up"):
        control_register.write(control_register.default())
    assert control_register.read() == control_register.default()


def test_an_unknown_environment() -> None:
    with pytest.raises(ValueError, match="round-down"):
        control_register.value_of("round")


# --- modules ------------------------------------------------------------------------------------------------------------


def test_sources_from_a_folder_and_from_an_archive(tmp_path: Path) -> None:
    for name, text in (
        ("one/__init__.py", "a = 1\n"),
        ("one/b.py", "import x\n"),
        ("one/two/__init__.py", ""),
        ("one/two/c.py", "é = 3\n"),
    ):
        file = tmp_path / "folder" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as archive:
        for file in (tmp_path / "folder").rglob("*.py"):
            archive.write(file, file.relative_to(tmp_path / "folder"))
    program = (
        "import sys\nsys.path.insert(0, sys.argv[1])\nfrom exactops.system import modules\n"
        "print([(name, modules.source(name, loader)) for name, loader in modules.submodules('one')], 'one.b' in sys.modules)"
    )
    found = {python(program, str(tmp_path / place)) for place in ("folder", "archive.zip")}
    wanted = [("one", b"a = 1\n"), ("one.b", b"import x\n"), ("one.two", b""), ("one.two.c", "é = 3\n".encode())]
    assert found == {f"{wanted} False\n"}


def test_submodules_are_all_there_are() -> None:
    package = Path(exactops.__file__).parent
    wanted = {".".join(file.relative_to(package.parent).with_suffix("").parts) for file in package.rglob("*.py")}
    assert {name for name, _ in modules.submodules("exactops")} == {name.removesuffix(".__init__") for name in wanted}


# --- the package elsewhere ----------------------------------------------------------------------------------------------


def archived(folder: Path) -> Path:
    """The package as an archive, without compiled files."""
    package, target = Path(exactops.__file__).parent, folder / "exactops.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(package.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, file.relative_to(package.parent))
    return target


FROM_AN_ARCHIVE = """
import json, sys, warnings
warnings.simplefilter("error")
sys.path[:] = [sys.argv[1], *(each for each in sys.path if each not in sys.argv[2:])]
import numpy as np
import exactops
assert exactops.__file__.startswith(sys.argv[1])
x = np.linspace(-3, 3, 1001, dtype=np.float32)
digest = int(exactops.exp(x).view(np.uint32).sum())
from exactops.cli import main
from exactops.contracts import schema
from exactops.records import sources
schema()
print(json.dumps([digest, exactops.contract("exp")["revision"], len(exactops.operators())]))
assert main(["verify", "--operator", "exp", "abs", "--dtype", "f16", "--processes", "1", "--json"]) == 0
"""


def test_the_package_from_an_archive(tmp_path: Path) -> None:
    """Importing, a kernel, a contract, the records; writing the records is refused with a reason."""
    import numpy as np

    from exactops.records import sources

    archive = archived(tmp_path)
    root = str(Path(exactops.__file__).parents[1])
    first = python(FROM_AN_ARCHIVE, str(archive), root).splitlines()[0]
    x = np.linspace(-3, 3, 1001, dtype=np.float32)
    here = [int(exactops.exp(x).view(np.uint32).sum()), sources.revision("exp"), len(exactops.operators())]
    assert json.loads(first) == here
    refused = (
        "import sys\nsys.path.insert(0, sys.argv[1])\n"
        "from exactops.cli import main\nsys.stderr = sys.stdout\n"
        "print(main(['verify', '--write', '--operator', 'abs']), main(['prove', 'exp', '--dtype', 'f16']))"
    )
    output = python(refused, str(archive))
    assert output.splitlines()[-1] == "2 2" and output.count("cannot be written") == 2
