"""The exponential that exp, sigmoid, silu, tanh, erfc and gelu share. Constants: tools/derive_exponential.py.

The argument comes in *units* of ln(2)/16, so that the reduction needs no multiple of an inexact constant:
``e**(units * ln(2)/16) = 2**(k >> 4) * 2**((k & 15)/16) * e**(r * ln(2)/16)`` with ``k = rint(units)``, ``r = units - k``.
The sixteen powers are one register permute, and with ``|r| <= 1/2`` a polynomial of degree 6 errs by 2**-56.9.
"""

from exactops.lanes import Lanes, bits, from_bits, lane_function, lookup

#: Adding it to a double below 2**51 in magnitude rounds to an integer, which then stands in the low bits.
ROUNDING_SHIFT = 6755399441055744.0  # 1.5 * 2**52

#: 16/ln(2) as a head of 29 bits, whose product with a float32 is exact, and a tail.
UNITS_HEAD = float.fromhex("0x1.7154765000000p+4")
UNITS_TAIL = float.fromhex("0x1.5c17f0bbbe880p-27")
UNITS = float.fromhex("0x1.71547652b82fep+4")
#: ln(2)/16 as a head of 40 bits, whose product with k is exact, and a tail.
UNIT_HEAD = float.fromhex("0x1.62e42fefa4000p-5")
UNIT_TAIL = float.fromhex("-0x1.8432a1b0e2634p-47")

#: e**(r * ln(2)/16) - 1 = r * (GROWTH[0] + r * (GROWTH[1] + ...)).
GROWTH = (
    float.fromhex("0x1.62e42fefa39fdp-5"),
    float.fromhex("0x1.ebfbdff82c597p-11"),
    float.fromhex("0x1.c6b08d6e8ccd6p-17"),
    float.fromhex("0x1.3b2ab6fadd08ap-23"),
    float.fromhex("0x1.5d89bd61fbd60p-30"),
    float.fromhex("0x1.430a6945c94f5p-37"),
)

#: 2**(j/16) with ``j << 48`` taken from its bits: adding ``k << 48`` to entry ``k & 15`` then gives 2**(k/16).
POWERS = (
    float.fromhex("0x1.0000000000000p+0"),
    float.fromhex("0x1.fb5586cf9890fp-1"),
    float.fromhex("0x1.f72b83c7d517bp-1"),
    float.fromhex("0x1.f387a6e756238p-1"),
    float.fromhex("0x1.f06fe0a31b715p-1"),
    float.fromhex("0x1.edea64c123422p-1"),
    float.fromhex("0x1.ebfdad5362a27p-1"),
    float.fromhex("0x1.eab07dd485429p-1"),
    float.fromhex("0x1.ea09e667f3bcdp-1"),
    float.fromhex("0x1.ea11473eb0187p-1"),
    float.fromhex("0x1.eace5422aa0dbp-1"),
    float.fromhex("0x1.ec49182a3f090p-1"),
    float.fromhex("0x1.ee89f995ad3adp-1"),
    float.fromhex("0x1.f199bdd85529cp-1"),
    float.fromhex("0x1.f5818dcfba487p-1"),
    float.fromhex("0x1.fa4afa2a490dap-1"),
)

GROWTH_1, GROWTH_2, GROWTH_3, GROWTH_4, GROWTH_5, GROWTH_6 = GROWTH


@lane_function
def growth(r: Lanes):
    """``e**(r * ln(2)/16) - 1`` for ``|r| <= 1/2`` and a little more."""
    return r * (GROWTH_1 + r * (GROWTH_2 + r * (GROWTH_3 + r * (GROWTH_4 + r * (GROWTH_5 + r * GROWTH_6)))))


@lane_function
def power_and_growth(head: Lanes, tail: Lanes):
    """``(power, growth)`` with ``power * (1 + growth) = e**((head + tail) * ln(2)/16)``, for ``|head| < 2**14``.

    ``head`` is taken as exact: ``head - k`` has no rounding error. ``tail`` must be small (it does not enter ``k``).
    """
    shifted = head + ROUNDING_SHIFT
    r = (head - (shifted - ROUNDING_SHIFT)) + tail
    k = bits(shifted)
    return from_bits(bits(lookup(POWERS, k)) + (k << 48)), growth(r)


@lane_function
def exponential(x: Lanes):
    """``e**x`` for float64 lanes that hold float32 values with ``|x| < 700``; error below 0.9 ulp.

    Only the rounding of the power (0.5 ulp) and of the last addition (0.5 ulp) count: the growth is below 0.022.
    """
    power, rise = power_and_growth(x * UNITS_HEAD, x * UNITS_TAIL)
    return power + power * rise
