"""The rounding test (Ziv 1991) between a fast phase and an accurate one: which results need the accurate phase?

A fast phase gives a value and a bound on its error. Where no rounding boundary of the result's format lies within that bound,
the value rounds as the true one does; the lanes that fail the test are computed again by the accurate phase.
"""

from exactops.lanes import Lanes, bits, lane_function
from exactops.numerics.constants import BINARY32_MAGNITUDE, binary32_bits
from exactops.table.formats import FORMATS


def missing_bits(short: str) -> int:
    """How many of the low bits of a double's significand a stored float type lacks."""
    return FORMATS["f64"].precision - FORMATS[short].precision


BINARY32_MISSING = missing_bits("f32")
BINARY16_MISSING = missing_bits("f16")
BFLOAT16_MISSING = missing_bits("bf16")


@lane_function
def fails_rounding_test(y: Lanes, error: int, missing: int):
    """Mask of the float64 lanes within ``error`` ulp of the midpoint of two normal neighbours in a narrower format.

    A double lies on such a midpoint when the bits that the format lacks are 1 followed by zeros. The addition moves the
    neighbourhood of that pattern to zero, the bit test finds it. ``error`` is a power of two, at least the error of ``y`` in
    units of its last place. Results in the format's subnormal range have other midpoints: kernels send them to the accurate
    phase by the operand.
    """
    return ((bits(y) + ((1 << (missing - 1)) + error)) & ((1 << missing) - 2 * error)) == 0


@lane_function
def fails_rounding_test_double(high: Lanes, low: Lanes, error: Lanes):
    """Mask of the lanes in which ``high + low``, known to within ``error``, need not round to one double.

    The true value lies between ``high + (low - error)`` and ``high + (low + error)``. Rounding is monotonic, so where both sums
    round to the same double, a subnormal one included, that is the correctly rounded result. The bound must cover the
    rounding of ``low - error`` and ``low + error`` too: it exceeds the error by ``2**-52 * |low|`` or more.
    """
    return high + (low - error) != high + (low + error)


#: The patterns of positive float32 numbers below 2**-120.
_TINY = binary32_bits(2.0**-120) - 1


@lane_function
def is_tiny(x: Lanes):
    """Mask of the float32 lanes below 2**-120 in magnitude, zeros excepted: results near them may be subnormal."""
    return ((bits(x) & BINARY32_MAGNITUDE) - 1) < _TINY
