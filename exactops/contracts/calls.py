"""What a contract says of memory and of the way of a call: layouts, aliasing, access, and what is done once or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from exactops.codegen import loops
from exactops.codegen.paths import SCALAR
from exactops.contracts.operands import call_attributes
from exactops.frontend.accelerator import AVAILABLE
from exactops.frontend.named_loops import loop_of
from exactops.frontend.plan import plan
from exactops.table.formats import FORMATS
from exactops.table.operator import Operator
from exactops.table.signatures import Signature

_BUFFERS = "NumPy's buffers"
_STACK = f"stack buffers of {loops.CHUNK} elements"

#: How an operand in each layout reaches the kernel.
_ROUTES = {
    "contiguous": "direct",
    "offset": "direct",
    "fortran": "direct",
    "read_only": "direct",
    "strided": _STACK,
    "reversed": f"direct where all operands and the results are, else {_STACK}",
    "broadcast": "register where the innermost axis is repeated, else direct",
    "zero_dimensional": "register",
    "zero_size": "nothing is read",
    "misaligned": _BUFFERS,
    "byte_swapped": _BUFFERS,
}


def layouts() -> dict[str, Any]:
    """The layouts of operands."""
    return {name: {"accepted": True, "route": route} for name, route in _ROUTES.items()}


def fast_paths(found: list[Signature]) -> list[dict[str, Any]]:
    """What holds for all these signatures: loops of the template for a layout, and what a repeated call leaves out."""
    made: list[dict[str, Any]] = []
    specifications = [loop_of(each, "exact", SCALAR) for each in found]
    if all(each.unroll > 1 for each in specifications):
        made.append({"when": "all operands dense", "loop": True})
        if all(len(each.inputs) > 1 for each in specifications):
            made.append({"when": "first operand dense, the others scalar", "loop": True})
    made.append({"when": "types, choices, mode and path as in an earlier call", "planned": False})
    if AVAILABLE and all(map(_goes_as_it_is, found)):
        # More operands of a fold are more steps than one.
        operands = "two operands" if found[0].operator.fold is not None else "all operands"
        when = f"{operands} are arrays, of the types of an earlier call; choices, mode and path the same objects; no numbers"
        made.append({"when": when, "planned": False, "python_code": False})
    return made


def _goes_as_it_is(found: Signature) -> bool:
    """Whether the ufunc takes the arrays of a call as they are, so that the accelerator takes the call."""
    arrays = tuple(np.ones(1, FORMATS[short].dtype) for short in found.operands)
    return plan(found.operator, arrays, call_attributes(found), path=SCALAR).constants is not None


def aliasing(operator: Operator) -> dict[str, Any]:
    """Results written over operands."""
    return {
        "out_may_be_an_operand": True,
        "out_may_overlap_operands": True,
        "same_bits_as_without_overlap": True,
        "in_place_without_copy": [each.name for each in operator.operands if each.in_place],
        "condition": "out is the operand itself (same memory, shape, strides), aligned and in native byte order",
        "otherwise": "NumPy makes a temporary copy where memory overlaps",
    }


def access() -> dict[str, Any]:
    """The memory that a loop touches."""
    return {
        "alignment": 1,
        "granularity": "groups of a variant's lanes, then single elements",
        "reads_outside": False,
        "writes_outside": False,
        "operands_written": False,
        "buffer_elements": loops.CHUNK,
    }
