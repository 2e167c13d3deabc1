"""Derives every constant of exactops/numerics/tables/power_fast_mode.py from mathematics, with its error bounds.

``--check`` compares, ``--write`` writes them. All tables hold float32 numbers; "short" ones have 12 bits, so that the
product of two of them is exact.

x = m * 2**e with m in 32 intervals of equal width in the mantissa, c the multiple of 2**-8 nearest to the reciprocal of the
middle of each, 1 for the interval around 1. log2(x) = e + T + log2(1 + z) with z = m * c - 1 and T = -log2(c).
"""

from __future__ import annotations

import mpmath
from minimax import exactly, largest_error, on_grid, remez, report, to_single
from mpmath import mpf

#: Bits of a pattern below the number of its interval.
SHIFT = 18
#: Number of intervals below the one around 1; two thirds of a half-width of that one lie below 1.
BELOW = 18
FIRST = 0x3F800000 - 2 * (1 << SHIFT) // 3 - (BELOW << SHIFT)
GRID = -16


def single(pattern: int) -> mpf:
    """The positive normal float32 of this bit pattern."""
    return mpmath.ldexp(mpf((pattern & 0x7FFFFF) | 0x800000), (pattern >> 23) - 150)


def table() -> tuple[list, mpf]:
    """The multiples of 2**-8 by the number of the interval from the bit pattern, and the largest |z|."""
    found: list = [None] * 32
    reach = mpf(0)
    for number in range(32):
        low, high = single(FIRST + (number << SHIFT)), single(FIRST + ((number + 1) << SHIFT))
        c = mpf(1) if number == BELOW else mpmath.nint(256 * 2 / (low + high)) / 256
        size = max(abs(low * c - 1), abs(high * c - 1))
        # The sum of T and log2(1 + z) takes their order for granted.
        assert c == 1 or abs(mpmath.log(c, 2)) > size * mpf("1.5")
        found[number] = c
        reach = max(reach, size)
    return found, reach


def main() -> int:
    """Derive, then print or check."""
    reciprocals, reach = table()
    logarithms = [-mpmath.log(c, 2) for c in reciprocals]
    upper = [on_grid(logarithm, GRID) for logarithm in logarithms]
    ln2 = mpmath.log(2)
    slope = 1 / ln2

    def tail(z):
        """(log2(1 + z) - z * slope) / z**2."""
        return sum((-1) ** (k + 1) * z**k / (k + 2) for k in range(60)) / ln2

    coefficients = [to_single(c) for c in remez(tail, 3, -reach, reach)[0]]
    constants = {
        "FIRST": FIRST,
        "RECIPROCALS": tuple(exactly(c) for c in reciprocals),
        "LOGARITHMS_HIGH": tuple(upper),
        "LOGARITHMS_LOW": tuple(to_single(t - u) for t, u in zip(logarithms, upper, strict=True)),
        "INVERSE_LN2_HIGH": to_single(slope),
        "INVERSE_LN2_LOW": to_single(slope - to_single(slope)),
        "LOG2_TAIL": tuple(coefficients),
    }
    return report(
        "power_fast_mode",
        "Constants of pow in fast mode, in float32.",
        constants,
        {
            "largest z": f"{float(reach):.6f}",
            "error of the logarithm, over z, by LOG2_TAIL": largest_error(tail, coefficients, -reach, reach, lambda z: z),
        },
        {
            "FIRST": (
                "x = m * 2**e, m in 32 intervals of equal width in the mantissa from the float32 with the bits FIRST on; c of "
                "RECIPROCALS "
                "has few bits, -log2(c) = LOGARITHMS_HIGH + LOGARITHMS_LOW."
            ),
            "INVERSE_LN2_HIGH": "log2(1 + z) = z / ln(2) + z**2 * LOG2_TAIL(z).",
        },
    )


if __name__ == "__main__":
    raise SystemExit(main())
