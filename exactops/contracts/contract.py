"""The contract of an operator: all that may be relied on, for programs.

A contract is derived: from the operator's declaration, from what the plan of a call makes of each type, from the loop template,
from the kernel itself (whose arithmetic is counted), from the records of proofs, and from measurements of this machine. Nothing
is stated here that is stated there. ``contract.schema.json`` beside this module describes the form.
"""

from __future__ import annotations

import functools
import importlib.resources
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from exactops.codegen import loops
from exactops.codegen.key import Key
from exactops.codegen.paths import SCALAR, WIDTHS
from exactops.contracts import cost, measurements
from exactops.errors import UnsupportedError
from exactops.frontend.accelerator import AVAILABLE
from exactops.frontend.plan import MODES, find_operator, plan
from exactops.ops import OPERATORS
from exactops.records import proofs, sources
from exactops.table.formats import FORMATS, Format, format_of
from exactops.table.operator import CATEGORIES, FAST_ULP, REQUIRED, Attribute, Operator

#: Version of the form of a contract: the first number changes where a program that reads one has to.
VERSION = "1.0"

#: Axes that a NumPy array can have.
MOST_AXES = 64

#: Values for attributes without a default, where a call is planned only to see its types.
SAMPLES = {"float": 0.75, "int32": 3}

_DETERMINISM = {"exact": "bitwise_everywhere", "fast": "same_path_bitwise"}

_BUFFERS = "NumPy's buffers"
_STACK = f"stack buffers of {loops.CHUNK} elements"

#: How an operand in each layout reaches the kernel.
_ROUTES = {
    "contiguous": "direct",
    "offset": "direct",
    "fortran": "direct",
    "read_only": "direct",
    "strided": _STACK,
    "reversed": f"direct where all operands and the result are, else {_STACK}",
    "broadcast": "register where the innermost axis is repeated, else direct",
    "zero_dimensional": "register",
    "zero_size": "nothing is read",
    "misaligned": _BUFFERS,
    "byte_swapped": _BUFFERS,
}


def contract(op: str, dtype: Any = None) -> dict[str, Any]:
    """The machine-readable contract of an operator: what may be relied on.

    Parameters
    ----------
    op : str
        Any spelling of an operator.
    dtype : dtype_like, optional
        Only what concerns operands of this type: a NumPy dtype, its name, or a short name such as ``"bf16"``. By default the
        contract covers every type that the operator serves.

    Returns
    -------
    dict
        Of plain values, ready for JSON, in the form of ``exactops/contracts/contract.schema.json``; ``docs/contracts.md``
        explains it.

    Raises
    ------
    UnsupportedError
        No such operator, or a dtype that it does not serve.

    Examples
    --------
    >>> import exactops
    >>> exact = exactops.contract("gelu", dtype="bfloat16")["variants"][0]["precision"]["exact"]
    >>> exact["correctly_rounded"], exact["max_ulp"]
    (True, 0.5)
    """
    operator = find_operator(op)
    chosen = operator.dtypes if dtype is None else (served(operator, dtype),)
    times = _times(operator)
    return {
        "contract_version": VERSION,
        "operator": operator.name,
        "names": list(operator.names),
        "function": f"exactops.{operator.function}",
        "summary": operator.summary,
        "onnx": {"type": operator.onnx, "opset": {"from": operator.opset, "to": None}} if operator.onnx else None,
        "class": operator.category,
        "class_meaning": CATEGORIES[operator.category],
        "dtypes": list(chosen),
        "refused_dtypes": dict(operator.unserved),
        "variadic": operator.variadic,
        "operands": [_operand(operator, position) for position in range(len(operator.operands))],
        "attributes": [_attribute(attribute) for attribute in operator.attributes],
        "result": _result(operator),
        "layouts": {name: {"accepted": True, "route": route} for name, route in _ROUTES.items()},
        "fast_paths": _fast_paths(operator),
        "aliasing": _aliasing(operator),
        "access": _access(),
        "determinism": dict(_DETERMINISM),
        "environment": {
            "rounding_mode": "ignored",
            "flush_to_zero": "ignored",
            "restored_after_the_call": True,
            "exception_flags_left": False,
        },
        "modes": list(MODES),
        "paths": [
            {"path": path, "architecture": architecture, "register_bits": bits}
            for architecture, widths in WIDTHS.items()
            for path, bits in (*widths.items(), (SCALAR, 0))
        ],
        "special_cases": list(operator.special),
        "variants": [_variant(operator, kind, times) for short in chosen for kind in kinds(operator, short)],
        "sources": sources.files(operator.name),
        "revision": sources.revision(operator.name),
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of a contract."""
    return json.loads((importlib.resources.files(__package__) / "contract.schema.json").read_text(encoding="utf-8"))


def served(operator: Operator, dtype: Any) -> str:
    """The short name of a type that the operator serves.

    Raises
    ------
    UnsupportedError
        It serves no such type.
    """
    storage = FORMATS.get("bf16" if dtype == "bfloat16" else dtype) if isinstance(dtype, str) else None
    try:
        storage = storage or format_of(np.dtype(dtype))
    except (TypeError, ValueError, SyntaxError):
        storage = None
    if storage is None:
        raise UnsupportedError(f"no stored type is called {dtype!r} (stored are {', '.join(FORMATS)})")
    if storage.short not in operator.dtypes:
        reason = operator.unserved.get(storage.short)
        because = f": {reason}" if reason else ""
        served = ", ".join(operator.dtypes)
        raise UnsupportedError(f"{operator.name} does not serve {storage.short}{because} (it serves {served})")
    return storage.short


# --- operands, attributes, result ---------------------------------------------------------------------------------------


def _operand(operator: Operator, position: int) -> dict[str, Any]:
    name = operator.operands[position]
    attribute = operator.attribute(name)
    bound = attribute if attribute is not None and attribute.kind == "bound" else None
    source = operator.result == "to" and position == 1
    optional = position >= len(operator.operands) - operator.optional
    condition = operator.condition and position == 0
    role = "condition" if condition else "bound" if bound else "dtype_source" if source else "value"
    dtypes: Any = "same as the value operands"
    if condition:
        dtypes = ["bool"]
    elif name in operator.own_dtype:
        dtypes = list(operator.own_dtype[name])
    elif source:
        dtypes = list(FORMATS)
    return {
        "name": name,
        "role": role,
        "optional": optional,
        "missing": f"{bound.default} bound" if bound and optional else None,
        "keyword": bound is not None,
        "dtypes": dtypes,
        "read": not source,
        "in_place_without_copy": name in operator.in_place,
    }


_TYPES = {"float": "number", "int32": "integer", "choice": "choice", "dtype": "dtype", "bound": "operand"}


def _attribute(attribute: Attribute) -> dict[str, Any]:
    required = attribute.default is REQUIRED
    made: dict[str, Any] = {
        "name": attribute.name,
        "type": _TYPES[attribute.kind],
        "required": required,
        "default": None if required else attribute.default,
        "summary": attribute.summary,
    }
    if attribute.kind == "float":
        made |= {"rounded_to": attribute.rounded_to}
    elif attribute.kind == "int32":
        made |= {"minimum": -(2**31), "maximum": 2**31 - 1}
    elif attribute.kind == "dtype":
        made |= {"choices": list(FORMATS)}
    elif attribute.kind == "choice":
        made |= {"ignored": True} if None in attribute.choices else {"choices": list(attribute.choices)}
    return made


def _result(operator: Operator) -> dict[str, Any]:
    return {
        "dtype_rule": operator.result,
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


def _fast_paths(operator: Operator) -> list[dict[str, Any]]:
    """The layouts that the loop template has code of its own for, and the short way of a repeated call."""
    several = not operator.variadic and len(operator.operands) + sum(a.travels for a in operator.attributes) > 1
    found: list[dict[str, Any]] = []
    if operator.cheap:
        found.append({"when": "all operands dense", "loop": True})
        if (several or operator.variadic) and operator.result != "to":
            found.append({"when": "first operand dense, the others scalar", "loop": True})
    if AVAILABLE and not operator.finish_mean and not (operator.result == "to" and len(operator.operands) > 1):
        few = "a call of two operands" if operator.variadic else "a call"
        found.append({"when": f"{few} like one before, with other arrays of the same types", "python_code": False})
    return found


def _aliasing(operator: Operator) -> dict[str, Any]:
    return {
        "out_may_be_an_operand": True,
        "out_may_overlap_operands": True,
        "same_bits_as_without_overlap": True,
        "in_place_without_copy": list(operator.in_place),
        "condition": "out is the operand itself (same memory, shape, strides), aligned and in native byte order",
        "otherwise": "NumPy makes a temporary copy where memory overlaps",
    }


def _access() -> dict[str, Any]:
    return {
        "alignment": 1,
        "granularity": "groups of a variant's lanes, then single elements",
        "reads_outside": False,
        "writes_outside": False,
        "operands_written": False,
        "buffer_elements": loops.CHUNK,
    }


# --- variants -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Kind:
    """Operands of certain types with certain attributes: what one kernel serves, or a refusal."""

    operands: tuple[str, ...]
    attributes: tuple[tuple[str, Any], ...]
    refused: str | None
    keys: Mapping[str, Key]
    travelling: tuple[tuple[str, Any], ...] = ()


def kinds(operator: Operator, short: str) -> Iterator[Kind]:
    """Every combination of types and selecting attributes with the first value operand of a type, as the plan takes them."""
    axes: list[list[tuple[str, Any]]] = []
    for attribute in operator.attributes:
        if attribute.kind == "choice" and None not in attribute.choices:
            axes.append([(attribute.name, choice) for choice in attribute.choices])
        elif attribute.kind == "dtype":
            axes.append([(attribute.name, target) for target in FORMATS])
    travelling = tuple(
        (attribute.name, SAMPLES[attribute.kind] if attribute.default is REQUIRED else attribute.default)
        for attribute in operator.attributes
        if attribute.travels
    )
    for types in itertools.product(*_places(operator, short)):
        for attributes in itertools.product(*axes):
            arrays = tuple(np.ones(1, FORMATS[each].dtype) for each in types)
            given = dict((*attributes, *travelling))
            try:
                planned = {mode: plan(operator, arrays, mode=mode, path=SCALAR, attributes=given) for mode in MODES}
            except UnsupportedError as error:
                yield Kind(types, attributes, str(error), {})
            else:
                yield Kind(types, attributes, None, {mode: each.key for mode, each in planned.items()}, travelling)


def _places(operator: Operator, short: str) -> list[tuple[str, ...]]:
    """The types that each operand may have beside a first value operand of one type."""
    if operator.variadic:
        return [(short,), (short,)]
    places: list[tuple[str, ...]] = []
    for position, name in enumerate(operator.operands):
        if operator.condition and position == 0:
            places.append(("bool",))
        elif name in operator.own_dtype:
            places.append(operator.own_dtype[name])
        elif operator.result == "to" and position == 1:
            places.append(tuple(FORMATS))
        else:
            places.append((short,))
    return places


def _variant(operator: Operator, kind: Kind, times: list[measurements.Measurement]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operand_dtypes": list(kind.operands),
        "attributes": dict(kind.attributes),
        "served": kind.refused is None,
        "reason": kind.refused,
    }
    if kind.refused is not None:
        return made | dict.fromkeys(
            ("result_dtype", "computing", "lanes", "groups_a_turn", "nan", "modes_differ", "precision", "cost")
        )
    exact = kind.keys["exact"]
    result = FORMATS[exact.output]
    return made | {
        "result_dtype": result.short,
        "computing": [FORMATS[short].computing for short in exact.inputs],
        "lanes": {path: exact._replace(path=path).lanes for widths in WIDTHS.values() for path in (*widths, SCALAR)},
        "groups_a_turn": loops.UNROLL if operator.cheap else exact.kernel.registers,
        "nan": f"{result.nan:#0{2 * result.size + 2}x}" if result.kind == "f" else None,
        "modes_differ": kind.keys["fast"].fast,
        "precision": {mode: _precision(operator, kind, mode) for mode in MODES},
        "cost": _cost(operator, kind, times),
    }


# --- precision ----------------------------------------------------------------------------------------------------------


def _precision(operator: Operator, kind: Kind, mode: str) -> dict[str, Any]:
    """What holds of the error, and who says so."""
    key = kind.keys[mode]
    result = FORMATS[key.output]
    rounds_once = operator.category in "ac" or operator.result == "to"
    transcendental = operator.category == "c" and result.kind == "f"
    # Integers: exact, but for the double power that pow truncates.
    known = operator.category in "ab" or transcendental
    ulp: float | None = (0.5 if rounds_once and result.kind == "f" else 0.0) if known else None
    apart: int | None = 0
    if key.fast:
        apart = FAST_ULP[result.short] if transcendental else None
        ulp = None if ulp is None or apart is None else ulp + apart
    return {
        "correctly_rounded": known and not (key.fast and apart),
        "definition": _definition(operator, transcendental, key.fast),
        "max_ulp": ulp,
        "max_ulp_from_exact": apart,
        **_relative_and_absolute(result, ulp),
        "nan": "canonical" if not key.fast else "quiet, with the bits that the hardware leaves",
        "audit": _audit(operator, kind, mode, transcendental),
    }


def _definition(operator: Operator, transcendental: bool, fast: bool) -> str:
    if fast:
        return (
            "exact mode's result, within the limits given" if transcendental else "exact mode's steps, products and sums fused"
        )
    if operator.category == "c" and not transcendental:
        return "see special_cases: the result of the real-valued function, converted to an integer"
    return CATEGORIES[operator.category]


def _relative_and_absolute(result: Format, ulp: float | None) -> dict[str, float | None]:
    """The error in other words: relative to a normal result, and absolute of a subnormal one."""
    if ulp is None or result.kind != "f":
        return {"max_relative": ulp, "max_absolute_of_subnormal": ulp}
    unit = 2.0 ** (1 - result.precision)
    least = 2 - (1 << (result.exponent_bits - 1))  # exponent of the smallest normal number
    # In two factors: half of the smallest double is no double; it rounds to zero, so say the whole.
    smallest = 2.0**least * unit
    return {"max_relative": ulp * unit, "max_absolute_of_subnormal": ulp * smallest or (smallest if ulp else 0.0)}


# --- proofs -------------------------------------------------------------------------------------------------------------


#: What an audit found, worst first: the status of a contract is the first that applies.
STATUSES = ("failed", "proven", "sampled", "proven_for_other_sources", "not_proven")


#: Types of exponents that a campaign with another type stands for: the same kernel, after an exact conversion.
_DRAWN_AS = {"f16": "f32", "bf16": "f32", **dict.fromkeys(("i8", "i16", "i32", "u8", "u16", "u32"), "i64")}


def _audit(operator: Operator, kind: Kind, mode: str, transcendental: bool) -> dict[str, Any]:
    """Which campaign has held the results against the true values."""
    if not transcendental:
        return {"status": "by_definition", "by": "comparison with independent references in the tests", "records": []}
    if mode == "fast" and not kind.keys["fast"].fast:
        mode = "exact"  # one loop
    defaults = {attribute.name: attribute.default for attribute in operator.attributes}
    chosen = dict(kind.attributes)
    records = []
    for entry in proofs.entries():
        attributes = entry.get("attributes", {})
        if (entry.get("operator"), entry.get("dtype"), entry.get("mode")) != (operator.name, kind.operands[0], mode):
            continue
        if any(attributes.get(name, defaults[name]) != value for name, value in chosen.items()):
            continue
        if "exponent" in entry and entry["exponent"] not in (kind.operands[-1], _DRAWN_AS.get(kind.operands[-1])):
            continue
        records.append(_record(entry, operator))
    found = {record["status"] for record in records}
    status = next((status for status in STATUSES if status in found), "not_proven")
    return {"status": status, "by": "python -m exactops prove", "records": records}


def _record(entry: dict[str, Any], operator: Operator) -> dict[str, Any]:
    faults = entry.get("not_correctly_rounded", entry.get("beyond_limit"))
    current = proofs.is_of_running_sources(entry, operator.name)
    # Every input was tried: of all operands, and no attribute takes further values.
    types = [entry["dtype"], *([entry["exponent"]] if "exponent" in entry else [])]
    every = len(types) == len(operator.operands) and not any(attribute.travels for attribute in operator.attributes)
    whole = every and "pairs" not in entry and entry["inputs"] == 1 << sum(8 * FORMATS[short].size for short in types)
    if not isinstance(faults, int) or (not faults and not current and not whole):
        status = "not_proven"
    elif not current:
        status = "proven_for_other_sources" if not faults else "not_proven"
    else:
        status = "failed" if faults else "proven" if whole else "sampled"
    counts = ("inputs", "not_correctly_rounded", "beyond_limit", "largest_error_ulp")
    kept = (*counts, "fused", "date", "path", "cpu", "versions", "sha256")
    return {
        "status": status,
        "attributes": entry.get("attributes", {}),
        "whole_domain": whole,
        **{name: entry[name] for name in kept if name in entry},
    }


# --- cost ---------------------------------------------------------------------------------------------------------------


def _cost(operator: Operator, kind: Kind, times: list[measurements.Measurement]) -> dict[str, Any]:
    exact = kind.keys["exact"]
    result = FORMATS[exact.output].size
    # The travelling attributes come after the operands, and are scalars.
    read = [FORMATS[short].size for short in exact.inputs[: len(exact.inputs) - len(kind.travelling)]]
    turns, variables, temporary = "", {"n": "elements of the result"}, "0"
    finish: Key | None = None
    if operator.variadic:
        turns, variables["k"] = "(k - 1)*", "operands, 2 or more"
        if operator.finish_mean:
            finish = exact._replace(inputs=(exact.output, "f64"), choices=(("divide", True),))
        # Each step but the last makes an array, and needs the one before.
        temporary = f"{result}*min({'k - 2' if finish is None else 'k - 1'}, 2)*n"

    def formula(each: int, last: int) -> str:
        return f"{each}*{turns}n" + (f" + {last}*n" if finish is not None else "")

    last = cost.Count() if finish is None else _arithmetic(finish)
    arithmetic = {mode: _arithmetic(key) for mode, key in kind.keys.items()}
    return {
        "class": "transcendental" if operator.category == "c" else "memory",
        "variables": variables,
        "flops": {mode: formula(count.floats, last.floats) for mode, count in arithmetic.items()},
        "integer_operations": {mode: formula(count.integers, last.integers) for mode, count in arithmetic.items()},
        "counted": "additions, subtractions, multiplications, divisions and roots on the path that ordinary operands take",
        "bytes_moved": formula(sum(read) + result, 2 * result),
        "bytes_per_element": {"operands": read, "result": result},
        "memory": {
            "result": f"{result}*n",
            "temporary": temporary,
            "stack": max(_stack(key) for key in (exact, finish) if key is not None),
        },
        "measured": _measured(operator, kind, times),
    }


def _stack(key: Key) -> int:
    """Bytes of a loop's buffers."""
    return loops.CHUNK * sum(FORMATS[short].size for short in (*key.inputs, key.output))


@functools.cache
def _arithmetic(key: Key) -> cost.Count:
    return cost.operations(key.kernel, tuple(FORMATS[short] for short in key.inputs), key.fast)


def _times(operator: Operator) -> list[measurements.Measurement]:
    """What was measured of the operator on this CPU."""
    here = measurements.cpu()
    return [entry for entry in measurements.load() if entry.operator == operator.name and entry.cpu == here]


def _measured(operator: Operator, kind: Kind, times: list[measurements.Measurement]) -> list[dict[str, Any]]:
    """The measurements of a variant; fast mode has none of its own where it shares exact mode's loop."""
    kept = ("mode", "path", "size", "ns_per_element", "call_ns", "rounds", "cpu", "core", "date", "versions")
    own = {measurements.loop(key, mode) for mode, key in kind.keys.items()}
    return [
        {name: getattr(entry, name) for name in kept} | {"current": entry.revision == sources.revision(operator.name)}
        for entry in times
        if entry.loop in own
    ]


def tasks(operator: Operator, short: str, modes: tuple[str, ...] = MODES) -> list[measurements.Task]:
    """The loops of an operator for a type, to be measured; fast mode only where it has a loop of its own."""
    found = []
    for kind in kinds(operator, short):
        for mode in modes:
            if kind.refused is None and (mode == "exact" or kind.keys[mode].fast):
                given = dict((*kind.attributes, *kind.travelling))
                found.append(measurements.Task(operator.name, kind.operands, given, mode, kind.keys[mode]))
    return found


def contracts() -> list[dict[str, Any]]:
    """The contracts of the whole table."""
    return [contract(name) for name in OPERATORS]
