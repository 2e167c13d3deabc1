"""What the commands share.

rich is imported here and nowhere else, and only where there is a table or a progress bar to show.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from exactops.table.operator import Operator

#: Columns where the output is no terminal: tables keep each row on one line, so that other programs can read it.
_WIDE = 250


class CommandError(Exception):
    """Bad input: the message is shown as one line, and the exit code is 2."""

    def __init__(self, message: object):
        super().__init__(" ".join(str(message).split()))


# --- output -----------------------------------------------------------------------------------------------------------------


def console() -> Console:
    """A console on standard output: as wide as the terminal, wide where the output is a file or a pipe."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # not rich's end of the process, which would be a failure

    # Brackets and colons in what users name are text, not rich's markup.
    return Plain(width=None if sys.stdout.isatty() else _WIDE, highlight=False, markup=False, emoji=False)


def table(*headers: str) -> Table:
    """A plain table; on a narrow terminal long words are broken, never cut off."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, show_header=bool(headers))
    for header in headers:
        made.add_column(header, overflow="fold")
    return made


@contextlib.contextmanager
def progress(description: str, total: int) -> Iterator[Callable[..., None]]:
    """A progress bar on standard error, where that is a terminal.

    Parameters
    ----------
    description : str
        What is shown before the bar.
    total : int
        How many steps there are.

    Yields
    ------
    callable
        ``advance(steps=1, description=None)`` moves the bar on, and may say what is done now.
    """
    if not sys.stderr.isatty():
        yield lambda steps=1, description=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(description, total=total)

        def advance(steps: int = 1, description: str | None = None) -> None:
            bar.update(task, advance=steps, description=description)

        yield advance


def print_json(value: Any) -> None:
    """Print a value for other programs."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


# --- arguments --------------------------------------------------------------------------------------------------------------


def add_attribute_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--attr``, which :func:`attributes_of` reads."""
    parser.add_argument(
        "--attr", action="append", default=[], metavar="NAME=VALUE", help="an attribute of the operator; may be repeated"
    )


def add_path_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--path``, which :func:`path_of` reads."""
    parser.add_argument(
        "--path",
        metavar="PATH",
        help="register width; `exactops info` lists those of this CPU and the default",
    )


def positive(text: str) -> int:
    """The type of an argument that counts something."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not positive")
    return value


def operator_of(name: str) -> Operator:
    """The operator of any of its spellings."""
    from exactops import UnsupportedError
    from exactops.ops import find_operator

    try:
        return find_operator(name)
    except UnsupportedError as error:
        raise CommandError(error) from None


def path_of(given: str | None) -> str:
    """The path that ``--path`` names, the default path where it is not given."""
    from exactops.codegen.paths import check_path, default_path

    try:
        return check_path(given, "--path") if given is not None else default_path()
    except ValueError as error:
        raise CommandError(error) from None


def attributes_of(operator: Operator, given: list[str]) -> dict[str, Any]:
    """The attributes from ``NAME=VALUE``; names and ranges are checked by the plan."""
    attributes: dict[str, Any] = {}
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise CommandError(f"--attr {text}: write it as NAME=VALUE")
        if name in attributes:
            raise CommandError(f"--attr {text}: {name} is given twice")
        attribute, operand = operator.attribute(name), operator.operand(name)
        numeric = (attribute is not None and attribute.travels) or (operand is not None and operand.keyword)
        attributes[name] = _number(text, value) if numeric else _word(value)
    return attributes


def _number(text: str, value: str) -> int | float:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(value)
    raise CommandError(f"--attr {text}: {value!r} is not a number")


def _word(value: str) -> int | str:
    """A choice or a dtype: a number where it reads as one."""
    with contextlib.suppress(ValueError):
        return int(value)
    return value


# --- the process ------------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def ended_as_interrupt() -> Iterator[None]:
    """A request to end, or a closed terminal, as an exception, so that temporary files and processes go."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number, frame):
        raise KeyboardInterrupt

    names = ("SIGTERM", "SIGHUP")
    before = {getattr(signal, name): signal.signal(getattr(signal, name), stop) for name in names if hasattr(signal, name)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
