"""gelu: x * Phi(x), and its tanh form, x * sigmoid(sqrt(8/pi) * (x + 0.044715 * x**3)). Constants: tools/derive_gelu.py."""

from exactops.lanes import (
    Lanes,
    absolute,
    any_lane,
    bits,
    convert,
    copy_sign,
    from_bits,
    lane_function,
    lookup_single,
    mul_add,
    polynomial,
    polynomial_lookup,
    recompute,
    scalar_function,
    select,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.error_function import (
    complement,
    gelu_factor,
    gelu_fast_mode_parts,
    product_pair,
)
from exactops.numerics.binary64.error_function import gelu_accurate_phase as gelu_binary64_accurate_phase
from exactops.numerics.binary64.error_function_fast_mode import normal_near_zero_fast_mode
from exactops.numerics.binary64.exponential import (
    bounded_to_fixed,
    exp_fast_mode_parts_with_offset,
    exp_parts,
    reduce_fast_mode,
    split_power,
)
from exactops.numerics.binary64.gelu_tanh import gelu_tanh_argument, gelu_tanh_argument_fixed
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.sigmoid import (
    TINY,
    denominator_fast_mode,
    product_with_sigmoid,
    round_product,
    scaled_parts,
    sigmoid_parts,
)
from exactops.numerics.binary64.tables.error_function_errors import GELU_ARGUMENT_ERROR, GELU_BEYOND_ERROR, GELU_ERROR
from exactops.numerics.binary64.tables.exponential_errors import GELU_TANH_ARGUMENT_ERROR, GELU_TANH_ERROR
from exactops.numerics.constants import (
    BINARY32_MAGNITUDE,
    BINARY32_ONE,
    BINARY32_ROUNDING_SHIFT_BITS,
    binary32_bits,
    leading_bits,
)
from exactops.numerics.exponential import exp_accurate, exp_fast_phase, exp_minus_accurate
from exactops.numerics.exponential_fast_mode import (
    expm1_fast_mode,
    reduce_by_ln2,
    reduce_double_by_ln2,
    scale_fast_mode,
    split_scale_fast_mode,
)
from exactops.numerics.intervals import quarter_binade, quarter_binade_single
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.numerics.rounding_test import BINARY32_MISSING, fails_rounding_test, is_tiny
from exactops.numerics.tables.exponential import INVERSE_STEP
from exactops.numerics.tables.gelu import (
    CUBIC,
    CUBIC_HIGH,
    CUBIC_LOW,
    DENOMINATOR,
    FAST_MODE,
    FAST_MODE_CUBIC,
    FAST_MODE_HIGH,
    FAST_MODE_SLOPE,
    NEAR_ZERO,
    NEAR_ZERO_TANH,
    NUMERATOR,
    SLOPE,
    SLOPE_HIGH,
    SLOPE_LOW,
    TAIL,
)
from exactops.table.formats import FLOATS
from exactops.table.operator import Attribute, Kernel, Operator

#: Below it the series NEAR_ZERO serves.
SMALL = 0.0625
#: Bits of 13 and, for the tanh form, 9.5: from there on the negative tails may be subnormal in float32.
LARGE = binary32_bits(13.0)
LARGE_TANH = binary32_bits(9.5)
#: The fast phases are good to 2**-37.8, well inside 2**-37 of the value.
FAST_PHASE_ERROR = 1 << 16
#: The tanh form in float64: the range in which the fast phase serves. Results above are x; below the other limit they are
#: zero, since -21.6 * sigmoid(-753) is less than half of the least subnormal number.
BINARY64_TANH_LARGE, BINARY64_TANH_UNDERFLOW = 20.5, -21.6
#: gelu in float64: the range in which the fast phase serves. Results above are x; below the other limit they are zero.
BINARY64_LARGE, BINARY64_UNDERFLOW = 30.0, -39.0
#: Up to this size fast mode takes the short way.
BINARY64_NEAR = 3.0
#: 2**200 as what it adds to the bits of a number, and its reciprocal.
SCALE_UP, SCALE_DOWN = 200 << 52, 2.0**-200
HALF_INVERSE_STEP = 0.5 * INVERSE_STEP
_FIRST_29_BITS = leading_bits(29)
_FIRST_24_BITS = leading_bits(24)
_FIRST_12_BITS = leading_bits(12, 24)


def gelu(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: -0 from -14.9 on downwards in every format."""
    wide = convert(x, "float64")
    y = gelu_fast_phase(wide, absolute(wide))
    special = ((bits(x) & BINARY32_MAGNITUDE) >= LARGE) | is_tiny(x)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | special
    if any_lane(retry):
        bounded = select(wide < -14.9, -14.9, wide)
        size = absolute(bounded)
        y = select(retry, gelu_accurate_phase(bounded, select(size > 14.9, 14.9, size)), y)
    return y


@lane_function
def gelu_fast_phase(x: Lanes, size: Lanes):
    """gelu of float64 lanes above -14.9 (``size`` is the magnitude), to 2**-37.8."""
    numerator = polynomial(size, NUMERATOR, "horner")
    denominator = polynomial(size, DENOMINATOR, "horner")
    numerator = exp_fast_phase(size * size * -HALF_INVERSE_STEP) * numerator
    return x * select(x < 0.0, numerator, denominator - numerator) / denominator


@lane_function
def gelu_accurate_phase(x: Lanes, size: Lanes):
    """gelu of float64 lanes above -14.9 (``size`` is the magnitude, at most 14.9); rounds correctly for every input.

    x/2 is a tie of subnormal numbers for half of all tiny x, decided by the square: near zero the value is a pair, rounded
    to odd.
    """
    j, h = quarter_binade(size + 1.0)
    y = polynomial_lookup(h, TAIL, j, "horner")
    y = exp_minus_accurate(0.5 * (size * size)) * y
    y = x * select(x < 0.0, y, 1.0 - y)
    square = x * x
    high, low = fast_two_sum(0.5 * x, square * polynomial(square, NEAR_ZERO, "horner"))
    return select((size < SMALL) & (x != 0.0), round_to_odd(high, low), y)


def gelu_fast(x: Lanes):
    """Fast mode, float32 lanes: x - |x| * Phi(-|x|), or -|x| * Phi(-|x|); at most 2 ulp off, fused or not.

    With high parts of 12 bits, the square of one and its product with another are exact. So the exponent loses nothing, and the
    product is a sum whose second part is small: only the last two roundings count in full.
    """
    size = absolute(x)
    size = select(size > 14.9, 14.9, size)
    j, h = quarter_binade_single(size)
    tail = polynomial_lookup(h, FAST_MODE, j, "fused horner")
    factor = lookup_single(FAST_MODE_HIGH, j)
    size_high = from_bits(bits(size) & _FIRST_12_BITS)
    size_low = size - size_high
    high = size_high * factor
    low = mul_add(size_low, factor, size * tail)
    shifted, r = reduce_by_ln2(size_high * size_high * -0.5)
    expm1 = expm1_fast_mode(r - size_low * (size + size_high) * 0.5)
    product = high + mul_add(high + low, expm1, low)
    base = select(x < 0.0, -0.0, x)  # for the sign of zero
    y = base - product * scale_fast_mode(shifted)
    large = size > 13.0
    if any_lane(large):
        first, second = split_scale_fast_mode(shifted)  # for subnormal results
        y = select(large, base - product * first * second, y)
    return y


def gelu_binary64(x: Lanes):
    """Exact mode, float64 lanes: x * Phi(x) rounded once, Phi(-x) = e**(-x**2/2) * v(x) and 1 minus that."""
    size = absolute(x)
    top = leading_part(size)
    bottom = size - top
    half = top * -0.5
    argument_low = bottom * (half - 0.5 * size)
    power, power_low = scaled_parts(*exp_parts(half * top, argument_low))
    factor, factor_low, beyond = gelu_factor(size)
    high, low = product_pair(power, power_low, factor, factor_low)
    left, left_low = complement(high, low, 1.0)
    negative = x < 0.0
    high = select(negative, high, left)
    low = select(negative, low, left_low)
    error = size * (high * (GELU_ERROR - argument_low * GELU_ARGUMENT_ERROR) + power * (beyond * GELU_BEYOND_ERROR))
    high_top = leading_part(high)
    y, fails = round_and_test(top * high_top, bottom * high_top + size * ((high - high_top) + low), error)
    y = copy_sign(y, x)
    tiny = size < TINY
    if any_lane(fails | tiny | ~(size < BINARY64_LARGE)):
        y = select((x >= BINARY64_LARGE) | (x == 0.0), x, y)
        y = select(x < BINARY64_UNDERFLOW, -0.0, y)
        y = select(x == x, y, x)
        retry = (fails | tiny | (x <= -BINARY64_LARGE)) & (x >= BINARY64_UNDERFLOW) & (x < BINARY64_LARGE)
        y = recompute(retry & (x != 0.0), y, gelu_binary64_accurate_phase, x)
    return y


def gelu_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off. Lanes far out take a longer way."""
    y = normal_near_zero_fast_mode(absolute(x))
    y = x * select(x < 0.0, y, 1.0 - y)
    far = ~((x > -BINARY64_NEAR) & (x < BINARY64_NEAR))
    if any_lane(far):
        y = select(far, gelu_far_fast_mode(x), y)
    return y


@lane_function
def gelu_far_fast_mode(x: Lanes):
    """gelu of all float64 lanes, at most 2 ulp off. Results of negative x are scaled in two steps."""
    size = absolute(x)
    bounded = select(size < 39.0, size, 39.0)
    base, rest, exponent = gelu_fast_mode_parts(bounded)
    product = from_bits(bits(mul_add(base, rest, base) * bounded) + exponent + SCALE_UP) * SCALE_DOWN
    y = select(x < 0.0, -product, x - product)
    return select(x == x, y, x)


def gelu_tanh(x: Lanes):
    """The tanh form, exact mode, float32 lanes to wide float64 lanes: -0 from -11.2 on downwards in every format."""
    wide = convert(x, "float64")
    y = wide / (1.0 + exp_fast_phase(-wide * (SLOPE + CUBIC * (wide * wide))))
    special = ((bits(x) & BINARY32_MAGNITUDE) >= LARGE_TANH) | is_tiny(x)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | special
    if any_lane(retry):
        factor = select(wide < -11.2, -11.2, wide)
        bounded = select(factor > 11.2, 11.2, factor)
        y = select(retry, gelu_tanh_accurate_phase(factor, bounded), y)
    return y


@lane_function
def gelu_tanh_accurate_phase(x: Lanes, bounded: Lanes):
    """The tanh form for float64 lanes above -11.2 (``bounded`` is x or 11.2); rounds correctly for every input.

    The exponent reaches 110, so that it is needed to 2**-60: x times a high part of 29 bits is exact, and what that leaves of
    SLOPE + CUBIC * x**2 is computed with x**2 in two parts, so that all large products are exact.
    """
    square = bounded * bounded
    high = from_bits(bits(SLOPE + CUBIC * square) & _FIRST_29_BITS)
    square_high = from_bits(bits(square) & _FIRST_24_BITS)
    low = SLOPE_LOW + (CUBIC_HIGH * (square - square_high) + CUBIC_LOW * square)
    low = ((SLOPE_HIGH - high) + CUBIC_HIGH * square_high) + low
    y = x / (1.0 + exp_accurate(-bounded * high, -bounded * low))
    high, low = fast_two_sum(0.5 * x, square * polynomial(square, NEAR_ZERO_TANH, "horner"))
    return select((absolute(x) < SMALL) & (x != 0.0), round_to_odd(high, low), y)


def gelu_tanh_fast(x: Lanes):
    """Fast mode, float32 lanes, the exponent in float64 lanes: at most 2 ulp off."""
    bounded = select(x < -11.2, -11.2, x)
    bounded = select(bounded > 9.5, 9.5, bounded)
    wide = convert(bounded, "float64")
    k, r = reduce_double_by_ln2(-wide * mul_add(wide * wide, FAST_MODE_CUBIC, FAST_MODE_SLOPE))
    base = from_bits((k << 23) + BINARY32_ONE)
    expm1 = expm1_fast_mode(r)
    y = x / (mul_add(base, expm1, 1.0) + base)
    large = x < -9.5
    if any_lane(large):
        # 1 + e**-v is e**-v here; 2**-k in two factors, for subnormal results.
        first, second = split_scale_fast_mode(from_bits(BINARY32_ROUNDING_SHIFT_BITS - k))
        y = select(large, bounded / (1.0 + expm1) * first * second, y)
    return y


def gelu_tanh_binary64(x: Lanes):
    """The tanh form, exact mode, float64 lanes: x * sigmoid(argument) rounded once."""
    high, low = gelu_tanh_argument(x)
    sigmoid_high, sigmoid_low = sigmoid_parts(*scaled_parts(*exp_parts(-high, -low)))
    error = GELU_TANH_ERROR + absolute(high) * GELU_TANH_ARGUMENT_ERROR
    y, fails = round_product(x, sigmoid_high, sigmoid_low, error)
    size = absolute(x)
    fails = fails | (size < TINY)
    if any_lane(fails | ~(size < BINARY64_TANH_LARGE)):
        y = select((x >= BINARY64_TANH_LARGE) | (x == 0.0), x, y)
        y = select(x < BINARY64_TANH_UNDERFLOW, -0.0, y)
        y = select(x == x, y, x)
        retry = (fails | (x <= -BINARY64_TANH_LARGE)) & (x >= BINARY64_TANH_UNDERFLOW) & (x < BINARY64_TANH_LARGE)
        y = recompute(retry & (x != 0.0), y, gelu_tanh_binary64_accurate_phase, x)
    return y


@scalar_function
def gelu_tanh_binary64_accurate_phase(x):
    """The tanh form of every finite float64, rounded once. Below -22 it is -0 as there, above 22 the sigmoid is 1."""
    bounded = x
    if x < -22.0:
        bounded = -22.0
    factor = bounded
    if x > 22.0:
        bounded = 22.0
    return product_with_sigmoid(factor, gelu_tanh_argument_fixed(bounded_to_fixed(bounded)))


def gelu_tanh_binary64_fast(x: Lanes):
    """The tanh form, fast mode, float64 lanes: at most 2 ulp off."""
    large = ~(absolute(x) < BINARY64_TANH_LARGE)
    high, low = gelu_tanh_argument(x)
    r, step = reduce_fast_mode(-high)
    power, expm1 = exp_fast_mode_parts_with_offset(r - low, step)
    y = x / denominator_fast_mode(power, expm1)
    if any_lane(large):
        bounded = select(x < -22.0, -22.0, x)
        bounded = select(bounded > -20.0, -20.0, bounded)
        high, low = gelu_tanh_argument(bounded)
        r, step = reduce_fast_mode(high)
        power, expm1 = exp_fast_mode_parts_with_offset(r + low, step)
        power, scale = split_power(bounded, power)
        y = select(large, select(x > 0.0, x, bounded * mul_add(power, expm1, power) * scale), y)
        y = select(x == x, y, x)
    return y


def _kernel(inputs, output, choices) -> Kernel:
    if choices["approximate"] == "tanh" and output.short == "f64":
        return Kernel(gelu_tanh_binary64, gelu_tanh_binary64_fast, registers=2)
    if output.short == "f64":
        return Kernel(gelu_binary64, gelu_binary64_fast, registers=2)
    return Kernel(gelu_tanh, gelu_tanh_fast) if choices["approximate"] == "tanh" else Kernel(gelu, gelu_fast, registers=2)


OPERATORS = (
    Operator(
        "gelu",
        "x * Phi(x), rounded once, where Phi is the standard normal distribution function",
        "c",
        FLOATS,
        _kernel,
        aliases=("gelu_erf",),
        onnx="Gelu",
        opset=20,
        attributes=(
            Attribute(
                "approximate", "choice", "none", ("none", "tanh"), 'the definition above, or with "tanh" the form of gelu_tanh'
            ),
        ),
        special=(
            "gelu(-inf) = -0, gelu(+inf) = +inf",
            "zeros keep their sign",
            "the negative tail underflows gradually to -0",
        ),
    ),
    Operator(
        "gelu_tanh",
        "the tanh form of gelu, 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))), rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(gelu_tanh_binary64, gelu_tanh_binary64_fast, registers=2), "f": Kernel(gelu_tanh, gelu_tanh_fast)},
        special=(
            "gelu_tanh(-inf) = -0, gelu_tanh(+inf) = +inf",
            "zeros keep their sign",
            "the negative tail underflows gradually to -0",
        ),
    ),
)
