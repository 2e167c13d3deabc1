"""What a compiled loop does: stored operands, kernels, stored results. No operator is named here."""

from __future__ import annotations

from typing import NamedTuple

from exactops.codegen.paths import vector_bits
from exactops.table.formats import FORMATS
from exactops.table.operator import Kernel


class Step(NamedTuple):
    """One kernel in the body of a loop.

    Attributes
    ----------
    kernel : Kernel
    arguments : tuple of int
        Numbers of the values that it takes: the loop's inputs come first, then the results of the steps in order.
    results : tuple of str
        Stored types of its results. Each is rounded to its stored type before it goes on, so that steps in one loop give the
        bits of several loops.
    """

    kernel: Kernel
    arguments: tuple[int, ...]
    results: tuple[str, ...]


class LoopSpecification(NamedTuple):
    """What a compiled loop depends on, besides the CPU.

    Attributes
    ----------
    inputs : tuple of str
        Stored types of the operands, then of the travelling attributes.
    steps : tuple of Step
        The body.
    outputs : tuple of int
        Numbers of the values that are stored.
    path : str
    fast : bool
        Whether the kernels are fast mode's. Set only where fast mode has code of its own.
    """

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    path: str
    fast: bool

    @classmethod
    def of(cls, kernel: Kernel, inputs: tuple[str, ...], results: tuple[str, ...], path: str, fast: bool) -> LoopSpecification:
        """The loop of one kernel."""
        step = Step(kernel, tuple(range(len(inputs))), results)
        outputs = tuple(len(inputs) + place for place in range(len(results)))
        return cls(inputs, (step,), outputs, path, fast and kernel.differs)

    @property
    def values(self) -> tuple[str, ...]:
        """Stored types of all values, by number."""
        return (*self.inputs, *(short for step in self.steps for short in step.results))

    @property
    def results(self) -> tuple[str, ...]:
        """Stored types of the results."""
        values = self.values
        return tuple(values[number] for number in self.outputs)

    @property
    def lanes(self) -> int:
        """Lanes of a group: as many of the widest computing element as fill a register."""
        bits = vector_bits(self.path)
        return max(1, bits // 8 // max(FORMATS[short].computing_size for short in self.values))

    @property
    def unroll(self) -> int:
        """Groups a turn: what all kernels of the body agree on."""
        return min(step.kernel.unroll for step in self.steps)

    @property
    def registers(self) -> int:
        """Registers of the narrowest operand that a group takes."""
        return max(step.kernel.registers for step in self.steps)

    @property
    def is_packaged(self) -> bool:
        """Whether all kernels are of this package, whose sources are part of what a compiled loop is kept under."""
        return all(step.kernel.exact.__module__.startswith("exactops.") for step in self.steps)

    @property
    def description(self) -> str:
        """A text that tells one loop from another, in every process."""
        steps = [
            (step.kernel.name, step.arguments, step.results, step.kernel.unroll, step.kernel.registers) for step in self.steps
        ]
        return repr((self.inputs, steps, self.outputs, self.path, self.fast))
