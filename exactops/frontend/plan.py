"""The plan of a call: from the types of its arguments to loops and the few conversions to do.

A plan depends on types alone (and on the attributes that select a kernel), so that :mod:`exactops.frontend.dispatch` keeps
it for all calls of the same types. What depends on values (a Python number that does not fit, a bad attribute value, the
shape of ``out``) is checked whenever the plan is carried out, before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from exactops.codegen.paths import check_path, default_path
from exactops.errors import UnsupportedError
from exactops.frontend.attributes import check_names, check_required, scalar_of, selecting_value
from exactops.frontend.named_loops import loops_of, ufuncs_of
from exactops.frontend.operands import (
    check_weak,
    compared_by_value,
    default_type,
    is_weak,
    missing_array,
    refuse_type,
    stored_type,
)
from exactops.frontend.output import check_outputs, have_shape_of, outputs_of
from exactops.frontend.scalars import converter, remembering, scalar_array
from exactops.table.formats import FORMATS, Format
from exactops.table.operator import MODES, Alias, Attribute, Operator, Refusal
from exactops.table.signatures import Signature, signature

#: Where an argument of a call is found: its position or its keyword.
Source = int | str

_BOOL = FORMATS["bool"].dtype

#: Makes an operand of the ufunc from the positional arguments of a call and its attributes.
Conversion = Callable[[tuple, dict[str, Any]], Any]


# --- the plan -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Binding:
    """Which argument of a call is which operand or attribute."""

    operands: tuple[Source | None, ...]
    attributes: tuple[str, ...]


class Passed:
    """An argument that becomes an operand: an array as it is, a Python number converted."""

    __slots__ = ("convert", "source")

    def __init__(self, source: Source, convert: Callable[[Any], np.ndarray] | None = None) -> None:
        self.source, self.convert = source, convert

    def take(self, arrays: tuple, attributes: dict[str, Any]) -> Any:
        """The operand."""
        value = arrays[self.source] if isinstance(self.source, int) else attributes[self.source]
        return value if self.convert is None else self.convert(value)


class GivenScalar:
    """A travelling attribute that a call gives: its value as a 0-d array, rounded once."""

    __slots__ = ("attribute", "convert", "is_float", "name", "operator", "stored")

    def __init__(self, operator: Operator, attribute: Attribute, stored: Format) -> None:
        self.operator, self.attribute, self.stored = operator, attribute, stored
        self.name, self.convert, self.is_float = attribute.name, converter(stored), attribute.kind == "float"

    def __call__(self, attributes: dict[str, Any]) -> np.ndarray:
        return scalar_of(self.operator, self.attribute, attributes[self.name], self.stored)


class Plan:
    """What calls of certain types amount to.

    Attributes
    ----------
    signature : Signature
    mode, path : str
    loops : tuple of LoopSpecification
        That of the call; of a fold that of a step, and a last one.
    ufunc, finish : numpy.ufunc
        Of the first loop, and of the last one of a fold that has it; None before :meth:`compile`.
    dtype : numpy.dtype or None
        Of the result; None where there are several.
    constants : tuple of numpy.ndarray or None
        What the ufunc takes after the positional arguments, where those go as they are; None otherwise.
    folds : bool
        Whether there is more than one step.
    """

    __slots__ = (
        "constants",
        "conversions",
        "dtype",
        "finish",
        "folds",
        "is_comparison",
        "loops",
        "mode",
        "numbers",
        "path",
        "results",
        "scalars",
        "signature",
        "ufunc",
    )

    def __init__(
        self,
        found: Signature,
        mode: str,
        path: str,
        conversions: list[Conversion | Passed],
        scalars: list[GivenScalar | np.ndarray],
        count: int,
    ) -> None:
        self.signature, self.mode, self.path = found, mode, path
        self.loops = loops_of(found, mode, path)
        self.ufunc: Any = None
        self.finish: Any = None
        self.results = tuple(FORMATS[short] for short in found.results)
        self.dtype = self.results[0].dtype if len(self.results) == 1 else None
        fold = found.operator.fold
        self.folds = fold is not None and (count > 2 or fold.finish is not None)
        # Where the operands are the positional arguments in order, only the Python numbers among them are converted.
        in_order = [each.source for each in conversions if isinstance(each, Passed)] == list(range(count))
        self.numbers = (
            tuple(
                (place, each.convert)
                for place, each in enumerate(conversions)
                if isinstance(each, Passed) and each.convert is not None
            )
            if in_order and len(conversions) == count
            else None
        )
        passed = self.numbers == () and not self.folds
        constant = all(type(each) is ndarray for each in scalars)
        self.constants = tuple(scalars) if passed and constant else None
        self.conversions = [each.take if isinstance(each, Passed) else each for each in conversions]
        self.scalars = scalars
        operator = found.operator
        self.is_comparison = operator.results == ("bool",) and len(operator.operands) == 2 and found.value != "bool"

    def compile(self) -> Plan:
        """Compile the loops, or load them; nothing is compiled before."""
        self.ufunc, *others = ufuncs_of(self.signature, self.mode, self.path)
        self.finish = others[0] if others else None
        return self

    def converted(self) -> Callable[[Any, Any, dict[str, Any]], Any] | None:
        """The frequent calls with one conversion, as a function of two arguments and the attributes: None for all others.

        One of two operands is a Python number; or there is one operand, and one attribute is given by name.
        """
        call = self.ufunc
        if self.folds or self.numbers is None:
            return None
        if len(self.numbers) == 1 and len(self.conversions) == 2 and not self.scalars and not self.is_comparison:
            ((place, convert),) = self.numbers
            if place:
                return lambda x, y, attributes: call(x, convert(y))
            return lambda x, y, attributes: call(convert(x), y)
        if not self.numbers and len(self.conversions) == len(self.scalars) == 1 and callable(self.scalars[0]):
            scalar = self.scalars[0]
            if isinstance(scalar, GivenScalar):
                name, convert, checked = scalar.name, scalar.convert, scalar

                def with_attribute(x: Any, y: Any, attributes: dict[str, Any]) -> Any:
                    given = attributes[name]
                    return call(x, convert(given) if type(given) is float else checked(attributes))

                return with_attribute if scalar.is_float else lambda x, y, attributes: call(x, checked(attributes))
        return None

    def __call__(self, arrays: tuple, attributes: dict[str, Any], out: Any = None, where: Any = True) -> Any:
        """Carry the plan out for positional arguments, the operator's keyword arguments, and given out and where."""
        operands: Any = arrays
        try:
            if self.numbers is None:
                operands = [each(arrays, attributes) for each in self.conversions]
            elif self.numbers:
                operands = list(arrays)
                for place, convert in self.numbers:
                    operands[place] = convert(operands[place])
        except OverflowError:
            operands = self._compared_by_value(arrays) if self.is_comparison else None
            if operands is None:
                raise
        scalars: Any = self.scalars
        if scalars:
            scalars = [each(attributes) if isinstance(each, GivenScalar) else each for each in scalars]
        if where is True and not self.folds:
            if out is None:
                return self.ufunc(*operands, *scalars)
            if type(out) is ndarray and out.dtype is self.dtype and have_shape_of(out, operands):
                return self.ufunc(*operands, *scalars, out)
        outputs = None if out is None else outputs_of(out, len(self.results))
        more: dict[str, Any] = {}
        if outputs is not None:
            if not self._evidently_fit(outputs, operands, where):
                check_outputs(outputs, self.results, operands, where)
            more["out"] = outputs
            if where is not True:
                more["where"] = where
        elif where is not True:
            raise ValueError("where= needs out=: without it the unselected elements would be uninitialised")
        result = self._folded(operands, more) if self.folds else self.ufunc(*operands, *scalars, **more)
        return np.asarray(result) if out is ... else result

    def _evidently_fit(self, outputs: tuple[Any, ...], operands: list[Any], where: Any) -> bool:
        """Whether ``out`` and ``where`` are right at a glance, as they mostly are; False where that takes more."""
        out = outputs[0]
        if len(outputs) > 1 or type(out) is not ndarray or out.dtype is not self.dtype or not have_shape_of(out, operands):
            return False
        return where is True or (type(where) is ndarray and where.dtype is _BOOL and where.shape == out.shape)

    def _folded(self, operands: list[Any], more: dict[str, Any]) -> Any:
        """Fold the operands from left to right; only the last step may touch ``out``, which may overlap any operand."""
        step, finish = self.ufunc, self.finish
        total, *rest = operands
        last = () if finish is not None or not rest else (rest.pop(),)
        for operand in rest:
            total = step(total, operand)
        if finish is None:
            return step(total, *last, **more)
        if len(operands) == 1:
            total = step(total)
        return finish(total, scalar_array(len(operands), FORMATS["f64"]), **more)

    def _compared_by_value(self, arrays: tuple) -> list[Any] | None:
        """The operands of a comparison with a Python int that the arrays' type does not hold."""
        return compared_by_value(list(arrays), list(arrays), FORMATS[self.signature.value])


def plan(
    operator: Operator,
    arrays: tuple,
    attributes: dict[str, Any] | None = None,
    mode: Any = "exact",
    path: Any = None,
    alias: Alias | None = None,
) -> Plan:
    """Check the arguments of a call and choose its loops. Nothing is computed and no output is touched.

    Parameters
    ----------
    operator : Operator
    arrays : tuple
        The positional arguments: arrays, Python numbers, None.
    attributes : dict, optional
        The keyword arguments of the operator: attributes, and operands given by keyword.
    mode, path
        As given.
    alias : Alias, optional
        The spelling that was used, where it narrows the types.

    Raises
    ------
    UnsupportedError
        The operator does not serve the dtype.
    TypeError
        Mixed dtypes, a missing or surplus operand, an unknown attribute.
    ValueError
        A bad mode, path or value of a selecting attribute.
    """
    keywords = attributes or {}
    if not isinstance(mode, str) or mode not in MODES:
        raise ValueError(f"mode={mode!r}: the modes are 'exact' and 'fast'")
    path = default_path() if path is None else check_path(path)
    check_names(operator, keywords)
    bound = bind(operator, arrays, keywords)
    every = (*arrays, *keywords.values())
    named = dict(zip((*range(len(arrays)), *keywords), every, strict=True))
    operands = [None if source is None else named[source] for source in bound.operands]
    given = {name: keywords[name] for name in bound.attributes}
    check_required(operator, given)
    types, value = _types(operator, operands)
    if value.short not in operator.dtypes:
        refuse_type(operator, value)
    if alias is not None and alias.kinds and value.kind not in alias.kinds:
        raise UnsupportedError(f"{operator.name} is not called {alias.name} for {value.short}: {alias.reason}")
    choices = {
        each.name: selecting_value(operator, each, given[each.name]) if each.name in given else each.default
        for each in operator.attributes
        if each.selects
    }
    found = signature(operator, types, choices)
    if isinstance(found.kernel, Refusal):
        chosen = ", ".join(f"{name}={choice!r}" for name, choice in found.choices)
        raise UnsupportedError(f"{operator.name} of {value.short} is not served with {chosen}: {found.kernel.reason}")
    conversions: list[Conversion | Passed] = []
    for operand, source, given_operand, short in zip(
        _records(operator, operands), bound.operands, operands, types, strict=True
    ):
        if operand.is_read:
            conversions.append(_conversion(operand, source, given_operand, FORMATS[short]))
    scalars = [_scalar(operator, each, bound, value) for each in operator.attributes if each.travels]
    return Plan(found, mode, path, conversions, scalars, len(arrays))


def _records(operator: Operator, operands: list[Any]) -> tuple:
    """The record of each operand; those of a fold have one."""
    return operator.operands * len(operands) if operator.fold is not None else operator.operands


def _conversion(operand: Any, source: Source | None, given: Any, stored: Format) -> Conversion | Passed:
    if given is None or source is None:
        missing = missing_array(operand, stored)
        return lambda arrays, attributes: missing
    return Passed(source, remembering(converter(stored)) if is_weak(given) else None)


def _scalar(operator: Operator, attribute: Any, bound: Binding, value: Format) -> GivenScalar | np.ndarray:
    stored = attribute.stored_as(value)
    if attribute.name not in bound.attributes:
        return scalar_array(attribute.default, stored)
    return GivenScalar(operator, attribute, stored)


# --- which argument is which --------------------------------------------------------------------------------------------


def bind(operator: Operator, arrays: tuple, keywords: dict[str, Any]) -> Binding:
    """Which argument of a call is which operand or attribute.

    Raises
    ------
    TypeError
        An operand is missing, surplus or given twice.
    """
    given = {each.name for each in operator.operands if each.keyword}
    attributes = tuple(name for name in keywords if name not in given)
    if operator.fold is not None:
        if not arrays:
            raise TypeError(f"{operator.name} takes one operand or more, none was given")
        if any(operand is None for operand in arrays):
            raise TypeError(f"{operator.name}: an operand is None")
        return Binding(tuple(range(len(arrays))), attributes)
    most = len(operator.operands)
    operands: list[Source | None] = list(range(min(len(arrays), most)))
    operands += [None] * (most - len(operands))
    for place, operand in enumerate(operator.operands):
        if operand.keyword and operand.name in keywords:
            if place < len(arrays) and arrays[place] is not None:
                raise TypeError(f"{operator.name}: operand {operand.name!r} is given twice, by position and by keyword")
            operands[place] = operand.name
    values = [None if s is None else arrays[s] if isinstance(s, int) else keywords[s] for s in operands]
    surplus = len(arrays) > most
    present = max((place + 1 for place, each in enumerate(values) if each is not None), default=0)
    if not surplus and len(arrays) >= present:
        for operand, each in zip(operator.operands[: len(arrays)], values, strict=False):
            if each is None and operand.missing is None:
                raise TypeError(f"{operator.name}: the operand {operand.name!r} is None")
    if surplus or any(each is None and o.missing is None for o, each in zip(operator.operands, values, strict=True)):
        least = operator.required
        wanted = f"{least}" if least == most else f"{least} to {most}"
        names = ", ".join(each.name for each in operator.operands)
        count = max(len(arrays), sum(each is not None for each in values))
        raise TypeError(f"{operator.name} takes {wanted} operand{'s' if most > 1 else ''} ({names}), {count} given")
    return Binding(tuple(operands), attributes)


# --- types --------------------------------------------------------------------------------------------------------------


def _types(operator: Operator, operands: list[Any]) -> tuple[list[str], Format]:
    """The type of each operand, and the value type. Python numbers take the type of the arrays beside them."""
    records = _records(operator, operands)
    own: dict[int, Format] = {}
    strong: dict[str, Format] = {}
    for place, (record, operand) in enumerate(zip(records, operands, strict=True)):
        if record.role == "value":
            if operand is not None and not is_weak(operand):
                found = stored_type(operator, operand)
                strong.setdefault(found.short, found)
        else:
            own[place] = _OWN[record.role](operator, record, operand)
    if len(strong) > 1:
        both = " and ".join(each.dtype.name for each in list(strong.values())[:2])
        target = next(iter(strong.values())).dtype.name
        raise TypeError(
            f"{operator.name}: the operands have the dtypes {both}; "
            f"they must share one, so cast first: exactops.cast(x, to={target!r})"
        )
    value = next(iter(strong.values()), None)
    if value is None:
        # A Python number beside an array of a type of its own takes that, too.
        beside = [own[p] for p in own if records[p].role == "own type" and not is_weak(operands[p])]
        numbers = [each for record, each in zip(records, operands, strict=True) if record.role == "value"]
        value = beside[0] if beside else default_type(numbers)
    for record, operand in zip(records, operands, strict=True):
        if record.role == "value" and is_weak(operand) and value.short in operator.dtypes:
            check_weak(operator, operand, value)
    return [own[place].short if place in own else value.short for place in range(len(operands))], value


def _condition(operator: Operator, record: Any, operand: Any) -> Format:
    if not isinstance(operand, bool):
        is_bool = not is_weak(operand) and stored_type(operator, operand).short == "bool"
        if not is_bool:
            kind = type(operand).__name__ if is_weak(operand) else operand.dtype
            raise TypeError(f"{operator.name}: the {record.name} must be bool, it is {kind}")
    return FORMATS["bool"]


def _own_type(operator: Operator, record: Any, operand: Any) -> Format:
    if is_weak(operand):
        return FORMATS["f64" if isinstance(operand, float) else "i64"]
    try:
        found = stored_type(operator, operand)
    except UnsupportedError:
        found = None
    if found is None or found.short not in record.types:
        served = ", ".join(record.types)
        raise UnsupportedError(f"{operator.name} does not serve {operand.dtype} as {record.name} (it serves {served})")
    return found


def _like(operator: Operator, record: Any, operand: Any) -> Format:
    if is_weak(operand):
        return default_type([operand])
    try:
        return stored_type(operator, operand)
    except UnsupportedError:
        raise UnsupportedError(f"{operator.name}: dtype {operand.dtype} of the second operand is not stored") from None


_OWN = {"condition": _condition, "own type": _own_type, "like": _like}
