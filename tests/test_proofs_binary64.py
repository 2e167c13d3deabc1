"""The prover of float64: its filter keeps its bound and decides as MPFR, and it finds planted faults."""

from __future__ import annotations

import csv
import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

import exactops
from exactops.cli import main
from exactops.table.formats import FORMATS
from exactops.verification.binary64 import draws, powers
from exactops.verification.binary64 import filter as binary64_filter
from exactops.verification.binary64.arithmetic import decide, two_product, two_sum
from exactops.verification.binary64.draws import BATCH
from exactops.verification.campaign import Findings, Task, prove
from exactops.verification.decision import correctly_rounded, encode, round_dyadic
from exactops.verification.functions import Function, erf_tail, function_of, provable
from exactops.verification.multiprecision import gmpy2
from exactops.verification.powers import correctly_rounded_power
from exactops.verification.record import entry_of

F64 = FORMATS["f64"]
HARD = Path(__file__).parent.parent / "testdata" / "hard_cases_f64.csv"
NAMES = [name for name in provable() if name in binary64_filter.SERVED]


def sample(name: str, count: int) -> np.ndarray:
    """Inputs of every share of a batch."""
    return np.random.default_rng(5).choice(draws.draw(function_of_name(name), 7, 3), count, replace=False)


def function_of_name(name: str) -> Function:
    return function_of("gelu", {"approximate": "tanh"}) if name == "gelu_tanh" else function_of(name)


def hard_cases(name: str) -> np.ndarray:
    if not HARD.exists():
        return np.empty(0)
    with HARD.open() as file:
        found = [int(row["input_bits"], 16) for row in csv.DictReader(file) if row["function"] == name]
    return np.array(found, np.uint64).view(np.float64)


# --- arithmetic -----------------------------------------------------------------------------------------------------------


def test_sums_and_products_are_exact():
    chance = np.random.default_rng(1)
    for a, b in (chance.normal(0, 1, (500, 2)) * 2.0 ** chance.integers(-40, 40, (500, 2))).tolist():
        for pair, exact in ((two_sum(a, b), gmpy2.mpq(a) + gmpy2.mpq(b)), (two_product(a, b), gmpy2.mpq(a) * gmpy2.mpq(b))):
            assert gmpy2.mpq(pair[0]) + gmpy2.mpq(pair[1]) == exact
            assert pair[0] == float(exact)


def test_decisions_are_the_roundings():
    """Of random values and of values next to midpoints, of any size; an error that reaches a midpoint leaves them open."""
    chance = np.random.default_rng(2)
    opened = 0
    for number in range(4000):
        exponent = int(
            chance.choice([0, -1022, -1023, -1050, -1073, -1074, -1075, -1076, 1022, 1023, 1024, int(number) - 2000])
        )
        high = float(chance.choice([1.0, 2.0 - 2.0**-52, 1.5, chance.uniform(1, 2)])) * float(chance.choice([-1.0, 1.0]))
        bits_behind = max(0, min(53, -1021 - exponent))  # of a subnormal result
        midpoint = 2.0 ** (bits_behind - 53)
        low = float(chance.choice([midpoint, -midpoint, 0.5 * midpoint, -0.5 * midpoint, 0.0])) * float(
            chance.choice([1.0, 0.5])
        )
        low += float(chance.choice([-1.0, 1.0])) * 2.0 ** float(chance.uniform(-120, -60))
        error = 2.0 ** float(chance.uniform(-130, -62))
        bits, is_open = decide(high, low, error, exponent)
        value = gmpy2.mpq(high) + gmpy2.mpq(low)
        ends, shift = [], 400
        for end in (value - gmpy2.mpq(error), value + gmpy2.mpq(error)):
            mantissa = int(abs(end) * 2**shift)
            assert abs(end) * 2**shift == mantissa
            ends.append(round_dyadic(mantissa, exponent - shift, F64) | (int(end < 0) << 63))
        if is_open:
            opened += 1
            if -1000 < exponent < 1020:  # not without need, but for the factor on the error
                wide = gmpy2.mpq(error) * (1 + gmpy2.mpq(2) ** -20)
                mantissas = [int(abs(end) * 2**shift) for end in (value - wide, value + wide)]
                assert len({round_dyadic(mantissa, exponent - shift, F64) for mantissa in mantissas}) == 2
        else:
            assert ends == [bits, bits]
    assert 100 < opened < 2500


# --- the filter -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_the_filter_keeps_its_bound(name):
    """The filter's value differs from MPFR's by less than its bound, hard cases and worst multiples of π/2 included."""
    function = function_of_name(name)
    inputs = [*sample(name, 1500).tolist(), *hard_cases(name).tolist()]
    if function.periodic:
        inputs += np.random.default_rng(3).choice(draws.worst_multiples(), 500).tolist()
    tried, largest, widest = 0, 0.0, 0.0
    for x in inputs:
        if function.quadratic and abs(x) < 2.0**-500:
            continue  # x/2 and a trace, of which only the sign is told
        found = binary64_filter.estimate(function, x)
        if found is None:
            continue
        high, low, bound, exponent = found
        with gmpy2.context(precision=700):
            real = gmpy2.mul_2exp(function.value(gmpy2.mpfr(x)), -exponent)
            error = float(abs(real - high - low))
        assert error <= bound, f"{name}({x!r}): error {error:.3g}, bound {bound:.3g}"
        largest, widest = max(largest, error / bound), max(widest, bound / abs(high))
        tried += 1
    assert tried >= 500
    assert largest > 2.0**-20  # the bound says something
    assert widest < 2.0**-66


@pytest.mark.parametrize("name", NAMES)
def test_the_filter_decides_as_mpfr(name):
    function = function_of_name(name)
    special = np.array([0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1.0, -1.0, 2.0**-1022, 3.0 * 2.0**-1074])
    x = np.concatenate([special, np.array(draws.places(function)), sample(name, 1500), hard_cases(name)])
    results, undecided = binary64_filter.filtered(function, x)
    for bits, result in zip(x.view(np.uint64)[~undecided].tolist(), results[~undecided].tolist(), strict=True):
        assert correctly_rounded(function, bits, F64) == result, f"{name}({bits:#018x})"


@pytest.mark.parametrize("name", NAMES)
def test_the_filter_leaves_little_to_mpfr(name):
    low, high = draws.RANGES[name]
    _, undecided = binary64_filter.filtered(function_of_name(name), np.random.default_rng(4).uniform(low, high, 50_000))
    assert np.count_nonzero(undecided) <= 10


def test_hard_cases_are_decided_right():
    with HARD.open() as file:
        rows = [
            (row["function"], int(row["input_bits"], 16), int(row["correctly_rounded_bits"], 16))
            for row in csv.DictReader(file)
        ]
    for name, group in itertools.groupby(sorted(rows), key=lambda row: row[0]):
        if name in NAMES:
            _, inputs, outputs = zip(*group, strict=True)
            found, _ = binary64_filter.reference(function_of(name), np.array(inputs, np.uint64).view(np.float64))
            assert (found == np.array(outputs, np.uint64)).all(), name


def test_ties_of_subnormal_silu_are_decided():
    """x/2 is a tie between subnormals for every odd x, and x²/4 breaks it upwards for either sign."""
    patterns = np.arange(1, 1001, dtype=np.uint64)
    for name in ("silu", "gelu"):
        results, undecided = binary64_filter.filtered(function_of(name), patterns.view(np.float64))
        assert not undecided.any()
        assert (results == (patterns + np.uint64(1)) >> np.uint64(1)).all()
        results, undecided = binary64_filter.filtered(function_of(name), -patterns.view(np.float64))
        assert not undecided.any()
        assert (results ^ np.uint64(1 << 63) == patterns >> np.uint64(1)).all()


def test_no_angle_is_nearer_to_a_quarter_turn_than_the_filter_supposes():
    with gmpy2.context(precision=1400):
        turns = [gmpy2.mpfr(x) * 2 / gmpy2.const_pi() for x in draws.worst_multiples()]
        nearest = min(float(abs(turn - gmpy2.rint(turn))) for turn in turns)
    assert 2.0**-66 < nearest < 2.0**-58


def test_the_series_of_erfc_is_long_enough():
    """The tail of the series at multiples of 1/8, relative to erfc at the far end."""
    for number in range(-8 * 29, 8 * 29):
        tail = erf_tail(number / 8, 1 / 16, binary64_filter.ANCHOR_DEGREE)
        assert tail / gmpy2.erfc(gmpy2.mpfr(number / 8 + 1 / 16)) < gmpy2.mpfr(2.0) ** -190


# --- draws ----------------------------------------------------------------------------------------------------------------


def test_batches_are_reproducible():
    function = function_of("exp")
    one, two, other, next_one = (draws.draw(function, seed, number) for seed, number in ((1, 5), (1, 5), (2, 5), (1, 6)))
    assert one.size == BATCH
    assert (one.view(np.uint64) == two.view(np.uint64)).all()
    assert (one.view(np.uint64) != other.view(np.uint64)).mean() > 0.9
    assert (one.view(np.uint64) != next_one.view(np.uint64)).mean() > 0.9


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_has_every_binade_and_the_places_where_the_result_changes(name):
    function = function_of_name(name)
    x = draws.draw(function, 1, 0)
    patterns = x.view(np.uint64)
    assert np.unique(patterns >> np.uint64(52)).size == 4096  # every exponent of either sign, NaNs included
    for place in draws.places(function):
        near = np.abs((patterns & np.uint64((1 << 63) - 1)).view(np.int64) - int(np.float64(abs(place)).view(np.int64))) <= 64
        assert np.count_nonzero(near) > 50, place


def test_places_of_exp():
    found = draws.places(function_of("exp"))
    for place in (709.782712893384, -745.1332191019412, -708.3964185322641):
        assert min(abs(each - place) for each in found) < 1e-12 * abs(place)


# --- pow ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", ["f64", "f32", "bf16", "i64", "u64", "i8", "u16"])
def test_the_reference_of_pow_is_mpfr(exponent):
    x, y = powers.draw(6, 1, exponent)
    assert x.size == y.size == BATCH
    assert y.dtype == FORMATS[exponent].dtype
    chosen = np.concatenate([np.arange(64), np.random.default_rng(3).choice(x.size, 2000, replace=False)])  # 64 near ties
    x, y = x[chosen], y[chosen]
    with np.errstate(invalid="ignore"):
        y = y.astype(np.float64) if y.dtype.kind == "f" or exponent == "bf16" else y
    results, _, _ = powers.reference(x, y)
    for bits, power, result in zip(x.view(np.uint64).tolist(), y.tolist(), results.tolist(), strict=True):
        assert correctly_rounded_power(bits, power, F64) == result, f"{bits:#018x} ** {power!r}"


def test_the_filter_of_pow_keeps_its_bound():
    x, y = powers.draw(5, 0, "f64")
    tables = powers.tables()
    tried, largest = 0, 0.0
    for index in np.random.default_rng(6).choice(x.size, 6000, replace=False).tolist():
        base, exponent = abs(float(x[index])), float(y[index])
        if not (0.0 < base < math.inf and base != 1.0 and 2.0**-90 < abs(exponent) < 2.0**60):
            continue
        high, low, bound, scale = powers.power(base, exponent, 0.0, *tables)
        if scale in (1100, -1200):
            continue
        with gmpy2.context(precision=400):
            real = gmpy2.mul_2exp(gmpy2.mpfr(base) ** gmpy2.mpfr(exponent), -scale)
            error = float(abs(real - high - low))
        assert error <= bound, f"{base!r} ** {exponent!r}: error {error:.3g}, bound {bound:.3g}"
        largest = max(largest, error / bound)
        tried += 1
    assert tried > 3000
    assert largest > 2.0**-20


def test_wide_whole_exponents_are_not_rounded():
    """(1 + 2**-52)**y of two neighbouring int64 that are the same float64."""
    base = np.full(2, 1.0 + 2.0**-52)
    y = np.array([2**61 + 255, 2**61 + 256], np.int64)
    results, _, _ = powers.reference(base, y)
    bits = int(base.view(np.uint64)[0])
    assert results.tolist() == [correctly_rounded_power(bits, int(each), F64) for each in y]
    assert results[0] != results[1]
    largest = np.array([2**64 - 1, 2**63], np.uint64)
    results, _, _ = powers.reference(np.full(2, 1.0 - 2.0**-53), largest)
    assert results.tolist() == [correctly_rounded_power(encode(1.0 - 2.0**-53, F64), int(each), F64) for each in largest]


def test_squares_and_roots_of_a_batch_are_next_to_midpoints():
    x, y = powers._squares(np.random.default_rng(1), 2000)
    near = 0
    for base, exponent in zip(np.abs(x).tolist(), y.tolist(), strict=True):
        with gmpy2.context(precision=300):
            scaled = gmpy2.mpfr(base) ** gmpy2.mpfr(exponent)
            half = gmpy2.frac(gmpy2.mul_2exp(scaled, 53 - gmpy2.frexp(scaled)[0]))
        near += abs(float(half - 0.5)) < 2.0**-42
    assert near > 1000


# --- campaigns ------------------------------------------------------------------------------------------------------------


def right(x: np.ndarray) -> np.ndarray:
    return binary64_filter.reference(function_of("exp"), np.ascontiguousarray(x))[0].view(np.float64)


def test_a_flipped_bit_is_found():
    def flipped(x: np.ndarray) -> np.ndarray:
        y = np.array(right(x))
        y.view(np.uint64)[777] ^= 1
        return y

    found = prove(Task("exp", "f64", drawn=5000, evaluate=flipped))
    at = int(draws.draw(function_of("exp"), 0, 0).view(np.uint64)[777])
    want = correctly_rounded(function_of("exp"), at, F64)
    assert (found.inputs, found.wrong, found.worst) == (5000, 1, 1)
    assert found.examples == [(at, want ^ 1, want)]
    assert prove(Task("exp", "f64", drawn=5000, evaluate=right)).wrong == 0


def test_libraries_that_do_not_round_correctly_are_found():
    with np.errstate(all="ignore"):
        found = prove(Task("exp", "f64", drawn=1 << 17, evaluate=np.exp))
        assert found.wrong > 10
        assert found.worst >= 1
        found = prove(Task("pow", "f64", drawn=1 << 17, exponent="f64", evaluate=np.power))
    assert found.wrong > 10


def test_the_record_says_that_it_is_a_sample():
    found = Findings(inputs=1000, digests={0: b"0"})
    made_of = {"kernel": "1", "engine": "1"}
    entry = entry_of(Task("exp", "f64", drawn=1000, seed=3, evaluate=right), found, "scalar", 1.0, 1, made_of)
    assert (entry["drawn"], entry["seed"], entry["inputs"]) == (1000, 3, 1000)
    assert "a sample" in entry["evidence"] and "probability" not in entry["evidence"]
    for operator in ("sigmoid", "silu", "gelu", "pow"):
        task = Task(operator, "f64", drawn=1000, exponent="f64" if operator == "pow" else "", evaluate=right)
        assert "a bound on probability, not a proof" in entry_of(task, found, "scalar", 1.0, 1, made_of)["evidence"]


@pytest.mark.parametrize("operator", ["exp", "pow"])
def test_by_the_command(operator, capsys, tmp_path):
    if "f64" not in exactops.operators()[operator].dtypes:
        pytest.skip("not served yet")
    file = tmp_path / "proofs.json"
    assert main(["prove", operator, "--dtype", "f64", "--count", "20000", "--seed", "9", "--record", str(file), "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)
    assert (entry["inputs"], entry["seed"], entry["not_correctly_rounded"]) == (20000, 9, 0)
