"""pow with an integer base: the real value, truncated toward zero and saturated, against Python's integers on every path."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction
from typing import Any

import gmpy2
import ml_dtypes
import numpy as np
import pytest
from support.values import generator, same_bits

import exactops
from exactops.lanes import recompute
from exactops.numerics.integer_power import above_signed_limit, above_unsigned_limit, floor_power, wide_power
from exactops.numerics.tables.integer_power import LOGARITHMS
from exactops.ops import power
from exactops.verification.reference import DTYPES, FLOATS, FORMATS, INTEGERS, NUMERIC, UNSIGNED_INTEGERS, array_of, expected

MODES = ("exact", "fast")
INTEGER_TYPES = tuple(each.name for each in INTEGERS)
SMALL = ("i8", "u8", "i16")
LARGE = tuple(name for name in INTEGER_TYPES if name not in SMALL)


def saturate(value: int, name: str) -> int:
    """A Python int clamped to a type."""
    return min(max(value, FORMATS[name].minimum), FORMATS[name].maximum)


def real_power(x: int, y: float, name: str) -> int:
    """x**y in Python's integers; of fractional exponents above 0 only 1/2, and those below 1/64."""
    if y != y:
        return int(x == 1)
    if math.isinf(y):
        return 1 if abs(x) == 1 else saturate(1 << 64, name) if (x != 0) == (y > 0) else 0
    if y == int(y):
        n = int(y)
        if n < 0:
            return saturate(1 << 64, name) if x == 0 else int(Fraction(1, x ** (n % 2))) if abs(x) == 1 else 0
        # Beyond the 64th power only 0, 1 and -1 are within any type.
        return saturate(x ** (n if n < 66 else 66 + n % 2), name)
    if x < 0 or y < 0:
        return int(x == 1) or (saturate(1 << 64, name) if x == 0 else 0)
    if y == 0.5:
        return math.isqrt(x)
    assert y < 1 / 64
    return int(x > 0)


def extremes(name: str) -> list[Any]:
    """The extreme exponents of a type, and those around the end of its exact whole numbers."""
    form = FORMATS[name]
    if name in INTEGER_TYPES:
        return [form.minimum, form.minimum + 1, form.maximum - 1, form.maximum]
    patterns = [form.quiet_nan, *(sign | each for each in (0, 1, form.largest, form.infinity) for sign in (0, form.sign_bit))]
    ends = [2.0**form.precision - 1, 2.0**form.precision, 2.0 ** (form.precision - 1) - 1, 0.5, 2.5]
    return [*array_of(patterns, name).astype(np.float64).tolist(), *ends[:4], *(-each for each in ends)]


def stored(values: Any, name: str) -> Any:
    """Numbers as an array of a type, each exactly (NaN and infinities for float types only)."""
    return np.array(values, np.float64 if name in FLOATS else DTYPES[name]).astype(DTYPES[name])


@functools.cache
def exponents(name: str) -> list[Any]:
    """-70 to 70 as far as the type goes, and its extremes."""
    return [*range(0 if name in UNSIGNED_INTEGERS else -70, 71), *extremes(name)]


@functools.cache
def powers_of_all(base: str, y: float) -> Any:
    """The powers of all numbers of a small type."""
    form = FORMATS[base]
    bases = range(form.minimum, form.maximum + 1)
    if y == y and abs(y) <= 70 and y == int(y) and y >= 2:
        # Only a few are within the type.
        most = next(x for x in itertools.count(1) if (x + 1) ** int(y) > 1 << 16)
        found = np.full(len(bases), form.maximum)
        found[: -form.minimum] = form.minimum if int(y) % 2 else form.maximum
        for x in range(max(form.minimum, -most - 1), min(form.maximum, most + 1) + 1):
            found[x - form.minimum] = real_power(x, y, base)
        return found
    return np.array([real_power(x, y, base) for x in bases])


def different(base: Any, exponent: Any, found: Any, wanted: Any) -> list[tuple[Any, ...]]:
    """The first pairs whose power is another than it has to be."""
    base, exponent = np.broadcast_arrays(base, exponent)
    assert found.dtype == base.dtype and found.shape == wanted.shape
    places = np.argwhere(found != wanted)[:10]
    return [(base[tuple(p)], exponent[tuple(p)], found[tuple(p)], wanted[tuple(p)]) for p in places]


def check(base: Any, exponent: Any, wanted: Any) -> None:
    """Compares on every path, in both modes."""
    for path, mode in itertools.product(exactops.paths(), MODES):
        with np.errstate(all="raise"):
            found = exactops.pow(base, exponent, path=path, mode=mode)
        assert not different(base, exponent, found, wanted), (path, mode)


@pytest.mark.parametrize("exponent", NUMERIC)
@pytest.mark.parametrize("base", SMALL)
def test_every_number_of_a_small_type(base: str, exponent: str) -> None:
    form = FORMATS[base]
    x = np.arange(form.minimum, form.maximum + 1, dtype=DTYPES[base])
    y = stored(exponents(exponent), exponent)
    wanted = np.array([powers_of_all(base, each) for each in exponents(exponent)]).astype(DTYPES[base])
    check(x, y[:, None], wanted)
    # In any order, so that all kinds of lanes stand side by side.
    order = generator(base, f"order {exponent}").permutation(wanted.size)[: 1 << 18]
    rows, columns = np.divmod(order, x.size)
    check(x[columns], y[rows], wanted[rows, columns])


def test_the_exponents_are_what_they_should_be() -> None:
    for name in NUMERIC:
        values = exponents(name)
        found = stored(values, name).astype(np.float64 if name in FLOATS else object).tolist()
        assert [value for value in found if value == value] == [value for value in values if value == value]


def test_what_was_wrong() -> None:
    assert exactops.run("pow", np.int64(17), 13) == 17**13 == 9904578032905937
    assert exactops.run("pow", np.array([17]), np.array([13.0]))[0] == 17**13
    assert exactops.run("pow", np.array([50000, -50000], np.int32), 2).tolist() == [2**31 - 1, 2**31 - 1]


# --- wider types ---------------------------------------------------------------------------------------------------------


@functools.cache
def border_pairs(name: str) -> tuple[tuple[int, int], ...]:
    """Bases around the roots of the limits, around powers of two and of ten, and the special ones, with whole exponents."""
    form = FORMATS[name]
    found: set[tuple[int, int]] = set()
    for n in range(1, 67):
        for limit in (form.maximum, 1 << 31, 1 << 32, 1 << 53, 1 << 63, 1 << 64):
            root = int(gmpy2.iroot(gmpy2.mpz(limit), n)[0])
            found |= {(sign * (root + step), n) for step in range(-2, 3) for sign in (1, -1)}
    special = [0, 1, 2, 3, 10, form.maximum, form.minimum, *(1 << k for k in range(0, 64, 3)), *(10**k for k in range(20))]
    special = [sign * each + step for each in special for step in (-1, 0, 1) for sign in (1, -1)]
    few = [0, 1, 2, 3, 4, 5, 7, 13, 20, 31, 32, 39, 40, 41, 61, 62, 63, 64, 65, 66, 100, 127]
    found |= {(x, sign * n) for x in special for n in few for sign in (1, -1)}
    draw = generator(name, "integer powers")
    for n in draw.integers(0, 66, 4000).tolist():
        found.add((int(2.0 ** draw.uniform(0, min(1.05 * form.bits / max(n, 1), 64))) * int(draw.choice([-1, 1])), n))
    return tuple(sorted((x, n) for x, n in found if form.minimum <= x <= form.maximum))


@pytest.mark.parametrize("exponent", ["own", "u64", "i8", "f64", "f32"])
@pytest.mark.parametrize("base", LARGE)
def test_borders_of_the_wide_types(base: str, exponent: str) -> None:
    exponent = base if exponent == "own" else exponent
    pairs = [(x, n) for x, n in border_pairs(base) if n >= 0 or exponent not in UNSIGNED_INTEGERS]
    special = (-7, -2, -1, 0, 1, 2, 3, FORMATS[base].maximum, FORMATS[base].minimum)
    more = [(x, y) for x in special if x >= FORMATS[base].minimum for y in extremes(exponent) if x < 2 or not 1 / 64 < y < 0.6]
    x = np.array([x for x, _ in pairs + more], DTYPES[base])
    y = stored([n for _, n in pairs + more], exponent)
    wanted = np.array([real_power(x, n, base) for x, n in pairs + more], DTYPES[base])
    order = generator(base, f"order {exponent}").permutation(x.size)
    check(x[order], y[order], wanted[order])
    for one in order[:50]:
        assert exactops.pow(x[one : one + 1], y[one : one + 1])[0] == wanted[one]
        assert exactops.pow(x[one], y[one]) == wanted[one]


def test_limits_of_the_bases() -> None:
    for bits, most, above in ((63, 62, above_signed_limit), (64, 63, above_unsigned_limit)):
        for n in range(1, most + 1):
            root = int(gmpy2.iroot(gmpy2.mpz((1 << bits) - 1), n)[0])
            magnitudes = np.array([1, root - 1, root, min(root + 1, 2**64 - 1), 2**64 - 1], np.uint64)
            wanted = [int(each) ** n >= 1 << bits for each in magnitudes]
            assert above(magnitudes, np.full(5, n)).tolist() == wanted, (bits, n)
        assert not above(np.array([2**64 - 1], np.uint64), np.zeros(1, np.int64)).any()


# --- fractional exponents ------------------------------------------------------------------------------------------------


def test_fractional_exponents() -> None:
    for name in INTEGER_TYPES:
        x = np.array([4, 2, 10, 8, 8, 9, 16, 27, 81, 4, 3, 0, 0, 1], DTYPES[name])
        y = np.array([0.5, 0.5, 1.5, 1 / 3, 2 / 3, 1.5, 0.75, 1 / 3, 0.25, -0.5, -1.5, 0.5, -0.5, -7.5])
        wanted = [2, 1, 31, 1, 3, 27, 8, 3, 3, 0, 0, 0, FORMATS[name].maximum, 1]
        # The doubles 1/3 and 2/3 are below those numbers.
        check(x, y, np.array(wanted, DTYPES[name]) - np.array(x == 27, DTYPES[name]))
    assert exactops.pow(np.array([10, 10], np.int32), np.array([2.5, -2.5])).tolist() == [316, 0]
    y = np.array([1.5, 0.5, np.nan, np.inf], np.float32)
    assert exactops.pow(np.array([-8, -1, -2, -1], np.int32), y).tolist() == [0, 0, 0, 1]


@functools.cache
def fractional_pairs(base: str, exponent: str) -> tuple[Any, Any]:
    """Bases above 1 and fractional exponents: perfect powers and their neighbours, results next to whole numbers, and any."""
    largest, draw = FORMATS[base].maximum, generator(base, f"fractions {exponent}")
    found: list[tuple[int, float]] = []
    for j in range(1, 6):
        top = int(gmpy2.iroot(gmpy2.mpz(largest), 1 << j)[0])
        for root in {2, 3, 4, 5, 6, 7, 10, top, top - 1, *draw.integers(2, max(top, 3), 40, dtype=np.uint64).tolist()}:
            odd = 2 * int(draw.integers(0, 1 << (j + 1))) + 1
            found += [(root ** (1 << j) + step, n / (1 << j)) for step in (-1, 0, 1) for n in (1, 3, odd)]
    for _ in range(1500):
        x = int(2.0 ** draw.uniform(1, FORMATS[base].bits))
        found.append((x, draw.uniform(0, 66) / math.log2(x)))
        found.append((x, draw.integers(1, 300) / 32))
        # The doubles around log_x(c): the powers are next to c.
        c = int(2.0 ** draw.uniform(1, draw.choice([4, 20, FORMATS[base].bits])))
        with gmpy2.context(precision=200):
            y = float(gmpy2.log(gmpy2.mpz(c)) / gmpy2.log(gmpy2.mpz(max(x, 2))))
        found += [(x, y), (x, math.nextafter(y, 0)), (x, math.nextafter(y, 9))]
    found += [(x, y) for x in (2, 3, largest) for y in (1 / 64, 1 / 63, 0.016, 1e-20, 5e-324, 63.5, 64.5, 65.5, 1e10 + 0.5)]
    found = [(x, y) for x, y in found if 2 <= x <= largest]
    return np.array([x for x, _ in found], DTYPES[base]), np.array([y for _, y in found]).astype(DTYPES[exponent])


@pytest.mark.parametrize("exponent", ["f64", "f32"])
@pytest.mark.parametrize("base", INTEGER_TYPES)
def test_fractional_exponents_against_the_reference(base: str, exponent: str) -> None:
    x, y = fractional_pairs(base, exponent)
    wanted = expected("pow", (x, y), {}, DTYPES[base])
    check(x, y, wanted)
    order = generator(base, f"fractional order {exponent}").permutation(x.size)
    check(x[order], y[order], wanted[order])


def test_half_exponents_next_to_whole_numbers() -> None:
    """(36 j**4 + 4 j)**1.5 is 216 j**6 + 36 j**3 + 1 - 1 / (54 j**3) and less, which only wide integers tell for a large j."""
    x, wanted = [], []
    for j in (*range(-660, 0), *range(1, 660)):
        number = 36 * j**4 + 4 * j
        x.append(number)
        wanted.append(math.isqrt(number**3))
        assert abs(wanted[-1] - (216 * j**6 + 36 * j**3 + 1)) <= 1
    pairs = np.array(x, np.uint64), np.full(len(x), 1.5)
    assert max(wanted) > 2**63 and max(wanted) < 2**64
    check(*pairs, np.array(wanted, np.uint64))
    check(pairs[0].astype(np.int64), pairs[1], np.array([saturate(each, "i64") for each in wanted]))
    same_bits(expected("pow", pairs, {}, np.dtype(np.uint64)), np.array(wanted, np.uint64))


def test_floor_power_keeps_its_error() -> None:
    draw = generator("u64", "floor power")
    largest = 0.0
    for _ in range(400):
        x = max(2, int(2.0 ** draw.uniform(1, 64)))
        y = float(np.clip(draw.uniform(0, 64) / math.log2(x), 1 / 64, 64.9))
        found, whole = wide_power(x, np.float64(y))
        with gmpy2.context(precision=600):
            real = gmpy2.mpz(x) ** gmpy2.mpfr(y)
            scaled = gmpy2.mpfr(gmpy2.mpz(int(found))) * gmpy2.exp2(gmpy2.mpz(int(whole)) - 252)
            largest = max(largest, float(abs(scaled / real - 1)))
            floor = int(gmpy2.floor(real))
        assert int(floor_power(x, np.float64(y))) & (2**64 - 1) == min(floor, 2**64 - 1)
    assert 0 < largest < 2.0**-236
    for i, entry in enumerate(LOGARITHMS):
        with gmpy2.context(precision=400):
            assert abs(gmpy2.mpz(int(entry)) - gmpy2.log2(1 + gmpy2.exp2(-i)) * gmpy2.exp2(252)) <= 0.5
    # As a kernel calls it.
    lanes = np.array([8, 10], np.uint64), np.array([1 / 3, 1.5])
    results = recompute(np.array([True, False]), np.array([7, 7]), floor_power, *lanes)
    assert results.tolist() == [1, 7]


# --- the test itself -----------------------------------------------------------------------------------------------------


def test_a_wrong_power_is_found() -> None:
    x, y = np.array([17, 3, 2, -5]), np.array([13, 4, 5, 3])
    wanted = np.array([real_power(int(a), int(b), "i64") for a, b in zip(x, y, strict=True)])
    through_double = (x.astype(np.float64) ** y).astype(np.int64)
    assert len(different(x, y, through_double, wanted)) == 1
    assert not different(x, y, wanted, wanted)
    for place in range(4):
        changed = wanted.copy()
        changed[place] ^= 1
        assert [each[0] for each in different(x, y, changed, wanted)] == [x[place]]


def test_the_reference_agrees_with_pythons_integers() -> None:
    for base in INTEGER_TYPES:
        pairs = border_pairs(base)[::7]
        x = np.array([x for x, _ in pairs], DTYPES[base])
        wanted = np.array([real_power(x, n, base) for x, n in pairs], DTYPES[base])
        for exponent in ("i64", "f64"):
            y = np.array([n for _, n in pairs], DTYPES[exponent])
            same_bits(expected("pow", (x, y), {}, DTYPES[base]), wanted)
        few = np.array([-2, -1, 0, 1, 2, 3], object)
        few = few[few >= FORMATS[base].minimum].astype(DTYPES[base])
        for y in extremes("f64"):
            powers = np.array([real_power(int(x), y, base) for x in few], DTYPES[base])
            same_bits(expected("pow", (few, np.full(few.size, y)), {}, DTYPES[base]), powers)


@pytest.mark.parametrize("base", INTEGER_TYPES)
def test_kernels_without_a_compiler(base: str) -> None:
    """The kernels as functions of NumPy arrays, which is what they mean."""
    bases, whole = zip(*border_pairs(base), strict=True)
    x, n = stored(bases, base), stored(whole, "i64")
    with np.errstate(all="ignore"):
        same_bits(power._INTEGER[base, True].exact(x, n), exactops.pow(x, n))
        same_bits(power._INTEGER[base, False].exact(x, n.astype(np.float64)), exactops.pow(x, n))
        for exponent in ("f64", "f32"):
            x, y = (each[::13] for each in fractional_pairs(base, exponent))
            same_bits(power._INTEGER[base, False].exact(x, y), exactops.pow(x, y))


def test_bfloat16_exponents() -> None:
    found = exactops.pow(np.array([3, -3, 7]), np.array([40, 39, 0.5], ml_dtypes.bfloat16))
    assert found.tolist() == [2**63 - 1, -(3**39), 2]
