"""Which fingerprints there are: every operator with every type it serves and some sets of attributes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactops.table.formats import STORAGES
from exactops.table.operator import REQUIRED, Operator
from exactops.verification import inputs

#: The attribute sets: the n-th value of each attribute belongs to the n-th set; one that has fewer keeps its last.
_FLOAT_VALUES = (0.3, -1.75)
INT_VALUES = (2, -1, 0, 3, 17, -4, 2**31 - 1)
#: Types of a second operand whose type is its own (pow), beside the first one's.
_OWN_TYPES = ("f64", "i64")
#: Operands of a fold.
_FOLDED = 3


@dataclass(frozen=True)
class Entry:
    """An operator with operands of served types and one set of attributes.

    Attributes
    ----------
    operator : str
        Canonical name.
    types : tuple of str
        Short names of the operands' types.
    attributes : tuple of (str, object)
        Those given; a dtype is its short name.
    result : str
        Short name of the result's type.
    """

    operator: str
    types: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...]
    result: str

    @property
    def dtype(self) -> str:
        """The type that the operator is said to serve: that of the first value operand."""
        from exactops.ops import OPERATORS

        return self.types[-1 if OPERATORS[self.operator].condition else 0]

    @property
    def name(self) -> str:
        """For messages, and what a record is found by."""
        given = "".join(f", {name}={value!r}" for name, value in self.attributes)
        return f"{self.operator}({', '.join(self.types)}{given})"

    @property
    def count(self) -> int:
        """Inputs of the short form."""
        return inputs.count(self.types)


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Every operator with every type it serves and its attribute sets, from the declarations."""
    from exactops.frontend.plan import plan
    from exactops.ops import OPERATORS

    found: list[Entry] = []
    for operator in OPERATORS.values():
        for types in _operand_types(operator):
            seen: set[Any] = set()
            for attributes in _attribute_sets(operator):
                operands = tuple(np.ones(1, STORAGES[short].dtype) for short in types)
                try:
                    planned = plan(operator, operands, attributes=dict(attributes))
                except TypeError:  # the table does not serve it
                    continue
                storages = tuple(STORAGES[short] for short in planned.key.inputs)
                result = STORAGES[planned.key.output]
                kernel = operator.kernel_for(storages, result, dict(planned.key.choices))
                # A choice that does not change the kernel for these types is the same thing again.
                identity = (id(kernel), result.short, *(each.tobytes() for each in planned.attributes))
                if identity not in seen:
                    seen.add(identity)
                    found.append(Entry(operator.name, types, attributes, result.short))
    return tuple(sorted(found, key=lambda entry: (len(entry.types), entry.types)))


def _operand_types(operator: Operator) -> Iterator[tuple[str, ...]]:
    """Candidates; the plan says which are served."""
    for short in operator.dtypes:
        if operator.variadic:
            yield (short,) * _FOLDED
        elif operator.condition:
            yield ("bool", short, short)
        elif operator.result == "to" and len(operator.operands) == 2:
            # The kernels are those of cast: one target of each type is enough here.
            order = list(STORAGES)
            yield (short, order[(order.index(short) + 1) % len(order)])
        else:
            for places in range(len(operator.operands) - operator.optional, len(operator.operands) + 1):
                if places != 1 and places < len(operator.operands):
                    continue  # a missing bound is an extreme of the type: none and all of them are enough
                yield (short,) * places
                if places == 2:
                    yield from ((short, other) for other in _OWN_TYPES if other != short)


def _attribute_sets(operator: Operator) -> Iterator[tuple[tuple[str, Any], ...]]:
    choices: list[list[tuple[str, Any]]] = []
    numbers: list[tuple[str, list[Any]]] = []
    for attribute in operator.attributes:
        if attribute.kind == "choice" and None not in attribute.choices:
            choices.append([(attribute.name, choice) for choice in attribute.choices])
        elif attribute.kind == "dtype":
            choices.append([(attribute.name, short) for short in STORAGES])
        elif attribute.kind == "int32":
            numbers.append((attribute.name, list(INT_VALUES)))
        elif attribute.kind == "float":
            turn = len(numbers)
            own = [_FLOAT_VALUES[turn % 2]] if attribute.default is REQUIRED else [attribute.default]
            numbers.append((attribute.name, [*own, _FLOAT_VALUES[(turn + 1) % 2]]))
    sets = max((len(values) for _, values in numbers), default=1)
    for chosen in itertools.product(*choices):
        for turn in range(sets):
            yield (*chosen, *((name, values[min(turn, len(values) - 1)]) for name, values in numbers))


def given(entry: Entry) -> dict[str, Any]:
    """The attributes of an entry that differ from their defaults."""
    from exactops.ops import OPERATORS

    known = {attribute.name: attribute.default for attribute in OPERATORS[entry.operator].attributes}
    return {name: value for name, value in entry.attributes if value != known[name]}
