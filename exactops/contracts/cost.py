"""What a contract says of cost: formulas of arithmetic, memory traffic and temporaries, and times measured on this CPU."""

from __future__ import annotations

from typing import Any

from exactops.codegen import loops
from exactops.codegen.paths import SCALAR
from exactops.codegen.specification import LoopSpecification
from exactops.contracts import measurements
from exactops.contracts.arithmetic import arithmetic_of
from exactops.contracts.measurements import Measurement
from exactops.frontend.named_loops import loops_of
from exactops.records import sources
from exactops.table.formats import FORMATS
from exactops.table.operator import MODES, Operator
from exactops.table.signatures import Signature


def cost(found: Signature, times: list[Measurement]) -> dict[str, Any]:
    """The cost of a signature; of a fold that of all its steps."""
    fold = found.operator.fold
    read, results = ([FORMATS[short].size for short in types] for types in (found.read, found.results))
    counts = {mode: [arithmetic_of(loop) for loop in loops_of(found, mode, SCALAR)] for mode in MODES}
    variables = {"n": "elements of the result"}
    temporary = "0"
    if fold is not None:
        variables["k"] = "operands, 2 or more"
        # Each step but the last makes an array, and needs the one before.
        temporary = f"{sum(results)}*min({'k - 2' if fold.finish is None else 'k - 1'}, 2)*n"
    return {
        "class": "transcendental" if found.operator.category == "c" else "memory",
        "variables": variables,
        "flops": {mode: _formula(found, [count.floats for count in each]) for mode, each in counts.items()},
        "integer_operations": {mode: _formula(found, [count.integers for count in each]) for mode, each in counts.items()},
        "counted": "additions, subtractions, multiplications, divisions and roots on the path that ordinary operands take",
        # The last step of a fold reads the total and a scalar.
        "bytes_moved": _formula(found, [sum(read) + sum(results), 2 * sum(results)]),
        "bytes_per_element": {"operands": read, "results": results},
        "memory": {
            "results": f"{sum(results)}*n",
            "temporary": temporary,
            "stack": max(_stack(loop) for loop in loops_of(found, "exact", SCALAR)),
        },
        "measured": _measured(found, times),
    }


def _formula(found: Signature, each: list[int]) -> str:
    """So much an element: of each step, and of the last step of a fold that has one."""
    fold = found.operator.fold
    text = f"{each[0]}*{'(k - 1)*' if fold is not None else ''}n"
    return f"{text} + {each[1]}*n" if fold is not None and fold.finish is not None else text


def _stack(loop: LoopSpecification) -> int:
    """Bytes of a loop's buffers."""
    return loops.CHUNK * sum(FORMATS[short].size for short in (*loop.inputs, *loop.results))


def times(operator: Operator) -> list[Measurement]:
    """What was measured of an operator on this CPU."""
    here = measurements.cpu()
    return [entry for entry in measurements.load() if entry.operator == operator.name and entry.cpu == here]


def _measured(found: Signature, times: list[Measurement]) -> list[dict[str, Any]]:
    """The measurements of a signature; fast mode has none of its own where it shares exact mode's loop."""
    kept = ("mode", "path", "size", "ns_per_element", "call_ns", "rounds", "cpu", "core", "date", "versions")
    own = {measurements.identity_of(found, mode) for mode in MODES}
    return [
        {name: getattr(entry, name) for name in kept} | {"current": entry.revision == sources.revision(entry.operator)}
        for entry in times
        if entry.signature in own
    ]
