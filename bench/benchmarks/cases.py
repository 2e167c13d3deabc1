"""What is measured: operators with typical operands, and the same computation in NumPy (and SciPy, where it is installed)."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

import exactops

#: The sizes of all comparisons: in the first-level caches, and far outside all caches.
SIZES = (16_384, 16_777_216)
#: The same for the transcendentals of float64.
DOUBLE_SIZES = (16_384, 4_194_304)

Call = Callable[[], Any]


@dataclass(frozen=True)
class Case:
    """One operator with typical operands.

    Attributes
    ----------
    op : str
        The operator.
    numpy : callable or None
        ``numpy(*operands, out=out)``: NumPy's way to the same result.
    low, high : float
        Where the operands lie.
    operands : int
        How many arrays.
    attributes : dict
        Attributes for exactops.
    result : str or None
        The dtype of the result, where it is not that of the operands.
    """

    op: str
    numpy: Callable[..., Any] | None = None
    low: float = -8.0
    high: float = 8.0
    operands: int = 1
    attributes: dict[str, Any] = field(default_factory=dict)
    result: str | None = None


def _relu(x, out):
    np.maximum(x, 0, out=out)


def _clip(x, out):
    np.clip(x, -1, 1, out=out)


def _cast(x, out):
    np.copyto(out, x, casting="unsafe")


def _rsqrt(x, out):
    np.sqrt(x, out=out)
    np.reciprocal(out, out=out)


def _sigmoid(x, out):
    special.expit(x, out=out)


def _silu(x, out):
    special.expit(x, out=out)
    np.multiply(out, x, out=out)


def _gelu(x, out):
    np.multiply(x, x.dtype.type(0.7071067811865476), out=out)
    special.erf(out, out=out)
    np.add(out, 1, out=out)
    np.multiply(out, x, out=out)
    np.multiply(out, x.dtype.type(0.5), out=out)


def _gelu_tanh(x, out):
    kind = x.dtype.type
    np.multiply(x, x, out=out)
    np.multiply(out, kind(0.044715), out=out)
    np.add(out, 1, out=out)
    np.multiply(out, x, out=out)
    np.multiply(out, kind(0.7978845608028654), out=out)
    np.tanh(out, out=out)
    np.add(out, 1, out=out)
    np.multiply(out, x, out=out)
    np.multiply(out, kind(0.5), out=out)


special: Any = None
with contextlib.suppress(ImportError):
    from scipy import special  # type: ignore[no-redef]

_BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum}
_COMPARISONS = {
    "equal": np.equal,
    "less": np.less,
    "greater": np.greater,
    "less_or_equal": np.less_equal,
    "greater_or_equal": np.greater_equal,
}

#: Every case by the name it is shown under.
CASES: dict[str, Case] = {
    **{name: Case(name, function, operands=2) for name, function in _BINARY.items()},
    **{name: Case(name, function, operands=2, result="bool") for name, function in _COMPARISONS.items()},
    "neg": Case("neg", np.negative),
    "abs": Case("abs", np.abs),
    "sign": Case("sign", np.sign),
    "square": Case("square", np.square),
    "reciprocal": Case("reciprocal", np.reciprocal),
    "sqrt": Case("sqrt", np.sqrt, low=0.0),
    "rsqrt": Case("rsqrt", _rsqrt, low=0.01),
    "floor": Case("floor", np.floor),
    "ceil": Case("ceil", np.ceil),
    "round": Case("round", np.rint),
    "relu": Case("relu", _relu),
    "clip": Case("clip", _clip, attributes={"min": -1, "max": 1}),
    "leaky_relu": Case("leaky_relu"),
    "hard_sigmoid": Case("hard_sigmoid"),
    "hard_swish": Case("hard_swish"),
    "exp": Case("exp", np.exp),
    "log": Case("log", np.log, low=0.001, high=1000.0),
    "sin": Case("sin", np.sin),
    "cos": Case("cos", np.cos),
    "tanh": Case("tanh", np.tanh),
    "pow": Case("pow", np.power, low=0.1, operands=2),
    "sigmoid": Case("sigmoid", _sigmoid if special else None),
    "silu": Case("silu", _silu if special else None),
    "erf": Case("erf", special and special.erf),
    "erfc": Case("erfc", special and special.erfc),
    "gelu": Case("gelu", _gelu if special else None),
    "gelu_tanh": Case("gelu", _gelu_tanh, attributes={"approximate": "tanh"}),
    **{
        f"cast to {name}": Case("cast", _cast, attributes={"to": name}, result=name, low=-100.0, high=100.0)
        for name in ("float16", "bfloat16", "float32", "float64", "int8", "int32", "int64", "bool")
    },
}


def dtype_of(name: str) -> np.dtype:
    """A dtype by name, bfloat16 included."""
    return np.dtype(ml_dtypes.bfloat16) if name == "bfloat16" else np.dtype(name)


def operands_of(case: Case, dtype: str, size: int) -> tuple[np.ndarray, ...]:
    """Operands of a case, the same in every run."""
    generator = np.random.default_rng(20260101)
    return tuple(generator.uniform(case.low, case.high, size).astype(dtype_of(dtype)) for _ in range(case.operands))


@functools.lru_cache(maxsize=4)
def _result(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Memory for a result: the same for all who are compared, since alignment and cache sets count."""
    return np.empty(shape, dtype)


def exactops_call(case: Case, operands: tuple[np.ndarray, ...], mode: str, path: str | None = None) -> Call:
    """A call of exactops into memory of its own; compiled when this returns."""
    out = _result(operands[0].shape, dtype_of(case.result) if case.result else operands[0].dtype)
    # As a user writes it: what is the default is not said.
    keywords = {**case.attributes, **({} if mode == "exact" else {"mode": mode}), **({} if path is None else {"path": path})}
    call = functools.partial(exactops.run, case.op, *operands, out=out, **keywords)
    call()
    return call


def numpy_call(case: Case, operands: tuple[np.ndarray, ...]) -> Call:
    """The same in NumPy."""
    out = _result(operands[0].shape, dtype_of(case.result) if case.result else operands[0].dtype)
    function = case.numpy
    assert function is not None
    call = functools.partial(function, *operands, out=out)
    with np.errstate(all="ignore"):
        call()
    return call
