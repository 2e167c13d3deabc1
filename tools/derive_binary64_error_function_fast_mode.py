"""Derive the constants of fast mode of erfc and gelu in float64 near zero. ``--check`` compares, ``--write`` writes them.

``erfc(c + h) = erfc(c) + erfc'(c) * I``, where I is the integral of ``e**(-2*c*t - t**2)`` for t from 0 to h: a series in
u = c*h and v = h**2. The upper tail of the normal distribution likewise, with c/sqrt(2) and h/sqrt(2).
"""

from __future__ import annotations

from pathlib import Path

import mpmath
from derive_binary64_error_function import economized
from derive_binary64_exponential import Module, carry_out
from minimax import to_double
from mpmath import mp, mpf

mp.prec = 400


#: Centres a unit and their number: of erfc and of the normal distribution.
CENTRES, ROWS = 128, 352
NORMAL_CENTRES, NORMAL_ROWS = 64, 256
#: How far u reaches.
REACH = mpf(1) / 80


class FastModeModule(Module):
    """The text of the module of constants."""

    def __init__(self, about: str, imports: str):
        self.text = f'"""{about} Written by tools/{Path(__file__).name} with ``--write``."""\n\n{imports}\n'


def integral(notes: dict) -> list:
    """The coefficients of I/h: as a series in t/h it is the sum of (-2*u)**m / m! * (-v)**n / n! / (m + 2*n + 1).

    The polynomials in u are shortened but for their constants; what v**3 gives where c is 0 goes to the constant of v**2.
    """
    parts = []
    for n, degree in enumerate((6, 4, 2)):
        series = [
            mpf(-2) ** m / mpmath.factorial(m) * (-1) ** n / mpmath.factorial(n) / (m + 2 * n + 1) for m in range(degree + 4)
        ]
        rest, change = economized(series[1:], REACH, degree - 1)
        notes[f"change of the coefficient of v**{n}, over u"] = change
        parts.append([series[0], *rest])
    parts[2][0] -= mpf("0.9") / 42 / (4 * CENTRES**2)
    return parts


def error_function_fast_mode(notes: dict) -> str:
    """The text of the module."""
    module = FastModeModule(
        "Fast mode of float64 erfc and gelu.",
        "from exactops.lanes import Table\nfrom exactops.numerics.constants import doubles, rows\n",
    )
    first, third, fifth = integral(notes)
    module.comment("The integral from 0 to h of e**(-2*c*t - t**2), with u = c*h and v = h**2, is")
    module.comment("h * (1 + u * FIRST(u) + v * THIRD(u) + v**2 * FIFTH(u)).")
    for name, part in (("FIRST", first[1:]), ("THIRD", third), ("FIFTH", fifth)):
        module.constant(name, tuple(to_double(each) for each in part))
    module.comment(f"Row j, for c = j/{CENTRES}: erfc(c) and the derivative's negative.")
    centres = [mpf(j) / CENTRES for j in range(ROWS)]
    pairs = [(to_double(mp.erfc(c)), to_double(2 / mp.sqrt(mp.pi) * mp.exp(-c * c))) for c in centres]
    module.rows("COMPLEMENT", pairs, f"{{0}} + [(0.0, 0.0)] * {512 - ROWS}")
    module.comment(f"Row j, for c = j/{NORMAL_CENTRES}: the normal distribution function of -c, and the density.")
    centres = [mpf(j) / NORMAL_CENTRES for j in range(NORMAL_ROWS)]
    pairs = [(to_double(mp.erfc(c / mp.sqrt(2)) / 2), to_double(mp.exp(-c * c / 2) / mp.sqrt(2 * mp.pi))) for c in centres]
    module.rows("NORMAL", pairs)
    return module.text


def main() -> int:
    """Derive, then print, compare or write."""
    return carry_out(error_function_fast_mode)


if __name__ == "__main__":
    raise SystemExit(main())
