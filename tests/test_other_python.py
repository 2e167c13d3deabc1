"""tools/other_python.py: that it refuses what it cannot set up; .ci/run shows what it does set up."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.processes import TESTS

TOOL = TESTS.parent / "tools" / "other_python.py"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    specification = importlib.util.spec_from_file_location("other_python", TOOL)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def command(folder: Path, text: str) -> None:
    """A command python3.14 that PATH has."""
    file = folder / "python3.14"
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)


def test_where_there_is_none(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tool.main(["3.14", "--folder", str(tmp_path / "folder")]) == tool.SKIPPED == 77
    assert capsys.readouterr().out == "CPython 3.14 cannot be set up here: this is no Debian\n"


def test_a_package_that_cannot_be_had(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a set-up is not taken for a whole one by the next run."""
    command(tmp_path, "echo cpython 3.14")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tool, "requirements", lambda: ["/nonexistent.whl"])
    for _ in range(2):
        assert tool.main(["3.14", "--folder", str(tmp_path / "folder")]) == tool.SKIPPED
        assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("text", ["echo complaint >&2; exit 127", "echo pypy 3.14", "echo cpython 3.15", "echo cpython"])
def test_a_command_that_is_no_such_interpreter(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    command(tmp_path, text)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert tool.on_path("3.14") is None
    command(tmp_path, "echo cpython 3.14")
    assert tool.on_path("3.14") == str(tmp_path / "python3.14")


def test_what_was_set_up_is_run(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With this checkout on its path, and its exit code is the script's."""
    record = {"interpreter": sys.executable, "requirements": tool.requirements()}
    (tmp_path / "interpreter.json").write_text(json.dumps(record), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", "/nonexistent")
    code = f"import sys, exactops; sys.exit(5 if exactops.__file__.startswith({str(TESTS.parent)!r}) else 6)"
    assert tool.main(["3.14", "--folder", str(tmp_path), "--run", "-c", code]) == 5


def test_a_version_that_cannot_be_one(tool: ModuleType) -> None:
    with pytest.raises(SystemExit):
        tool.main(["2.7"])


def test_the_requirements_are_those_of_the_project(tool: ModuleType) -> None:
    names = {re.split(r"[<>=]", each)[0] for each in tool.requirements()}
    assert names >= {"numpy", "numba", "llvmlite", "ml_dtypes", "platformdirs", "filelock", "rich", "pytest"}


def test_the_quick_tests_are_tests_that_there_are() -> None:
    lines = (TESTS / "quick.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(set(lines)) > 10
    for line in lines:
        file, _, name = line.removeprefix("--deselect=").partition("::")
        text = (TESTS.parent / file).read_text(encoding="utf-8")
        assert not name or f"def {name.split('[')[0]}(" in text, line
