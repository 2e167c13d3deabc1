"""Wide integers: 256-bit two's complement scalars, the arithmetic of accurate phases.

An accurate phase is an ordinary Python function over *scalars* (a :func:`scalar_function`): it takes float64 or integer
scalars apart into wide integers, computes with them, and puts a float64 together again. A vector kernel calls it for the few
lanes that need it, by the word :func:`recompute`. Since integer arithmetic has no rounding of its own, the result depends on
nothing but the operands, and Python's integers run the same function as its definition.

A scalar function may use ``+ - * << >> & |``, comparisons, ``if`` and ``for ... in range(...)`` over wide integers and Python's
small ones, float64 scalars where it only needs an estimate, the words of this module, and other scalar functions. Every value
has to fit: outside [-2**255, 2**255) Python raises OverflowError and compiled code wraps. ``n >> s`` is the floor for every
``s >= 0``; ``n << s`` wants ``s < 256``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any, Self, TypeVar

import numpy as np

from exactops.lanes.vocabulary import Lanes, lane_function

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Bits of a wide integer.
WIDTH = 256
#: Bits behind the point of the fixed-point numbers that :func:`scaled_product` multiplies.
FRACTION = 192

#: Functions of scalars: compiled once a module and never inlined.
SCALAR_FUNCTIONS: dict[Callable[..., Any], None] = {}


def scalar_function(function: _Function) -> _Function:
    """Mark a function of scalars that compiled kernels call out of line: an accurate phase, or a part of one."""
    SCALAR_FUNCTIONS[function] = None
    return lane_function(function)


class Wide(int):
    """A wide integer. A constant of a kernel is one, at module level: ``LN2 = Wide(0x...)``."""

    def __new__(cls, value: Any = 0) -> Self:
        made = super().__new__(cls, value)
        if not -(1 << (WIDTH - 1)) <= made < 1 << (WIDTH - 1):
            raise OverflowError(f"{int(made):#x} does not fit into {WIDTH} bits")
        return made

    def __hash__(self) -> int:
        return int.__hash__(self)


def _closed(name: str) -> Callable[..., Wide]:
    operation = getattr(int, name)
    return lambda self, *others: Wide(operation(self, *(int(other) for other in others)))


for _name in ("add", "sub", "mul", "and", "or", "lshift", "rshift", "radd", "rsub", "rmul", "rand", "ror", "neg"):
    setattr(Wide, f"__{_name}__", _closed(f"__{_name}__"))


class WideTable(tuple[Wide, ...]):
    """A table of wide constants, at module level, for :func:`wide_entry` and :func:`wide_polynomial`."""

    def __new__(cls, entries: Iterable[int]) -> Self:
        return super().__new__(cls, (Wide(entry) for entry in entries))


def wide(n: Any) -> Wide:
    """An integer scalar as a wide integer of the same value."""
    return Wide(int(n))


def narrow(n: Wide) -> np.int64:
    """The low 64 bits of a wide integer, as a signed integer scalar."""
    low = int(n) & ((1 << 64) - 1)
    return np.int64(low - (low >> 63 << 64))


def wide_bits(x: float) -> Wide:
    """The bit pattern of a float64 scalar: below 2**64, never negative."""
    return Wide(struct.unpack("<Q", struct.pack("<d", x))[0])


def from_wide_bits(n: Wide) -> np.float64:
    """The float64 scalar whose bit pattern the low 64 bits of a wide integer are."""
    return np.float64(struct.unpack("<d", struct.pack("<Q", int(n) & ((1 << 64) - 1)))[0])


def bit_length(n: Wide) -> Wide:
    """The number of bits of a wide integer that is not negative: 0 for 0."""
    if n < 0:
        raise OverflowError("a negative number has no length in bits")
    return Wide(int(n).bit_length())


def scaled_product(a: Wide, b: Wide) -> Wide:
    """``(a * b) >> 192``, with the whole product of 512 bits in between: the product of fixed-point numbers, rounded down."""
    return Wide((int(a) * int(b)) >> FRACTION)


def high_product(a: Wide, b: Wide) -> Wide:
    """``(a * b) >> 256``, with the whole product of 512 bits in between."""
    return Wide((int(a) * int(b)) >> WIDTH)


def wide_entry(table: WideTable, index: Any) -> Wide:
    """``table[index]``; the index, wide or not, must be in the table."""
    if not 0 <= index < len(table):
        raise IndexError(f"{int(index)} is outside a table of {len(table)}")
    return table[int(index)]


def wide_polynomial(x: Wide, coefficients: WideTable) -> Wide:
    """The polynomial with fixed-point coefficients, constant term first, by Horner's rule with :func:`scaled_product`."""
    total: Wide = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = Wide(scaled_product(total, x) + coefficient)
    return total


def recompute(mask: Lanes, values: Any, function: Callable[..., Any], *operands: Lanes) -> Any:
    """The lanes ``values``, but ``function`` of the operands in the lanes where ``mask`` is set, one lane after another.

    Parameters
    ----------
    mask : Lanes
        Which lanes to compute. None may be set: then nothing is called.
    values : Lanes or tuple of Lanes
        What stands in the other lanes.
    function : callable
        A :func:`scalar_function` of as many scalars as there are operands. It returns a scalar of the element type of
        ``values``, or a tuple of them.
    *operands : Lanes
        float64 or 64-bit integer lanes.
    """
    several = isinstance(values, tuple)
    results = [np.array(each, copy=True) for each in (values if several else (values,))]
    shape = np.shape(mask)
    for place in np.ndindex(shape):
        if np.asarray(mask)[place]:
            found = function(*(np.asarray(operand)[place] for operand in operands))
            for result, each in zip(results, found if several else (found,), strict=True):
                result[place] = each
    return tuple(results) if several else results[0]
