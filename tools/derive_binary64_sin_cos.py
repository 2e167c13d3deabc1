"""Derives every constant of exactops/numerics/binary64/tables/sin_cos.py from mathematics, with its error bounds.

``--check`` compares, ``--write`` writes them.
"""

from __future__ import annotations

import mpmath
from minimax import exactly, largest_error, remez, report, rounded, to_double
from mpmath import mp, mpf

mp.prec = 1800

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


def main() -> int:
    """Derive, then print or check."""
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
    constants["FAST_PHASE_ERROR"] = 2.0**-67
    constants["REDUCTION_ERROR"] = 2.0**-107
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
        "FAST_PHASE_ERROR": "The error of the fast phase: relative to the result, and for each step of the reduction.",
        "FAST_MODE_INVERSE_STEP": "Fast mode has steps of pi/2, in three parts of 18 bits and a rest.",
        "FAST_MODE_SINE": "sin(r) = r + r**3 * FAST_MODE_SINE(r**2), cos(r) = 1 - r**2/2 + r**4 * FAST_MODE_COSINE(r**2) for "
        "|r| <= pi/4.",
        "TWO_OVER_PI": "2/pi * 2**1408, rounded down.",
    }
    return report("exactops.numerics.binary64.tables.sin_cos", "Constants of sin and cos.", constants, notes, comments)


if __name__ == "__main__":
    raise SystemExit(main())
