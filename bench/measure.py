"""Side-by-side measurement: one pinned core, calls that take turns, medians."""

from __future__ import annotations

import os
from collections.abc import Sequence

from exactops.contracts.measuring import interleaved
from exactops.system.processors import pin

__all__ = ["interleaved", "one_thread", "pin", "print_table", "versions"]


def one_thread() -> None:
    """Tell libraries that have not been imported yet to use one thread."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"


def print_table(headers: Sequence[str], rows: Sequence[Sequence[str]], markdown: bool = False) -> None:
    """Print cells in columns: aligned, or as a table in Markdown.

    Parameters
    ----------
    headers : sequence of str
        The names of the columns.
    rows : sequence of sequence of str
        As many cells each; columns of numbers are aligned to the right.
    markdown : bool
        Whether it is Markdown.
    """
    columns = list(zip(headers, *rows, strict=True))
    numeric = [all(_is_number(cell) for cell in column[1:]) for column in columns]
    if markdown:
        rule = ["---:" if right else "---" for right in numeric]
        for row in (headers, rule, *rows):
            print(f"| {' | '.join(row)} |")
        return
    widths = [max(map(len, column)) for column in columns]
    for row in (headers, *rows):
        cells = zip(row, widths, numeric, strict=True)
        print("  ".join(cell.rjust(width) if right else cell.ljust(width) for cell, width, right in cells).rstrip())


def _is_number(cell: str) -> bool:
    return cell in ("", "-") or cell.replace(",", "").replace(".", "", 1).isdigit()


def versions() -> dict[str, str]:
    """What was measured: CPU, path and the versions of all libraries that are installed."""
    import importlib.metadata

    import exactops
    from exactops.codegen.target import host_target

    found = {"cpu": host_target().name, "path": exactops.paths()[0], "exactops": exactops.__version__}
    for name in ("numpy", "scipy", "torch", "onnxruntime"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
