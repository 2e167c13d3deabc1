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


_A_SAMPLE = "a sample: random inputs, not all of them"
_A_PROBABILITY = "that no float64 input is rounded wrongly is a bound on probability, not a proof"
_SEARCHED_IN_PART = ("sin", "cos")
_NOT_SEARCHED = ("sigmoid", "silu", "gelu", "gelu_tanh", "pow", "powi")


def evidence(operator: str, dtype: str, mode: str) -> str:
    """What the campaigns over float64 say and what not; empty for types of which every input is tried.

    The hardest inputs of the other functions are known from published searches over their whole range.
    """
    if dtype != "f64":
        return ""
    if mode == "exact" and operator in _NOT_SEARCHED:
        return f"{_A_SAMPLE}; no search of the hardest inputs of this function is published: {_A_PROBABILITY}"
    if mode == "exact" and operator in _SEARCHED_IN_PART:
        return f"{_A_SAMPLE}; the hardest inputs are known from published searches for abs(x) < 2048, beyond {_A_PROBABILITY}"
    return _A_SAMPLE
