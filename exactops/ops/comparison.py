"""Comparisons: bool results."""

from exactops.table.formats import BOOL, NUMERIC
from exactops.table.operator import Kernel, Operator


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


_EQUAL = Kernel(equal)


def _comparison(name, sign, dtypes, kernel, onnx, opset, special):
    return Operator(
        name,
        f"whether x {sign} y",
        "b",
        dtypes,
        kernel,
        ("x", "y"),
        onnx=onnx,
        opset=opset,
        result="bool",
        special=special,
    )


_FALSE = ("a NaN operand compares false", "+0 and -0 compare equal")

OPERATORS = (
    _comparison(
        "equal",
        "==",
        NUMERIC + BOOL,
        {"f": _EQUAL, "i": _EQUAL, "u": _EQUAL, "b": Kernel(equal_bool)},
        "Equal",
        7,
        ("NaN equals nothing", "+0 equals -0"),
    ),
    _comparison("less", "<", NUMERIC, Kernel(less), "Less", 7, _FALSE),
    _comparison("greater", ">", NUMERIC, Kernel(greater), "Greater", 7, _FALSE),
    _comparison("less_or_equal", "<=", NUMERIC, Kernel(less_or_equal), "LessOrEqual", 12, _FALSE),
    _comparison("greater_or_equal", ">=", NUMERIC, Kernel(greater_or_equal), "GreaterOrEqual", 12, _FALSE),
)
