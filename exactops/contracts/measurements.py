"""Times of operators on this machine, kept with what they were measured with.

The file lies in the user's data folder, or in the folder that ``EXACTOPS_CACHE_DIR`` names. A file that is damaged, or an entry
that is not of the expected form, counts as absent.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from exactops.system import files, folders
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
    from exactops.codegen.target import host_target

    found = host_target()
    return f"{found.architecture} {found.name}"


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
    if where is None:
        raise OSError("this user has no home folder; EXACTOPS_CACHE_DIR chooses a folder")
    where.parent.mkdir(parents=True, exist_ok=True)
    with files.locked(where):
        merged = {entry.identity: entry for entry in [*load(), *measured]}
        entries = [asdict(merged[key]) for key in sorted(merged, key=repr)]
        files.write_json(where, {"form": _FORM, "measurements": entries})
    return where
