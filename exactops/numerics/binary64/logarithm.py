"""The float64 logarithm: the fast phase as a pair of doubles, the accurate phase in wide integers.

Constants: tools/derive_binary64_logarithm.py, which says why the products below are exact.
"""

from exactops.lanes import (
    Lanes,
    Wide,
    bit_length,
    bits,
    from_bits,
    lane_function,
    lookup_rows,
    polynomial,
    scalar_function,
    scaled_product,
    select,
    wide,
    wide_entry,
    wide_polynomial,
)
from exactops.numerics.binary64.tables.logarithm import (
    FIRST,
    LN2_HIGH,
    LN2_LOW,
    ROWS,
    TAIL,
    WIDE_LN2,
    WIDE_LOGARITHMS,
    WIDE_RECIPROCALS,
    WIDE_SERIES,
)
from exactops.numerics.rounding import fast_two_sum

#: The patterns of the least normal double, and how many positive normal ones there are.
LEAST_NORMAL = 1 << 52
NORMALS = 0x7FE0000000000000
#: The bits of a double but for its sign.
MAGNITUDE = 0x7FFFFFFFFFFFFFFF
#: A subnormal number times 2**54 is normal; what its exponent field is then too large by.
SUBNORMAL_SCALE = 2.0**54
SUBNORMAL_FIELDS = 54 << 52

#: Added to a difference of patterns, it keeps the field of a subnormal number positive; :func:`exponent_of` takes it away.
_BIAS = 1024 + 64
FIELD_BIAS = _BIAS << 52
FRACTION = (1 << 52) - 1
# The double 2**52, whose last bits take an exponent field.
_INTEGER_PATTERN = 0x4330000000000000
_INTEGER_BIAS = 2.0**52 + _BIAS
# Half of the last bit of a head of 24 bits, and what the head keeps.
_HALF = 1 << 28
_HEAD = 0xFFFFFFFFE0000000
# The bits of a row's first entry that are the reciprocal; the double 2**43, whose last bit is 2**-9, takes them.
_RECIPROCAL = 0xFFF
_LOGARITHM = 0xFFFFFFFFFFFFF000
_RECIPROCAL_PATTERN = 0x42A0000000000000
_RECIPROCAL_BIAS = 2.0**43
# Accurate phase, in units of 2**-63: 1, twice the first cell's beginning; how many cells lie below 1; 1 in units of 2**-71.
_WIDE_ONE = Wide(1 << 63)
_WIDE_SECOND = Wide(11 << 60)
_WIDE_BELOW = 40
_WIDE_UNIT = Wide(1 << 71)


@lane_function
def fast_two_difference(large: Lanes, small: Lanes):
    """As :func:`~exactops.numerics.rounding.fast_two_sum`, of a difference: spares a change of sign."""
    total = large - small
    return total, (large - total) - small


# --- fast phase ---------------------------------------------------------------------------------------------------------


@lane_function
def scaled_pattern(x: Lanes, pattern: Lanes):
    """``pattern``, the bits of |x|, with an exponent field below 1 in place of a subnormal number's; for :func:`reduce`."""
    return select(pattern < LEAST_NORMAL, (bits(x * SUBNORMAL_SCALE) & MAGNITUDE) - SUBNORMAL_FIELDS, pattern)


@lane_function
def exponent_of(offset: Lanes):
    """The biased exponent fields of unsigned integer lanes as doubles, less the bias: AVX2 cannot convert these integers."""
    return from_bits((offset >> 52) | _INTEGER_PATTERN) - _INTEGER_BIAS


@lane_function
def reduce(pattern: Lanes):
    """``(k, m_high, m_low, index)``: x = (m_high + m_low) * 2**k, given by its bits, and the cell of m in ROWS.

    m is *rounded* to the 24 bits of m_high: truncated, the largest double below 1 would have a head of 1 - 2**-24, and the
    logarithm the rest's bits only.
    """
    offset = pattern + (FIELD_BIAS - FIRST)
    k = exponent_of(offset)
    fraction = offset & FRACTION
    m_high = from_bits((fraction + (FIRST + _HALF)) & _HEAD)
    return k, m_high, from_bits(fraction + FIRST) - m_high, offset >> 44


@lane_function
def logarithm_core(k: Lanes, m_high: Lanes, m_low: Lanes, c: Lanes, table: Lanes, table_low: Lanes):
    """``(high, low, tail)``: log((m_high + m_low) * 2**k) = high + low, of which ``tail`` is the part that is z**3 * TAIL(z).

    zh, its square, zl, and the sum ``k * LN2_HIGH + table + zh`` are exact. The error is that of the tail, some units in its
    last place, besides 2**-76 of the result: most near 1 and small elsewhere.
    """
    zh = m_high * c - 1.0
    zl = m_low * c
    z = zh + zl
    first = (k * LN2_HIGH + table) + zh
    high, low = fast_two_sum(first, zl)
    half = zh * 0.5
    total, lower = fast_two_difference(high, half * zh)
    tail = ((z * z) * z) * polynomial(z, TAIL, "pairs")
    rest = (k * LN2_LOW + table_low) - zl * (zh + 0.5 * zl)
    return total, (low + lower) + (rest + tail), tail


@lane_function
def logarithm_pair(pattern: Lanes):
    """:func:`logarithm_core` of the positive number with these bits, as :func:`reduce` takes them."""
    k, m_high, m_low, index = reduce(pattern)
    packed, table_low = lookup_rows(ROWS, index)
    c = from_bits((bits(packed) & _RECIPROCAL) | _RECIPROCAL_PATTERN) - _RECIPROCAL_BIAS
    table = from_bits(bits(packed) & _LOGARITHM)
    return logarithm_core(k, m_high, m_low, c, table, table_low)


# --- accurate phase -----------------------------------------------------------------------------------------------------


@scalar_function
def log_fixed(significand, exponent):
    """``(s, e)``: log(significand * 2**exponent) = s * 2**e, for a positive significand of at most 64 bits.

    log(x) = k * log(2) + log(1/c) + log(1 + z) with z = m * c - 1 exact and log(1 + z) = z * series(z). The relative error is
    below 2**-188, near 1 as elsewhere: there c = 1 and k = 0, and z has as many bits as one likes. s has at most 250 bits.
    """
    length = bit_length(significand)
    normalized = significand << (64 - length)  # in [2**63, 2**64), and k belongs to m in [1, 2)
    k = exponent + (length - 1)
    # m from 0.6875 on, in units of 2**-64: cells of 2**57 units below 1, twice that from there on.
    if normalized >= _WIDE_SECOND:
        k = k + 1
        index = (normalized - _WIDE_SECOND) >> 57
        m = normalized
    else:
        index = _WIDE_BELOW + ((normalized - _WIDE_ONE) >> 57)
        m = normalized << 1
    z = m * wide_entry(WIDE_RECIPROCALS, index) - _WIDE_UNIT  # in units of 2**-71
    series = wide_polynomial(z << (192 - 71), WIDE_SERIES)
    if k == 0 and wide_entry(WIDE_RECIPROCALS, index) == 128:
        magnitude = z
        if z < 0:
            magnitude = 0 - z
        shift = 240 - bit_length(magnitude)
        total = scaled_product(z << shift, series)
        power = -71 - shift
    else:
        total = scaled_product(z << (240 - 71), series)
        total = total + (k * WIDE_LN2 + wide_entry(WIDE_LOGARITHMS, index))
        power = wide(-240)
    return total, power
