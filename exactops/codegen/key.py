"""The key of a compiled loop."""

from __future__ import annotations

from typing import NamedTuple

from exactops.codegen.paths import vector_bits
from exactops.ops import OPERATORS
from exactops.table.formats import STORAGES
from exactops.table.operator import Kernel


class Key(NamedTuple):
    """What a compiled loop depends on, besides the CPU.

    ``inputs`` are the stored types of the operands, then of the travelling attributes; ``choices`` the attributes that select
    the kernel. ``fast`` is set only where fast mode has code of its own.
    """

    operator: str
    inputs: tuple[str, ...]
    output: str
    choices: tuple[tuple[str, object], ...]
    path: str
    fast: bool

    @property
    def kernel(self) -> Kernel:
        """The kernel that the loop is made of."""
        inputs = tuple(STORAGES[short] for short in self.inputs)
        return OPERATORS[self.operator].kernel_for(inputs, STORAGES[self.output], dict(self.choices))

    @property
    def lanes(self) -> int:
        """Lanes of a group: as many of the widest element as fill a register."""
        bits = vector_bits(self.path)
        return max(1, bits // 8 // max(STORAGES[short].computing_size for short in (*self.inputs, self.output)))
