"""Derive every constant of exactops/numerics/exponential.py. Run with ``--check`` to compare with the module.

``e**x = 2**(k/16) * e**(r*ln2/16)`` with ``k = rint(x*16/ln2)`` and ``r = x*16/ln2 - k``, ``|r| <= 1/2`` and a little more.
"""

from __future__ import annotations

import struct

from minimax import exactly, fit, relative_error, report, rounded
from mpmath import mp, mpf

STEPS = 16
DEGREE = 6
HALF_STEP = mpf(1) / 2 + mpf(2) ** -16


def constants() -> tuple[dict, dict]:
    """All constants by their name in the module, and the errors of the polynomials."""
    unit = mp.log(2) / STEPS
    per_unit = 1 / unit
    # 29 bits: a float32 (24 bits) times it is exact in double.
    head = rounded(per_unit, 29)
    # 40 bits: times k (12 bits) it is exact in double.
    unit_head = rounded(unit, 40)

    def relative_growth(r):
        return mp.expm1(r * unit)

    coefficients = fit(relative_growth, -HALF_STEP, HALF_STEP, DEGREE, fixed=(mpf(0),))
    quick = fit(relative_growth, -HALF_STEP, HALF_STEP, 4, fixed=(mpf(0),))
    brief = fit(relative_growth, -HALF_STEP, HALF_STEP, 3, fixed=(mpf(0),))
    small = fit(lambda r: relative_growth(r) / r, -HALF_STEP, HALF_STEP, 4)
    table, offsets = [], []
    for j in range(STEPS):
        power = rounded(mpf(2) ** (mpf(j) / STEPS))
        pattern = struct.unpack("<q", struct.pack("<d", float(power)))[0] - (j << 48)
        offsets.append(rounded(mp.log(power, 2) * STEPS - j))
        table.append(struct.unpack("<d", struct.pack("<q", pattern))[0])
    return {
        "UNITS_HEAD": exactly(head),
        "UNITS_TAIL": exactly(rounded(per_unit - head)),
        "UNITS": exactly(rounded(per_unit)),
        "UNIT_HEAD": exactly(unit_head),
        "UNIT_TAIL": exactly(rounded(unit - unit_head)),
        "GROWTH": tuple(exactly(c) for c in coefficients[1:]),
        "QUICK": tuple(exactly(c) for c in quick[1:]),
        "BRIEF": tuple(exactly(c) for c in brief[1:]),
        "SMALL": tuple(exactly(c) for c in small),
        "POWER_OFFSETS": tuple(exactly(-offset) for offset in offsets),
        "POWERS": tuple(table),
    }, {
        "relative error of GROWTH": relative_error(lambda r: mp.exp(r * unit), [1, *coefficients[1:]], -HALF_STEP, HALF_STEP),
        "relative error of QUICK": relative_error(lambda r: mp.exp(r * unit), [1, *quick[1:]], -HALF_STEP, HALF_STEP),
        "relative error of BRIEF": relative_error(lambda r: mp.exp(r * unit), [1, *brief[1:]], -HALF_STEP, HALF_STEP),
        "relative error of SMALL": relative_error(relative_growth, [0, *small], -HALF_STEP, HALF_STEP),
    }


if __name__ == "__main__":
    raise SystemExit(report("exactops.numerics.exponential", *constants()))
