"""``out=`` and ``where=``: both are checked before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from exactops.table.formats import Format, format_of


def outputs_of(out: Any, count: int) -> tuple[Any, ...] | None:
    """``out=`` as one object a result; None where there is none.

    ``out=...`` asks for an array where a scalar would be returned: there is no output to check.
    """
    if out is None or out is ...:
        return None
    if type(out) is tuple:
        if len(out) != count:
            wanted = "an array or a tuple of one" if count == 1 else f"a tuple of {count} arrays"
            raise TypeError(f"out= takes {wanted}, not a tuple of {len(out)}")
        return None if all(each is None for each in out) else out
    if count > 1:
        raise TypeError(f"out= takes a tuple of {count} arrays, one a result")
    return (out,)


def check_outputs(outputs: tuple[Any, ...], results: tuple[Format, ...], operands: list[Any], where: Any) -> None:
    """Raise where an output has another dtype than its result, or another shape."""
    for out, result in zip(outputs, results, strict=True):
        if out is None and len(outputs) > 1:
            continue
        if not hasattr(out, "dtype") or not hasattr(out, "shape"):
            raise TypeError(f"out= takes an array of dtype {result.dtype.name}, not {type(out).__name__}")
        if format_of(out.dtype) is not result:
            raise TypeError(f"out= has dtype {out.dtype}, the result has {result.dtype.name}")
    shapes = [tuple(np.shape(operand)) for operand in operands]
    if where is not True:
        if not isinstance(where, (np.ndarray, np.generic)) and not hasattr(where, "__array_ufunc__"):
            where = np.asarray(where)
        if where.dtype != np.bool_:
            raise TypeError(f"where= takes a bool array, not {where.dtype}")
        shapes.append(tuple(where.shape))
    shape = _broadcast_shape(shapes)
    for out in outputs:
        if out is not None and tuple(out.shape) != shape:
            raise ValueError(f"out= has shape {tuple(out.shape)}, the result has {shape}")


def have_shape_of(out: np.ndarray, operands: list[Any]) -> bool:
    """Whether the operands evidently broadcast to the shape of an output: one has it, the others its last axes or none.

    False means that it takes a closer look.
    """
    shape, found = out.shape, False
    for operand in operands:
        each = operand.shape
        if each == shape:
            found = True
        elif each and each != shape[-len(each) :]:
            return False
    return found


def _broadcast_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape by NumPy's rules; its own function for that stops at 32 dimensions, its ufuncs at 64."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    lengths = []
    for axis in zip(*padded, strict=True):
        others = {length for length in axis if length != 1}
        if len(others) > 1:
            raise ValueError(f"the shapes {', '.join(map(str, shapes))} do not broadcast")
        lengths.append(others.pop() if others else 1)
    return tuple(lengths)
