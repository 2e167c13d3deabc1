"""Derive every constant of the float64 exponential and its family. ``--check`` compares, ``--write`` writes them.

The modules are ``exponential``, ``tanh``, ``gelu_tanh`` and ``exponential_errors`` in exactops/numerics/binary64/tables.

exp, fast phase: ``e**x = 2**(k/256) * e**r`` with ``k = rint(x * 256/ln2)`` and ``r = x - k * ln2/256``. The head of ln2/256
has 34 bits, so that its product with k, up to 2**19 in magnitude, is exact. A power is a head of 27 bits, whose product with
a number of 26 bits is exact, times e**offset. Accurate phase: steps of ln2/32 and the Taylor series, with 192 bits.

tanh, fast phase: ``tanh(c + r) = T + (1 - T**2) * t / (1 + T * t)`` with ``T = tanh(c)`` and ``t = tanh(r)``. ``1 + c`` is
``1 + |x|`` rounded to 7 bits behind the first: cells of 2**-7 below 1, twice as wide up to 3, and so on. Accurate
phase below 1/64: the Taylor series of sinh(x)/x and cosh(x) in x**2.

gelu_tanh: the argument is ``x * (SLOPE + CUBIC * x**2)``, ``SLOPE = sqrt(8/pi)`` and ``CUBIC = 0.044715 * SLOPE``, with heads
whose products with numbers of 26 bits are exact.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import mpmath
from minimax import exactly, largest_error, log2_of, remez, rounded, source, to_double
from mpmath import mp, mpf

mp.prec = 500

FOLDER = Path(__file__).resolve().parent.parent / "exactops" / "numerics" / "binary64" / "tables"

#: Rows of the fast phase's table.
STEPS = 256
#: How far the reduced argument reaches: half a step, what rounding to a step may add, and a low part of the argument.
REACH = mp.log(2) / STEPS / 2 * (1 + mpf(2) ** -20) + mpf(2) ** -15
#: Steps and terms of the accurate phase.
WIDE_STEPS, WIDE_TERMS = 32, 21
#: Bits behind the point of the accurate phase's step.
WIDE_STEP_FRACTION = 236
#: The same for fast mode.
FAST_MODE_STEPS = 16
FAST_MODE_REACH = mp.log(2) / FAST_MODE_STEPS / 2 * (1 + mpf(2) ** -20) + mpf(2) ** -16

#: Cells of tanh: so many a binade of 1 + |x|, up to an argument from which on the result is 1.
TANH_CELLS = 128
TANH_END = 20
#: How far the reduced argument of tanh reaches below 3; beyond, 1 - T**2 is small.
TANH_REACH = mpf(2) ** -7
#: Terms of the series of the accurate phase, in squares up to 2**-12.
TANH_WIDE_TERMS = 14


def exponential_tail(r):
    """(e**r - 1 - r - r**2 / 2) / r**3."""
    return sum(r**n / mpmath.factorial(n + 3) for n in range(30))


def tanh_tail(u):
    """(tanh(r) - r) / r**3 as a function of u = r**2."""
    if u == 0:
        return mpf(-1) / 3
    r = mp.sqrt(u)
    return (mp.tanh(r) - r) / r**3


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
        line = f"{line} {word.strip()}" if line else word
    return "\n".join([*found, line]) + "\n"


class Module:
    """The text of one module of constants."""

    def __init__(self, about: str, imports: str):
        self.text = f'"""{about} Written by tools/derive_binary64_exponential.py with ``--write``."""\n\n{imports}'

    def comment(self, text: str) -> None:
        """A line above the constants that follow."""
        self.text += f"# {text}\n"

    def constant(self, name: str, value) -> None:
        """A double, or a tuple of doubles."""
        self.text += f"{name} = {source(value)}\n"

    def rows(self, name: str, rows: list[tuple[float, ...]], order: str = "{0}") -> None:
        """A table of rows, with an expression for what it is made of them."""
        text = "".join("    " + " ".join("0.0" if value == 0 else value.hex() for value in row) + "\n" for row in rows)
        self.text += f'_{name} = rows(\n    """\n{text}    """\n)\n{name} = Table({order.format(f"_{name}")})\n'

    def wide(self, name: str, entry: int) -> None:
        """A wide integer."""
        self.text += f"{name} = Wide(0x{entry:X})\n"

    def wide_table(self, name: str, entries: list[int]) -> None:
        """A table of wide integers."""
        text = lines([f"    {each:x}" for each in entries])
        self.text += f'{name} = WideTable(\n    integers(\n        """\n{text}    """\n    )\n)\n'


def exponential(notes: dict) -> str:
    """The constants of exp."""
    step = mp.log(2) / STEPS
    step_high = rounded(step, 34)
    powers = [mpf(2) ** (mpf(j) / STEPS) for j in range(STEPS)]
    coefficients, _ = remez(exponential_tail, 2, -REACH, REACH, lambda r: abs(r) ** 3 + mpf(2) ** -60)
    tail = tuple(to_double(c) for c in coefficients)
    notes["error of TAIL, times r**3"] = largest_error(exponential_tail, tail, -REACH, REACH, lambda r: r**3)
    notes["first term left out in the accurate phase"] = (step * STEPS / WIDE_STEPS / 2) ** WIDE_TERMS / mpmath.factorial(
        WIDE_TERMS
    )
    imports = "from exactops.lanes import Table, Wide, WideTable\n"
    imports += "from exactops.numerics.constants import doubles, integers, rows\n\n"
    module = Module("Constants of the float64 exponential.", imports)
    module.comment(
        f"Steps are ln(2)/{STEPS}: the reciprocal; a head of 34 bits, which times the number of a step is exact; the rest."
    )
    module.constant("INVERSE_STEP", to_double(1 / step))
    module.constant("STEP_HIGH", exactly(step_high))
    module.constant("STEP_LOW", to_double(step - step_high))
    module.comment("Row j: 2**(j/256) is the first entry, of 27 bits, times e to the second.")
    module.rows("POWERS", [(exactly(rounded(p, 27)), to_double(mp.log(p / rounded(p, 27)))) for p in powers])
    module.comment("e**r = 1 + r + r**2 / 2 + r**3 * TAIL(r).")
    module.constant("TAIL", tail)
    module.comment(
        f"Accurate phase: steps of ln(2)/{WIDE_STEPS}; the reciprocal in units of 2**-64, the step of 2**-{WIDE_STEP_FRACTION}."
    )
    module.wide("WIDE_INVERSE_STEP", fixed(WIDE_STEPS / mp.log(2), 64))
    module.wide("WIDE_STEP", fixed(mp.log(2) / WIDE_STEPS, WIDE_STEP_FRACTION))
    module.comment(f"2**(j/{WIDE_STEPS}) and 1/n!, in units of 2**-192.")
    module.wide_table("WIDE_POWERS", [fixed(mpf(2) ** (mpf(j) / WIDE_STEPS)) for j in range(WIDE_STEPS)])
    module.wide_table("WIDE_SERIES", [fixed(1 / mpmath.factorial(n)) for n in range(WIDE_TERMS)])
    # Fast mode.
    step = mp.log(2) / FAST_MODE_STEPS
    step_high = rounded(step, 38)
    coefficients, _ = remez(
        lambda r: mp.expm1(r) / r if r else mpf(1), 5, -FAST_MODE_REACH, FAST_MODE_REACH, lambda r: abs(r) + mpf(2) ** -60
    )
    fast = tuple(to_double(c) for c in coefficients)
    notes["error of FAST_MODE_EXPM1, times r"] = largest_error(
        lambda r: mp.expm1(r) / r, fast, -FAST_MODE_REACH, FAST_MODE_REACH, lambda r: r
    )
    module.comment(f"Fast mode: steps of ln(2)/{FAST_MODE_STEPS}, a head of 38 bits and the rest.")
    module.constant("FAST_MODE_INVERSE_STEP", to_double(1 / step))
    module.constant("FAST_MODE_STEP_HIGH", exactly(step_high))
    module.constant("FAST_MODE_STEP_LOW", to_double(step - step_high))
    module.comment(
        "2**(j/16) with j/16 taken from its exponent: adding ``k << 48`` to the bits of entry ``k & 15`` gives 2**(k/16)."
    )
    scaled, offsets = [], []
    for j in range(FAST_MODE_STEPS):
        pattern = double_bits(to_double(mpf(2) ** (mpf(j) / FAST_MODE_STEPS))) - (j << 48)
        scaled.append(bits_double(pattern))
        offsets.append(to_double(step * j - mp.log(to_double(mpf(2) ** (mpf(j) / FAST_MODE_STEPS)))))
    module.constant("FAST_MODE_POWERS", tuple(scaled))
    module.comment("What the rounding of entry j took away: 2**(j/16) is the entry times e**offset.")
    module.constant("FAST_MODE_OFFSETS", tuple(offsets))
    module.comment("e**r = 1 + r * FAST_MODE_EXPM1(r).")
    module.constant("FAST_MODE_EXPM1", fast)
    return module.text


def double_bits(value: float) -> int:
    """The bit pattern of a double."""
    return struct.unpack("<q", struct.pack("<d", value))[0]


def bits_double(pattern: int) -> float:
    """The double of a bit pattern."""
    return struct.unpack("<d", struct.pack("<q", pattern))[0]


def tanh(notes: dict) -> str:
    """The constants of tanh."""
    centres, row = [], 0
    while True:
        binade, place = divmod(row, TANH_CELLS)
        centre = (1 + mpf(place) / TANH_CELLS) * 2**binade - 1
        centres.append(centre)
        row += 1
        if centre >= TANH_END:
            break
    table = []
    for centre in centres:
        value = mp.tanh(centre)
        slope = 1 - value**2
        high, slope_high = to_double(value), exactly(rounded(slope, 26))
        table.append((high, to_double(value - mpf(high)), slope_high, to_double(slope - mpf(slope_high))))
    missing = 8 * TANH_CELLS - len(table)

    def weight(u):
        """Relative to t where c is 0; larger r occur beside a larger T only."""
        return u / (1 + (u * 2**16) ** 3)

    coefficients, _ = remez(tanh_tail, 2, mpf(2) ** -40, TANH_REACH**2, lambda u: weight(u) + mpf(2) ** -60)
    tail = tuple(to_double(c) for c in coefficients)
    notes["error of the TAIL of tanh, relative to r where c = 0"] = largest_error(
        tanh_tail, tail, 0, TANH_REACH**2 / 4, lambda u: u
    )
    notes["the same, times r**3, elsewhere"] = largest_error(tanh_tail, tail, 0, TANH_REACH**2, lambda u: u ** mpf("1.5"))
    module = Module(
        "Constants of the float64 tanh.",
        "from exactops.lanes import Table, WideTable\nfrom exactops.numerics.constants import doubles, integers, rows\n\n",
    )
    module.comment("Row of c: T = tanh(c) and 1 - T**2, each a head and the rest; the head of 1 - T**2 has 26 bits.")
    module.comment(
        "The binades of 1 + c follow one another by the last three bits of their exponent field, [1, 2) is the last."
    )
    module.rows("CELLS", table, f"{{0}}[{TANH_CELLS}:] + [(0.0,) * 4] * {missing} + {{0}}[:{TANH_CELLS}]")
    module.comment("tanh(r) = r + r**3 * TAIL(r**2).")
    module.constant("TAIL", tail)
    module.comment("Accurate phase: sinh(x) / x and cosh(x) as series in x**2, in units of 2**-192.")
    module.wide_table("WIDE_SINH", [fixed(1 / mpmath.factorial(2 * n + 1)) for n in range(TANH_WIDE_TERMS)])
    module.wide_table("WIDE_COSH", [fixed(1 / mpmath.factorial(2 * n)) for n in range(TANH_WIDE_TERMS)])
    module.comment("Fast mode: T and 1 - T**2.")
    module.text += "FAST_MODE_CELLS = Table([(row[0], row[2] + row[3]) for row in CELLS.rows])\n"
    return module.text


def gelu_tanh(notes: dict) -> str:
    """The constants of the tanh form of gelu."""
    slope = mp.sqrt(8 / mp.pi)
    cubic = slope * 44715 / 1000000
    module = Module("Constants of the tanh form of gelu in float64.", "from exactops.lanes import Wide\n\n")
    module.comment("The argument is x * (SLOPE + CUBIC * x**2): heads of 26 and 27 bits, and the rests.")
    for name, value, bits in (("SLOPE", slope, 26), ("CUBIC", cubic, 27)):
        high = rounded(value, bits)
        module.constant(name, to_double(value))
        module.constant(f"{name}_HIGH", exactly(high))
        module.constant(f"{name}_LOW", to_double(value - high))
    module.comment("In units of 2**-192: SLOPE, and 0.044715.")
    module.wide("WIDE_SLOPE", fixed(slope))
    module.wide("WIDE_CUBIC", fixed(mpf(44715) / 1000000))
    return module.text


def exponential_errors(notes: dict) -> str:
    """The bounds of the fast phases, by the modules of constants and kernels as they are on disk."""
    sys.path.insert(0, str(FOLDER.parents[3]))
    from binary64_exponential_bounds import bounds

    module = Module("Proven error bounds of float64 fast phases.", "")
    for name, (value, about) in bounds().items():
        module.comment(about)
        module.constant(name, value)
        notes[name] = value
    return module.text


def constants_of(text: str) -> list[str]:
    """The assignments of a module of constants."""
    return re.findall(r"^_?[A-Z]\w* = .*?(?=^(?:#|_?[A-Z]\w* = )|\Z)", text, re.MULTILINE | re.DOTALL)


def carry_out(*derivations: Callable[[dict], str]) -> int:
    """Derive modules of tables, called as their derivations; then print, compare (``--check``) or write (``--write``) them."""
    notes: dict = {}
    wrong = 0
    for derive in derivations:
        name = derive.__name__
        text, place = derive(notes), FOLDER / f"{name}.py"
        if "--write" in sys.argv:
            place.write_text(text)
        elif "--check" in sys.argv:
            derived, written = (
                {part.split(" = ")[0]: part for part in constants_of(each)} for each in (text, place.read_text())
            )
            same = sum(written.get(each) == part for each, part in derived.items())
            wrong += len(derived | written) - same
            print(f"binary64.tables.{name}: {same} of {len(derived)} constants are as derived")
        else:
            print(text)
    for what, note in notes.items():
        print(f"# {what}: {log2_of(note)}")
    return wrong


def main() -> int:
    """Derive, then print, compare or write."""
    return carry_out(exponential, tanh, gelu_tanh, exponential_errors)


if __name__ == "__main__":
    raise SystemExit(main())
