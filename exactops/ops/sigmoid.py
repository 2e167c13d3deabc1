"""sigmoid: 1 / (1 + e**-x), and silu: x * sigmoid(x). Constants: tools/derive_sigmoid.py."""

from exactops.lanes import Lanes, absolute, any_lane, bits, convert, lane_function, mul_add, polynomial, select
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
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

#: Below it the series serves, with an error of 2**-58 of the result or of its distance from 1/2 (sigmoid).
NEAR_ZERO = 0.0625
#: silu(x) = x/2 + x**2 * SILU_TAIL(x**2) there.
SILU_TAIL = (0.25, *TAIL)

#: Bits of 87: from there on the negative tails may be subnormal in float32.
LARGE = binary32_bits(87.0)
#: The fast phases are good to 2**-38.
FAST_PHASE_ERROR = 1 << 16


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


OPERATORS = (
    Operator(
        "sigmoid",
        "1 / (1 + e**-x), rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(sigmoid, sigmoid_fast),
        aliases=("expit",),
        onnx="Sigmoid",
        opset=6,
        special=("sigmoid(-inf) = +0, sigmoid(+inf) = 1", "the negative tail underflows gradually"),
    ),
    Operator(
        "silu",
        "x * sigmoid(x), rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(silu, silu_fast),
        special=(
            "silu(-inf) = -0, silu(+inf) = +inf",
            "zeros keep their sign",
            "the negative tail underflows gradually to -0",
        ),
    ),
)
