"""Double-double arithmetic, and the rounding of a double-double to a float64 of any exponent.

Scalar code for Numba, which neither fuses nor reorders it. It expects the default floating-point environment (round to nearest,
no flush to zero), and operands whose products neither overflow nor underflow.
"""

from __future__ import annotations

import math

import numba
import numpy as np

SIGN = 1 << 63
INFINITY = 0x7FF0000000000000
NAN = 0x7FF8000000000000
UNIT = 2.0**-53


@numba.njit(inline="always")
def two_sum(a, b):
    """a + b as the nearest float64 and the rest, exactly (Knuth)."""
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


@numba.njit(inline="always")
def _split(a):
    """The upper 26 bits (Veltkamp) and the rest."""
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


@numba.njit(inline="always")
def two_product(a, b):
    """A product as the nearest float64 and the rest, exactly (Dekker)."""
    p = a * b
    ah, al = _split(a)
    bh, bl = _split(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@numba.njit(inline="always")
def product(ah, al, bh, bl):
    """The product of two double-doubles; relative error below 8 u² for abs(al) <= 4 u abs(ah), and b alike."""
    p, rest = two_product(ah, bh)
    return two_sum(p, rest + (ah * bl + al * bh))


@numba.njit(inline="always")
def bits_of(x):
    """The bits of a float64 as an int64."""
    return np.float64(x).view(np.int64)


@numba.njit(inline="always")
def power_of_two(exponent):
    """2**exponent, -1022 <= exponent <= 1023."""
    return np.int64((exponent + 1023) << 52).view(np.float64)


@numba.njit
def decide(high, low, error, exponent):
    """The bits of the float64 nearest to ``(high + low) * 2**exponent``, ties to even, and whether that is still open.

    Parameters
    ----------
    high, low : float
        The value, ``abs(high)`` between 2**-60 and 2**60.
    error : float
        How much ``high + low`` may be off.
    exponent : int
        Any.

    Notes
    -----
    (v, w) is the value, v nearest to it. For a normal result the candidate is v. Half the gaps to its neighbours are powers of
    two, and the differences of w from them have one rounding: their signs are right and their sizes good to u. A subnormal
    result is an integer in units of 2**-1074: V and W are v and w in it, exactly, and V less the nearest integer n is exact;
    V - n - 1/2 and V - n + 1/2 are multiples of the last place of V (of 1/4 at least) of at most 53 bits, so that only the
    addition of W rounds.
    """
    v, w = two_sum(high, low)
    sign = 0
    if v < 0.0:
        v, w, sign = -v, -w, 1
    if not v > 0.0:
        return np.uint64(0), True
    error = error * (1.0 + 2.0**-30)
    pattern = bits_of(v)
    own = (pattern >> 52) - 1023  # exponent of the leading bit
    fraction = pattern & 0xFFFFFFFFFFFFF
    leading = own + exponent
    if leading > -1022 or (leading == -1022 and fraction != 0):
        above = power_of_two(own - 53)
        below = above * 0.5 if fraction == 0 else above
        undecided = not (abs(w - above) > error and abs(w + below) > error)
        magnitude = INFINITY if leading > 1023 else ((leading + 1023) << 52) | fraction
    else:
        shift = exponent + 1074
        if own + shift < -2:  # below a quarter of the smallest subnormal, and no error reaches as far as a half
            magnitude, undecided = 0, False
        else:
            scaled, rest = math.ldexp(v, shift), math.ldexp(w, shift)
            number = np.rint(scaled)
            over = (scaled - number - 0.5) + rest
            under = (scaled - number + 0.5) + rest
            limit = math.ldexp(error, shift)
            undecided = not (abs(over) > limit and abs(under) > limit)
            magnitude = np.int64(number)
            if over > 0.0:
                magnitude += 1
            if under < 0.0:
                magnitude -= 1
    return np.uint64(magnitude) | (np.uint64(sign) << np.uint64(63)), undecided
