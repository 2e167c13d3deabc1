"""Correctly rounded float64 results of any inputs, each decided with an error bound or left to MPFR.

Every function is evaluated by the Taylor polynomial of the cell that the input lies in (:mod:`~.series`), in one of four ways.

* **Plain** (exp, tanh, sigmoid, silu, erf, erfc, both forms of gelu): cells between the thresholds of
  :class:`~exactops.verification.functions.Function`. The centre is within half a cell of x, or zero: h is exact. Where f(0) = 0
  the cell about 0 has a relative bound. silu and gelu of abs(x) < 2**-500 are x/2, exactly, and a positive rest q x² that is
  below 2**-490 of it: it decides ties between subnormals, and its size does not matter.
* **log**: x = 2**k m with m in [0.703, 1.407), k ln 2 + log m; m - c is exact. k ln 2 as a pair has the relative error 4 u²,
  and so has the sum; for k = 0 the cell about 1 has a relative bound.
* **rsqrt**: x = 4**k m with m in [1, 4), 2**-k / sqrt(m).
* **sin, cos**: up to abs(x) = 3/4 plain. Beyond, x = M 2**e with an integer M of 53 bits, and the 256 bits of 2**e 2/π mod 4
  come from a table: M times them, mod 4, is the number of quarter turns with an error below 2**53 2**-254. The nearest quarter
  turn is taken off, exactly. What remains, at least 2**-66 for every float64 (the tests look for the nearest ones with
  continued fractions), is converted to a pair, eight words added with two_sum; with the error above that is good to 16 u².
  Times π/2, 8 u²: the angle's relative error is below 32 u², and so is that of its sine or cosine, for angles up to π/4.

Where the error adds to that of the row, it is written out below.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numba
import numpy as np

from exactops.table.formats import FORMATS
from exactops.verification.binary64.arithmetic import (
    INFINITY,
    NAN,
    SIGN,
    UNIT,
    bits_of,
    decide,
    power_of_two,
    product,
    two_product,
    two_sum,
)
from exactops.verification.binary64.series import EXPONENT, Cells, of_zero, pair, value
from exactops.verification.decision import correctly_rounded, encode
from exactops.verification.functions import SAME, Function, erf_like_taylor, function_of, gelu_taylor
from exactops.verification.multiprecision import gmpy2

_F64 = FORMATS["f64"]

#: The functions that can be evaluated.
SERVED = ("exp", "log", "rsqrt", "sin", "cos", "tanh", "sigmoid", "silu", "erf", "erfc", "gelu", "gelu_tanh")
#: Cells in a unit. The steepest functions, relative to their size, have the narrowest.
_DENSITY = {"exp": 32, "tanh": 64, "sigmoid": 32, "silu": 32, "erf": 256, "erfc": 512, "gelu": 512, "gelu_tanh": 1024}
CIRCLE_DENSITY = 32
_CIRCLE_UP_TO = 0.75
LOG_DENSITY = 1024
#: From here on the significand is halved: 1.407.
_LOG_TURN = 1440 / 1024
_RSQRT_DENSITY = 128
#: The size of an argument below which silu and gelu are x/2 and a trace more.
_TRACE_BELOW = 2.0**-500

#: Degree of the series of erfc at multiples of 1/8.
ANCHOR_DEGREE = 70


# --- rows ---------------------------------------------------------------------------------------------------------------


@functools.cache
def _anchor(number: int) -> list[Any]:
    """The coefficients of erfc at number / 8."""
    centre = gmpy2.mpfr(number) / 8
    return erf_like_taylor(centre, ANCHOR_DEGREE, gmpy2.erfc(centre), -1)


def near_erfc(z: Any) -> Any:
    """erfc by the series at the nearest multiple of 1/8: MPFR needs milliseconds for one of these numbers.

    For abs(z) <= 28.5 the tail is below 2**-190 of the value (:func:`exactops.verification.functions.erf_tail`; a test computes
    it), and the roundings in a context of ``PRECISION`` are smaller still.
    """
    number = round(z * 8)
    h, total = z - gmpy2.mpfr(number) / 8, gmpy2.mpfr(0)
    for term in reversed(_anchor(number)):
        total = total * h + term
    return total


def _erfc_taylor(c: Any, degree: int) -> list[Any]:
    return erf_like_taylor(c, degree, near_erfc(c), -1)


def _gelu_taylor(c: Any, degree: int) -> list[Any]:
    return gelu_taylor(c, degree, lambda x: near_erfc(-x / gmpy2.sqrt(gmpy2.mpfr(2))) / 2)


_TAYLOR = {"erfc": _erfc_taylor, "gelu": _gelu_taylor}


@functools.cache
def cells_of(name: str) -> Cells:
    """The cells of a function by its name."""
    function = function_of("gelu", {"approximate": "tanh"}) if name == "gelu_tanh" else function_of(name)
    if name == "log":
        return Cells(function.taylor, function.tail, 719, 1441, LOG_DENSITY, LOG_DENSITY)
    if name == "rsqrt":
        return Cells(function.taylor, function.tail, _RSQRT_DENSITY, 4 * _RSQRT_DENSITY, _RSQRT_DENSITY)
    density, ends = CIRCLE_DENSITY, (-1.0, 1.0)
    if name in _DENSITY:
        density, ends = _DENSITY[name], (function.far_below, function.far_above)
    first, last = (round(end * density) for end in ends)
    taylor = _TAYLOR.get(name, function.taylor)
    return Cells(taylor, function.tail, first, last, density, 0 if function.at_zero[0] == 0 else None)


# --- plain --------------------------------------------------------------------------------------------------------------


@numba.njit
def evaluate_plain(rows, first, density, zero, trace, x):
    """f(x) as (high, low, error, exponent); ``zero``: f(0) = 0."""
    if trace and abs(x) < _TRACE_BELOW:
        sign = 1.0 if x > 0.0 else -1.0
        pattern = bits_of(abs(x))
        field = pattern >> 52
        if field == 0:  # an integer in units of 2**-1074
            return sign * np.float64(pattern), 2.0**-490, 2.0**-491, -1075
        return sign * power_of_two(0) * (1.0 + (pattern & 0xFFFFFFFFFFFFF) * 2.0**-52), 2.0**-490, 2.0**-491, field - 1024
    number = np.rint(x * density)
    h = x - number / density
    row = rows[np.int64(number) - first]
    if zero and number == 0.0:
        high, low, error, exponent = of_zero(row, h, 0.0)
        return high, low, error, exponent + np.int64(row[EXPONENT])
    high, low, error = value(row, h, 0.0)
    return high, low, error, np.int64(row[EXPONENT])


@numba.njit
def _plain(rows, first, density, zero, trace, below, above, results, special, x, result, undecided):
    """``results``: at +0, -0, +inf, -inf, below, above; ``special``: whether the last is the input."""
    for i in range(len(x)):
        undecided[i] = False
        if math.isnan(x[i]):
            result[i] = NAN
        elif x[i] == 0.0:
            result[i] = results[1] if math.copysign(1.0, x[i]) < 0.0 else results[0]
        elif math.isinf(x[i]):
            result[i] = results[3] if x[i] < 0.0 else results[2]
        elif x[i] <= below:
            result[i] = results[4]
        elif x[i] >= above:
            result[i] = np.uint64(bits_of(x[i])) if special else results[5]
        else:
            high, low, error, exponent = evaluate_plain(rows, first, density, zero, trace, x[i])
            result[i], undecided[i] = decide(high, low, error, exponent)


def _filter_plain(function: Function, x: np.ndarray, result: np.ndarray, undecided: np.ndarray) -> None:
    cells = cells_of(function.name)
    below, above = function.thresholds(_F64)
    assert below is not None and above is not None
    inside = x[(x > below[0]) & (x < above[0])]
    cells.need(np.rint(inside * cells.density).astype(np.int64))
    known = (*function.at_zero, *function.at_infinity, below[1], math.inf if above[1] == SAME else above[1])
    results = np.array([encode(float(each), _F64) for each in known], np.uint64)
    trace = function.quadratic is not None
    limits = (below[0], above[0])
    _plain(
        cells.rows, cells.first, cells.density, cells.zero == 0, trace, *limits, results, above[1] == SAME, x, result, undecided
    )


# --- log ----------------------------------------------------------------------------------------------------------------


@functools.cache
def ln2() -> tuple[float, float]:
    """ln 2 as a pair."""
    with gmpy2.context(precision=256):
        return pair(gmpy2.const_log2())


@numba.njit
def reduced(x):
    """x = m 2**k of a positive float64, m in [0.703, 1.407): (m, k)."""
    k = 0
    if x < 2.0**-1022:
        x, k = x * 2.0**64, -64
    pattern = bits_of(x)
    k += (pattern >> 52) - 1023
    m = np.int64((pattern & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    if m >= _LOG_TURN:
        return 0.5 * m, k + 1
    return m, k


@numba.njit
def logarithm(rows, first, ln2_high, ln2_low, x):
    """log x of a positive x other than 1, as (high, low, error), high the nearest float64 to their sum."""
    m, k = reduced(x)
    number = np.int64(np.rint(m * LOG_DENSITY))
    h = m - number / LOG_DENSITY
    row = rows[number - first]
    if number == LOG_DENSITY:
        if h == 0.0:
            high, low, error = 0.0, 0.0, 0.0
        else:
            high, low, error, exponent = of_zero(row, h, 0.0)  # h is at least 2**-53
            scale = power_of_two(exponent + np.int64(row[EXPONENT]))
            high, low, error = high * scale, low * scale, error * scale
    else:
        high, low, error = value(row, h, 0.0)
        scale = power_of_two(np.int64(row[EXPONENT]))
        high, low, error = high * scale, low * scale, error * scale
    if k != 0:
        kh, kl = two_product(np.float64(k), ln2_high)
        s, e = two_sum(kh, high)
        low = e + (low + (kl + k * ln2_low))
        high, error = s, error + 16.0 * UNIT * UNIT * abs(kh)
    high, low = two_sum(high, low)
    return high, low, error + 4.0 * UNIT * UNIT * abs(high)


@numba.njit
def _log(rows, first, ln2_high, ln2_low, x, result, undecided):
    for i in range(len(x)):
        undecided[i] = False
        if x[i] == 0.0:
            result[i] = SIGN | INFINITY
        elif not x[i] > 0.0:
            result[i] = NAN
        elif math.isinf(x[i]):
            result[i] = INFINITY
        elif x[i] == 1.0:
            result[i] = 0
        else:
            high, low, error = logarithm(rows, first, ln2_high, ln2_low, x[i])
            result[i], undecided[i] = decide(high, low, error, 0)


# --- rsqrt --------------------------------------------------------------------------------------------------------------


@numba.njit
def evaluate_rsqrt(rows, first, x):
    """1 / sqrt(x) of a positive x, as (high, low, error, exponent)."""
    k = 0
    if x < 2.0**-1022:
        x, k = x * 2.0**64, -64
    pattern = bits_of(x)
    k += (pattern >> 52) - 1023
    m = np.int64((pattern & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    if k % 2 != 0:
        m, k = 2.0 * m, k - 1
    number = np.rint(m * _RSQRT_DENSITY)
    row = rows[np.int64(number) - first]
    high, low, error = value(row, m - number / _RSQRT_DENSITY, 0.0)
    return high, low, error, np.int64(row[EXPONENT]) - k // 2


@numba.njit
def _rsqrt(rows, first, x, result, undecided):
    for i in range(len(x)):
        undecided[i] = False
        if x[i] == 0.0:
            result[i] = (SIGN | INFINITY) if math.copysign(1.0, x[i]) < 0.0 else INFINITY
        elif not x[i] > 0.0:
            result[i] = NAN
        elif math.isinf(x[i]):
            result[i] = 0
        else:
            high, low, error, exponent = evaluate_rsqrt(rows, first, x[i])
            result[i], undecided[i] = decide(high, low, error, exponent)


# --- sin and cos --------------------------------------------------------------------------------------------------------


@functools.cache
def quarter_turns() -> np.ndarray:
    """By exponent field: 2**(field - 1075) 2/π mod 4 in units of 2**-254, cut off: eight words of 32 bits, the least first."""
    with gmpy2.context(precision=1600):
        ratio = 2 / gmpy2.const_pi()
        number = int(gmpy2.floor(gmpy2.mul_2exp(ratio, 1400)))
    words = np.zeros((2048, 8), np.uint64)
    for field in range(2047):
        shift = field - 1075 + 254 - 1400
        scaled = (number << shift if shift >= 0 else number >> -shift) & ((1 << 256) - 1)
        words[field] = [scaled >> (32 * j) & 0xFFFFFFFF for j in range(8)]
    return words


@functools.cache
def half_pi() -> tuple[float, float]:
    """π/2 as a pair."""
    with gmpy2.context(precision=256):
        return pair(gmpy2.const_pi() / 2)


@numba.njit
def reduced_angle(words, pi_high, pi_low, x):
    """The angle left of x > 0 beyond the nearest quarter turn, as a pair, and the number of quarter turns mod 4."""
    mask, shift = np.uint64(0xFFFFFFFF), np.uint64(32)
    pattern = np.uint64(bits_of(x))
    row = words[np.int64(pattern >> np.uint64(52))]
    significand = (pattern & np.uint64(0xFFFFFFFFFFFFF)) | np.uint64(0x10000000000000)
    upper, lower = significand >> shift, significand & mask
    turn = np.empty(8, np.uint64)
    carry = np.uint64(0)
    for j in range(8):
        t = lower * row[j] + carry
        turn[j] = t & mask
        carry = t >> shift
    carry = np.uint64(0)
    for j in range(7):
        t = upper * row[j] + turn[j + 1] + carry
        turn[j + 1] = t & mask
        carry = t >> shift
    quarter = np.int64(turn[7] >> np.uint64(30))
    turn[7] &= np.uint64(0x3FFFFFFF)
    sign = 1.0
    if turn[7] & np.uint64(0x20000000):  # more than half a quarter turn: the next one, less the complement
        quarter, sign = (quarter + 1) & 3, -1.0
        carry = np.uint64(1)
        for j in range(8):
            t = (turn[j] ^ mask) + carry
            turn[j] = t & mask
            carry = t >> shift
        turn[7] &= np.uint64(0x3FFFFFFF)
    high, low = 0.0, 0.0
    for j in range(7, -1, -1):
        s, e = two_sum(high, np.float64(turn[j]) * power_of_two(32 * j - 254))
        high, low = two_sum(s, low + e)
    high, low = product(sign * high, sign * low, pi_high, pi_low)
    return high, low, quarter


@numba.njit
def _circle_value(sine, sine_first, cosine, cosine_first, of_cosine, high, low):
    """The sine or the cosine of an angle of at most π/4, given as a pair, as (high, low, error, exponent)."""
    number = np.rint(high * CIRCLE_DENSITY)
    h, h_low = two_sum(high - number / CIRCLE_DENSITY, low)
    if of_cosine:
        row = cosine[np.int64(number) - cosine_first]
    else:
        row = sine[np.int64(number) - sine_first]
        if number == 0.0:
            v, rest, error, exponent = of_zero(row, h, h_low)
            return v, rest, error, exponent + np.int64(row[EXPONENT])
    v, rest, error = value(row, h, h_low)
    return v, rest, error, np.int64(row[EXPONENT])


@numba.njit
def evaluate_circle(sine, sine_first, cosine, cosine_first, words, pi_high, pi_low, of_cosine, x):
    """sin x or cos x as (high, low, error, exponent)."""
    size, negate = abs(x), x < 0.0 and not of_cosine
    high, low, quarter = size, 0.0, 0
    if size > _CIRCLE_UP_TO:
        high, low, quarter = reduced_angle(words, pi_high, pi_low, size)
    if of_cosine:  # cos x = sin(x + π/2)
        quarter = (quarter + 1) & 3
    v, rest, error, exponent = _circle_value(sine, sine_first, cosine, cosine_first, quarter % 2 == 1, high, low)
    if size > _CIRCLE_UP_TO:
        error += 32.0 * UNIT * UNIT * abs(v)
    if (quarter >= 2) != negate:
        v, rest = -v, -rest
    return v, rest, error, exponent


@numba.njit
def _circle(sine, sine_first, cosine, cosine_first, words, pi_high, pi_low, of_cosine, x, result, undecided):
    for i in range(len(x)):
        undecided[i] = False
        if x[i] == 0.0:
            result[i] = np.uint64(bits_of(1.0)) if of_cosine else np.uint64(bits_of(x[i]))
        elif not abs(x[i]) < math.inf:
            result[i] = NAN
        else:
            high, low, error, exponent = evaluate_circle(
                sine, sine_first, cosine, cosine_first, words, pi_high, pi_low, of_cosine, x[i]
            )
            result[i], undecided[i] = decide(high, low, error, exponent)


def _circle_tables() -> tuple[Cells, Cells, np.ndarray, tuple[float, float]]:
    """The cells of sine and cosine, all made, the table of quarter turns and π/2."""
    sine, cosine = cells_of("sin"), cells_of("cos")
    sine.all()
    cosine.all()
    return sine, cosine, quarter_turns(), half_pi()


# --- all of it ------------------------------------------------------------------------------------------------------------


def filtered(function: Function, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bits of the correctly rounded results of float64 inputs where decided, and where MPFR has to decide."""
    result, undecided = np.empty(x.shape, np.uint64), np.empty(x.shape, np.bool_)
    if function.name == "log":
        cells = cells_of("log")
        _log(cells.all(), cells.first, *ln2(), x, result, undecided)
    elif function.name == "rsqrt":
        cells = cells_of("rsqrt")
        _rsqrt(cells.all(), cells.first, x, result, undecided)
    elif function.periodic:
        sine, cosine, words, turn = _circle_tables()
        of_cosine = function.periodic == "cos"
        _circle(sine.rows, sine.first, cosine.rows, cosine.first, words, *turn, of_cosine, x, result, undecided)
    else:
        with np.errstate(all="ignore"):
            _filter_plain(function, x, result, undecided)
    return result, undecided


def estimate(function: Function, x: float) -> tuple[float, float, float, int] | None:
    """The filter's value of one input as (high, low, error, exponent), for the tests of the bound; None where there is none."""
    if not math.isfinite(x) or x == 0.0 or (function.negative_is_nan and (x < 0.0 or x == 1.0)):
        return None
    if function.name == "log":
        cells = cells_of("log")
        return *logarithm(cells.all(), cells.first, *ln2(), x), 0
    if function.name == "rsqrt":
        cells = cells_of("rsqrt")
        return evaluate_rsqrt(cells.all(), cells.first, x)
    if function.periodic:
        sine, cosine, words, turn = _circle_tables()
        of_cosine = function.periodic == "cos"
        return evaluate_circle(sine.rows, sine.first, cosine.rows, cosine.first, words, *turn, of_cosine, x)
    below, above = function.thresholds(_F64)
    if (below and x <= below[0]) or (above and x >= above[0]):
        return None
    cells = cells_of(function.name)
    cells.need(np.rint(np.array([x * cells.density])).astype(np.int64))
    trace = function.quadratic is not None
    return evaluate_plain(cells.rows, cells.first, cells.density, cells.zero == 0, trace, x)


def reference(function: Function, x: np.ndarray) -> tuple[np.ndarray, int]:
    """The bits of the correctly rounded results of float64 inputs, and how many of them MPFR had to decide."""
    result, undecided = filtered(function, x)
    left = np.flatnonzero(undecided)
    patterns = x.view(np.uint64)
    for index in left.tolist():
        result[index] = correctly_rounded(function, int(patterns[index]), _F64)
    return result, left.size
