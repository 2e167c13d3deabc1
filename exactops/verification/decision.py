"""One correctly rounded result by MPFR, the precision raised until the rounding is decided (Ziv's strategy)."""

from __future__ import annotations

import math
from typing import Any

from exactops.table.formats import Format
from exactops.verification.functions import GUARD_BITS, SAME, Function
from exactops.verification.multiprecision import gmpy2

_FIRST_PRECISION = 96
_LAST_PRECISION = 6144


def decode(bits: int, storage: Format) -> float:
    """The value of a bit pattern; every served type fits into a Python float."""
    fraction_bits = storage.precision - 1
    sign = -1.0 if bits >> (storage.exponent_bits + fraction_bits) else 1.0
    field = bits >> fraction_bits & ((1 << storage.exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    bias = (1 << (storage.exponent_bits - 1)) - 1
    if field == (1 << storage.exponent_bits) - 1:
        return math.nan if fraction else sign * math.inf
    if field:
        fraction |= 1 << fraction_bits
    return sign * math.ldexp(fraction, max(field, 1) - bias - fraction_bits)


def round_dyadic(mantissa: int, exponent: int, storage: Format) -> int:
    """The bits of ``mantissa * 2**exponent`` (mantissa >= 0) rounded once, to nearest, ties to even."""
    fraction_bits = storage.precision - 1
    bias = (1 << (storage.exponent_bits - 1)) - 1
    if mantissa == 0:
        return 0
    # Exponent of the last place of the result: that of the leading bit less the fraction, but no lower than the subnormals'.
    last = max(mantissa.bit_length() + exponent - 1, 1 - bias) - fraction_bits
    shift = last - exponent
    if shift <= 0:
        quotient = mantissa << -shift
    else:
        quotient, rest = mantissa >> shift, mantissa & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        quotient += rest > half or (rest == half and quotient & 1)
    # A carry to the next binade, and one from the subnormals, comes out right: the fields are adjacent.
    field = last + bias + fraction_bits - 1
    bits = (field << fraction_bits) + quotient
    return min(bits, ((1 << storage.exponent_bits) - 1) << fraction_bits)


def encode(value: float, storage: Format) -> int:
    """The bits of a special result: a NaN is the canonical one, other values are rounded."""
    if math.isnan(value):
        return storage.nan
    sign = int(math.copysign(1.0, value) < 0) << (storage.size * 8 - 1)
    if math.isinf(value):
        return sign | ((1 << storage.exponent_bits) - 1) << (storage.precision - 1)
    numerator, denominator = abs(value).as_integer_ratio()
    return sign | round_dyadic(numerator, 1 - denominator.bit_length(), storage)


def decided_rounding(value: Any, units: int, precision: int, storage: Format) -> int | None:
    """Bits of the magnitude of a number within so many units of the last of ``precision`` places of ``value``; None if open."""
    mantissa, exponent = (int(part) for part in value.as_mantissa_exp())  # exact; abs(value) would round to the context
    mantissa = abs(mantissa)
    widen = precision - mantissa.bit_length()
    mantissa, exponent = mantissa << widen, exponent - widen
    low, high = (round_dyadic(mantissa + step, exponent, storage) for step in (-units, units))
    return low if low == high else None


def correctly_rounded(function: Function, bits: int, storage: Format) -> int:
    """The bits of the correctly rounded result for one input."""
    x = decode(bits, storage)
    if math.isnan(x):
        return storage.nan
    negative = math.copysign(1.0, x) < 0
    if x == 0:
        return encode(function.at_zero[negative], storage)
    if math.isinf(x):
        return encode(function.at_infinity[negative], storage)
    if negative and function.negative_is_nan:
        return storage.nan
    for threshold, sign in zip(function.thresholds(storage), (-1, 1), strict=True):
        if threshold is not None and sign * x >= sign * threshold[0]:
            return bits if threshold[1] == SAME else encode(float(threshold[1]), storage)
    precision = _FIRST_PRECISION
    while precision <= _LAST_PRECISION:
        with gmpy2.context(precision=precision):
            value = function.value(gmpy2.mpfr(x))
        if value == 0:  # log(1): the only zero; MPFR's results do not underflow here
            return 0
        # A relative error of 2**(GUARD_BITS - precision) is at most 2**GUARD_BITS units of the last place.
        rounded = decided_rounding(value, 1 << GUARD_BITS, precision, storage)
        if rounded is not None:
            return rounded | int(value < 0) << (storage.size * 8 - 1)
        precision *= 2
    raise ArithmeticError(f"{function.name}({x!r}) lies on a rounding midpoint as far as {_LAST_PRECISION} bits tell")
