"""``exactops run``: an operator over .npy files.

The files are memory-mapped and worked through in blocks, so they may be larger than memory. The result is written to a
temporary file beside the output, which takes the output's name only when it is complete: an output that is also an input is
read to its end unharmed, and nothing partial stays behind.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactops.cli._common import CommandError, add_attribute_option, add_path_option, attributes_of, operator_of, progress
from exactops.system import files

if TYPE_CHECKING:
    import numpy as np


#: Elements of the result that are computed at once.
BLOCK = 1 << 20

#: What NumPy makes of a file that holds bfloat16.
_RAW = "V2"


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "run",
        help="apply an operator to .npy files",
        description="Apply an operator to .npy files. They are memory-mapped, so they may be larger than memory.",
        epilog="example: exactops run leaky_relu x.npy -o y.npy --attr alpha=0.1",
    )
    parser.add_argument("op", metavar="OP", help="any spelling of an operator; `exactops ops` lists them")
    parser.add_argument("inputs", nargs="+", metavar="IN.npy", help="the operands, of shapes that broadcast")
    parser.add_argument(
        "-o", "--output", required=True, metavar="OUT.npy", help="where the result goes; it may be one of the operands"
    )
    parser.add_argument("--mode", default="exact", metavar="MODE", help="exact (default) or fast")
    add_path_option(parser)
    add_attribute_option(parser)
    parser.add_argument(
        "--dtype",
        choices=["bfloat16"],
        metavar="bfloat16",
        help="what operands of raw two-byte elements hold: .npy files cannot name bfloat16",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, compute, and put the result in place."""
    import numpy as np

    import exactops
    from exactops.frontend.plan import plan

    try:
        operator = operator_of(arguments.op)
        attributes = attributes_of(operator, arguments.attr)
        operands = [_operand(name, arguments.dtype) for name in arguments.inputs]
        if arguments.dtype and not any(operand.dtype.name == "bfloat16" for operand in operands):
            raise CommandError(f"--dtype {arguments.dtype}: no operand holds raw two-byte elements")
        planned = plan(operator, tuple(operands), attributes, arguments.mode, arguments.path)
        read = len(operands) - sum(not operand.is_read for operand in operator.operands)  # one like cast_like's is not
        try:
            shape = np.broadcast_shapes(*(np.shape(operand) for operand in operands[:read]))
        except ValueError:
            shapes = " and ".join(str(operand.shape) for operand in operands[:read])
            raise CommandError(f"the operands have the shapes {shapes}, which do not broadcast") from None
        full = [np.broadcast_to(operand, shape) for operand in operands[:read]]
        # A call without elements finds what is wrong with the values of attributes, before a file is touched.
        nothing = [np.zeros(0, operand.dtype) for operand in operands]
        exactops.run(operator.name, *nothing, mode=arguments.mode, path=arguments.path, **attributes)
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError(error) from None
    fortran = _all_fortran(operands[:read], shape)

    def compute(out: np.ndarray) -> None:
        # Blocks of a Fortran-ordered file are contiguous when it is looked at transposed.
        arrays, target = ([a.T for a in full], out.T) if fortran else (full, out)
        with progress(operator.name, target.size) as advance:
            for block in blocks(target.shape, BLOCK):
                part = target[block]
                inputs = [array[block] for array in arrays] + operands[read:]
                exactops.run(operator.name, *inputs, mode=arguments.mode, path=arguments.path, out=part, **attributes)
                advance(part.size)

    with _replaced(Path(arguments.output)) as temporary:
        out = _create(temporary, planned.results[0].dtype, shape, fortran)
        compute(out)
        del out
        # Some platforms refuse to replace a file that is still mapped.
        full.clear()
        operands.clear()
        del planned
    return 0


# --- operands and attributes --------------------------------------------------------------------------------------------


def _operand(name: str, dtype: str | None) -> np.ndarray:
    """A .npy file, memory-mapped."""
    import ml_dtypes
    import numpy as np

    try:
        mapped = np.lib.format.open_memmap(name, mode="r")
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from None
    except (ValueError, EOFError, SyntaxError, TypeError, OverflowError) as error:
        raise CommandError(f"{name}: not a .npy file that can be mapped ({error})") from None
    array = mapped.view(np.ndarray)
    if array.dtype.str.lstrip("<>|=") == _RAW and array.dtype.names is None:
        if dtype is None:
            raise CommandError(f"{name}: raw two-byte elements; if they are bfloat16, say --dtype bfloat16")
        array = array.view(ml_dtypes.bfloat16)
    return array


# --- the result ---------------------------------------------------------------------------------------------------------


def blocks(shape: tuple[int, ...], size: int) -> Iterator[tuple[Any, ...]]:
    """Indices that divide a shape, in C order, into blocks of at most so many elements; last axes stay whole where they fit."""
    import numpy as np

    if 0 in shape:
        return
    axis, tail = len(shape), 1
    while axis and tail * shape[axis - 1] <= size:
        axis -= 1
        tail *= shape[axis]
    if axis == 0:
        yield (...,)
        return
    step = max(1, size // tail)
    for leading in np.ndindex(*shape[: axis - 1]):
        for start in range(0, shape[axis - 1], step):
            yield (*leading, slice(start, start + step), ...)


def _all_fortran(operands: list[np.ndarray], shape: tuple[int, ...]) -> bool:
    """Whether every operand that has the result's shape is laid out in Fortran's order and not in C's."""
    full = [operand.flags for operand in operands if operand.shape == shape]
    return bool(full) and all(flags.f_contiguous and not flags.c_contiguous for flags in full)


def _create(path: Path, dtype: np.dtype, shape: tuple[int, ...], fortran: bool) -> np.ndarray:
    """A new .npy file, mapped for writing, with its space reserved: a full disk must show here, not at a store."""
    import numpy as np

    mapped = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=shape, fortran_order=fortran)
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            length = os.fstat(file.fileno()).st_size
            if length:
                os.posix_fallocate(file.fileno(), 0, length)
    return mapped.view(np.ndarray)


@contextlib.contextmanager
def _replaced(output: Path) -> Iterator[Path]:
    """A temporary file beside the output, which replaces it at the end; it is removed if anything goes wrong."""
    target = Path(os.path.realpath(output))
    if target.exists() and not target.is_file():
        raise CommandError(f"{output}: exists and is not a regular file")
    try:
        with files.replacing(target) as temporary:
            yield temporary
    except OSError as error:
        raise CommandError(f"{output}: {error.strerror or error}") from None
