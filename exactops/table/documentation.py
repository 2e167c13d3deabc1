"""The one renderer of what an operator's function is documented as: signature, docstring, stub and page follow from it."""

from __future__ import annotations

from typing import NamedTuple

from exactops.table.formats import FORMATS
from exactops.table.operator import CATEGORIES, REQUIRED, Attribute, Operand, Operator

#: The keyword arguments that every function has: name, default and annotation.
CALL_PARAMETERS = (
    ("mode", "'exact'", 'Literal["exact", "fast"]'),
    ("path", "None", "str | None"),
    ("out", "None", "Out"),
    ("where", "True", "ArrayLike"),
)

RUN_SIGNATURE = "(op, /, *arrays, " + ", ".join(f"{name}={default}" for name, default, _ in CALL_PARAMETERS) + ", **attributes)"

_CALL_DOCUMENTATION = """mode : {"exact", "fast"}, default "exact"
    ``"exact"``: the same bits on every machine, each result rounded correctly. ``"fast"``: fused multiply-adds and shorter
    polynomials, within 2 ulp of exact mode (1 ulp for the half types).
path : str, optional
    One of :func:`exactops.paths`: the register width to use. The bits of exact mode do not depend on it.
out : numpy.ndarray, tuple of one, or ..., optional
    Where the result goes: an array of the result's dtype and shape. It may be an operand or overlap one. With ``...`` the
    result is an array even where all operands are 0-d.
where : array_like of bool, optional
    Elements to compute; the others of ``out`` stay as they are. Needs ``out``."""

RUN_DOCUMENTATION = f"""Apply an element-wise operator to arrays.

Parameters
----------
op : str
    Any spelling of an operator: ``"leaky_relu"``, ``"LeakyRelu"``. :func:`exactops.operators` lists them.
*arrays : array_like
    The operands, of one dtype, of shapes that broadcast, in any NumPy layout and byte order. Python numbers take the
    dtype of the arrays.
{_CALL_DOCUMENTATION}
**attributes
    Attributes of the operator, by ONNX's names.

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
    A Python int that does not fit the arrays' integer dtype.

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
    """The parameters of an operator's function, in order; of a fold without its operands."""
    found = []
    for operand in () if operator.fold is not None else operator.operands:
        missing = operand.missing is not None
        annotation = "ArrayLike | None" if missing else "ArrayLike"
        found.append(
            Parameter(operand.name, "None" if missing else "", annotation, "either" if operand.keyword else "positional")
        )
    ordered = sorted(operator.attributes, key=lambda attribute: not attribute.positional)
    for attribute in ordered:
        default = "" if attribute.default is REQUIRED else repr(attribute.default)
        found.append(
            Parameter(attribute.name, default, _annotation(attribute), "either" if attribute.positional else "keyword")
        )
    return found + [Parameter(name, default, annotation, "keyword") for name, default, annotation in CALL_PARAMETERS]


def _annotation(attribute: Attribute) -> str:
    if attribute.kind == "choice":
        return f"Literal[{', '.join(map(_quoted, attribute.choices))}]"
    return {"float": "float", "int32": "int", "dtype": "DTypeLike | int", "ignored": "Any"}[attribute.kind]


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def argument_list(operator: Operator, annotated: bool) -> list[str]:
    """The parameters as Python source, with the marks ``/`` and ``*``."""
    lines, form = [], "positional"
    if operator.fold is not None:
        lines, form = ["*arrays: ArrayLike" if annotated else "*arrays"], "keyword"
    for each in parameters(operator):
        if form == "positional" and each.form != "positional":
            lines.append("/")
            form = "either"
        if form == "either" and each.form == "keyword":
            lines.append("*")
            form = "keyword"
        if annotated:
            default = each.default.replace("'", '"')
            lines.append(f"{each.name}: {each.annotation}" + (f" = {default}" if default else ""))
        else:
            lines.append(f"{each.name}={each.default}" if each.default else each.name)
    return lines


def signature_text(operator: Operator) -> str:
    """The signature as ``help`` and :func:`inspect.signature` show it."""
    return f"({', '.join(argument_list(operator, annotated=False))})"


def docstring(operator: Operator) -> str:
    """The docstring of an operator's function, in NumPy's form."""
    lines = [f"Return {operator.summary}.", "", "Parameters", "----------"]
    if operator.fold is not None:
        lines += [
            "*arrays : array_like",
            "    One operand or more, of one dtype, of shapes that broadcast; folded from left to right.",
        ]
    else:
        for operand in operator.operands:
            lines += _operand_lines(operator, operand)
    for attribute in operator.attributes:
        lines += [f"{attribute.name} : {attribute_type(attribute)}", f"    {_sentence(attribute.summary)}"]
    lines += [_CALL_DOCUMENTATION, "", "Returns", "-------"]
    for rule in operator.results:
        lines += ["numpy.ndarray or scalar", f"    {_result(operator, rule)}"]
    lines += [
        "",
        "Notes",
        "-----",
        f"It serves {dtype_families(operator.dtypes)}. Each result is {CATEGORIES[operator.category]}.",
    ]
    if operator.onnx:
        lines.append(f"ONNX's {operator.onnx}, from opset {operator.opset}.")
    if operator.special:
        lines += ["", "Special cases:", "", *(f"- {case}" for case in operator.special)]
    return "\n".join(lines)


def _operand_lines(operator: Operator, operand: Operand) -> list[str]:
    if operand.role == "condition":
        return [f"{operand.name} : array_like of bool", "    Which of the other two to take."]
    kind = "array_like" + (", optional" if operand.missing is not None else "")
    texts = {
        "value": "An operand; arrays share one dtype, Python numbers take it.",
        "own type": f"Of a dtype of its own: one of {dtype_families(operand.types)}.",
        "like": "Its dtype counts and nothing else.",
    }
    text = _sentence(operand.summary) if operand.summary else texts[operand.role]
    if operand.missing is not None:
        text += f" Where it is missing: {operand.missing}."
    return [f"{operand.name} : {kind}", f"    {text}"]


def attribute_type(attribute: Attribute) -> str:
    """What an attribute may be, with its default."""
    if attribute.kind == "choice":
        kind = "{" + ", ".join(map(_quoted, attribute.choices)) + "}"
    else:
        kind = {"float": "float", "int32": "int of 32 bits", "dtype": "dtype_like or int", "ignored": "object"}[attribute.kind]
    return kind if attribute.required else f"{kind}, default {_quoted(attribute.default)}"


def _sentence(text: str) -> str:
    """A phrase as a sentence; what begins with a symbol or a number stays as it is."""
    first = text.split(maxsplit=1)[0] if text else ""
    capital = first.rstrip(",;:").isalpha() and len(first) > 1
    return f"{text[:1].upper() if capital else text[:1]}{text[1:]}."


def _result(operator: Operator, rule: str) -> str:
    if rule == "same":
        dtype = "The dtype is that of the operands" if len(operator.operands) > 1 or operator.fold else "The dtype is that of x"
    elif rule == "to":
        like = next((each.name for each in operator.operands if each.role == "like"), "")
        dtype = f"The dtype is that of {like}" if like else "The dtype is the target"
    else:
        dtype = f"The dtype is {FORMATS[rule].dtype.name}"
    return f"{dtype}; a scalar where all operands are 0-d and there is no ``out``."


def dtype_families(dtypes: tuple[str, ...]) -> str:
    """Short names of dtypes, with the integers as ranges where a family is complete."""
    text = ", ".join(dtypes)
    for family in ("i", "u"):
        text = text.replace(", ".join(f"{family}{size}" for size in (8, 16, 32, 64)), f"{family}8-{family}64")
    return text


def operand_list(operator: Operator) -> str:
    """The operands as the table shows them: ``x…`` for any number, ``[x]`` for one that may be left out."""
    if operator.fold is not None:
        return f"{operator.operands[0].name}…"
    return ", ".join(each.name if each.missing is None else f"[{each.name}]" for each in operator.operands)
