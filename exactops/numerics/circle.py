"""Sine and cosine of every float32, to far more than double precision in the result: argument reduction and table.

Slower than a quick path, but without a branch: it serves huge arguments and hard roundings alike.
"""

from exactops.lanes import Lanes, bits, convert, from_bits, lane_function, lookup, select, signed
from exactops.numerics.constants import doubles
from exactops.numerics.rounding import fast_two_sum, round_to_odd, two_sum

# All constants: tools/derive_sin_cos.py. Sines of n * pi/16 as a 26-bit head and the rest.
SINES_HIGH = doubles(
    """
    0x0.0p+0 0x1.8f8b840000000p-3 0x1.87de2a8000000p-2 0x1.1c73b38000000p-1
    0x1.6a09e68000000p-1 0x1.a9b6628000000p-1 0x1.d906bd0000000p-1 0x1.f6297d0000000p-1
    0x1.0000000000000p+0 0x1.f6297d0000000p-1 0x1.d906bd0000000p-1 0x1.a9b6628000000p-1
    0x1.6a09e68000000p-1 0x1.1c73b38000000p-1 0x1.87de2a8000000p-2 0x1.8f8b840000000p-3
    0x0.0p+0 -0x1.8f8b840000000p-3 -0x1.87de2a8000000p-2 -0x1.1c73b38000000p-1
    -0x1.6a09e68000000p-1 -0x1.a9b6628000000p-1 -0x1.d906bd0000000p-1 -0x1.f6297d0000000p-1
    -0x1.0000000000000p+0 -0x1.f6297d0000000p-1 -0x1.d906bd0000000p-1 -0x1.a9b6628000000p-1
    -0x1.6a09e68000000p-1 -0x1.1c73b38000000p-1 -0x1.87de2a8000000p-2 -0x1.8f8b840000000p-3
    """
)
SINES_LOW = doubles(
    """
    0x0.0p+0 -0x1.cb2cfaa4da337p-30 -0x1.51569d2e59dbap-30 0x1.ae68c86c9774ap-29
    -0x1.80c4336f74d05p-29 0x1.0ea1a3033ec62p-29 -0x1.9ae573aea067cp-30 -0x1.1469faa77a357p-34
    0x0.0p+0 -0x1.1469faa77a357p-34 -0x1.9ae573aea067cp-30 0x1.0ea1a3033ec62p-29
    -0x1.80c4336f74d05p-29 0x1.ae68c86c9774ap-29 -0x1.51569d2e59dbap-30 -0x1.cb2cfaa4da337p-30
    0x0.0p+0 0x1.cb2cfaa4da337p-30 0x1.51569d2e59dbap-30 -0x1.ae68c86c9774ap-29
    0x1.80c4336f74d05p-29 -0x1.0ea1a3033ec62p-29 0x1.9ae573aea067cp-30 0x1.1469faa77a357p-34
    0x0.0p+0 0x1.1469faa77a357p-34 0x1.9ae573aea067cp-30 -0x1.0ea1a3033ec62p-29
    0x1.80c4336f74d05p-29 -0x1.ae68c86c9774ap-29 0x1.51569d2e59dbap-30 0x1.cb2cfaa4da337p-30
    """
)
SINE_0 = float.fromhex("-0x1.5555555555555p-3")
SINE_1 = float.fromhex("0x1.111111111046fp-7")
SINE_2 = float.fromhex("-0x1.a01a0139b8206p-13")
SINE_3 = float.fromhex("0x1.71cda2103064ep-19")
COSINE_0 = float.fromhex("-0x1.0000000000000p-1")
COSINE_1 = float.fromhex("0x1.5555555553298p-5")
COSINE_2 = float.fromhex("-0x1.6c16c0df50f5dp-10")
COSINE_3 = float.fromhex("0x1.a00330590e306p-16")
STEP_HIGH = float.fromhex("0x1.921fb58000000p-3")
STEP_LOW = float.fromhex("-0x1.dde973dcb3b3ap-30")
STEP = float.fromhex("0x1.921fb54442d18p-3")
STEPS_0 = doubles(
    """
    0x1.4000000000000p+2 0x1.45f3000000000p+2 0x1.f306dc8000000p-6 0x1.6e4e441000000p-21
    0x1.1054a7c000000p-39 0x1.29fc275000000p-53 0x1.3abe8f8000000p-72 0x1.d1f534d000000p-85
    """
)
STEPS_1 = doubles(
    """
    0x1.7cc1b70000000p-4 0x1.b727220000000p-20 0x1.c882a53000000p-34 0x1.4a7f09c000000p-51
    0x1.84eafa3000000p-66 0x1.f47d4d2000000p-83 0x1.4d37702000000p-99 0x1.b81b6c5000000p-114
    """
)
STEPS_2 = doubles(
    """
    0x1.391054a000000p-31 0x1.529fc24000000p-49 0x1.f09d5f4000000p-63 0x1.5f47d4d000000p-79
    0x1.d4d3770000000p-95 0x1.77036d8000000p-111 0x1.6d8a566000000p-127 0x1.5993c40000000p-145
    """
)
STEPS_3 = doubles(
    """
    0x1.fc2757d1f534ep-61 0x1.abe8fa9a6ee07p-76 0x1.f534ddc0db629p-93 0x1.bb81b6c52b328p-110
    0x1.b6c52b3278872p-126 0x1.4acc9e21c8210p-140 0x1.3c439041fe516p-157 0x1.c820ff28b1d5fp-172
    """
)

#: Adding it to a smaller double rounds to an integer, which stands in the low bits of the sum.
MAGIC = 6755399441055744.0


@lane_function
def head(x: Lanes):
    """The leading 26 bits of float64 lanes."""
    return from_bits(bits(x) & 0xFFFFFFFFF8000000)


@lane_function
def sixteenths_of_pi(x: Lanes):
    """Reduce x (float32 values in float64 lanes) to ``n * pi/16 + r_high + r_low``: unsigned n modulo 32, r as a pair.

    x has 24 bits, each chunk of 16/pi 29: the products are exact, their integer parts drop off exactly, and bits of 16/pi that
    only add multiples of 32 are not in the table. The absolute error of r is below 2**-99, its relative error below 2**-78
    unless r is tiny; no float32 lies within 2**-33 of a multiple of pi/16.
    """
    group = signed((bits(x) >> 52) & 0x7FF) - 1023
    group = select(group < 0, 0, group) >> 4
    product_0 = x * lookup(STEPS_0, group)
    product_1 = x * lookup(STEPS_1, group)
    product_2 = x * lookup(STEPS_2, group)
    whole_0 = product_0 + MAGIC
    whole_1 = product_1 + MAGIC
    part, error = two_sum(product_0 - (whole_0 - MAGIC), product_1 - (whole_1 - MAGIC))
    whole_2 = part + MAGIC
    part, error_2 = two_sum(part - (whole_2 - MAGIC), product_2)
    part, error = fast_two_sum(part, error_2 + (error + x * lookup(STEPS_3, group)))
    part_head = head(part)
    r_high, r_low = fast_two_sum(part_head * STEP_HIGH, part_head * STEP_LOW + ((part - part_head) * STEP + error * STEP))
    return bits(whole_0) + bits(whole_1) + bits(whole_2), r_high, r_low


@lane_function
def sine_accurate(x: Lanes, steps: int):
    """sin(x + steps * pi/16) of float32 lanes as a wide value that rounds correctly for every input: 0 for sine, 8 for cosine.

    sin(n pi/16 + r) = S + (C r + (S (cos r - 1) + C (sin r - r))): S a table value as a pair, C r to 80 bits, and the
    rest, below 2**-7, in double. Relative error below 2**-57; the hardest inputs are 2**-54.2 (sine) and 2**-55.9
    (cosine) from a rounding boundary.
    """
    n, r, r_low = sixteenths_of_pi(convert(x, "float64"))
    sine_high, sine_low = lookup(SINES_HIGH, n + steps), lookup(SINES_LOW, n + steps)
    cosine_high, cosine_low = lookup(SINES_HIGH, n + (steps + 8)), lookup(SINES_LOW, n + (steps + 8))
    u = r * r
    cosine_tail = (((COSINE_3 * u + COSINE_2) * u + COSINE_1) * u + COSINE_0) * u
    sine_tail = (((SINE_3 * u + SINE_2) * u + SINE_1) * u + SINE_0) * (u * r)
    tail = (sine_high + sine_low) * cosine_tail + (cosine_high + cosine_low) * sine_tail
    r_head = head(r)
    tail = tail + (cosine_low * r + cosine_high * ((r - r_head) + r_low))
    high, low = fast_two_sum(sine_high, cosine_high * r_head)
    high, low = fast_two_sum(high, low + (sine_low + tail))
    return round_to_odd(high, low)
