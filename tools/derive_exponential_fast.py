"""Derive the constants of exactops/numerics/exponential_fast.py. Run with ``--check`` to compare with the module.

All are float32 numbers: ``e**x = 2**k * e**r`` with ``k = rint(x/ln2)``, ``r = x - k*ln2``, ``|r| <= 0.3467``.
"""

from __future__ import annotations

from minimax import exactly, fit, relative_error, report, rounded
from mpmath import mp, mpf

HALF = mp.log(2) / 2 + mpf(2) ** -14


def constants() -> tuple[dict, dict]:
    """All constants by their name in the module, and the errors of the polynomials."""
    ln2 = mp.log(2)
    ln2_head = rounded(ln2, 15)  # its product with k (8 bits) is exact
    growth = fit(mp.expm1, -HALF, HALF, 6, fixed=(0, 1), precision=24)
    relative = fit(mp.expm1, -HALF, HALF, 7, fixed=(0, 1, mpf(1) / 2), precision=24, relative=True)
    binary = fit(lambda r: mp.power(2, r), -mpf("0.5001"), mpf("0.5001"), 6, fixed=(1,), precision=24, relative=True)
    return {
        "PER_LN2": exactly(rounded(1 / ln2, 24)),
        "LN2_HEAD": exactly(ln2_head),
        "LN2_TAIL": exactly(rounded(ln2 - ln2_head, 24)),
        "FAST": tuple(exactly(c) for c in growth[2:]),
        "RELATIVE": tuple(exactly(c) for c in relative[2:]),
        "BINARY": tuple(exactly(c) for c in binary[1:]),
    }, {
        "relative error of FAST": relative_error(mp.exp, [1, *growth[1:]], -HALF, HALF),
        "relative error of RELATIVE": relative_error(mp.expm1, relative, -HALF, HALF),
        "relative error of BINARY": relative_error(lambda r: mp.power(2, r), binary, -mpf("0.5001"), mpf("0.5001")),
    }


if __name__ == "__main__":
    raise SystemExit(report("exactops.numerics.exponential_fast", *constants()))
