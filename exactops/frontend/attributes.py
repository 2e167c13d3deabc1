"""Attributes of a call: their names, their values, and what a number becomes."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

import numpy as np

from exactops.errors import UnsupportedError
from exactops.frontend.scalars import scalar_array
from exactops.ops import misspelt
from exactops.table.formats import FORMATS, ONNX_TYPES_NOT_STORED, Format, format_named, format_of
from exactops.table.operator import Attribute, Operator


def check_names(operator: Operator, given: Iterable[str]) -> None:
    """Raise where a keyword is neither an attribute of the operator nor one of its operands."""
    every = [each.name for each in operator.attributes]
    keywords = [each.name for each in operator.operands if each.keyword]
    for name in given:
        if name not in every and name not in keywords:
            allowed = f"it has {', '.join((*keywords, *every))}" if every or keywords else "it has none"
            near = misspelt(name, [*keywords, *every])
            hint = f"; did you mean {near!r}?" if near else ""
            raise TypeError(f"{operator.name} has no attribute {name!r} ({allowed}){hint}")


def check_required(operator: Operator, given: Container[str]) -> None:
    """Raise where an attribute without a default is missing."""
    for attribute in operator.attributes:
        if attribute.required and attribute.name not in given:
            raise TypeError(f"{operator.name} needs the attribute {attribute.name!r}")


def selecting_value(operator: Operator, attribute: Attribute, value: Any) -> Any:
    """The value of a selecting attribute as it was declared; of a dtype the short name."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    try:
        return _target(value).short if attribute.kind == "dtype" else _choice(attribute, value)
    except (ValueError, UnsupportedError) as error:
        raise _named(operator, attribute, value, error) from error.__cause__


def scalar_of(operator: Operator, attribute: Attribute, value: Any, stored: Format) -> np.ndarray:
    """A travelling attribute as a 0-d array, rounded once."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    try:
        number = _whole(value) if attribute.kind == "int32" else _number(value)
    except ValueError as error:
        raise _named(operator, attribute, value, error) from error.__cause__
    return scalar_array(number, stored)


def _named(operator: Operator, attribute: Attribute, value: Any, error: Exception) -> Exception:
    # The text is made only here: printing a float sets floating-point exception flags.
    return type(error)(f"{operator.name}: {attribute.name}={value!r}: {error}")


def _choice(attribute: Attribute, value: Any) -> Any:
    for choice in attribute.choices:
        if type(value) is not bool and isinstance(value, (str, int, np.integer)) and value == choice:
            return choice
    raise ValueError(f"it must be one of {', '.join(map(repr, attribute.choices))}")


def _whole(value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError("it must be an int")
    if not -(2**31) <= value < 2**31:
        raise ValueError("it must fit 32 bits (-2**31 to 2**31 - 1)")
    return int(value)


def _number(value: Any) -> int | float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, np.longdouble):
        raise ValueError("longdouble is not served: it must be a number of at most 64 bits")
    if isinstance(value, (np.floating, np.integer)):
        return value.item()
    if isinstance(value, np.generic) and format_of(value.dtype) is FORMATS["bf16"]:
        return float(value)
    raise ValueError("it must be a number")


def _target(value: Any) -> Format:
    """The stored type that a cast names."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_)):
        for stored in FORMATS.values():
            if stored.onnx == value:
                return stored
        if int(value) in ONNX_TYPES_NOT_STORED:
            raise UnsupportedError(f"ONNX type {ONNX_TYPES_NOT_STORED[int(value)]} is not stored")
        raise ValueError("ONNX has no such type")
    if isinstance(value, str):
        named = format_named(str(value))
        if named is not None:
            return named
    if value is None or isinstance(value, (float, bool)):
        raise ValueError("it must be a dtype, its name, or ONNX's number of the type")
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError, SyntaxError) as error:
        if str(value).upper() in ONNX_TYPES_NOT_STORED.values():
            raise UnsupportedError(f"ONNX type {str(value).upper()} is not stored") from None
        near = misspelt(str(value), [each.dtype.name for each in FORMATS.values()])
        hint = f"; did you mean {near!r}?" if near else ""
        raise ValueError(f"no such dtype{hint}") from error
    found = format_of(dtype)
    if found is None:
        raise UnsupportedError(f"dtype {dtype} is not stored (stored are {', '.join(FORMATS)})")
    return found
