"""Division and remainder. Integer forms never trap: a zero divisor, and MIN / -1, have defined results."""

from exactops.lanes import (
    absolute,
    any_lane,
    bits,
    convert,
    copy_sign,
    from_bits,
    is_nan,
    lane_function,
    rint,
    select,
    signed,
    truncated_quotient,
    unsigned,
)
from exactops.table.formats import NUMERIC
from exactops.table.operator import BINARY, Alias, Attribute, Operator, Refusal, simple_kernel


def div_float(x, y):
    return x / y


@lane_function
def _safe_divisor(x, y):
    # 1 where the CPU would trap; -1 divides by negation instead, which wraps as MIN / -1 has to.
    return select((y == 0) | (y == -1), (y ^ y) + 1, y)


def div_signed(x, y):
    quotient = truncated_quotient(x, _safe_divisor(x, y))
    return select(y == 0, x ^ x, select(y == -1, -x, quotient))


def div_unsigned(x, y):
    quotient = truncated_quotient(x, select(y == 0, (y ^ y) + 1, y))
    return select(y == 0, x ^ x, quotient)


def fmod_signed(x, y):
    divisor = _safe_divisor(x, y)
    remainder = x - truncated_quotient(x, divisor) * divisor
    # By the safe divisor 1 the remainder is 0, which is also the answer for 0 and for -1.
    return remainder


def mod_signed(x, y):
    divisor = _safe_divisor(x, y)
    remainder = x - truncated_quotient(x, divisor) * divisor
    return select((remainder != 0) & ((remainder ^ y) < 0), remainder + y, remainder)


def mod_unsigned(x, y):
    divisor = select(y == 0, (y ^ y) + 1, y)
    return x - truncated_quotient(x, divisor) * divisor


@lane_function
def _exponent(x):
    # The biased exponent of a positive finite double; subnormals are scaled up first, so that theirs counts too (down to -51).
    tiny = x < 2.0**-1022
    field = signed(bits(select(tiny, x * 2.0**54, x)) >> 52)
    return select(tiny, field - 54, field)


@lane_function
def _power_of_two(exponent):
    # 2**exponent for exponents of -1022 to 1023.
    return from_bits(unsigned((exponent + 1023) << 52))


@lane_function
def _times_power_of_two(x, exponent):
    # x * 2**exponent for exponents of -64 to 2100, by three factors that are all in range.
    third = (exponent >> 2) + (exponent >> 4)
    factor = _power_of_two(third)
    return ((x * factor) * factor) * _power_of_two(exponent - 2 * third)


@lane_function
def _subtract_multiple(remainder, divisor, distance, active):
    """One step of long division where ``active``: the remainder less the nearest multiple of t = divisor * 2**distance.

    Given |remainder| < 2**24 t, the quotient q = rint(remainder / t) is at most 2**24. With t split at bit 27 both partial
    products are exact, and so are both differences: all are multiples of the last bit of t, and fewer than 2**53 of them (the
    first difference is q * t_low plus the new remainder, at most 2**24 * 2**27 + 2**52). The new remainder is signed.
    """
    scaled = _times_power_of_two(divisor, distance)
    high = from_bits(bits(scaled) & 0xFFFFFFFFF8000000)
    low = scaled - high
    quotient = select(active, rint(remainder / scaled), 0.0)
    return (remainder - quotient * high) - quotient * low


@lane_function
def _fmod_double(x, y):
    """C's fmod of doubles, exact: long division in steps of up to 24 quotient bits."""
    divisor = absolute(y)
    remainder = absolute(x)
    # Invalid pairs leave the loop at once, as NaN: infinite or NaN x, zero or NaN y.
    invalid = is_nan(divisor) | (divisor == 0.0) | ~(remainder < float("inf"))
    # An infinite divisor leaves x as it is; in the loop, 0 times infinity would make a NaN of it.
    idle = invalid | (divisor == float("inf"))
    divisor = select(idle, 1.0, divisor)
    remainder = select(idle, 0.0, remainder)
    exponent = _exponent(divisor)
    huge = (remainder >= 2.0**1000) & (remainder >= divisor)
    if any_lane(huge):
        # Close to overflow a product could round up to infinity: the first step is done on values scaled by 2**-64, where
        # the multiple of the divisor is still exact, as it is about as large as x.
        distance = _exponent(remainder) - exponent - 23
        distance = select(huge, select(distance > 0, distance, 0) - 64, 0)
        lowered = _subtract_multiple(select(huge, remainder * 2.0**-64, 0.0), divisor, distance, huge)
        remainder = select(huge, lowered * 2.0**64, remainder)
    active = absolute(remainder) >= divisor
    while any_lane(active):
        distance = _exponent(absolute(remainder)) - exponent - 23
        distance = select(active & (distance > 0), distance, 0)
        remainder = _subtract_multiple(remainder, divisor, distance, active)
        active = active & (absolute(remainder) >= divisor)
    remainder = select(remainder < 0.0, remainder + divisor, remainder)
    # A zero, and everything else, has the sign of the dividend.
    remainder = select(idle, x, copy_sign(remainder, x))
    return select(invalid, from_bits((bits(x) & 0) | 0x7FF8000000000000), remainder)


def fmod_single(x, y):
    # In double lanes, where float32 operands are exact and subnormals normal; a remainder needs no more bits than y has.
    return convert(_fmod_double(convert(x, "float64"), convert(y, "float64")), "float32")


def fmod_double(x, y):
    return _fmod_double(x, y)


def _mod_kernel(inputs, output, choices):
    kind = inputs[0].kind
    if kind == "f":
        if choices["fmod"] != 1:
            return Refusal("floats are served with fmod=1 only (C's fmod, the sign of the dividend)")
        return _FMOD_DOUBLE if inputs[0].short == "f64" else _FMOD_SINGLE
    if kind == "u":
        return _MOD_UNSIGNED
    return _FMOD_SIGNED if choices["fmod"] == 1 else _MOD_SIGNED


_FMOD_SINGLE, _FMOD_DOUBLE = simple_kernel(fmod_single), simple_kernel(fmod_double)
_FMOD_SIGNED, _MOD_SIGNED, _MOD_UNSIGNED = simple_kernel(fmod_signed), simple_kernel(mod_signed), simple_kernel(mod_unsigned)

_OTHER_DIVISION = "NumPy's division of integers gives floats, and is another operator; exactops.div truncates toward zero"

OPERATORS = (
    Operator(
        "div",
        "x / y, floats rounded once, integers truncated toward zero",
        "a",
        NUMERIC,
        {"f": simple_kernel(div_float), "i": simple_kernel(div_signed), "u": simple_kernel(div_unsigned)},
        BINARY,
        aliases=tuple(Alias(name, "f", _OTHER_DIVISION) for name in ("divide", "true_divide")),
        onnx="Div",
        opset=7,
        special=("integer x / 0 gives 0", "the least integer divided by -1 gives itself"),
    ),
    Operator(
        "mod",
        "the exact remainder of x / y",
        "a",
        NUMERIC,
        _mod_kernel,
        BINARY,
        aliases=(Alias("fmod", preset={"fmod": 1}), "remainder"),
        onnx="Mod",
        opset=10,
        attributes=(
            Attribute(
                "fmod",
                "choice",
                0,
                (0, 1),
                "with 0 the remainder has the sign of the divisor; with 1 that of the dividend, as C's fmod",
            ),
        ),
        special=(
            "integer x mod 0 gives 0, and so does the least integer mod -1",
            "floats: x mod 0 and inf mod y give NaN, x mod inf gives x",
            "floats need fmod=1",
        ),
    ),
)
