"""The dispatch of calls: from the types of the arguments to a plan that was made before.

Each operator has a dictionary of plans. Its key is made of each positional argument's dtype where it is an array, else its
Python type; of each attribute's name with the type of its value, or with the value itself where that selects a kernel; and
of the mode and the path where they are not the default. So calls with other arrays, strides, shapes, Python numbers and
attribute values meet the same plan. Only a call of new types, or one that ends in an error, has a plan made
(:mod:`exactops.frontend.plan`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import is_not
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

_BOOL = FORMATS["bool"].dtype
#: In place of an argument that is not there.
_NONE: Any = object()
_DEFAULTS = {"mode": "exact", "path": None}

Call = Callable[..., Any]


class Dispatch:
    """The plans of one operator, or of an alias that narrows its types or presets attributes.

    Attributes
    ----------
    operator : Operator
    alias : Alias or None
    plans : dict
        By key: the ufunc, where it takes the arguments as they are; a function of the first two arguments and the attributes,
        where one of them is converted; the dtype of the result; and the plan.
    call : callable
        The public function, without the accelerator.
    """

    __slots__ = (
        "alias",
        "call",
        "find",
        "keyword_operands",
        "most",
        "operator",
        "plans",
        "positional",
        "preset",
        "selecting",
        "two",
    )

    def __init__(self, operator: Operator, alias: Alias | None = None) -> None:
        self.operator, self.alias = operator, alias
        self.preset = dict(alias.preset) if alias is not None else {}
        self.plans: dict[Any, tuple[np.ufunc | None, Call | None, np.dtype | None, Plan]] = {}
        self.find = self.plans.get
        self.selecting = {each.name for each in operator.attributes if each.selects}
        self.keyword_operands = [each.name for each in operator.operands if each.keyword]
        self.positional = [each.name for each in operator.attributes if each.positional]
        self.most = len(operator.operands) if self.positional else sys.maxsize
        #: Whether two arrays of one dtype may have that as their key: there are no calls with one array alone.
        self.two = operator.fold is None and operator.required > 1

        def call(
            x: Any = _NONE, y: Any = _NONE, /, *more: Any,
            mode: Any = "exact", path: Any = None, out: Any = None, where: Any = True, **attributes: Any,
        ) -> Any:  # fmt: skip
            return dispatch(self, x, y, more, mode, path, out, where, attributes)

        self.call: Call = call

    def by_name(self, arrays: tuple, mode: Any, path: Any, out: Any, where: Any, attributes: dict[str, Any]) -> Any:
        """A call that gives attributes by position, behind the operands, as one that gives them by name."""
        given = dict(zip(self.positional, arrays[self.most :], strict=False))
        for name in given:
            if name in attributes:
                raise TypeError(f"{self.operator.name}: attribute {name!r} is given twice, by position and by keyword")
        operands, surplus = arrays[: self.most], arrays[self.most + len(given) :]
        if surplus:
            return self.first(arrays, mode, path, out, where, attributes, None)  # says what is wrong
        return self.call(*operands, mode=mode, path=path, out=out, where=where, **attributes, **given)

    def first(self, arrays: tuple, mode: Any, path: Any, out: Any, where: Any, attributes: dict[str, Any], key: Any) -> Any:
        """A call of types that were not seen before, or whose arguments are converted first."""
        if len(arrays) > self.most and key is not None:
            return self.by_name(arrays, mode, path, out, where, attributes)
        converted = tuple([as_array(each) for each in arrays])
        named = attributes
        if attributes and self.keyword_operands:
            named = {name: as_array(value) if name in self.keyword_operands else value for name, value in attributes.items()}
        if any(map(is_not, converted, arrays)) or any(map(is_not, named.values(), attributes.values())):
            x, y, *more = (*converted, _NONE, _NONE)[: max(2, len(converted))]
            return dispatch(self, x, y, tuple(more), mode, path, out, where, named)
        for name, value in self.preset.items():
            if attributes.get(name, value) != value:
                raise TypeError(f"{self.alias.name if self.alias else ''} means {name}={value!r}")
        known = _known((*arrays, *(named[name] for name in self.keyword_operands if name in named)), key)
        try:
            found = self.find(known) if known is not None else None
        except TypeError:
            found = known = None
        if found is None:
            planned = plan(self.operator, arrays, {**self.preset, **attributes}, mode, path, self.alias).compile()
            found = planned.ufunc if planned.constants == () else None, planned.converted(), planned.dtype, planned
            if known is not None:
                if len(self.plans) >= MOST_PLANS:
                    self.plans.clear()
                self.plans[known] = found
        *_, planned = found
        result = planned(arrays, attributes, out, where)
        if known is key and where is True:
            keywords = {name: value for name, value in (("mode", mode), ("path", path)) if value != _DEFAULTS[name]}
            accelerator.remember(self.call, arrays, keywords | attributes, planned)
        return result


def dispatch(
    own: Dispatch, x: Any, y: Any, more: tuple, mode: Any, path: Any, out: Any, where: Any, attributes: dict[str, Any]
) -> Any:
    """A call: the plan that its types lead to, carried out.

    The one and two arrays of most calls are told apart without a tuple, and the most frequent kind of plan, whose ufunc takes
    the arguments as they are, is carried out here: together this costs half.
    """
    key: Any = x.dtype if type(x) is ndarray else type(x)
    if y is not _NONE:
        other = y.dtype if type(y) is ndarray else type(y)
        if other is not key or not own.two:
            key = key, other
        if more:
            key = key, *[each.dtype if type(each) is ndarray else type(each) for each in more]
    elif own.two:
        key = key, None
    if attributes:
        for name, value in attributes.items():
            if name in own.selecting:
                key = key, name, type(value), value
            else:
                key = key, name, value.dtype if type(value) is ndarray else type(value)
    if path is not None or mode != "exact":
        key = key, mode, path
    try:
        found = own.find(key)
    except TypeError:  # a value that cannot be hashed is none that selects anything
        found = None
    if found is None:
        arrays = (x, y, *more) if y is not _NONE else (x,) if x is not _NONE else ()
        return own.first(arrays, mode, path, out, where, attributes, key)
    direct, converted, dtype, planned = found
    if out is None:
        if where is True and not more:
            if direct is not None:
                return direct(x) if y is _NONE else direct(x, y)
            if converted is not None:
                return converted(x, y, attributes)
    elif direct is not None and type(out) is ndarray and out.dtype is dtype and not more:
        shape = out.shape
        if x.shape == shape and (y is _NONE or y.shape == shape or y.shape == shape[len(shape) - y.ndim :]):
            if where is True:
                return direct(x, out) if y is _NONE else direct(x, y, out)
            if type(where) is ndarray and where.dtype is _BOOL and where.shape == shape:
                return direct(x, out, where=where) if y is _NONE else direct(x, y, out, where=where)
    return planned((x, y, *more) if y is not _NONE else (x,), attributes, out, where)


def _known(operands: tuple, key: Any) -> Any:
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
