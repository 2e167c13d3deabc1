"""The argument of the exponential in the tanh form of gelu, in float64: a pair of doubles, and fixed point.

Constants: tools/derive_binary64_exponential.py.
"""

from exactops.lanes import Lanes, lane_function, scalar_function, scaled_product
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.fixed_point import ONE
from exactops.numerics.binary64.tables.gelu_tanh import (
    CUBIC,
    CUBIC_HIGH,
    CUBIC_LOW,
    SLOPE,
    SLOPE_HIGH,
    SLOPE_LOW,
    WIDE_CUBIC,
    WIDE_SLOPE,
)


@lane_function
def gelu_tanh_argument(x: Lanes):
    """x * (SLOPE + CUBIC * x**2) as a pair, for ``|x| < 22``, within 2**-73.9 of it.

    The factor and the square are each a head of 26 bits and a rest, so that the products of heads are exact.
    """
    top = leading_part(x)
    bottom = x - top
    square = x * x
    square_top = leading_part(square)
    square_bottom = (top * top - square_top) + (x + top) * bottom
    factor = leading_part(SLOPE + CUBIC * square)
    rest = ((SLOPE_HIGH - factor) + CUBIC_HIGH * square_top) + (SLOPE_LOW + (CUBIC_HIGH * square_bottom + CUBIC_LOW * square))
    return top * factor, bottom * factor + x * rest


@scalar_function
def gelu_tanh_argument_fixed(t):
    """The same of a fixed-point number below 32 in magnitude: within 2**16 units, and 2**-170 of it above 2**-100."""
    return scaled_product(scaled_product(t, WIDE_SLOPE), ONE + scaled_product(WIDE_CUBIC, scaled_product(t, t)))
