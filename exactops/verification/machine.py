"""What a process looks like: its CPU, its versions, and the floating-point environment of the calling thread."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from exactops.codegen import compiler
from exactops.codegen.target import host_target

_CONTROL = {
    "x86_64": """
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
""",
    "aarch64": """
define i64 @exactops_read_control() {
  %value = call i64 asm sideeffect "mrs $0, fpcr", "=r"()
  ret i64 %value
}
define void @exactops_write_control(i64 %value) {
  call void asm sideeffect "msr fpcr, $0", "r"(i64 %value)
  ret void
}
""",
}

#: Rounding modes in the order of the control register's field, and the field's position.
_ROUNDING = {
    "x86_64": (13, ("to nearest", "down", "up", "toward zero")),
    "aarch64": (22, ("to nearest", "up", "down", "toward zero")),
}
#: Bits of the control register, MXCSR or FPCR.
_FLUSH = {"x86_64": 1 << 15, "aarch64": 1 << 24}
_DENORMALS_ARE_ZERO = {"x86_64": 1 << 6, "aarch64": 1 << 24}
#: The exception flags are in MXCSR, too; on aarch64 they have a register of their own.
_FLAGS = {"x86_64": 0x3F, "aarch64": 0}

#: Settings that other libraries leave behind, by name.
ENVIRONMENTS = ("flush-to-zero", "denormals-are-zero", "round-down", "round-up", "round-toward-zero", "all")


@functools.cache
def _functions() -> tuple[Callable[[], int], Callable[[int], None]]:
    from exactops.runtime import loader

    cpu = host_target()
    module = llvm.parse_assembly(_CONTROL[cpu.architecture])
    module.triple, module.data_layout = cpu.machine.triple, str(cpu.machine.target_data)
    names = ("exactops_read_control", "exactops_write_control")
    read, write = loader.load(compiler.machine_code(module, cpu), *names)
    # PYFUNCTYPE keeps the lock of the interpreter: no other thread's Python code runs in between.
    return ctypes.PYFUNCTYPE(ctypes.c_int64)(read), ctypes.PYFUNCTYPE(None, ctypes.c_int64)(write)


def read_control() -> int:
    """MXCSR or FPCR of this thread, without exception flags."""
    return _functions()[0]() & ~_FLAGS[host_target().architecture]


def control_of(name: str) -> int:
    """This thread's control register with one of :data:`ENVIRONMENTS` put into it."""
    cpu = host_target().architecture
    position, modes = _ROUNDING[cpu]
    value = read_control()
    if name in ("flush-to-zero", "all"):
        value |= _FLUSH[cpu]
    if name in ("denormals-are-zero", "all"):
        value |= _DENORMALS_ARE_ZERO[cpu]
    if name.startswith("round") or name == "all":
        mode = "toward zero" if name == "all" else name.removeprefix("round-").replace("-", " ")
        value = (value & ~(3 << position)) | modes.index(mode) << position
    return value


@contextlib.contextmanager
def environment(name: str | None) -> Iterator[None]:
    """A foreign floating-point environment in this thread; None leaves it as it is.

    Raises
    ------
    RuntimeError
        What ran inside did not leave the environment as it found it.
    """
    if name is None:
        yield
        return
    write = _functions()[1]
    found, foreign = read_control(), control_of(name)
    write(foreign)
    try:
        yield
    finally:
        left = read_control()
        write(found)
    if left != foreign:
        raise RuntimeError(f"a call left the control register at {left:#x}, it was {foreign:#x}")


def facts() -> dict[str, Any]:
    """The machine, the versions and the floating-point environment of this thread, as plain values."""
    cpu = host_target()
    control = read_control()
    position, modes = _ROUNDING[cpu.architecture]
    return {
        "cpu": cpu.name,
        "model": _model(),
        "architecture": cpu.architecture,
        "features": sorted(each[1:] for each in cpu.features.split(",") if each.startswith("+")),
        "byte_order": sys.byteorder,
        "system": f"{platform.system()} {platform.release()}",
        "control_register": f"{control:#x}",
        "flush_to_zero": bool(control & _FLUSH[cpu.architecture]),
        "denormals_are_zero": bool(control & _DENORMALS_ARE_ZERO[cpu.architecture]),
        "rounding": modes[control >> position & 3],
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that matter."""
    found = {"python": platform.python_version()}
    for name in ("exactops", "numpy", "numba", "llvmlite", "ml_dtypes"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # on the path, but not installed
            found[name] = str(getattr(__import__(name), "__version__", "unknown"))
    return found


def _model() -> str:
    """The processor's name as the system gives it."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()
