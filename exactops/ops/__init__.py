"""The operator table. Every module of this folder declares its operators in ``OPERATORS``; the table is their union.

Adding an operator means adding (or extending) one module here, and its reference and special cases in ``tests/``.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import MappingProxyType

from exactops.table.operator import Operator


def _collect() -> dict[str, Operator]:
    table: dict[str, Operator] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for operator in importlib.import_module(f"{__name__}.{module}").OPERATORS:
            if operator.name in table:
                raise RuntimeError(f"the operator {operator.name} is declared twice")
            table[operator.name] = operator
    return table


#: Every operator by canonical name.
OPERATORS = MappingProxyType(_collect())

#: Every spelling of every operator.
NAMES = MappingProxyType({name: operator for operator in OPERATORS.values() for name in operator.names})
