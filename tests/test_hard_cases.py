"""The hardest float64 inputs of published searches, ``testdata/hard_cases_f64.csv``, with their results, on every path."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import exactops

TABLE = Path(__file__).parent.parent / "testdata" / "hard_cases_f64.csv"


def hard_cases() -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    with TABLE.open() as file:
        for row in csv.DictReader(file):
            pair = int(row["input_bits"], 16), int(row["correctly_rounded_bits"], 16)
            found.setdefault(row["function"], []).append(pair)
    return found


HARD_CASES = {name: rows for name, rows in hard_cases().items() if name in exactops.operators()}


def test_the_table_has_them() -> None:
    assert set(HARD_CASES) >= {"exp", "log", "sin", "cos", "tanh", "erf", "erfc", "rsqrt"}
    assert all(len(rows) >= 500 for rows in HARD_CASES.values())


@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize("op", HARD_CASES)
def test_hard_cases(op: str, path: str) -> None:
    """In the table's order, and each beside 1 and 2, which need no accurate phase."""
    inputs, outputs = np.array(HARD_CASES[op], np.uint64).T.copy()
    x = inputs.view(np.float64)
    assert (exactops.run(op, x, path=path).view(np.uint64) == outputs).all()
    spread = np.ones(5 * x.size + 3)
    spread[::3] = 2.0
    spread[4::5][: x.size] = x
    assert (exactops.run(op, spread, path=path)[4::5][: x.size].view(np.uint64) == outputs).all()
    fast = exactops.run(op, x, path=path, mode="fast").view(np.int64)
    assert np.abs(fast - outputs.view(np.int64)).max() <= 2
