"""Constants of the exponential. Written by tools/derive_exponential.py with ``--write``."""

from exactops.numerics.constants import doubles

# 16/ln(2) as a high part of 29 bits, whose product with a float32 is exact, and a low part; and as one double.
INVERSE_STEP_HIGH = float.fromhex("0x1.7154765000000p+4")
INVERSE_STEP_LOW = float.fromhex("0x1.5c17f0bbbe880p-27")
INVERSE_STEP = float.fromhex("0x1.71547652b82fep+4")
# ln(2)/16 as a high part of 40 bits, whose product with k is exact, and a low part.
STEP_HIGH = float.fromhex("0x1.62e42fefa4000p-5")
STEP_LOW = float.fromhex("-0x1.8432a1b0e2634p-47")
# e**(r * ln(2)/16) - 1 = r * EXPM1(r). The errors of EXPM1 (2**-56.9), EXPM1_FAST_PHASE (2**-38.5) and EXPM1_FAST_MODE
# (2**-29.2) are small beside 1, that of EXPM1_RELATIVE (2**-41.1) beside r.
EXPM1 = doubles(
    """
    0x1.62e42fefa39fdp-5 0x1.ebfbdff82c597p-11 0x1.c6b08d6e8ccd6p-17 0x1.3b2ab6fadd08ap-23
    0x1.5d89bd61fbd60p-30 0x1.430a6945c94f5p-37
    """
)
EXPM1_FAST_PHASE = doubles(
    """
    0x1.62e42fec39ac3p-5 0x1.ebfbdff5f6f59p-11 0x1.c6b3f7548b21cp-17 0x1.3b2c7b43b3d00p-23
    """
)
EXPM1_RELATIVE = doubles(
    """
    0x1.62e42fefa39f3p-5 0x1.ebfbdff6987fcp-11 0x1.c6b08d6f2d73bp-17 0x1.3b2c4ace3401fp-23
    0x1.5d897d03868dep-30
    """
)
EXPM1_FAST_MODE = doubles(
    """
    0x1.62e42fec39ac3p-5 0x1.ebfffa9aa6e36p-11 0x1.c6b3f7548b21cp-17
    """
)
# 2**(j/16) with ``j << 48`` taken from its bits: adding ``k << 48`` to entry ``k & 15`` then gives 2**(k/16).
EXP2_SIXTEENTHS = doubles(
    """
    0x1.0000000000000p+0 0x1.fb5586cf9890fp-1 0x1.f72b83c7d517bp-1 0x1.f387a6e756238p-1
    0x1.f06fe0a31b715p-1 0x1.edea64c123422p-1 0x1.ebfdad5362a27p-1 0x1.eab07dd485429p-1
    0x1.ea09e667f3bcdp-1 0x1.ea11473eb0187p-1 0x1.eace5422aa0dbp-1 0x1.ec49182a3f090p-1
    0x1.ee89f995ad3adp-1 0x1.f199bdd85529cp-1 0x1.f5818dcfba487p-1 0x1.fa4afa2a490dap-1
    """
)
# What the rounding of entry j took away, in steps: 2**(j/16) = entry * 2**(offset/16).
EXP2_OFFSETS = doubles(
    """
    0x0.0p+0 0x1.106d9ba253401p-49 -0x1.73c5aec1a0547p-51 0x1.045c6a6d3eecbp-49
    0x1.bd9046b69ea24p-51 0x1.f31b9fb32e2e4p-51 0x1.04715f70da237p-51 0x1.7a560f05eeddbp-50
    -0x1.c6cdcb8cfcc24p-50 -0x1.39ea4b4e0a91dp-51 0x1.56f6cd720fba3p-50 0x1.984806660caa6p-52
    0x1.445b6038d7018p-50 0x1.c08f260a0042ap-52 0x1.dc682d68358e2p-52 -0x1.70ed6ccceec4bp-50
    """
)
