"""Arithmetic, comparison and selection."""

from __future__ import annotations

import operator
from collections.abc import Callable

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature

from exactops.codegen.lowering.core import (
    call_intrinsic,
    common,
    elementwise,
    is_float,
    is_integer,
    is_mask,
    mangled,
    operation,
    splat,
)
from exactops.codegen.lowering.functions import call_lowered
from exactops.codegen.lowering.types import Vec
from exactops.lanes import portable, vocabulary

# --- operators ---------------------------------------------------------------------------------------------------------


def _arithmetic(float_instruction: str | None, integer_instruction: str | None):
    def emit(builder, vec, x, y):
        return getattr(builder, float_instruction if is_float(vec) else integer_instruction)(x, y)

    return lambda kind: (is_float(kind) and float_instruction) or (is_integer(kind) and integer_instruction), emit


def _bitwise(instruction: str):
    return lambda kind: is_integer(kind) or is_mask(kind), lambda builder, vec, x, y: getattr(builder, instruction)(x, y)


def _shift_right(builder, vec, x, y):
    return builder.ashr(x, y) if vec.element.signed else builder.lshr(x, y)


def _comparison(symbol: str):
    def emit(builder, vec, x, y):
        if is_float(vec):
            return (builder.fcmp_unordered if symbol == "!=" else builder.fcmp_ordered)(symbol, x, y)
        return (builder.icmp_signed if vec.element.signed else builder.icmp_unsigned)(symbol, x, y)

    return lambda kind: is_float(kind) or is_integer(kind), emit


for _function, (_accept, _emit) in {
    operator.add: _arithmetic("fadd", "add"),
    operator.sub: _arithmetic("fsub", "sub"),
    operator.mul: _arithmetic("fmul", "mul"),
    operator.truediv: _arithmetic("fdiv", None),
    operator.and_: _bitwise("and_"),
    operator.or_: _bitwise("or_"),
    operator.xor: _bitwise("xor"),
    operator.lshift: (is_integer, lambda builder, vec, x, y: builder.shl(x, y)),
    operator.rshift: (is_integer, _shift_right),
}.items():
    elementwise(_function, _accept, _emit)

for _function, _symbol in {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}.items():
    elementwise(_function, *_comparison(_symbol), result=lambda vec: vec.mask)

elementwise(
    operator.neg,
    lambda kind: is_float(kind) or is_integer(kind),
    lambda builder, vec, x: builder.fneg(x) if is_float(vec) else builder.neg(x),
    arity=1,
)
elementwise(operator.invert, lambda kind: is_integer(kind) or is_mask(kind), lambda builder, vec, x: builder.not_(x), arity=1)


# --- choice ------------------------------------------------------------------------------------------------------------


def _type_select(mask, chosen, otherwise):
    if not is_mask(mask):
        return None
    vec = common((chosen, otherwise), lambda kind: True)
    if vec is None or vec.lanes != mask.lanes:
        return None
    return signature(vec, mask, *(a if isinstance(a, Vec) else vec.element for a in (chosen, otherwise)))


def _lower_select(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    chosen, otherwise = (
        value if isinstance(kind, Vec) else splat(builder, value, vector)
        for kind, value in zip(sig.args[1:], args[1:], strict=True)
    )
    return builder.select(args[0], chosen, otherwise)


operation(vocabulary.select, _type_select, _lower_select, 3)


def _reduction(every: bool):
    def lowering(context, builder, sig, args):
        word = ir.IntType(args[0].type.count)
        packed = builder.bitcast(args[0], word)
        return builder.icmp_unsigned("==" if every else "!=", packed, ir.Constant(word, -1 if every else 0))

    return lambda mask: signature(types.boolean, mask) if is_mask(mask) else None, lowering


operation(vocabulary.any_lane, *_reduction(False), 1)
operation(vocabulary.all_lanes, *_reduction(True), 1)


def _constant_of(result_type, value: Callable[[Vec], object]):
    """A property of the lane type, as a constant: a literal, so that Numba prunes the branch that is not taken."""
    return (
        lambda vec: signature(result_type, vec) if isinstance(vec, Vec) else None,
        lambda context, builder, sig, args: context.get_constant(result_type, value(sig.args[0])),
    )


operation(vocabulary.is_fast, *_constant_of(types.boolean, lambda vec: vec.fast), 1)
operation(vocabulary.lane_count, *_constant_of(types.intp, lambda vec: vec.lanes), 1)


# --- arithmetic functions ----------------------------------------------------------------------------------------------


def _mul_add(builder, vec, x, y, z):
    if vec.fast:
        return call_intrinsic(builder, f"llvm.fmuladd.{mangled(x.type)}", x.type, [x, y, z])
    return builder.fadd(builder.fmul(x, y), z)


elementwise(vocabulary.mul_add, is_float, _mul_add, arity=3)


def _float_function(function, intrinsic: str, arity: int = 1) -> None:
    def emit(builder, vec, *args):
        return call_intrinsic(builder, f"llvm.{intrinsic}.{mangled(args[0].type)}", args[0].type, list(args))

    elementwise(function, is_float, emit, arity)


# These are single instructions, or bit operations, on every target.
_float_function(vocabulary.sqrt, "sqrt")
_float_function(vocabulary.absolute, "fabs")
_float_function(vocabulary.copy_sign, "copysign", 2)
elementwise(vocabulary.is_nan, is_float, lambda builder, vec, x: builder.fcmp_unordered("uno", x, x), 1, lambda vec: vec.mask)


def _rounding(function, intrinsic: str) -> None:
    """One instruction where the CPU has it; before SSE4.1 LLVM would call a math library, so lanes do it there."""

    def typing(vec):
        return signature(vec, vec) if is_float(vec) else None

    def lowering(context, builder, sig, args):
        if sig.args[0].target.rounding:
            return call_intrinsic(builder, f"llvm.{intrinsic}.{mangled(args[0].type)}", args[0].type, list(args))
        in_lanes = portable.ROUNDING[sig.return_type.element.bitwidth][intrinsic]
        return call_lowered(context, builder, in_lanes, sig.args, args)

    operation(function, typing, lowering, 1)


_rounding(vocabulary.floor, "floor")
_rounding(vocabulary.ceil, "ceil")
_rounding(vocabulary.rint, "rint")
_rounding(vocabulary.trunc, "trunc")


def _truncated_quotient(builder, vec, x, y):
    width, is_signed, lanes = vec.element.bitwidth, vec.element.signed, vec.lanes
    if width == 64:
        return builder.sdiv(x, y) if is_signed else builder.udiv(x, y)
    # CPUs have no vector integer division. The quotient of two n-bit integers is at least 2**-n (relative) away from the
    # next integer, so a float quotient with 24 bits (n = 16) or 53 bits (n = 32), rounded once, truncates to the right one.
    inner = ir.VectorType(ir.FloatType() if width <= 16 else ir.DoubleType(), lanes)
    enter, leave = (builder.sitofp, builder.fptosi) if is_signed else (builder.uitofp, builder.fptoui)
    quotient = builder.fdiv(enter(x, inner), enter(y, inner))
    if width <= 16:
        return builder.trunc(builder.fptosi(quotient, ir.VectorType(ir.IntType(32), lanes)), x.type)
    return leave(quotient, x.type)


elementwise(vocabulary.truncated_quotient, is_integer, _truncated_quotient)
