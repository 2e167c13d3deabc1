"""Proves the error bounds of the float64 fast phases of erf, erfc and gelu.

The polynomials: the kernels' own lane functions run on enclosures (error_bounds.py), for every row of their tables, and what a
polynomial is off its function is bounded by the Taylor series of both in terms of Chebyshev's polynomials. What follows is
short and done by hand: :func:`product` says how. tools/derive_binary64_error_function.py writes the results into
exactops/numerics/binary64/tables/error_function_errors.py.

A bound has up to three parts, each of which the kernel multiplies by what it has at hand: one beside the result; one beside
``beyond``, the part of the polynomial with the square of the reduced argument, which is the largest that is rounded at every
step; one beside the low part of the argument of the exponential, for the same reason.
"""

from __future__ import annotations

import math
from fractions import Fraction

from binary64_exponential_bounds import CUT, UNIT, above, exp_pair
from derive_binary64_error_function import (
    CELLS,
    DEGREE,
    ERF_CELLS,
    ERF_DEGREE,
    ERF_LAST,
    SERIES,
    economized,
    series_of_erf,
    series_of_v,
    series_of_w,
)
from error_bounds import Value, constant, pieces, rational, substituted
from mpmath import binomial, mp, mpf

mp.prec = 500

#: How often the polynomial's kernel rounds ``beyond``, or a number that is its main part: a2 itself, the square, the sum of
#: a2 and its neighbours, their product, and the last sum; and one more for what the parts of a cell lose.
ROUNDINGS = 6
#: Parts of a cell.
PARTS = 20


def distance_of(polynomial: list[Fraction], series: list, reach: Fraction) -> Fraction:
    """How far a polynomial in h, ``|h| <= reach``, is from a function: the sum of the Chebyshev coefficients of the difference.

    What the series leaves out, the caller adds.
    """
    known = [mpf(each.numerator) / each.denominator for each in polynomial]
    known += [mpf(0)] * (len(series) - len(known))
    difference = [a - b for a, b in zip(known, series, strict=True)]
    return rational(economized(difference, mpf(reach.numerator) / reach.denominator, -1)[1]) + Fraction(1, 2**400)


def cell_bounds(function, table, number: int, series: list, degree: int, parts: list, remainder: Fraction) -> Fraction:
    """The error of a cell's pair beside its first part, less ROUNDINGS times UNIT of ``beyond``."""
    row = table.rows[number].tolist()
    reach = max(abs(edge) for part in parts for edge in part)
    # The rounding of a2 counts as one of ``beyond``.
    a2 = economized(series, mpf(reach.numerator) / reach.denominator, degree)[0][2]
    polynomial = [Fraction(row[0]) + Fraction(row[1]), Fraction(row[2]) + Fraction(row[3]), rational(a2)]
    polynomial += map(Fraction, row[5:])
    wrong = distance_of(polynomial, series, reach) + remainder
    entries = (*(constant(each) for each in row[:4]), constant(row[4], a2), *(constant(each) for each in row[5:]))
    worst = Fraction(0)
    for low, high in parts:
        with substituted(function, lookup_rows=lambda table, index, entries=entries: entries):
            total, rest, beyond = function(Value.known(low, high), None)
        error = total.error + rest.error + wrong - ROUNDINGS * UNIT * beyond.least
        worst = max(worst, error / total.least)
    return worst


def erf_bound() -> Fraction:
    """Of ``erf_parts``, beside erf.

    The sum with the shift rounds to the nearest multiple of 1/64, so that h is at most 1/128, and exact: a multiple of the last
    bit of a size that is itself at least half as large. The coefficients of the series about any centre are below 1, since on
    the circle of radius 1 the derivative is below e * 2/sqrt(pi); so what it leaves out is below 2**-170. In the cell of 0,
    which is odd, the part below 2**-32 is done by hand: ``slope * top`` is exact, other terms are at most 2 * CUT beside it.
    """
    from exactops.numerics.binary64 import error_function as core

    reach = Fraction(1, 2 * ERF_CELLS)
    remainder = Fraction(1, 2**170)
    found = Fraction(0)
    for number in range(1, ERF_LAST + 1):
        series = series_of_erf(mpf(number) / ERF_CELLS)
        parts = pieces(-reach, reach, PARTS)
        found = max(found, cell_bounds(core.erf_reduced, core.ERF, number, series, ERF_DEGREE, parts, remainder))
    # The cell of 0: the difference divided by h is a polynomial in h**2.
    row = core.ERF.rows[0].tolist()
    odd = [mpf(row[2]) + mpf(row[3]), *(mpf(each) for each in row[5::2])]
    assert not any((row[0], row[1], *row[4::2]))
    about_zero = series_of_erf(mpf(0))[1::2]
    odd += [mpf(0)] * (len(about_zero) - len(odd))
    half = mpf(reach.numerator) ** 2 / reach.denominator**2 / 2
    difference = [a - b for a, b in zip(odd, about_zero, strict=True)]
    shifted = [
        sum(c * binomial(n, k) * half ** (n - k) for n, c in enumerate(difference) if n >= k) for k in range(len(difference))
    ]
    wrong = (rational(economized(shifted, half, -1)[1]) + remainder) / Fraction(row[2]) * (1 + reach)
    entries = tuple(constant(each) for each in row)
    found = max(found, wrong + UNIT * 12 * CUT)
    for low, high in pieces(Fraction(1, 2**32), reach, 4, 25):
        with substituted(core.erf_reduced, lookup_rows=lambda table, index: entries):
            total, rest, beyond = core.erf_reduced(Value.known(low, high), None)
        error = total.error + rest.error - ROUNDINGS * UNIT * beyond.least
        found = max(found, wrong + error / total.least)
    return found


def factor_bound(name: str, largest: int) -> Fraction:
    """Of ``erfc_factor`` or ``gelu_factor``, beside the factor, for sizes up to ``largest``.

    Rounding 1 + size moves the borders of cells by less than 2**-40 of their width; ``size - c`` is exact (error_function.py
    says so for the border where it might not be). On the circle of radius (1 + c)/2 about c both functions are below 4: w is at
    most 1 where the real part is not negative, and w(z) = 2 * e**(z**2) - w(-z). So the coefficients of the series times the
    powers of h are below 4 / 64**n.
    """
    from exactops.numerics.binary64 import error_function as core

    function, table, series_of = {
        "erfc": (core.erfc_factor_reduced, core.ERFC, series_of_w),
        "gelu": (core.gelu_factor_reduced, core.GELU, series_of_v),
    }[name]
    found = Fraction(0)
    number = 0
    remainder = Fraction(8, 62**SERIES)
    while True:
        binade, place = divmod(number, CELLS)
        centre = (1 + Fraction(place, CELLS)) * 2**binade - 1
        reach = Fraction(2) ** binade / (2 * CELLS) * (1 + Fraction(1, 2**40))
        if centre - reach > largest:
            return found
        series = series_of(mpf(centre.numerator) / centre.denominator)
        parts = pieces(-reach, reach, PARTS)
        place_in_table = (number + 7 * CELLS) % (8 * CELLS)
        found = max(found, cell_bounds(function, table, place_in_table, series, DEGREE, parts, remainder))
        number += 1


def product(last: int, least: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """What the kernels' steps after both factors add: beside the result, beside ``beyond``, beside the argument's low part.

    Let everything be beside the product of both factors, P and F; p be the low part of P, f that of F. p is at most the low
    part of the argument, ``low``, and ``least`` from the reduced argument; f at most ``beyond`` and 2**-30 (see taylor_pair:
    half an ulp, a rest of h of 26 bits, and slope_low).
    - Head times head is exact, and what a head leaves is. Adding p or f to that rounds by UNIT times CUT + p or f; the sum of
      both parts of P by UNIT; each of both products by UNIT times its size; their sum, and what follows, by UNIT times
      2 * CUT + p + f. All factors are within 2**-6 of 1 beside what they stand for.
    - ``last`` counts what follows the sum: erfc the complement's sum and the test's; gelu the complement's sum, the sum with
      the rest of the head, the product with x, the sum with the other product and the test's. In gelu a further head of 26 bits
      leaves at most CUT.
    So p counts 1 + 1 + 1 + last, f 1 + 2 + 1 + last, and CUT 2 + 3 + 2 + 2 * last and as much again for gelu.
    """
    slack = 1 + Fraction(1, 2**6)
    fixed = (7 + 4 * last) * CUT + (3 + last) * least + (4 + last) * Fraction(1, 2**30)
    return UNIT * fixed * slack + Fraction(1, 2**95), UNIT * (4 + last) * slack, UNIT * (3 + last) * slack


def bounds() -> dict[str, tuple[float, str]]:
    """The constants of the module ``error_function_errors``, with what they are.

    The exponential with the low part ``low`` of its argument: each rounding is at most twice what it is without, and UNIT times
    ``low``; six steps take it in. ``low`` itself is a rounded product with a rounded sum. Scaled results are not subnormal;
    what is lost where low parts are, is below 2**-95 of the result. The bounds allow for being computed in doubles, and
    for ``high`` as their factor, which is within 2 * CUT and ``beyond`` of the result.
    """
    found: dict[str, tuple[float, str]] = {}
    allowed = 1 + Fraction(1, 2**6)
    found["ERF_ERROR"] = above(erf_bound() * allowed + 3 * UNIT * CUT), "erf: beside the result,"
    found["ERF_BEYOND_ERROR"] = above((ROUNDINGS + 1) * UNIT), "and beside the part with the square of the reduced argument."
    _, relative, least = exp_pair()
    for name, last, largest in (("erfc", 2, 26), ("gelu", 5, 30)):
        fixed, per_beyond, per_low = product(last, least)
        capital = name.upper()
        found[f"{capital}_ERROR"] = (
            above((factor_bound(name, largest) + 2 * relative + fixed) * allowed),
            f"{name}: beside the result,",
        )
        found[f"{capital}_BEYOND_ERROR"] = (
            above((ROUNDINGS * UNIT + per_beyond) * allowed),
            "beside the part with the square of the reduced argument,",
        )
        found[f"{capital}_ARGUMENT_ERROR"] = (
            above((8 * UNIT + per_low) * allowed),
            "and beside the low part of the exponential's argument.",
        )
    # 2 - high leaves up to UNIT, which two sums with a low part round: that is not small beside a small erfc(|x|).
    found["ERFC_COMPLEMENT_ERROR"] = (
        above(3 * UNIT**2),
        "erfc of negative x: beside the result, for 2 less that of its magnitude.",
    )
    return found


if __name__ == "__main__":
    for name, (value, about) in bounds().items():
        print(f"{name} = 2**{math.log2(value):.2f}  {about}")
