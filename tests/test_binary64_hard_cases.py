"""float64: inputs whose results lie next to the middle of two doubles, of published searches and our own, on every path."""

from __future__ import annotations

import csv
import functools
from pathlib import Path

import numpy as np
import pytest
from support.values import generator, same_bits, within_ulp

import exactops
from exactops.ops import SPELLINGS

FILE = Path(__file__).resolve().parent.parent / "testdata" / "hard_cases_f64.csv"

#: Functions that have to be served, with as many cases each.
SERVED = ("exp", "log", "sin", "cos", "tanh", "erf", "erfc", "rsqrt")
CASES = 700


@functools.cache
def hard_cases() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Inputs and correctly rounded results by function."""
    rows: dict[str, list[tuple[int, int]]] = {}
    with FILE.open(newline="") as table:
        for row in csv.DictReader(table):
            pair = int(row["input_bits"], 16), int(row["correctly_rounded_bits"], 16)
            rows.setdefault(row["function"], []).append(pair)
    found = {}
    for function, pairs in rows.items():
        bits = np.array(pairs, np.uint64)
        found[function] = bits[:, 0].copy().view(np.float64), bits[:, 1].copy().view(np.float64)
    return found


def serves(function: str) -> bool:
    """Whether the table of operators has the function for float64."""
    return function in SPELLINGS and "f64" in SPELLINGS[function][0].dtypes


FUNCTIONS = [function for function in sorted(hard_cases()) if serves(function)]


def test_the_functions_and_how_many_cases_they_have() -> None:
    assert set(SERVED) <= set(FUNCTIONS)
    counts = {function: inputs.size for function, (inputs, _) in hard_cases().items()}
    assert len(counts) == 24 and sum(counts.values()) == 16_400
    assert all(counts[function] == CASES for function in SERVED)
    for inputs, results in hard_cases().values():
        assert np.unique(inputs.view(np.uint64)).size == inputs.size == results.size


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_hard_case(function: str) -> None:
    inputs, results = hard_cases()[function]
    for path in exactops.paths():
        found = exactops.run(function, inputs, path=path)
        same_bits(found, results, (inputs,), f"{function} {path}")
        within_ulp(exactops.run(function, inputs, path=path, mode="fast"), results, 2, (inputs,), f"{function} {path} fast")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_hard_cases_among_others(function: str) -> None:
    """At any place among inputs that are common, and among each other, a hard case has its result."""
    inputs, results = hard_cases()[function]
    draw = generator("f64", f"neighbours of {function}")
    for path in exactops.paths():
        for share in (2, 9):
            places = draw.permutation(share * inputs.size)[: inputs.size]
            # Other cases of the table, negated or not, halved and doubled, and any numbers near 1.
            with np.errstate(over="ignore"):
                others = draw.choice(inputs, share * inputs.size) * draw.choice(
                    [-2.0, -1.0, -0.5, 0.5, 2.0], share * inputs.size
                )
            common = draw.uniform(0.25, 4.0, share * inputs.size)
            mixed = np.where(draw.random(common.size) < 0.5, common, others)
            mixed[places] = inputs
            same_bits(exactops.run(function, mixed, path=path)[places], results, (inputs,), f"{function} {path}")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_hard_cases_alone(function: str) -> None:
    inputs, results = hard_cases()[function]
    for path in exactops.paths():
        alone = [exactops.run(function, inputs[place : place + 1], path=path) for place in range(inputs.size)]
        same_bits(np.concatenate(alone), results, (inputs,), f"{function} {path}")


def test_a_wrong_bit_is_found() -> None:
    inputs, results = hard_cases()["rsqrt"]
    for place in (0, 350, 699):
        wrong = results.copy()
        wrong.view(np.uint64)[place] ^= np.uint64(1)
        with pytest.raises(AssertionError, match=f"1 of 700 elements differ, the first at .{place},"):
            same_bits(wrong, results, (inputs,))
