"""Error bounds of float64 fast phases, proven by running the kernels' own lane functions on enclosures instead of arrays.

A :class:`Value` stands for every double that a variable of a kernel can hold. It has

* an interval that encloses the computed double,
* where it is known, a power of two of which the computed double is a multiple, and
* an interval that encloses its *error*: computed less ideal, where the ideal value is the same expression in the real numbers.

**The theorem.** Let all operations be IEEE 754 binary64, rounded to nearest, each rounded by itself, and let no result be
subnormal unless it is exact or the caller allows for it. Then after any sequence of the operations below the computed double
and its error lie in their intervals. By induction: the interval of a sum, difference, product or quotient is that of interval
arithmetic, widened by the rounding error; its error is that of the operands carried through the real operation, plus the
rounding error. A result rounds not at all if it is a multiple of 2**q and below 2**(q + 53); otherwise by at most half a unit
in the last place of the largest magnitude in the interval. All bounds are integers in units of 2**-SCALE, rounded outward.

What interval arithmetic alone loses, since it forgets that two variables are related, is kept by treating three idioms as
one operation each, through :func:`substituted`:

* ``leading_part(x)`` is a head of 26 bits; that ``x - head`` is the exact rest, below 2**-26 of x, is remembered;
* ``fast_two_sum`` and ``fast_two_difference`` return the rounded sum as an exact carrier, whose ideal is itself, and the exact
  rest, which takes the errors of both operands. Their condition, no smaller first operand, is checked on the intervals
  (or the operands are multiples of a power of two for which the rest is exact anyway);
* :meth:`Value.known` encloses what has been shown by other means, such as a remainder after range reduction.

A final pair ``high + low`` then has the error ``high.error + low.error`` against the ideal expression, to which the caller adds
how far that is from the function: constants enter with their own errors (:func:`constant`), the truncation of a series by
:func:`series_remainder` or another enclosure.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

#: Bounds are integers in units of 2**-SCALE.
SCALE = 420
_ONE = 1 << SCALE


def _down(value: Fraction) -> int:
    return (value.numerator << SCALE) // value.denominator


def _up(value: Fraction) -> int:
    return -((-value.numerator << SCALE) // value.denominator)


def rational(value: Any) -> Fraction:
    """A double, an int, a fraction or an mpmath number as the rational number that it is."""
    if isinstance(value, (int, float, Fraction)):
        return Fraction(value)
    sign, mantissa, exponent, _ = mpf(value)._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _multiple(value: float) -> int | None:
    """The largest power of two of which a double is a multiple; None of zero."""
    fraction = Fraction(value)
    if not fraction:
        return None
    return (fraction.numerator & -fraction.numerator).bit_length() - fraction.denominator.bit_length()


class Value:
    """The enclosure of a double and of its error.

    Attributes
    ----------
    low, high : int
        The computed double lies between them.
    error_low, error_high : int
        Its error does.
    quantum : int or None
        It is a multiple of 2**quantum; None: not known, and never the case for zero alone.
    """

    __slots__ = ("error_high", "error_low", "head", "high", "low", "quantum", "rest")

    def __init__(self, low: int, high: int, quantum: int | None, error_low: int = 0, error_high: int = 0):
        self.low, self.high, self.quantum, self.error_low, self.error_high = low, high, quantum, error_low, error_high
        self.head: Value | None = None
        self.rest: Value | None = None

    # -- making

    @classmethod
    def known(cls, low: Any, high: Any, quantum: int | None = None, error: Any = 0) -> Value:
        """A double in [low, high], a multiple of 2**quantum, wrong by at most ``error``."""
        reach = _up(rational(error))
        return cls(_down(rational(low)), _up(rational(high)), quantum, -reach, reach)

    # -- reading

    @property
    def magnitude(self) -> int:
        """The largest magnitude, in units of 2**-SCALE."""
        return max(abs(self.low), abs(self.high))

    @property
    def largest(self) -> Fraction:
        """The largest magnitude."""
        return Fraction(self.magnitude, _ONE)

    @property
    def least(self) -> Fraction:
        """The least magnitude."""
        return Fraction(0) if self.low <= 0 <= self.high else Fraction(min(abs(self.low), abs(self.high)), _ONE)

    @property
    def error(self) -> Fraction:
        """The largest magnitude of the error."""
        return Fraction(max(abs(self.error_low), abs(self.error_high)), _ONE)

    def multiple_of(self) -> int | None:
        """A power of two of which it is a multiple: known, or since no double of this size is finer."""
        least = 0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
        by_size = least.bit_length() - 1 - SCALE - 52 if least else None
        known = [each for each in (self.quantum, by_size) if each is not None]
        return max(known) if known else None

    # -- arithmetic

    def _rounded(self, low: int, high: int, quantum: int | None, error_low: int, error_high: int) -> Value:
        """A result of an operation, from the interval of the exact one and the errors carried through."""
        reach = max(abs(low), abs(high))
        if quantum is None or reach > 1 << (quantum + 53 + SCALE if quantum + 53 + SCALE > 0 else 0):
            # Rounding moves by half a last place of what lies below the next power of two.
            half = 1 << max(reach.bit_length() - 53 - 1, 0)
            low, high = low - half, high + half
            error_low, error_high = error_low - half, error_high + half
        return Value(low, high, quantum, error_low, error_high)

    @staticmethod
    def _of(other: Any) -> Value:
        return other if isinstance(other, Value) else constant(other)

    def __add__(self, other: Any) -> Value:
        other = self._of(other)
        mine, its = self.multiple_of(), other.multiple_of()
        if self.magnitude == 0 or other.magnitude == 0:
            return Value(
                self.low + other.low,
                self.high + other.high,
                its if self.magnitude == 0 else mine,
                self.error_low + other.error_low,
                self.error_high + other.error_high,
            )
        quantum = None if mine is None or its is None else min(mine, its)
        return self._rounded(
            self.low + other.low,
            self.high + other.high,
            quantum,
            self.error_low + other.error_low,
            self.error_high + other.error_high,
        )

    __radd__ = __add__

    def __neg__(self) -> Value:
        return Value(-self.high, -self.low, self.quantum, -self.error_high, -self.error_low)

    def __sub__(self, other: Any) -> Value:
        if isinstance(other, Value) and self.head is other and self.rest is not None:
            return self.rest
        return self + (-self._of(other))

    def __rsub__(self, other: Any) -> Value:
        return self._of(other) - self

    def __mul__(self, other: Any) -> Value:
        other = self._of(other)
        low, high = _product(self.low, self.high, other.low, other.high)
        if other is self:
            low = max(low, 0)  # a square
        mine, its = self.multiple_of(), other.multiple_of()
        quantum = None if mine is None or its is None else mine + its
        # computed - ideal = a * error_b + b * error_a - error_a * error_b
        one = _product(self.low, self.high, other.error_low, other.error_high)
        two = _product(other.low, other.high, self.error_low, self.error_high)
        three = _product(self.error_low, self.error_high, other.error_low, other.error_high)
        errors = one[0] + two[0] - three[1], one[1] + two[1] - three[0]
        bits = bits_of(self), bits_of(other)
        if sum(bits) <= 53 or 1 in bits:  # exact
            return Value(low, high, quantum, *errors)
        return self._rounded(low, high, quantum, *errors)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Value:
        other = self._of(other)
        if other.low <= 0 <= other.high:
            raise ZeroDivisionError("the interval of a divisor contains zero")
        low, high = _quotient(self.low, self.high, other.low, other.high)
        # computed - ideal = (error_a - (a / b) * error_b) / (b - error_b)
        part = _product(low, high, other.error_low, other.error_high)
        numerator = self.error_low - part[1], self.error_high - part[0]
        ideal = other.low - other.error_high, other.high - other.error_low
        if ideal[0] <= 0 <= ideal[1]:
            raise ZeroDivisionError("the interval of an ideal divisor contains zero")
        return self._rounded(low, high, None, *_quotient(*numerator, *ideal))

    def __rtruediv__(self, other: Any) -> Value:
        return self._of(other) / self


def _product(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    every = (a * c, a * d, b * c, b * d)
    return min(every) >> SCALE, -(-max(every) >> SCALE)


def _quotient(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    every = [Fraction(n, m) for n in (a, b) for m in (c, d)]
    return _down(min(every)), _up(max(every))


def constant(value: Any, ideal: Any = None) -> Value:
    """A double that a kernel holds; ``ideal`` is what it stands for (itself where nothing is said)."""
    exact = rational(float(value))
    error = Fraction(0) if ideal is None else exact - rational(ideal)
    # An mpmath number stands for the real one with a relative error far below 2**-SCALE of anything here.
    slack = 0 if ideal is None or not isinstance(ideal, mpf) else 1 + (_up(abs(exact)) >> (mp.prec - 8))
    return Value(_down(exact), _up(exact), _multiple(float(value)), _down(error) - slack, _up(error) + slack)


# --- idioms -------------------------------------------------------------------------------------------------------------


def leading_part(x: Value, count: int = 26) -> Value:
    """The head of ``count`` bits of a double, cut off towards zero; ``x - head`` is then the exact rest."""
    top = x.magnitude.bit_length() - SCALE  # x is below 2**top
    reach = 1 << max(top - count + SCALE, 0)
    grid = x.multiple_of()
    # Of numbers in lower binades the head has finer bits, and more of them below the largest one's.
    least = 0 if x.low <= 0 <= x.high else min(abs(x.low), abs(x.high))
    bottom = least.bit_length() - SCALE - count if least else None
    quantum = max((each for each in (bottom, grid) if each is not None), default=None)
    head = _HeadValue(
        min(x.low, 0) if x.low < 0 else max(x.low - reach, 0), max(x.high, 0) if x.high > 0 else min(x.high + reach, 0), quantum
    )
    head.bits = count
    rest = _HeadValue(-reach if x.low < 0 else 0, reach if x.high > 0 else 0, grid, x.error_low, x.error_high)
    rest.bits = 53 - count
    x.head, x.rest = head, rest
    return head


class _HeadValue(Value):
    """A double of few bits: products are exact where the bits of both factors are at most 53 together."""

    __slots__ = ("bits",)

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.bits = 53

    def __neg__(self) -> Value:
        made = _HeadValue(-self.high, -self.low, self.quantum, -self.error_high, -self.error_low)
        made.bits = self.bits
        return made


def bits_of(x: Value) -> int:
    """How many bits the significand of a double has at most."""
    if isinstance(x, _HeadValue):
        return x.bits
    if x.low == x.high and x.quantum is not None:
        return max(1, (abs(x.low) >> max(0, x.quantum + SCALE)).bit_length())
    quantum = x.multiple_of()
    return 53 if quantum is None else min(53, max(1, x.magnitude.bit_length() - SCALE - quantum))


def with_bits(x: Value, count: int) -> Value:
    """The same double, shown elsewhere to have at most ``count`` bits."""
    made = _HeadValue(x.low, x.high, x.quantum, x.error_low, x.error_high)
    made.bits = count
    return made


def fast_two_sum(large: Value, small: Value) -> tuple[Value, Value]:
    """The rounded sum, whose ideal is itself, and the exact rest, which takes the errors of both."""
    large, small = Value._of(large), Value._of(small)
    quanta = large.multiple_of(), small.multiple_of()
    quantum = None if None in quanta else min(quanta)  # type: ignore[type-var]
    if small.magnitude > (0 if large.low <= 0 <= large.high else min(abs(large.low), abs(large.high))) and large.magnitude:
        # Dekker's condition also holds in the weaker form that the first operand is a multiple of the second one's last place.
        last = small.magnitude.bit_length() - SCALE - 53
        if quanta[0] is None or quanta[0] < last:
            raise ArithmeticError("fast_two_sum: the first operand may be smaller")
    total = large + small
    low, high = large.low + small.low, large.high + small.high
    reach = max(abs(low), abs(high))
    half = 1 << max(reach.bit_length() - 53 - 1, 0)
    if quantum is not None and reach <= 1 << max(quantum + 53 + SCALE, 0):
        half = 0
    carrier = Value(total.low, total.high, total.quantum)
    rest = Value(-half, half, quantum, large.error_low + small.error_low, large.error_high + small.error_high)
    return carrier, rest


def fast_two_difference(large: Value, small: Value) -> tuple[Value, Value]:
    """As :func:`fast_two_sum`, of a difference."""
    return fast_two_sum(large, -Value._of(small))


def polynomial(x: Value, coefficients: tuple[float, ...], scheme: str = "horner") -> Value:
    """The kernel's word, in its order of operations."""
    from exactops.lanes.polynomials import Arithmetic, evaluate

    arithmetic = Arithmetic(lambda a, b: a * b, lambda a, b: a + b, lambda a, b, c: a * b + c)
    if scheme.startswith("fused"):
        raise ValueError("a fused operation rounds once: there is no proof for it here")
    return evaluate(
        x, lambda power: constant(coefficients[power]), len(coefficients), scheme, arithmetic, coefficients[-1] == 1.0
    )


#: Names of words and helpers that kernels call, and what stands for them here.
IDIOMS: dict[str, Callable[..., Any]] = {
    "leading_part": leading_part,
    "fast_two_sum": fast_two_sum,
    "fast_two_difference": fast_two_difference,
    "polynomial": polynomial,
}


@contextlib.contextmanager
def substituted(*functions: Callable[..., Any], **others: Any) -> Iterator[None]:
    """Let the modules of some functions see the idioms of this module, and ``others`` by name, in place of their own."""
    replaced = {**IDIOMS, **others}
    saved = []
    for module in {id(inspect.getmodule(each)): inspect.getmodule(each) for each in functions}.values():
        names = vars(module)
        for name, value in replaced.items():
            if name in names:
                saved.append((names, name, names[name]))
                names[name] = value
    try:
        yield
    finally:
        for names, name, value in saved:
            names[name] = value


# --- enclosures of functions --------------------------------------------------------------------------------------------


def pieces(low: Any, high: Any, count: int = 1, octaves: int = 0) -> list[tuple[Fraction, Fraction]]:
    """An interval cut into ``count`` equal parts or, from ``high`` down to ``low``, into binades of which each is cut so.

    With ``octaves`` the interval has to be positive: its part below ``high / 2**octaves`` is the first piece.
    """
    low, high = rational(low), rational(high)
    if octaves:
        edges = [high / 2**step for step in range(octaves + 1)]
        found = [(low, edges[-1])] if low < edges[-1] else []
        for upper, lower in itertools.pairwise(edges):
            found += pieces(max(lower, low), upper, count)
        return found
    step = (high - low) / count
    return [(low + step * k, low + step * (k + 1)) for k in range(count)]


def distance(
    coefficients: Iterable[Any],
    series: Callable[[int], Fraction],
    low: Any,
    high: Any,
    terms: int,
    remainder: Any,
    count: int = 64,
) -> Fraction:
    """How far a polynomial is from a function on [low, high], by the function's power series.

    The difference of both, cut off after some terms, is a polynomial with rational coefficients. On each of ``count`` parts of
    the interval it is written anew around the middle, exactly, and the magnitudes of its terms are added up.

    Parameters
    ----------
    coefficients : iterable
        Of the polynomial, constant term first.
    series : callable
        The coefficients of the power series, within 2**-SCALE of the true ones.
    low, high : number
        The interval.
    terms : int
        Terms of the series that are taken, at least as many as the polynomial has.
    remainder : number
        A bound on the sum of the others over the interval.
    count : int
        Parts of the interval.
    """
    known = [rational(each) for each in coefficients]
    if terms < len(known):
        raise ValueError("fewer terms than coefficients")
    reach = max(abs(rational(low)), abs(rational(high)))
    slack = sum(reach**number for number in range(terms)) / _ONE
    # Units of 2**-SCALE from here on, rounding counted by units.
    difference = [(known[number] if number < len(known) else 0) - series(number) for number in range(terms)]
    largest = Fraction(0)
    for lower, upper in pieces(low, high, count):
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        shifted = list(difference)
        for start in range(terms):  # synthetic division: Taylor coefficients at the middle
            for place in range(terms - 2, start - 1, -1):
                shifted[place] = _coarse(shifted[place] + shifted[place + 1] * middle)
        total = sum(abs(each) * half**number for number, each in enumerate(shifted))
        largest = max(largest, total)
    return largest + slack * (1 + terms) + rational(remainder)


def _coarse(value: Fraction) -> Fraction:
    """A number within 2**-SCALE of another, of bounded length."""
    return Fraction(_down(value), _ONE)
