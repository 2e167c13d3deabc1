"""Exp, sigmoid, silu, tanh, erf, erfc and gelu: derivations of their constants, and rare paths among common ones."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import exactops
from exactops.records import sources

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = ("exp", "sigmoid", "silu", "tanh", "erf", "erfc", "gelu", "gelu_tanh")


@pytest.mark.parametrize("tool", sorted(path.name for path in (ROOT / "tools").glob("derive_*.py")))
def test_constants_are_those_that_the_tool_derives(tool):
    """Every constant follows from mathematics alone."""
    command = [sys.executable, str(ROOT / "tools" / tool), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.findall(r"(\d+) of (\d+) constants are as derived", done.stdout)
    assert counts
    assert all(same == every and int(every) > 0 for same, every in counts)


@pytest.mark.parametrize("tool", sorted(path.stem for path in (ROOT / "tools").glob("derive_*.py")))
def test_the_tables_are_sources_of_kernels(tool):
    """A module of tables belongs to what a proof and a contract's revision speak of."""
    name = tool.removeprefix("derive_")
    package = "exactops.numerics.tables"
    if name.startswith("binary64_"):
        name, package = name.removeprefix("binary64_"), "exactops.numerics.binary64.tables"
    assert ROOT.joinpath(*package.split("."), f"{name}.py").is_file()
    assert any(f"{package}.{name}" in sources.kernel(operator) for operator in exactops.operators())


def _hard(function):
    words = []
    for name in ("hard_cases_f32.csv", "hard_cases_extra_f32.csv"):
        with (ROOT / "testdata" / name).open(newline="") as table:
            words += [int(row["input_bits"], 16) for row in csv.DictReader(table) if row["function"] == function]
    return np.array(words, np.uint32).view(np.float32)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_rare_lane_changes_no_other(function):
    """An operand that takes the accurate phase, at any position among operands that do not, gives what it gives alone."""
    hard = np.concatenate([_hard(function)[:8], np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-40, 100, -100])])
    common = np.linspace(-3, 3, 64, dtype=np.float32)
    expected = exactops.run(function, common, path="scalar").view(np.uint32)
    for value in hard:
        alone = exactops.run(function, np.array([value], np.float32), path="scalar").view(np.uint32)[0]
        for position in range(0, 64, 5):
            mixed = common.copy()
            mixed[position] = value
            wanted = expected.copy()
            wanted[position] = alone
            np.testing.assert_array_equal(exactops.run(function, mixed).view(np.uint32), wanted)
