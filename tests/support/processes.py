"""Python in a process of its own, without settings of exactops and Numba that the caller's environment holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent

#: Settings that would change what a subprocess does, whatever the caller's environment holds.
_NEUTRAL = ("EXACTOPS_PATH", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "PYTHONWARNINGS")


def environment(**settings: str | None) -> dict[str, str]:
    """The environment of a subprocess: this one without settings of exactops and Numba, and with those given."""
    found = {name: value for name, value in os.environ.items() if name not in _NEUTRAL}
    found["PYTHONPATH"] = os.pathsep.join([str(TESTS.parent), str(TESTS)])
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
        command, env=environment(**settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=TESTS
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
