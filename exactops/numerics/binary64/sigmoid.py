"""What sigmoid, silu and the tanh form of gelu share in float64."""

from exactops.lanes import (
    Lanes,
    Wide,
    absolute,
    bits,
    from_bits,
    lane_function,
    mul_add,
    scalar_function,
    scaled_product,
    select,
    wide,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.exponential import exp_fixed
from exactops.numerics.binary64.fixed_point import ONE, decompose, is_negative, reciprocal, round_to_binary64
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.constants import BINARY64_ONE

#: Below it products with x lose bits.
TINY = 2.0**-900
_HALF = Wide(1 << 191)
_UNIT = Wide(1)
_EXPONENT = Wide(-192)


@lane_function
def scaled_parts(power: Lanes, power_low: Lanes, exponent: Lanes):
    """What :func:`exp_parts` returns, scaled by 2**k, for k from -1000 to 1000."""
    return from_bits(bits(power) + exponent), power_low * from_bits(exponent + BINARY64_ONE)


@lane_function
def sigmoid_parts(power: Lanes, power_low: Lanes):
    """1 / (1 + power + power_low) as a pair whose head has 26 bits, for a power up to 2**1000.

    The denominator is a head of 26 bits and a rest; what the larger one of its terms leaves of the head is exact. The head of
    the quotient times that of the denominator is exact, and so is what it leaves of 1.
    """
    less = power < 1.0
    larger = select(less, 1.0, power)
    smaller = select(less, power, 1.0)
    total = (larger + smaller) + power_low
    top = leading_part(total)
    bottom = ((larger - top) + smaller) + power_low
    quotient = 1.0 / total
    head = leading_part(quotient)
    return head, quotient * ((1.0 - head * top) - head * bottom)


@lane_function
def round_product(x: Lanes, high: Lanes, low: Lanes, error: Lanes):
    """``(y, fails)`` of x * (high + low), wrong by ``error`` of itself: a head of x times ``high``, of 26 bits, is exact."""
    top = leading_part(x)
    product = top * high
    return round_and_test(product, (x - top) * high + x * low, absolute(product) * error)


@scalar_function
def sigmoid_fixed(t):
    """``(significand, exponent)``: 1 / (1 + e**-t) = significand * 2**exponent, for a fixed-point number t below 2**11.

    The significand is in [0.49 * 2**192, 1.99 * 2**192], within 40 units.
    """
    size = t
    if t < 0:
        size = -t
    power, exponent = exp_fixed(-size)
    significand = reciprocal(ONE + (power >> (-192 - exponent)))
    if t < 0:
        significand = scaled_product(power, significand)
    else:
        exponent = wide(-192)
    return significand, exponent


@scalar_function
def product_with_sigmoid(x, t):
    """x * sigmoid(t) rounded once, for a finite float64 x and a fixed-point number t that has its sign.

    sigmoid is within 2**-185 of itself. Where x is tiny it is 1/2 + t/4: then x/2 may be a tie of subnormal numbers, which t
    decides even if it is less than a unit.
    """
    significand, exponent = decompose(x)
    factor, factor_exponent = sigmoid_fixed(t)
    if exponent < -200:
        offset = t >> 2
        if offset == 0:  # to be on the right side
            offset = -_UNIT if is_negative(x) else _UNIT
        factor = _HALF + offset
        factor_exponent = _EXPONENT
    return round_to_binary64(is_negative(x), significand * factor, exponent + factor_exponent)


@lane_function
def denominator_fast_mode(power: Lanes, expm1: Lanes):
    """1 + power * (1 + expm1), the smaller part of 1 + power joined to the rest first, so that it is rounded once."""
    less = power < 1.0
    return select(less, 1.0, power) + mul_add(power, expm1, select(less, power, 1.0))
