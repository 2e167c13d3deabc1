"""pow and powi: pairs of operands against an independent reference.

All 2**32 pairs of a half type are tried, and all 2**32 float32 operands of powi with one exponent. Pairs of float32 are drawn:
reproducibly, in batches of ``BATCH``, each from a generator seeded with the campaign's seed and the batch's number, in equal
shares of the categories of :func:`draw`.

**The filter** computes x**y = exp(y ln x) for x > 0 in double-doubles, u = 2**-53:

* ln x: x = 2**k m with m in [1/√2, √2), c a table entry of 9 bits near 1/m (1 for m near 1), r = m c - 1. r is a multiple of
  2**-32 below 2**-7, so r and r² are exact. ln x = k ln 2 - ln c + (r - r²/2) + r³ Q(r), the constants as double-doubles.
  r³ Q(r) is below 2**-22.5 and errs by less than 4 u of that; the series is cut at 2**-82 of r. Where k = 0 and c = 1, that and
  the last roundings are below 2**-66 of r, elsewhere abs(ln x) > 2**-8.1 and all errors are below 2**-72.5. So the relative
  error of ln x is below 2**-64.
* p = y ln x: the product of the heads is exact (Dekker's): the same relative error.
* exp p: n = rint(64 p), p = n/64 + s exactly, abs(s) <= 2**-7; exp(n/64) from a table of double-doubles; exp(s) = 1 + s + b
  with b, below 2**-15, good to 4 u 2**-15; the sums below the head add 3 u 2**-15. The relative error is below 2**-63.

Together it is below 2**-64 (abs(p) + 2), the bound that the decision uses. Undecided pairs, among them every exact tie, go to
MPFR, which also says when a power is exact.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numba
import numpy as np

from exactops.table.formats import FORMATS, Format
from exactops.verification.decision import decided_rounding, decode, encode
from exactops.verification.filter import decide
from exactops.verification.multiprecision import gmpy2

BATCH = 1 << 20

_RELATIVE_ERROR = 2.0**-64
#: n of the table exp(n/64): from underflow (-104.5) to overflow (89).
_FIRST, _LAST = -6700, 5710
#: Coefficients of Q(r) = 1/3 - r/4 + r²/5 ... and of exp(t) - 1 - t = t² (1/2 + t/6 ...), highest first.
_Q = tuple((1.0 if j & 1 else -1.0) / j for j in range(12, 2, -1))
_B = tuple(1.0 / math.factorial(j) for j in range(9, 1, -1))


# --- the filter -----------------------------------------------------------------------------------------------------------


def _pair(value: Any) -> tuple[float, float]:
    high = float(value)
    return high, float(value - high)


@functools.cache
def _tables() -> tuple[np.ndarray, np.ndarray]:
    """(c, -ln c as a pair) by the upper 7 bits of m in [1, 2), the last row ln 2; exp(n/64) as pairs."""
    with gmpy2.context(precision=256):
        logs = np.empty((129, 3))
        for i in range(128):
            middle = (1 + (i + 0.5) / 128) * (0.5 if i >= 53 else 1.0)  # 1 + 53/128 is next to √2
            # No constant meets x next to 1, where ln x is small.
            c = 1.0 if i in (0, 127) else round(256 / middle) / 256
            logs[i] = (c, *_pair(-gmpy2.log(gmpy2.mpfr(c))))
        logs[128] = (0.0, *_pair(gmpy2.const_log2()))
        powers = np.array([_pair(gmpy2.exp(gmpy2.mpfr(n) / 64)) for n in range(_FIRST, _LAST + 1)])
    return logs, powers


@numba.njit(inline="always")
def _two_sum(a, b):
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


@numba.njit(inline="always")
def _split(a):
    """The upper 26 bits (Veltkamp's) and the rest."""
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


@numba.njit(inline="always")
def _two_product(a, b):
    p = a * b
    ah, al = _split(a)
    bh, bl = _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@numba.njit
def logarithm(x, logs):
    """ln x of a float32 x > 0, given as binary64, as a pair."""
    pattern = np.float64(x).view(np.int64)
    k = (pattern >> 52) - 1023
    i = (pattern >> 45) & 127
    m = np.int64((pattern & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    if i >= 53:
        m, k = m * 0.5, k + 1
    r = m * logs[i, 0] - 1.0  # exact
    square = r * r  # exact
    q = 0.0
    for coefficient in _Q:
        q = coefficient + r * q
    high, low = _two_sum(r, -0.5 * square)
    low += square * r * q
    high, error = _two_sum(logs[i, 1], high)
    low += error + logs[i, 2]
    kh, kl = _two_product(np.float64(k), logs[128, 1])
    high, error = _two_sum(kh, high)
    low += error + (kl + k * logs[128, 2])
    return _two_sum(high, low)


@numba.njit
def power(x, y, logs, powers):
    """x**y of x > 0 as (high, low, bound of the error); beyond float32, 1.25 * 2**128 or 2**-151."""
    high, low = logarithm(x, logs)
    if abs(y) > 2.0**60:  # no product overflows; abs(ln x) > 2**-25 where x is not 1
        y = math.copysign(2.0**60, y)
    p, rest = _two_product(y, high)
    rest += y * low
    p, rest = _two_sum(p, rest)
    if p > 89.0:
        return 1.25 * 2.0**128, 0.0, 1.0
    if p < -104.5:
        return 2.0**-151, 0.0, 2.0**-200
    n = np.rint(p * 64.0)
    s = p - n * 0.015625  # exact
    t = s + rest
    b = 0.0
    for coefficient in _B:
        b = coefficient + t * b
    b = rest + t * t * b
    index = np.int64(n) - _FIRST
    eh, el = powers[index, 0], powers[index, 1]
    ph, pl = _two_product(eh, s)
    high, low = _two_sum(eh, ph)
    low += el + (pl + (eh * b + el * s))
    return high, low, high * (_RELATIVE_ERROR * (abs(p) + 2.0))


@numba.njit
def special_power(x, y, whole, odd):
    """C's special cases: whether (x, y) is one, and its result."""
    if y == 0.0 or x == 1.0:
        return True, 1.0
    if math.isnan(x) or math.isnan(y):
        return True, math.nan
    if math.isinf(y):
        size = abs(x)
        if size == 1.0:
            return True, 1.0
        return True, math.inf if (size > 1.0) == (y > 0.0) else 0.0
    if x == 0.0 or math.isinf(x):
        value = math.inf if (x == 0.0) == (y < 0.0) else 0.0
        return True, -value if odd and math.copysign(1.0, x) < 0.0 else value
    if x < 0.0 and not whole:
        return True, math.nan
    return False, 0.0


@numba.njit
def _decide_narrow(value, low, error, significand, exponent_bits):
    """As ``decide``, for a half type and value > 0."""
    bias = (1 << (exponent_bits - 1)) - 1
    leading = (np.float64(value).view(np.int64) >> 52) - 1023
    last = max(leading, 1 - bias) - (significand - 1)
    scale = np.int64((1023 - last) << 52).view(np.float64)
    scaled = value * scale
    number = np.rint(scaled)
    rest = (scaled - number) + low * scale  # the difference is exact
    error = error * scale * (1.0 + 2.0**-30) + 2.0**-50 * abs(low * scale)
    undecided = not (abs(abs(rest) - 0.5) > error)
    if rest > 0.5:
        number += 1.0
    if rest < -0.5:
        number -= 1.0
    bits = ((last + bias + significand - 2) << (significand - 1)) + np.int64(number)
    return min(bits, ((1 << exponent_bits) - 1) << (significand - 1)), undecided


@numba.njit
def _evaluate(x, y, whole, odd, logs, powers, significand, exponent_bits, nan, result, undecided, special):
    infinity = ((1 << exponent_bits) - 1) << (significand - 1)
    sign_bit = 1 << (significand + exponent_bits - 1)
    one = ((1 << (exponent_bits - 1)) - 1) << (significand - 1)
    for i in range(len(x)):
        known, value = special_power(x[i], y[i], whole[i], odd[i])
        special[i] = known
        if known:
            if math.isnan(value):
                bits = nan
            else:
                bits = 0 if value == 0.0 else (infinity if math.isinf(value) else one)
                if math.copysign(1.0, value) < 0.0:
                    bits |= sign_bit
        else:
            high, low, error = power(abs(x[i]), y[i], logs, powers)
            if significand == 24:
                wide, open_ = decide(high, low, error)
                bits = np.int64(wide)
            else:
                bits, open_ = _decide_narrow(high, low, error, significand, exponent_bits)
            if x[i] < 0.0 and odd[i]:
                bits |= sign_bit
            undecided[i] = open_
        result[i] = bits


def parity(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whether exponents are whole, and odd."""
    if y.dtype.kind in "iu":
        return np.ones(y.shape, np.bool_), (y & 1).astype(np.bool_)
    with np.errstate(invalid="ignore"):
        whole = (y == np.rint(y)) & np.isfinite(y)
        half = 0.5 * y
        return whole, whole & (half != np.rint(half))


def reference(x: np.ndarray, y: np.ndarray, storage: Format) -> tuple[np.ndarray, np.ndarray, int]:
    """Correctly rounded powers.

    Parameters
    ----------
    x : numpy.ndarray
        Bit patterns of the bases.
    y : numpy.ndarray
        Exponents: float64 or int64.
    storage : Format
        Type of the bases and results.

    Returns
    -------
    result : numpy.ndarray
        Bit patterns.
    special : numpy.ndarray of bool
        Where one of C's special cases applies.
    undecided : int
        How many MPFR had to decide.
    """
    with np.errstate(invalid="ignore"):
        wide = x.view(storage.dtype).astype(np.float64)
    whole, odd = parity(y)
    result = np.empty(x.shape, np.int64)
    undecided, special = np.zeros(x.shape, np.bool_), np.zeros(x.shape, np.bool_)
    # An int64 beyond 2**53 is rounded here: its powers of any x but 0, 1 and -1 overflow or underflow by far.
    logs, powers = _tables()
    exponents = y.astype(np.float64)
    form = (storage.precision, storage.exponent_bits, storage.nan)
    _evaluate(wide, exponents, whole, odd, logs, powers, *form, result, undecided, special)
    left = np.flatnonzero(undecided)
    for index in left.tolist():
        result[index] = correctly_rounded_power(int(x[index]), y[index].item(), storage)
    return result.astype(x.dtype), special, left.size


def correctly_rounded_power(bits: int, y: float | int, storage: Format) -> int:
    """The bits of the correctly rounded x**y, by MPFR alone."""
    x = decode(bits, storage)
    odd = y % 2 == 1 if math.isfinite(y) else False
    known, value = special_power.py_func(x, y, math.isfinite(y) and y == math.floor(y), odd)
    if known:
        return encode(value, storage)
    sign = int(x < 0 and odd) << (storage.size * 8 - 1)
    # A power of abs(x) = 1 is 1; any other with so large an exponent is beyond all bounds, which MPFR need not compute.
    size = math.log2(abs(x)) * y
    if abs(size) > 1100:
        return sign | encode(math.inf if size > 0 else 0.0, storage)
    precision = 96
    while True:
        with gmpy2.context(precision=precision):
            result = gmpy2.mpfr(abs(x)) ** (gmpy2.mpz(y) if isinstance(y, int) else gmpy2.mpfr(y))
        # One rounding of MPFR's; rc is 0 where there was none.
        rounded = decided_rounding(result, 1 if result.rc else 0, precision, storage)
        if rounded is not None:
            return sign | rounded
        precision *= 2


# --- pairs ----------------------------------------------------------------------------------------------------------------

_INTERESTING = np.array(
    [
        *(0.0, 1.0, 2.0, 3.0, 4.0, 0.5, 0.25, 1.5, 2.5, 5.0, 10.0, 127.0, 128.0, 149.0, 150.0, 1.0 / 3.0, math.pi, 1e-30, 1e30),
        *(2.0**23, 2.0**24, 2.0**24 - 1, 2.0**-126, 2.0**-149, 2.0**-127, 2.0**127, 1.0 + 2.0**-23, 1.0 - 2.0**-24),
        *(float(np.finfo(np.float32).max), math.inf, math.nan),
    ]
)


def draw(seed: int, number: int, exponent: str) -> tuple[np.ndarray, np.ndarray]:
    """A batch of pairs: bit patterns of float32 bases, and exponents of the type ``exponent``.

    Equal shares of: any bits; results of any size; small whole, half, quarter and eighth exponents; bases next to 1; results
    next to 1; results next to the largest, the smallest normal and the smallest subnormal number; exact powers and ties; powers
    of two; pairs of special values.
    """
    chance = np.random.default_rng([seed, number])
    share = BATCH // 9 + 1
    dtype = FORMATS[exponent].dtype
    with np.errstate(all="ignore"):
        parts = [_any_bits(chance, share, dtype)]
        size = chance.uniform(-152.0, 130.0, share)
        parts.append(_of_size(_bases(chance, share), size))
        parts.append(_small_exponents(chance, share))
        steps = np.rint(2.0 ** chance.uniform(0.0, 17.0, share)) * chance.choice([-1.0, 1.0], share)
        parts.append(_of_size((1.0 + steps * 2.0**-24).astype(np.float32), chance.uniform(-152.0, 130.0, share)))
        near = chance.choice([-1.0, 1.0], share) * 2.0 ** chance.uniform(-30.0, -18.0, share)
        parts.append(_of_size(_bases(chance, share), near))
        edge = chance.choice([128.0, -126.0, -125.0, -149.0, -150.0], share)
        edge = edge + chance.choice([-1.0, 1.0], share) * 2.0 ** chance.uniform(-26.0, -4.0, share)
        parts.append(_of_size(_bases(chance, share), edge))
        parts.append(_exact_powers(chance, share))
        two = chance.integers(-149, 128, share)
        parts.append(_of_size((2.0**two).astype(np.float32), chance.uniform(-152.0, 130.0, share)))
        signs = chance.choice([-1.0, 1.0], (2, share))
        values = signs * chance.choice(_INTERESTING, (2, share))
        parts.append((values[0].astype(np.float32), values[1]))
        x = np.concatenate([part[0] for part in parts])[:BATCH].view(np.uint32)
        exponents = [part[1] for part in parts]
        if exponent == "i64":
            y = np.concatenate([_to_whole(part) for part in exponents])[:BATCH]
        else:
            y = np.concatenate([part.astype(dtype) for part in exponents])[:BATCH]
    return x, y


def _to_whole(y: np.ndarray) -> np.ndarray:
    if y.dtype.kind == "i":
        return y
    return np.nan_to_num(np.clip(np.rint(y), -(2.0**62), 2.0**62), nan=0.0).astype(np.int64)


def _any_bits(chance: np.random.Generator, count: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    raw = chance.integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    return chance.integers(0, 1 << 32, count, dtype=np.uint32).view(np.float32), raw.view(dtype)


def _bases(chance: np.random.Generator, count: int) -> np.ndarray:
    """Positive finite float32, subnormals included, with every exponent as often."""
    return chance.integers(1, 0x7F800000, count, dtype=np.uint32).view(np.float32)


def _of_size(x: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exponents such that x**y is about 2**size."""
    return x, size / np.log2(x.astype(np.float64))


def _small_exponents(chance: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    y = chance.integers(1, 41, count) / chance.choice([1.0, 1.0, 1.0, 2.0, 4.0, 8.0], count)
    y = y * chance.choice([-1.0, 1.0], count)
    size = 2.0 ** (chance.uniform(-152.0, 130.0, count) / y)
    return (size * chance.choice([-1.0, 1.0], count)).astype(np.float32), y


def _exact_powers(chance: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
    """x = a**d 2**(d e), y = n/d with d a power of two: x**y = a**n 2**(n e), of 25 bits or a few less or more."""
    n = chance.integers(1, 16, count)
    a = np.rint(2.0 ** (chance.uniform(20.0, 26.0, count) / n)).astype(np.int64) | 1
    d = 2 ** chance.integers(0, 4, count)
    d = np.where(a.astype(np.float64) ** d < 2.0**24, d, 1)
    e = np.rint(chance.uniform(-150.0, 127.0, count) / np.maximum(n, d) - np.log2(a))
    x = a.astype(np.float64) ** d * 2.0 ** (d * e)
    return (x * chance.choice([-1.0, 1.0], count)).astype(np.float32), n / d * chance.choice([-1.0, 1.0, 1.0, 1.0], count)
