"""What the lowerings are built of: typing of operations over lanes, and pieces of LLVM vector code.

Operators are typing templates with a ``lower_builtin`` beside them rather than overloads: such a kernel compiles in half the
time. No instruction carries a fast-math flag, and none is contracted: ``mul_add`` is the only operation that may fuse, and
only for fast lanes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from exactops.codegen.lowering.types import Vec

INDEX = ir.IntType(32)
BYTE = ir.IntType(8)

UNSIGNED = {8: types.uint8, 16: types.uint16, 32: types.uint32, 64: types.uint64}
SIGNED = {8: types.int8, 16: types.int16, 32: types.int32, 64: types.int64}
FLOAT = {32: types.float32, 64: types.float64}
ELEMENTS = {str(t): t for t in (*UNSIGNED.values(), *SIGNED.values(), *FLOAT.values())} | {"bool": types.boolean}


def element_type(name: str) -> types.Type:
    """The Numba type of a lane element by name: float32, float64, int8 … uint64 or bool."""
    return ELEMENTS[name]


# --- LLVM vectors ------------------------------------------------------------------------------------------------------


def splat(builder, scalar, vector: ir.VectorType):
    """A vector of one value in all lanes."""
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, INDEX(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(INDEX, vector.count), [0] * vector.count))


def constant(vector: ir.VectorType, value):
    """A constant vector of one value in all lanes."""
    return ir.Constant(vector, [value] * vector.count)


def call_intrinsic(builder, name: str, result, args):
    """Call the overloaded LLVM intrinsic ``llvm.<name>.<mangled types>``."""
    kind = ir.FunctionType(result, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def mangled(vector: ir.VectorType) -> str:
    """What names of overloaded intrinsics call a vector type."""
    element = vector.element
    letter = {ir.FloatType: "f32", ir.DoubleType: "f64", ir.HalfType: "f16"}.get(type(element)) or f"i{element.width}"
    return f"v{vector.count}{letter}"


def slice_lanes(builder, vector, start: int, count: int, padded: int):
    """``count`` lanes from ``start`` on, in a vector of ``padded`` lanes (the rest repeat one of them)."""
    if start == 0 and count == padded == vector.type.count:
        return vector
    chosen = [start + lane if lane < count else 0 for lane in range(padded)]
    picked = ir.Constant(ir.VectorType(INDEX, padded), chosen)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), picked)


def concatenate(builder, parts):
    """Vectors of equal length one behind the other."""
    while len(parts) > 1:
        together = ir.Constant(ir.VectorType(INDEX, 2 * parts[0].type.count), list(range(2 * parts[0].type.count)))
        if len(parts) % 2:
            parts = [*parts, ir.Constant(parts[0].type, ir.Undefined)]
        parts = [builder.shuffle_vector(parts[i], parts[i + 1], together) for i in range(0, len(parts), 2)]
    return parts[0]


# --- typing ------------------------------------------------------------------------------------------------------------


def is_float(kind) -> bool:
    """Whether a type is float lanes."""
    return isinstance(kind, Vec) and isinstance(kind.element, types.Float)


def is_integer(kind) -> bool:
    """Whether a type is integer lanes."""
    return isinstance(kind, Vec) and isinstance(kind.element, types.Integer)


def is_mask(kind) -> bool:
    """Whether a type is a mask."""
    return isinstance(kind, Vec) and kind.element == types.boolean


def common(args, accept: Callable[[object], bool]):
    """The one lane type of the operands that are lanes; Python numbers beside it are weak. None if they do not fit."""
    lanes = {a for a in args if isinstance(a, Vec)}
    if len(lanes) != 1:
        return None
    (vec,) = lanes
    weak = types.Number if isinstance(vec.element, types.Float) else types.Integer
    if not accept(vec) or not all(isinstance(a, (Vec, weak)) for a in args):
        return None
    return vec


def operation(function, typing: Callable, lowering: Callable, arity: int, prefer_literal: bool = False) -> None:
    """Give a vocabulary function or operator its typing and its lowering.

    ``typing(*argument types)`` returns the signature or None; ``lowering(context, builder, sig, args)`` emits code.
    """

    class Template(AbstractTemplate):
        def generic(self, args, kws):
            return typing(*args) if len(args) == arity and not kws else None

    Template.key, Template.prefer_literal = function, prefer_literal
    infer_global(function)(Template)
    # Any of the operands may be lanes; the rest are numbers, literals or tables.
    for kinds in itertools.product((Vec, types.Any), repeat=arity):
        if Vec in kinds:
            lower_builtin(function, *kinds)(lowering)


def elementwise(function, accept, emit, arity: int = 2, result=lambda vec: vec) -> None:
    """An operation whose operands are all of one lane type, Python numbers included."""

    def typing(*args):
        vec = common(args, accept)
        return None if vec is None else signature(result(vec), *(a if isinstance(a, Vec) else vec.element for a in args))

    def lowering(context, builder, sig, args):
        vec = next(a for a in sig.args if isinstance(a, Vec))
        vector = context.get_value_type(vec)
        values = [
            value if isinstance(kind, Vec) else splat(builder, value, vector)
            for kind, value in zip(sig.args, args, strict=True)
        ]
        return emit(builder, vec, *values)

    operation(function, typing, lowering, arity)
