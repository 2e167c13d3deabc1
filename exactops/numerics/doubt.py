"""The tests that let a kernel trust a quick float64 value: is it safely away from every rounding boundary of float32?

A double lies in the middle between two neighbouring normal float32 numbers when the 29 bits that float32 lacks are 1 followed
by 28 zeros. Adding half of the pattern and the width of the doubt moves the neighbourhood of the middle to zero: one addition
and one bit test. A value whose distance from the middle exceeds its error rounds as the true value does. Results in
float32's subnormal range have other middles: kernels send them to their careful path by the operand.
"""

from exactops.lanes import Lanes, bits, lane_function

# 2**16 units in the last place of a double: more than 2**-37 of the value. One lane in 4,096 is in doubt.
_OFFSET = (1 << 28) + (1 << 16)
_FAR = (1 << 29) - (1 << 17)


@lane_function
def in_doubt(y: Lanes):
    """Mask of the float64 lanes nearer than 2**16 ulps to the middle of two normal float32 neighbours."""
    return ((bits(y) + _OFFSET) & _FAR) == 0


@lane_function
def is_tiny(x: Lanes):
    """Mask of the float32 lanes below 2**-120 in magnitude, zeros excepted."""
    return ((bits(x) & 0x7FFFFFFF) - 1) < 0x037FFFFF
