"""The floating-point control register of the calling thread: MXCSR on x86-64, FPCR on aarch64.

Rounding mode, flush-to-zero and denormals-are-zero are its fields. Compiled loops save, set and restore it themselves
(:mod:`exactops.codegen.environment`); this module is for looking at it, and for putting foreign settings into it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_X86 = """
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse.stmxcsr(ptr)
define i64 @exactops_read_control() {
  %slot = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %slot)
  %value = load i32, ptr %slot
  %wide = zext i32 %value to i64
  ret i64 %wide
}
define void @exactops_write_control(i64 %wide) {
  %slot = alloca i32
  %value = trunc i64 %wide to i32
  store i32 %value, ptr %slot
  call void @llvm.x86.sse.ldmxcsr(ptr %slot)
  ret void
}
"""

_ARM = """
define i64 @exactops_read_control() {
  %value = call i64 asm sideeffect "mrs $0, fpcr", "=r"()
  ret i64 %value
}
define void @exactops_write_control(i64 %value) {
  call void asm sideeffect "msr fpcr, $0", "r"(i64 %value)
  ret void
}
"""


@dataclass(frozen=True)
class _Register:
    """The fields of an architecture's register."""

    ir: str
    default: int
    flush: int
    denormals: int
    #: Position of the rounding mode, and the modes in the order of their numbers.
    position: int
    modes: tuple[str, str, str, str]
    #: MXCSR holds the exception flags, too; on aarch64 they have a register of their own.
    flags: int


_REGISTERS = {
    "x86_64": _Register(_X86, 0x1F80, 1 << 15, 1 << 6, 13, ("to nearest", "down", "up", "toward zero"), 0x3F),
    # One bit of FPCR flushes operands and results alike.
    "aarch64": _Register(_ARM, 0, 1 << 24, 1 << 24, 22, ("to nearest", "up", "down", "toward zero"), 0),
}

#: Settings that other libraries leave behind, by name.
ENVIRONMENTS = ("flush-to-zero", "denormals-are-zero", "round-down", "round-up", "round-toward-zero", "all")


def architecture() -> str:
    """``"x86_64"`` or ``"aarch64"``: that of this process.

    Raises
    ------
    NotImplementedError
        It is another one.
    """
    name = platform.machine().lower()
    found = {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)
    if found not in _REGISTERS:
        raise NotImplementedError(f"the control register of {name} is not known")
    return found


def default() -> int:
    """The register as IEEE 754 wants it: rounding to nearest, no exception trapped, no flush to zero."""
    return _register().default


def read() -> int:
    """The control register of this thread, without exception flags."""
    return _functions()[0]() & ~_register().flags


def write(value: int) -> None:
    """Set the control register of this thread; flags that are not in the value are lowered."""
    _functions()[1](value)


@dataclass(frozen=True)
class Settings:
    """What a value of the register means."""

    rounding: str
    flush_to_zero: bool
    denormals_are_zero: bool


def settings(value: int) -> Settings:
    """What a value of the register means."""
    own = _register()
    mode = own.modes[value >> own.position & 3]
    return Settings(mode, bool(value & own.flush), bool(value & own.denormals))


def value_of(name: str) -> int:
    """This thread's register with one of :data:`ENVIRONMENTS` put into it."""
    if name not in ENVIRONMENTS:
        raise ValueError(f"no floating-point environment {name!r}: one of {', '.join(ENVIRONMENTS)}")
    own, value = _register(), read()
    if name in ("flush-to-zero", "all"):
        value |= own.flush
    if name in ("denormals-are-zero", "all"):
        value |= own.denormals
    if name.startswith("round") or name == "all":
        mode = "toward zero" if name == "all" else name.removeprefix("round-").replace("-", " ")
        value = (value & ~(3 << own.position)) | own.modes.index(mode) << own.position
    return value


@contextlib.contextmanager
def holding(value: int) -> Iterator[None]:
    """A value of this thread's register, and at the end the one found.

    Raises
    ------
    RuntimeError
        What ran inside did not leave the register as it found it.
    """
    found = read()
    write(value)
    try:
        yield
    finally:
        left = read()
        write(found)
    if left != value & ~_register().flags:
        raise RuntimeError(f"a call left the control register at {left:#x}, it was {value:#x}")


@contextlib.contextmanager
def environment(name: str | None) -> Iterator[None]:
    """One of :data:`ENVIRONMENTS` in this thread; None leaves the register as it is. Raises like :func:`holding`."""
    if name is None:
        yield
        return
    with holding(value_of(name)):
        yield


def _register() -> _Register:
    return _REGISTERS[architecture()]


@functools.cache
def _functions() -> tuple[Callable[[], int], Callable[[int], None], object]:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()  # of the inline assembly
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(_register().ir), machine)
    engine.finalize_object()
    # PYFUNCTYPE keeps the lock of the interpreter: no other thread's Python code runs in between.
    reader = ctypes.PYFUNCTYPE(ctypes.c_int64)(engine.get_function_address("exactops_read_control"))
    writer = ctypes.PYFUNCTYPE(None, ctypes.c_int64)(engine.get_function_address("exactops_write_control"))
    return reader, writer, engine  # the engine owns the code
