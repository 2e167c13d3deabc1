"""Proves the error bounds of the float64 fast phases: their lane functions run on Taylor models, over all that they can meet.

``prove_binary64.py [NAME ...]`` prints for each claim how much of the kernel's bound the proven error uses, and fails if it is
more than all of it, in any cell. The constants come from other derivations, mostly by intervals (tools/error_bounds.py): this
is a second proof, by another method. See tools/taylor_models.py for what makes it a proof. The premises that are not part of
the cores, how far a reduced argument reaches and that its reduction is exact, are shown here in rational numbers.
"""

from __future__ import annotations

import functools
import importlib
import itertools
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


def check(name: str, cells: Cells, evaluate: Callable, cuts: Sequence[int], count: int = 1500) -> Claim:
    """As :func:`prove`, but of narrow parts of cells drawn at random: no proof, where that would take too long.

    ``cuts`` says into how many parts each interval is cut.
    """
    generator = np.random.default_rng(1)
    drawn = generator.choice(len(cells.fixed[0]), count, replace=False)
    intervals = []
    for (low, high), parts in zip(cells.intervals, cuts, strict=True):
        low, width = low[drawn], (high[drawn] - low[drawn]) / parts
        place = generator.integers(0, parts, count)
        intervals.append((low + place * width, low + (place + 1) * width))
    return prove(name, Cells([each[drawn] for each in cells.fixed], intervals), evaluate, 1)


def shifted_error(shift: Fraction, inverse_step: float, step, size: float) -> mpf:
    """How far ``x - k * step`` reaches for ``k = x * inverse_step`` rounded by adding a large number, ``|x| <= size``.

    The product is wrong by 2**-53 of it and by the error of the constant, and the sum rounds to a multiple of ``shift``.
    """
    product = abs(mpf(size) * inverse_step)
    wrong = product * mpf(2) ** -53 + mpf(size) * abs(mpf(inverse_step) - 1 / step)
    return (mpf(shift.numerator) / shift.denominator / 2 + wrong) * step


# --- sin and cos --------------------------------------------------------------------------------------------------------


def sin_cos() -> Iterator[Claim]:
    """The core for all 512 rows behind the moderate reduction, k from 0 to that of HUGE, and behind the one in integers."""
    module = core("sin_cos")
    step = mp.pi / 512
    parts = [module.STEP_1, module.STEP_2, module.STEP_3]
    most = int(module.HUGE * module.INVERSE_STEP) + 2
    # The products with k are exact: at most 53 bits. So are the differences, as the docstring of the reduction says: every one
    # is a multiple of the last bit of k's product, or of the argument's, and below 2**53 of these.
    require(all(tm.grid_and_width(part)[1] + most.bit_length() <= 53 for part in parts), "k times a part of the step")
    reach = float(shifted_error(Fraction(1), module.INVERSE_STEP, step, module.HUGE) * (1 + mpf(2) ** -30))
    left = [step - sum(map(mpf, parts[: n + 1])) for n in range(3)]
    for n, part in enumerate(parts):
        grid = tm.grid_and_width(part)[0]
        require(reach + most * abs(left[n]) <= mpf(2) ** (53 + grid), "a difference of the reduction")
    # The argument, from half a step on where k > 0, is a multiple of 2**-61, and STEP_3's products are of finer numbers.
    require(step / 2 > mpf(2) ** -9 and tm.grid_and_width(parts[2])[0] >= -61 + 0, "the argument's last bit")
    # Of the last part: its own error and that of its product with k.
    last_error = float((abs(left[2] - mpf(module.STEP_4)) + mpf(module.STEP_4) * mpf(2) ** -53) * (1 + mpf(2) ** -30))

    boxes = [
        (number, -reach, reach, first, last)
        for number in range(1, 512)
        for first, last in ((0, 2**12), (2**12, 2**24), (2**24, 2**30), (2**30, 2**34), (2**34, most))
    ]
    boxes += [(0, a, b, 0, 0) for a, b in zip(*tm.binades(2.0**-60, reach), strict=True)]
    # Multiples of 512 steps; |r| is at least k * STEP_3 * NEAR.
    near = module.STEP_3 * module.NEAR * (1 - 2.0**-40)
    for first, last in zip(*tm.binades(512.0, float(most)), strict=True):
        for a, b in zip(*tm.binades(first * near, reach), strict=True):
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


def pow() -> Iterator[Claim]:
    """pow: the logarithm as a pair, its product with y, and e**(p + p_low), where p_low is half an ulp of p at most."""
    logarithm, tables, module, constants = map(core, ("logarithm", "tables.logarithm", "power", "tables.power"))
    ratios = []

    def evaluate(cells: Cells):
        (high, low, tail), ideal = logarithm_values(logarithm, cells)
        ratios.append(float(np.max(low.model.magnitude() / high.model.least())))
        error = tm.bound(high, low, ideal, test=False).absolutes
        return error, tail.model.least() * tables.TAIL_ERROR + ideal.least() * tables.PAIR_ERROR

    yield prove("pow: logarithm", logarithm_cells(logarithm), evaluate)
    # The product, for factors in [1, 2): it does not depend on powers of two.
    ends = np.linspace(1, 2, 9)
    x, y = (each.ravel() for each in np.meshgrid(ends[:-1], ends[:-1]))
    high, factor = tm.variable(x, x + 0.125), tm.variable(y, y + 0.125)
    low = tm.variable(-ratios[0] * x, ratios[0] * x)
    with tm.abstract_lanes():
        p, p_low = module.power_exponent(high, low, factor)
    product = tm.bound(p, p_low, (high.model + low.model) * factor.model, test=False, reference=p).relative
    slack = 1 + 2.0**-20
    yield Claim("pow: product", 2 * slack * (tables.PAIR_ERROR + product) / constants.PRODUCT_ERROR, "")
    yield Claim("pow: tail", 2 * slack * tables.TAIL_ERROR / constants.TAIL_ERROR, "")
    cells = exp_cells([2.0**-53 * 760.0])
    yield prove("pow: power", cells, lambda cells: (exp_error(cells, True)[0].absolutes, module.EXPONENTIAL_ERROR))


# --- exp and its family -------------------------------------------------------------------------------------------------


def exp_cells(lows: Sequence[float], first: float = 760.0) -> Cells:
    """``(row, reduced's ends, k's ends, low's ends)`` of every row of exp, for bounds of the argument and of its low part."""
    module = core("exponential")
    tables = core("tables.exponential")
    count = len(module.POWERS.rows)
    step = mp.log(2) / count
    head = tables.STEP_HIGH
    reach = float(shifted_error(Fraction(1), tables.INVERSE_STEP, step, 760.0) * (1 + mpf(2) ** -30) + mpf(2) ** -24)
    grid, width = tm.grid_and_width(head)
    # k * STEP_HIGH is exact, and so is the difference: of multiples of 2**-62, or of what the argument is, if k = 0.
    require(width + int(760 / step + 2).bit_length() <= 53 and grid >= -62, "k times the head of a step")
    require(step * mpf("0.4999") > mpf(2) ** -10 and reach <= 2.0 ** (53 - 62), "the reduced argument")
    require(760 / step * abs(step - mpf(head)) <= mpf(2) ** -24, "k times the rest of a step")
    last = float(first / step) + 1
    boxes = [(row, -reach, reach, -last, last, 0.0, low) for row in range(count) for low in lows]
    row, a, b, first_k, last_k, _, low = zip(*boxes, strict=True)
    return Cells([row], [(a, b), (first_k, last_k), (low, low)])


def exp_error(cells: Cells, test: bool) -> tuple:
    """``(bound, high, low)`` of ``exp_reduced`` where the argument has a low part of at most the given size."""
    module = core("exponential")
    tables = core("tables.exponential")
    count = len(module.POWERS.rows)
    step = mp.log(2) / count
    (row,), ((a, b), (first, last), (_, size)) = cells.fixed, cells.intervals
    reduced, k = tm.variable(a, b), tm.variable(np.ceil(first), np.floor(last), 0)
    ideal = reduced.model - k.model * tm.Model.of(step - mpf(tables.STEP_HIGH))
    part = tm.variable(-size, size)
    # As exp_parts and, without a low part, exp_parts_of_double.
    rest, ideal = part - k * tables.STEP_LOW, ideal + part.model
    with tm.abstract_lanes():
        high, low = module.exp_reduced(reduced, rest, tm.Rows(row))
    powers = np.array([mpf(2) ** (mpf(j) / count) for j in range(count)], object)
    function = tm.exp(ideal, 2.0**-90).times(tm.Model.of(powers[row]), 2.0**-90)
    return tm.bound(high, low, function, test=test), high, low


def exp() -> Iterator[Claim]:
    """exp: an absolute error, for powers in [1, 2); and what builds on a power."""
    errors = core("tables.exponential_errors")
    cells = exp_cells([0.0])
    yield prove("exp", cells, lambda cells: (exp_error(cells, True)[0].absolutes, errors.EXP_ERROR))
    yield prove("exp beside the power", cells, lambda cells: (exp_error(cells, False)[0].relatives, errors.EXP_RELATIVE_ERROR))


class PairBounds(NamedTuple):
    """Of ``exp_parts`` for sizes of the low part of the argument: the error and the low part's size, beside the power."""

    sizes: np.ndarray
    errors: np.ndarray
    lows: np.ndarray

    def at(self, size) -> tuple[np.ndarray, np.ndarray]:
        """Both for any size: what holds for the next larger one."""
        place = np.searchsorted(self.sizes, size)
        return self.errors[place], self.lows[place]


@functools.cache
def exp_of_pair(largest: int) -> PairBounds:
    """The bounds for low parts of the argument up to ``2**largest``."""
    steps = [n / 2 for n in range(-24 * 2, -17 * 2)] + [n / 8 for n in range(-17 * 8, largest * 8 + 1)]
    sizes = [0.0, 2.0**-30, 2.0**-26, *(2.0**step for step in steps)]
    bound, high, low = exp_error(exp_cells(sizes), False)
    values = (bound.relatives, low.model.magnitude() / high.model.least())
    return PairBounds(np.array(sizes), *(each.reshape(-1, len(sizes)).max(axis=0) for each in values))


@functools.cache
def sigmoid_error(low: float) -> float:
    """The largest relative error that ``sigmoid_parts`` adds, for a low part of the power of this size beside it.

    From 2**62 on, and below 2**-62, nothing new happens: one of the terms of the denominator is no more than a rounding error.
    """
    module = core("sigmoid")
    ends = np.concatenate(
        [
            np.ldexp(1 + np.arange(count) / count, e)
            for e in range(-62, 63)
            for count in [32 if abs(e) < 8 else 8 if e > 0 else 2]
        ]
    )
    a, b = ends[:-1], np.nextafter(ends[1:], 0)
    power = tm.variable(a, b)
    rest = tm.variable(-low * b, low * b)
    with tm.abstract_lanes():
        high, high_low = module.sigmoid_parts(power, rest)
    ideal = (power.model + rest.model + 1.0).reciprocal(2.0**-90)
    return tm.bound(high, high_low, ideal, reference=high).relative


def sigmoid() -> Iterator[Claim]:
    """sigmoid and silu: a relative error in the exponential is at most as large in 1 / (1 + power)."""
    errors = core("tables.exponential_errors")
    _, power, power_low = exp_error(exp_cells([0.0]), False)
    own = sigmoid_error(tm.rounded_up(float(np.max(power_low.model.magnitude() / power.model.least())), 1))
    yield Claim("sigmoid", (errors.EXP_RELATIVE_ERROR + own) / errors.SIGMOID_ERROR, "")
    product = round_product_error(2.0**-23)
    yield Claim("silu", (errors.EXP_RELATIVE_ERROR + own + product) / errors.SIGMOID_ERROR, "")


def gelu_tanh() -> Iterator[Claim]:
    """The tanh form of gelu: the argument's absolute error, the exponential, the quotient and the product."""
    module = core("gelu_tanh")
    errors = core("tables.exponential_errors")
    kernels = importlib.import_module("exactops.ops.gelu")
    pair = exp_of_pair(-14)
    slope = mp.sqrt(8 / mp.pi)
    low, high = tm.binades(2.0**-40, kernels.BINARY64_TANH_LARGE, 4)
    product = round_product_error(2.0**-23)

    def evaluate(cells: Cells):
        ((low, high),) = cells.intervals
        x = tm.variable(low, high)
        with tm.abstract_lanes():
            argument, argument_low = module.gelu_tanh_argument(x)
        ideal = x.model * (x.model * x.model * tm.Model.of(slope * mpf(44715) / 1000000) + tm.Model.of(slope))
        wrong = tm.bound(argument, argument_low, ideal, test=False).absolutes
        exponential, power_low = pair.at(argument_low.model.magnitude())
        error = wrong + exponential + sigmoid_error(tm.rounded_up(float(np.max(power_low)), 1)) + product
        return error, errors.GELU_TANH_ERROR + argument.model.least() * errors.GELU_TANH_ARGUMENT_ERROR

    # Below 2**-40 the argument's error is far below 2**-100.
    yield prove("gelu_tanh", Cells([], [(low, high)]), evaluate)


def tanh() -> Iterator[Claim]:
    """tanh for every row. Rounding 1 + size moves the borders of cells by less than 2**-40 of their width."""
    module = core("tanh")
    errors = core("tables.exponential_errors")
    kernels = importlib.import_module("exactops.ops.tanh")
    rows = len(module.CELLS.rows)
    centres, boxes = [], []
    while not centres or centres[-1] < kernels.BINARY64_LARGE:
        number = len(centres)
        binade, place = divmod(number, 128)
        centres.append((1 + place / 128) * 2.0**binade - 1)
        reach = 2.0 ** (binade - 8) * (1 + 2.0**-40)
        if number:
            ends = np.linspace(-reach, reach, 5)
            boxes += [(number, a, b) for a, b in itertools.pairwise(ends)]
        else:
            # Below 2**-60 what is beyond the head and the rest of the argument is nothing: they are the result.
            boxes += [(0, a, b) for a, b in zip(*tm.binades(2.0**-60, reach), strict=True)]
    number, low, high = zip(*boxes, strict=True)
    indices = np.array([int(np.float64(1 + c).view(np.uint64)) >> 45 for c in centres]) & (rows - 1)

    def evaluate(cells: Cells):
        (number,), ((low, high),) = cells.fixed, cells.intervals
        r = tm.variable(low, high)
        with tm.abstract_lanes():
            y, y_low = module.tanh_reduced(r, tm.Rows(indices[number]))
        ideal = tm.tanh(tm.Model.of(np.array(centres)[number]) + r.model)
        return tm.bound(y, y_low, ideal).absolutes, y.model.least() * errors.TANH_ERROR

    yield prove("tanh", Cells([number], [(low, high)]), evaluate)


# --- erf, erfc and gelu -------------------------------------------------------------------------------------------------


def erf() -> Iterator[Claim]:
    """erf for every row; the rest of the argument is exact.

    Below 2**-60 the part beyond the linear one is less than 2**-120 of it, and what is left of the core scales with the
    argument: every binade down to where products begin to lose bits is as [2**-60, 2**-59].
    """
    module = core("error_function")
    errors = core("tables.error_function_errors")
    boxes = [(row, -1 / 128, 1 / 128) for row in range(1, 381)]
    boxes += [(0, a, b) for a, b in zip(*tm.binades(2.0**-60, 1 / 128), strict=True)]
    row, low, high = zip(*boxes, strict=True)

    def evaluate(cells: Cells):
        (row,), ((low, high),) = cells.fixed, cells.intervals
        h = tm.variable(low, high)
        with tm.abstract_lanes():
            y, y_low, beyond = module.erf_reduced(h, tm.Rows(row))
        error = tm.bound(y, y_low, tm.erf(h.model + tm.Model.of(row / 64.0))).absolutes
        return error, y.model.least() * errors.ERF_ERROR + beyond.model.least() * errors.ERF_BEYOND_ERROR

    yield prove("erf", Cells([row], [(low, high)]), evaluate)


def scaled_complement(centres, halved: bool):
    """A function of models c + h: w(x) = e**(x**2) * erfc(x), or w(x / sqrt(2)) / 2, about centres c that are not negative.

    ``w(x) = 2/sqrt(pi) * integral of e**(-t**2 - 2 x t)`` over positive t: its derivatives fall in magnitude as x grows, and
    the n-th at 0, divided by n!, is ``2**n * gamma((n + 1) / 2) / (sqrt(pi) * n!)``; this bounds what is left out.
    """
    count = 60
    with mp.workprec(1500):
        rows = []
        scale = mp.sqrt(mpf(1) / 2) if halved else mpf(1)
        for centre in centres:
            x = mpf(centre) * scale
            found = [mp.exp(x * x) * mp.erfc(x)]
            found.append(2 * x * found[0] - 2 / mp.sqrt(mp.pi))
            for n in range(1, count):
                found.append(2 * (x * found[n] + found[n - 1]) / (n + 1))
            rows.append([tm.fixed_nearest(each * scale**n * (mpf(1) / 2 if halved else 1)) for n, each in enumerate(found)])
        limits = [float(mp.mpf(2) ** n * mp.gamma(mpf(n + 1) / 2) / mp.sqrt(mp.pi) / mp.factorial(n)) for n in range(count)]

    def function(h: tm.Model, chosen) -> tm.Model:
        coefficients = [np.array([rows[each][n] for each in chosen], object) for n in range(count)]
        return tm.compose(h, lambda n: coefficients[n], lambda n, q: limits[n] * q**n / (1 - q))

    return function


@functools.cache
def round_product_error(low: float) -> float:
    """What ``round_product`` adds, beside the result, for a head of 26 bits and a low part of that size beside it."""
    module = core("sigmoid")
    x_ends, high_ends = np.linspace(1, 2, 5), np.linspace(1, 2, 5)
    x_low, high_low = (each.ravel() for each in np.meshgrid(x_ends[:-1], high_ends[:-1]))
    x, high = tm.variable(x_low, x_low + 0.25), tm.variable(high_low, high_low + 0.25, -25, 26)
    rest = tm.variable(-low * high_low, low * high_low)
    found = []

    def keep(product, product_low, error):
        found.append(tm.bound(product, product_low, x.model * (high.model + rest.model), reference=product).relative)
        return None, None

    with tm.abstract_lanes(round_and_test=keep, absolute=lambda x: x):
        module.round_product(x, high, rest, 0.0)
    return found[0]


def complement_factor(halved: bool, largest: float):
    """``(cells, evaluate)`` of the product of a power and w or v."""
    module = core("error_function")
    pair = exp_of_pair(-14)
    table = module.GELU if halved else module.ERFC
    centres = []
    while not centres or centres[-1] < largest:
        binade, place = divmod(len(centres), 64)
        centres.append((1 + place / 64) * 2.0**binade - 1)
    function = scaled_complement(centres, halved)
    indices = np.array([int(np.float64(1 + c).view(np.uint64)) >> 46 for c in centres]) & (len(table.rows) - 1)
    boxes = []
    for number, centre in enumerate(centres):
        reach = 2.0 ** (number // 64 - 7) * (1 + 2.0**-40)
        ends = np.array([-8, -7, -6, -5, -4, -2, 0, 2, 4, 5, 6, 7, 8]) / 8 * reach
        for a, b in itertools.pairwise(ends):
            if centre + b > 0:
                # The low part of the argument: (x - top) * (x + top), with the head of x, or half of that.
                most = 2.0**-24 * (1 + 2.0**-20) * (centre + b) ** 2 / (2 if halved else 1)
                pieces = np.linspace(0.0, most, 2 + int(most * 2.0**17))
                for first, last in itertools.pairwise(pieces):
                    boxes += [(number, max(a, -centre), b, p, q, first, last) for p, q in ((0.998, 1.4), (1.4, 2.0))]
    number, a, b, p, q, first, last = zip(*boxes, strict=True)

    def evaluate(cells: Cells):
        """``(error, high, power, beyond)``: a bound of the error of the product and the Values."""
        (number,), ((a, b), (p, q), (_, argument_low)) = cells.fixed, cells.intervals
        h, power = tm.variable(a, b), tm.variable(p, q)
        exponential, reach = pair.at(argument_low)
        power_low = tm.variable(-reach * q, reach * q)
        rows = tm.Rows(indices[number])
        with tm.abstract_lanes():
            factor, factor_low, beyond = (module.gelu_factor_reduced if halved else module.erfc_factor_reduced)(h, rows)
            high, low = module.product_pair(power, power_low, factor, factor_low)
        ideal = (power.model + power_low.model) * function(h.model, number)
        # Beside the result: the exponential's error, and that of the low part of its argument, two roundings of it.
        relative = exponential + argument_low * 2.0**-52 * (1 + 2.0**-30)
        return tm.bound(high, low, ideal).absolutes + relative * ideal.magnitude(), high, low, power, beyond

    return Cells([number], [(a, b), (p, q), (first, last)]), evaluate


def erfc() -> Iterator[Claim]:
    """erfc of positive numbers, where it is normal: a check of cells; binary64_error_function_bounds.py has the proof."""
    kernels = importlib.import_module("exactops.ops.erf")
    errors = core("tables.error_function_errors")
    cells, values = complement_factor(False, kernels.BINARY64_ERFC_LARGE)

    def evaluate(cells: Cells):
        error, high, _, power, beyond = values(cells)
        argument_low = cells.intervals[2][0]
        allowed = high.model.least() * (errors.ERFC_ERROR + argument_low * errors.ERFC_ARGUMENT_ERROR)
        return error, allowed + power.model.least() * beyond.model.least() * errors.ERFC_BEYOND_ERROR

    yield check("erfc (random cells)", cells, evaluate, (8, 20, 30))


def gelu() -> Iterator[Claim]:
    """gelu of negative numbers, where the result is normal: a check of cells, as for erfc."""
    kernels = importlib.import_module("exactops.ops.gelu")
    errors = core("tables.error_function_errors")
    cells, values = complement_factor(True, kernels.BINARY64_LARGE)

    def evaluate(cells: Cells):
        error, high, low, power, beyond = values(cells)
        # A head of the high part, too: the rest is added to the low part, which rounds once more.
        ratio = 2.0**-25 + low.model.magnitude() / high.model.least()
        exponents = np.ceil(np.log2(ratio) * 16)
        finish = np.array([round_product_error(2.0 ** (each / 16)) for each in exponents]) + ratio * 2.0**-53
        argument_low = cells.intervals[2][0]
        allowed = high.model.least() * (errors.GELU_ERROR + argument_low * errors.GELU_ARGUMENT_ERROR)
        allowed = allowed + power.model.least() * beyond.model.least() * errors.GELU_BEYOND_ERROR
        return error + finish * high.model.magnitude(), allowed

    yield check("gelu (random cells)", cells, evaluate, (8, 20, 30))


FAMILIES = (sin_cos, log, pow, exp, sigmoid, tanh, gelu_tanh, erf, erfc, gelu)


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
