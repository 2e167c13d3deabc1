"""run(): the whole way of a call on one page.

``run`` → operator table → plan (dtypes, attributes, layout) → path → compiled ufunc → result. A call like one seen before takes
the short way to the same ufunc (see ``shortcut.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from exactops.frontend import accelerator as shortcut
from exactops.frontend.plan import Plan, find_operator, plan
from exactops.frontend.scalars import scalar_array
from exactops.ops import OPERATORS
from exactops.runtime.ufuncs import ufunc
from exactops.table.formats import STORAGES
from exactops.table.operator import REQUIRED, Operator

_RUN_DOCUMENTATION = """Apply an element-wise operator to arrays.

Parameters
----------
op : str
    Any spelling of an operator: ``"leaky_relu"``, ``"LeakyRelu"``. :func:`operators` lists them.
*arrays : array_like
    The operands, of one dtype, of shapes that broadcast, in any NumPy layout and byte order. Python numbers take the
    dtype of the arrays.
mode : {"exact", "fast"}
    ``"exact"``: the same bits on every machine, each result rounded correctly. ``"fast"``: fused multiply-adds and shorter
    polynomials, within 2 ulp of exact (1 ulp for the half types).
path : str, optional
    One of :func:`paths`: the register width to use. The bits of exact mode do not depend on it.
out : numpy.ndarray, optional
    Where the result goes: an array of the result's dtype and shape. It may be an operand or overlap one.
where : array_like of bool, optional
    Elements to compute; the others of ``out`` stay as they are. Needs ``out``.
**attributes
    Attributes of the operator, by ONNX's names.

Returns
-------
numpy.ndarray or scalar
    The result; a scalar where all operands are 0-d and there is no ``out``, as NumPy's ufuncs have it.

Raises
------
UnsupportedError
    No such operator, or a dtype that it does not serve (a ``TypeError``).
TypeError
    Operands of several dtypes, a missing or surplus operand or attribute, an ``out`` of another dtype.
ValueError
    A bad mode, path or attribute value; shapes that do not fit; ``where`` without ``out``.
OverflowError
    A Python int that does not fit the arrays' integer dtype.

Notes
-----
No floating-point setting of the calling thread changes a bit of the result, and no call leaves a floating-point exception flag
or a warning behind. Nothing is written before all arguments are checked.

Examples
--------
>>> import numpy as np, exactops
>>> exactops.run("exp", np.array([0.0, 1.0], np.float32))
array([1.       , 2.7182817], dtype=float32)
"""


def _run(callee: shortcut.Callee, op: str, /, *arrays: Any, **keywords: Any) -> Any:
    return _call(callee, find_operator(op), op, arrays, keywords)


def _call(callee: shortcut.Callee, operator: Operator, spelling: str | None, arrays: tuple, keywords: dict[str, Any]) -> Any:
    """The whole way of a call. ``spelling`` is the first argument of ``run``, None in a named function."""
    planned = plan(operator, arrays, **_arguments_of_plan(keywords))
    call = ufunc(planned.key)
    if operator.variadic and (len(arrays) > 2 or operator.finish_mean):
        return _fold(planned, call)
    result = call(*planned.operands, *planned.attributes, **_output(planned))
    _remember(callee, spelling, arrays, keywords, planned, call)
    return result


def _arguments_of_plan(keywords: dict[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = {name: keywords[name] for name in ("mode", "path", "out", "where") if name in keywords}
    attributes = {name: value for name, value in keywords.items() if name not in own}
    return own | {"attributes": attributes}


#: Types whose objects never change, so that one object means one value for good.
_IMMUTABLE = (bool, int, float, str, type, type(None), np.dtype, np.generic)


def _remember(
    callee: shortcut.Callee, spelling: str | None, arrays: tuple, keywords: dict[str, Any], planned: Plan, call: np.ufunc
) -> None:
    """Let the next call like this one take the short way, where all but its arrays are constants."""
    keywords = {name: value for name, value in keywords.items() if name != "out"}
    if "where" in keywords or len(planned.operands) < len(arrays):
        return
    if not all(isinstance(value, _IMMUTABLE) for value in keywords.values()):
        return
    replacements: list[np.ndarray | None] = []
    for given, operand in zip(arrays, planned.operands, strict=False):
        if type(given) is np.ndarray and given.dtype is operand.dtype and given.dtype.isnative:
            replacements.append(None)
        elif isinstance(given, _IMMUTABLE):
            replacements.append(np.asarray(operand))
        else:
            return
    if all(replacement is not None for replacement in replacements):
        return
    extras = (*(np.asarray(o) for o in planned.operands[len(arrays) :]), *planned.attributes)
    if any(extra.ndim for extra in extras):
        return
    shortcut.STATE.remember(callee, spelling, arrays, replacements, keywords, call, extras, planned.result)


def _output(planned: Plan) -> dict[str, Any]:
    return {} if planned.out is None else {"out": planned.out, "where": planned.where}


def _fold(planned: Plan, call: np.ufunc) -> Any:
    """Fold the operands from left to right; only the last step may touch ``out``, which may overlap any operand."""
    total, *rest = planned.operands
    divide = planned.operator.finish_mean
    steps: list[tuple[np.ufunc, tuple[Any, ...]]] = [(call, (operand,)) for operand in rest] or [(call, ())]
    if divide:
        key = planned.key._replace(inputs=(planned.key.output, "f64"), choices=(("divide", True),))
        steps.append((ufunc(key), (scalar_array(len(planned.operands), STORAGES["f64"]),)))
    for step, operands in steps[:-1]:
        total = step(total, *operands)
    step, operands = steps[-1]
    return step(total, *operands, **_output(planned))


def operators() -> Mapping[str, Operator]:
    """The operator table: the declaration of every operator by canonical name.

    Returns
    -------
    mapping from str to Operator
        Names, aliases, ONNX name and opset, operands, attributes, dtypes, category and special cases; read only.
    """
    return MappingProxyType(dict(OPERATORS))


def function_of(operator: Operator) -> Callable[..., Any]:
    """The named function of an operator, such as ``exactops.exp``: :func:`run` with the operator filled in."""

    def whole_way(callee: shortcut.Callee, *arrays: Any, **keywords: Any) -> Any:
        return _call(callee, operator, None, arrays, keywords)

    operands = "*arrays" if operator.variadic else ", ".join(_parameter(operator, name) for name in operator.operands)
    attributes = "".join(
        f", {a.name}" if a.default is REQUIRED else f", {a.name}={a.default!r}"
        for a in operator.attributes
        if a.kind != "bound"
    )
    star = "" if operator.variadic else ", /, *"
    signature = f"({operands}{star}{attributes}, mode='exact', path=None, out=None, where=True)"
    return shortcut.public_function(operator.function, signature, _docstring(operator), whole_way)


def _parameter(operator: Operator, name: str) -> str:
    position = operator.operands.index(name)
    return f"{name}=None" if position >= len(operator.operands) - operator.optional else name


def _docstring(operator: Operator) -> str:
    lines = [f"{operator.summary[0].upper()}{operator.summary[1:]}.", "", "Parameters", "----------"]
    if operator.variadic:
        lines += ["*arrays : array_like", "    One operand or more, folded from left to right."]
    for position, operand in enumerate(() if operator.variadic else operator.operands):
        optional = position >= len(operator.operands) - operator.optional
        kind = "array_like of bool" if operator.condition and position == 0 else "array_like"
        lines.append(f"{operand} : {kind}{', optional' if optional else ''}")
    for attribute in operator.attributes:
        if attribute.kind != "bound":
            default = f", default {attribute.default!r}" if isinstance(attribute.default, (int, float, str)) else ""
            lines += [
                f"{attribute.name} : {attribute.kind}{default}",
                f"    {attribute.summary[0].upper()}{attribute.summary[1:]}.",
            ]
    lines += ["mode, path, out, where", "    As in :func:`exactops.run`.", "", "Notes", "-----"]
    lines += [f"Serves {', '.join(operator.dtypes)}. Category {operator.category}."]
    lines += [f"{case[0].upper()}{case[1:]}." for case in operator.special]
    return "\n".join(lines)


run = shortcut.public_function(
    "run", "(op, /, *arrays, mode='exact', path=None, out=None, where=True, **attributes)", _RUN_DOCUMENTATION, _run
)
shortcut.STATE.named_by_string = shortcut.callee_of(run)
