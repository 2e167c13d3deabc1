"""Derive the constants of exactops/ops/gelu.py. Run with ``--check`` to compare with the module.

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


def constants() -> tuple[dict, dict]:
    """All constants by their name in the module, and the errors of the polynomials."""
    tail, errors = tail_rows(scaled_normal_tail, SHIFT, DEGREE)
    zero = fit(near_zero, 0, LIMIT**2, 4, relative=True)
    zero_tanh = fit(near_zero_tanh, 0, LIMIT**2, 4, relative=True)
    per_unit = 16 / mp.log(2)
    slope, cubic = RATE * per_unit, CUBIC_RATE * per_unit
    # 30 bits: its distance from a number of 29 bits in [32, 256) is exact. 24 bits: times 24 bits it is exact.
    slope_head, cubic_head = rounded(slope, 30), rounded(cubic, 24)
    over, under, quick_error = fit_rational(scaled_normal_tail, 15, 6, 7, 2)
    fast, fast_errors = tail_rows(scaled_normal_tail, SHIFT, FAST_DEGREE, single=True)
    heads = [rounded_down(row[0], 12) for row in fast]
    return {
        "NORMAL": columns(tail),
        "QUICK_OVER": tuple(exactly(c) for c in over[:-1]),
        "QUICK_UNDER": tuple(exactly(c) for c in under),
        "FAST_HEAD": tuple(exactly(head) for head in heads),
        "FAST": columns([[row[0] - head, *row[1:]] for row, head in zip(fast, heads, strict=True)]),
        "RATE": exactly(rounded(RATE)),
        "CUBIC_RATE": exactly(rounded(CUBIC_RATE)),
        "ZERO": tuple(exactly(c) for c in zero),
        "ZERO_TANH": tuple(exactly(c) for c in zero_tanh),
        "SLOPE": exactly(rounded(slope)),
        "SLOPE_HEAD": exactly(slope_head),
        "SLOPE_TAIL": exactly(rounded(slope - slope_head)),
        "CUBIC": exactly(rounded(cubic)),
        "CUBIC_HEAD": exactly(cubic_head),
        "CUBIC_TAIL": exactly(rounded(cubic - cubic_head)),
    }, {
        "relative error of QUICK_OVER / QUICK_UNDER": quick_error,
        "relative error of FAST": fast_errors,
        "relative error of NORMAL": errors,
        "relative error of ZERO": relative_error(near_zero, zero, 0, LIMIT**2),
        "relative error of ZERO_TANH": relative_error(near_zero_tanh, zero_tanh, 0, LIMIT**2),
    }


if __name__ == "__main__":
    raise SystemExit(report("exactops.ops.gelu", *constants()))
