"""Derives every constant of exactops/numerics/tables/power.py from mathematics, with its error bounds.

``--check`` compares, ``--write`` writes them. The first table is that of derive_log.py in base 2, on a grid of 2**-45.
"""

from __future__ import annotations

import mpmath
from derive_log import table, tail
from minimax import largest_error, on_grid, remez, report, to_double
from mpmath import mpf

#: Steps a unit of the second reduction of the logarithm: the largest |z| times this is below 7.5, so 15 entries do.
FINE = 240


def fine_reciprocal(step: int):
    """A multiple of 2**-18 near 1 / (1 + step / FINE) with log2 near the grid; 1 for step 0 and for -8, which is not used."""
    if step in (0, -8):
        return mpf(1)
    middle = int(mpmath.nint(2**18 / (1 + mpf(step) / FINE)))
    candidates = [mpmath.ldexp(mpf(middle + k), -18) for k in range(-64, 64)]
    return min(candidates, key=lambda c: abs(mpmath.log(c, 2) - on_grid(mpmath.log(c, 2), -45)))


def pairs(name: str, values) -> dict:
    """A table of unevaluated sums."""
    highs = tuple(to_double(v) for v in values)
    return {f"{name}_HIGH": highs, f"{name}_LOW": tuple(to_double(v - h) for v, h in zip(values, highs, strict=True))}


def main() -> int:
    """Derive, then print or check."""
    ln2 = mpmath.log(2)
    reciprocals, logarithms, reach, table_error = table(mpf(2), -45)
    constants: dict = {
        "RECIPROCALS": reciprocals,
        "LOGARITHMS_HIGH": logarithms,
        "LOGARITHMS_LOW": tuple(to_double(-mpmath.log(c, 2) - t) for c, t in zip(reciprocals, logarithms, strict=True)),
    }
    notes = {"largest z": f"{float(reach):.6f}", "error of the table's upper part": table_error}
    assert reach * FINE < mpf("7.5")

    # Fast phase: log2(1 + z) = z * (1 / ln2 + z * polynomial); 2**f = polynomial, |f| <= 1/32.
    def tail2(z):
        return tail(z) / ln2

    coefficients = [to_double(1 / ln2), *(to_double(c) for c in remez(tail2, 6, -reach, reach)[0])]
    constants["LOG2"] = tuple(coefficients)
    error = largest_error(tail2, coefficients[1:], -reach, reach)
    notes["error of LOG2 over z**2, degree 7"] = error
    limit = mpf(1) / 32 * mpf("1.0001")
    coefficients = [to_double(c) for c in remez(lambda f: mpf(2) ** f, 5, -limit, limit)[0]]
    constants["EXP2"] = tuple(coefficients)
    notes["error of EXP2, degree 5"] = largest_error(lambda f: mpf(2) ** f, coefficients, -limit, limit)

    # Accurate phase. Second reduction: 1 + z times a multiple of 2**-18, again with a logarithm on the grid and its rest. Of
    # 128 candidates the one with the smallest rest is taken: the rest is a double, its error 2**-53 of it.
    fine = [fine_reciprocal(j if j < 8 else j - 16) for j in range(16)]
    fine_logarithms = [on_grid(-mpmath.log(c, 2), -45) for c in fine]
    constants |= {
        "FINE_RECIPROCALS": tuple(float(c) for c in fine),
        "FINE_LOGARITHMS_HIGH": tuple(fine_logarithms),
        "FINE_LOGARITHMS_LOW": tuple(to_double(-mpmath.log(c, 2) - t) for c, t in zip(fine, fine_logarithms, strict=True)),
    }
    small = mpf(0)
    for j in range(-7, 8):
        for end in (-1, 1):
            z = max(-reach, min(reach, (j + mpf(end) / 2) / FINE))
            small = max(small, abs((1 + z) * fine[j % 16] - 1))
    # log2(1 + z) = z * (c0 + z * (c1 + z * (c2 + z * (c3 + z * (c4 + z * LOG2_TAIL(z)))))), the first five as pairs.
    constants |= pairs("LOG2", [(-1) ** (k + 1) / (k * ln2) for k in range(1, 6)])

    def high_log(z):
        return sum((-1) ** (k + 1) * z**k / (k + 6) for k in range(40)) / ln2

    coefficients = [to_double(c) for c in remez(high_log, 6, -small, small)[0]]
    constants["LOG2_TAIL"] = tuple(coefficients)
    error = largest_error(high_log, coefficients, -small, small, lambda z: z**6)
    notes |= {"largest z after the second reduction": small, "error of the logarithm with LOG2_TAIL, degree 6": error}
    # 2**f = 1 + f * (c0 + f * (c1 + f * (c2 + f * EXP2_TAIL(f)))), |f| <= 1/512.
    constants |= pairs("EXP2", [ln2**k / mpmath.factorial(k) for k in range(1, 4)])

    def high_exp(f):
        return sum(ln2 ** (k + 4) * f**k / mpmath.factorial(k + 4) for k in range(30))

    limit = mpf(1) / 512 * mpf("1.0001")
    coefficients = [to_double(c) for c in remez(high_exp, 3, -limit, limit)[0]]
    constants["EXP2_TAIL"] = tuple(coefficients)
    error = largest_error(high_exp, coefficients, -limit, limit, lambda f: f**4)
    notes["error of the power with EXP2_TAIL, degree 3"] = error
    constants |= pairs("EXP2_SIXTEENTHS", [mpf(2) ** (mpf(j) / 16) for j in range(16)])
    constants |= pairs("EXP2_FINE", [mpf(2) ** (mpf(j) / 256) for j in range(16)])
    comments = {
        "RECIPROCALS": "m in the intervals of tables.log; -log2(c) = LOGARITHMS_HIGH + LOGARITHMS_LOW.",
        "LOG2": "Fast phase: log2(1 + z) = z * LOG2(z), 2**f = EXP2(f) for |f| <= 1/32.",
        "FINE_RECIPROCALS": f"Accurate phase: z in steps of 1/{FINE}, 16 entries, the negative ones behind.",
        "LOG2_HIGH": "Leading coefficients of log2(1 + z) / z as pairs, and the others.",
        "EXP2_HIGH": "Leading coefficients of (2**f - 1) / f as pairs, and the others.",
        "EXP2_SIXTEENTHS_HIGH": "2**(j/16) and 2**(j/256) as pairs.",
    }
    return report("power", "Constants of pow in double and in pairs of doubles.", constants, notes, comments)


if __name__ == "__main__":
    raise SystemExit(main())
