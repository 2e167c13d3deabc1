"""Whether the bits of a result depend on anything but the values of its operands."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from exactops.testing.auditing.comparison import deviation_at, differing
from exactops.testing.auditing.report import Dependence
from exactops.testing.auditing.subject import BLOCK, Subject
from exactops.testing.bits import bits_of
from exactops.testing.hard import generator

#: What the bits of a result must not depend on.
ASPECTS = ("repetition", "position", "length", "stride", "reversed", "alignment", "threads")

#: Elements with which a dependence is looked for.
_PROBE = 1536
_CACHE_LINE = 64
_THREADS = 4


def probe_of(actual: np.ndarray, expected: np.ndarray, seed: int) -> np.ndarray:
    """Indices of elements to look at closely: some that are wrong, and others."""
    chance = generator(seed, "probe")
    wrong = np.flatnonzero(differing(actual, expected))
    some = wrong[chance.permutation(wrong.size)[: _PROBE // 3]]
    others = chance.permutation(actual.size)[: max(_PROBE - some.size, 0)]
    chosen = np.concatenate([some, others])
    chosen = chosen[chance.permutation(chosen.size)]
    # A multiple of 8, so that the elements make a matrix too.
    return np.resize(chosen, max(8, chosen.size // 8 * 8))


def dependence_of(
    subject: Subject, operands: tuple[np.ndarray, ...], actual: np.ndarray, probe: np.ndarray, seed: int
) -> dict[str, Dependence]:
    """Look for each aspect with the elements of the probe."""
    dtype = actual.dtype
    chosen = tuple(each[probe] for each in operands)
    plain = subject(chosen, "a plain call", dtype)
    size = probe.size
    every = np.arange(size)
    chance = generator(seed, "dependence")
    comparisons = {aspect: _Comparison(chosen, plain) for aspect in ASPECTS}

    def look(aspect: str, index: np.ndarray, where: str, layout: str = "contiguous") -> None:
        part = tuple(each[index] for each in chosen)
        comparisons[aspect].see(index, where, lambda: subject(part, where, dtype, layout))

    for turn in range(2):
        look("repetition", every, f"call {turn + 2}")
    for shift in (*range(1, 34), 63, 64, 65):
        look("position", np.roll(every, shift), f"moved by {shift} places")
    for _ in range(3):
        look("position", chance.permutation(size), "in another order")
    for length in (*range(1, 132), 255, 257, 511, 1000):
        start = (37 * length) % max(1, size - length)
        look("length", every[start : start + length], f"in an array of {min(length, size)}")
    for place in every[: min(size, 256)]:
        look("length", every[place : place + 1], "in an array of 1")
    if actual.size > size:
        comparisons["length"].see(every, f"in an array of {min(actual.size, BLOCK):,}", lambda: actual[probe])
    matrix = every.reshape(-1, 8)
    look("stride", every, "every third element", "strided")
    look("stride", matrix, "a matrix with padded rows", "padded")
    look("stride", matrix, "a matrix in Fortran's order", "fortran")
    look("stride", matrix.reshape(-1, 4, 2), "rotated axes", "rotated axes")
    for place in every[: min(size, 64)]:
        look("stride", np.full(37, place), "a stride of 0", "broadcast")
    look("reversed", every, "a reversed view", "reversed")
    look("reversed", every, "a reversed view of every second element", "reversed stride")
    for offset in range(1, _CACHE_LINE // max(each.itemsize for each in chosen)):
        moved = [_at_offset(each, offset) for each in chosen]
        where = f"{offset} elements after a multiple of {_CACHE_LINE} bytes"
        comparisons["alignment"].see(every, where, functools.partial(subject.direct, moved, where, dtype))
    if min(each.itemsize for each in chosen) > 1:
        look("alignment", every, "at an odd address", "misaligned")
    _in_threads(subject, chosen, comparisons["threads"], dtype)
    return {aspect: comparison.found for aspect, comparison in comparisons.items()}


class _Comparison:
    """Compares the results of one aspect with those of a plain call."""

    def __init__(self, operands: Sequence[np.ndarray], plain: np.ndarray) -> None:
        self.operands, self.plain, self.found = operands, plain, Dependence()
        self.lock = threading.Lock()

    def see(self, chosen: Any, where: str, call: Callable[[], np.ndarray]) -> None:
        """Compare the result of a call with the plain results of the chosen elements."""
        try:
            result = call()
        except Exception as error:
            with self.lock:
                self.found.refused.append(f"{where} ({type(error).__name__}: {' '.join(str(error).split())[:80]})")
            return
        plain = np.broadcast_to(self.plain[chosen], result.shape)
        differ = differing(result, plain)
        with self.lock:
            self.found.compared += result.size
            count = int(np.count_nonzero(differ))
            if count and not self.found.differ:
                index = tuple(np.argwhere(differ)[0])
                operands = [np.broadcast_to(each[chosen], result.shape) for each in self.operands]
                self.found.where, self.found.example = where, deviation_at(operands, result, plain, index)
            self.found.differ += count


def _at_offset(values: np.ndarray, offset: int) -> np.ndarray:
    """A copy that begins so many elements after a cache line."""
    memory = np.zeros(values.nbytes + 2 * _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE + offset * values.itemsize
    view = memory[start : start + values.nbytes].view(f"u{values.itemsize}")
    view[...] = bits_of(values)
    return view.view(values.dtype)


def _in_threads(subject: Subject, chosen: tuple[np.ndarray, ...], comparison: _Comparison, dtype: np.dtype) -> None:
    """Calls at the same time, each thread from another start."""
    size = chosen[0].size
    barrier = threading.Barrier(_THREADS)

    def call(index: np.ndarray, where: str) -> np.ndarray:
        return subject([each[index] for each in chosen], where, dtype)

    def work(number: int) -> None:
        barrier.wait()
        for turn in range(12):
            index = np.roll(np.arange(size), 5 * number + turn)
            where = f"one of {_THREADS} concurrent calls"
            comparison.see(index, where, functools.partial(call, index, where))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
