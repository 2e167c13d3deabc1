"""The exponential that exp, sigmoid, silu, tanh, erfc, gelu and pow share. Constants: tools/derive_exponential.py.

The argument comes in *steps* of ln(2)/16, so that the range reduction needs no multiple of an inexact constant:
``e**(steps * ln(2)/16) = 2**(k >> 4) * 2**((k & 15)/16) * e**(r * ln(2)/16)`` with ``k = rint(steps)``, ``r = steps - k``.
The sixteen powers are one register permute. With ``|r| <= 1/2`` a polynomial of degree 6 errs by 2**-56.9, one of degree 4 by
2**-38.5: the latter serves fast phases, the former the accurate phase of the lanes that fail the rounding test.
"""

from exactops.lanes import Lanes, bits, from_bits, lane_function, lookup, polynomial
from exactops.numerics.constants import ROUNDING_SHIFT
from exactops.numerics.tables.exponential import (
    EXP2_OFFSETS,
    EXP2_SIXTEENTHS,
    EXPM1,
    EXPM1_FAST_PHASE,
    EXPM1_RELATIVE,
    INVERSE_STEP,
    STEP_HIGH,
    STEP_LOW,
)


@lane_function
def exp2_sixteenths(k: Lanes):
    """``2**(k/16)`` for integer lanes of which the last 15 bits count, as a signed number."""
    return from_bits(bits(lookup(EXP2_SIXTEENTHS, k)) + (k << 48))


@lane_function
def exp_fast_phase(steps: Lanes):
    """``e**(steps * ln(2)/16)`` for ``|steps| < 2**14``, to 2**-38.5."""
    shifted = steps + ROUNDING_SHIFT
    r = steps - (shifted - ROUNDING_SHIFT)
    base = exp2_sixteenths(bits(shifted))
    return base + base * (r * polynomial(r, EXPM1_FAST_PHASE, "horner"))


@lane_function
def expm1_fast_phase(steps: Lanes):
    """``e**(steps * ln(2)/16) - 1`` for ``|steps| < 2**14``; relative error below 2**-40; loses the sign of a zero."""
    shifted = steps + ROUNDING_SHIFT
    r = steps - (shifted - ROUNDING_SHIFT)
    base = exp2_sixteenths(bits(shifted))
    return (base - 1.0) + base * (r * polynomial(r, EXPM1_RELATIVE, "horner"))


@lane_function
def exp_accurate(high: Lanes, low: Lanes):
    """``e**((high + low) * ln(2)/16)`` for ``|high| < 2**14``; error below 0.9 ulp.

    ``high`` is taken as exact: ``high - k`` has no rounding error. ``low`` must be small (it does not enter ``k``). Only the
    rounding of the power (0.5 ulp) and of the last addition count: expm1 of the reduced argument is below 0.022.
    """
    shifted = high + ROUNDING_SHIFT
    base = exp2_sixteenths(bits(shifted))
    r = (high - (shifted - ROUNDING_SHIFT)) + low
    return base + base * (r * polynomial(r, EXPM1, "horner"))


@lane_function
def exp_minus_accurate(x: Lanes):
    """``e**-x`` for ``0 <= x < 700`` exact in at most 48 bits, such as a float32's square; error below 0.9 ulp.

    It has too many bits for an exact product with ``INVERSE_STEP_HIGH``; k times ``STEP_HIGH`` and its difference from x are
    exact.
    """
    shifted = ROUNDING_SHIFT - x * INVERSE_STEP
    k = shifted - ROUNDING_SHIFT
    base = exp2_sixteenths(bits(shifted))
    r = ((-x - k * STEP_HIGH) - k * STEP_LOW) * INVERSE_STEP
    return base + base * (r * polynomial(r, EXPM1, "horner"))


@lane_function
def expm1_accurate(high: Lanes, low: Lanes):
    """``e**((high + low) * ln(2)/16) - 1`` as :func:`exp_accurate`; relative error below 1.6 ulp; loses a zero's sign.

    For ``k != 0`` the difference ``base - 1`` is exact (or the result is near -1), but may be as small as 0.04: what the
    rounding of the power took away goes into r.
    """
    shifted = high + ROUNDING_SHIFT
    k = bits(shifted)
    base = exp2_sixteenths(k)
    r = (high - (shifted - ROUNDING_SHIFT)) + (low + lookup(EXP2_OFFSETS, k))
    return (base - 1.0) + base * (r * polynomial(r, EXPM1, "horner"))
