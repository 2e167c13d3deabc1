"""Operator: the frozen declaration of one operator. Everything that is known of it follows from here.

The plan of a call, the error messages, the tests, the tables in the documentation and the contracts all derive from these
declarations; no fact of an operator is stated anywhere else. :mod:`exactops.table.signatures` enumerates what a declaration
serves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from exactops.table.formats import FORMATS, Format

#: Marks an attribute that has no default.
REQUIRED = object()

#: What a result of each category is (semantics of exact mode).
CATEGORIES = {
    "a": "one correctly rounded IEEE operation, or exact integer arithmetic",
    "b": "a comparison, bit operation or documented conversion",
    "c": "a correctly rounded transcendental",
    "d": "a composition with each step rounded",
}

#: The two modes of a call.
MODES = ("exact", "fast")

#: How far fast mode may be from exact mode in category c, in ulp of the result's type.
FAST_ULP = {"f16": 1, "bf16": 1, "f32": 2, "f64": 2}


@dataclass(frozen=True)
class Operand:
    """One operand of an operator.

    Attributes
    ----------
    name : str
    role : str
        ``"value"``: it shares the value type with the others of this role. ``"condition"``: bool. ``"own type"``: it has a type
        of its own among ``types``; a Python number there is i64 or f64. ``"like"``: its dtype counts and nothing else, it is
        not read.
    types : tuple of str
        Short names of the types of an operand of its own type.
    missing : str, optional
        What stands for it where it is left out or None: one of ``MISSING``. By default it is required.
    keyword : bool
        Whether it may be given by keyword.
    in_place : bool
        Whether its memory may be the result's without a temporary copy.
    summary : str
        What it is, for the documentation.
    """

    name: str
    role: str = "value"
    types: tuple[str, ...] = ()
    missing: str | None = None
    keyword: bool = False
    in_place: bool = False
    summary: str = ""

    @property
    def is_read(self) -> bool:
        """Whether the kernel receives it."""
        return self.role != "like"

    def missing_value(self, value: Format) -> int:
        """The bit pattern that stands for a missing operand, in the value type."""
        return value.extreme(*MISSING[str(self.missing)])


#: What may stand for a missing operand: whether it is the upper extreme of the type, and whether a finite one.
MISSING = {
    "least finite": (False, True),
    "largest finite": (True, True),
    "minus infinity": (False, False),
    "plus infinity": (True, False),
}


@dataclass(frozen=True)
class Attribute:
    """A keyword argument of an operator that is no operand.

    Attributes
    ----------
    name : str
        Name, ONNX's where ONNX has it.
    kind : str
        ``"float"`` or ``"int32"``: a number that travels to the kernel as a scalar operand; ``"choice"``: one of ``choices``,
        which selects the kernel; ``"dtype"``: the type of the result; ``"ignored"``: any value, without effect.
    default : object
        The default, or ``REQUIRED``.
    choices : tuple
        The allowed values of a choice.
    summary : str
        What it is, for the documentation.
    rounded_to : str
        For a float: ``"computing"`` (float32 for the half types) or ``"element"``.
    positional : bool
        Whether it may be given by position, after the operands.
    """

    name: str
    kind: str
    default: Any = REQUIRED
    choices: tuple = ()
    summary: str = ""
    rounded_to: str = "computing"
    positional: bool = False

    @property
    def travels(self) -> bool:
        """Whether the kernel receives it as a scalar operand."""
        return self.kind in ("float", "int32")

    @property
    def selects(self) -> bool:
        """Whether its value selects the kernel or the type of the result."""
        return self.kind in ("choice", "dtype")

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.default is REQUIRED

    def stored_as(self, value: Format) -> Format:
        """The stored type that it is rounded to before it travels, beside operands of a value type."""
        if self.kind == "int32":
            return FORMATS["i32"]
        return value if self.rounded_to == "element" or value.short == "f64" else FORMATS["f32"]


@dataclass(frozen=True)
class Kernel:
    """The lane functions of an operator: ``exact`` for exact mode and, where fast mode differs, ``fast``.

    A function takes one lane vector an operand (float32 for the half types, masks for bool), then one a travelling
    attribute. It returns lanes of the result's computing element, or float64 lanes that are still to be rounded once to the
    stored type; a function with several results returns a tuple of them.

    Attributes
    ----------
    exact, fast : callable
        Where ``fast`` is None and ``fuses`` is not set, the modes share one compiled kernel.
    fuses : bool
        Fast mode compiles the exact function with fused multiply-adds.
    unroll : int
        Groups a turn of the loop, for the cheap kernels whose loop would otherwise cost as much as the work.
    registers : int
        How many registers of the narrowest operand a group takes, where the array is long enough: long chains of dependent
        operations hide their latency behind one another.
    name : str
        What identifies the functions from process to process, where their qualified names do not.
    """

    exact: Callable
    fast: Callable | None = None
    fuses: bool = False
    unroll: int = 1
    registers: int = 1
    name: str = ""

    def __post_init__(self) -> None:
        if not self.name:
            functions = [each for each in (self.exact, self.fast) if each is not None]
            if any("<locals>" in each.__qualname__ for each in functions):
                raise ValueError(f"a kernel made of the inner function {self.exact.__qualname__} needs a name of its own")
            object.__setattr__(self, "name", " ".join(f"{each.__module__}:{each.__qualname__}" for each in functions))

    @property
    def differs(self) -> bool:
        """Whether fast mode has code of its own."""
        return self.fuses or self.fast is not None

    def function(self, fast: bool) -> Callable:
        """The lane function of a mode."""
        return self.fast if fast and self.fast is not None else self.exact


@dataclass(frozen=True)
class Refusal:
    """Stands in place of a kernel: these types, or these choices, are not served.

    Attributes
    ----------
    reason : str
        Why, and what to do.
    """

    reason: str


#: Chooses the kernel from the stored types of the operands that are read, the first result's type and the choices.
KernelChoice = Callable[[tuple[Format, ...], Format, Mapping[str, Any]], Kernel | Refusal]


@dataclass(frozen=True)
class Fold:
    """How an operator of any number of operands combines them.

    The operator's own kernel combines the total with the next operand, from left to right.

    Attributes
    ----------
    single : Kernel
        What one operand alone goes through.
    finish : Kernel, optional
        A last step that takes the total and the number of operands (f64).
    """

    single: Kernel
    finish: Kernel | None = None


@dataclass(frozen=True)
class Alias:
    """Another spelling of an operator.

    Attributes
    ----------
    name : str
    kinds : str
        Kinds of value types that it serves, where it does not serve all of the operator's.
    reason : str
        Why it does not serve the others.
    preset : mapping
        Values of attributes that the name implies.
    """

    name: str
    kinds: str = ""
    reason: str = ""
    preset: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_special(self) -> bool:
        """Whether it is more than another spelling."""
        return bool(self.kinds or self.preset)


@dataclass(frozen=True, eq=False)
class Operator:
    """One element-wise operator. There is one object of each, so that operators compare and hash by identity.

    Attributes
    ----------
    name : str
        Canonical snake_case name.
    summary : str
        What it returns, as a noun phrase.
    category : str
        ``"a"`` to ``"d"``: see ``CATEGORIES``.
    dtypes : tuple of str
        Short names of the served value types.
    kernel : Kernel, mapping to Kernel or Refusal, or callable
        One kernel for all types; one by the value type's short name or, where that has none, by its kind (``"f"``, ``"i"``,
        ``"u"``, ``"b"``); or a choice.
    operands : tuple of Operand
        Of an operator with a fold: one, which stands for all.
    results : tuple of str
        The type of each result: ``"same"`` as the value type, ``"to"`` (the target of a cast), or a short name.
    attributes : tuple of Attribute
        Keyword arguments.
    fold : Fold, optional
        One operand or more, folded left to right.
    aliases : tuple of str or Alias
        Other spellings; the names of ONNX and of the Python function need not be repeated.
    onnx, opset : str, int or None
        ONNX operator type, and the opset from which it is served.
    special : tuple of str
        The special cases, one sentence each, without a full stop.
    function : str
        Name of the Python function; the canonical name by default (which may be a keyword).
    """

    name: str
    summary: str
    category: str
    dtypes: tuple[str, ...]
    kernel: Kernel | Mapping[str, Kernel | Refusal] | KernelChoice
    operands: tuple[Operand, ...] = (Operand("x", in_place=True),)
    results: tuple[str, ...] = ("same",)
    attributes: tuple[Attribute, ...] = ()
    fold: Fold | None = None
    aliases: tuple[str | Alias, ...] = ()
    onnx: str | None = None
    opset: int | None = None
    special: tuple[str, ...] = ()
    function: str = field(default="")

    def __post_init__(self) -> None:
        if not self.function:
            object.__setattr__(self, "function", self.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Every spelling that resolves to this operator, canonical name first."""
        onnx = [self.onnx] if self.onnx else []
        return tuple(dict.fromkeys((self.name, self.function, *onnx, *(each.name for each in self.other_names))))

    @property
    def other_names(self) -> tuple[Alias, ...]:
        """The aliases as records."""
        return tuple(each if isinstance(each, Alias) else Alias(each) for each in self.aliases)

    @property
    def required(self) -> int:
        """How many operands there are at least."""
        return sum(operand.missing is None for operand in self.operands)

    @property
    def value_position(self) -> int:
        """Position of the first operand of the value type."""
        return next(place for place, operand in enumerate(self.operands) if operand.role == "value")

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of that name, or None."""
        return next((each for each in self.attributes if each.name == name), None)

    def operand(self, name: str) -> Operand | None:
        """The operand of that name, or None."""
        return next((each for each in self.operands if each.name == name), None)

    def kernel_of(self, inputs: tuple[Format, ...], result: Format, choices: Mapping[str, Any]) -> Kernel | Refusal:
        """The kernel that serves these types of the operands that are read, or why none does."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        if isinstance(self.kernel, Mapping):
            value = inputs[min(self.value_position, len(inputs) - 1)]
            return self.kernel.get(value.short) or self.kernel.get(value.kind) or Refusal("")
        return self.kernel(inputs, result, choices)

    def refusal(self, value: Format) -> str:
        """Why a value type that is not among ``dtypes`` is not served; empty where there is nothing to say."""
        found = self.kernel.get(value.kind) if isinstance(self.kernel, Mapping) else None
        return found.reason if isinstance(found, Refusal) else ""


#: The operands of an operator of one operand, and of two, either of which may be written over.
UNARY = (Operand("x", in_place=True),)
BINARY = (Operand("x", in_place=True), Operand("y", in_place=True))


def simple_kernel(exact: Callable, fast: Callable | None = None, fuses: bool = False, name: str = "") -> Kernel:
    """A kernel of a few operations: the loop around it costs about as much, so that four groups a turn pay."""
    return Kernel(exact, fast, fuses, unroll=4, name=name)
