"""``exactops assembly``: the compiled loop of an operator, to read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from exactops.cli._common import CommandError, add_attribute_option, add_path_option, attributes_of, operator_of, path_of

if TYPE_CHECKING:
    from exactops.codegen.key import Key
    from exactops.table.operator import Operator


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "assembly",
        help="print the assembly of an operator's loop",
        description=(
            "Print the assembly of the loop that an operator is compiled to on this CPU, with its tables. The first line is a "
            "comment that says which loop it is."
        ),
        epilog="example: exactops assembly leaky_relu --dtype f16 --path sse2 --attr alpha=0.1",
    )
    parser.add_argument("op", metavar="OP", help="any spelling of an operator; `exactops ops` lists them")
    parser.add_argument(
        "--dtype", metavar="DTYPE", help="type of the operands, such as f16 or bfloat16 (default: f32 where it is served)"
    )
    parser.add_argument("--mode", choices=["exact", "fast"], default="exact", help="exact (default) or fast")
    add_path_option(parser)
    add_attribute_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compile the loop and print it."""
    operator, path = operator_of(arguments.op), path_of(arguments.path)
    dtype = arguments.dtype or ("f32" if "f32" in operator.dtypes else operator.dtypes[0])
    attributes = attributes_of(operator, arguments.attr)
    try:
        loops = {mode: loop_of(operator, dtype, mode, path, attributes) for mode in ("exact", "fast")}
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError(error) from None
    from exactops.codegen.loops import assembly
    from exactops.codegen.target import target

    loop = loops[arguments.mode]
    text = assembly(loop)
    modes = "both modes" if loops["exact"] == loops["fast"] else f"{arguments.mode} mode"
    print(f"# {operator.name}, {', '.join(loop.inputs)} to {loop.output}, {modes}, path {path}, CPU {target().name}")
    print(text, end="")
    return 0


def loop_of(operator: Operator, dtype: str, mode: str, path: str, attributes: dict[str, Any]) -> Key:
    """The loop of a call whose operands have one dtype, as far as the operator takes it for each of them.

    Raises
    ------
    TypeError, ValueError, OverflowError
        The operator does not serve the dtype, or the attributes are not its own.
    """
    import numpy as np

    from exactops.contracts.contract import served
    from exactops.frontend.plan import plan
    from exactops.table.formats import STORAGES

    short = served(operator, dtype)
    names = ("x", "y") if operator.variadic else operator.operands[: len(operator.operands) - operator.optional]
    operands = []
    for position, name in enumerate(names):
        own = operator.own_dtype.get(name, (short,))
        each = "bool" if operator.condition and position == 0 else short if short in own else own[0]
        if name not in attributes:  # of an operand that may be given by keyword
            operands.append(np.ones(1, STORAGES[each].dtype))
    return plan(operator, tuple(operands), mode, path, attributes=attributes).key
