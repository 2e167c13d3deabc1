"""Derives every constant of exactops/numerics/tables/integer_power.py from mathematics.

``--check`` compares, ``--write`` writes them.

Logarithms. A number m in [1, 2] times factors 1 + 2**-i, each of them at most once, comes to 2 from below as near as 2**-125 of
it, and 2**f is such a product for every f in [0, 1), likewise: (1 + 2**-(i + 1))**2 > 1 + 2**-i, so that no factor is needed
twice. ``LOGARITHMS`` are log2(1 + 2**-i).

Limits. The largest magnitude whose n-th power a 64-bit type holds, by integer arithmetic.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import mpmath
from mpmath import mp, mpf

PACKAGE = Path(__file__).resolve().parent.parent
#: Bits behind the point of the constants, factors, and bits of the two constants that multiply what is left after them.
FRACTION = 252
STEPS = 125
SHORT = 120
#: Exponents with a limit in the table.
ENTRIES = 32


def scaled(value, bits: int) -> int:
    """The nearest multiple of 2**-bits."""
    return int(mpmath.nint(mpmath.ldexp(value, bits)))


def largest_base(limit: int, power: int) -> int:
    """The largest whole number whose power is not above the limit."""
    low, high = 1, limit + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power <= limit else (low, middle)
    return low


def limits(bits: int) -> tuple[int, ...]:
    """The largest bases for the exponents 0, 1, 2 ...; as signed 64-bit numbers, which the lanes of a lookup are."""
    limit = (1 << bits) - 1
    found = [(1 << 64) - 1, *(largest_base(limit, power) for power in range(1, ENTRIES))]
    return tuple(each - (each >> 63 << 64) for each in found)


def derive() -> dict[str, int | tuple[int, ...]]:
    """Every constant."""
    mp.prec = 400
    return {
        "LOGARITHMS": tuple(scaled(mpmath.log(1 + mpmath.ldexp(mpf(1), -i), 2), FRACTION) for i in range(STEPS + 1)),
        "INVERSE_LN2": scaled(1 / mpmath.log(2), SHORT),
        "LN2": scaled(mpmath.log(2), SHORT),
        "SIGNED_LIMITS": limits(63),
        "UNSIGNED_LIMITS": limits(64),
    }


COMMENTS = {
    "LOGARITHMS": f"log2(1 + 2**-i) for i from 0 to {STEPS}, times 2**{FRACTION}.",
    "INVERSE_LN2": f"1 / ln(2) and ln(2), times 2**{SHORT}.",
    "SIGNED_LIMITS": f"The largest magnitude (-1: 2**64 - 1) whose power n is below 2**63, for n from 0 to {ENTRIES - 1}.",
    "UNSIGNED_LIMITS": "The same for 2**64.",
}


def module_text(constants: dict[str, int | tuple[int, ...]]) -> str:
    """The module that holds the constants."""
    lines = ['"""Constants of pow with an integer base. Written by tools/derive_integer_power.py with ``--write``."""', ""]
    lines += ["from exactops.lanes import Wide, WideTable", ""]
    for name, value in constants.items():
        lines += [f"# {COMMENTS[name]}"] if name in COMMENTS else []
        if name == "LOGARITHMS":
            lines += [f"{name} = WideTable(", "    (", *(f"        0x{each:064X}," for each in value), "    )", ")"]
        elif isinstance(value, tuple):
            lines += [f"{name} = (", *(f"    {each}," for each in value), ")"]
        else:
            lines.append(f"{name} = Wide(0x{value:X})")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Derive, then print or check."""
    constants = derive()
    wrong: list[str] = []
    if "--check" in sys.argv:
        sys.path.insert(0, str(PACKAGE))
        module = importlib.import_module("exactops.numerics.tables.integer_power")
        wrong = [name for name, value in constants.items() if getattr(module, name, None) != value]
        print(f"tables.integer_power: {len(constants) - len(wrong)} of {len(constants)} constants are as derived", *wrong)
    elif "--write" in sys.argv:
        (PACKAGE / "exactops" / "numerics" / "tables" / "integer_power.py").write_text(module_text(constants))
    else:
        print(module_text(constants))
    return len(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
