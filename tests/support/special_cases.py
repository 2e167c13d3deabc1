"""The special cases of the semantics, written out by hand as data: (operator, operands, expected result).

They check the references (test_reference.py) and, independently of the references, the engine (test_operators.py).

An operand or a result is a text that is read in its own type:

- ``nan`` the canonical NaN, ``-nan`` a quiet NaN with sign and payload, ``snan`` a signalling one;
- ``inf``, ``-inf``, ``0``, ``-0``; ``max`` and ``lowest`` the finite extremes (of integers too), ``tiny`` the smallest
  subnormal, ``subnormal`` the largest, ``normal`` the smallest normal number, ``1/6`` or ``-2.5`` or ``2^24`` the
  nearest number of the type;
- a trailing ``+ulp`` or ``-ulp`` is the next pattern up or down in magnitude; ``0x...`` is a bit pattern;
- ``true``, ``false``; None is an omitted operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from exactops.verification.reference import (
    ALL_TYPES,
    DTYPES,
    FLOATS,
    FORMATS,
    NUMERIC,
    SIGNED_INTEGERS,
    UNSIGNED_INTEGERS,
    FloatFormat,
    Format,
    array_of,
    round_ratio,
)

INTEGERS = SIGNED_INTEGERS + UNSIGNED_INTEGERS
SIGNED = FLOATS + SIGNED_INTEGERS


def parse(form: Format, text: str) -> int:
    """Bits of a text in a format."""
    for suffix, step in (("+ulp", 1), ("-ulp", -1)):
        if text.endswith(suffix):
            return parse(form, text.removesuffix(suffix)) + step
    if text.startswith("0x"):
        return int(text, 16)
    if not isinstance(form, FloatFormat):
        names = {"max": form.maximum, "lowest": form.minimum, "true": 1, "false": 0}
        value = names[text] if text in names else _rational(text)
        if value != int(value) or not form.minimum <= value <= form.maximum:
            raise ValueError(f"{text} is no {form.name}")
        return form.wrap(int(value))
    negative, magnitude = text.startswith("-"), text.removeprefix("-")
    if magnitude == "nan":
        return form.quiet_nan | (form.sign_bit | 1 if negative else 0)
    names = {
        "snan": form.infinity | 1,
        "inf": form.infinity,
        "max": form.largest,
        "lowest": form.largest | form.sign_bit,
        "tiny": 1,
        "subnormal": form.mantissa_mask,
        "normal": form.mantissa_mask + 1,
    }
    if magnitude in names:
        pattern = names[magnitude]
    else:
        value = _rational(magnitude)
        pattern = round_ratio(form, 0, value.numerator, value.denominator)
    return pattern | (form.sign_bit if negative else 0)


def _rational(text: str) -> Fraction:
    if "^" in text:
        base, power = text.split("^")
        sign = -1 if base.startswith("-") else 1
        return sign * Fraction(base.removeprefix("-")) ** int(power)
    return Fraction(text)


@dataclass(frozen=True)
class SpecialCase:
    """One sentence of the semantics for one operator and one choice of types."""

    op: str
    types: tuple[str, ...]
    operands: tuple[str | None, ...]
    result_type: str
    result: str
    attributes: dict[str, Any] = field(default_factory=dict)

    @property
    def arrays(self) -> list[np.ndarray | None]:
        """The operands as arrays of one element."""
        return [
            None if text is None else array_of([parse(FORMATS[name], text)], name)
            for name, text in zip(self.types, self.operands, strict=True)
        ]

    @property
    def expected(self) -> np.ndarray:
        """The result as an array of one element."""
        return array_of([parse(FORMATS[self.result_type], self.result)], self.result_type)

    def __str__(self) -> str:
        given = ", ".join("None" if each is None else each for each in self.operands)
        extra = "".join(f", {name}={value!r}" for name, value in self.attributes.items())
        return f"{self.op}({given}{extra}) in {'/'.join(dict.fromkeys(self.types))} = {self.result} in {self.result_type}"


SPECIAL_CASES: list[SpecialCase] = []


def same_type(op: str, types: Sequence[str], rows: str, result_type: str = "", **attributes: Any) -> None:
    """Enters rows of 'operand, operand = result' for each type; all operands have it."""
    for name in types:
        for row in rows.split(";"):
            if row.strip():
                left, result = row.rsplit("=", 1)
                operands = tuple(None if each.strip() == "None" else each.strip() for each in left.split(","))
                case = SpecialCase(op, (name,) * len(operands), operands, result_type or name, result.strip(), attributes)
                SPECIAL_CASES.append(case)


def mixed_types(op: str, types: tuple[str, ...], result_type: str, rows: str, **attributes: Any) -> None:
    """Enters rows whose operands have the types given."""
    for row in rows.split(";"):
        if row.strip():
            left, result = row.rsplit("=", 1)
            operands = tuple(each.strip() for each in left.split(","))
            SPECIAL_CASES.append(SpecialCase(op, types, operands, result_type, result.strip(), attributes))


# fmt: off
# --- 3.1 IEEE arithmetic, integers ------------------------------------------------------------------------------------

same_type("add", FLOATS, """
    1, 1 = 2; -0, -0 = -0; -0, 0 = 0; 1, -1 = 0; inf, 1 = inf; inf, -inf = nan; -inf, inf = nan; nan, 1 = nan;
    1, snan = nan; -nan, -nan = nan; max, max = inf; lowest, lowest = -inf; tiny, tiny = 0x2;
    subnormal, tiny = normal; normal, -tiny = subnormal; max, tiny = max; tiny, -tiny = 0; -0, tiny = tiny
""")
same_type("sub", FLOATS, """
    1, 1 = 0; -1, -1 = 0; -0, 0 = -0; 0, 0 = 0; 0, -0 = 0; -0, -0 = 0; inf, inf = nan; inf, -inf = inf;
    1, inf = -inf; snan, 0 = nan; lowest, max = -inf; normal, tiny = subnormal; tiny, tiny = 0
""")
same_type("mul", FLOATS, """
    2, 3 = 6; -0, 5 = -0; -0, -5 = 0; 0, inf = nan; inf, -0 = nan; -inf, 2 = -inf; -inf, -inf = inf; max, 2 = inf;
    max, -2 = -inf; tiny, 0.5 = 0; -tiny, 0.5 = -0; tiny, 0.75 = tiny; tiny, 1.5 = 0x2; nan, 0 = nan;
    snan, inf = nan
""")
same_type("add", INTEGERS, "max, 1 = lowest; lowest, lowest = 0; 3, 4 = 7")
same_type("add", SIGNED_INTEGERS, "max, lowest = -1; lowest, -1 = max; -1, 1 = 0")
same_type("sub", INTEGERS, "lowest, 1 = max; max, max = 0; 3, 3 = 0")
same_type("sub", SIGNED_INTEGERS, "0, lowest = lowest; -1, max = lowest")
same_type("sub", UNSIGNED_INTEGERS, "0, max = 1; 2, 3 = max")
same_type("mul", INTEGERS, "max, 0 = 0; lowest, 2 = 0; 7, 11 = 77")
same_type("mul", SIGNED_INTEGERS, "lowest, -1 = lowest; max, 2 = -2; max, max = 1; -3, 4 = -12")
same_type("mul", UNSIGNED_INTEGERS, "max, max = 1; max, 2 = max-ulp")
same_type("div", FLOATS, """
    1, 2 = 0.5; 1, 3 = 1/3; 1, 0 = inf; 1, -0 = -inf; -1, 0 = -inf; 0, 0 = nan; -0, 0 = nan; inf, inf = nan;
    0, 5 = 0; -0, 5 = -0; 5, inf = 0; 5, -inf = -0; inf, -2 = -inf; max, 0.5 = inf; tiny, 2 = 0; -tiny, 2 = -0;
    tiny, inf = 0; nan, 1 = nan; 1, -nan = nan; inf, 0 = inf; inf, -0 = -inf; max, max = 1; tiny, tiny = 1
""")
same_type("div", INTEGERS, "7, 2 = 3; 7, 0 = 0; 0, 0 = 0; max, 1 = max")
same_type("div", SIGNED_INTEGERS, """
    -7, 2 = -3; 7, -2 = -3; -7, -2 = 3; lowest, -1 = lowest; lowest, 0 = 0; -1, 2 = 0; lowest, 1 = lowest;
    lowest, max = -1; max, lowest = 0
""")
same_type("mod", INTEGERS, "7, 3 = 1; 7, 0 = 0; 0, 0 = 0; max, max = 0; 5, max = 5")
same_type("mod", SIGNED_INTEGERS, """
    -7, 3 = 2; 7, -3 = -2; -7, -3 = -1; lowest, -1 = 0; lowest, 0 = 0; -6, 3 = 0; -1, max = max-ulp;
    1, lowest = lowest+ulp
""")
same_type("mod", INTEGERS, "7, 3 = 1; 7, 0 = 0; 5, max = 5", fmod=1)
same_type("mod", SIGNED_INTEGERS, """
    -7, 3 = -1; 7, -3 = 1; -7, -3 = -1; lowest, -1 = 0; lowest, 0 = 0; -1, max = -1
""", fmod=1)
same_type("mod", FLOATS, """
    5.5, 3 = 2.5; -5.5, 3 = -2.5; 5.5, -3 = 2.5; -6, 3 = -0; 6, -3 = 0; 1, 0 = nan; 1, -0 = nan; inf, 2 = nan;
    -inf, 2 = nan; 2, inf = 2; -2, -inf = -2; -0, inf = -0; -0, 2 = -0; 0, -2 = 0; nan, 2 = nan; 2, snan = nan;
    inf, inf = nan; max, tiny = 0; lowest, tiny = -0; tiny, max = tiny; -tiny, max = -tiny; 0, 0 = nan;
    max, max = 0; subnormal, normal = subnormal; 1, 1+ulp = 1
""", fmod=1)
same_type("mod", ["f32"], """
    3.402823466385288598e38, 3 = 0; 2^127, 3 = 2; 2^126, 3 = 1; 2^127, 5 = 3; 2^127, 7 = 2; -2^127, 7 = -2
""", fmod=1)
same_type("mod", ["f64"], "2^1023, 3 = 2; 2^1022, 3 = 1; 2^1023, 5 = 3", fmod=1)
same_type("max", FLOATS, """
    1, 2 = 2; -0, 0 = 0; 0, -0 = -0; nan, 1 = nan; 1, nan = nan; nan, inf = nan; -inf, snan = nan; inf, max = inf;
    -inf, lowest = lowest; 3, 1, 2 = 3; 1, nan, 2 = nan; 1, 2, -nan = nan; -0 = -0; -nan = nan; snan = nan; 5 = 5;
    0, -0, 0 = 0; tiny, 0 = tiny; -tiny, -0 = -0
""")
same_type("min", FLOATS, """
    1, 2 = 1; -0, 0 = 0; 0, -0 = -0; nan, 1 = nan; 1, nan = nan; nan, -inf = nan; -inf, snan = nan; inf, max = max;
    -inf, lowest = -inf; 3, 1, 2 = 1; 1, nan, 2 = nan; -0 = -0; -nan = nan; tiny, 0 = 0; -tiny, -0 = -tiny
""")
same_type("max", INTEGERS, "1, 2 = 2; max, lowest = max; 3, 1, 2 = 3; 4 = 4")
same_type("min", INTEGERS, "1, 2 = 1; max, lowest = lowest; 3, 1, 2 = 1; 4 = 4")
same_type("max", SIGNED_INTEGERS, "-1, 1 = 1; lowest, -1 = -1")
same_type("min", SIGNED_INTEGERS, "-1, 1 = -1; lowest, -1 = lowest")
same_type("sum", FLOATS, """
    1, 2, 3 = 6; -0 = -0; -0, -0 = -0; -0, 0 = 0; nan = nan; -nan = nan; snan, 1 = nan; inf, -inf = nan;
    max, max, lowest = inf; max, lowest, max = max; 1, -1, tiny = tiny; inf, 1, 2, 3 = inf
""")
same_type("mean", FLOATS, """
    1, 2, 3 = 2; 1, 2 = 1.5; -0 = -0; -0, -0 = -0; 1, -1 = 0; -nan = nan; inf, -inf = nan; max, max = inf;
    1, 0, 0 = 1/3; tiny, 0 = 0; tiny, tiny = tiny; inf, 1 = inf; 7 = 7; -tiny, 0, 0 = -0
""")
same_type("sum", ["f16"], "2048, 1, 1 = 2048; 1, 1, 2048 = 2050")
same_type("sum", ["bf16"], "256, 1, 1 = 256; 1, 1, 256 = 258")
same_type("neg", FLOATS, """
    1 = -1; 0 = -0; -0 = 0; inf = -inf; -inf = inf; nan = nan; -nan = nan; snan = nan; tiny = -tiny; lowest = max
""")
same_type("neg", SIGNED_INTEGERS, "lowest = lowest; max = lowest+ulp; 0 = 0; 5 = -5; -5 = 5")
same_type("abs", FLOATS, "-1 = 1; -0 = 0; 0 = 0; -inf = inf; -nan = nan; snan = nan; -tiny = tiny; lowest = max")
same_type("abs", SIGNED_INTEGERS, "lowest = lowest; max = max; -5 = 5; 0 = 0; lowest+ulp = max")
same_type("abs", UNSIGNED_INTEGERS, "max = max; 0 = 0; 5 = 5")
same_type("sign", FLOATS, """
    5 = 1; -5 = -1; 0 = 0; -0 = 0; nan = nan; -nan = nan; inf = 1; -inf = -1; tiny = 1; -tiny = -1
""")
same_type("sign", FLOATS, "nan = 0; -nan = 0; snan = 0; -0 = 0; -2 = -1; inf = 1", nan="zero")
same_type("sign", SIGNED_INTEGERS, "lowest = -1; -1 = -1; 0 = 0; max = 1")
same_type("sign", UNSIGNED_INTEGERS, "max = 1; 0 = 0; 1 = 1")
same_type("reciprocal", FLOATS, """
    2 = 0.5; 0 = inf; -0 = -inf; inf = 0; -inf = -0; nan = nan; -nan = nan; 3 = 1/3; tiny = inf; -tiny = -inf; 1 = 1
""")
same_type("reciprocal", ["f32", "bf16"], "2^127 = 2^-127; -2^127 = -2^-127; 2^-127 = 2^127; 2^-128 = inf")
same_type("sqrt", FLOATS, """
    4 = 2; 2.25 = 1.5; 0 = 0; -0 = -0; -1 = nan; -tiny = nan; inf = inf; -inf = nan; -nan = nan; snan = nan; 1 = 1
""")
same_type("sqrt", ["f32", "f64"], "2 = 1.4142135623730950488")
same_type("rsqrt", FLOATS, """
    4 = 0.5; 0 = inf; -0 = -inf; -1 = nan; -tiny = nan; inf = 0; -inf = nan; -nan = nan; 1 = 1; 0.25 = 2;
    2 = 0.70710678118654752440
""")
same_type("square", FLOATS, "-3 = 9; -0 = 0; -inf = inf; max = inf; tiny = 0; -nan = nan; snan = nan")
same_type("square", INTEGERS, "3 = 9; 5 = 25; max = 1; 0 = 0")
same_type("square", SIGNED_INTEGERS, "-3 = 9; lowest = 0; -11 = 121")
same_type("floor", FLOATS, """
    1.5 = 1; -1.5 = -2; -0 = -0; 0 = 0; 0.9 = 0; -0.1 = -1; tiny = 0; -tiny = -1; inf = inf; -inf = -inf;
    -nan = nan; max = max; 7 = 7
""")
same_type("ceil", FLOATS, """
    1.5 = 2; -1.5 = -1; -0.4 = -0; -0 = -0; 0.1 = 1; tiny = 1; -tiny = -0; inf = inf; snan = nan; lowest = lowest;
    -7 = -7
""")
same_type("round", FLOATS, """
    0.5 = 0; 1.5 = 2; 2.5 = 2; 3.5 = 4; -0.5 = -0; -1.5 = -2; -2.5 = -2; -0.4 = -0; 0.4 = 0; 0.5+ulp = 1;
    0.5-ulp = 0; -0.6 = -1; -0 = -0; tiny = 0; -tiny = -0; inf = inf; -inf = -inf; -nan = nan; snan = nan; max = max
""")
same_type("round", ["f32"], """
    8388607.5 = 8388608; 4194304.5 = 4194304; -4194305.5 = -4194306; 8388609 = 8388609; 16777217 = 16777216
""")
same_type("round", ["f64"], """
    4503599627370495.5 = 4503599627370496; 2251799813685248.5 = 2251799813685248;
    4503599627370497 = 4503599627370497
""")

# Clip and its relatives: min(max(x, low), high) by the rules of max and min.
same_type("clip", FLOATS, """
    5, 0, 3 = 3; -5, 0, 3 = 0; 1, 0, 3 = 1; 1, 3, 0 = 0; 9, 3, 0 = 0; nan, 0, 1 = nan; -nan, 0, 1 = nan;
    1, nan, 2 = nan; 1, 0, snan = nan; -0, 0, 1 = 0; 0, -0, 1 = -0; 0, -1, -0 = -0; -0, -1, 0 = 0;
    inf, None, None = max; -inf, None, None = lowest; inf = max; -inf = lowest; nan = nan; 7 = 7;
    inf, 0, None = max; -inf, None, 1 = lowest; inf, 0, inf = inf; -inf, -inf, 0 = -inf; -0 = -0; 5, None, 3 = 3;
    -5, -1 = -1
""")
same_type("clip", INTEGERS, """
    5, 1, 3 = 3; 0, 1, 3 = 1; 2, 1, 3 = 2; 2, 3, 1 = 1; max, None, None = max; lowest, None, None = lowest;
    max, None, 7 = 7; max = max
""")
same_type("clip", FLOATS, "5 = 3; -5 = 0; nan = nan; 1 = 1", min=0.0, max=3.0)
same_type("clip", FLOATS, "inf = 3; -inf = lowest; 1 = 1", max=3.0)
same_type("clamp", FLOATS, "5 = 5; -0 = -0; nan = nan; snan = nan", min=-0.0)
same_type("clamp", FLOATS, "-inf = -0; 0 = -0; -5 = -0; inf = inf", min=-0.0)
same_type("clamp", FLOATS, "-inf = -inf; inf = 1; 1 = 1; -nan = nan; 0.5 = 0.5", max=1.0)
same_type("clamp", FLOATS, "2 = 1; -2 = -1; 0 = 0; nan = nan; inf = 1; -inf = -1", min=-1.0, max=1.0)
same_type("clamp", FLOATS, "2 = -1; -2 = -1; 0 = -1; nan = nan", min=1.0, max=-1.0)
same_type("clamp", FLOATS, """
    5, 0, 3 = 3; 1, 3, 0 = 0; inf, None, None = inf; -inf, None, None = -inf; inf, 0, None = inf; 1, nan, 2 = nan;
    0, -0, 1 = -0
""")
same_type("clamp", INTEGERS, "5, 1, 3 = 3; 2, 3, 1 = 1; max, None, None = max; lowest, 0, None = 0")
same_type("clamp_min", FLOATS, """
    inf, 0 = inf; -inf, 0 = 0; 0, -0 = -0; -0, 0 = 0; nan, 0 = nan; 1, nan = nan; 2, 3 = 3; 4, 3 = 4
""")
same_type("clamp_max", FLOATS, """
    inf, 0 = 0; -inf, 0 = -inf; 0, -0 = -0; -0, 0 = 0; nan, 0 = nan; 1, nan = nan; 2, 3 = 2; 4, 3 = 3
""")
same_type("clamp_min", INTEGERS, "2, 3 = 3; 4, 3 = 4; lowest, 5 = 5")
same_type("clamp_max", INTEGERS, "2, 3 = 2; 4, 3 = 3; max, 5 = 5")
same_type("clamp_min", FLOATS, "inf = inf; -2 = 0.5; nan = nan", min=0.5)
same_type("clamp_max", FLOATS, "-inf = -inf; 2 = 0.5; nan = nan", max=0.5)

same_type("scaled_add", FLOATS, """
    1, 1 = 5; -0, -0 = -0; inf, -inf = nan; inf, 1 = inf; snan, 1 = nan; max, max = inf; 0, -0 = 0; tiny, tiny = 0x5
""", alpha=2.0, beta=3.0)
same_type("scaled_add", FLOATS, "1, 1 = 0; inf, 1 = inf; 0, 0 = 0; -0, 0 = -0", alpha=1.0, beta=-1.0)
same_type("scaled_add", FLOATS, "inf, 1 = nan; 1, inf = inf; -1, -0 = -0; 1, -0 = 0", alpha=0.0, beta=1.0)
# Both products are rounded before the sum: (1+ulp)**2 - 1-2ulp is 0, fused it would be ulp**2.
same_type("scaled_add", ["f32"], "0x3f800001, 0x3f800002 = 0", alpha=1 + 2.0**-23, beta=-1.0)
same_type("scaled_add", ["f16"], "65504, 1 = inf", alpha=2.0, beta=-65504.0)
same_type("powi", FLOATS, "nan = 1; -nan = 1; 0 = 1; inf = 1; -inf = 1; 5 = 1", exp=0)
same_type("powi", FLOATS, "3 = 9; -3 = 9; 0 = 0; -0 = 0; inf = inf; -inf = inf; -nan = nan; tiny = 0; max = inf", exp=2)
same_type("powi", FLOATS, """
    -2 = -8; -0 = -0; 0 = 0; -inf = -inf; -tiny = -0; lowest = -inf; 1 = 1; -1 = -1; 0.5 = 0.125
""", exp=3)
same_type("powi", FLOATS, "2 = 0.5; -2 = -0.5; 0 = inf; -0 = -inf; inf = 0; -inf = -0; snan = nan; 3 = 1/3", exp=-1)
same_type("powi", FLOATS, "0 = inf; -0 = inf; -inf = 0; -2 = 0.25; 4 = 0.0625", exp=-2)
same_type("powi", FLOATS, "1 = 1; -1 = -1; 2 = inf; -2 = -inf; 0.5 = 0; -0.5 = -0; -0 = -0; -inf = -inf", exp=2**31 - 1)
same_type("powi", FLOATS, "1 = 1; -1 = 1; 2 = 0; -2 = 0; 0.5 = inf; -0 = inf; -inf = 0", exp=-(2**31))
same_type("powi", FLOATS, "-3 = -3; nan = nan; tiny = tiny; max = max", exp=1)
same_type("powi_backward", FLOATS, "nan, 1 = 0; 0, inf = 0; 2, nan = 0; inf, -1 = 0; -1, -5 = 0", exp=0)
same_type("powi_backward", FLOATS, "5, 3 = 3; nan, 3 = 3; 0, -2 = -2; inf, 0 = 0; 5, nan = nan", exp=1)
same_type("powi_backward", FLOATS, """
    3, 1 = 6; 3, 2 = 12; -0, 1 = -0; inf, 1 = inf; inf, 0 = nan; nan, 1 = nan; 1, max = inf
""", exp=2)
same_type("powi_backward", FLOATS, "2, 1 = -0.25; 0, 1 = -inf; -0, 1 = -inf; inf, 1 = -0; -inf, -1 = 0", exp=-1)
same_type("powi_backward", ["f16"], "1, 1 = inf; 1, -1 = -inf; 0.5, 1 = nan", exp=100000)
same_type("powi_backward", ["f32"], "1, 1 = -2147483648; -1, 1 = 2147483648; 2, 1 = -0; 1, 0 = -0", exp=-(2**31))

same_type("pow", FLOATS, """
    nan, 0 = 1; nan, -0 = 1; -nan, 0 = 1; inf, 0 = 1; 0, 0 = 1; 1, nan = 1; 1, inf = 1; 1, -inf = 1; -1, inf = 1;
    -1, -inf = 1; nan, 1 = nan; 2, nan = nan; -1, nan = nan; 0, nan = nan; 0, -1 = inf; -0, -1 = -inf;
    -0, -3 = -inf; 0, -2 = inf; -0, -2 = inf; -0, -0.5 = inf; 0, -inf = inf; -0, -inf = inf; 0, 3 = 0; -0, 3 = -0;
    -0, 2 = 0; -0, 0.5 = 0; -0, inf = 0; 0.5, inf = 0; 0.5, -inf = inf; 2, inf = inf; 2, -inf = 0; -2, inf = inf;
    -0.5, -inf = inf; inf, 2 = inf; inf, -2 = 0; inf, -0.5 = 0; -inf, 3 = -inf; -inf, 2 = inf; -inf, 0.5 = inf;
    -inf, -3 = -0; -inf, -2 = 0; -inf, -0.5 = 0; -inf, inf = inf; -inf, -inf = 0; -2, 0.5 = nan; -2, 3 = -8;
    -2, 2 = 4; -2, -1 = -0.5; 2, 10 = 1024; 4, 0.5 = 2; 2.25, 1.5 = 3.375; 9, 1.5 = 27; 3, 2 = 9; 10, -1 = 1/10;
    -tiny, 0.5 = nan; max, 2 = inf; lowest, 3 = -inf; tiny, 2 = 0; -tiny, 3 = -0; 1, max = 1; -1, max = 1;
    max, 1 = max; tiny, 1 = tiny; 2, max = inf; 0.5, max = 0; -inf, max = inf; -0, lowest = inf; snan, 1 = nan
""")
for _base in INTEGERS:
    mixed_types("pow", (_base, _base), _base, """
        10, 0 = 1; 0, 0 = 1; 2, 3 = 8; 3, 4 = 81; max, 1 = max; max, 2 = max; 11, 2 = 121; 1, max = 1; 0, 3 = 0
    """)
    mixed_types("pow", (_base, "f64"), _base, """
        0, -1 = max; 10, -1 = 0; 1, nan = 1; 5, nan = 0; 4, 0.5 = 2; 2, 0.5 = 1; 2, inf = max; 2, -inf = 0;
        3, 1000 = max; 0, -0.5 = max; 7, 0 = 1
    """)
for _base in SIGNED_INTEGERS:
    mixed_types("pow", (_base, _base), _base, """
        10, -1 = 0; 0, -1 = max; -2, 3 = -8; -1, -1 = -1; 2, -1 = 0; 1, -5 = 1; -1, -2 = 1; lowest, 1 = lowest;
        lowest, 3 = lowest; lowest, 2 = max; 0, lowest = max
    """)
    mixed_types("pow", (_base, "f32"), _base, "-2, 0.5 = 0; -1, inf = 1; -3, 1001 = lowest; -2, 2 = 4; -2, nan = 0")
mixed_types("pow", ("f32", "i64"), "f32", """
    -1, 9007199254740993 = -1; -1, 9007199254740992 = 1; 2, -149 = tiny; 2, -150 = 0; 1.5, 2 = 2.25; nan, 0 = 1;
    -0, -3 = -inf; 1, lowest = 1; -1, lowest = 1; -1, max = -1
""")
mixed_types("pow", ("f32", "i32"), "f32", """
    -1, 16777217 = -1; -2, 31 = -2147483648; 0, lowest = inf; -0, max = -0; -1, max = -1
""")
mixed_types("pow", ("f32", "u64"), "f32", "-1, max = -1; 2, 127 = 2^127; 2, 128 = inf; 0, max = 0; 0.5, max = 0")
mixed_types("pow", ("f16", "f64"), "f16", """
    2, 0.5 = 1.4142135623730950488; 2, 15.9 = 61147.2; -1, 9007199254740991 = -1; 2, 16 = inf; 2, -24 = tiny
""")
mixed_types("pow", ("f32", "f64"), "f32", """
    -1, 9007199254740991 = -1; -1, 4503599627370495.5 = nan; 2, -149.5 = tiny; 2, -150 = 0
""")
mixed_types("pow", ("f64", "u8"), "f64", "10, 2 = 100; -1, 255 = -1; 2, 255 = 2^255; 0, 0 = 1")

# --- 3.2 transcendentals, activations ---------------------------------------------------------------------------------

same_type("exp", FLOATS, """
    0 = 1; -0 = 1; inf = inf; -inf = 0; nan = nan; -nan = nan; snan = nan; max = inf; lowest = 0; tiny = 1;
    -tiny = 1
""")
same_type("exp", ["f32"], "88.73 = inf; -104 = 0; -103.98 = 0; -103.97 = tiny; 1 = 2.71828182845904523536")
same_type("exp", ["f16"], "12 = inf; -18 = 0; -17 = tiny; 11 = 59874.1417; 1 = 2.71828182845904523536")
same_type("exp", ["f64"], "710 = inf; -746 = 0; -745 = tiny; 1 = 2.71828182845904523536")
same_type("log", FLOATS, """
    1 = 0; 0 = -inf; -0 = -inf; -1 = nan; -inf = nan; -tiny = nan; inf = inf; -nan = nan;
    2 = 0.69314718055994530942; 10 = 2.302585092994045684
""")
same_type("sin", FLOATS, """
    0 = 0; -0 = -0; inf = nan; -inf = nan; nan = nan; snan = nan; tiny = tiny; -tiny = -tiny;
    1 = 0.84147098480789650665
""")
same_type("cos", FLOATS, "0 = 1; -0 = 1; inf = nan; -inf = nan; -nan = nan; tiny = 1; 1 = 0.54030230586813971740")
same_type("sin", ["f64"], "1e22 = -0.8522008497671888017727")
same_type("cos", ["f64"], "1e22 = 0.52321478539513894550")
same_type("tanh", FLOATS, """
    0 = 0; -0 = -0; inf = 1; -inf = -1; nan = nan; -nan = nan; max = 1; lowest = -1; tiny = tiny; -tiny = -tiny;
    100 = 1
""")
same_type("erf", FLOATS, """
    0 = 0; -0 = -0; inf = 1; -inf = -1; -nan = nan; max = 1; lowest = -1; tiny = tiny; -tiny = -tiny; 100 = 1
""")
same_type("erfc", FLOATS, "0 = 1; -0 = 1; inf = 0; -inf = 2; -nan = nan; max = 0; lowest = 2; tiny = 1; -100 = 2")
same_type("erfc", ["f32"], "10.05 = tiny; 10.06 = 0")
same_type("sigmoid", FLOATS, """
    0 = 0.5; -0 = 0.5; inf = 1; -inf = 0; nan = nan; -nan = nan; max = 1; lowest = 0; tiny = 0.5
""")
same_type("sigmoid", ["f32"], "-103 = tiny; -104 = 0; -88 = 0x0041edc4")
same_type("silu", FLOATS, """
    0 = 0; -0 = -0; inf = inf; -inf = -0; nan = nan; -nan = nan; max = max; lowest = -0; tiny = tiny; -tiny = -0;
    1 = 0.73105857863000487925
""")
for _form in ("none", "tanh"):
    same_type("gelu", FLOATS, """
        0 = 0; -0 = -0; inf = inf; -inf = -0; nan = nan; -nan = nan; max = max; lowest = -0; tiny = tiny; -tiny = -0
    """, approximate=_form)
same_type("gelu", FLOATS, """
    0 = 0; -0 = -0; inf = inf; -inf = -0; -nan = nan; 1 = 0.84134474606854294859; -1 = -0.15865525393145705141
""")
same_type("gelu", FLOATS, "1 = 0.8411919906082767047820; -1 = -0.1588080093917232952180", approximate="tanh")
same_type("gelu_tanh", FLOATS, "0 = 0; -0 = -0; inf = inf; -inf = -0; -nan = nan")
same_type("relu", FLOATS, """
    -0 = 0; 0 = 0; -5 = 0; 5 = 5; nan = nan; -nan = nan; snan = nan; inf = inf; -inf = 0; tiny = tiny; -tiny = 0;
    max = max; lowest = 0
""")
same_type("step", FLOATS, """
    0 = 0; -0 = 0; 5 = 1; -5 = 0; nan = 0; -nan = 0; snan = 0; inf = 1; -inf = 0; tiny = 1; -tiny = 0
""")
same_type("leaky_relu", FLOATS, """
    -0 = -0; 0 = 0; nan = nan; -nan = nan; snan = nan; inf = inf; -inf = -inf; 5 = 5; -tiny = -0; max = max
""")
same_type("leaky_relu", FLOATS, "-2 = -1; 2 = 2; -tiny = -0; -inf = -inf; -0 = -0", alpha=0.5)
same_type("leaky_relu", FLOATS, "-2 = -0; -inf = nan; 2 = 2; inf = inf", alpha=0.0)
same_type("leaky_relu", ["f32"], "-100 = -1; -1 = 0xbc23d70a")
same_type("leaky_relu", ["f64"], "-100 = -1; -1 = 0xbf847ae147ae147b")
same_type("hard_sigmoid", FLOATS, """
    0 = 0.5; -0 = 0.5; 5 = 1; -5 = 0; inf = 1; -inf = 0; nan = nan; -nan = nan; snan = nan; max = 1; lowest = 0;
    tiny = 0.5
""")
same_type("hard_sigmoid", FLOATS, "-0 = 0; 1 = 0.5; inf = 1; -1 = 0; 3 = 1", alpha=0.5, beta=0.0)
same_type("hard_sigmoid", FLOATS, "inf = nan; 1 = 0.25", alpha=0.0, beta=0.25)
same_type("hard_swish", FLOATS, """
    0 = 0; -0 = -0; inf = inf; -inf = nan; nan = nan; -nan = nan; 3 = 3; 10 = 10; -3 = -0; -10 = -0; max = max;
    lowest = -0
""")

# --- 3.3 comparison, logic, selection ---------------------------------------------------------------------------------

same_type("equal", FLOATS, """
    nan, nan = false; 0, -0 = true; 1, 1 = true; 1, 1+ulp = false; inf, inf = true; inf, -inf = false;
    tiny, 0 = false; nan, 1 = false
""", "bool")
same_type("less", FLOATS, """
    nan, 1 = false; 1, nan = false; -0, 0 = false; 0, -0 = false; 0, tiny = true; -tiny, 0 = true;
    -inf, lowest = true; max, inf = true; 1, 1 = false
""", "bool")
same_type("greater", FLOATS, """
    nan, 1 = false; 1, nan = false; 0, -0 = false; tiny, 0 = true; 0, -tiny = true; inf, max = true; 1, 1 = false
""", "bool")
same_type("less_or_equal", FLOATS, """
    nan, nan = false; nan, 1 = false; 0, -0 = true; -0, 0 = true; 1, 1 = true; 1+ulp, 1 = false; inf, inf = true;
    tiny, 0 = false
""", "bool")
same_type("greater_or_equal", FLOATS, """
    nan, nan = false; 1, snan = false; 0, -0 = true; -0, 0 = true; 1, 1 = true; 1, 1+ulp = false; -inf, -inf = true;
    0, tiny = false
""", "bool")
for _op, _truth in (
    ("equal", "001"), ("less", "100"), ("greater", "010"), ("less_or_equal", "101"), ("greater_or_equal", "011"),
):
    _lower, _higher, _same = ("true" if each == "1" else "false" for each in _truth)
    same_type(_op, INTEGERS, f"""
        1, 2 = {_lower}; 2, 1 = {_higher}; max, max = {_same}; lowest, max = {_lower}; max, lowest = {_higher}
    """, "bool")
    same_type(_op, SIGNED_INTEGERS, f"-1, 0 = {_lower}; 0, lowest = {_higher}", "bool")
same_type("equal", ["bool"], """
    true, true = true; false, true = false; false, false = true; 0x02, true = true; 0xff, 0x80 = true;
    0x40, false = false
""", "bool")
same_type("not", ["bool"], "true = false; false = true; 0x02 = false; 0x80 = false; 0xff = false")
same_type("and", ["bool"], """
    true, true = true; true, false = false; false, true = false; false, false = false; 0x02, 0x01 = true;
    0x80, 0x40 = true
""")
same_type("or", ["bool"], """
    true, true = true; true, false = true; false, true = true; false, false = false; 0x02, 0x00 = true;
    0x80, 0x01 = true
""")
same_type("xor", ["bool"], """
    true, true = false; true, false = true; false, true = true; false, false = false; 0x02, 0x01 = false;
    0x80, 0x00 = true
""")
for _name in ALL_TYPES:
    mixed_types("where", ("bool", _name, _name), _name, """
        true, 1, 0 = 1; false, 1, 0 = 0; 0x02, 1, 0 = 1; 0xff, 0, 1 = 0
    """)
for _name in FLOATS:
    mixed_types("where", ("bool", _name, _name), _name, """
        true, -nan, 0 = nan; false, 0, snan = nan; true, -0, 0 = -0; false, -nan, tiny = tiny;
        true, -inf, nan = -inf
    """)
mixed_types("where", ("bool", "bool", "bool"), "bool", "true, 0x02, false = true; false, false, 0x80 = true")

# --- 3.4 casts --------------------------------------------------------------------------------------------------------


def casts(source: str, target: str, rows: str) -> None:
    """Enters rows of 'operand = result' for a cast and for a cast like an array of the target type."""
    mixed_types("cast", (source,), target, rows, to=str(DTYPES[target]))


for _source in FLOATS:
    for _target in INTEGERS:
        casts(_source, _target, """
            nan = 0; -nan = 0; snan = 0; inf = max; -inf = lowest; 0 = 0; -0 = 0; 1.9 = 1; tiny = 0; -tiny = 0;
            2.5 = 2; -0.9 = 0; 100 = 100
        """)
    for _target in SIGNED_INTEGERS:
        casts(_source, _target, "-1.9 = -1; -2.5 = -2; -100 = -100")
    for _target in UNSIGNED_INTEGERS:
        casts(_source, _target, "-1 = 0; -1.9 = 0; lowest = 0")
    casts(_source, "i8", "127 = 127; 128 = 127; -128 = -128; -129 = -128; 300 = 127; max = 127; lowest = -128")
    casts(_source, "u8", "255 = 255; 256 = 255; 300 = 255; max = 255")
    casts(_source, "bool", """
        0 = false; -0 = false; 1 = true; nan = true; -nan = true; snan = true; tiny = true; -tiny = true;
        inf = true; -0.5 = true
    """)
    casts("bool", _source, "true = 1; false = 0; 0x02 = 1; 0xff = 1")
    for _target in FLOATS:
        casts(_source, _target, """
            nan = nan; -nan = nan; snan = nan; inf = inf; -inf = -inf; 0 = 0; -0 = -0; 1 = 1; -2.5 = -2.5
        """)
for _source in ("f32", "f64"):
    casts(_source, "f16", """
        65504 = 65504; 65519.9 = 65504; 65520 = inf; -65520 = -inf; 1e6 = inf; 2^-24 = tiny; 2^-25 = 0; -2^-25 = -0;
        2049 = 2048; 2051 = 2052; tiny = 0; -tiny = -0
    """)
    casts(_source, "i32", """
        2147483520 = 2147483520; 2147483648 = max; -2147483648 = lowest; -2147483904 = lowest; 1e20 = max;
        max = max; lowest = lowest
    """)
    casts(_source, "i64", """
        2^62 = 4611686018427387904; 2^63 = max; -2^63 = lowest; 2^64 = max; max = max; lowest = lowest
    """)
    casts(_source, "u64", "2^63 = 9223372036854775808; 2^64 = max; max = max; 2^62 = 4611686018427387904")
    casts(_source, "u32", "4294967040 = 4294967040; 2^32 = max; 2^31 = 2147483648; max = max")
    casts(_source, "bf16", "257 = 256; 259 = 260; 1.00390625 = 1; 1.01171875 = 1.015625")
casts("f64", "f32", """
    max = inf; lowest = -inf; 3.4028235677973366e38 = inf; 3.4028235677973362e38 = max; 2^-149 = tiny; 2^-150 = 0;
    tiny = 0; -tiny = -0; 16777217 = 16777216; 16777219 = 16777220
""")
casts("f64", "f32", "0x36a8000000000000 = 0x2; 0x3690000000000000 = 0; 0x3690000000000001 = tiny")
# Rounded once from f64, never through f32: 1 + 2**-11 + 2**-40 is above the midpoint that f32 would round it to.
casts("f64", "f16", "0x3ff0020000000000 = 1; 0x3ff0020000001000 = 1+ulp")
casts("f64", "bf16", "0x3ff0100000000000 = 1; 0x3ff0100000000001 = 1+ulp; max = inf")
casts("f32", "bf16", """
    max = inf; 0x3f808000 = 1; 0x3f808001 = 1+ulp; 0x3f818000 = 0x3f82; 0x7f7f7fff = max; 0x7f7f8000 = inf;
    tiny = 0; 0x00008001 = tiny; 0x00018000 = 0x2
""")
casts("f16", "bf16", "max = 65536; tiny = 2^-24; 1+ulp = 1; 0x3c04 = 1; 0x3c0c = 0x3f82; subnormal = 2^-14")
casts("bf16", "f16", "max = inf; 1+ulp = 1.0078125; tiny = 0; 2^-24 = tiny; 65280 = 65280; 65536 = inf; -65536 = -inf")
casts("f16", "f32", "max = 65504; tiny = 2^-24; subnormal = 0x387fc000")
casts("f16", "f64", "max = 65504; tiny = 2^-24; -tiny = -2^-24")
casts("f32", "f64", "tiny = 2^-149; max = 340282346638528859811704183484516925440; -tiny = -2^-149")
casts("bf16", "f32", "tiny = 0x00010000; max = 0x7f7f0000")
casts("f64", "i64", """
    9223372036854774784 = 9223372036854774784; 4503599627370495.5 = 4503599627370495;
    4503599627370497 = 4503599627370497; -0.5 = 0
""")
casts("f64", "u64", "18446744073709549568 = 18446744073709549568; 9223372036854775808 = 9223372036854775808")
casts("f16", "i16", "max = max; 32752 = 32752; lowest = lowest")
casts("f16", "u16", "max = 65504")
casts("i32", "i8", "127 = 127; 128 = -128; 256 = 0; -129 = 127; lowest = 0; max = -1")
casts("i32", "u8", "-1 = 255; 256 = 0; 511 = 255")
casts("i8", "u64", "-1 = max; lowest = 18446744073709551488")
casts("i64", "i32", "4294967296 = 0; 2147483648 = lowest; -1 = -1; max = -1; lowest = 0")
casts("u64", "i64", "max = -1; 9223372036854775808 = lowest")
casts("u8", "i8", "255 = -1; 128 = lowest; 127 = 127")
casts("i64", "u64", "-1 = max; lowest = 9223372036854775808")
casts("i64", "f32", """
    16777217 = 16777216; 16777219 = 16777220; max = 2^63; lowest = -2^63; 0 = 0; 9007199791611905 = 9007200328482816
""")
casts("i64", "f64", """
    9007199254740993 = 9007199254740992; 9007199254740995 = 9007199254740996; max = 2^63; lowest = -2^63
""")
casts("u64", "f64", """
    max = 2^64; 9007199254740993 = 9007199254740992; 18446744073709550591 = 18446744073709549568;
    18446744073709550592 = 2^64
""")
casts("u64", "f32", """
    max = 2^64; 18446743523953737727 = 18446742974197923840; 18446743523953737728 = 2^64; 16777217 = 16777216
""")
casts("i64", "f16", """
    65519 = 65504; 65520 = inf; -65520 = -inf; max = inf; lowest = -inf; 2049 = 2048; 2051 = 2052; 0 = 0
""")
casts("u64", "f16", "65519 = 65504; 65520 = inf; max = inf")
casts("i32", "f16", "65519 = 65504; 65520 = inf; lowest = -inf; -2049 = -2048")
casts("u16", "f16", "65519 = 65504; 65520 = inf; max = inf; 2049 = 2048")
casts("i64", "bf16", """
    257 = 256; 259 = 260; max = 2^63; lowest = -2^63; 72339069014638593 = 72620543991349248;
    72339069014638592 = 72057594037927936
""")
casts("u64", "bf16", "max = 2^64; 257 = 256; 72339069014638593 = 72620543991349248")
casts("i32", "f32", "16777217 = 16777216; max = 2^31; lowest = -2^31")
casts("u32", "f32", "max = 2^32; 16777219 = 16777220")
for _source in INTEGERS:
    casts(_source, "bool", "0 = false; 1 = true; lowest+ulp = true; max = true; 2 = true")
    casts("bool", _source, "true = 1; false = 0; 0x02 = 1; 0x80 = 1")
casts("bool", "bool", "true = true; 0x02 = true; false = false")
for _source, _target in (
    ("f32", "f16"), ("f64", "i8"), ("i64", "bool"), ("f16", "bf16"), ("bool", "f32"), ("u8", "i64"),
):
    mixed_types("cast_like", (_source, _target), _target, """
        0, 1 = 0; 1, 0 = 1
    """ if _source != "bool" else "true, 0 = 1; false, 1 = 0")
mixed_types("cast_like", ("f32", "i32"), "i32", "nan, 5 = 0; inf, 5 = max; -2.9, 0 = -2")
mixed_types("cast_like", ("f32", "f16"), "f16", "65520, nan = inf; -nan, 1 = nan; -0, inf = -0")
mixed_types("cast_like", ("f64", "f32"), "f32", "1e300, 1 = inf; tiny, snan = 0")

# fmt: on


def special_cases_of(op: str) -> list[SpecialCase]:
    """The cases of one operator."""
    return [case for case in SPECIAL_CASES if case.op == op]


__all__ = ["NUMERIC", "SIGNED", "SPECIAL_CASES", "SpecialCase", "parse", "special_cases_of"]
