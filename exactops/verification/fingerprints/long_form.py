"""The long form: all 2**32 patterns of a float32 operand."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from exactops.table.formats import FORMATS
from exactops.verification.fingerprints import results as computing
from exactops.verification.fingerprints.comparison import Difference, Verdict
from exactops.verification.fingerprints.entries import Entry
from exactops.verification.fingerprints.form import recorded_chunks
from exactops.verification.fingerprints.results import Settings, little_endian, with_value

#: Results of a chunk of the long form, and how many are computed at a time.
LONG_CHUNK, _LONG_PART = 1 << 24, 1 << 20


def has_long_form(entry: Entry) -> bool:
    """Whether all 2**32 inputs of an entry are tried; an exponent, as powi has, is an operand in all but form."""
    from exactops.ops import OPERATORS

    return entry.types == ("f32",) and not any(a.kind == "int32" for a in OPERATORS[entry.operator].attributes)


def long_digest(entry: Entry, path: str | None, number: int, settings: Settings) -> bytes:
    """SHA-256 of one chunk of 2**24 results of the long form."""
    digest = hashlib.sha256()
    for pattern in _long_parts(number):
        digest.update(little_endian(computing.compute(entry, path, [pattern], settings)))
    return digest.digest()


def _long_parts(number: int) -> Iterator[np.ndarray]:
    """The inputs of a chunk of the long form."""
    for start in range(number * LONG_CHUNK, (number + 1) * LONG_CHUNK, _LONG_PART):
        yield np.arange(start, start + _LONG_PART, dtype=np.uint64).astype(np.uint32)


def long_hash(digests: Sequence[bytes]) -> str:
    """The hash of the long form, of the digests of its chunks."""
    return hashlib.sha256(b"".join(digests)).hexdigest()


def long_verdict(
    entry: Entry, path: str, digests: Sequence[bytes], record: dict[str, Any], paths: Sequence[str], settings: Settings
) -> Verdict:
    """Whether the digests of the chunks are those of a record; if not, the first difference as far as it can be told."""
    found = long_hash(digests)
    verdict = Verdict(entry, path, ok=found == record["sha256"], sha256=found)
    recorded = recorded_chunks(record) if "chunks" in record else []
    bad = next((k for k, (got, wanted) in enumerate(zip(digests, recorded, strict=False)) if got[:4] != wanted), None)
    if bad is None:
        return verdict
    for other in paths:
        if other == path or long_digest(entry, other, bad, settings)[:4] != recorded[bad]:
            continue
        for pattern in _long_parts(bad):
            results, expected = (computing.compute(entry, each, [pattern], settings) for each in (path, other))
            wrong = np.flatnonzero(results != expected)
            if wrong.size:
                place = int(wrong[0])
                shown = (with_value(pattern[place], FORMATS[entry.types[0]]),)
                one, two = (with_value(each[place], FORMATS[entry.result]) for each in (results, expected))
                source = f"as path {other} gives it"
                verdict.difference = Difference(bad, int(pattern[place]), shown, one, two, source, LONG_CHUNK)
                return verdict
    nobody = "no other path of this machine agrees there with the file"
    verdict.difference = Difference(bad, bad * LONG_CHUNK, source=nobody, size=LONG_CHUNK)
    return verdict


def long_record(entry: Entry, sha256: str, digests: Sequence[bytes] = ()) -> dict[str, Any]:
    """A record of the long form; with the digests of its chunks, if they are known."""
    chunks = base64.b64encode(b"".join(each[:4] for each in digests)).decode()
    return {
        "operator": entry.operator,
        "types": list(entry.types),
        "attributes": dict(entry.attributes),
        "result": entry.result,
        "inputs": 1 << 32,
        "sha256": sha256,
        **({"chunks": chunks} if chunks else {}),
    }
