"""Comparisons: bool results."""

from exactops.table.formats import BOOL, NUMERIC
from exactops.table.operator import Operand, Operator, simple_kernel


def equal(x, y):
    return x == y


def equal_bool(x, y):
    return ~(x ^ y)


def less(x, y):
    return x < y


def greater(x, y):
    return x > y


def less_or_equal(x, y):
    return x <= y


def greater_or_equal(x, y):
    return x >= y


_EQUAL = simple_kernel(equal)


def _comparison(name, sign, dtypes, kernel, onnx, opset, special, aliases=()):
    return Operator(
        name,
        f"whether x {sign} y",
        "b",
        dtypes,
        kernel,
        (Operand("x"), Operand("y")),
        results=("bool",),
        aliases=aliases,
        onnx=onnx,
        opset=opset,
        special=special,
    )


_FALSE = ("a NaN operand compares false", "+0 and -0 compare equal")

OPERATORS = (
    _comparison(
        "equal",
        "==",
        NUMERIC + BOOL,
        {"f": _EQUAL, "i": _EQUAL, "u": _EQUAL, "b": simple_kernel(equal_bool)},
        "Equal",
        7,
        ("NaN equals nothing", "+0 equals -0"),
    ),
    _comparison("less", "<", NUMERIC, simple_kernel(less), "Less", 7, _FALSE),
    _comparison("greater", ">", NUMERIC, simple_kernel(greater), "Greater", 7, _FALSE),
    _comparison("less_or_equal", "<=", NUMERIC, simple_kernel(less_or_equal), "LessOrEqual", 12, _FALSE, ("less_equal",)),
    _comparison(
        "greater_or_equal", ">=", NUMERIC, simple_kernel(greater_or_equal), "GreaterOrEqual", 12, _FALSE, ("greater_equal",)
    ),
)
