"""Constants of the tanh form of gelu in float64. Written by tools/derive_binary64_exponential.py with ``--write``."""

from exactops.lanes import Wide

# The argument is x * (SLOPE + CUBIC * x**2): heads of 26 and 27 bits, and the rests.
SLOPE = float.fromhex("0x1.9884533d43651p+0")
SLOPE_HIGH = float.fromhex("0x1.9884530000000p+0")
SLOPE_LOW = float.fromhex("0x1.ea1b284687e5ap-27")
CUBIC = float.fromhex("0x1.2444f2a4d8b4bp-4")
CUBIC_HIGH = float.fromhex("0x1.2444f2c000000p-4")
CUBIC_LOW = float.fromhex("-0x1.b274b50b6421dp-32")
# In units of 2**-192: SLOPE, and 0.044715.
WIDE_SLOPE = Wide(0x19884533D436508D0FCB3C500BAB8E2FF4E0A7CC1449C1B63)
WIDE_CUBIC = Wide(0xB727136A400FBA8826AA8EB463497B7414A4D2B2BFDB4CC)
