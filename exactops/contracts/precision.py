"""What a contract says of the error of a result, and who has checked it."""

from __future__ import annotations

from typing import Any

from exactops.codegen.paths import SCALAR
from exactops.contracts import proofs
from exactops.frontend.named_loops import loop_of
from exactops.table.formats import FORMATS, Format
from exactops.table.operator import CATEGORIES, FAST_ULP
from exactops.table.signatures import Signature


def precision(found: Signature, place: int, mode: str) -> dict[str, Any]:
    """The error of the result at a place, in a mode."""
    operator, stored = found.operator, FORMATS[found.results[place]]
    fast = loop_of(found, mode, SCALAR).fast
    category = operator.category
    rounds_once = category in "ac" or operator.results[place] == "to"
    transcendental = category == "c" and stored.kind == "f"
    # Integers: exact, but for the real value that pow truncates.
    known = category in "ab" or transcendental
    ulp: float | None = (0.5 if rounds_once and stored.kind == "f" else 0.0) if known else None
    apart: int | None = 0
    if fast:
        apart = FAST_ULP[stored.short] if transcendental else None
        ulp = None if ulp is None or apart is None else ulp + apart
    return {
        "correctly_rounded": known and not (fast and apart),
        "definition": _definition(category, transcendental, fast),
        "max_ulp": ulp,
        "max_ulp_from_exact": apart,
        **_relative_and_absolute(stored, ulp),
        "nan": "canonical" if not fast else "quiet, with the bits that the hardware leaves",
        # Where fast mode has no loop of its own, exact mode's records are its records.
        "audit": proofs.audit(found, "fast" if fast else "exact") if transcendental else proofs.BY_DEFINITION,
    }


def _definition(category: str, transcendental: bool, fast: bool) -> str:
    if fast:
        return (
            "exact mode's result, within the limits given" if transcendental else "exact mode's steps, products and sums fused"
        )
    if category == "c" and not transcendental:
        return "see special_cases: the result of the real-valued function, converted to an integer"
    return CATEGORIES[category]


def _relative_and_absolute(stored: Format, ulp: float | None) -> dict[str, float | None]:
    """The error in other words: relative to a normal result, and absolute of a subnormal one."""
    if ulp is None or stored.kind != "f":
        return {"max_relative": ulp, "max_absolute_of_subnormal": ulp}
    smallest = 2.0**stored.quantum_exponent
    # Half of the smallest double is no double; it rounds to zero, so say the whole.
    absolute = ulp * smallest or (smallest if ulp else 0.0)
    return {"max_relative": ulp * 2.0**-stored.fraction_bits, "max_absolute_of_subnormal": absolute}
