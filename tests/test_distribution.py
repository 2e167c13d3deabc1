"""What is packed: the wheel's data, a source distribution that can be tested, and the hook for PyInstaller."""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from support.processes import environment, python

import exactops
from exactops.records import files as record_files
from exactops.records import sources

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

RECORDS = (record_files.PROOFS, record_files.FINGERPRINTS, record_files.MACHINES)
DATA = ("py.typed", "__init__.pyi", "contracts/contract.schema.json", *(f"records/{name}" for name in RECORDS))


def test_the_data_of_the_package_is_declared() -> None:
    """Every file of the package that is no module matches a pattern of ``package-data``."""
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["exactops"]
    package = ROOT / "exactops"
    found = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*")
        if file.is_file() and file.suffix not in (".py", ".pyc", ".lock")
    }
    assert found >= {*DATA}
    for name in found:
        assert any(fnmatch.fnmatch(name, pattern.removeprefix("**/")) for pattern in patterns), name


def test_the_records_are_in_the_package() -> None:
    for name in RECORDS:
        found = record_files.find(name)
        assert found == ROOT / "exactops" / "records" / name and found.is_file()
    assert not [name for name in RECORDS if (ROOT / "testdata" / name).exists()]


def test_where_records_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    assert record_files.writable(record_files.PROOFS) == record_files.find(record_files.PROOFS)
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match="cannot be written"):
        record_files.writable(record_files.PROOFS)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both distributions, built from a copy of the checkout by the build backend itself."""
    if not (ROOT / "pyproject.toml").is_file():
        pytest.skip("no checkout")
    setuptools = pytest.importorskip("setuptools")
    if int(setuptools.__version__.partition(".")[0]) < 77:
        pytest.skip("pyproject.toml asks for setuptools 77")
    folder = tmp_path_factory.mktemp("built")
    ignored = shutil.ignore_patterns(
        ".git", "__pycache__", "*.egg-info", ".*_cache", ".hypothesis", ".venv", "build", "dist", ".asv"
    )
    shutil.copytree(ROOT, folder / "checkout", ignore=ignored)
    code = "import sys; out = sys.argv[1]; from setuptools import build_meta as b; b.build_wheel(out); b.build_sdist(out)"
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, cwd=folder / "checkout", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_the_wheel_has_the_data(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        assert {f"exactops/{name}" for name in DATA} <= names
        assert {
            f"exactops/{each.relative_to(ROOT / 'exactops').as_posix()}" for each in (ROOT / "exactops").rglob("*.py")
        } <= names
        assert not [name for name in names if name.startswith(("tests", "testdata", "tools")) or name.endswith(".lock")]
        for name in RECORDS:
            assert archive.read(f"exactops/records/{name}") == (ROOT / "exactops" / "records" / name).read_bytes()
        (points,) = (name for name in names if name.endswith("entry_points.txt"))
        assert "[pyinstaller40]" in archive.read(points).decode()


def test_the_source_distribution_can_be_tested(built: Path) -> None:
    """It has the tests with what they read, and they can be collected."""
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(built, filter="data")
    (folder,) = (each for each in built.iterdir() if each.name.startswith("exactops-") and each.is_dir())
    for part in ("tests", "testdata", "tools", "docs", "bench"):
        wanted = {
            each.relative_to(ROOT).as_posix()
            for each in (ROOT / part).rglob("*")
            if each.suffix in (".py", ".csv", ".md", ".gz")
        }
        assert wanted and {name for name in wanted if "/." not in name and not (folder / name).is_file()} == set()
    command = [sys.executable, "-m", "pytest", "-o", "addopts=", "-p", "no:cacheprovider", "--collect-only", "-q", "tests"]
    settings = environment() | {"PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


# --- PyInstaller --------------------------------------------------------------------------------------------------------


def test_the_hook_is_found_by_its_entry_point() -> None:
    module, _, function = PROJECT["project"]["entry-points"]["pyinstaller40"]["hook-dirs"].partition(":")
    (folder,) = getattr(importlib.import_module(module), function)()
    assert (Path(folder) / "hook-exactops.py").is_file()


def test_the_hook_collects_what_is_imported_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the helpers of PyInstaller in their simplest form; the campaign runs PyInstaller itself."""
    from exactops.system import modules

    hooks = ModuleType("PyInstaller.utils.hooks")
    hooks.collect_submodules = lambda package, filter, on_error: [  # type: ignore[attr-defined]
        name for name, _ in modules.submodules(package) if filter(name)
    ]
    hooks.collect_data_files = lambda package: [(f"data of {package}", package)]  # type: ignore[attr-defined]
    hooks.copy_metadata = lambda package: [(f"metadata of {package}", ".")]  # type: ignore[attr-defined]
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
    file = ROOT / "exactops" / "__pyinstaller" / "hook-exactops.py"
    specification = importlib.util.spec_from_file_location("hook", file)
    assert specification is not None and specification.loader is not None
    hook = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(hook)
    assert {"exactops.ops.exp", "exactops.cli.info", "exactops.codegen.lowering.operations"} <= set(hook.hiddenimports)
    assert not [name for name in hook.hiddenimports if "__pyinstaller" in name]
    assert [place for _, place in hook.datas] == ["exactops", "."]
    assert hook.module_collection_mode == "pyz+py"  # sources, for the digests


FROZEN = """
import json, sys
import numpy as np
import exactops
from exactops.cli import main
x = np.linspace(-3, 3, 1001, dtype=np.float32)
total = int(exactops.exp(x).view(np.uint32).sum())
code = main(["verify", "--operator", "abs", "--dtype", "f16", "--processes", "1", "--json"])
print(json.dumps([total, exactops.contract("exp")["revision"], len(exactops.operators()), code]))
"""


@pytest.mark.campaign
def test_a_frozen_program(tmp_path: Path) -> None:
    """A whole run of PyInstaller, some minutes. It finds the hook by the entry point, or else by its folder."""
    pytest.importorskip("PyInstaller")
    (tmp_path / "app.py").write_text(FROZEN, encoding="utf-8")
    hooks = str(ROOT / "exactops" / "__pyinstaller")
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--additional-hooks-dir", hooks, "app.py"]
    settings = environment() | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    program = tmp_path / "dist" / "app" / "app"
    run = subprocess.run([program], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    total, revision, count, code = json.loads(run.stdout.splitlines()[-1])
    code_here = "import numpy as np, exactops; x = np.linspace(-3, 3, 1001, dtype=np.float32)\n"
    assert total == int(python(code_here + "print(int(exactops.exp(x).view(np.uint32).sum()))"))
    assert (revision, count, code) == (sources.revision("exp"), len(exactops.operators()), 0)
