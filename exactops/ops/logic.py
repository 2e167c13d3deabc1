"""Logic on bool."""

from exactops.table.formats import BOOL
from exactops.table.operator import Kernel, Operator


def logical_not(x):
    return ~x


def logical_and(x, y):
    return x & y


def logical_or(x, y):
    return x | y


def logical_xor(x, y):
    return x ^ y


def _logic(name, summary, kernel, operands, onnx, opset):
    return Operator(
        name,
        summary,
        "b",
        BOOL,
        Kernel(kernel),
        operands,
        onnx=onnx,
        opset=opset,
        in_place=operands,
        special=("any non-zero byte is true; results are 0 or 1",),
        function_name=f"logical_{name}",
    )


OPERATORS = (
    _logic("not", "whether x is false", logical_not, ("x",), "Not", 1),
    _logic("and", "whether both are true", logical_and, ("x", "y"), "And", 7),
    _logic("or", "whether either is true", logical_or, ("x", "y"), "Or", 7),
    _logic("xor", "whether exactly one is true", logical_xor, ("x", "y"), "Xor", 7),
)
