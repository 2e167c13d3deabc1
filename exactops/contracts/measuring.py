"""Measuring operators on this machine: calls that take turns, on one core."""

from __future__ import annotations

import datetime
import gc
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactops.contracts.measurements import Measurement, cpu
from exactops.contracts.operands import call_attributes
from exactops.table.formats import FORMATS
from exactops.table.operator import MODES, Kernel, Operator
from exactops.table.signatures import Signature, signatures

#: Elements of a measured call: operands and result of the common types lie in the first two levels of cache.
SIZE = 16_384

#: What a round of a call takes at least, so that the clock's resolution does not count.
_AT_LEAST = 2e-4

Call = Callable[[], Any]


@dataclass(frozen=True)
class Task:
    """One loop to measure: the typed signature of a call, and the mode."""

    signature: Signature
    mode: str


def tasks(operator: Operator, short: str, modes: tuple[str, ...] = MODES) -> list[Task]:
    """The loops of an operator for a value type; fast mode only where it has a loop of its own."""
    return [
        Task(found, mode)
        for found in signatures(operator, short)
        for mode in modes
        if mode == "exact" or (isinstance(found.kernel, Kernel) and found.kernel.differs)
    ]


def interleaved(calls: Mapping[Any, Call], rounds: int) -> dict[Any, float]:
    """Median seconds of each call.

    In every round each call runs once, as often in a row as the clock needs, in an order that turns: what disturbs the machine
    for a while disturbs all of them alike.
    """
    repeats = {name: _repeats(call) for name, call in calls.items()}
    samples: dict[Any, list[float]] = {name: [] for name in calls}
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


def _repeats(call: Call) -> int:
    for _ in range(3):  # whatever happens once: compiling, filling caches
        call()
    repeats = 1
    while _seconds(call, repeats) * repeats < _AT_LEAST:
        repeats *= 2
    return repeats


def _seconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def _call(task: Task, path: str, size: int) -> Call:
    """A call of exactops into memory of its own."""
    import exactops

    found = task.signature
    generator = np.random.default_rng(20260101)
    operands = []
    for short in found.operands:
        stored = FORMATS[short]
        low, high = (0.5, 4.0) if stored.kind == "f" else (0, 2) if stored.kind == "b" else (1, 8)
        operands.append(generator.uniform(low, high, size).astype(stored.dtype))
    outputs = tuple(np.empty(size, FORMATS[short].dtype) for short in found.results)
    out: Any = outputs[0] if len(outputs) == 1 else outputs
    keywords = {**call_attributes(found), "mode": task.mode, "path": path}

    def call() -> Any:
        return exactops.run(found.operator.name, *operands, out=out, **keywords)

    return call


def measure(tasks: list[Task], paths: list[str], size: int, rounds: int, core: int | None) -> list[Measurement]:
    """Measure loops on each path, all calls taking turns; the process should be pinned to ``core``."""
    from importlib.metadata import version

    import exactops
    from exactops.records import sources

    versions = {
        "python": platform.python_version(),
        "exactops": exactops.__version__,
        **{name: version(name) for name in ("numpy", "numba", "llvmlite")},
    }
    wanted = [(task, path) for task in tasks for path in paths]
    calls = {(number, count): _call(task, path, count) for number, (task, path) in enumerate(wanted) for count in (1, size)}
    seconds = interleaved(calls, rounds)
    found = []
    for number, (task, path) in enumerate(wanted):
        one, many = seconds[number, 1], seconds[number, size]
        each = max(many - one, 0.0) / (size - 1)
        measurement = Measurement(
            operator=task.signature.operator.name,
            inputs=list(task.signature.inputs),
            results=list(task.signature.results),
            attributes=dict(task.signature.choices),
            mode=task.mode,
            path=path,
            size=size,
            ns_per_element=float(f"{each * 1e9:.4g}"),
            call_ns=float(f"{one * 1e9:.4g}"),
            rounds=rounds,
            core=core,
            cpu=cpu(),
            date=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
            versions=versions,
            revision=sources.revision(task.signature.operator.name),
        )
        found.append(measurement)
    return found
