"""Division, remainder, roots and rounding to integers, rounded once from integer arithmetic."""

from __future__ import annotations

import math

from exactops.verification.reference.formats import FloatFormat
from exactops.verification.reference.numbers import (
    FINITE,
    INFINITE,
    NOT_A_NUMBER,
    Number,
    encode,
    round_dyadic,
    round_ratio,
)


def float_div(form: FloatFormat, left: Number, right: Number) -> int:
    """Bits of left / right."""
    sign = left.sign ^ right.sign
    if left.kind == NOT_A_NUMBER or right.kind == NOT_A_NUMBER or (left.kind == INFINITE and right.kind == INFINITE):
        return form.quiet_nan
    if left.kind == INFINITE:
        return encode(form, Number(INFINITE, sign, 0, 0))
    if right.kind == INFINITE:
        return encode(form, Number(FINITE, sign, 0, 0))
    if right.mantissa == 0:
        return form.quiet_nan if left.mantissa == 0 else encode(form, Number(INFINITE, sign, 0, 0))
    return round_ratio(form, sign, left.mantissa, right.mantissa, left.exponent - right.exponent)


def float_mod(form: FloatFormat, left: Number, right: Number) -> int:
    """Bits of C's fmod: exact, with the sign of the dividend."""
    if left.kind or right.kind == NOT_A_NUMBER or (right.kind == FINITE and right.mantissa == 0):
        return form.quiet_nan
    if right.kind == INFINITE or left.mantissa == 0:
        return encode(form, left)
    exponent = min(left.exponent, right.exponent)
    divisor = right.mantissa << (right.exponent - exponent)
    distance = left.exponent - exponent
    rest = left.mantissa * pow(2, distance, divisor) % divisor
    return round_dyadic(form, left.sign, rest, exponent)


def float_sqrt(form: FloatFormat, x: Number) -> int:
    """Bits of the square root."""
    if x.kind == FINITE and x.mantissa == 0:
        return encode(form, x)
    if x.kind == NOT_A_NUMBER or x.sign:
        return form.quiet_nan
    if x.kind == INFINITE:
        return form.infinity
    shift = 2 * form.precision + 4
    shift += (x.exponent - shift) & 1
    scaled = x.mantissa << shift
    root = math.isqrt(scaled)
    return round_dyadic(form, 0, root << 1 | (root * root != scaled), (x.exponent - shift) // 2 - 1)


def float_rsqrt(form: FloatFormat, x: Number) -> int:
    """Bits of 1 / sqrt(x), rounded once."""
    if x.kind == FINITE and x.mantissa == 0:
        return encode(form, Number(INFINITE, x.sign, 0, 0))
    if x.kind == NOT_A_NUMBER or x.sign:
        return form.quiet_nan
    if x.kind == INFINITE:
        return 0
    mantissa, exponent = x.mantissa, x.exponent
    if exponent & 1:
        mantissa, exponent = mantissa * 2, exponent - 1
    shift = form.precision + 4 + mantissa.bit_length()
    scaled = 1 << (2 * shift)
    root = math.isqrt(scaled // mantissa)
    return round_dyadic(form, 0, root << 1 | (root * root * mantissa != scaled), -shift - exponent // 2 - 1)


def float_round(form: FloatFormat, x: Number, direction: str) -> int:
    """Bits of floor, ceil or round (half to even); the sign of zero is kept."""
    if x.kind or x.exponent >= 0:
        return encode(form, x)
    whole = x.mantissa >> -x.exponent
    rest = x.mantissa - (whole << -x.exponent)
    if direction == "round":
        half = 1 << (-x.exponent - 1)
        whole += rest > half or (rest == half and whole & 1)
    elif rest and (direction == "floor") == bool(x.sign):
        whole += 1
    return round_dyadic(form, x.sign, whole, 0)
