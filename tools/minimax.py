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
    precision: int = 53,
) -> list[mpf]:
    """Coefficients (rounded, constant term first) of a polynomial of this degree near ``function`` on the interval.

    ``fixed`` holds leading (low-order) coefficients that are given; the others are fitted and rounded. ``orders``
    lists the powers that may occur (all, if it is None). The squared error is least at Chebyshev nodes, absolute or
    relative to the function.
    """
    points = nodes(low, high, 4 * (degree + 1))
    values = [mpf(function(x)) for x in points]
    weights = [1 / value**2 if relative else mpf(1) for value in values]
    given = {order: mpf(value) for order, value in enumerate(fixed)}
    free = [order for order in (range(degree + 1) if orders is None else orders) if order not in given]
    moments = [sum(w * x**power for w, x in zip(weights, points)) for power in range(2 * degree + 1)]
    while free:
        rest = [v - sum(c * x**order for order, c in given.items()) for v, x in zip(values, points)]
        right = [sum(w * x**order * r for w, x, r in zip(weights, points, rest)) for order in free]
        normal = mp.matrix([[moments[i + j] for j in free] for i in free])
        solution = mp.lu_solve(normal, mp.matrix(right))
        given[free.pop(0)] = rounded(solution[0], precision)
    return [given.get(order, mpf(0)) for order in range(degree + 1)]


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
