"""tools/taylor_models.py: the bounds hold for every input tried, find planted faults, and are what the kernels rely on."""

import random
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpmath")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import taylor_models as tm

from exactops.numerics import rounding


def cut(x):
    """The leading 26 bits of doubles."""
    return (np.asarray(x, np.float64).view(np.uint64) & np.uint64(0xFFFFFFFFF8000000)).view(np.float64)


class Exact:
    """Arithmetic of fractions behind the operations of an expression: what it is without any rounding."""

    def two_sum(self, x, y):
        return x + y, Fraction(0)

    def head(self, x):
        return x / 2

    def divide(self, x, y):
        return x / y


class Rounded(Exact):
    """The same in doubles."""

    def two_sum(self, x, y):
        return rounding.fast_two_sum(x, y)

    def head(self, x):
        return cut(np.array([x]))[0]


class Abstract(Exact):
    """The same in Values."""

    def two_sum(self, x, y):
        return tm.abstract_fast_two_sum(x, y)

    def head(self, x):
        return tm.abstract_leading_part(x)


def expression(seed: int, arithmetic, inputs: list):
    """A random expression of inputs, all of whose parts count, with the idioms of kernels; heads and rests are always added."""
    choose = random.Random(seed)
    values = list(inputs)
    for _ in range(choose.randrange(3, 14)):
        kind = choose.choice("+-***/hts")
        x, y = choose.choice(values), choose.choice(values)
        if kind == "+":
            values.append(x + y)
        elif kind == "-":
            values.append(x - y)
        elif kind == "*":
            values.append(x * y * 0.5)
        elif kind == "/":
            values.append(arithmetic.divide(x, 4.5 + y * 0.01))
        elif kind == "h":
            head = arithmetic.head(x)
            values.append(head * y + (x - head) * y)
        else:
            high, low = arithmetic.two_sum(x, y * 2.0**-20) if kind == "t" else arithmetic.two_sum(y * 8.0, x)
            values.append(high * 0.25 + (low * 0.25 + x * y))
        if len(values) > 6:
            values.pop(0)
    return values[-1]


def exact(value):
    """A number of an expression as a fraction."""
    return value if isinstance(value, Fraction) else Fraction(float(value))


class Number(Fraction):
    """A fraction whose operations with floats stay exact."""

    def _with(self, other, name):
        return Number(getattr(Fraction, name)(self, Fraction(other)))

    def __add__(self, other):
        return self._with(other, "__add__")

    def __radd__(self, other):
        return self._with(other, "__radd__")

    def __sub__(self, other):
        return self._with(other, "__sub__")

    def __rsub__(self, other):
        return self._with(other, "__rsub__")

    def __mul__(self, other):
        return self._with(other, "__mul__")

    def __rmul__(self, other):
        return self._with(other, "__rmul__")

    def __truediv__(self, other):
        return self._with(other, "__truediv__")

    def __rtruediv__(self, other):
        return self._with(other, "__rtruediv__")


class Ideal(Exact):
    """The ideal as a model."""

    def two_sum(self, x, y):
        return x + y, tm.Model.of(0.0)

    def head(self, x):
        return x * 0.5


@pytest.mark.parametrize("seed", range(40))
def test_no_input_exceeds_the_bound_of_a_random_expression(seed):
    generator = np.random.default_rng(seed)
    centres = generator.uniform(0.5, 2.0, 3) * generator.choice([-1.0, 1.0], 3)
    radii = 2.0 ** -generator.integers(2, 30, 3).astype(float) * 0.25
    lows, highs = centres - radii, centres + radii
    inputs = [tm.variable(low, high) for low, high in zip(lows, highs, strict=True)]
    value = expression(seed, Abstract(), inputs)
    ideal = expression(seed, Ideal(), [each.model for each in inputs])
    limit = float(tm.bound(value, 0.0, ideal, test=False).absolute)
    low, high = value.model.enclosure()
    for _ in range(15):
        points = [float(np.clip(generator.uniform(a, b), a, b)) for a, b in zip(lows, highs, strict=True)]
        points = [a if generator.random() < 0.1 else p for a, p in zip(lows, points, strict=True)]
        computed = expression(seed, Rounded(), [np.float64(p) for p in points])
        true = expression(seed, Exact(), [Number(p) for p in points])
        assert low <= computed <= high
        assert abs(Fraction(float(computed)) - exact(true)) <= Fraction(limit)
        assert computed == 0 or tm.grid_and_width(float(computed))[0] >= value.grid
    assert limit < 2.0**-40 * max(1.0, abs(low), abs(high))


def core(x, constant, swapped=False):
    """The shape of every fast phase: a product of heads, an exact sum, and the rests."""
    head = tm.abstract_leading_part(x)
    product = constant * head
    high, low = tm.abstract_fast_two_sum(product, 1.0) if swapped else tm.abstract_fast_two_sum(1.0, product)
    return high, low + constant * (x - head)


def error_of(constant: float, meant: float, **options) -> float:
    """log2 of the bound of the core for 1 + meant * x."""
    x = tm.variable(2.0**-7, 2.0**-6)
    high, low = core(x, constant, **options)
    return float(np.log2(tm.bound(high, low, tm.Model.of(1.0) + x.model * meant).absolute))


def test_planted_faults_are_found():
    good = float(1 + 2.0**-20)
    assert error_of(good, good) < -80
    assert error_of(good, good + 2.0**-52) > -60  # a wrong constant
    # A constant of 53 bits: the product of the heads is rounded.
    long = float(1 + 2.0**-52)
    assert error_of(long, long) > -62
    # The larger operand second.
    assert error_of(good, good, swapped=True) > -55


def test_what_is_exact():
    one = tm.variable(1.0, 2.0, grid=-20)
    assert np.all((one + 1.0).model.rest == 0) and not [m for m in (one + 1.0).model.terms if m not in one.model.terms]
    x = tm.variable(1.0, 2.0)
    head = tm.abstract_leading_part(x)
    assert (x - head) is head.tail and float(head.tail.model.magnitude()) < 2.0**-23.9
    assert np.all((head * head).model.rest == 0)
    assert np.all((x * x).model.rest > 0)
    assert np.all((x * 4.0).model.rest == 0)
    near = tm.variable(1.0, 1.5) - 1.0  # Sterbenz
    assert len(near.model.terms) == 2


@pytest.mark.parametrize(
    ("function", "reference", "low", "high"),
    [
        (tm.exp, "exp", -0.1, 0.1),
        (tm.log, "log", 1.9, 2.1),
        (tm.log1p, "log1p", 2.0**-40, 2.0**-39),
        (tm.sin, "sin", 0.7, 0.9),
        (tm.cos, "cos", 3.0, 3.2),
        (tm.tanh, "tanh", 2.0**-30, 2.0**-29),
        (tm.erf, "erf", 1.0, 1.1),
        (lambda x: tm.power_of(x, Fraction(-1, 2)), "rsqrt", 3.0, 3.1),
    ],
)
def test_models_of_functions_enclose_them(function, reference, low, high):
    from mpmath import mp, mpf

    with mp.workprec(600):
        true = (lambda x: 1 / mp.sqrt(x)) if reference == "rsqrt" else getattr(mp, reference)
        model = function(tm.variable(low, high))
        for u in (-1, -0.5, 0, 0.3, 1):
            x = (mpf(low) + mpf(high)) / 2 + (mpf(high) - mpf(low)) / 2 * mpf(u)
            value = sum(mpf(int(c)) * (mpf(u) ** m[0][1] if m else 1) for m, c in model.terms.items())
            assert abs(mp.ldexp(value, -tm.FRACTION) - true(x)) <= float(model.rest) + mpf(2) ** -390
            assert float(model.rest) < 2.0**-120 * abs(true(x))
