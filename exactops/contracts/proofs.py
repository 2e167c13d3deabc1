"""What the records of proofs say of a signature: which campaign has held its results against the true values."""

from __future__ import annotations

from typing import Any

from exactops.records import proofs
from exactops.table.formats import FORMATS, INTEGERS
from exactops.table.operator import Operator
from exactops.table.signatures import Signature

#: What an audit found, worst first: the status of a contract is the first that applies.
STATUSES = ("failed", "proven", "sampled", "proven_for_other_sources", "not_proven")

#: The audit of a result that approximates nothing.
BY_DEFINITION = {"status": "by_definition", "by": "comparison with independent references in the tests", "records": []}

#: Types of exponents that a campaign with another type stands for: the same kernel, after an exact conversion.
_DRAWN_AS = {"f16": "f32", "bf16": "f32", **{short: "i64" for short in INTEGERS if short not in ("i64", "u64")}}

_COUNTS = ("inputs", "not_correctly_rounded", "beyond_limit", "largest_error_ulp")


def audit(found: Signature, mode: str) -> dict[str, Any]:
    """The records of a signature in a mode that has a loop of its own, and what follows from them."""
    records = [_record(entry, found.operator) for entry in proofs.entries() if _is_of(entry, found, mode)]
    statuses = {record["status"] for record in records}
    status = next((status for status in STATUSES if status in statuses), "not_proven")
    note = proofs.evidence(found.operator.name, found.value, mode)
    said = {"evidence": note} if note else {}
    return {"status": status, "by": "python -m exactops prove", **said, "records": records}


def _is_of(entry: dict[str, Any], found: Signature, mode: str) -> bool:
    """Whether a record is of a signature."""
    if (entry.get("operator"), entry.get("dtype"), entry.get("mode")) != (found.operator.name, found.value, mode):
        return False
    defaults = {each.name: each.default for each in found.operator.attributes}
    attributes = entry.get("attributes", {})
    if any(attributes.get(name, defaults[name]) != value for name, value in found.choices):
        return False
    exponent = found.operands[-1]
    return "exponent" not in entry or entry["exponent"] in (exponent, _DRAWN_AS.get(exponent))


def _record(entry: dict[str, Any], operator: Operator) -> dict[str, Any]:
    faults = entry.get("not_correctly_rounded", entry.get("beyond_limit"))
    current = proofs.is_of_running_sources(entry, operator.name)
    # Every input was tried: of all operands, and no attribute takes further values.
    types = [entry["dtype"], *([entry["exponent"]] if "exponent" in entry else [])]
    every = len(types) == len(operator.operands) and not any(attribute.travels for attribute in operator.attributes)
    whole = (
        every and not {"pairs", "drawn"} & entry.keys() and entry["inputs"] == 1 << sum(FORMATS[short].bits for short in types)
    )
    if not isinstance(faults, int) or (not faults and not current and not whole):
        status = "not_proven"
    elif not current:
        status = "proven_for_other_sources" if not faults else "not_proven"
    else:
        status = "failed" if faults else "proven" if whole else "sampled"
    kept = (*_COUNTS, "seed", "evidence", "fused", "date", "path", "cpu", "versions", "sha256")
    return {
        "status": status,
        "attributes": entry.get("attributes", {}),
        "whole_domain": whole,
        **{name: entry[name] for name in kept if name in entry},
    }
