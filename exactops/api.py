"""The public functions: ``run`` and one function an operator.

The way of a call: these functions → :mod:`exactops.frontend.dispatch` (a plan that was made before, or
:mod:`exactops.frontend.plan`) → :mod:`exactops.runtime.ufuncs` (on first use :mod:`exactops.codegen`) → NumPy's ufunc
machinery.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from exactops.frontend import accelerator
from exactops.frontend.dispatch import _NONE, Dispatch, dispatch
from exactops.ops import OPERATORS, SPELLINGS, find
from exactops.table.documentation import RUN_DOCUMENTATION, RUN_SIGNATURE, docstring, signature_text
from exactops.table.operator import Alias, Operator


def operators() -> Mapping[str, Operator]:
    """The operator table: the declaration of every operator by canonical name.

    Returns
    -------
    mapping from str to Operator
        Names, aliases, ONNX name and opset, operands, attributes, dtypes, category and special cases; read only.
    """
    return OPERATORS


#: The dispatch of each operator, and of each alias that narrows or presets something.
_dispatches: dict[tuple[Operator, str], Dispatch] = {}


def _dispatch(operator: Operator, alias: Alias | None) -> Dispatch:
    key = operator, alias.name if alias is not None else ""
    if key not in _dispatches:
        _dispatches[key] = Dispatch(operator, alias)
    return _dispatches[key]


_by_spelling = {name: _dispatch(operator, alias) for name, (operator, alias) in SPELLINGS.items()}


def _run(
    op: str, x: Any = _NONE, y: Any = _NONE, /, *more: Any,
    mode: Any = "exact", path: Any = None, out: Any = None, where: Any = True, **attributes: Any,
) -> Any:  # fmt: skip
    try:
        own = _by_spelling[op]
    except (KeyError, TypeError):
        find(op)  # says what is wrong
        raise
    return dispatch(own, x, y, more, mode, path, out, where, attributes)


def _functions() -> dict[str, Callable[..., Any]]:
    """The named functions, such as ``exactops.exp``; other spellings in lower case are the same objects."""
    found: dict[str, Callable[..., Any]] = {}
    for operator in OPERATORS.values():
        text = signature_text(operator), docstring(operator)
        found[operator.function] = accelerator.public_function(_dispatch(operator, None).call, operator.function, *text)
        for each in operator.other_names:
            if each.is_special:
                named = signature_text(operator), docstring(operator, each)
                found[each.name] = accelerator.public_function(_dispatch(operator, each).call, each.name, *named)
            elif each.name.islower():
                found[each.name] = found[operator.function]
    return found


#: Every public function of an operator by name.
FUNCTIONS = MappingProxyType(_functions())

run = accelerator.public_function(_run, "run", RUN_SIGNATURE, RUN_DOCUMENTATION)
accelerator.set_run(_run, {name: own.call for name, own in _by_spelling.items()})
