"""``exactops contracts``: what may be relied on, operator by operator."""

from __future__ import annotations

import argparse
from typing import Any

from exactops.cli._common import CommandError, console, print_json, table

_HEADERS = (
    "operator",
    "operands",
    "attributes",
    "result",
    "mode",
    "max ulp",
    "audit",
    "bits",
    "flops",
    "bytes",
    "ns an element",
)


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "contracts",
        help="the contracts of the operators",
        description=(
            "Show what may be relied on: types, error bounds and their proofs, determinism, cost. "
            "With --json the contracts are printed whole, in the form of the schema that --schema prints."
        ),
    )
    parser.add_argument("op", nargs="?", metavar="OP", help="any spelling of an operator (default: all)")
    parser.add_argument("--dtype", metavar="DTYPE", help="only what concerns operands of this type, such as f32 or bfloat16")
    parser.add_argument("--json", action="store_true", help="print JSON: a list, or one contract where OP is given")
    parser.add_argument("--schema", action="store_true", help="print the JSON Schema of a contract instead")


def run(arguments: argparse.Namespace) -> int:
    """Print the contracts."""
    from exactops import UnsupportedError
    from exactops.contracts import contract, schema
    from exactops.ops import OPERATORS

    if arguments.schema:
        print_json(schema())
        return 0
    try:
        found = [contract(arguments.op, arguments.dtype)] if arguments.op else []
    except UnsupportedError as error:
        raise CommandError(error) from None
    for name in () if arguments.op else OPERATORS:
        try:
            found.append(contract(name, arguments.dtype))
        except UnsupportedError as error:
            # Of all operators, those that serve the type; a type that none serves is a mistake.
            refusal = error
    if not found:
        raise CommandError(refusal)
    if arguments.json:
        print_json(found[0] if arguments.op else found)
    else:
        _show(found)
    return 0


def _show(contracts: list[dict[str, Any]]) -> None:
    """One row a variant: modes that share a loop share a row."""
    rows = table(*_HEADERS)
    for contract in contracts:
        for variant in contract["variants"]:
            for cells in _rows(contract, variant):
                rows.add_row(*cells)
    console().print(rows)


def _rows(contract: dict[str, Any], variant: dict[str, Any]) -> list[tuple[str, ...]]:
    attributes = ", ".join(f"{name}={value}" for name, value in variant["attributes"].items())
    head = (contract["operator"], ", ".join(variant["operand_dtypes"]), attributes)
    if not variant["served"]:
        return [(*head, "refused", *[""] * (len(_HEADERS) - len(head) - 1))]
    found: list[tuple[str, ...]] = []
    for mode in contract["modes"] if variant["modes_differ"] else ["exact"]:
        cost, results = variant["cost"], variant["results"]
        precisions = [each["precision"][mode] for each in results]
        ulps = ["see definition" if each["max_ulp"] is None else f"{each['max_ulp']:g}" for each in precisions]
        times = [f"{each['ns_per_element']:g} ({each['path']})" for each in cost["measured"] if each["mode"] == mode]
        found.append(
            (
                *head,
                ", ".join(each["dtype"] for each in results),
                mode if variant["modes_differ"] else "both",
                ", ".join(ulps),
                ", ".join(each["audit"]["status"].replace("_", " ") for each in precisions),
                contract["determinism"][mode].replace("_", " "),
                cost["flops"][mode],
                cost["bytes_moved"],
                ", ".join(times),
            )
        )
    return found
