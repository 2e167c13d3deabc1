"""Approximations by polynomials and quotients, rounding and reports, for the derivation scripts in this folder (needs mpmath).

Two ways to a polynomial: :func:`remez` gives the best one; :func:`fit` takes least squares at Chebyshev nodes, which are
within a fraction of a bit of it for the smooth functions here, and rounds the coefficients one by one from the constant term
up, so that the remaining ones absorb most of the error. All work in monomial coefficients with some hundred bits, so that the
linear systems need no care.
"""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.prec = 400


# --- rounding -----------------------------------------------------------------------------------------------------------


def rounded(value, precision: int = 53) -> mpf:
    """The value rounded to nearest with this many bits (no exponent limits)."""
    with mp.workprec(precision):
        return +mpf(value)


def to_double(value) -> float:
    """The double nearest to the value."""
    return float(rounded(value))


def to_single(value) -> float:
    """The float32 nearest to the value, as a Python float."""
    return float(rounded(value, 24))


def exactly(value) -> float:
    """The value as a double; raises if it is none."""
    number = float(value)
    if mpf(number) != value:
        raise ValueError(f"{value} is not a double")
    return number


def on_grid(x, exponent: int) -> float:
    """The multiple of 2**exponent that is nearest to x."""
    return float(mpmath.nint(mpmath.ldexp(mpf(x), -exponent)) * mpmath.ldexp(mpf(1), exponent))


# --- approximation ------------------------------------------------------------------------------------------------------


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


def largest_error(function: Callable, coefficients: Sequence, low, high, weight: Callable = lambda x: mpf(1)) -> mpf:
    """Largest ``|weight * (polynomial - function)|`` of rounded coefficients on a dense grid."""
    low, high = mpf(low), mpf(high)
    points = [low + (high - low) * mpf(2 * i + 1) / 4001 for i in range(2000)]
    return max(abs(weight(x) * (evaluate(coefficients, x) - function(x))) for x in points)


def relative_error(function: Callable, coefficients: Sequence, low, high) -> mpf:
    """Largest error of rounded coefficients on a dense grid, relative to a function that is not zero there."""
    return largest_error(lambda x: mpf(1), [], low, high, lambda x: evaluate(coefficients, x) / function(x) - 1)


# --- constants ----------------------------------------------------------------------------------------------------------


def columns(rows: list) -> tuple:
    """One table of doubles for each power, from one row of coefficients for each table entry."""
    return tuple(tuple(exactly(row[power]) for row in rows) for power in range(len(rows[0])))


def log2_of(value) -> str:
    """log2|value|, for the reports; of several values all."""
    if isinstance(value, (list, tuple)):
        return " ".join(map(log2_of, value))
    return f"2^{float(mpmath.log(abs(value), 2)):.2f}" if value else "0"


def source(value) -> str:
    """A constant as the modules of tables write it."""
    if isinstance(value, tuple) and isinstance(value[0], tuple):
        return 'tables(\n    """\n' + "\n".join(_lines(each) for each in value) + '    """\n)'
    if isinstance(value, tuple):
        return f'doubles(\n    """\n{_lines(value)}    """\n)'
    if isinstance(value, float):
        return repr(value) if value == int(value) and abs(value) < 1e6 else f'float.fromhex("{value.hex()}")'
    digits = f"{value:X}"
    if len(digits) > 100:
        return "int(\n" + "".join(f'    "{line}"\n' for line in textwrap.wrap(digits, 112)) + "    , 16)"
    return f"0x{digits}"


def _lines(numbers: tuple[float, ...]) -> str:
    words = [number.hex() for number in numbers]
    return "".join(f"    {' '.join(words[start : start + 4])}\n" for start in range(0, len(words), 4))


def module_text(tool: str, about: str, constants: dict, comments: dict) -> str:
    """The module that holds these constants."""
    parsers = sorted({("doubles", "tables")[isinstance(v[0], tuple)] for v in constants.values() if isinstance(v, tuple)})
    lines = [f'"""{about} Written by tools/{tool} with ``--write``."""', ""]
    if parsers:
        lines += [f"from exactops.numerics.constants import {', '.join(parsers)}", ""]
    for name, value in constants.items():
        lines += [f"# {line}" for line in textwrap.wrap(comments.get(name, ""), 126)]
        lines.append(f"{name} = {source(value)}")
    return "\n".join(lines) + "\n"


def report(name: str, about: str, constants: dict, notes: dict, comments: dict | None = None) -> int:
    """Print the module ``exactops.numerics.tables.NAME``; with ``--check`` compare its constants, with ``--write`` write it.

    A NAME with dots is that of the whole module.
    A constant is a float, an int, a tuple of floats, or a tuple of such tuples; its name is the module's. ``about`` becomes the
    module's docstring, ``comments`` stand above the constants they belong to. A note says how large an error is. Returns the
    number of differences.
    """
    package = Path(__file__).resolve().parent.parent
    path = name if "." in name else f"exactops.numerics.tables.{name}"
    text = module_text(Path(sys.argv[0]).name, about, constants, comments or {})
    wrong: list[str] = []
    if "--check" in sys.argv:
        sys.path.insert(0, str(package))
        module = importlib.import_module(path)
        wrong = [each for each, value in constants.items() if getattr(module, each, None) != value]
        print(f"tables.{name}: {len(constants) - len(wrong)} of {len(constants)} constants are as derived", *wrong)
    elif "--write" in sys.argv:
        package.joinpath(*path.split(".")).with_suffix(".py").write_text(text)
    else:
        print(text)
    for what, note in notes.items():
        print(f"# {what}: {note if isinstance(note, str) else log2_of(note)}")
    return len(wrong)
