"""Derive the constants of exactops/numerics/tables/sigmoid.py. ``--check`` compares, ``--write`` writes them.

Near zero, sigmoid(x) = 1/2 + x/4 + x**3 * Q(x**2); silu(x) = x/2 + x**2/4 + x**4 * Q(x**2) with the same Q.
"""

from __future__ import annotations

from minimax import exactly, fit, relative_error, report
from mpmath import mp, mpf

LIMIT = mpf(2) ** -4


def tail(square):
    """Q of the square, for a square that is not zero."""
    x = mp.sqrt(square)
    return (mp.tanh(x / 2) / 2 - x / 4) / x**3


def constants() -> tuple[dict, dict, dict]:
    """All constants by their name in the module, the errors of the polynomials, and comments."""
    coefficients = fit(tail, 0, LIMIT**2, 3, relative=True)
    error = relative_error(tail, coefficients, 0, LIMIT**2)
    return (
        {"TAIL": tuple(exactly(c) for c in coefficients)},
        {"relative error of TAIL": error},
        {"TAIL": "Near zero, sigmoid(x) = 1/2 + x/4 + x**3 * TAIL(x**2) and silu(x) = x/2 + x**2/4 + x**4 * TAIL(x**2)."},
    )


if __name__ == "__main__":
    raise SystemExit(report("sigmoid", "Constants of sigmoid and silu.", *constants()))
