"""Any element-wise function, held against the exact values.

The exact values are those of exactops' exact mode. They are correctly rounded, which ``python -m exactops prove`` checks for
all inputs; where gmpy2 is installed, the worst result of an audit is confirmed by MPFR on the spot.
"""

from __future__ import annotations

import functools
import itertools
import threading
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from exactops.frontend.plan import plan
from exactops.ops import find_operator
from exactops.table.formats import Storage
from exactops.table.operator import Operator
from exactops.testing.bits import (
    bits_of,
    from_bits,
    hexadecimal,
    infinity_bits,
    is_nan,
    ordered,
    sign_bit,
    storage_named,
    ulp_distance,
)
from exactops.testing.hard import generator, hard_values, mixed_values, random_bits, related
from exactops.testing.memory import lay_out

#: Inputs of an audit, by default.
SAMPLES = 1 << 20
#: The elements of one call.
_BLOCK = 1 << 18
#: Elements with which dependence on layout is looked for.
_PROBE = 1536
#: Random numbers of each sign and exponent.
_EACH_EXPONENT = 12
#: Points of the plot.
_POINTS = 1024
_CACHE_LINE = 64
_THREADS = 4

#: What the bits of a result must not depend on.
ASPECTS = ("repetition", "position", "length", "stride", "reversed", "alignment", "threads")

#: Turns arrays into what a function takes, and its result into an array.
Adapter = tuple[Callable[[np.ndarray], Any], Callable[[Any], Any]]


@dataclass(frozen=True)
class Deviation:
    """One result that differs.

    Attributes
    ----------
    operands : tuple of numpy.generic
        The operands.
    actual : numpy.generic
        What the function gave.
    expected : numpy.generic
        The exact value; of a dependence, what the function gave for the same values elsewhere.
    ulp : int
        The distance of the two, as :func:`ulp_distance` has it.
    """

    operands: tuple[Any, ...]
    actual: Any
    expected: Any
    ulp: int

    def __str__(self) -> str:
        operands = ", ".join(hexadecimal(each) for each in self.operands)
        return f"f({operands}) = {hexadecimal(self.actual)} instead of {hexadecimal(self.expected)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values: bits in hexadecimal, and the values as text."""
        return {
            "operands": [_plain(each) for each in self.operands],
            "actual": _plain(self.actual),
            "expected": _plain(self.expected),
            "ulp": self.ulp,
        }


@dataclass
class Dependence:
    """Whether bits depend on something that they must not depend on.

    Attributes
    ----------
    compared, differ : int
        Results compared with those of a plain call, and how many differ. NaNs are all alike here.
    where : str
        Where the first difference was seen.
    example : Deviation, optional
        The first difference.
    refused : list of str
        Layouts that the function does not take, with its error.
    """

    compared: int = 0
    differ: int = 0
    where: str = ""
    example: Deviation | None = None
    refused: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "compared": self.compared,
            "differ": self.differ,
            "where": self.where,
            "example": self.example and self.example.to_dict(),
            "refused": self.refused,
        }


@dataclass
class AuditReport:
    """What an audit found.

    Attributes
    ----------
    function, operator, dtype : str
        What was held against which operator, and the type of the operands.
    attributes : dict
        Attributes of the operator.
    seed : int
        Seed of the random inputs.
    samples : int
        Results compared with the exact ones.
    incorrect : int
        Results that are not the correctly rounded ones. A NaN is right where the exact result is a NaN, whatever its payload.
    worst : Deviation, optional
        The result farthest from the exact one, where both are finite; None where all of those are exact.
    confirmed : bool or None
        Whether MPFR gives the exact value of ``worst`` as well; None where it was not asked (no gmpy2, or no such reference).
    specials, zero_signs : int
        Results of another kind than the exact one (NaN, infinity, finite), and zeros of the wrong sign.
    special_example, zero_sign_example : Deviation, optional
        The first of each.
    noncanonical_nans : int
        NaNs with a sign or a payload. They count as right.
    dependence : dict from str to Dependence
        By aspect: repetition, position, length, stride, reversed, alignment, threads.
    modified_input : str
        The call in which the function wrote to one of its operands; empty if it did not.
    points : numpy.ndarray
        For the plot, a row for each group of neighbouring inputs: the first operand, its place among the numbers of the type,
        the largest error in ulp, and the share of results that are not correctly rounded.
    """

    function: str
    operator: str
    dtype: str
    attributes: dict[str, Any]
    seed: int
    samples: int = 0
    incorrect: int = 0
    worst: Deviation | None = None
    confirmed: bool | None = None
    specials: int = 0
    special_example: Deviation | None = None
    zero_signs: int = 0
    zero_sign_example: Deviation | None = None
    noncanonical_nans: int = 0
    dependence: dict[str, Dependence] = field(default_factory=dict)
    modified_input: str = ""
    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)), repr=False, compare=False)

    @property
    def share(self) -> float:
        """The share of results that are not correctly rounded."""
        return self.incorrect / self.samples if self.samples else 0.0

    @property
    def worst_ulp(self) -> int:
        """The largest error in ulp, where result and exact value are finite."""
        return self.worst.ulp if self.worst else 0

    @property
    def exact(self) -> bool:
        """Whether every result is the exact one."""
        return not self.incorrect

    @property
    def reproducible(self) -> bool:
        """Whether the bits depend on the values alone, as far as was seen."""
        return not any(found.differ for found in self.dependence.values())

    @property
    def passed(self) -> bool:
        """Exact, reproducible, and no operand was written to."""
        return self.exact and self.reproducible and not self.modified_input

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "function": self.function,
            "operator": self.operator,
            "dtype": self.dtype,
            "attributes": {name: _plain_attribute(value) for name, value in self.attributes.items()},
            "seed": self.seed,
            "samples": self.samples,
            "incorrect": self.incorrect,
            "share": self.share,
            "worst_ulp": self.worst_ulp,
            "worst": self.worst and self.worst.to_dict(),
            "confirmed": self.confirmed,
            "specials": self.specials,
            "special_example": self.special_example and self.special_example.to_dict(),
            "zero_signs": self.zero_signs,
            "zero_sign_example": self.zero_sign_example and self.zero_sign_example.to_dict(),
            "noncanonical_nans": self.noncanonical_nans,
            "dependence": {aspect: found.to_dict() for aspect, found in self.dependence.items()},
            "modified_input": self.modified_input,
            "exact": self.exact,
            "reproducible": self.reproducible,
            "passed": self.passed,
        }

    def rows(self) -> list[tuple[str, str, str]]:
        """What was found as rows of a table: a question, the answer, an example."""
        confirmed = {None: "", True: "; MPFR agrees", False: "; MPFR DISAGREES with the exact value"}[self.confirmed]
        rows = [
            ("not correctly rounded", f"{self.incorrect:,} of {self.samples:,} ({100 * self.share:.3g}%)", ""),
            ("largest error", f"{self.worst_ulp:,} ulp{confirmed}", _text(self.worst)),
            ("special values differ", f"{self.specials:,}", _text(self.special_example)),
            ("signs of zero differ", f"{self.zero_signs:,}", _text(self.zero_sign_example)),
            ("NaNs with sign or payload", f"{self.noncanonical_nans:,}", ""),
        ]
        for aspect, found in self.dependence.items():
            answer = f"YES: {found.differ:,} of {found.compared:,}" if found.differ else "no" if found.compared else "not seen"
            example = f"{found.where}: {found.example}" if found.differ else ""
            if found.refused:
                example += f"{'; ' if example else ''}refused: {'; '.join(found.refused)}"
            rows.append((f"bits depend on {aspect}", answer, example))
        rows.append(("writes to its operands", "YES" if self.modified_input else "no", self.modified_input))
        return rows

    def __str__(self) -> str:
        attributes = "".join(f", {name}={_plain_attribute(value)}" for name, value in self.attributes.items())
        lines = [f"{self.function} as {self.operator}{attributes}, {self.dtype}"]
        lines += [": ".join(filter(None, row[:2])) + (f" [{row[2]}]" if row[2] else "") for row in self.rows()]
        return "\n".join(lines)

    def plot(self, file: str | Path) -> None:
        """Draw the error over the first operand and save the picture.

        Parameters
        ----------
        file : str or Path
            The kind of picture follows from the name: ``.png``, ``.svg``, ``.pdf``.

        Raises
        ------
        ImportError
            Matplotlib is missing; the extra ``exactops[plot]`` installs it.
        """
        figure_class = _figure_class()
        storage = storage_named(self.dtype)
        figure = figure_class(figsize=(9, 6), layout="constrained")
        top, bottom = figure.subplots(2, sharex=True)
        _, place, worst, share = self.points.T
        top.plot(place, worst, ".", markersize=3, color="tab:red")
        top.set_yscale("symlog", linthresh=1)
        top.set_ylim(bottom=0)
        top.set_ylabel("largest error [ulp]")
        attributes = "".join(f", {name}={_plain_attribute(each)}" for name, each in self.attributes.items())
        top.set_title(f"{self.function} against exact {self.operator}{attributes}, {storage.dtype.name}")
        bottom.plot(place, 100 * share, ".", markersize=3, color="tab:blue")
        bottom.set_ylim(bottom=0)
        bottom.set_ylabel("not correctly rounded [%]")
        bottom.set_xlabel("first operand, in the order of the numbers of its type")
        ticks = _ticks(storage, place)
        bottom.set_xticks([each for each, _ in ticks], [label for _, label in ticks])
        for axes in (top, bottom):
            axes.grid(alpha=0.3)
        figure.savefig(file, dpi=150)


def audit(
    function: Callable[..., Any],
    op: str,
    dtype: Any = "float32",
    *,
    attributes: Mapping[str, Any] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    adapter: str | Adapter | None = None,
    name: str | None = None,
    advance: Callable[[int], Any] = lambda inputs: None,
) -> AuditReport:
    """Hold an element-wise function of any library against the exact values of an operator.

    It is asked how many results are not correctly rounded, how far the worst is off and for which operand, where special
    values and signs of zero differ, whether the bits of a result depend on anything but the values (a second call, the
    position in the array, the array's length, its stride, its direction, its alignment, calls in other threads), and whether
    the function writes to its operands.

    Parameters
    ----------
    function : callable
        Takes as many arrays as the operator has operands, of one shape, and returns an array of that shape. Arguments of its
        own are filled in by ``functools.partial``.
    op : str
        Any spelling of an operator of exactops.
    dtype : dtype_like
        Type of the operands.
    attributes : mapping, optional
        Attributes of the operator.
    samples : int
        How many results are compared: hard values, numbers of every exponent, and random ones where the operator is neither
        constant nor infinite nor the identity. For one operand of 8 or 16 bits all inputs are tried instead.
    seed : int
        The same seed gives the same inputs.
    adapter : "torch" or pair of callables, optional
        How arrays become what the function takes, and its result an array; by default the function takes arrays, and
        ``numpy.asarray`` makes one of the result.
    name : str, optional
        What the report calls the function.
    advance : callable
        Called with the number of inputs done since the last call.

    Returns
    -------
    AuditReport
        ``print`` shows it; ``passed`` says whether nothing was found.

    Raises
    ------
    UnsupportedError
        No such operator, or exactops does not serve it for this dtype.
    TypeError, ValueError
        The function returns another dtype or shape than the operator; an unknown adapter. What the function itself raises for
        plain contiguous arrays is passed on.

    Examples
    --------
    >>> import numpy as np, exactops
    >>> from exactops.testing import audit
    >>> audit(exactops.sqrt, "sqrt", samples=10_000).passed
    True
    >>> report = audit(lambda x: np.where(x > 0, x, np.float32(0)), "relu", samples=10_000)
    >>> report.passed, report.specials > 0  # a NaN became 0
    (False, True)
    """
    operator, storage = find_operator(op), storage_named(dtype)
    given = dict(attributes or {})
    if samples < 1:
        raise ValueError(f"samples={samples!r}: at least one is needed")
    exact = functools.partial(_exact, operator, given)
    nothing = _operands_of(operator, storage, np.zeros(0, storage.dtype), 0, given)
    plan(operator, nothing, attributes=given)  # refuses what is not served
    subject = _Subject(function, _adapter(adapter))
    title = name or _name_of(function)
    report = AuditReport(title, operator.name, storage.dtype.name, given, seed)
    operands = _inputs(operator, storage, samples, seed, exact, given)
    # Once for all threads: filters of warnings belong to the process.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        actual, expected = _results(subject, exact, operands, advance)
        _compare(report, operands, actual, expected)
        report.dependence = _dependence(subject, operands, actual, _probe(actual, expected, seed), seed)
    report.confirmed = _confirm(report, operator, storage)
    report.modified_input = subject.modified
    return report


def _results(
    subject: _Subject, exact: Callable[..., np.ndarray], operands: tuple[np.ndarray, ...], advance: Callable[[int], Any]
) -> tuple[np.ndarray, np.ndarray]:
    """What the function gives and the exact results, block by block."""
    size = operands[0].size
    expected = np.empty(size, exact(*(each[:0] for each in operands)).dtype)
    actual = np.empty(size, expected.dtype)
    for start in range(0, size, _BLOCK):
        part = tuple(each[start : start + _BLOCK] for each in operands)
        expected[start : start + _BLOCK] = exact(*part)
        actual[start : start + _BLOCK] = subject(part, f"a call with {part[0].size} elements", expected.dtype)
        advance(part[0].size)
    return actual, expected


def _exact(operator: Operator, attributes: Mapping[str, Any], *operands: np.ndarray) -> np.ndarray:
    import exactops

    return np.asarray(exactops.run(operator.name, *operands, **attributes))


def _name_of(function: Callable[..., Any]) -> str:
    if isinstance(function, functools.partial):
        return f"partial({_name_of(function.func)})"
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", getattr(function, "__name__", None))
    return ".".join(filter(None, (module, name))) if name else repr(function)


# --- the function under audit ---------------------------------------------------------------------------------------------


class _Subject:
    """The function: called with fresh copies, watched for writes, its result made an array."""

    def __init__(self, function: Callable[..., Any], adapter: Adapter) -> None:
        self.function = function
        self.to, self.back = adapter
        self.modified = ""

    def __call__(self, operands: Sequence[np.ndarray], what: str, dtype: np.dtype, layout: str = "contiguous") -> np.ndarray:
        """The result for copies of the operands in a layout."""
        return self.direct([lay_out(each, layout) for each in operands], what, dtype)

    def direct(self, operands: Sequence[np.ndarray], what: str, dtype: np.dtype) -> np.ndarray:
        """The result for these arrays."""
        before = [bits_of(each) for each in operands]
        with np.errstate(all="ignore"):
            result = np.array(self.back(self.function(*map(self.to, operands))))
        for number, (each, bits) in enumerate(zip(operands, before, strict=True)):
            changed = np.flatnonzero(bits_of(each) != bits)
            if changed.size and not self.modified:
                self.modified = f"operand {number} in {what}, {changed.size} elements, the first at {int(changed[0])}"
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        if result.shape != shape:
            raise ValueError(f"the function returned shape {result.shape} for operands of shape {shape}")
        if result.dtype != dtype:
            raise TypeError(f"the function returned {result.dtype}, the operator's result is {dtype}")
        return result


def _adapter(adapter: str | Adapter | None) -> Adapter:
    if adapter is None:
        return (lambda array: array), np.asarray
    if adapter == "torch":
        return _torch()
    if isinstance(adapter, tuple) and len(adapter) == 2 and all(map(callable, adapter)):
        return adapter
    raise ValueError(f"adapter={adapter!r}: it must be 'torch' or a pair of callables")


def _torch() -> Adapter:
    try:
        import torch
    except ImportError as error:
        raise ImportError("the adapter 'torch' needs PyTorch: pip install torch") from error
    bfloat16 = storage_named("bf16").dtype

    def to(array: np.ndarray) -> Any:
        if array.dtype == bfloat16:
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    def back(tensor: Any) -> np.ndarray:
        tensor = tensor.detach().cpu()
        if tensor.dtype == torch.bfloat16:
            return tensor.view(torch.int16).numpy().view(bfloat16)
        return tensor.numpy()

    return to, back


# --- inputs ---------------------------------------------------------------------------------------------------------------


def _operands_of(
    operator: Operator, storage: Storage, first: np.ndarray, seed: int, given: Collection[str] = ()
) -> tuple[np.ndarray, ...]:
    """Operands of which the first value operand is there: the others partly random, partly related to it.

    Bounds that are ``given`` as attributes, and those behind them, are not drawn.
    """
    names = ("x", "y") if operator.variadic else operator.operands
    names = tuple(itertools.takewhile(lambda name: name not in given, names))
    found = [first]
    while len(found) < len(names) - operator.condition:
        turn = len(found)
        other = mixed_values(storage.dtype, first.size, seed + turn)
        for kind in range(4):
            place = slice(kind, None, 16)
            other[place] = related(first[place], kind, seed + turn)
        found.append(other)
    if operator.condition:
        found.insert(0, mixed_values(np.bool_, first.size, seed))
    return tuple(found)


def _inputs(
    operator: Operator, storage: Storage, samples: int, seed: int, exact: Callable[..., np.ndarray], given: Collection[str]
) -> tuple[np.ndarray, ...]:
    """The operands of the comparison: flat, of one length."""
    single = len(_operands_of(operator, storage, np.zeros(0, storage.dtype), seed, given)) == 1
    if single and storage.size <= 2:
        count = 2 if storage.kind == "b" else 1 << (8 * storage.size)
        return (from_bits(np.arange(count), storage.dtype),)
    chance = generator(seed, "audit", storage.short)
    if storage.kind != "f":
        first = np.concatenate([hard_values(storage.dtype), mixed_values(storage.dtype, samples, seed)])
    else:
        structured = _each_exponent(storage, chance)
        first = np.concatenate([hard_values(storage.dtype), structured])
        rest = samples - first.size
        if rest > 0:
            more = _active(storage, structured, exact, rest, chance) if single else mixed_values(storage.dtype, rest, seed)
            first = np.concatenate([first, more])
    # In random order: a function that takes another way for a whole group of lanes sees mixed groups. Where few samples are
    # wanted, those that are kept are a random part.
    first = first[chance.permutation(first.size)[:samples]]
    return _operands_of(operator, storage, first, seed, given)


def _each_exponent(storage: Storage, chance: np.random.Generator) -> np.ndarray:
    """Random numbers of each sign and exponent, subnormals included, in that order."""
    digits = storage.precision - 1
    fields = np.arange((1 << (storage.exponent_bits + 1)) - 1)
    fields = fields[fields != (1 << storage.exponent_bits) - 1]  # infinities and NaNs
    fraction = chance.integers(0, 1 << digits, (fields.size, _EACH_EXPONENT), np.uint64)
    return from_bits((fields.astype(np.uint64)[:, None] << np.uint64(digits) | fraction).reshape(-1), storage.dtype)


def _active(
    storage: Storage, structured: np.ndarray, exact: Callable[..., np.ndarray], count: int, chance: np.random.Generator
) -> np.ndarray:
    """Random numbers of the exponents in which an operator of one operand is not constant, its operand, NaN or infinite."""
    values = exact(structured)
    results = ordered(values).reshape(-1, _EACH_EXPONENT)
    results[is_nan(values).reshape(results.shape)] = 0
    distinct = (np.diff(np.sort(results, axis=1), axis=1) != 0).sum(axis=1)
    trivial = results == ordered(structured).reshape(results.shape) if values.dtype == structured.dtype else np.False_
    groups = np.flatnonzero((distinct >= _EACH_EXPONENT // 2) & ~np.all(trivial, axis=-1))
    bits = bits_of(structured).reshape(results.shape)[:, 0].astype(np.uint64)
    if not groups.size:
        return from_bits(random_bits(storage, count, chance), storage.dtype)
    digits = np.uint64(storage.precision - 1)
    chosen = bits[groups[chance.integers(0, groups.size, count)]] >> digits << digits
    return from_bits(chosen | chance.integers(0, 1 << int(digits), count, np.uint64), storage.dtype)


# --- comparison with the exact values -------------------------------------------------------------------------------------


def _differ(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where bits differ; NaNs are all alike."""
    if actual.dtype == np.bool_:
        return np.asarray((bits_of(actual) != 0) != (bits_of(expected) != 0))
    return np.asarray((bits_of(actual) != bits_of(expected)) & ~(is_nan(actual) & is_nan(expected)))


def _deviation(operands: Sequence[np.ndarray], actual: np.ndarray, expected: np.ndarray, index: Any) -> Deviation:
    distance = int(ulp_distance(actual[index], expected[index]))
    return Deviation(tuple(each[index] for each in operands), actual[index], expected[index], distance)


def _compare(report: AuditReport, operands: tuple[np.ndarray, ...], actual: np.ndarray, expected: np.ndarray) -> None:
    storage = storage_named(expected.dtype)
    differ = _differ(actual, expected)
    distance = ulp_distance(actual, expected)
    report.samples, report.incorrect = int(actual.size), int(np.count_nonzero(differ))
    finite = np.ones(actual.shape, np.bool_)
    if storage.kind == "f":
        unsigned = np.dtype(f"u{storage.size}").type
        magnitude, infinity = unsigned(sign_bit(storage) - 1), unsigned(infinity_bits(storage))
        got, want = bits_of(actual) & magnitude, bits_of(expected) & magnitude
        special = differ & ((got >= infinity) | (want >= infinity))
        zeros = differ & (got == 0) & (want == 0)
        finite = (got < infinity) & (want < infinity)
        report.specials, report.zero_signs = int(np.count_nonzero(special)), int(np.count_nonzero(zeros))
        if report.specials:
            report.special_example = _deviation(operands, actual, expected, np.flatnonzero(special)[0])
        if report.zero_signs:
            report.zero_sign_example = _deviation(operands, actual, expected, np.flatnonzero(zeros)[0])
        report.noncanonical_nans = int(np.count_nonzero(is_nan(actual) & (bits_of(actual) != storage.nan)))
    distance = np.where(finite, distance, np.uint64(0))
    if distance.size and distance.max() > 0:
        report.worst = _deviation(operands, actual, expected, int(distance.argmax()))
    report.points = _points(operands[-1 if operands[0].dtype != operands[-1].dtype else 0], distance, differ)


def _points(first: np.ndarray, distance: np.ndarray, differ: np.ndarray) -> np.ndarray:
    """Groups of neighbouring inputs: value, place, largest error, share."""
    numbers = np.flatnonzero(~is_nan(first))
    place = ordered(first[numbers])
    order = np.argsort(place, kind="stable")
    found = []
    for group in np.array_split(order, min(_POINTS, order.size)) if order.size else []:
        chosen = numbers[group]
        middle = group[group.size // 2]
        found.append(
            (
                float(first[numbers[middle]]),
                float(place[middle]),
                float(distance[chosen].max()),
                float(differ[chosen].mean()),
            )
        )
    return np.array(found, np.float64).reshape(-1, 4)


def _confirm(report: AuditReport, operator: Operator, storage: Storage) -> bool | None:
    """Ask MPFR for the exact value of the worst result."""
    if report.worst is None or len(report.worst.operands) != 1 or storage.short not in ("f32", "f16", "bf16"):
        return None
    try:
        from exactops.verification.decision import correctly_rounded
        from exactops.verification.functions import function_of

        function = function_of(operator.name, report.attributes)
    except (ImportError, KeyError):
        return None
    bits = int(bits_of(report.worst.operands[0]))
    return correctly_rounded(function, bits, storage) == int(bits_of(report.worst.expected))


# --- dependence -----------------------------------------------------------------------------------------------------------


def _probe(actual: np.ndarray, expected: np.ndarray, seed: int) -> np.ndarray:
    """Indices of elements to look at closely: some that are wrong, and others."""
    chance = generator(seed, "probe")
    wrong = np.flatnonzero(_differ(actual, expected))
    some = wrong[chance.permutation(wrong.size)[: _PROBE // 3]]
    others = chance.permutation(actual.size)[: max(_PROBE - some.size, 0)]
    chosen = np.concatenate([some, others])
    chosen = chosen[chance.permutation(chosen.size)]
    # A multiple of 8, so that the elements make a matrix too.
    return np.resize(chosen, max(8, chosen.size // 8 * 8))


class _Watcher:
    """Compares the results of one aspect with those of a plain call."""

    def __init__(self, operands: Sequence[np.ndarray], plain: np.ndarray) -> None:
        self.operands, self.plain, self.found = operands, plain, Dependence()
        self.lock = threading.Lock()

    def see(self, chosen: Any, where: str, call: Callable[[], np.ndarray]) -> None:
        """Compare the result of a call with the plain results of the chosen elements."""
        try:
            result = call()
        except Exception as error:
            with self.lock:
                self.found.refused.append(f"{where} ({type(error).__name__}: {' '.join(str(error).split())[:80]})")
            return
        plain = np.broadcast_to(self.plain[chosen], result.shape)
        differ = _differ(result, plain)
        with self.lock:
            self.found.compared += result.size
            count = int(np.count_nonzero(differ))
            if count and not self.found.differ:
                index = tuple(np.argwhere(differ)[0])
                operands = [np.broadcast_to(each[chosen], result.shape) for each in self.operands]
                self.found.where, self.found.example = where, _deviation(operands, result, plain, index)
            self.found.differ += count


def _dependence(
    subject: _Subject, operands: tuple[np.ndarray, ...], actual: np.ndarray, probe: np.ndarray, seed: int
) -> dict[str, Dependence]:
    """Look for each aspect with the elements of the probe."""
    dtype = actual.dtype
    chosen = tuple(each[probe] for each in operands)
    plain = subject(chosen, "a plain call", dtype)
    size = probe.size
    every = np.arange(size)
    chance = generator(seed, "dependence")
    watchers = {aspect: _Watcher(chosen, plain) for aspect in ASPECTS}

    def look(aspect: str, index: np.ndarray, where: str, layout: str = "contiguous") -> None:
        part = tuple(each[index] for each in chosen)
        watchers[aspect].see(index, where, lambda: subject(part, where, dtype, layout))

    for turn in range(2):
        look("repetition", every, f"call {turn + 2}")
    for shift in (*range(1, 34), 63, 64, 65):
        look("position", np.roll(every, shift), f"moved by {shift} places")
    for _ in range(3):
        look("position", chance.permutation(size), "in another order")
    for length in (*range(1, 132), 255, 257, 511, 1000):
        start = (37 * length) % max(1, size - length)
        look("length", every[start : start + length], f"in an array of {min(length, size)}")
    for place in every[: min(size, 256)]:
        look("length", every[place : place + 1], "in an array of 1")
    if actual.size > size:
        watchers["length"].see(every, f"in an array of {min(actual.size, _BLOCK):,}", lambda: actual[probe])
    matrix = every.reshape(-1, 8)
    look("stride", every, "every third element", "strided")
    look("stride", matrix, "a matrix with padded rows", "padded")
    look("stride", matrix, "a matrix in Fortran's order", "fortran")
    look("stride", matrix.reshape(-1, 4, 2), "rotated axes", "rotated axes")
    for place in every[: min(size, 64)]:
        look("stride", np.full(37, place), "a stride of 0", "broadcast")
    look("reversed", every, "a reversed view", "reversed")
    look("reversed", every, "a reversed view of every second element", "reversed stride")
    for offset in range(1, _CACHE_LINE // max(each.itemsize for each in chosen)):
        moved = [_at_offset(each, offset) for each in chosen]
        where = f"{offset} elements after a multiple of {_CACHE_LINE} bytes"
        watchers["alignment"].see(every, where, functools.partial(subject.direct, moved, where, dtype))
    if min(each.itemsize for each in chosen) > 1:
        look("alignment", every, "at an odd address", "misaligned")
    _in_threads(subject, chosen, watchers["threads"], dtype)
    return {aspect: watcher.found for aspect, watcher in watchers.items()}


def _at_offset(values: np.ndarray, offset: int) -> np.ndarray:
    """A copy that begins so many elements after a cache line."""
    memory = np.zeros(values.nbytes + 2 * _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE + offset * values.itemsize
    view = memory[start : start + values.nbytes].view(f"u{values.itemsize}")
    view[...] = bits_of(values)
    return view.view(values.dtype)


def _in_threads(subject: _Subject, chosen: tuple[np.ndarray, ...], watcher: _Watcher, dtype: np.dtype) -> None:
    """Calls at the same time, each thread from another start."""
    size = chosen[0].size
    barrier = threading.Barrier(_THREADS)

    def call(index: np.ndarray, where: str) -> np.ndarray:
        return subject([each[index] for each in chosen], where, dtype)

    def work(number: int) -> None:
        barrier.wait()
        for turn in range(12):
            index = np.roll(np.arange(size), 5 * number + turn)
            where = f"one of {_THREADS} concurrent calls"
            watcher.see(index, where, functools.partial(call, index, where))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# --- output ---------------------------------------------------------------------------------------------------------------


def _text(deviation: Deviation | None) -> str:
    return "" if deviation is None else str(deviation)


def _plain(element: Any) -> dict[str, str]:
    array = np.asarray(element)
    return {"bits": f"0x{int(bits_of(array)):0{2 * array.dtype.itemsize}x}", "value": str(element)}


def _plain_attribute(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("a plot needs Matplotlib: pip install 'exactops[plot]' (or pip install matplotlib)") from error
    return Figure


def _ticks(storage: Storage, place: np.ndarray) -> list[tuple[float, str]]:
    """Places and labels on an axis in the order of the numbers: powers of ten where they fit."""
    if not place.size:
        return []
    low, high = float(place.min()), float(place.max())
    if storage.kind == "f":
        top = int(np.log10(float(np.asarray(from_bits([infinity_bits(storage) - 1], storage.dtype), np.float64)[0])))
        powers = [power for power in range(-top - 1, top + 1) if power % max(1, top // 4) == 0]
        values = np.array([-(10.0**power) for power in reversed(powers)] + [0.0] + [10.0**power for power in powers])
        with np.errstate(all="ignore"):
            places = ordered(values.astype(storage.dtype)).astype(np.float64)
        labels = [f"{value:g}" for value in values]
    else:
        places = np.linspace(low, high, 5)
        labels = [f"{each:.3g}" for each in np.linspace(low, high, 5) - (2.0**63 if storage.kind == "i" else 0)]
    found, last = [], -np.inf
    for each, label in zip(places, labels, strict=True):
        if low <= each <= high and each - last > (high - low) / 14:
            found.append((float(each), label))
            last = each
    return found
