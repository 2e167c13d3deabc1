"""sin and cos of an angle in radians."""

from exactops.lanes import (
    Lanes,
    any_lane,
    bits,
    convert,
    copy_sign,
    from_bits,
    lane_function,
    mul_add,
    select,
)
from exactops.numerics.circle import MAGIC, sine_accurate
from exactops.numerics.quick import near_binary32_tie
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

# All constants: tools/derive_sin_cos.py.
HALF_TURNS_HIGH = float.fromhex("0x1.45f306c000000p-2")
HALF_TURNS_LOW = float.fromhex("0x1.c9c882a53f84fp-30")
QUICK_0 = float.fromhex("0x1.921fb54442b5dp+1")
QUICK_1 = float.fromhex("-0x1.4abbce6247dfcp+2")
QUICK_2 = float.fromhex("0x1.466bc66dc2e52p+1")
QUICK_3 = float.fromhex("-0x1.32d2c96af3bc4p-1")
QUICK_4 = float.fromhex("0x1.5076fe406f941p-4")
QUICK_5 = float.fromhex("-0x1.e297b928d01f3p-8")
QUICK_6 = float.fromhex("0x1.d4ea63eae09dep-12")
HALF_TURNS = float.fromhex("0x1.45f306dc9c883p-2")
PI_HIGH = float.fromhex("0x1.921fb54440000p+1")
PI_LOW = float.fromhex("0x1.68c234c4c6629p-38")
FAST_0 = float.fromhex("-0x1.55554c0000000p-3")
FAST_1 = float.fromhex("0x1.110ed40000000p-7")
FAST_2 = float.fromhex("-0x1.9f6fea0000000p-13")
FAST_3 = float.fromhex("0x1.5dbcc80000000p-19")

#: Bits of 2**17: below it the quick reduction is exact enough.
LIMIT = 0x48000000
#: The quick path is good to 2**-42.
QUICK_ERROR = 1 << 11


@lane_function
def half_turn_sine(f: Lanes, turns: Lanes):
    """(-1)**n sin(pi f) for |f| <= 1/2, n standing in the low bits of ``turns``: relative error below 2**-43."""
    u = f * f
    square = u * u
    y = (QUICK_0 + QUICK_1 * u) + (QUICK_2 + QUICK_3 * u) * square
    y = y + ((QUICK_4 + QUICK_5 * u) + QUICK_6 * square) * (square * square)
    return from_bits(bits(f * y) ^ (bits(turns) << 63))


def sin(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    The quick path reduces to |f| <= 1/2 half turns. x * HALF_TURNS_HIGH is exact, the rest of 1/pi leaves an absolute error of
    2**-66, where f itself stays above 2**-26 for every float32 below 2**17. Larger arguments, infinities, NaNs and results too
    near a rounding boundary are computed again. No float16 or bfloat16 result is near one: all inputs were tried.
    """
    wide = convert(x, "float64")
    product = wide * HALF_TURNS_HIGH
    turns = product + MAGIC
    f = (product - (turns - MAGIC)) + wide * HALF_TURNS_LOW
    y = half_turn_sine(f, turns)
    rare = near_binary32_tie(y, QUICK_ERROR) | ((bits(x) & 0x7FFFFFFF) >= LIMIT)
    if any_lane(rare):
        y = select(rare, sine_accurate(x, 0), y)
    return y


def cos(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: as :func:`sin`, half a half turn ahead.

    HALF_TURNS_HIGH has 28 bits, so that the product leaves a bit for the exact addition of 1/2. Where the product is too small
    for that, the result is near 1 and does not mind.
    """
    wide = convert(x, "float64")
    product = wide * HALF_TURNS_HIGH + 0.5
    turns = product + MAGIC
    f = (product - (turns - MAGIC)) + wide * HALF_TURNS_LOW
    y = half_turn_sine(f, turns)
    rare = near_binary32_tie(y, QUICK_ERROR) | ((bits(x) & 0x7FFFFFFF) >= LIMIT)
    if any_lane(rare):
        y = select(rare, sine_accurate(x, 8), y)
    return y


@lane_function
def sine_fast(r: Lanes, turns: Lanes):
    """(-1)**n sin(r) in float32, |r| <= pi/2; the sign of r is the sine's, that of zero too."""
    u = r * r
    p = mul_add(u * u, mul_add(FAST_3, u, FAST_2), mul_add(FAST_1, u, FAST_0))
    y = copy_sign(mul_add(p, u * r, r), r)
    return from_bits(bits(y) ^ (convert(bits(turns), "uint32") << 31))


def sin_fast(x: Lanes):
    """Fast mode, float32 lanes: the reduction in double, the polynomial in float32."""
    wide = convert(x, "float64")
    turns = mul_add(wide, HALF_TURNS, MAGIC)
    k = turns - MAGIC
    # k * -PI is -0 for k = +0: the sum keeps the sign of -0.
    y = sine_fast(convert(mul_add(k, -PI_LOW, mul_add(k, -PI_HIGH, wide)), "float32"), turns)
    huge = (bits(x) & 0x7FFFFFFF) >= LIMIT
    if any_lane(huge):
        y = select(huge, convert(sine_accurate(x, 0), "float32"), y)
    return y


def cos_fast(x: Lanes):
    """Fast mode, float32 lanes: as :func:`sin_fast`, reduced by odd multiples of pi/2."""
    wide = convert(x, "float64")
    turns = mul_add(wide, HALF_TURNS, 0.5) + MAGIC
    k = (turns - MAGIC) - 0.5
    y = sine_fast(convert(mul_add(k, -PI_LOW, mul_add(k, -PI_HIGH, wide)), "float32"), turns)
    huge = (bits(x) & 0x7FFFFFFF) >= LIMIT
    if any_lane(huge):
        y = select(huge, convert(sine_accurate(x, 8), "float32"), y)
    return y


OPERATORS = (
    Operator(
        "sin",
        "the sine of x, an angle in radians, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(sin, sin_fast, registers=2),
        onnx="Sin",
        opset=7,
        special=(
            "sin(0) keeps the sign of zero",
            "infinities give NaN",
            "the range reduction is exact for every finite x, 1e38 too",
        ),
    ),
    Operator(
        "cos",
        "the cosine of x, an angle in radians, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(cos, cos_fast, registers=2),
        onnx="Cos",
        opset=7,
        special=("cos(0) = 1", "infinities give NaN", "the range reduction is exact for every finite x, 1e38 too"),
    ),
)
