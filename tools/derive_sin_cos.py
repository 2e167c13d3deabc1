"""Derives every constant of exactops/ops/sin_cos.py and exactops/numerics/circle.py from mathematics, with its error bounds.

Run ``python tools/derive_sin_cos.py`` for the constants as they stand in the sources, ``--check`` to compare them.
"""

from __future__ import annotations

import sys

import mpmath
from derive_minimax import largest_error, leading_bits, log2_of, mp, mpf, remez, report, to_double, to_single


def cardinal(u):
    """sin(r) / r as a function of u = r**2."""
    r = mpmath.sqrt(u)
    return mpmath.sin(r) / r if r else mpf(1)


def sine_tail(u):
    """(sin(r) - r) / r**3 as a function of u = r**2."""
    return sum((-1) ** (k + 1) * u**k / mpmath.factorial(2 * k + 3) for k in range(30))


def cosine_tail(u):
    """(cos(r) - 1) / r**2 as a function of u = r**2."""
    return sum((-1) ** (k + 1) * u**k / mpmath.factorial(2 * k + 2) for k in range(30))


def main() -> int:
    """Derive, then print or check."""
    notes = []
    # Quick path: half turns up to 2**16, so that k (and k - 1/2) times a 36-bit PI_HIGH is exact.
    pi_high = leading_bits(mp.pi, 36)
    quick: dict = {
        "HALF_TURNS": to_double(1 / mp.pi),
        "PI_HIGH": pi_high,
        "PI_LOW": to_double(mp.pi - pi_high),
    }
    notes.append(f"PI_HIGH + PI_LOW is pi within {log2_of(mp.pi - pi_high - quick['PI_LOW'])}")
    reach = (mp.pi / 2 + mpf("0.001")) ** 2
    for name, degree, rounding in (("QUICK", 6, to_double), ("FAST", 4, to_single)):
        coefficients, _ = remez(cardinal, degree, 0, reach, lambda u: 1 / cardinal(u))
        coefficients = [rounding(c) for c in coefficients]
        error = largest_error(cardinal, coefficients, 0, reach, lambda u: 1 / cardinal(u))
        quick |= {f"{name}_{k}": c for k, c in enumerate(coefficients)}
        notes.append(f"{name}: degree {degree} in r**2, relative error {log2_of(error)}")

    # Accurate path: multiples of pi/16. SINES_HIGH has 26 bits, so that its product with the 26-bit head of r is exact.
    sines = [mpmath.sin(n * mp.pi / 16) if n % 16 else mpf(0) for n in range(32)]
    sines_high = tuple(leading_bits(s, 26) for s in sines)
    reach = (mp.pi / 32 * mpf("1.0001")) ** 2
    circle: dict = {
        "SINES_HIGH": sines_high,
        "SINES_LOW": tuple(to_double(s - high) for s, high in zip(sines, sines_high, strict=True)),
    }
    for name, function in (("SINE", sine_tail), ("COSINE", cosine_tail)):
        coefficients, _ = remez(function, 3, 0, reach)
        coefficients = [to_double(c) for c in coefficients]
        circle |= {f"{name}_{k}": c for k, c in enumerate(coefficients)}
        notes.append(f"{name}: degree 3 in r**2, error {log2_of(largest_error(function, coefficients, 0, reach))}")
    step = mp.pi / 16
    circle["STEP_HIGH"] = leading_bits(step, 26)
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
    check = "--check" in sys.argv
    wrong = report("exactops.ops.sin_cos", quick, check) + report("exactops.numerics.circle", circle, check)
    print(*(f"# {note}" for note in notes), sep="\n")
    return wrong


if __name__ == "__main__":
    sys.path.insert(0, ".")
    sys.exit(main())
