"""The one renderer of an operator's function: its signature, docstring, type stub and the parameters on the pages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from exactops.table.formats import EVERY, FORMATS
from exactops.table.operator import CATEGORIES, REQUIRED, Alias, Attribute, Operand, Operator

#: The keyword arguments that every function has: name, default and annotation.
CALL_PARAMETERS = (
    ("mode", "'exact'", 'Literal["exact", "fast"]'),
    ("path", "None", "str | None"),
    ("out", "None", "_Out | None"),
    ("where", "True", "ArrayLike"),
)

RUN_SIGNATURE = "(op, /, *arrays, " + ", ".join(f"{name}={default}" for name, default, _ in CALL_PARAMETERS) + ", **attributes)"

#: What ``mode`` decides, by category; ``run`` has all of it.
_MODES = {
    "a": "Which code computes the results. For this operator both modes give the same bits.",
    "b": "Which code computes the results. For this operator both modes give the same bits.",
    "c": """``"exact"``: the same bits on every machine, each result correctly rounded. ``"fast"``: fused multiply-adds and
    shorter polynomials, within 2 ulp of exact mode (1 ulp for the half types).""",
    "d": """``"exact"``: the same bits on every machine, each step correctly rounded. ``"fast"``: a product and a sum may be
    fused into one step.""",
    "": """``"exact"``: the same bits on every machine, as the operator's notes define them. ``"fast"``: fused multiply-adds and
    shorter polynomials; transcendentals are within 2 ulp of exact mode (1 ulp for the half types).""",
}

_CALL_DOCUMENTATION = """mode : {"exact", "fast"}, default "exact"
    %s
path : str, optional
    One of :func:`exactops.paths`: the number of lanes to compute in. By default the widest; it changes no bit in exact mode.
out : numpy.ndarray, tuple of one array, or ..., optional
    Array of the result's dtype and shape that receives the result. It may be an operand or overlap one. With ``...`` the
    result is an array even where all operands are 0-d.
where : array_like of bool, default True
    Which elements to compute; the others of ``out`` keep their values. Anything but True needs ``out``."""

RUN_DOCUMENTATION = f"""Apply an element-wise operator to arrays.

Parameters
----------
op : str
    Any spelling of an operator: ``"leaky_relu"``, ``"LeakyRelu"``. :func:`exactops.operators` lists them.
*arrays : array_like
    The operands, of one dtype and of shapes that broadcast, in any NumPy layout and byte order; then the attributes that the
    operator takes by position. Python numbers take the dtype of the arrays.
{_CALL_DOCUMENTATION % _MODES[""]}
**attributes
    Attributes of the operator, by ONNX's names, and operands that may be given by keyword.

Returns
-------
numpy.ndarray or scalar
    The result; a scalar where all operands are 0-d and there is no ``out``, as NumPy's ufuncs have it.

Raises
------
UnsupportedError
    No such operator, or a dtype that it does not serve (a ``TypeError``).
TypeError
    Operands of several dtypes, a missing or surplus operand or attribute, an ``out`` of another dtype.
ValueError
    A bad mode, path or attribute value; shapes that do not fit; ``where`` without ``out``.
OverflowError
    A Python int that does not fit the arrays' integer dtype; comparisons compare it by value instead.

Notes
-----
No floating-point setting of the calling thread changes a bit of the result, and no call leaves a floating-point exception flag
or a warning behind. Nothing is written before all arguments are checked.

Examples
--------
>>> import numpy as np, exactops
>>> exactops.run("exp", np.array([0.0, 1.0], np.float32))
array([1.       , 2.7182817], dtype=float32)
"""

# --- signatures -----------------------------------------------------------------------------------------------------------


class Parameter(NamedTuple):
    """A parameter of an operator's function.

    Attributes
    ----------
    name : str
    default : str
        As Python source; empty where there is none.
    annotation : str
        As it stands in the stub.
    form : str
        ``"positional"``, ``"either"`` or ``"keyword"``.
    """

    name: str
    default: str
    annotation: str
    form: str


def parameters(operator: Operator) -> list[Parameter]:
    """The operands and attributes as parameters of an operator's function, in order; of a fold without its operands."""
    found = []
    for operand in () if operator.fold is not None else operator.operands:
        missing = operand.missing is not None
        annotation = "ArrayLike | None" if missing else "ArrayLike"
        found.append(
            Parameter(operand.name, "None" if missing else "", annotation, "either" if operand.keyword else "positional")
        )
    for attribute in sorted(operator.attributes, key=lambda attribute: not attribute.positional):
        default = "" if attribute.default is REQUIRED else repr(attribute.default)
        found.append(
            Parameter(attribute.name, default, _annotation(attribute), "either" if attribute.positional else "keyword")
        )
    return found


def call_parameters() -> list[Parameter]:
    """The keyword arguments that every function has."""
    return [Parameter(name, default, annotation, "keyword") for name, default, annotation in CALL_PARAMETERS]


def _annotation(attribute: Attribute) -> str:
    if attribute.kind == "choice":
        return f"Literal[{', '.join(map(_quoted, attribute.choices))}]"
    return {"float": "float", "int32": "int", "dtype": "DTypeLike | int", "ignored": "Any"}[attribute.kind]


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _marked(found: list[Parameter], folds: str) -> Iterator[Parameter | str]:
    """Parameters with the marks ``/`` and ``*`` between them; those of a fold come after its operands."""
    form = "positional"
    if folds:
        yield folds
        form = "keyword"
    for each in found:
        if form == "positional" and each.form != "positional":
            yield "/"
            form = "either"
        if form == "either" and each.form == "keyword":
            yield "*"
            form = "keyword"
        yield each
    if form == "positional":
        yield "/"


def _listed(found: list[Parameter], folds: str) -> str:
    texts = [
        each if isinstance(each, str) else f"{each.name}={each.default}" if each.default else each.name
        for each in _marked(found, folds)
    ]
    return f"({', '.join(texts)})"


def signature_text(operator: Operator) -> str:
    """The signature as ``help`` and :func:`inspect.signature` show it."""
    return _listed([*parameters(operator), *call_parameters()], _folds(operator))


def short_signature(operator: Operator) -> str:
    """The signature without the keyword arguments that every function has."""
    return _listed(parameters(operator), _folds(operator))


def _folds(operator: Operator) -> str:
    return "*arrays" if operator.fold is not None else ""


# --- the docstring --------------------------------------------------------------------------------------------------------


class Described(NamedTuple):
    """A parameter in words: its name, what may be passed, and a sentence of what it is."""

    name: str
    kind: str
    text: str


def operands_described(operator: Operator) -> list[Described]:
    """The operands in words."""
    if operator.fold is not None:
        return [Described("*arrays", "array_like", "One operand or more, of one dtype and of shapes that broadcast.")]
    return [_operand_described(operator, place) for place in range(len(operator.operands))]


def attributes_described(operator: Operator) -> list[Described]:
    """The attributes in words, in the order of the signature."""
    ordered = sorted(operator.attributes, key=lambda attribute: not attribute.positional)
    return [Described(each.name, attribute_type(each), _sentence(each.summary)) for each in ordered]


def docstring(operator: Operator, alias: Alias | None = None) -> str:
    """The docstring of an operator's function, in NumPy's form.

    Parameters
    ----------
    operator : Operator
    alias : Alias, optional
        The spelling that the function has, where it narrows or presets something.
    """
    lines = [f"Return {operator.summary}.", "", "Parameters", "----------"]
    for each in (*operands_described(operator), *attributes_described(operator)):
        lines += [f"{each.name} : {each.kind}", *_wrapped(each.text, "    ")]
    lines += [_CALL_DOCUMENTATION % _MODES[operator.category], "", "Returns", "-------"]
    for rule in operator.results:
        lines += ["numpy.ndarray or scalar", f"    {_result(operator, rule)}"]
    lines += ["", "Notes", "-----", f"Served dtypes: {dtype_names(operator.dtypes)}.", f"{category_sentence(operator)}"]
    if operator.onnx:
        lines.append(f"This is ONNX's {operator.onnx}, from opset {operator.opset}.")
    if alias is not None:
        lines += _wrapped(alias_sentence(operator, alias))
    if operator.special:
        lines += ["", "Special cases:", "", *(f"- {case}" for case in operator.special)]
    return "\n".join(lines)


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=indent, subsequent_indent=indent)


def category_sentence(operator: Operator) -> str:
    """What a result is in exact mode, in words."""
    return f"In exact mode the operator is {CATEGORIES[operator.category]}."


def alias_sentence(operator: Operator, alias: Alias) -> str:
    """What a spelling narrows or presets."""
    texts = []
    if alias.preset:
        texts.append(", ".join(f"{name}={value!r}" for name, value in alias.preset.items()))
    if alias.kinds:
        served = tuple(short for short in operator.dtypes if FORMATS[short].kind in alias.kinds)
        texts.append(f"for {dtype_names(served)} only ({alias.reason})")
    return (
        f"The name {alias.name} means {operator.name} {'; '.join(['with ' + texts[0], *texts[1:]] if alias.preset else texts)}."
    )


_ORDINALS = ("First", "Second", "Third")

#: What stands for a missing operand, in words.
_MISSING = {
    "least finite": "the least finite value of the dtype",
    "largest finite": "the largest finite value of the dtype",
    "minus infinity": "minus infinity: no bound",
    "plus infinity": "plus infinity: no bound",
}


def _operand_described(operator: Operator, place: int) -> Described:
    operand = operator.operands[place]
    kind = "array_like" + (" of bool" if operand.role == "condition" else "")
    if operand.missing is not None:
        return Described(operand.name, f"{kind}, optional", _operand_text(operator, place, operand))
    return Described(operand.name, kind, _operand_text(operator, place, operand))


def _operand_text(operator: Operator, place: int, operand: Operand) -> str:
    sharing = [each for each in operator.operands if each.role == "value"]
    text = _sentence(operand.summary) if operand.summary else "The operand."
    if not operand.summary and len(operator.operands) > 1:
        text = f"{_ORDINALS[place]} operand."
    if operand.role == "own type":
        text += f" It has a dtype of its own: {dtype_names(operand.types)}."
    if operand.missing is not None:
        text += f" By default {_MISSING[operand.missing]}."
    if operand is sharing[-1] and len(sharing) > 1:
        together = " and ".join(f"``{each.name}``" for each in sharing)
        if len(sharing) > 2:
            together = ", ".join(f"``{each.name}``" for each in sharing[:-1]) + f" and ``{sharing[-1].name}``"
        text += f" {together} have one dtype; a Python number takes that of the arrays."
    return text


def attribute_type(attribute: Attribute) -> str:
    """What an attribute may be, with its default."""
    if attribute.kind == "choice":
        kind = "{" + ", ".join(map(_quoted, attribute.choices)) + "}"
    else:
        kind = {"float": "float", "int32": "int of 32 bits", "dtype": "dtype_like or int", "ignored": "object"}[attribute.kind]
    return kind if attribute.required else f"{kind}, default {_quoted(attribute.default)}"


def summary_sentence(operator: Operator) -> str:
    """The summary as a sentence; the name of an operand or attribute that it begins with stays as it is."""
    names = {"e", *(each.name for each in operator.operands), *(each.name for each in operator.attributes)}
    first = operator.summary.split()[0].rstrip(",;:")
    return f"{operator.summary}." if first in names else _sentence(operator.summary)


def _sentence(text: str) -> str:
    """A phrase as a sentence; what begins with a symbol, a formula or a number stays as it is."""
    first = text.split(maxsplit=1)[0] if text else ""
    capital = first.rstrip(",;:").isalpha() and (len(first) > 1 or first == "a")
    return f"{text[:1].upper() if capital else text[:1]}{text[1:]}."


def _result(operator: Operator, rule: str) -> str:
    if rule == "same":
        sharing = [each.name for each in operator.operands if each.role == "value"]
        several = len(sharing) > 1 or operator.fold is not None
        dtype = "Array of the operands' dtype" if several else f"Array of the dtype of ``{sharing[0]}``"
    elif rule == "to":
        like = next((each.name for each in operator.operands if each.role == "like"), "")
        dtype = f"Array of the dtype of ``{like}``" if like else "Array of the dtype ``to``"
    else:
        dtype = f"Array of {FORMATS[rule].dtype.name}"
    return f"{dtype}; a scalar where all operands are 0-d and there is no ``out``."


def dtype_families(dtypes: tuple[str, ...]) -> str:
    """Short names of dtypes, with the integers as ranges where a family is complete."""
    text = ", ".join(dtypes)
    for family in ("i", "u"):
        text = text.replace(", ".join(f"{family}{size}" for size in (8, 16, 32, 64)), f"{family}8-{family}64")
    return text


def dtype_names(dtypes: tuple[str, ...]) -> str:
    """NumPy's names of dtypes, with the integers as ranges where a family is complete."""
    text = ", ".join(FORMATS[short].dtype.name for short in dtypes)
    for family in ("uint", "int"):
        every = ", ".join(f"{family}{size}" for size in (8, 16, 32, 64))
        text = text.replace(every, f"{family}8 to {family}64")
    return text


def operand_list(operator: Operator) -> str:
    """The operands as the table shows them: ``x…`` for any number, ``[x]`` for one that may be left out."""
    if operator.fold is not None:
        return f"{operator.operands[0].name}…"
    return ", ".join(each.name if each.missing is None else f"[{each.name}]" for each in operator.operands)


def refusals(operator: Operator) -> list[tuple[tuple[str, ...], str]]:
    """The types of a kind that the operator might be expected to serve and does not, with the reason."""
    found: dict[str, list[str]] = {}
    for short in EVERY:
        reason = "" if short in operator.dtypes else operator.refusal(FORMATS[short])
        if reason:
            found.setdefault(reason, []).append(short)
    return [(tuple(shorts), reason) for reason, shorts in found.items()]


# --- the type stub --------------------------------------------------------------------------------------------------------

#: The head of the stub, after the imports: names of types that its annotations use.
STUB_TYPES = """# An array, and what gives an array beside one.
_Array: TypeAlias = np.ndarray[Any, Any]
_Plain: TypeAlias = np.ndarray[Any, Any] | np.generic | float
_Out: TypeAlias = np.ndarray[Any, Any] | tuple[np.ndarray[Any, Any]] | EllipsisType"""


def stub_lines(operator: Operator) -> list[str]:
    """The function of an operator as a type stub: overloads that give an array where an operand or ``out`` is one."""
    result = "_Array"
    if operator.results[0] in FORMATS:
        result = f"np.ndarray[Any, np.dtype[np.{FORMATS[operator.results[0]].dtype.type.__name__.rstrip('_')}]]"
    lines: list[str] = []
    for chosen in _overloads(operator):
        lines += _definition(operator.function, chosen, "Any" if chosen is None else result, operator)
    return lines


class _Overload(NamedTuple):
    """Which operand is an array (none: any number), or whether ``out`` is given."""

    array: int | None
    out: bool


def _overloads(operator: Operator) -> list[_Overload | None]:
    """An array in one of the places of a required operand, then ``out``, then whatever else there is."""
    places = [place for place, each in enumerate(operator.operands) if each.missing is None and each.is_read]
    return [*(_Overload(place, False) for place in places), _Overload(None, True), None]


def _definition(name: str, chosen: _Overload | None, result: str, operator: Operator) -> list[str]:
    operands = {each.name: place for place, each in enumerate(operator.operands)}
    folds = ""
    own: list[str] = []
    if operator.fold is not None:
        folds = "*arrays: ArrayLike"
        if chosen is not None and chosen.array is not None:
            folds = "*arrays: _Plain"
            own = [f"{operator.operands[0].name}: _Array", "/"]
    found = [*parameters(operator), *call_parameters()]
    for each in _marked(found, folds):
        if isinstance(each, str):
            own.append(each)
            continue
        annotation, default = each.annotation, each.default.replace("'", '"')
        if chosen is not None and operator.fold is None and each.name in operands:
            place = operands[each.name]
            if chosen.array == place:
                annotation = "_Array"
            elif chosen.array is not None and operator.operands[place].is_read:
                annotation = annotation.replace("ArrayLike", "_Plain")
        if each.name == "out" and chosen is not None and chosen.out:
            annotation, default = "_Out", ""
        own.append(f"{each.name}: {annotation}" + (f" = {default}" if default else ""))
    return ["@overload", f"def {name}(", *(f"    {each}," for each in own), f") -> {result}: ..."]


def run_stub_lines(spellings: list[str]) -> list[str]:
    """``run`` as a type stub: an editor offers the spellings; a name that is only known at run time gives any type."""
    names = [f"    {_quoted(name)}," for name in spellings]
    lines = ["_Spelling: TypeAlias = Literal[", *names, "]", ""]
    for spelling, first, others, out, result in (
        ("_Spelling", ["x: _Array", "/"], "_Plain | None", False, "_Array"),
        ("_Spelling", ["/"], "ArrayLike | None", True, "_Array"),
        ("_Spelling", ["/"], "ArrayLike | None", False, "Any"),
        ("str", ["/"], "Any", False, "Any"),
    ):
        lines += [
            "@overload",
            "def run(",
            f"    op: {spelling},",
            *(f"    {each}," for each in first),
            f"    *arrays: {others},",
        ]
        for name, default, annotation in CALL_PARAMETERS:
            if name == "out" and out:
                lines.append("    out: _Out,")
            else:
                quoted = default.replace("'", '"')
                lines.append(f"    {name}: {annotation} = {quoted},")
        lines += ["    **attributes: Any,", f") -> {result}: ..."]
    return lines
