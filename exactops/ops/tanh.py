"""tanh: the hyperbolic tangent."""

from exactops.lanes import Lanes, absolute, any_lane, bits, convert, copy_sign, lane_function, mul_add, select
from exactops.numerics.doubt import in_doubt
from exactops.numerics.exponential import (
    UNITS,
    UNITS_HEAD,
    UNITS_TAIL,
    careful_exponential_minus_one,
    quick_exponential_minus_one,
)
from exactops.numerics.exponential_fast import power_fast, reduce_fast, relative_growth_fast
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

#: Bits of 22 as float32: from there on the result is 1 in every format.
FAR_OUT = 0x41B00000
TWICE_UNITS = 2.0 * UNITS
TWICE_UNITS_HEAD = 2.0 * UNITS_HEAD
TWICE_UNITS_TAIL = 2.0 * UNITS_TAIL


@lane_function
def tanh_careful(x: Lanes):
    """tanh of float64 lanes in [-22, 22] that hold float32 values; rounds correctly for every input: all were tried."""
    rise = careful_exponential_minus_one(x * TWICE_UNITS_HEAD, x * TWICE_UNITS_TAIL)
    return rise / (rise + 2.0)


def tanh(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: (e**2x - 1) / (e**2x + 1), 1 from 22 on in every format.

    Tiny results lie next to x, which is no tie, so that subnormals need no care of their own.
    """
    wide = convert(x, "float64")
    rise = quick_exponential_minus_one(wide * TWICE_UNITS)
    y = rise / (rise + 2.0)
    rare = in_doubt(y) | ((bits(x) & 0x7FFFFFFF) >= FAR_OUT)
    if any_lane(rare):
        bounded = select(wide < -22.0, -22.0, wide)
        bounded = select(bounded > 22.0, 22.0, bounded)
        y = select(rare, tanh_careful(bounded), y)
    return copy_sign(y, wide)  # for the sign of zero


def tanh_fast(x: Lanes):
    """Fast mode, float32 lanes: with m = e**2|x| - 1, m / (m + 2), at most 2 ulp off. For ``|x| > 10`` the result is 1."""
    size = absolute(x)
    size = select(size > 10.0, 10.0, size)
    shifted, r = reduce_fast(size + size)
    base = power_fast(shifted)
    rise = mul_add(base, relative_growth_fast(r), base - 1.0)
    return copy_sign(rise / (rise + 2.0), x)


OPERATORS = (
    Operator(
        "tanh",
        "the hyperbolic tangent of x, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(tanh, tanh_fast, registers=2),
        onnx="Tanh",
        opset=6,
        special=("zeros keep their sign", "tanh(-inf) = -1, tanh(+inf) = 1"),
    ),
)
