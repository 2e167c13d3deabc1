"""Times of operators on this machine, kept with what they were measured with.

The file lies in the user's data folder, or in the folder that ``EXACTOPS_CACHE_DIR`` names. A file that is damaged, or an entry
that is not of the expected form, counts as absent.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import platformdirs

from exactops.table.signatures import Signature

_FORM = 2


@dataclass(frozen=True)
class Measurement:
    """The time of one loop on contiguous arrays.

    Attributes
    ----------
    operator : str
    inputs : list of str
        Stored types of the operands and the travelling attributes.
    results : list of str
        Stored types of the results.
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
        Digest of the operator's sources.
    """

    operator: str
    inputs: list[str]
    results: list[str]
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
    def signature(self) -> tuple[Any, ...]:
        """The loop, whatever the path and the size: see :func:`identity_of`."""
        return tuple(self.inputs), tuple(self.results), tuple(sorted(self.attributes.items())), self.mode

    @property
    def identity(self) -> tuple[Any, ...]:
        """What a newer measurement replaces an older one by."""
        return self.operator, *self.signature, self.path, self.size, self.cpu


def identity_of(found: Signature, mode: str) -> tuple[Any, ...]:
    """What the measurements of a signature of an operator in a mode have in common."""
    return found.inputs, found.results, tuple(sorted(found.choices)), mode


def cpu() -> str:
    """This CPU, as measurements name it."""
    from exactops.codegen.target import target

    found = target()
    return f"{found.architecture} {found.name}"


# --- the file -----------------------------------------------------------------------------------------------------------


def file() -> Path:
    """Where measurements are kept."""
    named = os.environ.get("EXACTOPS_CACHE_DIR")
    return (Path(named) if named else Path(platformdirs.user_data_dir("exactops", appauthor=False))) / "measurements.json"


def load() -> list[Measurement]:
    """The measurements kept; what cannot be read counts as absent."""
    try:
        content = json.loads(file().read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(content, dict) or content.get("form") != _FORM or not isinstance(content.get("measurements"), list):
        return []
    return [entry for entry in map(_entry, content["measurements"]) if entry is not None]


_TEXT = ("operator", "mode", "path", "cpu", "date", "revision")


def _entry(value: Any) -> Measurement | None:
    if not isinstance(value, dict) or set(value) != {field.name for field in fields(Measurement)}:
        return None
    texts = [value[name] for name in _TEXT]
    for name, kind in (("inputs", list), ("results", list), ("attributes", dict), ("versions", dict)):
        if not isinstance(value[name], kind):
            return None
    texts += [*value["inputs"], *value["results"], *value["versions"].values()]
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
    where.parent.mkdir(parents=True, exist_ok=True)
    with _locked(where.parent):
        merged = {entry.identity: entry for entry in [*load(), *measured]}
        entries = [asdict(merged[key]) for key in sorted(merged, key=repr)]
        text = json.dumps({"form": _FORM, "measurements": entries}, indent=1) + "\n"
        descriptor, name = tempfile.mkstemp(dir=where.parent, prefix=".measurements-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
                handle.write(text)
            os.replace(name, where)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    return where


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, so that two processes lose no entry; without effect where there is no flock."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
