"""gelu: x * Phi(x), and its tanh form, x * sigmoid(sqrt(8/pi) * (x + 0.044715 * x**3)). Constants: tools/derive_gelu.py."""

from exactops.lanes import (
    Lanes,
    absolute,
    any_lane,
    bits,
    convert,
    from_bits,
    lane_function,
    lookup,
    lookup_single,
    mul_add,
    select,
)
from exactops.numerics.constants import doubles
from exactops.numerics.doubt import in_doubt, is_tiny
from exactops.numerics.exponential import UNITS, careful_decay, careful_exponential, quick_exponential
from exactops.numerics.exponential_fast import (
    ONE_BITS,
    SHIFT_BITS,
    growth_fast,
    power_fast,
    reduce_fast,
    reduce_wide,
    split_power_fast,
)
from exactops.numerics.intervals import quarter_binade, quarter_binade_single
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Attribute, Kernel, Operator

# e**(x*x/2) * Phi(-x) on [0, 15): one table for each power of the distance from the middle of a quarter of a binade of
# x + 1. Errors below 2**-53.6.
NORMAL_0 = doubles(
    """
    0x1.d898de09c6f19p-3 0x1.7b5abd2fd03adp-3 0x1.3aadddf19e980p-3 0x1.0bb968cded93fp-3
    0x1.b396f9cf1e260p-4 0x1.5b5acd3b15fbbp-4 0x1.201fa9259b7acp-4 0x1.eba5fe5b14b2ap-5
    0x1.9269722f50cddp-5 0x1.43a38ae46ed46p-5 0x1.0e7dcd1d93192p-5 0x1.d087ad6e0cbf6p-6
    0x1.d0af2b9f3f96ep-2 0x1.84b705ec74443p-2 0x1.4b1de1265fdfap-2 0x1.1e7c2d26d017dp-2
    """
)
NORMAL_1 = doubles(
    """
    -0x1.c49321dc9c382p-4 -0x1.3253b6cdb4c64p-4 -0x1.b405cc6b87d07p-5 -0x1.432b1910e5ccfp-5
    -0x1.b6038a80903c9p-6 -0x1.1be2c5acaa9ddp-6 -0x1.8b195531b3873p-7 -0x1.21ae9268527c7p-7
    -0x1.86b8437ca5cfdp-8 -0x1.fbf2cfdc6dcc7p-9 -0x1.63cfc8735fac0p-9 -0x1.06cdbe7c1ecddp-9
    -0x1.5e6e6dc95b722p-2 -0x1.06bfb10497cb7p-2 -0x1.93234d0a8ef2ap-3 -0x1.3baf57769aa08p-3
    """
)
NORMAL_2 = doubles(
    """
    0x1.7b79d1bfcad09p-5 0x1.bd45f4ef485f8p-6 0x1.15aa6bd4889d1p-6 0x1.6c5e3c927cba2p-7
    0x1.a29f04f4ff81ap-8 0x1.bfbaed8d60e6fp-9 0x1.07e3e93701253p-9 0x1.4ea50718eabd6p-10
    0x1.7625d6555f876p-11 0x1.8af23eaa8cce9p-12 0x1.d0fb6385ac1c8p-13 0x1.27e80535b560fp-13
    0x1.a4e15de614649p-3 0x1.222f238abb7dbp-3 0x1.9a45b22625a91p-4 0x1.28beedc5d84fap-4
    """
)
NORMAL_3 = doubles(
    """
    -0x1.1f33fe5ba7bc7p-6 -0x1.2962f462b899cp-7 -0x1.49badda124855p-8 -0x1.838c524100bcap-9
    -0x1.7e8220e103891p-10 -0x1.55bc008c2dbe6p-11 -0x1.57ff8596197dap-12 -0x1.7b5fb856ff11dp-13
    -0x1.6189189b2bba2p-14 -0x1.305575efc6e55p-15 -0x1.2ddfa2851b1c4p-16 -0x1.4b934f0a92ae0p-17
    -0x1.b02b1fe3f963fp-4 -0x1.15c9232371737p-4 -0x1.6e920728d7a70p-5 -0x1.ef9f7e801bee8p-6
    """
)
NORMAL_4 = doubles(
    """
    0x1.8ff2a58c35706p-8 0x1.721ebe31250b5p-9 0x1.70c53ca900111p-10 0x1.87b7101722e50p-11
    0x1.4fb4a0c0859e0p-12 0x1.fa3b677c5c2c7p-14 0x1.b643d5fab935dp-15 0x1.a6741522032ecp-16
    0x1.49cbdba3d152cp-17 0x1.d0ed67dbe9796p-19 0x1.857df7c03f8d6p-20 0x1.71c803209ab22p-21
    0x1.89deabe5f49aap-5 0x1.dc32d9e5cf529p-6 0x1.27b80fef57d4ep-6 0x1.78a8143cdeeb5p-7
    """
)
NORMAL_5 = doubles(
    """
    -0x1.038d10fe1c066p-9 -0x1.b17803c1d7a79p-11 -0x1.8759580deab12p-12 -0x1.7a617d66ed088p-13
    -0x1.1c0d0d81e078dp-14 -0x1.6caa288916248p-16 -0x1.1138dc9871bc0p-17 -0x1.ce785baef1941p-19
    -0x1.2fdca5ffc11dap-20 -0x1.601bb3eeae0ccp-22 -0x1.f36e8a8b8d80cp-24 -0x1.9a75a9d37c4f6p-25
    -0x1.460a90e255786p-6 -0x1.7506fde705cc9p-7 -0x1.b6a736cd72934p-8 -0x1.08ab2b07af553p-8
    """
)
NORMAL_6 = doubles(
    """
    0x1.3cf8a549178bep-11 0x1.e145f90debe29p-13 0x1.8c5d436b5258ep-14 0x1.5ee01a8513bcbp-15
    0x1.d0dbc4c58adadp-17 0x1.ffea8bd4e265fp-19 0x1.4dc8d209c130ap-20 0x1.f218775217182p-22
    0x1.14a23b7ec0903p-23 0x1.0872f385571fbp-25 0x1.3e41523ef2847p-27 0x1.c5826096d6372p-29
    0x1.f1fd65ffe55e1p-8 0x1.0ed6644dcad19p-8 0x1.2ee7c0f0b4828p-9 0x1.5bd157e7a5409p-10
    """
)
NORMAL_7 = doubles(
    """
    -0x1.6ed9ff4888f01p-13 -0x1.fd833abda1bc1p-15 -0x1.80e68117e759ap-16 -0x1.397eb4a94ffe2p-17
    -0x1.70cd4637a5610p-19 -0x1.5eaec6763b0c1p-21 -0x1.8ff5224ef44e4p-23 -0x1.081496b7f862bp-24
    -0x1.f1e2fb9000ddap-27 -0x1.8a001f4d3e024p-29 -0x1.932ed8bd9e362p-31 -0x1.f2caa5626d105p-33
    -0x1.62d5877af2141p-9 -0x1.7047fd5db1fb2p-10 -0x1.89226a8444ddep-11 -0x1.af0ad2ca87896p-12
    """
)
NORMAL_8 = doubles(
    """
    0x1.94a6be4ac667ap-15 0x1.025aadb27b073p-16 0x1.67bf6ae097267p-18 0x1.0eb1b1f68c2b6p-19
    0x1.1c507137395d6p-21 0x1.d5963fddd8e20p-24 0x1.d67bf3acd64b7p-26 0x1.13d736b5c9a10p-27
    0x1.bb0caa2cbd79dp-30 0x1.232f095d3a7edp-32 0x1.fbc594fbef986p-35 0x1.111a45a33e561p-36
    0x1.dba517e755a5fp-11 0x1.d8692f57d4fc3p-12 0x1.e4057fd414c50p-13 0x1.fcb42bd19a08fp-14
    """
)
NORMAL_9 = doubles(
    """
    -0x1.ab57120f992f6p-17 -0x1.f7dfbdadaf1e1p-19 -0x1.44a72bc7cdde1p-20 -0x1.c4d91954e50cdp-22
    -0x1.aac38a07b40eap-24 -0x1.33adbddcc4af3p-26 -0x1.0fe8e2d8b61f0p-28 -0x1.1c01388e805fbp-30
    -0x1.85fa890bacb25p-33 -0x1.ab0de57d7517ap-36 -0x1.3de4f5205965bp-38 -0x1.29b93ce749215p-40
    -0x1.2d7dd466dfbd2p-12 -0x1.1f42e462bccb7p-13 -0x1.1cc92561bb4dap-14 -0x1.20ee3ce0da686p-15
    """
)
NORMAL_10 = doubles(
    """
    0x1.b39a34e689091p-19 0x1.dd067517fdc7ep-21 0x1.14d9911c10537p-22 0x1.7083dd4ac8fbcp-24
    0x1.383e16979a7eep-26 0x1.8b9452731b9a4p-29 0x1.37aa395c2efc0p-31 0x1.245d9032663f0p-33
    0x1.5364b4b61be54p-36 0x1.3646ef42e4a6bp-39 0x1.8bfd29041ea7ep-42 0x1.3b3ef0753146ep-44
    0x1.b240936c51886p-14 0x1.a575f0528c998p-15 -0x1.e28544bcee3a9p-18 -0x1.71dc705a2ecdap-17
    """
)
NORMAL_11 = doubles(
    """
    -0x1.ae7aadd557948p-21 -0x1.b5c7b036c0360p-23 -0x1.b76d190841c07p-25 -0x1.35e5445444132p-26
    -0x1.be6ac9b19a3dap-29 -0x1.f2f7f1439b945p-32 -0x1.5f71bcaea3475p-34 -0x1.29e1dd34425e3p-36
    -0x1.2491d871f1a58p-39 -0x1.bf868d798b5bcp-43 -0x1.eb6a086f22a35p-46 -0x1.4e4fcbfee33c0p-48
    -0x1.eb9154ed8bcecp-15 -0x1.da75138fb794fp-16 0x1.9b418190fadb3p-16 0x1.923b3cc7900fap-16
    """
)
NORMAL_12 = doubles(
    """
    0x1.03cdbd9df736bp-23 0x1.24156c498084ap-26 0x1.675ad2b5f9e4fp-25 0x1.6e19b9fd5f40ep-29
    0x1.403352727adfbp-31 0x1.210a4b3975998p-34 0x1.6d7b402463a6cp-38 -0x1.41f58bf94d117p-43
    0x1.04a6fec82dcfcp-42 0x1.5a6e848876cb0p-46 0x1.299ae3d8ca382p-49 0x1.f048344218fa8p-51
    -0x1.4b1103fe35712p-12 -0x1.a405694895d45p-13 0x1.0d5220d2a24e1p-11 0x1.a0ab811fca5d9p-12
    """
)
NORMAL_13 = doubles(
    """
    0x1.b4b9cfaaafb34p-27 0x1.8cfeb85563500p-28 -0x1.b7f0068db4b50p-26 0x1.3757da23ea490p-28
    -0x1.b2d7ad78d606cp-34 -0x1.395bfd59248c2p-37 0x1.31771da7c2141p-43 0x1.a117017ac448fp-42
    -0x1.b8c0c6569a042p-46 -0x1.049dd26d32a09p-49 -0x1.40a39a609ea88p-53 -0x1.8b5f056279e86p-54
    0x1.523bab0549445p-11 0x1.5d63a82f6a03cp-12 -0x1.32b7675b25022p-11 -0x1.0d55048434222p-11
    """
)
# The same function as a quotient (leading coefficient of the numerator: 1), to 2**-39.6.
QUICK_OVER = doubles(
    """
    0x1.60c07b5bb54dbp+11 0x1.93baa2d586777p+11 0x1.c5fbf54c9d43fp+10 0x1.3341faa9913d6p+9
    0x1.05554a62dd94cp+7 0x1.0974f3d03f5c4p+4
    """
)
QUICK_UNDER = doubles(
    """
    0x1.60c07b5bb3828p+12 0x1.5697980e56a86p+13 0x1.2aa83666ddbb9p+13 0x1.30a0e219710a4p+12
    0x1.8b7e2f64afcfap+10 0x1.4a09c75287ba2p+8 0x1.4cb3768fc6d24p+5 0x1.40d92f4e1a573p+1
    """
)
# The same function in float32, for fast mode, to 2**-27.5: in the same intervals as the tables above, the constant term as a
# head of 12 bits and the rest.
FAST_HEAD = doubles(
    """
    0x1.d880000000000p-3 0x1.7b40000000000p-3 0x1.3aa0000000000p-3 0x1.0ba0000000000p-3
    0x1.b380000000000p-4 0x1.5b40000000000p-4 0x1.2000000000000p-4 0x1.eba0000000000p-5
    0x1.9260000000000p-5 0x1.43a0000000000p-5 0x1.0e60000000000p-5 0x1.d080000000000p-6
    0x1.d0a0000000000p-2 0x1.84a0000000000p-2 0x1.4b00000000000p-2 0x1.1e60000000000p-2
    """
)
FAST_0 = doubles(
    """
    0x1.8de09c0000000p-15 0x1.abd2fe0000000p-15 0x1.bbbe340000000p-16 0x1.968cde0000000p-15
    0x1.6f9cf20000000p-16 0x1.acd3b20000000p-16 0x1.fa925a0000000p-16 0x1.7f96c80000000p-19
    0x1.2e45ec0000000p-18 0x1.c572300000000p-20 0x1.dcd1da0000000p-17 0x1.eb5b800000000p-20
    0x1.e573e80000000p-15 0x1.705ec80000000p-14 0x1.de12660000000p-14 0x1.c2d26e0000000p-14
    """
)
FAST_1 = doubles(
    """
    -0x1.c493240000000p-4 -0x1.3253b80000000p-4 -0x1.b405cc0000000p-5 -0x1.432b1a0000000p-5
    -0x1.b603900000000p-6 -0x1.1be2c60000000p-6 -0x1.8b19560000000p-7 -0x1.21ae920000000p-7
    -0x1.86b84a0000000p-8 -0x1.fbf2d20000000p-9 -0x1.63cfca0000000p-9 -0x1.06cdbe0000000p-9
    -0x1.5e6e6e0000000p-2 -0x1.06bfb20000000p-2 -0x1.93234e0000000p-3 -0x1.3baf580000000p-3
    """
)
FAST_2 = doubles(
    """
    0x1.7b79d20000000p-5 0x1.bd45f60000000p-6 0x1.15aa6a0000000p-6 0x1.6c5e3e0000000p-7
    0x1.a29f060000000p-8 0x1.bfbaea0000000p-9 0x1.07e3ea0000000p-9 0x1.4ea5060000000p-10
    0x1.7625d60000000p-11 0x1.8af23e0000000p-12 0x1.d0fb660000000p-13 0x1.27e8040000000p-13
    0x1.a4e15e0000000p-3 0x1.222f260000000p-3 0x1.9a45b40000000p-4 0x1.28beee0000000p-4
    """
)
FAST_3 = doubles(
    """
    -0x1.1f30c40000000p-6 -0x1.295ffc0000000p-7 -0x1.49bac00000000p-8 -0x1.8388b00000000p-9
    -0x1.7e779a0000000p-10 -0x1.55b8940000000p-11 -0x1.57fc940000000p-12 -0x1.7b5ff00000000p-13
    -0x1.617b920000000p-14 -0x1.30507a0000000p-15 -0x1.2ddb7c0000000p-16 -0x1.4b93d60000000p-17
    -0x1.b02a140000000p-4 -0x1.15c5ce0000000p-4 -0x1.6e8ec20000000p-5 -0x1.ef9bd60000000p-6
    """
)
FAST_4 = doubles(
    """
    0x1.8ff0700000000p-8 0x1.721baa0000000p-9 0x1.70ca180000000p-10 0x1.87b2240000000p-11
    0x1.4faf260000000p-12 0x1.fa3d080000000p-14 0x1.b63f860000000p-15 0x1.a676700000000p-16
    0x1.49c4aa0000000p-17 0x1.d0e9b60000000p-19 0x1.8577bc0000000p-20 0x1.71cb0c0000000p-21
    0x1.89de060000000p-5 0x1.dc22880000000p-6 0x1.27b1e60000000p-6 0x1.78a5080000000p-7
    """
)
FAST_5 = doubles(
    """
    -0x1.0652fa0000000p-9 -0x1.b5d72a0000000p-11 -0x1.89206e0000000p-12 -0x1.7e5ba00000000p-13
    -0x1.2133c60000000p-14 -0x1.70fdb00000000p-16 -0x1.140a780000000p-17 -0x1.d0a5020000000p-19
    -0x1.36b5680000000p-20 -0x1.6561ae0000000p-22 -0x1.f9f6b80000000p-24 -0x1.9c48840000000p-25
    -0x1.4791b80000000p-6 -0x1.7a99740000000p-7 -0x1.bc30b20000000p-8 -0x1.0bc1b40000000p-8
    """
)
FAST_6 = doubles(
    """
    0x1.3f93820000000p-11 0x1.e5d9de0000000p-13 0x1.8a94540000000p-14 0x1.6395820000000p-15
    0x1.d7d7700000000p-17 0x1.01c20c0000000p-18 0x1.515e260000000p-20 0x1.f2d2560000000p-22
    0x1.19dd8e0000000p-23 0x1.0bb0260000000p-25 0x1.42bdae0000000p-27 0x1.c5acf60000000p-29
    0x1.f405fa0000000p-8 0x1.1b14fa0000000p-8 0x1.38557a0000000p-9 0x1.61836c0000000p-10
    """
)
QUICK_OVER_0, QUICK_OVER_1, QUICK_OVER_2, QUICK_OVER_3, QUICK_OVER_4, QUICK_OVER_5 = QUICK_OVER
QUICK_UNDER_0, QUICK_UNDER_1, QUICK_UNDER_2, QUICK_UNDER_3, QUICK_UNDER_4, QUICK_UNDER_5, QUICK_UNDER_6, QUICK_UNDER_7 = (
    QUICK_UNDER
)
# Near zero, gelu(x) = x/2 + x**2 * P(x**2).
ZERO = doubles(
    """
    0x1.9884533d43651p-2 -0x1.1058377e2e6c6p-4 0x1.46d042c249bd9p-7 -0x1.374205ea05cfap-10
    0x1.f08e5a6e18f2dp-14
    """
)
ZERO_TANH = doubles(
    """
    0x1.9884533d43651p-2 -0x1.11b14cd36ac38p-4 0x1.4e48dd3cd20bfp-7 -0x1.45dc0abc25b32p-10
    0x1.fa81dfd7213cdp-14
    """
)
ZERO_0, ZERO_1, ZERO_2, ZERO_3, ZERO_4 = ZERO
ZERO_TANH_0, ZERO_TANH_1, ZERO_TANH_2, ZERO_TANH_3, ZERO_TANH_4 = ZERO_TANH
NEAR_ZERO = 0.0625
# sqrt(8/pi) and sqrt(8/pi) * 0.044715 in units of ln(2)/16, as one double and as head (of 30 and 24 bits) and tail.
SLOPE = float.fromhex("0x1.26aec21bce759p+5")
SLOPE_HEAD = float.fromhex("0x1.26aec21800000p+5")
SLOPE_TAIL = float.fromhex("0x1.e73aca5da50b3p-26")
CUBIC = float.fromhex("0x1.a5a7cf7572a98p+0")
CUBIC_HEAD = float.fromhex("0x1.a5a7d00000000p+0")
CUBIC_TAIL = float.fromhex("-0x1.151aad0dc8e4ap-25")
# The same numbers themselves, for fast mode.
RATE = float.fromhex("0x1.9884533d43651p+0")
CUBIC_RATE = float.fromhex("0x1.2444f2a4d8b4bp-4")
HALF_UNITS = 0.5 * UNITS
_FIRST_29_BITS = 0xFFFFFFFFFF000000
_FIRST_24_BITS = 0xFFFFFFFFE0000000
_FIRST_12_BITS = 0xFFFFF000

#: Bits of 13 and, for the tanh form, 9.5 as float32: from there on the negative tails may be subnormal in float32.
FAR_OUT = 0x41500000
FAR_OUT_TANH = 0x41180000


@lane_function
def gelu_careful(x: Lanes, size: Lanes):
    """gelu of float64 lanes above -14.9 (``size`` is the magnitude, at most 14.9); rounds correctly for every input.

    x/2 is a tie of subnormal numbers for half of all tiny x, decided by the square: near zero the value is a pair, rounded
    to odd.
    """
    j, h = quarter_binade(size + 1.0)
    y = lookup(NORMAL_13, j)
    y = y * h + lookup(NORMAL_12, j)
    y = y * h + lookup(NORMAL_11, j)
    y = y * h + lookup(NORMAL_10, j)
    y = y * h + lookup(NORMAL_9, j)
    y = y * h + lookup(NORMAL_8, j)
    y = y * h + lookup(NORMAL_7, j)
    y = y * h + lookup(NORMAL_6, j)
    y = y * h + lookup(NORMAL_5, j)
    y = y * h + lookup(NORMAL_4, j)
    y = y * h + lookup(NORMAL_3, j)
    y = y * h + lookup(NORMAL_2, j)
    y = y * h + lookup(NORMAL_1, j)
    y = y * h + lookup(NORMAL_0, j)
    y = careful_decay(0.5 * (size * size)) * y
    y = x * select(x < 0.0, y, 1.0 - y)
    square = x * x
    rest = square * (ZERO_0 + square * (ZERO_1 + square * (ZERO_2 + square * (ZERO_3 + square * ZERO_4))))
    high, low = fast_two_sum(0.5 * x, rest)
    return select((size < NEAR_ZERO) & (x != 0.0), round_to_odd(high, low), y)


@lane_function
def gelu_quick(x: Lanes, size: Lanes):
    """gelu of the same lanes to 2**-37.8."""
    over = (size + QUICK_OVER_5) * size + QUICK_OVER_4
    over = (over * size + QUICK_OVER_3) * size + QUICK_OVER_2
    over = (over * size + QUICK_OVER_1) * size + QUICK_OVER_0
    under = QUICK_UNDER_7 * size + QUICK_UNDER_6
    under = (under * size + QUICK_UNDER_5) * size + QUICK_UNDER_4
    under = (under * size + QUICK_UNDER_3) * size + QUICK_UNDER_2
    under = (under * size + QUICK_UNDER_1) * size + QUICK_UNDER_0
    over = quick_exponential(size * size * -HALF_UNITS) * over
    return x * select(x < 0.0, over, under - over) / under


@lane_function
def gelu_tanh_careful(x: Lanes, bounded: Lanes):
    """The tanh form for float64 lanes above -11.2 (``bounded`` is x or 11.2); rounds correctly for every input.

    The exponent reaches 110, so that it is needed to 2**-60: x times a head of 29 bits is exact, and what the head leaves of
    SLOPE + CUBIC * x**2 is computed with x**2 in two parts, so that all large products are exact.
    """
    square = bounded * bounded
    head = from_bits(bits(SLOPE + CUBIC * square) & _FIRST_29_BITS)
    square_head = from_bits(bits(square) & _FIRST_24_BITS)
    tail = SLOPE_TAIL + (CUBIC_HEAD * (square - square_head) + CUBIC_TAIL * square)
    tail = ((SLOPE_HEAD - head) + CUBIC_HEAD * square_head) + tail
    y = x / (1.0 + careful_exponential(-bounded * head, -bounded * tail))
    rest = ZERO_TANH_0 + square * (ZERO_TANH_1 + square * (ZERO_TANH_2 + square * (ZERO_TANH_3 + square * ZERO_TANH_4)))
    high, low = fast_two_sum(0.5 * x, square * rest)
    return select((absolute(x) < NEAR_ZERO) & (x != 0.0), round_to_odd(high, low), y)


def gelu(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: -0 from -14.9 on downwards in every format."""
    wide = convert(x, "float64")
    y = gelu_quick(wide, absolute(wide))
    rare = in_doubt(y) | ((bits(x) & 0x7FFFFFFF) >= FAR_OUT) | is_tiny(x)
    if any_lane(rare):
        bounded = select(wide < -14.9, -14.9, wide)
        size = absolute(bounded)
        y = select(rare, gelu_careful(bounded, select(size > 14.9, 14.9, size)), y)
    return y


def gelu_tanh(x: Lanes):
    """The tanh form, exact mode, float32 lanes to wide float64 lanes: -0 from -11.2 on downwards in every format."""
    wide = convert(x, "float64")
    y = wide / (1.0 + quick_exponential(-wide * (SLOPE + CUBIC * (wide * wide))))
    rare = in_doubt(y) | ((bits(x) & 0x7FFFFFFF) >= FAR_OUT_TANH) | is_tiny(x)
    if any_lane(rare):
        factor = select(wide < -11.2, -11.2, wide)
        bounded = select(factor > 11.2, 11.2, factor)
        y = select(rare, gelu_tanh_careful(factor, bounded), y)
    return y


def gelu_fast(x: Lanes):
    """Fast mode, float32 lanes: x - |x| * Phi(-|x|), or -|x| * Phi(-|x|); at most 2 ulp off, fused or not.

    With heads of 12 bits, the square of one and its product with another are exact. So the exponent loses nothing, and the
    product is a sum whose second part is small: only the last two roundings count in full.
    """
    size = absolute(x)
    size = select(size > 14.9, 14.9, size)
    j, h = quarter_binade_single(size)
    tail = mul_add(mul_add(lookup_single(FAST_6, j), h, lookup_single(FAST_5, j)), h, lookup_single(FAST_4, j))
    tail = mul_add(mul_add(tail, h, lookup_single(FAST_3, j)), h, lookup_single(FAST_2, j))
    tail = mul_add(mul_add(tail, h, lookup_single(FAST_1, j)), h, lookup_single(FAST_0, j))
    factor = lookup_single(FAST_HEAD, j)
    head = from_bits(bits(size) & _FIRST_12_BITS)
    rest = size - head
    high = head * factor
    low = mul_add(rest, factor, size * tail)
    shifted, r = reduce_fast(head * head * -0.5)
    growth = growth_fast(r - rest * (size + head) * 0.5)
    product = high + mul_add(high + low, growth, low)
    base = select(x < 0.0, -0.0, x)  # for the sign of zero
    y = base - product * power_fast(shifted)
    wild = size > 13.0
    if any_lane(wild):
        first, second = split_power_fast(shifted)  # for subnormal results
        y = select(wild, base - product * first * second, y)
    return y


def gelu_tanh_fast(x: Lanes):
    """Fast mode, float32 lanes, the exponent in float64 lanes: at most 2 ulp off."""
    bounded = select(x < -11.2, -11.2, x)
    bounded = select(bounded > 9.5, 9.5, bounded)
    wide = convert(bounded, "float64")
    k, r = reduce_wide(-wide * mul_add(wide * wide, CUBIC_RATE, RATE))
    base = from_bits((k << 23) + ONE_BITS)
    growth = growth_fast(r)
    y = x / (mul_add(base, growth, 1.0) + base)
    wild = x < -9.5
    if any_lane(wild):
        # 1 + e**-v is e**-v here; 2**-k in two factors, for subnormal results.
        first, second = split_power_fast(from_bits(SHIFT_BITS - k))
        y = select(wild, bounded / (1.0 + growth) * first * second, y)
    return y


def _kernel(inputs, output, choices) -> Kernel:
    return Kernel(gelu_tanh, gelu_tanh_fast) if choices["approximate"] == "tanh" else Kernel(gelu, gelu_fast, registers=2)


OPERATORS = (
    Operator(
        "gelu",
        "x * Phi(x), rounded once, where Phi is the standard normal distribution function",
        "c",
        FLOATS_TO_32_BITS,
        _kernel,
        aliases=("gelu_erf",),
        onnx="Gelu",
        opset=20,
        attributes=(
            Attribute(
                "approximate", "choice", "none", ("none", "tanh"), 'the definition above, or with "tanh" the form of gelu_tanh'
            ),
        ),
        special=(
            "gelu(-inf) = -0, gelu(+inf) = +inf",
            "zeros keep their sign",
            "the negative tail underflows gradually to -0",
        ),
    ),
    Operator(
        "gelu_tanh",
        "the tanh form of gelu, 0.5 * x * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x**3))), rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(gelu_tanh, gelu_tanh_fast),
        special=(
            "gelu_tanh(-inf) = -0, gelu_tanh(+inf) = +inf",
            "zeros keep their sign",
            "the negative tail underflows gradually to -0",
        ),
    ),
)
