"""What several test modules need: Python in a process of its own, foreign floating-point settings, exception flags."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import subprocess
import sys
from pathlib import Path

from exactops.system import control_register
from exactops.system.control_register import holding as control
from exactops.system.control_register import read as read_control
from exactops.system.control_register import write as write_control

__all__ = ["control", "read_control", "write_control"]  # and all that is defined here

HERE = Path(__file__).parent

#: Settings that would change what a subprocess does, whatever the caller's environment holds.
_NEUTRAL = ("EXACTOPS_PATH", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "PYTHONWARNINGS")

X86 = platform.machine().lower() in ("x86_64", "amd64")
ARM = platform.machine().lower() in ("aarch64", "arm64")


def environment(**settings: str | None) -> dict[str, str]:
    """The environment of a subprocess: this one without settings of exactops and Numba, and with those given."""
    found = {name: value for name, value in os.environ.items() if name not in _NEUTRAL}
    found["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), str(HERE)])
    for name, value in settings.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = str(value)
    return found


def start(code: str, *arguments: str, **settings: str | None) -> subprocess.Popen[str]:
    """Start Python on a program text in a process of its own; tests/ and the package can be imported there."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(
        command, env=environment(**settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=HERE
    )


def finish(process: subprocess.Popen[str], timeout: float = 900) -> str:
    """What a process printed; a failure of it, a crash included, is a failure of the test."""
    output, errors = process.communicate(timeout=timeout)
    assert process.returncode == 0, f"exit code {process.returncode}\n{output}\n{errors}"
    return output


def python(code: str, *arguments: str, **settings: str | None) -> str:
    """Run Python on a program text in a process of its own and return what it printed."""
    return finish(start(code, *arguments, **settings))


def emulate(level: str) -> dict[str, str]:
    """The settings under which Numba and exactops build for another x86-64 CPU."""
    return {"NUMBA_CPU_NAME": level, "NUMBA_CPU_FEATURES": ""}


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
