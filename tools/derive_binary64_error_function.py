"""Derive every constant of the float64 erf, erfc and gelu. ``--check`` compares, ``--write`` writes them.

The modules are ``error_function`` and ``error_function_errors`` in exactops/numerics/binary64/tables.

erf, fast phase: a polynomial of degree 7 in h about each centre c, a multiple of 1/64: ``|h| <= 1/128``. The cell of zero is
odd, so that it is good relative to the result. erfc and gelu: ``erfc(x) = e**(-x**2) * w(x)`` and
``Phi(-x) = e**(-x**2/2) * v(x)`` for x that is not negative, w and v by polynomials of degree 8 about centres for which
``1 + c`` is ``1 + x`` rounded to six bits behind the first. In each row the first two coefficients are pairs, the head of
the second with 27 bits. The polynomials are Taylor's, cut off in terms of Chebyshev's polynomials: nearly minimax.

Accurate phase: the Taylor series of w about multiples of 1/8, whose coefficients follow from w(c) by a recurrence, and that of
erf(x)/x about zero, in fixed point with 192 bits.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mpmath
from derive_binary64_exponential import Module as ExponentialModule
from derive_binary64_exponential import carry_out, fixed, lines
from minimax import exactly, rounded, to_double
from mpmath import mp, mpf

mp.prec = 500

FOLDER = Path(__file__).resolve().parent.parent / "exactops" / "numerics" / "binary64" / "tables"

#: Terms of the Taylor series that a cell's polynomial is cut from.
SERIES = 25
#: Cells of erf a unit, the last centre times that, and the degree.
ERF_CELLS, ERF_LAST, ERF_DEGREE = 64, 380, 7
#: Cells of w and v a binade of 1 + x, how many cells, and the degree.
CELLS, ERFC_COUNT, GELU_COUNT, DEGREE = 64, 320, 340, 8
#: Centres of the accurate phase a unit, and the last one, times that.
WIDE_CELLS, WIDE_LAST = 8, 222
#: Terms of the accurate phase: of w about a centre, and of erf(x)/x, for x up to 1/2.
WIDE_TERMS, WIDE_ERF_TERMS = 36, 36

RELATIVE = """

def relative(row):
    \"""A row as a head of 24 bits and the coefficients of the polynomial divided by it, less 1.\"""
    value, value_low, slope, slope_low, *others, _ = row.tolist()
    if not value:
        return (0.0,) * 10
    head = float(np.float32(value))
    return (head, ((value - head) + value_low) / head, (slope + slope_low) / head, *(each / head for each in others))
"""


class Module(ExponentialModule):
    """The text of the module of constants."""

    def __init__(self, about: str, imports: str):
        self.text = f'"""{about} Written by tools/derive_binary64_error_function.py with ``--write``."""\n\n{imports}'

    def rows(self, name: str, rows: list[tuple[float, ...]], order: str = "{0}") -> None:
        """A table of long rows, with an expression for what it is made of them."""
        text = "\n".join(lines(["    " + source_of(row[0])] + [source_of(value) for value in row[1:]]) for row in rows)
        self.text += f'_{name} = tables(\n    """\n{text}    """\n)\n{name} = Table({order.format(f"_{name}")})\n'


def source_of(value: float) -> str:
    """A double in hexadecimal, zero in short."""
    return value.hex() if value else "0.0"


def _chebyshev(count: int) -> list[list[int]]:
    """The coefficients of Chebyshev's polynomials below a degree."""
    found = [[1], [0, 1]]
    while len(found) < count:
        twice = [0, *(2 * c for c in found[-1])]
        found.append([a - b for a, b in zip(twice, found[-2] + [0] * len(twice), strict=False)])
    return found


CHEBYSHEV = _chebyshev(SERIES)


def economized(coefficients: list, reach, degree: int) -> tuple[list, mpf]:
    """The polynomial cut off after a degree in terms of Chebyshev's polynomials of h/reach, and a bound of what is left out."""
    terms = [mpf(0)] * len(coefficients)
    for n, coefficient in enumerate(coefficients):
        scaled = coefficient * reach**n * 2 / mpf(2) ** n
        for k in range(n // 2 + 1):
            terms[n - 2 * k] += scaled * mpmath.binomial(n, k) / (2 if n == 2 * k else 1)
    left = sum(abs(term) for term in terms[degree + 1 :])
    found = [mpf(0)] * (degree + 1)
    for j in range(degree + 1):
        for n, c in enumerate(CHEBYSHEV[j]):
            found[n] += terms[j] * c
    return [c / reach**n for n, c in enumerate(found)], left


def series_of_erf(c) -> list:
    """Taylor coefficients of erf about c: erf'' = -2x erf'."""
    found = [mp.erf(c), 2 / mp.sqrt(mp.pi) * mp.exp(-c * c)]
    for n in range(SERIES - 2):
        found.append(-2 * (c * (n + 1) * found[n + 1] + n * found[n]) / ((n + 2) * (n + 1)))
    return found


def series_of_w(c) -> list:
    """Taylor coefficients of w(x) = e**(x**2) * erfc(x) about c: w' = 2x w - 2/sqrt(pi)."""
    found = [mp.exp(c * c) * mp.erfc(c)]
    found.append(2 * c * found[0] - 2 / mp.sqrt(mp.pi))
    for n in range(1, SERIES - 1):
        found.append(2 * (c * found[n] + found[n - 1]) / (n + 1))
    return found


def series_of_v(c) -> list:
    """Taylor coefficients of v(x) = e**(x**2/2) * Phi(-x) = w(x/sqrt(2))/2 about c: v' = x v - 1/sqrt(2 pi)."""
    found = [mp.exp(c * c / 2) * mp.erfc(c / mp.sqrt(2)) / 2]
    found.append(c * found[0] - 1 / mp.sqrt(2 * mp.pi))
    for n in range(1, SERIES - 1):
        found.append((c * found[n] + found[n - 1]) / (n + 1))
    return found


def row(coefficients: list) -> tuple[float, ...]:
    """A row of a table: two pairs, then single doubles."""
    high = to_double(coefficients[0])
    slope = exactly(rounded(coefficients[1], 27))
    pairs = (high, to_double(coefficients[0] - mpf(high)), slope, to_double(coefficients[1] - mpf(slope)))
    return (*pairs, *(to_double(c) for c in coefficients[2:]))


def erf_rows() -> tuple[list[tuple[float, ...]], mpf]:
    """The cells of erf, and the largest relative error."""
    reach = mpf(1) / (2 * ERF_CELLS)
    # The cell of zero: a polynomial in x**2, cut off in terms of Chebyshev's polynomials of 2 * x**2 / reach**2 - 1.
    about_zero = series_of_erf(mpf(0))[1::2]
    half = reach**2 / 2
    shifted = [
        sum(c * mpmath.binomial(n, k) * half ** (n - k) for n, c in enumerate(about_zero) if n >= k)
        for k in range(len(about_zero))
    ]
    found, left = economized(shifted, half, ERF_DEGREE // 2)
    odd = [
        sum(c * mpmath.binomial(n, k) * (-half) ** (n - k) for n, c in enumerate(found) if n >= k) for k in range(len(found))
    ]
    rows = [row([c for each in odd for c in (mpf(0), each)])]
    worst = left / mp.erf(reach) * reach
    for j in range(1, ERF_LAST + 1):
        series = series_of_erf(mpf(j) / ERF_CELLS)
        found, left = economized(series, reach, ERF_DEGREE)
        worst = max(worst, left / mp.erf(mpf(j) / ERF_CELLS - reach))
        rows.append(row(found))
    return rows, worst


def cell_rows(series, count: int) -> tuple[list[tuple[float, ...]], mpf]:
    """The cells of w or v in the order of 1 + c, and the largest relative error."""
    rows, worst = [], mpf(0)
    for j in range(count):
        binade, place = divmod(j, CELLS)
        centre = (1 + mpf(place) / CELLS) * 2**binade - 1
        reach = mpf(2) ** binade / (2 * CELLS)
        coefficients = series(centre)
        found, left = economized(coefficients, reach, DEGREE)
        # w falls by less than one part in 64 from the centre to the end of the cell.
        worst = max(worst, left / coefficients[0] * (1 + mpf(1) / 32))
        rows.append((*row(found), 0.0))
    return rows, worst


def error_function(notes: dict) -> str:
    """The text of the module."""
    module = Module(
        "Constants of the float64 erf, erfc and gelu.",
        "import numpy as np\n\nfrom exactops.lanes import Table, Wide, WideTable\n"
        "from exactops.numerics.constants import integers, tables\n" + RELATIVE + "\n\n",
    )
    rows, notes["relative error of the polynomials of erf"] = erf_rows()
    missing = 512 - len(rows)
    module.comment(
        f"Row j: erf about c = j/{ERF_CELLS} by powers of x - c: two pairs, the second's head of 27 bits; then doubles."
    )
    module.rows("ERF", rows, f"{{0}} + ((0.0,) * {len(rows[0])},) * {missing}")
    module.comment("Fast mode: the same as doubles.")
    module.text += "ERF_FAST_MODE = Table([(row[0] + row[1], row[2] + row[3], *row[4:]) for row in ERF.rows])\n"
    for name, about, series, count in (
        ("ERFC", "e**(x**2) * erfc(x)", series_of_w, ERFC_COUNT),
        ("GELU", "e**(x**2/2) * Phi(-x)", series_of_v, GELU_COUNT),
    ):
        rows, notes[f"relative error of the polynomials of {name.lower()}"] = cell_rows(series, count)
        module.comment(f"Row of c: {about} about c by powers of x - c, in the same form; one entry is free.")
        if name == "ERFC":
            module.comment(
                "The binades of 1 + c follow one another by the last three bits of their exponent field, [1, 2) is the last."
            )
        order = f"{{0}}[{CELLS}:] + ((0.0,) * {DEGREE + 4},) * {8 * CELLS - count} + {{0}}[:{CELLS}]"
        module.rows(name, rows, order)
        module.comment("Fast mode: a head of 24 bits, and the polynomial divided by it, less 1.")
        module.text += f"{name}_FAST_MODE = Table([relative(row) for row in {name}.rows])\n"
    module.comment("Accurate phase, in units of 2**-192. e**(c**2) * erfc(c) for multiples c of 1/8.")
    centres = [mpf(j) / WIDE_CELLS for j in range(WIDE_LAST + 1)]
    module.wide_table("WIDE_CENTRES", [fixed(mp.exp(c * c) * mp.erfc(c)) for c in centres])
    module.comment("From four terms of Taylor's series to the next: (4k + 3)! / (4k + 7)!.")
    blocks = range(WIDE_TERMS // 4)
    module.wide_table("WIDE_BLOCKS", [fixed(mpmath.factorial(4 * k + 3) / mpmath.factorial(4 * k + 7)) for k in blocks])
    module.comment("erf(x) / x as a series in x**2.")
    factor = 2 / mp.sqrt(mp.pi)
    module.wide_table(
        "WIDE_ERF", [fixed(factor * (-1) ** n / (mpmath.factorial(n) * (2 * n + 1))) for n in range(WIDE_ERF_TERMS)]
    )
    module.comment("2/sqrt(pi), 1/sqrt(2), 1/sqrt(2 pi).")
    module.wide("WIDE_SLOPE", fixed(factor))
    module.wide("WIDE_ROOT_HALF", fixed(mp.sqrt(mpf(1) / 2)))
    module.wide("WIDE_DENSITY", fixed(1 / mp.sqrt(2 * mp.pi)))
    return module.text


def error_function_errors(notes: dict) -> str:
    """The bounds of the fast phases, by the modules of constants and kernels as they are on disk."""
    sys.path.insert(0, str(FOLDER.parents[3]))
    from binary64_error_function_bounds import bounds

    module = Module("Proven error bounds of float64 fast phases.", "")
    for name, (value, about) in bounds().items():
        module.comment(about)
        module.constant(name, value)
        notes[name] = value
    return module.text


def main() -> int:
    """Derive, then print, compare or write."""
    return carry_out(error_function, error_function_errors)


if __name__ == "__main__":
    raise SystemExit(main())
