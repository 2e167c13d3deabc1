"""The floating-point environment around a kernel: saved, set to IEEE 754's default, restored.

LLVM does not model the control register, so arithmetic could be moved across its changes: the caller of these functions has
to keep the arithmetic in a function of its own that is never inlined.
"""

from __future__ import annotations

from llvmlite import ir

_WORD, _QUAD, _POINTER = ir.IntType(32), ir.IntType(64), ir.IntType(8).as_pointer()

#: MXCSR: round to nearest, all exceptions masked, no flush-to-zero, denormals are not zero.
_MXCSR_DEFAULT = 0x1F80


def enter(builder: ir.IRBuilder, architecture: str):
    """Save the environment of the calling thread and set the default. Returns what :func:`leave` needs."""
    if architecture == "aarch64":
        read = ir.FunctionType(_QUAD, [])
        saved = [builder.asm(read, f"mrs $0, {register}", "=r", [], side_effect=True) for register in ("fpcr", "fpsr")]
        _write_aarch64(builder, "fpcr", ir.Constant(_QUAD, 0))
        return saved
    saved = builder.alloca(_WORD)
    _mxcsr(builder, "stmxcsr", saved)
    default = builder.alloca(_WORD)
    builder.store(ir.Constant(_WORD, _MXCSR_DEFAULT), default)
    _mxcsr(builder, "ldmxcsr", default)
    return saved


def leave(builder: ir.IRBuilder, architecture: str, saved) -> None:
    """Put the saved environment back: control bits and exception flags alike."""
    if architecture == "aarch64":
        for register, value in zip(("fpcr", "fpsr"), saved, strict=True):
            _write_aarch64(builder, register, value)
    else:
        _mxcsr(builder, "ldmxcsr", saved)


def _mxcsr(builder, instruction: str, slot) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_POINTER])
    name = f"llvm.x86.sse.{instruction}"
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    builder.call(function, [builder.bitcast(slot, _POINTER)])


def _write_aarch64(builder, register: str, value) -> None:
    builder.asm(ir.FunctionType(ir.VoidType(), [_QUAD]), f"msr {register}, $0", "r", [value], side_effect=True)
