"""pow, powi and powi_backward. Constants: tools/derive_power.py and tools/derive_power_fast_mode.py."""

from exactops.lanes import (
    Lanes,
    absolute,
    all_lanes,
    any_lane,
    bits,
    convert,
    copy_sign,
    floor,
    from_bits,
    from_half,
    is_nan,
    lane_function,
    lookup,
    lookup_single,
    mul_add,
    polynomial,
    recompute,
    rint,
    select,
    signed,
    sqrt,
    to_half,
    unsigned,
)
from exactops.lanes.portable import bfloat16_to_single, double_to_single_odd, single_to_bfloat16
from exactops.numerics.binary64.logarithm import LEAST_NORMAL, NORMALS, scaled_pattern
from exactops.numerics.binary64.logarithm import MAGNITUDE as BINARY64_MAGNITUDE
from exactops.numerics.binary64.power import (
    INEXACT_WHOLE,
    NORMAL_LIMIT,
    exact_float_power,
    exact_whole_power,
    fast_mode_power,
    power_fast_phase,
)
from exactops.numerics.binary64.power import LIMIT as POWER_LIMIT
from exactops.numerics.constants import (
    BINARY32_LEAST_NORMAL,
    BINARY32_MAGNITUDE,
    BINARY32_NORMALS,
    BINARY32_ROUNDING_SHIFT,
    BINARY64_ONE,
    INFINITY,
    NOT_A_NUMBER,
    ROUNDING_SHIFT,
    leading_bits,
)
from exactops.numerics.exponential import exp2_sixteenths
from exactops.numerics.exponential_fast_mode import exp2m1_fast_mode
from exactops.numerics.integer_power import above_signed_limit, above_unsigned_limit, floor_power, whole_power
from exactops.numerics.logarithm import binary64_pattern, reduce_double, reduce_single
from exactops.numerics.rounding import fast_two_sum, round_to_odd, two_sum
from exactops.numerics.rounding_test import BFLOAT16_MISSING, BINARY16_MISSING, BINARY32_MISSING, fails_rounding_test
from exactops.numerics.tables import power_fast_mode
from exactops.numerics.tables.log import FIRST
from exactops.numerics.tables.power import (
    EXP2,
    EXP2_FINE_HIGH,
    EXP2_FINE_LOW,
    EXP2_HIGH,
    EXP2_LOW,
    EXP2_SIXTEENTHS_HIGH,
    EXP2_SIXTEENTHS_LOW,
    EXP2_TAIL,
    FINE_LOGARITHMS_HIGH,
    FINE_LOGARITHMS_LOW,
    FINE_RECIPROCALS,
    LOG2,
    LOG2_HIGH,
    LOG2_LOW,
    LOG2_TAIL,
    LOGARITHMS_HIGH,
    LOGARITHMS_LOW,
    RECIPROCALS,
)
from exactops.table.formats import FLOATS, FORMATS, INTEGERS, NUMERIC
from exactops.table.operator import Attribute, Kernel, Operand, Operator

#: The fast phase is good to 2**-41: y * log2(x), below 2**7, has a relative error of 2**-48.
FAST_PHASE_ERROR = 1 << 12
#: A result this near to a number of few bits is that number, where it can be one at all: the accurate phase is good to 2**-90.
NEAR_EXACT = 2.0**-86
#: Where normal results begin.
LEAST_SINGLE = -126.0
LEAST_HALF = -14.0

FIRST_DOUBLE = binary64_pattern(FIRST)
#: Steps a unit of the second range reduction of the logarithm. SIXTEENTHS and FINE_STEPS round to multiples of 1/16 and 1/256.
STEPS_PER_UNIT = 240.0
SIXTEENTHS = ROUNDING_SHIFT / 16.0
FINE_STEPS = ROUNDING_SHIFT / 256.0
_FIRST_26_BITS = leading_bits(26)
_FIRST_24_BITS = leading_bits(24)
_FIRST_12_BITS = leading_bits(12, 24)


# --- fast phase: log2 and exp2 in double --------------------------------------------------------------------------------


@lane_function
def log2_single(pattern: Lanes):
    """log2 of positive normal float32 numbers, given by their bits as int32 lanes: relative error below 2**-48."""
    m, exponent, offset = reduce_single(pattern, FIRST)
    index = offset >> 19
    z = convert(m, "float64") * lookup(RECIPROCALS, index) - 1.0
    table = convert(exponent, "float64") * 2.0**-23 + lookup(LOGARITHMS_HIGH, index)
    return table + z * polynomial(z, LOG2, "estrin")


@lane_function
def log2_double(x: Lanes):
    """log2 of positive normal doubles: relative error below 2**-48.

    Where x has more than 24 bits, z has an error of 2**-53; then x must not be near 1 (a whole number above 1 is not).
    """
    m, exponent, offset = reduce_double(bits(x), FIRST_DOUBLE)
    index = offset >> 48
    z = m * lookup(RECIPROCALS, index) - 1.0
    # log2(1 + z) for |z| < 0.03 errs by less than 2**-49 of it (near 1), and 2**-54 absolute.
    return (exponent + lookup(LOGARITHMS_HIGH, index)) + z * polynomial(z, LOG2, "estrin")


@lane_function
def exp2_fast_phase(p: Lanes):
    """2**p for |p| < 1000: relative error below 2**-47, beyond that of p."""
    shifted = p + SIXTEENTHS
    return polynomial(p - (shifted - SIXTEENTHS), EXP2, "pairs") * exp2_sixteenths(bits(shifted))


# --- accurate phase: pairs of doubles -----------------------------------------------------------------------------------


@lane_function
def product(x: Lanes, y: Lanes):
    """x * y as a pair: exact but for 2**-106 of it. The heads have 26 bits, so that all partial products but one are exact."""
    x_head = from_bits(bits(x) & _FIRST_26_BITS)
    y_head = from_bits(bits(y) & _FIRST_26_BITS)
    x_tail = x - x_head
    y_tail = y - y_head
    high = x * y
    # In this order every sum but the last is exact (Dekker 1971).
    return high, ((x_head * y_head - high) + x_head * y_tail + x_tail * y_head) + x_tail * y_tail


@lane_function
def pair_product(x: Lanes, x_low: Lanes, y: Lanes, y_low: Lanes):
    """Product of two pairs, as a pair: relative error about 2**-102."""
    high, low = product(x, y)
    return fast_two_sum(high, low + (x * y_low + x_low * y))


@lane_function
def horner_step(constant: float, constant_low: float, x: Lanes, x_low: Lanes, y: Lanes, y_low: Lanes):
    """(constant + y) * x in pairs, |constant| > |y|."""
    total, error = fast_two_sum(constant, y)
    return pair_product(x, x_low, total, error + (constant_low + y_low))


@lane_function
def power_accurate_phase(x: Lanes, y: Lanes):
    """x**y for finite x > 0 and finite y, both in float64 lanes: an unevaluated sum, relative error below 2**-90.

    Exponents of the result beyond 1000 are held there. A power of two to an integer power is exact.

    log2(x) = e + T + T' + log2(1 + z): z = m * c - 1 is exact as a pair for every double m (cut into 24, 24 and 5 bits, times
    29 bits of c), a second, 18-bit, reciprocal brings |z| below 2**-8. The terms up to z**5 are pairs. 2**p = P * P' * 2**f
    with |f| <= 1/512 likewise, its terms up to f**3 in pairs.
    """
    # Subnormal doubles never come here: x is a float32 or an integer.
    m, exponent, offset = reduce_double(bits(x), FIRST_DOUBLE)
    index = offset >> 48
    c = lookup(RECIPROCALS, index)
    m_head = from_bits(bits(m) & _FIRST_24_BITS)
    m_rest = m - m_head
    m_middle = from_bits(bits(m_rest) & _FIRST_24_BITS)
    z, z_low = fast_two_sum(m_head * c - 1.0, m_middle * c)
    z_low = z_low + (m_rest - m_middle) * c

    step = bits(z * STEPS_PER_UNIT + ROUNDING_SHIFT)
    c = lookup(FINE_RECIPROCALS, step)
    z_head = from_bits(bits(z) & _FIRST_26_BITS)
    z, error = two_sum(z_head * c + (c - 1.0), (z - z_head) * c)
    z, z_low = fast_two_sum(z, error + z_low * c)
    table = (exponent + lookup(LOGARITHMS_HIGH, index)) + lookup(FINE_LOGARITHMS_HIGH, step)
    table_low = lookup(LOGARITHMS_LOW, index) + lookup(FINE_LOGARITHMS_LOW, step)

    high, low = fast_two_sum(LOG2_HIGH[4], LOG2_LOW[4] + z * polynomial(z, LOG2_TAIL, "horner"))
    high, low = pair_product(z, z_low, high, low)
    high, low = horner_step(LOG2_HIGH[3], LOG2_LOW[3], z, z_low, high, low)
    high, low = horner_step(LOG2_HIGH[2], LOG2_LOW[2], z, z_low, high, low)
    high, low = horner_step(LOG2_HIGH[1], LOG2_LOW[1], z, z_low, high, low)
    high, low = horner_step(LOG2_HIGH[0], LOG2_LOW[0], z, z_low, high, low)
    high, error = two_sum(table, high)
    high, low = fast_two_sum(high, error + (table_low + low))

    p, p_low = product(high, y)
    p, p_low = fast_two_sum(p, p_low + low * y)
    p_low = select(absolute(p) < 1000.0, p_low, 0.0)  # an infinite product has a NaN for its low part
    p = select(p > 1000.0, 1000.0, p)
    p = select(p < -1000.0, -1000.0, p)

    shifted = p + FINE_STEPS
    f, f_low = fast_two_sum(p - (shifted - FINE_STEPS), p_low)
    high, low = fast_two_sum(EXP2_HIGH[2], EXP2_LOW[2] + f * polynomial(f, EXP2_TAIL, "horner"))
    high, low = pair_product(f, f_low, high, low)
    high, low = horner_step(EXP2_HIGH[1], EXP2_LOW[1], f, f_low, high, low)
    high, low = horner_step(EXP2_HIGH[0], EXP2_LOW[0], f, f_low, high, low)
    index = bits(shifted)
    base, base_low = pair_product(
        lookup(EXP2_SIXTEENTHS_HIGH, index >> 4),
        lookup(EXP2_SIXTEENTHS_LOW, index >> 4),
        lookup(EXP2_FINE_HIGH, index),
        lookup(EXP2_FINE_LOW, index),
    )
    high, low = pair_product(base, base_low, high, low)
    high, error = fast_two_sum(base, high)
    high, low = fast_two_sum(high, error + (base_low + low))
    scale = from_bits(((index >> 8) << 52) + BINARY64_ONE)
    return high * scale, low * scale


# --- special cases ------------------------------------------------------------------------------------------------------


@lane_function
def is_whole(y: Lanes):
    """Mask of the float lanes that are whole numbers, infinities included."""
    return rint(y) == y


@lane_function
def is_odd(y: Lanes):
    """Mask of the float lanes that are odd whole numbers."""
    half = y * 0.5
    return (rint(y) == y) & (rint(half) != half)


@lane_function
def with_special_cases(power: Lanes, limit: Lanes, x: Lanes, y: Lanes, odd: Lanes, whole: Lanes):
    """C's special cases of pow(x, y) around ``power``: |x|**y, except in the lanes ``limit``, where that is 0 or infinity."""
    magnitude = absolute(x)
    direction = select(magnitude < 1.0, 0.0 - y, y)
    power = select(limit, 0.0, power)
    power = select(limit & (direction > 0.0), INFINITY, power)
    power = select(magnitude == 1.0, 1.0, power)
    power = select(odd, copy_sign(power, x), absolute(power))
    undefined = (x < 0.0) & (x > -INFINITY) & ~whole
    power = select(undefined | is_nan(x) | is_nan(y), NOT_A_NUMBER, power)
    return select((y == 0.0) | (x == 1.0), 1.0, power)


# --- exact mode, float bases --------------------------------------------------------------------------------------------


@lane_function
def float_power_fast_phase(x: Lanes, y: Lanes, missing: int, least: float):
    """|x|**y in double, its logarithm, and two masks: where it fails the rounding test, and where it is not the result."""
    p = y * log2_single(signed(bits(x)) & BINARY32_MAGNITUDE)
    power = exp2_fast_phase(p)
    fails = fails_rounding_test(power, FAST_PHASE_ERROR, missing)
    certain = (p > least) & (p < 126.0) & (bits(x) - BINARY32_LEAST_NORMAL < BINARY32_NORMALS)
    return power, p, fails, fails | ~certain


@lane_function
def float_power_from(power: Lanes, fails: Lanes, p: Lanes, x: Lanes, y: Lanes, odd: Lanes, whole: Lanes, least: float):
    """The wide value of x**y from the fast phase's |x|**y and its logarithm p: signs, limits, the accurate phase where needed.

    x**y can be a tie or exactly representable only where x is a power of two, which the accurate phase computes without error,
    or where 8 * y is whole: a number of up to 25 bits is at most a 15th power, and a float32 at most an eighth.
    """
    x = convert(x, "float64")
    magnitude = absolute(x)
    # Beyond 2**200 every format has overflowed or reached zero. For subnormal x, p is off, by a sixth at most.
    finite = (magnitude > 0.0) & (magnitude < INFINITY) & (absolute(p) < 200.0)
    accurate = finite & (fails | ~((p > least) & (p < 126.0)) | (magnitude < 2.0**-126))
    # First the common reason to be here: a finite negative base.
    signs = select(x < 0.0, select(whole, select(odd, 0.0 - power, power), NOT_A_NUMBER), power)
    if any_lane(accurate | ~finite):
        if any_lane(accurate):
            exponent = select(accurate, y, 1.0)
            high, low = power_accurate_phase(select(accurate, magnitude, 1.0), exponent)
            exact = is_whole(8.0 * exponent) & (absolute(low) < NEAR_EXACT * high)
            power = select(accurate, round_to_odd(high, select(exact, 0.0, low)), power)
        signs = with_special_cases(power, ~finite, x, y, odd, whole)
    return signs


@lane_function
def power_to_float(x: Lanes, exponent: Lanes, missing: int, least: float):
    """x**exponent for float32 x and a float exponent of any width: wide value."""
    y = convert(exponent, "float64")
    power, p, fails, retry = float_power_fast_phase(x, y, missing, least)
    if any_lane(retry):
        power = float_power_from(power, fails, p, x, y, is_odd(y), is_whole(y), least)
    return power


@lane_function
def power_to_whole(x: Lanes, exponent: Lanes, missing: int, least: float):
    """x**exponent for float32 x and an integer exponent: wide value.

    Beyond 2**53 the conversion of the exponent may round, but then the result is 0, 1 or infinite either way; only its parity
    matters, and that is read from the integer.
    """
    y = convert(exponent, "float64")
    power, p, fails, retry = float_power_fast_phase(x, y, missing, least)
    if any_lane(retry):
        power = float_power_from(power, fails, p, x, y, (exponent & 1) != 0, exponent == exponent, least)
    return power


def pow_f32(x, y):
    return power_to_float(x, y, BINARY32_MISSING, LEAST_SINGLE)


def pow_f16(x, y):
    return power_to_float(x, y, BINARY16_MISSING, LEAST_HALF)


def pow_bf16(x, y):
    return power_to_float(x, y, BFLOAT16_MISSING, LEAST_SINGLE)


def whole_pow_f32(x, y):
    return power_to_whole(x, y, BINARY32_MISSING, LEAST_SINGLE)


def whole_pow_f16(x, y):
    return power_to_whole(x, y, BINARY16_MISSING, LEAST_HALF)


def whole_pow_bf16(x, y):
    return power_to_whole(x, y, BFLOAT16_MISSING, LEAST_SINGLE)


@lane_function
def power_to_scalar(x: Lanes, exponent: Lanes, missing: int, least: float):
    """As :func:`power_to_whole` for one exponent in all lanes: a square is exact in double."""
    if all_lanes(exponent == 2):
        wide = convert(x, "float64")
        power = wide * wide
    else:
        power = power_to_whole(x, exponent, missing, least)
    return power


def powi_f32(x, exponent):
    return power_to_scalar(x, exponent, BINARY32_MISSING, LEAST_SINGLE)


def powi_f16(x, exponent):
    return power_to_scalar(x, exponent, BINARY16_MISSING, LEAST_HALF)


def powi_bf16(x, exponent):
    return power_to_scalar(x, exponent, BFLOAT16_MISSING, LEAST_SINGLE)


# --- exact mode, float64 bases ------------------------------------------------------------------------------------------


@lane_function
def binary64_fast_phase(x: Lanes, y: Lanes):
    """|x|**y, the mask where that is uncertain, about y * log|x|, perhaps a NaN, and the mask where it is not the result."""
    pattern = bits(x) & BINARY64_MAGNITUDE
    special = bits(x) - LEAST_NORMAL >= NORMALS
    if any_lane(special):
        pattern = scaled_pattern(x, pattern)
    power, uncertain, p = power_fast_phase(pattern, y)
    return power, uncertain, p, uncertain | special


@lane_function
def binary64_fast_mode(x: Lanes, y: Lanes):
    """The same of fast mode."""
    pattern = bits(x) & BINARY64_MAGNITUDE
    special = bits(x) - LEAST_NORMAL >= NORMALS
    if any_lane(special):
        pattern = scaled_pattern(x, pattern)
    power, p = fast_mode_power(pattern, y)
    uncertain = ~(absolute(p) < NORMAL_LIMIT)
    return power, uncertain, p, uncertain | special


@lane_function
def has_finite_power(x: Lanes, p: Lanes):
    """Mask of the lanes where |x|**y, p about its logarithm, is computed: elsewhere it is 0, infinite or a special case."""
    magnitude = absolute(x)
    return (magnitude > 0.0) & (magnitude < INFINITY) & (absolute(p) < POWER_LIMIT)


def pow_f64(x, exponent):
    """x**exponent, finally rounded, for float64 x and a float exponent of any width."""
    y = convert(exponent, "float64")
    power, uncertain, p, retry = binary64_fast_phase(x, y)
    if any_lane(retry):
        finite = has_finite_power(x, p)
        power = recompute(finite & uncertain, power, exact_float_power, x, y)
        power = with_special_cases(power, ~finite, x, y, is_odd(y), is_whole(y))
    return power


def pow_f64_fast(x, exponent):
    y = convert(exponent, "float64")
    power, uncertain, p, retry = binary64_fast_mode(x, y)
    if any_lane(retry):
        finite = has_finite_power(x, p)
        power = recompute(finite & uncertain, power, exact_float_power, x, y)
        power = with_special_cases(power, ~finite, x, y, is_odd(y), is_whole(y))
    return power


@lane_function
def whole_pow_f64(x, exponent):
    """x**exponent, finally rounded, for float64 x and an integer exponent that float64 holds."""
    y = convert(exponent, "float64")
    power, uncertain, p, retry = binary64_fast_phase(x, y)
    if any_lane(retry):
        finite = has_finite_power(x, p)
        power = recompute(finite & uncertain, power, exact_float_power, x, y)
        power = with_special_cases(power, ~finite, x, y, (exponent & 1) != 0, exponent == exponent)
    return power


@lane_function
def whole_pow_f64_fast(x, exponent):
    y = convert(exponent, "float64")
    power, uncertain, p, retry = binary64_fast_mode(x, y)
    if any_lane(retry):
        finite = has_finite_power(x, p)
        power = recompute(finite & uncertain, power, exact_float_power, x, y)
        power = with_special_cases(power, ~finite, x, y, (exponent & 1) != 0, exponent == exponent)
    return power


def long_pow_f64(x, exponent):
    """The same for exponents of 64 bits: where the conversion may have rounded, the accurate phase takes the integer itself.

    Its error, 2**-53 of y * log|x|, is harmless where the result is a limit.
    """
    y = convert(exponent, "float64")
    power, uncertain, p, retry = binary64_fast_phase(x, y)
    rounded = absolute(y) >= INEXACT_WHOLE
    if any_lane(retry | rounded):
        finite = has_finite_power(x, p)
        power = recompute(finite & (uncertain | rounded), power, exact_whole_power, x, exponent)
        power = with_special_cases(power, ~finite, x, y, (exponent & 1) != 0, exponent == exponent)
    return power


def long_pow_f64_fast(x, exponent):
    y = convert(exponent, "float64")
    power, uncertain, p, retry = binary64_fast_mode(x, y)
    rounded = absolute(y) >= INEXACT_WHOLE
    if any_lane(retry | rounded):
        finite = has_finite_power(x, p)
        power = recompute(finite & (uncertain | rounded), power, exact_whole_power, x, exponent)
        power = with_special_cases(power, ~finite, x, y, (exponent & 1) != 0, exponent == exponent)
    return power


@lane_function
def powi_f64(x, exponent):
    """x**exponent for one exponent in all lanes: a square is one rounded product."""
    return x * x if all_lanes(exponent == 2) else whole_pow_f64(x, exponent)


def powi_f64_fast(x, exponent):
    return x * x if all_lanes(exponent == 2) else whole_pow_f64_fast(x, exponent)


# --- fast mode, float bases ---------------------------------------------------------------------------------------------
#
# In float32 lanes. The logarithm has a relative error of 2**-32, in two float32: y * log2(x) reaches 127, and its error becomes
# one of the result. A product is exact with and without fused multiply-adds where both factors have 12 bits, so that a factor
# whose low bits count is cut in a head and a tail.
#
# Errors, without fused multiply-adds: the logarithm 2**-31.1 at most, from the constant term of the polynomial and its product
# with z, times ln(2) * 126, and that of 2**f: together below 2.5 ulp, which is 2 from the correctly rounded result.

FAST_MODE_FIRST = power_fast_mode.FIRST
FAST_MODE_RECIPROCALS = power_fast_mode.RECIPROCALS
FAST_MODE_LOGARITHMS_HIGH = power_fast_mode.LOGARITHMS_HIGH
FAST_MODE_LOGARITHMS_LOW = power_fast_mode.LOGARITHMS_LOW
INVERSE_LN2_HIGH = power_fast_mode.INVERSE_LN2_HIGH
INVERSE_LN2_LOW = power_fast_mode.INVERSE_LN2_LOW
FAST_MODE_LOG2_TAIL = power_fast_mode.LOG2_TAIL
FAST_MODE_LOG2_TAIL_0 = FAST_MODE_LOG2_TAIL[0]


@lane_function
def head_of(x: Lanes):
    """The upper 12 bits of float32 lanes; what is left is exact, and has 12 bits."""
    return from_bits(bits(x) & _FIRST_12_BITS)


@lane_function
def log2_fast_mode(pattern: Lanes):
    """log2 of positive normal float32 numbers, given by their bits as int32 lanes: a head of 12 bits and a tail."""
    m, exponent, offset = reduce_single(pattern, FAST_MODE_FIRST)
    index = offset >> 18
    c = lookup_single(FAST_MODE_RECIPROCALS, index)
    m_head = head_of(m)
    # m * c - 1 as a head and a tail, both exact, and rounded. Here and below a product of heads inside a sum is exact, too.
    m_tail = m - m_head
    first = mul_add(m_head, c, -1.0)
    z = mul_add(m_tail, c, first)
    z_head = head_of(z)
    z_tail = mul_add(m_tail, c, first - z_head)
    # log2(1 + z) = z * (factor + factor_tail), with a factor that leaves a small tail.
    factor = head_of(mul_add(z, FAST_MODE_LOG2_TAIL_0, INVERSE_LN2_HIGH))
    polynomial_tail = polynomial(z, FAST_MODE_LOG2_TAIL, "fused horner")
    factor_tail = mul_add(polynomial_tail, z, INVERSE_LN2_HIGH - factor) + INVERSE_LN2_LOW
    # The table's part is larger, or nothing.
    table = mul_add(convert(exponent, "float32"), 2.0**-23, lookup_single(FAST_MODE_LOGARITHMS_HIGH, index))
    total = mul_add(z_head, factor, table)
    error = mul_add(z_head, factor, table - total)
    low = mul_add(z, factor_tail, mul_add(z_tail, factor, lookup_single(FAST_MODE_LOGARITHMS_LOW, index)))
    head = head_of(total)
    return head, (total - head) + (error + low)


@lane_function
def power_fast_mode_of(pattern: Lanes, y: Lanes, head: Lanes, tail: Lanes):
    """x**(head + tail) for positive normal x, given by its bits, and its rounded logarithm.

    The head has 12 bits, y is the sum rounded. It holds for results that are normal: where the logarithm is between -125.5
    and 125.5.
    """
    logarithm, logarithm_tail = log2_fast_mode(pattern)
    low = mul_add(tail, logarithm, y * logarithm_tail)
    shifted = mul_add(head, logarithm, low) + BINARY32_ROUNDING_SHIFT
    whole = shifted - BINARY32_ROUNDING_SHIFT
    f = mul_add(head, logarithm, -whole) + low
    return from_bits(bits(exp2m1_fast_mode(f) + 1.0) + (bits(shifted) << 23)), whole


@lane_function
def float_power_fast_mode(x: Lanes, y: Lanes, head: Lanes, tail: Lanes):
    """|x|**(head + tail) as float32 lanes, and the mask where it does not hold: x or the result not normal, or x negative."""
    power, logarithm = power_fast_mode_of(signed(bits(x)), y, head, tail)
    return power, ~(absolute(logarithm) < 125.5) | (bits(x) - BINARY32_LEAST_NORMAL >= BINARY32_NORMALS)


@lane_function
def double_power_fast_mode(x: Lanes, y: Lanes):
    """The same for an exponent in float64 lanes."""
    nearest = convert(y, "float32")
    head = head_of(nearest)
    return float_power_fast_mode(x, nearest, head, convert(y - convert(head, "float64"), "float32"))


@lane_function
def float_power_any_fast_mode(x: Lanes, y: Lanes, odd: Lanes, whole: Lanes, narrow: bool):
    """x**y in float32 lanes for every operand, to well below 1 ulp before the rounding; ``narrow``: rounded to odd.

    A half type is rounded once more: at its overflow threshold, which is a tie, the first rounding must not decide.
    """
    x = convert(x, "float64")
    magnitude = absolute(x)
    limit = ~((magnitude > 0.0) & (magnitude < INFINITY) & (absolute(y) < INFINITY))
    p = select(limit, 0.0, y) * log2_double(select(limit, 1.0, magnitude))
    p = select(p > 200.0, 200.0, p)
    p = select(p < -200.0, -200.0, p)
    wide = with_special_cases(exp2_fast_phase(p), limit, x, y, odd, whole)
    return double_to_single_odd(wide) if narrow else convert(wide, "float32")


@lane_function
def power_fast_mode_to_float(x: Lanes, exponent: Lanes, narrow: bool):
    """x**exponent for float32 exponents."""
    head = head_of(exponent)
    power, retry = float_power_fast_mode(x, exponent, head, exponent - head)
    if any_lane(retry):
        y = convert(exponent, "float64")
        power = select(retry, float_power_any_fast_mode(x, y, is_odd(y), is_whole(y), narrow), power)
    return power


@lane_function
def power_fast_mode_to_double(x: Lanes, y: Lanes, narrow: bool):
    """x**y for float64 exponents."""
    power, retry = double_power_fast_mode(x, y)
    if any_lane(retry):
        power = select(retry, float_power_any_fast_mode(x, y, is_odd(y), is_whole(y), narrow), power)
    return power


@lane_function
def power_fast_mode_to_whole(x: Lanes, exponent: Lanes, narrow: bool):
    """x**exponent for integer exponents."""
    y = convert(exponent, "float64")
    power, retry = double_power_fast_mode(x, y)
    if any_lane(retry):
        power = select(retry, float_power_any_fast_mode(x, y, (exponent & 1) != 0, exponent == exponent, narrow), power)
    return power


@lane_function
def power_fast_mode_to_scalar(x: Lanes, exponent: Lanes, narrow: bool):
    """As :func:`power_fast_mode_to_whole` for one exponent in all lanes."""
    return x * x if all_lanes(exponent == 2) else power_fast_mode_to_whole(x, exponent, narrow)


def pow_fast(x, y):
    return power_fast_mode_to_float(x, y, False)


def pow_fast_narrow(x, y):
    return power_fast_mode_to_float(x, y, True)


def pow_double_fast(x, y):
    return power_fast_mode_to_double(x, y, False)


def pow_double_fast_narrow(x, y):
    return power_fast_mode_to_double(x, y, True)


def whole_pow_fast(x, y):
    return power_fast_mode_to_whole(x, y, False)


def whole_pow_fast_narrow(x, y):
    return power_fast_mode_to_whole(x, y, True)


def powi_fast(x, exponent):
    return power_fast_mode_to_scalar(x, exponent, False)


def powi_fast_narrow(x, exponent):
    return power_fast_mode_to_scalar(x, exponent, True)


# --- integer bases ------------------------------------------------------------------------------------------------------
#
# The real value of x**y, truncated toward zero and saturated. Exponents 0, 1, 2 ... up to 62 or 63 go through one chain of
# squares. What else there is becomes such a case before it: base and exponent are replaced by others with the same result.


@lane_function
def root_of_power(x: Lanes, y: Lanes, active: Lanes):
    """``(root, exponent)`` with x**y = root**exponent, and a whole exponent wherever x**y is whole (uint64 and float64 lanes).

    x >= 2. For a fractional exponent n / 2**j the power is whole only where x is the 2**j-th power of an integer, and then j is
    at most 5.
    """
    fraction = active & (rint(y) != y)
    while any_lane(fraction):
        root = convert(rint(sqrt(convert(x, "float64"))), "uint64")
        squared = fraction & (root * root == x)
        x = select(squared, root, x)
        y = select(squared, y + y, y)
        fraction = squared & (rint(y) != y)
    return x, y


@lane_function
def fractional_power_fast_phase(x: Lanes, y: Lanes, active: Lanes, length: float):
    """floor(x**y) in uint64 lanes, for uint64 lanes x >= 2 and fractional float64 y > 0, and the mask where it is uncertain.

    It decides where the power is below 2**40 and not within 2**-42 of a whole number. Of a power of 2**length or more, with a
    length from 32 to 64, no more than that is certain; the lanes hold at most 2**64 - 1.
    """
    base = convert(x, "float64")
    p = y * log2_double(base)
    p = select(p > 100.0, 100.0, p)
    power = exp2_fast_phase(p)
    # Below 2**40, the whole number is what stands in the low bits of its sum with 2**52.
    result = select(p < 40.0, bits(floor(power) + 2.0**52) & 0xFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
    near_whole = absolute(power - rint(power)) <= power * 2.0**-42
    # For exponents up to 1/64 the power is below 2, for all of these x.
    short = y <= 0.015625
    return select(short, 1, result), active & ~short & (p < length + 0.5) & (near_whole | (p >= 40.0))


@lane_function
def whole_fractional_power(x: Lanes, y: Lanes, result: Lanes, retry: Lanes):
    """The result of :func:`fractional_power_fast_phase` where x**y is whole, and the mask of the other uncertain lanes.

    There x**y is irrational.
    """
    root, exponent = root_of_power(x, y, retry)
    exact = retry & (rint(exponent) == exponent)
    if any_lane(exact):
        # The root is at least 2.
        n = convert(select(exact, select(exponent > 63.0, 63.0, exponent), 0.0), "int64")
        saturates = above_unsigned_limit(root, n) | (exponent > 63.0)
        result = select(exact, select(saturates, 0xFFFFFFFFFFFFFFFF, whole_power(root, n, 1)), result)
    return result, retry & ~exact


@lane_function
def fractional_power_accurate_phase(x: Lanes, y: Lanes):
    """floor(x**y) by the accurate phase, and the mask where it is uncertain.

    That errs by 2**-90 of the power, and the sum of the parts behind the point by 2**-53. An x beyond 2**53 takes two doubles.
    It has exponents of at most 64/53 before the power reaches 2**64, so its low part is the factor 1 + y * x_low / x, to within
    2**-105.
    """
    base = convert(x, "float64")
    x_low = (convert(x >> 32, "float64") * 2.0**32 - base) + convert(x & 0xFFFFFFFF, "float64")
    high, low = power_accurate_phase(base, y)
    high, low = fast_two_sum(high, low + high * (y * (x_low / base)))
    whole = floor(high)
    rest = (high - whole) + low
    carried = floor(rest)
    fraction = rest - carried
    margin = high * 2.0**-88 + 2.0**-52
    fails = (fraction < margin) | (fraction > 1.0 - margin) | (high == 2.0**64)
    result = convert(whole, "uint64") + unsigned(convert(carried, "int64"))
    return select(high >= 2.0**64, 0xFFFFFFFFFFFFFFFF, result), fails


@lane_function
def fractional_power(x: Lanes, y: Lanes, active: Lanes):
    """floor(x**y) in uint64 lanes, at most 2**64 - 1, where ``active``: uint64 lanes x >= 2, and a fractional float64 y > 0."""
    x = select(active, x, 2)
    y = select(active, y, 0.5)
    result, retry = fractional_power_fast_phase(x, y, active, 64.0)
    if any_lane(retry):
        result, retry = whole_fractional_power(x, y, result, retry)
        if any_lane(retry):
            accurate, fails = fractional_power_accurate_phase(x, y)
            fails = fails & retry
            if any_lane(fails):
                accurate = unsigned(recompute(fails, signed(accurate), floor_power, x, y))
            result = select(retry, accurate, result)
    return result


@lane_function
def narrow_fractional_power(x: Lanes, y: Lanes, active: Lanes):
    """The same for x below 2**32, exact for results below that.

    So few lanes are left uncertain that wide integers decide them at once: where the power is next to 2**32, 1 in 500.
    """
    x = select(active, x, 2)
    y = select(active, y, 0.5)
    result, retry = fractional_power_fast_phase(x, y, active, 32.0)
    if any_lane(retry):
        result, retry = whole_fractional_power(x, y, result, retry)
        if any_lane(retry):
            result = unsigned(recompute(retry, signed(result), floor_power, x, y))
    return result


def _narrow_integer_kernels(short):
    """The kernels for bases of up to 32 bits, with exponents that are integers and floats.

    The chain runs in float lanes whose significand is longer than the type: what they round is far beyond its limits.
    """
    element = FORMATS[short].element
    if FORMATS[short].bits == 32:
        lanes, integers, shift = "float64", "int64", ROUNDING_SHIFT
    else:
        lanes, integers, shift = "float32", "int32", BINARY32_ROUNDING_SHIFT

    def pow_integer_to_whole(x, exponent):
        base = convert(x, lanes)
        n = exponent
        negative = exponent < 0
        if any_lane(negative | (exponent > 62)):
            # An exponent of the same parity; a base of 0 becomes infinite. The power is 0, 1, -1 or beyond every limit.
            n = select(negative, 2 - (exponent & 1), select(exponent > 62, (exponent & 1) + 62, exponent))
            magnitude = absolute(base)
            base = select(negative, select(magnitude > 1.0, 0.0, select(magnitude < 1.0, INFINITY, base)), base)
        return convert(whole_power(base, convert(n, integers), 1.0), element)

    def pow_integer_to_float(x, exponent):
        base = convert(x, lanes)
        y = exponent
        if any_lane(~((exponent >= 0.0) & (exponent <= 62.0) & is_whole(exponent))):
            whole, odd, negative = is_whole(exponent), is_odd(exponent), exponent < 0.0
            y = select(negative, 2.0, select(exponent > 62.0, 62.0, exponent))
            y = select(odd & (exponent > 62.0), 63.0, select(whole & ~(odd & negative), y, 1.0))
            magnitude = absolute(base)
            base = select(negative, select(magnitude > 1.0, 0.0, select(magnitude < 1.0, INFINITY, base)), base)
            # No real value: 0.
            base = select(whole | (base == 1.0) | ~((base < 0.0) | is_nan(exponent)), base, 0.0)
            fraction = ~whole & (exponent > 0.0) & (base > 1.0)
            if any_lane(fraction):
                power = narrow_fractional_power(unsigned(convert(x, "int64")), convert(exponent, "float64"), fraction)
                power = select(power > 0x1FFFFFFFF, 0x1FFFFFFFF, power)
                base = select(fraction, convert(signed(power), lanes), base)
        n = signed(bits(convert(y, lanes) + shift)) & 63
        return convert(whole_power(base, n, 1.0), element)

    return pow_integer_to_whole, pow_integer_to_float


def _wide_integer_kernels(short):
    """The kernels for bases of 64 bits: the chain wraps, and a table of the largest bases says where it must not."""
    element = FORMATS[short].element
    smallest, largest = FORMATS[short].limits
    longest = 62 if smallest else 63
    above_limit = above_signed_limit if smallest else above_unsigned_limit

    @lane_function
    def saturating_power(x, n):
        negative = x < 0
        above = above_limit(unsigned(select(negative, 0 - x, x)), n)
        return select(above, select(negative & ((n & 1) != 0), smallest, (x & 0) + largest), whole_power(x, n, 1))

    @lane_function
    def stand_in(x, negative, odd):
        """A base with the same result for the exponent 1 or 2 (of the same parity), where that is negative or too long."""
        magnitude = unsigned(select(x < 0, 0 - x, x))
        beyond = select(negative, 0, select((x < 0) & odd, smallest, (x & 0) + largest))
        return select((magnitude > 1), beyond, select(negative & (x == 0), largest, x))

    def pow_integer_to_whole(x, exponent):
        n = exponent
        rare = (exponent < 0) | (exponent > longest)
        if any_lane(rare):
            n = select(rare, 2 - (exponent & 1), exponent)
            x = select(rare, stand_in(x, exponent < 0, (exponent & 1) != 0), x)
        return saturating_power(x, convert(n, "int64"))

    def pow_integer_to_float(x, exponent):
        y = convert(exponent, "float64")
        n = y
        rare = ~((y >= 0.0) & (y <= longest) & is_whole(y))
        if any_lane(rare):
            whole, odd, negative = is_whole(y), is_odd(y), y < 0.0
            n = select(whole & ~(rare & odd), select(rare, 2.0, y), 1.0)
            # What is left without a real value is 0.
            other = select(x == 1, x, 0)
            other = select(negative & (x == 0), largest, other)
            fraction = ~whole & (y > 0.0) & (x > 1)
            if any_lane(fraction):
                power = fractional_power(unsigned(x), y, fraction)
                power = select(power > largest, largest, power)
                other = select(fraction, convert(power, element), other)
            x = select(whole, select(rare, stand_in(x, negative, odd), x), other)
        return saturating_power(x, signed(bits(n + ROUNDING_SHIFT)) & 63)

    return pow_integer_to_whole, pow_integer_to_float


def _integer_kernel(short, whole_exponent):
    """The kernel for integer bases of one type."""
    kernels = (_wide_integer_kernels if FORMATS[short].bits == 64 else _narrow_integer_kernels)(short)
    exponent = "whole" if whole_exponent else "float"
    return Kernel(kernels[0 if whole_exponent else 1], name=f"{__name__}:{FORMATS[short].element} to a {exponent} exponent")


# --- powi_backward ------------------------------------------------------------------------------------------------------


def powi_backward_f32(x, upstream, exponent):
    power = convert(power_to_scalar(x, convert(exponent, "int64") - 1, BINARY32_MISSING, LEAST_SINGLE), "float32")
    return select(exponent == 0, 0.0, (upstream * convert(exponent, "float32")) * power)


def powi_backward_f16(x, upstream, exponent):
    # A whole number that float32 rounds overflows binary16 anyway: through float32 it is rounded once.
    power = power_to_scalar(x, convert(exponent, "int64") - 1, BINARY16_MISSING, LEAST_HALF)
    power = from_half(to_half(double_to_single_odd(power)))
    factor = from_half(to_half(convert(exponent, "float32")))
    return select(exponent == 0, 0.0, from_half(to_half(upstream * factor)) * power)


def powi_backward_bf16(x, upstream, exponent):
    power = power_to_scalar(x, convert(exponent, "int64") - 1, BFLOAT16_MISSING, LEAST_SINGLE)
    power = bfloat16_to_single(single_to_bfloat16(double_to_single_odd(power)))
    factor = bfloat16_to_single(single_to_bfloat16(double_to_single_odd(convert(exponent, "float64"))))
    return select(exponent == 0, 0.0, bfloat16_to_single(single_to_bfloat16(upstream * factor)) * power)


def powi_backward_f64(x, upstream, exponent):
    power = powi_f64(x, convert(exponent, "int64") - 1)
    return select(exponent == 0, 0.0, (upstream * convert(exponent, "float64")) * power)


# --- declarations -------------------------------------------------------------------------------------------------------

_TO_FLOAT = {
    "f64": Kernel(pow_f64, pow_f64_fast, registers=2),
    "f32": Kernel(pow_f32, pow_fast, registers=2),
    "f16": Kernel(pow_f16, pow_fast_narrow),
    "bf16": Kernel(pow_bf16, pow_fast_narrow),
}
_TO_DOUBLE = {
    "f64": Kernel(pow_f64, pow_f64_fast, registers=2),
    "f32": Kernel(pow_f32, pow_double_fast, registers=2),
    "f16": Kernel(pow_f16, pow_double_fast_narrow),
    "bf16": Kernel(pow_bf16, pow_double_fast_narrow),
}
_TO_WHOLE = {
    "f64": Kernel(whole_pow_f64, whole_pow_f64_fast, registers=2),
    "f32": Kernel(whole_pow_f32, whole_pow_fast, registers=2),
    "f16": Kernel(whole_pow_f16, whole_pow_fast_narrow),
    "bf16": Kernel(whole_pow_bf16, whole_pow_fast_narrow),
}
_TO_SCALAR = {
    "f64": Kernel(powi_f64, powi_f64_fast, registers=2),
    "f32": Kernel(powi_f32, powi_fast, registers=2),
    "f16": Kernel(powi_f16, powi_fast_narrow),
    "bf16": Kernel(powi_bf16, powi_fast_narrow),
}
_TO_LONG = {"f64": Kernel(long_pow_f64, long_pow_f64_fast, registers=2)}
_BACKWARD = {
    "f64": Kernel(powi_backward_f64),
    "f32": Kernel(powi_backward_f32),
    "f16": Kernel(powi_backward_f16),
    "bf16": Kernel(powi_backward_bf16),
}
_INTEGER = {(short, whole): _integer_kernel(short, whole) for short in INTEGERS for whole in (False, True)}


def _pow_kernel(inputs, output, choices):
    base, exponent = inputs
    whole = exponent.kind != "f"
    if base.kind != "f":
        return _INTEGER[base.short, whole]
    if base.short == "f64" and exponent.short in ("i64", "u64"):
        return _TO_LONG["f64"]
    table = _TO_WHOLE if whole else _TO_DOUBLE if exponent.short == "f64" else _TO_FLOAT
    return table[base.short]


def _powi_kernel(inputs, output, choices):
    return _TO_SCALAR[output.short]


def _powi_backward_kernel(inputs, output, choices):
    return _BACKWARD[output.short]


_EXPONENT = Attribute("exp", "int32", summary="the exponent")

OPERATORS = (
    Operator(
        "pow",
        "x to the power of the exponent, rounded once",
        "c",
        NUMERIC,
        _pow_kernel,
        (
            Operand("x", in_place=True, summary="the base"),
            Operand("exponent", role="own type", types=NUMERIC, summary="the exponent"),
        ),
        aliases=("power",),
        onnx="Pow",
        opset=7,
        special=(
            "pow(x, 0) = 1 for every x, NaN too, and pow(1, y) = 1 for every y",
            "other special cases are those of C's pow",
            "the exponent is taken exactly, never narrowed first",
            "integer bases: the real value, truncated toward zero and saturated to the type; 0 where there is none",
        ),
    ),
    Operator(
        "powi",
        "x to the power of the whole number exp, rounded once",
        "c",
        FLOATS,
        _powi_kernel,
        attributes=(_EXPONENT,),
        special=("exp=0 gives 1 for every x, NaN too",),
    ),
    Operator(
        "powi_backward",
        "the gradient of powi, mul(mul(upstream, exp), powi(x, exp - 1)), each step rounded to the dtype",
        "d",
        FLOATS,
        _powi_backward_kernel,
        (
            Operand("x", in_place=True, summary="operand of powi"),
            Operand("upstream", in_place=True, summary="gradient of the result of powi"),
        ),
        attributes=(_EXPONENT,),
        special=(
            "exp=0 gives +0",
            "exp - 1 is taken in 64 bits",
            "exp is rounded to the dtype, which may overflow to infinity",
        ),
    ),
)
