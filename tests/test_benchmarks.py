"""The benchmarks work: a moment of each, in processes of their own, since they pin themselves to one core."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parent.parent / "bench"


def run(*arguments: str) -> str:
    """Run a Python command in the folder of the benchmarks; returns what it prints."""
    done = subprocess.run([sys.executable, *arguments], cwd=BENCH, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_against_numpy() -> None:
    options = ["--rounds", "1", "--sizes", "64", "--no-compile", "--only", "add", "cast to int32"]
    rows = json.loads(run("against_numpy.py", *options, "--json"))["rows"]
    assert len(rows) == 5 + 1  # speeds, first use
    assert all(row["exactops"] > 0 for row in rows)
    assert "targets met" in run("against_numpy.py", *options)


def test_call_cost() -> None:
    found = json.loads(run("call_cost.py", "--rounds", "1", "--json"))
    rows = found["rows"]
    assert {row["kind"] for row in rows} == {"named function", "run", "other"}
    assert all(row["numpy_ns"] > 0 and row["met"] == (row["ratio"] <= row["limit"]) for row in rows)
    table = run("call_cost.py", "--rounds", "1", "--only", "run", "--markdown").split("\n\n")[1].splitlines()
    assert len(table) == 2 + sum(row["kind"] == "run" for row in rows)
    assert all(line.count("|") == 7 for line in table) and table[1].count("---:") >= 3


def test_call_cost_checks_its_limits() -> None:
    """The exit code of --check, with limits that everything and that nothing keeps."""
    for limit, code in ((1e9, 0), (0.0, 1)):
        program = (
            "import sys; from benchmarks import calls\n"
            f"calls.LIMITS.update({{kind: ({limit}, {limit}) for kind in calls.LIMITS}})\n"
            "import call_cost\n"
            f"assert call_cost.main(['--rounds', '1', '--only', 'named function', '--check']) == {code}"
        )
        assert f"of {8} within" in run("-c", program)


def test_compare_peers() -> None:
    options = ["--rounds", "1", "--sizes", "64", "--only", "exp", "gelu_tanh"]
    found = json.loads(run("compare_peers.py", *options, "--json"))
    assert [row["operator"] for row in found["rows"]] == ["exp", "gelu_tanh"]
    assert found["summary"][0]["operators"] == 2
    assert "geometric mean" in run("compare_peers.py", *options)


@pytest.mark.parametrize("mode", ["exact", "fast", "numpy"])
def test_asv_benchmarks(mode: str) -> None:
    run(
        "-c",
        "from benchmarks.operators import Operator, Overhead\n"
        "for name in ('add', 'relu', 'exp', 'cast to bfloat16'):\n"
        "    one = Operator()\n"
        f"    arguments = (name, 'float32', 64, {mode!r})\n"
        "    one.setup(*arguments)\n"
        "    one.time_call(*arguments)\n"
        "one = Overhead()\n"
        "one.setup('exp(x)')\n"
        "one.time_calls('exp(x)')\n",
    )
    assert json.loads((BENCH / "asv.conf.json").read_text(encoding="utf-8"))["benchmark_dir"] == "benchmarks"
