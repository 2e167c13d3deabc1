"""Wide integers: compiled code against the bodies in Python's integers, and the word that calls scalar functions for lanes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from support import X86
from support.processes import emulate, python
from support.values import hard_values, same_bits

from exactops import lanes as vocabulary
from exactops.lanes import (
    Wide,
    WideTable,
    bit_length,
    from_wide_bits,
    high_product,
    narrow,
    recompute,
    scalar_function,
    scaled_product,
    wide,
    wide_bits,
    wide_entry,
    wide_polynomial,
)
from exactops.numerics.binary64.fixed_point import decompose, is_negative, reciprocal, round_to_binary64

LANES = tuple(range(1, 17))
SIZE = 1 << 256
TABLE = WideTable([5, -7, 1 << 200, -(1 << 255), (1 << 255) - 1, 0, 12345678901234567890, -1])
COEFFICIENTS = WideTable([3 << 192, -(1 << 191), (1 << 190) // 3, -(1 << 189) // 7, 1 << 188])
PAIR = WideTable([-(7 << 190), 1 << 180])
LARGEST = Wide((1 << 255) - 1)
LEAST = Wide(-(1 << 255))
ONE = Wide(1)
ZERO = Wide(0)


# --- the words -----------------------------------------------------------------------------------------------------------

#: What is tried, by number: texts over the wide integers x and y and a count s from 0 to 511.
TEXTS = (
    *("x + y", "x - y", "x * y", "x & y", "x | y", "-x", "x << (s & 255)", "x >> s", "x >> (y & 1023)"),
    *(
        "x + 3",
        "3 - x",
        "x * 5",
        "5 * x",
        "x & 255",
        "x | 1",
        "x - 1",
        "7 + x",
        "x << 9",
        "x >> 7",
        "x >> 255",
        "x >> 256",
        "x >> 300",
    ),
    *("x + LARGEST", "x - LEAST", "x & LARGEST", "scaled_product(x, y)", "high_product(x, y)", "scaled_product(x, ONE << 192)"),
    *(
        "wide(narrow(x))",
        "wide(narrow(x >> 64))",
        "wide_bits(from_wide_bits(x))",
        "bit_length(x & LARGEST)",
        "bit_length(ZERO)",
    ),
    *("bit_length(wide_bits(1.5))", "wide_entry(TABLE, y & 7)", "wide_entry(TABLE, 3)", "wide_entry(TABLE, s & 7)"),
    *("wide_polynomial(x >> 64, COEFFICIENTS)", "wide_polynomial(x >> 70, PAIR)", "wide(s)", "wide(s) * x", "x + s", "x - s"),
)
COMPARISONS = ("x < y", "x <= y", "x > y", "x >= y", "x == y", "x != y", "x < 0", "x >= 1", "0 < x", "x == s", "x == x")

#: What wraps where Python's bodies raise OverflowError.
WRAPPING: dict[str, Callable[[int, int, int], int]] = {
    "x + y": lambda x, y, s: x + y,
    "x - y": lambda x, y, s: x - y,
    "x * y": lambda x, y, s: x * y,
    "-x": lambda x, y, s: -x,
    "x << (s & 255)": lambda x, y, s: x << (s & 255),
    "x << 9": lambda x, y, s: x << 9,
    "x + 3": lambda x, y, s: x + 3,
    "7 + x": lambda x, y, s: x + 7,
    "3 - x": lambda x, y, s: 3 - x,
    "x * 5": lambda x, y, s: x * 5,
    "5 * x": lambda x, y, s: x * 5,
    "x - 1": lambda x, y, s: x - 1,
    "x + LARGEST": lambda x, y, s: x + int(LARGEST),
    "x - LEAST": lambda x, y, s: x - int(LEAST),
    "scaled_product(x, y)": lambda x, y, s: (x * y) >> 192,
    "scaled_product(x, ONE << 192)": lambda x, y, s: x,
    "wide(s) * x": lambda x, y, s: s * x,
    "x + s": lambda x, y, s: x + s,
    "x - s": lambda x, y, s: x - s,
}


@scalar_function
def join(a, b, c, d):
    """A wide integer of its four words; the last is signed."""
    return wide(a) | (wide(b) << 64) | (wide(c) << 128) | (wide(d) << 192)


def _functions() -> dict[str, Any]:
    """``arithmetic`` and ``comparison``: a number says which text is evaluated."""
    lines = ["def arithmetic(number, s, a, b, c, d, e, f, g, h):", "    x = join(a, b, c, d)", "    y = join(e, f, g, h)"]
    lines += ["    found = ZERO"]
    for number, text in enumerate(TEXTS):
        lines += [f"    if number == {number}:", f"        found = {text}"]
    lines += ["    return narrow(found), narrow(found >> 64), narrow(found >> 128), narrow(found >> 192)"]
    lines += ["def comparison(number, s, a, b, c, d, e, f, g, h):", "    x = join(a, b, c, d)", "    y = join(e, f, g, h)"]
    lines += ["    found = ZERO"]
    for number, text in enumerate(COMPARISONS):
        lines += [f"    if number == {number}:", f"        if {text}:", "            found = ONE"]
    lines += ["    return narrow(found)"]
    scope = dict(globals())
    exec("\n".join(lines), scope)
    return {name: scalar_function(scope[name]) for name in ("arithmetic", "comparison")}


_MADE = _functions()
arithmetic, comparison = _MADE["arithmetic"], _MADE["comparison"]


def values(count: int) -> list[int]:
    """Extreme and random numbers of all lengths and both signs."""
    found = [0, 1, 2, 3, *(1 << k for k in (31, 32, 63, 64, 65, 127, 128, 191, 192, 193, 254)), (1 << 255) - 1]
    found = [sign * each + step for each in found for step in (-1, 0, 1) for sign in (1, -1)]
    found = [each for each in found if -(1 << 255) <= each < 1 << 255] + [-(1 << 255)]
    draw = np.random.default_rng(256)
    while len(found) < count:
        number = int.from_bytes(draw.bytes(32), "little") >> int(draw.integers(1, 256))
        found.append(number if draw.integers(2) else -number)
    return [found[place] for place in draw.permutation(len(found))]


def limbs(numbers: list[int]) -> list[np.ndarray]:
    """The words of numbers, the last signed."""
    columns = [np.array([number >> (64 * k) & (2**64 - 1) for number in numbers], np.uint64) for k in range(4)]
    return [*columns[:3], columns[3].view(np.int64)]


def lane_loop(
    function: Callable[..., Any], operands: list[np.ndarray], starts: list[np.ndarray], count: int, mask: Any = None
) -> Any:
    """``recompute`` of a function, compiled, over arrays; the results are written over copies of ``starts``."""
    size = len(operands[0])
    assert size % count == 0
    mask = np.ones(size, np.uint8) if mask is None else mask.astype(np.uint8)
    results = [start.copy() for start in starts]
    arrays = [mask, *operands, *results]
    names = [f"p{k}" for k in range(len(arrays))]
    lines = [f"def loop({', '.join(names)}):", f"    for i in range({size // count}):"]
    loaded = [
        f"load({name} + i * {count * each.itemsize}, '{each.dtype}', {count})" for name, each in zip(names, arrays, strict=True)
    ]
    first = 1 + len(operands)
    lines += [f"        v{k} = {text}" for k, text in enumerate(loaded)]
    several = ", ".join(f"v{first + k}" for k in range(len(starts)))
    given = ", ".join(f"v{1 + k}" for k in range(len(operands)))
    lines += [f"        found = recompute(v0 != 0, {f'({several})' if len(starts) > 1 else several}, function, {given})"]
    for k, each in enumerate(starts):
        part = f"found[{k}]" if len(starts) > 1 else "found"
        lines += [f"        store(p{first + k} + i * {count * each.itemsize}, {part})"]
    scope = {name: getattr(vocabulary, name) for name in vocabulary.__all__} | {"function": function}
    exec("\n".join(lines), scope)
    numba.njit(scope["loop"])(*(each.ctypes.data for each in arrays))
    return results


def wrapped(words: tuple[Any, ...]) -> int:
    """The number of four signed words."""
    total = sum((int(word) & (2**64 - 1)) << (64 * k) for k, word in enumerate(words))
    return total - SIZE if total >> 255 else total


def check_words(count: int, amount: int = 160) -> int:
    """Compare all words at a lane count; returns how many results."""
    numbers = values(amount)
    shifts = [k % 301 for k in range(len(TEXTS) * amount)]
    chosen = [(text, x, numbers[(7 * k + 3) % amount]) for text in range(len(TEXTS)) for k, x in enumerate(numbers)]
    more = (-len(chosen)) % count
    chosen, shifts = chosen + chosen[:more], shifts + shifts[:more]
    operands = [np.array([each[0] for each in chosen]), np.array(shifts)]
    operands += limbs([each[1] for each in chosen]) + limbs([each[2] for each in chosen])
    found = lane_loop(arithmetic, operands, [np.zeros(len(chosen), np.int64) for _ in range(4)], count)
    for place, (number, x, y) in enumerate(chosen):
        text, s = TEXTS[number], shifts[place]
        try:
            wanted = wrapped(arithmetic(*(each[place] for each in operands)))
        except OverflowError:
            wanted = (WRAPPING[text](x, y, s) + SIZE // 2) % SIZE - SIZE // 2
        assert wrapped(tuple(each[place] for each in found)) == wanted, f"{text}: x = {x:#x}, y = {y:#x}, s = {s}"
    pairs = [
        (text, x, numbers[k * j % amount]) for text in range(len(COMPARISONS)) for j in (1, 3) for k, x in enumerate(numbers)
    ]
    pairs = pairs[: len(pairs) // count * count]
    operands = [np.array([each[0] for each in pairs]), np.arange(len(pairs)) % 5]
    operands += limbs([each[1] for each in pairs]) + limbs([each[2] for each in pairs])
    (found_bits,) = lane_loop(comparison, operands, [np.zeros(len(pairs), np.int64)], count)
    wanted_bits = [int(comparison(*(each[place] for each in operands))) for place in range(len(pairs))]
    assert found_bits.tolist() == wanted_bits and 0 < sum(wanted_bits) < len(pairs)
    return len(chosen) + len(pairs)


@pytest.mark.parametrize("count", [1, 4, 7])
def test_every_word(count: int) -> None:
    assert check_words(count) > 6000


def test_every_word_is_tried() -> None:
    from exactops.lanes import wide_integers

    together = " ".join((*TEXTS, *COMPARISONS))
    words = [name for name, each in vars(wide_integers).items() if getattr(each, "__module__", "") == wide_integers.__name__]
    elsewhere = {"recompute", "scalar_function", "Wide", "WideTable"}
    assert not [name for name in words if name[0] != "_" and name not in elsewhere and f"{name}(" not in together]
    symbols = ("+", "-", "*", "<<", ">>", "&", "|", "<", "<=", ">", ">=", "==", "!=")
    assert all(f" {symbol} " in together for symbol in symbols)


@pytest.mark.skipif(not X86, reason="x86-64 levels")
def test_every_word_on_the_baseline() -> None:
    program = "from test_wide_integers import check_words\nprint(check_words(2, 100))"
    assert int(python(program, **emulate("x86-64"))) > 3000


def test_all_shifts() -> None:
    numbers = [x for x in values(60) for _ in range(301)]
    operands = [np.full(len(numbers), TEXTS.index("x >> s")), np.arange(len(numbers)) % 301, *limbs(numbers), *limbs(numbers)]
    found = lane_loop(arithmetic, operands, [np.zeros(len(numbers), np.int64) for _ in range(4)], 4)
    assert [wrapped(words) for words in zip(*found, strict=True)] == [x >> k % 301 for k, x in enumerate(numbers)]


def test_the_bodies() -> None:
    for name in ("add", "sub", "mul", "and_", "or_"):
        for x in values(80):
            for y in (3, -1, 1 << 100):
                wanted = getattr(operator, name)(x, y)
                if not -SIZE // 2 <= wanted < SIZE // 2:
                    with pytest.raises(OverflowError, match="does not fit into 256 bits"):
                        getattr(operator, name)(Wide(x), y)
                    continue
                for one, other in ((Wide(x), y), (Wide(x), Wide(y)), (y, Wide(x)) if name != "sub" else (x, Wide(y))):
                    found = getattr(operator, name)(one, other)
                    assert found == wanted and isinstance(found, Wide)
    assert isinstance(-Wide(3), Wide) and -Wide(3) == -3
    assert isinstance(Wide(3) << 200, Wide) and isinstance(Wide(-3) >> 300, Wide) and Wide(-3) >> 300 == -1
    for too_long in (1 << 255, -(1 << 255) - 1):
        with pytest.raises(OverflowError, match="does not fit"):
            Wide(too_long)
        with pytest.raises(OverflowError, match="does not fit"):
            WideTable([0, too_long])
    with pytest.raises(OverflowError, match="no length"):
        bit_length(Wide(-1))
    for index in (-1, 8):
        with pytest.raises(IndexError, match="outside a table of 8"):
            wide_entry(TABLE, index)
    assert narrow(Wide(-1)) == -1 and narrow(Wide(1 << 63)) == -(1 << 63) and wide_bits(np.float64(1.0)) == 0x3FF << 52
    assert bit_length(Wide(0)) == 0 and bit_length(LARGEST) == 255
    assert scaled_product(Wide(-1), Wide(1)) == -1 and high_product(Wide(-1), Wide(1)) == -1
    assert wide_polynomial(Wide(1 << 191), PAIR) == PAIR[0] + PAIR[1] // 2
    assert from_wide_bits(Wide(0x7FF << 52)) == np.inf and wide(np.uint64(2**64 - 1)) == 2**64 - 1


# --- recompute -----------------------------------------------------------------------------------------------------------


@scalar_function
def three_of(x, n):
    """Results of three types."""
    bits = wide_bits(x)
    return from_wide_bits(bits + 1), narrow(wide(n) * 3), narrow(bits >> 3)


@scalar_function
def one_of(x, n):
    """One result."""
    found = from_wide_bits(wide_bits(x) + 2)
    if n < 0:
        found = -x
    return found


def masks(size: int, count: int) -> list[np.ndarray]:
    """None, all, each single lane of a group in turn, and any."""
    draw = np.random.default_rng(count)
    place = np.arange(size)
    single = place % count == place // count % count
    return [np.zeros(size, bool), np.ones(size, bool), single, ~single, draw.random(size) < 0.5, draw.random(size) < 0.05]


@pytest.mark.parametrize("count", LANES)
def test_recompute(count: int) -> None:
    size = 12 * count * count
    x = np.random.default_rng(1).uniform(1, 100, size)
    n = np.arange(size) - size // 2
    starts = [np.full(size, 0.5), np.arange(size) * 7, np.full(size, -9)]
    for mask in masks(size, count):
        found = lane_loop(three_of, [x, n], starts, count, mask)
        wanted = recompute(mask, tuple(starts), three_of, x, n)
        by_hand = [np.nextafter(x, np.inf), n * 3, x.view(np.int64) >> 3]
        for result, body, start, changed in zip(found, wanted, starts, by_hand, strict=True):
            same_bits(result, np.where(mask, changed, start))
            same_bits(body, np.where(mask, changed, start))
        (single,) = lane_loop(one_of, [x, n], starts[:1], count, mask)
        changed = np.where(n < 0, -x, np.nextafter(np.nextafter(x, np.inf), np.inf))
        same_bits(single, np.where(mask, changed, starts[0]))
        same_bits(recompute(mask, starts[0], one_of, x, n), single)
    assert starts[0].tolist() == [0.5] * size


def test_recompute_keeps_the_shape() -> None:
    x, n = np.ones((2, 3)), np.array([[1, -1, 1], [-1, 1, -1]])
    assert recompute(n < 0, x, one_of, x, n).tolist() == [[1, -1, 1], [-1, 1, -1]]
    assert recompute(np.array(True), np.array(2.0), one_of, np.array(3.0), np.array(-1)) == -3


# --- the toolkit of the accurate phases, compiled -------------------------------------------------------------------------


@scalar_function
def of_a_double(x):
    """What the toolkit says of a finite double, and the double that it puts together again."""
    significand, exponent = decompose(x)
    negative = is_negative(x)
    sign = 0
    if negative:
        sign = 1
    return (
        narrow(significand),
        narrow(exponent),
        narrow(wide(sign)),
        round_to_binary64(negative, significand << 100, exponent - 100),
    )


@scalar_function
def reciprocal_words(a, b, c, d):
    """The words of a reciprocal."""
    found = reciprocal(join(a, b, c, d))
    return narrow(found), narrow(found >> 64), narrow(found >> 128), narrow(found >> 192)


@scalar_function
def rounded(a, b, c, d, exponent):
    """A wide significand rounded."""
    return round_to_binary64(exponent < 0, join(a, b, c, d), wide(exponent))


def test_the_toolkit_compiled() -> None:
    x = hard_values("f64")
    x = x[np.isfinite(x)]
    x = x[: x.size // 4 * 4]
    starts = [*(np.zeros(x.size, np.int64) for _ in range(3)), np.zeros(x.size)]
    found = lane_loop(of_a_double, [x], starts, 4)
    same_bits(found[3], x)
    wanted = recompute(np.ones(x.size, bool), tuple(starts), of_a_double, x)
    for one, other in zip(found, wanted, strict=True):
        same_bits(one, other)
    draw = np.random.default_rng(5)
    numbers = [(1 << 190) + int.from_bytes(draw.bytes(24), "little") % (15 << 190) for _ in range(200)] + [1 << 190, 1 << 194]
    operands = limbs(numbers)
    starts = [np.zeros(len(numbers), np.int64) for _ in range(4)]
    for one, other in zip(
        lane_loop(reciprocal_words, operands, starts, 2),
        recompute(np.ones(len(numbers), bool), tuple(starts), reciprocal_words, *operands),
        strict=True,
    ):
        same_bits(one, other)
    numbers = [abs(each) for each in values(600) if each > -SIZE // 2]
    operands = [*limbs(numbers), draw.integers(-1400, 1000, len(numbers))]
    operands[4][::3] = -np.array([min(each.bit_length() + 1074 - k % 60, 1400) for k, each in enumerate(numbers[::3])])
    (result,) = lane_loop(rounded, operands, [np.zeros(len(numbers))], 1)
    same_bits(result, recompute(np.ones(len(numbers), bool), np.zeros(len(numbers)), rounded, *operands))
