"""How calls may be written: other names, misspelt ones, values that do not fit, outputs, arguments by position."""

from __future__ import annotations

import importlib.util
import itertools
import operator as python
import types
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.values import same_bits

import exactops
from exactops import UnsupportedError
from exactops.ops import find_operator, misspelt
from exactops.table.formats import FORMATS

X = np.array([0.5, -1.25, 3.0], np.float32)

# --- other names ------------------------------------------------------------------------------------------------------

#: Names of ONNX, NumPy and torch, and the operators that they mean.
OTHER_NAMES = {
    "sqr": "square", "recip": "reciprocal", "gelu_erf": "gelu", "maximum": "max", "minimum": "min", "logical_not": "not",
    "logical_and": "and", "logical_or": "or", "logical_xor": "xor", "absolute": "abs", "negative": "neg", "multiply": "mul",
    "subtract": "sub", "power": "pow", "divide": "div", "true_divide": "div", "fmod": "mod", "remainder": "mod",
    "rint": "round", "expit": "sigmoid", "less_equal": "less_or_equal", "greater_equal": "greater_or_equal",
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_another_name_is_the_operator(name: str) -> None:
    """By ``run``, as an attribute, and in the table alike."""
    operator = exactops.operators()[OTHER_NAMES[name]]
    assert find_operator(name) is operator and name in exactops.__all__
    kind = np.bool_ if operator.dtypes == ("bool",) else np.float32
    if name == "remainder":
        kind = np.int32
    arrays = [np.array([1, 0, 3]).astype(kind), np.array([2, 1, 5]).astype(kind)]
    count = 2 if operator.fold is not None else len(operator.operands)
    attributes = {"fmod": 1} if name == "fmod" else {}
    wanted = exactops.run(operator.name, *arrays[:count], **attributes)
    same_bits(exactops.run(name, *arrays[:count]), wanted)
    same_bits(getattr(exactops, name)(*arrays[:count]), wanted)


def test_names_that_mean_less_than_the_operator() -> None:
    """NumPy's division of integers is another function, and its fmod is one kind of mod."""
    whole = np.array([7, -7], np.int32)
    for name in ("divide", "true_divide"):
        for call in (getattr(exactops, name), lambda *given, name=name: exactops.run(name, *given)):
            for _ in range(2):
                with pytest.raises(UnsupportedError, match=r"div is not called .* truncates"):
                    call(whole, whole)
    assert exactops.fmod(whole, 4).tolist() == np.fmod(whole, 4).tolist() == [3, -3]
    assert exactops.remainder(whole, 4).tolist() == np.remainder(whole, 4).tolist() == [3, 1]
    assert exactops.fmod(X, 2).tolist() == np.fmod(X, 2).tolist()
    with pytest.raises(TypeError, match="fmod"):
        exactops.run("fmod", whole, 4, fmod=0)


def test_every_name_in_lower_case_is_an_attribute() -> None:
    for operator in exactops.operators().values():
        for name in operator.names:
            assert hasattr(exactops, name) == (name.islower() and name not in ("and", "or", "not")) or name == operator.name


@pytest.mark.parametrize(
    "name",
    [
        "log1p",
        "log2",
        "log10",
        "tan",
        "IsInf",
        "IsNaN",
        "fma",
        "expm1",
        "exp2",
        "cosh",
        "sinh",
        "arctan",
        "cbrt",
        "sort",
        "mod1x",
        "Gemm",
    ],
)
def test_another_function_is_no_misspelling(name: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        exactops.run(name, X)
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("exq", "exp"), ("lekay_relu", "leaky_relu"), ("leakyrelu", "leaky_relu"), ("LESSOREQUAL", "less_or_equal"),
        ("sigmod", "sigmoid"), ("hardswish", "hard_swish"), ("Tahn", "tanh"), ("rsqrrt", "rsqrt"), ("powii", "powi"),
    ],
)  # fmt: skip
def test_a_misspelling_is_recognised(name: str, meant: str) -> None:
    with pytest.raises(UnsupportedError, match=f"did you mean '{meant}'"):
        exactops.run(name, X)
    assert misspelt(name, list(exactops.operators())) == meant


# --- comparisons with ints that a type does not hold ------------------------------------------------------------------

COMPARISONS = {
    "equal": python.eq, "less": python.lt, "greater": python.gt, "less_or_equal": python.le, "greater_or_equal": python.ge,
}  # fmt: skip
INTEGERS = [short for short, stored in FORMATS.items() if stored.kind in "iu"]


@pytest.mark.parametrize("short", INTEGERS)
@pytest.mark.parametrize("op", COMPARISONS)
def test_comparisons_are_by_value(op: str, short: str) -> None:
    low, high = FORMATS[short].limits
    x = np.array([low, low + 1, 3, high - 1, high], FORMATS[short].dtype)
    numpy = getattr(np, op.replace("_or_", "_"))
    for number in (low - 1, high + 1, -1, 300, 10**30, -(10**30), low, high, 3):
        for form in (x, x[::2], x.reshape(5, 1), x.astype(x.dtype.newbyteorder()), x[4], np.array(x[0]), x[:0]):
            for operands in ((form, number), (number, form)):
                wanted = numpy(*operands)
                for function in (getattr(exactops, op), lambda *given, **more: exactops.run(op, *given, **more)):
                    for path in (None, *exactops.paths()):
                        found = function(*operands, path=path)
                        assert type(found) is type(wanted)
                        same_bits(found, wanted, context=f"{op} {short} {number} {path}")
                out, before = np.zeros(np.shape(form), np.bool_), np.ones(np.shape(form), np.bool_)
                assert function(*operands, out=out) is out
                same_bits(out, np.asarray(wanted))
                mask = np.arange(out.size).reshape(out.shape) % 2 == 0
                function(*operands, out=before, where=mask)
                same_bits(before, np.where(mask, wanted, True))
    for pair in itertools.product((2**63, -(2**63) - 1, 5), repeat=2):
        assert exactops.run(op, *pair) == COMPARISONS[op](*pair)


def test_arithmetic_with_such_an_int_is_an_overflow() -> None:
    for op in ("add", "max", "clamp_min"):
        with pytest.raises(OverflowError, match="300"):
            exactops.run(op, np.array([1], np.uint8), 300)


# --- messages that say how to go on -----------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ["exp", "log", "tanh", "gelu", "sin"])
def test_python_numbers_and_lists_simply_work(op: str) -> None:
    """They are float64, NumPy's default, which every transcendental serves."""
    one = exactops.run(op, np.float64(0.75))
    for operand in (0.75, [0.75, 0.75], np.full(3, 0.75), np.array(0.75)):
        result = np.asarray(exactops.run(op, operand))
        assert result.dtype == np.float64
        assert (result == one).all()


def test_raw_elements_hint_at_bfloat16() -> None:
    raw = np.ones(3, ml_dtypes.bfloat16).view("V2")
    for call in (lambda: exactops.exp(raw), lambda: exactops.add(raw, raw)):
        with pytest.raises(UnsupportedError, match=r"view\(ml_dtypes\.bfloat16\)"):
            call()
    for other in (np.zeros(3, "V4"), np.zeros(3, "u1,u1")):
        with pytest.raises(UnsupportedError) as caught:
            exactops.exp(other)
        assert "bfloat16:" not in str(caught.value).replace("it serves f16, bf16", "")


# --- by position ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["float16", np.int32, np.dtype("float64"), "bf16", 1])
def test_the_target_of_a_cast_by_position(target: Any) -> None:
    wanted = exactops.cast(X, to=target)
    for _ in range(2):
        same_bits(exactops.cast(X, target), wanted)
        same_bits(exactops.run("Cast", X, target), wanted)
    with pytest.raises(TypeError, match=r"'to' is given twice"):
        exactops.cast(X, target, to=target)
    with pytest.raises(TypeError):
        exactops.cast(X, target, 1)


def test_every_target_by_position_has_its_own_plan() -> None:
    """One after another, in every form: a dtype that is given by position selects the kernel by its value."""
    for _ in range(2):
        for stored in FORMATS.values():
            for form in (stored.dtype.name, stored.short, stored.dtype.type, stored.dtype, stored.onnx, np.int64(stored.onnx)):
                assert exactops.cast(X, form).dtype == exactops.run("Cast", X, form).dtype == stored.dtype, form


def test_factors_by_position() -> None:
    wanted = exactops.scaled_add(X, X, alpha=0.3, beta=-2.0)
    for _ in range(2):
        same_bits(exactops.scaled_add(X, X, 0.3, -2.0), wanted)
        same_bits(exactops.scaled_add(X, X, 0.3, beta=-2.0), wanted)
        same_bits(exactops.run("scaled_add", X, X, np.float64(0.3), -2), wanted)
    with pytest.raises(TypeError, match="'beta'"):
        exactops.scaled_add(X, X, 0.3)
    with pytest.raises(TypeError):
        exactops.scaled_add(X, X, 0.3, -2.0, 1.0)


# --- outputs ----------------------------------------------------------------------------------------------------------

CALLS: list[tuple[str, Callable[..., Any], np.ndarray]] = [
    ("exp", lambda **more: exactops.exp(X, **more), exactops.exp(X)),
    ("run", lambda **more: exactops.run("Exp", X, **more), exactops.exp(X)),
    ("number", lambda **more: exactops.add(X, 2.0, **more), exactops.add(X, 2.0)),
    ("fold", lambda **more: exactops.sum(X, X, X, **more), exactops.sum(X, X, X)),
    ("mean", lambda **more: exactops.mean(X, X, **more), exactops.mean(X, X)),
    ("cast", lambda **more: exactops.cast(X, to="i8", **more), exactops.cast(X, to="i8")),
]


@pytest.mark.parametrize(("call", "wanted"), [each[1:] for each in CALLS], ids=[each[0] for each in CALLS])
def test_forms_of_out(call: Callable[..., Any], wanted: np.ndarray) -> None:
    for _ in range(2):
        out = np.zeros_like(wanted)
        assert call(out=out) is out
        same_bits(out, wanted)
        out = np.zeros_like(wanted)
        assert call(out=(out,)) is out
        same_bits(out, wanted)
        for none in (None, (None,), ...):
            same_bits(call(out=none), wanted)
        for where in (np.array([True, False, True]), [True, False, True]):
            out = np.full_like(wanted, 7)
            assert call(out=(out,), where=where) is out
            same_bits(out, np.where([True, False, True], wanted, wanted.dtype.type(7)))
        for bad in ((), (out, out), [out], "out"):
            with pytest.raises(TypeError, match="out="):
                call(out=bad)
        for none in (None, (None,), ...):
            with pytest.raises(ValueError, match="where= needs out="):
                call(out=none, where=np.array([True, False, True]))


def test_an_ellipsis_as_out_gives_an_array() -> None:
    for _ in range(2):
        assert type(exactops.exp(X[0])) is np.float32
        found = exactops.exp(X[0], out=...)
        assert type(found) is np.ndarray and found.shape == ()
        assert type(exactops.add(1, 2, out=...)) is np.ndarray
        assert type(exactops.mean(X[0], X[1], out=...)) is np.ndarray


# --- public names -----------------------------------------------------------------------------------------------------


def test_dir_shows_the_public_names_only() -> None:
    assert dir(exactops) == sorted(exactops.__all__)
    assert not [name for name in dir(exactops) if name.startswith("_") and name != "__version__"]
    assert not [name for name in dir(exactops) if isinstance(getattr(exactops, name), types.ModuleType)]


def test_no_function_shadows_a_module() -> None:
    assert callable(exactops.run) and callable(exactops.paths)
    for name in exactops.__all__:
        assert importlib.util.find_spec(f"exactops.{name}") is None, f"exactops.{name} is a module, too"
