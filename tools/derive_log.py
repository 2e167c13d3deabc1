"""Derives every constant of exactops/numerics/tables/log.py from mathematics, with its error bounds.

``--check`` compares, ``--write`` writes them.

The table. x = m * 2**e with m in 16 intervals of equal width in the mantissa; ``1 / c`` approximates the middle of each. c has
29 bits, so that m * c is exact for a 24-bit m and so is z = m * c - 1. Among the million such c nearest to the ideal one, the
search takes the one whose -ln(c) lies nearest to a multiple of 2**-46: one double then holds the table value with
an error far below 2**-64, and e * LN2_HIGH + T is exact. One interval surrounds 1 and has c = 1, T = 0: no cancellation.
"""

from __future__ import annotations

import mpmath
import numpy as np
from minimax import largest_error, on_grid, remez, report, to_double, to_single
from mpmath import mp, mpf

#: Number of table intervals below the one around 1; two thirds of a half-width of that interval lie below 1.
BELOW = 9
FIRST = 0x3F800000 - 2 * (1 << 19) // 3 - (BELOW << 19)
SPAN = 1 << 19


def single(pattern: int):
    """The float32 of this bit pattern."""
    return mpf(float(np.uint32(pattern).view(np.float32)))


def reciprocal_with_clean_logarithm(low, high, base, grid: int) -> tuple[float, float]:
    """A 29-bit c near the reciprocal of the middle of [low, high] with -log_base(c) very near the grid, and that logarithm."""
    middle = 2 / (low + high)
    exponent = int(mpmath.floor(mpmath.log(middle, 2))) - 28
    centre = int(mpmath.nint(mpmath.ldexp(middle, -exponent)))
    natural = mpmath.log(base)
    steps = np.arange(-SPAN, SPAN, dtype=np.longdouble)
    start = -mpmath.log(mpmath.ldexp(mpf(centre), exponent)) / natural * mpmath.ldexp(mpf(1), -grid)
    fraction = np.longdouble(str(start - mpmath.nint(start)))
    scale = np.longdouble(str(1 / natural)) * np.longdouble(2.0**-grid)
    distance = fraction - np.log1p(steps / np.longdouble(centre)) * scale
    distance = np.abs(distance - np.rint(distance))
    c = mpmath.ldexp(mpf(centre + int(steps[int(np.argmin(distance))])), exponent)
    return float(c), on_grid(-mpmath.log(c) / natural, grid)


def table(base, grid: int):
    """Reciprocals, logarithms, the largest |z| and the largest error of a logarithm."""
    reciprocals, logarithms, reach, error = [], [], mpf(0), mpf(0)
    for index in range(16):
        low, high = single(FIRST + (index << 19)), single(FIRST + ((index + 1) << 19))
        c, logarithm = (1.0, 0.0) if index == BELOW else reciprocal_with_clean_logarithm(low, high, base, grid)
        reciprocals.append(c)
        logarithms.append(logarithm)
        reach = max(reach, abs(low * c - 1), abs(high * c - 1))
        error = max(error, abs(-mpmath.log(c) / mpmath.log(base) - logarithm))
    return tuple(reciprocals), tuple(logarithms), reach, error


def tail(z):
    """(ln(1 + z) - z) / z**2."""
    return (mpmath.log1p(z) - z) / z**2 if abs(z) > mpf(10) ** -30 else -mpf(1) / 2


def main() -> int:
    """Derive, then print or check."""
    reciprocals, logarithms, reach, table_error = table(mp.e, -46)
    ln2_high = on_grid(mpmath.log(2), -46)
    constants: dict = {
        "FIRST": FIRST,
        "RECIPROCALS": reciprocals,
        "LOGARITHMS": logarithms,
        "LN2_HIGH": ln2_high,
        "LN2_LOW": to_double(mpmath.log(2) - ln2_high),
        "LN2_SHIFTED": ln2_high * 2.0**-23,
    }
    notes = {
        "largest z": f"{float(reach):.6f}",
        "error of the table": table_error,
        "error of ln2 in the fast phase": mpmath.log(2) - ln2_high,
    }
    for name, degree in (("FAST_PHASE", 4), ("ACCURATE", 8)):
        coefficients, _ = remez(tail, degree, -reach, reach)
        coefficients = [to_double(c) for c in coefficients]
        constants[name] = tuple(coefficients)
        notes[f"error of {name}, degree {degree}"] = largest_error(tail, coefficients, -reach, reach)

    # Fast mode: reduction to m in [2/3, 4/3), ln(1 + z) = z - z**2/2 + z**3 * polynomial, all in float32.
    def cubic(z):
        return (mpmath.log1p(z) - z + z * z / 2) / z**3 if abs(z) > mpf(10) ** -20 else mpf(1) / 3

    low, high = -mpf(1) / 3, mpf(1) / 3

    def weight(z):
        return abs(z**3 / mpmath.log1p(z)) if abs(z) > mpf(10) ** -20 else z * z

    coefficients, _ = remez(cubic, 6, low + mpf(10) ** -9, high, lambda z: weight(z) + mpf(10) ** -6)
    rounded = [to_single(c) for c in coefficients]
    constants["FAST_MODE"] = tuple(rounded)
    head = float(mpmath.nint(mpmath.log(2) * 2**15) / 2**15)
    constants |= {
        "FAST_MODE_FIRST": 0x3F2AAAAB,
        "FAST_MODE_LN2_HIGH": head * 2.0**-23,
        "FAST_MODE_LN2_LOW": to_single((mpmath.log(2) - head) * mpf(2) ** -23),
    }
    notes["relative error of the result with FAST_MODE, degree 6"] = largest_error(cubic, rounded, low, high, weight)
    comments = {
        "FIRST": (
            "m runs over 16 intervals of equal width from the float32 with the bits FIRST on; log(m) = LOGARITHMS + log(m * c)."
        ),
        "LN2_HIGH": "LN2_HIGH times an exponent is exact, and so is its sum with an entry of LOGARITHMS.",
        "LN2_SHIFTED": "LN2_HIGH * 2**-23, for an exponent that stands in the bits of a float32.",
        "FAST_PHASE": "log(1 + z) = z + z**2 * FAST_PHASE(z), and the same with ACCURATE.",
        "FAST_MODE": (
            "Fast mode, float32: log(1 + z) = z - z**2/2 + z**3 * FAST_MODE(z), m from FAST_MODE_FIRST on, without a table."
        ),
    }
    return report("log", "Constants of log.", constants, notes, comments)


if __name__ == "__main__":
    raise SystemExit(main())
