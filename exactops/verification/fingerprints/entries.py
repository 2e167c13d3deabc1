"""Which fingerprints there are: every operator with every type it serves and some sets of attributes."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from exactops.table.formats import FORMATS
from exactops.table.operator import Operand, Operator
from exactops.table.signatures import operand_types, signature
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

        return self.types[OPERATORS[self.operator].value_position]

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
    from exactops.ops import OPERATORS

    found: list[Entry] = []
    for operator in OPERATORS.values():
        for types in _operand_types(operator):
            seen: set[Any] = set()
            for attributes in _attribute_sets(operator):
                # A missing operand has the value type.
                value = types[min(operator.value_position, len(types) - 1)]
                whole = types if operator.fold is not None else (*types, *[value] * (len(operator.operands) - len(types)))
                each = signature(operator, whole, dict(attributes))
                # A choice that does not change the kernel for these types is the same thing again.
                numbers = tuple(number for name, number in attributes if name not in dict(each.choices))
                identity = (each.kernel, each.results, numbers)
                if each.served and identity not in seen:
                    seen.add(identity)
                    found.append(Entry(operator.name, types, attributes, each.results[0]))
    return tuple(sorted(found, key=lambda entry: (len(entry.types), entry.types)))


def _operand_types(operator: Operator) -> Iterator[tuple[str, ...]]:
    """The types of the operands: all of them, and where some may be missing also without those."""
    for short in operator.dtypes:
        if operator.fold is not None:
            yield (short,) * _FOLDED
            continue
        places = [_types_beside(operand, short) for operand in operator.operands]
        if operator.required < len(places):
            yield from itertools.product(*places[: operator.required])
        yield from itertools.product(*places)


def _types_beside(operand: Operand, short: str) -> tuple[str, ...]:
    """The types of an operand beside a value type that have records."""
    if operand.role == "like":
        # The kernels are those of cast: one target of each type is enough here.
        order = list(FORMATS)
        return (order[(order.index(short) + 1) % len(order)],)
    allowed = operand_types(operand, short)
    return allowed if operand.role != "own type" else tuple(dict.fromkeys((short, *_OWN_TYPES)))


def _attribute_sets(operator: Operator) -> Iterator[tuple[tuple[str, Any], ...]]:
    choices: list[list[tuple[str, Any]]] = []
    numbers: list[tuple[str, list[Any]]] = []
    for attribute in operator.attributes:
        if attribute.kind == "choice":
            choices.append([(attribute.name, choice) for choice in attribute.choices])
        elif attribute.kind == "dtype":
            choices.append([(attribute.name, short) for short in FORMATS])
        elif attribute.kind == "int32":
            numbers.append((attribute.name, list(INT_VALUES)))
        elif attribute.kind == "float":
            turn = len(numbers)
            own = [_FLOAT_VALUES[turn % 2]] if attribute.required else [attribute.default]
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
