"""What a call gives does not depend on the calls before it, whatever keywords those had.

The dispatch keeps plans, and the accelerator keeps calls. Sequences of calls are drawn in which every keyword is there or not.
Each result is compared, bit for bit, with that of the same call where nothing was called before: by a dispatch made for it
alone, and for a sample in a process of its own.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import hashlib
import inspect
import os
import pickle
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support.processes import python

import exactops
from exactops import api
from exactops.frontend import accelerator, dispatch
from exactops.ops import find
from exactops.table.formats import FORMATS
from exactops.table.operator import Attribute, Operator

COMMON = settings(
    deadline=None,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

LENGTH = 48

#: Operators with few kernels that have attributes of each kind, other bits in fast mode, operands by keyword.
PLAIN = ("exp", "leaky_relu", "sign", "cast", "clamp", "hard_sigmoid", "add", "sum")


# --- calls --------------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Spoken:
    """A call as it is written: its spelling, whether by ``run``, what is given by position and by keyword.

    ``out`` is the form of the output, which gets its dtype and shape from the result.
    """

    spelling: str
    by_run: bool
    operands: tuple[Any, ...]
    keywords: tuple[tuple[str, Any], ...]
    out: str = ""

    def __repr__(self) -> str:
        function = f"run({self.spelling!r}, " if self.by_run else f"{self.spelling}("
        given = [*map(_described, self.operands), *(f"{name}={_described(value)}" for name, value in self.keywords)]
        return function + ", ".join([*given, *([f"out: {self.out}"] if self.out else [])]) + ")"


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{value.dtype.str} {value.dtype.name} {value.shape} {value.strides}>"
    return f"{type(value).__name__}({value!r})" if isinstance(value, np.generic) else repr(value)[:40]


@functools.cache
def values(short: str, place: int) -> np.ndarray:
    """Ordinary values of a type: many of them have other results in fast mode."""
    draw = np.random.default_rng(100 + place)
    stored = FORMATS[short]
    if stored.kind == "b":
        return draw.integers(0, 2, LENGTH).astype(np.bool_)
    if stored.kind != "f":
        low = 0 if stored.kind == "u" else -9
        return draw.integers(low, 9, LENGTH).astype(stored.dtype)
    found = draw.normal(size=LENGTH) * 2
    found[::12] = np.nan
    return found.astype(stored.dtype)


#: How an operand is given. Python numbers, lists and arrays without axes are as frequent as all other forms.
FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "array": lambda array: array,
    "array again": lambda array: array,
    "other values": lambda array: array[::-1].copy(),
    "strided": lambda array: np.repeat(array, 2)[::2],
    "matrix": lambda array: array.reshape(6, 8),
    "other byte order": lambda array: array.astype(array.dtype.newbyteorder()) if array.dtype.kind != "V" else array,
    "NumPy scalar": lambda array: array[3],
    "0-d": lambda array: np.array(array[5]),
    "number": lambda array: array[7].item(),
    "other number": lambda array: array[9].item(),
    "list": lambda array: array.tolist(),
}

NUMBERS = (0.5, 0.01, 2, 2.0, -0.25, np.float32(0.3), np.array(1.5))
TARGETS = ("float16", "float32", "float64", "f32", np.int32, np.dtype("float64"), "bfloat16", 1, 11, "bool")


def _attribute_value(attribute: Attribute) -> st.SearchStrategy[Any]:
    if attribute.kind == "choice":
        return st.sampled_from(attribute.choices)
    if attribute.kind == "dtype":
        return st.sampled_from(TARGETS)
    if attribute.kind == "int32":
        return st.sampled_from((2, 3, -1, np.int64(2)))
    return st.sampled_from(NUMBERS)


def _operand(operator: Operator, place: int, short: str) -> st.SearchStrategy[Any]:
    record = operator.operands[min(place, len(operator.operands) - 1)]
    kinds = {"value": (short,), "condition": ("bool",), "like": ("f32", "i8", "f16"), "own type": record.types}[record.role]
    forms = [
        make(values(kind, place))
        for kind in kinds
        for make in FORMS.values()
        if not (FORMATS[kind].dtype.name == "bfloat16" and make is FORMS["other byte order"])
    ]
    return st.sampled_from([*forms, *([None] if record.missing is not None else [])])


SOMETIMES = st.sampled_from((False, False, True))
MASK = values("bool", 9)


def _keyword(operator: Operator, short: str, name: str) -> st.SearchStrategy[Any]:
    """Values of a keyword: of one that every function has, of an attribute, of an operand."""
    if name == "mode":
        return st.sampled_from(("exact", "exact", "exact", "fast", "fast", "fast", "quick"))
    if name == "path":
        return st.sampled_from((*exactops.paths(), None, "nowhere"))
    if name == "where":
        return st.sampled_from((True, MASK, MASK[::-1], MASK.tolist(), np.array(False), MASK[:3]))
    attribute = operator.attribute(name)
    if attribute is not None:
        return _attribute_value(attribute)
    place = next(place for place, operand in enumerate(operator.operands) if operand.name == name)
    return _operand(operator, place, short)


OUT = st.sampled_from(("", "", "", "array", "array", "array", "tuple", "other dtype", "...", "None"))


@st.composite
def _spellings(draw: Callable[..., Any], operator: Operator) -> tuple[str, bool]:
    name, by_run = draw(st.sampled_from((operator.name, operator.name, *operator.names))), draw(st.booleans())
    return (name if by_run or hasattr(exactops, name) else operator.function), by_run


@st.composite
def spoken(draw: Callable[..., Any], operator: Operator, short: str) -> Spoken:
    """One call of an operator of a type; each keyword is there or not."""
    most = 3 if operator.fold is not None else len(operator.operands)
    operands = [draw(_operand(operator, place, short)) for place in range(draw(st.integers(operator.required, most)))]
    keywords: dict[str, Any] = {}
    while operands and operator.fold is None and operator.operands[len(operands) - 1].keyword and draw(SOMETIMES):
        keywords[operator.operands[len(operands) - 1].name] = operands.pop()
    by_position = len(operands) == len(operator.operands) and operator.fold is None
    for attribute in operator.attributes:
        if not attribute.required and (draw(st.booleans()) or (attribute.kind == "ignored" and draw(st.booleans()))):
            by_position = False
            continue
        value = draw(_attribute_value(attribute))
        by_position = by_position and attribute.positional and draw(SOMETIMES)
        if by_position:
            operands.append(value)
        else:
            keywords[attribute.name] = value
    out = draw(OUT)
    for name, chance in (("mode", st.booleans()), ("path", SOMETIMES), ("where", SOMETIMES)):
        if draw(chance) and (name != "where" or out in ("array", "tuple")):
            keywords[name] = draw(_keyword(operator, short, name))
    ordered = draw(st.permutations(sorted(keywords)))
    spelling, by_run = draw(_spellings(operator))
    return Spoken(spelling, by_run, tuple(operands), tuple((name, keywords[name]) for name in ordered), out)


@st.composite
def variants(draw: Callable[..., Any], operator: Operator, short: str, call: Spoken) -> Spoken:
    """A call that differs from another in one thing."""
    kind = draw(st.sampled_from(("operand", "operand", "value", "value", "rename", "less", "more", "out", "spelling")))
    keywords, operands = dict(call.keywords), list(call.operands)
    if kind == "operand" and operands:
        place = draw(st.integers(0, len(operands) - 1))
        record = min(place, len(operator.operands) - 1) if operator.fold is not None else place
        if record < len(operator.operands):
            operands[place] = draw(_operand(operator, record, short))
        else:
            positional = [each for each in operator.attributes if each.positional]
            operands[place] = draw(_attribute_value(positional[record - len(operator.operands)]))
    elif kind in ("value", "less") and keywords:
        name = draw(st.sampled_from(sorted(keywords)))
        if kind == "less":
            del keywords[name]
        else:
            keywords[name] = draw(_keyword(operator, short, name))
    elif kind == "rename" and keywords:
        every = [*(each.name for each in operator.attributes), *(each.name for each in operator.operands if each.keyword)]
        name, other = draw(st.sampled_from(sorted(keywords))), draw(st.sampled_from(every or ["mode"]))
        keywords = {other if key == name else key: value for key, value in keywords.items() if key != other or key == name}
    elif kind == "more":
        names = [each.name for each in operator.attributes if each.kind != "ignored"]
        name = draw(st.sampled_from(("mode", "path", "where", *names)))
        keywords[name] = draw(_keyword(operator, short, name))
    found = dataclasses.replace(call, operands=tuple(operands), keywords=tuple(keywords.items()))
    if kind == "out":
        return dataclasses.replace(found, out=draw(OUT))
    if kind == "spelling":
        spelling, by_run = draw(_spellings(operator))
        return dataclasses.replace(found, spelling=spelling, by_run=by_run)
    return found


@st.composite
def sequences(draw: Callable[..., Any], names: Sequence[str] = (), shorts: Sequence[str] = ()) -> list[Spoken]:
    """Several calls of few operators and types, most of which differ from an earlier one in one thing."""
    table = exactops.operators()
    calls: list[tuple[Operator, str, Spoken]] = []
    for _ in range(draw(st.integers(1, 3))):
        operator = table[draw(st.sampled_from(names or sorted(table)))]
        short = draw(st.sampled_from([each for each in operator.dtypes if not shorts or each in shorts]))
        calls.append((operator, short, draw(spoken(operator, short))))
    for _ in range(draw(st.integers(2, 8))):
        operator, short, call = draw(st.sampled_from(calls))
        calls.append((operator, short, draw(variants(operator, short, call))))
    return [call for _, _, call in calls]


# --- what a call gives ----------------------------------------------------------------------------------------------------

#: All that can be told of a call: its error, or the result's kind, dtype, shape and bits.
Outcome = tuple[Any, ...]


def attempt(call: Callable[..., Any], operands: Sequence[Any], keywords: dict[str, Any]) -> Outcome:
    """What a call gives. Errors count: a call that is refused must be refused whatever came before."""
    try:
        result = call(*operands, **keywords)
    except Exception as error:
        return type(error).__name__, str(error)
    array = np.asarray(result)
    return type(result).__name__, array.dtype.str, array.dtype.name, array.shape, array.tobytes()


def outcome(call: Spoken, function: Callable[..., Any]) -> Outcome:
    """What a written call gives; the elements of an output that are not written to are part of it."""
    operands, keywords = copy.deepcopy(call.operands), dict(copy.deepcopy(call.keywords))
    output = None
    if call.out in ("array", "tuple", "other dtype"):
        plain = {name: value for name, value in keywords.items() if name != "where"}
        result = attempt(without_history(call), operands, plain)
        if len(result) == 5:
            dtype = FORMATS_BY_NAME[result[2]]
            if call.out == "other dtype":
                dtype = np.dtype(np.float32 if dtype != np.float32 else np.int32)
            output = np.full(result[3], 7, dtype)
            keywords["out"] = (output,) if call.out == "tuple" else output
    elif call.out:
        keywords["out"] = {"...": ..., "None": None}[call.out]
    found = attempt(function, operands, keywords)
    return found if output is None else (*found, output.tobytes())


FORMATS_BY_NAME = {stored.dtype.name: stored.dtype for stored in FORMATS.values()}


def without_history(call: Spoken) -> Callable[..., Any]:
    """A dispatch that has never been called, for one call."""
    return dispatch.Dispatch(*find(call.spelling)).call


# --- engines: the public functions, and faulty ones -------------------------------------------------------------------------


def public(call: Spoken) -> Callable[..., Any]:
    """The public function that a call is written with."""
    return functools.partial(exactops.run, call.spelling) if call.by_run else getattr(exactops, call.spelling)


@functools.cache
def changed(module: types.ModuleType, *changes: tuple[str, str]) -> types.CodeType:
    """The code of a module with places of its text replaced."""
    text = inspect.getsource(module)
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} is in {module.__name__} {text.count(old)} times"
        text = text.replace(old, new)
    return compile(text, f"changed {module.__name__}", "exec")


def execute(code: types.CodeType, **names: Any) -> dict[str, Any]:
    """The names of a module made from code."""
    module = types.ModuleType(code.co_filename.replace(".", " "))
    module.__dict__.update(names)
    sys.modules[module.__name__] = module  # where Numba and NumPy look a function's module up
    exec(code, module.__dict__)
    return module.__dict__


Change = tuple[str, str]
Engine = Callable[[Spoken], Callable[..., Any]]


def engine(in_dispatch: Sequence[Change] = (), in_accelerator: Sequence[Change] = ()) -> Engine:
    """The public functions anew, without history, made from the texts of the dispatch and of the accelerator as changed."""
    changes = list(in_accelerator)
    if changes:  # its machine code is kept under another name
        digest = hashlib.sha256(repr(changes).encode()).hexdigest()
        changes.append(('key_of(f"accelerator ', f'key_of(f"accelerator changed {digest} '))
    faster = types.SimpleNamespace(**execute(changed(accelerator, *changes)))
    of_accelerator = ("from exactops.frontend import accelerator\n", "")
    made = execute(changed(dispatch, of_accelerator, *in_dispatch), accelerator=faster)
    of_dispatch = ("from exactops.frontend.dispatch import _NONE, Dispatch, dispatch\n", "")
    names = {name: made[name] for name in ("_NONE", "Dispatch", "dispatch")}
    found = execute(changed(api, of_accelerator, of_dispatch), accelerator=faster, **names)

    def function(call: Spoken) -> Callable[..., Any]:
        return functools.partial(found["run"], call.spelling) if call.by_run else found["FUNCTIONS"][call.spelling]

    return function


# --- the property -----------------------------------------------------------------------------------------------------------


def check(calls: Sequence[Spoken], function: Engine) -> None:
    """Each call gives what it gives without the calls before it."""
    for number, call in enumerate(calls):
        wanted, found = outcome(call, without_history(call)), outcome(call, function(call))
        before = "".join(f"\n  {each!r}" for each in calls[:number])
        assert found == wanted, f"{call!r} gives {_shown(found)}, without history {_shown(wanted)}, after{before}"


def _shown(found: Outcome) -> str:
    return " ".join(each[:12].hex() if isinstance(each, bytes) else str(each)[:200] for each in found)


@settings(COMMON, max_examples=120)
@given(sequences())
def test_earlier_calls_do_not_matter(calls: list[Spoken]) -> None:
    check(calls, public)


@settings(COMMON, max_examples=200)
@given(sequences(PLAIN))
def test_earlier_calls_of_a_few_operators_do_not_matter(calls: list[Spoken]) -> None:
    """The same from an engine without any history, which is what the faults are planted into."""
    check(calls, engine())


def test_the_accelerator_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn calls are among those that go by machine code."""
    if not accelerator.AVAILABLE:
        pytest.skip("no accelerator here")
    remembered = []
    right = accelerator.remember
    monkeypatch.setattr(dispatch.accelerator, "remember", lambda *given: (remembered.append(given[2]), right(*given)))

    @settings(COMMON, max_examples=40, phases=[Phase.generate])
    @given(sequences(PLAIN))
    def draw(calls: list[Spoken]) -> None:
        for call in calls:
            outcome(call, without_history(call))

    draw()
    assert any("mode" in keywords for keywords in remembered)
    assert any("path" in keywords for keywords in remembered)


# --- processes without history ----------------------------------------------------------------------------------------------

FRESH = """
import os, pickle, sys, test_sequences
calls = pickle.load(open(sys.argv[1], "rb"))
found = []
for call in calls:
    # A child has what this process has: nothing was called here, and nothing is known.
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(write, "wb") as pipe:
            pipe.write(pickle.dumps(test_sequences.outcome(call, test_sequences.public(call))))
            pipe.flush()
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        found.append(pickle.loads(pipe.read()))
    os.waitpid(child, 0)
pickle.dump(found, open(sys.argv[2], "wb"))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_calls_give_what_fresh_processes_give(tmp_path: Path) -> None:
    calls: list[Spoken] = []

    @settings(COMMON, max_examples=16, phases=[Phase.generate])
    @given(sequences(PLAIN))
    def draw(found: list[Spoken]) -> None:
        calls.extend(found)

    draw()
    assert len(calls) > 50
    (tmp_path / "calls").write_bytes(pickle.dumps(calls))
    python(FRESH, str(tmp_path / "calls"), str(tmp_path / "found"))
    wanted = pickle.loads((tmp_path / "found").read_bytes())
    for call, want in zip(calls, wanted, strict=True):
        found = outcome(call, public(call))
        assert found == want, f"{call!r} gives {_shown(found)}, in a fresh process {_shown(want)}"


# --- planted faults ---------------------------------------------------------------------------------------------------------

_KEY = """    if path is not None or mode != "exact":
        key = key, mode, path
"""
_CHOICE = "                key = key, name, type(value), value\n"
_OTHER = "                key = key, name, value.dtype if type(value) is ndarray else type(value)\n"
_LATER = "    return planned((x, y, *more) if y is not _NONE else (x,), attributes, out, where)\n\n"
_LAST = "        result = planned(arrays, attributes, out, where)\n"
_WITH_WHERE = "            if type(where) is ndarray and where.dtype is _BOOL and where.shape == shape:\n"

#: Texts to replace: in the dispatch, and in the accelerator.
FAULTS: dict[str, tuple[tuple[Change, ...], tuple[Change, ...]]] = {
    "the key lacks the mode": (((_KEY, "    if path is not None:\n        key = key, path\n"),), ()),
    "the key lacks the path": (((_KEY, '    if mode != "exact":\n        key = key, mode\n'),), ()),
    "the key lacks mode and path": (((_KEY, ""),), ()),
    "the key lacks the values of choices": (((_CHOICE, _CHOICE.replace(", value\n", "\n")),), ()),
    "the key lacks the types of attributes": (
        ((_OTHER, "                key = key, name\n"),),
        (),
    ),
    "the key lacks the names of attributes": (
        ((_OTHER, _OTHER.replace("name, ", "")),),
        (),
    ),
    "the key lacks attributes": (((_CHOICE, "                pass\n"), (_OTHER, "                pass\n")), ()),
    "the key lacks the types of other operands than arrays": (
        (
            (
                "other = y.dtype if type(y) is ndarray else type(y)",
                "other = y.dtype if type(y) is ndarray else None",
            ),
        ),
        (),
    ),
    "where is forgotten by later calls": (
        ((_LATER, _LATER.replace("where)", "True)")), (_WITH_WHERE, "            if False:\n")),
        (),
    ),
    "where is forgotten at a glance": (
        (
            (
                "            if where is True:\n                return direct",
                "            if True:\n                return direct",
            ),
        ),
        (),
    ),
    "where is forgotten by first calls": (((_LAST, _LAST.replace("where)", "True)")),), ()),
    "out is forgotten by later calls": (((_LATER, _LATER.replace("out, where)", "None, True)")),), ()),
    "the attributes of a first call are kept": (
        (
            (
                _LAST,
                "        given = dict(attributes)\n"
                + _LAST
                + "        if known is not None:\n"
                + "            kept = lambda a, _, o, w, f=planned: f(a, given, o, w)\n"
                + "            self.plans[known] = found[0], None, found[2], kept\n",
            ),
        ),
        (),
    ),
    "the accelerator ignores the values of keywords": (
        (),
        (
            ("or given != peek(slot + 8 * (_VALUES + place))", ""),
            ("            mixed = mix(mixed, given)\n", ""),
            ("        mixed = mix(mixed, id(given))\n", "        pass\n"),
        ),
    ),
    "the accelerator ignores the names of keywords": (
        (),
        (
            ("name != peek(slot + 8 * (_KEYWORD_NAMES + place)) or given != peek(slot + 8 * (_VALUES + place))", "False"),
            ("            mixed = mix(mixed, given)\n", ""),
            ("        mixed = mix(mixed, id(given))\n", "        pass\n"),
        ),
    ),
    "the accelerator ignores the dtype of out": (
        (),
        (("dtype_of(out, ndarray) != peek(slot + 8 * _RESULT)", "dtype_of(out, ndarray) == 0"),),
    ),
}


#: Operators that show a fault which concerns few.
SHOWN_BY = {
    "the key lacks the values of choices": ("cast", "sign"),
    "the key lacks the types of attributes": ("clamp",),
    "the key lacks the names of attributes": ("clamp", "hard_sigmoid"),
    "the key lacks the types of other operands than arrays": ("add",),
    "the accelerator ignores the values of keywords": ("cast", "exp", "sign"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found(fault: str) -> None:
    in_dispatch, in_accelerator = FAULTS[fault]
    if in_accelerator and not accelerator.AVAILABLE:
        pytest.skip("no accelerator here")

    @settings(COMMON, max_examples=1500, phases=[Phase.generate])
    @given(sequences(SHOWN_BY.get(fault, PLAIN)))
    def attempt(calls: list[Spoken]) -> None:
        check(calls, engine(in_dispatch, in_accelerator))

    with pytest.raises(AssertionError, match="without history"):
        attempt()
