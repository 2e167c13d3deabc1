"""The pages tell the truth: their examples run, their commands parse, their links lead somewhere, their tables are current."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import pkgutil
import re
import shlex
import warnings
from pathlib import Path

import pytest

import exactops
from exactops.cli import parser

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def fenced(page: Path, language: str) -> list[tuple[int, str]]:
    """The fenced blocks of a language as (line number, text)."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start(1)) + 1, match.group(1)) for match in found]


def load_tool():
    """tools/make_operator_table.py as a module."""
    specification = importlib.util.spec_from_file_location("make_operator_table", ROOT / "tools" / "make_operator_table.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of a page, one after the other in one namespace, with no warning."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for line, text in fenced(page, "python"):
            # Compiled at the lines of the page, under its name, so that a failure points into it (and Numba finds the source).
            exec(compile("\n" * (line - 1) + text, str(page), "exec"), namespace)


def test_pages_with_examples() -> None:
    """The pattern that finds examples does find some."""
    assert {page.name for page in PAGES if fenced(page, "python")} >= {"README.md", "lanes.md", "adding_an_operator.md"}


def test_commands_parse() -> None:
    """Every ``python -m exactops`` line of the pages is accepted by the parser."""
    seen = []
    for page in PAGES:
        lines = [line for _, block in fenced(page, "sh") for line in block.splitlines()]
        lines += re.findall(r"`(python -m exactops [^`]*)`", page.read_text(encoding="utf-8"))
        for line in lines:
            for command in line.split("&&"):
                words = shlex.split(command, comments=True)
                if words[:3] == ["python", "-m", "exactops"]:
                    assert parser().parse_args(words[3:]).command == words[3]
                    seen.append(words[3])
    assert {"info", "ops", "run", "demo", "prove"} <= set(seen)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_paths_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert target.startswith("https://") or (page.parent / target).exists(), target
    for name in re.findall(r"`((?:exactops|tests|tools|bench|docs|testdata)/[\w./]*)`", text):
        assert (ROOT / name).exists(), name


def test_the_generated_pages_are_current(capsys: pytest.CaptureFixture[str]) -> None:
    code = load_tool().main(["--check"])
    assert code == 0, f"run python tools/make_operator_table.py:\n{capsys.readouterr().out}"


def test_the_stub_names_what_the_package_exports() -> None:
    stub = (ROOT / "exactops" / "__init__.pyi").read_text(encoding="utf-8")
    named = set(re.findall(r"^def (\w+)\(|^from \S+ import \w+ as (\w+)$|^(__version__):", stub, re.MULTILINE))
    assert {next(filter(None, groups)) for groups in named} == set(exactops.__all__)


def test_docstring_examples() -> None:
    """Those of every module, and of every public name: doctest does not find functions that are made at run time."""
    ran = 0
    for info in pkgutil.walk_packages(exactops.__path__, "exactops."):
        if info.name.rpartition(".")[2] == "__main__":
            continue
        try:
            module = importlib.import_module(info.name)
        except ModuleNotFoundError as error:  # what an extra installs
            if str(error.name).partition(".")[0] == "exactops":
                raise
            continue
        assert doctest.testmod(module).failed == 0, info.name
    runner = doctest.DocTestRunner()
    for name in exactops.__all__:
        text = getattr(exactops, name).__doc__ or ""
        result = runner.run(doctest.DocTestParser().get_doctest(text, {}, name, None, None))
        assert result.failed == 0, name
        ran += result.attempted
    assert ran > 0


@pytest.mark.parametrize("name", exactops.__all__)
def test_public_names_are_documented(name: str) -> None:
    if name != "__version__":
        assert len(getattr(exactops, name).__doc__ or "") > 40
