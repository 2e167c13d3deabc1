"""Derives every constant of exactops/numerics/binary64/tables/logarithm.py from mathematics.

``--check`` compares, ``--write`` writes them; ``--prove`` lets tools/error_bounds.py look at all cells, ``--check`` at some.

Fast phase. x = m * 2**k with m in [0.6875, 1.375), in 256 cells by the leading bits of m. The reciprocal of a cell has at most
10 bits, so that its product with a head of m of 24 bits is exact and so is zh = mh * c - 1, a multiple of 2**-33 below 2**-7:
its square is exact, too. -log(c) = T + T_low and log(2) = LN2_HIGH + LN2_LOW with T and LN2_HIGH multiples of 2**-42, so that
k * LN2_HIGH + T + zh is exact. The last 12 bits of T are zero: c stands there, and a row is one load. The two cells beside 1
have c = 1 and T = 0: nothing cancels there.

Fast mode: the 16 intervals and the search of tools/derive_log.py, so that one double holds the logarithm of a reciprocal.

Accurate phase: the same reduction with 64 cells and reciprocals of at most 8 bits, logarithms of 240 fractional bits.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import NamedTuple

import mpmath
import numpy as np
from derive_log import FIRST as FIRST_SINGLE
from derive_log import table as clean_table
from minimax import evaluate, largest_error, log2_of, on_grid, remez, source, to_double
from mpmath import mp, mpf

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

FIRST = 0x3FE6000000000000
ROWS = 256
GRID = -42
#: Half an ulp of 1: what a rounding to nearest errs by at most, relatively.
UNIT = mpf(2) ** -53
WIDE_ROWS = 64
WIDE_FRACTION = 240
WIDE_TERMS = 32


def number(pattern: int) -> mpf:
    """The double of this bit pattern, in [1/2, 2)."""
    exponent = (pattern >> 52) - 1023
    return mpmath.ldexp(mpf((1 << 52) + (pattern & ((1 << 52) - 1))), exponent - 52)


def cells(count: int, grid: int) -> list[tuple[mpf, mpf, mpf]]:
    """Both ends of each cell, and its reciprocal: a multiple of ``2**grid``, or 1 beside 1."""
    width = (1 << 52) // count
    found = []
    for index in range(count):
        low, high = number(FIRST + index * width), number(FIRST + (index + 1) * width)
        found.append((low, high, mpf(1) if 1 in (low, high) else mpf(on_grid(2 / (low + high), grid))))
    return found


def reach(rows: list[tuple[mpf, mpf, mpf]]) -> tuple[mpf, mpf]:
    """The least and the largest ``m * c - 1``."""
    return min(low * c - 1 for low, _, c in rows), max(high * c - 1 for _, high, c in rows)


def cubic(z):
    """(log(1 + z) - z + z**2 / 2) / z**3."""
    return (mpmath.log1p(z) - z + z * z / 2) / z**3 if abs(z) > mpf(10) ** -25 else mpf(1) / 3


def quadratic(z):
    """(log(1 + z) - z) / z**2."""
    return (mpmath.log1p(z) - z) / z**2 if abs(z) > mpf(10) ** -25 else -mpf(1) / 2


# --- error bounds -------------------------------------------------------------------------------------------------------


class Bounded(NamedTuple):
    """A double of a computation: a bound of its magnitude, and one of its distance from the number it stands for."""

    magnitude: mpf
    error: mpf = mpf(0)


def add(x: Bounded, y: Bounded) -> Bounded:
    """A sum or a difference, rounded."""
    magnitude = (x.magnitude + y.magnitude) * (1 + UNIT)
    return Bounded(magnitude, x.error + y.error + UNIT * magnitude)


def multiply(x: Bounded, y: Bounded) -> Bounded:
    """A product, rounded."""
    magnitude = x.magnitude * y.magnitude * (1 + UNIT)
    carried = x.magnitude * y.error + (y.magnitude + y.error) * x.error
    return Bounded(magnitude, carried + UNIT * magnitude)


def approximation_error(coefficients: list[float], least, largest) -> mpf:
    """A bound of ``|polynomial - cubic|`` on the whole interval: on a grid, and what a Lipschitz constant adds between."""
    size = max(abs(least), abs(largest))
    terms = [mpf((-1) ** i) / (i + 3) for i in range(60)]
    difference = [(mpf(coefficients[i]) if i < len(coefficients) else mpf(0)) - t for i, t in enumerate(terms)]
    slope = sum(i * abs(c) * size ** (i - 1) for i, c in enumerate(difference) if i)
    count = 4000
    step = (largest - least) / count
    grid = max(abs(evaluate(difference, least + i * step)) for i in range(count + 1))
    return grid + slope * step / 2 + size**60


def tail_bound(coefficients: list[float], size: mpf, approximation: mpf, rounded_z: bool) -> Bounded:
    """z**3 * TAIL(z), against (log(1 + z) - z + z**2 / 2), for ``|z| <= size``.

    Relative to z**3 no part of it grows as z falls: a bound at the largest z, divided by z**3, holds for all.
    """
    z = Bounded(size, UNIT * size if rounded_z else mpf(0))
    exact = Bounded(size)
    square = multiply(exact, exact)
    terms = [Bounded(abs(mpf(c))) for c in coefficients]
    pairs = [add(multiply(terms[i + 1], exact), terms[i]) for i in (0, 2, 4)]
    value = add(multiply(add(multiply(pairs[2], square), pairs[1]), square), pairs[0])
    value = Bounded(value.magnitude, value.error + approximation + UNIT * size)  # the rounding of z changes C(z) by less
    return multiply(multiply(multiply(z, z), z), value)


def core_bounds(table: list, tail: list[float], approximation: mpf) -> tuple[mpf, mpf, mpf]:
    """``(a, b, c)``: the error of logarithm_core is below a * |tail| + b * |log(x)|, and with the test below c * |log(x)|.

    ``table``: for each cell the ends, c and T_low. zh, its half and square, zl and k * LN2_HIGH + T + zh are exact, and so
    are the errors of the two sums.
    """
    ln2 = mpmath.log(2)
    ln2_low = abs(ln2 - on_grid(ln2, GRID))
    a = b = c = mpf(0)
    for low, high, reciprocal, logarithm_low in table:
        beside_one = reciprocal == 1
        zl = Bounded(mpf(2) ** (-25 if high <= 1 else -24) * reciprocal)
        size = max(abs(low * reciprocal - 1), abs(high * reciprocal - 1))
        zh = Bounded(size + zl.magnitude)
        cube = tail_bound(tail, size, approximation, not beside_one)
        # |log(x)| at least, for an exponent k of magnitude up to twice a power of two, or 0.
        lengths = [(mpf(0), size * (1 - size) if beside_one else min(abs(mpmath.log(low)), abs(mpmath.log(high))))]
        reach = max(abs(mpmath.log(low)), abs(mpmath.log(high)))
        lengths += [(mpf(2) ** (i + 1), mpf(2) ** i * ln2 - reach) for i in range(11)]
        for k, least in lengths:
            product = Bounded(k * ln2_low, 2 * UNIT * k * ln2_low)
            # The low part of the cell's logarithm, its rounding and that of the sum.
            error = product.error + UNIT * (product.magnitude + 2 * abs(logarithm_low))
            rest = Bounded(product.magnitude + abs(logarithm_low), error)
            rest = add(rest, multiply(zl, add(zh, Bounded(zl.magnitude / 2))))
            # The low parts of the two sums are half a unit in the last place of sums that are near the result.
            beside = 2 * UNIT * (k * ln2 + reach + size)
            sums = UNIT * beside + UNIT * (beside + rest.magnitude) + UNIT * (beside + rest.magnitude)
            b = max(b, (rest.error + sums) / least)
            share = (cube.error + 2 * UNIT * cube.magnitude) / (size**3 * (mpf(1) / 3 - size / 4))
            a = max(a, share * (1 + 2 * share))
            test = UNIT * (beside + rest.magnitude + cube.magnitude) * (1 + mpf(2) ** -10)
            c = max(c, (cube.error + 2 * UNIT * cube.magnitude + rest.error + sums + test) / least)
    return a, b, c


def confirm(every: int) -> str:
    """The relative error of logarithm_core with the rounding test, by the kernel's own code on enclosures; every so many cells.

    tools/error_bounds.py sees that the products are exact, which :func:`core_bounds` takes for granted. All cells near 1 are
    tried, there by the magnitude of z.
    """
    import error_bounds

    from exactops.numerics.binary64 import logarithm
    from exactops.numerics.binary64.tables.logarithm import FAST_PHASE_ERROR, ROWS, TAIL

    known, rational = error_bounds.Value.known, error_bounds.rational
    zero, ln2 = known(0, 0, 0), mpmath.log(2)
    ln2_high = on_grid(ln2, GRID)
    constants = {
        "LN2_HIGH": error_bounds.constant(ln2_high),
        "LN2_LOW": error_bounds.constant(to_double(ln2 - ln2_high), ln2 - ln2_high),
        "fast_two_difference": error_bounds.fast_two_difference,
    }
    rows = cells(256, -9)
    approximation = approximation_error(list(TAIL), *reach(rows))
    largest = mpf(0)
    for index in sorted({*range(0, 256, every), *range(152, 170)}):
        low, high, c = rows[index]
        packed, rest = (np.float64(each) for each in ROWS.rows[index])
        table = float(np.uint64(int(packed.view(np.uint64)) >> 12 << 12).view(np.float64))
        entries = (
            [error_bounds.constant(table), error_bounds.constant(float(rest), -mpmath.log(c) - table)] if c != 1 else [zero] * 2
        )
        if c != 1:
            parts = [(low + (high - low) * j / 4, low + (high - low) * (j + 1) / 4) for j in range(4)]
            exponents = [(0, 0), (1, 1), (-1, -1), (2, 3), (-3, -2), (4, 2000), (-2000, -4)]
        else:
            ends = [(high - low) * mpf(2) ** (-octave - 1) * (1 + mpf(j) / 16) for octave in range(15) for j in range(17)]
            parts = [(1 + a, 1 + b) if low == 1 else (1 - b, 1 - a) for a, b in itertools.pairwise(ends) if a < b]
            exponents = [(0, 0)]
        grid = -24 if high <= 1 else -23
        half = rational(2.0 ** (grid - 1))
        for first, last in parts:
            m_high = known(on_grid(first, grid), on_grid(last, grid), grid)
            m_low = known(-half, half, grid - 29)
            for least, most in exponents:
                k = known(least, most, 0)
                with error_bounds.substituted(logarithm.logarithm_core, **constants):
                    total, total_low, _ = logarithm.logarithm_core(k, m_high, m_low, error_bounds.constant(float(c)), *entries)
                error = total.error + total_low.error + rational(UNIT) * total_low.largest * rational(1.001)
                error += rational(approximation) * rational(max(abs(first * c - 1), abs(last * c - 1))) ** 3
                size = min(abs(mpmath.log(m) + each * ln2) for m in (first, last) for each in (least, most))
                largest = max(largest, mpf(error.numerator) / error.denominator / size)
    if largest > FAST_PHASE_ERROR:
        raise ArithmeticError(f"the error may be {log2_of(largest)}")
    return log2_of(largest)


def rounded_up(value: mpf) -> float:
    """A bound with few bits that is not smaller."""
    exponent = int(mpmath.floor(mpmath.log(value, 2))) - 3
    return float(mpmath.ldexp(mpmath.ceil(mpmath.ldexp(value, -exponent)), exponent))


# --- the module ---------------------------------------------------------------------------------------------------------


def fixed(value, fraction: int) -> int:
    """The value as a fixed-point number with so many fractional bits."""
    return int(mpmath.nint(mpmath.ldexp(mpf(value), fraction)))


def quoted(words: list[str], width: int = 118) -> str:
    """Words between triple quotes, as many a line as fit; one a line for a width of 0."""
    found: list[str] = []
    for word in words:
        if found and len(found[-1]) + 1 + len(word) <= width:
            found[-1] += " " + word
        else:
            found.append(word)
    return '        """\n' + "".join(f"    {line}\n" for line in found) + '    """\n'


def wide_table(name: str, entries: list[int]) -> str:
    """The assignment of a table of wide integers."""
    return f"{name} = WideTable(\n    integers(\n" + quoted([f"{each:x}" for each in entries]) + "    )\n)\n"


def fast_phase() -> tuple[list[tuple[float, float]], float, list[float], dict[str, float], dict[str, str]]:
    """The rows, LN2_HIGH, the tail, the proven errors, and notes."""
    rows = cells(ROWS, -9)
    table, proven = [], []
    for start, end, c in rows:
        high = on_grid(-mpmath.log(c), GRID)
        low = to_double(-mpmath.log(c) - high)
        proven.append((start, end, c, mpf(low)))
        packed = int(np.float64(high).view(np.uint64)) | int(mpmath.ldexp(c, 9))
        table.append((float(np.uint64(packed).view(np.float64)), low))
    least, largest = reach(rows)
    coefficients, _ = remez(cubic, 5, least, largest)
    tail = [to_double(c) for c in coefficients]
    approximation = approximation_error(tail, least, largest)
    bounds = core_bounds(proven, tail, approximation)
    notes = {
        "least and largest z": log2_of([least, largest]),
        "error of the polynomial": log2_of(approximation),
        "error beside the tail, beside the logarithm, and of all": log2_of(list(bounds)),
    }
    names = ("TAIL_ERROR", "PAIR_ERROR", "FAST_PHASE_ERROR")
    return table, on_grid(mpmath.log(2), GRID), tail, dict(zip(names, map(rounded_up, bounds), strict=True)), notes


def module() -> tuple[str, dict[str, str]]:
    """The text of the module of constants, and notes on the errors."""
    table, ln2_high, tail, errors, notes = fast_phase()
    wide_rows = cells(WIDE_ROWS, -7)
    reciprocals, logarithms, fast_reach, fast_error = clean_table(mp.e, GRID)
    fast_tail, _ = remez(quadratic, 7, -fast_reach, fast_reach, lambda z: abs(z) + mpf(10) ** -6)
    fast_tail = [to_double(c) for c in fast_tail]
    notes |= {
        "fast mode: largest z, error of the table, of the polynomial times z": log2_of(
            [fast_reach, fast_error, largest_error(quadratic, fast_tail, -fast_reach, fast_reach, abs)]
        ),
        "least and largest z of the accurate phase": log2_of(list(reach(wide_rows))),
        "first term left out there": log2_of(reach(wide_rows)[1] ** WIDE_TERMS / (WIDE_TERMS + 1)),
    }
    text = '"""Constants of the float64 logarithm. Written by tools/derive_binary64_logarithm.py with ``--write``."""\n\n'
    text += "from exactops.lanes import Table, Wide, WideTable\n"
    text += "from exactops.numerics.constants import doubles, integers, rows\n\n"
    text += f"# m runs from the double with the bits FIRST on over {ROWS} cells by its leading bits.\nFIRST = 0x{FIRST:X}\n"
    text += "# A row: the high part of -log(c), with c in its last 12 bits, in units of 2**-9, and the low part.\n"
    text += "ROWS = Table(\n    rows(\n" + quoted([" ".join(value.hex() for value in row) for row in table], 0) + "    )\n)\n"
    text += "# Times an exponent it is exact, and so is the sum with the high part of a row.\n"
    text += f'LN2_HIGH = float.fromhex("{ln2_high.hex()}")\n'
    text += f'LN2_LOW = float.fromhex("{to_double(mpmath.log(2) - ln2_high).hex()}")\n'
    text += "# log(1 + z) = z - z**2 / 2 + z**3 * TAIL(z).\n"
    text += f"TAIL = {source(tuple(tail))}\n"
    text += "# Proven: the error of the pair is below TAIL_ERROR times the tail and PAIR_ERROR times the logarithm; with that\n"
    text += "# of the rounding test's own additions it is below FAST_PHASE_ERROR times the logarithm.\n"
    text += "".join(f"{name} = {source(bound)}\n" for name, bound in errors.items())
    text += "# Fast mode: m runs from the double with the bits FAST_MODE_FIRST on over 16 cells.\n"
    text += f"FAST_MODE_FIRST = 0x{((FIRST_SINGLE - 0x3F800000) << 29) + 0x3FF0000000000000:X}\n"
    text += f"FAST_MODE_RECIPROCALS = {source(reciprocals)}\nFAST_MODE_LOGARITHMS = {source(logarithms)}\n"
    text += f"# log(1 + z) = z + z**2 * FAST_MODE_TAIL(z).\nFAST_MODE_TAIL = {source(tuple(fast_tail))}\n"
    text += f"# Accurate phase: {WIDE_ROWS} cells, reciprocals in units of 2**-7, logarithms of 2**-{WIDE_FRACTION}.\n"
    text += wide_table("WIDE_RECIPROCALS", [fixed(c, 7) for _, _, c in wide_rows])
    text += wide_table("WIDE_LOGARITHMS", [fixed(-mpmath.log(c), WIDE_FRACTION) for _, _, c in wide_rows])
    text += f"WIDE_LN2 = Wide(0x{fixed(mpmath.log(2), WIDE_FRACTION):X})\n"
    text += "# log(1 + z) / z, in units of 2**-192.\n"
    text += wide_table("WIDE_SERIES", [fixed(mpf((-1) ** i) / (i + 1), 192) for i in range(WIDE_TERMS)])
    return text, notes


def finish(name: str, text: str, notes: dict[str, str]) -> int:
    """Print, compare or write the module ``exactops.numerics.binary64.tables.NAME``; how many constants differ."""
    place = Path(__file__).resolve().parent.parent / "exactops" / "numerics" / "binary64" / "tables" / f"{name}.py"
    wrong = 0
    if "--write" in sys.argv:
        place.write_text(text)
    elif "--check" in sys.argv:
        written, derived = (re.split(r"^(?=[A-Z])", each, flags=re.MULTILINE) for each in (place.read_text(), text))
        wrong = sum(each not in written for each in derived) + abs(len(written) - len(derived))
        print(f"binary64.tables.{name}: {len(derived) - 1 - wrong} of {len(derived) - 1} constants are as derived")
    else:
        print(text)
    for what, note in notes.items():
        print(f"# {what}: {note}")
    return wrong


def main() -> int:
    """Derive, then print, compare or write."""
    mp.prec = 400
    wrong = finish("logarithm", *module())
    if "--check" in sys.argv or "--prove" in sys.argv:
        print(f"# by enclosures the error is below {confirm(1 if '--prove' in sys.argv else 32)} of the logarithm")
    return wrong


if __name__ == "__main__":
    raise SystemExit(main())
