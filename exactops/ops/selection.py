"""Maximum, minimum, the clamps and where."""

from exactops.lanes import is_nan, lane_function, select
from exactops.ops.arithmetic import identity
from exactops.table.formats import EVERY, NUMERIC
from exactops.table.operator import Attribute, Kernel, Operator


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


_IDENTITY = Kernel(identity)
_MAX = {"f": Kernel(max_float), "i": Kernel(max_integer), "u": Kernel(max_integer)}
_MIN = {"f": Kernel(min_float), "i": Kernel(min_integer), "u": Kernel(min_integer)}
_CLAMP = {"f": Kernel(clamp_float), "i": Kernel(clamp_integer), "u": Kernel(clamp_integer)}


def _max_kernel(inputs, output, choices):
    return _IDENTITY if len(inputs) == 1 else _MAX[inputs[0].kind]


def _min_kernel(inputs, output, choices):
    return _IDENTITY if len(inputs) == 1 else _MIN[inputs[0].kind]


_NAN = "a NaN in any operand gives NaN"
_BOUNDS = ("the upper bound wins where the bounds cross", "a NaN operand or bound gives NaN")

OPERATORS = (
    Operator(
        "max",
        "the largest operand",
        "b",
        NUMERIC,
        _max_kernel,
        variadic=True,
        onnx="Max",
        opset=6,
        special=(_NAN, "of two that compare equal the second: max(-0, +0) = +0, max(+0, -0) = -0"),
    ),
    Operator(
        "min",
        "the smallest operand",
        "b",
        NUMERIC,
        _min_kernel,
        variadic=True,
        onnx="Min",
        opset=6,
        special=(_NAN, "of two that compare equal the second: min(-0, +0) = +0, min(+0, -0) = -0"),
    ),
    Operator(
        "clip",
        "min(max(x, min), max); a missing bound is the finite extreme of the type",
        "b",
        NUMERIC,
        _CLAMP,
        ("x", "min", "max"),
        optional=2,
        onnx="Clip",
        opset=6,
        in_place=("x",),
        attributes=(
            Attribute("min", "bound", "finite", summary="lower bound, scalar or broadcastable"),
            Attribute("max", "bound", "finite", summary="upper bound, scalar or broadcastable"),
        ),
        special=(*_BOUNDS, "without an upper bound +inf gives the largest finite value"),
    ),
    Operator(
        "clamp",
        "min(max(x, min), max); a missing bound leaves that side unbounded",
        "b",
        NUMERIC,
        _CLAMP,
        ("x", "min", "max"),
        optional=2,
        in_place=("x",),
        attributes=(
            Attribute("min", "bound", "unbounded", summary="lower bound, scalar or broadcastable"),
            Attribute("max", "bound", "unbounded", summary="upper bound, scalar or broadcastable"),
        ),
        special=(*_BOUNDS, "without bounds infinities stay"),
    ),
    Operator(
        "clamp_min",
        "max(x, min)",
        "b",
        NUMERIC,
        _MAX,
        ("x", "min"),
        in_place=("x",),
        attributes=(Attribute("min", "bound", summary="lower bound, scalar or broadcastable"),),
        special=_BOUNDS[1:],
    ),
    Operator(
        "clamp_max",
        "min(x, max)",
        "b",
        NUMERIC,
        _MIN,
        ("x", "max"),
        in_place=("x",),
        attributes=(Attribute("max", "bound", summary="upper bound, scalar or broadcastable"),),
        special=_BOUNDS[1:],
    ),
    Operator(
        "where",
        "x where the condition is true, else y",
        "b",
        EVERY,
        Kernel(where),
        ("condition", "x", "y"),
        condition=True,
        onnx="Where",
        opset=9,
        special=("NaNs become canonical in exact mode",),
    ),
)
