"""Lookups in small tables of constants."""

from __future__ import annotations

import hashlib

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.core.extending import typeof_impl
from numba.core.imputils import lower_constant
from numba.core.typing.templates import signature

from exactops.codegen.compiler import TABLE_PREFIX
from exactops.codegen.lowering import specific
from exactops.codegen.lowering.core import INDEX, concatenate, constant, is_integer, operation, slice_lanes
from exactops.lanes import vocabulary
from exactops.lanes.vocabulary import Table

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


# --- tables of rows ----------------------------------------------------------------------------------------------------


class TableType(types.Type):
    """The Numba type of one table of rows; its values hold nothing."""

    def __init__(self, table: Table):
        self.table = table
        digest = hashlib.sha256(repr(table.rows.shape).encode() + table.rows.tobytes()).hexdigest()
        super().__init__(name=f"Table({digest[:32]})")


register_default(TableType)(models.OpaqueModel)


@typeof_impl.register(Table)
def _typeof_table(value, context):
    return TableType(value)


@lower_constant(TableType)
def _table_constant(context, builder, kind, value):
    return context.get_dummy_value()


def constant_array(builder, initializer: ir.Constant):
    """A constant array in memory, one for all modules that have it: the name is its content."""
    name = TABLE_PREFIX + hashlib.sha256(str(initializer).encode()).hexdigest()[:32]
    module = builder.module
    if name in module.globals:
        return module.globals[name]
    array = ir.GlobalVariable(module, initializer.type, name)
    array.initializer, array.global_constant, array.linkage = initializer, True, "linkonce_odr"
    array.unnamed_addr, array.align = True, 64
    return array


def _type_lookup_rows(table, index):
    if not isinstance(table, TableType) or not is_integer(index) or index.element.bitwidth != 64:
        return None
    return signature(types.UniTuple(index.of(types.float64), table.table.columns), table, index)


def _lower_lookup_rows(context, builder, sig, args):
    table, index, vec = sig.args[0].table, args[1], sig.args[1]
    rows, columns = table.rows.shape
    row = ir.ArrayType(ir.DoubleType(), columns)
    whole = ir.ArrayType(row, rows)
    entries = [ir.Constant(row, [ir.Constant(ir.DoubleType(), float(each)) for each in line]) for line in table.rows]
    array = constant_array(builder, ir.Constant(whole, entries))
    index = builder.and_(index, constant(index.type, rows - 1))
    # One register of lanes at a time: a pair of columns of a lane is one load of 128 bits, and the pairs of the even and of
    # the odd lanes lie side by side, so that one unpacking gives each column.
    count = min(vec.lanes, max(2, vec.target.vector_bits[0] // 64))
    count = 1 << (count - 1).bit_length()
    found: list[list] = [[] for _ in range(columns)]
    for start in range(0, vec.lanes, count):
        places = []
        for lane in range(start, min(start + count, vec.lanes)):
            position = builder.extract_element(index, INDEX(lane))
            places.append(builder.gep(array, [ir.IntType(64)(0), position], inbounds=True))
        places += places[-1:] * (count - len(places))  # a number of lanes that is no power of two, which only users have
        for column in range(0, columns, 2):
            for number, part in enumerate(_two_columns(builder, places, column)):
                found[column + number].append(part)
    results = [slice_lanes(builder, concatenate(builder, parts), 0, vec.lanes, vec.lanes) for parts in found]
    return context.make_tuple(builder, sig.return_type, results)


def _two_columns(builder, places, column: int):
    """Two neighbouring columns of the rows at these addresses."""
    pair = ir.VectorType(ir.DoubleType(), 2)
    loaded = []
    for place in places:
        address = builder.gep(place, [INDEX(0), INDEX(column)], inbounds=True)
        value = builder.load(builder.bitcast(address, pair.as_pointer()))
        value.align = 16 if place.type.pointee.count % 2 == 0 else 8
        loaded.append(value)
    count = len(loaded)
    if count == 1:
        one = ir.VectorType(INDEX, 1)
        return [builder.shuffle_vector(loaded[0], loaded[0], ir.Constant(one, [number])) for number in range(2)]
    even, odd = (concatenate(builder, loaded[first::2]) for first in range(2))
    results = []
    for number in range(2):
        chosen = [lane + number + (count if odd_lane else 0) for lane in range(0, count, 2) for odd_lane in range(2)]
        results.append(builder.shuffle_vector(even, odd, ir.Constant(ir.VectorType(INDEX, count), chosen)))
    return results


operation(vocabulary.lookup_rows, _type_lookup_rows, _lower_lookup_rows, 2)
