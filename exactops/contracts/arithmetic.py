"""The arithmetic of a kernel, counted by running the kernel itself.

Every lane operation has a meaning on NumPy arrays. Here a kernel runs on one element of an array type that counts additions,
subtractions, multiplications and divisions, on the path that an ordinary operand takes. A square root counts once and a
multiply-add twice; conversions, selections, comparisons, table look-ups and bit operations do not count.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactops.codegen.specification import LoopSpecification
from exactops.lanes import vocabulary
from exactops.lanes.vocabulary import LANE_FUNCTIONS
from exactops.table.formats import FORMATS, Format
from exactops.table.operator import Kernel

_ARITHMETIC = (np.add, np.subtract, np.multiply, np.divide, np.floor_divide)

#: Arithmetic operations inside operations of the vocabulary.
_INSIDE = {"mul_add": 2, "sqrt": 1, "truncated_quotient": 1}

#: Ordinary operands by kind: no power of two, no tie, nothing that a kernel has a path of its own for.
_ORDINARY = {"f": (0.7421875, 0.3359375, 1.328125, 1.546875), "i": (7, 5, 11, 13), "u": (7, 5, 11, 13), "b": (True,) * 4}


@dataclass
class Count:
    """Arithmetic operations on one element: on float lanes and on integer lanes."""

    floats: int = 0
    integers: int = 0

    def add(self, kind: str, times: int = 1) -> None:
        """Count operations whose result is of a NumPy kind."""
        if kind == "f":
            self.floats += times
        elif kind in "iu":
            self.integers += times


class _Counted(np.ndarray):
    """An array whose arithmetic is counted."""

    count: Count

    def __array_ufunc__(self, function, method, *inputs, out=None, **keywords):
        plain = [np.asarray(x) if isinstance(x, np.ndarray) else x for x in inputs]
        result = getattr(function, method)(*plain, **keywords)
        if function in _ARITHMETIC:
            self.count.add(result.dtype.kind)
        return _counted(result, self.count)


def _counted(value: Any, count: Count) -> Any:
    made = np.atleast_1d(np.asarray(value)).view(_Counted)
    made.count = count
    return made


@functools.cache
def arithmetic_of(loop: LoopSpecification) -> Count:
    """The arithmetic of a loop on one ordinary element: that of all kernels in its body."""
    total, values = Count(), [FORMATS[short] for short in loop.values]
    for step in loop.steps:
        found = operations(step.kernel, tuple(values[number] for number in step.arguments), loop.fast)
        total.floats += found.floats
        total.integers += found.integers
    return total


def operations(kernel: Kernel, inputs: tuple[Format, ...], fast: bool) -> Count:
    """The arithmetic of a kernel on one ordinary element.

    Parameters
    ----------
    kernel : Kernel
    inputs : tuple of Format
        Stored types of the operands and of the travelling attributes.
    fast : bool
        Count fast mode's function, where it has one.
    """
    count = Count()
    operands = [
        _counted(np.array([_ORDINARY[each.kind][place % 4]]).astype(each.computing), count) for place, each in enumerate(inputs)
    ]
    with np.errstate(all="ignore"):
        _rebound(kernel.function(fast), count, fast, {})(*operands)
    return count


def _rebound(function: Any, count: Count, fast: bool, done: dict[Any, Any]) -> Any:
    """A lane function with its helpers replaced by ones that keep counting."""
    if function not in done:
        names = function.__code__.co_names
        scope = {name: _replacement(value, count, fast, done) for name, value in function.__globals__.items() if name in names}
        scope["__builtins__"] = function.__globals__["__builtins__"]
        cells = tuple(
            types.CellType(_replacement(cell.cell_contents, count, fast, done)) for cell in function.__closure__ or ()
        )
        done[function] = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
    return done[function]


def _replacement(value: Any, count: Count, fast: bool, done: dict[Any, Any]) -> Any:
    if isinstance(value, types.ModuleType):
        return types.SimpleNamespace(
            **{name: _replacement(each, count, fast, done) for name, each in vars(value).items() if callable(each)}
        )
    if not isinstance(value, types.FunctionType):
        return value
    if value in LANE_FUNCTIONS:
        return _rebound(value, count, fast, done)
    if value.__module__ == vocabulary.__name__:
        return _operation(value, count, fast)
    return value


def _operation(function: Callable[..., Any], count: Count, fast: bool) -> Callable[..., Any]:
    """An operation of the vocabulary, as ordinary operands see it."""
    if function is vocabulary.is_fast:
        return lambda lanes: fast

    def operation(*arguments: Any) -> Any:
        plain = [np.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        result = function(*plain)
        if not isinstance(result, (np.ndarray, np.generic)):
            return result
        count.add(result.dtype.kind, _INSIDE.get(function.__name__, 0))
        return _counted(result, count)

    return operation
