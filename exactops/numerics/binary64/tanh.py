"""The float64 tanh: the fast phase as a pair of doubles, the accurate phase in wide integers.

Constants: tools/derive_binary64_exponential.py.
"""

from exactops.lanes import (
    Lanes,
    Wide,
    bits,
    from_bits,
    lane_function,
    lookup_rows,
    polynomial,
    scalar_function,
    scaled_product,
    wide_polynomial,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.exponential import exp_fixed, to_fixed
from exactops.numerics.binary64.fixed_point import ONE, decompose, is_negative, reciprocal, round_to_binary64
from exactops.numerics.binary64.tables.tanh import CELLS, TAIL, WIDE_COSH, WIDE_SINH
from exactops.numerics.rounding import fast_two_sum

# A double keeps seven bits behind the first of its significand: how far the last is from the end, and not quite half of it.
# With that the border at 2**-8 belongs to the cell of 0. Above it a size is a multiple of 2**-60, and r exact; just below
# it, r would be 2**-8 and a little, with one bit too many.
_CELL_BITS = 45
_HALF_CELL = (1 << 44) - 1
# From 2**-6 on, e**(-2|x|) leaves enough bits of 1 - e**(-2|x|).
_SMALL = Wide(1 << 186)
_EXPONENT = Wide(-192)
# From 64 on tanh(64) serves.
_LARGE = Wide(1 << 198)


@lane_function
def tanh_cell(size: Lanes):
    """``(cell, r)`` of sizes up to 20: the number of the row of the centre c, and size - c, which is exact."""
    cell = (bits(size + 1.0) + _HALF_CELL) >> _CELL_BITS
    return cell, size - (from_bits(cell << _CELL_BITS) - 1.0)


@lane_function
def tanh_parts(size: Lanes):
    """tanh of sizes up to 20 as a pair, wrong by TANH_ERROR of it: T + (1 - T**2) * t / (1 + T * t), where t is tanh(r).

    The head of 1 - T**2 times that of r is exact; of the rest, the quotient is t - T * t**2 / (1 + T * t).
    """
    cell, r = tanh_cell(size)
    return tanh_reduced(r, cell)


@lane_function
def tanh_reduced(r: Lanes, cell: Lanes):
    """tanh(c + r) as a pair."""
    high, low, slope, slope_low = lookup_rows(CELLS, cell)
    square = r * r
    beyond = r * square * polynomial(square, TAIL, "horner")
    t = r + beyond
    product = high * t
    top = leading_part(r)
    rest = (r - top) + (beyond - product * t / (1.0 + product))
    total, total_low = fast_two_sum(high, slope * top)
    return total, (total_low + low) + (slope * rest + slope_low * (top + rest))


@scalar_function
def tanh_accurate_phase(x):
    """tanh of every finite float64, rounded once.

    Below 1/64 it is x times sinh(x)/x / cosh(x), elsewhere (1 - e) / (1 + e) with e = e**(-2|x|): both within 2**-180 of it. Of
    a tiny x the ratio is 1, and x the result. The odds of an undecided rounding among all inputs are below 2**-60.
    """
    significand, exponent = decompose(x)
    size = _LARGE
    if exponent < -47:  # below 64
        size = to_fixed(significand, exponent)
    if size < _SMALL:
        square = scaled_product(size, size)
        ratio = scaled_product(wide_polynomial(square, WIDE_SINH), reciprocal(wide_polynomial(square, WIDE_COSH)))
        significand = significand * ratio
        exponent = exponent - 192
    else:
        power, power_exponent = exp_fixed(-(size + size))
        power = power >> (-192 - power_exponent)
        significand = scaled_product(ONE - power, reciprocal(ONE + power))
        exponent = _EXPONENT
    return round_to_binary64(is_negative(x), significand, exponent)
