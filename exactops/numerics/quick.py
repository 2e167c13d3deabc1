"""The test that lets a kernel trust its quick path: is the quick result safely away from every rounding boundary?"""

from exactops.lanes import Lanes, bits, lane_function


@lane_function
def near_binary32_tie(y: Lanes, error: int):
    """Mask of the float64 lanes within ``error`` ulp of the middle between two neighbouring normal float32 numbers.

    A double lies on such a middle when the 29 bits that float32 lacks are 1 followed by 28 zeros. The addition moves the
    neighbourhood of that pattern to zero, the bit test finds it. A value that lies off every middle by more than its error
    rounds as the true value does. ``error``: a power of two, at least the error of ``y`` in units of its last place.
    """
    return ((bits(y) + ((1 << 28) + error)) & (0x20000000 - 2 * error)) == 0
