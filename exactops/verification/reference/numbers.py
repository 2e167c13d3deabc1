"""Exact numbers in integers: decoding, the one rounding, sums, products and order."""

from __future__ import annotations

import struct
from typing import NamedTuple

from exactops.verification.reference.formats import F64, FloatFormat, Format

FINITE, INFINITE, NOT_A_NUMBER = 0, 1, 2


class Number(NamedTuple):
    """A decoded float: kind, sign (0 or 1), and for finite ones mantissa * 2**exponent (a zero has mantissa 0)."""

    kind: int
    sign: int
    mantissa: int
    exponent: int


NAN = Number(NOT_A_NUMBER, 0, 0, 0)
POSITIVE_INFINITY = Number(INFINITE, 0, 0, 0)
NEGATIVE_INFINITY = Number(INFINITE, 1, 0, 0)
POSITIVE_ZERO = Number(FINITE, 0, 0, 0)
NEGATIVE_ZERO = Number(FINITE, 1, 0, 0)
ONE = Number(FINITE, 0, 1, 0)
HALF = Number(FINITE, 0, 1, -1)


def decode(form: FloatFormat, pattern: int) -> Number:
    """The number that a float's bit pattern stands for."""
    sign = 1 if pattern & form.sign_bit else 0
    magnitude = pattern & (form.sign_bit - 1)
    if magnitude >= form.infinity:
        return NAN if magnitude > form.infinity else (NEGATIVE_INFINITY if sign else POSITIVE_INFINITY)
    biased = magnitude >> form.mantissa_bits
    if biased == 0:
        return Number(FINITE, sign, magnitude, form.quantum if magnitude else 0)
    mantissa = (magnitude & form.mantissa_mask) | (1 << form.mantissa_bits)
    return Number(FINITE, sign, mantissa, form.quantum + biased - 1)


def round_dyadic(form: FloatFormat, sign: int, mantissa: int, exponent: int) -> int:
    """Bits of (-1)**sign * mantissa * 2**exponent, rounded once to nearest even; subnormals and overflow included."""
    signed = form.sign_bit if sign else 0
    length = mantissa.bit_length()
    if length == 0:
        return signed
    quantum = max(exponent + length - form.precision, form.quantum)
    shift = quantum - exponent
    if shift <= 0:
        rounded = mantissa << -shift
    elif shift > length:
        rounded = 0  # below half of the last place
    else:
        rounded = mantissa >> shift
        rest = mantissa - (rounded << shift)
        half = 1 << (shift - 1)
        if rest > half or (rest == half and rounded & 1):
            rounded += 1
    # A normal number's hidden bit adds one to the exponent field; a carry out of the mantissa does the same.
    magnitude = ((quantum - form.quantum) << form.mantissa_bits) + rounded
    return signed | int(min(magnitude, form.infinity))


def encode(form: FloatFormat, number: Number) -> int:
    """Bits of a number in a format, rounded once; every NaN is the canonical one."""
    if number.kind == FINITE:
        return round_dyadic(form, number.sign, number.mantissa, number.exponent)
    if number.kind == INFINITE:
        return form.infinity | (form.sign_bit if number.sign else 0)
    return form.quiet_nan


def rounded(form: FloatFormat, number: Number) -> Number:
    """A number after one rounding to a format."""
    return decode(form, encode(form, number))


def round_ratio(form: FloatFormat, sign: int, numerator: int, denominator: int, exponent: int = 0) -> int:
    """Bits of (-1)**sign * numerator / denominator * 2**exponent, rounded once."""
    extra = max(0, form.precision + 3 + denominator.bit_length() - numerator.bit_length())
    quotient, rest = divmod(numerator << extra, denominator)
    return round_dyadic(form, sign, quotient << 1 | (rest != 0), exponent - extra - 1)


def canonical(form: FloatFormat, pattern: int) -> int:
    """The same bits, except that a NaN becomes the canonical one."""
    return form.quiet_nan if pattern & (form.sign_bit - 1) > form.infinity else pattern


def number_of(value: float) -> Number:
    """The exact number of a Python float or int."""
    if isinstance(value, float):
        return decode(F64, struct.unpack("<Q", struct.pack("<d", value))[0])
    return Number(FINITE, int(value < 0), abs(int(value)), 0)


def weak_bits(form: Format, value: float) -> int:
    """Bits of a Python scalar in a format, converted exactly and rounded once (integers must fit)."""
    if form.is_float:
        return encode(form, number_of(value))
    if isinstance(value, float):
        raise TypeError(f"a Python float with an array of {form.name}")
    if not form.minimum <= int(value) <= form.maximum:
        raise OverflowError(f"{value} does not fit {form.name}")
    return form.wrap(int(value))


def negate(number: Number) -> Number:
    """The number with its sign flipped."""
    return number if number.kind == NOT_A_NUMBER else number._replace(sign=1 - number.sign)


def exact_sum(left: Number, right: Number) -> Number:
    """left + right without rounding (the exact zero of a sum of opposites is +0)."""
    if left.kind or right.kind:
        if left.kind == NOT_A_NUMBER or right.kind == NOT_A_NUMBER:
            return NAN
        if left.kind and right.kind:
            return left if left.sign == right.sign else NAN
        return left if left.kind else right
    exponent = min(left.exponent, right.exponent)
    total = (-left.mantissa if left.sign else left.mantissa) << (left.exponent - exponent)
    total += (-right.mantissa if right.sign else right.mantissa) << (right.exponent - exponent)
    if total == 0:
        return NEGATIVE_ZERO if left.sign and right.sign else POSITIVE_ZERO
    return Number(FINITE, int(total < 0), abs(total), exponent)


def exact_product(left: Number, right: Number) -> Number:
    """left * right without rounding."""
    sign = left.sign ^ right.sign
    if left.kind or right.kind:
        if left.kind == NOT_A_NUMBER or right.kind == NOT_A_NUMBER:
            return NAN
        if (left.kind == FINITE and left.mantissa == 0) or (right.kind == FINITE and right.mantissa == 0):
            return NAN
        return NEGATIVE_INFINITY if sign else POSITIVE_INFINITY
    return Number(FINITE, sign, left.mantissa * right.mantissa, left.exponent + right.exponent)


def compare(left: Number, right: Number) -> int | None:
    """-1, 0 or 1; None when one is a NaN."""
    if left.kind == NOT_A_NUMBER or right.kind == NOT_A_NUMBER:
        return None
    if left.kind or right.kind:
        first = (1 - 2 * left.sign) if left.kind else 0
        second = (1 - 2 * right.sign) if right.kind else 0
        return (first > second) - (first < second)
    exponent = min(left.exponent, right.exponent)
    first = (-left.mantissa if left.sign else left.mantissa) << (left.exponent - exponent)
    second = (-right.mantissa if right.sign else right.mantissa) << (right.exponent - exponent)
    return (first > second) - (first < second)
