"""log: the natural logarithm."""

from exactops.lanes import (
    Lanes,
    any_lane,
    bits,
    convert,
    from_bits,
    lane_function,
    lookup,
    mul_add,
    select,
    signed,
    unsigned,
)
from exactops.numerics.constants import doubles
from exactops.numerics.quick import near_binary32_tie
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

# All constants: tools/derive_log.py. m runs over 16 intervals of equal width from the float32 with the bits FIRST on.
FIRST = 0x3F32AAAB
#: The same boundary in binary64 bits.
FIRST_WIDE = ((FIRST - 0x3F800000) << 29) + 0x3FF0000000000000
RECIPROCALS = doubles(
    """
    0x1.66b585c000000p+0 0x1.57f9787000000p+0 0x1.4973537000000p+0 0x1.3d5bf97000000p+0
    0x1.31bf9dc000000p+0 0x1.26a5efe000000p+0 0x1.1c2a478000000p+0 0x1.126e6f2000000p+0
    0x1.09a823b000000p+0 0x1.0000000000000p+0 0x1.e6e9e3e000000p-1 0x1.cb89d29000000p-1
    0x1.b2a5c8c000000p-1 0x1.9cbd62d000000p-1 0x1.895ede2000000p-1 0x1.76cebe0000000p-1
    """
)
LOGARITHMS = doubles(
    """
    -0x1.596e250e75600p-2 -0x1.2e7abbae78c00p-2 -0x1.024d7813f0f00p-2 -0x1.b806f8ab65a00p-3
    -0x1.6bb1e882e0400p-3 -0x1.1ff551d400400p-3 -0x1.ab886c94f8000p-4 -0x1.1cc500f135c00p-4
    -0x1.2f54e4c980800p-5 0x0.0p+0 0x1.9b8c6ec1f5800p-5 0x1.bac95b3f31800p-4
    0x1.4f70a228cce00p-3 0x1.b95be1afaf800p-3 0x1.0de5f3fb9dc00p-2 0x1.3f65d0c746200p-2
    """
)
LN2_HIGH = float.fromhex("0x1.62e42fefa3a00p-1")
LN2_LOW = float.fromhex("-0x1.0ca86c3898d00p-49")
LN2_SHIFTED = float.fromhex("0x1.62e42fefa3a00p-24")
QUICK_0 = float.fromhex("-0x1.000000000d308p-1")
QUICK_1 = float.fromhex("0x1.555552d24378bp-2")
QUICK_2 = float.fromhex("-0x1.fffff49131db3p-3")
QUICK_3 = float.fromhex("0x1.99ef59c8b386ep-3")
QUICK_4 = float.fromhex("-0x1.55be665653e21p-3")
TAIL_0 = float.fromhex("-0x1.0000000000000p-1")
TAIL_1 = float.fromhex("0x1.555555555552dp-2")
TAIL_2 = float.fromhex("-0x1.ffffffffffeaep-3")
TAIL_3 = float.fromhex("0x1.9999999ab982cp-3")
TAIL_4 = float.fromhex("-0x1.55555557bcca4p-3")
TAIL_5 = float.fromhex("0x1.249237dde1b27p-3")
TAIL_6 = float.fromhex("-0x1.ffffcd9030935p-4")
TAIL_7 = float.fromhex("0x1.c7e0fc57ff2bfp-4")
TAIL_8 = float.fromhex("-0x1.9a75d0d0aab5fp-4")
FAST_0 = float.fromhex("0x1.5555280000000p-2")
FAST_1 = float.fromhex("-0x1.000b1c0000000p-2")
FAST_2 = float.fromhex("0x1.99c31e0000000p-3")
FAST_3 = float.fromhex("-0x1.515a860000000p-3")
FAST_4 = float.fromhex("0x1.1f96280000000p-3")
FAST_5 = float.fromhex("-0x1.35b3520000000p-3")
FAST_6 = float.fromhex("0x1.1b09d20000000p-3")
FAST_FIRST = 0x3F2AAAAB
FAST_LN2_HIGH = float.fromhex("0x1.62e4000000000p-24")
FAST_LN2_LOW = float.fromhex("0x1.7f7d1c0000000p-43")

INFINITY = float("inf")
NOT_A_NUMBER = float("nan")
#: The quick path is good to 2**-36.
QUICK_ERROR = 1 << 17


@lane_function
def log_accurate(x: Lanes):
    """ln(x) of float32 lanes as a wide value that rounds correctly for every input, special values included.

    ln(x) = e * ln2 + T + ln(1 + z) with z = m * c - 1 and e * LN2_HIGH + T exact, their sum exact as a pair. The error is below
    2**-58 of the result, where the hardest float32 input is 2**-57.78 away from a rounding boundary; all were tried.
    """
    x = convert(x, "float64")
    pattern = bits(x)
    offset = pattern - FIRST_WIDE
    z = from_bits(pattern - (offset & 0xFFF0000000000000)) * lookup(RECIPROCALS, offset >> 48) - 1.0
    exponent = convert(signed(offset) >> 52, "float64")
    high, low = fast_two_sum(exponent * LN2_HIGH + lookup(LOGARITHMS, offset >> 48), z)
    tail = (
        ((((((TAIL_8 * z + TAIL_7) * z + TAIL_6) * z + TAIL_5) * z + TAIL_4) * z + TAIL_3) * z + TAIL_2) * z + TAIL_1
    ) * z + TAIL_0
    high, low = fast_two_sum(high, low + (exponent * LN2_LOW + tail * (z * z)))
    y = select(x < INFINITY, round_to_odd(high, low), x)  # NaN too
    y = select(x < 0.0, NOT_A_NUMBER, y)
    return select(x == 0.0, -INFINITY, y)


def log(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    The quick path is good to 2**-36. That decides the rounding of all but about one float32 result in 2,000; for those, and for
    subnormal and special operands, the lanes are computed again. No float16 or bfloat16 result needs more (all were tried).
    """
    pattern = signed(bits(x))
    offset = pattern - FIRST
    exponent = offset & -0x800000  # e times 2**23, as LN2_SHIFTED expects
    z = convert(from_bits(unsigned(pattern - exponent)), "float64") * lookup(RECIPROCALS, offset >> 19) - 1.0
    table = convert(exponent, "float64") * LN2_SHIFTED + lookup(LOGARITHMS, offset >> 19)
    square = z * z
    y = (table + z) + square * ((QUICK_0 + QUICK_1 * z) + square * ((QUICK_2 + QUICK_3 * z) + square * QUICK_4))
    rare = near_binary32_tie(y, QUICK_ERROR) | (bits(x) - 0x00800000 >= 0x7F000000)
    if any_lane(rare):
        y = select(rare, log_accurate(x), y)
    return y


def log_fast(x: Lanes):
    """Fast mode, float32 lanes: m in [2/3, 4/3) without a table, ln2 as a pair whose head times e is exact."""
    pattern = bits(x)
    if any_lane(pattern - 0x00800000 >= 0x7F000000):
        # Subnormals are scaled; the rest only has to stay harmless until the selection at the end.
        scaled = bits(x * 8388608.0) - 0x0B800000
        pattern = select(pattern < 0x00800000, scaled, pattern)
    offset = signed(pattern) - FAST_FIRST
    exponent = offset & -0x800000
    z = from_bits(unsigned(signed(pattern) - exponent)) - 1.0
    e = convert(exponent, "float32")
    square = z * z
    p = mul_add(square, mul_add(FAST_5, z, FAST_4) + square * FAST_6, mul_add(FAST_3, z, FAST_2))
    p = mul_add(square, p, mul_add(FAST_1, z, FAST_0))
    y = mul_add(mul_add(p, z, -0.5), square, e * FAST_LN2_LOW)
    y = mul_add(e, FAST_LN2_HIGH, z + y)
    if any_lane(bits(x) - 0x00800000 >= 0x7F000000):
        y = select(x < INFINITY, y, x)
        y = select(x < 0.0, NOT_A_NUMBER, y)
        y = select(x == 0.0, -INFINITY, y)
    return y


OPERATORS = (
    Operator(
        "log",
        "the natural logarithm of x, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(log, log_fast, registers=2),
        onnx="Log",
        opset=6,
        special=("log(0) = -inf for both zeros", "negative numbers give NaN", "log(1) = +0", "log(+inf) = +inf"),
    ),
)
