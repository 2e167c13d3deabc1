"""Derives every constant of exactops/numerics/binary64/tables/sin_cos.py from mathematics and proves the error bound there.

``--check`` compares, ``--write`` writes them; ``--prove`` proves the bound, which a minute or two go into.

The proof runs ``sine_core`` on enclosures (tools/error_bounds.py), for each row of the table, parts of the interval of r, and
ranges of k. Rows beyond 256 are those before with the signs of the cosine and of r changed. What is left of a bound behind
``k * REDUCTION_ERROR``, that is ``k * STEP_3 * FAST_PHASE_ERROR``, has to be below ``FAST_PHASE_ERROR * |high|``.
"""

from __future__ import annotations

import importlib
import math
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
from error_bounds import SCALE, Value, constant, distance, pieces, rational, substituted, with_bits
from minimax import exactly, largest_error, remez, report, rounded, to_double
from mpmath import mp, mpf

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

mp.prec = 1800

#: What the proof shows, rounded up, relative to the high part.
FAST_PHASE_ERROR = 1.1 * 2.0**-66
#: What angles that were reduced in integers are wrong by, relative to themselves.
INTEGERS_ERROR = Fraction(1, 2**76)
UNIT = Fraction(1, 2**53)

#: Half the step of the fast phase's table, with what rounding k may add.
REACH = mp.pi / 1024 * (1 + mpf(2) ** -14)
#: The same for fast mode, which reduces to multiples of pi/2.
FAST_MODE_REACH = mp.pi / 4 * (1 + mpf(2) ** -14)
#: Bits of the parts of a step, whose products with k have to be exact.
PART_BITS, FAST_MODE_PART_BITS = 15, 18


def sine_tail(u):
    """(sin(r) - r) / r**3 as a function of u = r**2."""
    return sum((-1) ** (k + 1) * u**k / mpmath.factorial(2 * k + 3) for k in range(30))


def cosine_tail(u):
    """(cos(r) - 1) / r**2 as a function of u = r**2."""
    return sum((-1) ** (k + 1) * u**k / mpmath.factorial(2 * k + 2) for k in range(30))


def cosine_second_tail(u):
    """(cos(r) - 1 + r**2 / 2) / r**4 as a function of u = r**2."""
    return sum((-1) ** k * u**k / mpmath.factorial(2 * k + 4) for k in range(30))


def parts(value, bits: int, count: int) -> list[float]:
    """The value as a sum of parts of so many bits, each rounded toward zero, and a last double."""
    lowest = int(mpmath.floor(mpmath.log(value, 2))) + 1
    found, rest = [], value
    for _ in range(count):
        lowest -= bits
        part = mpmath.floor(mpmath.ldexp(rest, -lowest)) * mpmath.ldexp(mpf(1), lowest)
        found.append(exactly(part))
        rest -= part
    return [*found, to_double(rest)]


def tail(name: str, function, degree: int, reach, weight, constants: dict, notes: dict) -> None:
    """Coefficients of a tail on [0, reach**2] with the least error times a weight."""
    with mp.workprec(300):
        small = mpf(10) ** -12
        coefficients, _ = remez(function, degree, small, reach**2, lambda u: weight(u) + small)
        constants[name] = tuple(to_double(c) for c in coefficients)
        notes[f"error of {name}"] = largest_error(function, constants[name], 0, reach**2, weight)


# --- proof --------------------------------------------------------------------------------------------------------------


class Proof:
    """The proof of the bound for the constants that are in place."""

    def __init__(self) -> None:
        self.core = importlib.import_module("exactops.numerics.binary64.sin_cos")
        tables = importlib.import_module("exactops.numerics.binary64.tables.sin_cos")
        step = rational(mp.pi / 512)
        self.angles = [(mp.sin(n * mp.pi / 512) if n else mpf(0), mp.cos(n * mp.pi / 512)) for n in range(256)]
        self.angles.append((mpf(1), mpf(0)))
        self.last_but_one, self.last = Fraction(tables.STEP_3), Fraction(tables.STEP_4)
        parts = Fraction(tables.STEP_1) + Fraction(tables.STEP_2) + Fraction(tables.STEP_3)
        # The exactness that reduce_moderate claims, for k of up to 38 bits: products of 53 bits, the first part not above the
        # step, and differences that are multiples of 2**-61 or of the last place of the part before, and below 2**-8.
        self.largest = int(2**30 / math.pi * 512) + 2
        assert self.largest < 2**38 and Fraction(tables.STEP_1) <= step
        for number, part in enumerate((tables.STEP_1, tables.STEP_2, tables.STEP_3), 1):
            assert (Fraction(part) * 2 ** (7 + PART_BITS * number)).denominator == 1 and part < 2.0 ** (-7 - 15 * (number - 1))
        self.reach = rational(REACH)
        assert self.reach + self.largest * self.last < Fraction(1, 2**8)
        self.missing = abs(step - parts - self.last) + Fraction(1, 2**400)
        self.step = step, tables.STEP_HIGH, tables.STEP_LOW, tables.STEP
        sine, cosine = tables.SINE, tables.COSINE
        rest = Fraction(1, 2**200)
        self.sine_distance = distance(
            [1, 0, sine[0], 0, sine[1]],
            lambda n: Fraction(0) if n % 2 else Fraction((-1) ** (n // 2), math.factorial(n + 1)),
            0,
            self.reach,
            20,
            rest,
        )
        self.cosine_distance = distance(
            [cosine[0], 0, cosine[1], 0, cosine[2]],
            lambda n: Fraction(0) if n % 2 else Fraction((-1) ** (n // 2 + 1), math.factorial(n + 2)),
            0,
            self.reach,
            20,
            rest,
        )

    def bound(self, n: int, low: Fraction, high: Fraction, k: int) -> tuple[Fraction, Fraction]:
        """In row n, for the rest of a reduction by at most k steps between two numbers of one sign: least |high|, error."""
        sine, sine_low, head, tail = (float(each) for each in self.core.SINES_AND_COSINES.rows[n])
        true_sine, true_cosine = self.angles[n]
        size = max(abs(low), abs(high))
        cut, last = size / 2**25, k * self.last * (1 + UNIT)
        # What the parts of the step leave, rounding of the last product and of the last difference; or that of the integers.
        reduction = k * self.missing + UNIT * last + UNIT * (cut + last) if k else size * INTEGERS_ERROR
        towards_zero = (max(low - cut, Fraction(0)), high) if high > 0 else (low, min(high + cut, Fraction(0)))
        r_high = with_bits(Value.known(*towards_zero), 26)
        r_low = Value.known(-cut - last, cut + last, None, reduction)
        slack = Fraction(1, 2**90)
        r = Value.known(low - last - slack, high + last + slack, None, UNIT * (size + last) * (1 + UNIT) + reduction)
        row = constant(sine, true_sine), constant(sine_low, mpf(0)), constant(head), constant(tail, true_cosine - mpf(head))
        with substituted(self.core.sine_core, lookup_rows=lambda table, index: row):
            carrier, rest = self.core.sine_core(None, r_high, r_low, r)
        errors = carrier.error_low + rest.error_low, carrier.error_high + rest.error_high
        error = Fraction(max(map(abs, errors)), 1 << SCALE)
        reach = size + last
        error += (abs(Fraction(head)) + Fraction(1, 2**20)) * reach * self.sine_distance
        error += Fraction(sine) * reach**2 * self.cosine_distance
        # The inner addition of the rounding test rounds, and so did the arithmetic of the bound itself.
        return carrier.least, (error + UNIT * (rest.largest + error)) * (1 + 8 * UNIT)

    def ranges(self, n: int) -> list[tuple[int, int]]:
        """Ranges of k: 0 alone, which stands for integers too, and from powers of 2 on, fewer for rows of large sines."""
        first = 0 if n < 8 else 30
        powers = [2**power for power in range(first, 38)]
        return [(0, 0)] + [(1, 2**first)] * (first > 0) + [(each, min(2 * each, self.largest)) for each in powers]

    def parts(self, n: int) -> list[tuple[Fraction, Fraction]]:
        """Parts of the interval of the magnitude of r."""
        return pieces(0, self.reach, 2, 40) if n == 0 else pieces(0, self.reach, 8 if n < 4 else 1)

    def excess(self, n: int) -> Fraction:
        """The largest quotient, in row n, of the error beyond ``k * REDUCTION_ERROR`` and the magnitude of the high part."""
        worst = Fraction(0)
        for least_k, most_k in self.ranges(n):
            for low, high in self.parts(n):
                # sin x = x (1 - x**2/6): with r below 2**-40 and no last step high and r_low hold x, and the sum with the cubic
                # term, below 2**-82 of x, rounds by less than 2**-77 of x. Integers add 2**-76.
                if n == 0 and most_k == 0 and high < Fraction(1, 2**40):
                    continue
                for signed in ((low, high), (-high, -low)):
                    least, error = self.bound(n, *signed, most_k)
                    left = error - least_k * self.last_but_one * Fraction(FAST_PHASE_ERROR)
                    if left > 0:
                        worst = max(worst, left / least)
        return worst

    def integers(self) -> Fraction:
        """The relative error of ``angle_of_parts``, with that of its operands."""
        step, head, low, whole = self.step
        with substituted(
            self.core.angle_of_parts,
            STEP_HIGH=constant(head),
            STEP_LOW=constant(low, step - Fraction(head)),
            STEP=constant(whole, step),
        ):
            first, second = with_bits(Value.known(1, 2, -50), 51), Value.known(0, Fraction(1, 2**50))
            high, rest, _ = self.core.angle_of_parts(first, second)
        error = Fraction(max(abs(high.error_low + rest.error_low), abs(high.error_high + rest.error_high)), 1 << SCALE)
        # The second part is cut off at 2**-101 of both; 2/pi has 200 bits, of which 54 + 8 are lost next to a multiple of pi/2.
        return error / (step * Fraction(99, 100)) + Fraction(1, 2**84)


def prove(rows: list[int]) -> tuple[Fraction, Fraction]:
    """What the rows need for FAST_PHASE_ERROR, and the relative error of angles reduced in integers."""
    with mp.workprec(500):
        proof = Proof()
        return max(proof.excess(n) for n in rows), proof.integers()


def main() -> int:
    """Derive, then print or check; or prove."""
    if "--prove" in sys.argv:
        needed, integers = prove(list(range(257)))
        proven = needed <= Fraction(FAST_PHASE_ERROR) and integers <= INTEGERS_ERROR
        sizes = [mpmath.nstr(mpmath.log(mpf(each.numerator) / each.denominator, 2), 6) for each in (needed, integers)]
        print(f"FAST_PHASE_ERROR has to be 2^{sizes[0]}, INTEGERS_ERROR 2^{sizes[1]}: {'proven' if proven else 'NOT PROVEN'}")
        return not proven
    notes: dict = {}
    step = mp.pi / 512
    constants: dict = {"INVERSE_STEP": to_double(1 / step)}
    for number, part in enumerate(parts(step, PART_BITS, 3), 1):
        constants[f"STEP_{number}"] = part
    constants["STEP"] = to_double(step)
    constants["STEP_HIGH"] = exactly(rounded(step, 27))
    constants["STEP_LOW"] = to_double(step - constants["STEP_HIGH"])
    sines = [mpmath.sin(n * step) for n in range(257)]
    constants["SINES_HIGH"] = tuple(to_double(s) for s in sines)
    constants["SINES_LOW"] = tuple(to_double(s - high) for s, high in zip(sines, constants["SINES_HIGH"], strict=True))
    tail("SINE", sine_tail, 1, REACH, lambda u: u, constants, notes)
    tail("COSINE", cosine_tail, 2, REACH, lambda u: u, constants, notes)
    constants["FAST_PHASE_ERROR"] = FAST_PHASE_ERROR
    # Fast mode.
    quarter = mp.pi / 2
    constants["FAST_MODE_INVERSE_STEP"] = to_double(1 / quarter)
    for number, part in enumerate(parts(quarter, FAST_MODE_PART_BITS, 3), 1):
        constants[f"FAST_MODE_STEP_{number}"] = part
    tail("FAST_MODE_SINE", sine_tail, 5, FAST_MODE_REACH, lambda u: u, constants, notes)
    tail("FAST_MODE_COSINE", cosine_second_tail, 5, FAST_MODE_REACH, lambda u: u**2, constants, notes)
    constants["TWO_OVER_PI"] = int(mpmath.floor(mpmath.ldexp(2 / mp.pi, 1408)))
    comments = {
        "INVERSE_STEP": "A step is pi/512: its reciprocal, and three parts of 15 bits, rounded toward zero, and a rest.",
        "STEP": "The step as one double, and as a head of 27 bits and a rest.",
        "SINES_HIGH": "Sines of n * pi/512 for n from 0 to 256, as pairs.",
        "SINE": "sin(r) = r + r**3 * SINE(r**2), cos(r) = 1 + r**2 * COSINE(r**2) for |r| <= pi/1024.",
        "FAST_PHASE_ERROR": "Bound of the fast phase's error, relative to the high part and k * STEP_3.",
        "FAST_MODE_INVERSE_STEP": "Fast mode has steps of pi/2, in three parts of 18 bits and a rest.",
        "FAST_MODE_SINE": "sin(r) = r + r**3 * FAST_MODE_SINE(r**2), cos(r) = 1 - r**2/2 + r**4 * FAST_MODE_COSINE(r**2) for "
        "|r| <= pi/4.",
        "TWO_OVER_PI": "2/pi * 2**1408, rounded down.",
    }
    return report("exactops.numerics.binary64.tables.sin_cos", "Constants of sin and cos.", constants, notes, comments)


if __name__ == "__main__":
    raise SystemExit(main())
