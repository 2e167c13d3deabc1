"""Side-by-side measurement: one pinned core, calls that take turns, medians."""

from __future__ import annotations

import os

from exactops.contracts.measuring import interleaved

__all__ = ["interleaved", "one_thread", "pin", "versions"]


def pin() -> int | None:
    """Keep this process on one core, where the system can; returns its number."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return core


def one_thread() -> None:
    """Tell libraries that have not been imported yet to use one thread."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"


def versions() -> dict[str, str]:
    """What was measured: CPU, path and the versions of all libraries that are installed."""
    import importlib.metadata

    import exactops
    from exactops.codegen.target import target

    found = {"cpu": target().name, "path": exactops.paths()[0], "exactops": exactops.__version__}
    for name in ("numpy", "scipy", "torch", "onnxruntime"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
