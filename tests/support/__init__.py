"""What several test modules need; here foreign floating-point settings and exception flags."""

from __future__ import annotations

import ctypes
import functools
import platform

from exactops.system import control_register
from exactops.system.control_register import holding as control
from exactops.system.control_register import read as read_control
from exactops.system.control_register import write as write_control

__all__ = ["control", "read_control", "write_control"]  # and all that is defined here

X86 = platform.machine().lower() in ("x86_64", "amd64")
ARM = platform.machine().lower() in ("aarch64", "arm64")


# --- the floating-point environment ------------------------------------------------------------------------------

DEFAULT_CONTROL = control_register.default()

#: Foreign settings by name: what other libraries leave behind, and what else the register can hold.
if X86:
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
    FOREIGN = {
        "flush to zero": 1 << 24,
        "round up": 1 << 22,
        "round down": 2 << 22,
        "round toward zero": 3 << 22,
        "default NaN": 1 << 25,
        "everything": 1 << 24 | 3 << 22 | 1 << 25,
    }
    UNMASKED = 0


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
