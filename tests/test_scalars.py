"""exactops.frontend.scalars against exact rational arithmetic: ints of any size and floats to every stored type."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from exactops.frontend.scalars import converter, float_pattern, remembering, scalar_array
from exactops.table.formats import FLOATS, FORMATS, INTEGERS, Format
from exactops.verification.reference import bits_of


def value_of(pattern: int, storage: Format) -> Fraction:
    """The value of a finite positive pattern, as a fraction."""
    width = storage.precision - 1
    bias = (1 << (storage.exponent_bits - 1)) - 1
    field, fraction = pattern >> width, pattern & ((1 << width) - 1)
    if field == 0:
        return Fraction(fraction) * Fraction(2) ** (1 - bias - width)
    return (fraction + (1 << width)) * Fraction(2) ** (field - bias - width)


def nearest(value: Fraction, storage: Format) -> int:
    """The pattern of the nearest value, ties to even, found by bisection over all patterns: no rounding code here."""
    magnitude = abs(value)
    infinity = ((1 << storage.exponent_bits) - 1) << (storage.precision - 1)
    low, high = 0, infinity  # the infinity pattern read as a number is where the next binade would begin
    while high - low > 1:
        middle = (low + high) // 2
        if value_of(middle, storage) <= magnitude:
            low = middle
        else:
            high = middle
    below, above = magnitude - value_of(low, storage), value_of(high, storage) - magnitude
    pattern = high if above < below or (above == below and low & 1) else low
    return pattern | (int(value < 0) << (8 * storage.size - 1))


def boundaries(storage: Format) -> Iterator[Fraction]:
    """Values and midpoints where rounding decides: around zero, the subnormals, one, powers and the largest value."""
    infinity = ((1 << storage.exponent_bits) - 1) << (storage.precision - 1)
    normal = 1 << (storage.precision - 1)
    one = ((1 << (storage.exponent_bits - 1)) - 1) << (storage.precision - 1)
    for pattern in (0, 1, 2, 3, normal - 2, normal - 1, normal, normal + 1, one - 1, one, one + 1, infinity - 2, infinity - 1):
        here, beyond = value_of(pattern, storage), value_of(pattern + 1, storage)
        middle, gap = (here + beyond) / 2, (beyond - here) / 2**40
        yield from (here, middle, middle - gap, middle + gap)


@pytest.mark.parametrize("short", FLOATS)
def test_floats_at_rounding_boundaries(short: str) -> None:
    storage, checks = FORMATS[short], 0
    for value in boundaries(storage):
        for signed in (value, -value):
            try:
                number = float(signed)
            except OverflowError:
                continue
            if Fraction(number) != signed:
                continue  # not a double: hypothesis covers their neighbourhoods
            expected = nearest(signed, storage) | (int(math.copysign(1, number) < 0) << (8 * storage.size - 1))
            assert float_pattern(number, storage) == expected
            checks += 1
    assert checks >= {"f16": 80, "bf16": 80, "f32": 60, "f64": 26}[short]


@pytest.mark.parametrize("short", FLOATS)
def test_ints_at_rounding_boundaries(short: str) -> None:
    storage, checks = FORMATS[short], 0
    for value in boundaries(storage):
        for scaled in (value, value * 2**60):
            if scaled.denominator == 1:
                for number in (int(scaled), -int(scaled), int(scaled) + 1, int(scaled) - 1):
                    assert float_pattern(number, storage) == nearest(Fraction(number), storage)
                    checks += 1
    assert checks > 20


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(1.7976931348623157e308)
@example(65519.999999999)
@example(65520.0)
@example(2.0**-25)
@example(2.0**-25 * (1 + 2**-52))
@example(2.0**-150)
@example(3.4028235677973366e38)
def test_any_float(number: float) -> None:
    for short in FLOATS:
        expected = nearest(Fraction(number), FORMATS[short])
        if number == 0:
            expected = int(math.copysign(1, number) < 0) << (8 * FORMATS[short].size - 1)
        found = scalar_array(number, FORMATS[short])
        sign = int(math.copysign(1, number) < 0) << (8 * FORMATS[short].size - 1)
        assert int(bits_of(found)) == expected | sign
        assert found.dtype == FORMATS[short].dtype and found.shape == ()


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.integers(), st.integers(-(2**1100), 2**1100)), st.integers(0, 1050), st.integers(-1, 1))
def test_any_int(number: int, shift: int, addend: int) -> None:
    for value in (number, (number << shift) + addend):
        for short in FLOATS:
            assert float_pattern(value, FORMATS[short]) == nearest(Fraction(value), FORMATS[short])


@pytest.mark.parametrize("short", FLOATS)
def test_special_values(short: str) -> None:
    storage = FORMATS[short]
    infinity = ((1 << storage.exponent_bits) - 1) << (storage.precision - 1)
    sign = 1 << (8 * storage.size - 1)
    assert float_pattern(math.inf, storage) == infinity
    assert float_pattern(-math.inf, storage) == infinity | sign
    for nan in (math.nan, -math.nan, math.copysign(math.nan, -1)):
        assert float_pattern(nan, storage) == storage.nan
    assert float_pattern(0.0, storage) == 0
    assert float_pattern(-0.0, storage) == sign
    assert float_pattern(0, storage) == 0
    one = ((1 << (storage.exponent_bits - 1)) - 1) << (storage.precision - 1)
    assert float_pattern(True, storage) == one
    assert float_pattern(False, storage) == 0
    assert float_pattern(10**5000, storage) == infinity
    assert float_pattern(-(10**5000), storage) == infinity | sign
    assert np.isnan(scalar_array(math.nan, storage))


@pytest.mark.parametrize("short", INTEGERS)
def test_integers_fit_or_overflow(short: str) -> None:
    storage = FORMATS[short]
    limits = np.iinfo(storage.dtype)
    for number in (int(limits.min), int(limits.min) + 1, -1 if limits.min else 0, 0, 1, int(limits.max) - 1, int(limits.max)):
        found = scalar_array(number, storage)
        assert found.dtype == storage.dtype and int(found) == number
    for number in (int(limits.min) - 1, int(limits.max) + 1, 10**100, -(10**100)):
        with pytest.raises(OverflowError, match=rf"{storage.dtype.name}.*{limits.min} to {limits.max}"):
            scalar_array(number, storage)
    assert int(scalar_array(True, storage)) == 1


def test_bool() -> None:
    assert scalar_array(True, FORMATS["bool"]).tolist() is True
    assert scalar_array(False, FORMATS["bool"]).tolist() is False


def test_a_number_that_was_just_converted_is_not_converted_again() -> None:
    """Equal numbers of other types and signs are other numbers; an error is not remembered."""
    for short in (*FLOATS, "i8", "bool"):
        convert = remembering(converter(FORMATS[short]))
        numbers = (1, 1.0, True, 0.0, -0.0, 1.5, 1e300, 1) if FORMATS[short].kind == "f" else (1, True, False, 0, 1)
        for number in (*numbers, *numbers):
            assert bits_of(convert(number)) == bits_of(scalar_array(number, FORMATS[short])), (short, number)
        constant = numbers[0]
        assert convert(constant) is convert(constant) and not convert(constant).flags.writeable
    convert = remembering(converter(FORMATS["i8"]))
    for _ in range(2):
        with pytest.raises(OverflowError):
            convert(300)
        assert convert(3) == 3
