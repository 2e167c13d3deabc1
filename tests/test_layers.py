"""The parts of the package import in one direction only: the table in docs/architecture.md, compared with the sources."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "exactops"
PAGE = ROOT / "docs" / "architecture.md"

#: Which part a module at the top of the package belongs to, where that is not its own name.
PART_OF = {"__init__": "api", "__main__": "cli"}

#: Imports that go up: (module, part). The page names each.
EXCEPTIONS = {("exactops/__init__.py", "contracts")}


def allowed() -> dict[str, set[str]]:
    """Of each part of the table, in its order, what it may import."""
    text = PAGE.read_text(encoding="utf-8")
    (table,) = re.findall(r"<!-- layers: begin -->\n(.*?)<!-- layers: end -->", text, re.DOTALL)
    found = {}
    for line in table.splitlines()[2:]:
        part, _, names = (cell.strip() for cell in line.strip("|").split("|"))
        found[part.strip("`")] = set(re.findall(r"`(\w+)`", names))
    return found


def part_of(name: str) -> str:
    """The part of a module or of a public name: ``exactops.ops.exp`` is of ``ops``, ``exactops.run`` of ``api``."""
    words = name.split(".")
    if len(words) < 2:
        return "api"
    if (PACKAGE / words[1]).is_dir() or (PACKAGE / f"{words[1]}.py").is_file():
        return PART_OF.get(words[1], words[1])
    return "api"


def imports(source: str, module: str, is_package: bool) -> set[str]:
    """The parts that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = module.split(".")
            if node.level:
                base = base[: len(base) - node.level + is_package]
            prefix = [*base, node.module or ""] if node.level else [node.module or ""]
            names = [".".join(filter(None, (*prefix, each.name))) for each in node.names]
        else:
            continue
        found |= {part_of(name) for name in names if name.split(".")[0] == "exactops"}
    return found


def faults(files: dict[str, str]) -> list[str]:
    """The imports in files (by their paths) that the table does not allow."""
    table, found = allowed(), []
    for file, source in files.items():
        path = Path(file).with_suffix("")
        is_package = path.name == "__init__"
        module = ".".join(path.parts[:-1] if is_package else path.parts)
        words = path.parts[1]
        part = PART_OF.get(words, words)
        if part.startswith("__"):  # hooks for other programs, which import nothing at run time
            continue
        if part not in table:
            found.append(f"{file}: the table lacks {part}")
            continue
        for other in sorted(imports(source, module, is_package) - table[part] - {part}):
            if (file, other) not in EXCEPTIONS:
                found.append(f"{file} imports {other}")
    return found


def test_the_parts_import_what_the_table_allows() -> None:
    files = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    assert len(files) > 50
    assert faults(files) == []


def test_nothing_imports_back_up() -> None:
    """Each row names rows above it only, so that there is no circle."""
    above: set[str] = set()
    for part, names in allowed().items():
        assert names <= above, part
        above.add(part)


@pytest.mark.parametrize(
    ("file", "source", "fault"),
    [
        ("exactops/lanes/new.py", "from exactops.codegen import loops", "imports codegen"),
        ("exactops/codegen/new.py", "def f():\n    from ..runtime.ufuncs import ufunc", "imports runtime"),
        ("exactops/runtime/new.py", "import exactops.frontend.plan", "imports frontend"),
        ("exactops/frontend/new.py", "from exactops import run", "imports api"),
        ("exactops/table/new.py", "import exactops", "imports api"),
        ("exactops/verification/__init__.py", "from ..testing import bits", "imports testing"),
        ("exactops/new/part.py", "", "the table lacks new"),
    ],
)
def test_a_planted_import_is_found(file: str, source: str, fault: str) -> None:
    assert [each.partition(" ")[2] for each in faults({file: source})] == [fault]
