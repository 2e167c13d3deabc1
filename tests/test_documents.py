"""The pages tell the truth: their examples run, their commands parse, their links lead somewhere, their tables are current."""

from __future__ import annotations

import ast
import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import exactops
from exactops.api import FUNCTIONS
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
    """Every public name, and no other that does not begin with an underscore."""
    named = set()
    for node in ast.parse((ROOT / "exactops" / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            named.add(node.name)
        elif isinstance(node, ast.Assign):
            named |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            named.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):  # in a stub, an import is public where it has an alias
            named |= {each.asname for each in node.names if each.asname}
    assert {name for name in named if not name.startswith("_") or name == "__version__"} == set(exactops.__all__)


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


# --- types ------------------------------------------------------------------------------------------------------------


#: What type checkers have to accept, and what it is; then what they have to report, a line each.
GOOD_CALLS = """
from typing import Any, assert_type

import numpy as np

import exactops

x = np.zeros(3, np.float32)
assert_type(exactops.exp(x), np.ndarray[Any, Any])
assert_type(exactops.add(x, 2.0), np.ndarray[Any, Any])
assert_type(exactops.add(2, x), np.ndarray[Any, Any])
assert_type(exactops.less(x, x), np.ndarray[Any, np.dtype[np.bool_]])
assert_type(exactops.where(x > 0, x, 1.0), np.ndarray[Any, Any])
assert_type(exactops.exp([1.0], out=x), np.ndarray[Any, Any])
assert_type(exactops.exp(np.float32(1), out=...), np.ndarray[Any, Any])
assert_type(exactops.exp(x, out=(x,), where=[True, False, True]), np.ndarray[Any, Any])
assert_type(exactops.exp(np.float32(1)), Any)
assert_type(exactops.exp([1.0]), Any)
assert_type(exactops.run("Exp", x), np.ndarray[Any, Any])
assert_type(exactops.run("clip", x, None, 3.0, path="scalar"), np.ndarray[Any, Any])
assert_type(exactops.sum(x, x, 1.0), np.ndarray[Any, Any])
assert_type(exactops.clip(x, max=3), np.ndarray[Any, Any])
assert_type(exactops.cast(x, "float16"), np.ndarray[Any, Any])
assert_type(exactops.cast(x, to=np.int8), np.ndarray[Any, Any])
assert_type(exactops.subtract(x, 1), np.ndarray[Any, Any])
assert_type(exactops.logical_not(x > 0), np.ndarray[Any, Any])
exactops.scaled_add(x, x, 1.0, 2.0)
exactops.scaled_add(x, x, beta=1.0, alpha=2.0)
exactops.gelu(x, approximate="tanh", mode="fast")
"""
BAD_CALLS = """
exactops.run(3, x)
exactops.exq(x)
exactops.gelu(x, approximate="tan")
exactops.exp(x, mode="quick")
exactops.powi(x, exp=1.5)
exactops.powi(x)
exactops.exp()
exactops.exp(x, x)
exactops.exp(x, alpha=1.0)
exactops.exp(x, out=[x])
exactops.add(x=x, y=x)
"""


def test_type_checkers_see_the_stub(tmp_path: Path) -> None:
    """mypy finds no fault in good calls, and one in each bad call."""
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(GOOD_CALLS + BAD_CALLS.lstrip(), encoding="utf-8")
    options = ["--strict", "--no-error-summary", "--hide-error-context", "--cache-dir", str(tmp_path / "cache")]
    command = [sys.executable, "-m", "mypy", *options, str(program)]
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    reported = {int(line) for line in re.findall(r"^program\.py:(\d+): error:", done.stdout, re.MULTILINE)}
    first = GOOD_CALLS.count("\n") + 1
    assert reported == set(range(first, first + BAD_CALLS.strip().count("\n") + 1)), done.stdout + done.stderr


@pytest.mark.parametrize("name", [name for name in exactops.__all__ if name in FUNCTIONS])
def test_the_help_of_every_function(name: str) -> None:
    """NumPy's form: the parameters of the signature and no others, in its order, then results and notes."""
    function = getattr(exactops, name)
    text = function.__doc__
    assert text.startswith("Return ") and text.splitlines()[0].endswith(".") and not text.splitlines()[1]
    titles = re.findall(r"^(\w+)\n-+$", text, re.MULTILINE)
    assert titles == ["Parameters", "Returns", "Notes"]
    parameters = text.partition("Parameters\n")[2].partition("\nReturns\n")[0]
    assert re.findall(r"^(\*?\w+) : \S", parameters, re.MULTILINE) == [
        str(each).partition("=")[0] for each in inspect.signature(function).parameters.values()
    ]
    assert "Served dtypes: " in text and "In exact mode the operator is " in text
    assert max(map(len, text.splitlines())) <= 128


def test_formulas_keep_their_letters() -> None:
    """A sentence that begins with a name or a formula is not capitalised: e, x * Phi(x), exp(-inf) = +0."""
    for operator in exactops.operators().values():
        text = getattr(exactops, operator.function).__doc__
        for capital in re.findall(r"^(?:- )?(?:Return )?([A-Z]\w*)[(*]", text, re.MULTILINE):
            assert capital.lower() not in {*exactops.__all__, "x", "e"}, (operator.name, capital)
        assert all(f"- {case}" in text for case in operator.special)


# --- what the README counts -------------------------------------------------------------------------------------------


def test_the_readme_counts_what_there_is() -> None:
    """Its first lines and its limits, by the table and by ONNX's schemas."""
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    operators = exactops.operators().values()
    counts = {
        f"There are {len(operators)} operators": True,
        f"{sum(each.onnx is not None for each in operators)} of them ONNX's": True,
        f"{sum(each.category == 'c' for each in operators)} transcendentals": True,
        f"{sum('f64' in each.dtypes for each in operators)} operators serve float64": True,
        f"{sum(any(short[0] in 'iu' for short in each.dtypes) for each in operators)} the integers": True,
        f"functions of the package, {len(FUNCTIONS)} in all": True,
    }
    assert {phrase: phrase in text for phrase in counts} == counts
    transcendentals = [each for each in operators if each.category == "c"]
    assert {short for each in transcendentals for short in each.dtypes if short[0] not in "iu"} == {"f16", "bf16", "f32", "f64"}


def test_the_readme_names_the_missing_operators() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (named,) = re.findall(r"<!-- missing: begin -->(.*?)<!-- missing: end -->", text, re.DOTALL)
    missing = [name.strip() for name in named.split(",")]
    assert missing == sorted(set(missing))
    assert set(re.findall(r"(\d+) element-wise operators of\s+ONNX", text)) == {str(len(missing))}
    served = {each.onnx for each in exactops.operators().values()}
    assert not served & set(missing)
    defs = pytest.importorskip("onnx.defs")
    schemas = {each.name for each in defs.get_all_schemas() if not each.domain and not each.deprecated}
    assert set(missing) <= schemas and served - {None} <= schemas
