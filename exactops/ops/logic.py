"""Logic on bool."""

from exactops.table.formats import BOOL
from exactops.table.operator import BINARY, UNARY, Operator, simple_kernel


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
        simple_kernel(kernel),
        operands,
        onnx=onnx,
        opset=opset,
        special=("any non-zero byte is true; results are 0 or 1",),
        function=f"logical_{name}",
    )


OPERATORS = (
    _logic("not", "whether x is false", logical_not, UNARY, "Not", 1),
    _logic("and", "whether both operands are true", logical_and, BINARY, "And", 7),
    _logic("or", "whether at least one operand is true", logical_or, BINARY, "Or", 7),
    _logic("xor", "whether exactly one operand is true", logical_xor, BINARY, "Xor", 7),
)
