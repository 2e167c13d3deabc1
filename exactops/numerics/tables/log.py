"""Constants of log. Written by tools/derive_log.py with ``--write``."""

from exactops.numerics.constants import doubles

# m runs over 16 intervals of equal width from the float32 with the bits FIRST on; log(m) = LOGARITHMS + log(m * c).
FIRST = 0x3F32AAAB
RECIPROCALS = doubles(
    """
    0x1.66b585c000000p+0 0x1.57f9787000000p+0 0x1.4973537000000p+0 0x1.3d5bf97000000p+0
    0x1.31bf9dc000000p+0 0x1.26a5efe000000p+0 0x1.1c2a478000000p+0 0x1.126e6f2000000p+0
    0x1.09a823b000000p+0 0x1.0000000000000p+0 0x1.e6e9e3e000000p-1 0x1.cb89d29000000p-1
    0x1.b2a5c8c000000p-1 0x1.9cbd62d000000p-1 0x1.895ede2000000p-1 0x1.76cebe0000000p-1
    """
)
LOGARITHMS = doubles(
    """
    -0x1.596e250e75600p-2 -0x1.2e7abbae78c00p-2 -0x1.024d7813f0f00p-2 -0x1.b806f8ab65a00p-3
    -0x1.6bb1e882e0400p-3 -0x1.1ff551d400400p-3 -0x1.ab886c94f8000p-4 -0x1.1cc500f135c00p-4
    -0x1.2f54e4c980800p-5 0x0.0p+0 0x1.9b8c6ec1f5800p-5 0x1.bac95b3f31800p-4
    0x1.4f70a228cce00p-3 0x1.b95be1afaf800p-3 0x1.0de5f3fb9dc00p-2 0x1.3f65d0c746200p-2
    """
)
# LN2_HIGH times an exponent is exact, and so is its sum with an entry of LOGARITHMS.
LN2_HIGH = float.fromhex("0x1.62e42fefa3a00p-1")
LN2_LOW = float.fromhex("-0x1.0ca86c3898d00p-49")
# LN2_HIGH * 2**-23, for an exponent that stands in the bits of a float32.
LN2_SHIFTED = float.fromhex("0x1.62e42fefa3a00p-24")
# log(1 + z) = z + z**2 * FAST_PHASE(z), and the same with ACCURATE.
FAST_PHASE = doubles(
    """
    -0x1.000000000d308p-1 0x1.555552d24378bp-2 -0x1.fffff49131db3p-3 0x1.99ef59c8b386ep-3
    -0x1.55be665653e21p-3
    """
)
ACCURATE = doubles(
    """
    -0x1.0000000000000p-1 0x1.555555555552dp-2 -0x1.ffffffffffeaep-3 0x1.9999999ab982cp-3
    -0x1.55555557bcca4p-3 0x1.249237dde1b27p-3 -0x1.ffffcd9030935p-4 0x1.c7e0fc57ff2bfp-4
    -0x1.9a75d0d0aab5fp-4
    """
)
# Fast mode, float32: log(1 + z) = z - z**2/2 + z**3 * FAST_MODE(z), m from FAST_MODE_FIRST on, without a table.
FAST_MODE = doubles(
    """
    0x1.5555280000000p-2 -0x1.000b1c0000000p-2 0x1.99c31e0000000p-3 -0x1.515a860000000p-3
    0x1.1f96280000000p-3 -0x1.35b3520000000p-3 0x1.1b09d20000000p-3
    """
)
FAST_MODE_FIRST = 0x3F2AAAAB
FAST_MODE_LN2_HIGH = float.fromhex("0x1.62e4000000000p-24")
FAST_MODE_LN2_LOW = float.fromhex("0x1.7f7d1c0000000p-43")
