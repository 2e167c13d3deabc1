"""Derives every constant of exactops/numerics/tables/sin_cos.py from mathematics, with its error bounds.

``--check`` compares, ``--write`` writes them.
"""

from __future__ import annotations

import mpmath
from minimax import exactly, largest_error, remez, report, rounded, to_double, to_single
from mpmath import mp, mpf


def half_turn_sine(u):
    """sin(pi f) / f as a function of u = f**2."""
    f = mpmath.sqrt(u)
    return mpmath.sin(mp.pi * f) / f if f else mp.pi


def sine_tail(u):
    """(sin(r) - r) / r**3 as a function of u = r**2."""
    return sum((-1) ** (k + 1) * u**k / mpmath.factorial(2 * k + 3) for k in range(30))


def cosine_tail(u):
    """(cos(r) - 1) / r**2 as a function of u = r**2."""
    return sum((-1) ** (k + 1) * u**k / mpmath.factorial(2 * k + 2) for k in range(30))


def main() -> int:
    """Derive, then print or check."""
    notes: dict = {}
    # Fast phase. The head of 1/pi has 28 bits, so that x times it is exact with a bit to spare for the 1/2 that cosine adds.
    # It is rounded toward zero: the rest is positive, which keeps the sign of sin(-0).
    head = to_double(mpmath.floor(mpmath.ldexp(1 / mp.pi, 29)) * mpmath.ldexp(mpf(1), -29))
    constants: dict = {"INVERSE_PI_HIGH": head, "INVERSE_PI_LOW": to_double(1 / mp.pi - head)}
    notes["error of 1/pi as a pair"] = 1 / mp.pi - head - constants["INVERSE_PI_LOW"]
    reach = mpf("0.5001") ** 2
    coefficients, _ = remez(half_turn_sine, 6, 0, reach, lambda u: 1 / half_turn_sine(u))
    coefficients = [to_double(c) for c in coefficients]
    error = largest_error(half_turn_sine, coefficients, 0, reach, lambda u: 1 / half_turn_sine(u))
    constants["FAST_PHASE"] = tuple(coefficients)
    notes["relative error of FAST_PHASE, degree 6 in f**2"] = error
    # Fast mode: r in radians as a double, sin(r) = r + r**3 * polynomial in float32.
    constants["INVERSE_PI"] = to_double(1 / mp.pi)
    constants["PI_HIGH"] = exactly(rounded(mp.pi, 36))
    constants["PI_LOW"] = to_double(mp.pi - constants["PI_HIGH"])
    reach = (mp.pi / 2 * mpf("1.0001")) ** 2

    def weight(u):
        r = mpmath.sqrt(u)
        return u * r / mpmath.sin(r) if u else mpf(0)

    coefficients, _ = remez(sine_tail, 3, mpf(10) ** -9, reach, lambda u: weight(u) + mpf(10) ** -9)
    coefficients = [to_single(c) for c in coefficients]
    error = largest_error(sine_tail, coefficients, 0, reach, weight)
    constants["FAST_MODE"] = tuple(coefficients)
    notes["relative error of the sine with FAST_MODE, degree 3 in r**2"] = error

    # Accurate phase: multiples of pi/16. SINES_HIGH has 26 bits, so that its product with the 26-bit head of r is exact.
    sines = [mpmath.sin(n * mp.pi / 16) if n % 16 else mpf(0) for n in range(32)]
    sines_high = tuple(exactly(rounded(s, 26)) for s in sines)
    reach = (mp.pi / 32 * mpf("1.0001")) ** 2
    constants["SINES_HIGH"] = sines_high
    constants["SINES_LOW"] = tuple(to_double(s - high) for s, high in zip(sines, sines_high, strict=True))
    for name, function in (("SINE", sine_tail), ("COSINE", cosine_tail)):
        coefficients, _ = remez(function, 3, 0, reach)
        coefficients = [to_double(c) for c in coefficients]
        constants[name] = tuple(coefficients)
        notes[f"error of {name}, degree 3 in r**2"] = largest_error(function, coefficients, 0, reach)
    step = mp.pi / 16
    constants["STEP_HIGH"] = exactly(rounded(step, 26))
    constants["STEP_LOW"] = to_double(step - constants["STEP_HIGH"])
    constants["STEP"] = to_double(step)
    # 16/pi cut into three chunks of 29 bits and the rest, for the eight groups of 16 binary exponents: chunk 0 of group j
    # starts at weight 2**(27 - 16 * j); heavier bits times a float32 of that group are multiples of 32 and drop out.
    chunks: list[list[float]] = [[], [], [], []]
    for group in range(8):
        rest = 16 / mp.pi
        rest -= mpmath.floor(mpmath.ldexp(rest, 16 * group - 28)) * mpmath.ldexp(mpf(1), 28 - 16 * group)
        for index in range(3):
            low = 16 * group + 1 + 29 * index
            chunk = mpmath.floor(mpmath.ldexp(rest, low)) * mpmath.ldexp(mpf(1), -low)
            chunks[index].append(to_double(chunk))
            rest -= chunk
        chunks[3].append(to_double(rest))
    constants["INVERSE_STEP"] = tuple(tuple(values) for values in chunks)
    comments = {
        "INVERSE_PI_HIGH": "1/pi: a high part of 28 bits, whose product with a float32 is exact, and a low part.",
        "FAST_PHASE": "sin(pi f) = f * FAST_PHASE(f**2) for |f| <= 1/2.",
        "INVERSE_PI": "Fast mode, in float64: 1/pi, and pi as a high part and a low part.",
        "FAST_MODE": "Fast mode, in float32: sin(r) = r + r**3 * FAST_MODE(r**2).",
        "SINES_HIGH": "Sines of n * pi/16: a high part of 26 bits and a low part.",
        "SINE": "sin(r) = r + r**3 * SINE(r**2), cos(r) = 1 + r**2 * COSINE(r**2) for |r| <= pi/32.",
        "STEP_HIGH": "pi/16: a high part of 26 bits and a low part, and one double.",
        "INVERSE_STEP": "16/pi in chunks of 29 bits and the rest, for each group of 16 binary exponents of the argument.",
    }
    return report("sin_cos", "Constants of sin and cos.", constants, notes, comments)


if __name__ == "__main__":
    raise SystemExit(main())
