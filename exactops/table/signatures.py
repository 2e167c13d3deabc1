"""The typed signatures of an operator: the one enumeration of which types it takes and gives.

The plan of a call asks for one signature (:func:`signature`); contracts, fingerprints, strategies, tests and the documentation
walk through all of them (:func:`signatures`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exactops.table.formats import EVERY, FORMATS, Format
from exactops.table.operator import Kernel, Operand, Operator, Refusal


@dataclass(frozen=True)
class Signature:
    """An operator with operands of certain types and one value of each selecting attribute.

    Attributes
    ----------
    operator : Operator
    operands : tuple of str
        Short names of the operands' types, those that are not read included. Of a fold: of its operands.
    choices : tuple of (str, object)
        The selecting attributes in the order of the declaration; a target of a cast by its short name.
    results : tuple of str
        Short names of the results' types.
    kernel : Kernel or Refusal
        The kernel, or why there is none. Of a fold of one operand what that goes through, of others one step.
    """

    operator: Operator
    operands: tuple[str, ...]
    choices: tuple[tuple[str, Any], ...]
    results: tuple[str, ...]
    kernel: Kernel | Refusal

    @property
    def served(self) -> bool:
        """Whether there is a kernel."""
        return isinstance(self.kernel, Kernel)

    @property
    def value(self) -> str:
        """The value type."""
        return self.operands[self.operator.value_position]

    @property
    def read(self) -> tuple[str, ...]:
        """Types of the operands that one call of the kernel reads; of a fold those of one step."""
        if self.operator.fold is not None:
            return self.operands[:2]
        return tuple(short for operand, short in zip(self.operator.operands, self.operands, strict=True) if operand.is_read)

    @property
    def travelling(self) -> tuple[str, ...]:
        """Stored types of the travelling attributes, which the kernel receives after the operands."""
        value = FORMATS[self.value]
        return tuple(each.stored_as(value).short for each in self.operator.attributes if each.travels)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Types of all that the kernel receives."""
        return (*self.read, *self.travelling)

    @property
    def name(self) -> str:
        """For messages: the operator, its types and the selecting attributes."""
        given = "".join(f", {name}={value!r}" for name, value in self.choices)
        return f"{self.operator.name}({', '.join(self.operands)}{given})"


def signature(operator: Operator, operands: Sequence[str], choices: Mapping[str, Any]) -> Signature:
    """The signature of an operator for operands of these types.

    Parameters
    ----------
    operator : Operator
    operands : sequence of str
        Short names of the types of all operands (a missing one has the value type), which the operator serves.
    choices : mapping
        The selecting attributes, defaults included; a dtype by its short name.
    """
    types = tuple(operands)
    value = FORMATS[types[operator.value_position]]
    results = tuple(_result(each, operator, types, value, choices) for each in operator.results)
    ordered = tuple((each.name, choices[each.name]) for each in operator.attributes if each.selects)
    kernel: Kernel | Refusal
    if operator.fold is not None and len(types) == 1:
        kernel = operator.fold.single
    else:
        read = [
            FORMATS[short]
            for place, short in enumerate(types[:2] if operator.fold is not None else types)
            if operator.operands[min(place, len(operator.operands) - 1)].is_read
        ]
        kernel = operator.kernel_of(tuple(read), FORMATS[results[0]], dict(ordered))
    return Signature(operator, types, ordered, results, kernel)


def _result(rule: str, operator: Operator, types: tuple[str, ...], value: Format, choices: Mapping[str, Any]) -> str:
    if rule == "same":
        return value.short
    if rule == "to":
        return choices["to"] if "to" in choices else types[_like(operator)]
    return rule


def _like(operator: Operator) -> int:
    """Position of the operand that names the type of the result."""
    return next(place for place, operand in enumerate(operator.operands) if operand.role == "like")


def operand_types(operand: Operand, value: str) -> tuple[str, ...]:
    """The types that an operand may have beside a value type."""
    if operand.role == "value":
        return (value,)
    if operand.role == "condition":
        return ("bool",)
    return operand.types or EVERY


def choice_sets(operator: Operator) -> Iterator[dict[str, Any]]:
    """Every combination of values of the selecting attributes."""
    axes = [
        [(each.name, choice) for choice in (each.choices if each.kind == "choice" else EVERY)]
        for each in operator.attributes
        if each.selects
    ]
    for chosen in itertools.product(*axes):
        yield dict(chosen)


def signatures(operator: Operator, value: str | None = None, folded: int = 2, refused: bool = False) -> Iterator[Signature]:
    """Every typed signature of an operator.

    Parameters
    ----------
    operator : Operator
    value : str, optional
        Only those of this value type.
    folded : int
        How many operands those of a fold have.
    refused : bool
        Whether to include combinations of served types and choices that are refused.

    Yields
    ------
    Signature
    """
    for short in operator.dtypes if value is None else (value,):
        places = [operand_types(operand, short) for operand in operator.operands]
        if operator.fold is not None:
            places = [(short,)] * folded
        for types in itertools.product(*places):
            for choices in choice_sets(operator):
                found = signature(operator, types, choices)
                if found.served or refused:
                    yield found
