"""Exponentials of fast mode, in float32 lanes. Constants: tools/derive_exponential_fast.py.

``e**x = 2**k * e**r`` with ``k = rint(x/ln2)`` and ``r = x - k * ln2`` in two steps, of which the first is exact with and
without fused multiply-adds. A polynomial of degree 6 errs by 2**-27.9.
"""

from exactops.lanes import Lanes, bits, convert, from_bits, lane_function, mul_add, signed, unsigned
from exactops.numerics.constants import doubles
from exactops.numerics.exponential import BRIEF_1, BRIEF_2, BRIEF_3, ROUNDING_SHIFT, UNIT_HEAD, UNIT_TAIL, UNITS, power

#: Adding it to a float32 below 2**22 in magnitude rounds to an integer, which then stands in the low bits.
ROUNDING_SHIFT_FAST = 12582912.0  # 1.5 * 2**23
ONE_BITS = 0x3F800000
SHIFT_BITS = 0x4B400000

PER_LN2 = float.fromhex("0x1.7154760000000p+0")
LN2_HEAD = float.fromhex("0x1.62e4000000000p-1")
LN2_TAIL = float.fromhex("0x1.7f7d1c0000000p-20")
# e**r = 1 + r + r**2 * (FAST[0] + r * FAST[1] + ...).
FAST = doubles(
    """
    0x1.0000000000000p-1 0x1.55548a0000000p-3 0x1.5554e40000000p-5 0x1.123e300000000p-7
    0x1.6d51500000000p-10
    """
)
# The same with an error that is small beside r (2**-28), for tanh.
RELATIVE = doubles(
    """
    0x1.0000000000000p-1 0x1.5555540000000p-3 0x1.5554f00000000p-5 0x1.1113080000000p-7
    0x1.6d436c0000000p-10 0x1.9e07760000000p-13
    """
)
# 2**r = 1 + r * (BINARY[0] + r * BINARY[1] + ...).
BINARY = doubles(
    """
    0x1.62e4300000000p-1 0x1.ebfbd80000000p-3 0x1.c6af760000000p-5 0x1.3b30a60000000p-7
    0x1.5f0b8c0000000p-10 0x1.3f9bc00000000p-13
    """
)

FAST_2, FAST_3, FAST_4, FAST_5, FAST_6 = FAST
RELATIVE_2, RELATIVE_3, RELATIVE_4, RELATIVE_5, RELATIVE_6, RELATIVE_7 = RELATIVE
BINARY_1, BINARY_2, BINARY_3, BINARY_4, BINARY_5, BINARY_6 = BINARY


@lane_function
def reduce_fast(x: Lanes):
    """``(shifted, r)``: k stands in the low bits of ``shifted``. For ``|x| <= 120``."""
    shifted = mul_add(x, PER_LN2, ROUNDING_SHIFT_FAST)
    k = shifted - ROUNDING_SHIFT_FAST
    return shifted, mul_add(k, -LN2_TAIL, mul_add(k, -LN2_HEAD, x))


@lane_function
def growth_fast(r: Lanes):
    """``e**r - 1`` for ``|r| <= 0.3467``."""
    tail = mul_add(mul_add(mul_add(mul_add(FAST_6, r, FAST_5), r, FAST_4), r, FAST_3), r, FAST_2)
    return mul_add(r * r, tail, r)


@lane_function
def relative_growth_fast(r: Lanes):
    """``e**r - 1`` for ``|r| <= 0.3467``, good near zero too."""
    tail = mul_add(mul_add(RELATIVE_7, r, RELATIVE_6), r, RELATIVE_5)
    tail = mul_add(mul_add(mul_add(tail, r, RELATIVE_4), r, RELATIVE_3), r, RELATIVE_2)
    return mul_add(r * r, tail, r)


@lane_function
def power_fast(shifted: Lanes):
    """``2**k`` for k in the low bits, where it is a normal float32."""
    return from_bits((bits(shifted) << 23) + ONE_BITS)


@lane_function
def split_power_fast(shifted: Lanes):
    """Two normal float32 factors whose product is ``2**k``, for ``|k| <= 250``: multiply by one after the other."""
    k = signed(bits(shifted)) - SHIFT_BITS
    half = k >> 1
    return from_bits(unsigned(half << 23) + ONE_BITS), from_bits(unsigned((k - half) << 23) + ONE_BITS)


@lane_function
def exponential_fast(x: Lanes):
    """``e**x`` for float32 lanes with ``|x| <= 87``."""
    shifted, r = reduce_fast(x)
    base = power_fast(shifted)
    return mul_add(base, growth_fast(r), base)


@lane_function
def is_wild(x: Lanes):
    """Mask of the float32 lanes for which not ``|x| < 87``: NaN too."""
    return (bits(x) & 0x7FFFFFFF) >= 0x42AE0000


#: 1/ln(2) and ln(2) as doubles.
PER_LN2_WIDE = UNITS * 0.0625
LN2 = 16.0 * UNIT_HEAD + 16.0 * UNIT_TAIL


@lane_function
def growth_binary(r: Lanes):
    """``2**r - 1`` for ``|r| <= 0.5``."""
    tail = mul_add(mul_add(mul_add(mul_add(BINARY_6, r, BINARY_5), r, BINARY_4), r, BINARY_3), r, BINARY_2)
    return r * mul_add(tail, r, BINARY_1)


@lane_function
def reduce_wide(v: Lanes):
    """``(k, r)``, ``e**v = 2**k * e**r``: k uint32, r float32 lanes; v in float64 lanes with ``|v| < 2**20``."""
    shifted = mul_add(v, PER_LN2_WIDE, ROUNDING_SHIFT)
    return convert(bits(shifted), "uint32"), convert(mul_add(shifted - ROUNDING_SHIFT, -LN2, v), "float32")


@lane_function
def wide_exponential_fast(units: Lanes):
    """``e**(units * ln(2)/16)`` in float64 lanes for ``|units| < 2**14``, with fused multiply-adds where there are any."""
    shifted = units + ROUNDING_SHIFT
    r = units - (shifted - ROUNDING_SHIFT)
    base = power(bits(shifted))
    return mul_add(base, r * mul_add(mul_add(BRIEF_3, r, BRIEF_2), r, BRIEF_1), base)
