"""Derive the constants of exactops/numerics/tables/gelu.py. ``--check`` compares, ``--write`` writes them.

gelu(x) = x * Phi(x); Phi(-x) = e**(-x**2/2) * R(x), R in sixteen intervals of x + 1 as in derive_erf.py.
The tanh form is x * sigmoid(v), v = sqrt(8/pi) * (x + 0.044715 * x**3), in units of ln(2)/16: x * (SLOPE + CUBIC * x**2).
Near zero both are x/2 + x**2 * P(x**2).
"""

from __future__ import annotations

from derive_erf import scaled_normal_tail, tail_rows
from minimax import columns, exactly, fit, fit_rational, relative_error, report, rounded
from mpmath import mp, mpf

SHIFT = 1
DEGREE = 13
FAST_DEGREE = 6
LIMIT = mpf(2) ** -4
RATE = mp.sqrt(8 / mp.pi)
CUBIC_RATE = RATE * mpf(44715) / 1000000


def near_zero(square):
    """(gelu(x)/x - 1/2) / x as a function of the square of x, which is not zero."""
    x = mp.sqrt(square)
    return mp.erf(x / mp.sqrt(2)) / (2 * x)


def near_zero_tanh(square):
    """The same of the tanh form."""
    x = mp.sqrt(square)
    return mp.tanh((RATE * x + CUBIC_RATE * x**3) / 2) / (2 * x)


def rounded_down(value, precision: int):
    """The positive value, cut to this many bits."""
    step = mpf(2) ** (mp.floor(mp.log(value, 2)) + 1 - precision)
    return mp.floor(value / step) * step


def constants() -> tuple[dict, dict, dict]:
    """All constants by their name in the module, the errors of the polynomials, and comments."""
    tail, errors = tail_rows(scaled_normal_tail, SHIFT, DEGREE)
    near = fit(near_zero, 0, LIMIT**2, 4, relative=True)
    near_tanh = fit(near_zero_tanh, 0, LIMIT**2, 4, relative=True)
    inverse_step = 16 / mp.log(2)
    slope, cubic = RATE * inverse_step, CUBIC_RATE * inverse_step
    # 30 bits: its distance from a number of 29 bits in [32, 256) is exact. 24 bits: times 24 bits it is exact.
    slope_high, cubic_high = rounded(slope, 30), rounded(cubic, 24)
    over, under, rational_error = fit_rational(scaled_normal_tail, 15, 6, 7, 2)
    fast, fast_errors = tail_rows(scaled_normal_tail, SHIFT, FAST_DEGREE, single=True)
    highs = [rounded_down(row[0], 12) for row in fast]
    return (
        {
            "TAIL": columns(tail),
            "NUMERATOR": tuple(exactly(c) for c in over),
            "DENOMINATOR": tuple(exactly(c) for c in under),
            "FAST_MODE_HIGH": tuple(exactly(high) for high in highs),
            "FAST_MODE": columns([[row[0] - high, *row[1:]] for row, high in zip(fast, highs, strict=True)]),
            "NEAR_ZERO": tuple(exactly(c) for c in near),
            "NEAR_ZERO_TANH": tuple(exactly(c) for c in near_tanh),
            "SLOPE": exactly(rounded(slope)),
            "SLOPE_HIGH": exactly(slope_high),
            "SLOPE_LOW": exactly(rounded(slope - slope_high)),
            "CUBIC": exactly(rounded(cubic)),
            "CUBIC_HIGH": exactly(cubic_high),
            "CUBIC_LOW": exactly(rounded(cubic - cubic_high)),
            "FAST_MODE_SLOPE": exactly(rounded(RATE)),
            "FAST_MODE_CUBIC": exactly(rounded(CUBIC_RATE)),
        },
        {
            "relative error of NUMERATOR / DENOMINATOR": rational_error,
            "relative error of FAST_MODE": fast_errors,
            "relative error of TAIL": errors,
            "relative error of NEAR_ZERO": relative_error(near_zero, near, 0, LIMIT**2),
            "relative error of NEAR_ZERO_TANH": relative_error(near_zero_tanh, near_tanh, 0, LIMIT**2),
        },
        {
            "TAIL": (
                "e**(x*x/2) * Phi(-x) on [0, 15): one table for each power of the distance from the middle of a quarter of a "
                "binade "
                "of x + 1. Errors below 2**-53.6."
            ),
            "NUMERATOR": "The same function as a quotient, to 2**-39.6.",
            "FAST_MODE_HIGH": (
                "The same function in float32, for fast mode, to 2**-27.5: in the same intervals, the constant term as a high "
                "part of "
                "12 bits and a low part."
            ),
            "NEAR_ZERO": "Near zero, gelu(x) = x/2 + x**2 * NEAR_ZERO(x**2), and so its tanh form.",
            "SLOPE": (
                "sqrt(8/pi) and sqrt(8/pi) * 0.044715 in steps of ln(2)/16, as one double and as a high part (of 30 and 24 "
                "bits) and "
                "a low one."
            ),
            "FAST_MODE_SLOPE": "The same numbers themselves, for fast mode.",
        },
    )


if __name__ == "__main__":
    raise SystemExit(report("gelu", "Constants of gelu.", *constants()))
