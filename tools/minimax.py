"""Near-minimax polynomials whose coefficients are doubles, for the derivation scripts in this folder (needs mpmath).

Least squares at Chebyshev nodes are within a fraction of a bit of the best polynomial for the smooth functions here, and
need no exchange iteration. Coefficients are rounded one by one from the constant term up; after each rounding the
remaining ones are fitted again, so that they absorb most of its error.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

from mpmath import mp, mpf

mp.prec = 400


def rounded(value, precision: int = 53) -> mpf:
    """The value rounded to nearest with this many bits (no exponent limits)."""
    with mp.workprec(precision):
        return +mpf(value)


def nodes(low, high, count: int) -> list[mpf]:
    """Chebyshev nodes of an interval."""
    low, high = mpf(low), mpf(high)
    return [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * j + 1) / (2 * count)) for j in range(count)]


def evaluate(coefficients: list, x) -> mpf:
    """Horner's rule."""
    total = mpf(0)
    for coefficient in reversed(coefficients):
        total = total * x + coefficient
    return total


def fit(
    function: Callable,
    low,
    high,
    degree: int,
    fixed: tuple = (),
    orders: list[int] | None = None,
    relative: bool = False,
    weight: Callable | None = None,
    precision: int = 53,
) -> list[mpf]:
    """Coefficients (rounded, constant term first) of a polynomial of this degree near ``function`` on the interval.

    ``fixed`` holds leading (low-order) coefficients that are given; the others are fitted and rounded. ``orders``
    lists the powers that may occur (all, if it is None). The squared error is least at Chebyshev nodes, absolute or
    relative to the function, or times ``weight``.
    """
    points = nodes(low, high, 4 * (degree + 1))
    values = [mpf(function(x)) for x in points]
    weights = [1 / value**2 if relative else mpf(1) for value in values]
    if weight is not None:
        weights = [weight(x) ** 2 for x in points]
    given = {order: mpf(value) for order, value in enumerate(fixed)}
    free = [order for order in (range(degree + 1) if orders is None else orders) if order not in given]
    moments = [sum(w * x**power for w, x in zip(weights, points, strict=True)) for power in range(2 * degree + 1)]
    while free:
        rest = [v - sum(c * x**order for order, c in given.items()) for v, x in zip(values, points, strict=True)]
        right = [sum(w * x**order * r for w, x, r in zip(weights, points, rest, strict=True)) for order in free]
        normal = mp.matrix([[moments[i + j] for j in free] for i in free])
        solution = mp.lu_solve(normal, mp.matrix(right))
        given[free.pop(0)] = rounded(solution[0], precision)
    return [given.get(order, mpf(0)) for order in range(degree + 1)]


def fit_rational(function: Callable, high, over: int, under: int, middle, rounds: int = 10) -> tuple[list, list, mpf]:
    """Numerator (leading coefficient 1) and denominator, rounded, of a quotient near ``function`` on [0, high]; its error.

    Degrees ``over`` and ``under``; the error is relative, sampled at the nodes. Points lie as Chebyshev's in
    ``(x - middle) / (x + middle)``. Linear least squares with the last denominator as weight (Sanathanan and Koerner), then
    with weights raised where the error is large (Lawson).
    """
    high, middle = mpf(high), mpf(middle)
    top = (high - middle) / (high + middle)
    count = 6 * (over + under + 2)
    points = [middle * (1 + t) / (1 - t) for t in nodes(-1, top, count)]
    values = [mpf(function(x)) for x in points]
    below, weights = [mpf(1)] * count, [mpf(1)] * count
    best = None
    for turn in range(rounds):
        rows, right = [], []
        for x, value, divisor, weight in zip(points, values, below, weights, strict=True):
            scale = mp.sqrt(weight) / (value * divisor)
            powers = [scale * x**i for i in range(max(over, under) + 1)]
            rows.append(powers[: over + 1] + [-value * p for p in powers[1 : under + 1]])
            right.append(scale * value)
        matrix = mp.matrix(rows)
        solution = list(mp.lu_solve(matrix.T * matrix, matrix.T * mp.matrix(right)))
        numerator, denominator = solution[: over + 1], [mpf(1), *solution[over + 1 :]]
        below = [evaluate(denominator, x) for x in points]
        errors = [abs(evaluate(numerator, x) / d / v - 1) for x, d, v in zip(points, below, values, strict=True)]
        if best is None or max(errors) < best[0]:
            best = max(errors), numerator, denominator
        if turn >= 3:
            mean = sum(errors) / count
            weights = [w * e / mean for w, e in zip(weights, errors, strict=True)]
    _, numerator, denominator = best
    leading = numerator[-1]
    numerator, denominator = [rounded(c / leading) for c in numerator], [rounded(c / leading) for c in denominator]
    error = max(abs(evaluate(numerator, x) / evaluate(denominator, x) / v - 1) for x, v in zip(points, values, strict=True))
    return numerator, denominator, error


def largest_error(function: Callable, coefficients: list, low, high, relative: bool, samples: int = 997) -> mpf:
    """Largest sampled error of the polynomial, relative to the function or absolute."""
    worst = mpf(0)
    for j in range(samples + 1):
        x = mpf(low) + (mpf(high) - mpf(low)) * j / samples
        value = function(x)
        error = abs(evaluate(coefficients, x) - value)
        if relative and value:
            error /= abs(value)
        worst = max(worst, error)
    return worst


def columns(rows: list) -> tuple:
    """One table of hexadecimal doubles for each power, from one row of coefficients for each table entry."""
    return tuple(tuple(hexadecimal(row[power]) for row in rows) for power in range(len(rows[0])))


def hexadecimal(value) -> str:
    """The double as ``float.hex`` writes it; raises if the value is not a double."""
    number = float(value)
    if mpf(number) != value:
        raise ValueError(f"{value} is not a double")
    return number.hex()


def report(constants: dict, errors: dict, module_name: str) -> int:
    """Print the constants and error bounds of a derivation or, with ``--check``, compare them with the module.

    A constant is the hexadecimal form of a double, a tuple of them, or a tuple of tables: ``NAME`` then stands for the
    module's ``NAME_0``, ``NAME_1`` and so on. Returns the exit status.
    """
    flat = {}
    for name, value in constants.items():
        if isinstance(value, tuple) and isinstance(value[0], tuple):
            flat.update({f"{name}_{power}": table for power, table in enumerate(value)})
        else:
            flat[name] = value
    if "--check" in sys.argv:
        sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
        module, wrong = importlib.import_module(module_name), 0
        for name, value in flat.items():
            actual = getattr(module, name)
            if (tuple(v.hex() for v in actual) if isinstance(actual, tuple) else actual.hex()) != value:
                print(f"{name}: module has {actual}, derived {value}")
                wrong = 1
        print(f"{module_name}: {'constants differ' if wrong else 'all constants agree'}")
        return wrong
    for name, value in flat.items():
        if isinstance(value, tuple):
            print(f'{name} = doubles(\n    """')
            for start in range(0, len(value), 4):
                print("    " + " ".join(value[start : start + 4]))
            print('    """\n)')
        else:
            print(f'{name} = float.fromhex("{value}")')
    for name, error in errors.items():
        listed = error if isinstance(error, list) else [error]
        print(f"# relative error of {name}: 2 **", *(mp.nstr(mp.log(e, 2), 4) for e in listed))
    return 0
