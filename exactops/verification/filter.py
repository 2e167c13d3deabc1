"""Correctly rounded float32 results by the hundred million, each decided with an error bound or left to MPFR.

The inputs are walked in the order of their bits. Each run of up to 2**16 neighbours ("segment") shares a sign, a binade and one
Taylor polynomial, whose coefficients MPFR gives to ``PRECISION`` bits when the segment is reached; evaluation is plain scalar
binary64 with the leading terms as double-doubles. Nothing is taken from the kernels, and no argument reduction is needed: the
centre of a segment is an exact number, however large or small.

**Evaluation and its bound.** A segment of n inputs with spacing d has the centre c = first + (n/2) d; input i is c + H t with
H = (n/2) d and t = (i - n/2) / (n/2), exact in at most 17 bits. With b_j = a_j H^j,

    f = b_0 + b_1 t + ... + b_N t^N + tail,   b_0 = A + A',  b_1 = B + B',

B in HEAD_BITS = 35 bits, so that B t is exact. Computed: (s, e) = two_sum(A, B t), exact; S = B' + t (b_2 + t (... b_N)), by
Horner; low = e + (A' + t S). With u = 2**-53 and Q = abs(B') + abs(b_2) + ... + abs(b_N), abs(t) <= 1:

* Horner's scheme with 2 N operations and coefficients rounded to binary64 errs by at most (2 N + 2) u Q (1 + small);
* the product t S errs by u Q, the sum with A' by u (abs(A') + Q), the rounding of A' counts u abs(A'), and the last sum errs
  by u (abs(e) + abs(A') + Q), where abs(e) <= u (abs(A) + abs(B)) and abs(A') <= u abs(A).

Together at most E = (2 N + 8) u Q + 6 u² (abs(b_0) + abs(b_1)) + tail, and 2**-1000 for coefficients that underflow. (The
coefficients are good to far more than 106 bits: ``PRECISION`` covers the cancellation in their recurrences, some 50 bits
where sigmoid and tanh are near 1, and the 150 bits between 1/2 or 1 and the first term of a tiny argument.) A segment is halved
until E is below 2**-31 of half a unit in the last place of the result at its centre (or of the smallest subnormal); typical
values are far smaller. Where that fails at 16 inputs, MPFR decides them all.

**Decision.** The value s + low, renormalised, is v + w. The candidate is y = float32(v); v - y and (next(y) - y) / 2 are exact,
so that ((v - y) - half a unit) + w, one rounding, says by its sign and its size against E (1 + 2**-30) on which side of the
midpoint above y the real value lies; likewise below. Nearer than the bound: undecided.

**Tiny arguments of silu and gelu.** f = x/2 + q x² + O(x⁴) with x/2 exact: v = x/2 and w = q x² for abs(x) < 2**-40, where the
error (two roundings, that of q, and the rest of the series, of order x² relative to w) is below 2**-50 abs(w). That decides all
ties.

**sin and cos** from abs(x) = 1/4 on use x = a + b with a of the upper 12 bits of the significand and b of the lower 12, and
sin(a + b) = sin a cos b + cos a sin b. The four factors come from MPFR in 2048 and 4096 entries for each binade, cut into
h + m + l with h a multiple of 2**-26 and m one of 2**-52, so abs(m) <= 2**-27. Products h h are multiples of 2**-52 whose sum
is below 2 in size: exact. Products h m are multiples of 2**-78, at most 2**-27: each is exact, and so is the sum of four, at
most 2**-25. What remains, m m, h l and m l (abs(l) <= 2**-53), is at most 2**-50 in all, computed with an error of a few u of
that: below 2**-100. Products l l, left out, are below 2**-104, and the last sum errs by u 2**-50. All in all the error is
below 2**-98, ``CIRCLE_ERROR``.

The code expects the default floating-point environment (round to nearest, no flush to zero).
"""

from __future__ import annotations

import functools
import math

import numba
import numpy as np

from exactops.table.formats import FORMATS
from exactops.verification.decision import correctly_rounded, decode, encode
from exactops.verification.functions import SAME, Function
from exactops.verification.multiprecision import gmpy2

#: Bits of the coefficients while they are computed.
PRECISION = 320
DEGREE = 10
HEAD_BITS = 35
#: Segments begin as 2**16 inputs and are halved down to 2**4.
BLOCK_BITS = 16
_LEAST = 16
CIRCLE_ERROR = 2.0**-98
#: Bits of the factors: the pieces end at 2**-130.
_CIRCLE_PRECISION = 160
CIRCLE_FROM = 0x3E800000  # 1/4
_QUADRATIC_BELOW = (127 - 40) << 23  # 2**-40
_QUADRATIC_RELATIVE = 2.0**-50

_SIGN = 0x80000000
_INFINITY = 0x7F800000
_CANONICAL_NAN = 0x7FC00000
_F32 = FORMATS["f32"]
_UNIT = 2.0**-53

# Columns of a segment's row: A, A', B, B', b_2 ... b_N, then the error bound.
_COLUMNS = 4 + (DEGREE - 1) + 1


# --- the decision -------------------------------------------------------------------------------------------------------


@numba.njit(inline="always")
def _magnitude(pattern):
    """The value of the bits of a float32 >= 0; infinity stands for 2**128, where rounding sees it, and beyond it is 2**129."""
    value = np.float64(np.uint32(pattern).view(np.float32))
    if pattern >= np.uint32(_INFINITY):
        value = 2.0**128 if pattern == np.uint32(_INFINITY) else 2.0**129
    return value


@numba.njit(inline="always")
def decide(value, low, error):
    """Bits of the float32 nearest to ``value + low``, which is wrong by at most ``error``, and whether that is decided."""
    v = value + low
    part = v - value
    w = (value - (v - part)) + (low - part)  # exact: two_sum
    pattern = np.float32(v).view(np.uint32)
    sign = pattern & np.uint32(_SIGN)
    magnitude = pattern ^ sign
    if sign != np.uint32(0):
        v, w = -v, -w
    y = _magnitude(magnitude)
    above = (_magnitude(magnitude + np.uint32(1)) - y) * 0.5
    below = 0.0
    if magnitude != np.uint32(0):
        below = (y - _magnitude(magnitude - np.uint32(1))) * 0.5
    over = ((v - y) - above) + w
    under = ((v - y) + below) + w
    error = error * (1.0 + 2.0**-30)
    undecided = not (abs(over) > error and abs(under) > error)
    step = np.uint32(0)
    if over > 0.0:
        step = np.uint32(1)
    if under < 0.0:
        step = np.uint32(0xFFFFFFFF)
    return sign | (magnitude + step), undecided


# --- Taylor segments ----------------------------------------------------------------------------------------------------


@numba.njit(inline="always")
def _polynomial(row, t):
    """f of the segment's input t as (s, low), in the notation above."""
    a_high, a_low, b_high, b_low = row[0], row[1], row[2], row[3]
    c2, c3, c4, c5, c6, c7, c8, c9, c10 = row[4], row[5], row[6], row[7], row[8], row[9], row[10], row[11], row[12]
    tail = c2 + t * (c3 + t * (c4 + t * (c5 + t * (c6 + t * (c7 + t * (c8 + t * (c9 + t * c10)))))))
    product = b_high * t
    s = a_high + product
    part = s - a_high
    e = (a_high - (s - part)) + (product - part)
    return s, e + (a_low + t * (b_low + t * tail))


@numba.njit
def _evaluate_segments(rows, offsets, sizes, result, undecided):
    for k in range(len(offsets)):
        row = rows[k]
        size = sizes[k]
        start = offsets[k]
        half = size // 2
        scale = 1.0 / half
        error = row[13]
        for i in range(size):
            s, low = _polynomial(row, np.float64(i - half) * scale)
            bits, open_ = decide(s, low, error)
            result[start + i] = bits
            undecided[start + i] = open_


def _row(terms, reach, tail: float):
    """A segment's row from its Taylor coefficients, in the current context, and its error bound."""
    scaled, power = [], gmpy2.mpfr(1)
    for term in terms:
        scaled.append(term * power)
        power = power * reach
    a_high = float(scaled[0])
    a_low = float(scaled[0] - a_high)
    fraction, exponent = math.frexp(float(scaled[1]))
    b_high = math.ldexp(round(math.ldexp(fraction, HEAD_BITS)), exponent - HEAD_BITS)
    b_low = float(scaled[1] - b_high)
    rest = [float(term) for term in scaled[2:]]
    q = abs(b_low) + sum(map(abs, rest))
    error = (2 * DEGREE + 8) * _UNIT * q + 6 * _UNIT**2 * float(abs(scaled[0]) + abs(scaled[1])) + tail + 2.0**-1000
    return [a_high, a_low, b_high, b_low, *rest, error]


def _segments(function: Function, first: int, size: int, rows: list, starts: list, sizes: list) -> None:
    """Append the segments of ``size`` inputs from the bits ``first`` on, in the current gmpy2 context."""
    sign = -1 if first & _SIGN else 1
    magnitude = first & ~_SIGN
    field = magnitude >> 23
    significand = (magnitude & 0x7FFFFF) | (0x800000 if field else 0)
    exponent = max(field, 1) - 150
    half = size // 2
    centre = math.ldexp(sign * (significand + half), exponent)
    reach = math.ldexp(float(half), exponent)
    tail = float(function.tail(centre, reach, DEGREE))
    if math.isfinite(tail):
        terms = function.taylor(gmpy2.mpfr(centre), DEGREE)
        row = _row(terms, gmpy2.mpfr(sign * reach), tail)
        if row[-1] <= 2.0**-31 * max(abs(row[0]) * 2.0**-25, 2.0**-150):
            rows.append(row)
            starts.append(first)
            sizes.append(size)
            return
    if size > _LEAST:
        _segments(function, first, half, rows, starts, sizes)
        _segments(function, first + half, half, rows, starts, sizes)
        return
    rows.append([0.0] * (_COLUMNS - 1) + [math.inf])
    starts.append(first)
    sizes.append(size)


# --- sin and cos by the addition theorem ----------------------------------------------------------------------------------


def _pieces(value) -> tuple[float, float, float]:
    """h + m + l of a number of size at most 1: multiples of 2**-26 and 2**-52, and the rest."""
    fixed = int(gmpy2.rint(gmpy2.mul_2exp(value, 130)))
    head = (fixed + (1 << 103)) >> 104
    fixed -= head << 104
    middle = (fixed + (1 << 77)) >> 78
    fixed -= middle << 78
    return math.ldexp(head, -26), math.ldexp(middle, -52), math.ldexp(fixed, -130)


def _pieces_of_circle(arguments) -> np.ndarray:
    table = np.empty((6, len(arguments)))
    for i, argument in enumerate(arguments):
        sine, cosine = gmpy2.sin_cos(argument)
        table[:3, i] = _pieces(sine)
        table[3:, i] = _pieces(cosine)
    return table


@functools.lru_cache(maxsize=4)
def _circle_tables(field: int) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine, in pieces, of the upper and the lower parts of the significands of a binade."""
    with gmpy2.context(precision=_CIRCLE_PRECISION):
        unit = gmpy2.exp2(field - 150)
        upper = _pieces_of_circle([(2048 + j) * 4096 * unit for j in range(2048)])
        lower = _pieces_of_circle([j * unit for j in range(4096)])
    return upper, lower


@numba.njit(inline="always")
def _rotated(h1, m1, l1, h2, m2, l2, lower, b):
    """The first factor times cos b plus the second times sin b, as (s, low)."""
    sh, sm, sl = lower[0, b], lower[1, b], lower[2, b]
    ch, cm, cl = lower[3, b], lower[4, b], lower[5, b]
    head = h1 * ch + h2 * sh  # exact
    middle = (h1 * cm + m1 * ch) + (h2 * sm + m2 * sh)  # exact
    low = (m1 * cm + m2 * sm) + ((h1 * cl + l1 * ch) + (h2 * sl + l2 * sh))
    low += (m1 * cl + l1 * cm) + (m2 * sl + l2 * sm)
    s = head + middle
    part = s - head
    return s, ((head - (s - part)) + (middle - part)) + low


@numba.njit(inline="always")
def _factors(upper, a, cosine, negate):
    """What goes with cos b and with sin b in sin(a + b) = sin a cos b + cos a sin b, cos(a + b) = cos a cos b - sin a sin b."""
    h1, m1, l1 = upper[0, a], upper[1, a], upper[2, a]
    h2, m2, l2 = upper[3, a], upper[4, a], upper[5, a]
    if cosine:
        h1, m1, l1, h2, m2, l2 = h2, m2, l2, -h1, -m1, -l1
    if negate:
        h1, m1, l1, h2, m2, l2 = -h1, -m1, -l1, -h2, -m2, -l2
    return h1, m1, l1, h2, m2, l2


@numba.njit
def _evaluate_circle(upper, first_upper, lower, cosine, negate, result, undecided):
    """Every input of the binade whose upper part is ``first_upper`` and following, 4096 lower parts each."""
    for k in range(len(result) // 4096):
        h1, m1, l1, h2, m2, l2 = _factors(upper, first_upper + k, cosine, negate)
        for b in range(4096):
            s, low = _rotated(h1, m1, l1, h2, m2, l2, lower, b)
            bits, open_ = decide(s, low, CIRCLE_ERROR)
            result[k * 4096 + b] = bits
            undecided[k * 4096 + b] = open_


# --- tiny arguments of silu and gelu --------------------------------------------------------------------------------------


@numba.njit
def _evaluate_quadratic(first, q, result, undecided):
    for i in range(len(result)):
        x = np.float64(np.uint32(first + i).view(np.float32))
        w = (q * x) * x
        bits, open_ = decide(0.5 * x, w, abs(w) * _QUADRATIC_RELATIVE)
        result[i] = bits
        undecided[i] = open_


# --- one input, for the tests of the bounds -------------------------------------------------------------------------------


def estimate(function: Function, bits: int) -> tuple[float, float, float] | None:
    """The filter's value of one input as (high, low, bound of the error); None where no formula is used.

    The code is that of the loops; the tests hold it against MPFR.
    """
    block = 1 << BLOCK_BITS
    if _constant(function, bits, block) is not None or bits & ~_SIGN in (0, _INFINITY):
        return None
    magnitude = bits & ~_SIGN
    if function.quadratic and magnitude < _QUADRATIC_BELOW:
        x = decode(bits, _F32)
        with gmpy2.context(precision=PRECISION):
            low = float(function.quadratic()) * x * x
        return 0.5 * x, low, abs(low) * _QUADRATIC_RELATIVE
    if function.periodic and magnitude >= CIRCLE_FROM:
        upper, lower = _circle_tables(bits >> 23 & 0xFF)
        cosine = function.periodic == "cos"
        high, low = _one_of_circle(
            upper, (bits & 0x7FFFFF) >> 12, lower, bits & 0xFFF, cosine, bool(bits & _SIGN) and not cosine
        )
        return high, low, CIRCLE_ERROR
    rows: list[list[float]] = []
    starts: list[int] = []
    sizes: list[int] = []
    with gmpy2.context(precision=PRECISION):
        _segments(function, bits // block * block, block, rows, starts, sizes)
    k = max(index for index, start in enumerate(starts) if start <= bits)
    half = sizes[k] // 2
    high, low = _one_of_segment(np.array(rows[k]), (bits - starts[k] - half) / half)
    return high, low, rows[k][-1]


@numba.njit
def _one_of_segment(row, t):
    return _polynomial(row, t)


@numba.njit
def _one_of_circle(upper, a, lower, b, cosine, negate):
    h1, m1, l1, h2, m2, l2 = _factors(upper, a, cosine, negate)
    return _rotated(h1, m1, l1, h2, m2, l2, lower, b)


# --- all of it ------------------------------------------------------------------------------------------------------------


def filtered(function: Function, start: int, stop: int) -> tuple[np.ndarray, np.ndarray]:
    """The reference for the inputs with the bits ``start`` to ``stop`` - 1.

    Parameters
    ----------
    function : Function
        What to evaluate.
    start, stop : int
        Range of float32 bit patterns.

    Returns
    -------
    result : numpy.ndarray of uint32
        Bits of the correctly rounded results, where decided.
    undecided : numpy.ndarray of bool
        Where MPFR has to decide.
    """
    block = 1 << BLOCK_BITS
    first, last = start // block * block, -(-stop // block) * block
    result = np.empty(last - first, np.uint32)
    undecided = np.zeros(last - first, np.bool_)
    rows: list[list[float]] = []
    starts: list[int] = []
    sizes: list[int] = []
    with gmpy2.context(precision=PRECISION):
        for bits in range(first, last, block):
            here = slice(bits - first, bits - first + block)
            known = _constant(function, bits, block)
            if known is not None:
                result[here] = np.arange(bits, bits + block, dtype=np.uint32) if known == SAME else known
            elif function.quadratic and (bits & ~_SIGN) < _QUADRATIC_BELOW:
                _evaluate_quadratic(bits, float(function.quadratic()), result[here], undecided[here])
            elif function.periodic and (bits & ~_SIGN) >= CIRCLE_FROM:
                _circle_block(function, bits, result[here], undecided[here])
            else:
                _segments(function, bits, block, rows, starts, sizes)
    if rows:
        _evaluate_segments(np.array(rows), np.array(starts, np.int64) - first, np.array(sizes, np.int64), result, undecided)
    for bits, value in _special(function):
        if first <= bits < last:
            result[bits - first], undecided[bits - first] = encode(value, _F32), False
    cut = slice(start - first, stop - first)
    return result[cut], undecided[cut]


def _special(function: Function) -> list[tuple[int, float]]:
    """The four inputs that no formula covers, and their results."""
    return [
        (0, function.at_zero[0]),
        (_SIGN, function.at_zero[1]),
        (_INFINITY, function.at_infinity[0]),
        (_SIGN | _INFINITY, function.at_infinity[1]),
    ]


def _constant(function: Function, bits: int, block: int) -> int | str | None:
    """The one result of a block (specials apart), or that it is the input, or None."""
    magnitude, negative = bits & ~_SIGN, bool(bits & _SIGN)
    if magnitude >= _INFINITY or (negative and function.negative_is_nan):
        return _CANONICAL_NAN
    threshold = function.below if negative else function.above
    if threshold is not None and magnitude >= encode(abs(threshold[0]), _F32):
        return SAME if threshold[1] == SAME else encode(float(threshold[1]), _F32)
    return None


def _circle_block(function: Function, bits: int, result: np.ndarray, undecided: np.ndarray) -> None:
    upper, lower = _circle_tables(bits >> 23 & 0xFF)
    cosine = function.periodic == "cos"
    negate = bool(bits & _SIGN) and not cosine  # sin is odd, cos is even
    _evaluate_circle(upper, (bits & 0x7FFFFF) >> 12, lower, cosine, negate, result, undecided)


def reference(function: Function, start: int, stop: int) -> tuple[np.ndarray, int]:
    """The correctly rounded results of a range of inputs, and how many of them MPFR had to decide."""
    result, undecided = filtered(function, start, stop)
    left = np.flatnonzero(undecided)
    for index in left.tolist():
        result[index] = correctly_rounded(function, start + index, _F32)
    return result, left.size
