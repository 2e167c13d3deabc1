"""|x|**y of fast mode in float32 lanes. Constants: tools/derive_power_fast.py.

The logarithm has a relative error of 2**-32, in two float32: y * log2(x) reaches 127, and its error becomes one of the
result. A product is exact with and without fused multiply-adds where both factors are heads of 12 bits, so that a factor whose
low bits count is cut in a head and a rest.

Errors, without fused multiply-adds: the logarithm 2**-31.1 at most, from LOG_1 + ... and its product with z, times
ln(2) * 126, and that of 2**f: together below 2.5 ulp, which is 2 from the correctly rounded result.
"""

from exactops.lanes import Lanes, bits, convert, from_bits, lane_function, lookup_single, mul_add, unsigned
from exactops.numerics.constants import doubles
from exactops.numerics.exponential_fast import ROUNDING_SHIFT_FAST, growth_binary

# x = m * 2**e, m in 32 intervals of equal width in the mantissa from the float32 with the bits FIRST on; c of RECIPROCALS has
# few bits, -log2(c) = LOGARITHMS + LOGARITHMS_LOW.
FIRST = 0x3F355556
RECIPROCALS = doubles(
    """
    0x1.6500000000000p+0 0x1.5e00000000000p+0 0x1.5700000000000p+0 0x1.5000000000000p+0
    0x1.4900000000000p+0 0x1.4200000000000p+0 0x1.3c00000000000p+0 0x1.3600000000000p+0
    0x1.3000000000000p+0 0x1.2b00000000000p+0 0x1.2500000000000p+0 0x1.2000000000000p+0
    0x1.1b00000000000p+0 0x1.1600000000000p+0 0x1.1200000000000p+0 0x1.0d00000000000p+0
    0x1.0900000000000p+0 0x1.0500000000000p+0 0x1.0000000000000p+0 0x1.f400000000000p-1
    0x1.e400000000000p-1 0x1.d600000000000p-1 0x1.ca00000000000p-1 0x1.bc00000000000p-1
    0x1.b200000000000p-1 0x1.a600000000000p-1 0x1.9c00000000000p-1 0x1.9200000000000p-1
    0x1.8800000000000p-1 0x1.7e00000000000p-1 0x1.7600000000000p-1 0x1.6e00000000000p-1
    """
)
LOGARITHMS = doubles(
    """
    -0x1.eb4c000000000p-2 -0x1.ce0c000000000p-2 -0x1.b030000000000p-2 -0x1.91bc000000000p-2
    -0x1.72a0000000000p-2 -0x1.52dc000000000p-2 -0x1.3714000000000p-2 -0x1.1ac0000000000p-2
    -0x1.fbc0000000000p-3 -0x1.cac0000000000p-3 -0x1.8ee0000000000p-3 -0x1.5c00000000000p-3
    -0x1.2840000000000p-3 -0x1.e730000000000p-4 -0x1.9190000000000p-4 -0x1.24b0000000000p-4
    -0x1.9860000000000p-5 -0x1.c940000000000p-6 0x0.0p+0 0x1.1840000000000p-5
    0x1.4c50000000000p-4 0x1.f9d0000000000p-4 0x1.4950000000000p-3 0x1.a508000000000p-3
    0x1.e858000000000p-3 0x1.1d98000000000p-2 0x1.4108000000000p-2 0x1.6554000000000p-2
    0x1.8a88000000000p-2 0x1.b0b8000000000p-2 0x1.cffc000000000p-2 0x1.efec000000000p-2
    """
)
LOGARITHMS_LOW = doubles(
    """
    0x1.ee0baa0000000p-20 0x1.b6dc5a0000000p-18 -0x1.befe060000000p-18 0x1.5db83a0000000p-20
    -0x1.637cbc0000000p-18 0x1.01d9b40000000p-21 0x1.b315b40000000p-18 -0x1.6ca47c0000000p-20
    -0x1.6b90260000000p-19 -0x1.63c7700000000p-19 0x1.a8be560000000p-18 -0x1.a39fbe0000000p-19
    -0x1.4a583e0000000p-18 0x1.3ee8060000000p-20 0x1.7a46e80000000p-18 -0x1.6df84e0000000p-18
    0x1.00f2da0000000p-19 0x1.388af60000000p-19 0x0.0p+0 0x1.71c98a0000000p-18
    0x1.83f9a20000000p-18 -0x1.a88f8c0000000p-18 -0x1.e711c80000000p-21 0x1.4b54d20000000p-19
    -0x1.6164f60000000p-22 0x1.64ea940000000p-21 -0x1.fe83c20000000p-18 -0x1.4b667a0000000p-18
    0x1.80abfc0000000p-18 -0x1.80b0ba0000000p-18 -0x1.19ee520000000p-18 0x1.86c0480000000p-20
    """
)
SLOPE = float.fromhex("0x1.7154760000000p+0")
SLOPE_LOW = float.fromhex("0x1.4ae0c00000000p-26")
LOG_1 = float.fromhex("-0x1.7154760000000p-1")
LOG_2 = float.fromhex("0x1.ec709e0000000p-2")
LOG_3 = float.fromhex("-0x1.71673a0000000p-2")
LOG_4 = float.fromhex("0x1.278ee60000000p-2")

_FIRST_12_BITS = 0xFFFFF000


@lane_function
def head_of(x: Lanes):
    """The upper 12 bits of float32 lanes; what is left is exact, and has 12 bits."""
    return from_bits(bits(x) & _FIRST_12_BITS)


@lane_function
def logarithm_fast(pattern: Lanes):
    """log2 of positive normal float32 numbers, given by their bits as int32 lanes: a head of 12 bits and the rest."""
    offset = pattern - FIRST
    exponent = offset & -0x800000
    m = from_bits(unsigned(pattern - exponent))
    index = offset >> 18
    c = lookup_single(RECIPROCALS, index)
    m_head = head_of(m)
    # m * c - 1 as a head and a rest, both exact, and rounded. Here and below a product of heads inside a sum is exact, too.
    m_rest = m - m_head
    first = mul_add(m_head, c, -1.0)
    z = mul_add(m_rest, c, first)
    z_head = head_of(z)
    z_rest = mul_add(m_rest, c, first - z_head)
    # log2(1 + z) = z * (factor + factor_rest), with a factor that leaves a small rest.
    factor = head_of(mul_add(z, LOG_1, SLOPE))
    tail = mul_add(mul_add(mul_add(LOG_4, z, LOG_3), z, LOG_2), z, LOG_1)
    factor_rest = mul_add(tail, z, SLOPE - factor) + SLOPE_LOW
    # The table's part is larger, or nothing.
    table = mul_add(convert(exponent, "float32"), 1.1920928955078125e-07, lookup_single(LOGARITHMS, index))
    total = mul_add(z_head, factor, table)
    error = mul_add(z_head, factor, table - total)
    low = mul_add(z, factor_rest, mul_add(z_rest, factor, lookup_single(LOGARITHMS_LOW, index)))
    head = head_of(total)
    return head, (total - head) + (error + low)


@lane_function
def power_fast_of(pattern: Lanes, y: Lanes, head: Lanes, rest: Lanes):
    """x**(head + rest) for positive normal x, given by its bits, and its rounded logarithm.

    The head has 12 bits, y is the sum rounded. It holds for results that are normal: where the logarithm is between -125.5
    and 125.5.
    """
    logarithm, logarithm_rest = logarithm_fast(pattern)
    low = mul_add(rest, logarithm, y * logarithm_rest)
    shifted = mul_add(head, logarithm, low) + ROUNDING_SHIFT_FAST
    whole = shifted - ROUNDING_SHIFT_FAST
    f = mul_add(head, logarithm, -whole) + low
    return from_bits(bits(growth_binary(f) + 1.0) + (bits(shifted) << 23)), whole
