"""The kernels with a quick and an accurate path (log, sin, cos, pow): each path against its own promise.

The engine's tests see only that results are right. Here the quick paths must keep the error that their rounding test
assumes, and the accurate paths must be right alone, on the hard cases too; everything runs on NumPy, without a compiler.
"""

from __future__ import annotations

import csv
from pathlib import Path

import gmpy2
import numpy as np
import pytest

import exactops
from exactops.numerics import circle, power, quick
from exactops.ops import log as log_module
from exactops.ops import power as power_module
from exactops.ops import sin_cos
from exactops.table.formats import STORAGES
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


def _unguarded(module, monkeypatch, kernel, *operands) -> np.ndarray:
    """The kernel without its accurate path."""
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
        (sin_cos, "sin", gmpy2.sin, 0x30000000, sin_cos.LIMIT - 1),
        (sin_cos, "cos", gmpy2.cos, 0x30000000, sin_cos.LIMIT - 1),
    ],
)
def test_quick_path_keeps_its_error(module, name, reference, lowest, highest, monkeypatch):
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.integers(lowest, highest, 3000), rng.integers(0x3F000000, 0x3FC00000, 1000)])
    x = x.astype(np.uint32).view(np.float32)
    y = _unguarded(module, monkeypatch, getattr(module, name), x)
    assert _largest_error(y, reference, x) < module.QUICK_ERROR * 2.0**-53


def test_quick_power_keeps_its_error():
    rng = np.random.default_rng(2)
    near_one = 1 + rng.integers(1, 3000, 1500) * 2.0**-23
    x = np.concatenate([np.exp2(rng.uniform(-126, 126, 1500)), near_one]).astype(np.float32)
    y = rng.uniform(-125, 125, x.size) / np.log2(x.astype(np.float64))
    result = power_module.float_power_quick(x, y, quick.BINARY32_LACKS, power_module.LEAST_SINGLE)[0]
    assert _largest_error(result, lambda a, b: a**b, x, y) < power_module.QUICK_ERROR * 2.0**-53


@pytest.mark.parametrize(
    ("name", "kernel", "reference"),
    [
        ("log", log_module.log_accurate, gmpy2.log),
        ("sin", lambda x: circle.sine_accurate(x, 0), gmpy2.sin),
        ("cos", lambda x: circle.sine_accurate(x, 8), gmpy2.cos),
    ],
)
def test_accurate_path_alone(name, kernel, reference):
    rng = np.random.default_rng(3)
    x = np.concatenate([_hard_cases(name), rng.integers(1, 0x7F800000, 3000).astype(np.uint32).view(np.float32)])
    expected = np.array([_single(reference, value) for value in x])
    np.testing.assert_array_equal(kernel(x).astype(np.float32), expected)


def test_accurate_power_is_good_to_90_bits():
    rng = np.random.default_rng(4)
    x = np.concatenate([np.exp2(rng.uniform(-140, 127, 500)), 1 + rng.uniform(-0.01, 0.01, 1000)]).astype(np.float32)
    x = np.concatenate([x.astype(np.float64), rng.integers(2, 1 << 53, 500)])
    y = rng.uniform(-149, 127, x.size) / np.log2(x)
    high, low = power.power_accurate(x, y)
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
    np.testing.assert_array_equal(power_module.pow_f32(x, y).astype(np.float32), expected)


@pytest.mark.parametrize("path", exactops.paths())
def test_hard_pairs_of_power(path):
    """The pairs that a search found nearest to a rounding boundary, and the same with the base's other sign."""
    with (Path(__file__).parent.parent / "testdata" / "hard_pairs_f32.csv").open(newline="") as table:
        rows = [(int(row["base_bits"], 16), int(row["exponent_bits"], 16)) for row in csv.DictReader(table)]
    assert len(rows) > 1000
    pairs = np.array(rows + [(base ^ 1 << 31, exponent) for base, exponent in rows], np.uint32)
    x, y = (pairs[:, place].copy().view(np.float32) for place in (0, 1))
    storage = STORAGES["f32"]
    expected = [
        correctly_rounded_power(int(base), float(exponent), storage) for base, exponent in zip(pairs[:, 0], y, strict=True)
    ]
    np.testing.assert_array_equal(exactops.pow(x, y, path=path).view(np.uint32), np.array(expected, np.uint32))


@pytest.mark.parametrize("lacking", [quick.BINARY32_LACKS, quick.BINARY16_LACKS, quick.BFLOAT16_LACKS])
def test_near_tie_marks_the_neighbourhood_of_middles(lacking):
    middle = np.array([0x3FF0_0000_0000_0000 + (5 << lacking) + (1 << (lacking - 1))], np.uint64)
    for distance, near in ((0, True), (1023, True), (-1024, True), (1024, False), (-1025, False)):
        y = (middle.astype(np.int64) + distance).view(np.float64)
        assert quick.near_tie(y, 1024, lacking)[0] == near
