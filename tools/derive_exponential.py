"""Derive every constant of exactops/numerics/exponential.py. Run with ``--check`` to compare with the module.

``e**x = 2**(k/16) * e**(r*ln2/16)`` with ``k = rint(x*16/ln2)`` and ``r = x*16/ln2 - k``, ``|r| <= 1/2`` and a little more.
"""

from __future__ import annotations

import struct
import sys

from minimax import fit, hexadecimal, largest_error, rounded
from mpmath import mp, mpf

STEPS = 16
DEGREE = 6
HALF_STEP = mpf(1) / 2 + mpf(2) ** -16


def constants() -> dict[str, object]:
    """All constants by their name in the module."""
    unit = mp.log(2) / STEPS
    per_unit = 1 / unit
    # 29 bits: a float32 (24 bits) times it is exact in double.
    head = rounded(per_unit, 29)
    # 40 bits: times k (12 bits) it is exact in double.
    unit_head = rounded(unit, 40)

    def relative_growth(r):
        return mp.expm1(r * unit)

    coefficients = fit(relative_growth, -HALF_STEP, HALF_STEP, DEGREE, fixed=(mpf(0),))
    table = []
    for j in range(STEPS):
        power = rounded(mpf(2) ** (mpf(j) / STEPS))
        pattern = struct.unpack("<q", struct.pack("<d", float(power)))[0] - (j << 48)
        table.append(struct.unpack("<d", struct.pack("<q", pattern))[0])
    return {
        "UNITS_HEAD": hexadecimal(head),
        "UNITS_TAIL": hexadecimal(rounded(per_unit - head)),
        "UNITS": hexadecimal(rounded(per_unit)),
        "UNIT_HEAD": hexadecimal(unit_head),
        "UNIT_TAIL": hexadecimal(rounded(unit - unit_head)),
        "GROWTH": tuple(hexadecimal(c) for c in coefficients[1:]),
        "POWERS": tuple(entry.hex() for entry in table),
    }, largest_error(mp.exp, [1] + [c / unit**j for j, c in enumerate(coefficients) if j], -HALF_STEP * unit, HALF_STEP * unit, True)


def main() -> int:
    """Print the constants and the error bound, or compare them with the module."""
    derived, error = constants()
    if "--check" in sys.argv:
        from exactops.numerics import exponential

        for name, value in derived.items():
            actual = getattr(exponential, name)
            actual = tuple(v.hex() for v in actual) if isinstance(actual, tuple) else actual.hex()
            if actual != value:
                print(f"{name}: module has {actual}, derived {value}")
                return 1
        print("exponential: all constants agree")
        return 0
    for name, value in derived.items():
        print(name, "=", value)
    print("error of the polynomial: 2 **", mp.nstr(mp.log(error, 2), 5))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
