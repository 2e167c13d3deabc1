"""What a contract says of one typed signature: its results, lanes and cost, or why it is refused."""

from __future__ import annotations

from typing import Any

from exactops.codegen.paths import SCALAR, WIDTHS
from exactops.codegen.specification import LoopSpecification
from exactops.contracts import cost, precision
from exactops.contracts.measurements import Measurement
from exactops.frontend.named_loops import loop_of
from exactops.table.formats import FORMATS
from exactops.table.operator import MODES, Refusal
from exactops.table.signatures import Signature

#: What is said of a signature that is served, and null of one that is refused.
_SERVED = ("results", "computing", "lanes", "groups_a_turn", "modes_differ", "cost")


def variant(found: Signature, times: list[Measurement]) -> dict[str, Any]:
    """A signature, with what was measured of its operator."""
    refused = isinstance(found.kernel, Refusal)
    made = {
        "operand_dtypes": list(found.operands),
        "attributes": dict(found.choices),
        "served": not refused,
        "reason": found.kernel.reason if isinstance(found.kernel, Refusal) else None,
    }
    if refused:
        return made | dict.fromkeys(_SERVED)
    loop = loop_of(found, "exact", SCALAR)
    return made | {
        "results": [_result(found, place) for place in range(len(found.results))],
        "computing": [FORMATS[short].computing for short in loop.inputs],
        "lanes": {path: loop._replace(path=path).lanes for widths in WIDTHS.values() for path in (*widths, SCALAR)},
        "groups_a_turn": _groups_a_turn(loop),
        "modes_differ": loop_of(found, "fast", SCALAR).fast,
        "cost": cost.cost(found, times),
    }


def _result(found: Signature, place: int) -> dict[str, Any]:
    stored = FORMATS[found.results[place]]
    return {
        "dtype": stored.short,
        "nan": f"{stored.nan:#0{2 * stored.size + 2}x}" if stored.kind == "f" else None,
        "precision": {mode: precision.precision(found, place, mode) for mode in MODES},
    }


def _groups_a_turn(loop: LoopSpecification) -> int:
    """Groups of lanes that a turn of the loop over dense arrays takes; registers of one wide group count as groups."""
    return loop.unroll if loop.unroll > 1 else loop.registers
