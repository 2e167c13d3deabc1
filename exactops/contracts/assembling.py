"""The contract of an operator, put together: all that may be relied on, for programs.

A contract is derived: from the operator's declaration and its typed signatures, from the loop template and the plan of a call,
from the kernel itself (whose arithmetic is counted), from the records of proofs, and from measurements of this machine. Nothing
is stated here that is stated there. ``contract.schema.json`` beside this module describes the form.
"""

from __future__ import annotations

import importlib.resources
import json
from typing import Any

from exactops.codegen.paths import SCALAR, WIDTHS
from exactops.contracts import calls, cost, operands, variants
from exactops.ops import find_operator
from exactops.records import sources
from exactops.table.operator import CATEGORIES, MODES
from exactops.table.signatures import signatures

#: Version of the form of a contract: the first number changes where a program that reads one has to.
VERSION = "2.0"

_DETERMINISM = {"exact": "bitwise_everywhere", "fast": "same_path_bitwise"}

_ENVIRONMENT = {
    "rounding_mode": "ignored",
    "flush_to_zero": "ignored",
    "restored_after_the_call": True,
    "exception_flags_left": False,
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
        Of plain values, ready for JSON, in the form of ``exactops/contracts/contract.schema.json``. ``docs/contracts.md``
        explains it.

    Raises
    ------
    UnsupportedError
        No such operator, or a dtype that it does not serve.

    Examples
    --------
    >>> import exactops
    >>> (result,) = exactops.contract("gelu", dtype="bfloat16")["variants"][0]["results"]
    >>> result["precision"]["exact"]["correctly_rounded"], result["precision"]["exact"]["max_ulp"]
    (True, 0.5)
    """
    operator = find_operator(op)
    chosen = operator.dtypes if dtype is None else (operands.served(operator, dtype),)
    found = [each for short in chosen for each in signatures(operator, short, refused=True)]
    times = cost.times(operator)
    return {
        "contract_version": VERSION,
        "operator": operator.name,
        "names": list(operator.names),
        "aliases": operands.aliases(operator),
        "function": f"exactops.{operator.function}",
        "summary": operator.summary,
        "onnx": {"type": operator.onnx, "opset": {"from": operator.opset, "to": None}} if operator.onnx else None,
        "class": operator.category,
        "class_meaning": CATEGORIES[operator.category],
        "dtypes": list(chosen),
        "refused_dtypes": operands.refused(operator),
        "variadic": operator.fold is not None,
        "operands": [operands.operand(each) for each in operator.operands],
        "attributes": [operands.attribute(each) for each in operator.attributes],
        "results": [operands.result(rule) for rule in operator.results],
        "layouts": calls.layouts(),
        "fast_paths": calls.fast_paths([each for each in found if each.served]),
        "aliasing": calls.aliasing(operator),
        "access": calls.access(),
        "determinism": dict(_DETERMINISM),
        "environment": dict(_ENVIRONMENT),
        "modes": list(MODES),
        "paths": [
            {"path": path, "architecture": architecture, "register_bits": bits}
            for architecture, widths in WIDTHS.items()
            for path, bits in (*widths.items(), (SCALAR, 0))
        ],
        "special_cases": list(operator.special),
        "variants": [variants.variant(each, times) for each in found],
        "sources": sources.files(operator.name),
        "revision": sources.revision(operator.name),
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of a contract."""
    return json.loads((importlib.resources.files(__package__) / "contract.schema.json").read_text(encoding="utf-8"))
