"""What a contract says of operands, attributes, results and spellings: the records of the declaration, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from exactops.errors import UnsupportedError
from exactops.frontend.operands import refuse_type
from exactops.table.formats import EVERY, FORMATS, format_named, format_of
from exactops.table.operator import Attribute, Operand, Operator
from exactops.table.signatures import Signature, operand_types

#: Axes that a NumPy array can have.
MOST_AXES = 64

#: Values for attributes without a default, where a call is made or planned only to see what it does.
_SAMPLES = {"float": 0.75, "int32": 3}

_ATTRIBUTE_TYPES = {"float": "number", "int32": "integer", "choice": "choice", "dtype": "dtype", "ignored": "ignored"}


def served(operator: Operator, dtype: Any) -> str:
    """The short name of a value type that the operator serves.

    Raises
    ------
    UnsupportedError
        It serves no such type.
    """
    found = format_named(dtype)
    try:
        found = found or format_of(np.dtype(dtype))
    except (TypeError, ValueError, SyntaxError):
        found = None
    if found is None:
        raise UnsupportedError(f"no stored type is called {dtype!r} (stored are {', '.join(FORMATS)})")
    if found.short not in operator.dtypes:
        refuse_type(operator, found)
    return found.short


def refused(operator: Operator) -> dict[str, str]:
    """Value types that one might expect, and why they are refused."""
    reasons = {short: operator.refusal(FORMATS[short]) for short in EVERY if short not in operator.dtypes}
    return {short: reason for short, reason in reasons.items() if reason}


def operand(record: Operand) -> dict[str, Any]:
    """An operand."""
    return {
        "name": record.name,
        "role": record.role,
        "optional": record.missing is not None,
        "missing": record.missing,
        "keyword": record.keyword,
        "dtypes": "same as the value operands" if record.role == "value" else list(operand_types(record, "")),
        "read": record.is_read,
        "in_place_without_copy": record.in_place,
    }


def attribute(record: Attribute) -> dict[str, Any]:
    """An attribute."""
    made: dict[str, Any] = {
        "name": record.name,
        "type": _ATTRIBUTE_TYPES[record.kind],
        "required": record.required,
        "default": None if record.required else record.default,
        "positional": record.positional,
        "summary": record.summary,
    }
    if record.kind == "float":
        made["rounded_to"] = record.rounded_to
    elif record.kind == "int32":
        made["minimum"], made["maximum"] = FORMATS["i32"].limits
    elif record.selects:
        made["choices"] = list(EVERY if record.kind == "dtype" else record.choices)
    return made


def result(rule: str) -> dict[str, Any]:
    """A result."""
    return {
        "dtype_rule": rule,
        "shape_rule": "broadcast of the operands that are read",
        "rank": {"least": 0, "most": MOST_AXES},
        "zero_dimensional": "a NumPy scalar, or out",
        "layout": {
            "dense": True,
            "order": "K: C where all operands are C-contiguous, Fortran where all are Fortran-contiguous",
            "aligned": True,
            "native_byte_order": True,
            "writable": True,
            "owns_memory": True,
        },
    }


def aliases(operator: Operator) -> list[dict[str, Any]]:
    """The spellings that are more than another name: which types they serve, and which attributes they set."""
    return [
        {
            "name": each.name,
            "dtypes": [short for short in operator.dtypes if not each.kinds or FORMATS[short].kind in each.kinds],
            "reason": each.reason or None,
            "preset": dict(each.preset),
        }
        for each in operator.other_names
        if each.is_special
    ]


def call_attributes(found: Signature) -> dict[str, Any]:
    """The keyword arguments that a call of a signature needs; numbers without a default have a sample value."""
    samples = {each.name: _SAMPLES[each.kind] for each in found.operator.attributes if each.travels and each.required}
    return dict(found.choices) | samples
