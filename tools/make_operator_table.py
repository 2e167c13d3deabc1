"""Write what follows from the operators' declarations: README's table, docs/operators.md and the type stub of the package.

``python tools/make_operator_table.py`` writes them, ``--check`` only says (exit code 1) which are out of date.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import exactops
from exactops.cli.ops import row
from exactops.ops import SPELLINGS
from exactops.table.documentation import (
    STUB_TYPES,
    Described,
    alias_sentence,
    attributes_described,
    category_sentence,
    dtype_families,
    operands_described,
    refusals,
    run_stub_lines,
    short_signature,
    stub_lines,
    summary_sentence,
)
from exactops.table.operator import CATEGORIES, Operator

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- operators: begin (tools/make_operator_table.py) -->", "<!-- operators: end -->"


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as a Markdown table."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(names: Iterable[str]) -> str:
    """Names as inline code."""
    return ", ".join(f"`{name}`" for name in names)


def summary_table() -> str:
    """The table in the README."""
    rows = []
    for operator in exactops.operators().values():
        name, aliases, onnx, operands, dtypes, attributes, category = row(operator)
        spelled = f"`{name}`" + (f" ({code(aliases.split(', '))})" if aliases else "")
        attributes = code(attributes.split(", ")) if attributes else ""
        rows.append((spelled, onnx, operands, dtypes, attributes, category))
    meanings = "\n".join(f"- **{letter}**: {meaning}" for letter, meaning in CATEGORIES.items())
    table = markdown_table(("operator", "ONNX, from opset", "operands", "types", "attributes", "category"), rows)
    return f"{table}\n\nCategories:\n\n{meanings}"


def described_lines(title: str, found: Sequence[Described]) -> list[str]:
    """Parameters as a nested list."""
    if not found:
        return []
    return [f"- {title}:", *(f"  - `{each.name}` ({each.kind}): {each.text.replace('``', '`')}" for each in found)]


def section(operator: Operator) -> str:
    """The section of an operator in docs/operators.md."""
    lines = [f"## {operator.name}", "", summary_sentence(operator), ""]
    lines.append(f"- Function: `exactops.{operator.function}{short_signature(operator)}`")
    functions = [name for name in operator.names if name in exactops.__all__ and name != operator.function]
    if functions:
        lines.append(f"- The same function: {code(f'exactops.{name}' for name in functions)}")
    lines.append(f"- Spellings for `exactops.run`: {code(operator.names)}")
    lines += [f"  - {alias_sentence(operator, each)}" for each in operator.other_names if each.is_special]
    if operator.onnx:
        lines.append(f"- ONNX: {operator.onnx}, from opset {operator.opset}")
    lines.append(f"- Types: {dtype_families(operator.dtypes)}")
    lines += [f"  - not {dtype_families(shorts)}: {reason}" for shorts, reason in refusals(operator)]
    lines += described_lines("Operands", operands_described(operator))
    lines += described_lines("Attributes", attributes_described(operator))
    if operator.results != ("same",):
        lines.append("- Result: " + ", ".join({"to": "the target type"}.get(rule, rule) for rule in operator.results))
    lines.append(f"- Category {operator.category}. {category_sentence(operator)}")
    in_place = [each.name for each in operator.operands if each.in_place]
    if in_place:
        lines.append(f"- In place without a temporary copy: over {code(in_place)}")
    if operator.special:
        lines += ["- Special cases:", *(f"  - {case}" for case in operator.special)]
    return "\n".join(lines) + "\n"


def operators_page() -> str:
    """docs/operators.md."""
    head = (
        "# Operators\n\n"
        "Generated from the declarations in `exactops/ops` by `tools/make_operator_table.py`; `python -m exactops ops --json`\n"
        "prints the same for other programs. What holds for all operators is in [semantics.md](semantics.md).\n"
        "Every function also takes the keywords `mode`, `path`, `out` and `where`.\n"
    )
    return "\n".join([head, *(section(operator) for operator in exactops.operators().values())])


def readme(text: str) -> str:
    """The README with its table renewed."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise SystemExit(f"README.md lacks the lines {BEGIN!r} and {END!r}")
    return f"{before}{BEGIN}\n{summary_table()}\n{END}{after}"


def stub() -> str:
    """exactops/__init__.pyi: the functions are made from the table, which type checkers cannot follow."""
    operators = exactops.operators().values()
    functions = {operator.function: operator for operator in operators}
    aliases = {name: operator.function for operator in operators for name in operator.names if name in exactops.__all__}
    lines = [
        "# Generated from the declarations in exactops/ops by tools/make_operator_table.py.",
        "# Where an operand or out= is an array, so is the result; what may override NumPy's ufuncs, and lists, give Any.",
        "from types import EllipsisType",
        "from typing import Any, Literal, TypeAlias, overload",
        "",
        "import numpy as np",
        "from numpy.typing import ArrayLike, DTypeLike",
        "",
    ]
    written_out = {"run", "__version__", *functions, *aliases}
    names = [name for name in exactops.__all__ if name not in written_out]
    lines += sorted(f"from {getattr(exactops, name).__module__} import {name} as {name}" for name in names)
    lines += ["", "__version__: str", "__all__: list[str]", "", *STUB_TYPES.splitlines(), ""]
    lines += run_stub_lines(sorted(SPELLINGS, key=lambda name: (name.lower(), name)))
    for name in sorted(functions):
        lines += stub_lines(functions[name])
    lines += ["", *(f"{name} = {function}" for name, function in sorted(aliases.items()) if name != function)]
    return "\n".join([*lines, ""])


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a file is out of date")
    check = parser.parse_args(argv).check
    page = ROOT / "README.md"
    wanted = {
        page: readme(page.read_text(encoding="utf-8")),
        ROOT / "docs" / "operators.md": operators_page(),
        ROOT / "exactops" / "__init__.pyi": stub(),
    }
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        if not check:
            path.write_text(wanted[path], encoding="utf-8")
        print(f"{path.relative_to(ROOT)} {'is out of date' if check else 'written'}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
