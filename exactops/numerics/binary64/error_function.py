"""The float64 error function and its family: fast phases as pairs of doubles, accurate phases in wide integers.

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
from exactops.numerics.binary64.exponential import exp_fixed, exp_parts, to_fixed
from exactops.numerics.binary64.fixed_point import ONE, decompose, is_negative, round_to_binary64
from exactops.numerics.binary64.tables.error_function import (
    ERF,
    FAST_MODE_ERF,
    FAST_MODE_ERFC,
    FAST_MODE_FIFTH,
    FAST_MODE_FIRST,
    FAST_MODE_NORMAL,
    FAST_MODE_THIRD,
    NORMAL,
    ROOT_HALF_HIGH,
    ROOT_HALF_LOW,
    SCALED,
    WIDE_ERF,
    WIDE_RECIPROCALS,
    WIDE_ROOT_HALF,
    WIDE_SCALED,
    WIDE_SLOPE,
)
from exactops.numerics.rounding import fast_two_sum

SIGN = 1 << 63
# Adding it rounds to a multiple of 1/128, or 1/64, whose number then stands in the low bits.
_ERF_SHIFT = 1.5 * 2.0**45
_NORMAL_SHIFT = 1.5 * 2.0**46
# A double keeps six bits behind the first of its significand. The rows begin at 1.
_CELL_BITS = 46
_HALF_CELL = 1 << 45
_FIRST_ROW = 64
_ROOT_HALF = ROOT_HALF_HIGH + ROOT_HALF_LOW


@lane_function
def about_centre(h: Lanes, high: Lanes, low: Lanes, slope: Lanes, slope_low: Lanes, rest: Lanes):
    """``(high + low) + (slope + slope_low) * h + rest`` as a pair: the head of the slope times that of h is exact."""
    top = leading_part(h)
    total, total_low = fast_two_sum(high, slope * top)
    return total, (total_low + low) + ((slope * (h - top) + slope_low * h) + rest)


@lane_function
def erf_parts(size: Lanes):
    """erf of sizes up to 5.93 as a pair."""
    shifted = size + _ERF_SHIFT
    h = size - (shifted - _ERF_SHIFT)
    a0, b0, a1, b1, a2, a3, a4, a5, a6, a7 = lookup_rows(ERF, bits(shifted))
    square = h * h
    rest = square * ((a2 + h * a3) + square * ((a4 + h * a5) + square * (a6 + h * a7)))
    return about_centre(h, a0, b0, a1, b1, rest)


@lane_function
def normal_parts(size: Lanes):
    """The normal distribution function less 1/2, of sizes below 8, as a pair."""
    shifted = size + _NORMAL_SHIFT
    h = size - (shifted - _NORMAL_SHIFT)
    a0, b0, a1, b1, a2, a3, a4, a5, a6, a7 = lookup_rows(NORMAL, bits(shifted))
    square = h * h
    rest = square * ((a2 + h * a3) + square * ((a4 + h * a5) + square * (a6 + h * a7)))
    return about_centre(h, a0, b0, a1, b1, rest)


@lane_function
def erfc_parts(x: Lanes, size: Lanes):
    """erfc of x from -5.93 to 3 as a pair: 1 - erf(x)."""
    high, low = erf_parts(size)
    sign = bits(x) & SIGN
    high, low = from_bits(bits(high) ^ sign), from_bits(bits(low) ^ sign)
    total = 1.0 - high
    return total, ((1.0 - total) - high) - low


@lane_function
def distribution_parts(x: Lanes, size: Lanes):
    """The normal distribution function of x from -3 to 8 as a pair whose head has 26 bits."""
    high, low = normal_parts(size)
    sign = bits(x) & SIGN
    high, low = from_bits(bits(high) ^ sign), from_bits(bits(low) ^ sign)
    total = 0.5 + high
    top = leading_part(total)
    return top, ((0.5 - top) + high) + low


@lane_function
def scaled_parts(z: Lanes, z_low: Lanes):
    """``e**(z**2) * erfc(z)`` of the pair ``z + z_low``, from 1 to 28, as a pair."""
    cell = (bits(z) + _HALF_CELL) >> _CELL_BITS
    from_centre = z - from_bits(cell << _CELL_BITS)  # exact
    h = from_centre + z_low
    a0, b0, a1, b1, a2, a3, a4, a5, a6, a7, a8, a9 = lookup_rows(SCALED, cell + _FIRST_ROW)
    square = h * h
    fourth = square * square
    rest = square * (((a2 + h * a3) + square * (a4 + h * a5)) + fourth * ((a6 + h * a7) + square * (a8 + h * a9)))
    top = leading_part(h)
    total, total_low = fast_two_sum(a0, a1 * top)
    return total, (total_low + b0) + ((a1 * ((from_centre - top) + z_low) + b1 * h) + rest)


@lane_function
def square_parts(size: Lanes):
    """size**2 as a pair; what it is wrong by is below 2**-77 of it."""
    top = leading_part(size)
    square = size * size
    return square, (top * top - square) + (size + top) * (size - top)


@lane_function
def product_parts(high: Lanes, low: Lanes, other: Lanes, other_low: Lanes):
    """The product of two pairs, whose head, of 52 bits, is exact and whose rest is below 2**-23 of it."""
    top, other_top = leading_part(high), leading_part(other)
    rest = (high - top) * other + (top * (other - other_top) + (high * other_low + low * (other + other_low)))
    return top * other_top, rest


@lane_function
def erfc_tail_parts(x: Lanes):
    """``(high, low, exponent)``: erfc of x from 1 to 28 as a pair, to be scaled as by :func:`exp_parts`."""
    square, square_low = square_parts(x)
    power, power_low, exponent = exp_parts(-square, -square_low)
    high, low = scaled_parts(x, 0.0)
    high, low = product_parts(power, power_low, high, low)
    return high, low, exponent


@lane_function
def distribution_tail_parts(size: Lanes):
    """``(high, low, exponent)``: the normal distribution function of -size, for sizes from 1.5 to 39; a head of 26 bits."""
    square, square_low = square_parts(size)
    power, power_low, exponent = exp_parts(-0.5 * square, -0.5 * square_low)
    top = leading_part(size)
    z = size * _ROOT_HALF
    z_low = (top * ROOT_HALF_HIGH - z) + ((size - top) * ROOT_HALF_HIGH + size * ROOT_HALF_LOW)
    high, low = scaled_parts(z, z_low)
    high, low = product_parts(0.5 * power, 0.5 * power_low, high, low)
    top = leading_part(high + low)
    return top, (high - top) + low, exponent


# --- fast mode ----------------------------------------------------------------------------------------------------------


@lane_function
def erf_fast_mode(size: Lanes):
    """erf of sizes up to 5.93, to about 1 ulp, with the value and the derivative at the centre."""
    shifted = size + _ERF_SHIFT
    c = shifted - _ERF_SHIFT
    h = size - c
    value, slope = lookup_rows(FAST_MODE_ERF, bits(shifted))
    return mul_add(slope, step_fast_mode(h, c * h, h * h), value)


@lane_function
def erfc_fast_mode(size: Lanes):
    """erfc of sizes up to 2.5, to about 1 ulp."""
    shifted = size + _ERF_SHIFT
    c = shifted - _ERF_SHIFT
    h = size - c
    value, slope = lookup_rows(FAST_MODE_ERFC, bits(shifted))
    return mul_add(-slope, step_fast_mode(h, c * h, h * h), value)


@lane_function
def normal_fast_mode(size: Lanes):
    """The normal distribution function of -size, for sizes below 8, to about 1 ulp up to 3."""
    shifted = size + _NORMAL_SHIFT
    c = shifted - _NORMAL_SHIFT
    h = size - c
    value, slope = lookup_rows(FAST_MODE_NORMAL, bits(shifted))
    half = 0.5 * h
    return mul_add(-slope, step_fast_mode(h, half * c, half * h), value)


@lane_function
def step_fast_mode(h: Lanes, u: Lanes, v: Lanes):
    """The integral of ``e**(-2*c*t - t**2)`` for t from 0 to h, with u = c*h and v = h**2: ``h * (1 - u - v/3 + ...)``."""
    third = v * polynomial(u, FAST_MODE_THIRD, "fused pairs")
    fifth = (v * v) * polynomial(u, FAST_MODE_FIFTH, "fused pairs")
    tail = mul_add(u, polynomial(u, FAST_MODE_FIRST, "fused pairs"), third + fifth)
    return mul_add(h, tail, h)


# --- accurate phases ----------------------------------------------------------------------------------------------------

_HALF_UNIT = Wide(1 << 187)
_HALF = Wide(1 << 191)
_EIGHT = Wide(8 << 192)
_TWELVE = Wide(12 << 192)
_LARGE = Wide(28 << 192)
_EXPONENT = Wide(-192)
_UNIT = Wide(1)
_ZERO = Wide(0)


@scalar_function
def scaled_fixed(z):
    """``e**(z**2) * erfc(z)`` of a fixed-point number from 0 to 29: within 2**13 units, where it is at least 2**186.

    Taylor's series about the nearest centre c, in d, which is z - c cut to multiples of 2**-60: products with it need no more
    than 256 bits. Its terms times n!, s, follow from the two before: ``s[n + 1] = 2*c*d * s[n] + 2*n*d**2 * s[n - 1]``. What
    rounding adds, less than 64 units a term, grows like the terms of ``e**(2*c*d + d**2)``, together less than eightfold. Eight
    terms at a time are divided by one factorial; the product with its reciprocal is wrong by 2**12 units. The term of
    order 32 is below a unit. What d leaves of z - c, less than 2**-60, takes three terms of the series about z.
    """
    row = (z + _HALF_UNIT) >> 188
    offset = z - (row << 188)
    d = offset >> 132
    rest = offset - (d << 132)
    term = wide_entry(WIDE_SCALED, row)
    following = ((((row * term) >> 3) - WIDE_SLOPE) * d) >> 60
    before = (term * d) >> 60
    total = _ZERO
    n = _ZERO
    for group in range(4):
        part = _ZERO
        for _ in range(8):
            part = part * n + term
            n = n + 1
            term = following
            scaled = (term * d) >> 60
            following = ((row * scaled) >> 3) + (((n + n) * before * d) >> 60)
            before = scaled
        total = total + scaled_product(part, wide_entry(WIDE_RECIPROCALS, group))
    if rest > 0:
        near = z - rest
        slope = scaled_product(near + near, total) - WIDE_SLOPE
        curvature = total + scaled_product(near, slope)
        total = total + scaled_product(rest, slope + scaled_product(rest, curvature))
    return total


@scalar_function
def erfc_fixed(z, square):
    """``(significand, exponent)`` of erfc(z), from fixed-point numbers z from 0 to 28 and z**2: within 2**-170 of it."""
    power, exponent = exp_fixed(-square)
    return scaled_product(power, scaled_fixed(z)), exponent


@scalar_function
def square_to_fixed(significand, exponent):
    """The square of ``significand * 2**exponent`` as a fixed-point number, rounded down."""
    return to_fixed(significand * significand, exponent + exponent)


@scalar_function
def erf_accurate_phase(x):
    """erf of every finite float64, rounded once.

    Below 1/2 it is x times a series in x**2, elsewhere 1 - erfc(x): within 2**-180 of it. The odds of an undecided rounding
    among all inputs are below 2**-60.
    """
    significand, exponent = decompose(x)
    size = _EIGHT
    square = _EIGHT << 3
    if exponent < -49:  # below 8
        size = to_fixed(significand, exponent)
        square = square_to_fixed(significand, exponent)
    if size < _HALF:
        significand = significand * wide_polynomial(square, WIDE_ERF)
        exponent = exponent - 192
    else:
        factor, factor_exponent = erfc_fixed(size, square)
        significand = ONE - (factor >> (-192 - factor_exponent))
        exponent = _EXPONENT
    return round_to_binary64(is_negative(x), significand, exponent)


@scalar_function
def erfc_accurate_phase(x):
    """erfc of every finite float64, rounded once. From 28 on it is zero as there, from -8 on downwards 2."""
    significand, exponent = decompose(x)
    size = _LARGE
    square = wide(784) << 192
    if exponent < -46:  # below 64
        size = to_fixed(significand, exponent)
        square = square_to_fixed(significand, exponent)
        if size > _LARGE:
            size = _LARGE
            square = wide(784) << 192
    factor, factor_exponent = erfc_fixed(size, square)
    if is_negative(x):
        factor = ONE + ONE - (factor >> (-192 - factor_exponent))
        factor_exponent = _EXPONENT
    return round_to_binary64(False, factor, factor_exponent)


@scalar_function
def gelu_accurate_phase(x):
    """x * Phi(x) of every finite float64, rounded once; Phi(x) = erfc(-x / sqrt(2)) / 2. It is -0 from -39 on as there.

    Where x is tiny, Phi(x) is a little more or less than 1/2: that decides where x/2 is a tie of subnormal numbers.
    """
    significand, exponent = decompose(x)
    negative = is_negative(x)
    if exponent < -200:
        factor = _HALF + _UNIT
        if negative:
            factor = _HALF - _UNIT
        factor_exponent = _EXPONENT
    else:
        bounded = significand
        bounded_exponent = exponent
        if exponent > -47 or to_fixed(significand, exponent) > wide(39) << 192:  # at least 64
            bounded = wide(39)
            bounded_exponent = wide(0)
        product = bounded * WIDE_ROOT_HALF
        size = product << bounded_exponent if bounded_exponent >= 0 else product >> -bounded_exponent
        factor, factor_exponent = erfc_fixed(size, square_to_fixed(bounded, bounded_exponent) >> 1)
        factor_exponent = factor_exponent - 1
        if not negative:
            factor = ONE - (factor >> (-192 - factor_exponent))
            factor_exponent = _EXPONENT
        else:
            significand = bounded
            exponent = bounded_exponent
    return round_to_binary64(negative, significand * factor, exponent + factor_exponent)
