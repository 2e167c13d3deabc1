"""sin, cos and rsqrt in float64 against MPFR: the kernels on NumPy, the accurate phases alone, and the engine on every path."""

from __future__ import annotations

import csv
import importlib
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import gmpy2
import numpy as np
import pytest

import exactops
from exactops.numerics.binary64 import sin_cos as core
from exactops.ops import rsqrt, sin_cos

ROOT = Path(__file__).parent.parent
REFERENCES = {"sin": gmpy2.sin, "cos": gmpy2.cos, "rsqrt": gmpy2.rec_sqrt}
EXACT: dict[str, Callable] = {"sin": sin_cos.sin_binary64, "cos": sin_cos.cos_binary64, "rsqrt": rsqrt.rsqrt_binary64}
FAST: dict[str, Callable] = {
    "sin": sin_cos.sin_binary64_fast,
    "cos": sin_cos.cos_binary64_fast,
    "rsqrt": rsqrt.rsqrt_binary64_fast,
}
ACCURATE: dict[str, Callable] = {
    "sin": core.sine_in_integers,
    "cos": core.cosine_in_integers,
    "rsqrt": rsqrt.rsqrt_accurate_phase,
}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 2.0**-1022, np.nextafter(2.0**-1022, 0), -1.0, 1.0])
LARGEST = float(np.finfo(np.float64).max)


def of_bits(patterns) -> np.ndarray:
    """The doubles of some bit patterns."""
    return np.array(patterns, np.uint64).view(np.float64)


def neighbours(values, reach: int = 64) -> np.ndarray:
    """Positive doubles and those within so many places of them."""
    patterns = np.array(values, np.float64).view(np.int64)[:, None] + np.arange(-reach, reach + 1)
    return patterns.ravel().view(np.float64)


def hard_cases(name: str) -> np.ndarray:
    """The arguments of a function in testdata."""
    found = []
    for path in sorted((ROOT / "testdata").glob("hard_cases*_f64.csv")):
        with path.open() as file:
            rows = csv.DictReader(file)
            if "input_bits" in (rows.fieldnames or ()):
                found += [int(row["input_bits"], 16) for row in rows if row["function"] == name]
    return of_bits(found)


def reference(name: str, x: np.ndarray) -> np.ndarray:
    """The correctly rounded results, NaNs canonical."""
    with gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True):
        y = np.array([float(REFERENCES[name](gmpy2.mpfr(each))) for each in x.tolist()])
    if name == "rsqrt":
        y[(x == 0) & np.signbit(x)] = -np.inf  # MPFR has +inf there
    y[np.isnan(y)] = np.nan
    return y


def samples(name: str) -> Iterator[np.ndarray]:
    """Stratified arguments."""
    generator = np.random.default_rng(64)
    yield hard_cases(name)
    yield SPECIAL
    exponents = np.repeat(np.arange(2047, dtype=np.uint64), 2)
    yield of_bits((exponents << 52) | generator.integers(0, 1 << 52, exponents.size, dtype=np.uint64))
    yield of_bits(generator.integers(1, 1 << 52, 100))
    yield generator.uniform(0, 10, 2000)
    if name == "rsqrt":
        yield 2.0 ** np.arange(-1074, 1024)
        yield neighbours([2.0**-1022, 1.0, 4.0, 0.5, 2.0, 3.0, LARGEST * 0.5])
        return
    yield generator.uniform(-(2.0**30), 2.0**30, 2000)
    quarters = np.concatenate([np.arange(1, 600), generator.integers(1, 1 << 29, 400)])
    yield (quarters * (np.pi / 2)) * (1 + generator.integers(-3, 4, quarters.size) * 2.0**-52)
    yield np.arange(1, 1100) * (np.pi / 1024)
    yield neighbours([2.0**30, 2.0**-27, 2.0**-26, 2.0**-26.5, np.pi / 1024, np.pi / 4, 0.5, np.pi, np.pi / 2])
    yield -neighbours([LARGEST * 0.5, 2.0**-1022, 1.0], 8)


ARGUMENTS = {name: np.concatenate(list(samples(name))) for name in REFERENCES}
RESULTS: dict[str, np.ndarray] = {}


def wanted(name: str) -> np.ndarray:
    """The reference's results for all arguments, computed once."""
    if name not in RESULTS:
        RESULTS[name] = reference(name, ARGUMENTS[name])
    return RESULTS[name]


def canonical(y: np.ndarray) -> np.ndarray:
    """Bit patterns, with NaNs made one."""
    return np.where(np.isnan(y), np.nan, y).view(np.uint64)


def ulps(y: np.ndarray, right: np.ndarray) -> int:
    """The largest distance from the right results in places; special results have to be equal."""
    finite = np.isfinite(right) & (right != 0)
    assert (canonical(y)[~finite] == canonical(right)[~finite]).all()
    assert np.isfinite(y[finite]).all() and (np.signbit(y) == np.signbit(right))[finite].all()
    return int(np.abs(y[finite].view(np.int64) - right[finite].view(np.int64)).max())


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("path", ["avx512", "avx2", "sse2", "scalar"])
def test_the_engine(name: str, path: str) -> None:
    try:
        y = getattr(exactops, name)(ARGUMENTS[name], path=path)
    except exactops.ExactopsError:
        pytest.skip("not on this machine")
    assert (y.view(np.uint64) == canonical(wanted(name))).all()
    assert ulps(getattr(exactops, name)(ARGUMENTS[name], path=path, mode="fast"), wanted(name)) <= 2


@pytest.mark.parametrize("name", REFERENCES)
def test_kernels_on_arrays(name: str) -> None:
    with np.errstate(all="ignore"):
        assert (canonical(EXACT[name](ARGUMENTS[name])) == canonical(wanted(name))).all()
        assert ulps(FAST[name](ARGUMENTS[name]), wanted(name)) <= 2


@pytest.mark.parametrize("name", REFERENCES)
def test_accurate_phases_alone(name: str) -> None:
    x = ARGUMENTS[name]
    served = np.isfinite(x) & ((x > 0) if name == "rsqrt" else True)
    x, right = x[served][::2], wanted(name)[served][::2]
    y = np.array([ACCURATE[name](each) for each in x])
    assert (y.view(np.uint64) == right.view(np.uint64)).all()


@pytest.mark.parametrize("name", REFERENCES)
def test_few_lanes_fail_and_tiny_ones_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    module, word = (rsqrt, "rsqrt_accurate_phase") if name == "rsqrt" else (sin_cos, ACCURATE[name].__name__)
    monkeypatch.setattr(module, word, lambda x: calls.append(x) or ACCURATE[name](x))
    generator = np.random.default_rng(1)
    with np.errstate(all="ignore"):
        EXACT[name](generator.uniform(0.0, 100.0, 200_000))
        assert len(calls) < 120
        calls.clear()
        EXACT[name](np.concatenate([of_bits(generator.integers(1, 1 << 52, 1000)), 2.0 ** -np.arange(30.0, 1074), SPECIAL]))
        assert len(calls) <= 2


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_reductions_agree(name: str) -> None:
    """The reduction in integers, whose bits are exact, against MPFR, and that of the fast phase against both."""
    generator = np.random.default_rng(2)
    with gmpy2.context(precision=1400):
        step = gmpy2.const_pi() / 512
        for x in np.concatenate(
            [hard_cases("sin")[:400], 2.0 ** generator.uniform(-1, 30, 300), hard_cases(name)[-300:]]
        ).tolist():
            size = abs(x)
            if size < 0.5:
                continue
            number, first, second = core.reduce_in_integers(size)
            whole = gmpy2.mpfr(size) / step
            exact = whole - 1024 * gmpy2.rint(whole / 1024) - int(number)
            exact -= 1024 * gmpy2.rint(exact / 1024)
            assert abs((gmpy2.mpfr(float(first)) + gmpy2.mpfr(float(second))) / exact - 1) < gmpy2.exp2(-84)
            if size < core.HUGE:
                _, weight, high, low, _ = core.reduce_moderate(np.array([size]), core.SHIFT)
                k = int(weight[0] / core.STEP_3)
                exact = gmpy2.mpfr(size) - k * step
                error = abs(gmpy2.mpfr(float(high[0])) + gmpy2.mpfr(float(low[0])) - exact)
                assert error <= gmpy2.exp2(-79) * abs(exact) + k * gmpy2.mpfr(core.REDUCTION_ERROR)


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable]:
    """Imports a module of tools/."""
    pytest.importorskip("mpmath")
    if not (ROOT / "tools").is_dir():
        pytest.skip("needs a checkout")
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    mpmath = importlib.import_module("mpmath")
    precision = mpmath.mp.prec
    yield importlib.import_module
    mpmath.mp.prec = precision


@pytest.mark.parametrize("name", ["sin_cos", "rsqrt"])
def test_constants_are_as_derived(name: str, tools: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [f"derive_binary64_{name}.py", "--check"])
    assert tools(f"derive_binary64_{name}").main() == 0


def test_the_bound_is_proven(tools: Callable) -> None:
    """Some rows of the table, the worst one among them; ``tools/derive_binary64_sin_cos.py --prove`` does all."""
    derivation = tools("derive_binary64_sin_cos")
    needed, integers = derivation.prove([1, 9, 128, 256])
    bound = Fraction(core.FAST_PHASE_ERROR)
    assert Fraction(9, 10) * bound < needed <= bound
    assert integers <= derivation.INTEGERS_ERROR
