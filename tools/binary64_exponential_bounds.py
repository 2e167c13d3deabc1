"""Proves the error bounds of the float64 fast phases of exp, sigmoid, silu, tanh and gelu_tanh.

exp and tanh: the kernels' own lane functions run on enclosures (error_bounds.py), for every row of their tables. What follows
exp in the others is short, and its cancellations are seen better by hand: :func:`quotient` and :func:`argument` say how.
tools/derive_binary64_exponential.py writes the results into exactops/numerics/binary64/tables/exponential_errors.py.
"""

from __future__ import annotations

import math
from fractions import Fraction

from error_bounds import Value, constant, distance, pieces, substituted
from mpmath import mp, mpf

mp.prec = 500

#: Half an ulp of a number just above 1.
UNIT = Fraction(1, 2**53)
#: What a head of 26 bits may leave of a number, beside it.
CUT = Fraction(1, 2**25)
#: No argument of an exponential is larger.
LARGEST = 700


def above(bound: Fraction) -> float:
    """A double of eight bits that is not below a bound, nor below what computing with it and heads for results may change."""
    bound *= 1 + Fraction(1, 2**20)
    exponent = math.floor(math.log2(bound)) - 7
    return float(math.ceil(bound / Fraction(2) ** exponent) * Fraction(2) ** exponent)


def exp_pair(low: Fraction = Fraction(0)) -> tuple[Fraction, Fraction, Fraction]:
    """Bounds of ``exp_parts``: of the error, of the error beside the result, and of ``power_low``, for |low part| <= ``low``.

    ``reduced`` is exact: a multiple of the last bits of the argument and of STEP_HIGH, and below 2**53 of them. It reaches half
    a step and a little: rounding the argument times INVERSE_STEP, below 2**19, moves it by 2**-33 of a step, and k * STEP_LOW
    is below 2**-24.
    """
    from exactops.numerics.binary64 import exponential as core

    reach = Fraction(core.STEP_HIGH) * Fraction(501, 1000)
    steps = Value.known(-(1 << 19), 1 << 19, 0)
    step = mp.log(2) / 256
    coefficients = [1, 1, 0.5, *core.TAIL]
    beyond = reach + low + Fraction(1, 2**20)
    terms = len(coefficients) + 8
    truncation = distance(coefficients, lambda n: Fraction(1, math.factorial(n)), -beyond, beyond, terms, 2 * beyond**terms)
    largest, relative, rest = Fraction(0), Fraction(0), Fraction(0)
    for j, (power, offset) in enumerate(core.POWERS.rows.tolist()):
        row = constant(power), constant(offset, mp.log(mpf(2) ** (mpf(j) / 256) / mpf(power)))
        with substituted(core.exp_reduced, lookup_rows=lambda table, index, row=row: row):
            bottom = Value.known(-low, low) - steps * constant(core.STEP_LOW, step - mpf(core.STEP_HIGH))
            high, power_low = core.exp_reduced(Value.known(-reach, reach), bottom, None)
        error = high.error + power_low.error + truncation * Fraction(power)
        largest, rest = max(largest, error), max(rest, power_low.largest)
        relative = max(relative, error / (Fraction(power) * (1 - beyond)))
    return largest, relative, rest


def quotient(power_low: Fraction) -> Fraction:
    """The error that ``sigmoid_parts`` adds, beside the result, where ``power_low`` bounds that part beside the power.

    Let D be the exact denominator 1 + power + power_low.
    - ``total`` is within 3 * UNIT of D, beside it; ``top`` is its head.
    - ``larger - top`` is exact. If ``larger`` is 1, both are multiples of top's last bit, 2**-25 or 2**-24. Else ``larger`` is
      the power, in [2**e, 2**(e+1)), and the difference is a multiple of 2**(e-52) below 2**(e+1): top is at most
      1 + power_low above.
    - Adding ``smaller`` gives D - power_low - top, at most (CUT + 3 * UNIT + power_low) * D, and adding ``power_low`` at most
      (CUT + 3 * UNIT) * D: both round by UNIT times that.
    - ``quotient`` is within 5 * UNIT of 1/D; ``head * top`` is exact, 1 - head * top is at most 2 * CUT + 9 * UNIT and exact
      (Sterbenz). ``head * bottom`` and the difference round by UNIT times their size, the last product by as much of the rest,
      and the quotient's own error counts times the rest only.
    """
    size = CUT + 3 * UNIT
    bottom = UNIT * (size + power_low) + UNIT * size
    rest = 2 * CUT + 9 * UNIT
    return bottom * (1 + 9 * UNIT) + UNIT * size * 2 + UNIT * rest + UNIT * rest + 6 * UNIT * (rest + size)


def product() -> Fraction:
    """The error that ``round_product`` adds beside the result: ``top * high`` and ``(x - top) * high`` are exact.

    ``low`` is at most 2 * CUT and a little of ``high``: x * low rounds by UNIT times that, the sum by UNIT times it and CUT.
    """
    return UNIT * 3 * CUT + UNIT * 4 * CUT


def argument() -> tuple[Fraction, Fraction]:
    """The error of ``gelu_tanh_argument`` and its low part, both beside it.

    Let S be x**2 and F = SLOPE + CUBIC * S, a sum of positive terms, and all that follows beside S or F.
    - ``square_top`` is within a = CUT * (1 + UNIT) + UNIT of S. ``top * top`` is exact and so is what square_top leaves of it
      (Sterbenz). ``(x + top) * bottom`` is S - top**2, at most 2 * CUT, wrong by two roundings; the sum rounds once more.
    - ``factor`` is within c = CUT + 8 * UNIT of F, since what it is the head of is within 6 * UNIT. SLOPE_HIGH - factor is
      exact: both are multiples of 2**-25 below 2**6. CUBIC_HIGH * square_top is exact.
    - Their sum is F - factor without the terms of SLOPE_LOW, CUBIC_LOW and S - square_top, hence at most c + a + 2**-25, and
      rounds once. The other terms carry the error of ``square_bottom`` and the roundings of their own size.
    - ``top * factor`` and ``bottom * factor`` are exact; ``x * rest`` rounds, and the last sum, at most CUT + c.
    """
    a = CUT * (1 + UNIT) + UNIT
    b = 2 * CUT * (2 * UNIT + UNIT**2) + UNIT * (a + 5 * CUT * UNIT)
    c = CUT + 8 * UNIT
    small = Fraction(1, 2**26)  # SLOPE_LOW beside SLOPE; CUBIC_LOW beside CUBIC is below half of it
    first = UNIT * (c + a + 2 * small)
    second = UNIT * small + b + UNIT * (a + b) + 3 * UNIT * small + UNIT * (a + b + small) + UNIT * (2 * small + a + b)
    rest = first + second + UNIT * (c + first + second)
    return rest + UNIT * (c + rest) + UNIT * (CUT + c + 2 * rest), CUT + c + 2 * rest


def tanh_pair() -> Fraction:
    """The error of ``tanh_reduced`` beside the result, over every row and parts of its cell.

    Rounding 1 + size moves the upper borders of cells by less than 2**-40 of their width, and the lower ones not at all, since
    ties belong to the cell below. r is exact: where c is not 0 it and size are multiples of the last bit of the least size of
    the cell, and r is at most 2**53 of those below c, and above c as well. In the cell of 0 the part below 2**-32 is done by
    hand: there the roundings of ``beyond``, less than 2**-65 of r, and of the low part, below CUT * r, are all that is wrong.
    """
    from exactops.numerics.binary64 import tanh as core

    cells = 128
    series = tanh_series(40)
    result = UNIT * 2 * CUT + Fraction(1, 2**100)
    truncations: dict[int, Fraction] = {}
    number = -1
    while True:
        number += 1
        binade, place = divmod(number, cells)
        centre = (1 + Fraction(place, cells)) * 2**binade - 1
        row = core.CELLS.rows[(number + 7 * cells) % (8 * cells)].tolist()
        value = mp.tanh(mpf(centre.numerator) / centre.denominator)
        slope = 1 - value**2
        entries = (
            constant(row[0]),
            constant(row[1], value - mpf(row[0])),
            constant(row[2]),
            constant(row[3], slope - mpf(row[2])),
        )
        reach = Fraction(2) ** (binade - 8) * (1 + Fraction(1, 2**40))
        if number:
            border = centre - Fraction(2) ** (binade - 8)
            if centre - border > Fraction(math.ulp(float(border))) * 2**53 or reach > Fraction(math.ulp(float(centre))) * 2**53:
                raise ArithmeticError(f"size - c is not exact in the cell of {float(centre)}")
        if number == 0:
            parts = pieces(Fraction(1, 2**32), reach, 4, 23)
        else:
            parts = pieces(-reach, reach, 16 if number < 2 * cells else 2)
        # tanh(r) / r in r**2, with a remainder of the series, whose coefficients are below 1.
        if binade not in truncations:
            truncations[binade] = distance([1, *core.TAIL], lambda n: series[n], 0, reach**2, 16, 2 * reach**32, 16)
        truncation = truncations[binade]
        for low, high in parts:
            with substituted(core.tanh_reduced, lookup_rows=lambda table, index, entries=entries: entries):
                total, total_low = core.tanh_reduced(Value.known(low, high), None)
            # Besides what the rounding test loses in adding its bound to the low part.
            wrong = total.error + total_low.error + UNIT * total_low.largest * (1 + Fraction(1, 2**20))
            if number == 0:
                wrong += truncation * high
                least = low * (1 - low**2)
            else:
                wrong += truncation * reach * (abs(Fraction(row[2])) + UNIT) * (1 + 3 * reach)
                least = total.least
            result = max(result, wrong / least)
        if centre >= 20:
            return result


def tanh_series(terms: int) -> list[Fraction]:
    """The coefficients of tanh(r) / r in powers of r**2."""
    sinh = [Fraction(1, math.factorial(2 * n + 1)) for n in range(terms)]
    cosh = [Fraction(1, math.factorial(2 * n)) for n in range(terms)]
    found: list[Fraction] = []
    for n in range(terms):
        found.append(sinh[n] - sum(found[k] * cosh[n - k] for k in range(n)))
    return found


def bounds() -> dict[str, tuple[float, str]]:
    """The constants of the module ``exponential_errors``, with what they are.

    The rounding test adds its bound to the low part and rounds: half an ulp of that part, which each bound here has in it.
    """
    found: dict[str, tuple[float, str]] = {}
    largest, relative, power_low = exp_pair()
    found["EXP_ERROR"] = above(largest + 2 * UNIT * power_low), "exp: of a power in [1, 2), without a low part of the argument."
    found["EXP_RELATIVE_ERROR"] = above(relative), "The same beside the power."
    finish = quotient(2 * power_low) + 2 * UNIT * 3 * CUT + product()
    found["SIGMOID_ERROR"] = above(relative + finish), "sigmoid, and x * sigmoid(x), beside the result."
    # A low part is at most ``ratio`` of the high one. It adds something in proportion, found for each binade above 1.
    argument_error, ratio = argument()
    _, paired, power_low = exp_pair(ratio)
    per_argument = per_power_low = Fraction(0)
    for exponent in range(1, 11):
        size = Fraction(2) ** exponent
        _, more, rest = exp_pair(ratio * min(size, Fraction(LARGEST)))
        per_argument = max(per_argument, (more - paired) / (size / 2))
        per_power_low = max(per_power_low, (rest - power_low) / (size / 2))
    finish = quotient(2 * power_low) + 2 * UNIT * 3 * CUT + product()
    found["EXP_PAIR_ERROR"] = (
        above(paired),
        f"With a low part below 2**{math.log2(ratio):.2f} of the argument, beside the power: this,",
    )
    found["EXP_PAIR_ARGUMENT_ERROR"] = above(per_argument), "and this times the argument."
    found["GELU_TANH_ERROR"] = above(paired + finish), "gelu_tanh beside the result: this,"
    found["GELU_TANH_ARGUMENT_ERROR"] = (
        above(argument_error + per_argument + 3 * UNIT * per_power_low),
        "and this times the argument.",
    )
    found["TANH_ERROR"] = above(tanh_pair() + 2 * UNIT * 2 * CUT), "tanh beside the result."
    return found


if __name__ == "__main__":
    for name, (value, about) in bounds().items():
        print(f"{name} = 2**{math.log2(value):.2f}  {about}")
