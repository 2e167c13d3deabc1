"""Derives every constant of exactops/ops/sin_cos.py and exactops/numerics/circle.py from mathematics, with its error bounds.

Run with ``--check`` to compare them with the modules.
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
    quick_notes, notes = {}, {}
    # Quick path. The head of 1/pi has 28 bits, so that x times it is exact with a bit to spare for the 1/2 that cosine adds.
    # It is rounded toward zero: the rest is positive, which keeps the sign of sin(-0).
    head = to_double(mpmath.floor(mpmath.ldexp(1 / mp.pi, 29)) * mpmath.ldexp(mpf(1), -29))
    quick: dict = {"HALF_TURNS_HIGH": head, "HALF_TURNS_LOW": to_double(1 / mp.pi - head)}
    quick_notes["error of 1/pi as a pair"] = 1 / mp.pi - head - quick["HALF_TURNS_LOW"]
    reach = mpf("0.5001") ** 2
    coefficients, _ = remez(half_turn_sine, 6, 0, reach, lambda u: 1 / half_turn_sine(u))
    coefficients = [to_double(c) for c in coefficients]
    error = largest_error(half_turn_sine, coefficients, 0, reach, lambda u: 1 / half_turn_sine(u))
    quick |= {f"QUICK_{k}": c for k, c in enumerate(coefficients)}
    quick_notes["relative error of QUICK, degree 6 in f**2"] = error
    # Fast mode: r in radians as a double, sin(r) = r + r**3 * polynomial in float32.
    quick["HALF_TURNS"] = to_double(1 / mp.pi)
    quick["PI_HIGH"] = exactly(rounded(mp.pi, 36))
    quick["PI_LOW"] = to_double(mp.pi - quick["PI_HIGH"])
    reach = (mp.pi / 2 * mpf("1.0001")) ** 2

    def weight(u):
        r = mpmath.sqrt(u)
        return u * r / mpmath.sin(r) if u else mpf(0)

    coefficients, _ = remez(sine_tail, 3, mpf(10) ** -9, reach, lambda u: weight(u) + mpf(10) ** -9)
    coefficients = [to_single(c) for c in coefficients]
    error = largest_error(sine_tail, coefficients, 0, reach, weight)
    quick |= {f"FAST_{k}": c for k, c in enumerate(coefficients)}
    quick_notes["relative error of the sine with FAST, degree 3 in r**2"] = error

    # Accurate path: multiples of pi/16. SINES_HIGH has 26 bits, so that its product with the 26-bit head of r is exact.
    sines = [mpmath.sin(n * mp.pi / 16) if n % 16 else mpf(0) for n in range(32)]
    sines_high = tuple(exactly(rounded(s, 26)) for s in sines)
    reach = (mp.pi / 32 * mpf("1.0001")) ** 2
    circle: dict = {
        "SINES_HIGH": sines_high,
        "SINES_LOW": tuple(to_double(s - high) for s, high in zip(sines, sines_high, strict=True)),
    }
    for name, function in (("SINE", sine_tail), ("COSINE", cosine_tail)):
        coefficients, _ = remez(function, 3, 0, reach)
        coefficients = [to_double(c) for c in coefficients]
        circle |= {f"{name}_{k}": c for k, c in enumerate(coefficients)}
        notes[f"error of {name}, degree 3 in r**2"] = largest_error(function, coefficients, 0, reach)
    step = mp.pi / 16
    circle["STEP_HIGH"] = exactly(rounded(step, 26))
    circle["STEP_LOW"] = to_double(step - circle["STEP_HIGH"])
    circle["STEP"] = to_double(step)
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
    circle |= {f"STEPS_{index}": tuple(values) for index, values in enumerate(chunks)}
    return report("exactops.ops.sin_cos", quick, quick_notes) + report("exactops.numerics.circle", circle, notes)


if __name__ == "__main__":
    raise SystemExit(main())
