"""``exactops assembly``: the compiled loop of an operator, to read."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from exactops.cli._common import CommandError, add_attribute_option, add_path_option, attributes_of, operator_of, path_of

if TYPE_CHECKING:
    from exactops.codegen.specification import LoopSpecification
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
    from exactops.codegen.target import host_target

    loop = loops[arguments.mode]
    text = assembly(loop, host_target())
    modes = "both modes" if loops["exact"] == loops["fast"] else f"{arguments.mode} mode"
    types = f"{', '.join(loop.inputs)} to {', '.join(loop.results)}"
    print(f"# {operator.name}, {types}, {modes}, path {path}, CPU {host_target().name}")
    print(text, end="")
    return 0


def loop_of(operator: Operator, dtype: str, mode: str, path: str, attributes: dict[str, Any]) -> LoopSpecification:
    """The loop of a call whose operands have one dtype, as far as the operator takes it for each of them.

    Raises
    ------
    TypeError, ValueError, OverflowError
        The operator does not serve the dtype, or the attributes are not its own.
    """
    from exactops import UnsupportedError
    from exactops.contracts.operands import served
    from exactops.frontend.attributes import check_names, check_required, selecting_value
    from exactops.frontend.named_loops import loops_of
    from exactops.table.operator import Refusal
    from exactops.table.signatures import operand_types, signature

    short = served(operator, dtype)
    check_names(operator, attributes)
    check_required(operator, attributes)
    types = []
    for operand in operator.operands * (2 if operator.fold is not None else 1):
        allowed = operand_types(operand, short)
        types.append(short if short in allowed else allowed[0])
    choices = {
        each.name: selecting_value(operator, each, attributes[each.name]) if each.name in attributes else each.default
        for each in operator.attributes
        if each.selects
    }
    found = signature(operator, types, choices)
    if isinstance(found.kernel, Refusal):
        raise UnsupportedError(f"{found.name} is not served: {found.kernel.reason}")
    return loops_of(found, mode, path)[0]
