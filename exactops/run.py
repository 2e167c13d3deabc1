"""run(): the whole way of a call on one page.

``run`` → operator table → plan (dtypes, attributes, layout) → path → compiled ufunc → result. A call whose operator, mode, path
and operand dtypes were seen before goes straight from a dictionary to the ufunc.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from exactops.dtypes import STORAGES
from exactops.operator import Operator
from exactops.ops import OPERATORS
from exactops.plan import Plan, find_operator, plan
from exactops.scalars import scalar_array
from exactops.ufuncs import ufunc

#: The default mode, compared by identity on the short way.
_EXACT = "exact"

#: What is known of calls seen before: (spelling, mode, path, operand dtypes) -> ufunc, attribute operands, result dtype.
_WARM_LIMIT = 10_000
_warm: dict[tuple, tuple[np.ufunc, tuple, np.dtype]] = {}


def run(
    op: str,
    /,
    *arrays: Any,
    mode: str = "exact",
    path: str | None = None,
    out: Any = None,
    where: Any = True,
    **attributes: Any,
) -> Any:
    """Apply an element-wise operator to arrays.

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
    if where is True:
        try:
            if attributes:
                call, extra, result = _warm[op, mode, path, *_attribute_key(attributes), *[a.dtype for a in arrays]]
            elif len(arrays) == 1:
                call, extra, result = _warm[op, mode, path, arrays[0].dtype]
            else:
                call, extra, result = _warm[op, mode, path, *[a.dtype for a in arrays]]
            if out is None:
                return call(*arrays, *extra)
            shape = out.shape
            if out.dtype is result:
                for array in arrays:
                    if array.shape != shape:
                        break
                else:
                    return call(*arrays, *extra, out)
        except (KeyError, AttributeError, TypeError):
            # Not seen before, or not a call that has this short way: the plan knows what is wrong with it, if anything.
            pass
    return _run(find_operator(op), op, arrays, mode, path, out, where, attributes)


def _attribute_key(attributes: dict[str, Any]) -> list[Any]:
    """Attributes as part of a key. Values that are equal but not the same (1, 1.0 and True; 0.0 and -0.0) get different keys."""
    key: list[Any] = []
    for name, value in attributes.items():
        if value == 0 and isinstance(value, (float, np.floating)):
            raise TypeError("a zero has two signs")
        key += (name, type(value), value)
    return key


def _run(
    operator: Operator, spelling: str, arrays: tuple, mode: str, path: str | None, out: Any, where: Any, attributes: dict
) -> Any:
    planned = plan(operator, arrays, mode, path, out, where, attributes)
    call = ufunc(planned.key)
    if planned.reusable and len(_warm) < _WARM_LIMIT:
        with contextlib.suppress(TypeError):
            _warm[spelling, mode, path, *_attribute_key(attributes), *[a.dtype for a in arrays]] = (
                call,
                planned.attributes,
                planned.result,
            )
    if operator.variadic:
        return _fold(planned, call)
    return call(*planned.operands, *planned.attributes, **_output(planned))


def _output(planned: Plan) -> dict[str, Any]:
    return {} if planned.out is None else {"out": planned.out, "where": planned.where}


def _fold(planned: Plan, call: np.ufunc) -> Any:
    """Fold the operands from left to right; only the last step may touch ``out``, which may overlap any operand."""
    total, *rest = planned.operands
    divide = planned.operator.finish_mean
    steps = [(call, (operand,)) for operand in rest] or [(call, ())]
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
    name = operator.name
    # The last dtype seen, its result dtype and ufunc: one cell, replaced as a whole, so that threads see a consistent triple.
    # Default arguments are positional for speed alone (a keyword-only default costs a dictionary lookup a call).
    last: tuple = (None, None, None)

    def slow(arrays, mode, path, out, where, attributes):
        nonlocal last
        value = _run(operator, name, arrays, mode, path, out, where, attributes)
        known = _warm.get((name, _EXACT, None, *[getattr(a, "dtype", None) for a in arrays]))
        if known is not None and len(arrays) == 1 and not known[1]:
            last = (arrays[0].dtype, known[2], known[0])
        return value

    if len(operator.operands) == 1 and not operator.variadic and not operator.attributes:

        def function(x, /, mode=_EXACT, path=None, out=None, where=True):
            dtype, result, call = last
            try:
                if x.dtype is dtype and mode is _EXACT and path is None and where is True:
                    if out is None:
                        return call(x)
                    if out.dtype is result and out.shape == x.shape:
                        return call(x, out)
            except AttributeError:
                pass
            if type(mode) is not str:
                raise TypeError(f"{name} takes 1 operand (x), more were given")
            return slow((x,), mode, path, out, where, {})
    else:

        def function(*arrays, mode=_EXACT, path=None, out=None, where=True, **attributes):
            return run(name, *arrays, mode=mode, path=path, out=out, where=where, **attributes)

    function.__name__ = function.__qualname__ = operator.function
    function.__module__ = "exactops"
    function.__doc__ = _docstring(operator)
    return function


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
            lines += [f"{attribute.name} : {attribute.kind}{default}", f"    {attribute.summary[0].upper()}{attribute.summary[1:]}."]
    lines += ["mode, path, out, where", "    As in :func:`exactops.run`.", "", "Notes", "-----"]
    lines += [f"Serves {', '.join(operator.dtypes)}. Category {operator.category}."]
    lines += [f"{case[0].upper()}{case[1:]}." for case in operator.special]
    return "\n".join(lines)
