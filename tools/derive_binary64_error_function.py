"""Derive every constant of the float64 error function and its family. ``--check`` compares, ``--write`` writes them.

The module is ``error_function`` in exactops/numerics/binary64/tables.

Fast phase: ``f(c + h) = a0 + a1 * h + h**2 * (a2 + ... + a7 * h**5)`` about the nearest centre c, which is a multiple of 1/128
for erf and of 1/64 for the normal distribution; a0 and a1 are pairs, the head of a1 has 27 bits. Far out, erfc is
``e**(-x**2) * w(x)``, where ``w(x) = e**(x**2) * erfc(x)`` has 64 centres a binade. The polynomials are Taylor series about
the centres, shortened with Chebyshev polynomials. Accurate phase: Taylor series of w about the multiples of 1/16, by the
recurrence of its coefficients that follows from ``w' = 2 * x * w - 2 / sqrt(pi)``, and that of erf about 0.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mpmath
from derive_binary64_exponential import Module, fixed, lines
from minimax import exactly, log2_of, rounded, to_double
from mpmath import mp, mpf

mp.prec = 400

PLACE = Path(__file__).resolve().parent.parent / "exactops" / "numerics" / "binary64" / "tables" / "error_function.py"

#: Centres a unit and the end of the table of erf: from there on the result is 1.
ERF_CENTRES, ERF_END = 128, mpf("5.93")
#: The same for the normal distribution.
NORMAL_CENTRES, NORMAL_ROWS = 64, 512
#: Centres a binade of w, the first one in units, and the last argument.
SCALED_CENTRES, SCALED_ROWS, SCALED_END = 64, 512, 28
#: How far u = c*h reaches in fast mode.
FAST_MODE_REACH = mpf(1) / 80
#: Terms of the Taylor series that are shortened.
TERMS = 24
#: The accurate phase: centres a unit, their number, terms of the series of erf.
WIDE_CENTRES, WIDE_ROWS, WIDE_ERF_TERMS = 16, 465, 33


def erf_series(c):
    """Taylor coefficients of erf about c."""
    slopes = [2 / mp.sqrt(mp.pi) * mp.exp(-c * c)]
    slopes.append(-2 * c * slopes[0])
    for n in range(1, TERMS):
        slopes.append((-2 * c * slopes[n] - 2 * slopes[n - 1]) / (n + 1))
    return [mp.erf(c)] + [slope / (n + 1) for n, slope in enumerate(slopes[:TERMS])]


def normal_series(c):
    """Taylor coefficients of the normal distribution function less 1/2 about c."""
    root = mp.sqrt(2)
    return [each / 2 / root**n for n, each in enumerate(erf_series(c / root))]


def scaled(x):
    """w(x) = e**(x**2) * erfc(x)."""
    return mp.exp(x * x) * mp.erfc(x)


def scaled_series(c):
    """Taylor coefficients of w about c; forwards, which loses some e**(2*c*h): the precision has room for it."""
    found = [scaled(c)]
    found.append(2 * c * found[0] - 2 / mp.sqrt(mp.pi))
    for n in range(1, TERMS):
        found.append((2 * c * found[n] + 2 * found[n - 1]) / (n + 1))
    return found


def chebyshev(n: int) -> list[int]:
    """Coefficients of the Chebyshev polynomial of degree n."""
    before, now = [1], [0, 1]
    if n == 0:
        return before
    for _ in range(n - 1):
        following = [0] + [2 * each for each in now]
        for power, each in enumerate(before):
            following[power] -= each
        before, now = now, following
    return now


_CHEBYSHEV = [chebyshev(n) for n in range(TERMS + 1)]


def shortened(series: list, reach, degree: int) -> tuple[list, mpf]:
    """The polynomial of a lower degree near a series for ``|h| <= reach``, and a bound of what that changes."""
    left = [each * reach**n for n, each in enumerate(series)]
    change = mpf(0)
    for n in range(len(left) - 1, degree, -1):
        factor = left[n] / mpf(2) ** (n - 1)
        change += abs(factor)
        for power, each in enumerate(_CHEBYSHEV[n]):
            left[power] -= factor * each
    return [each / reach**n for n, each in enumerate(left[: degree + 1])], change


def row(series: list, reach, columns: int) -> tuple[tuple[float, ...], mpf]:
    """A row of the fast phase's table, and the error of its polynomial on ``|h| <= reach`` but for its rounding."""
    head, slope = to_double(series[0]), exactly(rounded(series[1], 27))
    rest, change = shortened(series[2:], reach, columns - 5)
    entries = (head, to_double(series[0] - head), slope, to_double(series[1] - slope), *(to_double(each) for each in rest))
    return entries, change * reach**2


def table_lines(module: Module, name: str, table: list[tuple[float, ...]], length: int) -> None:
    """A table of rows that are longer than a line, filled up with zeros."""
    columns = len(table[0])
    text = lines([f"    {'0.0' if each == 0 else each.hex()}" for row in table for each in row])
    more = f" + [(0.0,) * {columns}] * {length - len(table)}" if length > len(table) else ""
    module.text += f'{name} = Table(\n    rows_of(\n        {columns},\n        """\n{text}    """,\n    ){more}\n)\n'


def integral(notes: dict) -> tuple:
    """The coefficients of fast mode's integral: in t/h it is the sum of (-2*u)**m / m! * (-v)**n / n! / (m + 2*n + 1).

    Polynomials in u shortened; what v**3 gives where c is 0 goes to the constant of v**2, where it is least.
    """
    parts = []
    for n, degree in enumerate((6, 4, 2)):
        series = [
            mpf(-2) ** m / mpmath.factorial(m) * (-1) ** n / mpmath.factorial(n) / (m + 2 * n + 1) for m in range(degree + 4)
        ]
        rest, change = shortened(series[1:], FAST_MODE_REACH, degree - 1)
        series = [series[0], *rest]  # exact where c is 0
        notes[f"fast mode, change of the coefficient of v**{n}, over u"] = change
        parts.append(series)
    parts[2][0] -= mpf("0.9") / 42 / (4 * ERF_CENTRES**2)
    first, third, fifth = (tuple(to_double(each) for each in part) for part in parts)
    return first[1:], third, fifth


def derive(notes: dict) -> str:
    """The text of the module."""
    module = Module("Constants of the float64 error function.", "", "tools/derive_binary64_error_function.py")
    module.text = module.text.rstrip() + (
        "\n\nfrom exactops.lanes import Table, Wide, WideTable\n"
        "from exactops.numerics.constants import doubles, integers, rows_of\n"
    )
    worst = mpf(0)
    table = []
    reach = mpf(1) / ERF_CENTRES / 2
    for j in range(int(ERF_END * ERF_CENTRES) + 2):
        entries, change = row(erf_series(mpf(j) / ERF_CENTRES), reach, 10)
        worst = max(worst, change / max(entries[0], reach))
        table.append(entries)
    notes["error of the polynomials of ERF, relative"] = worst
    module.comment(f"Row j, about c = j/{ERF_CENTRES}: erf(c + h) = (a0 + b0) + (a1 + b1) * h + h**2 * (a2 + ... + a7 * h**5).")
    module.comment("The columns are a0 b0 a1 b1 a2 ... a7; a1 has 27 bits.")
    table_lines(module, "ERF", table, 1024)
    worst = mpf(0)
    table = []
    reach = mpf(1) / NORMAL_CENTRES / 2
    for j in range(NORMAL_ROWS):
        entries, change = row(normal_series(mpf(j) / NORMAL_CENTRES), reach, 10)
        worst = max(worst, change)
        table.append(entries)
    notes["error of the polynomials of NORMAL"] = worst
    module.comment(f"The same for the normal distribution function less 1/2, about multiples of 1/{NORMAL_CENTRES}.")
    table_lines(module, "NORMAL", table, NORMAL_ROWS)
    worst = mpf(0)
    table = []
    c = mpf(1)
    while c <= SCALED_END:
        spacing = mpf(2) ** mp.floor(mp.log(c, 2)) / SCALED_CENTRES
        entries, change = row(scaled_series(c), spacing / 2, 12)
        worst = max(worst, change / entries[0])
        table.append(entries)
        c += spacing
    notes["error of the polynomials of SCALED, relative"] = worst
    module.comment("The same for w(x) = e**(x**2) * erfc(x) from 1 on, to a9, about x rounded to 7 bits.")
    table_lines(module, "SCALED", table, SCALED_ROWS)
    root = mp.sqrt(mpf(1) / 2)
    head = rounded(root, 26)
    module.comment("sqrt(1/2): a head of 26 bits and the rest; in units of 2**-192.")
    module.constant("ROOT_HALF_HIGH", exactly(head))
    module.constant("ROOT_HALF_LOW", to_double(root - head))
    module.wide("WIDE_ROOT_HALF", fixed(root))
    module.comment(f"Accurate phase, in units of 2**-192: w(j/{WIDE_CENTRES}), 2/sqrt(pi), 1/(8*n + 7)!, erf(x)/x as a series in x**2.")
    module.wide_table("WIDE_SCALED", [fixed(scaled(mpf(j) / WIDE_CENTRES)) for j in range(WIDE_ROWS)])
    module.wide("WIDE_SLOPE", fixed(2 / mp.sqrt(mp.pi)))
    module.wide_table("WIDE_RECIPROCALS", [fixed(1 / mpmath.factorial(8 * n + 7)) for n in range(4)])
    series = [2 / mp.sqrt(mp.pi) * (-1) ** n / mpmath.factorial(n) / (2 * n + 1) for n in range(WIDE_ERF_TERMS)]
    module.wide_table("WIDE_ERF", [fixed(each) for each in series])
    first, third, fifth = integral(notes)
    module.comment("Fast mode: the integral from 0 to h of e**(-2*c*t - t**2), with u = c*h and v = h**2, is")
    module.comment("h * (1 + u * FAST_MODE_FIRST(u) + v * FAST_MODE_THIRD(u) + v**2 * FAST_MODE_FIFTH(u)).")
    module.constant("FAST_MODE_FIRST", first)
    module.constant("FAST_MODE_THIRD", third)
    module.constant("FAST_MODE_FIFTH", fifth)
    module.comment("Value and derivative at the centres, of erfc and of the upper tail of the normal distribution too.")
    module.text += (
        "FAST_MODE_ERF = Table([(row[0], row[2] + row[3]) for row in ERF.rows])\n"
        "FAST_MODE_ERFC = Table([((1.0 - row[0]) - row[1], row[2] + row[3]) for row in ERF.rows])\n"
        "FAST_MODE_NORMAL = Table([((0.5 - row[0]) - row[1], row[2] + row[3]) for row in NORMAL.rows])\n"
    )
    return module.text


def main() -> int:
    """Derive, then print, compare or write."""
    notes: dict = {}
    text = derive(notes)
    differs = False
    if "--write" in sys.argv:
        PLACE.write_text(text)
    elif "--check" in sys.argv:
        differs = PLACE.read_text() != text
        print("binary64.tables.error_function:", "differs from the derivation" if differs else "as derived")
    else:
        print(text)
    for what, note in notes.items():
        print(f"# {what}: {log2_of(note)}")
    return differs


if __name__ == "__main__":
    raise SystemExit(main())
