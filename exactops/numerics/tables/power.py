"""Constants of pow in double and in pairs of doubles. Written by tools/derive_power.py with ``--write``."""

from exactops.numerics.constants import doubles

# m in the intervals of tables.log; -log2(c) = LOGARITHMS_HIGH + LOGARITHMS_LOW.
RECIPROCALS = doubles(
    """
    0x1.66f5d21000000p+0 0x1.57760ee000000p+0 0x1.4974256000000p+0 0x1.3ca2899000000p+0
    0x1.312608c000000p+0 0x1.2616be8000000p+0 0x1.1c6114f000000p+0 0x1.12f1e26000000p+0
    0x1.093dc71000000p+0 0x1.0000000000000p+0 0x1.e6b447e000000p-1 0x1.cbb9360000000p-1
    0x1.b36a90a000000p-1 0x1.9d1817a000000p-1 0x1.88c99ee000000p-1 0x1.76cf944000000p-1
    """
)
LOGARITHMS_HIGH = doubles(
    """
    -0x1.f36272346de00p-2 -0x1.b22de32288000p-2 -0x1.74aa9048a2600p-2 -0x1.3a09690e02800p-2
    -0x1.0372e846d1e00p-2 -0x1.99d25a8df4800p-3 -0x1.369ff330f4400p-3 -0x1.a5e1c38dcc800p-4
    -0x1.a31de8a5fe000p-5 0x0.0p+0 0x1.2b695af0f2000p-4 0x1.3e36894363c00p-3
    0x1.deb787fc99000p-3 0x1.3d1b009d61600p-2 0x1.87926c3eb7a00p-2 0x1.ccc7d67f24000p-2
    """
)
LOGARITHMS_LOW = doubles(
    """
    -0x1.bc1b069a41b7ap-68 0x1.274cba6240b39p-65 0x1.0549642bac4abp-65 -0x1.bdc352be630a2p-68
    -0x1.3164cfa7d83f1p-67 0x1.c36571674f185p-66 0x1.c96f759b6b2dap-66 -0x1.0572bb124ab0cp-66
    0x1.7330cab787b70p-66 0x0.0p+0 0x1.342d9a2cf12a2p-66 0x1.22690c8a09f5fp-70
    -0x1.fc3ec243459ddp-66 -0x1.75d4e5dd1e025p-64 0x1.9403ba5a41ebbp-65 0x1.c8084635cb2ddp-70
    """
)
# Fast phase: log2(1 + z) = z * LOG2(z), 2**f = EXP2(f) for |f| <= 1/32.
LOG2 = doubles(
    """
    0x1.71547652b82fep+0 -0x1.71547652b82f1p-1 0x1.ec709dc3d66f3p-2 -0x1.7154765366571p-2
    0x1.2776bd9dbbc5cp-2 -0x1.ec7084de4949ep-3 0x1.a69a346a59731p-3 -0x1.71ebec19ae008p-3
    """
)
EXP2 = doubles(
    """
    0x1.0000000000014p+0 0x1.62e42fefa3a07p-1 0x1.ebfbdff555342p-3 0x1.c6b08d6dea782p-5
    0x1.3b2c9ba29ac62p-7 0x1.5d89fe5dfb05dp-10
    """
)
# Accurate phase: z in steps of 1/240, 16 entries, the negative ones behind.
FINE_RECIPROCALS = doubles(
    """
    0x1.0000000000000p+0 0x1.fdfa800000000p-1 0x1.fbdf800000000p-1 0x1.f9ac800000000p-1
    0x1.f77f800000000p-1 0x1.f592000000000p-1 0x1.f388800000000p-1 0x1.f17c000000000p-1
    0x1.0000000000000p+0 0x1.07c0c00000000p+0 0x1.068fc00000000p+0 0x1.0571c00000000p+0
    0x1.0465000000000p+0 0x1.033ac00000000p+0 0x1.0224400000000p+0 0x1.010e400000000p+0
    """
)
FINE_LOGARITHMS_HIGH = doubles(
    """
    0x0.0p+0 0x1.7609456f80000p-8 0x1.7e988a03bc000p-7 0x1.25dff77372000p-6
    0x1.8bcc6fef88000p-6 0x1.e678a6ac18000p-6 0x1.235582b0f6000p-5 0x1.53e847e28f000p-5
    0x0.0p+0 -0x1.609c5c6602000p-5 -0x1.2b1a9823a7000p-5 -0x1.f16b172b44000p-6
    -0x1.92508ef17c000p-6 -0x1.2852652a6a000p-6 -0x1.89d56f6d7c000p-7 -0x1.85162ea2c0000p-8
    """
)
FINE_LOGARITHMS_LOW = doubles(
    """
    0x0.0p+0 -0x1.3fcab9106a368p-55 -0x1.6a4ba7fb7a04bp-54 0x1.f893d3aa38362p-55
    -0x1.07480dcfe0944p-53 -0x1.cde9f3d7cc6d8p-55 -0x1.7673a6970e2adp-52 0x1.3864245918d8ap-54
    0x0.0p+0 -0x1.93e67bb3e495fp-55 0x1.86d8751a6f8c3p-55 -0x1.55ffc9fd7cc3fp-53
    -0x1.d9e37ea4415e1p-55 0x1.9d9d7bc1cbd0dp-53 0x1.4493591573feep-54 -0x1.01cae9efc456bp-53
    """
)
# Leading coefficients of log2(1 + z) / z as pairs, and the others.
LOG2_HIGH = doubles(
    """
    0x1.71547652b82fep+0 -0x1.71547652b82fep-1 0x1.ec709dc3a03fdp-2 -0x1.71547652b82fep-2
    0x1.2776c50ef9bfep-2
    """
)
LOG2_LOW = doubles(
    """
    0x1.777d0ffda0d24p-56 -0x1.777d0ffda0d24p-57 0x1.d27f05548af0cp-56 -0x1.777d0ffda0d24p-58
    0x1.e4b29ccc535d4p-56
    """
)
LOG2_TAIL = doubles(
    """
    -0x1.ec709dc3a03fdp-3 0x1.a61762a7aded9p-3 -0x1.71547652b82fep-3 0x1.484b13d7a4b30p-3
    -0x1.2776c50eca72fp-3 0x1.0c9b1869ede8dp-3 -0x1.ec71fe9f86e03p-4
    """
)
# Leading coefficients of (2**f - 1) / f as pairs, and the others.
EXP2_HIGH = doubles(
    """
    0x1.62e42fefa39efp-1 0x1.ebfbdff82c58fp-3 0x1.c6b08d704a0c0p-5
    """
)
EXP2_LOW = doubles(
    """
    0x1.abc9e3b39803fp-56 -0x1.5e43a53e44da3p-57 -0x1.d331627513351p-59
    """
)
EXP2_TAIL = doubles(
    """
    0x1.3b2ab6fba4e76p-7 0x1.5d87fe78a672ep-10 0x1.430913a9d597fp-13 0x1.ffcbfda06c05bp-17
    """
)
# 2**(j/16) and 2**(j/256) as pairs.
EXP2_SIXTEENTHS_HIGH = doubles(
    """
    0x1.0000000000000p+0 0x1.0b5586cf9890fp+0 0x1.172b83c7d517bp+0 0x1.2387a6e756238p+0
    0x1.306fe0a31b715p+0 0x1.3dea64c123422p+0 0x1.4bfdad5362a27p+0 0x1.5ab07dd485429p+0
    0x1.6a09e667f3bcdp+0 0x1.7a11473eb0187p+0 0x1.8ace5422aa0dbp+0 0x1.9c49182a3f090p+0
    0x1.ae89f995ad3adp+0 0x1.c199bdd85529cp+0 0x1.d5818dcfba487p+0 0x1.ea4afa2a490dap+0
    """
)
EXP2_SIXTEENTHS_LOW = doubles(
    """
    0x0.0p+0 0x1.8a62e4adc610bp-54 -0x1.19041b9d78a76p-55 0x1.9b07eb6c70573p-54
    0x1.6f46ad23182e4p-55 0x1.ada0911f09ebcp-55 0x1.d4397afec42e2p-56 0x1.6324c054647adp-54
    -0x1.bdd3413b26456p-54 -0x1.41577ee04992fp-55 0x1.6e9f156864b27p-54 0x1.c7c46b071f2bep-56
    0x1.7a1cd345dcc81p-54 0x1.11065895048ddp-55 0x1.2ed02d75b3707p-55 -0x1.e9c23179c2893p-54
    """
)
EXP2_FINE_HIGH = doubles(
    """
    0x1.0000000000000p+0 0x1.00b1afa5abcbfp+0 0x1.0163da9fb3335p+0 0x1.02168143b0281p+0
    0x1.02c9a3e778061p+0 0x1.037d42e11bbccp+0 0x1.04315e86e7f85p+0 0x1.04e5f72f654b1p+0
    0x1.059b0d3158574p+0 0x1.0650a0e3c1f89p+0 0x1.0706b29ddf6dep+0 0x1.07bd42b72a836p+0
    0x1.0874518759bc8p+0 0x1.092bdf66607e0p+0 0x1.09e3ecac6f383p+0 0x1.0a9c79b1f3919p+0
    """
)
EXP2_FINE_LOW = doubles(
    """
    0x0.0p+0 -0x1.4f6b2a7609f71p-55 0x1.b61299ab8cdb7p-54 -0x1.2bf310fc54eb6p-55
    -0x1.19083535b085dp-56 0x1.56811eeade11ap-57 -0x1.0a31c1977c96ep-54 0x1.4c3793aa0d08dp-55
    0x1.d73e2a475b465p-55 -0x1.5cb7b5799c397p-54 -0x1.c91dfe2b13c27p-55 0x1.3233454458700p-55
    0x1.186be4bb284ffp-57 -0x1.68063800a3fd1p-54 0x1.1487818316136p-54 0x1.5d16c873d1d38p-55
    """
)
