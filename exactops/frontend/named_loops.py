"""Ufuncs by name: what pickle finds them by, in a process that has not made them yet.

Libraries that override NumPy's ufuncs (Dask and others) keep the ufunc in a graph and send it to other processes. A ufunc
is called ``operator|types|choices|mode|path|part`` and is an attribute of this module by that name, made when it is asked
for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from exactops.codegen.paths import default_path, paths
from exactops.codegen.specification import LoopSpecification
from exactops.ops import OPERATORS
from exactops.runtime.ufuncs import ufunc
from exactops.table.operator import MODES, Kernel
from exactops.table.signatures import Signature, signature


def loop_of(found: Signature, mode: str, path: str) -> LoopSpecification:
    """The loop of a signature that is served; of a fold that of one step."""
    assert isinstance(found.kernel, Kernel)
    return LoopSpecification.of(found.kernel, found.inputs, found.results, path, mode == "fast")


def loops_of(found: Signature, mode: str, path: str) -> tuple[LoopSpecification, ...]:
    """The loops of a signature: one, and of a fold a last one that it may have."""
    loops = (loop_of(found, mode, path),)
    fold = found.operator.fold
    if fold is None or fold.finish is None:
        return loops
    result = found.results[0]
    return (*loops, LoopSpecification.of(fold.finish, (result, "f64"), (result,), path, mode == "fast"))


def ufuncs_of(found: Signature, mode: str, path: str) -> list[np.ufunc]:
    """The ufuncs of :func:`loops_of`: compiled, or loaded, where they are not yet."""
    choices = "&".join(f"{name}={value}" for name, value in found.choices)
    name = "|".join((found.operator.name, "+".join(found.operands), choices, mode, path))
    return [ufunc(loop, f"{name}|{part}", __name__) for part, loop in enumerate(loops_of(found, mode, path))]


def __getattr__(name: str) -> Any:
    parts = name.split("|")
    if len(parts) != 6 or parts[0] not in OPERATORS or parts[3] not in MODES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    operator, types, given, mode, path, part = parts
    values = dict(each.split("=", 1) for each in given.split("&") if each)
    choices: dict[str, Any] = {}
    for attribute in OPERATORS[operator].attributes:
        if attribute.kind == "choice":
            choices[attribute.name] = next(each for each in attribute.choices if str(each) == values[attribute.name])
        elif attribute.kind == "dtype":
            choices[attribute.name] = values[attribute.name]
    # Another machine may not have the path; the bits of exact mode are the same on every one.
    path = path if path in paths() else default_path()
    return ufuncs_of(signature(OPERATORS[operator], types.split("+"), choices), mode, path)[int(part)]
