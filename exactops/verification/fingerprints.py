"""Fingerprints: what every operator returns in exact mode over a fixed stream of inputs, and whether this machine agrees.

``testdata/fingerprints.json`` has one record for each operator, types of the operands and attribute set. In the **short form**
the inputs are those of :mod:`exactops.verification.inputs`; a record holds

* ``sha256``: SHA-256 of all results as little-endian bit patterns in the order of the stream;
* ``chunks``: the first 4 bytes of the SHA-256 of each chunk of ``CHUNK`` results (base64), so that a wrong machine learns
  where, and a slow one can compare a part;
* ``head``: the first ``HEAD`` results themselves (base64).

In the **long form** the inputs are all 2**32 patterns of a float32 operand in order; its hash is that of
``python -m exactops prove``: SHA-256 of the SHA-256 digests of chunks of 2**24 results.

Which records there are follows from the operator table.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import itertools
import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from exactops.table.formats import STORAGES, Storage
from exactops.table.operator import REQUIRED, Operator
from exactops.verification import inputs

#: Results of a chunk of the short form, and results that a record holds as they are.
CHUNK, HEAD = 1 << 13, 64
#: Elements of the stream that are generated at a time.
_PART = 1 << 15
#: Results of a chunk of the long form, and how many are computed at a time.
LONG_CHUNK, _LONG_PART = 1 << 24, 1 << 20

#: The attribute sets: the n-th value of each attribute belongs to the n-th set; one that has fewer keeps its last.
_FLOAT_VALUES = (0.3, -1.75)
INT_VALUES = (2, -1, 0, 3, 17, -4, 2**31 - 1)
#: Types of a second operand whose type is its own (pow), beside the first one's.
_OWN_TYPES = ("f64", "i64")
#: Operands of a fold.
_FOLDED = 3

_ABOUT = (
    "Written by `python -m exactops verify --write`; docs/verification.md explains it. short: SHA-256 of the results over the "
    "canonical stream, of each chunk its first 4 bytes, and the first results. long: all 2**32 inputs, as in proofs.json."
)


@dataclass(frozen=True)
class Entry:
    """An operator with operands of served types and one set of attributes.

    Attributes
    ----------
    operator : str
        Canonical name.
    types : tuple of str
        Short names of the operands' types.
    attributes : tuple of (str, object)
        Those given; a dtype is its short name.
    result : str
        Short name of the result's type.
    """

    operator: str
    types: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...]
    result: str

    @property
    def dtype(self) -> str:
        """The type that the operator is said to serve: that of the first value operand."""
        from exactops.ops import OPERATORS

        return self.types[-1 if OPERATORS[self.operator].condition else 0]

    @property
    def name(self) -> str:
        """For messages, and what a record is found by."""
        given = "".join(f", {name}={value!r}" for name, value in self.attributes)
        return f"{self.operator}({', '.join(self.types)}{given})"

    @property
    def count(self) -> int:
        """Inputs of the short form."""
        return inputs.count(self.types)


# --- which records there are --------------------------------------------------------------------------------------------


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Every operator with every type it serves and its attribute sets, from the declarations."""
    from exactops.frontend.plan import plan
    from exactops.ops import OPERATORS

    found: list[Entry] = []
    for operator in OPERATORS.values():
        for types in _operand_types(operator):
            seen: set[Any] = set()
            for attributes in _attribute_sets(operator):
                operands = tuple(np.ones(1, STORAGES[short].dtype) for short in types)
                try:
                    planned = plan(operator, operands, attributes=dict(attributes))
                except TypeError:  # the table does not serve it
                    continue
                storages = tuple(STORAGES[short] for short in planned.key.inputs)
                result = STORAGES[planned.key.output]
                kernel = operator.kernel_for(storages, result, dict(planned.key.choices))
                # A choice that does not change the kernel for these types is the same thing again.
                identity = (id(kernel), result.short, *(each.tobytes() for each in planned.attributes))
                if identity not in seen:
                    seen.add(identity)
                    found.append(Entry(operator.name, types, attributes, result.short))
    return tuple(sorted(found, key=lambda entry: (len(entry.types), entry.types)))


def _operand_types(operator: Operator) -> Iterator[tuple[str, ...]]:
    """Candidates; the plan says which are served."""
    for short in operator.dtypes:
        if operator.variadic:
            yield (short,) * _FOLDED
        elif operator.condition:
            yield ("bool", short, short)
        elif operator.result == "to" and len(operator.operands) == 2:
            # The kernels are those of cast: one target of each type is enough here.
            order = list(STORAGES)
            yield (short, order[(order.index(short) + 1) % len(order)])
        else:
            for places in range(len(operator.operands) - operator.optional, len(operator.operands) + 1):
                if places != 1 and places < len(operator.operands):
                    continue  # a missing bound is an extreme of the type: none and all of them are enough
                yield (short,) * places
                if places == 2:
                    yield from ((short, other) for other in _OWN_TYPES if other != short)


def _attribute_sets(operator: Operator) -> Iterator[tuple[tuple[str, Any], ...]]:
    choices: list[list[tuple[str, Any]]] = []
    numbers: list[tuple[str, list[Any]]] = []
    for attribute in operator.attributes:
        if attribute.kind == "choice" and None not in attribute.choices:
            choices.append([(attribute.name, choice) for choice in attribute.choices])
        elif attribute.kind == "dtype":
            choices.append([(attribute.name, short) for short in STORAGES])
        elif attribute.kind == "int32":
            numbers.append((attribute.name, list(INT_VALUES)))
        elif attribute.kind == "float":
            turn = len(numbers)
            own = [_FLOAT_VALUES[turn % 2]] if attribute.default is REQUIRED else [attribute.default]
            numbers.append((attribute.name, [*own, _FLOAT_VALUES[(turn + 1) % 2]]))
    sets = max((len(values) for _, values in numbers), default=1)
    for chosen in itertools.product(*choices):
        for turn in range(sets):
            yield (*chosen, *((name, values[min(turn, len(values) - 1)]) for name, values in numbers))


# --- results ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Settings:
    """How results are computed: none of it may change a bit.

    Attributes
    ----------
    threads : int
        Threads that share the elements.
    environment : str, optional
        A foreign floating-point environment of the calling threads (:data:`exactops.verification.machine.ENVIRONMENTS`).
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
    from exactops.verification import machine

    arrays = [each.view(STORAGES[short].dtype) for each, short in zip(patterns, entry.types, strict=True)]
    size, attributes = arrays[0].size, dict(entry.attributes)
    out = np.empty(size, STORAGES[entry.result].dtype)
    failures: list[BaseException] = []

    def part(start: int, stop: int) -> None:
        try:
            with machine.environment(settings.environment):
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
    return out.view(np.dtype(f"u{STORAGES[entry.result].size}"))


def _bytes(patterns: np.ndarray) -> bytes:
    """Bit patterns as little-endian bytes."""
    return patterns.astype(patterns.dtype.newbyteorder("<"), copy=False).tobytes()


def digest(patterns: np.ndarray) -> str:
    """SHA-256 of bit patterns."""
    return hashlib.sha256(_bytes(patterns)).hexdigest()


def chunk_digests(patterns: np.ndarray) -> list[bytes]:
    """The short digest of each chunk."""
    return [hashlib.sha256(_bytes(patterns[k : k + CHUNK])).digest()[:4] for k in range(0, patterns.size, CHUNK)]


# --- comparison ---------------------------------------------------------------------------------------------------------


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
                    results = compute(entry, path, patterns, job.settings)
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
    if len(chunks) == len(_recorded_chunks(record)):
        verdict.sha256 = digest(results)
        return verdict.sha256 == record["sha256"]
    recorded = _recorded_chunks(record)
    return chunk_digests(results) == [recorded[number] for number in chunks]


def _recorded_chunks(record: dict[str, Any]) -> list[bytes]:
    content = base64.b64decode(record["chunks"])
    return [content[k : k + 4] for k in range(0, len(content), 4)]


def _first_difference(
    entry: Entry,
    results: np.ndarray,
    record: dict[str, Any],
    chunks: list[int],
    patterns: tuple[np.ndarray, ...],
    right: dict[str, np.ndarray],
    wrong: dict[str, np.ndarray],
) -> Difference:
    """Where the first difference is: by a path that is right, by the head of the record, or by the references of the tests."""
    recorded = _recorded_chunks(record)
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
        kind = np.dtype(f"<u{STORAGES[entry.result].size}")
        head = np.frombuffer(base64.b64decode(record["head"]), kind)
        if (head != part[: head.size]).any():
            expected, source = np.concatenate([head, part[head.size :]]), "as recorded"
    if expected is None:
        expected = reference(entry, [each[here] for each in patterns])
        source = "by the reference of the tests"
        if expected is not None and (chunk_digests(expected) != [recorded[chunk]] or not (expected != part).any()):
            expected = None
    if expected is None:
        nobody = "no path of this machine agrees there, and the reference of the tests is not at hand"
        return Difference(chunk, chunk * CHUNK, source=nobody)
    number = int(np.flatnonzero(expected != part)[0])
    shown = tuple(_shown(each[here][number], STORAGES[short]) for each, short in zip(patterns, entry.types, strict=True))
    result = STORAGES[entry.result]
    return Difference(
        chunk, chunk * CHUNK + number, shown, _shown(part[number], result), _shown(expected[number], result), source
    )


def _shown(pattern: Any, storage: Storage) -> str:
    """A bit pattern with its value."""
    value = np.array(pattern, f"u{storage.size}").view(storage.dtype)[()]
    return f"0x{int(pattern):0{2 * storage.size}x} ({value})"


@functools.cache
def _test_reference() -> Any:
    """The independent references of the test suite, where the checkout and what they import are at hand."""
    file = Path(__file__).resolve().parents[2] / "tests" / "reference.py"
    name = "exactops_reference_of_the_tests"
    specification = importlib.util.spec_from_file_location(name, file)
    if not file.is_file() or specification is None or specification.loader is None:
        return None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except ImportError:
        return None
    return module


def reference(entry: Entry, patterns: Sequence[np.ndarray]) -> np.ndarray | None:
    """The results by integer arithmetic and MPFR, slowly: for a chunk. None where the references are not at hand."""
    module = _test_reference()
    if module is None:
        return None
    from exactops.ops import OPERATORS

    arrays: list[Any] = [each.view(STORAGES[short].dtype) for each, short in zip(patterns, entry.types, strict=True)]
    operator = OPERATORS[entry.operator]
    if not operator.variadic:
        arrays += [None] * (len(operator.operands) - len(arrays))
    attributes = {name: value for name, value in entry.attributes if name != "to"}
    result = STORAGES[entry.result]
    try:
        found = module.expected(entry.operator, arrays, attributes, result.dtype)
    except Exception:  # a help, not a check: without it the report says less
        return None
    return np.ascontiguousarray(found).view(np.dtype(f"u{result.size}"))


# --- the long form ------------------------------------------------------------------------------------------------------


def has_long_form(entry: Entry) -> bool:
    """Whether all 2**32 inputs of an entry are tried; an exponent, as powi has, is an operand in all but form."""
    from exactops.ops import OPERATORS

    return entry.types == ("f32",) and not any(a.kind == "int32" for a in OPERATORS[entry.operator].attributes)


def long_digest(entry: Entry, path: str | None, number: int, settings: Settings) -> bytes:
    """SHA-256 of one chunk of 2**24 results of the long form."""
    digest = hashlib.sha256()
    for pattern in _long_parts(number):
        digest.update(_bytes(compute(entry, path, [pattern], settings)))
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
    recorded = _recorded_chunks(record) if "chunks" in record else []
    bad = next((k for k, (got, wanted) in enumerate(zip(digests, recorded, strict=False)) if got[:4] != wanted), None)
    if bad is None:
        return verdict
    for other in paths:
        if other == path or long_digest(entry, other, bad, settings)[:4] != recorded[bad]:
            continue
        for pattern in _long_parts(bad):
            results, expected = (compute(entry, each, [pattern], settings) for each in (path, other))
            wrong = np.flatnonzero(results != expected)
            if wrong.size:
                place = int(wrong[0])
                shown = (_shown(pattern[place], STORAGES[entry.types[0]]),)
                one, two = (_shown(each[place], STORAGES[entry.result]) for each in (results, expected))
                source = f"as path {other} gives it"
                verdict.difference = Difference(bad, int(pattern[place]), shown, one, two, source, LONG_CHUNK)
                return verdict
    nobody = "no other path of this machine agrees there with the file"
    verdict.difference = Difference(bad, bad * LONG_CHUNK, source=nobody, size=LONG_CHUNK)
    return verdict


# --- the file -----------------------------------------------------------------------------------------------------------


def load(file: Path) -> dict[str, Any]:
    """The records; empty ones where there is no file.

    Raises
    ------
    ValueError
        The file holds something else, or is damaged.
    OSError
        It cannot be read.
    """
    try:
        records = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"short": [], "long": [], "streams": {}, "hard_cases": {}}
    try:
        for form, parts in (("short", ("head", "chunks")), ("long", ())):
            for record in records[form]:
                name_of(record)
                bytes.fromhex(record["sha256"])
                for part in parts:
                    base64.b64decode(record[part], validate=True)
                if len(record.get("chunks", "")) % 4 or (parts and len(_recorded_chunks(record)) * CHUNK < record["inputs"]):
                    raise ValueError(f"the chunks of {name_of(record)} are cut short")
        for content in records["streams"].values():
            bytes.fromhex(content)
        for key, content in records["hard_cases"].items():
            hard_of(tuple(key.split(", ")), content)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"it holds no fingerprints, or is damaged ({type(error).__name__}: {error})") from None
    return records


def name_of(record: dict[str, Any]) -> str:
    """The name of a record's entry."""
    return Entry(record["operator"], tuple(record["types"]), tuple(record["attributes"].items()), record["result"]).name


def hard_cases(folder: Path) -> dict[str, str]:
    """The hard cases by types of the operands, as the file has them: of all functions with either sign, and pairs."""
    found: dict[str, set[tuple[int, ...]]] = {"f32": set(), "f32, f32": set()}
    for file in sorted(folder.glob("hard_*_f32.csv")):
        for line in file.read_text(encoding="utf-8").split()[1:]:
            _, first, *others = (int(bits, 16) if bits.startswith("0x") else 0 for bits in line.split(","))
            signs = (0,) if others else (0, 1 << 31)
            found["f32, f32" if others else "f32"] |= {(first ^ sign, *others) for sign in signs}
    return {key: base64.b64encode(np.array(sorted(cases), "<u4").tobytes()).decode() for key, cases in found.items()}


def hard_of(types: tuple[str, ...], recorded: str) -> np.ndarray:
    """The hard cases of operands of these types, one row a case, from what the file holds."""
    return np.frombuffer(base64.b64decode(recorded, validate=True), "<u4").reshape(-1, len(types)).astype(np.uint64)


@dataclass
class Written:
    """A new record, or why there is none."""

    entry: Entry
    record: dict[str, Any] = field(default_factory=dict)
    stream: str = ""
    error: str = ""


def make(job: Job, advance: Callable[[int], Any] = lambda done: None) -> list[Written]:
    """The records of a job's entries, where all its paths agree and the references of the tests do with two chunks."""
    types = job.entries[0].types
    patterns = stream(types, job.settings.chunks(job.entries[0]), hard_of(types, job.hard))
    own = stream_digest(patterns)
    found = []
    for entry in job.entries:
        first: np.ndarray | None = None
        error = ""
        for path in job.paths:
            results = compute(entry, path, patterns, job.settings)
            if first is None:
                first = results
            elif not np.array_equal(first, results):
                place = int(np.flatnonzero(first != results)[0])
                shown = ", ".join(_shown(each[place], STORAGES[short]) for each, short in zip(patterns, types, strict=True))
                one, other = (_shown(each[place], STORAGES[entry.result]) for each in (first, results))
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
            "head": base64.b64encode(_bytes(first[:HEAD])).decode(),
            "chunks": base64.b64encode(b"".join(chunk_digests(first))).decode(),
        }
        found.append(Written(entry, record, own))
    return found


def _refuted(entry: Entry, patterns: Sequence[np.ndarray], results: np.ndarray) -> str:
    """What the references of the tests have against two chunks of the results, the structured inputs among them."""
    chunks = -(-results.size // CHUNK)
    for number in sorted({0, 2 * chunks // 3}):
        here = slice(number * CHUNK, (number + 1) * CHUNK)
        expected = reference(entry, [each[here] for each in patterns])
        if expected is None:
            return "the references of the tests are not at hand (they need a checkout and gmpy2)"
        wrong = np.flatnonzero(expected != results[here])
        if wrong.size:
            place = number * CHUNK + int(wrong[0])
            shown = ", ".join(_shown(e[place], STORAGES[short]) for e, short in zip(patterns, entry.types, strict=True))
            one, other = (_shown(each, STORAGES[entry.result]) for each in (results[place], expected[wrong[0]]))
            return f"{shown} gives {one} on every path, {other} by the references of the tests"
    return ""


def stream_digest(patterns: Sequence[np.ndarray]) -> str:
    """SHA-256 of the operands' streams, one after the other."""
    found = hashlib.sha256()
    for each in patterns:
        found.update(_bytes(each))
    return found.hexdigest()


def store(file: Path, records: dict[str, Any]) -> None:
    """Replace the file in one step; one record a line."""
    order = {entry.name: number for number, entry in enumerate(entries())}
    lines = []
    for key, value in {"about": _ABOUT, **{k: v for k, v in records.items() if k != "about"}}.items():
        if key in ("short", "long"):
            known = sorted((r for r in value if name_of(r) in order), key=lambda record: order[name_of(record)])
            body = ",\n".join(json.dumps(record, ensure_ascii=False) for record in known)
            lines.append(f'"{key}": [\n{body}\n]')
        else:
            lines.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
        Path(name).chmod(0o644)
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def long_of_proofs(folder: Path) -> list[dict[str, Any]]:
    """The long form of what ``python -m exactops prove`` found correctly rounded for all inputs: no other hash is right."""
    try:
        proofs = json.loads((folder / "proofs.json").read_text(encoding="utf-8"))["proofs"]
    except FileNotFoundError:
        return []
    names = {entry.name: entry for entry in entries() if has_long_form(entry)}
    found = []
    for proof in proofs:
        complete = proof.get("inputs") == 1 << 32 and proof.get("not_correctly_rounded") == 0
        if proof["dtype"] != "f32" or proof["mode"] != "exact" or not complete:
            continue
        for entry in names.values():
            if entry.operator == proof["operator"] and _given(entry) == proof["attributes"]:
                found.append(long_record(entry, proof["sha256"]))
    return found


def _given(entry: Entry) -> dict[str, Any]:
    """The attributes of an entry that differ from their defaults."""
    from exactops.ops import OPERATORS

    operator = OPERATORS[entry.operator]
    known = {attribute.name: attribute.default for attribute in operator.attributes}
    return {name: value for name, value in entry.attributes if value != known[name]}


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
