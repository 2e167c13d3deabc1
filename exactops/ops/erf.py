"""erf and erfc: the error function and its complement. Constants: tools/derive_erf.py."""

from exactops.lanes import (
    Lanes,
    absolute,
    any_lane,
    bits,
    convert,
    copy_sign,
    from_bits,
    lane_function,
    lookup,
    mul_add,
    polynomial,
    polynomial_lookup,
    recompute,
    select,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.error_function import (
    complement,
    erf_fast_mode,
    erf_parts,
    erfc_factor,
    erfc_fast_mode_parts,
    product_pair,
)
from exactops.numerics.binary64.error_function import (
    erf_accurate_phase as erf_binary64_accurate_phase,
)
from exactops.numerics.binary64.error_function import (
    erfc_accurate_phase as erfc_binary64_accurate_phase,
)
from exactops.numerics.binary64.exponential import exp_parts
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.sigmoid import scaled_parts
from exactops.numerics.binary64.tables.error_function_errors import (
    ERF_BEYOND_ERROR,
    ERF_ERROR,
    ERFC_ARGUMENT_ERROR,
    ERFC_BEYOND_ERROR,
    ERFC_COMPLEMENT_ERROR,
    ERFC_ERROR,
)
from exactops.numerics.constants import BINARY32_MAGNITUDE, BINARY32_ROUNDING_SHIFT, ROUNDING_SHIFT, binary32_bits
from exactops.numerics.exponential import exp_fast_phase, exp_minus_accurate
from exactops.numerics.exponential_fast_mode import exp2m1_fast_mode, exp_double_fast_mode, scale_fast_mode
from exactops.numerics.intervals import quarter_binade
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.numerics.rounding_test import BINARY32_MISSING, fails_rounding_test, is_tiny
from exactops.numerics.tables.erf import (
    CENTRES,
    ERF,
    ERF_FAST_MODE_FAR,
    ERF_FAST_MODE_NEAR,
    ERF_FAST_PHASE,
    ERFC,
    ERFC_DENOMINATOR,
    ERFC_FAST_MODE_DENOMINATOR,
    ERFC_FAST_MODE_NUMERATOR,
    ERFC_NUMERATOR,
    ERFC_SHIFT,
)
from exactops.numerics.tables.exponential import INVERSE_STEP
from exactops.table.formats import FLOATS
from exactops.table.operator import Kernel, Operator

#: Intervals of erf a unit.
PER_UNIT = 128.0 / 33.0
#: erf(x) = x * ERF_NEAR_ZERO(x**2): the odd polynomial of the first interval, to the eleventh power.
ERF_NEAR_ZERO = tuple(row[0] for row in ERF[1:12:2])
#: Bits of 9: from there on float32 results of erfc are subnormal.
LARGE = binary32_bits(9.0)
#: The fast phases are good to 2**-37.9, well inside 2**-37 of the value.
FAST_PHASE_ERROR = 1 << 16
#: In float64 erf is 1 from this size on, and products of smaller sizes than the other lose bits.
BINARY64_LARGE, BINARY64_TINY = 5.9375, 2.0**-960
#: Up to this size the fast phase of erfc in float64 serves; above the limit results are zero.
BINARY64_ERFC_LARGE, BINARY64_ERFC_UNDERFLOW = 26.0, 27.25
#: 2**200 as what it adds to the bits of a number, and its reciprocal.
SCALE_UP, SCALE_DOWN = 200 << 52, 2.0**-200


def erf(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: 1 from 3.99 on in every format."""
    wide = convert(x, "float64")
    size = absolute(wide)
    size = select(size > 3.99, 3.99, size)
    y = erf_fast_phase(size)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | is_tiny(x)
    if any_lane(retry):
        y = select(retry, erf_accurate_phase(size), y)
    return copy_sign(y, wide)


@lane_function
def erf_fast_phase(x: Lanes):
    """erf of float64 lanes in [0, 3.99], to 2**-38."""
    j = bits(x * PER_UNIT + ROUNDING_SHIFT)
    return polynomial_lookup(x - lookup(CENTRES, j), ERF_FAST_PHASE, j, "horner")


@lane_function
def erf_accurate_phase(x: Lanes):
    """erf of float64 lanes in [0, 3.99] that hold float32 values; rounds correctly for every input: all were tried."""
    j = bits(x * PER_UNIT + ROUNDING_SHIFT)
    return polynomial_lookup(x - lookup(CENTRES, j), ERF, j, "horner")


def erf_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 2 ulp off."""
    size = absolute(x)
    size = select(size > 4.0, 4.0, size)
    near = polynomial(size * size, ERF_FAST_MODE_NEAR, "fused horner") * size
    far = polynomial(size, ERF_FAST_MODE_FAR, "fused horner")
    shifted = far + BINARY32_ROUNDING_SHIFT
    base = scale_fast_mode(shifted)
    far = mul_add(-base, exp2m1_fast_mode(far - (shifted - BINARY32_ROUNDING_SHIFT)), 1.0 - base)
    return copy_sign(select(size < 1.0, near, far), x)


def erfc(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: zero from 10.25 on in every format."""
    wide = convert(x, "float64")
    y = erfc_fast_phase(absolute(wide))
    y = select(x < 0.0, 2.0 - y, y)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | ((bits(x) & BINARY32_MAGNITUDE) >= LARGE)
    if any_lane(retry):
        size = absolute(wide)
        accurate = erfc_accurate_phase(select(size > 10.25, 10.25, size))
        accurate = select(x < 0.0, 2.0 - accurate, accurate)
        y = select(retry, select(size < 0.125, erfc_near_zero(wide), accurate), y)
    return y


@lane_function
def erfc_fast_phase(size: Lanes):
    """erfc of float64 lanes in [0, 10.25], to 2**-37.9."""
    numerator = polynomial(size, ERFC_NUMERATOR, "horner")
    denominator = polynomial(size, ERFC_DENOMINATOR, "horner")
    return exp_fast_phase(size * size * -INVERSE_STEP) * numerator / denominator


@lane_function
def erfc_accurate_phase(x: Lanes):
    """erfc of float64 lanes in [0, 10.25] that hold float32 values; rounds correctly for every input: all were tried."""
    j, h = quarter_binade(x + ERFC_SHIFT)
    y = polynomial_lookup(h, ERFC, j, "horner")
    return exp_minus_accurate(x * x) * y


@lane_function
def erfc_near_zero(x: Lanes):
    """erfc of float64 lanes with ``|x| < 1/8``: 1 - erf(x) as a pair, rounded to odd, for the sake of 0xb76c9f62."""
    high, low = fast_two_sum(1.0, -x * polynomial(x * x, ERF_NEAR_ZERO, "horner"))
    return round_to_odd(high, low)


def erfc_fast(x: Lanes):
    """Fast mode, float32 lanes, at most 2 ulp off: numerator and denominator in float64 lanes, divided in float32."""
    size = absolute(x)
    size = convert(select(size > 10.25, 10.25, size), "float64")
    numerator = polynomial(size, ERFC_FAST_MODE_NUMERATOR, "fused horner")
    denominator = polynomial(size, ERFC_FAST_MODE_DENOMINATOR, "fused horner")
    numerator = exp_double_fast_mode(size * size * -INVERSE_STEP) * numerator
    numerator = select(x < 0.0, mul_add(denominator, 2.0, -numerator), numerator)
    return convert(numerator, "float32") / convert(denominator, "float32")


def erf_binary64(x: Lanes):
    """Exact mode, float64 lanes: erf(x) rounded once."""
    size = absolute(x)
    high, low, beyond = erf_parts(size)
    y, fails = round_and_test(high, low, high * ERF_ERROR - beyond * ERF_BEYOND_ERROR)
    special = ~(size < BINARY64_LARGE) | (size < BINARY64_TINY)
    if any_lane(fails | special):
        y = select(size >= BINARY64_LARGE, 1.0, y)
        y = select(x == x, y, x)
        retry = (fails | (size < BINARY64_TINY)) & (size < BINARY64_LARGE) & (x != 0.0)
        y = recompute(retry, y, erf_binary64_accurate_phase, size)
    return copy_sign(y, x)


def erf_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off."""
    size = absolute(x)
    y = erf_fast_mode(size)
    large = ~(size < BINARY64_LARGE)
    if any_lane(large):
        y = select(large, 1.0, y)
        y = select(x == x, y, x)
    return copy_sign(y, x)


def erfc_binary64(x: Lanes):
    """Exact mode, float64 lanes: erfc(x) rounded once: e**(-x**2) * w(|x|), and 2 minus that for negative x."""
    size = absolute(x)
    top = leading_part(size)
    argument_low = (top - size) * (top + size)
    power, power_low = scaled_parts(*exp_parts(-top * top, argument_low))
    factor, factor_low, beyond = erfc_factor(size)
    high, low = product_pair(power, power_low, factor, factor_low)
    error = high * (ERFC_ERROR - argument_low * ERFC_ARGUMENT_ERROR) + power * (beyond * ERFC_BEYOND_ERROR)
    left, left_low = complement(high, low, 2.0)
    negative = x < 0.0
    high = select(negative, left, high)
    y, fails = round_and_test(high, select(negative, left_low, low), error + high * ERFC_COMPLEMENT_ERROR)
    if any_lane(fails | ~(size < BINARY64_ERFC_LARGE)):
        y = select(x >= BINARY64_ERFC_LARGE, 0.0, y)
        y = select(x <= -BINARY64_ERFC_LARGE, 2.0, y)
        y = select(x == x, y, x)
        retry = (fails | (x >= BINARY64_ERFC_LARGE)) & (x > -BINARY64_ERFC_LARGE) & (x < BINARY64_ERFC_UNDERFLOW)
        y = recompute(retry, y, erfc_binary64_accurate_phase, x)
    return y


def erfc_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off. Results below 2**-1000 are scaled in two steps."""
    size = absolute(x)
    large = ~(size < BINARY64_ERFC_LARGE)
    base, rest, exponent = erfc_fast_mode_parts(size)
    y = from_bits(bits(mul_add(base, rest, base)) + exponent)
    y = select(x < 0.0, 2.0 - y, y)
    if any_lane(large):
        base, rest, exponent = erfc_fast_mode_parts(select(size < 28.0, size, 28.0))
        y_large = from_bits(bits(mul_add(base, rest, base)) + exponent + SCALE_UP) * SCALE_DOWN
        y = select(large, y_large, y)
        y = select(x <= -BINARY64_ERFC_LARGE, 2.0, y)
        y = select(x == x, y, x)
    return y


OPERATORS = (
    Operator(
        "erf",
        "the error function of x, rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(erf_binary64, erf_binary64_fast, registers=2), "f": Kernel(erf, erf_fast)},
        onnx="Erf",
        opset=9,
        special=("zeros keep their sign", "erf(-inf) = -1, erf(+inf) = 1"),
    ),
    Operator(
        "erfc",
        "the complementary error function 1 - erf(x), rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(erfc_binary64, erfc_binary64_fast, registers=2), "f": Kernel(erfc, erfc_fast)},
        special=("erfc(-inf) = 2, erfc(+inf) = +0", "the positive tail underflows gradually"),
    ),
)
