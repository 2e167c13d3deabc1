"""erfc and the normal distribution function near zero, in fast mode of float64: about centres, value and derivative looked up.

Constants: tools/derive_binary64_error_function_fast_mode.py.
"""

from exactops.lanes import Lanes, bits, lane_function, lookup_rows, mul_add, polynomial
from exactops.numerics.binary64.tables.error_function_fast_mode import COMPLEMENT, FIFTH, FIRST, NORMAL, THIRD

# Adding it rounds to a multiple of 1/128, or 1/64, whose number then stands in the low bits.
_SHIFT = 1.5 * 2.0**45
_NORMAL_SHIFT = 1.5 * 2.0**46


@lane_function
def erfc_near_zero_fast_mode(size: Lanes):
    """erfc of sizes up to 2.74, within 1.7 ulp."""
    shifted = size + _SHIFT
    c = shifted - _SHIFT
    h = size - c
    value, slope = lookup_rows(COMPLEMENT, bits(shifted))
    return mul_add(-slope, integral_fast_mode(h, c * h, h * h), value)


@lane_function
def normal_near_zero_fast_mode(size: Lanes):
    """The normal distribution function of -size, for sizes up to 3.99, within 1.7 ulp up to 3 and 2**-54 beyond."""
    shifted = size + _NORMAL_SHIFT
    c = shifted - _NORMAL_SHIFT
    h = size - c
    value, slope = lookup_rows(NORMAL, bits(shifted))
    half = 0.5 * h
    return mul_add(-slope, integral_fast_mode(h, half * c, half * h), value)


@lane_function
def integral_fast_mode(h: Lanes, u: Lanes, v: Lanes):
    """The integral of ``e**(-2*c*t - t**2)`` for t from 0 to h, with u = c*h and v = h**2: ``h * (1 - u - v/3 + ...)``."""
    third = v * polynomial(u, THIRD, "fused pairs")
    fifth = (v * v) * polynomial(u, FIFTH, "fused pairs")
    tail = mul_add(u, polynomial(u, FIRST, "fused pairs"), third + fifth)
    return mul_add(h, tail, h)
