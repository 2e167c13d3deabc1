"""Maximum, minimum, the clamps and where."""

from exactops.lanes import is_nan, lane_function, select
from exactops.ops.arithmetic import identity
from exactops.table.formats import EVERY, NUMERIC
from exactops.table.operator import Fold, Operand, Operator, simple_kernel


@lane_function
def maximum(x, y):
    """The larger operand; a NaN in either gives NaN; of two that compare equal the second."""
    return select((x > y) | is_nan(x), x, y)


@lane_function
def minimum(x, y):
    """The smaller operand; a NaN in either gives NaN; of two that compare equal the second."""
    return select((x < y) | is_nan(x), x, y)


def max_float(x, y):
    return maximum(x, y)


def max_integer(x, y):
    return select(x > y, x, y)


def min_float(x, y):
    return minimum(x, y)


def min_integer(x, y):
    return select(x < y, x, y)


def clamp_float(x, low, high):
    return minimum(maximum(x, low), high)


def clamp_integer(x, low, high):
    raised = select(x > low, x, low)
    return select(raised < high, raised, high)


def where(condition, x, y):
    return select(condition, x, y)


_IDENTITY = simple_kernel(identity)
_MAX = {"f": simple_kernel(max_float), "i": simple_kernel(max_integer), "u": simple_kernel(max_integer)}
_MIN = {"f": simple_kernel(min_float), "i": simple_kernel(min_integer), "u": simple_kernel(min_integer)}
_CLAMP = {"f": simple_kernel(clamp_float), "i": simple_kernel(clamp_integer), "u": simple_kernel(clamp_integer)}


def _bound(name, missing=None):
    side = "lower" if name == "min" else "upper"
    return Operand(name, missing=missing, keyword=True, summary=f"{side} bound")


_X = Operand("x", in_place=True, summary="values to limit")

_NAN = "a NaN in any operand gives NaN"
_BOUNDS = ("the upper bound wins where the bounds cross", "a NaN operand or bound gives NaN")

OPERATORS = (
    Operator(
        "max",
        "the largest operand",
        "b",
        NUMERIC,
        _MAX,
        (Operand("x"),),
        fold=Fold(_IDENTITY),
        aliases=("maximum",),
        onnx="Max",
        opset=6,
        special=(_NAN, "of two that compare equal the second: max(-0, +0) = +0, max(+0, -0) = -0"),
    ),
    Operator(
        "min",
        "the smallest operand",
        "b",
        NUMERIC,
        _MIN,
        (Operand("x"),),
        fold=Fold(_IDENTITY),
        aliases=("minimum",),
        onnx="Min",
        opset=6,
        special=(_NAN, "of two that compare equal the second: min(-0, +0) = +0, min(+0, -0) = -0"),
    ),
    Operator(
        "clip",
        "x limited to the range from min to max: min(max(x, min), max)",
        "b",
        NUMERIC,
        _CLAMP,
        (_X, _bound("min", "least finite"), _bound("max", "largest finite")),
        onnx="Clip",
        opset=6,
        special=(*_BOUNDS, "without an upper bound +inf gives the largest finite value"),
    ),
    Operator(
        "clamp",
        "x limited to the range from min to max: min(max(x, min), max), where a missing bound does not limit",
        "b",
        NUMERIC,
        _CLAMP,
        (_X, _bound("min", "minus infinity"), _bound("max", "plus infinity")),
        special=(*_BOUNDS, "without bounds infinities stay"),
    ),
    Operator(
        "clamp_min",
        "the larger of x and the lower bound min",
        "b",
        NUMERIC,
        _MAX,
        (_X, _bound("min")),
        special=_BOUNDS[1:],
    ),
    Operator(
        "clamp_max",
        "the smaller of x and the upper bound max",
        "b",
        NUMERIC,
        _MIN,
        (_X, _bound("max")),
        special=_BOUNDS[1:],
    ),
    Operator(
        "where",
        "x where the condition is true, else y",
        "b",
        EVERY,
        simple_kernel(where),
        (
            Operand("condition", role="condition", summary="where to take x"),
            Operand("x", summary="values where the condition is true"),
            Operand("y", summary="values where it is false"),
        ),
        onnx="Where",
        opset=9,
        special=("in exact mode every NaN becomes the canonical one",),
    ),
)
