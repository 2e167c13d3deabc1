"""Pieces of arithmetic that the cores of the float64 fast phases share."""

from exactops.lanes import Lanes, bits, from_bits, lane_function
from exactops.numerics.constants import leading_bits

_LEADING = leading_bits(26)


@lane_function
def leading_part(x: Lanes):
    """x without all but the leading 26 bits of its significand: products with 27 bits are exact, and so is what is cut off."""
    return from_bits(bits(x) & _LEADING)
