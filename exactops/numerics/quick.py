"""The test that lets a kernel trust its quick path: is the quick result safely away from every rounding boundary?"""

from exactops.lanes import Lanes, bits, lane_function

#: How many low bits of a binary64 fraction the narrower formats lack.
BINARY32_LACKS = 29
BINARY16_LACKS = 42
BFLOAT16_LACKS = 45


@lane_function
def near_tie(y: Lanes, error: int, lacking: int):
    """Mask of the float64 lanes within ``error`` ulp of a middle between two normal neighbours in a narrower format.

    A double lies on such a middle when the bits that the format lacks are 1 followed by zeros. The addition moves the
    neighbourhood of that pattern to zero, the bit test finds it. A value that lies off every middle by more than its error
    rounds as the true value does. ``error``: a power of two, at least the error of ``y`` in units of its last place.
    """
    return ((bits(y) + ((1 << (lacking - 1)) + error)) & ((1 << lacking) - 2 * error)) == 0


@lane_function
def near_binary32_tie(y: Lanes, error: int):
    """:func:`near_tie` for float32."""
    return near_tie(y, error, BINARY32_LACKS)
