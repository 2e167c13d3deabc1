"""What a process looks like: its CPU, its versions, and the floating-point environment of the calling thread."""

from __future__ import annotations

import contextlib
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from exactops.codegen.target import host_target
from exactops.system import control_register


def facts() -> dict[str, Any]:
    """The machine, the versions and the floating-point environment of this thread, as plain values."""
    cpu = host_target()
    control = control_register.read()
    settings = control_register.settings(control)
    return {
        "cpu": cpu.name,
        "model": _model(),
        "architecture": cpu.architecture,
        "features": sorted(each[1:] for each in cpu.features.split(",") if each.startswith("+")),
        "byte_order": sys.byteorder,
        "system": f"{platform.system()} {platform.release()}",
        "control_register": f"{control:#x}",
        "flush_to_zero": settings.flush_to_zero,
        "denormals_are_zero": settings.denormals_are_zero,
        "rounding": settings.rounding,
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
