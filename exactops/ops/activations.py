"""Activation functions that are compositions of IEEE operations, each step rounded."""

from exactops.lanes import mul_add, select
from exactops.ops.selection import maximum, minimum
from exactops.table.formats import FLOATS
from exactops.table.operator import Attribute, Operator, simple_kernel


def relu(x):
    return select(x <= 0.0, 0.0, x)


def step(x):
    positive = x > 0.0
    return select(positive, 1.0, select(positive, x, 0.0))


def leaky_relu(x, alpha):
    return select(x < 0.0, alpha * x, x)


def hard_sigmoid(x, alpha, beta):
    return minimum(maximum(mul_add(alpha, x, beta), 0.0), 1.0)


def hard_swish(x):
    return x * minimum(maximum(mul_add(x, 1.0 / 6.0, 0.5), 0.0), 1.0)


_PASSES = "NaN gives NaN"

OPERATORS = (
    Operator(
        "relu",
        "x where it is positive, else +0",
        "d",
        FLOATS,
        simple_kernel(relu),
        onnx="Relu",
        opset=6,
        special=(_PASSES, "-0 gives +0"),
    ),
    Operator("step", "1 where x is positive, else 0", "d", FLOATS, simple_kernel(step), special=("NaN gives +0",)),
    Operator(
        "leaky_relu",
        "x, or alpha * x where x is negative",
        "d",
        FLOATS,
        simple_kernel(leaky_relu),
        onnx="LeakyRelu",
        opset=6,
        attributes=(Attribute("alpha", "float", 0.01, summary="slope for negative x"),),
        special=(_PASSES,),
    ),
    Operator(
        "hard_sigmoid",
        "alpha * x + beta clamped to [0, 1], the product and the sum each rounded",
        "d",
        FLOATS,
        simple_kernel(hard_sigmoid, fuses=True),
        onnx="HardSigmoid",
        opset=6,
        attributes=(Attribute("alpha", "float", 0.2, summary="slope"), Attribute("beta", "float", 0.5, summary="offset")),
        special=(_PASSES,),
    ),
    Operator(
        "hard_swish",
        "x * clamp(x * (1/6) + 0.5, 0, 1), each step rounded",
        "d",
        FLOATS,
        simple_kernel(hard_swish, fuses=True),
        onnx="HardSwish",
        opset=14,
        special=(_PASSES, "-inf gives NaN, since the last step is -inf * 0"),
    ),
)
