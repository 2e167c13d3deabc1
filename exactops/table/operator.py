"""Operator: the frozen declaration of one operator. Everything that is known of it follows from here.

The plan of a call, the error messages, the tests, the tables in the documentation and the contracts all derive from these
declarations; no fact of an operator is stated anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from exactops.table.formats import Storage

#: Marks an attribute that has no default.
REQUIRED = object()

#: What a result of each category is (semantics of exact mode).
CATEGORIES = {
    "a": "one correctly rounded IEEE operation, or exact integer arithmetic",
    "b": "a comparison, bit operation or documented conversion",
    "c": "a correctly rounded transcendental",
    "d": "a composition with each step rounded",
}


#: How far fast mode may be from exact mode in category c, in ulp of the result's type.
FAST_ULP = {"f16": 1, "bf16": 1, "f32": 2, "f64": 2}


@dataclass(frozen=True)
class Attribute:
    """A keyword argument of an operator.

    Attributes
    ----------
    name : str
        Name, ONNX's where ONNX has it.
    kind : str
        ``"float"`` or ``"int32"``: a number that travels to the kernel as a scalar operand; ``"choice"``: one of ``choices``,
        which selects the kernel; ``"dtype"``: the target of a cast; ``"bound"``: an operand that may be given by keyword.
    default : object
        The default, or ``REQUIRED``.
    choices : tuple
        The allowed values of a choice; ``None`` in it stands for any value, ignored.
    summary : str
        One sentence for the documentation.
    rounded_to : str
        For a float: ``"computing"`` (float32 for the half types) or ``"element"``.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    choices: tuple = ()
    summary: str = ""
    rounded_to: str = "computing"

    @property
    def travels(self) -> bool:
        """Whether the kernel receives it as a scalar operand."""
        return self.kind in ("float", "int32")


@dataclass(frozen=True)
class Kernel:
    """The lane functions of an operator: ``exact`` for exact mode and, where fast mode differs, ``fast``.

    A function takes one lane vector an operand (float32 for the half types, masks for bool), then one a travelling
    attribute. It returns lanes of the result's computing element, or float64 lanes that are still to be rounded once to the
    stored type. Where ``fuses`` is set, fast mode compiles the exact function with fused multiply-adds.

    ``registers`` is how many registers of the narrowest operand a turn of the loop takes, where the array is long enough: long
    chains of dependent operations hide their latency behind one another.
    """

    exact: Callable
    fast: Callable | None = None
    fuses: bool = False
    registers: int = 1

    @property
    def differs(self) -> bool:
        """Whether fast mode has code of its own; otherwise the modes share one compiled kernel."""
        return self.fuses or self.fast is not None


#: Chooses the kernel from the stored types of the operands, the stored result type and the choice attributes.
KernelChoice = Callable[[tuple[Storage, ...], Storage, Mapping[str, Any]], Kernel]


@dataclass(frozen=True, eq=False)
class Operator:
    """One element-wise operator. There is one object of each, so that operators compare and hash by identity.

    Attributes
    ----------
    name : str
        Canonical snake_case name.
    summary : str
        What it returns, in one sentence.
    category : str
        ``"a"`` to ``"d"``: see ``CATEGORIES``.
    dtypes : tuple of str
        Short names of the served types of the first value operand.
    kernel : Kernel, mapping from kind to Kernel, or callable
        One kernel for all types; one by kind of the first value operand (``"f"``, ``"i"``, ``"u"``, ``"b"``); or a choice.
    operands : tuple of str
        Names of the operands.
    optional : int
        How many of the last operands may be missing or None.
    aliases : tuple of str
        Other spellings; the ONNX name need not be repeated.
    onnx, opset : str, int or None
        ONNX operator type, and the opset from which it is served.
    result : str
        ``"same"``, ``"bool"`` or ``"to"`` (the target of a cast).
    attributes : tuple of Attribute
        Keyword arguments.
    variadic : bool
        One operand or more, folded left to right.
    condition : bool
        The first operand is bool, the others share the value type.
    own_dtype : mapping from str to tuple of str
        Operands that do not share the value type: name to the short names of the types they may have. A Python number there is
        i64 or f64.
    in_place : tuple of str
        Operands whose memory may be the result's without a temporary copy.
    special : tuple of str
        The special cases, one sentence each.
    function_name : str
        Name of the Python function, where the canonical name is a keyword.
    finish_mean : bool
        The fold is divided by the number of operands.
    unserved : mapping
        Why a dtype of the wider family is not served, by short name.
    needs : mapping
        By kind of the value type: an attribute, the one value that is served there, and what that value means.
    dtype_only : tuple of str
        Operands of which the dtype counts and nothing else.
    """

    name: str
    summary: str
    category: str
    dtypes: tuple[str, ...]
    kernel: Kernel | Mapping[str, Kernel] | KernelChoice
    operands: tuple[str, ...] = ("x",)
    optional: int = 0
    aliases: tuple[str, ...] = ()
    onnx: str | None = None
    opset: int | None = None
    result: str = "same"
    attributes: tuple[Attribute, ...] = ()
    variadic: bool = False
    condition: bool = False
    own_dtype: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    in_place: tuple[str, ...] = ()
    special: tuple[str, ...] = ()
    function_name: str = ""
    finish_mean: bool = False
    unserved: Mapping[str, str] = field(default_factory=dict)
    needs: Mapping[str, tuple[str, Any, str]] = field(default_factory=dict)
    dtype_only: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """Name of the Python function in the package."""
        return self.function_name or self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Every spelling that resolves to this operator, canonical name first."""
        return tuple(dict.fromkeys((self.name, *([self.onnx] if self.onnx else []), *self.aliases)))

    @property
    def cheap(self) -> bool:
        """Whether the loop around a kernel costs about as much as the kernel, so that several groups a turn pay."""
        return self.category != "c"

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of that name, or None."""
        return next((a for a in self.attributes if a.name == name), None)

    def kernel_for(self, inputs: tuple[Storage, ...], output: Storage, choices: Mapping[str, Any]) -> Kernel:
        """The kernel that serves these stored types and choices."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        if isinstance(self.kernel, Mapping):
            return self.kernel[inputs[-1 if self.condition else 0].kind]
        return self.kernel(inputs, output, choices)
