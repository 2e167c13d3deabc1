"""sigmoid: 1 / (1 + e**-x), and silu: x * sigmoid(x)."""

from exactops.lanes import Lanes, absolute, any_lane, bits, convert, lane_function, mul_add, select
from exactops.numerics.constants import doubles
from exactops.numerics.doubt import in_doubt, is_tiny
from exactops.numerics.exponential import UNITS, UNITS_HEAD, UNITS_TAIL, careful_exponential, quick_exponential
from exactops.numerics.exponential_fast import growth_fast, is_wild, power_fast, reduce_fast, split_power_fast
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

# Near zero, sigmoid(x) = 1/2 + x/4 + x**3 * Q(x**2) and silu(x) = x/2 + x**2/4 + x**4 * Q(x**2): tools/derive_sigmoid.py.
TAIL = doubles(
    """
    -0x1.5555555555554p-6 0x1.11111110fe212p-9 -0x1.ba1b9bf565223p-13 0x1.660642091a337p-16
    """
)
TAIL_0, TAIL_1, TAIL_2, TAIL_3 = TAIL
#: Below it the series serves, with an error of 2**-58 of the result or of its distance from 1/2 (sigmoid).
NEAR_ZERO = 0.0625

#: Bits of 87 as float32: from there on the negative tails may be subnormal in float32.
FAR_OUT = 0x42AE0000


@lane_function
def sigmoid_careful(x: Lanes):
    """sigmoid of float64 lanes in [-110, 110] that hold float32 values; rounds correctly for every input: all were tried.

    1/2 + x/4 comes within 2**-76 of ties, decided by the cubic term: near zero the value is a pair, rounded to odd.
    """
    y = 1.0 / (1.0 + careful_exponential(x * -UNITS_HEAD, x * -UNITS_TAIL))
    square = x * x
    rest = x * square * (TAIL_0 + square * (TAIL_1 + square * (TAIL_2 + square * TAIL_3)))
    offset, offset_low = fast_two_sum(x * 0.25, rest)
    high, low = fast_two_sum(0.5, offset)
    return select(absolute(x) < NEAR_ZERO, round_to_odd(high, low + offset_low), y)


@lane_function
def silu_careful(x: Lanes, bounded: Lanes):
    """silu of float64 lanes above -120; ``bounded`` is x or 110; rounds correctly for every input: all were tried.

    x/2 is a tie of subnormal numbers for half of all tiny x, decided by the square: near zero the value is a pair.
    """
    y = x / (1.0 + careful_exponential(bounded * -UNITS_HEAD, bounded * -UNITS_TAIL))
    square = x * x
    rest = square * (0.25 + square * (TAIL_0 + square * (TAIL_1 + square * (TAIL_2 + square * TAIL_3))))
    high, low = fast_two_sum(0.5 * x, rest)
    return select((absolute(x) < NEAR_ZERO) & (x != 0.0), round_to_odd(high, low), y)


def sigmoid(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: zero from -110 on downwards in every format."""
    y = 1.0 / (1.0 + quick_exponential(convert(x, "float64") * -UNITS))
    rare = in_doubt(y) | ((bits(x) & 0x7FFFFFFF) >= FAR_OUT)
    if any_lane(rare):
        bounded = select(x < -110.0, -110.0, x)
        bounded = convert(select(bounded > 110.0, 110.0, bounded), "float64")
        y = select(rare, sigmoid_careful(bounded), y)
    return y


def silu(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: -0 from -120 on downwards in every format."""
    wide = convert(x, "float64")
    y = wide / (1.0 + quick_exponential(wide * -UNITS))
    rare = in_doubt(y) | ((bits(x) & 0x7FFFFFFF) >= FAR_OUT) | is_tiny(x)
    if any_lane(rare):
        factor = select(wide < -120.0, -120.0, wide)
        bounded = select(factor > 110.0, 110.0, factor)
        y = select(rare, silu_careful(factor, bounded), y)
    return y


def sigmoid_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 2 ulp off. 1 + e**-x is rounded once: 1 + 2**k is exact where it matters."""
    shifted, r = reduce_fast(-x)
    base = power_fast(shifted)
    y = 1.0 / mul_add(base, growth_fast(r), base + 1.0)
    wild = is_wild(x)
    if any_lane(wild):
        bounded = select(x < -105.0, -105.0, x)
        shifted, r = reduce_fast(select(bounded > 1.0, 1.0, bounded))
        first, second = split_power_fast(shifted)
        y = select(wild, select(x > 0.0, 1.0, (growth_fast(r) + 1.0) * first * second), y)
    return y


def silu_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 2 ulp off. As sigmoid_fast; far out it is x * e**x, with 2**k in two factors."""
    shifted, r = reduce_fast(-x)
    base = power_fast(shifted)
    y = x / mul_add(base, growth_fast(r), base + 1.0)
    wild = is_wild(x)
    if any_lane(wild):
        bounded = select(x < -120.0, -120.0, x)
        bounded = select(bounded > 1.0, 1.0, bounded)
        shifted, r = reduce_fast(bounded)
        first, second = split_power_fast(shifted)
        y = select(wild, select(x > 0.0, x, bounded * ((growth_fast(r) + 1.0) * first) * second), y)
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
