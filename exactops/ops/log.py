"""log: the natural logarithm."""

from exactops.lanes import (
    Lanes,
    any_lane,
    bits,
    convert,
    from_bits,
    lane_function,
    lookup,
    mul_add,
    polynomial,
    recompute,
    scalar_function,
    select,
    signed,
)
from exactops.numerics.binary64.fixed_point import decompose, round_to_binary64
from exactops.numerics.binary64.logarithm import (
    FIELD_BIAS,
    FRACTION,
    LEAST_NORMAL,
    NORMALS,
    exponent_of,
    log_fixed,
    logarithm_pair,
    scaled_pattern,
)
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.tables import logarithm as binary64
from exactops.numerics.constants import BINARY32_LEAST_NORMAL, BINARY32_NORMALS, INFINITY, NOT_A_NUMBER, leading_bits
from exactops.numerics.logarithm import binary64_pattern, reduce_double, reduce_single
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.numerics.rounding_test import BINARY32_MISSING, fails_rounding_test
from exactops.numerics.tables.log import (
    ACCURATE,
    FAST_MODE,
    FAST_MODE_FIRST,
    FAST_MODE_LN2_HIGH,
    FAST_MODE_LN2_LOW,
    FAST_PHASE,
    FIRST,
    LN2_HIGH,
    LN2_LOW,
    LN2_SHIFTED,
    LOGARITHMS,
    RECIPROCALS,
)
from exactops.table.formats import FLOATS
from exactops.table.operator import Kernel, Operator

BINARY64_FAST_PHASE_ERROR = binary64.FAST_PHASE_ERROR
BINARY64_LN2_HIGH = binary64.LN2_HIGH
BINARY64_LN2_LOW = binary64.LN2_LOW
BINARY64_FAST_MODE_FIRST = binary64.FAST_MODE_FIRST
BINARY64_FAST_MODE_RECIPROCALS = binary64.FAST_MODE_RECIPROCALS
BINARY64_FAST_MODE_LOGARITHMS = binary64.FAST_MODE_LOGARITHMS
BINARY64_FAST_MODE_TAIL = binary64.FAST_MODE_TAIL
_FIRST_24_BITS = leading_bits(24)

FIRST_DOUBLE = binary64_pattern(FIRST)
#: The fast phase is good to 2**-36.
FAST_PHASE_ERROR = 1 << 17


def log(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    The fast phase is good to 2**-36. That decides the rounding of all but about one float32 result in 2,000; for those, and for
    subnormal and special operands, the lanes are computed again. No float16 or bfloat16 result needs more (all were tried).
    """
    m, exponent, offset = reduce_single(signed(bits(x)), FIRST)
    index = offset >> 19
    z = convert(m, "float64") * lookup(RECIPROCALS, index) - 1.0
    table = convert(exponent, "float64") * LN2_SHIFTED + lookup(LOGARITHMS, index)
    y = (table + z) + (z * z) * polynomial(z, FAST_PHASE, "pairs")
    special = bits(x) - BINARY32_LEAST_NORMAL >= BINARY32_NORMALS
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | special
    if any_lane(retry):
        y = select(retry, log_accurate_phase(x), y)
    return y


@lane_function
def log_accurate_phase(x: Lanes):
    """ln(x) of float32 lanes as a wide value that rounds correctly for every input, special values included.

    ln(x) = e * ln2 + T + ln(1 + z) with z = m * c - 1 and e * LN2_HIGH + T exact, their sum exact as a pair. The error is below
    2**-58 of the result, where the hardest float32 input is 2**-57.78 away from a rounding boundary; all were tried.
    """
    x = convert(x, "float64")
    m, exponent, offset = reduce_double(bits(x), FIRST_DOUBLE)
    index = offset >> 48
    z = m * lookup(RECIPROCALS, index) - 1.0
    high, low = fast_two_sum(exponent * LN2_HIGH + lookup(LOGARITHMS, index), z)
    high, low = fast_two_sum(high, low + (exponent * LN2_LOW + polynomial(z, ACCURATE, "horner") * (z * z)))
    return log_special_cases(x, round_to_odd(high, low))


def log_binary64(x: Lanes):
    """Exact mode, float64 lanes, finally rounded.

    The fast phase is good to 2**-67.4 of the result, which decides all but one in 20,000; the accurate phase decides those.
    """
    pattern = bits(x)
    special = pattern - LEAST_NORMAL >= NORMALS
    if any_lane(special):
        pattern = scaled_pattern(x, pattern)
    high, low, _ = logarithm_pair(pattern)
    y, fails = round_and_test(high, low, high * BINARY64_FAST_PHASE_ERROR)
    retry = fails | special
    if any_lane(retry):
        y = recompute(fails & (x > 0.0) & (x < INFINITY), y, log_accurate_phase_binary64, x)
        y = log_special_cases(x, y)
    return y


@scalar_function
def log_accurate_phase_binary64(x):
    """ln(x) of a finite positive float64, rounded once.

    The relative error is below 2**-188. The logarithm of a rational number other than 1 is transcendental: there are no ties.
    Complete searches found no double whose logarithm comes nearer to a rounding boundary than 2**-115, relatively.
    """
    significand, exponent = decompose(x)
    s, e = log_fixed(significand, exponent)
    negative = s < 0
    if negative:
        s = 0 - s
    return round_to_binary64(negative, s, e)


@lane_function
def log_special_cases(x: Lanes, y: Lanes):
    """``y``, but the special values of log where x is a zero, negative, infinite or a NaN."""
    y = select(x < INFINITY, y, x)  # NaN too
    y = select(x < 0.0, NOT_A_NUMBER, y)
    return select(x == 0.0, -INFINITY, y)


def log_fast(x: Lanes):
    """Fast mode, float32 lanes: m in [2/3, 4/3) without a table, ln2 as a pair whose high part times e is exact."""
    pattern = bits(x)
    if any_lane(pattern - BINARY32_LEAST_NORMAL >= BINARY32_NORMALS):
        # Subnormals are scaled; the rest only has to stay harmless until the selection at the end.
        scaled = bits(x * 2.0**23) - (23 << 23)
        pattern = select(pattern < BINARY32_LEAST_NORMAL, scaled, pattern)
    m, exponent, _ = reduce_single(signed(pattern), FAST_MODE_FIRST)
    z = m - 1.0
    e = convert(exponent, "float32")
    y = mul_add(mul_add(polynomial(z, FAST_MODE, "fused pairs"), z, -0.5), z * z, e * FAST_MODE_LN2_LOW)
    y = mul_add(e, FAST_MODE_LN2_HIGH, z + y)
    if any_lane(bits(x) - BINARY32_LEAST_NORMAL >= BINARY32_NORMALS):
        y = log_special_cases(x, y)
    return y


def log_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: 16 cells, a sum k * ln2 + T + z without error, 2**-53 of the rest.

    c has 29 bits and the head of m 24, so that z = m * c - 1 is right to its last bits with and without fused multiply-adds.
    """
    pattern = bits(x)
    special = pattern - LEAST_NORMAL >= NORMALS
    if any_lane(special):
        pattern = scaled_pattern(x, pattern)
    offset = pattern + (FIELD_BIAS - BINARY64_FAST_MODE_FIRST)
    k = exponent_of(offset)
    m = from_bits((offset & FRACTION) + BINARY64_FAST_MODE_FIRST)
    m_high = from_bits(bits(m) & _FIRST_24_BITS)
    index = offset >> 48
    c = lookup(BINARY64_FAST_MODE_RECIPROCALS, index)
    z = mul_add(m - m_high, c, mul_add(m_high, c, -1.0))
    table = mul_add(k, BINARY64_LN2_HIGH, lookup(BINARY64_FAST_MODE_LOGARITHMS, index))
    rest = mul_add(z * z, polynomial(z, BINARY64_FAST_MODE_TAIL, "fused estrin"), k * BINARY64_LN2_LOW)
    y = table + (z + rest)
    if any_lane(special):
        y = log_special_cases(x, y)
    return y


OPERATORS = (
    Operator(
        "log",
        "the natural logarithm of x, rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(log_binary64, log_binary64_fast, registers=2), "f": Kernel(log, log_fast, registers=2)},
        onnx="Log",
        opset=6,
        special=("log(0) = -inf for both zeros", "negative numbers give NaN", "log(1) = +0", "log(+inf) = +inf"),
    ),
)
