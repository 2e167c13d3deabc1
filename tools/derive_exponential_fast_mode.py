"""Derive the constants of exactops/numerics/tables/exponential_fast_mode.py. ``--check`` compares, ``--write`` writes them.

All are float32 numbers: ``e**x = 2**k * e**r`` with ``k = rint(x/ln2)``, ``r = x - k*ln2``, ``|r| <= 0.3467``.
"""

from __future__ import annotations

from minimax import exactly, fit, relative_error, report, rounded
from mpmath import mp, mpf

HALF = mp.log(2) / 2 + mpf(2) ** -14


def constants() -> tuple[dict, dict, dict]:
    """All constants by their name in the module, the errors of the polynomials, and comments."""
    ln2 = mp.log(2)
    ln2_high = rounded(ln2, 15)  # its product with k (8 bits) is exact
    expm1 = fit(mp.expm1, -HALF, HALF, 6, fixed=(0, 1), precision=24)
    relative = fit(mp.expm1, -HALF, HALF, 7, fixed=(0, 1, mpf(1) / 2), precision=24, relative=True)
    exp2 = fit(lambda r: mp.power(2, r), -mpf("0.5001"), mpf("0.5001"), 6, fixed=(1,), precision=24, relative=True)
    return (
        {
            "INVERSE_LN2": exactly(rounded(1 / ln2, 24)),
            "LN2_HIGH": exactly(ln2_high),
            "LN2_LOW": exactly(rounded(ln2 - ln2_high, 24)),
            "EXPM1_TAIL": tuple(exactly(c) for c in expm1[2:]),
            "EXPM1_RELATIVE_TAIL": tuple(exactly(c) for c in relative[2:]),
            "EXP2M1": tuple(exactly(c) for c in exp2[1:]),
        },
        {
            "relative error of exp with EXPM1_TAIL": relative_error(mp.exp, [1, *expm1[1:]], -HALF, HALF),
            "relative error of expm1 with EXPM1_RELATIVE_TAIL": relative_error(mp.expm1, relative, -HALF, HALF),
            "relative error of exp2 with EXP2M1": relative_error(lambda r: mp.power(2, r), exp2, -mpf("0.5001"), mpf("0.5001")),
        },
        {
            "EXPM1_TAIL": "e**r - 1 = r + r**2 * EXPM1_TAIL(r), with an error of 2**-27.9 beside 1.",
            "EXPM1_RELATIVE_TAIL": "The same with an error that is small beside r (2**-28).",
            "EXP2M1": "2**r - 1 = r * EXP2M1(r).",
        },
    )


if __name__ == "__main__":
    raise SystemExit(report("exponential_fast_mode", "Constants of fast mode's exponentials, in float32.", *constants()))
