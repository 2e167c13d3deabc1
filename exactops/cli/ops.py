"""``exactops ops``: the operator table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from exactops.cli._common import console, operator_of, print_json, table
from exactops.table.documentation import dtype_families, operand_list
from exactops.table.operator import CATEGORIES, Attribute, Operator


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
        operand_list(operator),
        dtype_families(operator.dtypes),
        ", ".join(
            [each.name for each in operator.operands if each.keyword] + [_attribute(each) for each in operator.attributes]
        ),
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
        "operands": [
            {
                "name": operand.name,
                "role": operand.role,
                "dtypes": list(operand.types),
                "missing": operand.missing,
                "keyword": operand.keyword,
                "in_place": operand.in_place,
            }
            for operand in operator.operands
        ],
        "variadic": operator.fold is not None,
        "dtypes": list(operator.dtypes),
        "results": list(operator.results),
        "attributes": [
            {
                "name": attribute.name,
                "kind": attribute.kind,
                "required": attribute.required,
                "default": None if attribute.required else attribute.default,
                "choices": list(attribute.choices),
                "summary": attribute.summary,
            }
            for attribute in operator.attributes
        ],
        "category": operator.category,
        "category_meaning": CATEGORIES[operator.category],
        "special_cases": list(operator.special),
    }


def _attribute(attribute: Attribute) -> str:
    if attribute.required:
        return attribute.name
    return f"{attribute.name}={attribute.default}"
