"""Results over the stream of inputs, by the library and by the references, and their hashes."""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactops.system import control_register
from exactops.table.formats import FORMATS, Format
from exactops.verification import inputs
from exactops.verification.fingerprints.entries import Entry

#: Results of a chunk of the short form, and results that a record holds as they are.
CHUNK, HEAD = 1 << 13, 64
#: Elements of the stream that are generated at a time.
_PART = 1 << 15


@dataclass(frozen=True)
class Settings:
    """How results are computed: none of it may change a bit.

    Attributes
    ----------
    threads : int
        Threads that share the elements.
    environment : str, optional
        A foreign floating-point environment of the calling threads (:data:`exactops.system.control_register.ENVIRONMENTS`).
    sample : int
        Every so manieth chunk of the short form; 1: all of them.
    """

    threads: int = 1
    environment: str | None = None
    sample: int = 1

    def chunks(self, entry: Entry) -> list[int]:
        """Numbers of the chunks of an entry that are compared."""
        return list(range(0, -(-entry.count // CHUNK), self.sample))


def stream(types: tuple[str, ...], chunks: Sequence[int], hard: np.ndarray) -> tuple[np.ndarray, ...]:
    """The operands' bit patterns in some chunks of the short form, one after the other."""
    total = inputs.count(types)
    index = np.concatenate([np.arange(c * CHUNK, min((c + 1) * CHUNK, total), dtype=np.uint64) for c in chunks])
    parts = [inputs.operands(types, index[k : k + _PART], hard) for k in range(0, index.size, _PART)]
    return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))


def compute(entry: Entry, path: str | None, patterns: Sequence[np.ndarray], settings: Settings) -> np.ndarray:
    """The results' bit patterns for these operands' bit patterns."""
    import exactops

    arrays = [each.view(FORMATS[short].dtype) for each, short in zip(patterns, entry.types, strict=True)]
    size, attributes = arrays[0].size, dict(entry.attributes)
    out = np.empty(size, FORMATS[entry.result].dtype)
    failures: list[BaseException] = []

    def part(start: int, stop: int) -> None:
        try:
            with control_register.environment(settings.environment):
                operands = (each[start:stop] for each in arrays)
                exactops.run(entry.operator, *operands, path=path, out=out[start:stop], **attributes)
        except BaseException as error:  # of a thread: raised in the caller below
            failures.append(error)

    if settings.threads == 1:
        part(0, size)
    else:
        edges = np.linspace(0, size, settings.threads + 1).astype(int)
        threads = [threading.Thread(target=part, args=(int(a), int(b))) for a, b in itertools.pairwise(edges)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
    return out.view(np.dtype(f"u{FORMATS[entry.result].size}"))


def little_endian(patterns: np.ndarray) -> bytes:
    """Bit patterns as little-endian bytes."""
    return patterns.astype(patterns.dtype.newbyteorder("<"), copy=False).tobytes()


def digest(patterns: np.ndarray) -> str:
    """SHA-256 of bit patterns."""
    return hashlib.sha256(little_endian(patterns)).hexdigest()


def chunk_digests(patterns: np.ndarray) -> list[bytes]:
    """The short digest of each chunk."""
    return [hashlib.sha256(little_endian(patterns[k : k + CHUNK])).digest()[:4] for k in range(0, patterns.size, CHUNK)]


def stream_digest(patterns: Sequence[np.ndarray]) -> str:
    """SHA-256 of the operands' streams, one after the other."""
    found = hashlib.sha256()
    for each in patterns:
        found.update(little_endian(each))
    return found.hexdigest()


def by_reference(entry: Entry, patterns: Sequence[np.ndarray]) -> np.ndarray | None:
    """The results by integer arithmetic and MPFR, slowly: for a chunk. None where gmpy2 is not at hand."""
    try:
        from exactops.verification import reference
    except ImportError:
        return None
    from exactops.ops import OPERATORS

    arrays: list[Any] = [each.view(FORMATS[short].dtype) for each, short in zip(patterns, entry.types, strict=True)]
    operator = OPERATORS[entry.operator]
    if operator.fold is None:
        arrays += [None] * (len(operator.operands) - len(arrays))
    attributes = {name: value for name, value in entry.attributes if name != "to"}
    result = FORMATS[entry.result]
    found = reference.expected(entry.operator, arrays, attributes, result.dtype)
    return np.ascontiguousarray(found).view(np.dtype(f"u{result.size}"))


def with_value(pattern: Any, storage: Format) -> str:
    """A bit pattern with its value."""
    value = np.array(pattern, f"u{storage.size}").view(storage.dtype)[()]
    return f"0x{int(pattern):0{2 * storage.size}x} ({value})"
