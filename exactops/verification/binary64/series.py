"""Taylor polynomials: the coefficients by MPFR, the evaluation in double-doubles, a proven bound of the error of each.

A function is cut into cells of equal width, each with the Taylor coefficients at its centre c. There is no other reduction of
the argument, and nothing is taken from the kernels. With h = x - c, exact, f is a_0 + a_1 h + ... + a_N h^N + tail, N = 13.
All coefficients are scaled by a power of two, the *exponent* of the row, so that neither products nor splits overflow.

**Evaluation.** S = a_4 + h (a_5 + ... h a_N) in binary64; r_3 = a_3 + h S with a_3 as a pair; r_2 = a_2 + h r_3, r_1 and r_0
likewise with pairs, each product of heads exact. Where h is itself a pair, (h, h'), abs(h') <= u abs(h), u = 2**-53.

**Bound.** Let abs(h) <= H and M_4 = abs(a_4) + H (abs(a_5) + ...), M_j = abs(a_j) + H M_(j+1) for j < 4.

* S has 18 operations on rounded coefficients: 19 u M_4 (1 + small). Leaving out h' there costs at most 9 u M_4, and the product
  h S another 2 u abs(h) M_4, h' included. Together below 32 u abs(h) M_4 in r_3.
* A step r_j = a_j + h r_(j+1): the product of the heads and its sum with the head of a_j are exact; what is left out or rounded
  are h' times the low part (4 u² abs(h) M_(j+1)), three roundings in the low part of the product, two in the low part of the
  sum, each u times a number below 4 u M_j, and the rounding of the pair a_j, u² abs(a_j): below 24 u² M_j in all. The low part
  itself stays below 4 u M_j. The steps j = 3, 2, 1, 0 add up to less than 24 u² (M_0 + H M_1 + H² M_2 + H³ M_3), at most
  96 u² M_0, since H M_(j+1) <= M_j.

So abs(error) <= e_0 + e_4 h⁴ with e_0 = 128 u² M_0 and e_4 = 32 u M_4 + tail(H) / H⁴: a tail is C h^(N+1). These two numbers
stand in the row. A cell in whose centre f is zero has the coefficients of f(c + h) / h instead, and h times their value is
taken (:func:`of_zero`): its relative error counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from exactops.verification.binary64.arithmetic import UNIT, bits_of, power_of_two, two_product, two_sum
from exactops.verification.multiprecision import gmpy2

#: Bits of the coefficients while they are computed; the recurrences cancel some 60.
PRECISION = 256
DEGREE = 13
#: Columns: a_0 to a_3 as pairs, a_4 to a_N, e_0, e_4, the exponent.
_FIRST_PLAIN = 8
E0 = _FIRST_PLAIN + DEGREE - 3
E4, EXPONENT = E0 + 1, E0 + 2
COLUMNS = EXPONENT + 1


@numba.njit(inline="always")
def _step(high, low, h, h_low, r, r_low):
    """(high, low) + (h, h_low) (r, r_low)."""
    p, rest = two_product(h, r)
    rest = rest + (h * r_low + h_low * r)
    s, e = two_sum(high, p)
    return s, e + (low + rest)


@numba.njit
def value(row, h, h_low):
    """A row's function at c + h + h_low as (high, low, bound of the error), to be multiplied by 2**exponent."""
    s = row[E0 - 1]
    for j in range(E0 - 2, _FIRST_PLAIN - 1, -1):
        s = row[j] + h * s
    r, e = two_sum(row[6], h * s)
    low = e + row[7]
    r, low = _step(row[4], row[5], h, h_low, r, low)
    r, low = _step(row[2], row[3], h, h_low, r, low)
    r, low = _step(row[0], row[1], h, h_low, r, low)
    square = h * h
    return r, low, row[E0] + row[E4] * (square * square)


@numba.njit
def of_zero(row, h, h_low):
    """As :func:`value`, of a cell whose function is zero in the centre: (high, low, error, exponent), h not 0.

    h is taken as its significand and exponent, so that it may be as small as numbers are. The product adds 8 u² of itself.
    """
    r, low, error = value(row, h, h_low)
    exponent = 0
    if abs(h) < 2.0**-900:  # also subnormal; a pair is never as small
        h, exponent = h * 2.0**200, -200
    own = ((bits_of(h) >> 52) & 0x7FF) - 1023
    # 2**-own in two factors: one of them alone may not exist.
    half = own // 2
    scale, other = power_of_two(-half), power_of_two(half - own)
    m, m_low = h * scale * other, h_low * scale * other
    p, rest = two_product(m, r)
    rest = rest + (m * low + m_low * r)
    return p, rest, abs(m) * (error + 16.0 * UNIT * UNIT * abs(r)), own + exponent


Taylor = Callable[[Any, int], list[Any]]
Tail = Callable[[float, float, int], Any]


def row_of(taylor: Taylor, tail: Tail, centre: float, reach: float, zero: bool) -> list[float]:
    """The row of a cell, in a gmpy2 context of ``PRECISION``.

    Parameters
    ----------
    taylor, tail : callable
        As in :class:`exactops.verification.functions.Function`; a tail is C reach^(degree + 1).
    centre, reach : float
        The centre, and the largest distance from it.
    zero : bool
        Whether the function is zero in the centre.
    """
    terms = taylor(gmpy2.mpfr(centre), DEGREE + zero)[int(zero) :]
    rest = gmpy2.mpfr(tail(centre, reach, DEGREE + zero)) / (gmpy2.mpfr(reach) if zero else 1)
    biggest = terms[0]
    exponent = int(gmpy2.frexp(biggest)[0])
    terms = [gmpy2.mul_2exp(term, -exponent) if exponent < 0 else gmpy2.div_2exp(term, exponent) for term in terms]
    rest = gmpy2.mul_2exp(rest, -exponent) if exponent < 0 else gmpy2.div_2exp(rest, exponent)
    row: list[float] = []
    for term in terms[:4]:
        high = float(term)
        row += [high, float(term - high)]
    row += [float(term) for term in terms[4:]]
    wide = reach * (1.0 + 2.0**-30)  # for h + h'
    m4 = sum(abs(term) * wide**j for j, term in enumerate(row[_FIRST_PLAIN:]))
    m0 = m4
    for j in (3, 2, 1, 0):
        m0 = abs(row[2 * j]) + wide * m0
    # 1.01 for the roundings of these sums.
    e4 = 1.01 * (32.0 * UNIT * m4 + float(rest / gmpy2.mpfr(reach) ** 4))
    return [*row, 1.01 * 128.0 * UNIT**2 * m0, e4, float(exponent)]


class Cells:
    """The rows of a function over a range of cells, made when they are first needed.

    Parameters
    ----------
    taylor, tail : callable
        As for :func:`row_of`.
    first, last : int
        Numbers of the first and the last cell; that of number i has the centre i / ``density``.
    density : int
        Cells in a unit: a power of two.
    zero : int, optional
        The cell in whose centre the function is zero.
    """

    def __init__(self, taylor: Taylor, tail: Tail, first: int, last: int, density: int, zero: int | None = None) -> None:
        self.taylor, self.tail = taylor, tail
        self.first, self.last, self.density, self.zero = first, last, density, zero
        self.rows = np.zeros((last - first + 1, COLUMNS))
        self.made = np.zeros(last - first + 1, np.bool_)

    def need(self, numbers: np.ndarray) -> None:
        """Make the rows of these cells; those out of the range are left out."""
        wanted = np.zeros_like(self.made)
        wanted[numbers[(numbers >= self.first) & (numbers <= self.last)] - self.first] = True
        reach = 0.5 / self.density
        with gmpy2.context(precision=PRECISION):
            for place in np.flatnonzero(wanted & ~self.made).tolist():
                number = place + self.first
                self.rows[place] = row_of(self.taylor, self.tail, number / self.density, reach, number == self.zero)
                self.made[place] = True

    def all(self) -> np.ndarray:
        """Every row."""
        self.need(np.arange(self.first, self.last + 1))
        return self.rows


def pair(number: Any) -> tuple[float, float]:
    """The nearest float64 of an MPFR number, and that of the rest."""
    high = float(number)
    return high, float(number - high)
