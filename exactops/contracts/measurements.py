"""Times of operators on this machine, measured and kept with what they were measured with.

The file lies in the user's data folder, or in the folder that ``EXACTOPS_CACHE_DIR`` names. A file that is damaged, or an entry
that is not of the expected form, counts as absent.
"""

from __future__ import annotations

import datetime
import gc
import json
import platform
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from exactops.codegen.key import Key
from exactops.system import files, folders

_FORM = 1

#: Elements of a measured call: operands and result of the common types lie in the first two levels of cache.
SIZE = 16_384

#: What a round of a call takes at least, so that the clock's resolution does not count.
_AT_LEAST = 2e-4

Call = Callable[[], Any]


@dataclass(frozen=True)
class Measurement:
    """The time of one loop on contiguous arrays.

    Attributes
    ----------
    operator : str
    inputs : list of str
        Stored types of the operands and the travelling attributes.
    result : str
        Stored type of the result.
    attributes : dict
        The attributes that select the kernel.
    mode, path : str
    size : int
        Elements of a call.
    ns_per_element : float
        Nanoseconds an element, without the overhead of the call.
    call_ns : float
        Nanoseconds of a call on one element, with ``out=``.
    rounds : int
        How many rounds the medians are of.
    core : int or None
        The core that the process was pinned to.
    cpu, date : str
    versions : dict
        Of Python, exactops, NumPy, Numba and llvmlite.
    revision : str
        Digest of the sources of the operator and of the engine.
    """

    operator: str
    inputs: list[str]
    result: str
    attributes: dict[str, Any]
    mode: str
    path: str
    size: int
    ns_per_element: float
    call_ns: float
    rounds: int
    core: int | None
    cpu: str
    date: str
    versions: dict[str, str]
    revision: str

    @property
    def identity(self) -> tuple[Any, ...]:
        """What a newer measurement replaces an older one by."""
        choices = tuple(sorted(self.attributes.items()))
        return self.operator, tuple(self.inputs), self.result, choices, self.mode, self.path, self.size, self.cpu

    @property
    def loop(self) -> tuple[Any, ...]:
        """The loop, whatever the path and the size: see :func:`loop`."""
        return tuple(self.inputs), self.result, tuple(sorted(self.attributes.items())), self.mode


def loop(key: Key, mode: str) -> tuple[Any, ...]:
    """What the measurements of a loop have in common."""
    return key.inputs, key.output, key.choices, mode


# --- the file -----------------------------------------------------------------------------------------------------------


def file() -> Path | None:
    """Where measurements are kept; None where the user has no folder for them."""
    folder = folders.data_folder()
    return None if folder is None else folder / "measurements.json"


def load() -> list[Measurement]:
    """The measurements kept; what cannot be read counts as absent."""
    where = file()
    if where is None:
        return []
    try:
        content = json.loads(where.read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(content, dict) or content.get("form") != _FORM or not isinstance(content.get("measurements"), list):
        return []
    return [entry for entry in map(_entry, content["measurements"]) if entry is not None]


_TEXT = ("operator", "result", "mode", "path", "cpu", "date", "revision")


def _entry(value: Any) -> Measurement | None:
    if not isinstance(value, dict) or set(value) != {field.name for field in fields(Measurement)}:
        return None
    texts = [value[name] for name in _TEXT]
    for name, kind in (("inputs", list), ("attributes", dict), ("versions", dict)):
        if not isinstance(value[name], kind):
            return None
    texts += [*value["inputs"], *value["versions"].values()]
    counts = [value["size"], value["rounds"]]
    times = [value["ns_per_element"], value["call_ns"]]
    plain = all(isinstance(choice, (str, int)) for choice in value["attributes"].values())
    if not plain or not all(isinstance(text, str) for text in texts) or not isinstance(value["core"], (int, type(None))):
        return None
    if not all(type(count) is int and count > 0 for count in counts):
        return None
    if not all(type(each) in (int, float) and 0 <= each < float("inf") for each in times):
        return None
    return Measurement(**value)


def store(measured: list[Measurement]) -> Path:
    """Merge measurements into the file, replacing it in one step.

    Raises
    ------
    OSError
        The folder or the file cannot be written.
    """
    where = file()
    if where is None:
        raise OSError("this user has no home folder; EXACTOPS_CACHE_DIR chooses a folder")
    where.parent.mkdir(parents=True, exist_ok=True)
    with files.locked(where):
        merged = {entry.identity: entry for entry in [*load(), *measured]}
        entries = [asdict(merged[key]) for key in sorted(merged, key=repr)]
        files.write_json(where, {"form": _FORM, "measurements": entries})
    return where


# --- measuring ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """One loop to measure: what a call needs, and its key."""

    operator: str
    operands: tuple[str, ...]
    attributes: Mapping[str, Any]
    mode: str
    key: Key


def cpu() -> str:
    """This CPU, as measurements name it."""
    from exactops.codegen.target import host_target

    found = host_target()
    return f"{found.architecture} {found.name}"


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
    from exactops.table.formats import FORMATS

    generator = np.random.default_rng(20260101)
    operands = []
    for short in task.operands:
        storage = FORMATS[short]
        low, high = (0.5, 4.0) if storage.kind == "f" else (0, 2) if storage.kind == "b" else (1, 8)
        operands.append(generator.uniform(low, high, size).astype(storage.dtype))
    out = np.empty(size, FORMATS[task.key.output].dtype)
    keywords = {**task.attributes, "mode": task.mode, "path": path}

    def call() -> Any:
        return exactops.run(task.operator, *operands, out=out, **keywords)

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
            operator=task.operator,
            inputs=list(task.key.inputs),
            result=task.key.output,
            attributes=dict(task.key.choices),
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
            revision=sources.revision(task.operator),
        )
        found.append(measurement)
    return found
