"""erf, erfc and gelu in float64: against MPFR, on every path, and each phase alone."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import gmpy2
import numpy as np
import pytest

import exactops
from exactops.lanes import Wide
from exactops.numerics.binary64 import error_function
from exactops.numerics.binary64.tables import error_function_errors
from exactops.ops import erf as erf_module
from exactops.ops import gelu as gelu_module
from exactops.testing import assert_same_bits, ulp_distance

_HARD_CASES = Path(__file__).parent.parent / "testdata" / "hard_cases_f64.csv"
_RESULT = {"precision": 53, "emin": -1073, "emax": 1024, "subnormalize": True}
#: Wide enough for the arguments of the tests, so that only the result overflows or underflows.
_RANGE = {"emin": -(2**30), "emax": 2**30}
_FUNCTIONS = {
    "erf": gmpy2.erf,
    "erfc": gmpy2.erfc,
    "gelu": lambda x: x * gmpy2.erfc(-x / gmpy2.sqrt(gmpy2.mpfr(2))) / 2,
}
NAMES = tuple(_FUNCTIONS)
_MODULES = {"erf": erf_module, "erfc": erf_module, "gelu": gelu_module}
#: What they are far out.
_LIMITS = {"erf": (-1.0, 1.0), "erfc": (2.0, 0.0), "gelu": (-0.0, np.inf)}
#: Where results change their kind, kernels change their way, or cells of tables meet.
_BORDERS = {
    "erf": (5.9215871957945064, 5.9375, 6.0, 0.5, 2.0**-7, 3 * 2.0**-7, 2.0**-960, 2.0**-1022, 2.0**-28, 1.0),
    "erfc": (
        26.0,
        27.226017111108366,
        27.25,
        26.543258454250724,
        5.863584748755168,
        2.0**-7,
        3 * 2.0**-7,
        1.0,
        3.0,
        15.0,
        2.0**-54,
    ),
    "gelu": (
        30.0,
        38.48,
        38.5,
        39.0,
        37.5,
        8.3,
        2.0**-7,
        3 * 2.0**-7,
        1.0,
        3.0,
        7.0,
        2.0**-900,
        2.0**-1021,
        2.0**-148,
        2.0**-53,
    ),
}
_EXACT = {"erf": erf_module.erf_binary64, "erfc": erf_module.erfc_binary64, "gelu": gelu_module.gelu_binary64}
_FAST = {
    "erf": erf_module.erf_binary64_fast,
    "erfc": erf_module.erfc_binary64_fast,
    "gelu": gelu_module.gelu_binary64_fast,
}
_ACCURATE = {
    "erf": error_function.erf_accurate_phase,
    "erfc": error_function.erfc_accurate_phase,
    "gelu": error_function.gelu_accurate_phase,
}


def _rounded(name: str, x: float) -> float:
    """The correctly rounded result."""
    if np.isnan(x):
        return np.nan
    if x == 0.0 and name != "erfc":
        return x
    if abs(x) > 50.0:
        low, high = _LIMITS[name]
        return low if x < 0 else x if name == "gelu" else high
    if name == "erfc" and abs(x) < 1e-30:
        return 1.0
    # gelu(x) is x/2 + x**2 / sqrt(2 pi), so that a tiny x needs more bits than its exponent has.
    precision = 200 if name != "gelu" or abs(x) > 1e-12 else 400 if abs(x) > 1e-50 else 2500
    with gmpy2.context(precision=precision, **_RANGE):
        value = _FUNCTIONS[name](gmpy2.mpfr(x))
    with gmpy2.context(**_RESULT):
        return float(gmpy2.mpfr(value))


def _around(x: float, distance: int = 64) -> np.ndarray:
    """A double and those up to a distance from it, with both signs."""
    near = (np.float64(abs(x)).view(np.int64) + np.arange(-distance, distance + 1)).view(np.float64)
    return np.concatenate([near, -near])


@cache
def _hard_cases(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The published hard inputs of a function, with their results; none of gelu."""
    with _HARD_CASES.open() as file:
        rows = [row for row in csv.DictReader(file) if row["function"] == name]
    columns = [np.array([int(row[each], 16) for row in rows], np.uint64) for each in ("input_bits", "correctly_rounded_bits")]
    return columns[0].view(np.float64), columns[1].view(np.float64)


@cache
def _inputs(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of all kinds and their correctly rounded results."""
    draw = np.random.default_rng(64)
    reach = {"erf": 6.0, "erfc": 28.0, "gelu": 40.0}[name]
    exponents = np.arange(-1074, 1024)
    cells = (np.arange(64, 200) + 0.5) / 64  # borders of 1 + x, or of x
    parts = [
        draw.normal(scale=1.5, size=2000),
        draw.uniform(-reach, reach, 2000),
        np.ldexp(draw.uniform(-2, 2, 2000), draw.integers(-60, 4, 2000)),
        np.ldexp(draw.uniform(1, 2, exponents.size), exponents),
        -np.ldexp(draw.uniform(1, 2, exponents.size), exponents),
        np.ldexp(1.0, exponents),
        -np.ldexp(1.0, exponents),
        np.arange(1, 64, dtype=np.uint64).view(np.float64),
        -np.arange(1, 64, dtype=np.uint64).view(np.float64),
        draw.integers(1, 1 << 52, 64).astype(np.uint64).view(np.float64),
        cells - 1.0,
        np.nextafter(cells - 1.0, 0.0),
        np.arange(0, 400) / 64,
        np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan]),
        np.array([0x7FF0000000000001, 0xFFF8000000ABCDEF, 0xFFFFFFFFFFFFFFFF], np.uint64).view(np.float64),
        *(_around(border) for border in _BORDERS[name]),
    ]
    x = np.concatenate(parts)
    expected = np.array([_rounded(name, float(each)) for each in x])
    hard, hard_results = _hard_cases(name)
    return np.concatenate([x, hard]), np.concatenate([expected, hard_results])


@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize("name", NAMES)
def test_exact_results(name: str, path: str) -> None:
    """Every result is the correctly rounded one, every NaN the canonical one."""
    x, expected = _inputs(name)
    assert_same_bits(exactops.run(name, x, path=path), expected, inputs=[x])


@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize("name", NAMES)
def test_fast_results(name: str, path: str) -> None:
    """Every result is within 2 ulp of the correctly rounded one; specials and signs of zeros are exact."""
    x, expected = _inputs(name)
    _check_fast(exactops.run(name, x, path=path, mode="fast"), expected)


@pytest.mark.parametrize("name", NAMES)
def test_fast_results_without_fused_operations(name: str) -> None:
    x, expected = _inputs(name)
    with np.errstate(all="ignore"):
        _check_fast(_FAST[name](x), expected)


def _check_fast(found: np.ndarray, expected: np.ndarray) -> None:
    assert ulp_distance(found, expected).max() <= 2
    special = np.isinf(expected) | (expected == 0.0)
    assert np.array_equal(np.isinf(found), np.isinf(expected))
    assert np.array_equal(np.signbit(found[special]), np.signbit(expected[special]))


@pytest.mark.parametrize("name", NAMES)
def test_the_accurate_phase_alone(name: str) -> None:
    """It is right for every finite input, without the fast phase and the selections, as its definition in Python's integers."""
    x, expected = _inputs(name)
    chosen = np.isfinite(x) & ((x != 0.0) | (name == "erfc"))
    chosen &= np.arange(x.size) % 4 == 0
    chosen[-len(_hard_cases(name)[0]) or x.size :] = True
    found = np.array([_ACCURATE[name](each) for each in x[chosen]])
    assert_same_bits(found, expected[chosen], inputs=[x[chosen]])


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_without_a_compiler(name: str) -> None:
    """The bodies of the lane operations make the same results on arrays."""
    x, expected = _inputs(name)
    with np.errstate(all="ignore"):
        assert_same_bits(_EXACT[name](x), expected, nan="any", inputs=[x])


# --- error bounds of the fast phases --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_fast_phases_keep_their_bounds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rounding test gets is within the error it gets of the true value."""
    draw = np.random.default_rng(65)
    reach = {"erf": 5.9, "erfc": 26.0, "gelu": 30.0}[name]
    edges = (np.arange(1, 190) + 0.5) / 64
    x = np.concatenate(
        [
            np.ldexp(draw.uniform(1, 2, 300), draw.integers(-60, 0, 300)),
            draw.normal(scale=1.5, size=2000),
            draw.uniform(-reach, reach, 2000),
            edges,
            np.nextafter(edges, 0),
        ]
    )
    caught: list[np.ndarray] = []

    def catch(high, low, error):
        caught.extend((high, low, np.broadcast_to(error, high.shape)))
        return high, np.zeros(high.shape, bool)

    monkeypatch.setattr(_MODULES[name], "round_and_test", catch)
    _EXACT[name](x)
    with gmpy2.context(precision=200, **_RANGE):
        for each, high, low, error in zip(x.tolist(), *(values.tolist() for values in caught), strict=True):
            true = _FUNCTIONS[name](gmpy2.mpfr(each))
            if name != "erfc":
                true = abs(true)  # the sign comes afterwards
            assert abs(gmpy2.mpfr(high) + low - true) < error, each.hex()
            assert error < 2.0**-62 * true or name == "erfc", each.hex()


def test_bounds_are_small() -> None:
    """A lane fails about 3 * 2**52 times as often as the bound is large."""
    for bound in ("ERF_ERROR", "ERFC_ERROR", "GELU_ERROR"):
        assert getattr(error_function_errors, bound) < 2.0**-66.5


def test_few_lanes_take_the_accurate_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ordinary numbers less than one in two thousand."""
    x = np.random.default_rng(66).normal(scale=1.5, size=50_000)
    for name in NAMES:
        counts: list[int] = []
        monkeypatch.setattr(
            _MODULES[name], "recompute", lambda mask, values, *_, counts=counts: (counts.append(int(mask.sum())), values)[1]
        )
        _EXACT[name](x)
        assert sum(counts) < x.size / 2000, name


@pytest.mark.parametrize("name", NAMES)
def test_common_specials_stay_in_lanes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros, infinities, NaNs and numbers far out are selected, not recomputed one by one."""
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 100.0, -100.0])
    monkeypatch.setattr(
        _MODULES[name], "recompute", lambda mask, values, *_: values if not mask.any() else pytest.fail(str(x[mask]))
    )
    with np.errstate(all="ignore"):
        expected = np.array([_rounded(name, float(each)) for each in x])
        assert_same_bits(_EXACT[name](x), expected, nan="any")


# --- pieces ---------------------------------------------------------------------------------------------------------------


def test_fixed_point_factor() -> None:
    """e**(z**2) * erfc(z) within the error that its docstring promises, to the ends of its range and of its cells."""
    draw = np.random.default_rng(67)
    numbers = [*draw.uniform(0, 27.6, 300).tolist(), 0.0, 1 / 16, 27.59, 27.0625, 2.0**-150]
    with gmpy2.context(precision=2500, **_RANGE):
        for number in numbers:
            z = Wide(int(gmpy2.mpz(gmpy2.mpfr(number) * 2**192)))
            exact = gmpy2.mpfr(int(z)) / 2**192
            wanted = gmpy2.exp(exact**2) * gmpy2.erfc(exact)
            found = gmpy2.mpfr(int(error_function.erfc_factor_fixed(z))) / 2**192
            assert abs(found / wanted - 1) < 2.0**-180


@pytest.mark.parametrize("reduce", [error_function.cell_of])
def test_reduction_is_exact(reduce) -> None:
    """size - c is a double, also for sizes just below the border of the cell of zero."""
    size = np.abs(np.concatenate([_around(2.0**-7, 300), _around(3 * 2.0**-7), np.random.default_rng(68).uniform(0, 30, 3000)]))
    cell, h = reduce(size)
    centre = (cell << np.uint64(46)).view(np.float64) - 1.0
    with gmpy2.context(precision=200):
        assert all(gmpy2.mpfr(s) - c == d for s, c, d in zip(size.tolist(), centre.tolist(), h.tolist(), strict=True))
    assert (abs(h) <= (1 + centre) / 64).all()
