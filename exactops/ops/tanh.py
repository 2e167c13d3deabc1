"""tanh: the hyperbolic tangent."""

from exactops.lanes import (
    Lanes,
    absolute,
    any_lane,
    bits,
    convert,
    copy_sign,
    lane_function,
    lookup_rows,
    mul_add,
    polynomial,
    recompute,
    select,
)
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.tables.exponential_errors import TANH_ERROR
from exactops.numerics.binary64.tables.tanh import FAST_MODE_CELLS, TAIL
from exactops.numerics.binary64.tanh import tanh_accurate_phase as tanh_binary64_accurate_phase
from exactops.numerics.binary64.tanh import tanh_cell, tanh_parts
from exactops.numerics.constants import BINARY32_MAGNITUDE, binary32_bits
from exactops.numerics.exponential import expm1_accurate, expm1_fast_phase
from exactops.numerics.exponential_fast_mode import expm1_relative_fast_mode, reduce_by_ln2, scale_fast_mode
from exactops.numerics.rounding_test import BINARY32_MISSING, fails_rounding_test
from exactops.numerics.tables.exponential import INVERSE_STEP, INVERSE_STEP_HIGH, INVERSE_STEP_LOW
from exactops.table.formats import FLOATS
from exactops.table.operator import Kernel, Operator

#: Bits of 22: from there on the result is 1 in every format.
LARGE = binary32_bits(22.0)
#: The fast phase is good to 2**-39.
FAST_PHASE_ERROR = 1 << 16
#: From where on tanh is 1 in float64.
BINARY64_LARGE = 20.0
TWICE_INVERSE_STEP = 2.0 * INVERSE_STEP
TWICE_INVERSE_STEP_HIGH = 2.0 * INVERSE_STEP_HIGH
TWICE_INVERSE_STEP_LOW = 2.0 * INVERSE_STEP_LOW


def tanh(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: (e**2x - 1) / (e**2x + 1), 1 from 22 on in every format.

    Tiny results lie next to x, which is no tie, so that subnormals need no care of their own.
    """
    wide = convert(x, "float64")
    expm1 = expm1_fast_phase(wide * TWICE_INVERSE_STEP)
    y = expm1 / (expm1 + 2.0)
    retry = fails_rounding_test(y, FAST_PHASE_ERROR, BINARY32_MISSING) | ((bits(x) & BINARY32_MAGNITUDE) >= LARGE)
    if any_lane(retry):
        bounded = select(wide < -22.0, -22.0, wide)
        bounded = select(bounded > 22.0, 22.0, bounded)
        y = select(retry, tanh_accurate_phase(bounded), y)
    return copy_sign(y, wide)  # for the sign of zero


@lane_function
def tanh_accurate_phase(x: Lanes):
    """tanh of float64 lanes in [-22, 22] that hold float32 values; rounds correctly for every input: all were tried."""
    expm1 = expm1_accurate(x * TWICE_INVERSE_STEP_HIGH, x * TWICE_INVERSE_STEP_LOW)
    return expm1 / (expm1 + 2.0)


def tanh_fast(x: Lanes):
    """Fast mode, float32 lanes: with m = e**2|x| - 1, m / (m + 2), at most 2 ulp off. For ``|x| > 10`` the result is 1."""
    size = absolute(x)
    size = select(size > 10.0, 10.0, size)
    shifted, r = reduce_by_ln2(size + size)
    base = scale_fast_mode(shifted)
    expm1 = mul_add(base, expm1_relative_fast_mode(r), base - 1.0)
    return copy_sign(expm1 / (expm1 + 2.0), x)


def tanh_binary64(x: Lanes):
    """Exact mode, float64 lanes: tanh(x) rounded once. Tiny results lie next to x, which is no tie: they need no care."""
    size = absolute(x)
    high, low = tanh_parts(select(size > BINARY64_LARGE, BINARY64_LARGE, size))
    y, fails = round_and_test(high, low, high * TANH_ERROR)
    if any_lane(fails):
        y = select(x == x, y, x)
        y = recompute(fails & (x == x), y, tanh_binary64_accurate_phase, size)
    return copy_sign(y, x)


def tanh_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes: T + (1 - T**2) * t / (1 + T * t) with t = tanh(r), at most 2 ulp off."""
    size = absolute(x)
    cell, r = tanh_cell(select(size > BINARY64_LARGE, BINARY64_LARGE, size))
    high, slope = lookup_rows(FAST_MODE_CELLS, cell)
    square = r * r
    t = mul_add(r * square, polynomial(square, TAIL, "fused horner"), r)
    return copy_sign(high + slope * t / mul_add(high, t, 1.0), x)


OPERATORS = (
    Operator(
        "tanh",
        "the hyperbolic tangent of x, rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(tanh_binary64, tanh_binary64_fast, registers=2), "f": Kernel(tanh, tanh_fast, registers=2)},
        onnx="Tanh",
        opset=6,
        special=("zeros keep their sign", "tanh(-inf) = -1, tanh(+inf) = 1"),
    ),
)
