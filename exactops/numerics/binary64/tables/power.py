"""Constants of pow in float64. Written by tools/derive_binary64_power.py with ``--write``."""

from exactops.numerics.constants import doubles

# Fast mode: m runs from the double with the bits FAST_MODE_FIRST on over 16 cells.
FAST_MODE_FIRST = 0x3FE6555560000000
FAST_MODE_RECIPROCALS = doubles(
    """
    0x1.6700000000000p+0 0x1.5780000000000p+0 0x1.4a00000000000p+0 0x1.3d00000000000p+0
    0x1.3180000000000p+0 0x1.2680000000000p+0 0x1.1c00000000000p+0 0x1.1280000000000p+0
    0x1.0980000000000p+0 0x1.0000000000000p+0 0x1.e700000000000p-1 0x1.cb00000000000p-1
    0x1.b300000000000p-1 0x1.9d00000000000p-1 0x1.8900000000000p-1 0x1.7700000000000p-1
    """
)
FAST_MODE_LOGARITHMS = doubles(
    """
    -0x1.5a42ab0f4d000p-2 -0x1.2d10dec508000p-2 -0x1.0402594b4d000p-2 -0x1.b5b519e8fc000p-3
    -0x1.6a079d0f7a000p-3 -0x1.1eed90e2dc000p-3 -0x1.a926d3a4ac000p-4 -0x1.1dcb263db0000p-4
    -0x1.2a7ec22150000p-5 0x0.0p+0 0x1.9a187b5740000p-5 0x1.bf968769fc000p-4
    0x1.4dc7b897bc000p-3 0x1.b811730b82000p-3 0x1.0edd060b78000p-2 0x1.3edf463c17000p-2
    """
)
FAST_MODE_LOGARITHMS_LOW = doubles(
    """
    0x1.e63af2df7ba69p-50 -0x1.60c61f7088353p-44 -0x1.036b89ef42d7fp-48 0x1.4b722ec011f31p-44
    -0x1.5a3f8448d14f5p-44 -0x1.615637097648fp-46 -0x1.563650bd22a9cp-44 -0x1.9444f5e9e8981p-44
    0x1.78ce77a9163fep-45 0x0.0p+0 -0x1.0c22e4ec4d90dp-44 0x1.4218c8d824283p-45
    0x1.c79b60ae1ff0fp-47 0x1.e90683b9cd768p-46 0x1.019b52d8435f5p-47 -0x1.f067c297f2c3fp-44
    """
)
# log(1 + z) = z - z**2 / 2 + z**3 * FAST_MODE_TAIL(z).
FAST_MODE_TAIL = doubles(
    """
    0x1.5555555555555p-2 -0x1.fffffffffff41p-3 0x1.999999999afb6p-3 -0x1.555555570494ep-3
    0x1.2492490e0345bp-3 -0x1.ffffd7a0ec1bcp-4 0x1.c71d7d39baae9p-4 -0x1.9a5f558d071ddp-4
    0x1.72907f6414397p-4
    """
)
# Proven for powers below 2, beside the error of e**p: that of exact mode for a unit of p = y * log(x)
# and for a unit of y times the logarithm's tail.
PRODUCT_ERROR = float.fromhex("0x1.2000000000000p-73")
TAIL_ERROR = float.fromhex("0x1.8000000000000p-49")
