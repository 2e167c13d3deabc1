"""What the commands share."""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from exactops.table.operator import Operator

#: Columns where the output is no terminal: tables keep each row on one line, so that other programs can read it.
_WIDE = 250


class CommandError(Exception):
    """Bad input: the message is shown as one line, and the exit code is 2."""

    def __init__(self, message: object):
        super().__init__(" ".join(str(message).split()))


def console() -> Console:
    """A console on standard output: as wide as the terminal, wide where the output is a file or a pipe."""
    from rich.console import Console

    class Plain(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # not rich's end of the process, which would be a failure

    return Plain(width=None if sys.stdout.isatty() else _WIDE, highlight=False)


def table(*headers: str) -> Table:
    """A plain table; on a narrow terminal long words are broken, never cut off."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, show_header=bool(headers))
    for header in headers:
        made.add_column(header, overflow="fold")
    return made


def progress() -> Progress:
    """A progress bar on standard error, shown on a terminal only."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(file=sys.stderr), disable=not sys.stderr.isatty(), transient=True)


def print_json(value: Any) -> None:
    """Print a value for other programs."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


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
