"""exactops: element-wise kernels whose results are the same bits on every machine, and right to the last bit.

``exactops.run(op, *arrays)`` applies an operator of the table, ``exactops.exp(x)`` and its like are the same by name.
Importing the package compiles nothing.
"""

from typing import Any as _Any

from exactops.api import FUNCTIONS as _FUNCTIONS
from exactops.api import operators, run
from exactops.codegen.paths import paths
from exactops.errors import CacheWarning, UnsupportedError
from exactops.table.operator import Attribute, Operand, Operator

__version__ = "0.1.0"

globals().update(_FUNCTIONS)

__all__ = [
    "Attribute",
    "CacheWarning",
    "Operand",
    "Operator",
    "UnsupportedError",
    "__version__",
    "contract",
    "operators",
    "paths",
    "run",
    *sorted(_FUNCTIONS),
]


def __getattr__(name: str) -> _Any:
    """What is imported on demand."""
    if name == "contract":
        from exactops.contracts import contract

        return contract
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
