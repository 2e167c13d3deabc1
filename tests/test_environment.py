"""Foreign floating-point settings change no bit, stay in force, and no call leaves a flag or a warning behind."""

from __future__ import annotations

import functools
import gc
import hashlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import (
    DEFAULT_CONTROL,
    FOREIGN,
    UNMASKED,
    X86,
    clear_flags,
    control,
    libm,
    raised_flags,
    read_control,
    write_control,
)
from support.processes import emulate, python
from support.table import Entry, entries
from support.values import hard_values, same_bits

import exactops
from exactops.table.formats import FORMATS
from exactops.verification.reference import DTYPES, bits_of

#: One entry an operator and choice of attributes, for these types of the first value operand; casts to a few targets only.
TYPES = ("f16", "bf16", "f32", "f64", "i32", "i64", "bool")
CAST_TARGETS = ("f16", "bf16", "f32", "f64", "i32", "u8")

#: Another attribute value than the default, one that is rounded inexactly to every type.
INEXACT = 0.7


def chosen(entry: Entry) -> bool:
    """Whether this module runs an entry: operands of one type, and casts to a few targets."""
    if entry.signature.value not in TYPES:
        return False
    target = dict(entry.attributes).get("to")
    if entry.operator.name == "cast_like":
        target = entry.types[1]
    elif len({*entry.types[entry.operator.value_position :]}) > 1:
        return False
    return target is None or (target in CAST_TARGETS and entry.signature.value != "bool")


ENTRIES = [entry for entry in entries() if chosen(entry)]


@functools.cache
def operand(short: str, place: int) -> np.ndarray:
    """Hard values of a type, in another order for each place, subnormals and overflowing ones among them."""
    values = hard_values(FORMATS[short].dtype)
    if short == "bool":
        values = np.resize(values, 500)
    step = max(1, values.size // 300)
    thin = values[::step]
    return np.ascontiguousarray(thin[np.random.default_rng(place).permutation(thin.size)])


def call_of(entry: Entry) -> Callable[[], Any]:
    """The entry as a call without arguments, with attributes and operands ready."""
    arrays = [operand(short, place) for place, short in enumerate(entry.types)]
    size = min(array.size for array in arrays)
    arrays = [array[:size] for array in arrays]
    attributes = dict(entry.attributes)
    for attribute in entry.operator.attributes:
        if attribute.kind == "float":
            attributes[attribute.name] = INEXACT
    return lambda: exactops.run(entry.operator.name, *arrays, **attributes)


def digest(values: Any) -> str:
    """A digest of an array's bits and dtype."""
    return hashlib.sha256(str(np.asarray(values).dtype).encode() + bits_of(values).tobytes()).hexdigest()


WEAK: list[tuple[str, Callable[[np.ndarray], Any]]] = [
    ("weak float", lambda x: exactops.run("mul", x, 0.1)),
    ("weak subnormal", lambda x: exactops.run("add", x, 1e-310)),
    ("weak float32 subnormal", lambda x: exactops.run("max", x, 1e-40)),
    ("weak large int", lambda x: exactops.run("add", x, 2**60 + 2**30 + 1)),
    ("weak bound", lambda x: exactops.run("clip", x, -1 / 3, 1e300)),
    ("two bounds by keyword", lambda x: exactops.run("clamp", x, min=-0.1, max=2.5e-41)),
    ("weak branch", lambda x: exactops.run("where", bits_of(x) % 2 == 0, x, 0.1)),
    ("attribute", lambda x: exactops.run("leaky_relu", x, alpha=1e-45)),
    ("attributes", lambda x: exactops.run("scaled_add", x, x, alpha=1 / 3, beta=-1e-39)),
    ("int attribute", lambda x: exactops.run("hard_sigmoid", x, alpha=2**24 + 1, beta=16777219)),
    ("fold with a weak operand", lambda x: exactops.run("mean", x, 0.3, x)),
    ("byte-swapped", lambda x: exactops.run("sqrt", x if x.dtype.name == "bfloat16" else x.astype(x.dtype.newbyteorder()))),
    ("strided", lambda x: exactops.run("reciprocal", x[::-3])),
    ("broadcast", lambda x: exactops.run("div", x[:40, None], x[None, 40:80])),
    ("0-d", lambda x: exactops.run("mul", x[5], x[7])),
    ("out", lambda x: exactops.run("square", x, out=np.zeros_like(x))),
    ("where", lambda x: exactops.run("square", x, out=np.zeros_like(x), where=bits_of(x) % 3 == 0)),
]


def test_numpy_does_change_under_the_settings() -> None:
    """The settings of this module are real: without a guard, arithmetic gives other bits."""
    tiny, third = np.full(64, 1e-39, np.float32), np.full(64, 1.0, np.float32)
    with np.errstate(all="ignore"):
        plain = np.add(tiny, tiny), np.divide(third, np.float32(3)), np.divide(third, np.float32(-3))
        for name, setting in FOREIGN.items():
            if name == "default NaN":
                continue
            with control(setting):
                changed = np.add(tiny, tiny), np.divide(third, np.float32(3)), np.divide(third, np.float32(-3))
            assert any(bits_of(a).tolist() != bits_of(b).tolist() for a, b in zip(plain, changed, strict=True)), name


@pytest.mark.parametrize("name", sorted({entry.operator.name for entry in ENTRIES}))
def test_foreign_settings_change_no_bit(name: str) -> None:
    mine = [entry for entry in ENTRIES if entry.operator.name == name]
    for entry in mine:
        call = call_of(entry)
        wanted = call()
        for setting_name, setting in FOREIGN.items():
            write_control(setting)
            try:
                value = call()
                after = read_control()
            finally:
                write_control(DEFAULT_CONTROL)
            assert after == setting, f"{entry.name}: {setting_name} is not in force after the call"
            same_bits(value, wanted, context=f"{entry.name} under {setting_name}")


@pytest.mark.parametrize("mode", ["exact", "fast"])
@pytest.mark.parametrize("path", exactops.paths())
def test_every_path_and_mode_is_guarded(path: str, mode: str) -> None:
    """One operator of each family, on each path."""
    x, y = operand("f32", 0), operand("f32", 1)
    for op in ("mul", "sqrt", "floor", "hard_swish", "exp", "div"):
        arrays = (x, y) if len(exactops.operators()[op].operands) == 2 else (x,)
        wanted = exactops.run(op, *arrays, path=path, mode=mode)
        for setting_name, setting in FOREIGN.items():
            with control(setting):
                value = exactops.run(op, *arrays, path=path, mode=mode)
            same_bits(value, wanted, arrays, f"{op} {path} {mode} under {setting_name}", any_nan=mode == "fast")


@pytest.mark.parametrize("short", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize(("what", "call"), WEAK, ids=[what for what, _ in WEAK])
def test_scalars_attributes_and_layouts_are_guarded(what: str, call: Callable[[np.ndarray], Any], short: str) -> None:
    x = operand(short, 0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        wanted = call(x)
        found = {}
        for name, setting in FOREIGN.items():
            with control(setting):
                found[name] = call(x)
                after = read_control()
            assert after == setting
    for name, value in found.items():
        same_bits(value, wanted, context=f"{what} under {name}")


@pytest.mark.parametrize("direction", [0x400, 0x800, 0xC00] if X86 else [0x400000, 0x800000, 0xC00000])
def test_rounding_set_by_the_c_library(direction: int) -> None:
    """fesetround sets the x87 control word too."""
    x, y = operand("f64", 0), operand("f64", 1)
    wanted = {op: exactops.run(op, x, y) for op in ("add", "mul", "div")}
    weak = exactops.run("mul", x, 0.1)
    cast = exactops.run("cast", x, to="f32")
    try:
        assert libm().fesetround(direction) == 0
        found = {op: exactops.run(op, x, y) for op in wanted}
        weak_found, cast_found = exactops.run("mul", x, 0.1), exactops.run("cast", x, to="f32")
        still = libm().fegetround()
    finally:
        libm().fesetround(0)
    assert still == direction
    for op, value in found.items():
        same_bits(value, wanted[op], (x, y), op)
    same_bits(weak_found, weak)
    same_bits(cast_found, cast)


@pytest.mark.parametrize("name", sorted({entry.operator.name for entry in ENTRIES}))
def test_no_flag_and_no_warning_is_left(name: str) -> None:
    """Operands overflow, underflow, divide by zero, are NaN and subnormal; everything that could complain may."""
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for entry in (each for each in ENTRIES if each.operator.name == name):
            for mode in ("exact", "fast"):
                call = call_of(entry)
                arrays = [operand(short, place)[:64] for place, short in enumerate(entry.types)]
                exactops.run(name, *arrays, mode=mode, **dict(entry.attributes))  # compiled before the flags are cleared
                call()
                # A garbage collection in between runs callbacks, Hypothesis' among them, that count the time in floats.
                gc.disable()
                clear_flags()
                call()
                exactops.run(name, *arrays, mode=mode, **dict(entry.attributes))
                flags = raised_flags()
                gc.enable()
                assert not flags, f"{entry.name} {mode} leaves the flags {flags:#x}"


def test_the_flags_can_be_seen() -> None:
    """A test of the test: plain arithmetic does raise flags that raised_flags sees."""
    clear_flags()
    assert raised_flags() == 0
    divisor = float(np.float64(0.1))
    assert 1.0 / divisor != 0.0
    assert raised_flags() != 0
    clear_flags()


def test_a_flag_raised_before_the_call_gives_no_warning() -> None:
    x = np.linspace(-1, 1, 50, dtype=np.float32)
    exactops.run("mul", x, x)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        libm().feraiseexcept(0x1D if X86 else 0x0F)
        exactops.run("mul", x, x)
    clear_flags()


UNMASKED_PROGRAM = """
import sys, numpy as np, exactops
from support import DEFAULT_CONTROL, UNMASKED, read_control, write_control
from test_environment import ENTRIES, call_of, digest
count = 0
for entry in ENTRIES:
    if entry.types[-1] not in ("f32", "f64") or entry.operator.name == "cast_like":
        continue
    call = call_of(entry)
    wanted = digest(call())
    write_control(UNMASKED)
    value = call()
    after = read_control()
    write_control(DEFAULT_CONTROL)
    assert after == UNMASKED, (entry.name, hex(after))
    assert digest(value) == wanted, entry.name
    count += 1
print(count)
"""


@pytest.mark.skipif(not X86, reason="few aarch64 CPUs can trap")
def test_unmasked_exceptions_do_not_trap() -> None:
    """A library that unmasks exceptions (feenableexcept) must not make a kernel raise SIGFPE: in a process that may die."""
    assert int(python(UNMASKED_PROGRAM)) > 60


@pytest.mark.skipif(not X86, reason="few aarch64 CPUs can trap")
def test_unmasked_exceptions_would_trap() -> None:
    """A test of the test: the same state does kill a process that divides by zero outside of a kernel."""
    with pytest.raises(AssertionError, match="exit code -"):
        python(
            "import numpy as np; from support import UNMASKED, write_control; x = np.zeros(64, np.float32); np.add(x, x);"
            "write_control(UNMASKED); np.divide(x, x)"
        )


@pytest.mark.skipif(not X86, reason="x86-64 levels")
@pytest.mark.parametrize("level", ["x86-64"])
def test_portable_code_is_guarded_too(level: str) -> None:
    """Without F16C and SSE4.1 the half types and the rounding functions are plain lane code, which settings could change."""
    program = (
        "from test_environment import *\n"
        "for op in ('floor', 'round', 'add', 'mul', 'exp', 'sqrt'):\n"
        "    for short in ('f16', 'bf16', 'f32'):\n"
        "        x, y = operand(short, 0), operand(short, 1)\n"
        "        arrays = (x, y) if op in ('add', 'mul') else (x,)\n"
        "        wanted = exactops.run(op, *arrays)\n"
        "        for name, setting in FOREIGN.items():\n"
        "            with control(setting):\n"
        "                value = exactops.run(op, *arrays)\n"
        "            same_bits(value, wanted, arrays, f'{op} {short} under {name}')\n"
        "print('done')\n"
    )
    assert python(program, **emulate(level)).strip() == "done"


def test_the_tests_reach_every_operator() -> None:
    assert {entry.operator.name for entry in ENTRIES} == set(exactops.operators())
    assert DTYPES.keys() == FORMATS.keys()
    assert UNMASKED != DEFAULT_CONTROL or not X86
