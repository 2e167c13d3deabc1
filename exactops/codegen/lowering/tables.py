"""Lookups in small tables of constants."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature

from exactops.codegen.lowering import specific
from exactops.codegen.lowering.core import INDEX, constant, is_integer, operation
from exactops.lanes import vocabulary

#: Bits of the elements of tables, by LLVM's name of the type.
ELEMENT_BITS = {"double": 64, "i64": 64, "float": 32}


def _is_table(table, index, kinds) -> bool:
    return (
        isinstance(table, types.UniTuple)
        and is_integer(index)
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
        for position, entry in enumerate(value.constant):
            found.setdefault(position, entry)
    return [found[position] for position in range(len(found))]


def _lower_lookup(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    entries = constants_of_tuple(args[0])
    if len(entries) != len(sig.args[0]):
        raise TypeError("the table of a lookup must be a tuple of constants at module level")
    entries = [ir.Constant(vector.element, entry.constant) for entry in entries]
    size = ELEMENT_BITS[str(vector.element)]
    index, words = args[1], ir.VectorType(ir.IntType(size), vector.count)
    if index.type != words:
        widen = builder.zext if index.type.element.width < size else builder.trunc
        index = widen(index, words)
    found = specific.lower(vocabulary.lookup, builder, sig.return_type, entries, index)
    if found is not None:
        return found
    index = builder.and_(index, constant(words, len(entries) - 1))
    # A table in memory.
    name = builder.module.get_unique_name("lookup_table")
    array = ir.ArrayType(vector.element, len(entries))
    table = ir.GlobalVariable(builder.module, array, name)
    table.initializer, table.global_constant, table.linkage = ir.Constant(array, entries), True, "private"
    table.unnamed_addr, table.align = True, 64
    result = ir.Constant(vector, ir.Undefined)
    for lane in range(vector.count):
        position = builder.extract_element(index, INDEX(lane))
        entry = builder.load(builder.gep(table, [ir.IntType(64)(0), builder.zext(position, ir.IntType(64))], inbounds=True))
        result = builder.insert_element(result, entry, INDEX(lane))
    return result


# The lanes are the second operand, so the general registration serves.
operation(vocabulary.lookup, _type_lookup, _lower_lookup, 2)
operation(vocabulary.lookup_single, _type_lookup_single, _lower_lookup, 2)
