"""Which of sixteen table entries serves a lane, and where in its interval the lane lies."""

from exactops.lanes import Lanes, bits, from_bits, lane_function

_SIGNIFICANCE = 0xFFFC000000000000  # sign, exponent and the first two bits of the fraction
_HALF = 0x0002000000000000


@lane_function
def quarter_binade(u: Lanes):
    """``(index, distance)`` for positive float64 lanes: the quarter of a binade, and the exact distance from its middle.

    The last four bits of the index are two of the exponent and two of the fraction: four binades have sixteen quarters.
    """
    pattern = bits(u)
    return pattern >> 50, u - from_bits((pattern & _SIGNIFICANCE) | _HALF)
