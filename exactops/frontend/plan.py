"""From the arguments of a call to a compiled ufunc and its operands. Every error about arguments comes from here."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactops.codegen.key import Key
from exactops.codegen.paths import check_path, default_path
from exactops.errors import UnsupportedError
from exactops.frontend.scalars import scalar_array
from exactops.ops import NAMES
from exactops.table.formats import STORAGES, Storage, storage_of
from exactops.table.operator import REQUIRED, Attribute, Operator

MODES = ("exact", "fast")

#: Names of ONNX's TensorProto types that are not stored, for messages.
_ONNX_NAMES = {
    0: "UNDEFINED",
    8: "STRING",
    14: "COMPLEX64",
    15: "COMPLEX128",
    17: "FLOAT8E4M3FN",
    18: "FLOAT8E4M3FNUZ",
    19: "FLOAT8E5M2",
    20: "FLOAT8E5M2FNUZ",
    21: "UINT4",
    22: "INT4",
    23: "FLOAT4E2M1",
    24: "FLOAT8E8M0",
    25: "UINT2",
    26: "INT2",
}


@dataclass(frozen=True)
class Plan:
    """What a call amounts to.

    Attributes
    ----------
    operator : Operator
    key : Key
        The loop of the call (of a fold: of each step).
    operands : tuple
        Arrays, ready for the ufunc; of a fold all of them.
    attributes : tuple of numpy.ndarray
        The travelling attributes as 0-d arrays.
    result : numpy.dtype
    out, where :
        As given, checked.
    """

    operator: Operator
    key: Key
    operands: tuple[Any, ...]
    attributes: tuple[np.ndarray, ...]
    result: np.dtype
    out: np.ndarray | None = None
    where: Any = True


def find_operator(name: object) -> Operator:
    """The operator of any of its spellings.

    Raises
    ------
    UnsupportedError
        No operator has this name; the message suggests the nearest one.
    """
    if isinstance(name, str) and name in NAMES:
        return NAMES[name]
    near = difflib.get_close_matches(str(name), NAMES, n=1) or difflib.get_close_matches(str(name).lower(), NAMES, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UnsupportedError(f"no operator is called {name!r}{hint} (exactops.operators() lists them)")


def plan(
    operator: Operator,
    arrays: tuple[Any, ...],
    mode: str = "exact",
    path: str | None = None,
    out: Any = None,
    where: Any = True,
    attributes: dict[str, Any] | None = None,
) -> Plan:
    """Check the arguments of a call and choose its loop. Nothing is computed and no output is touched.

    Raises
    ------
    UnsupportedError
        The operator does not serve the dtype.
    TypeError
        Mixed dtypes, a missing or surplus operand, an unknown attribute, an ``out`` of another dtype.
    ValueError
        A bad mode, path or attribute value, shapes that do not broadcast, an ``out`` of another shape, ``where`` without it.
    OverflowError
        A Python int that does not fit the integer dtype of the arrays.
    """
    if mode not in MODES:
        raise ValueError(f"mode={mode!r}: the modes are 'exact' and 'fast'")
    path = default_path() if path is None else check_path(path)
    given = dict(attributes or {})
    _check_attribute_names(operator, given)
    listed = _operands(operator, arrays, given)
    chosen = _attributes(operator, given)
    listed, value = _common_dtype(operator, listed)
    if value.short not in operator.dtypes:
        _refuse_dtype(operator, value)
    if value.kind in operator.needs:
        name, needed, meaning = operator.needs[value.kind]
        if chosen[name] != needed:
            raise UnsupportedError(f"{operator.name} of {value.short} is served with {name}={needed} only ({meaning})")
    operands, result = _shape_operands(operator, listed, value, chosen)
    choices = tuple(
        sorted((a.name, chosen[a.name]) for a in operator.attributes if a.kind == "choice" and None not in a.choices)
    )
    travelling = [a for a in operator.attributes if a.travels]
    storages = tuple(_attribute_storage(a, value) for a in travelling)
    scalars = tuple(scalar_array(chosen[a.name], s) for a, s in zip(travelling, storages, strict=True))
    inputs = [value.short] * (min(len(operands), 2) if operator.variadic else len(operands))
    if operator.condition:
        inputs[0] = "bool"
    for name in operator.own_dtype:
        position = operator.operands.index(name)
        inputs[position] = _storage(operator, operands[position]).short
    key = Key(operator.name, (*inputs, *(s.short for s in storages)), result.short, choices, path, False)
    if mode == "fast" and key.kernel.differs:
        key = key._replace(fast=True)
    if out is not None or where is not True:
        _check_out(operands, result, out, where)
    return Plan(operator, key, operands, scalars, result.dtype, out, where)


# --- operands -----------------------------------------------------------------------------------------------------------


def _operands(operator: Operator, arrays: tuple[Any, ...], given: dict[str, Any]) -> list[Any]:
    """The operands in order, those given by keyword included (and taken out of ``given``)."""
    operands = list(arrays)
    bounds = {a.name: a for a in operator.attributes if a.kind == "bound"}
    for position, name in enumerate(operator.operands):
        if name in bounds and name in given:
            if position < len(operands) and operands[position] is not None:
                raise TypeError(f"{operator.name}: operand {name!r} is given twice, by position and by keyword")
            operands.extend([None] * (position + 1 - len(operands)))
            operands[position] = given.pop(name)
    if operator.variadic:
        if not operands:
            raise TypeError(f"{operator.name} takes one operand or more, none was given")
        least, most = 1, len(operands)
    else:
        most = len(operator.operands)
        least = most - operator.optional
    present = len(operands)
    if not operator.variadic:
        for name, operand in zip(operator.operands[:least], operands, strict=False):
            if operand is None:
                raise TypeError(f"{operator.name}: the operand {name!r} is None")
    while present and operands[present - 1] is None:
        present -= 1
    if not least <= present <= most or len(operands) > most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        names = ", ".join(operator.operands)
        raise TypeError(f"{operator.name} takes {wanted} operand{'s' if most > 1 else ''} ({names}), {len(operands)} given")
    if operator.variadic and any(operand is None for operand in operands):
        raise TypeError(f"{operator.name}: an operand is None")
    operands.extend([None] * (most - len(operands)))
    return operands


def _is_weak(operand: Any) -> bool:
    return type(operand) in (bool, int, float)


def _as_array(operator: Operator, operand: Any) -> Any:
    """An operand as something with a dtype and a shape; array types that override ufuncs stay what they are."""
    if isinstance(operand, (np.ndarray, np.generic)):
        return operand
    if hasattr(operand, "__array_ufunc__") and hasattr(operand, "dtype") and hasattr(operand, "shape"):
        return operand
    if operand is None:
        raise TypeError(f"{operator.name}: an operand is None")
    return np.asarray(operand)


def _storage(operator: Operator, array: Any) -> Storage:
    found = storage_of(array.dtype)
    if found is None:
        served = ", ".join(operator.dtypes)
        raise UnsupportedError(f"{operator.name} does not serve dtype {array.dtype} (it serves {served})")
    return found


def _common_dtype(operator: Operator, operands: list[Any]) -> tuple[list[Any], Storage]:
    """The operands as arrays of one dtype, and that dtype. Python numbers take the dtype of the arrays beside them."""
    arrays = [a if a is None or _is_weak(a) else _as_array(operator, a) for a in operands]
    names = operator.operands if not operator.variadic else ("x",) * len(arrays)
    shared = [
        position
        for position, name in enumerate(names)
        if name not in operator.own_dtype and name not in operator.dtype_only and not (operator.condition and position == 0)
    ]
    if operator.condition:
        arrays[0] = _condition(operator, arrays[0])
    own = {position: arrays[position] for position, name in enumerate(names) if name in operator.own_dtype}
    for position, array in own.items():
        arrays[position] = own[position] = _own_dtype(operator, names[position], array)
    storages: dict[str, Storage] = {}
    for position in shared:
        array = arrays[position]
        if array is not None and not _is_weak(array):
            storage = _storage(operator, array)
            storages.setdefault(storage.short, storage)
    if len(storages) > 1:
        both = " and ".join(storage.dtype.name for storage in list(storages.values())[:2])
        target = next(iter(storages.values())).dtype.name
        raise TypeError(
            f"{operator.name}: the operands have the dtypes {both}; "
            f"they must share one, so cast first: exactops.cast(x, to={target!r})"
        )
    value = next(iter(storages.values()), None)
    if value is None:
        # A Python number beside an array of a dtype of its own takes that, too.
        strong = next((a for position, a in own.items() if not _is_weak(operands[position])), None)
        value = _default_storage([arrays[p] for p in shared]) if strong is None else _storage(operator, strong)
    for position in shared:
        array = arrays[position]
        if array is not None and _is_weak(array):
            arrays[position] = _weak(operator, array, value)
    return arrays, value


def _own_dtype(operator: Operator, name: str, operand: Any) -> Any:
    """An operand that does not share the value type, as an array; a Python number becomes i64 or f64."""
    if _is_weak(operand):
        return _weak(operator, operand, STORAGES["f64" if isinstance(operand, float) else "i64"])
    found = storage_of(operand.dtype)
    served = operator.own_dtype[name]
    if found is None or found.short not in served:
        raise UnsupportedError(f"{operator.name} does not serve {operand.dtype} as {name} (it serves {', '.join(served)})")
    return operand


def _condition(operator: Operator, condition: Any) -> Any:
    if isinstance(condition, bool):
        return np.array(condition)
    if _is_weak(condition) or condition.dtype != np.bool_:
        kind = type(condition).__name__ if _is_weak(condition) else condition.dtype
        raise TypeError(f"{operator.name}: the condition must be bool, it is {kind}")
    return condition


def _default_storage(values: list[Any]) -> Storage:
    """NumPy's default dtype, where all operands are Python numbers."""
    kinds = {type(value) for value in values if value is not None}
    return STORAGES["f64" if float in kinds else "i64" if int in kinds else "bool"]


def _weak(operator: Operator, value: bool | int | float, storage: Storage) -> np.ndarray:
    if storage.kind in "iu" and isinstance(value, float):
        raise TypeError(f"{operator.name}: the Python float {value!r} does not go with {storage.dtype.name} arrays")
    if storage.kind == "b" and not isinstance(value, bool):
        raise TypeError(f"{operator.name}: the Python number {value!r} does not go with bool arrays")
    return scalar_array(value, storage)


def _refuse_dtype(operator: Operator, value: Storage) -> None:
    reason = operator.unserved.get(value.short)
    served = ", ".join(operator.dtypes)
    because = f": {reason}" if reason else ""
    raise UnsupportedError(f"{operator.name} does not serve {value.short}{because} (it serves {served})")


def _shape_operands(
    operator: Operator, operands: list[Any], value: Storage, chosen: dict[str, Any]
) -> tuple[tuple[Any, ...], Storage]:
    """Fill in missing bounds, find the result's type, and drop operands that the kernel never reads."""
    if operator.result == "to":
        target = chosen["to"] if "to" in chosen else _like(operator, operands[1])
        return (operands[0],), target
    for position, name in enumerate(operator.operands):
        if not operator.variadic and operands[position] is None:
            operands[position] = _missing_bound(operator.attribute(name), name, value)
    return tuple(operands), STORAGES["bool"] if operator.result == "bool" else value


def _missing_bound(attribute: Attribute | None, name: str, value: Storage) -> np.ndarray:
    upper = name == "max"
    if value.kind != "f":
        limits = np.iinfo(value.dtype)
        return np.array(limits.max if upper else limits.min, value.dtype)
    infinity = value.nan & ~(1 << (value.significand - 2))
    # The pattern below infinity is the largest finite value.
    pattern = infinity - (attribute is not None and attribute.default == "finite")
    if not upper:
        pattern |= 1 << (8 * value.size - 1)
    return np.array(pattern, f"u{value.size}").view(value.dtype)


def _like(operator: Operator, operand: Any) -> Storage:
    if _is_weak(operand):
        return _default_storage([operand])
    found = storage_of(operand.dtype)
    if found is None:
        raise UnsupportedError(f"{operator.name}: dtype {operand.dtype} of the second operand is not stored")
    return found


# --- attributes ---------------------------------------------------------------------------------------------------------


def _check_attribute_names(operator: Operator, given: dict[str, Any]) -> None:
    every = [a.name for a in operator.attributes]
    for name in given:
        if name not in every:
            near = difflib.get_close_matches(name, every, n=1)
            allowed = f"it has {', '.join(every)}" if every else "it has none"
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{operator.name} has no attribute {name!r} ({allowed}){hint}")


def _attributes(operator: Operator, given: dict[str, Any]) -> dict[str, Any]:
    """Every attribute's value, defaults included."""
    known = {a.name: a for a in operator.attributes if a.kind != "bound"}
    chosen = {}
    for name, attribute in known.items():
        if name not in given:
            if attribute.default is REQUIRED:
                raise TypeError(f"{operator.name} needs the attribute {name!r}")
            chosen[name] = attribute.default
        else:
            chosen[name] = _attribute_value(operator, attribute, given[name])
    return chosen


def _attribute_value(operator: Operator, attribute: Attribute, value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    try:
        return _checked_attribute(attribute, value)
    except (ValueError, UnsupportedError) as error:
        # The text is made only here: printing a float sets floating-point exception flags.
        raise type(error)(f"{operator.name}: {attribute.name}={value!r}: {error}") from error.__cause__


def _checked_attribute(attribute: Attribute, value: Any) -> Any:
    if attribute.kind == "dtype":
        return _target(value)
    if attribute.kind == "choice":
        if None in attribute.choices:
            return value
        for choice in attribute.choices:
            if type(value) is not bool and isinstance(value, (str, int, np.integer)) and value == choice:
                return choice
        raise ValueError(f"it must be one of {', '.join(map(repr, attribute.choices))}")
    if attribute.kind == "int32":
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ValueError("it must be an int")
        if not -(2**31) <= value < 2**31:
            raise ValueError("it must fit 32 bits (-2**31 to 2**31 - 1)")
        return int(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    if isinstance(value, np.longdouble):
        raise ValueError("longdouble is not served: it must be a number of at most 64 bits")
    if isinstance(value, (np.floating, np.integer)):
        return value.item()
    if isinstance(value, np.generic) and storage_of(value.dtype) is STORAGES["bf16"]:
        return float(value)
    raise ValueError("it must be a number")


def _attribute_storage(attribute: Attribute, value: Storage) -> Storage:
    """The stored type that an attribute is rounded to before it travels."""
    if attribute.kind == "int32":
        return STORAGES["i32"]
    return value if attribute.rounded_to == "element" or value.short == "f64" else STORAGES["f32"]


def _target(value: Any) -> Storage:
    """The stored type that a cast names."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_)):
        for storage in STORAGES.values():
            if storage.onnx == value:
                return storage
        if int(value) in _ONNX_NAMES:
            raise UnsupportedError(f"ONNX type {_ONNX_NAMES[int(value)]} is not stored")
        raise ValueError("ONNX has no such type")
    if isinstance(value, str) and value in STORAGES:
        return STORAGES[value]
    if value == "bfloat16":
        return STORAGES["bf16"]
    if value is None or isinstance(value, (float, bool)):
        raise ValueError("it must be a dtype, its name, or ONNX's number of the type")
    try:
        dtype = np.dtype(value)
    except (TypeError, ValueError, SyntaxError) as error:
        if str(value).upper() in _ONNX_NAMES.values():
            raise UnsupportedError(f"ONNX type {str(value).upper()} is not stored") from None
        near = difflib.get_close_matches(str(value), [s.dtype.name for s in STORAGES.values()], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"no such dtype{hint}") from error
    found = storage_of(dtype)
    if found is None:
        raise UnsupportedError(f"dtype {dtype} is not stored (stored are {', '.join(STORAGES)})")
    return found


# --- the result ---------------------------------------------------------------------------------------------------------


def _check_out(operands: tuple[Any, ...], result: Storage, out: Any, where: Any) -> None:
    if out is None:
        raise ValueError("where= needs out=: without it the unselected elements would be uninitialised")
    if isinstance(out, tuple) and len(out) == 1:
        raise TypeError("out= takes an array, not a tuple")
    if not hasattr(out, "dtype") or not hasattr(out, "shape"):
        raise TypeError(f"out= takes an array of dtype {result.dtype.name}, not {type(out).__name__}")
    if storage_of(out.dtype) is not result:
        raise TypeError(f"out= has dtype {out.dtype}, the result has {result.dtype.name}")
    shapes = [np.shape(operand) for operand in operands]
    if where is not True:
        if not isinstance(where, (np.ndarray, np.generic)) and not hasattr(where, "__array_ufunc__"):
            where = np.asarray(where)
        if where.dtype != np.bool_:
            raise TypeError(f"where= takes a bool array, not {where.dtype}")
        shapes.append(where.shape)
    shape = _broadcast_shape(shapes)
    if tuple(out.shape) != shape:
        raise ValueError(f"out= has shape {tuple(out.shape)}, the result has {shape}")


def _broadcast_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape by NumPy's rules; its own function for that stops at 32 dimensions, its ufuncs at 64."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    lengths = []
    for axis in zip(*padded, strict=True):
        others = {length for length in axis if length != 1}
        if len(others) > 1:
            raise ValueError(f"the shapes {', '.join(map(str, shapes))} do not broadcast")
        lengths.append(others.pop() if others else 1)
    return tuple(lengths)
