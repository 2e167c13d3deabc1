"""exp: e**x."""

from exactops.lanes import Lanes, any_lane, bits, convert, lane_function, select
from exactops.numerics.constants import BINARY32_MAGNITUDE, binary32_bits
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
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

#: Bits of 87: from there on results of float32 may be subnormal, zero or infinite.
LARGE = binary32_bits(87.0)
#: The fast phase is good to 2**-38, well inside 2**-37 of the value. One lane in 4,096 fails the rounding test.
FAST_PHASE_ERROR = 1 << 16


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


OPERATORS = (
    Operator(
        "exp",
        "e**x, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(exp, exp_fast, registers=2),
        onnx="Exp",
        opset=6,
        special=("exp(-inf) = +0, exp(+inf) = +inf", "overflow gives +inf, underflow is gradual"),
    ),
)
