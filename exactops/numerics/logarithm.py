"""The range reduction of log and pow: ``x = m * 2**e`` with m in an interval around 1 that need not begin at a power of two.

``log(x) = e * log(2) + T + log(1 + z)`` with ``z = m * c - 1``, c near 1/m and ``T = -log(c)`` from tables by equal intervals
of m. The interval that surrounds 1 has c = 1 and T = 0, so that nothing cancels there.
"""

from exactops.lanes import Lanes, convert, from_bits, lane_function, signed, unsigned
from exactops.numerics.constants import BINARY32_ONE, BINARY64_ONE, BINARY64_SIGN_AND_EXPONENT


def binary64_pattern(pattern: int) -> int:
    """The bits, as a double, of the positive normal float32 with these bits."""
    return ((pattern - BINARY32_ONE) << 29) + BINARY64_ONE


@lane_function
def reduce_single(pattern: Lanes, first: int):
    """``(m, e * 2**23, offset)`` of positive normal float32 numbers, given by their bits as int32 lanes.

    m is at least the float32 with the bits ``first``, and below twice that; the leading bits of the fraction of ``offset``, the
    distance from ``first``, are the number of the interval.
    """
    offset = pattern - first
    exponent = offset & -0x800000
    return from_bits(unsigned(pattern - exponent)), exponent, offset


@lane_function
def reduce_double(pattern: Lanes, first: int):
    """``(m, e, offset)`` of positive normal doubles, given by their bits; m and e are doubles."""
    offset = pattern - first
    return from_bits(pattern - (offset & BINARY64_SIGN_AND_EXPONENT)), convert(signed(offset) >> 52, "float64"), offset
