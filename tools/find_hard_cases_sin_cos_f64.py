"""Search float64 for hard arguments of sin and cos. Run from the repository root (a minute or two)::

    python tools/find_hard_cases_sin_cos_f64.py > testdata/hard_cases_sin_cos_f64.csv

*Reductions.* For each binade the double nearest to a multiple of pi/2: the significand for which
``significand * 2**e * 2/pi`` is nearest to an integer, found by continued fractions (Kahan's method: the best approximations of
the real number 2**e * 2/pi are its convergents and what lies between them). It is asserted that none lies within 2**-62 of a
multiple, in units of pi/2.

*Roundings.* Random arguments from 2048 on, where no search is published, by the fast phase: those whose results lie nearest to
the middle of two doubles.

The hardness is, as in ``hard_cases_f64.csv``, how many bits behind the first rounded one agree: a result within 2**-(n + 1) of
an ulp from a middle has hardness n.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gmpy2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from exactops.numerics.binary64 import sin_cos as core
from exactops.numerics.binary64.tables.sin_cos import TWO_OVER_PI

#: Bits behind the point of TWO_OVER_PI.
POINT = 1408
LEAST, MOST = 1 << 52, 1 << 53
DRAWS, CHUNK, KEPT = 1 << 23, 1 << 17, 60
SEED = 9


def nearest_significands(exponent: int, count: int = 1) -> list[tuple[int, int]]:
    """``(distance, significand)`` of the significands whose products with 2**exponent * 2/pi are nearest to integers.

    The distance counts units of 2**-POINT of quarter turns. Candidates are all numbers of the binade that are sums of the last
    two denominators' multiples: best approximations, and their multiples.
    """
    whole = 1 << POINT
    ratio = (TWO_OVER_PI << exponent if exponent >= 0 else TWO_OVER_PI >> -exponent) % whole
    found: dict[int, int] = {}

    def consider(significand: int) -> None:
        if LEAST <= significand < MOST:
            rest = significand * ratio % whole
            found[significand] = min(rest, whole - rest)

    before, denominator = 0, 1
    # Euclid's algorithm: denominators of the convergents of ratio / whole.
    numerator, divisor = whole, ratio
    while divisor:
        quotient, rest = divmod(numerator, divisor)
        numerator, divisor = divisor, rest
        # Semiconvergents before + j * denominator for j up to the quotient; few of them are in the binade unless it is large.
        first = max(0, (LEAST - before + denominator - 1) // denominator)
        last = min(quotient, (MOST - 1 - before) // denominator)
        for j in {first, first + 1, last - 1, last}:
            if first <= j <= last:
                consider(before + j * denominator)
        if denominator < MOST:
            multiple = (LEAST + denominator - 1) // denominator
            for j in (multiple, multiple + 1):
                consider(j * denominator)
        before, denominator = denominator, before + quotient * denominator
        if before >= MOST:
            break
    return sorted((distance, significand) for significand, distance in found.items())[:count]


def line(function: str, x: float) -> str:
    """The line of one case."""
    with gmpy2.context(gmpy2.get_context(), precision=1500):
        exact = getattr(gmpy2, function)(gmpy2.mpfr(x))
        with gmpy2.context(gmpy2.get_context(), precision=53):
            y = float(+exact)
        ulp = gmpy2.mpfr(float(np.spacing(abs(y))))
        distance = abs(abs(exact - gmpy2.mpfr(y)) / ulp - gmpy2.mpfr("0.5"))
        hardness = max(0, int(gmpy2.floor(-gmpy2.log2(distance))) - 1)
    words = np.array([x, y]).view(np.uint64)
    return f"{function},{int(words[0]):016x},{int(words[1]):016x},{hardness}"


def reductions() -> list[float]:
    """The double nearest to a multiple of pi/2 of each binade from 1 on."""
    found = []
    for exponent in range(-52, 972):
        distance, significand = nearest_significands(exponent)[0]
        assert distance * 2**62 > 1 << POINT, "a double lies within 2**-62 of a multiple of pi/2"
        found.append(float(significand) * 2.0**exponent if exponent < 0 else float(significand << exponent))
    return found


def roundings(steps: int) -> list[float]:
    """Arguments from 2048 to 2**30 with results next to a middle, of the sine (0 steps) or the cosine (256)."""
    generator = np.random.default_rng([SEED, steps])
    least, most = (int(np.array(edge).view(np.uint64)) for edge in (2048.0, 2.0**30))
    cases: list[tuple[float, float]] = []
    for _ in range(DRAWS // CHUNK):
        x = generator.integers(least, most, CHUNK).astype(np.uint64).view(np.float64)
        index, _, r_high, r_low, r = core.reduce_moderate(x, core.COSINE_SHIFT if steps else core.SHIFT)
        high, low = core.sine_core(index, r_high, r_low, r)
        y = high + low
        rest = (high - y) + low
        distance = np.abs(np.abs(rest / np.spacing(np.abs(y))) - 0.5)
        chosen = np.argsort(distance)[:KEPT]
        cases += zip(distance[chosen].tolist(), x[chosen].tolist(), strict=True)
    return [x for _, x in sorted(cases)[:KEPT]]


def main() -> int:
    """Search and print."""
    print("function,input_bits,correctly_rounded_bits,hardness")
    near = reductions()
    for function, steps in (("cos", 256), ("sin", 0)):
        for x in sorted({*near, *roundings(steps)}):
            print(line(function, x))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
