"""erf and erfc: the error function and its complement. Constants: tools/derive_erf.py."""

from exactops.lanes import Lanes, absolute, any_lane, bits, convert, copy_sign, lane_function, lookup, mul_add, select
from exactops.numerics.constants import doubles
from exactops.numerics.doubt import in_doubt, is_tiny
from exactops.numerics.exponential import ROUNDING_SHIFT, UNITS, careful_decay, quick_exponential
from exactops.numerics.exponential_fast import (
    ROUNDING_SHIFT_FAST,
    growth_binary,
    power_fast,
    wide_exponential_fast,
)
from exactops.numerics.intervals import quarter_binade
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.table.formats import FLOATS_TO_32_BITS
from exactops.table.operator import Kernel, Operator

# erf on [0, 4): sixteen intervals around CENTRES, one table for each power of the distance from the centre. The centres are
# multiples of 33/128, moved a little so that the constant terms are good to 2**-64. The first polynomial is odd.
PER_INTERVAL = 128.0 / 33.0
CENTRES = doubles(
    """
    0x0.0p+0 0x1.0800009c00000p-2 0x1.07ffff3160000p-1 0x1.8c000017c0000p-1
    0x1.0800007e90000p+0 0x1.49ffffde50000p+0 0x1.8c00000210000p+0 0x1.cdffffec40000p+0
    0x1.07fffff9f8000p+1 0x1.29000005f8000p+1 0x1.4a00000480000p+1 0x1.6b00002130000p+1
    0x1.8bffffced0000p+1 0x1.acfffff1c0000p+1 0x1.cdffff1610000p+1 0x1.ef00009fb0000p+1
    """
)
ERF_0 = doubles(
    """
    0x0.0p+0 0x1.236bf02712b68p-2 0x1.1178925821d2fp-1 0x1.73b1022e7cb45p-1
    0x1.b5e63030b29c5p-1 0x1.dd07879a4ce81p-1 0x1.f14e821255a56p-1 0x1.fa84fe5c4e67bp-1
    0x1.fe307f2aed386p-1 0x1.ff789eb632b4ap-1 0x1.ffdd1750e7e22p-1 0x1.fff80ff89d73dp-1
    0x1.fffe68f4f6815p-1 0x1.ffffb839e4f77p-1 0x1.fffff4dddf796p-1 0x1.fffffe7b4c910p-1
    """
)
ERF_1 = doubles(
    """
    0x1.20dd750429b6dp+0 0x1.0e4a072886606p+0 0x1.bada5a2773436p-1 0x1.3da26d5ed0433p-1
    0x1.8eed3521c0fa8p-2 0x1.b6a85758beffdp-3 0x1.a64de66961d96p-4 0x1.63f3f627fc3d7p-5
    0x1.06ae13e3e1870p-6 0x1.536fc14608f99p-8 0x1.8005f047d20b4p-10 0x1.7c629852c7ebfp-12
    0x1.49e17a3551b16p-14 0x1.f4f1301083f59p-17 0x1.4d0242bc04342p-19 0x1.83a1f06e55215p-22
    """
)
ERF_2 = doubles(
    """
    0x0.0p+0 -0x1.16bc58067fafcp-2 -0x1.c8b12b933e607p-2 -0x1.eb57414c21f98p-2
    -0x1.9b649f9008280p-2 -0x1.1aba802f56776p-2 -0x1.46a04037352e5p-3 -0x1.4131231059920p-4
    -0x1.0ee3847cd0496p-5 -0x1.89cca7422a6eap-7 -0x1.ef07a7c354d9bp-9 -0x1.0dafe71758ba9p-10
    -0x1.fe48c8cb18655p-13 -0x1.a3bc16b7e53f4p-15 -0x1.2c7d099f738d8p-17 -0x1.76c3106b2a523p-20
    """
)
ERF_3 = doubles(
    """
    -0x1.812746b037838p-2 -0x1.387a54f89b215p-2 -0x1.147eab351bcf4p-3 0x1.4cbafbd9ed963p-5
    0x1.2bb6e3b40e9a9p-3 0x1.53b86f022c730p-3 0x1.0a72f1291fa7cp-3 0x1.471bca6dd2060p-4
    0x1.48b12827cbb47p-5 0x1.144af9482060ep-6 0x1.896a158103503p-8 0x1.de2daf0fdbab5p-10
    0x1.f2bd99f64d10dp-12 0x1.c00cbf512d995p-14 0x1.5ba656bfaa458p-16 0x1.d2f0b46c933e4p-19
    """
)
ERF_4 = doubles(
    """
    0x0.0p+0 0x1.0a626f715d0d6p-3 0x1.77bec4f8ba93dp-3 0x1.27646d022c0f3p-3
    0x1.dee31d5f0aabep-5 -0x1.e798a01282c48p-7 -0x1.84d3447c949f1p-5 -0x1.7833652e0f76ap-5
    -0x1.f155b51a0c2eap-6 -0x1.fdd1beb580a66p-7 -0x1.a8a1791eadc36p-8 -0x1.2612bd38dfbbdp-9
    -0x1.57389428f9f2ap-11 -0x1.547057071bcb7p-13 -0x1.20a8ac361384cp-15 -0x1.a434cb2812af8p-18
    """
)
ERF_5 = doubles(
    """
    0x1.ce2f219f8de35p-4 0x1.40081872c0bf6p-4 0x1.5cdd24a7130f6p-9 -0x1.d15df8ef5f8eap-5
    -0x1.169960774f42fp-4 -0x1.58cf7233dacc2p-5 -0x1.3c9cd5a5ee185p-7 0x1.2d381af28271ep-7
    0x1.aa2c075bff86cp-7 0x1.33667c451cf3bp-7 0x1.3fe04b46a2ec7p-8 0x1.05dcce1b9d528p-9
    0x1.5decc672c9110p-11 0x1.85317e5173f6cp-13 0x1.6c9a912a42f13p-15 0x1.21fb94a93d9efp-17
    """
)
ERF_6 = doubles(
    """
    0x0.0p+0 -0x1.53261f777d4adp-5 -0x1.948adce633b7bp-5 -0x1.86371ecc17087p-6
    0x1.feab56ba99b1bp-8 0x1.69558e9134294p-6 0x1.21000b155d55fp-6 0x1.b828467476ccep-8
    -0x1.bbf7e0c293690p-11 -0x1.9736674ba7a81p-9 -0x1.435140cadd434p-9 -0x1.523eaa7ce81efp-10
    -0x1.0d559e9427b56p-11 -0x1.5804ab48028b7p-13 -0x1.69b0297c7976ap-15 -0x1.3dc73097aba75p-17
    """
)
ERF_7 = doubles(
    """
    -0x1.b82ce10c926b7p-6 -0x1.fda7f9a8bb8ebp-7 0x1.b34031ac1f13ap-8 0x1.33d57eede0ebep-6
    0x1.c76eb820b15b1p-7 0x1.f1d5ef6ba8009p-10 -0x1.6824a139be3f3p-8 -0x1.7264d1d1cee10p-8
    -0x1.5478d8e9a1150p-9 -0x1.6cd5913fa4c1ap-13 0x1.5757ff0801e30p-11 0x1.2abeb1a32a474p-11
    0x1.35839032808e7p-12 0x1.d986b38624002p-14 0x1.1e2e360276b94p-15 0x1.1a12bf90f7249p-17
    """
)
ERF_8 = doubles(
    """
    0x0.0p+0 0x1.438c49051f84bp-7 0x1.3eb28670e3f30p-7 0x1.8185028980d1dp-10
    -0x1.5842edd58f5a4p-8 -0x1.5dd2e8884bf63p-8 -0x1.b1c2f7f07b0c2p-10 0x1.232acd4c82edbp-10
    0x1.8eae0b7756325p-10 0x1.91f29ce06c827p-11 0x1.beaa9e8c423b0p-14 -0x1.0b5fca76b3179p-13
    -0x1.efd7a2b037bafp-14 -0x1.f2a75e39414e3p-15 -0x1.6978c6b405c3ap-16 -0x1.9948b781e070fp-18
    """
)
ERF_9 = doubles(
    """
    0x1.5658fa9e21ca7p-8 0x1.423ba22a73ff1p-9 -0x1.3b54f471c8b4fp-9 -0x1.fff863629ad50p-9
    -0x1.88e428a5f10bap-10 0x1.3005cb4dc3c9ep-10 0x1.ad36cfab0d4abp-10 0x1.56a3471bd1970p-11
    -0x1.928d377aa5b50p-13 -0x1.7b0a14069d00dp-12 -0x1.8b01d710406e5p-13 -0x1.fee0fc12dca8ep-16
    0x1.90a404f2e37ebp-16 0x1.767f3afaf2a17p-16 0x1.65425a3322b04p-17 0x1.e3f70b22b2ac4p-19
    """
)
ERF_10 = doubles(
    """
    0x0.0p+0 -0x1.ed60000e6c26fp-10 -0x1.84355931805b6p-10 0x1.67700c61612c8p-12
    0x1.45d28838f5591p-10 0x1.54c318b323c38p-11 -0x1.bd4e2b9d09c26p-13 -0x1.c659905f24975p-12
    -0x1.90f7dfeb6d1f3p-13 0x1.079b4cfedd843p-15 0x1.47fc6cb3c3cf9p-14 0x1.4f1e033afa352p-15
    0x1.a2b5791db4ec8p-18 -0x1.26d00c31248bcp-18 -0x1.ffdfee53a5032p-19 -0x1.be2140bf23ec9p-20
    """
)
ERF_11 = doubles(
    """
    -0x1.bc62654cf3ce2p-11 -0x1.450ae7d3b5710p-12 0x1.1594848f57093p-11 0x1.33a88eb751b6ep-11
    0x1.da6e583e98f50p-17 -0x1.63b6755721b4cp-12 -0x1.b397fe343ad98p-13 0x1.1f1f1216ae3b6p-15
    0x1.adb0f13382d1bp-14 0x1.8176a90804a93p-15 -0x1.76e78841e2335p-18 -0x1.046942f2eb287p-16
    -0x1.f2fcf59eeda92p-18 -0x1.0cb3727893517p-20 0x1.a20faddcb991dp-21 0x1.469360e9f450ap-21
    """
)
ERF_12 = doubles(
    """
    0x0.0p+0 0x1.36aecaa3e6ea8p-12 0x1.738a183da89dep-13 -0x1.0b33e9738558fp-13
    -0x1.8b5f24b75eff1p-13 -0x1.a94a2d69bc8c2p-16 0x1.627d50c75fa0ep-14 0x1.c7d1d9d107977p-15
    -0x1.9bd2ce76187e7p-18 -0x1.6eca12ecd9a82p-16 -0x1.41d3f17229080p-17 0x1.1aa80e83506aep-20
    0x1.85b885bc06a4dp-19 0x1.3f1f110e50681p-20 -0x1.63c7fbf8d3f41p-21 -0x1.f15cc78d9c1ebp-21
    """
)
# The same, of lower degree: to 2**-38.
ERF_QUICK_0 = doubles(
    """
    0x0.0p+0 0x1.236bf02712b68p-2 0x1.1178925821d2fp-1 0x1.73b1022e7cb45p-1
    0x1.b5e63030b29c5p-1 0x1.dd07879a4ce81p-1 0x1.f14e821255a56p-1 0x1.fa84fe5c4e67bp-1
    0x1.fe307f2aed386p-1 0x1.ff789eb632b4ap-1 0x1.ffdd1750e7e22p-1 0x1.fff80ff89d73dp-1
    0x1.fffe68f4f6815p-1 0x1.ffffb839e4f77p-1 0x1.fffff4dddf796p-1 0x1.fffffe7b4c910p-1
    """
)
ERF_QUICK_1 = doubles(
    """
    0x1.20dd75042812bp+0 0x1.0e4a07287f2b0p+0 0x1.bada5a2781514p-1 0x1.3da26d5ee7257p-1
    0x1.8eed3521d2a41p-2 0x1.b6a85758a3fabp-3 0x1.a64de66915097p-4 0x1.63f3f627be791p-5
    0x1.06ae13e404f30p-6 0x1.536fc147184dcp-8 0x1.8005f04a0b2eap-10 0x1.7c6298543f228p-12
    0x1.49e17a30df27ep-14 0x1.f4f12feee4ab5p-17 0x1.4d02427b8f274p-19 0x1.83a1efbf05751p-22
    """
)
ERF_QUICK_2 = doubles(
    """
    0x0.0p+0 -0x1.16bc580652cbep-2 -0x1.c8b12b931aff4p-2 -0x1.eb57414c2a131p-2
    -0x1.9b649f9025cf1p-2 -0x1.1aba802f660c7p-2 -0x1.46a040372b286p-3 -0x1.41312310302c5p-4
    -0x1.0ee3847cab80ep-5 -0x1.89cca74241daep-7 -0x1.ef07a7c443f2ep-9 -0x1.0dafe7184e9b6p-10
    -0x1.fe48c8cc516d2p-13 -0x1.a3bc16b48f1c3p-15 -0x1.2c7d0993a3e87p-17 -0x1.76c310414fbcep-20
    """
)
ERF_QUICK_3 = doubles(
    """
    -0x1.8127465b05314p-2 -0x1.387a549e337ebp-2 -0x1.147eabe56907bp-3 0x1.4cbaf75de2a50p-5
    0x1.2bb6e34555e7fp-3 0x1.53b86f56ed423p-3 0x1.0a72f1a18a3b9p-3 0x1.471bcace9b596p-4
    0x1.48b127f034f50p-5 0x1.144af87372fa4p-6 0x1.896a13c3147d5p-8 0x1.de2dadea3877ep-10
    0x1.f2bd9d7326feep-12 0x1.c00ccc7dd236cp-14 0x1.5ba66fff6e3c3p-16 0x1.d2f0f9148bbcdp-19
    """
)
ERF_QUICK_4 = doubles(
    """
    0x0.0p+0 0x1.0a626ea6aaff0p-3 0x1.77bec458fe4fbp-3 0x1.27646d26c46eep-3
    0x1.dee31f769a672p-5 -0x1.e7989bad1f8f8p-7 -0x1.84d344d72840dp-5 -0x1.783365e8f79f7p-5
    -0x1.f155b5c00d494p-6 -0x1.fdd1be808a96fp-7 -0x1.a8a17810cce3cp-8 -0x1.2612bc2374823p-9
    -0x1.5738937896b4dp-11 -0x1.547058e959d86p-13 -0x1.20a8b2df2899ep-15 -0x1.a434e2bc2180dp-18
    """
)
ERF_QUICK_5 = doubles(
    """
    0x1.ce2d63f711a95p-4 0x1.4006e6419e81fp-4 0x1.5d027a55bde06p-9 -0x1.d15a2cc32bd5cp-5
    -0x1.1698a50f04621p-4 -0x1.58d091750d117p-5 -0x1.3ca334fff8455p-7 0x1.2d358bd55c9fcp-7
    0x1.aa2cc3f734ebcp-7 0x1.3367e46dc4febp-7 0x1.3fe1c49b8b5a3p-8 0x1.05dd4a17d43a1p-9
    0x1.5deb4c2613abbp-11 0x1.852beaf7596b5p-13 0x1.6c8fe2f7f9507p-15 0x1.21ed10cd0abecp-17
    """
)
ERF_QUICK_6 = doubles(
    """
    0x0.0p+0 -0x1.5323e346a0238p-5 -0x1.94891a0f04c85p-5 -0x1.8637ed9c13aa2p-6
    0x1.fe9f8720122f1p-8 0x1.695401ac561e6p-6 0x1.21008b11cb1d9p-6 0x1.b82c658aa530bp-8
    -0x1.bbe93f0d5ee85p-11 -0x1.9736fd2cc4b34p-9 -0x1.4352bda726941p-9 -0x1.524031b9eae50p-10
    -0x1.0d561ab73d0f1p-11 -0x1.580356c61485fp-13 -0x1.69ab77f49a88dp-15 -0x1.3dbee56da5d9bp-17
    """
)
ERF_QUICK_7 = doubles(
    """
    -0x1.b56bed8e29029p-6 -0x1.faa762fa40309p-7 0x1.ad63898de9745p-8 0x1.31734bbc4973dp-6
    0x1.c598c3e216529p-7 0x1.fd1e42264a1b3p-10 -0x1.6424e39f0a32bp-8 -0x1.70ca55373c3c5p-8
    -0x1.55666586a9072p-9 -0x1.89160ca4ae083p-13 0x1.53a616aaf137dp-11 0x1.2a23e8af277f0p-11
    0x1.3671567916c72p-12 0x1.dd05cc908e866p-14 0x1.2186ab2bd7ddbp-15 0x1.1e9dc47456769p-17
    """
)
ERF_QUICK_8 = doubles(
    """
    0x0.0p+0 0x1.410db600250a0p-7 0x1.3cbb8d7b244d5p-7 0x1.85220b4e1ff91p-10
    -0x1.54f7600e33081p-8 -0x1.5c187197639fep-8 -0x1.b3ff90fe85e2fp-10 0x1.1e91a6cf697edp-10
    0x1.8ca467b4e7c99p-10 0x1.929ab723a715bp-11 0x1.cbf1ea8f8d331p-14 -0x1.07f7fbe76b6eap-13
    -0x1.eec4178702323p-14 -0x1.f423c5bf8efc9p-15 -0x1.6c153ebd730bep-16 -0x1.9de1f44ab59e6p-18
    """
)
# e**(x*x) * erfc(x) on [0, 11.25): one table for each power of the distance from the middle of a quarter of a binade of
# x + 3/4. Errors below 2**-52.4.
TAIL_SHIFT = 0.75
TAIL_0 = doubles(
    """
    0x1.494daffa2ad68p-2 0x1.058671b52c776p-2 0x1.afbb3f3b7343bp-3 0x1.6e9827d229d2dp-3
    0x1.2a2af19c14930p-3 0x1.dc603a3e77e9bp-4 0x1.8c14049cd551ep-4 0x1.52b80d463c470p-4
    0x1.1618fbc75f8a0p-4 0x1.c0cb9b2935b92p-5 0x1.ddcd359cbe323p-1 0x1.a36bbb7f3686dp-1
    0x1.5f28ade3ca4acp-1 0x1.1d16b5809eaf6p-1 0x1.db747ee409ac5p-2 0x1.9531e09b149b5p-2
    """
)
TAIL_1 = doubles(
    """
    -0x1.4f1988444caf6p-3 -0x1.b57034efd3f73p-4 -0x1.3086d7f01ac85p-4 -0x1.bd6ae4d14b16fp-5
    -0x1.2aa6503acda12p-5 -0x1.81149bc4a104bp-6 -0x1.0bc46cdc18fe6p-6 -0x1.8914e8736d77fp-7
    -0x1.09d8af47983fbp-7 -0x1.5b059dc34c3d5p-8 -0x1.0300a1aa5dd3bp+0 -0x1.a47283b89efb2p-1
    -0x1.3a5c679d7bb59p-1 -0x1.babd0e4f1a24cp-2 -0x1.4369f60195eddp-2 -0x1.e78b356770fbbp-3
    """
)
TAIL_2 = doubles(
    """
    0x1.37ea271bc56ddp-4 0x1.5672b9ea13cd0p-5 0x1.98958a7a8e1cbp-6 0x1.043fe1a98be0fp-6
    0x1.22f0664f3c825p-7 0x1.317c144f8b271p-8 0x1.6535040e2c68cp-9 0x1.c39a4935f99c1p-10
    0x1.f8c382c544205p-11 0x1.0b1a41bf02702p-11 0x1.bd6d216771d7bp-1 0x1.549642cc98547p-1
    0x1.d28c0e1177bd0p-2 0x1.2577420fcd40dp-2 0x1.80ef8f454cadbp-3 0x1.05e72521ca043p-3
    """
)
TAIL_3 = doubles(
    """
    -0x1.0dc51d294233ep-5 -0x1.fa9d3ac95561cp-7 -0x1.0632076809e00p-7 -0x1.259061ba8538bp-8
    -0x1.1434ae0586d01p-9 -0x1.dc1af883a3354p-11 -0x1.d662fda6d554dp-12 -0x1.00e4e3d2d7155p-12
    -0x1.dbf548a06018cp-14 -0x1.99532cdaf30f1p-15 -0x1.46c6f6298257fp-1 -0x1.db731eedabbcep-2
    -0x1.2e82dbf847133p-2 -0x1.59c35c06f899fp-3 -0x1.9d5868de0a06ep-4 -0x1.01343a2c91cb2p-4
    """
)
TAIL_4 = doubles(
    """
    0x1.b65944f2c970cp-7 0x1.64907215e9f50p-8 0x1.435c04e2be2a5p-9 0x1.409cc2ee9f5fap-10
    0x1.fff032a1f50f1p-12 0x1.6cc10c169401ep-13 0x1.31dddbe4aaa13p-14 0x1.21808c2641e85p-15
    0x1.bdd1fbfc7b2f0p-17 0x1.383e40b0829adp-18 0x1.a900b20edbceep-2 0x1.280377ec859c5p-2
    0x1.611afb949e83dp-3 0x1.72d46a9976516p-4 0x1.9831c2caa721cp-5 0x1.d4e711a454a2bp-6
    """
)
TAIL_5 = doubles(
    """
    -0x1.513ed75ede926p-8 -0x1.e028e8a71b0ddp-10 -0x1.809ce8abb673ap-11 -0x1.53dec9d26897fp-12
    -0x1.cfcdea1cd8672p-14 -0x1.12f1743bf3a61p-15 -0x1.8900e0bc87582p-17 -0x1.433e2894f8057p-18
    -0x1.9edfad3951c05p-20 -0x1.da48652efbd15p-22 -0x1.f597e7752a2b8p-3 -0x1.4ff52d47ba809p-3
    -0x1.7a16147a005c2p-4 -0x1.6fce5debc5731p-5 -0x1.779dd2ad917dap-6 -0x1.910a5d814e8d6p-7
    """
)
TAIL_6 = doubles(
    """
    0x1.ee705f53e79aep-10 0x1.369ff98dd59a7p-11 0x1.ba8a655cfb041p-13 0x1.5e738e4e549f6p-14
    0x1.9b50cfbacf878p-16 0x1.9818bfd85acbdp-18 0x1.f31a30c693a96p-20 0x1.65acc8083da48p-21
    0x1.7f9c1c1de90c3p-23 0x1.66a54e47b5cd0p-25 0x1.10e25d385ed94p-3 0x1.60b04fb988429p-4
    0x1.78491ec6e531ep-5 0x1.552fed1f67bc8p-6 0x1.452640ce94018p-7 0x1.446c4c6769e5ep-8
    """
)
TAIL_7 = doubles(
    """
    -0x1.5b0ac1e5c4d37p-11 -0x1.83821eb4710c7p-13 -0x1.edd421831b542p-15 -0x1.602509219c595p-16
    -0x1.6577891841e73p-18 -0x1.2a6259b043dedp-20 -0x1.395be111a73dfp-22 -0x1.884f2706080cap-24
    -0x1.607a435e4218dp-26 -0x1.0e0ac64445f49p-28 -0x1.14e03f95cc0a2p-4 -0x1.5a283722a831cp-5
    -0x1.5f774809cfacfp-6 -0x1.2a7f60fb00c27p-7 -0x1.0ab3636ba3308p-8 -0x1.f38c4a8e08f42p-10
    """
)
TAIL_8 = doubles(
    """
    0x1.d44fe98271d96p-13 0x1.d37c751002abep-15 0x1.0bcdaf2749c04p-16 0x1.5966f7dfd9768p-18
    0x1.30c38c87d5c13p-20 0x1.ae2064c28634bp-23 0x1.85325530be61fp-25 0x1.aab292823c4fep-27
    0x1.41e0f12c82734p-29 0x1.94f14c3333d5ep-32 0x1.0a0557276c669p-5 0x1.4274a1a7466abp-6
    0x1.366438c4d3e45p-7 0x1.efbbd00fb8965p-9 0x1.a10a46eee3823p-10 0x1.6fea4f6578e9ep-11
    """
)
TAIL_9 = doubles(
    """
    -0x1.30bf48ac67a8bp-14 -0x1.115f27a67e262p-16 -0x1.1ad3325bb5899p-18 -0x1.4b20f424c354ap-20
    -0x1.fe3fad75cd86bp-23 -0x1.31c4580769447p-25 -0x1.de41be256cff9p-28 -0x1.cc4418d0b99f6p-30
    -0x1.242751becf3c4p-32 -0x1.2e58cd3ae504bp-35 -0x1.e80b6dac5402ap-7 -0x1.23b11cd06ef8ep-7
    -0x1.04ae95217361ep-8 -0x1.88b579395fa0ap-10 -0x1.3864f689271f1p-11 -0x1.0455ebaec1183p-12
    """
)
TAIL_10 = doubles(
    """
    0x1.7fdb26b784e0bp-16 0x1.3640d6bf5144ap-18 0x1.21aa3ee8eaefep-20 0x1.304c969c617d6p-22
    0x1.a36ddf01fe2b6p-25 0x1.aca3b00af860bp-28 0x1.2246de75eb571p-30 0x1.dc65bde89cb76p-33
    0x1.076a199137072p-35 0x1.c1002b459b066p-39 -0x1.3aeed52306b78p-5 -0x1.8ba6eca72fe2bp-6
    0x1.a010e5e64bbe0p-10 0x1.3ac31ecca37eep-11 0x1.95d4142752960p-13 0x1.47c8a48c9dbe3p-14
    """
)
TAIL_11 = doubles(
    """
    -0x1.d55d4d44d2e3cp-18 -0x1.55c7385ad7399p-20 -0x1.2322d2117684ap-22 -0x1.13026c0803949p-24
    -0x1.53383b70fb9c2p-27 -0x1.28d774c1ff159p-30 -0x1.5e4341724adccp-33 -0x1.e0c5cc7aff42bp-36
    -0x1.d8b6ec63e8f61p-39 -0x1.4c4527f912c19p-42 0x1.0bf813b7eac2ep-4 0x1.07ede04bed25ap-4
    -0x1.41f0abaaa5654p-11 -0x1.08c644feccdf0p-12 -0x1.2d54b9e0d07cdp-15 -0x1.2451f95371eeep-16
    """
)
TAIL_12 = doubles(
    """
    0x1.0e2b3784e0543p-19 0x1.90211d70cfe05p-22 0x1.a43f53d29da99p-24 0x1.799935dae69bap-25
    0x1.19d7716920b11p-29 0x1.a988257003c72p-33 0x1.d1f01a88154f9p-36 0x1.bf81464f33382p-37
    0x1.b7854bb7da6d5p-42 0x1.05e16bf4f9e4dp-45 0x1.c30b4e8b2685dp+1 0x1.17c5e611c33a2p+1
    0x1.a887c932abb79p-12 -0x1.1b8525abc9126p-11 0x1.c06d8fae9c31cp-12 0x1.194f6105f1270p-13
    """
)
TAIL_13 = doubles(
    """
    -0x1.10d79fc44357dp-21 -0x1.05816defa92c3p-23 -0x1.bdb7c02d96ae7p-26 -0x1.0d1fd7c2d54a5p-26
    -0x1.be2c437824615p-32 -0x1.203bd89ace58fp-35 -0x1.f2ffe3f307371p-39 -0x1.dc92c5075b71ap-39
    -0x1.82969562c8746p-45 -0x1.8a058687962fcp-49 -0x1.5fbbf1d6e46f4p+2 -0x1.48e9bfe998e34p+2
    -0x1.c1e6a1f88b4e1p-14 0x1.c24b570ba67bep-11 -0x1.8868180211ffdp-11 -0x1.ac0d692057e2fp-13
    """
)
# The same function as a quotient (leading coefficient of the numerator: 1), to 2**-39.7 and, for fast mode, 2**-27.3.
QUICK_OVER = doubles(
    """
    0x1.64df3eaa52b9fp+8 0x1.2046a55d243eap+9 0x1.c9b92386a82cfp+8 0x1.b5656ee464696p+7
    0x1.0696230c4bdf1p+6 0x1.786bbebd991bbp+3
    """
)
QUICK_UNDER = doubles(
    """
    0x1.64df3eaa5110fp+8 0x1.e99e9489fa2ebp+9 0x1.2d73739688ebep+10 0x1.b242b84fb814bp+9
    0x1.8e1021b4137f0p+8 0x1.d4f7402e3014bp+6 0x1.4d9834403a901p+4 0x1.c5bf84e9680f7p+0
    """
)
FAST_OVER = doubles(
    """
    0x1.e58c2b7263afbp+4 0x1.2d0498e38de92p+5 0x1.63fd73772d473p+4 0x1.bea2a3a0f35cbp+2
    """
)
FAST_UNDER = doubles(
    """
    0x1.e58c2b42523f2p+4 0x1.1f7abf53ed312p+6 0x1.23fecd621771fp+6 0x1.4279ac6d67996p+5
    0x1.8bd85baebbe93p+3 0x1.c5be32b8e5020p+0
    """
)
QUICK_OVER_0, QUICK_OVER_1, QUICK_OVER_2, QUICK_OVER_3, QUICK_OVER_4, QUICK_OVER_5 = QUICK_OVER
QUICK_UNDER_0, QUICK_UNDER_1, QUICK_UNDER_2, QUICK_UNDER_3, QUICK_UNDER_4, QUICK_UNDER_5, QUICK_UNDER_6, QUICK_UNDER_7 = (
    QUICK_UNDER
)
FAST_OVER_0, FAST_OVER_1, FAST_OVER_2, FAST_OVER_3 = FAST_OVER
FAST_UNDER_0, FAST_UNDER_1, FAST_UNDER_2, FAST_UNDER_3, FAST_UNDER_4, FAST_UNDER_5 = FAST_UNDER
# Fast mode, float32: erf(x) = x * NEAR(x**2) below 1, 1 - 2**FAR(x) above.
NEAR = doubles(
    """
    0x1.20dd740000000p+0 -0x1.8126d20000000p-2 0x1.ce1fcc0000000p-4 -0x1.b747d40000000p-6
    0x1.4f79fe0000000p-8 -0x1.873b3c0000000p-11 0x1.036a280000000p-14
    """
)
FAR = doubles(
    """
    -0x1.02a7f60000000p-11 -0x1.a044860000000p+0 -0x1.d75eca0000000p-1 -0x1.30a8320000000p-3
    0x1.0223160000000p-5 -0x1.16d13e0000000p-8 0x1.1a35a60000000p-12
    """
)
NEAR_0, NEAR_1, NEAR_2, NEAR_3, NEAR_4, NEAR_5, NEAR_6 = NEAR
FAR_0, FAR_1, FAR_2, FAR_3, FAR_4, FAR_5, FAR_6 = FAR
#: Bits of 9 as float32: from there on float32 results of erfc are subnormal.
FAR_OUT = 0x41100000


@lane_function
def erf_careful(x: Lanes):
    """erf of float64 lanes in [0, 3.99] that hold float32 values; rounds correctly for every input: all were tried."""
    j = bits(x * PER_INTERVAL + ROUNDING_SHIFT)
    h = x - lookup(CENTRES, j)
    y = lookup(ERF_12, j)
    y = y * h + lookup(ERF_11, j)
    y = y * h + lookup(ERF_10, j)
    y = y * h + lookup(ERF_9, j)
    y = y * h + lookup(ERF_8, j)
    y = y * h + lookup(ERF_7, j)
    y = y * h + lookup(ERF_6, j)
    y = y * h + lookup(ERF_5, j)
    y = y * h + lookup(ERF_4, j)
    y = y * h + lookup(ERF_3, j)
    y = y * h + lookup(ERF_2, j)
    y = y * h + lookup(ERF_1, j)
    y = y * h + lookup(ERF_0, j)
    return y


@lane_function
def erf_quick(x: Lanes):
    """erf of float64 lanes in [0, 3.99], to 2**-38."""
    j = bits(x * PER_INTERVAL + ROUNDING_SHIFT)
    h = x - lookup(CENTRES, j)
    y = lookup(ERF_QUICK_8, j)
    y = y * h + lookup(ERF_QUICK_7, j)
    y = y * h + lookup(ERF_QUICK_6, j)
    y = y * h + lookup(ERF_QUICK_5, j)
    y = y * h + lookup(ERF_QUICK_4, j)
    y = y * h + lookup(ERF_QUICK_3, j)
    y = y * h + lookup(ERF_QUICK_2, j)
    y = y * h + lookup(ERF_QUICK_1, j)
    y = y * h + lookup(ERF_QUICK_0, j)
    return y


@lane_function
def erfc_careful(x: Lanes):
    """erfc of float64 lanes in [0, 10.25] that hold float32 values; rounds correctly for every input: all were tried."""
    j, h = quarter_binade(x + TAIL_SHIFT)
    y = lookup(TAIL_13, j)
    y = y * h + lookup(TAIL_12, j)
    y = y * h + lookup(TAIL_11, j)
    y = y * h + lookup(TAIL_10, j)
    y = y * h + lookup(TAIL_9, j)
    y = y * h + lookup(TAIL_8, j)
    y = y * h + lookup(TAIL_7, j)
    y = y * h + lookup(TAIL_6, j)
    y = y * h + lookup(TAIL_5, j)
    y = y * h + lookup(TAIL_4, j)
    y = y * h + lookup(TAIL_3, j)
    y = y * h + lookup(TAIL_2, j)
    y = y * h + lookup(TAIL_1, j)
    y = y * h + lookup(TAIL_0, j)
    return careful_decay(x * x) * y


@lane_function
def erfc_near_zero(x: Lanes):
    """erfc of float64 lanes with ``|x| < 1/8``: 1 - erf(x) as a pair, rounded to odd, for the sake of 0xb76c9f62."""
    square = x * x
    y = ERF_1[0] + square * (ERF_3[0] + square * (ERF_5[0] + square * (ERF_7[0] + square * (ERF_9[0] + square * ERF_11[0]))))
    high, low = fast_two_sum(1.0, -x * y)
    return round_to_odd(high, low)


@lane_function
def erfc_quick(size: Lanes):
    """erfc of float64 lanes in [0, 10.25], to 2**-37.9."""
    over = (size + QUICK_OVER_5) * size + QUICK_OVER_4
    over = (over * size + QUICK_OVER_3) * size + QUICK_OVER_2
    over = (over * size + QUICK_OVER_1) * size + QUICK_OVER_0
    under = QUICK_UNDER_7 * size + QUICK_UNDER_6
    under = (under * size + QUICK_UNDER_5) * size + QUICK_UNDER_4
    under = (under * size + QUICK_UNDER_3) * size + QUICK_UNDER_2
    under = (under * size + QUICK_UNDER_1) * size + QUICK_UNDER_0
    return quick_exponential(size * size * -UNITS) * over / under


def erf(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: 1 from 3.99 on in every format."""
    wide = convert(x, "float64")
    size = absolute(wide)
    size = select(size > 3.99, 3.99, size)
    y = erf_quick(size)
    rare = in_doubt(y) | is_tiny(x)
    if any_lane(rare):
        y = select(rare, erf_careful(size), y)
    return copy_sign(y, wide)


def erfc(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes: zero from 10.25 on in every format."""
    wide = convert(x, "float64")
    y = erfc_quick(absolute(wide))
    y = select(x < 0.0, 2.0 - y, y)
    rare = in_doubt(y) | ((bits(x) & 0x7FFFFFFF) >= FAR_OUT)
    if any_lane(rare):
        size = absolute(wide)
        careful = erfc_careful(select(size > 10.25, 10.25, size))
        careful = select(x < 0.0, 2.0 - careful, careful)
        y = select(rare, select(size < 0.125, erfc_near_zero(wide), careful), y)
    return y


def erf_fast(x: Lanes):
    """Fast mode, float32 lanes: at most 2 ulp off."""
    size = absolute(x)
    size = select(size > 4.0, 4.0, size)
    square = size * size
    near = mul_add(mul_add(mul_add(NEAR_6, square, NEAR_5), square, NEAR_4), square, NEAR_3)
    near = mul_add(mul_add(mul_add(near, square, NEAR_2), square, NEAR_1), square, NEAR_0) * size
    far = mul_add(mul_add(mul_add(FAR_6, size, FAR_5), size, FAR_4), size, FAR_3)
    far = mul_add(mul_add(mul_add(far, size, FAR_2), size, FAR_1), size, FAR_0)
    shifted = far + ROUNDING_SHIFT_FAST
    base = power_fast(shifted)
    far = mul_add(-base, growth_binary(far - (shifted - ROUNDING_SHIFT_FAST)), 1.0 - base)
    return copy_sign(select(size < 1.0, near, far), x)


def erfc_fast(x: Lanes):
    """Fast mode, float32 lanes, at most 2 ulp off: numerator and denominator in float64 lanes, divided in float32."""
    size = absolute(x)
    size = convert(select(size > 10.25, 10.25, size), "float64")
    over = mul_add(size + FAST_OVER_3, size, FAST_OVER_2)
    over = mul_add(mul_add(over, size, FAST_OVER_1), size, FAST_OVER_0)
    under = mul_add(FAST_UNDER_5, size, FAST_UNDER_4)
    under = mul_add(mul_add(under, size, FAST_UNDER_3), size, FAST_UNDER_2)
    under = mul_add(mul_add(under, size, FAST_UNDER_1), size, FAST_UNDER_0)
    over = wide_exponential_fast(size * size * -UNITS) * over
    over = select(x < 0.0, mul_add(under, 2.0, -over), over)
    return convert(over, "float32") / convert(under, "float32")


OPERATORS = (
    Operator(
        "erf",
        "the error function of x, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(erf, erf_fast),
        onnx="Erf",
        opset=9,
        special=("zeros keep their sign", "erf(-inf) = -1, erf(+inf) = 1"),
    ),
    Operator(
        "erfc",
        "the complementary error function 1 - erf(x), rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(erfc, erfc_fast),
        special=("erfc(-inf) = 2, erfc(+inf) = +0", "the positive tail underflows gradually"),
    ),
)
