"""pow, powi and powi_backward."""

from exactops.lanes import (
    Lanes,
    absolute,
    all_lanes,
    any_lane,
    bits,
    convert,
    copy_sign,
    floor,
    from_half,
    is_nan,
    lane_function,
    rint,
    select,
    signed,
    to_half,
)
from exactops.lanes.portable import bfloat16_to_single, double_to_single_odd, single_to_bfloat16
from exactops.numerics.power import (
    logarithm_of_double,
    logarithm_of_single,
    power_accurate,
    power_of_two_quick,
)
from exactops.numerics.power_fast import head_of, power_fast_of
from exactops.numerics.quick import BFLOAT16_LACKS, BINARY16_LACKS, BINARY32_LACKS, near_tie
from exactops.numerics.rounding import fast_two_sum, round_to_odd
from exactops.table.formats import FLOATS_TO_32_BITS, FORMATS, INTEGERS, NUMERIC
from exactops.table.operator import Attribute, Kernel, Operand, Operator

INFINITY = float("inf")
NOT_A_NUMBER = float("nan")
#: The quick path is good to 2**-41: y * log2(x), below 2**7, has a relative error of 2**-48.
QUICK_ERROR = 1 << 12
#: A result this near to a number of few bits is that number, where it can be one at all: the accurate path is good to 2**-90.
SNAP = 2.0**-86
#: Where normal results begin.
LEAST_SINGLE = -126.0
LEAST_HALF = -14.0


@lane_function
def is_whole(y: Lanes):
    """Mask of the float lanes that are whole numbers, infinities included."""
    return rint(y) == y


@lane_function
def is_odd(y: Lanes):
    """Mask of the float lanes that are odd whole numbers."""
    half = y * 0.5
    return (rint(y) == y) & (rint(half) != half)


@lane_function
def with_special_cases(power: Lanes, limit: Lanes, x: Lanes, y: Lanes, odd: Lanes, whole: Lanes):
    """C's special cases of pow(x, y) around ``power``: |x|**y, except in the lanes ``limit``, where that is 0 or infinity."""
    magnitude = absolute(x)
    growth = select(magnitude < 1.0, 0.0 - y, y)
    power = select(limit, 0.0, power)
    power = select(limit & (growth > 0.0), INFINITY, power)
    power = select(magnitude == 1.0, 1.0, power)
    power = select(odd, copy_sign(power, x), absolute(power))
    undefined = (x < 0.0) & (x > -INFINITY) & ~whole
    power = select(undefined | is_nan(x) | is_nan(y), NOT_A_NUMBER, power)
    return select((y == 0.0) | (x == 1.0), 1.0, power)


@lane_function
def float_power_finish(power: Lanes, near: Lanes, p: Lanes, x: Lanes, y: Lanes, odd: Lanes, whole: Lanes, least: float):
    """The wide value of x**y from the quick |x|**y and its logarithm p: signs, limits, the accurate path where needed.

    x**y can be a tie or exactly representable only where x is a power of two, which the accurate path computes without error,
    or where 8 * y is whole: a number of up to 25 bits is at most a 15th power, and a float32 at most an eighth.
    """
    x = convert(x, "float64")
    magnitude = absolute(x)
    # Beyond 2**200 every format has overflowed or reached zero. For subnormal x, p is off, by a sixth at most.
    ordinary = (magnitude > 0.0) & (magnitude < INFINITY) & (absolute(p) < 200.0)
    close = ordinary & (near | ~((p > least) & (p < 126.0)) | (magnitude < 2.0**-126))
    # First the common reason to be here: an ordinary negative base.
    signs = select(x < 0.0, select(whole, select(odd, 0.0 - power, power), NOT_A_NUMBER), power)
    if any_lane(close | ~ordinary):
        if any_lane(close):
            exponent = select(close, y, 1.0)
            high, low = power_accurate(select(close, magnitude, 1.0), exponent)
            snapped = is_whole(8.0 * exponent) & (absolute(low) < SNAP * high)
            power = select(close, round_to_odd(high, select(snapped, 0.0, low)), power)
        signs = with_special_cases(power, ~ordinary, x, y, odd, whole)
    return signs


@lane_function
def float_power_quick(x: Lanes, y: Lanes, lacking: int, least: float):
    """|x|**y in double, its logarithm, and two masks: too near a rounding boundary, and to be looked at again at all."""
    p = y * logarithm_of_single(signed(bits(x)) & 0x7FFFFFFF)
    power = power_of_two_quick(p)
    near = near_tie(power, QUICK_ERROR, lacking)
    settled = (p > least) & (p < 126.0) & (bits(x) - 0x00800000 < 0x7F000000)
    return power, p, near, near | ~settled


@lane_function
def power_to_float(x: Lanes, exponent: Lanes, lacking: int, least: float):
    """x**exponent for float32 x and a float exponent of any width: wide value."""
    y = convert(exponent, "float64")
    power, p, near, rare = float_power_quick(x, y, lacking, least)
    if any_lane(rare):
        power = float_power_finish(power, near, p, x, y, is_odd(y), is_whole(y), least)
    return power


@lane_function
def power_to_whole(x: Lanes, exponent: Lanes, lacking: int, least: float):
    """x**exponent for float32 x and an integer exponent: wide value.

    Beyond 2**53 the conversion of the exponent may round, but then the result is 0, 1 or infinite either way; only its parity
    matters, and that is read from the integer.
    """
    y = convert(exponent, "float64")
    power, p, near, rare = float_power_quick(x, y, lacking, least)
    if any_lane(rare):
        power = float_power_finish(power, near, p, x, y, (exponent & 1) != 0, exponent == exponent, least)
    return power


def pow_f32(x, y):
    return power_to_float(x, y, BINARY32_LACKS, LEAST_SINGLE)


def pow_f16(x, y):
    return power_to_float(x, y, BINARY16_LACKS, LEAST_HALF)


def pow_bf16(x, y):
    return power_to_float(x, y, BFLOAT16_LACKS, LEAST_SINGLE)


def whole_pow_f32(x, y):
    return power_to_whole(x, y, BINARY32_LACKS, LEAST_SINGLE)


def whole_pow_f16(x, y):
    return power_to_whole(x, y, BINARY16_LACKS, LEAST_HALF)


def whole_pow_bf16(x, y):
    return power_to_whole(x, y, BFLOAT16_LACKS, LEAST_SINGLE)


@lane_function
def power_to_scalar(x: Lanes, exponent: Lanes, lacking: int, least: float):
    """As :func:`power_to_whole` for one exponent in all lanes: a square is exact in double."""
    if all_lanes(exponent == 2):
        wide = convert(x, "float64")
        power = wide * wide
    else:
        power = power_to_whole(x, exponent, lacking, least)
    return power


def powi_f32(x, exponent):
    return power_to_scalar(x, exponent, BINARY32_LACKS, LEAST_SINGLE)


def powi_f16(x, exponent):
    return power_to_scalar(x, exponent, BINARY16_LACKS, LEAST_HALF)


def powi_bf16(x, exponent):
    return power_to_scalar(x, exponent, BFLOAT16_LACKS, LEAST_SINGLE)


@lane_function
def float_power_fast(x: Lanes, y: Lanes, head: Lanes, rest: Lanes):
    """|x|**(head + rest) as float32 lanes, and the mask where it does not hold: x or the result not normal, or x negative."""
    power, logarithm = power_fast_of(signed(bits(x)), y, head, rest)
    return power, ~(absolute(logarithm) < 125.5) | (bits(x) - 0x00800000 >= 0x7F000000)


@lane_function
def wide_power_fast(x: Lanes, y: Lanes):
    """The same for an exponent in float64 lanes."""
    nearest = convert(y, "float32")
    head = head_of(nearest)
    return float_power_fast(x, nearest, head, convert(y - convert(head, "float64"), "float32"))


@lane_function
def float_power_fast_finish(x: Lanes, y: Lanes, odd: Lanes, whole: Lanes, narrow: bool):
    """x**y in float32 lanes for every operand, to well below 1 ulp before the rounding; ``narrow``: rounded to odd.

    A half type is rounded once more: at its overflow threshold, which is a tie, the first rounding must not decide.
    """
    x = convert(x, "float64")
    magnitude = absolute(x)
    limit = ~((magnitude > 0.0) & (magnitude < INFINITY) & (absolute(y) < INFINITY))
    p = select(limit, 0.0, y) * logarithm_of_double(select(limit, 1.0, magnitude))
    p = select(p > 200.0, 200.0, p)
    p = select(p < -200.0, -200.0, p)
    wide = with_special_cases(power_of_two_quick(p), limit, x, y, odd, whole)
    return double_to_single_odd(wide) if narrow else convert(wide, "float32")


@lane_function
def power_fast_to_float(x: Lanes, exponent: Lanes, narrow: bool):
    """x**exponent for float32 exponents."""
    head = head_of(exponent)
    power, rare = float_power_fast(x, exponent, head, exponent - head)
    if any_lane(rare):
        y = convert(exponent, "float64")
        power = select(rare, float_power_fast_finish(x, y, is_odd(y), is_whole(y), narrow), power)
    return power


@lane_function
def power_fast_to_double(x: Lanes, y: Lanes, narrow: bool):
    """x**y for float64 exponents."""
    power, rare = wide_power_fast(x, y)
    if any_lane(rare):
        power = select(rare, float_power_fast_finish(x, y, is_odd(y), is_whole(y), narrow), power)
    return power


@lane_function
def power_fast_to_whole(x: Lanes, exponent: Lanes, narrow: bool):
    """x**exponent for integer exponents."""
    y = convert(exponent, "float64")
    power, rare = wide_power_fast(x, y)
    if any_lane(rare):
        power = select(rare, float_power_fast_finish(x, y, (exponent & 1) != 0, exponent == exponent, narrow), power)
    return power


@lane_function
def power_fast_to_scalar(x: Lanes, exponent: Lanes, narrow: bool):
    """As :func:`power_fast_to_whole` for one exponent in all lanes."""
    return x * x if all_lanes(exponent == 2) else power_fast_to_whole(x, exponent, narrow)


def pow_fast(x, y):
    return power_fast_to_float(x, y, False)


def pow_fast_narrow(x, y):
    return power_fast_to_float(x, y, True)


def pow_double_fast(x, y):
    return power_fast_to_double(x, y, False)


def pow_double_fast_narrow(x, y):
    return power_fast_to_double(x, y, True)


def whole_pow_fast(x, y):
    return power_fast_to_whole(x, y, False)


def whole_pow_fast_narrow(x, y):
    return power_fast_to_whole(x, y, True)


def powi_fast(x, exponent):
    return power_fast_to_scalar(x, exponent, False)


def powi_fast_narrow(x, exponent):
    return power_fast_to_scalar(x, exponent, True)


# --- integer bases ------------------------------------------------------------------------------------------------------


@lane_function
def integer_power(x: Lanes, x_low: Lanes, y: Lanes, odd: Lanes, whole: Lanes):
    """(x + x_low)**y rounded to double as a whole number, for integers and any y, in float64 lanes; NaN, infinities included.

    The integer is x + x_low exactly: beyond 2**53 it takes two doubles. Such a base has exponents of at most 64/53 before every
    type saturates, so its low part is the factor 1 + y * x_low / x, to within 2**-105.

    The quick path decides the integer part where that is below 2**40 and, for a broken exponent, not within 2**-42 of a whole
    number; beyond 2**66 every type saturates. A whole exponent has a whole result or one of at most 1/2: the floor of 1/4
    more is right. In between, the accurate path decides the rounding to double: a result that can be whole at all (32 * y is
    whole, since a 64-bit number is at most a 40th power) is put on the whole number beside it, and then ties are exact.
    """
    magnitude = absolute(x)
    p = y * logarithm_of_double(magnitude)
    power = power_of_two_quick(p)
    settled = (p > -900.0) & ((p < 40.0) | ((p > 66.0) & (p < 900.0)))
    broken = ~whole & (absolute(power - rint(power)) <= power * 2.0**-42)
    power = floor(select(whole, power + 0.25, power))
    rare = ~settled | broken | (x <= 0.0)
    if any_lane(rare):
        # Beyond 2**900 every type has saturated, and the other way the result is 0; a NaN is not ordinary either.
        ordinary = (magnitude > 0.0) & (absolute(p) < 900.0)
        close = ordinary & (~settled | broken)
        if any_lane(close):
            exponent = select(close, y, 1.0)
            high, low = power_accurate(select(close, magnitude, 1.0), exponent)
            relative = select(close, x_low / x, 0.0)
            high, low = fast_two_sum(high, low + high * (exponent * relative))
            nearest = rint(low)
            snapped = is_whole(32.0 * exponent) & (absolute(low - nearest) < SNAP * high)
            high, low = fast_two_sum(high, select(snapped, nearest, low))
            power = select(close, high, power)
        power = select(rare, with_special_cases(power, ~ordinary, x, y, odd, whole), power)
    return power


def _integer_kernel(element, whole_exponent):
    """The kernel for integer bases of one element type."""

    if element.endswith("64"):

        @lane_function
        def doubles_of(x):
            upper = convert(x >> 32, "float64") * 2.0**32
            return fast_two_sum(upper, convert(x & 0xFFFFFFFF, "float64"))

    else:

        @lane_function
        def doubles_of(x):
            whole = convert(x, "float64")
            return whole, whole * 0.0

    def pow_integer_to_whole(x, exponent):
        y = convert(exponent, "float64")
        base, base_low = doubles_of(x)
        return convert(integer_power(base, base_low, y, (exponent & 1) != 0, exponent == exponent), element)

    def pow_integer_to_float(x, exponent):
        y = convert(exponent, "float64")
        base, base_low = doubles_of(x)
        return convert(integer_power(base, base_low, y, is_odd(y), is_whole(y)), element)

    exponent = "whole" if whole_exponent else "float"
    name = f"{__name__}:{element} to a {exponent} exponent"
    return Kernel(pow_integer_to_whole if whole_exponent else pow_integer_to_float, name=name)


# --- powi_backward ------------------------------------------------------------------------------------------------------


def powi_backward_f32(x, upstream, exponent):
    power = convert(power_to_scalar(x, convert(exponent, "int64") - 1, BINARY32_LACKS, LEAST_SINGLE), "float32")
    return select(exponent == 0, 0.0, (upstream * convert(exponent, "float32")) * power)


def powi_backward_f16(x, upstream, exponent):
    # A whole number that float32 rounds overflows binary16 anyway: through float32 it is rounded once.
    power = power_to_scalar(x, convert(exponent, "int64") - 1, BINARY16_LACKS, LEAST_HALF)
    power = from_half(to_half(double_to_single_odd(power)))
    factor = from_half(to_half(convert(exponent, "float32")))
    return select(exponent == 0, 0.0, from_half(to_half(upstream * factor)) * power)


def powi_backward_bf16(x, upstream, exponent):
    power = power_to_scalar(x, convert(exponent, "int64") - 1, BFLOAT16_LACKS, LEAST_SINGLE)
    power = bfloat16_to_single(single_to_bfloat16(double_to_single_odd(power)))
    factor = bfloat16_to_single(single_to_bfloat16(double_to_single_odd(convert(exponent, "float64"))))
    return select(exponent == 0, 0.0, bfloat16_to_single(single_to_bfloat16(upstream * factor)) * power)


# --- declarations -------------------------------------------------------------------------------------------------------

_TO_FLOAT = {
    "f32": Kernel(pow_f32, pow_fast, registers=2),
    "f16": Kernel(pow_f16, pow_fast_narrow),
    "bf16": Kernel(pow_bf16, pow_fast_narrow),
}
_TO_DOUBLE = {
    "f32": Kernel(pow_f32, pow_double_fast, registers=2),
    "f16": Kernel(pow_f16, pow_double_fast_narrow),
    "bf16": Kernel(pow_bf16, pow_double_fast_narrow),
}
_TO_WHOLE = {
    "f32": Kernel(whole_pow_f32, whole_pow_fast, registers=2),
    "f16": Kernel(whole_pow_f16, whole_pow_fast_narrow),
    "bf16": Kernel(whole_pow_bf16, whole_pow_fast_narrow),
}
_TO_SCALAR = {
    "f32": Kernel(powi_f32, powi_fast, registers=2),
    "f16": Kernel(powi_f16, powi_fast_narrow),
    "bf16": Kernel(powi_bf16, powi_fast_narrow),
}
_BACKWARD = {"f32": Kernel(powi_backward_f32), "f16": Kernel(powi_backward_f16), "bf16": Kernel(powi_backward_bf16)}
_INTEGER = {(short, whole): _integer_kernel(FORMATS[short].element, whole) for short in INTEGERS for whole in (False, True)}


def _pow_kernel(inputs, output, choices):
    base, exponent = inputs
    whole = exponent.kind != "f"
    if base.kind != "f":
        return _INTEGER[base.short, whole]
    table = _TO_WHOLE if whole else _TO_DOUBLE if exponent.short == "f64" else _TO_FLOAT
    return table[base.short]


def _powi_kernel(inputs, output, choices):
    return _TO_SCALAR[output.short]


def _powi_backward_kernel(inputs, output, choices):
    return _BACKWARD[output.short]


_EXPONENT = Attribute("exp", "int32", summary="the exponent")

OPERATORS = (
    Operator(
        "pow",
        "x to the power of the exponent, rounded once",
        "c",
        (*FLOATS_TO_32_BITS, *INTEGERS),
        _pow_kernel,
        (
            Operand("x", in_place=True, summary="the base"),
            Operand("exponent", role="own type", types=NUMERIC, summary="the exponent"),
        ),
        aliases=("power",),
        onnx="Pow",
        opset=7,
        special=(
            "pow(x, 0) = 1 for every x, NaN too, and pow(1, y) = 1 for every y",
            "other special cases are those of C's pow",
            "the exponent is taken exactly, never narrowed first",
            "integer bases: the correctly rounded double power, truncated and saturated to the type",
        ),
    ),
    Operator(
        "powi",
        "x to the power of the whole number exp, rounded once",
        "c",
        FLOATS_TO_32_BITS,
        _powi_kernel,
        attributes=(_EXPONENT,),
        special=("exp=0 gives 1 for every x, NaN too",),
    ),
    Operator(
        "powi_backward",
        "the gradient of powi, mul(mul(upstream, exp), powi(x, exp - 1)), each step rounded to the dtype",
        "d",
        FLOATS_TO_32_BITS,
        _powi_backward_kernel,
        (
            Operand("x", in_place=True, summary="operand of powi"),
            Operand("upstream", in_place=True, summary="gradient of the result of powi"),
        ),
        attributes=(_EXPONENT,),
        special=(
            "exp=0 gives +0",
            "exp - 1 is taken in 64 bits",
            "exp is rounded to the dtype, which may overflow to infinity",
        ),
    ),
)
