"""Fast phases, rounding tests and accurate phases of the transcendental kernels: each against its own promise.

The engine's tests see only that results are right. Here the fast phases must keep the error that their rounding test
assumes, and the accurate phases must be right alone, on the hard cases too; everything runs on NumPy, without a compiler.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import gmpy2
import numpy as np
import pytest

import exactops
from exactops.numerics import rounding_test
from exactops.ops import erf, exp, gelu, power, sigmoid, sin_cos, tanh
from exactops.ops import log as log_module
from exactops.table.formats import FORMATS
from exactops.verification.powers import correctly_rounded_power

_HARD_CASES = Path(__file__).parent.parent / "testdata" / "hard_cases_f32.csv"


def _exact(function, *operands) -> tuple[float, float]:
    """The function of these doubles as an unevaluated sum of two doubles."""
    with gmpy2.context(precision=400):
        value = function(*(gmpy2.mpfr(float(x)) for x in operands))
        high = float(value)
        return high, float(value - gmpy2.mpfr(high))


def _single(function, *operands) -> np.float32:
    """The function of these doubles, rounded once to float32."""
    with gmpy2.context(precision=400):
        value = function(*(gmpy2.mpfr(float(x)) for x in operands))
    with gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True):
        return np.float32(gmpy2.mpfr(value))


def _hard_cases(name: str) -> np.ndarray:
    with _HARD_CASES.open() as file:
        patterns = [int(row["input_bits"], 16) for row in csv.DictReader(file) if row["function"] == name]
    return np.array(patterns, np.uint32).view(np.float32)


def _gelu_tanh(x):
    """The tanh form of gelu, as x * sigmoid(v)."""
    rate = gmpy2.sqrt(8 / gmpy2.const_pi())
    return x / (1 + gmpy2.exp(-rate * (x + gmpy2.mpfr(44715) / 1000000 * x**3)))


def _unguarded(module, monkeypatch, kernel, *operands) -> np.ndarray:
    """The kernel without its accurate phase."""
    monkeypatch.setattr(module, "any_lane", lambda mask: False)
    return kernel(*operands)


def _largest_error(results, function, *operands) -> float:
    worst = 0.0
    for result, *x in zip(results, *operands, strict=True):
        high, low = _exact(function, *x)
        worst = max(worst, abs(((result - high) - low) / high))
    return worst


@pytest.mark.parametrize(
    ("module", "name", "reference", "lowest", "highest"),
    [
        (log_module, "log", gmpy2.log, 0x00800000, 0x7F7FFFFF),
        (sin_cos, "sin", gmpy2.sin, 0x30000000, sin_cos.LARGE - 1),
        (sin_cos, "cos", gmpy2.cos, 0x30000000, sin_cos.LARGE - 1),
        (exp, "exp", gmpy2.exp, 0x30000000, exp.LARGE - 1),
        (sigmoid, "sigmoid", lambda x: 1 / (1 + gmpy2.exp(-x)), 0x30000000, sigmoid.LARGE - 1),
        (sigmoid, "silu", lambda x: x / (1 + gmpy2.exp(-x)), 0x30000000, sigmoid.LARGE - 1),
        (tanh, "tanh", gmpy2.tanh, 0x30000000, tanh.LARGE - 1),
        (erf, "erf", gmpy2.erf, 0x30000000, 0x407F0000),
        (erf, "erfc", gmpy2.erfc, 0x30000000, erf.LARGE - 1),
        (gelu, "gelu", lambda x: x * gmpy2.erfc(-x / gmpy2.sqrt(gmpy2.mpfr(2))) / 2, 0x30000000, gelu.LARGE - 1),
        (gelu, "gelu_tanh", _gelu_tanh, 0x30000000, gelu.LARGE_TANH - 1),
    ],
)
@pytest.mark.parametrize("sign", [0, 1])
def test_fast_phase_keeps_its_error(module, name, reference, lowest, highest, sign, monkeypatch):
    if sign and name == "log":
        pytest.skip("no negative operands")
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.integers(lowest, highest, 3000), rng.integers(0x3F000000, 0x3FC00000, 1000)])
    x = (x + (sign << 31)).astype(np.uint32).view(np.float32)
    y = _unguarded(module, monkeypatch, getattr(module, name), x)
    assert _largest_error(y, reference, x) < module.FAST_PHASE_ERROR * 2.0**-53


def test_fast_phase_of_power_keeps_its_error():
    rng = np.random.default_rng(2)
    near_one = 1 + rng.integers(1, 3000, 1500) * 2.0**-23
    x = np.concatenate([np.exp2(rng.uniform(-126, 126, 1500)), near_one]).astype(np.float32)
    y = rng.uniform(-125, 125, x.size) / np.log2(x.astype(np.float64))
    result = power.float_power_fast_phase(x, y, rounding_test.BINARY32_MISSING, power.LEAST_SINGLE)[0]
    assert _largest_error(result, lambda a, b: a**b, x, y) < power.FAST_PHASE_ERROR * 2.0**-53


@pytest.mark.parametrize(
    ("name", "kernel", "reference"),
    [
        ("log", log_module.log_accurate_phase, gmpy2.log),
        ("sin", lambda x: sin_cos.sine_accurate_phase(x, 0), gmpy2.sin),
        ("cos", lambda x: sin_cos.sine_accurate_phase(x, 8), gmpy2.cos),
    ],
)
def test_accurate_phase_alone(name, kernel, reference):
    rng = np.random.default_rng(3)
    x = np.concatenate([_hard_cases(name), rng.integers(1, 0x7F800000, 3000).astype(np.uint32).view(np.float32)])
    expected = np.array([_single(reference, value) for value in x])
    np.testing.assert_array_equal(kernel(x).astype(np.float32), expected)


def test_accurate_power_is_good_to_90_bits():
    rng = np.random.default_rng(4)
    x = np.concatenate([np.exp2(rng.uniform(-140, 127, 500)), 1 + rng.uniform(-0.01, 0.01, 1000)]).astype(np.float32)
    x = np.concatenate([x.astype(np.float64), rng.integers(2, 1 << 53, 500)])
    y = rng.uniform(-149, 127, x.size) / np.log2(x)
    high, low = power.power_accurate_phase(x, y)
    for a, b, h, e in zip(x, y, high, low, strict=True):
        with gmpy2.context(precision=400):
            true = gmpy2.mpfr(float(a)) ** gmpy2.mpfr(float(b))
            assert abs((gmpy2.mpfr(float(h)) + gmpy2.mpfr(float(e))) / true - 1) < 2.0**-90


def test_near_ties_of_power_are_decided():
    # Double exponents that put the power within 2**-50 of the middle of two float32 numbers.
    rng = np.random.default_rng(5)
    x = np.exp2(rng.uniform(-5, 5, 1000)).astype(np.float32)
    below = np.exp2(rng.uniform(-126, 127, x.size)).astype(np.float32)
    middle = (below.astype(np.float64) + np.nextafter(below, np.float32(np.inf))) / 2
    y = np.array([float(gmpy2.log(gmpy2.mpfr(m)) / gmpy2.log(gmpy2.mpfr(float(a)))) for m, a in zip(middle, x, strict=True)])
    expected = np.array([_single(lambda a, b: a**b, a, b) for a, b in zip(x, y, strict=True)])
    np.testing.assert_array_equal(power.pow_f32(x, y).astype(np.float32), expected)


@pytest.mark.parametrize("path", exactops.paths())
def test_hard_pairs_of_power(path):
    """The pairs that a search found nearest to a rounding boundary, and the same with the base's other sign."""
    with (Path(__file__).parent.parent / "testdata" / "hard_pairs_f32.csv").open(newline="") as table:
        rows = [(int(row["base_bits"], 16), int(row["exponent_bits"], 16)) for row in csv.DictReader(table)]
    assert len(rows) > 1000
    pairs = np.array(rows + [(base ^ 1 << 31, exponent) for base, exponent in rows], np.uint32)
    x, y = (pairs[:, place].copy().view(np.float32) for place in (0, 1))
    storage = FORMATS["f32"]
    expected = [
        correctly_rounded_power(int(base), float(exponent), storage) for base, exponent in zip(pairs[:, 0], y, strict=True)
    ]
    np.testing.assert_array_equal(exactops.pow(x, y, path=path).view(np.uint32), np.array(expected, np.uint32))


@pytest.mark.parametrize("short", ["f32", "f16", "bf16"])
def test_the_rounding_test_fails_near_midpoints(short):
    missing = rounding_test.missing_bits(short)
    middle = np.array([0x3FF0_0000_0000_0000 + (5 << missing) + (1 << (missing - 1))], np.uint64)
    for distance, fails in ((0, True), (1023, True), (-1024, True), (1024, False), (-1025, False)):
        y = (middle.astype(np.int64) + distance).view(np.float64)
        assert rounding_test.fails_rounding_test(y, 1024, missing)[0] == fails


def test_the_missing_bits_are_the_formats():
    assert [rounding_test.missing_bits(short) for short in ("f32", "f16", "bf16", "f64")] == [29, 42, 45, 0]


# --- the rounding test of a result with 53 bits -------------------------------------------------------------------------


def _nearest(value: Fraction) -> float:
    """The double nearest to a fraction, ties to even."""
    return value.numerator / value.denominator  # Python rounds the quotient of integers correctly, subnormal ones too


def _near_midpoints(rng: np.random.Generator) -> list[tuple[float, float, float]]:
    """Pairs around the midpoint of two doubles, and error bounds of the size of their distance from it: subnormals, too."""
    found = []
    heads = [*np.exp2(rng.uniform(-1022, 1020, 40)), *np.exp2(rng.uniform(-1074, -1022, 20)), 1.0, 2.0, 2.0**-1022, 5e-324]
    for head, below in itertools.product((float(h) for h in heads), (False, True)):
        half = float(np.spacing(np.nextafter(head, 0.0) if below else head)) / 2  # 0.0 for subnormals: no midpoint in doubles
        for places, factor in itertools.product((20, 40, 52), (0.25, 0.75, 1.5, 4.0)):
            distance = half * 2.0**-places
            middle = -half if below else half
            for low in (middle - distance, middle, middle + distance):
                found.append((head, low, distance * factor + abs(low) * 2.0**-52))
    # A bound that underflowed is none.
    return [(head, low, error) for head, low, error in found if Fraction(error) >= abs(Fraction(low)) / 2**52]


def test_the_rounding_test_of_doubles_against_fractions():
    """Where it passes, all values within the error round to one double; where it fails wrongly, it does so for a hair."""
    rng = np.random.default_rng(6)
    cases = _near_midpoints(rng)
    cases += [
        (h, h * low, abs(h) * error) for h, low, error in rng.uniform((-4, -(2.0**-53), 0), (4, 2.0**-53, 2.0**-60), (2000, 3))
    ]
    high, low, error = (np.array(column) for column in zip(*cases, strict=True))
    fails = rounding_test.fails_rounding_test_double(high, low, error)
    passed = wrongly_failed = 0
    for h, e, bound, failed in zip(high, low, error, fails, strict=True):
        value, inner = Fraction(h) + Fraction(e), Fraction(bound) - abs(Fraction(e)) / 2**52
        ends = {_nearest(value - inner), _nearest(value + inner)}
        passed += not failed
        assert failed or len(ends) == 1, (h, e, bound)
        outer = Fraction(bound) + abs(Fraction(e)) / 2**51
        wrongly_failed += bool(failed) and _nearest(value - outer) == _nearest(value + outer)
    assert passed > 1000 and fails.sum() > 500
    assert not wrongly_failed


def test_a_rounding_test_that_forgets_the_error_would_show():
    """A test of the test: with a smaller bound some pairs pass whose values round to two doubles."""
    high, low, error = (np.array(column) for column in zip(*_near_midpoints(np.random.default_rng(6)), strict=True))
    fails = rounding_test.fails_rounding_test_double(high, low, error * 2.0**-30)
    wrong: Callable[[float, float, float], bool] = lambda h, e, b: (  # noqa: E731
        _nearest(Fraction(h) + Fraction(e) - Fraction(b)) != _nearest(Fraction(h) + Fraction(e) + Fraction(b))
    )
    assert any(wrong(h, e, b) for h, e, b, failed in zip(high, low, error, fails, strict=True) if not failed)
