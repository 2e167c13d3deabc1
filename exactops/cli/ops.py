"""``exactops ops``: the operator table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from exactops.cli._common import console, operator_of, print_json, table
from exactops.table.operator import CATEGORIES, REQUIRED, Attribute, Operator


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "ops", help="show the operator table", description="Show the operator table, or the operators named."
    )
    parser.add_argument("names", nargs="*", metavar="OP", help="operators to show, by any spelling (default: all)")
    parser.add_argument("--json", action="store_true", help="print JSON, with summaries and special cases")


def run(arguments: argparse.Namespace) -> int:
    """Print the table."""
    chosen = _chosen(arguments.names)
    if arguments.json:
        print_json([describe(operator) for operator in chosen])
        return 0
    rows = table("name", "aliases", "ONNX", "operands", "dtypes", "attributes", "category")
    for operator in chosen:
        rows.add_row(*row(operator))
    out = console()
    out.print(rows)
    out.print()
    out.print("The category says what a result is:")
    for letter, meaning in CATEGORIES.items():
        out.print(f"  {letter}: {meaning}")
    return 0


def _chosen(names: list[str]) -> Iterable[Operator]:
    import exactops

    return [operator_of(name) for name in names] or exactops.operators().values()


def row(operator: Operator) -> tuple[str, ...]:
    """The cells of an operator's row: name, aliases, ONNX, operands, dtypes, attributes, category."""
    return (
        operator.name,
        ", ".join(name for name in operator.names[1:] if name != operator.onnx),
        f"{operator.onnx} {operator.opset}" if operator.onnx else "",
        _operands(operator),
        dtype_families(operator.dtypes),
        ", ".join(_attribute(attribute) for attribute in operator.attributes),
        operator.category,
    )


def describe(operator: Operator) -> dict[str, Any]:
    """An operator's declaration as plain values."""
    return {
        "name": operator.name,
        "function": f"exactops.{operator.function}",
        "summary": operator.summary,
        "aliases": [name for name in operator.names[1:] if name != operator.onnx],
        "onnx": operator.onnx,
        "opset": operator.opset,
        "operands": list(operator.operands),
        "optional_operands": operator.optional,
        "variadic": operator.variadic,
        "dtypes": list(operator.dtypes),
        "result": operator.result,
        "attributes": [
            {
                "name": attribute.name,
                "kind": attribute.kind,
                "required": attribute.default is REQUIRED,
                "default": None if attribute.default is REQUIRED else attribute.default,
                "choices": [choice for choice in attribute.choices if choice is not None],
                "summary": attribute.summary,
            }
            for attribute in operator.attributes
        ],
        "category": operator.category,
        "category_meaning": CATEGORIES[operator.category],
        "in_place": list(operator.in_place),
        "special_cases": list(operator.special),
    }


def dtype_families(dtypes: tuple[str, ...]) -> str:
    """Short names of dtypes, with the integers as ranges where a family is complete."""
    text = ", ".join(dtypes)
    for family in ("i", "u"):
        text = text.replace(", ".join(f"{family}{size}" for size in (8, 16, 32, 64)), f"{family}8-{family}64")
    return text


def _operands(operator: Operator) -> str:
    if operator.variadic:
        return f"{operator.operands[0]}…"
    required = len(operator.operands) - operator.optional
    return ", ".join(name if k < required else f"[{name}]" for k, name in enumerate(operator.operands))


def _attribute(attribute: Attribute) -> str:
    if attribute.kind == "bound" or attribute.default is REQUIRED:
        return attribute.name
    return f"{attribute.name}={attribute.default}"
