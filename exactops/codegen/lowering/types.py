"""The Numba type of lanes, whose value is an LLVM vector."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models, register_default

from exactops.codegen.target import Target


class Vec(types.Type):
    """Lanes of one element type: an LLVM vector in a register (or in several, or in part of one: LLVM legalises).

    Parameters
    ----------
    element : numba type
        float32, float64, an integer type, or boolean (a mask: one bit a lane).
    lanes : int
        Number of lanes, 1 included.
    fast : bool
        Whether the lanes belong to a fast-mode kernel.
    target : Target
        The CPU that they are compiled for. With the mode it is part of the type, so that one kernel source, and every helper
        it calls, is compiled separately for each, and every lowering finds both in the types of its operands.
    """

    def __init__(self, element: types.Type, lanes: int, fast: bool, target: Target):
        self.element, self.lanes, self.fast, self.target = element, lanes, fast, target
        super().__init__(name=f"Vec({element}, {lanes}{', fast' if fast else ''}, {target.label})")

    def of(self, element: types.Type) -> Vec:
        """As many lanes of another element, in the same mode and for the same target."""
        return Vec(element, self.lanes, self.fast, self.target)

    @property
    def mask(self) -> Vec:
        """The type of a comparison of such lanes."""
        return self.of(types.boolean)


@register_default(Vec)
class VecModel(models.PrimitiveModel):
    """Lanes are first-class LLVM vectors; masks are vectors of single bits."""

    def __init__(self, manager, fe_type):
        element = ir.IntType(1) if fe_type.element == types.boolean else manager.lookup(fe_type.element).get_value_type()
        super().__init__(manager, fe_type, ir.VectorType(element, fe_type.lanes))
