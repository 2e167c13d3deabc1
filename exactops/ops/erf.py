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
from exactops.numerics.binary64.error_function import (
    erf_accurate_phase as erf_binary64_accurate_phase,
)
from exactops.numerics.binary64.error_function import (
    erf_fast_mode,
    erf_parts,
    erfc_fast_mode,
    erfc_parts,
    erfc_tail_parts,
)
from exactops.numerics.binary64.error_function import (
    erfc_accurate_phase as erfc_binary64_accurate_phase,
)
from exactops.numerics.binary64.rounding_test import round_and_test
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
#: The bounds of the fast phases in float64: of erf, of 1 - erf(x), a constant and what is times x**2, and of the tail of erfc.
BINARY64_ERF_ERROR = 2.0**-66.5
BINARY64_ERFC_ERROR, BINARY64_ERFC_ERROR_SQUARE = 2.0**-67.3, 2.0**-66.2
BINARY64_ERFC_TAIL_ERROR = 2.0**-64.5
#: Below it products with x lose bits.
BINARY64_TINY = 2.0**-900
#: Above it erf is 1, below the next erfc is 2.
BINARY64_ERF_ONE = float.fromhex("0x1.7afb48dc96626p+2")
BINARY64_ERFC_TWO = float.fromhex("-0x1.7744f8f74e94ap+2")
#: From the first erfc is computed as a tail; above the second its results are subnormal, and above the third zero.
BINARY64_ERFC_FAR = 2.75
BINARY64_ERFC_SUBNORMAL = 26.5
BINARY64_ERFC_UNDERFLOW = float.fromhex("0x1.b39dc41e48bfcp+4")
_SCALE_BITS = 256 << 52


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
    """Exact mode, float64 lanes: the fast phase and the rounding test, the accurate phase in wide integers."""
    size = absolute(x)
    high, low = erf_parts(size)
    y, fails = round_and_test(high, low, high * BINARY64_ERF_ERROR)
    retry = fails | ~(size <= BINARY64_ERF_ONE) | (size < BINARY64_TINY)
    if any_lane(retry):
        y = select(size > BINARY64_ERF_ONE, 1.0, y)
        y = select((size <= BINARY64_ERF_ONE) & (size > 0.0), y, select(size > 0.0, 1.0, x))  # zeros and NaN too
        retry = retry & (size <= BINARY64_ERF_ONE) & (size > 0.0)
        y = recompute(retry, copy_sign(y, x), erf_binary64_accurate_phase, x)
    return copy_sign(y, x)


def erf_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off."""
    size = absolute(x)
    return copy_sign(select(size > BINARY64_ERF_ONE, 1.0, erf_fast_mode(size)), x)


def erfc_binary64(x: Lanes):
    """Exact mode, float64 lanes: 1 - erf(x), far out e**(-x**2) times a factor."""
    high, low = erfc_parts(x, absolute(x))
    positive = select(x > 0.0, x, 0.0)
    error = high * (BINARY64_ERFC_ERROR + positive * positive * BINARY64_ERFC_ERROR_SQUARE)
    y, fails = round_and_test(high, low, error)
    outside = ~((x >= BINARY64_ERFC_TWO) & (x < BINARY64_ERFC_FAR))
    if any_lane(fails | outside):
        y = select(x < BINARY64_ERFC_TWO, 2.0, y)
        y = select(x == x, y, x)
        far = x >= BINARY64_ERFC_FAR
        fails = fails & ~outside
        if any_lane(far):
            high, low, exponent = erfc_tail_parts(x)
            tail, tail_fails = round_and_test(high, low, high * BINARY64_ERFC_TAIL_ERROR)
            tail = select(x > BINARY64_ERFC_UNDERFLOW, 0.0, from_bits(bits(tail) + exponent))
            y = select(far, tail, y)
            fails = fails | (far & (tail_fails | (x > BINARY64_ERFC_SUBNORMAL)) & (x <= BINARY64_ERFC_UNDERFLOW))
        y = recompute(fails, y, erfc_binary64_accurate_phase, x)
    return y


def erfc_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off. Far out it is the exact mode's fast phase."""
    y = erfc_fast_mode(absolute(x))
    y = select(x < 0.0, 2.0 - y, y)
    outside = ~((x >= BINARY64_ERFC_TWO) & (x < BINARY64_ERFC_FAR))
    if any_lane(outside):
        y = select(x < BINARY64_ERFC_TWO, 2.0, y)
        far = x >= BINARY64_ERFC_FAR
        if any_lane(far):
            high, low, exponent = erfc_tail_parts(x)
            tail = from_bits(bits(high + low) + (exponent + _SCALE_BITS)) * 2.0**-256
            y = select(far, select(x > BINARY64_ERFC_UNDERFLOW, 0.0, tail), y)
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
