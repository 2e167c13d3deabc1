"""Rounding to whole numbers."""

from exactops import lanes
from exactops.table.formats import FLOATS
from exactops.table.operator import Operator, simple_kernel


def floor(x):
    return lanes.floor(x)


def ceil(x):
    return lanes.ceil(x)


def round_half_even(x):
    return lanes.rint(x)


def _rounding(name, summary, kernel, onnx, opset, example, aliases=()):
    return Operator(
        name,
        summary,
        "a",
        FLOATS,
        simple_kernel(kernel),
        aliases=aliases,
        onnx=onnx,
        opset=opset,
        special=(f"the sign of zero is kept: {example}", "infinities stay"),
    )


OPERATORS = (
    _rounding("floor", "the largest whole number not above x", floor, "Floor", 6, "floor(-0) = -0"),
    _rounding("ceil", "the smallest whole number not below x", ceil, "Ceil", 6, "ceil(-0.4) = -0"),
    _rounding(
        "round", "the whole number nearest to x, ties to even", round_half_even, "Round", 11, "round(-0.4) = -0", ("rint",)
    ),
)
