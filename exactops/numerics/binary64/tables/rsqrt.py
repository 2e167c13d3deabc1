"""Constants of rsqrt. Written by tools/derive_binary64_rsqrt.py with ``--write``."""

from exactops.numerics.constants import doubles

# 1 / sqrt(1 - e) = 1 + e * (SERIES[0] + SERIES[1] * e) for |e| <= 2**-21.6.
SERIES = doubles(
    """
    0x1.00000000000bcp-1 0x1.8000000000000p-2
    """
)
# Bound of the fast phase's error, relative to its high part.
FAST_PHASE_ERROR = float.fromhex("0x1.4ce1ac1d9a6d4p-69")
