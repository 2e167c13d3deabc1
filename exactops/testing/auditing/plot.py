"""The plot of an audit: the error over the first operand. Only this module needs Matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from exactops.table.formats import Format
from exactops.testing.bits import from_bits, infinity_bits, number_line, storage_named

if TYPE_CHECKING:
    from exactops.testing.auditing.report import AuditReport


def check_file(file: str | Path) -> None:
    """Refuse, before any work, a file that the plot could not be written to.

    Parameters
    ----------
    file : str or Path
        Where the plot is to go.

    Raises
    ------
    ImportError
        Matplotlib is missing.
    ValueError
        The name has no suffix, or one whose format Matplotlib does not write.
    OSError
        There is no such folder, or the name is that of a folder.
    """
    formats = _figure_class()().canvas.get_supported_filetypes()
    file = Path(file)
    if file.suffix[1:].lower() not in formats:
        known = ", ".join(f".{each}" for each in sorted(formats))
        has = f"the suffix {file.suffix}" if file.suffix else "no suffix"
        raise ValueError(f"{file} has {has}, and the format of a plot follows from it: {known}")
    if not file.absolute().parent.is_dir():
        raise FileNotFoundError(f"{file}: there is no such folder")
    if file.is_dir():
        raise IsADirectoryError(f"{file} is a folder")


def draw(report: AuditReport, file: str | Path) -> None:
    """Draw what :meth:`AuditReport.plot` describes.

    Parameters
    ----------
    report : AuditReport
        What an audit found.
    file : str or Path
        Where the plot goes.
    """
    check_file(file)
    figure_of(report).savefig(file, dpi=150)


def figure_of(report: AuditReport) -> Any:
    """The plot of a report as a figure of Matplotlib: the largest error above, the share of wrong results below."""
    storage = storage_named(report.dtype)
    figure = _figure_class()(figsize=(9, 6), layout="constrained")
    errors, shares = figure.subplots(2, sharex=True)
    _, place, worst, share = report.points.T
    # Most points of a good function lie on the axis, where a marker would be cut in half.
    style: dict[str, Any] = {"marker": ".", "markersize": 3, "linestyle": "none", "clip_on": False, "zorder": 3}
    errors.plot(place, worst, color="tab:red", **style)
    errors.set_yscale("symlog", linthresh=1)
    errors.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    # Limits of their own: where all errors are zero, Matplotlib's would be a range of some hundredths around it.
    errors.set_ylim(0, 1.3 * max(1.0, worst.max(initial=0.0)))
    errors.set_ylabel("largest error [ulp]")
    errors.set_title(f"{report.function} against exact {report.reference}, {storage.dtype.name}")
    shares.plot(place, 100 * share, color="tab:blue", **style)
    shares.set_ylim(0, 105 * share.max(initial=0.0) or 1.0)
    shares.set_ylabel("not correctly rounded [%]")
    shares.set_xlabel("first operand, in the order of the numbers of its type")
    ticks = _ticks(storage, place)
    shares.set_xticks([each for each, _ in ticks], [label for _, label in ticks])
    for axes in (errors, shares):
        axes.grid(alpha=0.3)
    return figure


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("a plot needs Matplotlib: pip install 'exactops[plot]' (or pip install matplotlib)") from error
    return Figure


def _ticks(storage: Format, place: np.ndarray) -> list[tuple[float, str]]:
    """Places and labels on an axis in the order of the numbers: zero and powers of ten, as far as they fit."""
    if not place.size:
        return []
    low, high = float(place.min()), float(place.max())
    if storage.kind != "f":
        return [(float(each), f"{each:.3g}") for each in np.linspace(low, high, 5)]
    top = int(np.log10(float(np.asarray(from_bits([infinity_bits(storage) - 1], storage.dtype), np.float64)[0])))
    powers = np.arange(-top - 1, top + 1)
    positive = 10.0 ** powers[powers % max(1, top // 4) == 0]
    found: dict[float, str] = {}
    # From zero outwards, so that zero has a label and both signs have the same ones.
    for value in (0.0, *positive, *-positive):
        with np.errstate(all="ignore"):
            each = float(number_line(np.asarray(value).astype(storage.dtype)))
        if low <= each <= high and all(abs(each - other) > (high - low) / 14 for other in found):
            found[each] = f"{value:g}"
    return sorted(found.items())
