"""Which of sixteen table entries serves a lane, and where in its interval the lane lies."""

from exactops.lanes import Lanes, bits, from_bits, lane_function
from exactops.numerics.constants import leading_bits

# Sign, exponent and the first two bits of the fraction; and the next bit, the middle of such a quarter of a binade.
_QUARTER = leading_bits(3)
_MIDDLE = 1 << (53 - 4)
_BINARY32_QUARTER = leading_bits(3, 24)
_BINARY32_MIDDLE = 1 << (24 - 4)


@lane_function
def quarter_binade(u: Lanes):
    """``(index, distance)`` for positive float64 lanes: the quarter of a binade, and the exact distance from its middle.

    The last four bits of the index are two of the exponent and two of the fraction: four binades have sixteen quarters.
    """
    pattern = bits(u)
    return pattern >> 50, u - from_bits((pattern & _QUARTER) | _MIDDLE)


@lane_function
def quarter_binade_single(x: Lanes):
    """``(index, distance)`` of ``x + 1`` for non-negative float32 lanes; the distance has one rounding, that of a subtraction.

    Where the sum rounds up to the next quarter, the distance reaches half a last place of the sum further.
    """
    pattern = bits(x + 1.0)
    return pattern >> 21, x - (from_bits((pattern & _BINARY32_QUARTER) | _BINARY32_MIDDLE) - 1.0)
