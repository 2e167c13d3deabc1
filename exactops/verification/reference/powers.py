"""Powers, with the special cases of C, and the exact ones among them, and those of integers, by integer arithmetic."""

from __future__ import annotations

import math
import operator

from exactops.verification.multiprecision import gmpy2
from exactops.verification.reference.formats import FloatFormat, IntegerFormat
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


def integer_pow(form: IntegerFormat, x: int, y: Number) -> int:
    """Bits of x**y for an integer base: the real value truncated toward zero and saturated, 0 where there is none."""
    if x == 1 or (y.kind == FINITE and y.mantissa == 0):
        return 1
    if y.kind == NOT_A_NUMBER:
        return 0
    if y.kind == INFINITE:
        return 1 if x == -1 else form.maximum if (x != 0) != bool(y.sign) else 0
    if x == 0:
        return form.maximum if y.sign else 0
    if not is_integer(y):
        return 0 if x < 0 or y.sign else form.saturate(floor_of_power(x, y))
    if y.sign and abs(x) > 1:
        return 0
    whole = y.mantissa << y.exponent if y.exponent >= 0 else y.mantissa >> -y.exponent
    # No type holds the 64th power of 2.
    magnitude = abs(x) ** min(whole, 64)
    return form.saturate(-magnitude if x < 0 and is_odd_integer(y) else magnitude)


def floor_of_power(x: int, y: Number) -> int:
    """The integer part of x**y for x >= 2 and a finite y > 0 that is not an integer; at least 2**64 where it is that large."""
    trailing = (y.mantissa & -y.mantissa).bit_length() - 1
    numerator, denominator_exponent = y.mantissa >> trailing, -(y.exponent + trailing)
    while denominator_exponent and math.isqrt(x) ** 2 == x:
        x, denominator_exponent = math.isqrt(x), denominator_exponent - 1
    if not denominator_exponent:
        return x ** min(numerator, 64)
    exponent = exact_mpfr(Number(FINITE, 0, numerator, -denominator_exponent))
    if exponent > 64:
        return 1 << 64
    # Irrational: at some precision both bounds lie between the same two integers.
    precision = 96
    while True:
        low, high = (
            operator.floordiv(*gmpy2.context(precision=precision, round=mode).pow(gmpy2.mpz(x), exponent).as_integer_ratio())
            for mode in (gmpy2.RoundDown, gmpy2.RoundUp)
        )
        if low == high:
            return int(low)
        precision *= 2
