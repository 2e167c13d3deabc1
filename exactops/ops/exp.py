"""exp: e**x."""

from exactops.lanes import Lanes, any_lane, bits, convert, lane_function, select
from exactops.numerics.doubt import in_doubt
from exactops.numerics.exponential import UNITS, UNITS_HEAD, UNITS_TAIL, careful_exponential, quick_exponential
from exactops.numerics.exponential_fast import exponential_fast, growth_fast, is_wild, reduce_fast, split_power_fast
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

#: Bits of 87 as float32: from there on results of float32 may be subnormal, zero or infinite.
FAR_OUT = 0x42AE0000


@lane_function
def exp_careful(x: Lanes):
    """e**x of float64 lanes in [-105, 89] that hold float32 values. It rounds correctly for every input: all were tried."""
    return careful_exponential(x * UNITS_HEAD, x * UNITS_TAIL)


def exp(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    Beyond 89 every format has overflowed, below -105 every format has reached zero; in between the double exponential
    neither overflows nor underflows, so that the one conversion afterwards makes infinities, subnormals and zeros. Lanes far
    out hold nonsense until the careful path replaces it.
    """
    y = quick_exponential(convert(x, "float64") * UNITS)
    rare = in_doubt(y) | ((bits(x) & 0x7FFFFFFF) >= FAR_OUT)
    if any_lane(rare):
        bounded = select(x > 89.0, 89.0, x)
        bounded = convert(select(bounded < -105.0, -105.0, bounded), "float64")
        y = select(rare, exp_careful(bounded), y)
    return y


def exp_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 1 ulp off. The rare vectors with a large operand take care of over- and underflow."""
    y = exponential_fast(x)
    wild = is_wild(x)
    if any_lane(wild):
        bounded = select(x > 89.0, 89.0, x)
        shifted, r = reduce_fast(select(bounded < -105.0, -105.0, bounded))
        first, second = split_power_fast(shifted)
        y = select(wild, (growth_fast(r) + 1.0) * first * second, y)
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
