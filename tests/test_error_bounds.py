"""The enclosures that prove error bounds: they hold whatever doubles are drawn, and they notice what is wrong."""

from __future__ import annotations

import math
import random
import struct
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))

import error_bounds
from error_bounds import SCALE, Value, constant, distance, leading_part

from exactops.lanes.polynomials import SCHEMES, polynomial
from exactops.numerics.rounding import fast_two_sum


def head_of(x: float, count: int = 26) -> float:
    """The leading bits of a double, as the kernels cut them."""
    (pattern,) = struct.unpack("<Q", struct.pack("<d", x))
    return struct.unpack("<d", struct.pack("<Q", pattern & ((1 << 64) - (1 << (53 - count)))))[0]


class Pair:
    """A double with the real number that it stands for, and its enclosure."""

    def __init__(self, computed: float, ideal: Fraction, value: Value):
        self.computed, self.ideal, self.value = computed, ideal, value

    def check(self) -> None:
        """The double and its error lie in their intervals, on the grid."""
        unit = Fraction(1, 1 << SCALE)
        exact = Fraction(self.computed)
        assert self.value.low * unit <= exact <= self.value.high * unit
        assert self.value.error_low * unit <= exact - self.ideal <= self.value.error_high * unit
        if self.value.quantum is not None:
            assert (exact / Fraction(2) ** self.value.quantum).denominator == 1


def drawn(chance: random.Random) -> Pair:
    """A number of an interval with a grid, perhaps with an error."""
    top = chance.randrange(-20, 10)
    quantum = top - chance.choice([8, 20, 26, 40, 52])
    count = 1 << (top - quantum)
    ends = sorted(chance.randrange(-count, count + 1) for _ in range(3))
    low, middle, high = (Fraction(each) * Fraction(2) ** quantum for each in ends)
    error = Fraction(chance.getrandbits(20), 1 << 80)
    wrong = error * Fraction(chance.randrange(-100, 101), 100)
    return Pair(float(middle), middle - wrong, Value.known(low, high, quantum, error))


def combined(chance: random.Random, x: Pair, y: Pair) -> list[Pair]:
    """One operation, of which the results are checked."""
    kind = chance.randrange(7)
    if kind == 0:
        return [Pair(x.computed + y.computed, x.ideal + y.ideal, x.value + y.value)]
    if kind == 1:
        return [Pair(x.computed - y.computed, x.ideal - y.ideal, x.value - y.value)]
    if kind in (2, 3):
        return [Pair(x.computed * y.computed, x.ideal * y.ideal, x.value * y.value)]
    if kind == 4:
        try:
            return [Pair(x.computed / y.computed, x.ideal / y.ideal, x.value / y.value)]
        except ZeroDivisionError:
            return []
    if kind == 5:
        head = leading_part(x.value)
        cut = head_of(x.computed)
        return [
            Pair(cut, Fraction(cut), head),
            Pair(x.computed - cut, x.ideal - Fraction(cut), x.value - head),
        ]
    try:
        total, rest = error_bounds.fast_two_sum(x.value, y.value)
    except ArithmeticError:
        return []
    high, low = fast_two_sum(x.computed, y.computed)
    return [Pair(high, Fraction(high), total), Pair(low, x.ideal + y.ideal - Fraction(high), rest)]


def test_enclosures_hold_for_random_expressions():
    chance = random.Random("enclosures")
    checked: dict[int, int] = {}
    for _ in range(3000):
        known = [drawn(chance) for _ in range(3)]
        for depth in range(6):
            made = combined(chance, chance.choice(known), chance.choice(known))
            made = [each for each in made if abs(each.computed) < 2.0**100 and each.value.largest < 2**120]
            for each in made:
                each.check()
                checked[depth] = checked.get(depth, 0) + 1
            known += made
    assert len(checked) == 6 and min(checked.values()) > 1000


@pytest.mark.parametrize("scheme", [each for each in SCHEMES if not each.startswith("fused")])
def test_polynomials_in_every_order(scheme):
    chance = random.Random(scheme)
    for count in range(2, 9):
        coefficients = tuple(chance.uniform(-2, 2) for _ in range(count))
        for _ in range(50):
            x = chance.uniform(-0.25, 0.25)
            value = error_bounds.polynomial(Value.known(-0.25, 0.25), coefficients, scheme)
            ideal = sum(Fraction(c) * Fraction(x) ** k for k, c in enumerate(coefficients))
            Pair(float(polynomial(x, coefficients, scheme)), ideal, value).check()
    with pytest.raises(ValueError, match="fused"):
        error_bounds.polynomial(Value.known(-1, 1), (1.0, 2.0), "fused horner")


def test_exact_operations_have_no_error():
    x = leading_part(Value.known(1, 2))
    assert (x * constant(head_of(math.pi, 27))).error == 0
    assert (x * constant(math.pi)).error > 0
    assert (Value.known(-1, 1, -30) * Value.known(-1, 1, -22)).error == 0
    assert (Value.known(-1, 1, -30) * Value.known(-1, 1, -30)).error > 0
    assert (Value.known(-1, 1) * 0.25).error == 0
    assert (Value.known(1, 2, -52) - Value.known(1, 2, -52)).error == 0


def test_a_sum_in_the_wrong_order_is_refused():
    large, small = Value.known(1, 2), Value.known(Fraction(1, 8), Fraction(1, 4))
    error_bounds.fast_two_sum(large, small)
    with pytest.raises(ArithmeticError, match="may be smaller"):
        error_bounds.fast_two_sum(small, large)


def test_a_constant_carries_its_error():
    assert constant(0.1).error == 0
    assert constant(0.1, Fraction(1, 10)).error >= abs(Fraction(0.1) - Fraction(1, 10))
    assert (Value.known(1, 2) * constant(0.5, Fraction(1, 2) + Fraction(1, 1 << 60))).error >= Fraction(1, 1 << 60)


def test_the_distance_of_a_polynomial_from_its_function():
    coefficients = [1.0, 1.0, 0.5, 1 / 6]
    reach = Fraction(1, 16)
    found = distance(coefficients, lambda n: Fraction(1, math.factorial(n)), -reach, reach, 14, reach**14)
    worst = max(
        abs(sum(Fraction(c) * x**k for k, c in enumerate(coefficients)) - sum(x**k / math.factorial(k) for k in range(20)))
        for x in (reach * step / 50 for step in range(-50, 51))
    )
    assert worst <= found <= worst * Fraction(11, 10)
    other: list[Any] = [1.0, 1.0, 0.5 - 2.0**-12, 1 / 6]
    found = distance(other, lambda n: Fraction(1, math.factorial(n)), -reach, reach, 14, reach**14)
    assert found > worst + Fraction(1, 1 << 30)


def planted(name: str) -> Fraction:
    """The proven error of exp's core for one row with something planted."""
    from exactops.numerics.binary64 import exponential as core

    power, offset = core.POWERS.rows[37].tolist()
    reach = Fraction(core.STEP_HIGH) * Fraction(501, 1000)
    row = constant(power * (1 + 2.0**-40) if name == "a head with too many bits" else power), constant(offset)
    others: dict[str, Any] = {"lookup_rows": lambda table, index: row}
    if name == "no head":
        others["leading_part"] = lambda x: x * 1.0
    if name == "a rounded sum":
        others["fast_two_sum"] = lambda large, small: (large + small, constant(0.0))
    with error_bounds.substituted(core.exp_reduced, **others):
        high, low = core.exp_reduced(Value.known(-reach, reach), constant(0.0), None)
    return high.error + low.error


@pytest.mark.parametrize("fault", ["a head with too many bits", "no head", "a rounded sum"])
def test_faults_in_a_core_are_seen(fault):
    assert planted("nothing") < Fraction(1, 1 << 68)
    assert planted(fault) > Fraction(1, 1 << 65)


def test_the_modules_are_as_before_afterwards():
    from exactops.numerics.binary64 import exponential as core

    names = dict(vars(core))
    planted("nothing")
    assert vars(core) == names
