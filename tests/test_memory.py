"""Where operands and results lie: overlap, alignment, guard zones, positions, threads and processes never change a bit."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.processes import python
from support.table import Entry, entries
from support.values import hard_values, same_bits

import exactops
from exactops.table.formats import FORMATS
from exactops.verification.reference import bits_of

#: Memory around an output that must stay as it is.
GUARD = 64

#: The types that in-place calls are tried with.
PLACES = ("f16", "bf16", "f32", "f64", "i16", "i64", "bool")


def sample(short: str, count: int, seed: int = 0) -> np.ndarray:
    """Some hard values of a type, shuffled."""
    values = hard_values(FORMATS[short].dtype)
    return values[np.random.default_rng(seed).integers(0, values.size, count)]


def in_place_entries() -> list[Entry]:
    """Entries whose result has the type of an operand, of one type each."""
    found = []
    for entry in entries():
        values = entry.types[entry.operator.value_position :]
        target = dict(entry.attributes).get("to", entry.types[1] if entry.operator.name == "cast_like" else None)
        if len(set(values)) > 1 or target not in (None, values[0]):
            continue
        if values[0] in PLACES and entry.signature.results == (values[0],):
            found.append(entry)
    return found


def call(entry: Entry, *arrays: Any, **more: Any) -> Any:
    """The entry's call."""
    return exactops.run(entry.operator.name, *arrays, **dict(entry.attributes), **more)


@pytest.mark.parametrize("name", sorted({entry.operator.name for entry in in_place_entries()}))
def test_in_place_equals_out_of_place(name: str) -> None:
    for entry in (each for each in in_place_entries() if each.operator.name == name):
        arrays = [sample(short, 333, place) for place, short in enumerate(entry.types)]
        wanted = call(entry, *arrays)
        for place, array in enumerate(arrays):
            if array.dtype != wanted.dtype or (name == "cast_like" and place):
                continue
            own = [each.copy() for each in arrays]
            result = call(entry, *own, out=own[place])
            assert result is own[place]
            same_bits(result, wanted, arrays, f"{entry.name} over operand {place}")
        if all(array.dtype == wanted.dtype for array in arrays):
            x = arrays[0]
            together = call(entry, *[x] * len(arrays))
            own = x.copy()
            same_bits(call(entry, *[own] * len(arrays), out=own), together, [x], f"{entry.name} with one array everywhere")


def overlaps(short: str, op: str, shifts: range, strides: tuple[tuple[int, int], ...]) -> int:
    """Compares results in overlapping memory with those of copies; returns how many."""
    checks = 0
    length = 300
    for shift in shifts:
        for stride_in, stride_out in strides:
            memory = sample(short, 2400)
            middle = 1200

            def view(start: int, stride: int, memory: np.ndarray = memory) -> np.ndarray:
                stop = start + stride * length
                return memory[start:stop:stride]

            x, out = view(middle, stride_in), view(middle + shift, stride_out)
            other = sample(short, length, 1)
            operands = (x, other) if len(exactops.operators()[op].operands) == 2 else (x,)
            outside = np.ones(memory.size, np.bool_)
            outside[np.arange(middle + shift, middle + shift + stride_out * length, stride_out)] = False
            before = memory.copy()
            wanted = exactops.run(op, *(each.copy() for each in operands))
            exactops.run(op, *operands, out=out)
            same_bits(out, wanted, context=f"{op} {short}: out {shift} ahead, strides {stride_in} and {stride_out}")
            same_bits(memory[outside], before[outside], context=f"{op} {short} wrote outside of out")
            checks += 1
    return checks


@pytest.mark.parametrize("short", ["f16", "f32", "f64", "i8"])
@pytest.mark.parametrize("op", ["square", "sub"])
def test_shifted_overlap(op: str, short: str) -> None:
    assert overlaps(short, op, range(-40, 41), ((1, 1), (-1, -1), (1, -1), (-1, 1))) == 81 * 4


@pytest.mark.parametrize("op", ["neg", "max", "mul"])
def test_strided_overlap(op: str) -> None:
    strides = tuple((a, b) for a in (1, -1, 2, -2, 3) for b in (1, -1, 2, -2, 3))
    assert overlaps("f32", op, range(-40, 41, 3), strides) == 27 * 25


@pytest.mark.parametrize("path", exactops.paths())
def test_overlap_on_every_path(path: str) -> None:
    for shift in range(-40, 41):
        memory = sample("f32", 600)
        x, out = memory[100:400], memory[100 + shift : 400 + shift]
        wanted = exactops.run("square", x.copy(), path=path)
        same_bits(exactops.run("square", x, path=path, out=out), wanted, context=f"shift {shift} on {path}")


def test_overlap_of_two_operands_and_a_scalar() -> None:
    for first, second in ((1, -1), (-3, 5), (17, 16), (0, 8)):
        memory = sample("f64", 500)
        x, y, out = memory[50:250], memory[50 + first : 250 + first], memory[50 + second : 250 + second]
        wanted = exactops.run("mul", x.copy(), y.copy())
        same_bits(exactops.run("mul", x, y, out=out), wanted)
        memory = sample("f64", 500)
        scalar, out = memory[100], memory[:300]
        wanted = exactops.run("add", memory[:300].copy(), np.float64(scalar))
        same_bits(exactops.run("add", memory[:300], memory[100:101], out=out), wanted, context="a broadcast element of out")


@pytest.mark.parametrize("name", sorted(exactops.operators()))
def test_inputs_stay_and_nothing_is_written_outside(name: str) -> None:
    seen = 0
    for entry in (each for each in entries() if each.operator.name == name):
        if name in ("cast", "cast_like", "pow") and entry.types[0] not in ("f32", "i16"):
            continue
        for length in (1, 37):
            arrays = [sample(short, length, place) for place, short in enumerate(entry.types)]
            copies = [array.copy() for array in arrays]
            wanted = call(entry, *arrays)
            for array, copy in zip(arrays, copies, strict=True):
                same_bits(array, copy, context=f"{entry.name} changed an operand")
            size = wanted.dtype.itemsize
            memory = np.full(2 * GUARD + length * size + 1, 0xA5, np.uint8)
            for odd in (0, 1):
                out = memory[GUARD + odd : GUARD + odd + length * size].view(wanted.dtype)
                call(entry, *arrays, out=out)
                same_bits(out, wanted, context=f"{entry.name} to an address {odd} off")
                out.view(np.uint8)[...] = 0xA5
                assert (memory == 0xA5).all(), f"{entry.name} wrote outside of an output of {length}"
            every = np.full((3 * length) * size, 0x5A, np.uint8).view(wanted.dtype)
            call(entry, *arrays, out=every[1::3])
            same_bits(every[1::3].copy(), wanted, context=f"{entry.name} strided")
            rest = np.delete(every, np.s_[1::3]).view(np.uint8)
            assert (rest == 0x5A).all(), f"{entry.name} wrote between the elements of a strided output"
            seen += 1
    assert seen


@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize(
    ("op", "short"), [("exp", "f32"), ("mul", "f16"), ("add", "i8"), ("div", "i32"), ("sqrt", "f64"), ("relu", "bf16")]
)
def test_position_and_length_do_not_matter(op: str, short: str, path: str) -> None:
    lanes = 64 // min(2, FORMATS[short].size)
    values = sample(short, 2 * lanes + 2)
    arrays = (values, values[::-1].copy()) if len(exactops.operators()[op].operands) == 2 else (values,)
    one_by_one = [np.asarray(exactops.run(op, *(a[k : k + 1] for a in arrays), path=path)) for k in range(values.size)]
    wanted = np.concatenate(one_by_one)
    for length in range(values.size + 1):
        same_bits(exactops.run(op, *(a[:length] for a in arrays), path=path), wanted[:length], context=f"length {length}")
        start = values.size - length
        same_bits(exactops.run(op, *(a[start:] for a in arrays), path=path), wanted[start:], context=f"start {start}")


def test_every_length_around_the_buffers() -> None:
    """Strided operands go through buffers of 256 elements."""
    values = sample("f32", 1200)
    wanted = exactops.run("exp", values)
    wide = np.repeat(values, 2)
    for length in (0, 1, 15, 16, 17, 255, 256, 257, 271, 272, 273, 511, 512, 513, 1023, 1024, 1025):
        same_bits(exactops.run("exp", wide[: 2 * length : 2]), wanted[:length], context=f"strided {length}")
        same_bits(exactops.run("exp", values[:length][::-1]), wanted[:length][::-1], context=f"reversed {length}")
        out = np.zeros(2 * length, np.float32)[::2]
        same_bits(exactops.run("exp", values[:length], out=out), wanted[:length], context=f"strided output {length}")


@pytest.mark.parametrize("offset", range(1, 8))
def test_misaligned(offset: int) -> None:
    for short in ("f16", "bf16", "f32", "f64", "i16", "u64"):
        values = sample(short, 200)
        memory = np.zeros(values.nbytes + 8, np.uint8)
        moved = memory[offset : offset + values.nbytes].view(values.dtype)
        moved[...] = values
        same_bits(exactops.run("mul", moved, moved), exactops.run("mul", values, values), context=f"{short} at {offset}")


# --- threads and processes --------------------------------------------------------------------------------------------


def together(count: int, work: Callable[[int], None]) -> None:
    """Run work on threads that start at once; an error in one is an error of the test."""
    barrier, errors = threading.Barrier(count), []

    def run(number: int) -> None:
        try:
            barrier.wait()
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_threads_agree() -> None:
    x = sample("f32", 20_000)
    operators = ("exp", "square", "hard_swish", "floor", "sqrt", "relu", "abs", "round")
    wanted = {op: exactops.run(op, x) for op in operators}

    def work(number: int) -> None:
        for turn in range(20):
            op = operators[(number * turn) % len(operators)]
            same_bits(exactops.run(op, x), wanted[op], context=op)
            same_bits(getattr(exactops, op)(x), wanted[op], context=op)

    together(8, work)


FIRST_USE = """
import sys, threading, numpy as np, exactops
sys.setswitchinterval(1e-5)
from test_memory import together, sample
x = sample("f32", 1000)
y = x[::-1].copy()
operators = sys.argv[1].split(",")
found = [[] for _ in range(8)]
def work(number):
    for step in range(len(operators)):
        op = operators[step if int(sys.argv[2]) else (step + number) % len(operators)]
        value = getattr(exactops, op)(x, y) if number % 2 else exactops.run(op, x, y)
        found[number].append((op, value.tobytes()))
together(8, work)
assert all(sorted(each) == sorted(found[0]) for each in found)
print(len(found[0]))
"""


@pytest.mark.parametrize("same", [0, 1])
def test_first_use_on_threads(same: int) -> None:
    """Eight threads meet at the first use of one operator, and of different ones, in a fresh process."""
    assert python(FIRST_USE, "add,mul,less,max,clamp_min,equal", str(same)).strip() == "6"


def test_remembered_calls_on_threads() -> None:
    """Many constants and dtypes on eight threads: what is remembered of one call never serves another."""
    program = """
import sys, numpy as np, exactops
sys.setswitchinterval(1e-6)
from test_memory import together, sample
constants = [float(k) + 0.5 for k in range(40)]
arrays = {s: sample(s, 17) for s in ("f16", "bf16", "f32", "f64")}
operators = ("add", "sub", "mul", "max", "min")
wanted = {(op, s, c): exactops.run(op, arrays[s], np.full(17, c, arrays[s].dtype)).tobytes()
          for op in operators for s in arrays for c in constants}
def work(number):
    rng = np.random.default_rng(number)
    keys = list(wanted)
    for k in rng.integers(0, len(keys), 3000):
        op, s, c = keys[k]
        value = exactops.run(op, arrays[s], c) if k % 2 else getattr(exactops, op)(arrays[s], c)
        assert value.tobytes() == wanted[op, s, c], (op, s, c)
together(8, work)
print("done")
"""
    assert python(program).strip() == "done"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_after_a_fork(tmp_path: Any) -> None:
    """A child of fork uses what the parent compiled and compiles anew; a fresh cache makes sure that it has to."""
    program = """
import os, sys, numpy as np, exactops
x = np.linspace(-2, 2, 1000, dtype=np.float32)
before = exactops.run("square", x)
child = os.fork()
if child == 0:
    try:
        assert exactops.run("square", x).tobytes() == before.tobytes()
        assert exactops.run("mul", x, x).tobytes() == before.tobytes()
        assert exactops.mul(x, x, path="scalar").tobytes() == before.tobytes()
    except BaseException as error:
        print(error, flush=True)
        os._exit(1)
    os._exit(0)
status = os.waitpid(child, 0)[1]
assert exactops.run("mul", x, x).tobytes() == before.tobytes()
print("child", os.waitstatus_to_exitcode(status))
"""
    assert python(program, EXACTOPS_CACHE_DIR=str(tmp_path), PYTHONWARNINGS="ignore").strip() == "child 0"


# --- the short way of a repeated call ---------------------------------------------------------------------------------


def test_repeated_calls_see_changed_operands() -> None:
    """Only what cannot change may be remembered."""
    x, bound = np.ones(5, np.float32), np.array(2, np.float32)
    numbers = [1.0, 2.0, 3.0, 4.0, 5.0]
    alpha = np.array(0.5)
    for step in range(4):
        bound[...], alpha[...], numbers[0] = step, step, step
        assert exactops.run("mul", x, bound).tolist() == [step] * 5
        assert exactops.run("leaky_relu", -x, alpha=alpha).tolist() == [-step] * 5
        assert exactops.run("add", np.zeros(5), numbers)[0] == step
        assert exactops.run("square", numbers)[0] == step**2


def test_repeated_calls_tell_operands_apart() -> None:
    x = np.ones(3, np.float32)
    for _ in range(3):
        assert exactops.run("mul", x, 2.0).tolist() == [2] * 3
        assert exactops.run("mul", x, 3.0).tolist() == [3] * 3
        assert exactops.run("mul", 3.0, x).tolist() == [3] * 3
        assert exactops.run("mul", x, np.float32(5)).tolist() == [5] * 3
        assert exactops.run("mul", x, True).tolist() == [1] * 3
        assert exactops.run("mul", x, x).tolist() == [1] * 3
        assert exactops.run("mul", np.float32(7), x).tolist() == [7] * 3
        assert bits_of(exactops.run("mul", x, -0.0)).tolist() == [1 << 31] * 3
        assert bits_of(exactops.run("mul", x, 0.0)).tolist() == [0] * 3
        assert exactops.run("leaky_relu", -x, alpha=2.0).tolist() == [-2] * 3
        assert exactops.run("leaky_relu", -x, alpha=4.0).tolist() == [-4] * 3
        assert exactops.run("hard_sigmoid", x, alpha=0.0, beta=0.25).tolist() == [0.25] * 3
        assert exactops.run("hard_sigmoid", x, beta=0.5, alpha=0.0).tolist() == [0.5] * 3
        assert exactops.run("clip", x, 2.0).tolist() == [2] * 3
        assert exactops.run("clip", x, None, 0.5).tolist() == [0.5] * 3
        assert exactops.run("cast", x, to="int8").dtype == np.int8
        assert exactops.run("cast", x, to="float64").dtype == np.float64
        with pytest.raises(TypeError):
            exactops.run("leaky_relu", x, beta=2.0)
        with pytest.raises(TypeError):
            exactops.run("mul", x, x.astype(np.float64))
        with pytest.raises(TypeError):
            exactops.run("mul", x)
        with pytest.raises(TypeError):
            exactops.run("mul", x, x, x)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 3), (3, 1), (0,), (2, 0), (2, 3, 1)])
def test_repeated_calls_check_the_shape_of_out(shape: tuple[int, ...]) -> None:
    """An out= that a call like the one before would not take is refused the second time as it was the first."""
    for operands in (
        (np.ones((1, 3), np.float32),),
        (np.ones((3,), np.float32), 2.0),
        (np.ones((3, 1), np.float32), np.ones(3, np.float32)),
    ):
        op = "square" if len(operands) == 1 else "mul"
        good = np.zeros(np.broadcast_shapes(*(np.shape(o) for o in operands)), np.float32)
        for _ in range(3):
            exactops.run(op, *operands, out=good)
        out = np.full(shape, 7, np.float32)
        if shape == good.shape:
            exactops.run(op, *operands, out=out)
        else:
            with pytest.raises(ValueError, match="shape"):
                exactops.run(op, *operands, out=out)
            assert (out == 7).all()
        with pytest.raises(TypeError, match="dtype"):
            exactops.run(op, *operands, out=good.astype(np.float64))
        frozen = good.copy()
        frozen.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            exactops.run(op, *operands, out=frozen)


def test_references_are_not_lost_or_kept() -> None:
    """Repeated calls leave the reference counts of operands and results alone."""
    import sys

    x, out = np.ones(8, np.float32), np.ones(8, np.float32)
    for _ in range(3):
        exactops.run("mul", x, 0.5, out=out)
        exactops.square(x)
        exactops.exp(x, out=out)
    before = sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(x.dtype)
    for _ in range(1000):
        exactops.run("mul", x, 0.5, out=out)
        exactops.square(x)
        exactops.exp(x, out=out)
    after = sys.getrefcount(x), sys.getrefcount(out), sys.getrefcount(x.dtype)
    assert after[:2] == before[:2]
    assert abs(after[2] - before[2]) <= 10
