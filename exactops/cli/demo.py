"""``exactops demo``: one function, every path, two layouts, the same bits.

The values go through ``exp``: all 512 combinations of sign and exponent of float32 with 2**15 significands each, so zeros,
subnormals, infinities and NaNs are among them.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from typing import TYPE_CHECKING, Any

from exactops.cli._common import console, table

if TYPE_CHECKING:
    import numpy as np

#: Significands of each sign and exponent: every 256th of the 2**23 there are, moved so that their low bits vary.
SIGNIFICANDS = 1 << 15


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    subparsers.add_parser(
        "demo",
        help="compare all paths of this machine, bit for bit",
        description=(
            "Feed every float32 exponent through exp on every path of this machine, laid out in two ways, "
            "and compare all results bit for bit; count where NumPy rounds otherwise. This takes some seconds. "
            "The exit code is 1 if any result differs."
        ),
    )


def run(arguments: argparse.Namespace) -> int:
    """Compute, print the hashes and say what was shown."""
    import exactops

    out = console()
    x = values(SIGNIFICANDS)
    out.print(f"exp of {x.size:,} float32 values: every sign and exponent, subnormals, zeros, infinities and NaNs")
    rows = table("path", "layout", "SHA-256 of the results", "seconds")
    hashes, result = {}, x
    for path in exactops.paths():
        for layout, view in layouts(x).items():
            start = time.perf_counter()
            result = exactops.exp(view, path=path)
            seconds = time.perf_counter() - start
            hashes[path, layout] = digest(result)
            rows.add_row(path, layout, hashes[path, layout], f"{seconds:.2f}")
    out.print(rows)
    differing = _count_numpy_differences(x, result)
    out.print(f"NumPy's exp rounds {differing:,} of these values differently ({differing / x.size:.1%}).")
    runs, paths = len(hashes), len(exactops.paths())
    same = len(set(hashes.values())) == 1
    if same:
        conclusion = (
            f"Shown: all {runs} runs ({paths} register widths, two memory layouts) "
            f"gave the same {x.size:,} results, bit for bit."
        )
    else:
        conclusion = f"Failed: the {runs} runs gave {len(set(hashes.values()))} different results; please report this machine."
    out.print(conclusion)
    return 0 if same else 1


def values(significands: int) -> np.ndarray:
    """All combinations of sign and exponent of float32 with so many significands each (a power of two up to 2**15)."""
    import numpy as np

    number = np.arange(significands, dtype=np.uint32)
    spread = (1 << 23) // significands
    fields = number * np.uint32(spread) + number % np.uint32(spread)
    upper = np.arange(512, dtype=np.uint32) << np.uint32(23)
    return (upper[:, None] | fields).reshape(-1).view(np.float32)


def layouts(x: np.ndarray) -> dict[str, np.ndarray]:
    """The same values laid out in two ways."""
    import numpy as np

    view = np.empty(2 * x.size, x.dtype)[::-2]
    view[...] = x
    return {"contiguous": x, "reversed, every second": view}


def digest(result: np.ndarray) -> str:
    """SHA-256 of the results in order, as little-endian bytes."""
    import numpy as np

    return hashlib.sha256(np.ascontiguousarray(result, "<f4").data).hexdigest()


def _count_numpy_differences(x: np.ndarray, result: np.ndarray) -> int:
    """How many results of NumPy's exp have other bits; NaNs count as equal."""
    import numpy as np

    with np.errstate(all="ignore"):
        other = np.exp(x)
    return int(np.count_nonzero((result.view(np.uint32) != other.view(np.uint32)) & ~(np.isnan(result) & np.isnan(other))))
