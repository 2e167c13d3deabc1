"""Proves the error bounds of the float64 fast phases: runs their lane functions on Taylor models, over all that they can meet.

``prove_binary64.py [NAME ...]`` prints for each claim how much of the kernel's bound the proven error uses, and fails if that is
more than all of it, in any cell. See tools/taylor_models.py for what makes it a proof. The premises that are not part of the
cores, how far a reduced argument reaches and that its reduction is exact, are shown here in rational numbers.
"""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import taylor_models as tm
from mpmath import mp, mpf

mp.prec = 600


class Claim(NamedTuple):
    """A bound that a kernel relies on: the largest proven error in units of it, at most 1, and where that is."""

    name: str
    used: float
    place: str


def core(name: str):
    """A module of exactops.numerics.binary64."""
    return importlib.import_module(f"exactops.numerics.binary64.{name}")


def require(condition: bool, what: str) -> None:
    """A premise."""
    if not condition:
        raise AssertionError(what)


class Cells:
    """Boxes of inputs: columns of integers that stay, and of intervals, as pairs of arrays of lower and upper ends."""

    def __init__(self, fixed: list, intervals: list):
        self.fixed = [np.array(each, np.int64) for each in fixed]
        self.intervals = [(np.array(low, float), np.array(high, float)) for low, high in intervals]

    def chosen(self, mask) -> Cells:
        """The boxes of a mask, each cut in two along every interval that is not a point."""
        fixed = [each[mask] for each in self.fixed]
        intervals = [(low[mask], high[mask]) for low, high in self.intervals]
        for place in range(len(intervals)):
            low, high = intervals[place]
            # Positive intervals of more than a binade are cut in proportion.
            middle = np.where((low > 0) & (high > 2 * low), np.sqrt(np.abs(low * high)), (low + high) / 2)
            cut = high > low
            fixed = [np.concatenate([each, each[cut]]) for each in fixed]
            intervals = [(np.concatenate([a, a[cut]]), np.concatenate([b, b[cut]])) for a, b in intervals]
            first = np.where(cut, middle, high)
            intervals[place] = np.concatenate([low, middle[cut]]), np.concatenate([first, high[cut]])
        return Cells(fixed, intervals)


def prove(name: str, cells: Cells, evaluate: Callable, rounds: int = 8) -> Claim:
    """The worst cell of a claim. ``evaluate`` gives the proven and the allowed errors of cells; where it fails they are cut."""
    worst, place = 0.0, ""
    for turn in range(rounds):
        proven, allowed = np.broadcast_arrays(*(np.atleast_1d(each) for each in evaluate(cells)))
        used = proven / allowed
        settled = used <= 1 if turn < rounds - 1 else used >= 0
        if np.any(settled) and np.max(used[settled]) > worst:
            at = int(np.argmax(np.where(settled, used, 0)))
            worst = float(used[at])
            columns = [each[at] for each in cells.fixed] + [end[at] for each in cells.intervals for end in each]
            place = ", ".join(f"{float(each):.6g}" for each in columns)
        if np.all(settled):
            break
        cells = cells.chosen(~settled)
    return Claim(name, worst, place)


def shifted_error(shift: Fraction, inverse_step: float, step, size: float) -> mpf:
    """How far ``x - k * step`` reaches for ``k = x * inverse_step`` rounded by adding a number like 1.5 * 2**52, ``|x| <= size``.

    The product is wrong by 2**-53 of it and by the error of the constant, and the sum rounds to a multiple of ``shift``.
    """
    product = abs(mpf(size) * inverse_step)
    wrong = product * mpf(2) ** -53 + mpf(size) * abs(mpf(inverse_step) - 1 / step)
    return (mpf(shift.numerator) / shift.denominator / 2 + wrong) * step


# --- sin and cos --------------------------------------------------------------------------------------------------------


def sin_cos() -> Iterator[Claim]:
    """The core for all 512 rows behind the moderate reduction, with k from 0 to that of HUGE, and behind the one in integers."""
    module = core("sin_cos")
    step = mp.pi / 512
    parts = [module.STEP_1, module.STEP_2, module.STEP_3]
    most = int(module.HUGE * module.INVERSE_STEP) + 2
    # The products with k are exact: at most 53 bits. So are the differences, as the docstring of the reduction says: every one
    # is a multiple of the last bit of k's product, or of the argument's, and below 2**53 of these.
    require(all(tm._grid_and_width(part)[1] + most.bit_length() <= 53 for part in parts), "k times a part of the step")
    reach = float(shifted_error(Fraction(1), module.INVERSE_STEP, step, module.HUGE) * (1 + mpf(2) ** -30))
    left = [step - sum(map(mpf, parts[: n + 1])) for n in range(3)]
    for n, part in enumerate(parts):
        grid = tm._grid_and_width(part)[0]
        require(reach + most * abs(left[n]) <= mpf(2) ** (53 + grid), "a difference of the reduction")
    # The argument, from half a step on where k > 0, is a multiple of 2**-61, and STEP_3's products are of finer numbers.
    require(step / 2 > mpf(2) ** -9 and tm._grid_and_width(parts[2])[0] >= -61 + 0, "the argument's last bit")
    # Of the last part: its own error and that of its product with k.
    last_error = float((abs(left[2] - mpf(module.STEP_4)) + mpf(module.STEP_4) * mpf(2) ** -53) * (1 + mpf(2) ** -30))

    boxes = [
        (number, -reach, reach, first, last)
        for number in range(1, 512)
        for first, last in ((0, 2**12), (2**12, 2**24), (2**24, 2**30), (2**30, 2**34), (2**34, most))
    ]
    boxes += [(0, a, b, 0, 0) for a, b in zip(*tm.binades(2.0**-60, reach), strict=True)]
    # Multiples of 512 steps; |r| is at least k * NEAR.
    for first, last in zip(*tm.binades(512.0, float(most)), strict=True):
        for a, b in zip(*tm.binades(first * module.NEAR * (1 - 2.0**-40), reach), strict=True):
            boxes += [(0, a, b, first, last), (0, -b, -a, first, last)]
    numbers, low, high, least, largest = zip(*boxes, strict=True)
    angles = np.array([mp.sin(number * step) for number in range(512)], object)
    cosines = np.array([mp.cos(number * step) for number in range(512)], object)

    def evaluate(cells: Cells):
        (numbers,), ((low, high), (least, largest)) = cells.fixed, cells.intervals
        whole = tm.variable(low, high)
        last = tm.variable(least * module.STEP_4 * (1 - 2.0**-50), largest * module.STEP_4 * (1 + 2.0**-50))
        with tm.abstract_lanes():
            # As reduce_moderate ends.
            rest = tm.Value(whole.model + last.model)
            r_high = tm.abstract_leading_part(rest)
            y, y_low = module.sine_core(tm.Rows(numbers), r_high, (rest - r_high) - last, rest - last)
        ideal = tm.Model.of(angles[numbers]) * tm.cos(whole.model) + tm.Model.of(cosines[numbers]) * tm.sin(whole.model)
        error = tm.bound(y, y_low, ideal).absolutes + largest * last_error
        return error, y.model.least() * module.FAST_PHASE_ERROR + least * module.REDUCTION_ERROR

    yield prove("sin, cos", Cells([numbers], [(low, high), (least, largest)]), evaluate)

    # The reduction in integers: first and second are a multiple of a step with an error below 2**-100 of it, in magnitude
    # from 2**-60, which no double undercuts, to a little above 1/2; a result near 0 is as wrong, others less.
    boxes = [(number, -0.5000001, 0.5000001) for number in range(1, 512)]
    for a, b in zip(*tm.binades(2.0**-60, 0.5000001), strict=True):
        boxes += [(0, a, b), (0, -b, -a)]
    numbers, low, high = zip(*boxes, strict=True)

    def evaluate_integers(cells: Cells):
        (numbers,), ((low, high),) = cells.fixed, cells.intervals
        first = tm.variable(low, high, width=51)
        reach = np.maximum(np.abs(low), np.abs(high)) * 2.0**-50
        second = tm.variable(-reach, reach)
        with tm.abstract_lanes():
            y, y_low = module.sine_core(tm.Rows(numbers), *module.angle_of_parts(first, second))
        angle = (first.model + second.model) * tm.Model.of(step)
        ideal = tm.Model.of(angles[numbers]) * tm.cos(angle) + tm.Model.of(cosines[numbers]) * tm.sin(angle)
        error = tm.bound(y, y_low, ideal).absolutes + reach * 2.0**-55
        return error, y.model.least() * module.FAST_PHASE_ERROR

    yield prove("sin, cos, reduced in integers", Cells([numbers], [(low, high)]), evaluate_integers)


# --- log and pow --------------------------------------------------------------------------------------------------------


def logarithm_boxes(module, ks: Sequence[tuple[int, int]]) -> list[tuple]:
    """``(row, head's grid, m_high's ends, m_low's ends, k's ends)`` for every row of the table and groups of exponents."""
    boxes = []
    ends = [tm.double_of(module.FIRST + (row << 44)) for row in range(257)]
    for row in range(256):
        low, high = ends[row], ends[row + 1]
        grid = -24 if low < 1 else -23
        reach = 2.0 ** (grid - 1)
        for first, last in ks:
            if (first, last) == (0, 0) and 1.0 in (low, high):
                # Binades of m - 1, and its head 0, where the rest is all.
                for a, b in zip(*tm.binades(2.0**grid, abs(high - low)), strict=True):
                    boxes.append((row, grid, *((1 + a, 1 + b) if low == 1 else (1 - b, 1 - a)), -reach, reach, 0, 0))
                for a, b in zip(*tm.binades(2.0 ** (grid - 29), reach), strict=True):
                    boxes.append((row, grid, 1.0, 1.0, *((a, b) if low == 1 else (-b, -a)), 0, 0))
            else:
                boxes.append((row, grid, low, high, -reach, reach, first, last))
    return boxes


def logarithm_values(module, cells: Cells):
    """What the core returns for boxes, and the logarithm."""
    (row, grid), ((low, high), (low_part, high_part), (first, last)) = cells.fixed, cells.intervals
    m_high = tm.variable(low, high, grid, 24)
    m_low = tm.variable(low_part, high_part, grid - 29)
    k = tm.variable(first, last, 0)
    packed, table_low = module.ROWS.rows[row].T
    c = (packed.view(np.uint64) & np.uint64(0xFFF)).astype(float) * 2.0**-9
    table = (packed.view(np.uint64) & ~np.uint64(0xFFF)).view(float)
    with tm.abstract_lanes():
        values = module.logarithm_core(k, m_high, m_low, *(tm.Value.of(each) for each in (c, table, table_low)))
    # log(m) = log1p(m * c - 1) - log(c).
    z = (m_high.model + m_low.model) * tm.Model.of(c) - 1.0
    ideal = tm.log1p(z) - tm.Model.of(np.array([mp.log(mpf(each)) for each in c], object)) + k.model * tm.Model.of(mp.log(2))
    return values, ideal


#: Exponents: of doubles with a significand in [0.6875, 1.375), subnormal ones too.
EXPONENTS = [(0, 0)]
for _end in [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, 64), (65, 128), (129, 256), (257, 512), (513, 1074)]:
    EXPONENTS += [_end, (-_end[1], -_end[0])]


def logarithm_cells(module) -> Cells:
    """The boxes of log."""
    row, grid, low, high, low_part, high_part, first, last = zip(*logarithm_boxes(module, EXPONENTS), strict=True)
    return Cells([row, grid], [(low, high), (low_part, high_part), (first, last)])


def log() -> Iterator[Claim]:
    """The logarithm for every row and exponent; m_high and m_low are exact by construction."""
    module = core("logarithm")
    tables = core("tables.logarithm")

    def evaluate(cells: Cells):
        (high, low, _), ideal = logarithm_values(module, cells)
        return tm.bound(high, low, ideal).absolutes, high.model.least() * tables.FAST_PHASE_ERROR

    yield prove("log", logarithm_cells(module), evaluate)


FAMILIES = (sin_cos, log)


def main() -> int:
    """Prove the claims of the families that are named, or of all."""
    wrong = 0
    for family in FAMILIES:
        if sys.argv[1:] and family.__name__ not in sys.argv[1:]:
            continue
        start = time.time()
        for each in family():
            wrong += each.used > 1
            print(f"{each.name}: the error is at most {each.used:.3f} of its bound; most in the cell {each.place}")
        print(f"# {family.__name__}: {time.time() - start:.1f} s")
    return wrong


if __name__ == "__main__":
    raise SystemExit(main())
