"""exactops against NumPy: the speeds and start-up times that the project promises. ``call_cost.py`` has the cost of a call.

``python bench/against_numpy.py --help`` lists the options. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from benchmarks.cases import CASES, SIZES, exactops_call, numpy_call, operands_of
from measure import interleaved, pin, print_table, versions

#: NumPy's time over exactops' must be at least this.
SPEED, HALF_SPEED = 0.9, 5.0

_COMPARISONS = ("equal", "less", "greater", "less_or_equal", "greater_or_equal")
_CASTS = ("cast to float32", "cast to float64", "cast to int32", "cast to int64", "cast to bool")

#: What is compared for float32 and float64, and for float16.
_WIDE = ("add", "mul", "max", "relu", "clip", "floor", *_COMPARISONS, *_CASTS)
_HALF = ("add", "sub", "mul", "div")


def speeds(rounds: int, sizes: Sequence[int], mode: str, only: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Ratios of speed: above 1 exactops is the faster one."""
    pairs = [(name, dtype) for dtype in ("float32", "float64") for name in _WIDE if name != f"cast to {dtype}"]
    pairs += [(name, "float16") for name in _HALF]
    for (name, dtype), size in itertools.product(pairs, sizes):
        if only and name not in only:
            continue
        case = CASES[name]
        operands = operands_of(case, dtype, size)
        with np.errstate(all="ignore"):
            calls = {"exactops": exactops_call(case, operands, mode), "numpy": numpy_call(case, operands)}
            seconds = interleaved(calls, rounds)
        yield {
            "what": f"{name}, {dtype}, {size:,}",
            "exactops": seconds["exactops"] / size * 1e9,
            "other": seconds["numpy"] / size * 1e9,
            "unit": "ns/element",
            "ratio": seconds["numpy"] / seconds["exactops"],
            "target": HALF_SPEED if dtype == "float16" else SPEED,
            "at_least": True,
        }


_FIRST_USE = """
import time, numpy as np, exactops
x = np.linspace(-1, 1, 16, dtype=np.float32)
start = time.perf_counter()
exactops.exp(x)
print(time.perf_counter() - start)
"""

_COMPILE = """
import time
import exactops
from exactops.frontend.named_loops import ufuncs_of
from exactops.table.signatures import signatures

# Of each operator, type and mode one loop: that of the default choices, and of casts the one to float32.
wanted = {}
for name, operator in exactops.operators().items():
    defaults = {each.name: "f32" if each.kind == "dtype" else each.default for each in operator.attributes if each.selects}
    for found in signatures(operator):
        default = dict(found.choices) == defaults or (name == "mod" and found.value[0] in "fb")
        if default and set(found.operands) <= {found.value, "bool"}:
            for mode in ("exact", "fast"):
                wanted[found.name, mode if found.kernel.differs else "exact"] = found, mode
first, *others = wanted.values()
ufuncs_of(*first, exactops.paths()[0])
start = time.perf_counter()
for found, mode in others:
    ufuncs_of(found, mode, exactops.paths()[0])
print((time.perf_counter() - start) / len(others), len(others))
"""


def _process(code: str, folder: str) -> list[float]:
    environment = {**os.environ, "EXACTOPS_CACHE_DIR": folder}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def start_costs(rounds: int, table: bool) -> Iterator[dict[str, Any]]:
    """A first use with a filled cache, and the mean compile over the whole table, each in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        _process(_FIRST_USE, folder)
        seconds = statistics.median(_process(_FIRST_USE, folder)[0] for _ in range(max(1, min(rounds, 9))))
    yield _absolute("first use with a filled cache, after import", seconds * 1e3, 100.0, "ms")
    if table:
        with tempfile.TemporaryDirectory() as folder:
            mean, count = _process(_COMPILE, folder)
        yield _absolute(f"compiling a kernel, mean over {count:.0f}", mean * 1e3, 200.0, "ms")


def _absolute(what: str, value: float, target: float, unit: str) -> dict[str, Any]:
    return {"what": what, "exactops": value, "other": None, "unit": unit, "ratio": value, "target": target, "at_least": False}


def met(row: dict[str, Any]) -> bool:
    """Whether a row keeps its target."""
    return row["ratio"] >= row["target"] if row["at_least"] else row["ratio"] <= row["target"]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=31, help="rounds in which the calls take turns")
    parser.add_argument("--sizes", type=int, nargs="*", default=list(SIZES), help="elements; none leaves the speeds out")
    parser.add_argument("--mode", choices=("exact", "fast"), default="exact")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="measure these operators only")
    parser.add_argument("--no-compile", action="store_true", help="leave out the compilation of the whole table (a minute)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    about: dict[str, Any] = {**versions(), "core": pin(), "mode": arguments.mode}
    rows = list(speeds(arguments.rounds, arguments.sizes, arguments.mode, arguments.only))
    rows += start_costs(arguments.rounds, not arguments.no_compile)
    for row in rows:
        row["met"] = met(row)
    if arguments.json:
        print(json.dumps({"about": about, "rows": rows}, indent=2))
        return 0
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    cells = []
    for row in rows:
        other = "" if row["other"] is None else f"{row['other']:.3f}"
        ratio = "" if row["other"] is None else f"{row['ratio']:.2f}"
        target = f"{'>=' if row['at_least'] else '<='} {row['target']:g}"
        ours = f"{row['exactops']:.3f}"
        cells.append([row["what"], ours, other, row["unit"], ratio, target, "" if row["met"] else "missed"])
    print_table(["what", "exactops", "NumPy", "unit", "ratio", "target", ""], cells)
    print("Ratios are NumPy's time over exactops', so above 1 exactops is faster.")
    print(f"{sum(row['met'] for row in rows)} of {len(rows)} targets met")
    return 0


if __name__ == "__main__":
    sys.exit(main())
