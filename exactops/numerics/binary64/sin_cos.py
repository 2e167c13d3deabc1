"""Sine and cosine of float64 lanes: range reductions, the core of the fast phase, accurate phases in wide integers.

All work with the magnitude of x. The fast phase writes it as ``k * pi/512 + r``, looks up sine and cosine of
``k * pi/512`` for k modulo 512 and carries the sign that half turns bring in bit 9 of k. Constants and the proof of the
error bound: tools/derive_binary64_sin_cos.py.
"""

from __future__ import annotations

import math

import numpy as np

from exactops.lanes import (
    Lanes,
    Table,
    Wide,
    WideTable,
    absolute,
    any_lane,
    bit_length,
    bits,
    from_bits,
    from_wide_bits,
    lane_function,
    lookup_rows,
    mul_add,
    narrow,
    polynomial,
    recompute,
    scalar_function,
    scaled_product,
    select,
    signed,
    wide,
    wide_entry,
    wide_polynomial,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.fixed_point import decompose, is_negative, round_to_binary64
from exactops.numerics.binary64.tables.sin_cos import (
    COSINE,
    FAST_MODE_COSINE,
    FAST_MODE_INVERSE_STEP,
    FAST_MODE_SINE,
    FAST_MODE_STEP_1,
    FAST_MODE_STEP_2,
    FAST_MODE_STEP_3,
    FAST_MODE_STEP_4,
    FAST_PHASE_ERROR,
    INVERSE_STEP,
    SINE,
    SINES_HIGH,
    SINES_LOW,
    STEP,
    STEP_1,
    STEP_2,
    STEP_3,
    STEP_4,
    STEP_HIGH,
    STEP_LOW,
    TWO_OVER_PI,
)
from exactops.numerics.constants import BINARY64_SIGN, INFINITY, ROUNDING_SHIFT
from exactops.numerics.rounding import fast_two_sum

#: Below it the reduction by products with parts of pi/512 is good.
HUGE = 2.0**30
#: What the rounding of x to multiples of pi/512 adds for the cosine: a quarter turn.
QUARTER_TURN = 256
#: k stands in the low bits of a sum with this.
SHIFT = ROUNDING_SHIFT
COSINE_SHIFT = ROUNDING_SHIFT + QUARTER_TURN
FAST_MODE_COSINE_SHIFT = ROUNDING_SHIFT + 1.0
#: Error of the reduction for each step: what sine_error adds.
REDUCTION_ERROR = FAST_PHASE_ERROR * STEP_3
#: The float64 nearest to k * pi/512 is within k times 2**-60 of it; k times STEP_3 times this is k times 2**-57.
NEAR = 2.0**-19


def _rows() -> list[list[float]]:
    """For k from 0 to 511 the sine of k * pi/512 as a pair, and the cosine as a head of 27 bits and the rest."""
    high, low = np.array(SINES_HIGH), np.array(SINES_LOW)
    # Veltkamp's splitting: the head has the leading 26 bits of the significand, rounded.
    scaled = high * (2.0**27 + 1.0)
    head = scaled - (scaled - high)
    tail = (high - head) + low
    return np.stack(
        [
            np.concatenate([high[:256], high[256:0:-1]]),
            np.concatenate([low[:256], low[256:0:-1]]),
            np.concatenate([head[:0:-1], -head[:256]]),
            np.concatenate([tail[:0:-1], -tail[:256]]),
        ],
        axis=-1,
    ).tolist()


SINES_AND_COSINES = Table(_rows())


# --- fast phase ---------------------------------------------------------------------------------------------------------


@lane_function
def reduce_moderate(size: Lanes, shift: float):
    """``(index, weight, r_high, r_low, r)`` with ``size = k * pi/512 + r_high + r_low`` for 0 <= size < 2**30.

    ``index`` holds k, or k + 256 for the shift of the cosine, in its low bits. STEP_1 to STEP_3 have 15 bits, k at most
    38: the products are exact, and so are the three differences, the first since STEP_1 is not above pi/512 (Sterbenz),
    the others since they are small and what they are made of has few bits. r_high has 26 bits; the error of the sum is
    below k times REDUCTION_ERROR beside 2**-79 times r, and there is none for k = 0. r is the sum in one double; the weight,
    k * STEP_3, is for sine_error.
    """
    turns = size * INVERSE_STEP + shift
    k = turns - shift
    weight = k * STEP_3
    rest = ((size - k * STEP_1) - k * STEP_2) - weight
    high = leading_part(rest)
    last = k * STEP_4
    return signed(bits(turns)), weight, high, (rest - high) - last, rest - last


@lane_function
def reduce(size: Lanes, shift: float, steps: int):
    """As :func:`reduce_moderate`, but for every finite size: integers reduce the large ones, one lane after another.

    They also reduce those that lie so near to a multiple of pi/512, for their size, that the error would count: numbers nearest
    to multiples of pi are not rare in practice. The weight is 0 there. What comes out for infinities and NaNs means nothing.
    """
    index, weight, high, low, r = reduce_moderate(size, shift)
    again = ~(size < HUGE) | (absolute(r) < weight * NEAR)
    if any_lane(again):
        again = again & (size < INFINITY)
        number, first, second = recompute(again, (index, size, size), reduce_in_integers, size)
        index = select(again, number + steps, index)
        other_high, other_low, other = angle_of_parts(first, second)
        high, low, r = select(again, other_high, high), select(again, other_low, low), select(again, other, r)
        weight = select(again, 0.0, weight)
    return index, weight, high, low, r


@lane_function
def sine_core(index: Lanes, r_high: Lanes, r_low: Lanes, r: Lanes):
    """sin(index * pi/512 + r_high + r_low) as ``high + low``, for an index modulo 512, that is up to its sign.

    r_high has 26 bits, so that its product with a head of 27 bits is exact; r is the rounded sum r_high + r_low.
    sin(a + r) = S + C r + (C (sin r - r) + S (cos r - 1)).
    """
    sine, sine_low, cosine_head, cosine_tail = lookup_rows(SINES_AND_COSINES, index)
    u = r * r
    cosine = cosine_head + cosine_tail
    high, low = fast_two_sum(sine, cosine_head * r_high)
    rest = cosine * (r_low + (u * r) * polynomial(u, SINE)) + sine * (u * polynomial(u, COSINE))
    return high, ((low + sine_low) + cosine_tail * r_high) + rest


@lane_function
def sine_error(high: Lanes, weight: Lanes):
    """Bound of the error of ``sine_core`` behind ``reduce_moderate``."""
    return (absolute(high) + weight) * FAST_PHASE_ERROR


@lane_function
def angle_of_parts(first: Lanes, second: Lanes):
    """``(first + second) * pi/512`` as ``r_high + r_low``, r_high in 26 bits, and r; the relative error is below 2**-76.

    ``first`` has 51 bits and ``second`` is below 2**-50 of it.
    """
    head = leading_part(first)
    tail = first - head
    low = tail * STEP_HIGH + (head * STEP_LOW + (tail * STEP_LOW + second * STEP))
    total, error = fast_two_sum(head * STEP_HIGH, low)
    high = leading_part(total)
    return high, (total - high) + error, total


# --- fast mode ----------------------------------------------------------------------------------------------------------


@lane_function
def sine_fast_mode(size: Lanes, shift: float):
    """``(y, retry)``: the sine of ``size``, at most 1.7 ulp off, or the cosine where the shift has an odd integer.

    size = k * pi/2 + r. The parts of pi/2 have 18 bits, k below 2**30 at most 30, and r is below 1: all but the last of the
    four steps are exact, fused or not. The last leaves an error of k times 2**-107; where r is not large beside it, and where
    size is 2**30 or more or a NaN, retry is set.
    """
    turns = mul_add(size, FAST_MODE_INVERSE_STEP, shift)
    k = turns - shift
    rest = mul_add(k, -FAST_MODE_STEP_3, mul_add(k, -FAST_MODE_STEP_2, mul_add(k, -FAST_MODE_STEP_1, size)))
    r = mul_add(k, -FAST_MODE_STEP_4, rest)
    retry = ~(size < HUGE) | (absolute(r) < k * 2.0**-51)
    u = r * r
    sine = mul_add(u * r, polynomial(u, FAST_MODE_SINE, "fused pairs"), r)
    cosine = mul_add(u * u, polynomial(u, FAST_MODE_COSINE, "fused pairs"), mul_add(u, -0.5, 1.0))
    quarters = bits(turns)
    y = select((quarters & 1) != 0, cosine, sine)
    return from_bits(bits(y) ^ ((quarters << 62) & BINARY64_SIGN)), retry


# --- wide integers ------------------------------------------------------------------------------------------------------

#: Entry j is 2/pi * 2**(32 * j), rounded down, modulo 2**240.
_INVERSE_QUARTER = WideTable(((TWO_OVER_PI << 32 * j) >> 1408) & ((1 << 240) - 1) for j in range(44))
_QUARTER = Wide((1 << 1600) // TWO_OVER_PI)
_SINE = WideTable((-1) ** j * ((1 << 192) // math.factorial(2 * j + 1)) for j in range(23))
_COSINE = WideTable((-1) ** j * ((1 << 192) // math.factorial(2 * j)) for j in range(24))
_WHOLE = Wide((1 << 202) - 1)
_FIRST = Wide((1 << 139) - 1)
_SECOND = Wide((1 << 192) - 1)
_PART = Wide((1 << 51) - 1)
_DOUBLE_OFFSET = Wide((1075 << 52) + (1 << 51))
_ZERO = Wide(0)
_HALF_STEP = Wide(1 << 191)


@scalar_function
def power_of_two(exponent):
    """2**exponent as a float64 scalar; exponent is a wide integer, and the result a normal number."""
    return from_wide_bits((exponent + 1023) << 52)


@scalar_function
def reduce_in_integers(size):
    """``(k, first, second)``: a finite ``size`` is k * pi/512 and ``first + second`` of it, at most 1/2; k modulo 1024.

    Payne and Hanek 1983: the bits of 2/pi that contribute multiples of four quarter turns are left out, and 200 bits behind the
    point of ``size * 2/pi`` are kept, so that no float64, none is within 2**-62 of a multiple of pi/2, loses what counts. Sizes
    from 1/2 on. ``first`` and ``second`` have 51 bits each.
    """
    significand, exponent = decompose(size)
    place = exponent + 200
    entry = (place + 31) >> 5
    turns = (significand * (wide_entry(_INVERSE_QUARTER, entry) >> ((entry << 5) - place) & _WHOLE)) & _WHOLE
    k = (turns + _HALF_STEP) >> 192
    rest = turns - (k << 192)
    magnitude = rest
    if rest < 0:
        magnitude = -rest
    shift = bit_length(magnitude) - 102
    part = rest >> shift
    first = from_wide_bits((part >> 51) + _DOUBLE_OFFSET) - 6755399441055744.0
    second = from_wide_bits((part & _PART) + _DOUBLE_OFFSET) - 6755399441055744.0
    return narrow(k), first * power_of_two(shift - 141), second * power_of_two(shift - 192)


@scalar_function
def reduce_exactly(significand, exponent):
    """``(quarters, r, scale)``: ``significand * 2**exponent = quarters * pi/2 + r * 2**-scale``.

    quarters is known modulo 4, r has some 190 bits. Numbers below 1/2 come back as they are. Others have an exponent of at
    least -53, and none of them lies within 2**-62 of a multiple of pi/2 (Kahan's search by continued fractions, repeated by
    tools/find_hard_cases_sin_cos_f64.py). 2/pi is cut into bits down to 2**-137 and the next 192. The error is below 2**-185
    of r.
    """
    if bit_length(significand) + exponent < 0:
        quarters = _ZERO
        scale = 192 - bit_length(significand)
        r = significand << scale
        scale = scale - exponent
    else:
        place = exponent + 137
        entry = (place + 31) >> 5
        shift = (entry << 5) - place
        first = significand * ((wide_entry(_INVERSE_QUARTER, entry) >> shift) & _FIRST)
        second = significand * ((wide_entry(_INVERSE_QUARTER, entry + 6) >> shift) & _SECOND)
        first = (first + (second >> 192)) & _FIRST
        second = second & _SECOND
        quarters = (first + (wide(1) << 136)) >> 137
        first = first - (quarters << 137)
        magnitude = first
        if first < 0:
            magnitude = -first
        scale = 192 - bit_length(magnitude)
        r = scaled_product((first << scale) + (second >> (192 - scale)), _QUARTER)
        scale = scale + 137
    return quarters, r, scale


@scalar_function
def sine_of_quarters(negative, quarters, r, scale):
    """The float64 nearest to sin(quarters * pi/2 + r * 2**-scale), or the one nearest to it from the other sign."""
    negative = negative != ((quarters & 2) > 0)
    square = scaled_product(r, r) >> (scale + scale - 384)
    if (quarters & 1) > 0:
        result = wide_polynomial(square, _COSINE)
        scale = wide(192)
    else:
        negative = negative != (r < 0)
        if r < 0:
            r = -r
        result = scaled_product(r, wide_polynomial(square, _SINE))
    return round_to_binary64(negative, result, -scale)


@scalar_function
def sine_in_integers(x):
    """sin(x) of a finite float64 scalar, correctly rounded.

    The relative error is below 2**-183: among all 2**64 arguments the expected number of those whose rounding it could
    change is about 2**(64 + 54 - 183) = 2**-65. That is a bound on probability, not a proof.
    """
    significand, exponent = decompose(x)
    quarters, r, scale = reduce_exactly(significand, exponent)
    return sine_of_quarters(is_negative(x), quarters, r, scale)


@scalar_function
def cosine_in_integers(x):
    """cos(x) of a finite float64 scalar, correctly rounded; see :func:`sine_in_integers`."""
    significand, exponent = decompose(x)
    quarters, r, scale = reduce_exactly(significand, exponent)
    return sine_of_quarters(wide(1) < wide(0), quarters + 1, r, scale)
