"""The recorded proofs, for reading; :mod:`exactops.verification.record` writes them."""

from __future__ import annotations

import functools
import json
from typing import Any

from exactops.records import files, sources


def entries() -> list[dict[str, Any]]:
    """The entries of the installed records that hold a count of inputs; a damaged file proves nothing."""
    try:
        return _entries(files.find(files.PROOFS).read_text(encoding="utf-8"))
    except (OSError, ValueError, LookupError, TypeError):
        return []


@functools.lru_cache(maxsize=1)
def _entries(text: str) -> list[dict[str, Any]]:
    found = json.loads(text)["proofs"]
    if not isinstance(found, list):
        return []
    return [entry for entry in found if isinstance(entry, dict) and type(entry.get("inputs")) is int]


def is_of_running_sources(entry: dict[str, Any], operator: str) -> bool:
    """Whether an entry was proven, or confirmed by hash, with the kernel and the engine that this process runs.

    An entry that does not say of which engine it is counts as one of another.
    """
    return (entry.get("kernel"), entry.get("engine")) == (sources.running_kernel(operator), sources.running_engine())
