"""Proofs of error bounds: the lane functions of a float64 fast phase, run on sets of numbers instead of on arrays.

A :class:`Value` stands for all doubles that an expression of a kernel can take for the inputs of a *cell*: an interval of each
input, with the constants of one row of a table. All cells are treated at once, as arrays with one entry a cell. Running a
core under :func:`abstract_lanes` gives Values of its results, and :func:`bound` compares them with the function they stand for.

**What is proven.** A Value has a :class:`Model`: a polynomial in variables that lie in [-1, 1], with exact coefficients, and a
rest (a Taylor model, Makino and Berz 1996). The invariant is: for all inputs of the cell there are values of the variables,
one for each and the same in all Values, with ``|double - polynomial| <= rest``. It holds

* for an input ``centre + radius * u``: u is its variable;
* for an operation that rounds: the model of the exact result follows from those of the operands, and rounding adds at most half
  an ulp of the largest magnitude: to the rest, or as a new variable, so that it cancels where it is subtracted again;
* for an operation that is exact: nothing is added. It is exact if the result is known to be a multiple of ``2**grid`` and not
  above ``2**(grid + 53)``, if it is a product of significands of 53 bits in all, or a difference of numbers within a factor of
  2 (Sterbenz);
* for ``fast_two_sum(a, b)``: with a new variable d for the rounding of the sum, the results are ``a + b - d`` and d, where
  ``|a| >= |b|``, a is 0, or a is a multiple of ulp(b). (The last: let |a| < |b|. Both are multiples of ulp(b), and so is the
  rounded sum s. If s is not exact, it is off by ulp(b), and ``s - a`` is b plus or minus ulp(b), a multiple of ulp(b) and at
  most 2**53 of them: representable. So ``s - a`` is exact, and what it leaves of b, too.) Where none of these is known, the
  operations are taken one by one;
* for ``leading_part(x)``: with a new variable t for what is cut off it is ``x - t``, and ``x - leading_part(x)`` is t, exactly.

Hence ``high + low`` of a kernel differs from the function's model, itself a Taylor polynomial with a bound of what it leaves
out, by at most the sum of the magnitudes of the difference's coefficients and of the rests: rounding, the errors of tables and
constants, and the error of approximation at once. The coefficients are integers in units of 2**-FRACTION; what their products
lose is added to the rest, and rests are doubles that are enlarged in every step.

**Assumed**: IEEE 754 binary64, rounding to nearest, ties to even, every operation rounded once, no fused multiply-add; no
overflow (checked); results that underflow lose at most 2**-1075, which is added; mpmath's elementary functions, asked for
FRACTION + 150 bits, are right to FRACTION. The reduction of the argument and the choice of the row are not part of a core: what
the cells cover is the premise of the bound and has to be shown beside it.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from mpmath import mp, mpf

#: Coefficients of models are integers in units of 2**-FRACTION.
FRACTION = 400
_UNIT = 2.0**-FRACTION
_ONE = 1 << FRACTION
#: Rounded products leave out terms that are smaller by this factor: rounding adds 2**-53.
_NEGLIGIBLE = 2.0**-66
#: The same for the models of functions.
_TOLERANCE = 2.0**-140
#: What may be lost in an underflow, as a double.
_UNDERFLOW = 2.0**-1074
_LEAST_GRID = -1074
#: The grid of zero.
_ANY_GRID = 1 << 20


# --- enlarged doubles ---------------------------------------------------------------------------------------------------


def _up(x):
    """Doubles that are not below the exact values of a sum of up to some thousand positive terms that was computed as ``x``."""
    x = np.asarray(x, np.float64)
    return np.where(x == 0, 0.0, x * (1 + 2.0**-38) + 2.0**-1000)


def _magnitude(coefficient):
    """The magnitude of a coefficient, as doubles that are not smaller."""
    return _up(np.abs(_doubles(coefficient)))


def _doubles(coefficient):
    """A coefficient as the nearest doubles."""
    whole = coefficient.astype(np.float64) if isinstance(coefficient, np.ndarray) else np.float64(float(coefficient))
    return whole * _UNIT


def _exponent(x):
    """The least e with ``x < 2**e``, for doubles that are not negative."""
    return np.frexp(x)[1].astype(np.int64)


def half_ulp(magnitude):
    """Half an ulp of the largest double of at most this magnitude: what rounding to it can change."""
    return np.where(magnitude == 0, 0.0, np.ldexp(1.0, np.maximum(_exponent(magnitude) - 54, _LEAST_GRID)))


def _fixed(x: float) -> int:
    """A double in units of 2**-FRACTION; raises if it has smaller bits."""
    numerator, denominator = float(x).as_integer_ratio()
    quotient, rest = divmod(numerator << FRACTION, denominator)
    if rest:
        raise ValueError(f"{x} is no multiple of 2**-{FRACTION}")
    return quotient


def _fixed_up(x: float) -> int:
    """A double that is not negative in units of 2**-FRACTION, rounded up."""
    numerator, denominator = float(x).as_integer_ratio()
    return -((-numerator << FRACTION) // denominator)


def fixed_nearest(value) -> int:
    """A number in units of 2**-FRACTION, rounded to nearest."""
    if isinstance(value, int):
        return value << FRACTION
    if isinstance(value, Fraction):
        return round(value * _ONE)
    if abs(value) > 2**100:
        raise OverflowError("a constant is too large for the working precision")
    with mp.workprec(FRACTION + 150):
        return int(mp.nint(mp.ldexp(mpf(value), FRACTION)))


def _each(function: Callable, values) -> Any:
    """A function of each entry, as an array of objects; of a number, its value."""
    if np.ndim(values) == 0:
        return function(values.item() if isinstance(values, (np.ndarray, np.generic)) else values)
    found = np.empty(len(values), object)
    for place, value in enumerate(values):
        found[place] = function(value)
    return found


# --- models -------------------------------------------------------------------------------------------------------------

_variables = 0


def _new_variable() -> tuple:
    """A monomial: a variable that no model has."""
    global _variables
    _variables += 1
    return ((_variables, 1),)


class Model:
    """A polynomial in variables of [-1, 1] and a bound of the distance from it, for each cell.

    Parameters
    ----------
    terms : dict
        The coefficient of each monomial, an integer or an array of them: one a cell. A monomial is a sorted tuple of pairs: the
        number of a variable and its power.
    rest : float or numpy.ndarray
        How far the value may be from the polynomial.
    """

    def __init__(self, terms: dict, rest=0.0):
        self.terms = terms
        self.rest = rest

    @staticmethod
    def of(value) -> Model:
        """The model of a Value, of doubles (exactly), of fractions or mpmath's numbers (within a unit): one, or one a cell."""
        if isinstance(value, Model):
            return value
        if isinstance(value, Value):
            return value.model
        if isinstance(value, (mpf, Fraction)) or (isinstance(value, np.ndarray) and value.dtype == object):
            return Model({(): _each(fixed_nearest, value)}, _UNIT)
        return Model({(): _each(_fixed, value)})

    def __add__(self, other) -> Model:
        other = Model.of(other)
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms[monomial] + coefficient if monomial in terms else coefficient
        return Model({m: c for m, c in terms.items() if np.any(c != 0)}, _up(self.rest + other.rest))

    __radd__ = __add__

    def __neg__(self) -> Model:
        return Model({m: -c for m, c in self.terms.items()}, self.rest)

    def __sub__(self, other) -> Model:
        return self + -Model.of(other)

    def __rsub__(self, other) -> Model:
        return Model.of(other) + -self

    def __mul__(self, other) -> Model:
        return self.times(Model.of(other), _TOLERANCE)

    __rmul__ = __mul__

    def times(self, other: Model, negligible: float) -> Model:
        """The product, less the terms that are smaller than the largest possible value by a factor ``negligible``."""
        left = [(m, c, _magnitude(c)) for m, c in self.terms.items()]
        right = [(m, c, _magnitude(c)) for m, c in other.terms.items()]
        size, other_size = sum((s for _, _, s in left), np.float64(0)), sum((s for _, _, s in right), np.float64(0))
        rest = size * other.rest + self.rest * other_size + self.rest * other.rest
        limit = size * other_size * negligible
        products: dict = {}
        for monomial, coefficient, magnitude in left:
            for other_monomial, other_coefficient, other_magnitude in right:
                product = magnitude * other_magnitude
                if np.all(product <= limit):
                    rest = rest + product
                    continue
                joint = _joint(monomial, other_monomial)
                found = coefficient * other_coefficient
                products[joint] = products[joint] + found if joint in products else found
        terms = {}
        for monomial, coefficient in products.items():
            scaled = coefficient >> FRACTION
            if np.any(scaled << FRACTION != coefficient):
                rest = rest + _UNIT
            if np.any(scaled != 0):
                terms[monomial] = scaled
        return Model(terms, _up(rest))

    def __truediv__(self, other) -> Model:
        return self * Model.of(other).reciprocal()

    def __rtruediv__(self, other) -> Model:
        return Model.of(other) * self.reciprocal()

    def constant(self):
        """The constant term."""
        return self.terms.get((), 0)

    def variable_part(self) -> Model:
        """The model without its constant term."""
        return Model({m: c for m, c in self.terms.items() if m}, self.rest)

    def magnitude(self):
        """A bound of the magnitude."""
        return _up(sum((_magnitude(c) for c in self.terms.values()), np.float64(0)) + self.rest)

    def enclosure(self) -> tuple:
        """Lower and upper bounds, as doubles."""
        spread = self.variable_part().magnitude()
        middle = _doubles(self.constant())
        slack = np.abs(middle) * 2.0**-50
        return middle - _up(spread + slack), middle + _up(spread + slack)

    def _limits(self) -> tuple:
        """Lower and upper bounds in units of 2**-FRACTION."""
        spread = sum(abs(c) for m, c in self.terms.items() if m) + _each(_fixed_up, self.rest)
        return self.constant() - spread, self.constant() + spread

    def least(self):
        """A lower bound of the magnitude."""
        low, high = self.enclosure()
        return np.maximum(np.maximum(low, -high), 0.0)

    def with_variable(self) -> Model:
        """The same set with a new variable in place of the rest."""
        if not np.any(self.rest != 0):
            return self
        return Model({**self.terms, _new_variable(): _each(_fixed_up, self.rest)})

    def reciprocal(self, negligible: float = _TOLERANCE) -> Model:
        """1 / self, by the geometric series around the constant term."""
        inverse = Model({(): _each(lambda c: (1 << 2 * FRACTION) // c, self.constant())}, _UNIT)
        ratio = self.variable_part().times(inverse, 0.0)
        series = compose(ratio, lambda n: (-1) ** n * _ONE, lambda n, q: q**n / (1 - q), negligible)
        return series.times(inverse, negligible)

    def tight_magnitude(self, pieces: int = 16):
        """:meth:`magnitude`, with the range of the variable that occurs in the highest power cut into pieces."""
        powers: dict = {}
        for monomial in self.terms:
            if len(monomial) == 1:
                variable, power = monomial[0]
                powers[variable] = max(powers.get(variable, 0), power)
        if not powers:
            return self.magnitude()
        variable = max(powers, key=lambda v: powers[v])
        chosen = [(), *(((variable, n),) for n in range(1, powers[variable] + 1))]
        others = sum((_magnitude(c) for m, c in self.terms.items() if m not in chosen), np.float64(0)) + self.rest
        coefficients = [_doubles(self.terms.get(monomial, 0)) for monomial in chosen]
        # Writing a polynomial anew around a number of at most 1 multiplies its coefficients, and the rounding, by no more.
        slack = sum(np.abs(c) for c in coefficients) * 2.0 ** (len(coefficients) - 46)
        largest: Any = np.float64(0)
        for piece in range(pieces):
            shifted = list(coefficients)
            centre = (2 * piece + 1 - pieces) / pieces
            for start in range(len(shifted) - 1):
                for power in range(len(shifted) - 2, start - 1, -1):
                    shifted[power] = shifted[power] + centre * shifted[power + 1]
            largest = np.maximum(largest, sum(np.abs(c) / float(pieces) ** n for n, c in enumerate(shifted)))
        return np.minimum(_up(largest + slack + others), self.magnitude())


def _joint(first: tuple, second: tuple) -> tuple:
    """The product of two monomials."""
    if not first or not second:
        return first or second
    powers = dict(first)
    for variable, power in second:
        powers[variable] = powers.get(variable, 0) + power
    return tuple(sorted(powers.items()))


# --- models of functions ------------------------------------------------------------------------------------------------


def compose(
    w: Model, coefficient: Callable[[int], Any], remainder: Callable[[int, Any], Any], negligible: float = _TOLERANCE
) -> Model:
    """A power series of a small model; its coefficients in units of 2**-FRACTION, wrong by at most two of them.

    ``remainder(n, q)`` bounds the sum from the n-th term on for ``|w| <= q``.
    """
    size = w.magnitude()
    if np.any(size > 0.7):
        raise ValueError(f"a cell is too wide for a series: {np.max(size):.3g}")
    count = 2
    while count < 150 and np.any(remainder(count, size) > negligible * np.maximum(size, 2.0**-100)):
        count += 1
    total = Model({(): coefficient(count - 1)}, 2 * _UNIT)
    for n in range(count - 2, -1, -1):
        total = total.times(w, negligible * 2.0**-10) + Model({(): coefficient(n)}, 2 * _UNIT)
    return Model(total.terms, _up(total.rest + _up(remainder(count, size)) + 2.0**-1000))


def _at_centre(function: Callable, centre) -> Any:
    """A function of mpmath at the constant terms of a model, as coefficients."""
    with mp.workprec(FRACTION + 150):
        return _each(lambda c: fixed_nearest(function(mp.ldexp(mpf(c), -FRACTION))), centre)


def _factorial(n: int) -> int:
    result = 1
    for factor in range(2, n + 1):
        result *= factor
    return result


def exp(x, negligible: float = _TOLERANCE) -> Model:
    """e**x."""
    x = Model.of(x)
    w = x.variable_part()
    series = compose(w, lambda n: _ONE // _factorial(n), lambda n, q: 2.1 * q**n / _factorial(n), negligible)
    return series.times(Model({(): _at_centre(mp.exp, x.constant())}, _UNIT), negligible)


def log(x) -> Model:
    """The natural logarithm of a positive number."""
    x = Model.of(x)
    inverse = Model({(): _each(lambda c: (1 << 2 * FRACTION) // c, x.constant())}, _UNIT)
    return log1p(x.variable_part().times(inverse, 0.0)) + Model({(): _at_centre(mp.log, x.constant())}, _UNIT)


def log1p(z) -> Model:
    """log(1 + z) of a small z, by its series at 0."""
    z = Model.of(z)
    return compose(z, lambda n: (-1) ** (n + 1) * _ONE // n if n else 0, lambda n, q: q**n / (n * (1 - q)), _TOLERANCE)


def sin(x) -> Model:
    """The sine."""
    return _sine(Model.of(x), 0)


def cos(x) -> Model:
    """The cosine."""
    return _sine(Model.of(x), 1)


def _sine(x: Model, turn: int) -> Model:
    """sin(x + turn * pi/2), by its derivatives at the constant term."""
    sine, cosine = (_at_centre(f, x.constant()) for f in (mp.sin, mp.cos))
    derivatives = [sine, cosine, -sine, -cosine]
    return compose(
        x.variable_part(),
        lambda n: derivatives[(n + turn) % 4] // _factorial(n),
        lambda n, q: q**n / _factorial(n),
        _TOLERANCE,
    )


def tanh(x) -> Model:
    """The hyperbolic tangent."""
    power = exp(2 * Model.of(x))
    return (power - 1.0) / (power + 1.0)


def erf(x) -> Model:
    """The error function.

    Its n-th derivative is 2/sqrt(pi) times the Hermite polynomial of n - 1 times e**-x**2, up to the sign; Cramer's inequality
    ``|H_n(x)| <= 1.09 * sqrt(2**n * n!) * e**(x**2 / 2)`` bounds what is left out.
    """
    x = Model.of(x)
    centre = x.constant()
    with mp.workprec(FRACTION + 150):
        rows = _each(lambda c: _error_function_series(mp.ldexp(mpf(c), -FRACTION), 80), centre)
    return compose(
        x.variable_part(),
        lambda n: _each(lambda row: row[n], rows) if isinstance(centre, np.ndarray) else rows[n],
        lambda n, q: 1.5 * q**n * (2.0 ** (n - 1) / _factorial(n - 1)) ** 0.5 / n,
        _TOLERANCE,
    )


def _error_function_series(x, count: int) -> list[int]:
    """The first Taylor coefficients of erf around x."""
    factor = 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)
    before, hermite = mpf(0), mpf(1)
    found = [fixed_nearest(mp.erf(x))]
    for n in range(1, count):
        found.append(fixed_nearest((-1) ** (n - 1) * factor * hermite / _factorial(n)))
        before, hermite = hermite, 2 * x * hermite - 2 * (n - 1) * before
    return found


def power_of(x, exponent: Fraction) -> Model:
    """``x**exponent`` of a positive number, by the binomial series around the constant term; the exponent is in [-1, 1]."""
    x = Model.of(x)
    inverse = Model({(): _each(lambda c: (1 << 2 * FRACTION) // c, x.constant())}, _UNIT)
    binomials = [Fraction(1)]
    for n in range(150):
        binomials.append(binomials[-1] * (exponent - n) / (n + 1))
    ratio = x.variable_part().times(inverse, 0.0)
    series = compose(ratio, lambda n: fixed_nearest(binomials[n]), lambda n, q: q**n / (1 - q), _TOLERANCE)
    power = mpf(exponent.numerator) / exponent.denominator  # a power of two below
    return series * Model({(): _at_centre(lambda c: c**power, x.constant())}, _UNIT)


# --- abstract doubles ---------------------------------------------------------------------------------------------------


class Value:
    """All doubles that an expression can take: see the module.

    Parameters
    ----------
    model : Model
        Where the doubles lie.
    grid : int or numpy.ndarray
        They are multiples of ``2**grid``.
    width : int or numpy.ndarray
        Their significands have at most so many bits.
    """

    __array_ufunc__ = None

    def __init__(self, model: Model, grid=_LEAST_GRID, width=53):
        self.model = model
        size, least = model.magnitude(), model.least()
        if np.any(size > 2.0**600):
            raise OverflowError("a value is too large for a proof")
        width = np.minimum(width, 53)
        grid = np.where(least > 0, np.maximum(grid, _exponent(least) - width), grid)
        self.grid = np.maximum(np.where(size == 0, _ANY_GRID, grid), _LEAST_GRID)
        self.width = np.where(size == 0, 0, np.minimum(width, np.maximum(_exponent(size) - self.grid, 0)))
        #: Of a head: what it is the head of, and what it leaves.
        self.head_of: Value | None = None
        self.tail: Value | None = None

    @staticmethod
    def of(value) -> Value:
        """A Value as it is, or that of doubles: one, or an array with one a cell."""
        if isinstance(value, Value):
            return value
        values = np.asarray(value, np.float64)
        bits = [grid_and_width(float(each)) for each in np.atleast_1d(values)]
        grids, widths = (np.array(each).reshape(values.shape) for each in zip(*bits, strict=True))
        return Value(Model.of(values), grids, widths)

    def with_variable(self) -> Value:
        """Put a variable in place of the rest of the model, so that it cancels in differences; returns self."""
        self.model = self.model.with_variable()
        return self

    def __neg__(self) -> Value:
        return Value(-self.model, self.grid, self.width)

    def __add__(self, other) -> Value:
        return _sum(self, Value.of(other))

    __radd__ = __add__

    def __sub__(self, other) -> Value:
        other = Value.of(other)
        if other.head_of is self and other.tail is not None:
            return other.tail
        return _sum(self, -other)

    def __rsub__(self, other) -> Value:
        return _sum(Value.of(other), -self)

    def __mul__(self, other) -> Value:
        other = Value.of(other)
        size = _up(self.model.magnitude() * other.model.magnitude())
        grid = np.minimum(self.grid + other.grid, _ANY_GRID)
        # A factor that is a power of two adds no bit.
        width = self.width + other.width - ((self.width == 1) | (other.width == 1))
        exact = (width <= 53) | (_exponent(size) <= grid + 53) | (size == 0)
        model = self.model.times(other.model, 0.0 if np.any(exact & (size > 0)) else _NEGLIGIBLE)
        rest = model.rest + np.where(exact, 0.0, half_ulp(model.magnitude()))
        rest = rest + np.where((grid < _LEAST_GRID) & (size > 0), _UNDERFLOW, 0.0)
        return Value(Model(model.terms, _up(rest)), np.maximum(grid, _LEAST_GRID), np.where(exact, width, 53))

    __rmul__ = __mul__

    def __truediv__(self, other) -> Value:
        return _rounded(self.model.times(Value.of(other).model.reciprocal(_NEGLIGIBLE), _NEGLIGIBLE))

    def __rtruediv__(self, other) -> Value:
        return Value.of(other) / self

    def __lt__(self, other):
        """In which cells it is less; raises unless that is the same in all of a cell."""
        low, high = (self.model - Value.of(other).model)._limits()
        less = high < 0
        if np.any(~np.asarray(less | (low >= 0), bool)):
            raise ArithmeticError("a comparison is not the same in all of a cell")
        return np.asarray(less, bool)


def grid_and_width(value: float) -> tuple[int, int]:
    """The power of two that a double is an odd multiple of, and the bits of that multiple."""
    if value == 0:
        return _ANY_GRID, 0
    numerator, denominator = abs(value).as_integer_ratio()
    zeros = (numerator & -numerator).bit_length() - 1
    return zeros - (denominator.bit_length() - 1), numerator.bit_length() - zeros


def _rounded(model: Model) -> Value:
    """A result that is rounded and known no better."""
    return Value(Model(model.terms, _up(model.rest + half_ulp(model.magnitude()) + _UNDERFLOW)))


def _rounding_of_sum(x: Value, y: Value) -> tuple[Model, Any, Any]:
    """The exact sum, its grid, and the largest error of rounding it."""
    model = x.model + y.model
    size, grid = model.magnitude(), np.minimum(x.grid, y.grid)
    nothing = (x.grid == _ANY_GRID) | (y.grid == _ANY_GRID)
    near = size <= np.maximum(x.model.least(), y.model.least()) / 2
    return model, grid, np.where(nothing | near | (_exponent(size) <= grid + 53), 0.0, half_ulp(size))


def _sum(x: Value, y: Value) -> Value:
    model, grid, error = _rounding_of_sum(x, y)
    if np.any(error > 0):
        model = Model({**model.terms, _new_variable(): _each(_fixed_up, error)}, model.rest)
    width = np.where(x.grid == _ANY_GRID, y.width, np.where(y.grid == _ANY_GRID, x.width, 53))
    return Value(model, grid, width)


def variable(low, high, grid=_LEAST_GRID, width=53) -> Value:
    """An input between two doubles, each one for all cells or an array with one a cell.

    ``grid`` and ``width`` are what is known of its bits beyond its being a double.
    """
    low, high = np.broadcast_arrays(np.asarray(low, np.float64), np.asarray(high, np.float64))
    if np.any(low > high):
        raise ValueError("an input's lower bound is above its upper bound")
    least = np.maximum(np.maximum(low, -high), 0.0)
    grid = np.where(least > 0, np.maximum(grid, _exponent(least) - np.minimum(width, 53)), grid)
    low, high = _each(_fixed, low), _each(_fixed, high)
    radius = (high - low + 1) >> 1
    return Value(Model({(): low + radius, _new_variable(): radius}), grid, width)


class Rows:
    """Stands for the index of a table: the number of the row in each cell."""

    def __init__(self, index):
        self.index = np.asarray(index, np.int64)


# --- the lane functions on abstract doubles -----------------------------------------------------------------------------


def abstract_fast_two_sum(large, small) -> tuple[Value, Value]:
    """:func:`exactops.numerics.rounding.fast_two_sum`."""
    large, small = Value.of(large).with_variable(), Value.of(small).with_variable()
    size = small.model.magnitude()
    ordered = (large.model.least() >= size) | (large.model.magnitude() == 0) | (large.grid >= _exponent(size) - 53)
    if not np.all(ordered):
        total = large + small
        return total, small - (total - large)
    return abstract_two_sum(large, small)


def abstract_two_sum(x, y) -> tuple[Value, Value]:
    """:func:`exactops.numerics.rounding.two_sum`: exact in any order."""
    model, grid, error = _rounding_of_sum(Value.of(x), Value.of(y))
    if not np.any(error > 0):
        return Value(model, grid), Value.of(0.0)
    rounding = Model({_new_variable(): _each(_fixed_up, error)})
    return Value(model - rounding, grid), Value(rounding, grid)


def abstract_leading_part(x, bits: int = 26) -> Value:
    """:func:`exactops.numerics.binary64.arithmetic.leading_part`: the significand cut off behind its leading bits."""
    x = Value.of(x).with_variable()
    cut = np.where(x.width <= bits, 0.0, np.ldexp(1.0, _exponent(x.model.magnitude()) - bits))
    tail = Model({_new_variable(): _each(_fixed_up, cut)} if np.any(cut > 0) else {})
    head = Value(x.model - tail, x.grid, np.minimum(x.width, bits))
    head.head_of, head.tail = x, Value(tail, x.grid, np.maximum(x.width - bits, 0))
    return head


def abstract_lookup_rows(table, index: Rows) -> tuple[Value, ...]:
    """:func:`exactops.lanes.lookup_rows` for the rows of the cells."""
    return tuple(Value.of(column) for column in table.rows[index.index & (len(table.rows) - 1)].T)


def abstract_lookup(table: Sequence[float], index: Rows) -> Value:
    """:func:`exactops.lanes.lookup` for the rows of the cells."""
    return Value.of(np.array(table, np.float64)[index.index & (len(table) - 1)])


def abstract_sqrt(x) -> Value:
    """:func:`exactops.lanes.sqrt`."""
    return _rounded(power_of(Value.of(x).model, Fraction(1, 2)))


def abstract_select(mask, chosen, otherwise) -> Value:
    """:func:`exactops.lanes.select` for a mask that is the same in all of a cell."""
    chosen, otherwise = Value.of(chosen), Value.of(otherwise)
    terms = {
        monomial: np.where(mask, chosen.model.terms.get(monomial, 0), otherwise.model.terms.get(monomial, 0))
        for monomial in {**chosen.model.terms, **otherwise.model.terms}
    }
    grid, width = np.where(mask, chosen.grid, otherwise.grid), np.where(mask, chosen.width, otherwise.width)
    return Value(Model(terms, np.where(mask, chosen.model.rest, otherwise.model.rest)), grid, width)


def abstract_absolute(x) -> Value:
    """:func:`exactops.lanes.absolute` of numbers that have the same sign in all of a cell."""
    return abstract_select(x < 0.0, -x, x)


@contextlib.contextmanager
def abstract_lanes(**others: Callable) -> Iterator[None]:
    """Inside, the lane functions of the package work on Values: every kernel module's names of them are replaced.

    ``others`` are more replacements by name, in every such module that has the name.
    """
    replacements: dict[str, Callable] = {
        "fast_two_sum": abstract_fast_two_sum,
        "two_sum": abstract_two_sum,
        "leading_part": abstract_leading_part,
        "lookup_rows": abstract_lookup_rows,
        "lookup": abstract_lookup,
        "sqrt": abstract_sqrt,
        "select": abstract_select,
        "absolute": abstract_absolute,
        **others,
    }
    saved = []
    try:
        for name, module in list(sys.modules.items()):
            if name.startswith(("exactops.numerics.", "exactops.ops.")):
                for each, replacement in replacements.items():
                    if callable(vars(module).get(each)):
                        saved.append((module, each, vars(module)[each]))
                        setattr(module, each, replacement)
        yield
    finally:
        for module, each, original in reversed(saved):
            setattr(module, each, original)


# --- bounds -------------------------------------------------------------------------------------------------------------


class Bound(NamedTuple):
    """What :func:`bound` found: the worst over all cells, which one that is, and the bounds of every cell."""

    absolute: float
    relative: float
    worst_cell: int
    absolutes: np.ndarray
    relatives: np.ndarray


def bound(high, low, ideal: Model, test: bool = True, reference=None) -> Bound:
    """How far ``high + low`` can be from ``ideal``: absolute, and relative to the ideal or to ``reference``.

    Parameters
    ----------
    high, low : Value
        What the core returns.
    ideal : Model
        The function, in the same variables.
    test : bool
        Include what the rounding test may lose: half an ulp in each of its sums ``low + error`` and ``low - error``, and 2**-52
        of the error for computing it. It holds for errors up to twice the bound.
    reference : Model or Value, optional
        What the error is measured relative to: ``high``, for instance, where the test's error is a multiple of that.
    """
    high, low = Value.of(high), Value.of(low)
    error = (high.model + low.model - Model.of(ideal)).tight_magnitude()
    if test:
        error = _up(_up(error) * (1 + 2.0**-51) + half_ulp(_up(low.model.magnitude() + 2 * error)))
    error = np.atleast_1d(error)
    least = Model.of(ideal if reference is None else reference).least()
    with np.errstate(divide="ignore", over="ignore"):
        relative = np.atleast_1d(_up(error / np.where(least == 0, 2.0**-1000, least)))
    return Bound(float(np.max(error)), float(np.max(relative)), int(np.argmax(relative)), error, relative)


def rounded_up(value: float, bits: int = 4) -> float:
    """The least double with so many bits of significand that is not below the value: how a proven bound is written down."""
    fraction, exponent = np.frexp(value)
    return float(np.ldexp(np.ceil(np.ldexp(fraction, bits)), exponent - bits))


def double_of(pattern: int) -> float:
    """The double with these bits."""
    return float(np.uint64(pattern).view(np.float64))


def binades(low: float, high: float, pieces: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper ends of intervals that cover [low, high], positive: each binade in so many equal pieces."""
    exponents = np.arange(np.frexp(low)[1] - 1, np.frexp(high)[1] + 1)
    ends = np.concatenate([np.ldexp(1 + np.arange(pieces) / pieces, e) for e in exponents])
    ends = np.concatenate([[low], ends[(ends > low) & (ends < high)], [high]])
    return ends[:-1], ends[1:]


def approximation_error(coefficients: Sequence[float], function: Callable[[Model], Model], low: float, high: float) -> float:
    """A bound of ``|polynomial - function|`` on [low, high], for a function of models made of :func:`exp` and its like."""
    x = variable(low, high).model
    total = Model.of(0.0)
    for coefficient in reversed(coefficients):
        total = total * x + Model.of(coefficient)
    return float((total - function(x)).tight_magnitude(64))
