"""Paths: how many elements a group has.

A group has as many lanes as fill one register of the path with the widest element of the loop, stored or (for the half types)
decoded. Which instructions serve them is LLVM's choice, among all that the target has: a kernel that computes float32 in
float64, as those of the transcendentals do, needs twice the bits, and takes wider registers where the CPU has them. So the path
``sse2`` on a CPU with AVX2 is not code for a CPU without: that is another target.
"""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exactops.codegen.target import Target

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
        Some of ``"avx512"`` (512 bits), ``"avx2"`` (256), ``"sse2"`` (128; x86-64) or ``"neon"`` (128; aarch64), and always
        ``"scalar"`` (one lane). A path says how many elements are computed at once: as many as fill one register of this width
        (or two, in some kernels). It does not restrict the instructions: kernels that compute float32 in float64 use wider
        registers where the CPU has them, so ``"sse2"`` may run AVX instructions. In exact mode no bit depends
        on the path.
    """
    from exactops.codegen.target import host_target

    return paths_of(host_target())


def paths_of(target: Target) -> tuple[str, ...]:
    """Names of the paths of a target, widest first."""
    return (*(name for name, bits in WIDTHS[target.architecture].items() if bits in target.vector_bits), SCALAR)


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
