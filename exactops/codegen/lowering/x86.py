"""What x86-64 does by instructions of its own: conversions to binary16 by F16C, lookups by the permutes of AVX-512."""

from __future__ import annotations

from llvmlite import ir

from exactops.codegen.lowering.core import INDEX, call_intrinsic, concatenate, constant, slice_lanes
from exactops.codegen.lowering.types import Vec
from exactops.lanes import vocabulary


def _to_half(builder, vec: Vec, x):
    """float32 to binary16 by F16C, eight lanes at a time, or by AVX-512, sixteen.

    Not by LLVM's own fptrunc, which it may merge with its neighbours into a conversion that needs a library call.
    """
    lanes, nearest_even = x.type.count, INDEX(0)
    results = []
    if lanes % 16 == 0 and 512 in vec.target.vector_bits:
        half, every = ir.VectorType(ir.IntType(16), 16), ir.IntType(16)(-1)
        for start in range(0, lanes, 16):
            arguments = [slice_lanes(builder, x, start, 16, 16), nearest_even, constant(half, 0), every]
            results.append(call_intrinsic(builder, "llvm.x86.avx512.mask.vcvtps2ph.512", half, arguments))
        return concatenate(builder, results)
    for start in range(0, lanes, 8):
        width = min(8, lanes - start)
        register = 8 if width > 4 else 4
        part = slice_lanes(builder, x, start, width, register)
        name = f"llvm.x86.vcvtps2ph.{32 * register}"
        eight = ir.VectorType(ir.IntType(16), 8)
        results.append(slice_lanes(builder, call_intrinsic(builder, name, eight, [part, nearest_even]), 0, width, width))
    return concatenate(builder, results)


#: What the permutes of one and of two registers call the elements of a table, by LLVM's name of the type; and their bits.
_PERMUTES = {"double": ("df", "pd", 64), "i64": ("di", "q", 64), "float": ("sf", "ps", 32)}


def _lookup(builder, vec: Vec, entries: list[ir.Constant], index):
    """Lookup of 1, 2 or 4 registers of entries by the AVX-512 permutes, one register of lanes at a time.

    Before AVX-512 there is no permute that is cheap everywhere.
    """
    element, lanes = entries[0].type, vec.lanes
    one, two, size = _PERMUTES[str(element)]
    count = 512 // size
    if 512 not in vec.target.vector_bits or lanes % count or len(entries) not in (count, 2 * count, 4 * count):
        return None
    register, words = ir.VectorType(element, count), ir.VectorType(ir.IntType(size), count)
    registers = [ir.Constant(register, entries[start : start + count]) for start in range(0, len(entries), count)]
    if len(registers) == 4:
        # The permutes themselves look at the low bits only; the choice between two of them has to, too.
        index = builder.and_(index, constant(index.type, len(entries) - 1))

    def pair(low, high, picked):
        return call_intrinsic(builder, f"llvm.x86.avx512.vpermi2var.{two}.512", register, [low, picked, high])

    parts = []
    for start in range(0, lanes, count):
        picked = slice_lanes(builder, index, start, count, count)
        if len(registers) == 1:
            parts.append(call_intrinsic(builder, f"llvm.x86.avx512.permvar.{one}.512", register, [registers[0], picked]))
        elif len(registers) == 2:
            parts.append(pair(*registers, picked))
        else:
            upper = builder.icmp_unsigned(">=", picked, constant(words, 2 * count))
            parts.append(builder.select(upper, pair(*registers[2:], picked), pair(*registers[:2], picked)))
    return slice_lanes(builder, concatenate(builder, parts), 0, lanes, lanes)


LOWERINGS = {vocabulary.to_half: _to_half, vocabulary.lookup: _lookup}
