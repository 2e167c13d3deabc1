"""Constants of sin and cos. Written by tools/derive_sin_cos.py with ``--write``."""

from exactops.numerics.constants import doubles, tables

# 1/pi: a high part of 28 bits, whose product with a float32 is exact, and a low part.
INVERSE_PI_HIGH = float.fromhex("0x1.45f306c000000p-2")
INVERSE_PI_LOW = float.fromhex("0x1.c9c882a53f84fp-30")
# sin(pi f) = f * FAST_PHASE(f**2) for |f| <= 1/2.
FAST_PHASE = doubles(
    """
    0x1.921fb54442b5dp+1 -0x1.4abbce6247dfcp+2 0x1.466bc66dc2e52p+1 -0x1.32d2c96af3bc4p-1
    0x1.5076fe406f941p-4 -0x1.e297b928d01f3p-8 0x1.d4ea63eae09dep-12
    """
)
# Fast mode, in float64: 1/pi, and pi as a high part and a low part.
INVERSE_PI = float.fromhex("0x1.45f306dc9c883p-2")
PI_HIGH = float.fromhex("0x1.921fb54440000p+1")
PI_LOW = float.fromhex("0x1.68c234c4c6629p-38")
# Fast mode, in float32: sin(r) = r + r**3 * FAST_MODE(r**2).
FAST_MODE = doubles(
    """
    -0x1.55554c0000000p-3 0x1.110ed40000000p-7 -0x1.9f6fea0000000p-13 0x1.5dbcc80000000p-19
    """
)
# Sines of n * pi/16: a high part of 26 bits and a low part.
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
# sin(r) = r + r**3 * SINE(r**2), cos(r) = 1 + r**2 * COSINE(r**2) for |r| <= pi/32.
SINE = doubles(
    """
    -0x1.5555555555555p-3 0x1.111111111046fp-7 -0x1.a01a0139b8206p-13 0x1.71cda2103064ep-19
    """
)
COSINE = doubles(
    """
    -0x1.0000000000000p-1 0x1.5555555553298p-5 -0x1.6c16c0df50f5dp-10 0x1.a00330590e306p-16
    """
)
# pi/16: a high part of 26 bits and a low part, and one double.
STEP_HIGH = float.fromhex("0x1.921fb58000000p-3")
STEP_LOW = float.fromhex("-0x1.dde973dcb3b3ap-30")
STEP = float.fromhex("0x1.921fb54442d18p-3")
# 16/pi in chunks of 29 bits and the rest, for each group of 16 binary exponents of the argument.
INVERSE_STEP = tables(
    """
    0x1.4000000000000p+2 0x1.45f3000000000p+2 0x1.f306dc8000000p-6 0x1.6e4e441000000p-21
    0x1.1054a7c000000p-39 0x1.29fc275000000p-53 0x1.3abe8f8000000p-72 0x1.d1f534d000000p-85

    0x1.7cc1b70000000p-4 0x1.b727220000000p-20 0x1.c882a53000000p-34 0x1.4a7f09c000000p-51
    0x1.84eafa3000000p-66 0x1.f47d4d2000000p-83 0x1.4d37702000000p-99 0x1.b81b6c5000000p-114

    0x1.391054a000000p-31 0x1.529fc24000000p-49 0x1.f09d5f4000000p-63 0x1.5f47d4d000000p-79
    0x1.d4d3770000000p-95 0x1.77036d8000000p-111 0x1.6d8a566000000p-127 0x1.5993c40000000p-145

    0x1.fc2757d1f534ep-61 0x1.abe8fa9a6ee07p-76 0x1.f534ddc0db629p-93 0x1.bb81b6c52b328p-110
    0x1.b6c52b3278872p-126 0x1.4acc9e21c8210p-140 0x1.3c439041fe516p-157 0x1.c820ff28b1d5fp-172
    """
)
