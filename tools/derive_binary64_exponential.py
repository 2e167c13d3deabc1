"""Derive every constant of exactops/numerics/binary64/tables/exponential.py. ``--check`` compares, ``--write`` writes them.

Fast phase: ``e**x = 2**(k/128) * e**r`` with ``k = rint(x * 128/ln2)`` and ``r = x - k * ln2/128``. The head of ln2/128 has 35 bits,
so that its product with k, up to 2**18 in magnitude, is exact; the head of a power has 27 bits, so that its product with a
number of 26 bits is exact. Accurate phase: steps of ln2/32 and the Taylor series, in fixed point with 192 bits.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mpmath
from minimax import exactly, largest_error, log2_of, remez, rounded, source, to_double
from mpmath import mp, mpf

mp.prec = 500

#: Rows of the fast phase's table.
STEPS = 128
#: How far the reduced argument reaches: half a step, what rounding to a step may add, and a low part of the argument.
REACH = mp.log(2) / STEPS / 2 * (1 + mpf(2) ** -20) + mpf(2) ** -16
#: Steps and terms of the accurate phase.
WIDE_STEPS, WIDE_TERMS = 32, 21
#: Bits behind the point of the accurate phase's step.
WIDE_STEP_FRACTION = 236


def exponential_tail(r):
    """(e**r - 1 - r - r**2 / 2) / r**3."""
    return sum(r**n / mpmath.factorial(n + 3) for n in range(30))


def fixed(value, fraction: int = 192) -> int:
    """The value in units of 2**-fraction, rounded to nearest."""
    return int(mpmath.nint(mpmath.ldexp(value, fraction)))


def lines(words: list[str], width: int = 120) -> str:
    """Words in lines of limited length."""
    found, line = [], ""
    for word in words:
        if line and len(line) + 1 + len(word) > width:
            found.append(line)
            line = ""
        line = f"{line} {word}" if line else word
    return "\n".join([*found, line]) + "\n"


def wide_table(name: str, entries: list[int]) -> str:
    """The assignment of a table of wide integers."""
    return f'{name} = WideTable(\n    int(word, 16)\n    for word in """\n{lines([f"{each:x}" for each in entries])}""".split()\n)\n'


def module() -> tuple[str, dict]:
    """The text of the module, and what is to be said about errors."""
    step = mp.log(2) / STEPS
    step_high = rounded(step, 35)
    powers = [mpf(2) ** (mpf(j) / STEPS) for j in range(STEPS)]
    rows = [(exactly(rounded(p, 27)), to_double(p - rounded(p, 27))) for p in powers]
    coefficients, _ = remez(exponential_tail, 3, -REACH, REACH, lambda r: abs(r) ** 3 + mpf(2) ** -60)
    tail = tuple(to_double(c) for c in coefficients)
    notes = {
        "error of TAIL, times r**3": log2_of(largest_error(exponential_tail, tail, -REACH, REACH, lambda r: r**3)),
        "first term left out in the accurate phase": log2_of(
            (mp.log(2) / WIDE_STEPS / 2) ** WIDE_TERMS / mpmath.factorial(WIDE_TERMS)
        ),
    }
    text = '"""Constants of the float64 exponential. Written by tools/derive_binary64_exponential.py with ``--write``."""\n\n'
    text += "from exactops.lanes import Table, Wide, WideTable\nfrom exactops.numerics.constants import doubles\n\n"
    text += f"# Steps are ln(2)/{STEPS}: the reciprocal, a head of 35 bits, whose product with the number of a step is exact, and the rest.\n"
    text += f"INVERSE_STEP = {source(to_double(1 / step))}\n"
    text += f"STEP_HIGH = {source(exactly(step_high))}\nSTEP_LOW = {source(to_double(step - step_high))}\n"
    text += "# Row j: 2**(j/128), a head of 27 bits and the rest.\nPOWERS = Table(\n    [\n        doubles(line)\n"
    text += '        for line in """\n' + "".join(" ".join(value.hex() for value in row) + "\n" for row in rows)
    text += '""".strip().splitlines()\n    ]\n)\n'
    text += f"# e**r = 1 + r + r**2 / 2 + r**3 * TAIL(r).\nTAIL = {source(tail)}\n"
    text += f"# Accurate phase: steps of ln(2)/{WIDE_STEPS}; the reciprocal in units of 2**-64, the step in units of 2**-{WIDE_STEP_FRACTION}.\n"
    text += f"WIDE_INVERSE_STEP = Wide(0x{fixed(WIDE_STEPS / mp.log(2), 64):X})\n"
    text += f"WIDE_STEP = Wide(0x{fixed(mp.log(2) / WIDE_STEPS, WIDE_STEP_FRACTION):X})\n"
    text += f"# 2**(j/{WIDE_STEPS}) and 1/n!, in units of 2**-192.\n"
    text += wide_table("WIDE_POWERS", [fixed(mpf(2) ** (mpf(j) / WIDE_STEPS)) for j in range(WIDE_STEPS)])
    text += wide_table("WIDE_SERIES", [fixed(1 / mpmath.factorial(n)) for n in range(WIDE_TERMS)])
    return text, notes


def main() -> int:
    """Derive, then print, compare or write."""
    text, notes = module()
    place = Path(__file__).resolve().parent.parent / "exactops" / "numerics" / "binary64" / "tables" / "exponential.py"
    wrong = 0
    if "--write" in sys.argv:
        place.write_text(text)
    elif "--check" in sys.argv:
        wrong = int(place.read_text() != text)
        print("binary64.tables.exponential:", "differs from the derivation" if wrong else "as derived")
    else:
        print(text)
    for what, note in notes.items():
        print(f"# {what}: {note}")
    return wrong


if __name__ == "__main__":
    raise SystemExit(main())
