"""The toolkit of the accurate phases: float64 numbers taken apart, fixed-point arithmetic of 192 bits, one rounding at the end.

A fixed-point number is a wide integer that counts units of 2**-192, called *unit* below. A product of two is rounded down, by
less than one unit; a sum is exact. A result leaves as ``significand * 2**exponent`` through :func:`round_to_binary64`, which
rounds once, at the right bit for subnormal results too.
"""

from exactops.lanes import Wide, bit_length, from_wide_bits, scalar_function, scaled_product, wide, wide_bits

#: 1 as a fixed-point number.
ONE = Wide(1 << 192)
_FRACTION = 52
_IMPLICIT = Wide(1 << 52)
_INFINITY = Wide(0x7FF0000000000000)
_SIGN = Wide(1 << 63)
_LEAST = Wide(-1074)
_ONE_PATTERN = Wide(1023 << 52)


@scalar_function
def is_negative(x):
    """Whether the sign bit of a float64 scalar is set."""
    return wide_bits(x) >= _SIGN


@scalar_function
def decompose(x):
    """``(significand, exponent)`` of a finite float64 scalar: its magnitude is ``significand * 2**exponent``, in 53 bits."""
    pattern = wide_bits(x) & 0x7FFFFFFFFFFFFFFF
    field = pattern >> _FRACTION
    significand = pattern - (field << _FRACTION)
    exponent = _LEAST
    if field > 0:
        significand = significand + _IMPLICIT
        exponent = field - 1075
    return significand, exponent


@scalar_function
def round_to_binary64(negative, significand, exponent):
    """The float64 nearest to ``significand * 2**exponent``, ties to even, with a sign; the significand is not negative.

    Zeros, subnormal results and overflow to infinity are those of IEEE 754. For an inexact value the significand has to be
    long enough that its error decides nothing; what lies below the last bit of the result only has to be on the right side.
    """
    last = bit_length(significand) + exponent - 53
    if last < _LEAST or significand == 0:
        last = _LEAST
    shift = last - exponent
    if shift <= 0:
        quotient = significand << (exponent - last)
    else:
        quotient = significand >> shift
        if shift < 256:
            rest = significand - (quotient << shift)
            half = wide(1) << (shift - 1)
            if rest > half:
                quotient = quotient + 1
            elif rest == half:
                quotient = quotient + (quotient & 1)
    pattern = quotient + ((last - _LEAST) << _FRACTION)
    if pattern > _INFINITY or last > 1000:
        pattern = _INFINITY
    if negative:
        pattern = pattern | _SIGN
    return from_wide_bits(pattern)


@scalar_function
def reciprocal(d):
    """1/d as a fixed-point number, for a fixed-point d in [1/4, 4]: within 16 units.

    Newton's iteration ``y + y * (1 - d * y)`` from a quotient of doubles, whose relative error, below 2**-51, is squared twice.
    """
    length = bit_length(d)
    leading = from_wide_bits((d >> (length - 53)) - _IMPLICIT + _ONE_PATTERN)  # in [1, 2)
    significand, exponent = decompose(1.0 / leading)
    y = significand << (exponent + 385 - length)
    y = y + scaled_product(y, ONE - scaled_product(d, y))
    return y + scaled_product(y, ONE - scaled_product(d, y))
