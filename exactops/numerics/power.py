"""|x|**y: a quick path in double, and an accurate one in pairs of doubles."""

from exactops.lanes import (
    Lanes,
    absolute,
    bits,
    convert,
    from_bits,
    lane_function,
    lookup,
    select,
    signed,
    unsigned,
)
from exactops.numerics.constants import doubles
from exactops.numerics.rounding import fast_two_sum, two_sum

# All constants: tools/derive_power.py. m runs over 16 intervals of equal width from the float32 with the bits FIRST on.
FIRST = 0x3F32AAAB
#: The same boundary in binary64 bits.
FIRST_WIDE = ((FIRST - 0x3F800000) << 29) + 0x3FF0000000000000
RECIPROCALS = doubles(
    """
    0x1.66f5d21000000p+0 0x1.57760ee000000p+0 0x1.4974256000000p+0 0x1.3ca2899000000p+0
    0x1.312608c000000p+0 0x1.2616be8000000p+0 0x1.1c6114f000000p+0 0x1.12f1e26000000p+0
    0x1.093dc71000000p+0 0x1.0000000000000p+0 0x1.e6b447e000000p-1 0x1.cbb9360000000p-1
    0x1.b36a90a000000p-1 0x1.9d1817a000000p-1 0x1.88c99ee000000p-1 0x1.76cf944000000p-1
    """
)
LOGARITHMS = doubles(
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
LOG_0 = float.fromhex("0x1.71547652b82fep+0")
LOG_1 = float.fromhex("-0x1.71547652b82f1p-1")
LOG_2 = float.fromhex("0x1.ec709dc3d66f3p-2")
LOG_3 = float.fromhex("-0x1.7154765366571p-2")
LOG_4 = float.fromhex("0x1.2776bd9dbbc5cp-2")
LOG_5 = float.fromhex("-0x1.ec7084de4949ep-3")
LOG_6 = float.fromhex("0x1.a69a346a59731p-3")
LOG_7 = float.fromhex("-0x1.71ebec19ae008p-3")
EXP_0 = float.fromhex("0x1.0000000000014p+0")
EXP_1 = float.fromhex("0x1.62e42fefa3a07p-1")
EXP_2 = float.fromhex("0x1.ebfbdff555342p-3")
EXP_3 = float.fromhex("0x1.c6b08d6dea782p-5")
EXP_4 = float.fromhex("0x1.3b2c9ba29ac62p-7")
EXP_5 = float.fromhex("0x1.5d89fe5dfb05dp-10")
FINE_RECIPROCALS = doubles(
    """
    0x1.0000000000000p+0 0x1.fdfa800000000p-1 0x1.fbdf800000000p-1 0x1.f9ac800000000p-1
    0x1.f77f800000000p-1 0x1.f592000000000p-1 0x1.f388800000000p-1 0x1.f17c000000000p-1
    0x1.0000000000000p+0 0x1.07c0c00000000p+0 0x1.068fc00000000p+0 0x1.0571c00000000p+0
    0x1.0465000000000p+0 0x1.033ac00000000p+0 0x1.0224400000000p+0 0x1.010e400000000p+0
    """
)
FINE_LOGARITHMS = doubles(
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
L1_HIGH = float.fromhex("0x1.71547652b82fep+0")
L1_LOW = float.fromhex("0x1.777d0ffda0d24p-56")
L2_HIGH = float.fromhex("-0x1.71547652b82fep-1")
L2_LOW = float.fromhex("-0x1.777d0ffda0d24p-57")
L3_HIGH = float.fromhex("0x1.ec709dc3a03fdp-2")
L3_LOW = float.fromhex("0x1.d27f05548af0cp-56")
L4_HIGH = float.fromhex("-0x1.71547652b82fep-2")
L4_LOW = float.fromhex("-0x1.777d0ffda0d24p-58")
L5_HIGH = float.fromhex("0x1.2776c50ef9bfep-2")
L5_LOW = float.fromhex("0x1.e4b29ccc535d4p-56")
L6 = float.fromhex("-0x1.ec709dc3a03fdp-3")
L7 = float.fromhex("0x1.a61762a7aded9p-3")
L8 = float.fromhex("-0x1.71547652b82fep-3")
L9 = float.fromhex("0x1.484b13d7a4b30p-3")
L10 = float.fromhex("-0x1.2776c50eca72fp-3")
L11 = float.fromhex("0x1.0c9b1869ede8dp-3")
L12 = float.fromhex("-0x1.ec71fe9f86e03p-4")
E1_HIGH = float.fromhex("0x1.62e42fefa39efp-1")
E1_LOW = float.fromhex("0x1.abc9e3b39803fp-56")
E2_HIGH = float.fromhex("0x1.ebfbdff82c58fp-3")
E2_LOW = float.fromhex("-0x1.5e43a53e44da3p-57")
E3_HIGH = float.fromhex("0x1.c6b08d704a0c0p-5")
E3_LOW = float.fromhex("-0x1.d331627513351p-59")
E4 = float.fromhex("0x1.3b2ab6fba4e76p-7")
E5 = float.fromhex("0x1.5d87fe78a672ep-10")
E6 = float.fromhex("0x1.430913a9d597fp-13")
E7 = float.fromhex("0x1.ffcbfda06c05bp-17")
POWERS_HIGH = doubles(
    """
    0x1.0000000000000p+0 0x1.0b5586cf9890fp+0 0x1.172b83c7d517bp+0 0x1.2387a6e756238p+0
    0x1.306fe0a31b715p+0 0x1.3dea64c123422p+0 0x1.4bfdad5362a27p+0 0x1.5ab07dd485429p+0
    0x1.6a09e667f3bcdp+0 0x1.7a11473eb0187p+0 0x1.8ace5422aa0dbp+0 0x1.9c49182a3f090p+0
    0x1.ae89f995ad3adp+0 0x1.c199bdd85529cp+0 0x1.d5818dcfba487p+0 0x1.ea4afa2a490dap+0
    """
)
POWERS_LOW = doubles(
    """
    0x0.0p+0 0x1.8a62e4adc610bp-54 -0x1.19041b9d78a76p-55 0x1.9b07eb6c70573p-54
    0x1.6f46ad23182e4p-55 0x1.ada0911f09ebcp-55 0x1.d4397afec42e2p-56 0x1.6324c054647adp-54
    -0x1.bdd3413b26456p-54 -0x1.41577ee04992fp-55 0x1.6e9f156864b27p-54 0x1.c7c46b071f2bep-56
    0x1.7a1cd345dcc81p-54 0x1.11065895048ddp-55 0x1.2ed02d75b3707p-55 -0x1.e9c23179c2893p-54
    """
)
POWERS_SHIFTED = (
    0x3FF0000000000000,
    0x3FEFB5586CF9890F,
    0x3FEF72B83C7D517B,
    0x3FEF387A6E756238,
    0x3FEF06FE0A31B715,
    0x3FEEDEA64C123422,
    0x3FEEBFDAD5362A27,
    0x3FEEAB07DD485429,
    0x3FEEA09E667F3BCD,
    0x3FEEA11473EB0187,
    0x3FEEACE5422AA0DB,
    0x3FEEC49182A3F090,
    0x3FEEE89F995AD3AD,
    0x3FEF199BDD85529C,
    0x3FEF5818DCFBA487,
    0x3FEFA4AFA2A490DA,
)
FINE_POWERS_HIGH = doubles(
    """
    0x1.0000000000000p+0 0x1.00b1afa5abcbfp+0 0x1.0163da9fb3335p+0 0x1.02168143b0281p+0
    0x1.02c9a3e778061p+0 0x1.037d42e11bbccp+0 0x1.04315e86e7f85p+0 0x1.04e5f72f654b1p+0
    0x1.059b0d3158574p+0 0x1.0650a0e3c1f89p+0 0x1.0706b29ddf6dep+0 0x1.07bd42b72a836p+0
    0x1.0874518759bc8p+0 0x1.092bdf66607e0p+0 0x1.09e3ecac6f383p+0 0x1.0a9c79b1f3919p+0
    """
)
FINE_POWERS_LOW = doubles(
    """
    0x0.0p+0 -0x1.4f6b2a7609f71p-55 0x1.b61299ab8cdb7p-54 -0x1.2bf310fc54eb6p-55
    -0x1.19083535b085dp-56 0x1.56811eeade11ap-57 -0x1.0a31c1977c96ep-54 0x1.4c3793aa0d08dp-55
    0x1.d73e2a475b465p-55 -0x1.5cb7b5799c397p-54 -0x1.c91dfe2b13c27p-55 0x1.3233454458700p-55
    0x1.186be4bb284ffp-57 -0x1.68063800a3fd1p-54 0x1.1487818316136p-54 0x1.5d16c873d1d38p-55
    """
)

#: Steps a unit of the second reduction of the logarithm.
FINE = 240.0
#: Adding it to a smaller double rounds to an integer; SIXTEENTH and FINEST to multiples of 1/16 and 1/256.
MAGIC = 6755399441055744.0
SIXTEENTH = MAGIC / 16.0
FINEST = MAGIC / 256.0


@lane_function
def logarithm_of_one_plus(z: Lanes):
    """log2(1 + z) for |z| < 0.03: float64 lanes, error below 2**-49 of it (near 1), 2**-54 absolute."""
    square = z * z
    low = (LOG_0 + LOG_1 * z) + (LOG_2 + LOG_3 * z) * square
    high = (LOG_4 + LOG_5 * z) + (LOG_6 + LOG_7 * z) * square
    return z * (low + high * (square * square))


@lane_function
def logarithm_of_single(pattern: Lanes):
    """log2 of positive normal float32 numbers, given by their bits as int32 lanes: relative error below 2**-48."""
    offset = pattern - FIRST
    exponent = offset & -0x800000
    z = convert(from_bits(unsigned(pattern - exponent)), "float64") * lookup(RECIPROCALS, offset >> 19) - 1.0
    table = convert(exponent, "float64") * 1.1920928955078125e-07 + lookup(LOGARITHMS, offset >> 19)
    return table + logarithm_of_one_plus(z)


@lane_function
def logarithm_of_double(x: Lanes):
    """log2 of positive normal doubles: relative error below 2**-48.

    Where x has more than 24 bits, z has an error of 2**-53; then x must not be near 1 (a whole number above 1 is not).
    """
    offset = bits(x) - FIRST_WIDE
    z = from_bits(bits(x) - (offset & 0xFFF0000000000000)) * lookup(RECIPROCALS, offset >> 48) - 1.0
    table = convert(signed(offset) >> 52, "float64") + lookup(LOGARITHMS, offset >> 48)
    return table + logarithm_of_one_plus(z)


@lane_function
def power_of_two_quick(p: Lanes):
    """2**p for |p| < 1000: relative error below 2**-47, beyond that of p."""
    shifted = p + SIXTEENTH
    f = p - (shifted - SIXTEENTH)
    square = f * f
    y = (EXP_0 + EXP_1 * f) + square * ((EXP_2 + EXP_3 * f) + square * (EXP_4 + EXP_5 * f))
    return y * from_bits(lookup(POWERS_SHIFTED, bits(shifted)) + signed(bits(shifted) << 48))


@lane_function
def product(x: Lanes, y: Lanes):
    """x * y as a pair: exact but for 2**-106 of it. The heads have 26 bits, so that all partial products but one are exact."""
    x_head = from_bits(bits(x) & 0xFFFFFFFFF8000000)
    y_head = from_bits(bits(y) & 0xFFFFFFFFF8000000)
    x_tail = x - x_head
    y_tail = y - y_head
    high = x * y
    # In this order every sum but the last is exact (Dekker 1971).
    return high, ((x_head * y_head - high) + x_head * y_tail + x_tail * y_head) + x_tail * y_tail


@lane_function
def pair_product(x: Lanes, x_low: Lanes, y: Lanes, y_low: Lanes):
    """Product of two pairs, as a pair: relative error about 2**-102."""
    high, low = product(x, y)
    return fast_two_sum(high, low + (x * y_low + x_low * y))


@lane_function
def horner_step(constant: float, constant_low: float, x: Lanes, x_low: Lanes, y: Lanes, y_low: Lanes):
    """(constant + y) * x in pairs, |constant| > |y|."""
    total, error = fast_two_sum(constant, y)
    return pair_product(x, x_low, total, error + (constant_low + y_low))


@lane_function
def power_accurate(x: Lanes, y: Lanes):
    """x**y for finite x > 0 and finite y, both in float64 lanes: an unevaluated sum, relative error below 2**-90.

    Exponents of the result beyond 1000 are held there. A power of two to an integer power is exact.

    log2(x) = e + T + T' + log2(1 + z): z = m * c - 1 is exact as a pair for every double m (cut into 24, 24 and 5 bits, times
    29 bits of c), a second, 18-bit, reciprocal brings |z| below 2**-8. The terms up to z**5 are pairs. 2**p = P * P' * 2**f
    with |f| <= 1/512 likewise, its terms up to f**3 in pairs.
    """
    pattern = bits(x)
    # Subnormal doubles never come here: x is a float32 or an integer.
    offset = pattern - FIRST_WIDE
    m = from_bits(pattern - (offset & 0xFFF0000000000000))
    c = lookup(RECIPROCALS, offset >> 48)
    m_head = from_bits(bits(m) & 0xFFFFFFFFE0000000)
    m_rest = m - m_head
    m_middle = from_bits(bits(m_rest) & 0xFFFFFFFFE0000000)
    z, z_low = fast_two_sum(m_head * c - 1.0, m_middle * c)
    z_low = z_low + (m_rest - m_middle) * c

    shifted = z * FINE + MAGIC
    step = bits(shifted)
    c = lookup(FINE_RECIPROCALS, step)
    z_head = from_bits(bits(z) & 0xFFFFFFFFF8000000)
    z, error = two_sum(z_head * c + (c - 1.0), (z - z_head) * c)
    z, z_low = fast_two_sum(z, error + z_low * c)
    table = (convert(signed(offset) >> 52, "float64") + lookup(LOGARITHMS, offset >> 48)) + lookup(FINE_LOGARITHMS, step)
    table_low = lookup(LOGARITHMS_LOW, offset >> 48) + lookup(FINE_LOGARITHMS_LOW, step)

    tail = z * ((((((L12 * z + L11) * z + L10) * z + L9) * z + L8) * z + L7) * z + L6)
    high, low = fast_two_sum(L5_HIGH, L5_LOW + tail)
    high, low = pair_product(z, z_low, high, low)
    high, low = horner_step(L4_HIGH, L4_LOW, z, z_low, high, low)
    high, low = horner_step(L3_HIGH, L3_LOW, z, z_low, high, low)
    high, low = horner_step(L2_HIGH, L2_LOW, z, z_low, high, low)
    high, low = horner_step(L1_HIGH, L1_LOW, z, z_low, high, low)
    high, error = two_sum(table, high)
    high, low = fast_two_sum(high, error + (table_low + low))

    p, p_low = product(high, y)
    p, p_low = fast_two_sum(p, p_low + low * y)
    p_low = select(absolute(p) < 1000.0, p_low, 0.0)  # an infinite product has a NaN for its rest
    p = select(p > 1000.0, 1000.0, p)
    p = select(p < -1000.0, -1000.0, p)

    shifted = p + FINEST
    f, f_low = fast_two_sum(p - (shifted - FINEST), p_low)
    tail = f * (((E7 * f + E6) * f + E5) * f + E4)
    high, low = fast_two_sum(E3_HIGH, E3_LOW + tail)
    high, low = pair_product(f, f_low, high, low)
    high, low = horner_step(E2_HIGH, E2_LOW, f, f_low, high, low)
    high, low = horner_step(E1_HIGH, E1_LOW, f, f_low, high, low)
    index = bits(shifted)
    power, power_low = pair_product(
        lookup(POWERS_HIGH, index >> 4),
        lookup(POWERS_LOW, index >> 4),
        lookup(FINE_POWERS_HIGH, index),
        lookup(FINE_POWERS_LOW, index),
    )
    high, low = pair_product(power, power_low, high, low)
    high, error = fast_two_sum(power, high)
    high, low = fast_two_sum(high, error + (power_low + low))
    scale = from_bits(((index >> 8) << 52) + 0x3FF0000000000000)
    return high * scale, low * scale
