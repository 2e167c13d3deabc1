"""The two words for polynomials: over constants, and over coefficients that each lane looks up.

The order of evaluation is part of a kernel's result, so every call names it, and :func:`evaluate` is the one place that defines
it: the words' bodies run it on arrays, their lowering (:mod:`exactops.codegen.lowering.polynomials`) on LLVM values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from exactops.lanes.vocabulary import Lanes, lookup, lookup_single, mul_add

#: The orders of evaluation that a polynomial may name.
SCHEMES = tuple(f"{fused}{order}" for fused in ("", "fused ") for order in ("horner", "pairs", "estrin"))


class Arithmetic(NamedTuple):
    """The operations that an evaluation consists of."""

    multiply: Callable[[Any, Any], Any]
    add: Callable[[Any, Any], Any]
    mul_add: Callable[[Any, Any, Any], Any]


def evaluate(x: Any, term: Callable[[int], Any], count: int, scheme: str, arithmetic: Arithmetic, monic: bool = False) -> Any:
    """The polynomial with the coefficients ``term(0)``, the constant, to ``term(count - 1)``, in a named order.

    Parameters
    ----------
    x : object
        The argument.
    term : callable
        The coefficient of a power; called once for each, where the evaluation needs it.
    count : int
        Number of coefficients, at least two.
    scheme : str
        One of ``SCHEMES``: see :func:`polynomial`.
    arithmetic : Arithmetic
        What to evaluate with.
    monic : bool
        The last coefficient is 1: Horner's rule starts with an addition.
    """
    multiply, add, mul_add = arithmetic
    *fused, order = scheme.split()

    def join(factor, power, addend):
        return mul_add(factor, power, addend) if fused else add(multiply(factor, power), addend)

    def pair(first):
        return join(term(first + 1), x, term(first))

    if order == "horner":
        total = add(x, term(count - 2)) if monic else pair(count - 2)
        for power in range(count - 3, -1, -1):
            total = join(total, x, term(power))
        return total
    if count == 2:
        return pair(0)
    square = multiply(x, x)
    if order == "pairs":
        first = (count - 2) & -2  # of the last whole pair
        total = pair(first)
        if count & 1:
            total = add(total, multiply(square, term(count - 1)))
        for lower in range(first - 2, -1, -2):
            total = join(total, square, pair(lower))
        return total
    values = [pair(first) for first in range(0, count - 1, 2)] + [term(count - 1)] * (count & 1)
    while True:
        odd = values[len(values) & -2 :]
        values = [join(values[i + 1], square, values[i]) for i in range(0, len(values) - 1, 2)] + odd
        if len(values) == 1:
            return values[0]
        square = multiply(square, square)


_ARRAYS = Arithmetic(lambda x, y: x * y, lambda x, y: x + y, mul_add)


def polynomial(x: Lanes, coefficients: tuple[float, ...], scheme: str = "horner") -> Lanes:
    """The polynomial with these coefficients, constant term first, at every lane.

    Parameters
    ----------
    x : Lanes
        float32 or float64 lanes.
    coefficients : tuple of float
        Two constants or more. Where the last is 1, Horner's rule does not multiply by it.
    scheme : str
        The order of the operations, each rounded once. ``"horner"``: ``(c2 * x + c1) * x + c0``. ``"pairs"``: pairs
        ``c1 * x + c0``, joined by Horner's rule in ``x**2``; an unpaired last coefficient times ``x**2`` is added to the pair
        before it. ``"estrin"``: pairs, pairs of pairs by ``x**2``, and so on. With ``"fused "`` in front, every product that is
        added to something is a :func:`~exactops.lanes.mul_add`, but for that unpaired coefficient.
    """
    return evaluate(x, lambda power: coefficients[power], len(coefficients), scheme, _ARRAYS, coefficients[-1] == 1.0)


def polynomial_lookup(x: Lanes, rows: tuple[tuple[float, ...], ...], index: Lanes, scheme: str = "horner") -> Lanes:
    """The polynomial at every lane whose coefficients the lane looks up.

    Parameters
    ----------
    x : Lanes
        float32 or float64 lanes.
    rows : tuple of tuple of float
        A table for each power, that of the constant term first; see :func:`~exactops.lanes.lookup`. For float32 lanes float32
        must hold the entries exactly.
    index : Lanes
        Integer lanes: which entry of each table.
    scheme : str
        As for :func:`polynomial`.
    """
    find = lookup_single if x.dtype.itemsize == 4 else lookup
    return evaluate(x, lambda power: find(rows[power], index), len(rows), scheme, _ARRAYS)
