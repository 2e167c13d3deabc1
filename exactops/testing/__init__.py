"""What exactops' own tests are built on, for the tests of its users.

* **Comparison**: :func:`assert_same_bits`, :func:`ulp_distance`.
* **Values and layouts**: :func:`hard_values`, :func:`mixed_values`, :func:`lay_out`, :func:`layout_names`.
* **Hypothesis strategies**: :func:`arrays`, :func:`shapes`, :func:`operand_shapes`, :func:`layouts`, :func:`attributes`,
  :func:`calls`. They need Hypothesis, which the extra ``exactops[test]`` installs; the rest does without.
* **Audit**: :func:`audit` holds any element-wise function of any library against the exact values and returns an
  :class:`AuditReport`.

``docs/testing.md`` shows how to fuzz a kernel of your own with these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exactops.testing.auditing import AuditReport, Deviation, audit
from exactops.testing.bits import assert_same_bits, bits_of, from_bits, ulp_distance
from exactops.testing.call import Call
from exactops.testing.hard import hard_values, mixed_values
from exactops.testing.memory import lay_out, layout_names

if TYPE_CHECKING:
    from exactops.testing.strategies import OperandShapes, arrays, attributes, calls, layouts, operand_shapes, shapes

_STRATEGIES = ("OperandShapes", "arrays", "attributes", "calls", "layouts", "operand_shapes", "shapes")

__all__ = [
    "AuditReport",
    "Call",
    "Deviation",
    "OperandShapes",
    "arrays",
    "assert_same_bits",
    "attributes",
    "audit",
    "bits_of",
    "calls",
    "from_bits",
    "hard_values",
    "lay_out",
    "layout_names",
    "layouts",
    "mixed_values",
    "operand_shapes",
    "shapes",
    "ulp_distance",
]


def __getattr__(name: str) -> Any:
    """The strategies, imported on demand: only they need Hypothesis."""
    if name in _STRATEGIES:
        from exactops.testing import strategies

        return getattr(strategies, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
