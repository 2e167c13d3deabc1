"""Operands of a call: what is an array, which stored type it has, and what a Python number beside it becomes."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from exactops.errors import UnsupportedError
from exactops.table.formats import FORMATS, Format, format_of
from exactops.table.operator import Operator

#: Types of Python numbers that take the dtype of the arrays beside them.
WEAK = (bool, int, float)


def is_weak(operand: Any) -> bool:
    """Whether an operand is a Python number, which takes the dtype of the arrays beside it."""
    return type(operand) in WEAK


def is_array(operand: Any) -> bool:
    """Whether an operand is handed to NumPy as it is: an array, a scalar, or an object that overrides NumPy's ufuncs."""
    if isinstance(operand, (np.ndarray, np.generic)):
        return True
    return getattr(type(operand), "__array_ufunc__", None) is not None


def as_array(operand: Any) -> Any:
    """An operand as something with a dtype: lists and all that NumPy converts become arrays."""
    if type(operand) is np.ndarray:
        return operand
    if type(operand) is list:
        return np.asarray(operand)
    return operand if operand is None or is_weak(operand) or is_array(operand) else np.asarray(operand)


def dtype_of(operator: Operator, operand: Any) -> Any:
    """The dtype of an array or of an object that overrides NumPy's ufuncs.

    Raises
    ------
    TypeError
        It has several, or none.
    """
    dtype = getattr(operand, "dtype", None)
    if dtype is not None:
        return dtype
    columns = getattr(operand, "dtypes", None)  # a table, such as pandas' DataFrame
    several = list(dict.fromkeys(columns)) if columns is not None else []
    if len(several) == 1:
        return several[0]
    kind = type(operand).__name__
    if several:
        names = " and ".join(str(each) for each in several[:2])
        raise TypeError(f"{operator.name}: the columns of the {kind} have the dtypes {names}; they must share one")
    raise TypeError(f"{operator.name}: a {kind} has no dtype; pass it as an array: numpy.asarray(x)")


def stored_type(operator: Operator, operand: Any) -> Format:
    """The stored type of an array.

    Raises
    ------
    UnsupportedError
        exactops does not store its dtype.
    """
    dtype = dtype_of(operator, operand)
    found = format_of(dtype) or _by_name(dtype)
    if found is None:
        served = ", ".join(operator.dtypes)
        raise UnsupportedError(f"{operator.name} does not serve dtype {dtype} (it serves {served}){_hint(dtype)}")
    return found


def _by_name(dtype: Any) -> Format | None:
    """The stored type of a dtype of another library by what it is called, such as polars' ``Float32``."""
    if isinstance(dtype, np.dtype):
        return None
    name = str(dtype).lower()
    return next((each for each in FORMATS.values() if each.dtype.name == name), None)


def _hint(dtype: Any) -> str:
    if isinstance(dtype, np.dtype) and dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None:
        return "; bfloat16 arrays that NumPy saved are loaded as raw elements: use x.view(ml_dtypes.bfloat16)"
    if isinstance(dtype, np.dtype) and dtype == np.object_:
        return "; convert the objects first: numpy.asarray(x, dtype=...)"
    return ""


def default_type(numbers: list[Any]) -> Format:
    """NumPy's default dtype, where all operands are Python numbers."""
    kinds = {type(number) for number in numbers if number is not None}
    return FORMATS["f64" if float in kinds else "i64" if int in kinds else "bool"]


def check_weak(operator: Operator, number: bool | int | float, stored: Format) -> None:
    """Raise where a Python number of this type does not go with arrays of a stored type."""
    if stored.kind in "iu" and isinstance(number, float):
        raise TypeError(f"{operator.name}: the Python float {number!r} does not go with {stored.dtype.name} arrays")
    if stored.kind == "b" and not isinstance(number, bool):
        raise TypeError(f"{operator.name}: the Python number {number!r} does not go with bool arrays")


def missing_array(operand: Any, value: Format) -> np.ndarray:
    """What stands for an operand that is left out."""
    return value.array(operand.missing_value(value))


def refuse_type(operator: Operator, value: Format) -> NoReturn:
    """Say that a value type is not served."""
    reason = operator.refusal(value)
    because = f": {reason}" if reason else ""
    raise UnsupportedError(f"{operator.name} does not serve {value.short}{because} (it serves {', '.join(operator.dtypes)})")


def compared_by_value(numbers: list[Any], operands: list[Any], value: Format) -> list[Any] | None:
    """Operands that compare as given ones do, where a Python int does not fit the arrays' integer type.

    Parameters
    ----------
    numbers : list
        The two operands as they were given.
    operands : list
        The same: an array where an operand is one.
    value : Format
        The arrays' type.

    Returns
    -------
    list, or None where the operands cannot be replaced
    """
    least, largest = (value.array(value.extreme(upper, True)) for upper in (False, True))
    if all(map(is_weak, numbers)):
        first, second = numbers
        return [least, largest] if first < second else [largest, least] if first > second else [least, least]
    place = next(place for place, each in enumerate(numbers) if is_weak(each))
    array = operands[1 - place]
    if not isinstance(array, (np.ndarray, np.generic)):
        return None
    # The int lies above, or below, all values of the type: so do the extremes of each other.
    number, other = (largest, least) if numbers[place] > 0 else (least, largest)
    found: list[Any] = [np.broadcast_to(other, array.shape)] * 2
    found[place] = number
    return found
