"""Derives every constant of exactops/numerics/binary64/tables/power.py from mathematics: fast mode of pow with a float64 base.

``--check`` compares, ``--write`` writes them. Exact mode takes the tables of tools/derive_binary64_logarithm.py and
tools/derive_binary64_exponential.py.

The logarithm as a pair, with 16 cells, which AVX-512 looks up in registers. As there, but the reciprocal of a cell, at most 10
bits, times a head of m of 21 bits leaves a multiple of 2**-30 below 2**-4, whose square is exact.

The error of exact mode's fast phase. The logarithm's pair has one below TAIL_ERROR times its tail and PAIR_ERROR times itself
(tools/derive_binary64_logarithm.py). The product with y cuts heads of 26 bits: both rests are below 2**-25, relatively. Of it
are rounded: the rest of the logarithm, its product, the product of y's rest (with the high part only), and their sum, which is
twice as large; 6 times 2**-25 * 2**-53 of the product in all. An error d of the exponent is one of d times the power, which is
below 2.
"""

from __future__ import annotations

import mpmath
from derive_binary64_logarithm import GRID, cubic, fast_phase, finish, number, rounded_up
from minimax import exactly, largest_error, log2_of, on_grid, remez, source, to_double
from mpmath import mp, mpf

#: 1 lies at two thirds of the cell that surrounds it: as far from its ends below as above.
BELOW = 9
FIRST = 0x3FF0000000000000 - ((2 << 48) // 3 >> 29 << 29) - (BELOW << 48)


def module() -> tuple[str, dict[str, str]]:
    """The text of the module of constants, and notes on the errors."""
    reciprocals, high, low, ends = [], [], [], []
    for index in range(16):
        start, end = number(FIRST + (index << 48)), number(FIRST + ((index + 1) << 48))
        c = mpf(1) if index == BELOW else mpf(on_grid(2 / (start + end), -9))
        reciprocals.append(exactly(c))
        high.append(on_grid(-mpmath.log(c), GRID))
        low.append(to_double(-mpmath.log(c) - high[-1]))
        ends += [start * c - 1, end * c - 1]
    # The tail counts beside z, where the cell is that around 1, and beside a logarithm that is not much less elsewhere.
    tail, _ = remez(cubic, 8, min(ends), max(ends), lambda z: z * z + mpf(10) ** -6)
    tail = [to_double(c) for c in tail]
    errors = fast_phase()[3]
    product_error = 2 * (mpf(errors["PAIR_ERROR"]) + 6 * mpf(2) ** -78) * (1 + mpf(2) ** -20)
    tail_error = 2 * mpf(errors["TAIL_ERROR"]) * (1 + mpf(2) ** -20)
    notes = {
        "least and largest z": log2_of([min(ends), max(ends)]),
        "error of the polynomial, times z**2": log2_of(largest_error(cubic, tail, min(ends), max(ends), lambda z: z * z)),
    }
    text = '"""Constants of pow in float64. Written by tools/derive_binary64_power.py with ``--write``."""\n\n'
    text += "from exactops.numerics.constants import doubles\n\n"
    text += "# Fast mode: m runs from the double with the bits FAST_MODE_FIRST on over 16 cells.\n"
    text += f"FAST_MODE_FIRST = 0x{FIRST:X}\n"
    text += f"FAST_MODE_RECIPROCALS = {source(tuple(reciprocals))}\n"
    text += f"FAST_MODE_LOGARITHMS = {source(tuple(high))}\nFAST_MODE_LOGARITHMS_LOW = {source(tuple(low))}\n"
    text += f"# log(1 + z) = z - z**2 / 2 + z**3 * FAST_MODE_TAIL(z).\nFAST_MODE_TAIL = {source(tuple(tail))}\n"
    text += "# Proven for powers below 2, beside the error of e**p: that of exact mode for a unit of p = y * log(x)\n"
    text += "# and for a unit of y times the logarithm's tail.\n"
    text += f"PRODUCT_ERROR = {source(rounded_up(product_error))}\nTAIL_ERROR = {source(rounded_up(tail_error))}\n"
    return text, notes


def main() -> int:
    """Derive, then print, compare or write."""
    mp.prec = 400
    return finish("power", *module())


if __name__ == "__main__":
    raise SystemExit(main())
