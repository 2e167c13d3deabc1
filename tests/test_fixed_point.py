"""The toolkit of the float64 accurate phases against exact fractions: taking doubles apart, rounding, reciprocals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from support.values import hard_values, same_bits

from exactops.lanes import Wide
from exactops.numerics.binary64.fixed_point import ONE, decompose, is_negative, reciprocal, round_to_binary64

LARGEST = Fraction(float(np.finfo(np.float64).max))
TINY = Fraction(5e-324)


def nearest(value: Fraction) -> float:
    """The double nearest to a fraction, ties to even: Python's own division of integers."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def check(significand: int, exponent: int) -> float:
    """Round a number and its negative; the result."""
    wanted = nearest(significand * Fraction(2) ** exponent)
    found = [round_to_binary64(sign, Wide(significand), Wide(exponent)) for sign in (False, True)]
    same_bits(np.array(found), np.array([wanted, -wanted]), context=f"{significand:#x} * 2**{exponent}")
    return wanted


def test_decompose() -> None:
    values = hard_values("f64")
    values = values[np.isfinite(values)]
    for x in values:
        significand, exponent = decompose(x)
        assert 0 <= significand < 1 << 53 and -1074 <= exponent <= 971
        assert int(significand) * Fraction(2) ** int(exponent) == abs(Fraction(float(x)))
        assert significand >= 1 << 52 or exponent == -1074
        assert is_negative(x) == bool(np.signbit(x))
        if x != 0:
            same_bits(round_to_binary64(is_negative(x), significand, exponent), x)
    assert values.size > 500
    assert is_negative(np.float64(-0.0)) and not is_negative(np.float64(0.0))
    assert is_negative(-np.inf) and is_negative(np.copysign(np.float64(np.nan), -1.0)) and not is_negative(np.inf)


def test_random_numbers_are_rounded_once() -> None:
    draw = np.random.default_rng(64)
    kinds = {"subnormal": 0, "zero": 0, "infinite": 0, "normal": 0}
    for _ in range(6000):
        significand = int.from_bytes(draw.bytes(32), "little") >> int(draw.integers(1, 256))
        # The leading bit anywhere from below the least subnormal to beyond the largest.
        exponent = int(draw.integers(-1140, 1060)) - significand.bit_length()
        wanted = check(significand, exponent)
        kinds[
            "zero" if wanted == 0 else "infinite" if wanted == math.inf else "normal" if wanted > 2.3e-308 else "subnormal"
        ] += 1
    assert min(kinds.values()) > 30, kinds


@pytest.mark.parametrize("place", [-1074, -1073, -1023, -1022, -1021, -60, 0, 1, 900, 970])
def test_ties_and_their_neighbours(place: int) -> None:
    """Numbers at, just below and just above the middle of two doubles whose last bit has the weight 2**place."""
    draw = np.random.default_rng(place + 2000)
    lengths = range(1, 54) if place == -1074 else [53]
    for length in lengths:
        for _ in range(6):
            whole = int(draw.integers(1 << (length - 1), 1 << length))
            for extra in (1, 2, 60, 190):
                for step in (-1, 0, 1) if extra > 1 else (0,):
                    wanted = check((((whole << 1) | 1) << (extra - 1)) + step, place - extra)
                    below = nearest(whole * Fraction(2) ** place)
                    above = nearest((whole + 1) * Fraction(2) ** place)
                    assert wanted == (below if step < 0 or (step == 0 and whole % 2 == 0) else above)


def test_zero_overflow_and_underflow() -> None:
    for exponent in (-5000, -1074, 0, 100, 5000):
        assert check(0, exponent) == 0.0
    for extra in (0, 1, 100, 200):
        threshold = ((1 << 54) - 1) << extra
        assert check(threshold, 970 - extra) == math.inf
        if extra:
            assert check(threshold - 1, 970 - extra) == LARGEST
        assert check(1 << extra, -1075 - extra) == 0.0
        if extra:
            assert check((1 << extra) + 1, -1075 - extra) == TINY
        assert check(3 << extra, -1075 - extra) == 2 * TINY
        assert check(1 << extra, -1076 - extra) == 0.0
    for exponent in (-1500, -1400, -1331, -1330, -1329):
        assert check((1 << 255) - 1, exponent) == nearest(((1 << 255) - 1) * Fraction(2) ** exponent)
    for exponent in (800, 1000, 1023, 1024, 3000, 100000):
        assert check(1, exponent) == (2.0**exponent if exponent < 1024 else math.inf)


def test_reciprocal_keeps_its_bound() -> None:
    draw = np.random.default_rng(7)
    ends = [1 << 190, 1 << 191, 1 << 192, 1 << 193, 1 << 194, 3 << 191, (1 << 194) - 1]
    numbers = [each + step for each in ends for step in (-(1 << 140), -2, -1, 0, 1, 2, 1 << 139, 1 << 140)]
    for _ in range(3000):
        numbers.append(int(2.0 ** draw.uniform(-2, 2) * 2.0**60) * 2**132 + int.from_bytes(draw.bytes(16), "little"))
    # Where the quotient of doubles errs most: leading parts just below a power of two, and long runs of ones behind them.
    numbers += [(((1 << 53) - k) << (139 + s)) + ((1 << (139 + s)) - 1) for k in range(1, 60) for s in (-1, 0, 1)]
    numbers += [(((1 << 52) + k) << (139 + s)) + ((1 << (139 + s)) - 1) for k in range(60) for s in (-1, 0, 1, 2)]
    tried, largest = 0, Fraction(0)
    for number in numbers:
        if ONE // 4 <= number <= 4 * ONE:
            error = reciprocal(Wide(number)) - Fraction(1 << 384, number)
            largest = max(largest, abs(error))
            tried += 1
    assert tried > 3000 and largest <= 16, float(largest)


def test_a_wrong_rounding_would_show() -> None:
    """A test of the test: rounding twice, and truncation, differ from what is expected."""
    significand, exponent = (((1 << 53) | 1) << 60) + 1, -61
    once = check(significand, exponent)
    truncated = math.floor(significand * Fraction(2) ** exponent)
    twice = nearest(Fraction(significand >> 59, 4))
    assert once == truncated + 1 and twice == truncated
