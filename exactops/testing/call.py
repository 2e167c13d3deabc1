"""A call of an operator as a value: what the strategy ``calls`` draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from exactops.frontend.plan import plan
from exactops.ops import find_operator
from exactops.table.formats import Format
from exactops.table.operator import Operator
from exactops.testing.bits import bits_of, storage_named

#: Elements that a call shows of an operand.
_SHOWN = 32


@dataclass(frozen=True, repr=False)
class Call:
    """An operator with operands and attributes.

    Attributes
    ----------
    name : str
        Canonical name of the operator.
    operands : tuple
        Arrays, Python numbers and, for a bound that is left out, None.
    attributes : mapping
        Keyword arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from exactops.testing import Call
    >>> call = Call("add", (np.float32([1, 2]), 1))
    >>> call.run()
    array([2., 3.], dtype=float32)
    >>> call
    exactops.run('add', from_bits([0x3f800000, 0x40000000], 'f32'), 1)
    """

    name: str
    operands: tuple[Any, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def operator(self) -> Operator:
        """The declaration."""
        return find_operator(self.name)

    @property
    def result(self) -> Format:
        """The stored type of the result."""
        return plan(self.operator, self.operands, dict(self.attributes)).results[0]

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """The operands that are arrays."""
        return tuple(operand for operand in self.operands if isinstance(operand, np.ndarray))

    @property
    def read(self) -> tuple[int, ...]:
        """Positions of the operands whose values and shapes matter (of cast_like the first only)."""
        records = self.operator.operands
        return tuple(
            position
            for position, operand in enumerate(self.operands)
            if operand is not None and records[min(position, len(records) - 1)].is_read
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result."""
        return np.broadcast_shapes(*(np.shape(self.operands[position]) for position in self.read))

    def run(self, function: Callable[..., Any] | None = None, **more: Any) -> Any:
        """The result, of :func:`exactops.run` or of another function that is called like it."""
        import exactops

        return (function or exactops.run)(self.name, *self.operands, **self.attributes, **more)

    def with_operands(self, operands: Sequence[Any]) -> Call:
        """The same with other operands."""
        return replace(self, operands=tuple(operands))

    def map(self, change: Callable[[np.ndarray], Any]) -> Call:
        """The same with each array among the operands that are read changed."""
        changed = [
            change(np.asarray(operand)) if position in self.read and isinstance(operand, (np.ndarray, np.generic)) else operand
            for position, operand in enumerate(self.operands)
        ]
        return self.with_operands(changed)

    def broadcast(self) -> Call:
        """The same with each array that is read copied to the full shape."""
        shape = self.shape
        return self.map(lambda array: np.array(np.broadcast_to(array, shape), order="C"))

    def __repr__(self) -> str:
        parts = [
            repr(self.name),
            *(map(_text, self.operands)),
            *(f"{name}={_text(value)}" for name, value in self.attributes.items()),
        ]
        return f"exactops.run({', '.join(parts)})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What Hypothesis prints of a failing example."""
        printer.text(repr(self))


def _text(operand: Any) -> str:
    """An operand as an expression; long arrays are cut short."""
    if isinstance(operand, float) and not math.isfinite(operand):
        return f"float({str(operand)!r})"
    if not isinstance(operand, (np.ndarray, np.generic)):
        return repr(operand)
    array = np.asarray(operand)
    digits = 2 * array.dtype.itemsize
    bits = bits_of(array)
    shown = ", ".join(f"0x{each:0{digits}x}" for each in bits.reshape(-1)[:_SHOWN].tolist())
    short = storage_named(array.dtype).short
    if array.size > _SHOWN:
        return f"<{short}{list(array.shape)}: {shown}, ...>"
    reshaped = "" if array.ndim == 1 else f".reshape({array.shape})"
    return f"from_bits([{shown}], {short!r}){reshaped}"
