"""Derive every constant of exactops/numerics/tables/exponential.py. ``--check`` compares, ``--write`` writes them.

``e**x = 2**(k/16) * e**(r*ln2/16)`` with ``k = rint(x*16/ln2)`` and ``r = x*16/ln2 - k``, ``|r| <= 1/2`` and a little more.
"""

from __future__ import annotations

import struct

from minimax import exactly, fit, relative_error, report, rounded
from mpmath import mp, mpf

STEPS = 16
DEGREE = 6
HALF_STEP = mpf(1) / 2 + mpf(2) ** -16


def constants() -> tuple[dict, dict, dict]:
    """All constants by their name in the module, the errors of the polynomials, and comments."""
    step = mp.log(2) / STEPS
    inverse = 1 / step
    # 29 bits: a float32 (24 bits) times it is exact in double.
    inverse_high = rounded(inverse, 29)
    # 40 bits: times k (12 bits) it is exact in double.
    step_high = rounded(step, 40)

    def expm1(r):
        return mp.expm1(r * step)

    coefficients = fit(expm1, -HALF_STEP, HALF_STEP, DEGREE, fixed=(mpf(0),))
    fast_phase = fit(expm1, -HALF_STEP, HALF_STEP, 4, fixed=(mpf(0),))
    fast_mode = fit(expm1, -HALF_STEP, HALF_STEP, 3, fixed=(mpf(0),))
    relative = fit(lambda r: expm1(r) / r, -HALF_STEP, HALF_STEP, 4)
    table, offsets = [], []
    for j in range(STEPS):
        power = rounded(mpf(2) ** (mpf(j) / STEPS))
        pattern = struct.unpack("<q", struct.pack("<d", float(power)))[0] - (j << 48)
        offsets.append(rounded(mp.log(power, 2) * STEPS - j))
        table.append(struct.unpack("<d", struct.pack("<q", pattern))[0])

    def error(tail):
        return relative_error(lambda r: mp.exp(r * step), [1, *tail], -HALF_STEP, HALF_STEP)

    return (
        {
            "INVERSE_STEP_HIGH": exactly(inverse_high),
            "INVERSE_STEP_LOW": exactly(rounded(inverse - inverse_high)),
            "INVERSE_STEP": exactly(rounded(inverse)),
            "STEP_HIGH": exactly(step_high),
            "STEP_LOW": exactly(rounded(step - step_high)),
            "EXPM1": tuple(exactly(c) for c in coefficients[1:]),
            "EXPM1_FAST_PHASE": tuple(exactly(c) for c in fast_phase[1:]),
            "EXPM1_RELATIVE": tuple(exactly(c) for c in relative),
            "EXPM1_FAST_MODE": tuple(exactly(c) for c in fast_mode[1:]),
            "EXP2_SIXTEENTHS": tuple(table),
            "EXP2_OFFSETS": tuple(exactly(-offset) for offset in offsets),
        },
        {
            "relative error of exp with EXPM1": error(coefficients[1:]),
            "relative error of exp with EXPM1_FAST_PHASE": error(fast_phase[1:]),
            "relative error of exp with EXPM1_FAST_MODE": error(fast_mode[1:]),
            "relative error of EXPM1_RELATIVE": relative_error(expm1, [0, *relative], -HALF_STEP, HALF_STEP),
        },
        {
            "INVERSE_STEP_HIGH": (
                "16/ln(2) as a high part of 29 bits, whose product with a float32 is exact, and a low part; and as one double."
            ),
            "STEP_HIGH": "ln(2)/16 as a high part of 40 bits, whose product with k is exact, and a low part.",
            "EXPM1": (
                "e**(r * ln(2)/16) - 1 = r * EXPM1(r). The errors of EXPM1 (2**-56.9), EXPM1_FAST_PHASE (2**-38.5) and "
                "EXPM1_FAST_MODE (2**-29.2) are small beside 1, that of EXPM1_RELATIVE (2**-41.1) beside r."
            ),
            "EXP2_SIXTEENTHS": (
                "2**(j/16) with ``j << 48`` taken from its bits: adding ``k << 48`` to entry ``k & 15`` then gives 2**(k/16)."
            ),
            "EXP2_OFFSETS": "What the rounding of entry j took away, in steps: 2**(j/16) = entry * 2**(offset/16).",
        },
    )


if __name__ == "__main__":
    raise SystemExit(report("exponential", "Constants of the exponential.", *constants()))
