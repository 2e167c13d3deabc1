"""Exponentials of fast mode, in float32 lanes. Constants: tools/derive_exponential_fast_mode.py.

``e**x = 2**k * e**r`` with ``k = rint(x/ln2)`` and ``r = x - k * ln2`` in two steps, of which the first is exact with and
without fused multiply-adds. A polynomial of degree 6 errs by 2**-27.9.
"""

from exactops.lanes import Lanes, bits, convert, from_bits, lane_function, mul_add, polynomial, signed, unsigned
from exactops.numerics.constants import (
    BINARY32_MAGNITUDE,
    BINARY32_ONE,
    BINARY32_ROUNDING_SHIFT,
    BINARY32_ROUNDING_SHIFT_BITS,
    ROUNDING_SHIFT,
    binary32_bits,
)
from exactops.numerics.exponential import exp2_sixteenths
from exactops.numerics.tables.exponential import EXPM1_FAST_MODE, INVERSE_STEP, STEP_HIGH, STEP_LOW
from exactops.numerics.tables.exponential_fast_mode import (
    EXP2M1,
    EXPM1_RELATIVE_TAIL,
    EXPM1_TAIL,
    INVERSE_LN2,
    LN2_HIGH,
    LN2_LOW,
)

#: 1/ln(2) and ln(2) as doubles.
INVERSE_LN2_DOUBLE = INVERSE_STEP * 0.0625
LN2_DOUBLE = 16.0 * STEP_HIGH + 16.0 * STEP_LOW

#: Bits of 87: results of larger operands may be subnormal, zero or infinite.
_LARGE = binary32_bits(87.0)


@lane_function
def is_large(x: Lanes):
    """Mask of the float32 lanes for which not ``|x| < 87``: NaN too."""
    return (bits(x) & BINARY32_MAGNITUDE) >= _LARGE


@lane_function
def reduce_by_ln2(x: Lanes):
    """Range reduction to ``(shifted, r)``: k stands in the low bits of ``shifted``. For ``|x| <= 120``."""
    shifted = mul_add(x, INVERSE_LN2, BINARY32_ROUNDING_SHIFT)
    k = shifted - BINARY32_ROUNDING_SHIFT
    return shifted, mul_add(k, -LN2_LOW, mul_add(k, -LN2_HIGH, x))


@lane_function
def expm1_fast_mode(r: Lanes):
    """``e**r - 1`` for ``|r| <= 0.3467``."""
    return mul_add(r * r, polynomial(r, EXPM1_TAIL, "fused horner"), r)


@lane_function
def expm1_relative_fast_mode(r: Lanes):
    """``e**r - 1`` for ``|r| <= 0.3467``, good near zero too."""
    return mul_add(r * r, polynomial(r, EXPM1_RELATIVE_TAIL, "fused horner"), r)


@lane_function
def exp2m1_fast_mode(r: Lanes):
    """``2**r - 1`` for ``|r| <= 0.5``."""
    return r * polynomial(r, EXP2M1, "fused horner")


@lane_function
def scale_fast_mode(shifted: Lanes):
    """``2**k`` for k in the low bits, where it is a normal float32."""
    return from_bits((bits(shifted) << 23) + BINARY32_ONE)


@lane_function
def split_scale_fast_mode(shifted: Lanes):
    """Two normal float32 factors whose product is ``2**k``, for ``|k| <= 250``: multiply by one after the other."""
    k = signed(bits(shifted)) - BINARY32_ROUNDING_SHIFT_BITS
    half = k >> 1
    return from_bits(unsigned(half << 23) + BINARY32_ONE), from_bits(unsigned((k - half) << 23) + BINARY32_ONE)


@lane_function
def exp_fast_mode(x: Lanes):
    """``e**x`` for float32 lanes with ``|x| <= 87``."""
    shifted, r = reduce_by_ln2(x)
    base = scale_fast_mode(shifted)
    return mul_add(base, expm1_fast_mode(r), base)


@lane_function
def reduce_double_by_ln2(x: Lanes):
    """``(k, r)``, ``e**x = 2**k * e**r``: k uint32, r float32 lanes; x in float64 lanes with ``|x| < 2**20``."""
    shifted = mul_add(x, INVERSE_LN2_DOUBLE, ROUNDING_SHIFT)
    return convert(bits(shifted), "uint32"), convert(mul_add(shifted - ROUNDING_SHIFT, -LN2_DOUBLE, x), "float32")


@lane_function
def exp_double_fast_mode(steps: Lanes):
    """``e**(steps * ln(2)/16)`` in float64 lanes for ``|steps| < 2**14``, with fused multiply-adds where there are any."""
    shifted = steps + ROUNDING_SHIFT
    r = steps - (shifted - ROUNDING_SHIFT)
    base = exp2_sixteenths(bits(shifted))
    return mul_add(base, r * polynomial(r, EXPM1_FAST_MODE, "fused horner"), base)
