"""Paths: the register widths that this process can use, widest first."""

from __future__ import annotations

import functools
import os

#: Register width in bits of each path name, by architecture. ``scalar`` (one lane) is everywhere: the oracle of the others.
WIDTHS = {
    "x86_64": {"avx512": 512, "avx2": 256, "sse2": 128},
    "aarch64": {"neon": 128},
}

SCALAR = "scalar"


@functools.cache
def paths() -> tuple[str, ...]:
    """Names of the paths that this process has, widest first.

    Returns
    -------
    tuple of str
        Some of ``"avx512"``, ``"avx2"``, ``"sse2"`` (x86-64) or ``"neon"`` (aarch64), and always ``"scalar"``. A path is a
        lane width: which instructions serve it is decided by the CPU, and the bits of a result do not depend on it.
    """
    from exactops.codegen.target import target

    found = target()
    return (*(name for name, bits in WIDTHS[found.architecture].items() if bits in found.vector_bits), SCALAR)


def vector_bits(path: str) -> int:
    """Register width of a path in bits; 0 for ``scalar``."""
    return next((widths[path] for widths in WIDTHS.values() if path in widths), 0)


@functools.cache
def default_path() -> str:
    """The path that calls take: ``EXACTOPS_PATH`` as it was at the first call, else the widest."""
    wanted = os.environ.get("EXACTOPS_PATH")
    return check_path(wanted, "EXACTOPS_PATH") if wanted else paths()[0]


def check_path(path: object, source: str = "path") -> str:
    """The path, if this process has it.

    Raises
    ------
    ValueError
        For any other value; the message lists the paths there are.
    """
    if path not in paths():
        raise ValueError(f"{source}={path!r}: this CPU has the paths {', '.join(paths())}")
    return str(path)
