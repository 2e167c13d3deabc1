"""The float64 error function: fast phases as pairs of doubles, accurate phases in wide integers; erfc and gelu likewise.

Constants: tools/derive_binary64_error_function.py.
"""

from exactops.lanes import (
    Lanes,
    Wide,
    bits,
    from_bits,
    lane_function,
    lookup_rows,
    mul_add,
    polynomial,
    scalar_function,
    scaled_product,
    wide,
    wide_entry,
    wide_polynomial,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.exponential import exp_fixed, to_fixed
from exactops.numerics.binary64.fixed_point import ONE, decompose, is_negative, round_to_binary64
from exactops.numerics.binary64.tables.error_function import (
    ERF,
    ERF_FAST_MODE,
    ERFC,
    ERFC_FAST_MODE,
    GELU,
    GELU_FAST_MODE,
    WIDE_BLOCKS,
    WIDE_CENTRES,
    WIDE_DENSITY,
    WIDE_ERF,
    WIDE_ROOT_HALF,
    WIDE_SLOPE,
)
from exactops.numerics.binary64.tables.exponential import INVERSE_STEP, POWERS, STEP_HIGH, STEP_LOW, TAIL
from exactops.numerics.constants import ROUNDING_SHIFT
from exactops.numerics.rounding import fast_two_sum

# Adding it rounds to a multiple of 1/64, which then stands in the low bits of the sum.
_ERF_SHIFT = 1.5 * 2.0**46
# A double keeps six bits behind the first of its significand: how far the last is from the end, and a little less than half of
# it. So 1 + 2**-7 belongs to the cell of 0, in which size - c is exact also for sizes just below 2**-7 that round to it.
_CELL_BITS = 46
_HALF_CELL = (1 << 45) - 1

_BLOCKS = len(WIDE_BLOCKS)
_SIXTH = Wide((1 << 192) // 6)
_EXPONENT = Wide(-192)
_UNIT = Wide(1)
_TWO = Wide(2 << 192)
_HALF = Wide(1 << 191)
_HALF_SPACING = Wide(1 << 188)
# Beyond these sizes the results are known: erf is 1, erfc and gelu are 0.
_ERF_LARGE = Wide(6 << 192)
_LARGE = Wide(109 << 190)
_GELU_LARGE = Wide(39 << 192)


# --- fast phases --------------------------------------------------------------------------------------------------------


@lane_function
def taylor_pair(h: Lanes, value: Lanes, value_low: Lanes, slope: Lanes, slope_low: Lanes, beyond: Lanes):
    """``value + value_low + h * (slope + slope_low) + beyond`` as a pair: the head of h times the slope is exact.

    ``beyond``, the largest of what is rounded, comes last.
    """
    top = leading_part(h)
    high, low = fast_two_sum(value, slope * top)
    return high, ((low + value_low) + (slope * (h - top) + slope_low * h)) + beyond


@lane_function
def erf_parts(size: Lanes):
    """``(high, low, beyond)``: erf of sizes below 5.9375 is high + low; ``beyond``, not above zero, is the part with h**2."""
    shifted = size + _ERF_SHIFT
    return erf_reduced(size - (shifted - _ERF_SHIFT), bits(shifted))


@lane_function
def erf_reduced(h: Lanes, index: Lanes):
    """:func:`erf_parts` of c + h, where c belongs to a row."""
    value, value_low, slope, slope_low, a2, a3, a4, a5, a6, a7 = lookup_rows(ERF, index)
    square = h * h
    beyond = square * (a2 + (h * a3 + square * ((a4 + h * a5) + square * (a6 + h * a7))))
    high, low = taylor_pair(h, value, value_low, slope, slope_low, beyond)
    return high, low, beyond


@lane_function
def cell_of(size: Lanes):
    """``(cell, h)`` of sizes below 31: the number of the row of the centre c, and size - c, which is exact."""
    cell = (bits(size + 1.0) + _HALF_CELL) >> _CELL_BITS
    return cell, size - (from_bits(cell << _CELL_BITS) - 1.0)


@lane_function
def erfc_factor(size: Lanes):
    """``(high, low, beyond)``: e**(x**2) * erfc(x) for sizes x below 26 is high + low; ``beyond`` is the part with h**2."""
    cell, h = cell_of(size)
    return erfc_factor_reduced(h, cell)


@lane_function
def erfc_factor_reduced(h: Lanes, cell: Lanes):
    """:func:`erfc_factor` of c + h, where c belongs to a row."""
    value, value_low, slope, slope_low, a2, a3, a4, a5, a6, a7, a8, _ = lookup_rows(ERFC, cell)
    square = h * h
    beyond = square * (a2 + (h * a3 + square * ((a4 + h * a5) + square * ((a6 + h * a7) + square * a8))))
    high, low = taylor_pair(h, value, value_low, slope, slope_low, beyond)
    return high, low, beyond


@lane_function
def gelu_factor(size: Lanes):
    """``(high, low, beyond)``: e**(x**2/2) * Phi(-x) for sizes x below 31, as :func:`erfc_factor`."""
    cell, h = cell_of(size)
    return gelu_factor_reduced(h, cell)


@lane_function
def gelu_factor_reduced(h: Lanes, cell: Lanes):
    """:func:`gelu_factor` of c + h, where c belongs to a row."""
    value, value_low, slope, slope_low, a2, a3, a4, a5, a6, a7, a8, _ = lookup_rows(GELU, cell)
    square = h * h
    beyond = square * (a2 + (h * a3 + square * ((a4 + h * a5) + square * ((a6 + h * a7) + square * a8))))
    high, low = taylor_pair(h, value, value_low, slope, slope_low, beyond)
    return high, low, beyond


@lane_function
def product_pair(power: Lanes, power_low: Lanes, high: Lanes, low: Lanes):
    """The product of two pairs as a pair, the first part exact: both heads are cut to 26 bits."""
    power_top = leading_part(power)
    top = leading_part(high)
    rest = (high - top) + low
    return power_top * top, top * ((power - power_top) + power_low) + rest * (power + power_low)


@lane_function
def complement(high: Lanes, low: Lanes, total: float):
    """``total - (high + low)`` as a pair, for a constant that is at least as large as high."""
    difference, error = fast_two_sum(total, -high)
    return difference, error - low


# --- fast mode ----------------------------------------------------------------------------------------------------------


@lane_function
def erf_fast_mode(size: Lanes):
    """erf of sizes below 5.9375, at most 2 ulp off."""
    shifted = size + _ERF_SHIFT
    h = size - (shifted - _ERF_SHIFT)
    a0, a1, a2, a3, a4, a5, a6, a7 = lookup_rows(ERF_FAST_MODE, bits(shifted))
    square = h * h
    upper = mul_add(square, mul_add(h, a7, a6), mul_add(h, a5, a4))
    return mul_add(h, mul_add(h, mul_add(square, upper, mul_add(h, a3, a2)), a1), a0)


@lane_function
def fast_mode_product(high: Lanes, low: Lanes, value: Lanes, rest: Lanes):
    """``(base, rest, exponent)`` of e**(high + low) * value * (1 + rest) = base * (1 + rest) * 2**k; exponent is k << 52.

    The value has 24 bits, so that its product with a power, of 27 bits, is exact.
    """
    shifted = mul_add(high, INVERSE_STEP, ROUNDING_SHIFT)
    k = shifted - ROUNDING_SHIFT
    step = bits(shifted)
    power, offset = lookup_rows(POWERS, step)
    r = mul_add(k, -STEP_HIGH, high) + (mul_add(k, -STEP_LOW, low) + offset)
    expm1 = mul_add(r * r, mul_add(r, polynomial(r, TAIL, "fused horner"), 0.5), r)
    return power * value, mul_add(expm1, rest, expm1 + rest), (step >> 8) << 52


@lane_function
def erfc_fast_mode_parts(size: Lanes):
    """``(base, rest, exponent)``: erfc of sizes below 31 is base * (1 + rest) * 2**k, where exponent is k << 52."""
    cell, h = cell_of(size)
    value, a0, a1, a2, a3, a4, a5, a6, a7, a8 = lookup_rows(ERFC_FAST_MODE, cell)
    square = h * h
    upper = mul_add(square, mul_add(square, a8, mul_add(h, a7, a6)), mul_add(h, a5, a4))
    rest = mul_add(square, mul_add(square, upper, mul_add(h, a3, a2)), mul_add(h, a1, a0))
    top = leading_part(size)
    return fast_mode_product(-top * top, (top - size) * (top + size), value, rest)


@lane_function
def gelu_fast_mode_parts(size: Lanes):
    """The same of Phi(-x)."""
    cell, h = cell_of(size)
    value, a0, a1, a2, a3, a4, a5, a6, a7, a8 = lookup_rows(GELU_FAST_MODE, cell)
    square = h * h
    upper = mul_add(square, mul_add(square, a8, mul_add(h, a7, a6)), mul_add(h, a5, a4))
    rest = mul_add(square, mul_add(square, upper, mul_add(h, a3, a2)), mul_add(h, a1, a0))
    top = leading_part(size)
    half = top * 0.5
    return fast_mode_product(-half * top, (top - size) * (half + 0.5 * size), value, rest)


# --- accurate phases ----------------------------------------------------------------------------------------------------


@scalar_function
def erfc_factor_fixed(z):
    """e**(z**2) * erfc(z) of a fixed-point number z in [0, 27.6], within 2**-180 of itself.

    Taylor's series about the nearest multiple c of 1/8, in t = 16 * (z - c): the terms are v_n * t**n / n!, where v_n is
    the derivative over 16**n, and v_(n+1) = (2 * c * v_n + n * v_(n-1) / 8) / 16 but for n = 0. Four terms at a time, over
    their common denominator. The recurrence grows errors no faster than the series of e**(2 * c * h + h**2): by 32 at most.
    """
    centre = (z + _HALF_SPACING) >> 189
    t = (z - (centre << 189)) << 4
    square = scaled_product(t, t)
    fourth = scaled_product(square, square)
    first = wide_entry(WIDE_CENTRES, centre)
    second = ((centre * first) >> 6) - (WIDE_SLOPE >> 4)
    factor = _SIXTH
    total = wide(0)
    for k in range(_BLOCKS):
        n = wide(k) << 2
        third = ((centre * second) >> 6) + ((first * (n + 1)) >> 7)
        last = ((centre * third) >> 6) + ((second * (n + 2)) >> 7)
        inner = scaled_product(last, t) + third * (n + 3)
        inner = scaled_product(inner, t) + second * ((n + 2) * (n + 3))
        inner = scaled_product(inner, t) + first * ((n + 1) * (n + 2) * (n + 3))
        total = total + scaled_product(inner, factor)
        factor = scaled_product(scaled_product(factor, fourth), wide_entry(WIDE_BLOCKS, k))
        first = ((centre * last) >> 6) + ((third * (n + 3)) >> 7)
        second = ((centre * first) >> 6) + ((last * (n + 4)) >> 7)
    return total


@scalar_function
def erfc_fixed(z):
    """erfc(z) of a fixed-point number z in [0, 6], as a fixed-point number within 100 units."""
    power, exponent = exp_fixed(-scaled_product(z, z))
    return scaled_product(power, erfc_factor_fixed(z)) >> (-192 - exponent)


@scalar_function
def size_fixed(x, largest):
    """The magnitude of a finite float64, or a limit below 64 if that is less, as a fixed-point number rounded down."""
    significand, exponent = decompose(x)
    size = largest
    if exponent < -46:  # below 64
        size = to_fixed(significand, exponent)
        if size > largest:
            size = largest
    return size


@scalar_function
def erf_accurate_phase(x):
    """erf of every finite float64, rounded once.

    Up to 1/2 it is x times the series of erf(x)/x, elsewhere 1 - erfc(x): both within 2**-180 of it. The odds of an undecided
    rounding among all inputs are below 2**-60.
    """
    significand, exponent = decompose(x)
    size = size_fixed(x, _ERF_LARGE)
    if size < _HALF:
        significand = significand * wide_polynomial(scaled_product(size, size), WIDE_ERF)
        exponent = exponent - 192
    else:
        significand = ONE - erfc_fixed(size)
        exponent = _EXPONENT
    return round_to_binary64(is_negative(x), significand, exponent)


@scalar_function
def erfc_accurate_phase(x):
    """erfc of every finite float64, rounded once: within 2**-180 of itself.

    The odds of an undecided rounding among all inputs are below 2**-60. Near zero the result is 1 - 2 * x / sqrt(pi), which is
    not close to a tie unless x is so small that the result is 1.
    """
    if is_negative(x):
        significand = _TWO - erfc_fixed(size_fixed(x, _ERF_LARGE))
        exponent = _EXPONENT
    else:
        size = size_fixed(x, _LARGE)
        power, exponent = exp_fixed(-scaled_product(size, size))
        significand = scaled_product(power, erfc_factor_fixed(size))
    return round_to_binary64(False, significand, exponent)


@scalar_function
def gelu_accurate_phase(x):
    """gelu of every finite float64, rounded once: x times Phi(x) within 2**-180 of itself.

    Phi(-x) is e**(-x**2/2) * w(x/sqrt(2)) / 2. Of a tiny x it is 1/2 + x/sqrt(2 pi): then x/2 may be a tie of subnormal
    numbers, which the other term decides even if it is less than a unit. The odds of an undecided rounding among all inputs
    are below 2**-60.
    """
    significand, exponent = decompose(x)
    size = size_fixed(x, _GELU_LARGE)
    factor = _HALF
    factor_exponent = _EXPONENT
    if exponent < -200:
        offset = scaled_product(size, WIDE_DENSITY)
        if offset == 0:  # to be on the right side
            offset = _UNIT
        if is_negative(x):
            offset = -offset
        factor = factor + offset
    else:
        power, factor_exponent = exp_fixed(-(scaled_product(size, size) >> 1))
        factor = scaled_product(power, erfc_factor_fixed(scaled_product(size, WIDE_ROOT_HALF)))
        factor_exponent = factor_exponent - 1
        if not is_negative(x):
            factor = ONE - (factor >> (-192 - factor_exponent))
            factor_exponent = _EXPONENT
        elif size == _GELU_LARGE:
            significand = wide(0)
    return round_to_binary64(is_negative(x), significand * factor, exponent + factor_exponent)
