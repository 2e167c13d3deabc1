"""Arguments: what is accepted as NumPy accepts it, and every error: its type, its words, and that nothing is written before."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.values import same_bits

import exactops
from exactops import UnsupportedError, run
from exactops.table.formats import FORMATS
from exactops.verification.reference import bits_of

F32 = np.ones(3, np.float32)
F64 = np.ones(3, np.float64)
I8 = np.ones(3, np.int8)
U8 = np.ones(3, np.uint8)
I32 = np.ones(3, np.int32)
BOOL = np.ones(3, np.bool_)
BF16 = np.ones(3, ml_dtypes.bfloat16)


def refused(error: type[Exception], words: tuple[str, ...], call: Callable[..., Any], out: np.ndarray | None = None) -> None:
    """The call raises exactly this type, with these words, and leaves out= alone; a second time too."""
    for _ in range(2):
        before = None if out is None else out.copy()
        with pytest.raises(error) as caught:
            call(out) if out is not None else call()
        assert type(caught.value) is error, f"{type(caught.value)}: {caught.value}"
        for word in words:
            assert word in str(caught.value), f"{word!r} is not in {caught.value}"
        if out is not None and before is not None:
            same_bits(out, before)


# --- operators --------------------------------------------------------------------------------------------------------

NO_OPERATOR: list[tuple[Any, tuple[str, ...]]] = [
    ("exq", ("'exq'", "did you mean 'exp'", "operators()")),
    ("leakyrelu", ("did you mean 'leaky_relu'",)),
    ("LESSOREQUAL", ("did you mean 'less_or_equal'",)),
    ("", ("no operator is called ''",)),
    ("completely different", ("no operator",)),
    (3, ("no operator is called 3",)),
    (None, ("no operator is called None",)),
    (b"exp", ("no operator",)),
    (["exp"], ("no operator",)),
    (np.str_("no"), ("no operator",)),
    ("add ", ("did you mean 'add'",)),
]


@pytest.mark.parametrize(("name", "words"), NO_OPERATOR, ids=repr)
def test_an_unknown_operator(name: Any, words: tuple[str, ...]) -> None:
    refused(UnsupportedError, words, lambda: run(name, F32))


def test_run_without_anything() -> None:
    with pytest.raises(TypeError):
        run()


def test_every_spelling_resolves() -> None:
    from exactops.ops import find_operator

    for operator in exactops.operators().values():
        for name in (*operator.names, operator.name, operator.onnx or operator.name):
            assert find_operator(name) is operator
    everything = [name for operator in exactops.operators().values() for name in operator.names]
    assert len(everything) == len(set(everything))
    for name in ("Relu", "recip", "sqr", "LessOrEqual", "CastLike", "HardSwish"):
        assert find_operator(name)


# --- numbers of operands and attributes -------------------------------------------------------------------------------

OPERANDS: list[tuple[str, Callable[[], Any], tuple[str, ...]]] = [
    ("none of one", lambda: run("exp"), ("exp takes 1 operand (x), 0 given",)),
    ("two of one", lambda: run("exp", F32, F32), ("exp takes 1 operand", "2 given")),
    ("one of two", lambda: run("add", F32), ("add takes 2 operands (x, y), 1 given",)),
    ("three of two", lambda: run("add", F32, F32, F32), ("2 operands", "3 given")),
    ("two of three", lambda: run("where", BOOL, F32), ("where takes 3 operands (condition, x, y), 2 given",)),
    ("none of any", lambda: run("max"), ("max", "one operand or more")),
    ("none of one to three", lambda: run("clip"), ("clip takes 1 to 3 operands (x, min, max), 0 given",)),
    ("four of three", lambda: run("clip", F32, 1, 2, 3), ("1 to 3", "4 given")),
    ("None", lambda: run("exp", None), ("exp",)),
    ("None first", lambda: run("add", None, F32), ("add", "None")),
    ("None second", lambda: run("add", F32, None), ("add", "'y' is None")),
    ("None in a fold", lambda: run("max", F32, None, F32), ("max", "None")),
    ("None in where", lambda: run("where", BOOL, None, F32), ("where", "None")),
    ("only a bound", lambda: run("clip", None, 1.0), ("clip",)),
    ("clamp_min alone", lambda: run("clamp_min", F32), ("clamp_min takes 2 operands (x, min), 1 given",)),
    ("twice", lambda: run("clip", F32, 1.0, min=2.0), ("clip", "'min'", "twice")),
    ("unknown attribute", lambda: run("exp", F32, alpha=1.0), ("exp has no attribute 'alpha'", "it has none")),
    ("misspelt", lambda: run("leaky_relu", F32, alhpa=1.0), ("'alhpa'", "it has alpha", "did you mean 'alpha'")),
    ("misspelt bound", lambda: run("clip", F32, mim=1.0), ("'mim'", "min, max")),
    ("an operand that is None", lambda: run("pow", F32, None), ("pow: the operand 'exponent' is None",)),
    ("missing attribute", lambda: run("scaled_add", F32, F32, alpha=1.0), ("scaled_add needs the attribute 'beta'",)),
    ("missing target", lambda: run("cast", F32), ("cast needs the attribute 'to'",)),
    ("no such", lambda: run("add", F32, F32, to="f32"), ("add has no attribute 'to'",)),
    ("bound of another", lambda: run("clamp_min", F32, max=1.0), ("clamp_min", "'max'")),
]


@pytest.mark.parametrize(("what", "call", "words"), OPERANDS, ids=[what for what, *_ in OPERANDS])
def test_operands_and_attribute_names(what: str, call: Callable[[], Any], words: tuple[str, ...]) -> None:
    refused(TypeError, words, call)


@pytest.mark.parametrize("name", sorted(exactops.operators()))
def test_the_named_function_refuses_as_run_does(name: str) -> None:
    operator = exactops.operators()[name]
    function = getattr(exactops, operator.function)
    with pytest.raises(TypeError):
        function()
    if operator.fold is None:
        with pytest.raises(TypeError):
            function(*[F32] * (len(operator.operands) + sum(each.positional for each in operator.attributes) + 1))
    with pytest.raises(TypeError):
        function(*[F32] * len(operator.operands), no_such_attribute=1)
    for keyword in ("self", "callee", "operator", "arrays", "op", "spelling", "x"):
        with pytest.raises(TypeError):
            function(*[F32] * len(operator.operands), **{keyword: 1})


# --- dtypes -----------------------------------------------------------------------------------------------------------


class Other:
    """Not an array, not a number."""

    def __repr__(self) -> str:
        # Test names come from it, and have to be the same in every process.
        return "Other()"


DTYPES: list[tuple[str, type[Exception], Callable[..., Any], tuple[str, ...]]] = [
    ("mixed floats", TypeError, lambda out: run("add", F32, F64, out=out), ("float32 and float64", "cast", "float32")),
    ("mixed ints", TypeError, lambda out: run("add", I8, U8, out=out), ("int8 and uint8",)),
    ("bf16 and f32", TypeError, lambda out: run("mul", BF16, F32, out=out), ("bfloat16 and float32",)),
    ("third operand", TypeError, lambda out: run("clip", F32, 1.0, F64, out=out), ("float32 and float64",)),
    ("list is strong", TypeError, lambda out: run("add", F32, [1.0, 2.0, 3.0], out=out), ("float32 and float64",)),
    ("scalar is strong", TypeError, lambda out: run("add", F32, np.float64(1), out=out), ("float32 and float64",)),
    ("0-d is strong", TypeError, lambda out: run("add", F32, np.array(1.0), out=out), ("float32 and float64",)),
    ("fold", TypeError, lambda out: run("max", F32, F32, F64, out=out), ("float32 and float64",)),
    ("bool and float", TypeError, lambda out: run("add", BOOL, F32, out=out), ("bool",)),
    ("complex", UnsupportedError, lambda out: run("add", F32 + 1j, F32, out=out), ("complex64", "it serves f16, bf16, f32")),
    ("complex number", UnsupportedError, lambda out: run("add", F32, 1j, out=out), ("complex128",)),
    ("datetime", UnsupportedError, lambda out: run("abs", np.zeros(3, "M8[s]"), out=out), ("datetime64",)),
    ("timedelta", UnsupportedError, lambda out: run("abs", np.zeros(3, "m8[s]"), out=out), ("timedelta64",)),
    ("string", UnsupportedError, lambda out: run("abs", "three", out=out), ("<U5",)),
    ("strings", UnsupportedError, lambda out: run("abs", np.array(["a", "b", "c"]), out=out), ("<U1",)),
    ("bytes", UnsupportedError, lambda out: run("abs", b"abc", out=out), ("S3",)),
    ("object array", UnsupportedError, lambda out: run("abs", np.array([1, 2, None], object), out=out), ("object",)),
    ("huge int", (UnsupportedError, OverflowError), lambda out: run("abs", [10**30] * 3, out=out), ()),
    ("an object", UnsupportedError, lambda out: run("abs", Other(), out=out), ("object",)),
    ("structured", UnsupportedError, lambda out: run("abs", np.zeros(3, "f4,f4"), out=out), ("f4",)),
    ("void", UnsupportedError, lambda out: run("abs", np.zeros(3, "V4"), out=out), ("V4",)),
    ("long double", UnsupportedError, lambda out: run("abs", np.zeros(3, np.longdouble), out=out), ("float",)),
    ("float8", UnsupportedError, lambda out: run("abs", np.zeros(3, ml_dtypes.float8_e5m2), out=out), ("float8_e5m2",)),
    ("int4", UnsupportedError, lambda out: run("abs", np.zeros(3, ml_dtypes.int4), out=out), ("int4",)),
    ("unsigned neg", UnsupportedError, lambda out: run("neg", U8, out=out), ("neg does not serve u8", "unsigned")),
    ("int exp", UnsupportedError, lambda out: run("exp", I32, out=out), ("exp does not serve i32", "it serves f16, bf16, f32")),
    ("bool add", UnsupportedError, lambda out: run("add", BOOL, BOOL, out=out), ("add does not serve bool",)),
    ("float and", UnsupportedError, lambda out: run("and", F32, F32, out=out), ("and does not serve f32", "it serves bool")),
    ("float mod", UnsupportedError, lambda out: run("mod", F32, F32, out=out), ("mod of f32", "fmod=1")),
    ("float mod 0", UnsupportedError, lambda out: run("mod", F32, F32, fmod=0, out=out), ("fmod=1",)),
    ("condition f32", TypeError, lambda out: run("where", F32, F32, F32, out=out), ("condition must be bool", "float32")),
    ("condition int", TypeError, lambda out: run("where", 1, F32, F32, out=out), ("condition must be bool", "int")),
    ("where mixed", TypeError, lambda out: run("where", BOOL, F32, F64, out=out), ("float32 and float64",)),
    ("weak float, ints", TypeError, lambda out: run("add", I32, 1.0, out=out), ("1.0", "int32")),
    ("weak float bound", TypeError, lambda out: run("clip", I32, 0.5, out=out), ("0.5", "int32")),
    ("weak int, bools", TypeError, lambda out: run("and", BOOL, 1, out=out), ("bool",)),
    ("too large", OverflowError, lambda out: run("add", I8, 128, out=out), ("128", "int8", "-128 to 127")),
    ("negative", OverflowError, lambda out: run("add", U8, -1, out=out), ("-1", "uint8", "0 to 255")),
    ("far too large", OverflowError, lambda out: run("add", I32, 10**30, out=out), ("int32",)),
    ("keyword bound", OverflowError, lambda out: run("clip", I8, max=1000, out=out), ("1000", "int8")),
    ("all weak, too large", OverflowError, lambda out: run("add", 2**63, 1, out=out), ("int64",)),
]


@pytest.mark.parametrize(("what", "error", "call", "words"), DTYPES, ids=[what for what, *_ in DTYPES])
def test_dtypes(what: str, error: Any, call: Callable[..., Any], words: tuple[str, ...]) -> None:
    out = np.full(3, 7, np.float32)
    if isinstance(error, tuple):
        with pytest.raises(error):
            call(out)
        assert (out == 7).all()
    else:
        refused(error, words, call, out)


def test_only_these_operators_take_several_dtypes() -> None:
    from support.table import entries

    mixing = {e.operator.name for e in entries() if len({*e.types[e.operator.value_position :]}) > 1}
    assert mixing <= {"cast_like", "pow"}


# --- weak scalars -----------------------------------------------------------------------------------------------------


def test_python_numbers_take_the_arrays_dtype() -> None:
    for short, storage in FORMATS.items():
        if short == "bool":
            continue
        x = np.ones(3, storage.dtype)
        for number in (2, True, *((2.5,) if storage.kind == "f" else ())):
            for result in (run("add", x, number), run("add", number, x), run("max", x, number)):
                assert result.dtype == storage.dtype, (short, number)
            assert run("less", x, number).dtype == np.bool_
            assert run("where", BOOL, x, number).dtype == storage.dtype
    assert run("add", np.array(1, np.int8), 2).dtype == np.int8
    assert run("add", np.int8(1), 2).dtype == np.int8
    assert run("add", np.float16(1), 2.5).dtype == np.float16


def test_all_weak_operands_have_numpys_default_dtypes() -> None:
    for op, numbers, dtype in (
        ("add", (1, 2), np.int64),
        ("add", (1, 2.0), np.float64),
        ("add", (1.0, 2.0), np.float64),
        ("add", (True, 2), np.int64),
        ("and", (True, False), np.bool_),
        ("max", (1, 2.5, True), np.float64),
        ("sqrt", (2.0,), np.float64),
        ("equal", (True, True), np.bool_),
    ):
        result = run(op, *numbers)
        assert result.dtype == dtype and np.ndim(result) == 0, (op, numbers)
    assert run("less", 1, 2) == np.True_
    assert run("where", True, 1, 2.5).dtype == np.float64
    with pytest.raises(UnsupportedError):
        run("sqrt", 2)
    with pytest.raises(UnsupportedError):
        run("add", True, True)


def test_weak_numbers_are_rounded_once() -> None:
    tie = 1 + 2.0**-8 + 2.0**-40  # through float32 it would be a tie of bfloat16
    assert bits_of(run("mul", BF16, tie)).tolist() == [0x3F81] * 3
    assert bits_of(run("mul", F32, 2**24 + 1)).tolist() == [0x4B800000] * 3
    assert bits_of(run("mul", F32, 10**60)).tolist() == [0x7F800000] * 3
    assert bits_of(run("add", np.zeros(3, np.float32), 1e-45)).tolist() == [1] * 3
    assert run("add", np.zeros(1, np.int64), 2**63 - 1).tolist() == [2**63 - 1]
    assert run("add", np.zeros(1, np.uint64), 2**64 - 1).tolist() == [2**64 - 1]


# --- attributes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [1, 2.5, True, math.inf, math.nan, np.float32(0.5), np.int8(3), np.float64(2), np.array(0.25)], ids=repr
)
def test_numbers_that_an_attribute_takes(value: Any) -> None:
    if value is True:
        refused(ValueError, ("leaky_relu: alpha=True", "number"), lambda: run("leaky_relu", F32, alpha=value))
    else:
        expected = np.float32(value) * np.float32(-1)
        result = run("leaky_relu", -F32, alpha=value)
        assert result.dtype == np.float32 and np.array_equal(result, [expected] * 3, equal_nan=True)


@pytest.mark.parametrize(
    "value",
    ["0.1", None, 1j, [1.0], np.ones(3), np.bool_(True), b"1", Other(), np.complex64(1), {}, np.array("a"), np.longdouble(1)],
    ids=lambda v: type(v).__name__,
)
def test_values_that_an_attribute_refuses(value: Any) -> None:
    out = np.full(3, 7, np.float32)
    refused(ValueError, ("leaky_relu: alpha=",), lambda out: run("leaky_relu", F32, alpha=value, out=out), out)


@pytest.mark.parametrize("value", [2, -1, "1", None, True, 1.0, np.array([1])], ids=repr)
def test_choices(value: Any) -> None:
    refused(ValueError, ("mod: fmod=", "0, 1"), lambda: run("mod", I32, I32, fmod=value))


def test_choices_that_are_taken() -> None:
    for value in (1, np.int64(1), np.array(1)):
        assert run("mod", F32, F32, fmod=value).tolist() == [0] * 3
    for value in ("zero", np.str_("zero")):
        assert run("sign", F32 * np.nan, nan=value).tolist() == [0] * 3
    for wrong in ("Zero", "", 0, None):
        refused(ValueError, ("sign: nan=", "'nan', 'zero'"), lambda wrong=wrong: run("sign", F32, nan=wrong))


@pytest.mark.skipif("powi" not in exactops.operators(), reason="no operator with an integer attribute")
def test_integer_attributes() -> None:
    for value in (3, np.int8(3), np.array(3), np.uint64(3)):
        assert run("powi", F32 * 2, exp=value).tolist() == [8] * 3
    for wrong in (3.0, "3", True, None, np.float32(3), [3], 1j):
        refused(ValueError, ("powi: exp=", "must be an int"), lambda wrong=wrong: run("powi", F32, exp=wrong))
    for wrong in (2**31, -(2**31) - 1, 10**30, np.uint64(2**63)):
        refused(ValueError, ("powi: exp=", "32 bits"), lambda wrong=wrong: run("powi", F32, exp=wrong))


# --- cast targets -----------------------------------------------------------------------------------------------------


def test_cast_targets() -> None:
    x = np.array([0, 1, 2], np.float32)
    for short, storage in FORMATS.items():
        spellings = [
            short,
            storage.dtype,
            storage.dtype.name,
            storage.dtype.type,
            storage.onnx,
            np.int32(storage.onnx),
            np.array(storage.onnx),
        ]
        spellings += [storage.dtype.str, storage.dtype.newbyteorder()] if short != "bf16" else []
        for spelling in spellings:
            result = run("cast", x, to=spelling)
            assert result.dtype == storage.dtype and result.dtype.isnative, (short, spelling)
        for value in (np.zeros(1, storage.dtype), np.zeros((), storage.dtype), storage.dtype.type(0)):
            assert run("cast_like", x, value).dtype == storage.dtype
    for python, dtype in ((float, np.float64), (int, np.int64), (bool, np.bool_)):
        assert run("cast", x, to=python).dtype == dtype
        assert run("cast_like", x, python(1)).dtype == dtype
    assert run("cast", x, to="d").dtype == np.float64
    assert run("cast_like", x, np.zeros((5, 7), np.int8)).shape == (3,)
    assert run("cast_like", x, []).dtype == np.float64
    assert run("cast", x, to="f16", saturate=0, round_mode="down").dtype == np.float16


@pytest.mark.parametrize(
    ("target", "error", "words"),
    [
        (8, UnsupportedError, ("STRING", "not stored")),
        (14, UnsupportedError, ("COMPLEX64",)),
        (17, UnsupportedError, ("FLOAT8E4M3FN",)),
        (23, UnsupportedError, ("FLOAT4E2M1",)),
        (np.int64(22), UnsupportedError, ("INT4",)),
        ("complex64", UnsupportedError, ("complex64",)),
        (np.dtype("M8[s]"), UnsupportedError, ("datetime64",)),
        (str, UnsupportedError, ("not stored",)),
        (object, UnsupportedError, ("object",)),
        (ml_dtypes.float8_e4m3fn, UnsupportedError, ("float8_e4m3fn",)),
        ("float8e5m2", UnsupportedError, ("FLOAT8E5M2",)),
        ("longdouble", UnsupportedError, ("stored are f16",)),
        (0, (ValueError, UnsupportedError), ()),
        (99, ValueError, ("no such type",)),
        (-1, ValueError, ("no such type",)),
        ("flaot32", ValueError, ("no such dtype", "did you mean 'float32'")),
        (None, ValueError, ("dtype",)),
        (1.0, ValueError, ("dtype",)),
        (True, ValueError, ("dtype",)),
        ("", ValueError, ()),
        ([], (ValueError, UnsupportedError), ()),
        (Other(), (ValueError, UnsupportedError), ()),
        (np.zeros(3), (ValueError, UnsupportedError), ()),
        (10**30, ValueError, ()),
        (b"\xff", (ValueError, UnsupportedError), ()),
        (1j, (ValueError, UnsupportedError), ()),
    ],
    ids=repr,
)
def test_cast_targets_that_are_refused(target: Any, error: Any, words: tuple[str, ...]) -> None:
    out = np.full(3, 7, np.float32)
    with pytest.raises(error) as caught:
        run("cast", F32, to=target, out=out)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert (out == 7).all()


# --- out and where ----------------------------------------------------------------------------------------------------


class Subclass(np.ndarray):
    """An ndarray of another type."""


def frozen() -> np.ndarray:
    """An output that must not be written."""
    out = np.full(3, 7, np.float32)
    out.flags.writeable = False
    return out


OUTPUTS: list[tuple[str, type[Exception], tuple[str, ...], Callable[[np.ndarray], Any], Callable[[], np.ndarray]]] = [
    ("dtype", TypeError, ("float64", "float32"), lambda out: run("add", F32, F32, out=out), lambda: np.full(3, 7.0)),
    ("int dtype", TypeError, ("int32", "float32"), lambda out: run("add", F32, F32, out=out), lambda: np.full(3, 7, np.int32)),
    (
        "bool wanted",
        TypeError,
        ("float32", "bool"),
        lambda out: run("less", F32, F32, out=out),
        lambda: np.full(3, 7, np.float32),
    ),
    ("cast", TypeError, ("float32", "int8"), lambda out: run("cast", F32, to="i8", out=out), lambda: np.full(3, 7, np.float32)),
    ("object", TypeError, ("object",), lambda out: run("add", F32, F32, out=out), lambda: np.full(3, 7, object)),
    ("short", ValueError, ("(2,)", "(3,)"), lambda out: run("add", F32, F32, out=out), lambda: np.full(2, 7, np.float32)),
    ("long", ValueError, ("(6,)", "(3,)"), lambda out: run("add", F32, F32, out=out), lambda: np.full(6, 7, np.float32)),
    (
        "(1, 3)",
        ValueError,
        ("(1, 3)", "(3,)"),
        lambda out: run("add", F32, F32, out=out),
        lambda: np.full((1, 3), 7, np.float32),
    ),
    (
        "(2, 3)",
        ValueError,
        ("(2, 3)", "(3,)"),
        lambda out: run("add", F32, F32, out=out),
        lambda: np.full((2, 3), 7, np.float32),
    ),
    ("0-d", ValueError, ("()", "(3,)"), lambda out: run("add", F32, 1, out=out), lambda: np.full((), 7, np.float32)),
    ("empty", ValueError, ("(0,)", "(3,)"), lambda out: run("add", F32, 1, out=out), lambda: np.full(0, 7, np.float32)),
    ("read-only", ValueError, ("read-only",), lambda out: run("add", F32, 1, out=out), frozen),
    ("fold, read-only", ValueError, ("read-only",), lambda out: run("sum", F32, F32, F32, out=out), frozen),
    ("mean, read-only", ValueError, ("read-only",), lambda out: run("mean", F32, out=out), frozen),
    (
        "no broadcast",
        ValueError,
        ("(2,)",),
        lambda out: run("add", F32, np.ones(2, np.float32), out=out),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "mode",
        ValueError,
        ("mode='best'", "'exact' and 'fast'"),
        lambda out: run("add", F32, 1, out=out, mode="best"),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "mode None",
        ValueError,
        ("mode=None",),
        lambda out: run("add", F32, 1, out=out, mode=None),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "mode list",
        ValueError,
        ("mode=[]",),
        lambda out: run("add", F32, 1, out=out, mode=[]),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "path",
        ValueError,
        ("path='mmx'", "scalar"),
        lambda out: run("add", F32, 1, out=out, path="mmx"),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "where int",
        TypeError,
        ("bool", "int64"),
        lambda out: run("add", F32, 1, out=out, where=[1, 0, 1]),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "where f32",
        TypeError,
        ("bool", "float32"),
        lambda out: run("add", F32, 1, out=out, where=F32),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "where None",
        (TypeError, ValueError),
        (),
        lambda out: run("add", F32, 1, out=out, where=None),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "where shape",
        ValueError,
        ("(2,)",),
        lambda out: run("add", F32, 1, out=out, where=[True, False]),
        lambda: np.full(3, 7, np.float32),
    ),
    (
        "where wider",
        ValueError,
        ("(2, 3)",),
        lambda out: run("add", F32, 1, out=out, where=np.ones((2, 3), bool)),
        lambda: np.full(3, 7, np.float32),
    ),
]


@pytest.mark.parametrize(("what", "error", "words", "call", "make"), OUTPUTS, ids=[what for what, *_ in OUTPUTS])
def test_outputs_that_are_refused(
    what: str, error: Any, words: tuple[str, ...], call: Any, make: Callable[[], np.ndarray]
) -> None:
    out = make()
    for _ in range(2):
        with pytest.raises(error) as caught:
            call(out)
        assert all(word in str(caught.value) for word in words), str(caught.value)
        assert all(each == 7 for each in out.reshape(-1).tolist())


@pytest.mark.parametrize(
    "out", [(), (np.zeros(3, np.float32),) * 2, [0, 0, 0], 3, "out", np.float32(1), Other()], ids=lambda v: type(v).__name__
)
def test_what_is_no_output(out: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        run("add", F32, F32, out=out)
    with pytest.raises(TypeError):
        run("add", np.float32(1), np.float32(2), out=out)


def test_where_needs_out() -> None:
    for where in (False, [True, False, True], np.True_, BOOL):
        refused(ValueError, ("where= needs out=",), lambda where=where: run("add", F32, F32, where=where))


def test_where_selects() -> None:
    for op, arrays, value in (
        ("add", (F32, F32), 2),
        ("sum", (F32, F32, F32), 3),
        ("mean", (F32,), 1),
        ("max", (F32,), 1),
        ("less", (F32, F32), False),
    ):
        dtype = np.bool_ if op == "less" else np.float32
        for where in ([True, False, True], np.array([True, False, True]), np.ma.array([True, False, True]).data):
            out = np.full(3, True if op == "less" else 7, dtype)
            assert run(op, *arrays, out=out, where=where) is out
            assert out.tolist() == [value, out.dtype.type(True if op == "less" else 7), value]
        out = np.full(3, 7, np.float32).astype(dtype)
        run(op, *arrays, out=out, where=False)
        assert (out == np.full(3, 7, np.float32).astype(dtype)).all()
        out = np.full((2, 3), 7, np.float32).astype(dtype)
        run(op, *arrays, out=out, where=np.array([[True], [False]]))
        assert (out[0] == value).all() and (out[1] == out.dtype.type(7)).all()
    out = np.full(3, 7, np.float32)
    run("add", F32, 1, out=out, where=True)
    assert (out == 2).all()


def test_outputs_of_every_kind() -> None:
    x = np.arange(6, dtype=np.float32)
    wanted = x * 2
    for out in (
        np.zeros(12, np.float32)[::2],
        np.zeros(6, np.float32)[::-1],
        np.zeros(6, ">f4"),
        np.zeros(6, "<f4"),
        np.zeros(6, np.float32).view(Subclass),
        np.zeros(25, np.uint8)[1:].view(np.float32),
        np.ma.zeros(6, np.float32),
    ):
        assert run("mul", x, 2, out=out) is out
        assert np.asarray(out).tolist() == wanted.tolist()
    out = np.zeros((), np.float32)
    assert run("mul", np.float32(3), 2, out=out) is out and out == 6
    grid = np.zeros((3, 2), np.float32, order="F")
    run("mul", x.reshape(3, 2), 2, out=grid)
    assert grid.tolist() == wanted.reshape(3, 2).tolist()
    assert run("mul", x, 2, out=None).tolist() == wanted.tolist()


# --- kinds of operands ------------------------------------------------------------------------------------------------


def test_operands_of_every_kind(tmp_path: Any) -> None:
    x = np.arange(6, dtype=np.float32)
    wanted = (x + x).tolist()
    file = np.memmap(tmp_path / "memory", np.float32, "w+", shape=6)
    file[...] = x
    assert np.asarray(run("add", file, file)).tolist() == wanted
    assert run("add", x.view(Subclass), x).tolist() == wanted
    assert run("add", x, x.astype(">f4")).tolist() == wanted
    assert run("add", memoryview(x), x).tolist() == wanted
    assert run("add", [1.0, 2.0], (3.0, 4.0)).tolist() == [4, 6]
    assert run("add", [[1], [2]], [3, 4]).tolist() == [[4, 5], [5, 6]]
    assert run("add", np.float32(1), np.float32(2)) == np.float32(3)
    assert type(run("add", np.float32(1), np.float32(2))) is np.float32
    assert type(run("add", np.array(1, np.float32), np.array(2, np.float32))) is np.float32
    assert run("less", 1.0, 2.0) is np.True_
    assert run("add", np.zeros((0, 3), np.float32), F32).shape == (0, 3)
    assert run("add", np.zeros(0, np.float32), 1).shape == (0,)
    assert run("sum", np.zeros(0, np.float32)).shape == (0,)
    assert run("square", range(3)).tolist() == [0, 1, 4]
    masked = np.ma.array(x, mask=x > 3)
    assert np.asarray(run("add", masked, x)[:4]).tolist() == wanted[:4]
    assert run("add", np.broadcast_to(np.float32(2), (2, 3)), F32).tolist() == [[3] * 3] * 2
    assert run("not", [True, False]).tolist() == [False, True]
    assert run("add", np.array([1], np.longlong), np.array([2], np.int64)).tolist() == [3]
    assert run("add", np.array([1], "l"), np.array([2], "q")).dtype == np.int64


def test_arrays_of_other_classes_are_known_by_their_dtype(tmp_path: Any) -> None:
    """A plan for one dtype of a class serves no other: by position and by keyword, in any order."""
    arrays = [F32, F32.astype(np.float16), F64]
    for kind in (Subclass, np.memmap):

        def made(array: np.ndarray, kind: Any = kind) -> np.ndarray:
            if kind is Subclass:
                return array.view(Subclass)
            memory = np.memmap(tmp_path / array.dtype.name, array.dtype, "w+", shape=array.shape)
            memory[...] = array
            return memory

        for _ in range(2):
            for first in arrays:
                for second in arrays:
                    calls = [
                        lambda x=first, y=second: run("add", made(x), made(y)),
                        lambda x=first, y=second: run("add", x, made(y)),
                        lambda x=first, y=second: run("clip", x, min=made(y)),
                        lambda x=first, y=second: run("clip", x, max=made(y), min=0.0),
                        lambda x=first, y=second: run("clamp_min", made(x), min=y),
                    ]
                    for call in calls:
                        if first is second:
                            assert call().dtype == first.dtype
                        else:
                            with pytest.raises(TypeError, match="dtypes"):
                                call()


def test_variadic_folds() -> None:
    for op, value in (("sum", 4), ("mean", 1), ("max", 1), ("min", 1)):
        for count in (1, 2, 3, 4):
            result = run(op, *[F32] * count)
            assert result.dtype == np.float32
            assert result.tolist() == [count if op == "sum" else value] * 3
    one = run("max", F32)
    one[0] = 5
    assert F32[0] == 1, "a fold of one operand is a copy"
    out = np.zeros((2, 3), np.float32)
    assert run("max", np.ones((2, 1), np.float32), F32, 3, out=out) is out and (out == 3).all()
    x = np.arange(4, dtype=np.float32)
    for place in range(3):
        arrays = [x.copy() for _ in range(3)]
        run("sum", *arrays, out=arrays[place])
        assert arrays[place].tolist() == [0, 3, 6, 9]


class Wrapped:
    """An array type that overrides ufuncs, as Dask's does."""

    __array_ufunc_called__ = 0

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.dtype, self.shape, self.ndim = array, array.dtype, array.shape, array.ndim

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **more: Any) -> Wrapped:
        plain = [each.array if isinstance(each, Wrapped) else each for each in inputs]
        return Wrapped(getattr(ufunc, method)(*plain, **more))


def test_types_that_override_ufuncs_keep_their_type() -> None:
    x = Wrapped(F32)
    for result in (
        run("add", x, 1),
        run("add", 1, x),
        run("exp", x),
        run("leaky_relu", x, alpha=0.5),
        run("cast", x, to="f64"),
        run("sum", x, x, x),
    ):
        assert isinstance(result, Wrapped)
    assert run("cast", x, to="f64").array.dtype == np.float64


# --- what must not crash the process ----------------------------------------------------------------------------------


def test_strange_calls_raise_and_do_not_crash() -> None:
    """An operator of each kind with every pair of strange operands, twice: an exception or a result, and the process lives."""
    from support.processes import python

    program = """
import numpy as np, ml_dtypes, exactops, warnings
warnings.simplefilter("ignore")
strange = [
    None, 1, -1, 2**70, 1.5, float("nan"), True, "s", b"b", 1j, [], [[]], {}, object(), np.float32(1), np.float16(2),
    np.array(1, np.float32), np.ones(3, np.float32), np.ones(0, np.float32), np.ones((2, 3), np.float32), np.ones(3, ">f4"),
    np.ones(3, np.int8), np.ones(3, bool), np.ones(3, object), np.ones(3, "M8[s]"), np.array(["a"]), range(3), type, exactops,
    np.ones(3, ml_dtypes.bfloat16), ml_dtypes.bfloat16(1), np.ma.ones(3, np.float32), np.ones(3, "f4,i2"), ..., slice(3),
    np.ones(3, np.complex64), memoryview(b"abc"), np.broadcast_to(np.float32(1), (3,)), np.float32, np.dtype("f4"),
]
outs = [None, np.zeros(3, np.float32), np.zeros(3), np.zeros(0, np.float32), 5, (), (None,), np.zeros(3, bool),
    np.zeros((), np.float32)]
done = failed = 0
for name in "add less max mean cast cast_like where clip mod and sqrt scaled_add".split():
    operator = exactops.operators()[name]
    count = 1 if operator.fold is not None else len(operator.operands)
    samples = {"float": 0.5, "int32": 2, "dtype": "f16"}
    attributes = {a.name: samples[a.kind] for a in operator.attributes if a.kind in samples}
    for first in strange:
        for second in strange[done % 3 :: 3] if count > 1 else [None]:
            out = outs[done % len(outs)]
            operands = [first, second, first][:count]
            for _ in range(2):
                done += 1
                try:
                    exactops.run(name, *operands, out=out, **attributes)
                except (TypeError, ValueError, OverflowError) as error:
                    failed += 1
                    assert str(error)
print(done, failed)
"""
    done, failed = map(int, python(program).split())
    assert done > 2_000 and done > failed > 0
