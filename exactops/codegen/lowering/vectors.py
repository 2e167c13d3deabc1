"""The vocabulary of lanes in Numba: types for each operation, and the LLVM vector instructions it becomes.

Operators are typing templates with a ``lower_builtin`` beside them rather than overloads: such a kernel compiles in half the
time. No instruction carries a fast-math flag, and none is contracted: ``mul_add`` is the only operation that may fuse, and
only for fast lanes.
"""

from __future__ import annotations

import functools
import itertools
import operator
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, compiler, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.extending import lower_builtin
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from exactops.codegen.lowering.types import Vec
from exactops.codegen.target import target
from exactops.lanes import portable, vocabulary

_INDEX = ir.IntType(32)
_BYTE = ir.IntType(8)


# --- building blocks ----------------------------------------------------------------------------------------------------


def _splat(builder, scalar, vector: ir.VectorType):
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), scalar, _INDEX(0))
    return builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(_INDEX, vector.count), [0] * vector.count))


def _constant(vector: ir.VectorType, value):
    return ir.Constant(vector, [value] * vector.count)


def _intrinsic(builder, name: str, result, args):
    """Call the overloaded LLVM intrinsic ``llvm.<name>.<mangled types>``."""
    kind = ir.FunctionType(result, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def _mangled(vector: ir.VectorType) -> str:
    element = vector.element
    letter = {ir.FloatType: "f32", ir.DoubleType: "f64", ir.HalfType: "f16"}.get(type(element)) or f"i{element.width}"
    return f"v{vector.count}{letter}"


def _bits_vector(vector: ir.VectorType) -> ir.VectorType:
    width = {ir.FloatType: 32, ir.DoubleType: 64}[type(vector.element)]
    return ir.VectorType(ir.IntType(width), vector.count)


def _is_float(kind) -> bool:
    return isinstance(kind, Vec) and isinstance(kind.element, types.Float)


def _is_integer(kind) -> bool:
    return isinstance(kind, Vec) and isinstance(kind.element, types.Integer)


def _is_mask(kind) -> bool:
    return isinstance(kind, Vec) and kind.element == types.boolean


def _common(args, accept: Callable[[object], bool]):
    """The one lane type of the operands that are lanes; Python numbers beside it are weak. None if they do not fit."""
    lanes = {a for a in args if isinstance(a, Vec)}
    if len(lanes) != 1:
        return None
    (vec,) = lanes
    weak = types.Number if isinstance(vec.element, types.Float) else types.Integer
    if not accept(vec) or not all(isinstance(a, (Vec, weak)) for a in args):
        return None
    return vec


def _operation(function, typing: Callable, lowering: Callable, arity: int, prefer_literal: bool = False) -> None:
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


def _elementwise(function, accept, emit, arity: int = 2, result=lambda vec: vec) -> None:
    """An operation whose operands are all of one lane type, Python numbers included."""

    def typing(*args):
        vec = _common(args, accept)
        return None if vec is None else signature(result(vec), *(a if isinstance(a, Vec) else vec.element for a in args))

    def lowering(context, builder, sig, args):
        vec = next(a for a in sig.args if isinstance(a, Vec))
        vector = context.get_value_type(vec)
        values = [
            value if isinstance(kind, Vec) else _splat(builder, value, vector)
            for kind, value in zip(sig.args, args, strict=True)
        ]
        return emit(builder, vec, *values)

    _operation(function, typing, lowering, arity)


# --- operators ----------------------------------------------------------------------------------------------------------


def _arithmetic(float_instruction: str | None, integer_instruction: str | None):
    def emit(builder, vec, x, y):
        return getattr(builder, float_instruction if _is_float(vec) else integer_instruction)(x, y)

    return lambda kind: (_is_float(kind) and float_instruction) or (_is_integer(kind) and integer_instruction), emit


def _bitwise(instruction: str):
    return lambda kind: _is_integer(kind) or _is_mask(kind), lambda builder, vec, x, y: getattr(builder, instruction)(x, y)


def _shift_right(builder, vec, x, y):
    return builder.ashr(x, y) if vec.element.signed else builder.lshr(x, y)


def _comparison(symbol: str):
    def emit(builder, vec, x, y):
        if _is_float(vec):
            return (builder.fcmp_unordered if symbol == "!=" else builder.fcmp_ordered)(symbol, x, y)
        return (builder.icmp_signed if vec.element.signed else builder.icmp_unsigned)(symbol, x, y)

    return lambda kind: _is_float(kind) or _is_integer(kind), emit


for _function, (_accept, _emit) in {
    operator.add: _arithmetic("fadd", "add"),
    operator.sub: _arithmetic("fsub", "sub"),
    operator.mul: _arithmetic("fmul", "mul"),
    operator.truediv: _arithmetic("fdiv", None),
    operator.and_: _bitwise("and_"),
    operator.or_: _bitwise("or_"),
    operator.xor: _bitwise("xor"),
    operator.lshift: (_is_integer, lambda builder, vec, x, y: builder.shl(x, y)),
    operator.rshift: (_is_integer, _shift_right),
}.items():
    _elementwise(_function, _accept, _emit)

for _function, _symbol in {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}.items():
    _elementwise(_function, *_comparison(_symbol), result=lambda vec: vec.mask)

_elementwise(
    operator.neg,
    lambda kind: _is_float(kind) or _is_integer(kind),
    lambda builder, vec, x: builder.fneg(x) if _is_float(vec) else builder.neg(x),
    arity=1,
)
_elementwise(
    operator.invert, lambda kind: _is_integer(kind) or _is_mask(kind), lambda builder, vec, x: builder.not_(x), arity=1
)


# --- choice -------------------------------------------------------------------------------------------------------------


def _type_select(mask, chosen, otherwise):
    if not _is_mask(mask):
        return None
    vec = _common((chosen, otherwise), lambda kind: True)
    if vec is None or vec.lanes != mask.lanes:
        return None
    return signature(vec, mask, *(a if isinstance(a, Vec) else vec.element for a in (chosen, otherwise)))


def _lower_select(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    chosen, otherwise = (
        value if isinstance(kind, Vec) else _splat(builder, value, vector)
        for kind, value in zip(sig.args[1:], args[1:], strict=True)
    )
    return builder.select(args[0], chosen, otherwise)


_operation(vocabulary.select, _type_select, _lower_select, 3)


def _reduction(every: bool):
    def lowering(context, builder, sig, args):
        word = ir.IntType(args[0].type.count)
        packed = builder.bitcast(args[0], word)
        return builder.icmp_unsigned("==" if every else "!=", packed, ir.Constant(word, -1 if every else 0))

    return lambda mask: signature(types.boolean, mask) if _is_mask(mask) else None, lowering


_operation(vocabulary.any_lane, *_reduction(False), 1)
_operation(vocabulary.all_lanes, *_reduction(True), 1)


def _constant_of(result_type, value: Callable[[Vec], object]):
    """A property of the lane type, as a constant: a literal, so that Numba prunes the branch that is not taken."""
    return (
        lambda vec: signature(result_type, vec) if isinstance(vec, Vec) else None,
        lambda context, builder, sig, args: context.get_constant(result_type, value(sig.args[0])),
    )


_operation(vocabulary.is_fast, *_constant_of(types.boolean, lambda vec: vec.fast), 1)
_operation(vocabulary.lane_count, *_constant_of(types.intp, lambda vec: vec.lanes), 1)


# --- arithmetic functions -----------------------------------------------------------------------------------------------


def _mul_add(builder, vec, x, y, z):
    if vec.fast:
        return _intrinsic(builder, f"llvm.fmuladd.{_mangled(x.type)}", x.type, [x, y, z])
    return builder.fadd(builder.fmul(x, y), z)


_elementwise(vocabulary.mul_add, _is_float, _mul_add, arity=3)


def _float_function(function, intrinsic: str, arity: int = 1) -> None:
    def emit(builder, vec, *args):
        return _intrinsic(builder, f"llvm.{intrinsic}.{_mangled(args[0].type)}", args[0].type, list(args))

    _elementwise(function, _is_float, emit, arity)


# These are single instructions, or bit operations, on every target.
_float_function(vocabulary.sqrt, "sqrt")
_float_function(vocabulary.absolute, "fabs")
_float_function(vocabulary.copy_sign, "copysign", 2)
_elementwise(vocabulary.is_nan, _is_float, lambda builder, vec, x: builder.fcmp_unordered("uno", x, x), 1, lambda vec: vec.mask)


def _rounding(function, intrinsic: str) -> None:
    """One instruction where the CPU has it; before SSE4.1 LLVM would call a math library, so lanes do it there."""

    def typing(vec):
        return signature(vec, vec) if _is_float(vec) else None

    def lowering(context, builder, sig, args):
        if target().rounding:
            return _intrinsic(builder, f"llvm.{intrinsic}.{_mangled(args[0].type)}", args[0].type, list(args))
        in_lanes = portable.ROUNDING[sig.return_type.element.bitwidth][intrinsic]
        return call_lowered(context, builder, in_lanes, sig.args, args)

    _operation(function, typing, lowering, 1)


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


_elementwise(vocabulary.truncated_quotient, _is_integer, _truncated_quotient)


# --- bits and types -----------------------------------------------------------------------------------------------------

_UNSIGNED = {8: types.uint8, 16: types.uint16, 32: types.uint32, 64: types.uint64}
_SIGNED = {8: types.int8, 16: types.int16, 32: types.int32, 64: types.int64}
_FLOAT = {32: types.float32, 64: types.float64}
_ELEMENTS = {str(t): t for t in (*_UNSIGNED.values(), *_SIGNED.values(), *_FLOAT.values())} | {"bool": types.boolean}


def element_type(name: str) -> types.Type:
    """The Numba type of a lane element by name: float32, float64, int8 … uint64 or bool."""
    return _ELEMENTS[name]


def _reinterpretation(function, accept, family: dict) -> None:
    def typing(vec):
        element = family.get(vec.element.bitwidth) if accept(vec) else None
        return None if element is None else signature(vec.of(element), vec)

    def lowering(context, builder, sig, args):
        return builder.bitcast(args[0], context.get_value_type(sig.return_type))

    _operation(function, typing, lowering, 1)


_reinterpretation(vocabulary.bits, _is_float, _UNSIGNED)
_reinterpretation(vocabulary.from_bits, _is_integer, _FLOAT)
_reinterpretation(vocabulary.signed, _is_integer, _SIGNED)
_reinterpretation(vocabulary.unsigned, _is_integer, _UNSIGNED)


def _type_convert(vec, element):
    if not isinstance(vec, Vec) or not isinstance(element, types.StringLiteral):
        return None
    return signature(vec.of(_ELEMENTS[element.literal_value]), vec, element)


def _lower_convert(context, builder, sig, args):
    source, result, x = sig.args[0], sig.return_type, args[0]
    vector = context.get_value_type(result)
    if source.element == result.element:
        return x
    if result.element == types.boolean:
        zero = ir.Constant(x.type, None if _is_integer(source) else [0.0] * source.lanes)
        return builder.icmp_unsigned("!=", x, zero) if _is_integer(source) else builder.fcmp_unordered("!=", x, zero)
    if source.element == types.boolean:
        return builder.uitofp(x, vector) if _is_float(result) else builder.zext(x, vector)
    if _is_float(source) and _is_float(result):
        return (builder.fpext if source.element.bitwidth < result.element.bitwidth else builder.fptrunc)(x, vector)
    if _is_integer(source) and _is_float(result):
        return (builder.sitofp if source.element.signed else builder.uitofp)(x, vector)
    if _is_integer(source):
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
        x = builder.select(builder.fcmp_ordered(">", x, _constant(x.type, float(low))), x, _constant(x.type, float(low)))
        x = builder.select(builder.fcmp_ordered("<", x, _constant(x.type, float(high))), x, _constant(x.type, float(high)))
        whole = builder.select(number, builder.fptosi(x, middle), _constant(middle, 0))
        return whole if width == 32 else builder.trunc(whole, vector)
    # The lanes that truncate into range; the limits are powers of two (or -1), exact in every float type. A NaN is not one.
    above = builder.fcmp_ordered(">=", x, _constant(x.type, float(high + 1)))
    if is_signed:
        below = builder.fcmp_ordered("<", x, _constant(x.type, float(low)))
        number = builder.fcmp_ordered("ord", x, x)
        safe = builder.and_(number, builder.not_(builder.or_(above, below)))
    else:
        # Everything from -1 down saturates at 0, which is also what unsafe lanes become.
        safe = builder.and_(builder.fcmp_ordered(">", x, _constant(x.type, -1.0)), builder.not_(above))
    inside = builder.select(safe, x, _constant(x.type, 0.0))
    if width < 32:
        inside = builder.trunc(builder.fptosi(inside, middle), vector)
    else:
        inside = builder.fptosi(inside, vector) if is_signed else builder.fptoui(inside, vector)
    inside = builder.select(above, _constant(vector, high), inside)
    return builder.select(below, _constant(vector, low), inside) if is_signed else inside


_operation(vocabulary.convert, _type_convert, _lower_convert, 2, prefer_literal=True)


def _half_conversion(function, source, result, in_lanes: Callable) -> None:
    """binary16 by the CPU's own instruction, or by integer lanes where it has none (LLVM would call a library)."""

    def typing(vec):
        return signature(vec.of(result), vec) if isinstance(vec, Vec) and vec.element == source else None

    def lowering(context, builder, sig, args):
        if not target().half:
            return call_lowered(context, builder, in_lanes, sig.args, args)
        half = ir.VectorType(ir.HalfType(), sig.args[0].lanes)
        vector = context.get_value_type(sig.return_type)
        if result == types.float32:
            return builder.fpext(builder.bitcast(args[0], half), vector)
        if target().architecture == "x86_64":
            return _x86_to_half(builder, args[0])
        return builder.bitcast(builder.fptrunc(args[0], half), vector)

    _operation(function, typing, lowering, 1)


def _x86_to_half(builder, x):
    """float32 to binary16 by F16C, eight lanes at a time, or by AVX-512, sixteen.

    Not by LLVM's own fptrunc, which it may merge with its neighbours into a conversion that needs a library call.
    """
    lanes, nearest_even = x.type.count, _INDEX(0)
    results = []
    if lanes % 16 == 0 and 512 in target().vector_bits:
        half, every = ir.VectorType(ir.IntType(16), 16), ir.IntType(16)(-1)
        for start in range(0, lanes, 16):
            arguments = [_slice(builder, x, start, 16, 16), nearest_even, _constant(half, 0), every]
            results.append(_intrinsic(builder, "llvm.x86.avx512.mask.vcvtps2ph.512", half, arguments))
        return concatenate(builder, results)
    for start in range(0, lanes, 8):
        width = min(8, lanes - start)
        register = 8 if width > 4 else 4
        part = _slice(builder, x, start, width, register)
        name = f"llvm.x86.vcvtps2ph.{32 * register}"
        eight = ir.VectorType(ir.IntType(16), 8)
        results.append(_slice(builder, _intrinsic(builder, name, eight, [part, nearest_even]), 0, width, width))
    return concatenate(builder, results)


def _slice(builder, vector, start: int, count: int, padded: int):
    """``count`` lanes from ``start`` on, in a vector of ``padded`` lanes (the rest repeat one of them)."""
    if start == 0 and count == padded == vector.type.count:
        return vector
    chosen = [start + lane if lane < count else 0 for lane in range(padded)]
    picked = ir.Constant(ir.VectorType(_INDEX, padded), chosen)
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), picked)


def concatenate(builder, parts):
    """Vectors of equal length one behind the other."""
    while len(parts) > 1:
        together = ir.Constant(ir.VectorType(_INDEX, 2 * parts[0].type.count), list(range(2 * parts[0].type.count)))
        if len(parts) % 2:
            parts = [*parts, ir.Constant(parts[0].type, ir.Undefined)]
        parts = [builder.shuffle_vector(parts[i], parts[i + 1], together) for i in range(0, len(parts), 2)]
    return parts[0]


_half_conversion(vocabulary.from_half, types.uint16, types.float32, portable.half_to_single)
_half_conversion(vocabulary.to_half, types.float32, types.uint16, portable.single_to_half)


# --- tables and memory --------------------------------------------------------------------------------------------------


def _is_table(table, index, kinds) -> bool:
    return (
        isinstance(table, types.UniTuple)
        and _is_integer(index)
        and not len(table) & (len(table) - 1)
        and isinstance(table.dtype, kinds)
    )


def _type_lookup(table, index):
    if not _is_table(table, index, (types.Float, types.Integer)):
        return None
    element = types.float64 if isinstance(table.dtype, types.Float) else types.int64
    return signature(index.of(element), table, index)


def _type_lookup_single(table, index):
    return signature(index.of(types.float32), table, index) if _is_table(table, index, types.Float) else None


def constants_of_tuple(value) -> list:
    """The constants of a global tuple, which Numba has built as a chain of ``insertvalue``."""
    found: dict[int, ir.Constant] = {}
    while isinstance(value, ir.instructions.InsertValue):
        found.setdefault(value.indices[0], value.operands[1])
        value = value.operands[0]
    if isinstance(value, ir.Constant) and isinstance(value.constant, (list, tuple)):
        for position, constant in enumerate(value.constant):
            found.setdefault(position, constant)
    return [found[position] for position in range(len(found))]


def _lower_lookup(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    entries = constants_of_tuple(args[0])
    if len(entries) != len(sig.args[0]):
        raise TypeError("the table of a lookup must be a tuple of constants at module level")
    entries = [ir.Constant(vector.element, entry.constant) for entry in entries]
    size = _BITS[str(vector.element)]
    index, words = args[1], ir.VectorType(ir.IntType(size), vector.count)
    if index.type != words:
        widen = builder.zext if index.type.element.width < size else builder.trunc
        index = widen(index, words)
    fitting = 512 // size
    permuted = 512 in target().vector_bits and vector.count % fitting == 0
    if permuted and len(entries) in (fitting, 2 * fitting):
        # The permutes look at the low bits only.
        return _permute(builder, vector, entries, index)
    index = builder.and_(index, _constant(words, len(entries) - 1))
    if permuted and len(entries) == 4 * fitting:
        return _permute(builder, vector, entries, index)
    # Elsewhere a table in memory: there is no permute that is cheap everywhere.
    name = builder.module.get_unique_name("lookup_table")
    array = ir.ArrayType(vector.element, len(entries))
    table = ir.GlobalVariable(builder.module, array, name)
    table.initializer, table.global_constant, table.linkage = ir.Constant(array, entries), True, "private"
    table.unnamed_addr, table.align = True, 64
    result = ir.Constant(vector, ir.Undefined)
    for lane in range(vector.count):
        position = builder.extract_element(index, _INDEX(lane))
        entry = builder.load(builder.gep(table, [ir.IntType(64)(0), builder.zext(position, ir.IntType(64))], inbounds=True))
        result = builder.insert_element(result, entry, _INDEX(lane))
    return result


#: Of the elements of tables: their size, and what the permutes of one and of two registers call them.
_BITS = {"double": 64, "i64": 64, "float": 32}
_PERMUTES = {"double": ("df", "pd"), "i64": ("di", "q"), "float": ("sf", "ps")}


def _permute(builder, vector, entries, index):
    """In-register lookup by the AVX-512 permutes, one register of lanes at a time."""
    size, (one, two) = _BITS[str(vector.element)], _PERMUTES[str(vector.element)]
    count = 512 // size
    register, words = ir.VectorType(vector.element, count), ir.VectorType(ir.IntType(size), count)
    registers = [ir.Constant(register, entries[start : start + count]) for start in range(0, len(entries), count)]

    def pair(low, high, picked):
        return _intrinsic(builder, f"llvm.x86.avx512.vpermi2var.{two}.512", register, [low, picked, high])

    parts = []
    for start in range(0, vector.count, count):
        picked = _slice(builder, index, start, count, count)
        if len(registers) == 1:
            parts.append(_intrinsic(builder, f"llvm.x86.avx512.permvar.{one}.512", register, [registers[0], picked]))
        elif len(registers) == 2:
            parts.append(pair(*registers, picked))
        else:
            upper = builder.icmp_unsigned(">=", picked, _constant(words, 2 * count))
            parts.append(builder.select(upper, pair(*registers[2:], picked), pair(*registers[:2], picked)))
    return _slice(builder, concatenate(builder, parts), 0, vector.count, vector.count)


# The lanes are the second operand, so the general registration serves.
_operation(vocabulary.lookup, _type_lookup, _lower_lookup, 2)
_operation(vocabulary.lookup_single, _type_lookup_single, _lower_lookup, 2)


class _Load(AbstractTemplate):
    key, prefer_literal = vocabulary.load, True

    def generic(self, args, kws):
        if len(args) != 3 or not isinstance(args[1], types.StringLiteral) or not isinstance(args[2], types.IntegerLiteral):
            return None
        return signature(Vec(_ELEMENTS[args[1].literal_value], args[2].literal_value), types.intp, args[1], args[2])


infer_global(vocabulary.load)(_Load)


@lower_builtin(vocabulary.load, types.Integer, types.StringLiteral, types.IntegerLiteral)
def _lower_load(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    return load_lanes(builder, builder.inttoptr(args[0], _BYTE.as_pointer()), vector)


_operation(
    vocabulary.store,
    lambda address, vec: (
        signature(types.void, types.intp, vec) if isinstance(vec, Vec) and isinstance(address, types.Integer) else None
    ),
    lambda context, builder, sig, args: (
        store_lanes(builder, args[1], builder.inttoptr(args[0], _BYTE.as_pointer())) or context.get_dummy_value()
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


# --- lane functions: helpers of kernels, and kernels themselves ----------------------------------------------------------


@dataclass(frozen=True)
class Lowered:
    """A function over lanes as LLVM bitcode, with what is needed to call it."""

    signature: Any
    description: Any
    bitcode: bytes


_FLAGS = compiler.Flags()
_FLAGS.no_compile = _FLAGS.no_cpython_wrapper = _FLAGS.no_cfunc_wrapper = _FLAGS.no_rewrites = True
_FLAGS.forceinline = True
_FLAGS.error_model = "numpy"

_lowered: dict[tuple, Lowered] = {}
_lock = threading.RLock()


def lower(function: Callable, arguments: Sequence[types.Type]) -> Lowered:
    """Lower a function over lanes for these argument types, once a process.

    Only Numba's front half runs (typing and lowering): no machine code is made, and the function is always inlined.
    """
    key = (function, *arguments)
    with _lock, global_compiler_lock:
        found = _lowered.get(key)
        if found is None:
            _register_lane_functions()
            context = cpu_target.target_context
            compiled = compiler.compile_extra(cpu_target.typing_context, context, function, tuple(arguments), None, _FLAGS, {})
            module = llvm.parse_assembly(compiled.library.get_llvm_str())
            for defined in module.functions:
                # A helper may be linked in twice (odr), and before its caller is (weak: linkonce would be dropped).
                if not defined.is_declaration:
                    defined.linkage = "weak_odr"
            for variable in module.global_variables:
                # Numba makes one environment a function, a global that lane code never reads. The tables of lookups are private
                # already, and have to stay so: equal names in two modules are two tables.
                if variable.name.startswith("_ZN08NumbaEnv"):
                    variable.linkage = "internal"
            found = _lowered[key] = Lowered(compiled.signature, compiled.fndesc, module.as_bitcode())
    return found


def call_lowered(context, builder, function: Callable, kinds: Sequence[types.Type], values: Sequence):
    """Emit a call of a function over lanes inside a function that Numba is lowering, and link it in."""
    lowered = lower(function, kinds)
    # Straight into the module that Numba is making: its own way of adding one optimises the functions anew each time.
    module = context.active_code_library._final_module
    if not any(f.name == lowered.description.mangled_name and not f.is_declaration for f in module.functions):
        module.link_in(llvm.parse_bitcode(lowered.bitcode))
    _, result = context.call_internal_no_propagate(builder, lowered.description, lowered.signature, values)
    return result


_registered: set[Callable] = set()


def _register_lane_functions() -> None:
    for function in [f for f in vocabulary.LANE_FUNCTIONS if f not in _registered]:
        _registered.add(function)
        infer_global(function, types.Function(_lane_function_template(function)))
        lower_builtin(function, types.VarArg(types.Any))(functools.partial(_lower_lane_function, function))
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


def _lane_function_template(function):
    class Template(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            return None if kws else lower(function, args).signature

    return Template


def _lower_lane_function(function, context, builder, sig, args):
    return call_lowered(context, builder, function, sig.args, args)


def register() -> None:
    """Entry point for Numba (``numba_extensions``): makes the vocabulary known to any ``@njit`` function."""
    with _lock:
        _register_lane_functions()


# The words for polynomials are made of those above.
from exactops.codegen.lowering import polynomials as _polynomials  # noqa: E402, F401
