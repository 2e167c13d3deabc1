"""Every operator of the table, computed from the bits of its operands: ``REFERENCES``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from exactops.verification.reference.arithmetic import float_div, float_mod, float_round, float_rsqrt, float_sqrt
from exactops.verification.reference.formats import F32, FloatFormat, Format, IntegerFormat
from exactops.verification.reference.numbers import (
    HALF,
    INFINITE,
    NOT_A_NUMBER,
    ONE,
    POSITIVE_ZERO,
    Number,
    canonical,
    compare,
    decode,
    encode,
    exact_product,
    exact_sum,
    negate,
    number_of,
    round_ratio,
    rounded,
    weak_bits,
)
from exactops.verification.reference.powers import float_pow, integer_pow
from exactops.verification.reference.transcendental import (
    float_erfc,
    float_exp,
    float_gelu,
    float_log,
    float_odd_saturating,
    float_sigmoid,
    float_silu,
    float_trigonometric,
)

Kernel = Callable[..., int]
Prepare = Callable[[Sequence[Format], Format, dict[str, Any]], Kernel]


@dataclass(frozen=True)
class Reference:
    """How one operator computes a result's bits from its operands' bits.

    ``prepare(formats, result, attributes)`` returns the function of one element; operands are the fewest and the most
    that it takes (None: any number), category is the semantics' class a, b, c or d.
    """

    name: str
    category: str
    operands: tuple[int, int | None]
    prepare: Prepare
    attributes: tuple[str, ...] = ()
    fast_variants: Callable[[Sequence[Format], Format, dict[str, Any]], list[Kernel]] | None = None


REFERENCES: dict[str, Reference] = {}


def declare(
    name: str,
    category: str,
    operands: tuple[int, int | None],
    attributes: tuple[str, ...] = (),
    fast_variants: Any = None,
) -> Callable[[Prepare], Prepare]:
    """Enters a prepare function into REFERENCES."""

    def enter(prepare: Prepare) -> Prepare:
        REFERENCES[name] = Reference(name, category, operands, prepare, attributes, fast_variants)
        return prepare

    return enter


def computing_format(form: FloatFormat) -> FloatFormat:
    """The type in which a class (d) composition is computed: f32 for the half types."""
    return F32 if form.bits == 16 else form


def attribute(form: FloatFormat, attributes: dict[str, Any], name: str, default: float | None = None) -> Number:
    """An attribute rounded once to a format."""
    value = attributes.get(name, default)
    if value is None:
        raise TypeError(f"attribute {name} is required")
    return decode(form, weak_bits(form, value))


def _integer_div(form: IntegerFormat, left: int, right: int) -> int:
    if right == 0:
        return 0
    quotient = abs(left) // abs(right)
    return form.wrap(-quotient if (left < 0) != (right < 0) else quotient)


def _arithmetic(name: str, exact: Callable[[Any, Any], Any], integer: Callable[[int, int], int]) -> None:
    @declare(name, "a", (2, 2))
    def prepare(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
        form = formats[0]
        if form.is_float:
            return lambda left, right: encode(form, exact(decode(form, left), decode(form, right)))
        return lambda left, right: form.wrap(integer(form.decode(left), form.decode(right)))


_arithmetic("add", exact_sum, lambda left, right: left + right)
_arithmetic("sub", lambda left, right: exact_sum(left, negate(right)), lambda left, right: left - right)
_arithmetic("mul", exact_product, lambda left, right: left * right)


@declare("div", "a", (2, 2))
def _div(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[0]
    if form.is_float:
        return lambda left, right: float_div(form, decode(form, left), decode(form, right))
    return lambda left, right: _integer_div(form, form.decode(left), form.decode(right))


@declare("mod", "a", (2, 2), ("fmod",))
def _mod(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form, c_like = formats[0], bool(attributes.get("fmod", 0))
    if form.is_float:
        if not c_like:
            raise ValueError("fmod=0 is not defined for floats")
        return lambda left, right: float_mod(form, decode(form, left), decode(form, right))

    def integer(left: int, right: int) -> int:
        dividend, divisor = form.decode(left), form.decode(right)
        if divisor == 0:
            return 0
        if not c_like:
            return form.wrap(dividend % divisor)
        rest = abs(dividend) % abs(divisor)
        return form.wrap(-rest if dividend < 0 else rest)

    return integer


def pick(form: Format, want: int, left: int, right: int) -> int:
    """The binary rule of max (want 1) and min (want -1): a NaN wins, of equals the second is returned."""
    if form.is_float:
        order = compare(decode(form, left), decode(form, right))
        return form.quiet_nan if order is None else (left if order == want else right)
    first, second = form.decode(left), form.decode(right)
    return left if (first > second if want > 0 else first < second) else right


def _extreme(name: str, want: int) -> None:
    @declare(name, "b", (1, None))
    def prepare(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
        form = formats[0]

        def fold(first: int, *others: int) -> int:
            for other in others:
                first = pick(form, want, first, other)
            return canonical(form, first) if form.is_float else first

        return fold


_extreme("max", 1)
_extreme("min", -1)


def _fold_add(form: FloatFormat, patterns: Sequence[int]) -> int:
    total = canonical(form, patterns[0])
    for pattern in patterns[1:]:
        total = encode(form, exact_sum(decode(form, total), decode(form, pattern)))
    return total


@declare("sum", "d", (1, None))
def _sum(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    return lambda *patterns: _fold_add(formats[0], patterns)


@declare("mean", "d", (1, None))
def _mean(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form, count = formats[0], number_of(len(formats))
    return lambda *patterns: float_div(form, decode(form, _fold_add(form, patterns)), count)


@declare("neg", "b", (1, 1))
def _neg(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[0]
    if form.is_float:
        return lambda x: canonical(form, x ^ form.sign_bit)
    if not form.signed:
        raise ValueError("neg of an unsigned type")
    return lambda x: form.wrap(-x)


@declare("abs", "b", (1, 1))
def _abs(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[0]
    if form.is_float:
        return lambda x: canonical(form, x & ~form.sign_bit)
    return lambda x: form.wrap(abs(form.decode(x)))


@declare("sign", "b", (1, 1), ("nan",))
def _sign(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form, zero_for_nan = formats[0], attributes.get("nan") == "zero"

    def floating(x: int) -> int:
        magnitude = x & (form.sign_bit - 1)
        if magnitude > form.infinity:
            return 0 if zero_for_nan else form.quiet_nan
        return (x & form.sign_bit | form.one) if magnitude else 0

    def integer(x: int) -> int:
        value = form.decode(x)
        return form.wrap((value > 0) - (value < 0))

    return floating if form.is_float else integer


def _unary(name: str, category: str, function: Callable[[FloatFormat, Number], int]) -> None:
    @declare(name, category, (1, 1))
    def prepare(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
        form = formats[0]
        return lambda x: function(form, decode(form, x))


_unary("reciprocal", "a", lambda form, x: float_div(form, ONE, x))
_unary("sqrt", "a", float_sqrt)
_unary("rsqrt", "c", float_rsqrt)
_unary("floor", "a", lambda form, x: float_round(form, x, "floor"))
_unary("ceil", "a", lambda form, x: float_round(form, x, "ceil"))
_unary("round", "a", lambda form, x: float_round(form, x, "round"))
_unary("exp", "c", float_exp)
_unary("log", "c", float_log)
_unary("tanh", "c", lambda form, x: float_odd_saturating(form, x, "tanh"))
_unary("erf", "c", lambda form, x: float_odd_saturating(form, x, "erf"))
_unary("erfc", "c", float_erfc)
_unary("sin", "c", lambda form, x: float_trigonometric(form, x, "sin"))
_unary("cos", "c", lambda form, x: float_trigonometric(form, x, "cos"))
_unary("sigmoid", "c", float_sigmoid)
_unary("silu", "c", float_silu)


@declare("square", "a", (1, 1))
def _square(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    multiply = REFERENCES["mul"].prepare([*formats, *formats], result, {})
    return lambda x: multiply(x, x)


@declare("gelu", "c", (1, 1), ("approximate",))
def _gelu(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form, approximate = formats[0], attributes.get("approximate", "none")
    return lambda x: float_gelu(form, decode(form, x), approximate)


@declare("gelu_tanh", "c", (1, 1))
def _gelu_tanh(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    return lambda x: float_gelu(formats[0], decode(formats[0], x), "tanh")


def _clamping(name: str, bounds: tuple[str, ...], finite: bool) -> None:
    """min(max(x, low), high) by the rules of max and min; operands or attributes give the bounds."""

    @declare(name, "b", (1, 1 + len(bounds)), bounds)
    def prepare(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
        form = formats[0]
        if form.is_float and finite:
            defaults: dict[str, int | None] = {"min": form.largest | form.sign_bit, "max": form.largest}
        else:
            defaults = {"min": None, "max": None}
        given = [weak_bits(form, attributes[each]) if attributes.get(each) is not None else defaults[each] for each in bounds]

        def clamp(x: int, *operands: int | None) -> int:
            for position, bound in enumerate(bounds):
                limit = operands[position] if position < len(operands) else None
                limit = given[position] if limit is None else limit
                if limit is not None:
                    x = pick(form, 1 if bound == "min" else -1, x, limit)
            return canonical(form, x) if form.is_float else x

        return clamp


_clamping("clip", ("min", "max"), True)
_clamping("clamp", ("min", "max"), False)
_clamping("clamp_min", ("min",), False)
_clamping("clamp_max", ("max",), False)


def _scaled_add_fused(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> list[Kernel]:
    """What fast mode may return: one product fused into the sum; halves may do so in f32."""
    form = formats[0]
    alpha, beta = attribute(form, attributes, "alpha"), attribute(form, attributes, "beta")
    wide = computing_format(form)

    def fused(left: int, right: int, first: bool, between: FloatFormat) -> int:
        products = [exact_product(decode(form, left), alpha), exact_product(decode(form, right), beta)]
        products[first] = rounded(form, products[first])
        return encode(form, rounded(between, exact_sum(*products)))

    kernels: list[Kernel] = []
    for first in (False, True):
        for between in {form, wide}:
            kernels.append(lambda left, right, first=first, between=between: fused(left, right, first, between))
    return kernels


@declare("scaled_add", "d", (2, 2), ("alpha", "beta"), fast_variants=_scaled_add_fused)
def _scaled_add(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[0]
    alpha, beta = attribute(form, attributes, "alpha"), attribute(form, attributes, "beta")

    def scaled(left: int, right: int) -> int:
        first = rounded(form, exact_product(decode(form, left), alpha))
        second = rounded(form, exact_product(decode(form, right), beta))
        return encode(form, exact_sum(first, second))

    return scaled


@declare("powi", "c", (1, 1), ("exp",))
def _powi(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form, exponent = formats[0], number_of(int(attributes["exp"]))
    return lambda x: float_pow(form, decode(form, x), exponent)


@declare("powi_backward", "c", (2, 2), ("exp",))
def _powi_backward(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form, power = formats[0], int(attributes["exp"])
    factor = rounded(form, number_of(power))
    lowered = number_of(power - 1)

    def backward(x: int, upstream: int) -> int:
        if power == 0:
            return 0
        scaled = rounded(form, exact_product(decode(form, upstream), factor))
        return encode(form, exact_product(scaled, decode(form, float_pow(form, decode(form, x), lowered))))

    return backward


def decode_any(form: Format, pattern: int) -> Number:
    """The exact number of a pattern of any type."""
    return decode(form, pattern) if form.is_float else number_of(form.decode(pattern))


def truncate(form: IntegerFormat, number: Number) -> int:
    """Bits of a float truncated toward zero and saturated; NaN gives 0."""
    if number.kind == NOT_A_NUMBER:
        return 0
    if number.kind == INFINITE:
        return form.wrap(form.minimum if number.sign else form.maximum)
    shift = number.exponent
    magnitude = number.mantissa << shift if shift >= 0 else number.mantissa >> -shift
    return form.saturate(-magnitude if number.sign else magnitude)


@declare("pow", "c", (2, 2))
def _pow(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    base, power = formats[0], formats[1]
    if base.is_float:
        return lambda x, y: float_pow(base, decode(base, x), decode_any(power, y))
    return lambda x, y: integer_pow(base, base.decode(x), decode_any(power, y))


# --- activations of class (d) -----------------------------------------------------------------------------------------


@declare("relu", "d", (1, 1))
def _relu(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[0]

    def relu(x: int) -> int:
        order = compare(decode(form, x), POSITIVE_ZERO)
        return form.quiet_nan if order is None else (x if order > 0 else 0)

    return relu


@declare("step", "d", (1, 1))
def _step(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[0]
    return lambda x: form.one if compare(decode(form, x), POSITIVE_ZERO) == 1 else 0


@declare("leaky_relu", "d", (1, 1), ("alpha",))
def _leaky_relu(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[0]
    wide = computing_format(form)
    alpha = attribute(wide, attributes, "alpha", 0.01)

    def leaky(x: int) -> int:
        number = decode(form, x)
        if compare(number, POSITIVE_ZERO) == -1:
            return encode(form, rounded(wide, exact_product(alpha, number)))
        return encode(form, number)

    return leaky


def _unit_clamp(form: FloatFormat, pattern: int) -> int:
    return pick(form, -1, pick(form, 1, pattern, 0), form.one)


def _hard(formats: Sequence[Format], alpha: Number, beta: Number, fused: bool, swish: bool) -> Kernel:
    form = formats[0]
    wide = computing_format(form)

    def hard(x: int) -> int:
        number = decode(form, x)
        product = exact_product(number, alpha)
        clamped = _unit_clamp(wide, encode(wide, exact_sum(product if fused else rounded(wide, product), beta)))
        gate = decode(wide, clamped)
        return encode(form, rounded(wide, exact_product(number, gate)) if swish else gate)

    return hard


def _hard_sigmoid_kernel(formats: Sequence[Format], attributes: dict[str, Any], fused: bool) -> Kernel:
    wide = computing_format(formats[0])
    return _hard(formats, attribute(wide, attributes, "alpha", 0.2), attribute(wide, attributes, "beta", 0.5), fused, False)


def _hard_swish_kernel(formats: Sequence[Format], attributes: dict[str, Any], fused: bool) -> Kernel:
    sixth = decode(computing_format(formats[0]), round_ratio(computing_format(formats[0]), 0, 1, 6))
    return _hard(formats, sixth, HALF, fused, True)


@declare(
    "hard_sigmoid",
    "d",
    (1, 1),
    ("alpha", "beta"),
    fast_variants=lambda formats, result, attributes: [_hard_sigmoid_kernel(formats, attributes, True)],
)
def _hard_sigmoid(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    return _hard_sigmoid_kernel(formats, attributes, False)


@declare(
    "hard_swish",
    "d",
    (1, 1),
    fast_variants=lambda formats, result, attributes: [_hard_swish_kernel(formats, attributes, True)],
)
def _hard_swish(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    return _hard_swish_kernel(formats, attributes, False)


# --- comparison, logic, selection, casts ------------------------------------------------------------------------------


def _comparison(name: str, accepted: tuple[int, ...]) -> None:
    @declare(name, "b", (2, 2))
    def prepare(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
        form = formats[0]
        if form.is_float:
            return lambda left, right: int(compare(decode(form, left), decode(form, right)) in accepted)

        def integer(left: int, right: int) -> int:
            first, second = form.decode(left), form.decode(right)
            return int((first > second) - (first < second) in accepted)

        return integer


_comparison("equal", (0,))
_comparison("less", (-1,))
_comparison("greater", (1,))
_comparison("less_or_equal", (-1, 0))
_comparison("greater_or_equal", (1, 0))


def _logic(name: str, operands: int, function: Callable[..., bool]) -> None:
    @declare(name, "b", (operands, operands))
    def prepare(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
        return lambda *patterns: int(function(*(pattern != 0 for pattern in patterns)))


_logic("not", 1, lambda x: not x)
_logic("and", 2, lambda left, right: left and right)
_logic("or", 2, lambda left, right: left or right)
_logic("xor", 2, lambda left, right: left != right)


@declare("where", "b", (3, 3))
def _where(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    form = formats[1]
    if form.is_float:
        return lambda condition, left, right: canonical(form, left if condition else right)
    if form.is_bool:
        return lambda condition, left, right: int((left if condition else right) != 0)
    return lambda condition, left, right: left if condition else right


def _prepare_cast(formats: Sequence[Format], result: Format, attributes: dict[str, Any]) -> Kernel:
    source = formats[0]
    if result.is_bool:
        if source.is_float:
            return lambda x: int(x & (source.sign_bit - 1) != 0)
        return lambda x: int(x != 0)
    if source.is_float:
        if result.is_float:
            return lambda x: encode(result, decode(source, x))
        return lambda x: truncate(result, decode(source, x))
    if result.is_float:
        return lambda x: encode(result, number_of(source.decode(x)))
    return lambda x: result.wrap(source.decode(x))


declare("cast", "b", (1, 1), ("to", "saturate", "round_mode"))(_prepare_cast)
declare("cast_like", "b", (2, 2), ("saturate", "round_mode"))(_prepare_cast)
