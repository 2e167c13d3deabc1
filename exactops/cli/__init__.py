"""The command line: ``python -m exactops`` and the script ``exactops``.

Each module of this folder whose name does not begin with an underscore is one command. It has two functions:

* ``add_parser(subparsers)`` adds the command's own parser; it imports nothing heavy, since it runs for every command;
* ``run(arguments)`` does the work and returns the exit code. Bad input is a :class:`~exactops.cli._common.CommandError`.

Exit codes: 0 done, 1 a check failed, 2 bad input (with one line on standard error).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import pkgutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import NoReturn

from exactops.cli._common import CommandError, ended_as_interrupt

_INTERRUPTED = 130  # what shells report for a process that Ctrl-C ended


class _Parser(argparse.ArgumentParser):
    """A parser whose complaint is one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message} ({self.prog} --help explains)\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    import exactops

    top = _Parser(
        prog="exactops",
        description="Element-wise kernels whose results are the same bits on every machine, and right to the last bit.",
    )
    top.add_argument("--version", action="version", version=f"exactops {exactops.__version__}")
    subparsers = top.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for info in pkgutil.iter_modules(__path__):
        if not info.name.startswith("_"):
            module = importlib.import_module(f"{__name__}.{info.name}")
            module.add_parser(subparsers)
            subparsers.choices[info.name].set_defaults(run=module.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; those of the process by default.

    Returns
    -------
    int
        The exit code.
    """
    try:
        arguments = parser().parse_args(argv)
    except SystemExit as end:  # --help, --version and complaints
        return end.code if isinstance(end.code, int) else 2
    # A caller may have closed them.
    with warnings.catch_warnings(), _streams():
        warnings.showwarning = _show_warning
        try:
            with ended_as_interrupt():
                code = arguments.run(arguments)
            sys.stdout.flush()
            return int(code or 0)
        except CommandError as error:
            print(f"exactops {arguments.command}: error: {error}", file=sys.stderr)
            return 2
        except BrokenExecutor as error:
            print(f"exactops {arguments.command}: error: a worker process ended before its work ({error})", file=sys.stderr)
            return 2
        except MemoryError as error:
            print(f"exactops {arguments.command}: error: not enough memory: {error}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print(f"exactops {arguments.command}: interrupted", file=sys.stderr)
            return _INTERRUPTED
        except BrokenPipeError:
            # The reader (head, less) had enough. Python would complain again when it closes standard output.
            sys.stdout = None  # type: ignore[assignment]
            return 0


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Standard output and error that can be written to: where they are closed, to nowhere; in any encoding."""
    before = sys.stdout, sys.stderr
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout, sys.stderr = (nowhere if stream is None else stream for stream in before)
        if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            yield
        finally:
            sys.stdout = None if sys.stdout is None else before[0]  # type: ignore[assignment]
            sys.stderr = before[1]


def _show_warning(message, category, filename, lineno, file=None, line=None) -> None:
    print(f"exactops: warning: {message}", file=sys.stderr)
