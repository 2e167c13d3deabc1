"""Powers, with the special cases of C, and the exact ones among them by integer arithmetic."""

from __future__ import annotations

import math

from exactops.verification.reference.formats import FloatFormat
from exactops.verification.reference.numbers import FINITE, INFINITE, NOT_A_NUMBER, ONE, Number, compare, round_dyadic
from exactops.verification.reference.transcendental import correctly_rounded, exact_mpfr, mpfr_context


def is_odd_integer(y: Number) -> bool:
    """Whether a finite number is an odd integer."""
    if y.mantissa == 0 or y.exponent > 0:
        return False
    trailing = (y.mantissa & -y.mantissa).bit_length() - 1
    return trailing == -y.exponent


def is_integer(y: Number) -> bool:
    """Whether a finite number is an integer."""
    return y.mantissa == 0 or y.exponent >= 0 or ((y.mantissa & -y.mantissa).bit_length() - 1) >= -y.exponent


def float_pow(form: FloatFormat, x: Number, y: Number) -> int:
    """Bits of x**y, correctly rounded, with the special cases of C's pow; x and y are taken exactly."""
    if y.kind == FINITE and y.mantissa == 0:
        return form.one
    one_to = compare(x._replace(sign=0), ONE) if x.kind != NOT_A_NUMBER else None
    if one_to == 0 and not x.sign:
        return form.one
    if x.kind == NOT_A_NUMBER or y.kind == NOT_A_NUMBER:
        return form.quiet_nan
    if y.kind == INFINITE:
        if one_to == 0:
            return form.one
        return form.infinity if (one_to == 1) != bool(y.sign) else 0
    sign = form.sign_bit if x.sign and is_odd_integer(y) else 0
    if x.kind == INFINITE or x.mantissa == 0:
        grows = (x.kind == INFINITE) != bool(y.sign)
        return sign | (form.infinity if grows else 0)
    if x.sign and not is_integer(y):
        return form.quiet_nan
    return sign | positive_pow(form, x._replace(sign=0), y)


def positive_pow(form: FloatFormat, x: Number, y: Number) -> int:
    """Bits of x**y for a finite x > 0 and a finite y != 0."""
    shift = (x.mantissa & -x.mantissa).bit_length() - 1
    mantissa, exponent = x.mantissa >> shift, x.exponent + shift
    if mantissa == 1 and exponent == 0:
        return form.one
    base, power = exact_mpfr(x), exact_mpfr(y)
    guide = mpfr_context(96)
    logarithm = guide.mul(power, guide.log2(base))
    if logarithm > form.exponent_max + 2:
        return form.infinity
    if logarithm < form.quantum - 2:
        return 0
    exact = exact_power(form, mantissa, exponent, y)
    if exact is not None:
        return round_dyadic(form, 0, *exact)
    return correctly_rounded(form, lambda context: context.pow(base, power))


def exact_power(form: FloatFormat, mantissa: int, exponent: int, y: Number) -> tuple[int, int] | None:
    """(mantissa * 2**exponent)**y as a dyadic number where it may be exact or a tie in the format, else None.

    The mantissa is odd. The power is dyadic only if y = k / 2**j with a perfect 2**j-th power as the base, and, for a
    negative y, the base a power of two. An odd mantissa of more than precision + 1 bits is neither exact nor a tie.
    """
    shift = (y.mantissa & -y.mantissa).bit_length() - 1
    numerator, power_exponent = y.mantissa >> shift, y.exponent + shift
    for _ in range(-power_exponent):
        root = math.isqrt(mantissa)
        if exponent & 1 or root * root != mantissa:
            return None
        mantissa, exponent = root, exponent // 2
    power = numerator << max(0, power_exponent)
    if mantissa == 1:
        return 1, exponent * (-power if y.sign else power)
    if y.sign or (mantissa.bit_length() - 1) * power > form.precision + 2:
        return None
    return mantissa**power, exponent * power
