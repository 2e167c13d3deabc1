"""Lanes from memory and back."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.core.extending import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from exactops.codegen.lowering.core import BYTE, ELEMENTS, operation
from exactops.codegen.lowering.types import Vec
from exactops.codegen.target import host_target
from exactops.lanes import vocabulary


class _Load(AbstractTemplate):
    key, prefer_literal = vocabulary.load, True

    def generic(self, args, kws):
        if len(args) != 3 or not isinstance(args[1], types.StringLiteral) or not isinstance(args[2], types.IntegerLiteral):
            return None
        # A user's function is compiled to be run here.
        vec = Vec(ELEMENTS[args[1].literal_value], args[2].literal_value, False, host_target())
        return signature(vec, types.intp, args[1], args[2])


infer_global(vocabulary.load)(_Load)


@lower_builtin(vocabulary.load, types.Integer, types.StringLiteral, types.IntegerLiteral)
def _lower_load(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    return load_lanes(builder, builder.inttoptr(args[0], BYTE.as_pointer()), vector)


operation(
    vocabulary.store,
    lambda address, vec: (
        signature(types.void, types.intp, vec) if isinstance(vec, Vec) and isinstance(address, types.Integer) else None
    ),
    lambda context, builder, sig, args: (
        store_lanes(builder, args[1], builder.inttoptr(args[0], BYTE.as_pointer())) or context.get_dummy_value()
    ),
    2,
)


def load_lanes(builder, address, vector: ir.VectorType):
    """Load a vector from a byte address of any alignment."""
    value = builder.load(builder.bitcast(address, vector.as_pointer()))
    value.align = 1
    return value


def store_lanes(builder, value, address) -> None:
    """Store a vector to a byte address of any alignment."""
    builder.store(value, builder.bitcast(address, value.type.as_pointer())).align = 1
