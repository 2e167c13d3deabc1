"""The operator table. Every module of this folder declares its operators in ``OPERATORS``; the table is their union.

Adding an operator means adding (or extending) one module here, and its reference and special cases in ``tests/``.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from types import MappingProxyType

import numpy as np

from exactops.errors import UnsupportedError
from exactops.table.operator import Alias, Operator


def _collect() -> dict[str, Operator]:
    table: dict[str, Operator] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for operator in importlib.import_module(f"{__name__}.{module}").OPERATORS:
            if operator.name in table:
                raise RuntimeError(f"the operator {operator.name} is declared twice")
            table[operator.name] = operator
    return table


def _spellings(table: dict[str, Operator]) -> dict[str, tuple[Operator, Alias | None]]:
    found: dict[str, tuple[Operator, Alias | None]] = {}
    for operator in table.values():
        aliases = {each.name: each for each in operator.other_names}
        for name in operator.names:
            if name in found:
                raise RuntimeError(f"two operators are called {name}")
            alias = aliases.get(name)
            found[name] = operator, alias if alias is not None and alias.is_special else None
    return found


#: Every operator by canonical name.
OPERATORS = MappingProxyType(_collect())

#: Every spelling: its operator, and the alias where that narrows or presets something.
SPELLINGS = MappingProxyType(_spellings(dict(OPERATORS)))

#: Names of element-wise functions elsewhere that are no misspellings of the ones here.
_OTHER_FUNCTIONS = frozenset(
    (
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "bit_cast",
        "bit_shift",
        "bitand",
        "bitnot",
        "bitor",
        "celu",
        "cospi",
        "cot",
        "csc",
        "det",
        "elu",
        "elup",
        "erfinv",
        "fma",
        "hard_shrink",
        "hard_tanh",
        "identity",
        "is_inf",
        "is_nan",
        "isinf",
        "isnan",
        "lgamma",
        "log_sigmoid",
        "logit",
        "logsigmoid",
        "mish",
        "popcount",
        "prelu",
        "relu6",
        "sec",
        "selu",
        "shrink",
        "sinpi",
        "soft_shrink",
        "softplus",
        "softsign",
        "swiglu",
        "swish",
        "tanhshrink",
        "thresholded_relu",
        "xlogy",
    )
)


def find(name: object) -> tuple[Operator, Alias | None]:
    """The operator of any of its spellings, and the alias where that narrows or presets something.

    Raises
    ------
    UnsupportedError
        No operator has this name; the message suggests the right spelling of a misspelt one.
    """
    if isinstance(name, str) and name in SPELLINGS:
        return SPELLINGS[name]
    near = misspelt(name, SPELLINGS)
    hint = f"; did you mean {near!r}?" if near else ""
    raise UnsupportedError(f"no operator is called {name!r}{hint} (exactops.operators() lists them)")


def find_operator(name: object) -> Operator:
    """The operator of any of its spellings.

    Raises
    ------
    UnsupportedError
        No operator has this name.
    """
    return find(name)[0]


def misspelt(name: object, known: MappingProxyType | dict | list | tuple) -> str | None:
    """The name that a misspelt one stands for: one letter of four is wrong at most, and it is no other function's name."""
    if not isinstance(name, str):
        return None
    plain = _plain(name)
    for other in known:
        if _plain(other) == plain:
            return other
    if not plain or plain in map(_plain, _OTHER_FUNCTIONS) or hasattr(np, name.strip().lower()):
        return None
    best, fewest = None, max(1, len(plain) // 4) + 1
    for other in known:
        letters = _plain(other)
        matched = sum(block.size for block in difflib.SequenceMatcher(None, plain, letters).get_matching_blocks())
        wrong = max(len(plain), len(letters)) - matched
        if wrong < fewest:
            best, fewest = other, wrong
    return best


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
