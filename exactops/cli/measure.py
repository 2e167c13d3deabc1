"""``exactops measure``: how long the operators take on this machine.

What is measured is kept with its provenance in the user's data folder, and contracts show it.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from exactops.cli._common import CommandError, console, operator_of, path_of, positive, print_json, progress, table

if TYPE_CHECKING:
    from exactops.contracts.measurements import Measurement
    from exactops.table.operator import Operator


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "measure",
        help="measure the operators on this machine",
        description=(
            "Measure nanoseconds an element and the overhead of a call, on one core, in calls that take turns; medians. The "
            "result is kept, with CPU, date and versions, for contracts to show. All operators and types take some minutes."
        ),
    )
    parser.add_argument("ops", nargs="*", metavar="OP", help="operators, by any spelling (default: all)")
    parser.add_argument("--dtype", metavar="DTYPE", help="type of the first value operand (default: all that are served)")
    parser.add_argument("--mode", choices=["exact", "fast"], help="exact or fast (default: both, where they differ)")
    parser.add_argument(
        "--path", action="append", metavar="PATH", help="register width, or all; may be repeated (default: the widest)"
    )
    parser.add_argument("--size", type=_size, metavar="N", help="elements of a call (default: 16384)")
    parser.add_argument("--rounds", type=positive, default=15, metavar="N", help="rounds that the medians are of (default: 15)")
    parser.add_argument("--no-store", action="store_true", help="print the times without keeping them")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _size(text: str) -> int:
    if int(text) < 2:
        raise argparse.ArgumentTypeError(f"{text} elements are too few to time one by")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Measure, keep and print."""
    from exactops.contracts import measurements, measuring
    from exactops.system import processors

    chosen, paths = _chosen(arguments), _paths(arguments.path)
    size = arguments.size or measuring.SIZE
    found: list[Measurement] = []
    with progress("", len(chosen)) as advance, processors.pinned() as core:
        for operator, short in chosen:
            advance(0, f"{operator.name} {short}")
            found += _measure(operator, short, arguments, paths, size, core)
            advance()
    where = None
    if not arguments.no_store:
        try:
            where = measurements.store(found)
        except OSError as error:
            place = error.filename or measurements.file() or "measurements.json"
            raise CommandError(f"cannot write {place}: {error.strerror or error}") from None
    if arguments.json:
        print_json([asdict(each) for each in found])
        return 0
    rows = table("operator", "types", "attributes", "mode", "path", "ns an element", "ns a call")
    for each in found:
        attributes = ", ".join(f"{name}={value}" for name, value in each.attributes.items())
        types = f"{', '.join(each.inputs)} to {', '.join(each.results)}"
        rows.add_row(each.operator, types, attributes, each.mode, each.path, f"{each.ns_per_element:g}", f"{each.call_ns:g}")
    out = console()
    out.print(rows)
    out.print(f"{size} elements, median of {arguments.rounds} rounds{'' if where is None else f'; kept in {where}'}")
    return 0


def _measure(
    operator: Operator, short: str, arguments: argparse.Namespace, paths: list[str], size: int, core: int | None
) -> list[Measurement]:
    from exactops.contracts import measuring
    from exactops.table.operator import MODES

    wanted = measuring.tasks(operator, short, (arguments.mode,) if arguments.mode else MODES)
    return measuring.measure(wanted, paths, size, arguments.rounds, core) if wanted else []


def _chosen(arguments: argparse.Namespace) -> list[tuple[Operator, str]]:
    """The operators and types to measure."""
    from exactops import UnsupportedError
    from exactops.contracts.operands import served
    from exactops.ops import OPERATORS

    found: list[tuple[Operator, str]] = []
    for name in dict.fromkeys(operator_of(op).name for op in arguments.ops) or OPERATORS:
        operator = OPERATORS[name]
        if arguments.dtype is None:
            found += [(operator, short) for short in operator.dtypes]
            continue
        try:
            found.append((operator, served(operator, arguments.dtype)))
        except UnsupportedError as error:
            # Of all operators, those that serve the type; a type that none serves is a mistake.
            refusal = error
            if arguments.ops:
                raise CommandError(error) from None
    if not found:
        raise CommandError(refusal)
    return found


def _paths(named: list[str] | None) -> list[str]:
    from exactops.codegen.paths import paths

    if named and "all" in named:
        return list(paths())
    return [path_of(path) for path in named] if named else [path_of(None)]
