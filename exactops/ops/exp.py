"""exp: e**x."""

from exactops.lanes import (
    Lanes,
    absolute,
    any_lane,
    bits,
    convert,
    from_bits,
    lane_function,
    mul_add,
    recompute,
    scalar_function,
    select,
)
from exactops.numerics.binary64.exponential import (
    exp_fast_mode_parts,
    exp_fixed,
    exp_parts_of_double,
    reduce_fast_mode,
    split_power,
    to_fixed,
)
from exactops.numerics.binary64.fixed_point import decompose, is_negative, round_to_binary64
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.tables.exponential_errors import EXP_ERROR
from exactops.numerics.constants import BINARY32_MAGNITUDE, INFINITY, binary32_bits
from exactops.numerics.exponential import exp_accurate, exp_fast_phase
from exactops.numerics.exponential_fast_mode import (
    exp_fast_mode,
    expm1_fast_mode,
    is_large,
    reduce_by_ln2,
    split_scale_fast_mode,
)
from exactops.numerics.rounding_test import BINARY32_MISSING, fails_rounding_test
from exactops.numerics.tables.exponential import INVERSE_STEP, INVERSE_STEP_HIGH, INVERSE_STEP_LOW
from exactops.table.formats import FLOATS
from exactops.table.operator import Kernel, Operator

#: Bits of 87: from there on results of float32 may be subnormal, zero or infinite.
LARGE = binary32_bits(87.0)
#: The fast phase is good to 2**-38, well inside 2**-37 of the value. One lane in 4,096 fails the rounding test.
FAST_PHASE_ERROR = 1 << 16
#: In float64 results are normal from -708 on. They are infinite above the one limit, and zero below the other.
BINARY64_LARGE = 708.0
BINARY64_OVERFLOW = float.fromhex("0x1.62e42fefa39efp+9")
BINARY64_UNDERFLOW = float.fromhex("-0x1.74910d52d3051p+9")


def exp(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    Beyond 89 every format has overflowed, below -105 every format has reached zero; in between the double exponential
    neither overflows nor underflows, so that the one conversion afterwards makes infinities, subnormals and zeros. Lanes far
    out hold nonsense until the accurate phase replaces it.
    """
    y = exp_fast_phase(convert(x, "float64") * INVERSE_STEP)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | ((bits(x) & BINARY32_MAGNITUDE) >= LARGE)
    if any_lane(retry):
        bounded = select(x > 89.0, 89.0, x)
        bounded = convert(select(bounded < -105.0, -105.0, bounded), "float64")
        y = select(retry, exp_accurate_phase(bounded), y)
    return y


@lane_function
def exp_accurate_phase(x: Lanes):
    """e**x of float64 lanes in [-105, 89] that hold float32 values. It rounds correctly for every input: all were tried."""
    return exp_accurate(x * INVERSE_STEP_HIGH, x * INVERSE_STEP_LOW)


def exp_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 1 ulp off. The rare vectors with a large operand take care of over- and underflow."""
    y = exp_fast_mode(x)
    large = is_large(x)
    if any_lane(large):
        bounded = select(x > 89.0, 89.0, x)
        shifted, r = reduce_by_ln2(select(bounded < -105.0, -105.0, bounded))
        first, second = split_scale_fast_mode(shifted)
        y = select(large, (expm1_fast_mode(r) + 1.0) * first * second, y)
    return y


def exp_binary64(x: Lanes):
    """Exact mode, float64 lanes: e**x rounded once.

    The power of two is added to the bits of the rounded result, which is normal from -708 on.
    """
    high, low, exponent = exp_parts_of_double(x)
    y, fails = round_and_test(high, low, EXP_ERROR)
    y = from_bits(bits(y) + exponent)
    if any_lane(fails | ~(absolute(x) < BINARY64_LARGE)):
        y = select(x > BINARY64_OVERFLOW, INFINITY, y)
        y = select(x < BINARY64_UNDERFLOW, 0.0, y)
        y = select(x == x, y, x)
        retry = (fails | (x < -BINARY64_LARGE)) & (x >= BINARY64_UNDERFLOW) & (x <= BINARY64_OVERFLOW)
        y = recompute(retry, y, exp_binary64_accurate_phase, x)
    return y


@scalar_function
def exp_binary64_accurate_phase(x):
    """e**x of every finite float64, rounded once: the significand is within 2**-188 of itself.

    The odds of an undecided rounding among all inputs are below 2**-60; no input but 0 has a result that is a float64 or a tie.
    """
    bounded = x
    if x > 800.0:
        bounded = 800.0
    elif x < -800.0:
        bounded = -800.0
    significand, exponent = decompose(bounded)
    t = to_fixed(significand, exponent)
    if is_negative(x):
        t = -t
    power, exponent = exp_fixed(t)
    return round_to_binary64(False, power, exponent)


def exp_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: at most 2 ulp off. A vector with a large operand scales twice, so that the last step rounds."""
    large = ~(absolute(x) < BINARY64_LARGE)
    power, expm1 = exp_fast_mode_parts(*reduce_fast_mode(x))
    y = mul_add(power, expm1, power)
    if any_lane(large):
        bounded = select(x > 710.0, 710.0, x)
        bounded = select(bounded < -746.0, -746.0, bounded)
        power, expm1 = exp_fast_mode_parts(*reduce_fast_mode(bounded))
        power, scale = split_power(x, power)
        y = select(large, mul_add(power, expm1, power) * scale, y)
    return y


OPERATORS = (
    Operator(
        "exp",
        "e**x, rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(exp_binary64, exp_binary64_fast, registers=2), "f": Kernel(exp, exp_fast, registers=2)},
        onnx="Exp",
        opset=6,
        special=("exp(-inf) = +0, exp(+inf) = +inf", "overflow gives +inf, underflow is gradual"),
    ),
)
