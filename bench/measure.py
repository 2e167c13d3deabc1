"""Side-by-side measurement: one pinned core, calls that take turns, medians."""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Mapping

from benchmarks.cases import Call


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


def interleaved(calls: Mapping[str, Call], rounds: int, at_least: float = 2e-4) -> dict[str, float]:
    """Median seconds of each call.

    In every round each call runs once, as often in a row as takes ``at_least`` seconds, in an order that turns: what disturbs
    the machine for a while disturbs all of them alike.
    """
    repeats = {name: _repeats(call, at_least) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    names = list(calls)
    enabled = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            turn = number % len(names)
            for name in names[turn:] + names[:turn]:
                samples[name].append(_seconds(calls[name], repeats[name]))
    finally:
        if enabled:
            gc.enable()
    return {name: statistics.median(values) for name, values in samples.items()}


def _repeats(call: Call, at_least: float) -> int:
    for _ in range(3):  # whatever happens once: compiling, filling caches
        call()
    repeats = 1
    while _seconds(call, repeats) * repeats < at_least:
        repeats *= 2
    return repeats


def _seconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def versions() -> dict[str, str]:
    """What was measured: CPU, path and the versions of all libraries that are installed."""
    import importlib.metadata

    import exactops
    from exactops.target import target

    found = {"cpu": target().name, "path": exactops.paths()[0], "exactops": exactops.__version__}
    for name in ("numpy", "scipy", "torch", "onnxruntime"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
