"""What a warm call costs beside NumPy's same call: sixteen float32, one core, medians of rounds in which all calls take turns.

``python bench/call_cost.py --help`` lists the options. Run it on a quiet machine. It needs nothing but NumPy and exactops.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.calls import CALLS, LIMITS, PAIRS, compiled, names
from measure import interleaved, pin, print_table, versions

from exactops.frontend.accelerator import AVAILABLE


def costs(rounds: int, accelerated: bool, only: Sequence[str] = ()) -> list[dict[str, Any]]:
    """A row for each pair of calls.

    Parameters
    ----------
    rounds : int
        How many rounds the medians are of.
    accelerated : bool
        Whether the functions are the public ones, or those of the plain dispatch.
    only : sequence of str
        Kinds of calls to measure; all by default.

    Returns
    -------
    list of dict
        With ``kind``, ``what``, ``call``, ``numpy_ns``, ``exactops_ns``, ``ratio``, ``limit`` and ``met``.
    """
    scope, rows = names(accelerated), []
    for pair in PAIRS:
        if only and pair.kind not in only:
            continue
        with np.errstate(all="ignore"):
            seconds = interleaved({"ours": compiled(pair.ours, scope), "numpy": compiled(pair.numpy, scope)}, rounds)
        ratio, limit = seconds["ours"] / seconds["numpy"], LIMITS[pair.kind][accelerated]
        rows.append(
            {
                "kind": pair.kind,
                "what": pair.what,
                "call": pair.ours,
                "numpy_ns": seconds["numpy"] / CALLS * 1e9,
                "exactops_ns": seconds["ours"] / CALLS * 1e9,
                "ratio": ratio,
                "limit": limit,
                "met": ratio <= limit,
            }
        )
    return rows


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print; 1 where ``--check`` finds a limit exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=101, help="rounds in which the calls take turns (default: 101)")
    parser.add_argument("--only", nargs="+", default=[], choices=list(LIMITS), metavar="KIND", help="measure these kinds only")
    parser.add_argument("--plain", action="store_true", help="measure the plain dispatch, without the accelerator")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is exceeded")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--markdown", action="store_true", help="print a table in Markdown")
    output.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    accelerated = AVAILABLE and not arguments.plain
    about = {
        "python": platform.python_version(),
        **versions(),
        "core": pin(),
        "dispatch": "with the accelerator" if accelerated else "plain",
    }
    rows = costs(arguments.rounds, accelerated, arguments.only)
    if arguments.json:
        print(json.dumps({"about": about, "rows": rows}, indent=2))
    else:
        print(", ".join(f"{name} {value}" for name, value in about.items()), end="\n\n")
        cells = [
            [
                row["what"],
                f"`{row['call']}`" if arguments.markdown else row["call"],
                f"{row['numpy_ns']:,.0f}",
                f"{row['exactops_ns']:,.0f}",
                f"{row['ratio']:.2f}",
                f"{row['limit']:g}" + ("" if row["met"] else " exceeded"),
            ]
            for row in rows
        ]
        headers = ["operands", "call", "NumPy ns", "exactops ns", "ratio", "limit"]
        print_table(headers, cells, arguments.markdown)
        print(f"\n{sum(row['met'] for row in rows)} of {len(rows)} within their limits")
    return int(arguments.check and not all(row["met"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
