"""erf and erfc: the error function and its complement. Constants: tools/derive_erf.py."""

from exactops.lanes import (
    Lanes,
    absolute,
    any_lane,
    bits,
    convert,
    copy_sign,
    lane_function,
    lookup,
    mul_add,
    polynomial,
    polynomial_lookup,
    select,
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
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

#: Intervals of erf a unit.
PER_UNIT = 128.0 / 33.0
#: erf(x) = x * ERF_NEAR_ZERO(x**2): the odd polynomial of the first interval, to the eleventh power.
ERF_NEAR_ZERO = tuple(row[0] for row in ERF[1:12:2])
#: Bits of 9: from there on float32 results of erfc are subnormal.
LARGE = binary32_bits(9.0)
#: The fast phases are good to 2**-37.9, well inside 2**-37 of the value.
FAST_PHASE_ERROR = 1 << 16


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


OPERATORS = (
    Operator(
        "erf",
        "the error function of x, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(erf, erf_fast),
        onnx="Erf",
        opset=9,
        special=("zeros keep their sign", "erf(-inf) = -1, erf(+inf) = 1"),
    ),
    Operator(
        "erfc",
        "the complementary error function 1 - erf(x), rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(erfc, erfc_fast),
        special=("erfc(-inf) = 2, erfc(+inf) = +0", "the positive tail underflows gradually"),
    ),
)
