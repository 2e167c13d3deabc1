"""What the machine code of a loop holds: instructions, registers, and the symbols that it needs from outside.

It is the code that runs: as the cache has it, compiled where it does not have it yet.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable

import llvmlite.binding as llvm

from exactops.codegen import loops
from exactops.codegen.specification import LoopSpecification
from exactops.codegen.target import host_target
from exactops.runtime import object_cache

FLOATS = frozenset(("f16", "bf16", "f32", "f64"))

FUSED = re.compile(r"^(v?fn?m(add|sub)\w*|fml[as]\w*|fnm(add|sub|la|ls)\w*)$")
#: The registers of each path.
WIDE = {"avx512": r"\bzmm\d", "avx2": r"\bymm\d", "sse2": r"\bxmm\d", "neon": r"\bv\d+\.|\bq\d+\b"}
#: Instructions that name only their result, of half the width: 64 bits to float32 straight from memory.
NARROWING = {"avx512": r"^vcvt(pd|qq|uqq)2ps ymm", "avx2": r"^vcvt(pd|qq|uqq)2ps xmm\d+,yword"}

#: Kernels that may do without vector instructions of the path's width, and why.
NOT_WIDE = {
    "exactops.ops.division:fmod_single": "float modulus is a loop of long division",
    "exactops.ops.division:fmod_double": "float modulus is a loop of long division",
}


def machine_code(loop: LoopSpecification) -> bytes:
    """The object code of a loop, from the cache or compiled into it."""
    key = object_cache.key_of(loop.description)
    code = object_cache.load(key)
    if code is None:
        code = compiled(loop)
        object_cache.save(key, code)
    return code


def compiled(loop: LoopSpecification) -> bytes:
    """The object code of a loop, compiled now."""
    return loops.machine_code(loop, host_target())


def instructions(code: bytes) -> list[str]:
    """Every instruction of object code: a name and its operands."""
    found = []
    for section in llvm.ObjectFileRef.from_data(code).sections():
        if section.is_text():
            found += _x86(section.data()) if host_target().architecture == "x86_64" else _arm(section.data())
    assert found, "no machine code"
    return found


def _x86(text: bytes) -> list[str]:
    import iced_x86

    show = iced_x86.Formatter(iced_x86.FormatterSyntax.NASM).format
    read = list(iced_x86.Decoder(64, text))
    assert not any(each.is_invalid for each in read), "the disassembler does not know an instruction"
    return list(map(show, read))


def _arm(text: bytes) -> list[str]:
    import capstone

    read = list(capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM).disasm_lite(text, 0))
    assert sum(size for _, size, _, _ in read) == len(text), "the disassembler does not know an instruction"
    return [f"{name} {operands}" for _, _, name, operands in read]


def foreign_symbols(code: bytes) -> list[str]:
    """Names that object code needs from elsewhere (of an ELF file): functions that it calls, tables that it reads."""
    sections = {section.name(): section.data() for section in llvm.ObjectFileRef.from_data(code).sections()}
    names, found = sections[b".strtab"], []
    # The first symbol of a table is empty; a section number of 0 says that the symbol is not defined here.
    for name, _, _, section, _, _ in list(struct.iter_unpack("<IBBHQQ", sections[b".symtab"]))[1:]:
        if section == 0:
            found.append(names[name : names.index(b"\0", name)].decode())
    return found


def problems(loop: LoopSpecification, code: list[str], foreign: Iterable[str], widths: tuple[int, ...]) -> list[str]:
    """What is wrong with the machine code of a loop, on a CPU whose registers have these widths."""
    found = [f"leaves the loop: {name}" for name in foreign]
    fused = [each for each in code if FUSED.match(each.split(" ", 1)[0])]
    if fused and not loop.fast:
        found.append(f"fused: {fused[0]}")
    for bits, register in ((512, "zmm"), (256, "ymm")):
        if bits not in widths and any(re.search(rf"\b{register}\d", each) for each in code):
            found.append(f"{register} on a CPU without it")
    vector = loop.path in WIDE and {"f32", "f64"} & {*loop.values} and loop.lanes > 1
    if vector and not any(step.kernel.name in NOT_WIDE for step in loop.steps):
        wide = "|".join(each[loop.path] for each in (WIDE, NARROWING) if loop.path in each)
        if not any(re.search(wide, each) for each in code):
            found.append(f"no {loop.path} register")
    return found


def inspect(chosen: Iterable[LoopSpecification]) -> dict[str, list[str]]:
    """What is wrong with loops, by their description."""
    found = {}
    for loop in chosen:
        code = machine_code(loop)
        wrong = problems(loop, instructions(code), foreign_symbols(code), host_target().vector_bits)
        if wrong:
            found[loop.description] = wrong
    return found
