"""``exactops audit``: a function of any library, compared with the exact values."""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import sys
from collections.abc import Callable
from typing import Any

from exactops.cli._common import (
    CommandError,
    add_attribute_option,
    attributes_of,
    console,
    operator_of,
    positive,
    print_json,
    progress,
    table,
)


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "audit",
        help="compare a function of any library with the exact values",
        description=(
            "Compare an element-wise function of any library with the exact values of an operator: results that are not "
            "correctly rounded, the largest error, special values and signs of zero that differ, and whether bits depend on "
            "anything but the values. The exit code is 1 if anything is found."
        ),
        epilog="example: exactops audit numpy.exp --op exp --dtype float16 --plot error.png",
    )
    parser.add_argument(
        "function", metavar="FUNCTION", help="a dotted name such as numpy.exp, or module:attribute; its module is imported"
    )
    parser.add_argument("--op", required=True, metavar="OP", help="any spelling of an operator; `exactops ops` lists them")
    parser.add_argument("--dtype", default="float32", metavar="DTYPE", help="type of the operands (default: float32)")
    add_attribute_option(parser)
    parser.add_argument(
        "--keyword", action="append", default=[], metavar="NAME=VALUE", help="an argument for the function; may be repeated"
    )
    parser.add_argument("--samples", type=positive, metavar="N", help="results to compare (default: 2**20)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of the random inputs (default: 0)")
    parser.add_argument("--adapter", choices=["torch"], help="the function takes and returns tensors of this library")
    parser.add_argument("--plot", metavar="FILE", help="draw the error over the first operand, into a file such as error.png")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Find the function, audit it, print what was found."""
    from exactops.testing.auditing import SAMPLES, audit

    function = resolve(arguments.function)
    keywords = dict(_keyword(text) for text in arguments.keyword)
    samples = arguments.samples or SAMPLES
    operator = operator_of(arguments.op)
    attributes = attributes_of(operator, arguments.attr)
    if arguments.plot:
        _check_plot(arguments.plot)
    try:
        with progress(arguments.function, samples) as advance:
            report = audit(
                functools.partial(function, **keywords) if keywords else function,
                operator.name,
                arguments.dtype,
                attributes=attributes,
                samples=samples,
                seed=arguments.seed,
                adapter=arguments.adapter,
                name=arguments.function + "".join(f" {text}" for text in arguments.keyword),
                advance=advance,
            )
        if arguments.plot:
            report.plot(arguments.plot)
    except ModuleNotFoundError as error:
        extra = "exactops[plot]" if (error.name or "").startswith("matplotlib") else error.name
        raise CommandError(f"{error.msg}: pip install {extra!r}" if extra else error) from None
    except (ImportError, OSError) as error:
        raise CommandError(error) from None
    except Exception as error:  # whatever the function raises
        raise CommandError(f"{arguments.function}: {type(error).__name__}: {error}") from None
    if arguments.json:
        print_json(report.to_dict())
    else:
        _print(report)
    return 0 if report.passed else 1


def _check_plot(file: str) -> None:
    """Refuse a plot that could not be written, before the audit and not after it."""
    from exactops.testing.auditing.plot import check_file

    try:
        check_file(file)
    except (ImportError, ValueError, OSError) as error:
        raise CommandError(f"--plot: {error}") from None


def _print(report: Any) -> None:
    out = console()
    out.print(f"{report.function} compared with exact {report.reference}, {report.dtype}")
    rows = table("", "found", "for example")
    for row in report.rows():
        rows.add_row(*row)
    out.print(rows)


def resolve(name: str) -> Callable[..., Any]:
    """The function of a dotted name, or of ``module:attribute``. Modules of the working folder are found too.

    Raises
    ------
    CommandError
        There is no such module or attribute, or it is not callable.
    """
    folder = os.getcwd()
    if folder not in sys.path and "" not in sys.path:
        sys.path.append(folder)
    module_name, separator, attributes = name.partition(":")
    if separator:
        found: Any = _module(module_name, name)
        rest = attributes.split(".")
    else:
        parts = name.split(".")
        for count in range(len(parts), 0, -1):
            found = _module(".".join(parts[:count]), name, missing=count > 1)
            if found is not None:
                rest = parts[count:]
                break
    for part in rest:
        if not hasattr(found, part):
            raise CommandError(f"{name}: {getattr(found, '__name__', found)!r} has no attribute {part!r}")
        found = getattr(found, part)
    if not callable(found):
        raise CommandError(f"{name} is no function, it is {type(found).__name__}")
    return found


def _module(module: str, name: str, missing: bool = False) -> Any:
    """A module; None where it does not exist and that is expected."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A module that exists but needs another one that does not is an error in any case.
        if missing and error.name and (module == error.name or module.startswith(f"{error.name}.")):
            return None
        raise CommandError(f"{name}: {error}") from None
    except Exception as error:  # whatever the module does when it is imported
        raise CommandError(f"{name}: {type(error).__name__}: {error}") from None


def _keyword(text: str) -> tuple[str, Any]:
    """A name and a value for the function: a number or a truth value where it reads as one."""
    import ast

    name, separator, value = text.partition("=")
    if not separator or not name.isidentifier():
        raise CommandError(f"--keyword {text}: write it as NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
