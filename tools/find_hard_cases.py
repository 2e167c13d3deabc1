"""Search float32 for hard cases: results nearest to the middle of two float32 neighbours. Run from the repository root::

    python tools/find_hard_cases.py operands > testdata/hard_cases_extra_f32.csv
    python tools/find_hard_cases.py pairs > testdata/hard_pairs_f32.csv

``operands``, some minutes: gelu and gelu_tanh. The accurate phases give the result to about 2**-51; every operand whose result
lies within 2**-47 of a middle is listed, and so are subnormal operands, half of which have x/2 as an exact tie.

``pairs``, some minutes: pow. Every base of one or two binades (all others are these, scaled) with each small exponent that is
a multiple of 1/2, and pairs as the prover draws them: any, with results of every size, next to 1, and next to the overflow and
underflow thresholds. The prover's double-doubles give the distance from the nearest middle to 2**-33 of the last place.
The nearest pairs of each search are listed; exact ties are not among them.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numba
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from exactops.ops.gelu import gelu_accurate_phase, gelu_tanh_accurate_phase
from exactops.verification import powers

CHUNK = 1 << 17
#: In units of the last place of a double.
NEAR = 64
SUBNORMAL = (1, 3, 5, 7, 0x2AAAAB, 0x555555, 0x7FFFFD, 0x7FFFFF, 0x800001, 0x800003, 0xFFFFFF, 0x1000001)


def gelu(x: np.ndarray) -> np.ndarray:
    """The wide value of the erf form."""
    return gelu_accurate_phase(x, np.minimum(np.abs(x), 14.9))


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """The wide value of the tanh form."""
    return gelu_tanh_accurate_phase(x, np.minimum(x, 11.2))


def search(function, first: int, last: int) -> list[int]:
    """Bits of the operands between two bit patterns, of which the last is excluded, whose results are near a middle."""
    found: list[int] = []
    for start in range(first, last, CHUNK):
        pattern = np.arange(start, min(start + CHUNK, last), dtype=np.int64).astype(np.uint32)
        y = function(pattern.view(np.float32).astype(np.float64))
        distance = np.abs((y.view(np.int64) & 0x1FFFFFFF) - 0x10000000)
        found += [int(bits) for bits in pattern[(distance < NEAR) & (np.abs(y) >= 2.0**-126)]]
    return found


# --- pairs --------------------------------------------------------------------------------------------------------------

#: Exponents whose powers are not rational with few bits: squares and the first power have no hard cases but ties.
EXPONENTS = [k / 2 for k in range(-16, 17) if k not in (-2, 0, 2, 4)]
#: Pairs that a search keeps, of one base at most (bases next to 1 would fill the lists), and batches that the prover draws.
KEPT, DRAWN_KEPT, OF_ONE_BASE, BATCHES = 12, 80, 4, 128
#: The draws come in this many equal shares, one a category.
SHARES = 9
SEED = 2


@numba.njit
def distances(x, y, logs, table, found):
    """How far |x|**y lies from the middle of two float32 neighbours, in their distance; infinite for ties and special cases."""
    for i in range(x.size):
        size = abs(x[i])
        found[i] = np.inf
        if not 0.0 < size < np.inf or size == 1.0 or not 0.0 < abs(y[i]) < np.inf:
            continue
        high, low, error = powers.power(size, y[i], logs, table)
        leading = (np.float64(high).view(np.int64) >> 52) - 1023
        if not -149 <= leading <= 127:
            continue
        scale = np.int64((1023 - (max(leading, -126) - 23)) << 52).view(np.float64)
        scaled = high * scale
        rest = abs((scaled - np.rint(scaled)) + low * scale)
        distance = abs(rest - 0.5)
        if distance > 2.0 * error * scale:
            found[i] = distance


def nearest(x: np.ndarray, y: np.ndarray, count: int) -> list[tuple[float, int, int]]:
    """The pairs nearest to a middle: distance and bit patterns."""
    logs, table = powers._tables()
    found = np.empty(x.size)
    with np.errstate(invalid="ignore"):  # a conversion of a signalling NaN
        distances(x.astype(np.float64), y.astype(np.float64), logs, table, found)
    chosen = np.argsort(found)[: 50 * count]
    bases, exponents = x[chosen].view(np.uint32).tolist(), y[chosen].view(np.uint32).tolist()
    cases = zip(found[chosen].tolist(), bases, exponents, strict=True)
    return best((case for case in cases if np.isfinite(case[0])), count)


def best(cases: Iterable[tuple[float, int, int]], count: int) -> list[tuple[float, int, int]]:
    """The first so many different cases in order of their distances, few of any one base."""
    kept: list[tuple[float, int, int]] = []
    of_base: Counter[int] = Counter()
    for case in sorted(set(cases)):
        base = case[1] & 0x7FFFFFFF
        if of_base[base] < OF_ONE_BASE and len(kept) < count:
            of_base[base] += 1
            kept.append(case)
    return kept


def pairs() -> list[tuple[int, int]]:
    """Bit patterns of the hard pairs of pow."""
    found = []
    for exponent in EXPONENTS:
        # A half-integer power of 2 * x is another number than that of x; of 4 * x it is the same one scaled.
        binades = 1 if float(exponent).is_integer() else 2
        x = np.arange(0x3F800001, 0x3F800000 + (binades << 23), dtype=np.uint32).view(np.float32)
        found += nearest(x, np.full(x.size, exponent, np.float32), KEPT)
    drawn: list[list[tuple[float, int, int]]] = [[] for _ in range(SHARES)]
    for number in range(BATCHES):
        x, y = powers.draw(SEED, number, "f32")
        for share, (bases, exponents) in enumerate(zip(np.array_split(x, SHARES), np.array_split(y, SHARES), strict=True)):
            drawn[share] = best(drawn[share] + nearest(bases.view(np.float32), exponents, DRAWN_KEPT), DRAWN_KEPT)
    return sorted({(base, exponent) for _, base, exponent in [*found, *itertools.chain(*drawn)]})


def operands() -> list[tuple[str, int]]:
    """Names and bit patterns of the hard operands of both forms of gelu."""
    found = []
    lowest = int(np.float32(2.0**-26).view(np.uint32))
    for function, end in ((gelu, 14.0), (gelu_tanh, 10.5)):
        highest = int(np.float32(end).view(np.uint32))
        cases = search(function, lowest, highest) + search(function, lowest | 1 << 31, highest | 1 << 31)
        cases += [bits | sign for bits in SUBNORMAL for sign in (0, 1 << 31)]
        found += [(function.__name__, bits) for bits in sorted(set(cases))]
    return found


def main() -> int:
    """Print a list as a table of comma-separated values."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["operands", "pairs"])
    if parser.parse_args().what == "operands":
        print("function,input_bits")
        for name, bits in operands():
            print(f"{name},0x{bits:08x}")
    else:
        print("function,base_bits,exponent_bits")
        for base, exponent in pairs():
            print(f"pow,0x{base:08x},0x{exponent:08x}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
