"""exp: e**x."""

from exactops.lanes import Lanes, convert, select
from exactops.numerics.exponential import exponential
from exactops.operator import Kernel, Operator


def exp(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    Beyond 89 every format has overflowed, below -105 every format has reached zero; in between the double exponential
    neither overflows nor underflows, so that the one conversion afterwards makes infinities, subnormals and zeros. Its
    error of 0.9 ulp leaves the rounding of no float32, float16 or bfloat16 input in doubt (all were tried).
    """
    x = select(x > 89.0, 89.0, x)
    x = select(x < -105.0, -105.0, x)
    return exponential(convert(x, "float64"))
OPERATORS = ()


OPERATORS = (
    Operator(
        "exp",
        "e to the power x, rounded once",
        "c",
        ("f16", "bf16", "f32"),
        Kernel(exp),
        onnx="Exp",
        opset=6,
        in_place=("x",),
        special=("exp(-inf) = +0, exp(+inf) = +inf", "overflow gives +inf, underflow is gradual"),
    ),
)
