"""Bit patterns, and conversions between element types."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature

from exactops.codegen.lowering import specific
from exactops.codegen.lowering.core import (
    ELEMENTS,
    FLOAT,
    SIGNED,
    UNSIGNED,
    constant,
    is_float,
    is_integer,
    operation,
)
from exactops.codegen.lowering.functions import call_lowered
from exactops.codegen.lowering.types import Vec
from exactops.lanes import portable, vocabulary


def _reinterpretation(function, accept, family: dict) -> None:
    def typing(vec):
        element = family.get(vec.element.bitwidth) if accept(vec) else None
        return None if element is None else signature(vec.of(element), vec)

    def lowering(context, builder, sig, args):
        return builder.bitcast(args[0], context.get_value_type(sig.return_type))

    operation(function, typing, lowering, 1)


_reinterpretation(vocabulary.bits, is_float, UNSIGNED)
_reinterpretation(vocabulary.from_bits, is_integer, FLOAT)
_reinterpretation(vocabulary.signed, is_integer, SIGNED)
_reinterpretation(vocabulary.unsigned, is_integer, UNSIGNED)


def _type_convert(vec, element):
    if not isinstance(vec, Vec) or not isinstance(element, types.StringLiteral):
        return None
    return signature(vec.of(ELEMENTS[element.literal_value]), vec, element)


def _lower_convert(context, builder, sig, args):
    source, result, x = sig.args[0], sig.return_type, args[0]
    vector = context.get_value_type(result)
    if source.element == result.element:
        return x
    if result.element == types.boolean:
        zero = ir.Constant(x.type, None if is_integer(source) else [0.0] * source.lanes)
        return builder.icmp_unsigned("!=", x, zero) if is_integer(source) else builder.fcmp_unordered("!=", x, zero)
    if source.element == types.boolean:
        return builder.uitofp(x, vector) if is_float(result) else builder.zext(x, vector)
    if is_float(source) and is_float(result):
        return (builder.fpext if source.element.bitwidth < result.element.bitwidth else builder.fptrunc)(x, vector)
    if is_integer(source) and is_float(result):
        return (builder.sitofp if source.element.signed else builder.uitofp)(x, vector)
    if is_integer(source):
        if result.element.bitwidth == source.element.bitwidth:
            return x
        if result.element.bitwidth < source.element.bitwidth:
            return builder.trunc(x, vector)
        return (builder.sext if source.element.signed else builder.zext)(x, vector)
    return _saturate(builder, source, result, x, vector)


def _saturate(builder, source: Vec, result: Vec, x, vector):
    """Float to integer: toward zero, saturating, NaN to 0. Plain ``fptosi`` out of range is poison."""
    width, is_signed = result.element.bitwidth, result.element.signed
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    middle = ir.VectorType(ir.IntType(32), vector.count)
    if is_signed and width <= source.element.bitwidth // 2:
        # The limits are exact in the source type: clamp (a NaN becomes the lower one), convert, and clear the NaNs.
        number = builder.fcmp_ordered("ord", x, x)
        x = builder.select(builder.fcmp_ordered(">", x, constant(x.type, float(low))), x, constant(x.type, float(low)))
        x = builder.select(builder.fcmp_ordered("<", x, constant(x.type, float(high))), x, constant(x.type, float(high)))
        whole = builder.select(number, builder.fptosi(x, middle), constant(middle, 0))
        return whole if width == 32 else builder.trunc(whole, vector)
    # The lanes that truncate into range; the limits are powers of two (or -1), exact in every float type. A NaN is not one.
    above = builder.fcmp_ordered(">=", x, constant(x.type, float(high + 1)))
    if is_signed:
        below = builder.fcmp_ordered("<", x, constant(x.type, float(low)))
        number = builder.fcmp_ordered("ord", x, x)
        safe = builder.and_(number, builder.not_(builder.or_(above, below)))
    else:
        # Everything from -1 down saturates at 0, which is also what unsafe lanes become.
        safe = builder.and_(builder.fcmp_ordered(">", x, constant(x.type, -1.0)), builder.not_(above))
    inside = builder.select(safe, x, constant(x.type, 0.0))
    if width < 32:
        inside = builder.trunc(builder.fptosi(inside, middle), vector)
    else:
        inside = builder.fptosi(inside, vector) if is_signed else builder.fptoui(inside, vector)
    inside = builder.select(above, constant(vector, high), inside)
    return builder.select(below, constant(vector, low), inside) if is_signed else inside


operation(vocabulary.convert, _type_convert, _lower_convert, 2, prefer_literal=True)


def _half_conversion(function, source, result, in_lanes: Callable) -> None:
    """binary16 by the CPU's own instruction, or by integer lanes where it has none (LLVM would call a library)."""

    def typing(vec):
        return signature(vec.of(result), vec) if isinstance(vec, Vec) and vec.element == source else None

    def lowering(context, builder, sig, args):
        vec = sig.args[0]
        if not vec.target.half:
            return call_lowered(context, builder, in_lanes, sig.args, args)
        found = specific.lower(function, builder, vec, *args)
        if found is not None:
            return found
        half, vector = ir.VectorType(ir.HalfType(), vec.lanes), context.get_value_type(sig.return_type)
        if result == types.float32:
            return builder.fpext(builder.bitcast(args[0], half), vector)
        return builder.bitcast(builder.fptrunc(args[0], half), vector)

    operation(function, typing, lowering, 1)


_half_conversion(vocabulary.from_half, types.uint16, types.float32, portable.half_to_single)
_half_conversion(vocabulary.to_half, types.float32, types.uint16, portable.single_to_half)
