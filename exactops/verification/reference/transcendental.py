"""Transcendental functions through MPFR, the precision raised until the rounding is decided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from exactops.verification.multiprecision import gmpy2
from exactops.verification.reference.formats import FloatFormat
from exactops.verification.reference.numbers import (
    FINITE,
    HALF,
    INFINITE,
    NOT_A_NUMBER,
    ONE,
    Number,
    compare,
    encode,
    round_dyadic,
)

_CONTEXTS: dict[int, Any] = {}


def mpfr_context(precision: int) -> Any:
    """An MPFR context of a precision with the widest exponent range."""
    if precision not in _CONTEXTS:
        _CONTEXTS[precision] = gmpy2.context(precision=precision, emin=gmpy2.get_emin_min(), emax=gmpy2.get_emax_max())
    return _CONTEXTS[precision]


def exact_mpfr(number: Number) -> gmpy2.mpfr:
    """A finite number as an MPFR value without rounding."""
    value = gmpy2.mpfr(gmpy2.mpz(number.mantissa), max(2, number.mantissa.bit_length()))
    exact = mpfr_context(max(64, number.mantissa.bit_length()))
    value = exact.mul_2exp(value, number.exponent) if number.exponent >= 0 else exact.div_2exp(value, -number.exponent)
    return exact.minus(value) if number.sign else value  # a bare minus would round to the current context


def correctly_rounded(form: FloatFormat, approximate: Callable[[Any], gmpy2.mpfr], error_bits: int = 1) -> int:
    """Bits of the real number that ``approximate(context)`` approaches.

    At every precision the approximation must be within 2**error_bits units of its last place. The precision is raised
    until both ends of that interval round to the same bits.
    """
    precision = form.precision + 24 + error_bits
    while True:
        value = approximate(mpfr_context(precision))
        mantissa, exponent = value.as_mantissa_exp()
        sign, mantissa, exponent = int(mantissa < 0), int(abs(mantissa)), int(exponent)
        shift = precision - mantissa.bit_length()
        mantissa, exponent = mantissa << shift, exponent - shift
        error = 1 << error_bits
        low = round_dyadic(form, sign, mantissa - error, exponent)
        if low == round_dyadic(form, sign, mantissa + error, exponent):
            return low
        precision *= 2
        if precision > 1 << 16:
            raise ArithmeticError("rounding undecided: an exact case is missing from the reference")


def magnitude_above(x: Number, bound: int) -> bool:
    """Whether a finite number's magnitude exceeds a positive integer."""
    return compare(x._replace(sign=0), Number(FINITE, 0, bound, 0)) == 1


def float_exp(form: FloatFormat, x: Number) -> int:
    if x.kind:
        return form.quiet_nan if x.kind == NOT_A_NUMBER else (0 if x.sign else form.infinity)
    if x.mantissa == 0:
        return form.one
    if magnitude_above(x, 800):
        return 0 if x.sign else form.infinity
    value = exact_mpfr(x)
    return correctly_rounded(form, lambda context: context.exp(value))


def float_log(form: FloatFormat, x: Number) -> int:
    if x.kind == FINITE and x.mantissa == 0:
        return form.infinity | form.sign_bit
    if x.kind == NOT_A_NUMBER or x.sign:
        return form.quiet_nan
    if x.kind == INFINITE:
        return form.infinity
    if compare(x, ONE) == 0:
        return 0
    value = exact_mpfr(x)
    return correctly_rounded(form, lambda context: context.log(value))


def float_odd_saturating(form: FloatFormat, x: Number, name: str) -> int:
    """tanh and erf: odd, zero at zero, one at infinity (within half an ulp of f64 from 32 on)."""
    if x.kind == NOT_A_NUMBER:
        return form.quiet_nan
    if x.kind == FINITE and x.mantissa == 0:
        return encode(form, x)
    if x.kind == INFINITE or magnitude_above(x, 32):
        return form.one | (form.sign_bit if x.sign else 0)
    value = exact_mpfr(x)
    return correctly_rounded(form, lambda context: getattr(context, name)(value))


def float_erfc(form: FloatFormat, x: Number) -> int:
    if x.kind == NOT_A_NUMBER:
        return form.quiet_nan
    if x.kind == INFINITE or magnitude_above(x, 40):
        return encode(form, Number(FINITE, 0, 2, 0)) if x.sign else 0
    if x.mantissa == 0:
        return form.one
    value = exact_mpfr(x)
    return correctly_rounded(form, lambda context: context.erfc(value))


def float_trigonometric(form: FloatFormat, x: Number, name: str) -> int:
    if x.kind:
        return form.quiet_nan
    if x.mantissa == 0:
        return encode(form, x) if name == "sin" else form.one
    value = exact_mpfr(x)
    return correctly_rounded(form, lambda context: getattr(context, name)(value))


def float_sigmoid(form: FloatFormat, x: Number) -> int:
    if x.kind == NOT_A_NUMBER:
        return form.quiet_nan
    if x.kind == INFINITE or magnitude_above(x, 800):
        return 0 if x.sign else form.one
    if x.mantissa == 0:
        return encode(form, HALF)
    value = exact_mpfr(x)
    return correctly_rounded(form, lambda context: logistic(context, value), 4)


def logistic(context: Any, value: gmpy2.mpfr) -> gmpy2.mpfr:
    """1 / (1 + exp(-value)) within a few units of the last place."""
    return context.div(1, context.add(1, context.exp(context.minus(value))))


def gated(form: FloatFormat, x: Number, bound: int, gate: Callable[[Any, Any], Any], error_bits: int) -> int:
    """x * gate(x); the gate goes from 0 at -infinity to 1 at +infinity, both within half an ulp from the bound on."""
    if x.kind == NOT_A_NUMBER:
        return form.quiet_nan
    if x.kind == FINITE and x.mantissa == 0:
        return encode(form, x)
    if x.kind == INFINITE or magnitude_above(x, bound):
        return form.sign_bit if x.sign else encode(form, x)
    value = exact_mpfr(x)
    return correctly_rounded(form, lambda context: context.mul(value, gate(context, value)), error_bits)


def normal_distribution(context: Any, value: gmpy2.mpfr) -> gmpy2.mpfr:
    """Phi(value) = erfc(-value / sqrt(2)) / 2; for |value| <= 40 the argument's rounding costs at most 2**13 ulp."""
    return context.div_2exp(context.erfc(context.div(context.minus(value), context.sqrt(gmpy2.mpfr(2)))), 1)


def tanh_gate(context: Any, value: gmpy2.mpfr) -> gmpy2.mpfr:
    """(1 + tanh(u)) / 2 = 1 / (1 + exp(-2u)) with u = sqrt(2/pi) * (value + 0.044715 * value**3)."""
    cube = context.mul(context.mul(value, value), value)
    inner = context.add(value, context.div(context.mul(cube, 44715), 1000000))
    root = context.sqrt(context.div(2, context.const_pi()))
    return logistic(context, context.mul_2exp(context.mul(root, inner), 1))


def float_silu(form: FloatFormat, x: Number) -> int:
    return gated(form, x, 800, logistic, 5)


def float_gelu(form: FloatFormat, x: Number, approximate: str) -> int:
    if approximate == "none":
        return gated(form, x, 40, normal_distribution, 20)
    if approximate == "tanh":
        return gated(form, x, 30, tanh_gate, 20)
    raise ValueError(f"approximate={approximate!r}")
