# Generated from the declarations in exactops/ops by tools/make_operator_table.py.
# Where an operand or out= is an array, so is the result; what may override NumPy's ufuncs, and lists, give Any.
from types import EllipsisType
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from exactops.api import operators as operators
from exactops.codegen.paths import paths as paths
from exactops.contracts.assembling import contract as contract
from exactops.errors import CacheWarning as CacheWarning
from exactops.errors import UnsupportedError as UnsupportedError
from exactops.table.operator import Attribute as Attribute
from exactops.table.operator import Operand as Operand
from exactops.table.operator import Operator as Operator

__version__: str
__all__: list[str]

# An array, and what gives an array beside one.
_Array: TypeAlias = np.ndarray[Any, Any]
_Plain: TypeAlias = np.ndarray[Any, Any] | np.generic | float
_Out: TypeAlias = np.ndarray[Any, Any] | tuple[np.ndarray[Any, Any]] | EllipsisType

_Spelling: TypeAlias = Literal[
    "Abs",
    "abs",
    "absolute",
    "Add",
    "add",
    "And",
    "and",
    "Cast",
    "cast",
    "cast_like",
    "CastLike",
    "Ceil",
    "ceil",
    "clamp",
    "clamp_max",
    "clamp_min",
    "Clip",
    "clip",
    "Cos",
    "cos",
    "Div",
    "div",
    "divide",
    "Equal",
    "equal",
    "Erf",
    "erf",
    "erfc",
    "Exp",
    "exp",
    "expit",
    "fabs",
    "Floor",
    "floor",
    "fmod",
    "Gelu",
    "gelu",
    "gelu_erf",
    "gelu_tanh",
    "Greater",
    "greater",
    "greater_equal",
    "greater_or_equal",
    "GreaterOrEqual",
    "hard_sigmoid",
    "hard_swish",
    "HardSigmoid",
    "HardSwish",
    "leaky_relu",
    "LeakyRelu",
    "Less",
    "less",
    "less_equal",
    "less_or_equal",
    "LessOrEqual",
    "Log",
    "log",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "Max",
    "max",
    "maximum",
    "Mean",
    "mean",
    "Min",
    "min",
    "minimum",
    "Mod",
    "mod",
    "Mul",
    "mul",
    "multiply",
    "Neg",
    "neg",
    "negative",
    "Not",
    "not",
    "Or",
    "or",
    "Pow",
    "pow",
    "power",
    "powi",
    "powi_backward",
    "recip",
    "Reciprocal",
    "reciprocal",
    "Relu",
    "relu",
    "remainder",
    "rint",
    "Round",
    "round",
    "rsqrt",
    "scaled_add",
    "Sigmoid",
    "sigmoid",
    "Sign",
    "sign",
    "silu",
    "Sin",
    "sin",
    "sqr",
    "Sqrt",
    "sqrt",
    "square",
    "step",
    "Sub",
    "sub",
    "subtract",
    "Sum",
    "sum",
    "Tanh",
    "tanh",
    "true_divide",
    "Where",
    "where",
    "Xor",
    "xor",
]

@overload
def run(
    op: _Spelling,
    x: _Array,
    /,
    *arrays: _Plain | None,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
    **attributes: Any,
) -> _Array: ...
@overload
def run(
    op: _Spelling,
    /,
    *arrays: ArrayLike | None,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
    **attributes: Any,
) -> _Array: ...
@overload
def run(
    op: _Spelling,
    /,
    *arrays: ArrayLike | None,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
    **attributes: Any,
) -> Any: ...
@overload
def run(
    op: str,
    /,
    *arrays: Any,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
    **attributes: Any,
) -> Any: ...
@overload
def abs(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def abs(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def abs(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def add(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def add(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def add(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def add(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def cast(
    x: _Array,
    /,
    to: DTypeLike | int,
    *,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def cast(
    x: ArrayLike,
    /,
    to: DTypeLike | int,
    *,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def cast(
    x: ArrayLike,
    /,
    to: DTypeLike | int,
    *,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def cast_like(
    x: _Array,
    like: ArrayLike,
    /,
    *,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def cast_like(
    x: ArrayLike,
    like: ArrayLike,
    /,
    *,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def cast_like(
    x: ArrayLike,
    like: ArrayLike,
    /,
    *,
    saturate: Any = 1,
    round_mode: Any = "up",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def ceil(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def ceil(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def ceil(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def clamp(
    x: _Array,
    /,
    min: _Plain | None = None,
    max: _Plain | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def clamp_max(
    x: _Array,
    /,
    max: _Plain,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp_max(
    x: _Plain,
    /,
    max: _Array,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp_max(
    x: ArrayLike,
    /,
    max: ArrayLike,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp_max(
    x: ArrayLike,
    /,
    max: ArrayLike,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def clamp_min(
    x: _Array,
    /,
    min: _Plain,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp_min(
    x: _Plain,
    /,
    min: _Array,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp_min(
    x: ArrayLike,
    /,
    min: ArrayLike,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clamp_min(
    x: ArrayLike,
    /,
    min: ArrayLike,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def clip(
    x: _Array,
    /,
    min: _Plain | None = None,
    max: _Plain | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clip(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def clip(
    x: ArrayLike,
    /,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def cos(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def cos(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def cos(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def div(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def div(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def div(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def div(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def equal(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def equal(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def erf(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def erf(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def erf(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def erfc(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def erfc(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def erfc(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def exp(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def exp(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def exp(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def floor(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def floor(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def floor(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def gelu(
    x: _Array,
    /,
    *,
    approximate: Literal["none", "tanh"] = "none",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def gelu(
    x: ArrayLike,
    /,
    *,
    approximate: Literal["none", "tanh"] = "none",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def gelu(
    x: ArrayLike,
    /,
    *,
    approximate: Literal["none", "tanh"] = "none",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def gelu_tanh(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def gelu_tanh(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def gelu_tanh(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def greater(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def greater(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def greater(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def greater(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def greater_or_equal(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def greater_or_equal(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def greater_or_equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def greater_or_equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def hard_sigmoid(
    x: _Array,
    /,
    *,
    alpha: float = 0.2,
    beta: float = 0.5,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def hard_sigmoid(
    x: ArrayLike,
    /,
    *,
    alpha: float = 0.2,
    beta: float = 0.5,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def hard_sigmoid(
    x: ArrayLike,
    /,
    *,
    alpha: float = 0.2,
    beta: float = 0.5,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def hard_swish(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def hard_swish(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def hard_swish(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def leaky_relu(
    x: _Array,
    /,
    *,
    alpha: float = 0.01,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def leaky_relu(
    x: ArrayLike,
    /,
    *,
    alpha: float = 0.01,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def leaky_relu(
    x: ArrayLike,
    /,
    *,
    alpha: float = 0.01,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def less(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def less(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def less(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def less(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def less_or_equal(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def less_or_equal(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def less_or_equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> np.ndarray[Any, np.dtype[np.bool]]: ...
@overload
def less_or_equal(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def log(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def log(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def log(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def logical_and(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_and(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_and(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_and(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def logical_not(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_not(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_not(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def logical_or(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_or(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_or(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_or(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def logical_xor(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_xor(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_xor(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def logical_xor(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def max(
    x: _Array,
    /,
    *arrays: _Plain,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def max(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def max(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def mean(
    x: _Array,
    /,
    *arrays: _Plain,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mean(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mean(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def min(
    x: _Array,
    /,
    *arrays: _Plain,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def min(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def min(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def mod(
    x: _Array,
    y: _Plain,
    /,
    *,
    fmod: Literal[0, 1] = 0,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mod(
    x: _Plain,
    y: _Array,
    /,
    *,
    fmod: Literal[0, 1] = 0,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mod(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    fmod: Literal[0, 1] = 0,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mod(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    fmod: Literal[0, 1] = 0,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def mul(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mul(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mul(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def mul(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def neg(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def neg(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def neg(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def pow(
    x: _Array,
    exponent: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def pow(
    x: _Plain,
    exponent: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def pow(
    x: ArrayLike,
    exponent: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def pow(
    x: ArrayLike,
    exponent: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def powi(
    x: _Array,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def powi(
    x: ArrayLike,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def powi(
    x: ArrayLike,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def powi_backward(
    x: _Array,
    upstream: _Plain,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def powi_backward(
    x: _Plain,
    upstream: _Array,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def powi_backward(
    x: ArrayLike,
    upstream: ArrayLike,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def powi_backward(
    x: ArrayLike,
    upstream: ArrayLike,
    /,
    *,
    exp: int,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def reciprocal(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def reciprocal(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def reciprocal(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def relu(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def relu(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def relu(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def round(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def round(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def round(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def rsqrt(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def rsqrt(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def rsqrt(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def scaled_add(
    input: _Array,
    other: _Plain,
    /,
    alpha: float,
    beta: float,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def scaled_add(
    input: _Plain,
    other: _Array,
    /,
    alpha: float,
    beta: float,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def scaled_add(
    input: ArrayLike,
    other: ArrayLike,
    /,
    alpha: float,
    beta: float,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def scaled_add(
    input: ArrayLike,
    other: ArrayLike,
    /,
    alpha: float,
    beta: float,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def sigmoid(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sigmoid(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sigmoid(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def sign(
    x: _Array,
    /,
    *,
    nan: Literal["nan", "zero"] = "nan",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sign(
    x: ArrayLike,
    /,
    *,
    nan: Literal["nan", "zero"] = "nan",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sign(
    x: ArrayLike,
    /,
    *,
    nan: Literal["nan", "zero"] = "nan",
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def silu(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def silu(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def silu(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def sin(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sin(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sin(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def sqrt(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sqrt(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sqrt(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def square(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def square(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def square(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def step(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def step(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def step(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def sub(
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sub(
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sub(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sub(
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def sum(
    x: _Array,
    /,
    *arrays: _Plain,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sum(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def sum(
    *arrays: ArrayLike,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def tanh(
    x: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def tanh(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def tanh(
    x: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...
@overload
def where(
    condition: _Array,
    x: _Plain,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def where(
    condition: _Plain,
    x: _Array,
    y: _Plain,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def where(
    condition: _Plain,
    x: _Plain,
    y: _Array,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def where(
    condition: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out,
    where: ArrayLike = True,
) -> _Array: ...
@overload
def where(
    condition: ArrayLike,
    x: ArrayLike,
    y: ArrayLike,
    /,
    *,
    mode: Literal["exact", "fast"] = "exact",
    path: str | None = None,
    out: _Out | None = None,
    where: ArrayLike = True,
) -> Any: ...

absolute = abs
divide = div
expit = sigmoid
fabs = abs
fmod = mod
gelu_erf = gelu
greater_equal = greater_or_equal
less_equal = less_or_equal
maximum = max
minimum = min
multiply = mul
negative = neg
power = pow
recip = reciprocal
remainder = mod
rint = round
sqr = square
subtract = sub
true_divide = div
