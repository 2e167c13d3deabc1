"""Shared by the derivation tools: a Remez exchange in high precision, rounding of coefficients, printing and checking.

Only mpmath is needed. The exchange works in monomial coefficients with a few hundred bits, so that its linear systems need no
care; degrees here stay below 20.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence

import mpmath
from mpmath import mp, mpf

mp.prec = 300


def evaluate(coefficients: Sequence, x):
    """The polynomial with these coefficients, constant first, at x."""
    total = mpf(0)
    for coefficient in reversed(coefficients):
        total = total * x + mpf(coefficient)
    return total


def remez(
    function: Callable, degree: int, low, high, weight: Callable = lambda x: mpf(1), rounds: int = 12
) -> tuple[list, mpf]:
    """Polynomial of the given degree that minimises the largest ``|weight * (polynomial - function)|`` on [low, high].

    Returns the coefficients, constant first, and that largest error, measured on a dense grid.
    """
    low, high = mpf(low), mpf(high)
    count = degree + 2
    nodes = [(low + high) / 2 - (high - low) / 2 * mpmath.cos(mp.pi * (i + mpf(1) / 2) / count) for i in range(count)]
    grid = [
        (low + high) / 2 - (high - low) / 2 * mpmath.cos(mp.pi * (i + mpf(1) / 2) / (40 * count)) for i in range(40 * count)
    ]
    samples = [(x, function(x), weight(x)) for x in grid]
    coefficients, largest = [], mpf(0)
    for _ in range(rounds):
        rows = [[x**k for k in range(degree + 1)] + [(-1) ** i / weight(x)] for i, x in enumerate(nodes)]
        solution = mpmath.lu_solve(mpmath.matrix(rows), mpmath.matrix([function(x) for x in nodes]))
        coefficients = [solution[k] for k in range(degree + 1)]
        levelled = abs(solution[degree + 1])
        errors = [(x, w * (evaluate(coefficients, x) - f)) for x, f, w in samples]
        largest = max(abs(e) for _, e in errors)
        if largest < levelled * mpf("1.001"):
            break
        # One extremum from every run of equal signs; too many runs: drop the weaker end.
        extrema: list = []
        for x, e in errors:
            if extrema and (extrema[-1][1] > 0) == (e > 0):
                if abs(e) > abs(extrema[-1][1]):
                    extrema[-1] = (x, e)
            else:
                extrema.append((x, e))
        while len(extrema) > count:
            extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
        if len(extrema) < count:
            break
        nodes = [x for x, _ in extrema]
    return coefficients, largest


def to_double(x) -> float:
    """The double nearest to x."""
    return float(mpf(x))


def to_single(x) -> float:
    """The float32 nearest to x, as a Python float."""
    x = mpf(x)
    if x == 0:
        return 0.0
    with mp.workprec(24):
        return float(+x)


def leading_bits(x, count: int) -> float:
    """x rounded to its leading ``count`` bits."""
    with mp.workprec(count):
        return float(+mpf(x))


def on_grid(x, exponent: int) -> float:
    """The multiple of 2**exponent that is nearest to x."""
    return float(mpmath.nint(mpmath.ldexp(mpf(x), -exponent)) * mpmath.ldexp(mpf(1), exponent))


def largest_error(function: Callable, coefficients: Sequence, low, high, weight: Callable = lambda x: mpf(1)) -> mpf:
    """Largest ``|weight * (polynomial - function)|`` of rounded coefficients on a dense grid."""
    low, high = mpf(low), mpf(high)
    points = [low + (high - low) * mpf(2 * i + 1) / 4001 for i in range(2000)]
    return max(abs(weight(x) * (evaluate(coefficients, x) - function(x))) for x in points)


def log2_of(x) -> str:
    """log2|x| with two decimals, for the reports."""
    return f"2^{float(mpmath.log(abs(x), 2)):.2f}" if x else "0"


def source(value) -> str:
    """A constant as the kernels write it."""
    if isinstance(value, tuple):
        return "(\n" + "".join(f"    {source(v)},\n" for v in value) + ")"
    if isinstance(value, float):
        return repr(value) if value == int(value) and abs(value) < 1e6 else f'float.fromhex("{value.hex()}")'
    return hex(value)


def report(module: str, constants: dict, check: bool) -> int:
    """Print the constants as source, or compare them with those of the module. Returns the number of differences."""
    if not check:
        for name, value in constants.items():
            print(f"{name} = {source(value)}")
        return 0
    loaded = importlib.import_module(module)
    wrong = [name for name, value in constants.items() if getattr(loaded, name, None) != value]
    print(f"{module}: {len(constants) - len(wrong)} of {len(constants)} constants as derived", *wrong)
    return len(wrong)
