"""Independent references: the unique bit pattern that exact mode returns, for every operator.

Everything here is computed from bit patterns with Python integers and, for the transcendentals, with MPFR (gmpy2) in a
loop that raises the precision until the rounding is decided. NumPy only carries the bits in and out; neither its
arithmetic nor ml_dtypes' nor exactops is used.

A finite float is a dyadic number ``(-1)**sign * mantissa * 2**exponent`` held in integers, so that sums, products,
comparisons and remainders are exact; each step of an operator is rounded once by :func:`round_dyadic`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import gmpy2
import ml_dtypes
import numpy as np

FINITE, INFINITE, NOT_A_NUMBER = 0, 1, 2


class FloatFormat:
    """An IEEE binary interchange format (or bfloat16)."""

    is_float = True
    is_bool = False

    def __init__(self, name: str, bits: int, precision: int) -> None:
        self.name = name
        self.bits = bits
        self.precision = precision
        self.exponent_max = (1 << (bits - precision - 1)) - 1
        self.exponent_min = 1 - self.exponent_max
        self.mantissa_bits = precision - 1
        self.mantissa_mask = (1 << self.mantissa_bits) - 1
        self.sign_bit = 1 << (bits - 1)
        self.infinity = (self.sign_bit - 1) & ~self.mantissa_mask
        self.quiet_nan = self.infinity | (1 << (self.mantissa_bits - 1))
        self.largest = self.infinity - 1
        self.one = self.exponent_max << self.mantissa_bits
        self.quantum = self.exponent_min - self.mantissa_bits

    def __repr__(self) -> str:
        return self.name


class IntegerFormat:
    """A two's complement or unsigned integer, or bool (one byte, any non-zero byte is true)."""

    is_float = False

    def __init__(self, name: str, bits: int, signed: bool) -> None:
        self.name = name
        self.bits = bits
        self.signed = signed
        self.is_bool = name == "bool"
        self.mask = (1 << bits) - 1
        self.minimum = -(1 << (bits - 1)) if signed else 0
        self.maximum = 1 if self.is_bool else self.mask >> signed

    def __repr__(self) -> str:
        return self.name

    def decode(self, pattern: int) -> int:
        """The integer that a bit pattern stands for."""
        if self.is_bool:
            return int(pattern != 0)
        return pattern - (1 << self.bits) if self.signed and pattern >> (self.bits - 1) else pattern

    def wrap(self, value: int) -> int:
        """The bit pattern of an integer modulo 2**bits."""
        return value & self.mask

    def saturate(self, value: int) -> int:
        """The bit pattern of an integer clamped to the type's range."""
        return min(max(value, self.minimum), self.maximum) & self.mask


Format = FloatFormat | IntegerFormat

F16 = FloatFormat("f16", 16, 11)
BF16 = FloatFormat("bf16", 16, 8)
F32 = FloatFormat("f32", 32, 24)
F64 = FloatFormat("f64", 64, 53)
BOOL = IntegerFormat("bool", 8, False)
INTEGERS = tuple(
    IntegerFormat(f"{'iu'[unsigned]}{bits}", bits, not unsigned) for unsigned in (0, 1) for bits in (8, 16, 32, 64)
)

FORMATS: dict[str, Format] = {each.name: each for each in (F16, BF16, F32, F64, *INTEGERS, BOOL)}
DTYPES: dict[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bool": np.dtype(np.bool_),
    **{each.name: np.dtype(f"{'int' if each.signed else 'uint'}{each.bits}") for each in INTEGERS},
}
FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED_INTEGERS = ("i8", "i16", "i32", "i64")
UNSIGNED_INTEGERS = ("u8", "u16", "u32", "u64")
NUMERIC = FLOATS + SIGNED_INTEGERS + UNSIGNED_INTEGERS
ALL_TYPES = (*NUMERIC, "bool")


def format_of(dtype: Any) -> Format:
    """The format of a NumPy dtype (of either byte order) or of a short name such as 'f32'."""
    if isinstance(dtype, str) and dtype in FORMATS:
        return FORMATS[dtype]
    native = np.dtype(dtype).newbyteorder("=") if np.dtype(dtype).kind != "V" else np.dtype(dtype)
    for name, known in DTYPES.items():
        if native == known:
            return FORMATS[name]
    raise TypeError(f"no reference format for dtype {dtype!r}")


# --- numbers ----------------------------------------------------------------------------------------------------------


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


# --- IEEE arithmetic --------------------------------------------------------------------------------------------------


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


# --- transcendentals through MPFR ------------------------------------------------------------------------------------

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
    return -value if number.sign else value


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
    return context.div(1, context.add(1, context.exp(-value)))


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
    return context.div_2exp(context.erfc(context.div(-value, context.sqrt(gmpy2.mpfr(2)))), 1)


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


# --- powers -----------------------------------------------------------------------------------------------------------


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


# --- operators --------------------------------------------------------------------------------------------------------

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
ALIASES: dict[str, str] = {}


def declare(
    name: str,
    category: str,
    operands: tuple[int, int | None],
    attributes: tuple[str, ...] = (),
    aliases: tuple[str, ...] = (),
    fast_variants: Any = None,
) -> Callable[[Prepare], Prepare]:
    """Enters a prepare function into REFERENCES."""

    def enter(prepare: Prepare) -> Prepare:
        REFERENCES[name] = Reference(name, category, operands, prepare, attributes, fast_variants)
        for alias in aliases:
            ALIASES[alias] = name
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

    def integer(x: int, y: int) -> int:
        return truncate(base, decode(F64, float_pow(F64, number_of(base.decode(x)), decode_any(power, y))))

    return integer


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


# --- arrays -----------------------------------------------------------------------------------------------------------


def bits_of(array: np.ndarray) -> np.ndarray:
    """The array's elements as native unsigned integers of the same width, in C order (a copy)."""
    array = np.asarray(array)
    carrier = np.dtype(f"u{array.dtype.itemsize}")
    if not array.dtype.isnative:
        carrier = carrier.newbyteorder()
    flat = np.array(array, order="C", copy=True, subok=False)
    return flat.view(carrier).astype(carrier.newbyteorder("="), copy=False)


def array_of(patterns: np.ndarray | Sequence[int], dtype: Any) -> np.ndarray:
    """An array of a dtype (or short name) from bit patterns."""
    form = format_of(dtype)
    carrier = np.dtype(f"u{form.bits // 8}")
    return np.array(patterns, dtype=carrier).view(DTYPES[form.name])


_MEMORY: dict[tuple[Any, ...], dict[int, int]] = {}


def canonical_name(op: str) -> str:
    """The key of REFERENCES for any spelling: 'LessOrEqual', 'logical_not' and 'less_or_equal' all work."""
    if op in REFERENCES:
        return op
    snake = "".join("_" + letter.lower() if letter.isupper() else letter for letter in op).lstrip("_")
    snake = {"recip": "reciprocal", "sqr": "square", "gelu_erf": "gelu"}.get(snake, snake.removeprefix("logical_"))
    if snake not in REFERENCES:
        raise KeyError(f"no reference for operator {op!r}")
    return snake


def _elementwise(kernels: Sequence[Kernel], arrays: Sequence[Any], result: Format, cache_key: Any) -> list[np.ndarray]:
    present = [array for array in arrays if array is not None]
    shape = np.broadcast_shapes(*(array.shape for array in present)) if present else ()
    columns: list[Any] = []
    for array in arrays:
        if array is None:
            columns.append(None)
        elif array.size == 1:
            columns.append([int(array.reshape(-1)[0])] * math.prod(shape))
        else:
            columns.append(np.broadcast_to(array, shape).reshape(-1).tolist())
    outputs = []
    for number, kernel in enumerate(kernels):
        if len(columns) == 1:
            memory = _MEMORY.setdefault((*cache_key, number), {})
            values = []
            for pattern in columns[0]:
                value = memory.get(pattern)
                if value is None:
                    value = memory[pattern] = kernel(pattern)
                values.append(value)
            if len(memory) > 1 << 18:
                memory.clear()
        else:
            filled = [column if column is not None else [None] * math.prod(shape) for column in columns]
            values = [kernel(*row) for row in zip(*filled, strict=True)]
        outputs.append(array_of(values, result.name).reshape(shape))
    return outputs


def operand_arrays(op: str, arrays: Sequence[Any]) -> tuple[list[Any], list[Format]]:
    """Operands as arrays of bit patterns (None stays None) and their formats; Python scalars are weak."""
    strong = [each for each in arrays if each is not None and not isinstance(each, bool | int | float)]
    weak_format = format_of(np.asarray(strong[-1 if op == "where" else 0]).dtype) if strong else F64
    patterns: list[Any] = []
    formats: list[Format] = []
    for position, each in enumerate(arrays):
        if each is None:
            patterns.append(None)
            formats.append(weak_format)
        elif isinstance(each, bool | int | float):
            form = weak_format
            if op == "where" and position == 0:
                form = BOOL
            elif op == "pow" and position == 1:
                form = F64 if isinstance(each, float) else FORMATS["i64"]
            patterns.append(np.array(weak_bits(form, each), dtype=f"u{form.bits // 8}"))
            formats.append(form)
        else:
            array = np.asarray(each)
            patterns.append(bits_of(array))
            formats.append(format_of(array.dtype))
    return patterns, formats


def expected(op: str, arrays: Sequence[Any], attributes: dict[str, Any], result_dtype: Any) -> np.ndarray:
    """What exact mode returns: operands broadcast, computed one element at a time from their bits."""
    name, result = canonical_name(op), format_of(result_dtype)
    patterns, formats = operand_arrays(name, arrays)
    if name == "cast_like":
        patterns, formats = patterns[:1], formats[:1]
    kernel = REFERENCES[name].prepare(formats, result, attributes)
    key = (name, tuple(each.name for each in formats), result.name, repr(sorted(attributes.items(), key=str)))
    return _elementwise([kernel], patterns, result, key)[0]


def permitted_fast(op: str, arrays: Sequence[Any], attributes: dict[str, Any], result_dtype: Any) -> list[np.ndarray]:
    """The further values that a fused product-sum may give in fast mode (empty for operators that hold none)."""
    name, result = canonical_name(op), format_of(result_dtype)
    variants = REFERENCES[name].fast_variants
    if variants is None:
        return []
    patterns, formats = operand_arrays(name, arrays)
    key = ("fast", name, tuple(each.name for each in formats), repr(sorted(attributes.items(), key=str)))
    return _elementwise(variants(formats, result, attributes), patterns, result, key)
