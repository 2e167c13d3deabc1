"""Every combination of types that the operator table serves, and the loops behind it, derived from the declarations.

Tests that must hold for every kernel iterate this, so that a new operator is covered without a line here.
"""

from __future__ import annotations

import functools
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

import exactops
from exactops.codegen.key import Key
from exactops.frontend.plan import plan
from exactops.table.formats import STORAGES
from exactops.table.operator import REQUIRED, Operator

#: Values for attributes that have no default.
SAMPLES: dict[str, Any] = {"float": 0.75, "int32": 3}


@dataclass(frozen=True)
class Entry:
    """An operator with operands of served types and one choice of its attributes."""

    operator: Operator
    types: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...]

    @property
    def name(self) -> str:
        """For messages: the operator, its types and its attributes."""
        return f"{self.operator.name}({', '.join(self.types)}, {dict(self.attributes)})"


def attribute_choices(operator: Operator) -> Iterator[tuple[tuple[str, Any], ...]]:
    """Every combination of the attributes that select a kernel; the others have their default or a sample."""
    axes = []
    for attribute in operator.attributes:
        if attribute.kind == "choice" and None not in attribute.choices:
            axes.append([(attribute.name, choice) for choice in attribute.choices])
        elif attribute.kind == "dtype":
            axes.append([(attribute.name, short) for short in STORAGES])
        elif attribute.travels:
            value = SAMPLES[attribute.kind] if attribute.default is REQUIRED else attribute.default
            axes.append([(attribute.name, value)])
    yield from itertools.product(*axes)


def operand_types(operator: Operator) -> Iterator[tuple[str, ...]]:
    """Candidates: every stored type in every place; the plan says which it serves."""
    if operator.variadic:
        for short in operator.dtypes:
            yield from ((short,) * count for count in (1, 2, 3))
    elif operator.condition:
        yield from (("bool", first, second) for first in operator.dtypes for second in STORAGES)
    else:
        places = len(operator.operands)
        if places < 3:
            yield from itertools.product(operator.dtypes, *([STORAGES] * (places - 1)))
        else:
            # Three operands of free types would be thousands of candidates: vary one place at a time.
            for short in operator.dtypes:
                yield (short,) * places
                for place, other in itertools.product(range(1, places), STORAGES):
                    if other != short:
                        yield tuple(other if p == place else short for p in range(places))


@functools.cache
def entries() -> tuple[Entry, ...]:
    """All that the table serves."""
    found = []
    ones = {short: np.ones(1, storage.dtype) for short, storage in STORAGES.items()}
    for operator in exactops.operators().values():
        for types in operand_types(operator):
            for attributes in attribute_choices(operator):
                try:
                    plan(operator, tuple(ones[short] for short in types), attributes=dict(attributes))
                except TypeError:
                    continue
                found.append(Entry(operator, types, attributes))
    return tuple(found)


def loops_of(entry: Entry, mode: str, path: str) -> tuple[Key, ...]:
    """The keys of the loops that a call uses: one, or those of a fold. Nothing is compiled."""
    arrays = tuple(np.ones(1, STORAGES[short].dtype) for short in entry.types)
    planned = plan(entry.operator, arrays, mode=mode, path=path, attributes=dict(entry.attributes))
    found = [planned.key]

    def step(*operands: Any, **more: Any) -> Any:
        return operands[0]

    def record(key: Key) -> Any:
        found.append(key)
        return step

    if entry.operator.finish_mean:
        module = sys.modules["exactops.api"]
        with mock.patch.object(module, "ufunc", record):
            module._fold(planned, step)
    return tuple(dict.fromkeys(found))


def code_of(key: Key) -> tuple:
    """What the machine code of a loop depends on, its symbol aside: loops that agree in this have the same code."""
    operator = exactops.operators()[key.operator]
    kernel = operator.kernel_for(tuple(STORAGES[short] for short in key.inputs), STORAGES[key.output], dict(key.choices))
    function = kernel.fast if key.fast and kernel.fast is not None else kernel.exact
    return function, key.inputs, key.output, key.lanes, key.fast


@functools.cache
def distinct_loops(mode: str, path: str) -> tuple[Key, ...]:
    """One key for each piece of machine code that the table has in a mode on a path."""
    found: dict[tuple, Key] = {}
    for entry in entries():
        for key in loops_of(entry, mode, path):
            found.setdefault(code_of(key), key)
    return tuple(found.values())
