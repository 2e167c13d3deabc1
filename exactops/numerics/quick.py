"""The test that lets a kernel trust its quick path: is the quick result safely away from every rounding boundary?"""

from exactops.lanes import Lanes, bits, lane_function

#: How far the quick result may be from the true value, in units of the last place of a double: 2**-41 of a value near 1.
TRUSTED_ULPS = 1 << 11
_OFFSET = (1 << 28) + TRUSTED_ULPS
_FAR_BITS = 0x1FFFFFFF & ~(2 * TRUSTED_ULPS - 1)


@lane_function
def near_binary32_tie(y: Lanes):
    """Mask of the float64 lanes within ``TRUSTED_ULPS`` of the middle between two neighbouring normal float32 numbers.

    A double lies on such a middle when the 29 bits that float32 lacks are 1 followed by 28 zeros. Adding ``_OFFSET`` moves
    the neighbourhood of that pattern to zero: one addition, one bit test. A value off the middle by more than its error
    rounds as the true value does.
    """
    return ((bits(y) + _OFFSET) & _FAR_BITS) == 0
