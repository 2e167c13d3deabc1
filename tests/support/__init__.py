"""What several test modules need; here the floating-point control register of this thread."""

from __future__ import annotations

import ctypes
import functools
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager

X86 = platform.machine().lower() in ("x86_64", "amd64")
ARM = platform.machine().lower() in ("aarch64", "arm64")


# --- the floating-point control register ------------------------------------------------------------------------------

_IR_X86 = """
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse.stmxcsr(ptr)
define void @write_control(i64 %value) {
  %slot = alloca i32
  %short = trunc i64 %value to i32
  store i32 %short, ptr %slot
  call void @llvm.x86.sse.ldmxcsr(ptr %slot)
  ret void
}
define i64 @read_control() {
  %slot = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %slot)
  %short = load i32, ptr %slot
  %value = zext i32 %short to i64
  ret i64 %value
}
"""

_IR_ARM = """
define void @write_control(i64 %value) {
  call void asm sideeffect "msr fpcr, $0", "r"(i64 %value)
  ret void
}
define i64 @read_control() {
  %value = call i64 asm sideeffect "mrs $0, fpcr", "=r"()
  ret i64 %value
}
"""


@functools.cache
def _control_functions() -> tuple[Callable[[], int], Callable[[int], None], object]:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    module = llvm.parse_assembly(_IR_X86 if X86 else _IR_ARM)
    engine = llvm.create_mcjit_compiler(module, llvm.Target.from_default_triple().create_target_machine())
    engine.finalize_object()
    read = ctypes.PYFUNCTYPE(ctypes.c_int64)(engine.get_function_address("read_control"))
    write = ctypes.PYFUNCTYPE(None, ctypes.c_int64)(engine.get_function_address("write_control"))
    return read, write, engine


def read_control() -> int:
    """The control register of this thread: MXCSR without its exception flags, or FPCR."""
    value = _control_functions()[0]()
    return value & ~0x3F if X86 else value


def write_control(value: int) -> None:
    """Set the control register of this thread."""
    _control_functions()[1](value)


#: Foreign settings by name: what other libraries leave behind, and what else the register can hold.
if X86:
    DEFAULT_CONTROL = 0x1F80
    FOREIGN = {
        "flush to zero": 0x1F80 | 0x8000,
        "denormals are zero": 0x1F80 | 0x0040,
        "both": 0x1F80 | 0x8040,
        "round down": 0x1F80 | 0x2000,
        "round up": 0x1F80 | 0x4000,
        "round toward zero": 0x1F80 | 0x6000,
        "everything": 0x1F80 | 0xE040,
    }
    #: Overflow, division by zero, invalid operations and denormals trap.
    UNMASKED = 0x1F80 & ~(0x0400 | 0x0200 | 0x0080 | 0x0100)
else:
    DEFAULT_CONTROL = 0
    FOREIGN = {
        "flush to zero": 1 << 24,
        "round up": 1 << 22,
        "round down": 2 << 22,
        "round toward zero": 3 << 22,
        "default NaN": 1 << 25,
        "everything": 1 << 24 | 3 << 22 | 1 << 25,
    }
    UNMASKED = 0


@contextmanager
def control(value: int) -> Iterator[None]:
    """A foreign setting of this thread's control register, taken back at the end."""
    write_control(value)
    try:
        yield
    finally:
        write_control(DEFAULT_CONTROL)


@functools.cache
def libm() -> ctypes.CDLL:
    """The C library's floating-point environment functions, called with the GIL held (the state is the thread's)."""
    import ctypes.util

    return ctypes.PyDLL(ctypes.util.find_library("m") or ctypes.util.find_library("c"))


def clear_flags() -> None:
    """Lower every floating-point exception flag."""
    libm().feclearexcept(0x3D if X86 else 0x1F)


def raised_flags() -> int:
    """The floating-point exception flags that are up."""
    return int(libm().fetestexcept(0x3D if X86 else 0x1F))
