"""Constants of fast mode's exponentials, in float32. Written by tools/derive_exponential_fast_mode.py with ``--write``."""

from exactops.numerics.constants import doubles

INVERSE_LN2 = float.fromhex("0x1.7154760000000p+0")
LN2_HIGH = float.fromhex("0x1.62e4000000000p-1")
LN2_LOW = float.fromhex("0x1.7f7d1c0000000p-20")
# e**r - 1 = r + r**2 * EXPM1_TAIL(r), with an error of 2**-27.9 beside 1.
EXPM1_TAIL = doubles(
    """
    0x1.0000000000000p-1 0x1.55548a0000000p-3 0x1.5554e40000000p-5 0x1.123e300000000p-7
    0x1.6d51500000000p-10
    """
)
# The same with an error that is small beside r (2**-28).
EXPM1_RELATIVE_TAIL = doubles(
    """
    0x1.0000000000000p-1 0x1.5555540000000p-3 0x1.5554f00000000p-5 0x1.1113080000000p-7
    0x1.6d436c0000000p-10 0x1.9e07760000000p-13
    """
)
# 2**r - 1 = r * EXP2M1(r).
EXP2M1 = doubles(
    """
    0x1.62e4300000000p-1 0x1.ebfbd80000000p-3 0x1.c6af760000000p-5 0x1.3b30a60000000p-7
    0x1.5f0b8c0000000p-10 0x1.3f9bc00000000p-13
    """
)
