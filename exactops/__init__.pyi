# Generated from the declarations in exactops/ops by tools/make_operator_table.py.
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from exactops.api import operators as operators
from exactops.codegen.paths import paths as paths
from exactops.contracts import contract as contract
from exactops.errors import CacheWarning as CacheWarning
from exactops.errors import UnsupportedError as UnsupportedError
from exactops.table.operator import Attribute as Attribute
from exactops.table.operator import Operator as Operator

__version__: str
__all__: list[str]

def run(
    op: str,
    /,
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
    **attributes: Any,
) -> Any: ...
def abs(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def add(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def cast(
    x: ArrayLike,
    /,
    *,
    to: DTypeLike | int,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def cast_like(
    x: ArrayLike,
    like: ArrayLike,
    /,
    *,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def ceil(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def clamp(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def clamp_max(
    x: ArrayLike,
    /,
    max: ArrayLike,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def clamp_min(
    x: ArrayLike,
    /,
    min: ArrayLike,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def clip(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def cos(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def div(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def erf(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def erfc(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def exp(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def floor(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def gelu(
    x: ArrayLike,
    /,
    *,
    approximate: Literal["none", "tanh"] = "none",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def gelu_tanh(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def greater(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def greater_or_equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def hard_sigmoid(
    x: ArrayLike,
    /,
    *,
    alpha: float = 0.2,
    beta: float = 0.5,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def hard_swish(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def leaky_relu(
    x: ArrayLike,
    /,
    *,
    alpha: float = 0.01,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def less(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def less_or_equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def log(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def logical_and(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def logical_not(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def logical_or(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def logical_xor(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def max(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def mean(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def min(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def mod(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    fmod: Literal[0, 1] = 0,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def mul(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def neg(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def pow(
    x: ArrayLike,
    exponent: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def powi(
    x: ArrayLike,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def powi_backward(
    x: ArrayLike,
    upstream: ArrayLike,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def reciprocal(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def relu(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def round(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def rsqrt(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def scaled_add(
    input: ArrayLike,
    other: ArrayLike,
    /,
    *,
    alpha: float,
    beta: float,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def sigmoid(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def sign(
    x: ArrayLike,
    /,
    *,
    nan: Literal["nan", "zero"] = "nan",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def silu(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def sin(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def sqrt(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def square(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def step(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def sub(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def sum(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def tanh(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
def where(
    condition: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: np.ndarray | None = None,
    where: ArrayLike = True,
) -> Any: ...
