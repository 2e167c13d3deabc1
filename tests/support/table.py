"""Every combination of types that the operator table serves, and the loops behind it, derived from the declarations.

Tests that must hold for every kernel iterate this, so that a new operator is covered without a line here.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import exactops
from exactops.codegen.specification import LoopSpecification
from exactops.frontend import named_loops
from exactops.table.operator import Operator
from exactops.table.signatures import Signature, signatures

#: Values for attributes that have no default.
SAMPLES: dict[str, Any] = {"float": 0.75, "int32": 3}


@dataclass(frozen=True)
class Entry:
    """An operator with operands of served types and one choice of its attributes."""

    operator: Operator
    types: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...]
    signature: Signature

    @property
    def name(self) -> str:
        """For messages: the operator, its types and its attributes."""
        return f"{self.operator.name}({', '.join(self.types)}, {dict(self.attributes)})"


@functools.cache
def entries() -> tuple[Entry, ...]:
    """All that the table serves; the attributes that do not select a kernel have their default or a sample."""
    found = []
    for operator in exactops.operators().values():
        samples = tuple(
            (each.name, SAMPLES[each.kind] if each.required else each.default) for each in operator.attributes if each.travels
        )
        for folded in (1, 2, 3) if operator.fold is not None else (2,):
            for each in signatures(operator, folded=folded):
                found.append(Entry(operator, each.operands, (*each.choices, *samples), each))
    return tuple(found)


def loops_of(entry: Entry, mode: str, path: str) -> tuple[LoopSpecification, ...]:
    """The loops that a call uses: one, or those of a fold. Nothing is compiled."""
    return named_loops.loops_of(entry.signature, mode, path)


@functools.cache
def distinct_loops(mode: str, path: str) -> tuple[LoopSpecification, ...]:
    """One specification for each piece of machine code that the table has in a mode on a path."""
    found = [loop for entry in entries() for loop in loops_of(entry, mode, path)]
    return tuple({loop.description: loop for loop in found}.values())
