"""sin and cos of an angle in radians."""

from exactops.lanes import Lanes, any_lane, bits, convert, from_bits, lane_function, select
from exactops.numerics.circle import MAGIC, sine_accurate
from exactops.numerics.quick import near_binary32_tie
from exactops.operator import Kernel, Operator

# All constants: tools/derive_sin_cos.py.
HALF_TURNS = float.fromhex("0x1.45f306dc9c883p-2")
PI_HIGH = float.fromhex("0x1.921fb54440000p+1")
PI_LOW = float.fromhex("0x1.68c234c4c6629p-38")
QUICK_0 = float.fromhex("0x1.ffffffffffdc8p-1")
QUICK_1 = float.fromhex("-0x1.55555555408f3p-3")
QUICK_2 = float.fromhex("0x1.111111090188ap-7")
QUICK_3 = float.fromhex("-0x1.a019fce32d607p-13")
QUICK_4 = float.fromhex("0x1.71dce45a18a14p-19")
QUICK_5 = float.fromhex("-0x1.ae00bc0c8d4a2p-26")
QUICK_6 = float.fromhex("0x1.52a831d9e9e9ep-33")
FAST_0 = 1.0
FAST_1 = float.fromhex("-0x1.5555480000000p-3")
FAST_2 = float.fromhex("0x1.110e780000000p-7")
FAST_3 = float.fromhex("-0x1.9f63ce0000000p-13")
FAST_4 = float.fromhex("0x1.5d32040000000p-19")

#: Bits of 2**17: below it the quick reduction is exact enough.
LIMIT = 0x48000000


@lane_function
def sine_quick(r: Lanes, turns: Lanes):
    """(-1)**n sin(r) for |r| <= pi/2, n standing in the low bits of ``turns``: relative error below 2**-43."""
    u = r * r
    y = r * ((((((QUICK_6 * u + QUICK_5) * u + QUICK_4) * u + QUICK_3) * u + QUICK_2) * u + QUICK_1) * u + QUICK_0)
    return from_bits(bits(y) ^ (bits(turns) << 63))


def sin(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    The quick path reduces by multiples of pi to |r| <= pi/2. k * PI_HIGH is exact and the rest of pi leaves an absolute error of
    2**-72, where r itself is above 2**-26 for every float32 below 2**17: a relative error of 2**-42 in all. Larger arguments,
    infinities, NaNs and results too near a rounding boundary are computed again. The 65,536 inputs of each half type were all tried.
    """
    wide = convert(x, "float64")
    turns = wide * HALF_TURNS + MAGIC
    k = turns - MAGIC
    y = sine_quick((wide - k * PI_HIGH) - k * PI_LOW, turns)
    rare = near_binary32_tie(y) | ((bits(x) & 0x7FFFFFFF) >= LIMIT)
    if any_lane(rare):
        y = select(rare, sine_accurate(x, 0), y)
    return y


def cos(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: as :func:`sin`, reduced by odd multiples of pi/2."""
    wide = convert(x, "float64")
    turns = (wide * HALF_TURNS + 0.5) + MAGIC
    k = (turns - MAGIC) - 0.5
    y = sine_quick((wide - k * PI_HIGH) - k * PI_LOW, turns)
    rare = near_binary32_tie(y) | ((bits(x) & 0x7FFFFFFF) >= LIMIT)
    if any_lane(rare):
        y = select(rare, sine_accurate(x, 8), y)
    return y


OPERATORS = (
    Operator(
        "sin",
        "the sine of an angle in radians",
        "c",
        ("f16", "bf16", "f32"),
        Kernel(sin),
        onnx="Sin",
        opset=7,
        in_place=("x",),
        special=("sin(0) keeps the sign of zero", "infinities give NaN", "every finite argument counts exactly, 1e38 too"),
    ),
    Operator(
        "cos",
        "the cosine of an angle in radians",
        "c",
        ("f16", "bf16", "f32"),
        Kernel(cos),
        onnx="Cos",
        opset=7,
        in_place=("x",),
        special=("cos(0) = 1", "infinities give NaN", "every finite argument counts exactly, 1e38 too"),
    ),
)
