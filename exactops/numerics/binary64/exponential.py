"""The float64 exponential: the fast phase as a pair of doubles, the accurate phase in wide integers.

Constants: tools/derive_binary64_exponential.py, which says why the products below are exact.
"""

from exactops.lanes import (
    Lanes,
    Wide,
    bits,
    from_bits,
    lane_function,
    lookup,
    lookup_rows,
    mul_add,
    polynomial,
    scalar_function,
    scaled_product,
    wide_entry,
    wide_polynomial,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.fixed_point import decompose, is_negative
from exactops.numerics.binary64.tables.exponential import (
    FAST_MODE_EXPM1,
    FAST_MODE_INVERSE_STEP,
    FAST_MODE_OFFSETS,
    FAST_MODE_POWERS,
    FAST_MODE_STEP_HIGH,
    FAST_MODE_STEP_LOW,
    INVERSE_STEP,
    POWERS,
    STEP_HIGH,
    STEP_LOW,
    TAIL,
    WIDE_INVERSE_STEP,
    WIDE_POWERS,
    WIDE_SERIES,
    WIDE_STEP,
)
from exactops.numerics.constants import BINARY64_ONE, ROUNDING_SHIFT
from exactops.numerics.rounding import fast_two_sum

# Half of the unit that rounding to a whole number of steps cuts off.
_HALF_STEP = Wide(1 << 127)
_BOUND = Wide(800 << 192)


@lane_function
def exp_parts(high: Lanes, low: Lanes):
    """``(power, power_low, exponent)``: e**(high + low) = (power + power_low) * 2**k, where ``exponent`` is k << 52.

    For ``|high| < 750`` and ``|low| <= 2**-25 * |high|``. ``power`` is in [0.998, 2), ``power_low`` below 2**-14, wrong by
    2**-68 and what ``low`` carries. ``exponent`` (uint64 lanes, modulo 2**64) is what scales a number by 2**k when it is added
    to its bits. Other operands, NaN too, give any numbers.
    """
    shifted = high * INVERSE_STEP + ROUNDING_SHIFT
    k = shifted - ROUNDING_SHIFT
    reduced = high - k * STEP_HIGH  # exact
    step = bits(shifted)
    power, power_low = exp_reduced(reduced, low - k * STEP_LOW, step)
    return power, power_low, (step >> 8) << 52


@lane_function
def exp_parts_of_double(x: Lanes):
    """:func:`exp_parts` of x alone."""
    shifted = x * INVERSE_STEP + ROUNDING_SHIFT
    k = shifted - ROUNDING_SHIFT
    reduced = x - k * STEP_HIGH  # exact
    step = bits(shifted)
    power, power_low = exp_reduced(reduced, k * -STEP_LOW, step)
    return power, power_low, (step >> 8) << 52


@lane_function
def exp_reduced(reduced: Lanes, rest: Lanes, step: Lanes):
    """2**(j/256) * e**(reduced + rest) as a pair, where j is in the last eight bits of ``step``.

    ``|reduced|`` is at most half a step, ``rest`` small beside it. The head of the power times that of the argument is exact.
    """
    power, offset = lookup_rows(POWERS, step)
    top = leading_part(reduced)
    bottom = (reduced - top) + (rest + offset)
    r = top + bottom
    beyond = bottom + r * r * (0.5 + r * polynomial(r, TAIL, "pairs"))
    high, low = fast_two_sum(power, power * top)
    return high, low + power * beyond


@lane_function
def reduce_fast_mode(x: Lanes):
    """``(r, step)``: x as r and a whole number of steps, for ``|x| < 760``; the number is in the last 16 bits of ``step``."""
    shifted = mul_add(x, FAST_MODE_INVERSE_STEP, ROUNDING_SHIFT)
    k = shifted - ROUNDING_SHIFT
    return mul_add(k, -FAST_MODE_STEP_LOW, mul_add(k, -FAST_MODE_STEP_HIGH, x)), bits(shifted)


@lane_function
def exp_fast_mode_parts(r: Lanes, step: Lanes):
    """``(power, expm1)``: e**r * 2**(step/16) = power * (1 + expm1), scaled modulo 2**2048; ``power`` is half an ulp off."""
    power = from_bits(bits(lookup(FAST_MODE_POWERS, step)) + (step << 48))
    return power, r * polynomial(r, FAST_MODE_EXPM1, "fused estrin")


@lane_function
def exp_fast_mode_parts_with_offset(r: Lanes, step: Lanes):
    """The same, but r takes in what the rounding of ``power`` took away."""
    return exp_fast_mode_parts(r + lookup(FAST_MODE_OFFSETS, step), step)


@lane_function
def split_power(x: Lanes, power: Lanes):
    """``(power, scale)``: a power of e**x that may have wrapped around as a normal number and a power of two."""
    offset = ((bits(x) >> 63) << 61) - (1 << 60)  # 2**256 for negative x, 2**-256 for others
    return from_bits(bits(power) + offset), from_bits(BINARY64_ONE - offset)


@scalar_function
def exp_fixed(t):
    """``(significand, exponent)``: e**t = significand * 2**exponent, for a fixed-point number t below 2**11 in magnitude.

    The significand is in [0.98 * 2**192, 1.99 * 2**192], within 8 units.
    """
    step = ((t >> 128) * WIDE_INVERSE_STEP + _HALF_STEP) >> 128
    r = t - ((step * WIDE_STEP) >> 44)
    significand = scaled_product(wide_entry(WIDE_POWERS, step & 31), wide_polynomial(r, WIDE_SERIES))
    return significand, (step >> 5) - 192


@scalar_function
def bounded_to_fixed(x):
    """A finite float64, or 800 with its sign if it is larger, as a fixed-point number."""
    significand, exponent = decompose(x)
    number = _BOUND
    if exponent < -42:  # below 2048
        number = to_fixed(significand, exponent)
        if number > _BOUND:
            number = _BOUND
    if is_negative(x):
        number = -number
    return number


@scalar_function
def to_fixed(significand, exponent):
    """``significand * 2**exponent`` as a fixed-point number, rounded down; below 2**63."""
    shift = exponent + 192
    return significand << shift if shift >= 0 else significand >> -shift
