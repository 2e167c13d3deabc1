"""Wide integers as LLVM integers of 256 bits, and the calls of scalar functions for single lanes."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable, Sequence

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.core.extending import lower_builtin, lower_cast, typeof_impl
from numba.core.imputils import lower_constant
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from exactops.codegen.lowering.core import call_intrinsic, is_mask
from exactops.codegen.lowering.functions import call_lowered, lower
from exactops.codegen.lowering.tables import constant_array
from exactops.codegen.lowering.types import Vec
from exactops.lanes import wide_integers as words
from exactops.lanes.wide_integers import FRACTION, SCALAR_FUNCTIONS, WIDTH, Wide, WideTable

_WIDE, _WORD, _PRODUCT = ir.IntType(WIDTH), ir.IntType(64), ir.IntType(128)
_LIMBS = WIDTH // 64


class WideType(types.Type):
    """The Numba type of wide integers."""

    def __init__(self) -> None:
        super().__init__(name="Wide")

    def can_convert_from(self, typingctx, other):
        """A Numba integer becomes a wide one of the same value."""
        return Conversion.safe if isinstance(other, types.Integer) else None


WIDE = WideType()


class WideTableType(types.Type):
    """The Numba type of one table of wide constants; its values hold nothing."""

    def __init__(self, table: WideTable):
        self.table = table
        digest = hashlib.sha256(b"".join(entry.to_bytes(WIDTH // 8, "little", signed=True) for entry in table))
        super().__init__(name=f"WideTable({digest.hexdigest()[:32]})")


@register_default(WideType)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager, fe_type):
        super().__init__(manager, fe_type, _WIDE)


register_default(WideTableType)(models.OpaqueModel)


@typeof_impl.register(Wide)
def _typeof_wide(value, context):
    return WIDE


@typeof_impl.register(WideTable)
def _typeof_table(value, context):
    return WideTableType(value)


@lower_constant(WideType)
def _wide_constant(context, builder, kind, value):
    return _WIDE(int(value))


@lower_constant(WideTableType)
def _table_constant(context, builder, kind, value):
    return context.get_dummy_value()


def _widen(context, builder, source, target, value):
    return (builder.sext if source.signed else builder.zext)(value, _WIDE)


lower_cast(types.Integer, WideType)(_widen)


@lower_cast(types.IntegerLiteral, WideType)
def _widen_literal(context, builder, source, target, value):
    return _WIDE(source.literal_value)


# --- operators and words -----------------------------------------------------------------------------------------------


def _is_wide(kind) -> bool:
    return isinstance(kind, WideType)


def _word(function, typing: Callable, emit: Callable) -> None:
    """Give a word its typing, ``typing(*kinds)`` to a signature or None, and its lowering ``emit(builder, sig, *values)``."""

    class Template(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            try:
                return None if kws else typing(*args)
            except TypeError:  # another number of operands
                return None

    infer_global(function)(Template)
    lower_builtin(function, types.VarArg(types.Any))(lambda context, builder, sig, args: emit(builder, sig, *args))


def _operator(function, result, emit: Callable) -> None:
    """An operator between wide integers, or one and a Numba integer."""

    def typing(x, y):
        if (_is_wide(x) or _is_wide(y)) and all(_is_wide(kind) or isinstance(kind, types.Integer) for kind in (x, y)):
            return signature(result, WIDE, WIDE)
        return None

    class Template(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            return typing(*args) if len(args) == 2 and not kws else None

    infer_global(function)(Template)
    lower_builtin(function, WideType, WideType)(lambda context, builder, sig, args: emit(builder, *args))


def _shift_right(builder, x, count):
    # All shifts by 255 or more are the sign, and LLVM leaves those by 256 or more undefined.
    most = _WIDE(WIDTH - 1)
    return builder.ashr(x, builder.select(builder.icmp_unsigned("<", count, most), count, most))


for _function, _emit in {
    operator.add: lambda builder, x, y: builder.add(x, y),
    operator.sub: lambda builder, x, y: builder.sub(x, y),
    operator.mul: lambda builder, x, y: builder.mul(x, y),
    operator.and_: lambda builder, x, y: builder.and_(x, y),
    operator.or_: lambda builder, x, y: builder.or_(x, y),
    operator.lshift: lambda builder, x, y: builder.shl(x, y),
    operator.rshift: _shift_right,
}.items():
    _operator(_function, WIDE, _emit)


def _comparison(symbol: str) -> Callable:
    return lambda builder, x, y: builder.icmp_signed(symbol, x, y)


for _function, _symbol in {
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.eq: "==",
    operator.ne: "!=",
}.items():
    _operator(_function, types.boolean, _comparison(_symbol))


def _of_wide(result) -> Callable:
    return lambda n: signature(result, WIDE) if _is_wide(n) or isinstance(n, types.Integer) else None


_word(operator.neg, lambda n: signature(WIDE, WIDE) if _is_wide(n) else None, lambda builder, sig, n: builder.neg(n))
_word(words.wide, _of_wide(WIDE), lambda builder, sig, n: n)
_word(words.narrow, _of_wide(types.int64), lambda builder, sig, n: builder.trunc(n, _WORD))
_word(
    words.wide_bits,
    lambda x: signature(WIDE, types.float64) if isinstance(x, types.Float) else None,
    lambda builder, sig, x: builder.zext(builder.bitcast(x, _WORD), _WIDE),
)
_word(
    words.from_wide_bits,
    _of_wide(types.float64),
    lambda builder, sig, n: builder.bitcast(builder.trunc(n, _WORD), ir.DoubleType()),
)


def _bit_length(builder, sig, n):
    zeros = call_intrinsic(builder, f"llvm.ctlz.i{WIDTH}", _WIDE, [n, ir.IntType(1)(0)])
    return builder.sub(_WIDE(WIDTH), zeros)


_word(words.bit_length, _of_wide(WIDE), _bit_length)


# --- products ----------------------------------------------------------------------------------------------------------


def _function(module, name: str, arguments: Sequence[ir.Type], emit: Callable) -> ir.Function:
    """A function of a module that returns a wide integer, made once, and never inlined: it is long."""
    if name in module.globals:
        return module.globals[name]
    function = ir.Function(module, ir.FunctionType(_WIDE, arguments), name)
    function.linkage = "linkonce_odr"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    builder.ret(emit(builder, *function.args))
    return function


def _whole_product(builder, x, y):
    """``(lowest 256 bits as limbs, highest 256 bits)`` of the signed product: schoolbook, each step within 128 bits."""
    limbs = [[builder.trunc(builder.lshr(n, _WIDE(64 * k)), _WORD) for k in range(_LIMBS)] for n in (x, y)]
    wide = [[builder.zext(limb, _PRODUCT) for limb in each] for each in limbs]
    result = [_PRODUCT(0)] * (2 * _LIMBS)
    for i in range(_LIMBS):
        carry = _PRODUCT(0)
        for j in range(_LIMBS):
            total = builder.add(builder.add(builder.mul(wide[0][i], wide[1][j]), result[i + j]), carry)
            result[i + j] = builder.zext(builder.trunc(total, _WORD), _PRODUCT)
            carry = builder.lshr(total, _PRODUCT(64))
        result[i + _LIMBS] = carry
    high = _WIDE(0)
    for k in range(_LIMBS):
        high = builder.or_(high, builder.shl(builder.zext(result[_LIMBS + k], _WIDE), _WIDE(64 * k)))
    # What was multiplied are the values modulo 2**256: a negative one was 2**256 too large.
    for n, other in ((x, y), (y, x)):
        high = builder.sub(high, builder.select(builder.icmp_signed("<", n, _WIDE(0)), other, _WIDE(0)))
    return result[:_LIMBS], high


def _scaled(builder, x, y):
    low, high = _whole_product(builder, x, y)
    return builder.or_(builder.zext(low[FRACTION // 64], _WIDE), builder.shl(high, _WIDE(WIDTH - FRACTION)))


def _scaled_product(builder, x, y):
    return builder.call(_function(builder.module, "exactops_scaled_product", [_WIDE, _WIDE], _scaled), [x, y])


def _high_product(builder, x, y):
    emit = _function(builder.module, "exactops_high_product", [_WIDE, _WIDE], lambda b, x, y: _whole_product(b, x, y)[1])
    return builder.call(emit, [x, y])


_operator(words.scaled_product, WIDE, _scaled_product)
_operator(words.high_product, WIDE, _high_product)


# --- tables ------------------------------------------------------------------------------------------------------------


def _entries(builder, table: WideTable):
    """The address of the first entry of a table."""
    array = ir.ArrayType(_WIDE, len(table))
    return constant_array(builder, ir.Constant(array, [ir.Constant(_WIDE, int(entry)) for entry in table]))


def _entry(builder, sig, table, index):
    kind = sig.args[0].table
    place = builder.gep(_entries(builder, kind), [_WORD(0), builder.trunc(index, _WORD)], inbounds=True)
    return builder.load(place)


def _horner(builder, x, first, count):
    """Horner's rule over entries in memory, the last first."""
    entry, head, after = builder.block, builder.append_basic_block("head"), builder.append_basic_block("after")
    last = builder.sub(count, _WORD(1))
    start = builder.load(builder.gep(first, [last]))
    builder.branch(head)
    builder.position_at_end(head)
    number, total = builder.phi(_WORD), builder.phi(_WIDE)
    lower = builder.sub(number, _WORD(1))
    following = builder.add(_scaled_product(builder, total, x), builder.load(builder.gep(first, [lower])))
    for phi, before, later in ((number, last, lower), (total, start, following)):
        phi.add_incoming(before, entry)
        phi.add_incoming(later, head)
    builder.cbranch(builder.icmp_unsigned("!=", lower, _WORD(0)), head, after)
    builder.position_at_end(after)
    return following


def _polynomial(builder, sig, x, coefficients):
    table = sig.args[1].table
    emit = _function(builder.module, "exactops_wide_polynomial", [_WIDE, _WIDE.as_pointer(), _WORD], _horner)
    first = builder.gep(_entries(builder, table), [_WORD(0), _WORD(0)], inbounds=True)
    return builder.call(emit, [x, first, _WORD(len(table))])


def _type_entry(table, index):
    fits = isinstance(table, WideTableType) and (_is_wide(index) or isinstance(index, types.Integer))
    return signature(WIDE, table, WIDE) if fits else None


def _type_polynomial(x, coefficients):
    fits = _is_wide(x) and isinstance(coefficients, WideTableType) and len(coefficients.table) > 1
    return signature(WIDE, x, coefficients) if fits else None


_word(words.wide_entry, _type_entry, _entry)
_word(words.wide_polynomial, _type_polynomial, _polynomial)


# --- calls for single lanes --------------------------------------------------------------------------------------------


@infer_global(words.recompute)
class _Recompute(AbstractTemplate):
    def generic(self, args, kws):
        if kws or len(args) < 4 or not is_mask(args[0]) or not isinstance(args[2], types.Function):
            return None
        values, function, *operands = args[1:]
        if function.typing_key not in SCALAR_FUNCTIONS or not all(isinstance(each, Vec) for each in operands):
            return None
        several = isinstance(values, types.BaseTuple)
        wanted = tuple(each.element for each in values) if several else values.element
        found = lower(function.typing_key, [each.element for each in operands]).signature.return_type
        got = tuple(found) if several and isinstance(found, types.BaseTuple) else found
        return signature(values, *args) if got == wanted else None


@lower_builtin(words.recompute, types.VarArg(types.Any))
def _lower_recompute(context, builder, sig, args):
    mask, values = args[:2]
    function, kinds = sig.args[2].typing_key, [kind.element for kind in sig.args[3:]]
    several = isinstance(sig.args[1], types.BaseTuple)
    results = [builder.extract_value(values, k) for k in range(len(sig.args[1]))] if several else [values]
    before, head, after = builder.block, builder.append_basic_block("lane"), builder.append_basic_block("after")
    waiting = builder.zext(builder.bitcast(mask, ir.IntType(mask.type.count)), _WORD)
    builder.cbranch(builder.icmp_unsigned("!=", waiting, _WORD(0)), head, after)
    builder.position_at_end(head)
    left = builder.phi(_WORD)
    left.add_incoming(waiting, before)
    current = [builder.phi(each.type) for each in results]
    lane = call_intrinsic(builder, "llvm.cttz.i64", _WORD, [left, ir.IntType(1)(1)])
    scalars = [builder.extract_element(operand, lane) for operand in args[3:]]
    found = call_lowered(context, builder, function, kinds, scalars)
    parts = [builder.extract_value(found, k) for k in range(len(results))] if several else [found]
    updated = [builder.insert_element(vector, part, lane) for vector, part in zip(current, parts, strict=True)]
    rest = builder.and_(left, builder.sub(left, _WORD(1)))
    end = builder.block
    builder.cbranch(builder.icmp_unsigned("!=", rest, _WORD(0)), head, after)
    left.add_incoming(rest, end)
    for phi, first, later in zip(current, results, updated, strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(later, end)
    builder.position_at_end(after)
    final = [builder.phi(each.type) for each in results]
    for phi, first, later in zip(final, results, updated, strict=True):
        phi.add_incoming(first, before)
        phi.add_incoming(later, end)
    return context.make_tuple(builder, sig.return_type, final) if several else final[0]
