"""erfc and gelu in fast mode of float64: the short way near zero and where it ends, against MPFR."""

from __future__ import annotations

import gmpy2
import numpy as np
import pytest

import exactops
from exactops.numerics.binary64.tables import error_function_fast_mode
from exactops.ops import erf as erf_module
from exactops.ops import gelu as gelu_module
from exactops.testing import ulp_distance


def _erfc(x):
    return gmpy2.erfc(x)


def _gelu(x):
    return x * gmpy2.erfc(-x / gmpy2.sqrt(gmpy2.mpfr(2))) / 2


_FUNCTIONS = {"erfc": _erfc, "gelu": _gelu}
_KERNELS = {"erfc": erf_module.erfc_binary64_fast, "gelu": gelu_module.gelu_binary64_fast}
#: Where the short way ends, and centres a unit.
_ENDS = {"erfc": (erf_module.BINARY64_ERFC_NEAR, 128), "gelu": (gelu_module.BINARY64_NEAR, 64)}


def _inputs(name: str) -> np.ndarray:
    """Random numbers, both sides of the borders of cells, and the neighbourhood of where the short way ends."""
    draw = np.random.default_rng(9)
    end, centres = _ENDS[name]
    borders = (np.arange(int(end * centres) + 2) + 0.5) / centres
    around = (np.float64(end).view(np.int64) + np.arange(-64, 65)).view(np.float64)
    size = np.concatenate(
        [borders, np.nextafter(borders, 0.0), np.nextafter(borders, 9.0), around, draw.uniform(0.0, end, 4000), [0.0]]
    )
    return np.concatenate([size, -size, draw.normal(size=4000)])


def _errors(name: str, x: np.ndarray, found: np.ndarray) -> float:
    """The largest error in ulp of the result."""
    worst = 0.0
    with gmpy2.context(precision=160):
        for each, result in zip(x.tolist(), found.tolist(), strict=True):
            exact = _FUNCTIONS[name](gmpy2.mpfr(each))
            worst = max(worst, float(abs(gmpy2.mpfr(result) - exact) / gmpy2.mpfr(float(np.spacing(abs(float(exact)) or 1.0)))))
    return worst


@pytest.mark.parametrize("name", tuple(_FUNCTIONS))
def test_errors_near_zero(name: str) -> None:
    """Below 2.5 ulp with and without fused operations, so that results are within 2 ulp of the correctly rounded ones."""
    x = _inputs(name)
    with np.errstate(all="ignore"):
        assert _errors(name, x, _KERNELS[name](x)) < 2.4
    for path in exactops.paths():
        assert _errors(name, x, exactops.run(name, x, path=path, mode="fast")) < 2.4


@pytest.mark.parametrize("name", tuple(_FUNCTIONS))
def test_close_to_exact_mode(name: str) -> None:
    """On many more inputs, the exact mode's results are the standard."""
    draw = np.random.default_rng(10)
    x = np.concatenate([draw.normal(size=400_000), draw.uniform(-9.0, 30.0, 200_000)])
    assert ulp_distance(exactops.run(name, x, mode="fast"), exactops.run(name, x)).max() <= 2


def test_every_cell_of_gelu() -> None:
    """A bound of the whole error in ulp of the result, cell by cell.

    The sources: the rounding of the looked-up value and of the sum (with 6% more for what is added, which is small beside it),
    for positive x that of the complement, and that of the product, half an ulp.
    """
    table = error_function_fast_mode.NORMAL.rows
    half = 2.0**-7
    with gmpy2.context(precision=160):

        def tail(x):
            return gmpy2.erfc(gmpy2.mpfr(x) / gmpy2.sqrt(gmpy2.mpfr(2))) / 2

        for row in range(int(gelu_module.BINARY64_NEAR * 64) + 1):
            c = row / 64
            rounding = abs(gmpy2.mpfr(float(table[row, 0])) - tail(c))
            for edge in np.linspace(max(c - half, 0.0), c + half, 9).tolist():
                value = tail(edge)
                wrong = rounding + 0.53 * gmpy2.mpfr(float(np.spacing(np.nextafter(float(value), 0.0))))
                for x, factor, error in ((-edge, value, wrong), (edge, 1 - value, wrong + gmpy2.mpfr(2.0**-54))):
                    if x != 0.0:
                        scale = float(np.spacing(float(abs(x) * factor)))
                        assert abs(x) * error / scale + 0.5 < 2.45, x
