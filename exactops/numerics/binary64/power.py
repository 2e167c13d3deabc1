"""pow with a float64 base: the fast phase in pairs of doubles, the accurate phase in wide integers, exact cases by integers.

|x|**y = e**(y * log|x|), with log|x| as a pair from :mod:`.logarithm` and the product as a pair for :mod:`.exponential`.
"""

from exactops.lanes import (
    Lanes,
    Wide,
    absolute,
    bit_length,
    bits,
    from_bits,
    lane_function,
    lookup,
    mul_add,
    polynomial,
    scalar_function,
    wide,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.exponential import exp_fast_mode_parts_with_offset, exp_fixed, exp_parts, reduce_fast_mode
from exactops.numerics.binary64.fixed_point import decompose, is_negative, round_to_binary64
from exactops.numerics.binary64.logarithm import FIELD_BIAS, FRACTION, exponent_of, log_fixed, logarithm_pair
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.tables.exponential_errors import EXP_ERROR
from exactops.numerics.binary64.tables.logarithm import LN2_HIGH, LN2_LOW
from exactops.numerics.binary64.tables.power import (
    FAST_MODE_FIRST,
    FAST_MODE_LOGARITHMS,
    FAST_MODE_LOGARITHMS_LOW,
    FAST_MODE_RECIPROCALS,
    FAST_MODE_TAIL,
    PRODUCT_ERROR,
    TAIL_ERROR,
)
from exactops.numerics.rounding import fast_two_sum

#: The error of e**p as a pair, for powers below 2, with the rounding test's own additions. The low part of p, below 2**-43,
#: adds a few roundings of its own size.
EXPONENTIAL_ERROR = EXP_ERROR + 2.0**-90
#: Where |y * log|x|| is below this, the result is normal.
NORMAL_LIMIT = 708.0
#: Beyond it the result is infinite or 0, whatever the error of the product.
LIMIT = 746.0
#: An exponent of this magnitude or more may have been rounded when it was converted.
INEXACT_WHOLE = 2.0**53

# Half of the last bit of a head of 21 bits, and what the head keeps.
_FAST_MODE_HALF = 1 << 31
_FAST_MODE_HEAD = 0xFFFFFFFF00000000
_LEAST = Wide(-1074)
_ZERO = Wide(0)
_ONE = Wide(1)
# More than any y * log(x) whose power is neither 0 nor infinite, as a fixed-point number.
_BEYOND = Wide(1000 << 192)


# --- fast phase ---------------------------------------------------------------------------------------------------------


@lane_function
def power_exponent(logarithm_high: Lanes, logarithm_low: Lanes, y: Lanes):
    """``y * (logarithm_high + logarithm_low)`` as a pair: relative error below 2**-76. The product of the heads is exact."""
    logarithm, rest = fast_two_sum(logarithm_high, logarithm_low)
    head = leading_part(logarithm)
    y_head = leading_part(y)
    return fast_two_sum(y_head * head, y_head * ((logarithm - head) + rest) + (y - y_head) * logarithm)


@lane_function
def power_fast_phase(pattern: Lanes, y: Lanes):
    """``(power, fails, p)``: |x|**y, the mask of the lanes where it is uncertain, and about y * log|x|, perhaps a NaN.

    ``pattern`` holds the bits of |x| as :func:`~exactops.numerics.binary64.logarithm.reduce` takes them.
    """
    high, low, tail = logarithm_pair(pattern)
    p, p_low = power_exponent(high, low, y)
    power, power_low, exponent = exp_parts(p, p_low)
    error = EXPONENTIAL_ERROR + (absolute(p) * PRODUCT_ERROR + absolute(y * tail) * TAIL_ERROR)
    power, fails = round_and_test(power, power_low, error)
    return from_bits(bits(power) + exponent), fails | ~(absolute(p) < NORMAL_LIMIT), y * (high + low)


# --- fast mode ----------------------------------------------------------------------------------------------------------


@lane_function
def fast_mode_power(pattern: Lanes, y: Lanes):
    """``(power, p)``: |x|**y where that is normal, within 2 ulp, and about y * log|x|, perhaps a NaN.

    As the fast phase, but with 16 cells of the logarithm. That is wrong by 2**-61.4 of it at most, from its tail in the cell
    around 1, which is 1.1 ulp where y times it is 708; the exponential and the last rounding add 0.6, and 2.5 from the real
    value are 2 from the correctly rounded one. Nothing relies on mul_add to be fused: 1.6 ulp were seen either way.
    """
    offset = pattern + (FIELD_BIAS - FAST_MODE_FIRST)
    k = exponent_of(offset)
    m_bits = (offset & FRACTION) + FAST_MODE_FIRST
    m_high = from_bits((m_bits + _FAST_MODE_HALF) & _FAST_MODE_HEAD)
    m_low = from_bits(m_bits) - m_high
    index = offset >> 48
    c = lookup(FAST_MODE_RECIPROCALS, index)

    zh = mul_add(m_high, c, -1.0)
    zl = m_low * c
    z = zh + zl
    first = mul_add(k, LN2_HIGH, lookup(FAST_MODE_LOGARITHMS, index)) + zh
    total, low = fast_two_sum(first, zl)
    square = (zh * 0.5) * zh
    high = total - square
    low = low + ((total - high) - square)
    rest = mul_add(k, LN2_LOW, lookup(FAST_MODE_LOGARITHMS_LOW, index)) - zl * mul_add(zl, 0.5, zh)
    low = low + mul_add((z * z) * z, polynomial(z, FAST_MODE_TAIL, "fused estrin"), rest)

    logarithm = high + low
    head = leading_part(logarithm)
    y_head = leading_part(y)
    p = y_head * head
    p_low = mul_add(y_head, (high - head) + low, (y - y_head) * logarithm)

    r, step = reduce_fast_mode(p)
    power, expm1 = exp_fast_mode_parts_with_offset(r + p_low, step)
    return mul_add(power, expm1, power), y * logarithm


# --- accurate phase -----------------------------------------------------------------------------------------------------


@scalar_function
def trailing_zeros(n):
    """How many zero bits a positive wide integer ends in."""
    return bit_length(n & (0 - n)) - 1


@scalar_function
def square_root(n):
    """The floor of the square root of a wide integer below 2**64, bit by bit."""
    root = wide(0)
    for place in range(32):
        candidate = root + (_ONE << (31 - place))
        if candidate * candidate <= n:
            root = candidate
    return root


@scalar_function
def is_power_of_odd(base, base_exponent, y, y_exponent, result, result_exponent):
    """Whether ``(base * 2**base_exponent)**(y * 2**y_exponent)`` is ``result * 2**result_exponent``, for odd base > 1 and y.

    The result is odd and below 2**64; so y is at most 40 where it is that power, and with a negative ``y_exponent`` the base is
    a perfect square so many times.
    """
    found = False
    if y_exponent > -6:
        exponent = y
        if y_exponent > 0:
            exponent = y << y_exponent if y_exponent < 6 else wide(64)
        else:
            for step in range(6):
                if step < 0 - y_exponent:
                    root = square_root(base)
                    if root * root != base or (base_exponent & 1) != 0:
                        exponent = wide(64)
                    base = root
                    base_exponent = base_exponent >> 1
        if exponent < 64:
            product = _ONE
            for step in range(63):
                if step < exponent and product <= result:
                    product = product * base
            found = product == result and base_exponent * exponent == result_exponent
    return found


@scalar_function
def is_power(base, base_exponent, y_negative, y, y_exponent, result, result_exponent):
    """Whether ``(base * 2**base_exponent)**(y * 2**y_exponent)`` is exactly ``result * 2**result_exponent``.

    All but the exponents are positive, y with its sign apart, base and result below 2**64. Such a power is a rational number
    with a power of two below only for a power of two, or for y > 0; see :func:`is_power_of_odd`.
    """
    zeros = trailing_zeros(base)
    base = base >> zeros
    base_exponent = base_exponent + zeros
    zeros = trailing_zeros(y)
    y = y >> zeros
    y_exponent = y_exponent + zeros
    zeros = trailing_zeros(result)
    result = result >> zeros
    result_exponent = result_exponent + zeros
    found = False
    if base == 1:
        if y_negative:
            base_exponent = 0 - base_exponent
        if result == 1 and y_exponent > -64 and y_exponent < 64:
            if y_exponent >= 0:
                found = (base_exponent * y) << y_exponent == result_exponent
            else:
                found = base_exponent * y == result_exponent << (0 - y_exponent)
    elif not y_negative:
        found = is_power_of_odd(base, base_exponent, y, y_exponent, result, result_exponent)
    return found


@scalar_function
def power_rounded(x, y_negative, y, y_exponent):
    """``x**(y * 2**y_exponent)`` rounded once, for a finite positive float64 x and a positive y of at most 64 bits, sign apart.

    The logarithm has a relative error below 2**-188, its product with y, below 746, an absolute one of 2**-178, and the power
    a relative one below 2**-177. Where that lies within 2**-174 of the middle between two doubles, integers decide whether it
    is that middle: a tie. If it is none, the value on its side is rounded all the same. Then the rounding could be wrong, if it
    lies within 2**-177: for one pair that is not a tie the odds are 2**-123, so for 2**64 pairs 2**-59.
    """
    base, base_exponent = decompose(x)
    logarithm, logarithm_exponent = log_fixed(base, base_exponent)
    negative = y_negative
    if logarithm < 0:
        logarithm = 0 - logarithm
        negative = not y_negative
    excess = bit_length(logarithm) - 190
    if excess > 0:
        logarithm = logarithm >> excess
        logarithm_exponent = logarithm_exponent + excess
    product = logarithm * y  # below 2**254
    shift = logarithm_exponent + y_exponent + 192
    if bit_length(product) + shift > 202:
        product = _BEYOND
    elif shift >= 0:
        product = product << shift
    else:
        product = product >> (0 - shift)
    if negative:
        product = 0 - product
    significand, exponent = exp_fixed(product)
    last = bit_length(significand) + exponent - 53
    if last < _LEAST:
        last = _LEAST
    shift = last - exponent
    if shift > 0 and shift < 254:
        middle = ((significand >> shift) << 1) + 1
        distance = significand - (middle << (shift - 1))
        if distance < 0:
            distance = 0 - distance
        near = distance <= significand >> 174
        if near and is_power(base, base_exponent, y_negative, y, y_exponent, middle, last - 1):
            significand = middle
            exponent = last - 1
    return round_to_binary64(False, significand, exponent)


@scalar_function
def exact_float_power(x, y):
    """|x|**y rounded once for finite float64 scalars, neither of them 0."""
    significand, exponent = decompose(y)
    return power_rounded(x, is_negative(y), significand, exponent)


@scalar_function
def exact_whole_power(x, y):
    """|x|**y rounded once for a finite float64 x that is not 0 and an integer y of 64 bits that is not 0."""
    exponent = wide(y)
    negative = exponent < 0
    if negative:
        exponent = 0 - exponent
    return power_rounded(x, negative, exponent, _ZERO)
