"""The exponential that exp, sigmoid, silu, tanh, erfc and gelu share. Constants: tools/derive_exponential.py.

The argument comes in *units* of ln(2)/16, so that the reduction needs no multiple of an inexact constant:
``e**(units * ln(2)/16) = 2**(k >> 4) * 2**((k & 15)/16) * e**(r * ln(2)/16)`` with ``k = rint(units)``, ``r = units - k``.
The sixteen powers are one register permute. With ``|r| <= 1/2`` a polynomial of degree 6 errs by 2**-56.9, one of degree 4 by
2**-38.5. Kernels try the latter first (*quick*) and compute again (*careful*) the rare lanes whose rounding it leaves in doubt.
"""

from exactops.lanes import Lanes, bits, from_bits, lane_function, lookup
from exactops.numerics.constants import doubles

#: Adding it to a double below 2**51 in magnitude rounds to an integer, which then stands in the low bits.
ROUNDING_SHIFT = 6755399441055744.0  # 1.5 * 2**52

# 16/ln(2) as a head of 29 bits, whose product with a float32 is exact, and a tail; and in one double.
UNITS_HEAD = float.fromhex("0x1.7154765000000p+4")
UNITS_TAIL = float.fromhex("0x1.5c17f0bbbe880p-27")
UNITS = float.fromhex("0x1.71547652b82fep+4")
# ln(2)/16 as a head of 40 bits, whose product with k is exact, and a tail.
UNIT_HEAD = float.fromhex("0x1.62e42fefa4000p-5")
UNIT_TAIL = float.fromhex("-0x1.8432a1b0e2634p-47")
# e**(r * ln(2)/16) - 1 = r * (GROWTH[0] + r * (GROWTH[1] + ...)); the errors of QUICK (2**-38.5)
# and BRIEF (2**-29.2, for fast mode) are small beside 1, that of SMALL (2**-41.1) beside r.
GROWTH = doubles(
    """
    0x1.62e42fefa39fdp-5 0x1.ebfbdff82c597p-11 0x1.c6b08d6e8ccd6p-17 0x1.3b2ab6fadd08ap-23
    0x1.5d89bd61fbd60p-30 0x1.430a6945c94f5p-37
    """
)
QUICK = doubles(
    """
    0x1.62e42fec39ac3p-5 0x1.ebfbdff5f6f59p-11 0x1.c6b3f7548b21cp-17 0x1.3b2c7b43b3d00p-23
    """
)
SMALL = doubles(
    """
    0x1.62e42fefa39f3p-5 0x1.ebfbdff6987fcp-11 0x1.c6b08d6f2d73bp-17 0x1.3b2c4ace3401fp-23
    0x1.5d897d03868dep-30
    """
)
BRIEF = doubles(
    """
    0x1.62e42fec39ac3p-5 0x1.ebfffa9aa6e36p-11 0x1.c6b3f7548b21cp-17
    """
)
# 2**(j/16) with ``j << 48`` taken from its bits: adding ``k << 48`` to entry ``k & 15`` then gives 2**(k/16).
POWERS = doubles(
    """
    0x1.0000000000000p+0 0x1.fb5586cf9890fp-1 0x1.f72b83c7d517bp-1 0x1.f387a6e756238p-1
    0x1.f06fe0a31b715p-1 0x1.edea64c123422p-1 0x1.ebfdad5362a27p-1 0x1.eab07dd485429p-1
    0x1.ea09e667f3bcdp-1 0x1.ea11473eb0187p-1 0x1.eace5422aa0dbp-1 0x1.ec49182a3f090p-1
    0x1.ee89f995ad3adp-1 0x1.f199bdd85529cp-1 0x1.f5818dcfba487p-1 0x1.fa4afa2a490dap-1
    """
)
# What the rounding of entry j took away, in units: 2**(j/16) = entry * 2**(offset/16).
POWER_OFFSETS = doubles(
    """
    0x0.0p+0 0x1.106d9ba253401p-49 -0x1.73c5aec1a0547p-51 0x1.045c6a6d3eecbp-49
    0x1.bd9046b69ea24p-51 0x1.f31b9fb32e2e4p-51 0x1.04715f70da237p-51 0x1.7a560f05eeddbp-50
    -0x1.c6cdcb8cfcc24p-50 -0x1.39ea4b4e0a91dp-51 0x1.56f6cd720fba3p-50 0x1.984806660caa6p-52
    0x1.445b6038d7018p-50 0x1.c08f260a0042ap-52 0x1.dc682d68358e2p-52 -0x1.70ed6ccceec4bp-50
    """
)

GROWTH_1, GROWTH_2, GROWTH_3, GROWTH_4, GROWTH_5, GROWTH_6 = GROWTH
QUICK_1, QUICK_2, QUICK_3, QUICK_4 = QUICK
BRIEF_1, BRIEF_2, BRIEF_3 = BRIEF
SMALL_1, SMALL_2, SMALL_3, SMALL_4, SMALL_5 = SMALL


@lane_function
def growth(r: Lanes):
    """``e**(r * ln(2)/16) - 1`` for ``|r| <= 1/2`` and a little more, to 2**-56.9 of ``e**...``."""
    return r * (GROWTH_1 + r * (GROWTH_2 + r * (GROWTH_3 + r * (GROWTH_4 + r * (GROWTH_5 + r * GROWTH_6)))))


@lane_function
def power(k: Lanes):
    """``2**(k/16)`` for integer lanes of which the last 15 bits count, as a signed number."""
    return from_bits(bits(lookup(POWERS, k)) + (k << 48))


@lane_function
def careful_exponential(head: Lanes, tail: Lanes):
    """``e**((head + tail) * ln(2)/16)`` for ``|head| < 2**14``; error below 0.9 ulp.

    ``head`` is taken as exact: ``head - k`` has no rounding error. ``tail`` must be small (it does not enter ``k``). Only the
    rounding of the power (0.5 ulp) and of the last addition count: the growth is below 0.022.
    """
    shifted = head + ROUNDING_SHIFT
    base = power(bits(shifted))
    return base + base * growth((head - (shifted - ROUNDING_SHIFT)) + tail)


@lane_function
def careful_decay(square: Lanes):
    """``e**-square`` for ``0 <= square < 700`` exact in at most 48 bits; error below 0.9 ulp.

    The square has too many bits for an exact product with ``UNITS_HEAD``; k times ``UNIT_HEAD`` and its difference from the
    square are exact.
    """
    shifted = ROUNDING_SHIFT - square * UNITS
    k = shifted - ROUNDING_SHIFT
    base = power(bits(shifted))
    return base + base * growth(((-square - k * UNIT_HEAD) - k * UNIT_TAIL) * UNITS)


@lane_function
def quick_exponential(units: Lanes):
    """``e**(units * ln(2)/16)`` for ``|units| < 2**14``, to 2**-38.5."""
    shifted = units + ROUNDING_SHIFT
    r = units - (shifted - ROUNDING_SHIFT)
    base = power(bits(shifted))
    return base + base * (r * (QUICK_1 + r * (QUICK_2 + r * (QUICK_3 + r * QUICK_4))))


@lane_function
def careful_exponential_minus_one(head: Lanes, tail: Lanes):
    """``e**((head + tail) * ln(2)/16) - 1`` as :func:`careful_exponential`; relative error below 1.6 ulp; loses a zero's sign.

    For ``k != 0`` the difference ``base - 1`` is exact (or the result is near -1), but may be as small as 0.04: what the
    rounding of the power took away goes into r.
    """
    shifted = head + ROUNDING_SHIFT
    k = bits(shifted)
    base = power(k)
    rise = growth((head - (shifted - ROUNDING_SHIFT)) + (tail + lookup(POWER_OFFSETS, k)))
    return (base - 1.0) + base * rise


@lane_function
def quick_exponential_minus_one(units: Lanes):
    """``e**(units * ln(2)/16) - 1`` for ``|units| < 2**14``; relative error below 2**-40; loses the sign of a zero."""
    shifted = units + ROUNDING_SHIFT
    r = units - (shifted - ROUNDING_SHIFT)
    base = power(bits(shifted))
    return (base - 1.0) + base * (r * (SMALL_1 + r * (SMALL_2 + r * (SMALL_3 + r * (SMALL_4 + r * SMALL_5)))))
