"""sin and cos of an angle in radians. Constants: tools/derive_sin_cos.py."""

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
    recompute,
    select,
    signed,
    unsigned,
)
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.sin_cos import (
    COSINE_SHIFT,
    FAST_MODE_COSINE_SHIFT,
    QUARTER_TURN,
    SHIFT,
    angle_of_parts,
    cosine_in_integers,
    reduce,
    reduce_in_integers,
    sine_core,
    sine_error,
    sine_in_integers,
)
from exactops.numerics.binary64.sin_cos import sine_fast_mode as sine_fast_mode_binary64
from exactops.numerics.constants import (
    BINARY32_MAGNITUDE,
    BINARY64_SIGN,
    INFINITY,
    NOT_A_NUMBER,
    ROUNDING_SHIFT,
    binary32_bits,
    leading_bits,
)
from exactops.numerics.rounding import fast_two_sum, round_to_odd, two_sum
from exactops.numerics.rounding_test import BINARY32_MISSING, fails_rounding_test
from exactops.numerics.tables.sin_cos import (
    COSINE,
    FAST_MODE,
    FAST_PHASE,
    INVERSE_PI,
    INVERSE_PI_HIGH,
    INVERSE_PI_LOW,
    INVERSE_STEP,
    PI_HIGH,
    PI_LOW,
    SINE,
    SINES_HIGH,
    SINES_LOW,
    STEP,
    STEP_HIGH,
    STEP_LOW,
)
from exactops.table.formats import FLOATS
from exactops.table.operator import Kernel, Operator

#: Bits of 2**17: below it the range reduction of the fast phase is exact enough.
LARGE = binary32_bits(2.0**17)
#: The fast phase is good to 2**-42.
FAST_PHASE_ERROR = 1 << 11

INVERSE_STEP_0, INVERSE_STEP_1, INVERSE_STEP_2, INVERSE_STEP_3 = INVERSE_STEP
_FIRST_26_BITS = leading_bits(26)


def sin(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    The fast phase reduces to |f| <= 1/2 half turns. x * INVERSE_PI_HIGH is exact, the rest of 1/pi leaves an absolute error of
    2**-66, where f itself stays above 2**-26 for every float32 below 2**17. Larger arguments, infinities, NaNs and results that
    fail the rounding test are computed again. No float16 or bfloat16 result fails it: all inputs were tried.
    """
    wide = convert(x, "float64")
    product = wide * INVERSE_PI_HIGH
    turns = product + ROUNDING_SHIFT
    f = (product - (turns - ROUNDING_SHIFT)) + wide * INVERSE_PI_LOW
    y = sine_fast_phase(f, turns)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | ((bits(x) & BINARY32_MAGNITUDE) >= LARGE)
    if any_lane(retry):
        y = select(retry, sine_accurate_phase(x, 0), y)
    return y


def cos(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: as :func:`sin`, half a half turn ahead.

    INVERSE_PI_HIGH has 28 bits, so that the product leaves a bit for the exact addition of 1/2. Where the product is too small
    for that, the result is near 1 and does not mind.
    """
    wide = convert(x, "float64")
    product = wide * INVERSE_PI_HIGH + 0.5
    turns = product + ROUNDING_SHIFT
    f = (product - (turns - ROUNDING_SHIFT)) + wide * INVERSE_PI_LOW
    y = sine_fast_phase(f, turns)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | ((bits(x) & BINARY32_MAGNITUDE) >= LARGE)
    if any_lane(retry):
        y = select(retry, sine_accurate_phase(x, 8), y)
    return y


@lane_function
def sine_fast_phase(f: Lanes, turns: Lanes):
    """(-1)**n sin(pi f) for |f| <= 1/2, n standing in the low bits of ``turns``: relative error below 2**-43."""
    return from_bits(bits(f * polynomial(f * f, FAST_PHASE, "estrin")) ^ (bits(turns) << 63))


@lane_function
def high_part(x: Lanes):
    """The leading 26 bits of float64 lanes."""
    return from_bits(bits(x) & _FIRST_26_BITS)


@lane_function
def reduce_accurately(x: Lanes):
    """Reduce x (float32 values in float64 lanes) to ``n * pi/16 + r_high + r_low``: unsigned n modulo 32, r as a pair.

    x has 24 bits, each chunk of 16/pi 29: the products are exact, their integer parts drop off exactly, and bits of 16/pi that
    only add multiples of 32 are not in the table. The absolute error of r is below 2**-99, its relative error below 2**-78
    unless r is tiny; no float32 lies within 2**-33 of a multiple of pi/16.
    """
    group = signed((bits(x) >> 52) & 0x7FF) - 1023
    group = select(group < 0, 0, group) >> 4
    product_0 = x * lookup(INVERSE_STEP_0, group)
    product_1 = x * lookup(INVERSE_STEP_1, group)
    product_2 = x * lookup(INVERSE_STEP_2, group)
    whole_0 = product_0 + ROUNDING_SHIFT
    whole_1 = product_1 + ROUNDING_SHIFT
    part, error = two_sum(product_0 - (whole_0 - ROUNDING_SHIFT), product_1 - (whole_1 - ROUNDING_SHIFT))
    whole_2 = part + ROUNDING_SHIFT
    part, error_2 = two_sum(part - (whole_2 - ROUNDING_SHIFT), product_2)
    part, error = fast_two_sum(part, error_2 + (error + x * lookup(INVERSE_STEP_3, group)))
    part_high = high_part(part)
    r_high, r_low = fast_two_sum(part_high * STEP_HIGH, part_high * STEP_LOW + ((part - part_high) * STEP + error * STEP))
    return bits(whole_0) + bits(whole_1) + bits(whole_2), r_high, r_low


@lane_function
def sine_accurate_phase(x: Lanes, steps: int):
    """sin(x + steps * pi/16) of float32 lanes as a wide value that rounds correctly for every input: 0 for sine, 8 for cosine.

    Slower than the fast phase, but without a branch: it serves huge arguments and hard roundings alike.
    sin(n pi/16 + r) = S + (C r + (S (cos r - 1) + C (sin r - r))): S a table value as a pair, C r to 80 bits, and the
    rest, below 2**-7, in double. Relative error below 2**-57; the hardest inputs are 2**-54.2 (sine) and 2**-55.9
    (cosine) from a rounding boundary.
    """
    n, r, r_low = reduce_accurately(convert(x, "float64"))
    sine_high, sine_low = lookup(SINES_HIGH, n + steps), lookup(SINES_LOW, n + steps)
    cosine_high, cosine_low = lookup(SINES_HIGH, n + (steps + 8)), lookup(SINES_LOW, n + (steps + 8))
    u = r * r
    cosine_tail = polynomial(u, COSINE, "horner") * u
    sine_tail = polynomial(u, SINE, "horner") * (u * r)
    tail = (sine_high + sine_low) * cosine_tail + (cosine_high + cosine_low) * sine_tail
    r_high = high_part(r)
    tail = tail + (cosine_low * r + cosine_high * ((r - r_high) + r_low))
    high, low = fast_two_sum(sine_high, cosine_high * r_high)
    high, low = fast_two_sum(high, low + (sine_low + tail))
    return round_to_odd(high, low)


@lane_function
def sine_fast_mode(r: Lanes, turns: Lanes):
    """(-1)**n sin(r) in float32, |r| <= pi/2; the sign of r is the sine's, that of zero too."""
    u = r * r
    y = copy_sign(mul_add(polynomial(u, FAST_MODE, "fused pairs"), u * r, r), r)
    return from_bits(bits(y) ^ (convert(bits(turns), "uint32") << 31))


def sin_fast(x: Lanes):
    """Fast mode, float32 lanes: the range reduction in double, the polynomial in float32."""
    wide = convert(x, "float64")
    turns = mul_add(wide, INVERSE_PI, ROUNDING_SHIFT)
    k = turns - ROUNDING_SHIFT
    # k * -PI is -0 for k = +0: the sum keeps the sign of -0.
    y = sine_fast_mode(convert(mul_add(k, -PI_LOW, mul_add(k, -PI_HIGH, wide)), "float32"), turns)
    large = (bits(x) & BINARY32_MAGNITUDE) >= LARGE
    if any_lane(large):
        y = select(large, convert(sine_accurate_phase(x, 0), "float32"), y)
    return y


def cos_fast(x: Lanes):
    """Fast mode, float32 lanes: as :func:`sin_fast`, reduced by odd multiples of pi/2."""
    wide = convert(x, "float64")
    turns = mul_add(wide, INVERSE_PI, 0.5) + ROUNDING_SHIFT
    k = (turns - ROUNDING_SHIFT) - 0.5
    y = sine_fast_mode(convert(mul_add(k, -PI_LOW, mul_add(k, -PI_HIGH, wide)), "float32"), turns)
    large = (bits(x) & BINARY32_MAGNITUDE) >= LARGE
    if any_lane(large):
        y = select(large, convert(sine_accurate_phase(x, 8), "float32"), y)
    return y


# --- float64 ------------------------------------------------------------------------------------------------------------


@lane_function
def with_sign_of_half_turns(y: Lanes, index: Lanes):
    """The sign of y flipped where bit 9 of the index is set."""
    return from_bits(bits(y) ^ ((unsigned(index) << 54) & BINARY64_SIGN))


@lane_function
def with_sign_of(y: Lanes, x: Lanes):
    """The sign of y flipped where that of x is set."""
    return from_bits(bits(y) ^ (bits(x) & BINARY64_SIGN))


def sin_binary64(x: Lanes):
    """Exact mode, float64 lanes. What fails the rounding test is computed again in wide integers.

    The magnitude is computed with, so that zeros keep their signs; tiny numbers pass the test. Infinities and NaNs fail it.
    """
    size = absolute(x)
    index, weight, r_high, r_low, r = reduce(size, SHIFT, 0)
    high, low = sine_core(index, r_high, r_low, r)
    y, fails = round_and_test(high, low, sine_error(high, weight))
    y = with_sign_of_half_turns(y, index)
    if any_lane(fails):
        finite = size < INFINITY
        y = recompute(fails & finite, select(finite, y, NOT_A_NUMBER), sine_in_integers, size)
    return with_sign_of(y, x)


def cos_binary64(x: Lanes):
    """Exact mode, float64 lanes: as :func:`sin_binary64`, a quarter turn ahead."""
    size = absolute(x)
    index, weight, r_high, r_low, r = reduce(size, COSINE_SHIFT, QUARTER_TURN)
    high, low = sine_core(index, r_high, r_low, r)
    y, fails = round_and_test(high, low, sine_error(high, weight))
    y = with_sign_of_half_turns(y, index)
    if any_lane(fails):
        finite = size < INFINITY
        y = recompute(fails & finite, select(finite, y, NOT_A_NUMBER), cosine_in_integers, size)
    return y


@lane_function
def reduced_again_fast(size: Lanes, y: Lanes, again: Lanes, steps: int):
    """Results of fast mode, those of finite arguments in ``again`` by a reduction in integers; NaN for infinities and NaNs."""
    finite = size < INFINITY
    again = again & finite
    index, first, second = recompute(again, (signed(bits(size)), size, size), reduce_in_integers, size)
    index = index + steps
    high, low = sine_core(index, *angle_of_parts(first, second))
    return select(finite, select(again, with_sign_of_half_turns(high + low, index), y), NOT_A_NUMBER)


def sin_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes. Arguments from 2**30 on, or very near to a multiple of pi/2, are reduced in integers."""
    size = absolute(x)
    y, retry = sine_fast_mode_binary64(size, SHIFT)
    if any_lane(retry):
        y = reduced_again_fast(size, y, retry, 0)
    return with_sign_of(y, x)


def cos_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: as :func:`sin_binary64_fast`, a quarter turn ahead."""
    size = absolute(x)
    y, retry = sine_fast_mode_binary64(size, FAST_MODE_COSINE_SHIFT)
    if any_lane(retry):
        y = reduced_again_fast(size, y, retry, QUARTER_TURN)
    return y


OPERATORS = (
    Operator(
        "sin",
        "the sine of x, an angle in radians, rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(sin_binary64, sin_binary64_fast, registers=2), "f": Kernel(sin, sin_fast, registers=2)},
        onnx="Sin",
        opset=7,
        special=(
            "sin(0) keeps the sign of zero",
            "infinities give NaN",
            "the range reduction is exact for every finite x, 1e300 too",
        ),
    ),
    Operator(
        "cos",
        "the cosine of x, an angle in radians, rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(cos_binary64, cos_binary64_fast, registers=2), "f": Kernel(cos, cos_fast, registers=2)},
        onnx="Cos",
        opset=7,
        special=("cos(0) = 1", "infinities give NaN", "the range reduction is exact for every finite x, 1e300 too"),
    ),
)
