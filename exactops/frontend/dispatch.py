"""The dispatch of calls: from the types of the arguments to a plan that was made before.

Each operator has a dictionary of plans. Its key is a tuple: of each positional argument the dtype where it is an array,
else its Python type; of each attribute its name with the type of its value, or with the value itself where that selects a
kernel; the mode and the path. So calls with other arrays, strides, shapes, Python numbers and attribute values meet the
same plan. Only a call of new types, or one that ends in an error, has a plan made (:mod:`exactops.frontend.plan`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import is_not as operator_is_not
from typing import Any

import numpy as np
from numpy import ndarray

from exactops.frontend import accelerator
from exactops.frontend.operands import WEAK, as_array
from exactops.frontend.plan import Plan, plan
from exactops.table.formats import FORMATS
from exactops.table.operator import Alias, Operator

#: Plans that an operator keeps at most (types and choices are few; this is a limit for odd programs).
MOST_PLANS = 4096

#: Types of arguments that say by themselves what an argument is.
_PLAIN = frozenset((*WEAK, type(None), *(each.dtype.type for each in FORMATS.values())))

Call = Callable[..., Any]


def dispatcher(operator: Operator, alias: Alias | None = None) -> Call:
    """The Python function that calls of an operator go through.

    Parameters
    ----------
    operator : Operator
    alias : Alias, optional
        A spelling that narrows the types or presets attributes.
    """
    plans: dict[Any, Plan] = {}
    find = plans.get
    selecting = {each.name for each in operator.attributes if each.selects}
    keyword_operands = [each.name for each in operator.operands if each.keyword]
    preset = dict(alias.preset) if alias is not None else {}
    positional = [each.name for each in operator.attributes if each.positional]
    most = len(operator.operands) if positional else sys.maxsize

    def call(*arrays: Any, mode: Any = "exact", path: Any = None, out: Any = None, where: Any = True, **attributes: Any) -> Any:
        if len(arrays) > most:
            arrays, attributes = by_name(arrays, attributes)
        # The first two arrays are told apart without a loop: most calls have no more, and this costs half.
        x: Any = None
        y: Any = None
        key: Any
        if len(arrays) == 1:
            (x,) = arrays
            y = x
            key = x.dtype if type(x) is ndarray else type(x)
        elif len(arrays) == 2:
            x, y = arrays
            key = x.dtype if type(x) is ndarray else type(x), y.dtype if type(y) is ndarray else type(y)
        else:
            key = tuple([each.dtype if type(each) is ndarray else type(each) for each in arrays])
        if attributes:
            parts = [key]
            for name, value in attributes.items():
                if name in selecting:
                    parts += (name, type(value), value)
                else:
                    parts += (name, value.dtype if type(value) is ndarray else type(value))
            key = tuple(parts)
        if path is not None or mode != "exact":
            key = key, mode, path
        try:
            found = find(key)
        except TypeError:  # a value that cannot be hashed is none that selects anything
            found = None
        if found is None:
            return first(arrays, mode, path, out, where, attributes, key)
        constants = found.constants
        if constants is not None:
            if out is None:
                if where is True:
                    return found.ufunc(*arrays, *constants)
            elif x is not None and type(out) is ndarray and out.dtype is found.dtype:
                shape = out.shape
                if x.shape == shape and (y is x or y.shape == shape):
                    if where is True:
                        return found.ufunc(*arrays, *constants, out)
                    if type(where) is ndarray and where.dtype is _BOOL and where.shape == shape:
                        return found.ufunc(*arrays, *constants, out, where=where)
        return found(arrays, attributes, out, where)

    def by_name(arrays: tuple, attributes: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
        """Attributes that were given by position, behind the operands, as if they were given by name."""
        given = dict(zip(positional, arrays[most:], strict=False))
        for name in given:
            if name in attributes:
                raise TypeError(f"{operator.name}: attribute {name!r} is given twice, by position and by keyword")
        return arrays[:most] + arrays[most + len(given) :], attributes | given

    def first(arrays: tuple, mode: Any, path: Any, out: Any, where: Any, attributes: dict[str, Any], key: tuple) -> Any:
        """A call of types that were not seen before, or that need a conversion by NumPy first."""
        converted = tuple([as_array(each) for each in arrays])
        named = {name: as_array(value) if name in keyword_operands else value for name, value in attributes.items()}
        if any(map(operator_is_not, converted, arrays)) or any(map(operator_is_not, named.values(), attributes.values())):
            return call(*converted, mode=mode, path=path, out=out, where=where, **named)
        for name, value in preset.items():
            if attributes.get(name, value) != value:
                raise TypeError(f"{alias.name if alias else ''} means {name}={value!r}")
        known = _subclass_key((*arrays, *(named[name] for name in keyword_operands if name in named)), key)
        try:
            found = find(known) if known is not None else None
        except TypeError:
            found = known = None
        if found is None:
            found = plan(operator, arrays, {**preset, **attributes}, mode, path, alias).compile()
            if known is not None:
                if len(plans) >= MOST_PLANS:
                    plans.clear()
                plans[known] = found
        result = found(arrays, attributes, out, where)
        if known is key and where is True:
            keywords = {name: value for name, value in (("mode", mode), ("path", path)) if value != _DEFAULTS[name]}
            accelerator.remember(call, arrays, keywords | attributes, found)
        return result

    return call


_BOOL = FORMATS["bool"].dtype
_DEFAULTS = {"mode": "exact", "path": None}


def _subclass_key(operands: tuple, key: Any) -> Any:
    """A key that tells what the operands are, with the dtypes of arrays of other classes; None where nothing does."""
    plain = True
    classes: list[Any] = []
    for each in operands:
        kind = type(each)
        if kind is ndarray or kind in _PLAIN:
            classes.append(None)
        elif isinstance(each, (np.ndarray, np.generic)):
            plain = False
            classes.append((kind, each.dtype))
        else:
            return None
    return key if plain else (key, *classes)
