"""exp, sigmoid, silu, tanh and the tanh form of gelu in float64: against MPFR, on every path, and each phase alone."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import gmpy2
import numpy as np
import pytest

import exactops
from exactops.numerics.binary64 import exponential, gelu_tanh, sigmoid, tanh
from exactops.numerics.binary64.tables import exponential_errors
from exactops.ops import exp as exp_module
from exactops.ops import gelu as gelu_module
from exactops.ops import sigmoid as sigmoid_module
from exactops.ops import tanh as tanh_module
from exactops.testing import assert_same_bits, ulp_distance

_HARD_CASES = Path(__file__).parent.parent / "testdata" / "hard_cases_f64.csv"
_RESULT = {"precision": 53, "emin": -1073, "emax": 1024, "subnormalize": True}
#: Wide enough for the arguments of the tests, so that only the result overflows or underflows.
_RANGE = {"emin": -(2**30), "emax": 2**30}


def _argument(x):
    return gmpy2.sqrt(8 / gmpy2.const_pi()) * (x + gmpy2.mpfr(44715) / 1000000 * x**3)


_FUNCTIONS = {
    "exp": gmpy2.exp,
    "sigmoid": lambda x: 1 / (1 + gmpy2.exp(-x)),
    "silu": lambda x: x / (1 + gmpy2.exp(-x)),
    "tanh": gmpy2.tanh,
    "gelu_tanh": lambda x: x / (1 + gmpy2.exp(-_argument(x))),
}
NAMES = tuple(_FUNCTIONS)
#: What they are at the infinities.
_LIMITS = {
    "exp": (0.0, np.inf),
    "sigmoid": (0.0, 1.0),
    "silu": (-0.0, np.inf),
    "tanh": (-1.0, 1.0),
    "gelu_tanh": (-0.0, np.inf),
}
#: Where results change their kind, kernels change their way, or cells of tables meet.
_BORDERS = {
    "exp": (709.782712893384, -745.1332191019412, -708.3964185322641, 708.0, 2.0**-54, 0.5 * np.log(2) / 256),
    "sigmoid": (-745.1332191019412, -708.3964185322641, -746.0, 690.0, 708.0, 36.75, 2.0**-53),
    "silu": (-745.1332191019412, -751.6, -753.0, 690.0, 708.0, 36.75, 2.0**-53, 2.0**-900, 2.0**-1021, 2.0**-148),
    "tanh": (19.061547465398498, 20.0, 64.0, 2.0**-6, 2.0**-26.5, 2.0**-8, 1.0, 3.0, 7.0, 15.0, 1.5 * 2.0**-7),
    "gelu_tanh": (-20.5, -21.55, -21.6, 22.0, 8.2, 2.0**-53, 2.0**-900, 2.0**-1021, 2.0**-148, 2.0**-13),
}
_EXACT = {
    "exp": exp_module.exp_binary64,
    "sigmoid": sigmoid_module.sigmoid_binary64,
    "silu": sigmoid_module.silu_binary64,
    "tanh": tanh_module.tanh_binary64,
    "gelu_tanh": gelu_module.gelu_tanh_binary64,
}
_FAST = {
    "exp": exp_module.exp_binary64_fast,
    "sigmoid": sigmoid_module.sigmoid_binary64_fast,
    "silu": sigmoid_module.silu_binary64_fast,
    "tanh": tanh_module.tanh_binary64_fast,
    "gelu_tanh": gelu_module.gelu_tanh_binary64_fast,
}
_ACCURATE = {
    "exp": exp_module.exp_binary64_accurate_phase,
    "sigmoid": sigmoid_module.sigmoid_binary64_accurate_phase,
    "silu": sigmoid_module.silu_binary64_accurate_phase,
    "tanh": tanh.tanh_accurate_phase,
    "gelu_tanh": gelu_module.gelu_tanh_binary64_accurate_phase,
}


def _rounded(name: str, x: float) -> float:
    """The correctly rounded result."""
    if x == 0.0 and name not in ("exp", "sigmoid"):
        return x
    if np.isnan(x):
        return np.nan
    if abs(x) > 1000.0:
        low, high = _LIMITS[name]
        return (x if high == np.inf and name != "exp" else high) if x > 0 else low
    tiny = abs(x) < 1e-12
    if tiny and abs(x) < 1e-30 and name in ("exp", "sigmoid"):
        return 1.0 if name == "exp" else 0.5
    # silu(x) is x/2 + x**2 / 4, so that a tiny x needs more bits than its exponent has.
    precision = 200 if not tiny else 400 if abs(x) > 1e-50 or name == "tanh" else 2500
    with gmpy2.context(precision=precision, **_RANGE):
        value = _FUNCTIONS[name](gmpy2.mpfr(x))
    if name == "tanh" and abs(x) < 1e-50:
        return x
    with gmpy2.context(**_RESULT):
        return float(gmpy2.mpfr(value))


def _around(x: float, distance: int = 64) -> np.ndarray:
    """A double and those up to a distance from it, with both signs."""
    near = (np.float64(abs(x)).view(np.int64) + np.arange(-distance, distance + 1)).view(np.float64)
    return np.concatenate([near, -near])


@cache
def _hard_cases(name: str) -> tuple[np.ndarray, np.ndarray]:
    """The published hard inputs of a function, with their results; none of some functions."""
    with _HARD_CASES.open() as file:
        rows = [row for row in csv.DictReader(file) if row["function"] == name]
    columns = [np.array([int(row[each], 16) for row in rows], np.uint64) for each in ("input_bits", "correctly_rounded_bits")]
    return columns[0].view(np.float64), columns[1].view(np.float64)


@cache
def _inputs(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Inputs of all kinds and their correctly rounded results."""
    draw = np.random.default_rng(64)
    reach = 22.0 if name == "gelu_tanh" else 750.0
    exponents = np.arange(-1074, 1024)
    parts = [
        draw.normal(scale=2.0, size=2000),
        draw.uniform(-reach, reach, 2000),
        np.ldexp(draw.uniform(-2, 2, 2000), draw.integers(-60, 6, 2000)),
        np.ldexp(draw.uniform(1, 2, exponents.size), exponents),
        -np.ldexp(draw.uniform(1, 2, exponents.size), exponents),
        np.ldexp(1.0, exponents),
        -np.ldexp(1.0, exponents),
        np.arange(1, 64, dtype=np.uint64).view(np.float64),
        -np.arange(1, 64, dtype=np.uint64).view(np.float64),
        draw.integers(1, 1 << 52, 64).astype(np.uint64).view(np.float64),
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
    special = (expected == 0.0) | np.isinf(expected)
    assert np.array_equal(found[special], expected[special])
    assert np.array_equal(np.signbit(found[special]), np.signbit(expected[special]))


def test_gelu_chooses_the_tanh_form() -> None:
    x = np.linspace(-3.0, 3.0, 100)
    assert_same_bits(exactops.gelu(x, approximate="tanh"), exactops.gelu_tanh(x))


@pytest.mark.parametrize("name", NAMES)
def test_the_accurate_phase_alone(name: str) -> None:
    """It is right for every finite input, without the fast phase and the selections, as its definition in Python's integers."""
    x, expected = _inputs(name)
    chosen = np.isfinite(x) & ((x != 0.0) | (name in ("exp", "sigmoid")))
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


def _relative_error(name: str, x: np.ndarray, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """How far pairs are from a function, beside it."""
    errors = []
    with gmpy2.context(precision=200, **_RANGE):
        for each, first, second in zip(x.tolist(), high.tolist(), low.tolist(), strict=True):
            errors.append(float(abs((gmpy2.mpfr(first) + second) / _FUNCTIONS[name](gmpy2.mpfr(each)) - 1)))
    return np.array(errors)


def _sigmoid_pair(power, power_low, exponent):
    return sigmoid.sigmoid_parts(*sigmoid.scaled_parts(power, power_low, exponent))


def test_the_fast_phases_keep_their_bounds() -> None:
    draw = np.random.default_rng(65)
    x = np.concatenate([draw.normal(size=2000), draw.uniform(-690, 690, 2000)])
    power, low, exponent = exponential.exp_parts_of_double(x)
    scale = np.ldexp(1.0, exponent.view(np.int64) >> 52)
    assert (_relative_error("exp", x, power * scale, low * scale) < exponential_errors.EXP_RELATIVE_ERROR).all()
    high, low = _sigmoid_pair(*exponential.exp_parts_of_double(-x))
    assert (_relative_error("sigmoid", x, high, low) < exponential_errors.SIGMOID_ERROR).all()
    size = np.concatenate([np.ldexp(draw.uniform(1, 2, 500), draw.integers(-60, 0, 500)), draw.uniform(0, 20, 4000)])
    edges = (np.arange(1, 400) + 0.5) / 128
    size = np.concatenate([size, edges, np.nextafter(edges, 0)])
    high, low = tanh.tanh_parts(size)
    assert (_relative_error("tanh", size, high, low) < exponential_errors.TANH_ERROR).all()
    x = np.concatenate([draw.normal(size=2000), draw.uniform(-20.5, 20.5, 2000)])
    argument, argument_low = gelu_tanh.gelu_tanh_argument(x)
    high, low = _sigmoid_pair(*exponential.exp_parts(-argument, -argument_low))
    bound = exponential_errors.GELU_TANH_ERROR + abs(argument) * exponential_errors.GELU_TANH_ARGUMENT_ERROR
    with gmpy2.context(precision=200, **_RANGE):
        truth = [_FUNCTIONS["gelu_tanh"](gmpy2.mpfr(each)) / each for each in x.tolist()]
        pairs = zip(high.tolist(), low.tolist(), truth, strict=True)
        errors = np.array([float(abs((gmpy2.mpfr(first) + second) / true - 1)) for first, second, true in pairs])
    assert (errors < bound).all()


def test_few_lanes_take_the_accurate_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ordinary numbers less than one in two thousand."""
    x = np.random.default_rng(66).normal(scale=3.0, size=50_000)
    for name, module in zip(NAMES, (exp_module, sigmoid_module, sigmoid_module, tanh_module, gelu_module), strict=True):
        counts: list[int] = []
        monkeypatch.setattr(
            module, "recompute", lambda mask, values, *_, counts=counts: (counts.append(int(mask.sum())), values)[1]
        )
        _EXACT[name](x)
        assert sum(counts) < x.size / 2000, name


@pytest.mark.parametrize("name", NAMES)
def test_common_specials_stay_in_lanes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros, infinities, NaNs and numbers far out are selected, not recomputed one by one."""
    module = {
        "exp": exp_module,
        "sigmoid": sigmoid_module,
        "silu": sigmoid_module,
        "tanh": tanh_module,
        "gelu_tanh": gelu_module,
    }
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1000.0, -1000.0])
    monkeypatch.setattr(
        module[name], "recompute", lambda mask, values, *_: values if not mask.any() else pytest.fail(str(x[mask]))
    )
    with np.errstate(all="ignore"):
        expected = np.array([_rounded(name, float(each)) for each in x])
        assert_same_bits(_EXACT[name](x), expected, nan="any")


# --- pieces ---------------------------------------------------------------------------------------------------------------


def test_fixed_point_exponential() -> None:
    """e**t and the sigmoid within the units that their docstrings promise, to the ends of their range."""
    draw = np.random.default_rng(67)
    numbers = [*draw.uniform(-2000, 2000, 300).tolist(), *draw.normal(size=300).tolist(), 0.0, 2047.9, -2047.9, 1e-40]
    with gmpy2.context(precision=400, **_RANGE):
        for number in numbers:
            t = exponential.Wide(int(gmpy2.mpz(gmpy2.mpfr(number) * 2**192)))
            value = gmpy2.exp(gmpy2.mpfr(int(t)) / 2**192)
            for (significand, exponent), wanted, units in (
                (exponential.exp_fixed(t), value, 8),
                (sigmoid.sigmoid_fixed(t), value / (1 + value), 40),
            ):
                assert abs(int(significand) - gmpy2.mul_2exp(wanted, 4000) / gmpy2.exp2(4000 + int(exponent))) < units
