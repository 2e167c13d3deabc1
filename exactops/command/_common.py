"""What the commands share."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

    from exactops.operator import Operator

#: Columns where the output is no terminal: tables keep each row on one line, so that other programs can read it.
_WIDE = 250


class CommandError(Exception):
    """Bad input: the message is shown as one line, and the exit code is 2."""

    def __init__(self, message: object):
        super().__init__(" ".join(str(message).split()))


def console() -> Console:
    """A console on standard output: as wide as the terminal, wide where the output is a file or a pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)


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
        known = operator.attribute(name)
        attributes[name] = _number(text, value) if known and known.kind in ("float", "int32", "bound") else _word(value)
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
