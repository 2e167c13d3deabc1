"""Conversions between all stored types."""

from __future__ import annotations

import functools

from exactops.lanes import convert, lane_function, select
from exactops.table.formats import EVERY, Format
from exactops.table.operator import Attribute, Kernel, Operand, Operator, simple_kernel


@lane_function
def _odd_double_of_unsigned(x):
    """A 64-bit integer as a double that rounds to any type of up to 42 bits as the exact integer would.

    From 2**53 on, the low 11 bits are gathered into a sticky bit 11. It lies below every rounding position of the smaller
    types, and the rest, 53 bits or fewer, converts exactly.
    """
    sticky = (x | ((x & 0x7FF) + 0x7FF)) & 0x800
    gathered = (x & 0xFFFFFFFFFFFFF800) | sticky
    return convert(select((x >> 53) != 0, gathered, x), "float64")


def cast_u64_to_half(x):
    return _odd_double_of_unsigned(x)


def cast_i64_to_half(x):
    magnitude = _odd_double_of_unsigned(convert(select(x < 0, -x, x), "uint64"))
    return select(x < 0, -magnitude, magnitude)


@functools.cache
def _to(element: str) -> Kernel:
    def cast(x):
        return convert(x, element)

    return simple_kernel(cast, name=f"{__name__}:cast to {element}")


_I64_TO_HALF, _U64_TO_HALF = simple_kernel(cast_i64_to_half), simple_kernel(cast_u64_to_half)


def _cast_kernel(inputs: tuple[Format, ...], output: Format, choices) -> Kernel:
    source = inputs[0]
    if output.short in ("f16", "bf16"):
        # Never through float32 in two roundings: what leaves the kernel is exact, or rounded to odd; the encoder rounds.
        if source.kind == "f":
            return _to(source.computing)
        if source.size == 8:
            return _I64_TO_HALF if source.kind == "i" else _U64_TO_HALF
        return _to("float64" if source.size == 4 else "float32")
    return _to(output.computing)


_ONNX_ATTRIBUTES = (
    Attribute("saturate", "ignored", 1, summary="accepted as in ONNX, without effect: it concerns the 8-bit floats only"),
    Attribute("round_mode", "ignored", "up", summary="accepted as in ONNX, without effect: it concerns the 8-bit floats only"),
)

_SPECIAL = (
    "float to integer truncates toward zero and saturates; NaN gives 0",
    "float to float and integer to float round once, to nearest even; overflow gives infinity",
    "integer to integer wraps modulo 2**n",
    "to bool: x != 0, so NaN and subnormal numbers give True",
)

OPERATORS = (
    Operator(
        "cast",
        "x converted to the dtype of the attribute to",
        "b",
        EVERY,
        _cast_kernel,
        (Operand("x", summary="values to convert"),),
        results=("to",),
        onnx="Cast",
        opset=6,
        attributes=(
            Attribute(
                "to",
                "dtype",
                summary="the target: a NumPy dtype, its name, or the number of ONNX's TensorProto.DataType",
                positional=True,
            ),
            *_ONNX_ATTRIBUTES,
        ),
        special=_SPECIAL,
    ),
    Operator(
        "cast_like",
        "x converted to the dtype of the second operand",
        "b",
        EVERY,
        _cast_kernel,
        (Operand("x", summary="values to convert"), Operand("like", role="like", summary="array whose dtype is the target")),
        results=("to",),
        onnx="CastLike",
        opset=15,
        attributes=_ONNX_ATTRIBUTES,
        special=(*_SPECIAL, "the values and the shape of the second operand do not matter"),
    ),
)
