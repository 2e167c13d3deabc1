"""Write what follows from the operators' declarations: README's table, docs/operators.md and the type stub of the package.

``python tools/make_operator_table.py`` writes them, ``--check`` only says (exit code 1) which are out of date.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import exactops
from exactops.cli.ops import dtype_families, row
from exactops.table.operator import CATEGORIES, REQUIRED, Attribute, Operator

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- operators: begin (tools/make_operator_table.py) -->", "<!-- operators: end -->"

#: The keyword arguments that every operator has, as in a stub.
KEYWORDS = (
    'mode: Literal["exact", "fast"] = "exact"',
    "path: str | None = None",
    "out: np.ndarray | None = None",
    "where: ArrayLike = True",
)


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as a Markdown table."""
    lines = [headers, ["---"] * len(headers), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(names: Sequence[str]) -> str:
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


def sentence(operator: Operator) -> str:
    """The summary as a sentence, with a capital unless it begins with the name of an operand or of an attribute."""
    text = operator.summary
    first = text.split()[0].strip(",")
    names = {"e", *operator.operands, *(attribute.name for attribute in operator.attributes)}
    return f"{text[0] if first in names or '(' in first else text[0].upper()}{text[1:]}."


def literal(value: object) -> str:
    """A default or a choice as Python source."""
    return json.dumps(value) if isinstance(value, str) else repr(value)


def attribute_line(attribute: Attribute) -> str:
    """One attribute as a list item."""
    if attribute.kind == "bound":
        kind = "operand that may be given by keyword"
    elif attribute.kind == "choice" and None not in attribute.choices:
        kind = "one of " + ", ".join(repr(choice) for choice in attribute.choices)
    else:
        kind = {"float": "float", "int32": "int that fits 32 bits", "dtype": "dtype", "choice": "any value"}[attribute.kind]
    if attribute.default is REQUIRED:
        default = ""
    elif attribute.kind == "bound":
        default = {"finite": "; missing: the finite extreme of the type", "unbounded": "; missing: no bound"}[
            str(attribute.default)
        ]
    else:
        default = f"; default {attribute.default!r}"
    return f"  - `{attribute.name}` ({kind}{default}): {attribute.summary}"


def section(operator: Operator) -> str:
    """The section of an operator in docs/operators.md."""
    *_, operands, _, _, _ = row(operator)
    lines = [f"## {operator.name}", "", sentence(operator), ""]
    lines.append(f"- Function: `exactops.{operator.function}({operands})`")
    if operator.names[1:]:
        lines.append(f"- Other spellings for `exactops.run`: {code(operator.names[1:])}")
    if operator.onnx:
        lines.append(f"- ONNX: {operator.onnx}, from opset {operator.opset}")
    lines.append(f"- Types: {dtype_families(operator.dtypes)}")
    lines += [f"  - not {short}: {reason}" for short, reason in operator.unserved.items()]
    if operator.result != "same":
        lines.append(f"- Result: {'bool' if operator.result == 'bool' else 'the target type'}")
    if operator.attributes:
        lines += ["- Attributes:", *(attribute_line(attribute) for attribute in operator.attributes)]
    lines.append(f"- Category {operator.category}: {CATEGORIES[operator.category]}")
    if operator.in_place:
        lines.append(f"- In place without a temporary copy: over {code(operator.in_place)}")
    if operator.special:
        lines += ["- Special cases:", *(f"  - {case}" for case in operator.special)]
    return "\n".join(lines) + "\n"


def operators_page() -> str:
    """docs/operators.md."""
    head = (
        "# Operators\n\n"
        "Generated from the declarations in `exactops/ops` by `tools/make_operator_table.py`; `python -m exactops ops --json`\n"
        "prints the same for other programs. What holds for all operators is in [semantics.md](semantics.md).\n"
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
    """exactops/__init__.pyi: the named functions are made from the table, which type checkers cannot follow."""
    functions = {operator.function: operator for operator in exactops.operators().values()}
    lines = [
        "# Generated from the declarations in exactops/ops by tools/make_operator_table.py.",
        "from typing import Any, Literal",
        "",
        "import numpy as np",
        "from numpy.typing import ArrayLike, DTypeLike",
        "",
    ]
    written_out = {"run", "__version__", *functions}
    names = [name for name in exactops.__all__ if name not in written_out]
    lines += sorted(f"from {getattr(exactops, name).__module__} import {name} as {name}" for name in names)
    lines += ["", "__version__: str", "__all__: list[str]", ""]
    lines += definition("run", ["op: str", "/", "*arrays: ArrayLike", *KEYWORDS, "**attributes: Any"])
    for name in sorted(functions):
        lines += signature(functions[name])
    return "\n".join([*lines, ""])


def signature(operator: Operator) -> list[str]:
    """The function of an operator, as lines of a stub."""
    arguments = []
    if operator.variadic:
        arguments.append("*arrays: ArrayLike")
    else:
        bounds = {attribute.name for attribute in operator.attributes if attribute.kind == "bound"}
        required = len(operator.operands) - operator.optional
        positional = True
        for position, operand in enumerate(operator.operands):
            if positional and operand in bounds:
                positional = False
                arguments.append("/")
            arguments.append(f"{operand}: ArrayLike" if position < required else f"{operand}: ArrayLike | None = None")
        arguments += ["/", "*"] if positional else ["*"]
    for attribute in operator.attributes:
        if attribute.kind == "bound":
            continue
        kind = {"float": "float", "int32": "int", "dtype": "DTypeLike", "choice": "Any"}[attribute.kind]
        if attribute.kind == "choice" and None not in attribute.choices:
            kind = f"Literal[{', '.join(map(literal, attribute.choices))}]"
        kind += " | int" if attribute.kind == "dtype" else ""
        arguments.append(
            f"{attribute.name}: {kind}" + ("" if attribute.default is REQUIRED else f" = {literal(attribute.default)}")
        )
    return definition(operator.function, [*arguments, *KEYWORDS])


def definition(name: str, arguments: Sequence[str]) -> list[str]:
    """A function of the stub, one argument a line."""
    return [f"def {name}(", *(f"    {argument}," for argument in arguments), ") -> Any: ..."]


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
