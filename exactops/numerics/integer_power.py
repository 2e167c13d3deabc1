"""Powers of integers: saturating powers with whole exponents, and the floor of x**y in wide integers.

Constants: tools/derive_integer_power.py.
"""

from exactops.lanes import (
    Lanes,
    Wide,
    any_lane,
    bit_length,
    high_product,
    lane_function,
    lookup,
    narrow,
    scalar_function,
    select,
    unsigned,
    wide,
    wide_entry,
)
from exactops.numerics.binary64.fixed_point import decompose
from exactops.numerics.tables.integer_power import INVERSE_LN2, LN2, LOGARITHMS, SIGNED_LIMITS, UNSIGNED_LIMITS

#: 1 and 2 with 252 fractional bits, and how many factors 1 + 2**-i there are.
_ONE = Wide(1 << 252)
_TWO = Wide(1 << 253)
_FACTORS = len(LOGARITHMS)
_LARGEST = Wide((1 << 64) - 1)


@lane_function
def whole_power(x: Lanes, n: Lanes, one: float):
    """x**n for integer lanes n >= 0 by squaring, in lanes of either kind, whose 1 is ``one``.

    Integers wrap. Floats below 2**53 (or 2**24) are exact, and what is above stays above. There are as many steps as the
    longest exponent beside has bits: those that a lane does not need change nothing in it.
    """
    power = select((n & 1) != 0, x, one)
    rest = n >> 1
    while any_lane(rest != 0):
        x = x * x
        power = select((rest & 1) != 0, power * x, power)
        rest = rest >> 1
    return power


@lane_function
def above_signed_limit(magnitude: Lanes, n: Lanes):
    """Mask of the uint64 lanes whose n-th power is 2**63 or more, for int64 lanes n from 0 to 62."""
    limit = select(n > 31, 3, unsigned(lookup(SIGNED_LIMITS, n)))
    return magnitude > select(n > 39, 2, limit)


@lane_function
def above_unsigned_limit(magnitude: Lanes, n: Lanes):
    """Mask of the uint64 lanes whose n-th power is 2**64 or more, for int64 lanes n from 0 to 63."""
    limit = select(n > 31, 3, unsigned(lookup(UNSIGNED_LIMITS, n)))
    return magnitude > select(n > 40, 2, limit)


@scalar_function
def wide_power(x, y):
    """x**y as ``(power, whole)``: power * 2**(whole - 252), with power in about [1, 2); 2 <= x < 2**64, 1/64 <= y < 65.

    The relative error is below 2**-236, and whole at most 64 * 65.

    log2(x) = length - 1 + log2(m) for m in [1, 2), which factors 1 + 2**-i, in turn wherever the product stays below 2, and a
    last one below 1 + 2**-124 take to 2; what they are together is what m lacks. 2**f is a product of such factors likewise.

    A factor is multiplied by with an error of 2**-252 of the product, 125 of them with less than 2**-244; with the logarithms,
    which are rounded to 2**-253 each, log2(m) errs by less than 2**-244, and y * log2(x) by 2**-237.
    """
    base = wide(x)
    length = bit_length(base)
    m = base << (253 - length)
    logarithm = _ONE
    for i in range(1, _FACTORS):
        product = m + (m >> i)
        if product <= _TWO:
            m = product
            logarithm = logarithm - wide_entry(LOGARITHMS, i)
    # log2(2 / m) is (1 - m / 2) / ln(2), to half the square of what is left.
    logarithm = logarithm - ((((_TWO - m) >> 1) * INVERSE_LN2) >> 120)
    logarithm = ((length - 1) << 248) + (logarithm >> 4)

    significand, exponent = decompose(y)
    p = high_product(logarithm, significand << (exponent + 248))  # 240 fractional bits
    whole = p >> 240
    f = (p - (whole << 240)) << 12
    power = _ONE
    for i in range(1, _FACTORS):
        entry = wide_entry(LOGARITHMS, i)
        if f >= entry:
            f = f - entry
            power = power + (power >> i)
    return power + (high_product(power, (f * LN2) >> 120) << 4), whole


@scalar_function
def floor_power(x, y):
    """floor(x**y), or 2**64 - 1 where that is less, as the bits of an int64; 2 <= x < 2**64, 1/64 <= y < 65.

    The error of :func:`wide_power` decides nothing unless x**y is within 2**-236 of a whole number, relatively. It must not be
    one: a whole x**y has an x that is itself a power, which the caller has to find. Among all pairs of a uint64 and a double,
    less than 2**-58 are expected to come so near.
    """
    power, whole = wide_power(x, y)
    result = _LARGEST
    if whole < 64:
        result = power >> (252 - whole)
    return narrow(result)
