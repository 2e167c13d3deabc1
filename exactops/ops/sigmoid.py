"""sigmoid: 1 / (1 + e**-x), and silu: x * sigmoid(x). Constants: tools/derive_sigmoid.py."""

from exactops.lanes import (
    Lanes,
    absolute,
    any_lane,
    bits,
    convert,
    lane_function,
    mul_add,
    polynomial,
    recompute,
    scalar_function,
    select,
)
from exactops.numerics.binary64.exponential import (
    bounded_to_fixed,
    exp_fast_mode_parts_with_offset,
    exp_parts_of_double,
    reduce_fast_mode,
    split_power,
)
from exactops.numerics.binary64.fixed_point import round_to_binary64
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.sigmoid import (
    TINY,
    denominator_fast_mode,
    product_with_sigmoid,
    round_product,
    scaled_parts,
    sigmoid_fixed,
    sigmoid_parts,
)
from exactops.numerics.binary64.tables.exponential_errors import SIGMOID_ERROR
from exactops.numerics.constants import BINARY32_MAGNITUDE, binary32_bits
from exactops.numerics.exponential import exp_accurate, exp_fast_phase
from exactops.numerics.exponential_fast_mode import (
    expm1_fast_mode,
    is_large,
    reduce_by_ln2,
    scale_fast_mode,
    split_scale_fast_mode,
)
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.numerics.rounding_test import BINARY32_MISSING, fails_rounding_test, is_tiny
from exactops.numerics.tables.exponential import INVERSE_STEP, INVERSE_STEP_HIGH, INVERSE_STEP_LOW
from exactops.numerics.tables.sigmoid import TAIL
from exactops.table.formats import FLOATS
from exactops.table.operator import Kernel, Operator

#: Below it the series serves, with an error of 2**-58 of the result or of its distance from 1/2 (sigmoid).
NEAR_ZERO = 0.0625
#: silu(x) = x/2 + x**2 * SILU_TAIL(x**2) there.
SILU_TAIL = (0.25, *TAIL)

#: Bits of 87: from there on the negative tails may be subnormal in float32.
LARGE = binary32_bits(87.0)
#: The fast phases are good to 2**-38.
FAST_PHASE_ERROR = 1 << 16
#: In float64 the fast phases serve up to it: results below -690 have too few bits for their errors, those above are 1 or x.
BINARY64_LARGE = 690.0
#: Below these the result is zero: e**-746 and 753 * e**-753 are less than half of the least subnormal number.
BINARY64_UNDERFLOW, BINARY64_SILU_UNDERFLOW = -746.0, -753.0
#: In fast mode 1 + e**-x is finite up to it, and e**-x is the result beyond.
BINARY64_FAST_MODE_LARGE = 708.0


def sigmoid(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: zero from -110 on downwards in every format."""
    y = 1.0 / (1.0 + exp_fast_phase(convert(x, "float64") * -INVERSE_STEP))
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | ((bits(x) & BINARY32_MAGNITUDE) >= LARGE)
    if any_lane(retry):
        bounded = select(x < -110.0, -110.0, x)
        bounded = convert(select(bounded > 110.0, 110.0, bounded), "float64")
        y = select(retry, sigmoid_accurate_phase(bounded), y)
    return y


@lane_function
def sigmoid_accurate_phase(x: Lanes):
    """sigmoid of float64 lanes in [-110, 110] that hold float32 values; rounds correctly for every input: all were tried.

    1/2 + x/4 comes within 2**-76 of ties, decided by the cubic term: near zero the value is a pair, rounded to odd.
    """
    y = 1.0 / (1.0 + exp_accurate(x * -INVERSE_STEP_HIGH, x * -INVERSE_STEP_LOW))
    square = x * x
    offset, offset_low = fast_two_sum(x * 0.25, x * square * polynomial(square, TAIL, "horner"))
    high, low = fast_two_sum(0.5, offset)
    return select(absolute(x) < NEAR_ZERO, round_to_odd(high, low + offset_low), y)


def silu(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: -0 from -120 on downwards in every format."""
    wide = convert(x, "float64")
    y = wide / (1.0 + exp_fast_phase(wide * -INVERSE_STEP))
    special = ((bits(x) & BINARY32_MAGNITUDE) >= LARGE) | is_tiny(x)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | special
    if any_lane(retry):
        factor = select(wide < -120.0, -120.0, wide)
        bounded = select(factor > 110.0, 110.0, factor)
        y = select(retry, silu_accurate_phase(factor, bounded), y)
    return y


@lane_function
def silu_accurate_phase(x: Lanes, bounded: Lanes):
    """silu of float64 lanes above -120; ``bounded`` is x or 110; rounds correctly for every input: all were tried.

    x/2 is a tie of subnormal numbers for half of all tiny x, decided by the square: near zero the value is a pair.
    """
    y = x / (1.0 + exp_accurate(bounded * -INVERSE_STEP_HIGH, bounded * -INVERSE_STEP_LOW))
    square = x * x
    high, low = fast_two_sum(0.5 * x, square * polynomial(square, SILU_TAIL, "horner"))
    return select((absolute(x) < NEAR_ZERO) & (x != 0.0), round_to_odd(high, low), y)


def sigmoid_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 2 ulp off. 1 + e**-x is rounded once: 1 + 2**k is exact where it matters."""
    shifted, r = reduce_by_ln2(-x)
    base = scale_fast_mode(shifted)
    y = 1.0 / mul_add(base, expm1_fast_mode(r), base + 1.0)
    large = is_large(x)
    if any_lane(large):
        bounded = select(x < -105.0, -105.0, x)
        shifted, r = reduce_by_ln2(select(bounded > 1.0, 1.0, bounded))
        first, second = split_scale_fast_mode(shifted)
        y = select(large, select(x > 0.0, 1.0, (expm1_fast_mode(r) + 1.0) * first * second), y)
    return y


def silu_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 2 ulp off. As sigmoid_fast; far out it is x * e**x, with 2**k in two factors."""
    shifted, r = reduce_by_ln2(-x)
    base = scale_fast_mode(shifted)
    y = x / mul_add(base, expm1_fast_mode(r), base + 1.0)
    large = is_large(x)
    if any_lane(large):
        bounded = select(x < -120.0, -120.0, x)
        bounded = select(bounded > 1.0, 1.0, bounded)
        shifted, r = reduce_by_ln2(bounded)
        first, second = split_scale_fast_mode(shifted)
        y = select(large, select(x > 0.0, x, bounded * ((expm1_fast_mode(r) + 1.0) * first) * second), y)
    return y


def sigmoid_binary64(x: Lanes):
    """Exact mode, float64 lanes: 1 / (1 + e**-x) rounded once."""
    high, low = sigmoid_parts(*scaled_parts(*exp_parts_of_double(-x)))
    y, fails = round_and_test(high, low, high * SIGMOID_ERROR)
    if any_lane(fails | ~(absolute(x) < BINARY64_LARGE)):
        y = select(x >= BINARY64_LARGE, 1.0, y)
        y = select(x < BINARY64_UNDERFLOW, 0.0, y)
        y = select(x == x, y, x)
        retry = (fails | (x <= -BINARY64_LARGE)) & (x >= BINARY64_UNDERFLOW) & (x < BINARY64_LARGE)
        y = recompute(retry, y, sigmoid_binary64_accurate_phase, x)
    return y


@scalar_function
def sigmoid_binary64_accurate_phase(x):
    """sigmoid of every finite float64, rounded once: the significand is within 2**-186 of itself.

    1/2 + x/4 is a tie for some x from 2**-53 on; the cubic term, 2**-164 and more, decides. The odds of an undecided rounding
    among all other inputs are below 2**-60.
    """
    significand, exponent = sigmoid_fixed(bounded_to_fixed(x))
    return round_to_binary64(False, significand, exponent)


def silu_binary64(x: Lanes):
    """Exact mode, float64 lanes: x * sigmoid(x) rounded once; the product of the heads is exact."""
    sigmoid_high, sigmoid_low = sigmoid_parts(*scaled_parts(*exp_parts_of_double(-x)))
    y, fails = round_product(x, sigmoid_high, sigmoid_low, SIGMOID_ERROR)
    size = absolute(x)
    fails = fails | (size < TINY)
    if any_lane(fails | ~(size < BINARY64_LARGE)):
        y = select((x >= BINARY64_LARGE) | (x == 0.0), x, y)
        y = select(x < BINARY64_SILU_UNDERFLOW, -0.0, y)
        y = select(x == x, y, x)
        retry = (fails | (x <= -BINARY64_LARGE)) & (x >= BINARY64_SILU_UNDERFLOW) & (x < BINARY64_LARGE) & (x != 0.0)
        y = recompute(retry, y, silu_binary64_accurate_phase, x)
    return y


@scalar_function
def silu_binary64_accurate_phase(x):
    """silu of every finite float64, rounded once. Below -800 it is -0 as there."""
    bounded = x
    if x < -800.0:
        bounded = -800.0
    return product_with_sigmoid(bounded, bounded_to_fixed(bounded))


def sigmoid_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off."""
    large = ~(absolute(x) < BINARY64_FAST_MODE_LARGE)
    power, expm1 = exp_fast_mode_parts_with_offset(*reduce_fast_mode(-x))
    y = 1.0 / denominator_fast_mode(power, expm1)
    if any_lane(large):
        y = select(large, select(x > 0.0, 1.0, tail_fast_mode(x, 1.0)), y)
        y = select(x == x, y, x)
    return y


def silu_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off."""
    large = ~(absolute(x) < BINARY64_FAST_MODE_LARGE)
    power, expm1 = exp_fast_mode_parts_with_offset(*reduce_fast_mode(-x))
    y = x / denominator_fast_mode(power, expm1)
    if any_lane(large):
        bounded = select(x < -760.0, -760.0, x)
        y = select(large, select(x > 0.0, x, tail_fast_mode(x, bounded)), y)
        y = select(x == x, y, x)
    return y


@lane_function
def tail_fast_mode(x: Lanes, factor: Lanes):
    """``factor * e**x`` for x below -700, with gradual underflow."""
    bounded = select(x < -760.0, -760.0, x)
    bounded = select(bounded > -700.0, -700.0, bounded)
    power, expm1 = exp_fast_mode_parts_with_offset(*reduce_fast_mode(bounded))
    power, scale = split_power(bounded, power)
    return factor * mul_add(power, expm1, power) * scale


OPERATORS = (
    Operator(
        "sigmoid",
        "1 / (1 + e**-x), rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(sigmoid_binary64, sigmoid_binary64_fast, registers=2), "f": Kernel(sigmoid, sigmoid_fast)},
        aliases=("expit",),
        onnx="Sigmoid",
        opset=6,
        special=("sigmoid(-inf) = +0, sigmoid(+inf) = 1", "the negative tail underflows gradually"),
    ),
    Operator(
        "silu",
        "x * sigmoid(x), rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(silu_binary64, silu_binary64_fast, registers=2), "f": Kernel(silu, silu_fast)},
        special=(
            "silu(-inf) = -0, silu(+inf) = +inf",
            "zeros keep their sign",
            "the negative tail underflows gradually to -0",
        ),
    ),
)
