"""Sums, products, quotients and roots of one rounding; signs; the variadic folds."""

from exactops.lanes import absolute, convert, from_half, is_nan, mul_add, select, sqrt, to_half
from exactops.lanes.portable import bfloat16_to_single, single_to_bfloat16
from exactops.table.formats import FLOATS, NUMERIC, SIGNED
from exactops.table.operator import BINARY, Attribute, Fold, Operand, Operator, Refusal, simple_kernel


def add(x, y):
    return x + y


def sub(x, y):
    return x - y


def mul(x, y):
    return x * y


def neg(x):
    return -x


def abs_float(x):
    return absolute(x)


def abs_signed(x):
    return select(x < 0, -x, x)


def identity(x):
    return x


def sign_float(x):
    # What is left after both comparisons is a zero, made positive, or a NaN.
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, absolute(x)))


def sign_float_nan_to_zero(x):
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, absolute(select(is_nan(x), 0.0, x))))


def sign_signed(x):
    zero = x ^ x
    return select(x > 0, zero + 1, select(x < 0, zero - 1, zero))


def sign_unsigned(x):
    zero = x ^ x
    return select(x > 0, zero + 1, zero)


def reciprocal(x):
    return 1.0 / x


def root(x):
    return sqrt(x)


def square(x):
    return x * x


def scaled_add(x, y, alpha, beta):
    return mul_add(x, alpha, y * beta)


def scaled_add_f16(x, y, alpha, beta):
    return from_half(to_half(x * alpha)) + from_half(to_half(y * beta))


def scaled_add_bf16(x, y, alpha, beta):
    return bfloat16_to_single(single_to_bfloat16(x * alpha)) + bfloat16_to_single(single_to_bfloat16(y * beta))


def divide_by_count(x, count):
    # The quotient in double, rounded once more to the stored type, is the correctly rounded one: with 24 significant bits at
    # most in x and in the count, a quotient that is not itself a midpoint lies farther from one than double's error
    # (Figueroa 1995: 53 >= 2 * 24 + 2).
    return convert(x, "float64") / count


def _sign_kernel(inputs, output, choices):
    kind = inputs[0].kind
    if kind == "f":
        return _SIGN_NAN_TO_ZERO if choices["nan"] == "zero" else _SIGN_FLOAT
    return _SIGN_SIGNED if kind == "i" else _SIGN_UNSIGNED


def _scaled_add_kernel(inputs, output, choices):
    return {"f16": _SCALED_ADD_F16, "bf16": _SCALED_ADD_BF16}.get(output.short, _SCALED_ADD)


_ADD, _IDENTITY = simple_kernel(add), simple_kernel(identity)
_NEG = simple_kernel(neg)
_SIGN_FLOAT, _SIGN_NAN_TO_ZERO = simple_kernel(sign_float), simple_kernel(sign_float_nan_to_zero)
_SIGN_SIGNED, _SIGN_UNSIGNED = simple_kernel(sign_signed), simple_kernel(sign_unsigned)
_SCALED_ADD = simple_kernel(scaled_add, fuses=True)
_SCALED_ADD_F16, _SCALED_ADD_BF16 = simple_kernel(scaled_add_f16), simple_kernel(scaled_add_bf16)

_WRAPS = "integers wrap modulo 2**n"

OPERATORS = (
    Operator(
        "add",
        "x + y, rounded once",
        "a",
        NUMERIC,
        _ADD,
        BINARY,
        onnx="Add",
        opset=7,
        special=(_WRAPS,),
    ),
    Operator(
        "sub",
        "x - y, rounded once",
        "a",
        NUMERIC,
        simple_kernel(sub),
        BINARY,
        aliases=("subtract",),
        onnx="Sub",
        opset=7,
        special=(_WRAPS,),
    ),
    Operator(
        "mul",
        "x * y, rounded once",
        "a",
        NUMERIC,
        simple_kernel(mul),
        BINARY,
        aliases=("multiply",),
        onnx="Mul",
        opset=7,
        special=(_WRAPS,),
    ),
    Operator(
        "neg",
        "x with the opposite sign",
        "b",
        FLOATS + SIGNED,
        {"f": _NEG, "i": _NEG, "u": Refusal("an unsigned value has no negative")},
        aliases=("negative",),
        onnx="Neg",
        opset=6,
        special=("the smallest integer wraps to itself",),
    ),
    Operator(
        "abs",
        "x without its sign",
        "b",
        NUMERIC,
        {"f": simple_kernel(abs_float), "i": simple_kernel(abs_signed), "u": _IDENTITY},
        aliases=("absolute", "fabs"),
        onnx="Abs",
        opset=6,
        special=("the smallest integer wraps to itself",),
    ),
    Operator(
        "sign",
        "-1, 0 or 1 by the sign of x",
        "b",
        NUMERIC,
        _sign_kernel,
        onnx="Sign",
        opset=9,
        attributes=(Attribute("nan", "choice", "nan", ("nan", "zero"), "what a NaN gives: a NaN, or +0 (torch's rule)"),),
        special=("both zeros give +0", "NaN gives NaN, or +0 with nan='zero'"),
    ),
    Operator(
        "reciprocal",
        "1 / x, rounded once",
        "a",
        FLOATS,
        simple_kernel(reciprocal),
        aliases=("recip",),
        onnx="Reciprocal",
        opset=6,
        special=("+0 gives +inf, -0 gives -inf",),
    ),
    Operator(
        "sqrt",
        "the square root of x, rounded once",
        "a",
        FLOATS,
        simple_kernel(root),
        onnx="Sqrt",
        opset=6,
        special=("-0 gives -0", "negative values give NaN"),
    ),
    Operator("square", "x * x, rounded once", "a", NUMERIC, simple_kernel(square), aliases=("sqr",), special=(_WRAPS,)),
    Operator(
        "scaled_add",
        "input * alpha + other * beta, each step rounded to the dtype",
        "d",
        FLOATS,
        _scaled_add_kernel,
        (Operand("input", in_place=True), Operand("other", in_place=True)),
        attributes=(
            Attribute("alpha", "float", summary="factor of the first operand", rounded_to="element", positional=True),
            Attribute("beta", "float", summary="factor of the second operand", rounded_to="element", positional=True),
        ),
        special=("in exact mode it has the bits of add(mul(input, alpha), mul(other, beta))",),
    ),
    Operator(
        "sum",
        "the sum of the operands, added from left to right",
        "d",
        FLOATS,
        _ADD,
        (Operand("x"),),
        fold=Fold(_IDENTITY),
        onnx="Sum",
        opset=6,
        special=("each step is rounded to the dtype",),
    ),
    Operator(
        "mean",
        "the mean of the operands: they are added from left to right, and the sum is divided by their number",
        "d",
        FLOATS,
        _ADD,
        (Operand("x"),),
        fold=Fold(_IDENTITY, finish=simple_kernel(divide_by_count)),
        onnx="Mean",
        opset=6,
        special=("each sum is rounded to the dtype", "the quotient by the exact number of operands is rounded once"),
    ),
)
