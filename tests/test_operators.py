"""The big table: every operator × dtype × mode × path × layout against the independent references.

One test item is an operator with one dtype: it runs every mode on every path with every layout, so that a kernel is
compiled once and checked many times. Exact mode must give the reference's bits. Fast mode must give the same values apart
from NaN bits (a), (b), (d), one of the permitted values where a product and a sum may be fused, and be within a few units
in the last place (c).
"""

from __future__ import annotations

import functools
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.special_cases import special_cases_of
from support.values import generator, hard_values, pairs, powers, random_patterns, same_bits, triples, within_ulp

import exactops
from exactops.ops import find_operator
from exactops.verification.reference import (
    DTYPES,
    FLOATS,
    FORMATS,
    REFERENCES,
    array_of,
    canonical_name,
    expected,
    permitted_fast,
)

MODES = ("exact", "fast")

#: The attribute sets with which an operator runs (default: none given).
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "sign": [{}, {"nan": "zero"}],
    "scaled_add": [{"alpha": 0.3, "beta": -1.7}, {"alpha": 1.0, "beta": 1.0}, {"alpha": 1e-3, "beta": 3.0}],
    "leaky_relu": [{}, {"alpha": 0.25}, {"alpha": -1.5}, {"alpha": float("inf")}],
    "hard_sigmoid": [{}, {"alpha": 0.5, "beta": 0.6}, {"alpha": -1 / 3, "beta": 0.1}],
    "gelu": [{}, {"approximate": "none"}, {"approximate": "tanh"}],
    "powi": [{"exp": each} for each in (0, 1, 2, 3, -1, -2, 5, 17, -7, 1000, 2**31 - 1, -(2**31))],
    "powi_backward": [{"exp": each} for each in (0, 1, 2, -1, 17, 2**31 - 1, -(2**31))],
    "clip": [{}, {"min": 1, "max": 100}, {"min": 2}, {"max": 5}],
    "clamp": [{}, {"min": 1, "max": 100}, {"min": 2}, {"max": 5}],
    "clamp_min": [{}, {"min": 3}],
    "clamp_max": [{}, {"max": 3}],
}

#: Types that an exponent of pow may have beside the base's own.
EXPONENT_TYPES = ("f64", "i64", "f32", "i32", "u8")

#: Attributes that select nothing here: the target of a cast is a parameter, the others matter for types not stored yet.
FREE_ATTRIBUTES = {"to", "saturate", "round_mode", "fmod"}


def _hard_cases(name: str) -> dict[str, list[int]]:
    """Inputs of a type whose results lie near a rounding midpoint, by function; both signs of each are run."""
    found: dict[str, list[int]] = {
        op: [] for op, operator in exactops.operators().items() if operator.category == "c" and len(operator.operands) == 1
    }
    sign = 1 << (FORMATS[name].bits - 1)
    for file in sorted((Path(__file__).parent.parent / "testdata").glob(f"hard_cases*_{name}.csv")):
        for line in file.read_text().split()[1:]:
            op, pattern = line.split(",")[:2]
            found.setdefault(op, []).extend([int(pattern, 16), int(pattern, 16) ^ sign])
    return found


HARD_CASES = {name: _hard_cases(name) for name in ("f32", "f64")}


class Workload(NamedTuple):
    """Flat operands, attributes and what may come out: the exact result first, then what fusion permits in fast mode."""

    operands: tuple[np.ndarray | None, ...]
    attributes: dict[str, Any]
    results: tuple[np.ndarray, ...]

    @property
    def size(self) -> int:
        """Elements of the result."""
        return int(self.results[0].size)

    def take(self, chosen: Any) -> Workload:
        """The same for some of the elements, as fresh contiguous arrays."""
        operands = tuple(None if each is None else np.ascontiguousarray(each[chosen]) for each in self.operands)
        return Workload(operands, self.attributes, tuple(np.ascontiguousarray(each[chosen]) for each in self.results))


# --- what is computed -------------------------------------------------------------------------------------------------


def any_bytes_of_bool(count: int, purpose: str) -> np.ndarray:
    """Booleans whose true bytes are not all 1."""
    choice = generator("bool", purpose).integers(0, 8, count)
    return array_of(np.array([0, 0, 0, 1, 1, 2, 0x80, 0xFF], np.uint8)[choice], "bool")


def one_operand(name: str) -> tuple[np.ndarray, ...]:
    """Every pattern of the small types, the hard values of the others."""
    if name == "bool":
        return (array_of([0, 1, 2, 0x40, 0x80, 0xFF], "bool"),)
    if FORMATS[name].bits <= 16:
        return (array_of(np.arange(1 << FORMATS[name].bits), name),)
    return (hard_values(name),)


def two_operands(name: str) -> tuple[np.ndarray, ...]:
    """Every pair of the 8-bit types, the hard pairs of the others."""
    if FORMATS[name].bits == 8:
        patterns = np.array([0, 1, 2, 0x40, 0x80, 0xFF], np.uint8) if name == "bool" else np.arange(256, dtype=np.uint8)
        left, right = np.meshgrid(patterns, patterns)
        return array_of(left.reshape(-1), name), array_of(right.reshape(-1), name)
    return pairs(name)


def operand_sets(op: str, name: str) -> Iterator[tuple[np.ndarray | None, ...]]:
    """The operands with which an operator of a dtype runs."""
    least, most = REFERENCES[op].operands
    if op == "where":
        left, right = two_operands(name)
        yield any_bytes_of_bool(left.size, "condition"), left, right
    elif op == "pow":
        yield pairs(name)
        if name in FLOATS:
            yield powers(name)
        base = pairs(name)[0][:1500]
        for exponent in EXPONENT_TYPES:
            if exponent != name:
                wide = np.resize(pairs(exponent)[1], base.size)
                small = np.resize(array_of([0, 1, 2, 3], exponent), base.size)
                yield base, np.where(np.arange(base.size) % 3 == 0, small, wide)
    elif most is None:
        yield one_operand(name)
        yield two_operands(name)
        yield triples(name)
        first, second, third = triples(name)
        yield first, second, third, second[::-1], first[::-1]
    elif op in ("clip", "clamp"):
        yield triples(name)
        x, bound = two_operands(name)
        yield x, bound, None
        yield x, None, bound
        yield (x,)
    elif op in HARD_CASES.get(name, ()):
        noise = array_of(random_patterns(FORMATS[name], 20_000 if name == "f32" else 5_000, f"{op} {name}"), name)
        yield (np.concatenate([hard_values(name), array_of(HARD_CASES[name][op], name), noise]),)
    elif op == "powi":  # many exponents: the hard values will do
        yield (hard_values(name),)
    elif most == 1 or op == "cast_like":
        yield one_operand(name)
    elif least == most == 2 or op in ("clamp_min", "clamp_max"):
        yield two_operands(name)
    else:
        raise AssertionError(f"no operands are known for {op}")


def attribute_sets(op: str, name: str, operands: int) -> list[dict[str, Any]]:
    """The attributes that go with a number of operands."""
    if op == "mod":
        return [{"fmod": 1}] if name in FLOATS else [{}, {"fmod": 0}, {"fmod": 1}]
    sets = VARIANTS.get(op, [{}])
    if op in ("clip", "clamp", "clamp_min", "clamp_max"):
        bounds = operands > 1
        required = op in ("clamp_min", "clamp_max")
        return [each for each in sets if (bounds and not each) or (not bounds and (each or not required))]
    return sets


def result_name(op: str, name: str) -> str:
    """The type of a result (casts aside)."""
    return "bool" if op in ("equal", "less", "greater", "less_or_equal", "greater_or_equal") else name


def make(op: str, operands: Sequence[Any], attributes: dict[str, Any], result: str) -> Workload:
    """A workload with its expected results."""
    exact = expected(op, operands, attributes, DTYPES[result])
    variants = permitted_fast(op, operands, attributes, DTYPES[result])
    return Workload(tuple(operands), attributes, (exact, *variants))


@functools.lru_cache(maxsize=4)
def workloads(op: str, name: str) -> tuple[Workload, ...]:
    """All that an operator of a dtype computes in this test; the references are asked once for all modes and paths."""
    found = []
    if op == "cast":
        (operand,) = one_operand(name)
        for target in DTYPES:
            found.append(make(op, (operand,), {"to": DTYPES[target]}, target))
        return tuple(found)
    if op == "cast_like":
        (operand,) = one_operand(name)
        for target in ("f16", "f64", "i32", "bool"):
            like = array_of(np.zeros(1, f"u{FORMATS[target].bits // 8}"), target)
            exact = expected("cast", (operand,), {}, DTYPES[target])
            found.append(Workload((operand, np.broadcast_to(like, operand.shape)), {}, (exact,)))
        return tuple(found)
    for operands in operand_sets(op, name):
        for attributes in attribute_sets(op, name, len(operands)):
            if op == "clamp_min" and len(operands) == 1 and not attributes:
                continue
            found.append(make(op, operands, attributes, result_name(op, name)))
    if op in ("clamp_min", "clamp_max"):
        for attributes in attribute_sets(op, name, 1):
            found.append(make(op, one_operand(name), attributes, name))
    return tuple(found)


# --- layouts ----------------------------------------------------------------------------------------------------------


def strided(array: np.ndarray) -> np.ndarray:
    """Every third element of a larger array, among other values."""
    large = np.repeat(array[::-1], 3)
    view = large[1::3]
    view[...] = array
    return view


def backward(array: np.ndarray) -> np.ndarray:
    """The same elements at descending addresses."""
    return array[::-1].copy()[::-1]


def misaligned(array: np.ndarray) -> np.ndarray:
    """The same elements at an odd address."""
    size = array.nbytes
    view = np.zeros(size + 1, np.uint8)[1:].view(array.dtype)
    view[...] = array
    return view


def swapped(array: np.ndarray) -> np.ndarray:
    """The other byte order (not for bfloat16, which has one only)."""
    if array.dtype.kind == "V" or array.dtype.name == "bfloat16":
        return array
    return array.byteswap().view(array.dtype.newbyteorder())


def read_only(array: np.ndarray) -> np.ndarray:
    """A copy that must not be written."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def matrix(array: np.ndarray, order: str) -> np.ndarray:
    """A matrix of 7 columns in C or Fortran order."""
    rows = array.size // 7
    return np.array(array[: rows * 7].reshape(rows, 7), order=order)


def cube(array: np.ndarray) -> np.ndarray:
    """Three axes whose memory runs in another order, with a gap."""
    block = array[: array.size // 30 * 30].reshape(-1, 5, 6)
    large = np.zeros((6, block.shape[0], 9), array.dtype)
    view = large.transpose(1, 2, 0)[:, 2:7]
    view[...] = block
    return view


Layout = Callable[[int, np.ndarray], np.ndarray]

#: Layout of operand number n; the results are laid out by the last function, in plain memory.
LAYOUTS: dict[str, tuple[Layout, Callable[[np.ndarray], np.ndarray]]] = {
    "contiguous": (lambda number, array: array, lambda array: array),
    "strided": (lambda number, array: strided(array), lambda array: array),
    "reversed": (lambda number, array: backward(array), lambda array: array),
    "one reversed": (lambda number, array: array if number else backward(array), lambda array: array),
    "last strided": (lambda number, array: strided(array) if number else array, lambda array: array),
    "misaligned": (lambda number, array: misaligned(array), lambda array: array),
    "byte-swapped": (lambda number, array: swapped(array), lambda array: array),
    "first byte-swapped": (lambda number, array: array if number else swapped(array), lambda array: array),
    "read-only": (lambda number, array: read_only(array), lambda array: array),
    "Fortran": (lambda number, array: matrix(array, "F"), lambda array: matrix(array, "C")),
    "C and Fortran": (lambda number, array: matrix(array, "CF"[number % 2]), lambda array: matrix(array, "C")),
    "cube": (lambda number, array: cube(array), lambda array: array[: array.size // 30 * 30].reshape(-1, 5, 6)),
}

OUTPUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "plain": lambda array: array.copy(),
    "strided": strided,
    "reversed": backward,
    "misaligned": misaligned,
}


class Checker:
    """Runs one operator in one mode on one path and compares, counting what it compared."""

    def __init__(self, op: str, mode: str, path: str) -> None:
        self.op = op
        self.mode = mode
        self.path = path
        self.checks = 0
        self.messages: list[str] = []

    def attempt(self, what: str, action: Callable[[], None]) -> None:
        """Does one check; a failure, a warning and a floating-point error become a message."""
        try:
            with warnings.catch_warnings(), np.errstate(all="raise"):
                warnings.simplefilter("error")
                action()
        except Exception as error:
            self.messages.append(f"[{self.mode} {self.path} {what}] {type(error).__name__}: {error}")

    def run(self, work: Workload, **more: Any) -> Any:
        """The engine's result."""
        return exactops.run(self.op, *work.operands, mode=self.mode, path=self.path, **work.attributes, **more)

    def compare(self, work: Workload, actual: Any, what: str) -> None:
        """Compares a result with the workload's."""
        self.checks += 1
        exact, *alternatives = work.results
        context = f"{self.op} {work.attributes} {self.mode} {self.path} {what}"
        category = REFERENCES[canonical_name(self.op)].category
        if self.mode == "exact":
            same_bits(actual, exact, work.operands, context)
        elif category == "c" and exact.dtype.kind in "fV":
            # A composition of a class (c) value and a product adds the product's rounding.
            limit = 5 if self.op == "powi_backward" else (1 if exact.dtype.itemsize == 2 else 2)
            within_ulp(actual, exact, limit, work.operands, context)
        else:
            same_bits(actual, exact, work.operands, context, any_nan=True, alternatives=alternatives)

    def check(self, work: Workload, what: str, **more: Any) -> None:
        """Runs and compares."""
        self.attempt(what, lambda: self.compare(work, self.run(work, **more), what))


def check_layouts(checker: Checker, work: Workload) -> None:
    """All layouts of the operands, and random positions among random neighbours."""
    for name, (lay_out, results) in LAYOUTS.items():
        operands = tuple(None if each is None else lay_out(number, each) for number, each in enumerate(work.operands))
        checker.check(Workload(operands, work.attributes, tuple(map(results, work.results))), name)
    for turn in range(2):
        order = generator(str(work.size), f"positions {turn}").permutation(work.size)
        checker.check(work.take(order), "shuffled")


def check_lengths(checker: Checker, work: Workload) -> None:
    """Every length from 0 to two groups of lanes and one, from changing starts."""
    itemsize = max(each.dtype.itemsize for each in (*work.operands, work.results[0]) if each is not None)
    lanes = 64 // min(itemsize, 4)
    mixed = work.take(generator(str(work.size), "lengths").permutation(work.size))
    for length in range(2 * lanes + 2):
        start = (5 * length) % max(1, work.size - length)
        part = slice(start, start + length)
        operands = tuple(None if each is None else each[part] for each in mixed.operands)
        checker.check(Workload(operands, work.attributes, tuple(each[part] for each in mixed.results)), f"length {length}")


def check_scalars_and_empty(checker: Checker, work: Workload) -> None:
    """0-d operands give scalars, empty ones empty results."""
    for index in range(0, work.size, max(1, work.size // 6)):
        operands = tuple(None if each is None else np.array(each[index]) for each in work.operands)
        one = Workload(operands, work.attributes, tuple(np.array(each[index]) for each in work.results))

        def returned(one: Workload = one) -> None:
            actual = checker.run(one)
            assert not isinstance(actual, np.ndarray), f"a 0-d call returns {type(actual)}"
            checker.compare(one, actual, "0-d")

        def written(one: Workload = one) -> None:
            out = np.zeros((), work.results[0].dtype)
            assert checker.run(one, out=out) is out
            checker.compare(one, out, "0-d out")

        checker.attempt("0-d", returned)
        checker.attempt("0-d out", written)
    for shape in ((0,), (3, 0), (0, 4)):
        operands = tuple(None if each is None else np.zeros(shape, each.dtype) for each in work.operands)
        checker.check(Workload(operands, work.attributes, tuple(np.zeros(shape, each.dtype) for each in work.results)), "empty")


def check_broadcasting(checker: Checker, work: Workload, broadcast: Sequence[Workload]) -> None:
    """Steps of zero: one element against many, and columns against rows."""
    index = work.size // 3
    repeated = tuple(None if each is None else np.broadcast_to(each[index], (37,)) for each in work.operands)
    checker.check(Workload(repeated, work.attributes, tuple(np.full(37, each[index]) for each in work.results)), "stride 0")
    for each in broadcast:
        checker.check(each, "broadcast")


def check_outputs(checker: Checker, work: Workload) -> None:
    """out= in several layouts, over an input, overlapping an input, and with where=."""
    result = work.results[0]

    def laid_out(name: str) -> None:
        out = OUTPUTS[name](np.zeros(result.shape, result.dtype))
        assert checker.run(work, out=out) is out
        checker.compare(work, out, f"out {name}")

    def masked() -> None:
        mask = any_bytes_of_bool(work.size, "mask").view(np.uint8) != 0
        filler = 1 if result.dtype == np.bool_ else 0x5A
        canary = array_of(np.full(result.size, filler, f"u{result.dtype.itemsize}"), result.dtype)
        out = canary.copy()
        checker.run(work, out=out, where=mask)
        checker.compare(work.take(mask), out[mask], "where")
        same_bits(out[~mask], canary[~mask], (), "elements that where= leaves out")

    def in_place(number: int) -> None:
        own = tuple(None if each is None else each.copy() for each in work.operands)
        assert checker.run(work._replace(operands=own), out=own[number]) is own[number]
        checker.compare(work, own[number], f"in place of operand {number}")

    def overlapping(number: int, ahead: bool) -> None:
        memory = np.zeros(work.size + 3, result.dtype)
        source, out = (memory[:-3], memory[3:]) if ahead else (memory[3:], memory[:-3])
        source[...] = work.operands[number]
        own = tuple(source if place == number else each for place, each in enumerate(work.operands))
        checker.run(work._replace(operands=own), out=out)
        checker.compare(work, out, f"out overlaps operand {number}")

    for name in OUTPUTS:
        checker.attempt(f"out {name}", lambda name=name: laid_out(name))
    checker.attempt("where", masked)
    for number, operand in enumerate(work.operands):
        if operand is not None and operand.dtype == result.dtype and checker.op != "cast_like":
            checker.attempt(f"in place of {number}", lambda number=number: in_place(number))
            checker.attempt(f"overlap with {number}", lambda number=number: overlapping(number, True))
            checker.attempt(f"overlap behind {number}", lambda number=number: overlapping(number, False))


def broadcast_workloads(op: str, name: str, work: Workload) -> list[Workload]:
    """Mixed shapes of a workload's operands (small), and Python scalars where the operator takes them."""
    if op in ("cast", "cast_like") or len([each for each in work.operands if each is not None]) < 2:
        return []
    result = work.results[0].dtype
    short = next(key for key, dtype in DTYPES.items() if dtype == result)
    step = max(1, work.size // 12)
    found = []
    for lonely in range(len(work.operands)):
        shapes = [
            None if each is None else each[: 11 * step : step].reshape((1, -1) if place == lonely else (-1, 1))
            for place, each in enumerate(work.operands)
        ]
        found.append(make(op, shapes, work.attributes, short))
    if op not in ("pow",) and name != "bool":
        scalars = [0, 1, 3] if name not in FLOATS else [0, -2, 0.1, 1e300, float("nan"), -0.0]
        for scalar in scalars:
            last = len(work.operands) - 1
            mixed = [scalar if place == last and each is not None else each for place, each in enumerate(work.operands)]
            if all(isinstance(each, int | float) or each is None for each in mixed):
                continue
            mixed = [each[:50] if isinstance(each, np.ndarray) else each for each in mixed]
            found.append(make(op, mixed, work.attributes, short))
    return found


# --- the table --------------------------------------------------------------------------------------------------------

TABLE = exactops.operators()
ITEMS = [(op, name) for op, operator in TABLE.items() for name in operator.dtypes]


def sample(work: Workload, count: int) -> Workload:
    """An evenly spread part of a workload."""
    return work if work.size <= count else work.take(slice(0, None, -(-work.size // count)))


@pytest.mark.parametrize(("op", "name"), ITEMS, ids=[f"{op}-{name}" for op, name in ITEMS])
def test_values_and_layouts(op: str, name: str) -> None:
    messages: list[str] = []
    total = failed = 0
    for work in workloads(op, name):
        part = sample(work, 1200)
        broadcast = broadcast_workloads(op, name, part)
        first = work is workloads(op, name)[0] or op in ("cast", "cast_like")
        for mode, path in itertools.product(MODES, exactops.paths()):
            checker = Checker(op, mode, path)
            checker.check(work, "values")
            check_layouts(checker, part)
            check_broadcasting(checker, part, broadcast)
            planned = 1 + len(LAYOUTS) + 2 + 1 + len(broadcast)
            if first:
                check_lengths(checker, work)
                check_scalars_and_empty(checker, part)
                check_outputs(checker, part)
                planned += 34 + 2 * 6 + 3 + len(OUTPUTS) + 1
            messages += checker.messages[:2]
            failed += len(checker.messages)
            total += checker.checks
            assert checker.messages or checker.checks >= planned, f"{checker.checks} checks of at least {planned} ran"
    assert total > 0
    assert not messages, f"{failed} of {total + failed} checks of {op} {name} fail\n" + "\n".join(messages[:16])


@pytest.mark.parametrize("op", list(TABLE))
def test_special_cases(op: str) -> None:
    place = -1 if op == "where" else 0
    cases = [each for each in special_cases_of(canonical_name(op)) if each.types[place] in TABLE[op].dtypes]
    assert cases, f"no special case is written out for {op}"
    groups: dict[Any, list[Any]] = {}
    for case in cases:
        missing = tuple(each is None for each in case.operands)
        key = (case.types, missing, repr(sorted(case.attributes.items())), case.result_type)
        groups.setdefault(key, []).append(case)
    messages: list[str] = []
    ran = 0
    for members in groups.values():
        columns = zip(*(case.arrays for case in members), strict=True)
        operands = tuple(None if column[0] is None else np.concatenate(column) for column in columns)
        wanted = np.concatenate([case.expected for case in members])
        name = members[0].types[place]
        fused = permitted_fast(op, operands, members[0].attributes, wanted.dtype)
        work = Workload(operands, members[0].attributes, (wanted, *fused))
        for mode, path in itertools.product(MODES, exactops.paths()):
            checker = Checker(op, mode, path)
            checker.check(work, f"special cases {name}")
            messages += checker.messages
            ran += len(members)
    assert ran == len(cases) * len(MODES) * len(exactops.paths())
    assert not messages, f"{len(messages)} groups of special cases of {op} fail\n" + "\n".join(messages[:12])


def test_the_table_has_references_and_special_cases_for_every_operator() -> None:
    without_reference = [op for op in TABLE if op not in REFERENCES]
    assert not without_reference, f"no reference: {without_reference}"
    without_cases = [op for op in TABLE if not special_cases_of(op)]
    assert not without_cases, f"no special cases: {without_cases}"


def test_every_reference_is_served() -> None:
    missing = set(REFERENCES) - {name for operator in TABLE.values() for name in operator.names}
    assert not missing, f"the table lacks {sorted(missing)}"


def test_every_attribute_is_varied() -> None:
    untested = []
    for op, operator in TABLE.items():
        varied = {name for variant in VARIANTS.get(op, []) for name in variant} | FREE_ATTRIBUTES
        untested += [f"{op}.{each.name}" for each in operator.attributes if each.name not in varied]
    assert not untested, f"VARIANTS does not mention {untested}"


def test_every_spelling_resolves_to_its_operator() -> None:
    for op, operator in TABLE.items():
        for spelling in operator.names:
            assert find_operator(spelling) is operator
        if operator.onnx:
            assert canonical_name(operator.onnx) == op
        assert getattr(exactops, operator.function)


@pytest.mark.parametrize("op", list(TABLE))
def test_an_unserved_dtype_is_refused(op: str) -> None:
    operator = TABLE[op]
    for name, dtype in DTYPES.items():
        if name in operator.dtypes or op in ("cast", "cast_like"):
            continue
        operands: list[Any] = [np.ones(3, dtype) for _ in range(operator.required)]
        if op == "where":
            operands[0] = np.ones(3, np.bool_)
        attributes = dict(VARIANTS.get(op, [{}])[0])
        out = np.zeros(3, dtype)
        with pytest.raises(exactops.UnsupportedError, match=name):
            exactops.run(op, *operands, out=out, **attributes)
        same_bits(out, np.zeros(3, dtype))


def test_a_planted_fault_is_found() -> None:
    """The comparison of this module reports a wrong bit, a wrong NaN in exact mode, and a wrong dtype."""
    work = make("add", pairs("f32"), {}, "f32")
    checker = Checker("add", "exact", exactops.paths()[0])
    good = work.results[0]
    checker.compare(work, good, "good")
    spoilt = good.copy()
    spoilt.view(np.uint32)[17] ^= 1
    with pytest.raises(AssertionError, match=r"1 of .* differ"):
        checker.compare(work, spoilt, "spoilt")
    negative = good.copy()
    negative.view(np.uint32)[np.isnan(good)] |= np.uint32(1 << 31)
    with pytest.raises(AssertionError, match="differ"):
        checker.compare(work, negative, "NaN with a sign")
    Checker("add", "fast", "scalar").compare(work, negative, "NaN with a sign")
    with pytest.raises(AssertionError, match="got float64"):
        checker.compare(work, good.astype(np.float64), "wrong dtype")
