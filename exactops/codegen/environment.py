"""The floating-point environment around a kernel: saved, set to IEEE 754's default, restored.

LLVM does not model the control register, so arithmetic could be moved across its changes: the caller of these functions has
to keep the arithmetic in a function of its own that is never inlined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from exactops.codegen.target import Target

_WORD, _QUAD, _POINTER = ir.IntType(32), ir.IntType(64), ir.IntType(8).as_pointer()


def enter(builder: ir.IRBuilder, target: Target) -> Any:
    """Save the environment of the calling thread and set the default. Returns what :func:`leave` needs."""
    return _ENVIRONMENTS[target.architecture][0](builder)


def leave(builder: ir.IRBuilder, target: Target, saved: Any) -> None:
    """Put the saved environment back: control bits and exception flags alike."""
    _ENVIRONMENTS[target.architecture][1](builder, saved)


# --- x86-64: MXCSR holds control bits and flags --------------------------------------------------------------------------

#: Round to nearest, all exceptions masked, no flush-to-zero, denormals are not zero.
_MXCSR_DEFAULT = 0x1F80


def _enter_x86_64(builder: ir.IRBuilder) -> Any:
    saved = builder.alloca(_WORD)
    _mxcsr(builder, "stmxcsr", saved)
    default = builder.alloca(_WORD)
    builder.store(ir.Constant(_WORD, _MXCSR_DEFAULT), default)
    _mxcsr(builder, "ldmxcsr", default)
    return saved


def _leave_x86_64(builder: ir.IRBuilder, saved: Any) -> None:
    _mxcsr(builder, "ldmxcsr", saved)


def _mxcsr(builder: ir.IRBuilder, instruction: str, slot: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_POINTER])
    name = f"llvm.x86.sse.{instruction}"
    function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    builder.call(function, [builder.bitcast(slot, _POINTER)])


# --- aarch64: FPCR holds the control bits (all 0 by default), FPSR the flags ---------------------------------------------


def _enter_aarch64(builder: ir.IRBuilder) -> Any:
    read = ir.FunctionType(_QUAD, [])
    saved = [builder.asm(read, f"mrs $0, {register}", "=r", [], side_effect=True) for register in ("fpcr", "fpsr")]
    _write_aarch64(builder, "fpcr", ir.Constant(_QUAD, 0))
    return saved


def _leave_aarch64(builder: ir.IRBuilder, saved: Any) -> None:
    for register, value in zip(("fpcr", "fpsr"), saved, strict=True):
        _write_aarch64(builder, register, value)


def _write_aarch64(builder: ir.IRBuilder, register: str, value: Any) -> None:
    builder.asm(ir.FunctionType(ir.VoidType(), [_QUAD]), f"msr {register}, $0", "r", [value], side_effect=True)


_ENVIRONMENTS: dict[str, tuple[Callable[..., Any], Callable[..., None]]] = {
    "x86_64": (_enter_x86_64, _leave_x86_64),
    "aarch64": (_enter_aarch64, _leave_aarch64),
}
