"""Derives every constant of exactops/numerics/power.py from mathematics, with its error bounds.

Run with ``--check`` to compare them with the module. The first
table is that of derive_log.py in base 2, on a grid of 2**-45.
"""

from __future__ import annotations

import struct

import mpmath
from derive_log import FIRST, table, tail
from minimax import largest_error, on_grid, remez, report, to_double
from mpmath import mpf

#: Steps a unit of the second reduction of the logarithm: the largest |z| times this is below 7.5, so 15 entries do.
FINE = 240


def pair(name: str, value) -> dict:
    """A constant as an unevaluated sum of two doubles."""
    high = to_double(value)
    return {f"{name}_HIGH": high, f"{name}_LOW": to_double(value - high)}


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
        "FIRST": FIRST,
        "RECIPROCALS": reciprocals,
        "LOGARITHMS": logarithms,
        "LOGARITHMS_LOW": tuple(to_double(-mpmath.log(c, 2) - t) for c, t in zip(reciprocals, logarithms, strict=True)),
    }
    notes = {"largest z": f"{float(reach):.6f}", "error of the table's upper part": table_error}
    assert reach * FINE < mpf("7.5")

    # Quick path: log2(1 + z) = z * (1 / ln2 + z * polynomial); 2**f = polynomial, |f| <= 1/32.
    def tail2(z):
        return tail(z) / ln2

    coefficients = [to_double(1 / ln2), *(to_double(c) for c in remez(tail2, 6, -reach, reach)[0])]
    constants |= {f"LOG_{k}": c for k, c in enumerate(coefficients)}
    error = largest_error(tail2, coefficients[1:], -reach, reach)
    notes["error of LOG over z**2, degree 7"] = error
    limit = mpf(1) / 32 * mpf("1.0001")
    coefficients = [to_double(c) for c in remez(lambda f: mpf(2) ** f, 5, -limit, limit)[0]]
    constants |= {f"EXP_{k}": c for k, c in enumerate(coefficients)}
    notes["error of EXP, degree 5"] = largest_error(lambda f: mpf(2) ** f, coefficients, -limit, limit)

    # Accurate path. Second reduction: 1 + z times a multiple of 2**-18, again with a logarithm on the grid and its rest. Of
    # 128 candidates the one with the smallest rest is taken: the rest is a double, its error 2**-53 of it.
    fine = [fine_reciprocal(j if j < 8 else j - 16) for j in range(16)]
    fine_logarithms = [on_grid(-mpmath.log(c, 2), -45) for c in fine]
    constants |= {
        "FINE_RECIPROCALS": tuple(float(c) for c in fine),
        "FINE_LOGARITHMS": tuple(fine_logarithms),
        "FINE_LOGARITHMS_LOW": tuple(to_double(-mpmath.log(c, 2) - t) for c, t in zip(fine, fine_logarithms, strict=True)),
    }
    small = mpf(0)
    for j in range(-7, 8):
        for end in (-1, 1):
            z = max(-reach, min(reach, (j + mpf(end) / 2) / FINE))
            small = max(small, abs((1 + z) * fine[j % 16] - 1))
    # log2(1 + z) = z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * double polynomial))))), the first five as pairs.
    for k in range(1, 6):
        constants |= pair(f"L{k}", (-1) ** (k + 1) / (k * ln2))

    def high_log(z):
        return sum((-1) ** (k + 1) * z**k / (k + 6) for k in range(40)) / ln2

    coefficients = [to_double(c) for c in remez(high_log, 6, -small, small)[0]]
    constants |= {f"L{k + 6}": c for k, c in enumerate(coefficients)}
    error = largest_error(high_log, coefficients, -small, small, lambda z: z**6)
    notes |= {"largest z after the second reduction": small, "error of the logarithm with L6 and on, degree 6": error}
    # 2**f = 1 + f * (E1 + f * (E2 + f * (E3 + f * double polynomial))), |f| <= 1/512.
    for k in range(1, 4):
        constants |= pair(f"E{k}", ln2**k / mpmath.factorial(k))

    def high_exp(f):
        return sum(ln2 ** (k + 4) * f**k / mpmath.factorial(k + 4) for k in range(30))

    limit = mpf(1) / 512 * mpf("1.0001")
    coefficients = [to_double(c) for c in remez(high_exp, 3, -limit, limit)[0]]
    constants |= {f"E{k + 4}": c for k, c in enumerate(coefficients)}
    error = largest_error(high_exp, coefficients, -limit, limit, lambda f: f**4)
    notes["error of the power with E4 and on, degree 3"] = error
    constants |= pairs("POWERS", [mpf(2) ** (mpf(j) / 16) for j in range(16)])
    # The same table as bit patterns less j * 2**48: adding (16 * e + j) * 2**48 multiplies by 2**e alone.
    constants["POWERS_SHIFTED"] = tuple(
        struct.unpack("<q", struct.pack("<d", power))[0] - (j << 48) for j, power in enumerate(constants["POWERS_HIGH"])
    )
    constants |= pairs("FINE_POWERS", [mpf(2) ** (mpf(j) / 256) for j in range(16)])
    return report("exactops.numerics.power", constants, notes)


if __name__ == "__main__":
    raise SystemExit(main())
