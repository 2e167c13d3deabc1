"""Derive the constants of exactops/numerics/tables/erf.py. ``--check`` compares, ``--write`` writes them.

erf on [0, 4): sixteen intervals around centres near j * SPACING, a polynomial in the distance from the centre in each. The
centres are moved a little, until erf of the centre is a double to ten more bits. The centre of the first interval is 0,
and its polynomial is odd.

erfc(x) = e**(-x**2) * R(x) on [0, 10.25): sixteen intervals in x + ERFC_SHIFT, four to a binade, a polynomial in the distance
from the middle of the interval in each.
"""

from __future__ import annotations

from minimax import columns, evaluate, exactly, fit, fit_rational, relative_error, report, rounded
from mpmath import mp, mpf

SPACING = mpf(33) / 128
INTERVALS = 16
ERF_DEGREE = 12
FAST_PHASE_DEGREE = 8
ERFC_SHIFT = mpf(3) / 4
ERFC_DEGREE = 13


def lucky_centre(middle):
    """A number of 40 fractional bits near ``middle`` whose erf is a double to ten more bits, and that double."""
    step = 0
    while True:
        for sign in (1, -1):
            centre = (mp.nint(middle * mpf(2) ** 36) + sign * step) / mpf(2) ** 36
            value = mp.erf(centre)
            double = rounded(value)
            if abs(value - double) < abs(value) * mpf(2) ** -64:
                return centre, double
        step += 1


def erf_rows(degree: int) -> tuple[list, list, list]:
    """Centres, one row of coefficients an interval, and the relative error in each."""
    centres, rows, errors = [], [], []
    half = SPACING / 2 + mpf(2) ** -20
    for j in range(INTERVALS):
        if j == 0:
            centre, orders = mpf(0), list(range(1, degree + 1, 2))
            row = fit(mp.erf, mpf(2) ** -30, half, degree, orders=orders, relative=True)
            span = [half * i / 400 for i in range(1, 401)]
        else:
            centre, value = lucky_centre(j * SPACING)
            row = fit(lambda h, centre=centre: mp.erf(centre + h), -half, half, degree, fixed=(value,))
            span = [half * i / 200 for i in range(-200, 201)]
        centres.append(centre)
        rows.append(row)
        errors.append(max(abs(evaluate(row, h) / mp.erf(centre + h) - 1) for h in span))
    return centres, rows, errors


def scaled_erfc(x):
    """e**(x**2) * erfc(x)."""
    return mp.exp(x * x) * mp.erfc(x)


def scaled_normal_tail(x):
    """e**(x**2/2) * (1 - Phi(x)), for gelu."""
    return mp.exp(x * x / 2) * mp.erfc(x / mp.sqrt(2)) / 2


def tail_rows(function, shift, degree: int, single: bool = False) -> tuple[list, list]:
    """Coefficients by table index for a function of u - shift, with u in sixteen intervals, four to a binade; errors.

    The index is the last two bits of the exponent of u and the first two of its significand. ``single``: coefficients of
    float32, but for the constant term, which remains a double of 36 bits.
    """
    rows, errors = [None] * INTERVALS, [None] * INTERVALS
    low = mpf(shift)
    for _ in range(INTERVALS):
        binade = mpf(2) ** mp.floor(mp.log(low, 2) + mpf(2) ** -50)
        middle, half = low + binade / 8, binade / 8
        index = (int(mp.nint(mp.log(binade, 2))) + 1023) % 4 * 4 + int((low / binade - 1) * 4)
        form = {"fixed": (rounded(function(middle - shift), 36),), "precision": 24} if single else {}
        row = fit(lambda h, middle=middle: function(middle + h - shift), -half, half, degree, relative=True, **form)
        span = [half * i / 100 for i in range(-100, 101)]
        rows[index] = row
        errors[index] = max(abs(evaluate(row, h) / function(middle + h - shift) - 1) for h in span)
        low += binade / 4
    return rows, errors


def erf_over_x(square):
    """erf(x)/x as a function of the square of x, which is not zero."""
    x = mp.sqrt(square)
    return mp.erf(x) / x


def constants() -> tuple[dict, dict, dict]:
    """All constants by their name in the module, the errors of the polynomials, and comments."""
    centres, rows, errors = erf_rows(ERF_DEGREE)
    _, fast_phase_rows, fast_phase_errors = erf_rows(FAST_PHASE_DEGREE)
    tail, tail_errors = tail_rows(scaled_erfc, ERFC_SHIFT, ERFC_DEGREE)
    near = fit(erf_over_x, 0, 1, 6, relative=True, precision=24)
    far = fit(lambda x: mp.log(mp.erfc(x), 2), 1, 4, 6, weight=lambda x: mp.erfc(x), precision=24)
    far_error = [abs(mp.power(2, evaluate(far, x)) - mp.erfc(x)) for x in [1 + mpf(3) * i / 400 for i in range(401)]]
    over, under, rational_error = fit_rational(scaled_erfc, mpf("10.3"), 6, 7, mpf("1.4"))
    fast_over, fast_under, fast_error = fit_rational(scaled_erfc, mpf("10.3"), 4, 5, mpf("1.4"))
    return (
        {
            "CENTRES": tuple(exactly(c) for c in centres),
            "ERF": columns(rows),
            "ERF_FAST_PHASE": columns(fast_phase_rows),
            "ERFC_SHIFT": exactly(ERFC_SHIFT),
            "ERFC": columns(tail),
            "ERFC_NUMERATOR": tuple(exactly(c) for c in over),
            "ERFC_DENOMINATOR": tuple(exactly(c) for c in under),
            "ERFC_FAST_MODE_NUMERATOR": tuple(exactly(c) for c in fast_over),
            "ERFC_FAST_MODE_DENOMINATOR": tuple(exactly(c) for c in fast_under),
            "ERF_FAST_MODE_NEAR": tuple(exactly(c) for c in near),
            "ERF_FAST_MODE_FAR": tuple(exactly(c) for c in far),
        },
        {
            "relative error of ERFC_NUMERATOR / ERFC_DENOMINATOR": rational_error,
            "the same of fast mode": fast_error,
            "relative error of ERF_FAST_MODE_NEAR": relative_error(erf_over_x, near, mpf(2) ** -80, 1),
            "error of erf with ERF_FAST_MODE_FAR": max(far_error),
            "relative error of ERF": errors,
            "relative error of ERF_FAST_PHASE": fast_phase_errors,
            "relative error of ERFC": tail_errors,
        },
        {
            "CENTRES": (
                "erf on [0, 4): sixteen intervals around CENTRES, one table for each power of the distance from the centre. "
                "The "
                "centres are multiples of 33/128, moved a little so that the constant terms are good to 2**-64. The first "
                "polynomial "
                "is odd."
            ),
            "ERF_FAST_PHASE": "The same, of lower degree: to 2**-38.",
            "ERFC_SHIFT": (
                "e**(x*x) * erfc(x) on [0, 11.25): one table for each power of the distance from the middle of a quarter of a "
                "binade "
                "of x + ERFC_SHIFT. Errors below 2**-52.4."
            ),
            "ERFC_NUMERATOR": "The same function as a quotient, to 2**-39.7 and, for fast mode, 2**-27.3.",
            "ERF_FAST_MODE_NEAR": "Fast mode, float32: erf(x) = x * NEAR(x**2) below 1, 1 - 2**FAR(x) above.",
        },
    )


if __name__ == "__main__":
    raise SystemExit(report("erf", "Constants of erf and erfc.", *constants()))
