"""Search float64 for pairs whose power lies next to the middle of two doubles. Run from the repository root, a minute or two::

    python tools/find_hard_cases_pow_f64.py > testdata/hard_pairs_f64.csv

Nobody has searched the 2**128 pairs; these are the families in which near ties can be constructed:

``square``, ``cube``, ``power``: x**n of whole numbers x is a whole number. Where its last bits are those of a middle and d
more, x**n = middle + d: x is a root of ``middle + d`` modulo a power of two, found by lifting (square roots) or as a power (an
odd exponent has an inverse). x**2 of 53 bits comes within 1 of the middle, 2**-105 relatively.
``root``: x = s**2 with s of 26 bits, y an odd multiple of 1/2: x**y = s**(2y) is whole.
``tie``: the same families with d = 0: exact middles, which round to even.
``near 1``: y is nearest to log(1 + t) / log(x), for 1 + t the middle of two doubles beside 1: y has 53 bits, so that its
rounding moves the power by 2**-53 of t only. The best of many x.
``overflow``, ``subnormal``: y nearest to log(middle) / log(x) for the overflow threshold and middles of subnormal numbers.
``random``: common pairs; the nearest of a million, by the fast phase's pair.

A row: family, the bits of x and y, those of the result, and minus log2 of the distance of the power from the middle, relatively
(``exact`` for a tie).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import gmpy2
import numpy as np
from gmpy2 import mpfr

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from exactops.numerics.binary64.exponential import exp_parts
from exactops.numerics.binary64.logarithm import logarithm_pair
from exactops.numerics.binary64.power import power_exponent

PRECISION = 400
Pair = tuple[float, float]


def word(x: float) -> int:
    """The bits of a double."""
    return int(np.float64(x).view(np.uint64))


def power(x: float, y: float) -> mpfr:
    """x**y with 400 bits."""
    with gmpy2.context(precision=PRECISION, emin=-(1 << 40), emax=1 << 40):
        return mpfr(x) ** mpfr(y)


def rounded(value: mpfr) -> float:
    """The double nearest to a value of 400 bits."""
    with gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True):
        return float(gmpy2.mpfr(value))


def hardness(value: mpfr) -> str:
    """Minus log2 of the relative distance from the nearest middle of two doubles."""
    with gmpy2.context(precision=PRECISION, emin=-(1 << 40), emax=1 << 40):
        last = max(gmpy2.get_exp(value) - 53, -1074)
        units = gmpy2.mul_2exp(value, -last) if last < 0 else gmpy2.div_2exp(value, last)
        distance = abs(units - gmpy2.floor(units) - mpfr(0.5))
        return "exact" if distance == 0 else f"{float(-gmpy2.log2(distance / units)):.1f}"


def square_root(residue: int, bits: int) -> int | None:
    """An odd square root of an odd residue modulo ``2**bits``, or None."""
    if residue % 8 != 1:
        return None
    root = 1
    for place in range(3, bits):
        if (root * root - residue) >> place & 1:
            root += 1 << (place - 1)
    return root


def whole_powers(n: int, bits: int, tries: int) -> Iterator[tuple[int, int]]:
    """``(d, x)``: x of so many bits, odd, whose n-th power differs by d from the middle of two doubles."""
    for length in {n * bits, n * bits - n // 2, n * (bits - 1) + 1}:
        cut = length - 53
        if cut < 4:
            continue
        modulus = 1 << cut
        for step in range(-tries, tries):
            d = 2 * step + 1
            residue = ((modulus >> 1) + d) % modulus
            if n == 2:
                root = square_root(residue, cut)
                roots = [] if root is None else [root, modulus - root, root + (modulus >> 1), (modulus >> 1) - root]
            else:
                roots = [pow(residue, pow(n, -1, modulus >> 2), modulus)]
            for root in roots:
                x = root % modulus
                for lift in range(1 << max(0, min(bits - cut, 3))):
                    candidate = x + (lift << cut)
                    if candidate.bit_length() == bits and (candidate**n).bit_length() == length:
                        yield abs(d), candidate


def best_of(found: list[tuple[int, int]], count: int) -> list[int]:
    """The candidates of the smallest differences."""
    return [x for _, x in sorted(set(found))[:count]]


def families() -> Iterator[tuple[str, list[Pair]]]:
    """The pairs of each family, some of which may not be near at all."""
    rng = np.random.default_rng(20261201)
    yield "square", [(float(x), 2.0) for x in best_of(list(whole_powers(2, 53, 40)), 60)]
    for n, bits, tries in ((3, 35, 1 << 17), (5, 21, 1 << 12), (7, 15, 1 << 9), (3, 30, 1 << 12)):
        name = "cube" if n == 3 else "power"
        yield name, [(float(x), float(n)) for x in best_of(list(whole_powers(n, bits, tries)), 30)]
    for n, bits, tries in ((3, 26, 1 << 8), (5, 20, 1 << 10)):
        yield "root", [(float(x * x), n / 2) for x in best_of(list(whole_powers(n, bits, tries)), 30)]
    # The odd numbers whose powers have 54 bits.
    ties = [(float(x), 2.0) for x in rng.integers(94906266, 1 << 27, 40) | 1]
    ties += [(float(x), 3.0) for x in rng.integers(208064, 1 << 18, 20) | 1]
    ties += [(float(x * x), 1.5) for x in rng.integers(208064, 1 << 18, 20) | 1]
    ties += [(float(x**4), 0.75) for x in (3 * 5 * 7 * 11 * 3, 5001, 8191) if (x**3).bit_length() == 54]
    ties += [(3.0, 34.0), (9.0, 17.0), (81.0, 8.5), (3.0**32, 34 / 32), (6.0, 34.0), (0.75, 34.0), (3.0 * 2.0**-31, 34.0)]
    ties += [(2.0, -1075.0), (0.5, 1075.0), (4.0, -537.5), (2.0**-43, 25.0), (3.0 * 2.0**-43, 25.0), (3.0 * 2.0**-215, 5.0)]
    yield "tie", ties

    def nearest(x: float, value: mpfr) -> float:
        with gmpy2.context(precision=PRECISION):
            return float(gmpy2.log(value) / gmpy2.log(mpfr(x)))

    def searched(values: list[mpfr], count: int, keep: int) -> list[Pair]:
        pairs = []
        for value in values:
            xs = np.exp(rng.uniform(-3, 3, count))
            scored = []
            for x in xs:
                y = nearest(x, value)
                scored.append((float(hardness(power(x, y)).replace("exact", "0")), float(x), y))
            pairs += [(x, y) for _, x, y in sorted(scored, reverse=True)[:keep]]
        return pairs

    with gmpy2.context(precision=PRECISION, emin=-(1 << 40), emax=1 << 40):
        unit = gmpy2.exp2(mpfr(-53))
        beside = [1 + unit * (2 * j + 1) for j in range(4)] + [1 - unit / 2 * (2 * j + 1) for j in range(4)]
        threshold = [gmpy2.exp2(mpfr(1024)) * (1 - unit / 2)]
        subnormal = [(mpfr(j) + 0.5) * gmpy2.exp2(mpfr(-1074)) for j in (0, 1, 2, 5, 77, 2**20, 2**40 + 1, 2**51, 2**52 - 1)]
    yield "near 1", searched(beside, 800, 8)
    yield "overflow", searched(threshold, 4000, 40)
    yield "subnormal", searched(subnormal, 600, 8)

    x, y = rng.uniform(0.1, 10, 1 << 20), rng.uniform(-30, 30, 1 << 20)
    high, low, _ = logarithm_pair(x.view(np.uint64))
    value, rest, _ = exp_parts(*power_exponent(high, low, y))
    total = value + rest
    distance = np.abs(np.abs(((value - total) + rest) / np.spacing(total)) - 0.5)
    nearest_first = np.argsort(distance)[:60]
    yield "random", list(zip(x[nearest_first].tolist(), y[nearest_first].tolist(), strict=True))


def main() -> int:
    """Search, and print the table."""
    print("family,base_bits,exponent_bits,correctly_rounded_bits,hardness")
    for family, pairs in families():
        for x, y in pairs:
            value = power(x, y)
            print(f"{family},{word(x):016x},{word(y):016x},{word(rounded(value)):016x},{hardness(value)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
