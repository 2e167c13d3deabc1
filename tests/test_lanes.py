"""The vocabulary of lanes, lowered inside a user's own ``@njit`` function, against its definition on NumPy arrays.

One function for an element type and a lane count holds every operation, as the text of an expression; the same text, evaluated
with the vocabulary's own bodies on whole arrays, says what has to come out. All lanes hold different values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numba
import numpy as np
import pytest
from support import X86
from support.processes import emulate, finish, python, start
from support.values import hard_values, same_bits

from exactops import lanes as vocabulary
from exactops.codegen.target import host_target
from exactops.lanes import portable, wide_integers
from exactops.lanes.polynomials import SCHEMES
from exactops.verification.reference import array_of, expected

LANES = (1, 2, 3, 4, 8, 16, 32, 64)
FLOATS = ("float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
ELEMENTS = (*FLOATS, *INTEGERS)

#: Elements that are tried with every lane count; the others with some, to keep compilation short.
EVERYWHERE = ("float32", "float64", "int32", "uint8")
SOME = (1, 3, 16)

TABLES = {f"FLOATS{n}": tuple(float(3 * k - 7) / 8 for k in range(n)) for n in (2, 4, 8, 16, 32, 64)}
TABLES |= {f"INTS{n}": tuple((k * k + 1) << 40 for k in range(n)) for n in (2, 4, 8, 16, 32, 64)}

SINGLE_TABLES = [name for name in TABLES if name.startswith("FLOATS")]

#: Coefficients of polynomials: float32 holds them. The last ones begin with the leading coefficient 1.
COEFFICIENTS = {f"COEFFICIENTS{n}": tuple((-1) ** k * (k + 3) / 8 for k in range(n)) for n in (2, 3, 4, 5, 6, 7, 8, 9)}
COEFFICIENTS |= {f"MONIC{n}": (*COEFFICIENTS[f"COEFFICIENTS{n}"][:-1], 1.0) for n in (2, 3, 8)}
ROWS = {f"ROWS{n}": tuple(tuple((7 * k - j) / 16 for j in range(16)) for k in range(n)) for n in (2, 3, 4, 5, 7, 8)}

#: Elements of an operand: a multiple of every lane count.
COUNT = 960

COMPARISONS = ("x < y", "x <= y", "x > y", "x >= y", "x == y", "x != y")
MASKS = ("(x < y) & (y < z)", "(x < y) | (y < z)", "(x < y) ^ (y < z)", "~(x < y)")
ANY_ELEMENT = (
    *COMPARISONS,
    *MASKS,
    "x + y",
    "x - y",
    "x * y",
    "x + 3",
    "3 - x",
    "-x",
    "select(x < y, x, z)",
    "select(x < y, x, 1)",
    "select(x == y, 2, z)",
    *(f"convert(x, '{element}')" for element in (*ELEMENTS, "bool")),
    "convert(x < y, 'float32')",
    "convert(x < y, 'float64')",
    "convert(x < y, 'int8')",
    "convert(x < y, 'uint64')",
)
OF_FLOATS = (
    "x / y",
    "1.0 / x",
    "x * 0.1",
    "mul_add(x, y, z)",
    "mul_add(x, 2.5, z)",
    "sqrt(x)",
    "floor(x)",
    "ceil(x)",
    "rint(x)",
    "trunc(x)",
    "absolute(x)",
    "copy_sign(x, y)",
    "copy_sign(x, -1.0)",
    "is_nan(x)",
    "bits(x)",
    "from_bits(bits(x))",
    "signed(bits(x))",
    *(f"lookup({table}, convert(x, 'int32'))" for table in TABLES),
    *(f"lookup_single({table}, convert(x, 'int32'))" for table in SINGLE_TABLES),
    *(f"polynomial(x, {name}, '{scheme}')" for name, scheme in itertools.product(COEFFICIENTS, SCHEMES)),
    "polynomial(x, COEFFICIENTS7)",
    *(
        f"polynomial_lookup(x, {name}, convert(y, 'int32'), '{scheme}')"
        for name, scheme in zip(ROWS, SCHEMES * 2, strict=False)
    ),
    "polynomial_lookup(x, ROWS3, bits(y))",
)
OF_INTEGERS = (
    "x & y",
    "x | y",
    "x ^ y",
    "~x",
    "x << 3",
    "x >> 2",
    "x << (y & 7)",
    "x >> (y & 7)",
    "signed(x)",
    "unsigned(x)",
    "truncated_quotient(x, (y & 15) + 1)",
    "truncated_quotient(y & 63, (x & 7) + 1)",
    *(f"lookup({table}, x)" for table in TABLES),
    *(f"lookup_single({table}, x)" for table in SINGLE_TABLES),
)
#: Results whose NaNs keep their bits; of arithmetic any NaN is as good.
KEEPS_NAN = ("select", "absolute", "copy_sign", "-x", "from_bits")


def expressions(element: str) -> list[str]:
    """The operations of an element type."""
    found = [*ANY_ELEMENT, *(OF_FLOATS if element in FLOATS else OF_INTEGERS)]
    if element in ("int32", "uint32", "int64", "uint64"):
        found.append("from_bits(x)")
    if element == "uint16":
        found.append("from_half(x)")
    if element == "float32":
        found.append("to_half(select(is_nan(x), 0.0, x))")  # a NaN keeps its payload where the hardware converts
    return found


def operands(element: str) -> list[np.ndarray]:
    """Three arrays: hard values in one order and another, and a run of values that tells every lane from its neighbours."""
    dtype = np.dtype(element)
    hard = hard_values(dtype)
    draw = np.random.default_rng(len(element))
    x = hard[draw.permutation(np.resize(np.arange(hard.size), max(hard.size, COUNT)))[:COUNT]]
    y = hard[draw.integers(0, hard.size, COUNT)]
    z = (np.arange(COUNT) - COUNT // 2).astype(dtype)
    x[: COUNT // 4] = z[: COUNT // 4]
    y[COUNT // 8 : COUNT // 4] = x[COUNT // 8 : COUNT // 4]
    return [x, y, z]


def namespace() -> dict[str, Any]:
    """The vocabulary by name, and the tables."""
    return {name: getattr(vocabulary, name) for name in vocabulary.__all__} | TABLES | COEFFICIENTS | ROWS


def compiled(element: str, count: int, texts: list[str], arrays: list[np.ndarray]) -> tuple[list[np.ndarray], tuple[int, int]]:
    """What the operations give as a user's compiled function, and the lanes and the mode that it saw."""
    wanted = definitions(texts, arrays)
    sizes = [array.itemsize for array in wanted]
    width = arrays[0].itemsize
    lines = ["def function(px, py, pz, out):", f"    for i in range({COUNT // count}):"]
    lines += [f"        {name} = load(p{name} + i * {count * width}, '{element}', {count})" for name in "xyz"]
    start = 0
    for text, array, size in zip(texts, wanted, sizes, strict=True):
        value = f"convert({text}, 'uint8')" if array.dtype == np.bool_ else text
        lines.append(f"        store(out + {start} + i * {count * size}, {value})")
        start += array.nbytes
    lines.append(f"    x = load(px, '{element}', {count})")
    lines.append("    return lane_count(x), is_fast(x)")
    scope = namespace()
    exec("\n".join(lines), scope)
    function = numba.njit(scope["function"])
    memory = np.zeros(start, np.uint8)
    seen = function(*(array.ctypes.data for array in arrays), memory.ctypes.data)
    results, start = [], 0
    for array in wanted:
        results.append(memory[start : start + array.nbytes].view(array.dtype))
        start += array.nbytes
    return results, seen


def definitions(texts: list[str], arrays: list[np.ndarray]) -> list[np.ndarray]:
    """What the operations give by their bodies on NumPy arrays."""
    scope = namespace() | dict(zip("xyz", arrays, strict=True))
    with np.errstate(all="ignore"):
        return [np.asarray(eval(text, scope)) for text in texts]


def check(element: str, count: int) -> int:
    """Compare every operation of an element type at a lane count; returns how many were compared."""
    texts, arrays = expressions(element), operands(element)
    results, seen = compiled(element, count, texts, arrays)
    assert seen == (count, False)
    for text, result, wanted in zip(texts, results, definitions(texts, arrays), strict=True):
        keeps = text.startswith(KEEPS_NAN)
        same_bits(result, wanted, arrays, f"{text} of {count} lanes of {element}", any_nan=not keeps)
    return len(texts)


CASES = [(element, count) for element in ELEMENTS for count in (LANES if element in EVERYWHERE else SOME)]


@pytest.mark.parametrize(("element", "count"), CASES, ids=[f"{element}-{count}" for element, count in CASES])
def test_every_operation(element: str, count: int) -> None:
    assert check(element, count) > 40


def test_every_operation_is_tried() -> None:
    """A new name in the vocabulary needs an expression above."""
    together = " ".join(text for element in ELEMENTS for text in expressions(element))
    elsewhere = {"Lanes", "Table", "lane_function", "load", "store", "lane_count", "is_fast", "any_lane", "all_lanes"}
    elsewhere |= {"lookup_rows", *vars(wide_integers)}  # below, and in tests/test_wide_integers.py
    missing = [name for name in vocabulary.__all__ if name not in elsewhere and f"{name}(" not in together]
    assert not missing
    assert {count for _, count in CASES} == set(LANES) and {element for element, _ in CASES} == set(ELEMENTS)


def test_a_misplaced_lane_would_show() -> None:
    """A test of the test: the operands differ from lane to lane in every group."""
    for element in ELEMENTS:
        for array in operands(element)[2:]:
            assert not (array[1:] == array[:-1]).any()


@pytest.mark.skipif(not X86, reason="x86-64 levels")
def test_every_operation_on_the_baseline() -> None:
    """Without SSE4.1, F16C and AVX-512, where rounding, half conversions and lookups take other ways."""
    program = (
        "from test_lanes import check\n"
        "cases = [(e, n) for e in ('float32', 'float64', 'uint16', 'int64') for n in (1, 3, 8)]\n"
        "print(sum(check(*case) for case in cases))"
    )
    assert int(python(program, **emulate("x86-64"))) > 500


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 11, 16, 32])
@pytest.mark.parametrize("element", ["int64", "uint64"])
def test_tables_of_rows(element: str, count: int) -> None:
    draw = np.random.default_rng(count)
    for rows, columns in ((1, 2), (2, 4), (16, 2), (64, 6), (128, 8)):
        table = vocabulary.Table(draw.uniform(-1, 1, (rows, columns)))
        size = 64 // count * count
        index = np.arange(size).astype(element)
        index[size // 2 :] = draw.integers(0, 1 << 62, size - size // 2).astype(element) * np.array(3, element)
        found = np.zeros((columns, index.size))
        lines = ["def function(source, target):", f"    for i in range({index.size // count}):"]
        lines += [f"        found = lookup_rows(table, load(source + i * {count * 8}, '{element}', {count}))"]
        for column in range(columns):
            lines.append(f"        store(target + {column * index.size * 8} + i * {count * 8}, found[{column}])")
        scope = namespace() | {"table": table}
        exec("\n".join(lines), scope)
        numba.njit(scope["function"])(index.ctypes.data, found.ctypes.data)
        wanted = [[table.rows[int(each) % rows][column] for each in index] for column in range(columns)]
        same_bits(found, np.array(wanted))
        for column, body in enumerate(vocabulary.lookup_rows(table, index)):
            same_bits(body, found[column])


def test_a_table_of_another_shape_is_refused() -> None:
    for shape in ((3, 2), (4, 3), (0, 2), (4,)):
        with pytest.raises(ValueError, match="power of two of rows of an even number of entries"):
            vocabulary.Table(np.zeros(shape))


# --- reductions and memory --------------------------------------------------------------------------------------------


def reductions(count: int) -> Callable[[int, int], tuple[bool, bool]]:
    """Whether any, and whether all, lanes are positive."""
    text = (
        f"def function(address, unused):\n    x = load(address, 'int32', {count})\n"
        "    return any_lane(x > 0), all_lanes(x > 0)\n"
    )
    scope = namespace()
    exec(text, scope)
    return numba.njit(scope["function"])


@pytest.mark.parametrize("count", LANES)
def test_any_and_all(count: int) -> None:
    function = reductions(count)
    for position in range(-1, count):
        x = np.zeros(count, np.int32)
        if position >= 0:
            x[position] = 1
        assert function(x.ctypes.data, 0) == (position >= 0, count == 1 and position == 0)
        x = 1 - x
        assert function(x.ctypes.data, 0) == (count > 1 or position < 0, position < 0)


@pytest.mark.parametrize("element", ELEMENTS)
def test_load_and_store_at_any_address(element: str) -> None:
    """No byte outside is touched, whatever the alignment."""
    scope = namespace()
    exec(f"def function(source, target):\n    store(target, load(source, '{element}', 5))\n", scope)
    function = numba.njit(scope["function"])
    size = np.dtype(element).itemsize
    source = np.random.default_rng(1).integers(0, 256, 200).astype(np.uint8)
    for ahead in range(17):
        for target_ahead in (0, 1, 3, 8):
            target = np.full(200, 0xA5, np.uint8)
            function(source.ctypes.data + ahead, target.ctypes.data + 64 + target_ahead)
            wanted = np.full(200, 0xA5, np.uint8)
            wanted[64 + target_ahead : 64 + target_ahead + 5 * size] = source[ahead : ahead + 5 * size]
            assert (target == wanted).all()


# --- the portable conversions -----------------------------------------------------------------------------------------


def through(function: Any, source: np.ndarray, result: Any, count: int = 16) -> np.ndarray:
    """A lane function applied to an array by a user's compiled function."""
    padded = np.resize(source, -(-source.size // count) * count)
    out = np.zeros(padded.size, result)
    element = str(source.dtype)
    text = (
        "def loop(source, target, groups):\n    for i in range(groups):\n"
        f"        x = load(source + i * {count * source.itemsize}, '{element}', {count})\n"
        f"        store(target + i * {count * out.itemsize}, function(x))\n"
    )
    scope = namespace() | {"function": function}
    exec(text, scope)
    numba.njit(scope["loop"])(padded.ctypes.data, out.ctypes.data, padded.size // count)
    return out[: source.size]


def singles_around(patterns: np.ndarray) -> np.ndarray:
    """float32 values with these bit patterns, their neighbours, and the same negative."""
    around = np.concatenate([patterns - 1, patterns, patterns + 1]).astype(np.uint32)
    return np.concatenate([around, around | np.uint32(1 << 31)]).view(np.float32)


def half_boundaries() -> np.ndarray:
    """Every half, every midpoint between two, the overflow threshold and the neighbours of all of them, as float32."""
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    beyond = np.append(halves[1:], 65536.0)
    values = np.concatenate([halves, (halves + beyond) / 2]).astype(np.float32)
    return np.concatenate([singles_around(values.view(np.uint32)), hard_values("f32")])


def check_conversions(count: int) -> int:
    """All conversions of the half types, on every pattern and every rounding boundary; returns how many values."""
    every = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(all="ignore"):
        singles = every.view(np.float16).astype(np.float32)
        boundaries = half_boundaries()
        halves = boundaries.astype(np.float16).view(np.uint16).copy()
        halves[np.isnan(boundaries)] = 0x7E00
    for function in (portable.half_to_single, vocabulary.from_half):
        same_bits(through(function, every, np.float32, count), singles, (every,), "half to single", any_nan=True)
    same_bits(through(portable.single_to_half, boundaries, np.uint16, count), halves, (boundaries,), "single to half")
    found = through(vocabulary.to_half, boundaries, np.uint16, count)
    found[np.isnan(boundaries)] = 0x7E00  # the hardware keeps payloads
    same_bits(found, halves, (boundaries,), "to_half")

    wide = every.view(ml_dtypes.bfloat16).astype(np.float32)
    same_bits(through(portable.bfloat16_to_single, every, np.float32, count), wide, (every,), "bfloat16", any_nan=True)
    near = singles_around(
        np.concatenate([every[:0x7F80].astype(np.uint32) << 16, (every[:0x7F80].astype(np.uint32) << 16) | 0x8000])
    )
    near = np.concatenate([near, hard_values("f32")])
    brains = near.astype(ml_dtypes.bfloat16).view(np.uint16).copy()
    brains[np.isnan(near)] = 0x7FC0
    same_bits(through(portable.single_to_bfloat16, near, np.uint16, count), brains, (near,), "single to bfloat16")

    doubles = hard_values("f64")
    odd = through(portable.double_to_single_odd, doubles, np.float32, count)
    finite = np.isfinite(doubles)
    with np.errstate(all="ignore"):
        back = odd.astype(np.float64)
        exact = (back == doubles) | ~finite
        largest = np.float64(np.finfo(np.float32).max)
        inside = np.abs(doubles) < largest
        assert ((odd.view(np.uint32) & 1) == 1)[finite & ~exact].all(), "an inexact result is odd"
        low, high = (
            np.nextafter(odd, np.float32(-np.inf)).astype(np.float64),
            np.nextafter(odd, np.float32(np.inf)).astype(np.float64),
        )
        assert ((low < doubles) & (doubles < high))[finite & inside].all(), "the result is a neighbour"
        assert (odd[finite & ~inside] == np.copysign(np.float32(largest), doubles[finite & ~inside])).all()
    assert np.isnan(odd[np.isnan(doubles)]).all() and (odd[np.isinf(doubles)] == doubles[np.isinf(doubles)]).all()
    for short, narrow in (("f16", portable.single_to_half), ("bf16", portable.single_to_bfloat16)):
        result = array_of(through(narrow, odd, np.uint16, count), short)
        same_bits(result, expected("cast", (doubles,), {}, result.dtype), (doubles,), f"f64 to {short}")
    return every.size * 2 + boundaries.size + near.size + doubles.size


@pytest.mark.parametrize("count", [1, 16])
def test_half_conversions(count: int) -> None:
    assert check_conversions(count) > 500_000


@pytest.mark.skipif(not X86, reason="x86-64 levels")
def test_half_conversions_on_the_baseline() -> None:
    assert int(python("from test_lanes import check_conversions; print(check_conversions(8))", **emulate("x86-64"))) > 500_000


@pytest.mark.parametrize("count", [1, 4, 32])
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("name", ["floor", "ceil", "rint", "trunc"])
def test_portable_rounding(name: str, width: int, count: int) -> None:
    element = f"float{width}"
    values = hard_values(element)
    wanted = getattr(np, name)(values)
    same_bits(through(portable.ROUNDING[width][name], values, element, count), wanted, (values,), name, any_nan=True)


def test_fast_lanes_are_another_type() -> None:
    """The mode is part of the type: a user's lanes are exact, and do not mix with fast ones."""
    from exactops.codegen.lowering.types import Vec

    target = host_target()
    exact, fast = Vec(numba.float32, 8, False, target), Vec(numba.float32, 8, True, target)
    assert exact != fast and exact.of(numba.int32) == Vec(numba.int32, 8, False, target) and fast.mask.fast
    scope = namespace()
    exec("def function(p):\n    return convert(load(p, 'float32', 4), 'int3')\n", scope)
    with pytest.raises((numba.TypingError, KeyError)):
        numba.njit(scope["function"])(0)


MIXTURES = ("x + load(p, 'float64', 4)", "x + load(p, 'float32', 8)", "select(x, x, x)", "x & x", "sqrt(bits(x))", "x @ x")


@pytest.mark.parametrize("text", MIXTURES)
def test_what_lanes_do_not_do_is_a_typing_error(text: str) -> None:
    scope = namespace()
    exec(f"def function(p):\n    x = load(p, 'float32', 4)\n    store(p, {text})\n", scope)
    with pytest.raises(numba.TypingError):
        numba.njit(scope["function"])(0)


# --- lane functions and Numba -----------------------------------------------------------------------------------------

LATE = """
import threading, numba, numpy as np
from exactops.lanes import lane_function, load, store

x, y = np.arange(4, dtype=np.float32), np.empty(4, np.float32)

def apply(function):
    @numba.njit
    def loop(source, target):
        store(target, function(load(source, "float32", 4)))
    loop(x.ctypes.data, y.ctypes.data)
    return y.tolist()
"""

MADE_LATE = """
assert numba.njit(lambda: 1)() == 1
@lane_function
def twice(v):
    return v + v
print(apply(twice))
@lane_function
def four_times(v):
    return twice(twice(v))
print(apply(four_times))
@lane_function
def twice(v):
    return v * 3.0
print(apply(twice))
"""


def test_a_lane_function_made_at_any_time_is_known() -> None:
    """After Numba has compiled something, after another lane function was compiled, and one of the same name again."""
    twice, four_times, again = python(LATE + MADE_LATE).strip().splitlines()
    assert twice == "[0.0, 2.0, 4.0, 6.0]" and four_times == "[0.0, 4.0, 8.0, 12.0]" and again == "[0.0, 3.0, 6.0, 9.0]"


TWO_THREADS = """
import time, exactops
from numba.core.compiler_lock import global_compiler_lock

@lane_function
def twice(v):
    return v + v

apply(twice)
@lane_function
def three_times(v):
    return v + v + v

with global_compiler_lock:  # as a compile of a user's function holds it
    other = threading.Thread(target=exactops.exp, args=(x,), daemon=True)
    other.start()
    time.sleep(2)
    print(apply(three_times))
other.join(300)
print(other.is_alive())
"""


def test_threads_that_compile_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """One compiles a user's function with lane functions in it, one a kernel of exactops."""
    found, alive = finish(start(LATE + TWO_THREADS, EXACTOPS_CACHE_DIR=str(tmp_path)), timeout=300).strip().splitlines()
    assert found == "[0.0, 3.0, 6.0, 9.0]" and alive == "False"
