"""All inputs of a type through a kernel and the reference.

The inputs are walked in the order of their bit patterns, in chunks of ``CHUNK`` = 2**24 that begin at multiples of it. **The
hash** of a run is the SHA-256 of the chunks' SHA-256 digests (32 bytes each, in order); a chunk's digest is that of its results
as little-endian bit patterns. So it depends on the results alone, not on the number of processes, and two machines can compare
chunks. A half type's 65,536 inputs are one chunk.

An input of pow is a pair. For the half types all 2**32 pairs are tried, in the order of the number whose upper 16 bits are the
base and whose lower are the exponent. For float32, and for exponents of a wider type, pairs are drawn
(:func:`exactops.verification.powers.draw`) and counted from 0. So are the inputs of float64
(:mod:`exactops.verification.binary64`), of which no campaign can try more than a sample.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import multiprocessing
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from exactops.table.formats import FORMATS, Format
from exactops.table.operator import FAST_ULP
from exactops.verification import powers
from exactops.verification.binary64 import draws as binary64_draws
from exactops.verification.binary64 import filter as binary64_filter
from exactops.verification.binary64 import powers as binary64_powers
from exactops.verification.decision import correctly_rounded
from exactops.verification.filter import reference
from exactops.verification.functions import function_of

CHUNK = 1 << 24
#: Inputs that are computed at a time, and that are drawn at a time: small enough for the caches of a core.
PART = 1 << 20
#: Failures that are kept as examples.
EXAMPLES = 8
#: A kernel: from arrays of operands to an array of results.
Evaluate = Callable[..., np.ndarray]


@dataclass
class Findings:
    """What was found in a range of inputs; findings of ranges add up.

    Attributes
    ----------
    inputs : int
        Inputs tried.
    wrong : int
        Exact mode: results that have other bits than the correctly rounded one. Fast mode: results farther than the limit, and
        all mismatches below.
    undecided : int
        Inputs that the filter left to MPFR.
    worst : int
        Largest distance from the correctly rounded result in units in the last place (steps between neighbouring
        numbers), over results where both are numbers.
    worst_input : tuple of int
        Bits of the operands of a result with that distance; empty where it is 0.
    nan_mismatches, infinity_mismatches, zero_sign_mismatches, special_mismatches : int
        Exactly one of result and reference is NaN; exactly one is infinite, or they are opposite infinities; both are zeros of
        opposite sign; the input is a zero or infinite (of pow: a special case of C) and the result differs.
    examples : list of tuple of int
        Bits of operands, result and reference of the first results counted in ``wrong``.
    digests : dict from int to bytes
        SHA-256 of the results by number of the chunk.
    """

    inputs: int = 0
    wrong: int = 0
    undecided: int = 0
    worst: int = 0
    worst_input: tuple[int, ...] = ()
    nan_mismatches: int = 0
    infinity_mismatches: int = 0
    zero_sign_mismatches: int = 0
    special_mismatches: int = 0
    examples: list[tuple[int, ...]] = field(default_factory=list)
    digests: dict[int, bytes] = field(default_factory=dict)

    def add(self, other: Findings) -> None:
        """Take in the findings of another range."""
        if other.worst > self.worst:
            self.worst, self.worst_input = other.worst, other.worst_input
        for entry in fields(self):
            if entry.type == "int" and not entry.name.startswith("worst"):
                setattr(self, entry.name, getattr(self, entry.name) + getattr(other, entry.name))
        self.examples = sorted(self.examples + other.examples)[:EXAMPLES]
        self.digests |= other.digests

    @property
    def sha256(self) -> str:
        """The hash of the run."""
        return hashlib.sha256(b"".join(self.digests[number] for number in sorted(self.digests))).hexdigest()


@dataclass(frozen=True)
class Task:
    """What is to be proven.

    Attributes
    ----------
    operator : str
        Canonical name.
    dtype : str
        ``"f64"``, ``"f32"``, ``"f16"`` or ``"bf16"``.
    mode : str
        ``"exact"`` or ``"fast"``.
    path : str, optional
        Register width; the widest by default.
    attributes : tuple of (str, object)
        Attributes that differ from their defaults, sorted.
    start, stop : int
        Range of input bits; all of them by default.
    hash_only : bool
        Compute only the hash.
    drawn, seed : int
        Of a campaign of random inputs (pairs, for pow): their number and the seed.
    exponent : str
        Of pow: the type of the exponents; that of the bases by default.
    evaluate : callable, optional
        Another kernel in place of exactops'; picklable where there are several processes.
    """

    operator: str
    dtype: str = "f32"
    mode: str = "exact"
    path: str | None = None
    attributes: tuple[tuple[str, Any], ...] = ()
    start: int = 0
    stop: int | None = None
    hash_only: bool = False
    drawn: int = 0
    seed: int = 0
    exponent: str = ""
    evaluate: Evaluate | None = None

    @property
    def storage(self) -> Format:
        """The stored type."""
        return FORMATS[self.dtype]

    @property
    def end(self) -> int:
        """The first input after the range."""
        return self.count if self.stop is None else self.stop

    @property
    def count(self) -> int:
        """How many inputs there are in all."""
        return self.drawn or 1 << (8 * self.storage.size * (2 if self.operator == "pow" else 1))

    @property
    def complete(self) -> bool:
        """Whether all inputs are in the range."""
        return self.start == 0 and self.end == self.count

    @property
    def kernel(self) -> Evaluate:
        """What computes the results."""
        import exactops

        options: dict[str, Any] = {"mode": self.mode, "path": self.path, **dict(self.attributes)}
        return self.evaluate or functools.partial(exactops.run, self.operator, **options)

    def chunks(self) -> list[tuple[int, int]]:
        """The range cut at the multiples of ``CHUNK``."""
        edges = [self.start, *range((self.start // CHUNK + 1) * CHUNK, self.end, CHUNK), self.end]
        return [(a, b) for a, b in itertools.pairwise(edges) if a < b]


def prove(task: Task, processes: int = 1, advance: Callable[[int], Any] = lambda inputs: None) -> Findings:
    """Go through all inputs of a task.

    Parameters
    ----------
    task : Task
        What is to be proven.
    processes : int
        Processes that share the chunks.
    advance : callable
        Called with the number of inputs done since the last call.

    Returns
    -------
    Findings
        What was found; the same for any number of processes.
    """
    total = Findings()
    chunks = task.chunks()
    if processes == 1 or len(chunks) == 1:
        for start, stop in chunks:
            total.add(examine(task, start, stop, advance))
        return total
    # Fresh processes: a fork would inherit the locks of LLVM's and NumPy's threads.
    pool = ProcessPoolExecutor(min(processes, len(chunks)), mp_context=multiprocessing.get_context("spawn"))
    try:
        waiting: set[Future[Findings]] = {pool.submit(examine, task, start, stop) for start, stop in chunks}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                found = future.result()
                total.add(found)
                advance(found.inputs)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return total


def examine(task: Task, start: int, stop: int, advance: Callable[[int], Any] = lambda inputs: None) -> Findings:
    """Go through a range of inputs within one chunk."""
    found, digest = Findings(), hashlib.sha256()
    kernel, storage = task.kernel, task.storage
    unsigned = np.dtype(f"u{storage.size}")
    for first, last in _parts(start, stop):
        operands = _operands(task, first, last)
        results = np.ascontiguousarray(kernel(*operands)).view(unsigned)
        digest.update(results.astype(unsigned.newbyteorder("<"), copy=False).data)
        if not task.hash_only:
            expected, special, undecided = _expected(task, operands, first, last)
            found.undecided += undecided
            _compare(found, task, operands, results, expected, special)
        found.inputs += last - first
        advance(last - first)
    found.digests[start // CHUNK] = digest.digest()
    return found


def _parts(start: int, stop: int) -> Iterator[tuple[int, int]]:
    while start < stop:
        end = min((start // PART + 1) * PART, stop)
        yield start, end
        start = end


def _operands(task: Task, first: int, last: int) -> tuple[np.ndarray, ...]:
    """The operands with these numbers."""
    dtype = task.storage.dtype
    if task.drawn:
        batch, cut = first // PART, slice(first % PART, first % PART + last - first)
        if task.dtype == "f64":
            return tuple(operand[cut] for operand in _drawn_doubles(task, batch))
        x, y = powers.draw(task.seed, batch, task.exponent or task.dtype)
        with np.errstate(all="ignore"):  # bases of a half type are the same ones, rounded
            return x[cut].view(np.float32).astype(dtype, copy=False), y[cut]
    if task.operator == "pow":
        number = np.arange(first, last, dtype=np.uint32)
        return (number >> np.uint32(16)).astype(np.uint16).view(dtype), number.astype(np.uint16).view(dtype)
    return (np.arange(first, last, dtype=f"u{task.storage.size}").view(dtype),)


def _drawn_doubles(task: Task, batch: int) -> tuple[np.ndarray, ...]:
    if task.operator == "pow":
        return binary64_powers.draw(task.seed, batch, task.exponent or task.dtype)
    if task.operator == "powi":
        return (binary64_powers.draw_bases(task.seed, batch, dict(task.attributes)["exp"]),)
    return (binary64_draws.draw(function_of(task.operator, dict(task.attributes)), task.seed, batch),)


def _expected(task: Task, operands: tuple[np.ndarray, ...], first: int, last: int) -> tuple[np.ndarray, np.ndarray | None, int]:
    """Correctly rounded results, which pairs are special (None for one operand), and how many results MPFR decided."""
    storage = task.storage
    patterns = _bits(operands[0])
    if task.operator in ("pow", "powi"):
        exponents = operands[1] if len(operands) == 2 else np.full(last - first, dict(task.attributes)["exp"], np.int64)
        if exponents.dtype.kind not in "iu":
            with np.errstate(invalid="ignore"):  # signalling NaNs
                exponents = exponents.astype(np.float64)
        if storage.short == "f64":
            return binary64_powers.reference(operands[0], exponents)
        return powers.reference(patterns, exponents, storage)
    function = function_of(task.operator, dict(task.attributes))
    if storage.short == "f64":
        expected, undecided = binary64_filter.reference(function, operands[0])
        return expected, None, undecided
    if storage.short == "f32":
        expected, undecided = reference(function, first, last)
        return expected, None, undecided
    # The half types have so few inputs that MPFR decides all.
    values = (correctly_rounded(function, bits, storage) for bits in range(first, last))
    return np.fromiter(values, np.uint16, last - first), None, last - first


def _special(operand: np.ndarray, storage: Format) -> np.ndarray:
    """Where the operand is a zero or infinite."""
    magnitude = _bits(operand) & ((1 << (8 * storage.size - 1)) - 1)
    return (magnitude == 0) | (magnitude == _infinity(storage))


def _bits(values: np.ndarray) -> np.ndarray:
    return values.view(f"u{values.dtype.itemsize}")


def _infinity(storage: Format) -> int:
    return ((1 << storage.exponent_bits) - 1) << (storage.precision - 1)


def _compare(
    found: Findings,
    task: Task,
    operands: tuple[np.ndarray, ...],
    results: np.ndarray,
    expected: np.ndarray,
    special: np.ndarray | None,
) -> None:
    differ = results != expected
    if not differ.any():
        return
    if special is None:
        special = _special(operands[0], task.storage)
    beyond = _measure(found, operands, results, expected, special, task.storage)
    wrong = differ if task.mode == "exact" else beyond
    found.wrong += int(np.count_nonzero(wrong))
    room = EXAMPLES - len(found.examples)
    for index in np.flatnonzero(wrong)[:room].tolist():
        found.examples.append(tuple(int(_bits(column)[index]) for column in (*operands, results, expected)))


def _measure(
    found: Findings,
    operands: tuple[np.ndarray, ...],
    results: np.ndarray,
    expected: np.ndarray,
    special: np.ndarray,
    storage: Format,
) -> np.ndarray:
    """Count the kinds of differences; true where fast mode allows none of it."""
    sign = results.dtype.type(1 << (8 * storage.size - 1))
    infinity = results.dtype.type(_infinity(storage))
    got, want = results & ~sign, expected & ~sign
    nan = (got > infinity) != (want > infinity)
    both_nan = (got > infinity) & (want > infinity)
    numbers = ~nan & ~both_nan
    infinite = numbers & ((got == infinity) | (want == infinity)) & (results != expected)
    zeros = (got == 0) & (want == 0) & (results != expected)
    special = special & (results != expected) & ~both_nan
    for name, where in (
        ("nan_mismatches", nan),
        ("infinity_mismatches", infinite),
        ("zero_sign_mismatches", zeros),
        ("special_mismatches", special),
    ):
        setattr(found, name, getattr(found, name) + int(np.count_nonzero(where)))
    distance = _distance(results, expected, got, want, sign)
    distance[~numbers | infinite] = 0
    largest = int(distance.max())
    if largest > found.worst:
        index = int(distance.argmax())
        found.worst, found.worst_input = largest, tuple(int(_bits(operand)[index]) for operand in operands)
    return nan | infinite | zeros | special | (distance > FAST_ULP[storage.short])


def _distance(results: np.ndarray, expected: np.ndarray, got: np.ndarray, want: np.ndarray, sign: Any) -> np.ndarray:
    """Distances in the order of numbers, that of neighbours 1 and both zeros 0, from bits and magnitudes, unsigned."""
    got, want = got.astype(np.uint64), want.astype(np.uint64)
    return np.where((results ^ expected) & sign != 0, got + want, np.maximum(got, want) - np.minimum(got, want))


def timed(task: Task, processes: int, advance: Callable[[int], Any]) -> tuple[Findings, float]:
    """:func:`prove` and the seconds that it took."""
    start = time.perf_counter()
    found = prove(task, processes, advance)
    return found, time.perf_counter() - start


def summary(found: Findings, mode: str) -> Mapping[str, Any]:
    """The counts as plain values, those of the mode only."""
    counts: dict[str, Any] = {"inputs": found.inputs}
    if mode == "exact":
        counts |= {"not_correctly_rounded": found.wrong}
    else:
        counts |= {
            "beyond_limit": found.wrong,
            "largest_error_ulp": found.worst,
            "largest_error_at": [f"{bits:#x}" for bits in found.worst_input],
            "nan_mismatches": found.nan_mismatches,
            "infinity_mismatches": found.infinity_mismatches,
            "zero_sign_mismatches": found.zero_sign_mismatches,
            "special_mismatches": found.special_mismatches,
        }
    return counts | {"decided_by_mpfr": found.undecided}
