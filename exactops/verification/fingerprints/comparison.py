"""Comparing what this machine computes with the records."""

from __future__ import annotations

import base64
import contextlib
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from exactops.table.formats import FORMATS
from exactops.verification.fingerprints import results as computing
from exactops.verification.fingerprints.entries import Entry
from exactops.verification.fingerprints.form import hard_of, name_of, recorded_chunks
from exactops.verification.fingerprints.results import (
    CHUNK,
    Settings,
    by_reference,
    chunk_digests,
    digest,
    stream,
    stream_digest,
    with_value,
)


@dataclass
class Difference:
    """The first result that is not the recorded one.

    Attributes
    ----------
    chunk : int
        Number of the chunk.
    number : int
        Number of the element in the stream; that of the chunk's first one where the element is not known.
    inputs : tuple of str
        The operands, as bits and values; empty where the element is not known.
    output, expected : str
        What came out and what the fingerprint stands for.
    source : str
        How the expected value is known.
    size : int
        Elements of a chunk.
    """

    chunk: int
    number: int
    inputs: tuple[str, ...] = ()
    output: str = ""
    expected: str = ""
    source: str = ""
    size: int = CHUNK

    def __str__(self) -> str:
        if not self.inputs:
            return f"within elements {self.number} to {self.number + self.size - 1} of the stream; {self.source}"
        return f"element {self.number}: {', '.join(self.inputs)} gives {self.output}, expected {self.expected} ({self.source})"


@dataclass
class Verdict:
    """What was found for one entry on one path."""

    entry: Entry
    path: str
    ok: bool
    sha256: str = ""
    difference: Difference | None = None
    error: str = ""


@dataclass(frozen=True)
class Job:
    """Entries of the same operand types, which share their inputs."""

    entries: tuple[Entry, ...]
    paths: tuple[str, ...]
    settings: Settings
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    hard: str = ""
    stream: str = ""


def jobs(
    chosen: Iterable[Entry], paths: Sequence[str], settings: Settings, recorded: dict[str, Any], size: int = 8
) -> list[Job]:
    """The work in pieces for several processes."""
    records = {name_of(record): record for record in recorded.get("short", [])}
    hard = recorded.get("hard_cases", {})
    found = []
    for types, group in itertools.groupby(chosen, key=lambda entry: entry.types):
        members = tuple(group)
        for k in range(0, len(members), size):
            part = members[k : k + size]
            own = {entry.name: records[entry.name] for entry in part if entry.name in records}
            key = _key(types)
            found.append(Job(part, tuple(paths), settings, own, hard.get(key, ""), recorded.get("streams", {}).get(key, "")))
    return found


def _key(types: tuple[str, ...]) -> str:
    return ", ".join(types)


def verify(job: Job, advance: Callable[[int], Any] = lambda done: None) -> list[Verdict]:
    """Compute and compare."""
    types = job.entries[0].types
    chunks = job.settings.chunks(job.entries[0])
    patterns = stream(types, chunks, hard_of(types, job.hard))
    bad_stream = job.settings.sample == 1 and job.stream and job.stream != stream_digest(patterns)
    found: list[Verdict] = []
    for entry in job.entries:
        record = job.records.get(entry.name)
        wrong: dict[str, np.ndarray] = {}
        right: dict[str, np.ndarray] = {}
        verdicts = {}
        for path in job.paths:
            verdict = verdicts[path] = Verdict(entry, path, ok=False)
            if record is None:
                verdict.error = "the file has no fingerprint of it"
            elif bad_stream:
                verdict.error = "the inputs are not those of the file"
            else:
                try:
                    results = computing.compute(entry, path, patterns, job.settings)
                except Exception as error:  # a machine that cannot is a finding, and the others go on
                    verdict.error = f"{type(error).__name__}: {error}"
                else:
                    verdict.ok = _agrees(results, record, chunks, verdict)
                    (right if verdict.ok else wrong)[path] = results
            advance(1)
        for path, results in wrong.items():
            verdicts[path].difference = _first_difference(entry, results, record or {}, chunks, patterns, right, wrong)
        found += verdicts.values()
    return found


def _agrees(results: np.ndarray, record: dict[str, Any], chunks: list[int], verdict: Verdict) -> bool:
    if len(chunks) == len(recorded_chunks(record)):
        verdict.sha256 = digest(results)
        return verdict.sha256 == record["sha256"]
    recorded = recorded_chunks(record)
    return chunk_digests(results) == [recorded[number] for number in chunks]


def _first_difference(
    entry: Entry,
    results: np.ndarray,
    record: dict[str, Any],
    chunks: list[int],
    patterns: tuple[np.ndarray, ...],
    right: dict[str, np.ndarray],
    wrong: dict[str, np.ndarray],
) -> Difference:
    """Where the first difference is: by a path that is right, by the head of the record, or by the reference."""
    recorded = recorded_chunks(record)
    place = next((k for k, got in enumerate(chunk_digests(results)) if got != recorded[chunks[k]]), None)
    if place is None:
        return Difference(0, 0, source="every chunk agrees with the file, its hash of all of them does not: it is damaged")
    chunk = chunks[place]
    here = slice(place * CHUNK, (place + 1) * CHUNK)
    part = results[here]
    expected, source = None, ""
    for path, others in {**right, **wrong}.items():
        if chunk_digests(others[here]) == [recorded[chunk]]:
            expected, source = others[here], f"as path {path} gives it"
            break
    if expected is None and chunk == 0:
        kind = np.dtype(f"<u{FORMATS[entry.result].size}")
        head = np.frombuffer(base64.b64decode(record["head"]), kind)
        if (head != part[: head.size]).any():
            expected, source = np.concatenate([head, part[head.size :]]), "as recorded"
    if expected is None:
        with contextlib.suppress(Exception):  # a help, not a check: without it the report says less
            expected = by_reference(entry, [each[here] for each in patterns])
        source = "by the independent reference"
        if expected is not None and (chunk_digests(expected) != [recorded[chunk]] or not (expected != part).any()):
            expected = None
    if expected is None:
        nobody = "no path of this machine agrees there, and the independent reference does not either, or is not at hand"
        return Difference(chunk, chunk * CHUNK, source=nobody)
    number = int(np.flatnonzero(expected != part)[0])
    shown = tuple(with_value(each[here][number], FORMATS[short]) for each, short in zip(patterns, entry.types, strict=True))
    result = FORMATS[entry.result]
    return Difference(
        chunk, chunk * CHUNK + number, shown, with_value(part[number], result), with_value(expected[number], result), source
    )
