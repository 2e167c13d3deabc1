"""Making new records: only where all paths agree, and the references with a part of them."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from exactops.table.formats import FORMATS
from exactops.verification.fingerprints import results as computing
from exactops.verification.fingerprints.comparison import Job
from exactops.verification.fingerprints.entries import Entry, entries, given
from exactops.verification.fingerprints.form import hard_of
from exactops.verification.fingerprints.long_form import has_long_form, long_record
from exactops.verification.fingerprints.results import (
    CHUNK,
    HEAD,
    by_reference,
    chunk_digests,
    digest,
    little_endian,
    stream,
    stream_digest,
    with_value,
)


@dataclass
class Written:
    """A new record, or why there is none."""

    entry: Entry
    record: dict[str, Any] = field(default_factory=dict)
    stream: str = ""
    error: str = ""


def make(job: Job, advance: Callable[[int], Any] = lambda done: None) -> list[Written]:
    """The records of a job's entries, where all its paths agree and the references do with two chunks."""
    types = job.entries[0].types
    patterns = stream(types, job.settings.chunks(job.entries[0]), hard_of(types, job.hard))
    own = stream_digest(patterns)
    found = []
    for entry in job.entries:
        first: np.ndarray | None = None
        error = ""
        for path in job.paths:
            results = computing.compute(entry, path, patterns, job.settings)
            if first is None:
                first = results
            elif not np.array_equal(first, results):
                place = int(np.flatnonzero(first != results)[0])
                shown = ", ".join(with_value(each[place], FORMATS[short]) for each, short in zip(patterns, types, strict=True))
                one, other = (with_value(each[place], FORMATS[entry.result]) for each in (first, results))
                error = f"{shown} gives {one} on {job.paths[0]}, {other} on {path}"
            advance(1)
        if not error and first is not None:
            error = _refuted(entry, patterns, first)
        if error or first is None:
            found.append(Written(entry, error=error or "no path"))
            continue
        record = {
            "operator": entry.operator,
            "types": list(types),
            "attributes": dict(entry.attributes),
            "result": entry.result,
            "inputs": entry.count,
            "sha256": digest(first),
            "head": base64.b64encode(little_endian(first[:HEAD])).decode(),
            "chunks": base64.b64encode(b"".join(chunk_digests(first))).decode(),
        }
        found.append(Written(entry, record, own))
    return found


def _refuted(entry: Entry, patterns: Sequence[np.ndarray], results: np.ndarray) -> str:
    """What the references have against two chunks of the results, the structured inputs among them."""
    chunks = -(-results.size // CHUNK)
    for number in sorted({0, 2 * chunks // 3}):
        here = slice(number * CHUNK, (number + 1) * CHUNK)
        try:
            expected = by_reference(entry, [each[here] for each in patterns])
        except (KeyError, TypeError, ValueError) as error:
            return f"there is no reference for it ({error})"
        if expected is None:
            return "the references are not at hand: pip install 'exactops[test]'"
        wrong = np.flatnonzero(expected != results[here])
        if wrong.size:
            place = number * CHUNK + int(wrong[0])
            shown = ", ".join(with_value(e[place], FORMATS[short]) for e, short in zip(patterns, entry.types, strict=True))
            one, other = (with_value(each, FORMATS[entry.result]) for each in (results[place], expected[wrong[0]]))
            return f"{shown} gives {one} on every path, {other} by the references"
    return ""


def long_of_proofs(file: Traversable) -> list[dict[str, Any]]:
    """The long form of what ``python -m exactops prove`` found correctly rounded for all inputs: no other hash is right."""
    try:
        proofs = json.loads(file.read_text(encoding="utf-8"))["proofs"]
    except FileNotFoundError:
        return []
    names = {entry.name: entry for entry in entries() if has_long_form(entry)}
    found = []
    for proof in proofs:
        complete = proof.get("inputs") == 1 << 32 and proof.get("not_correctly_rounded") == 0
        if proof["dtype"] != "f32" or proof["mode"] != "exact" or not complete:
            continue
        for entry in names.values():
            if entry.operator == proof["operator"] and given(entry) == proof["attributes"]:
                found.append(long_record(entry, proof["sha256"]))
    return found
