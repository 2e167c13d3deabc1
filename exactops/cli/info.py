"""``exactops info``: the CPU, the paths, the versions and the kernel cache."""

from __future__ import annotations

import argparse
import platform
from typing import Any

from exactops.cli._common import CommandError, console, print_json, table


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "info",
        help="show the CPU, the paths, the versions and the kernel cache",
        description="Show the CPU, the paths, the versions and the kernel cache.",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the facts."""
    facts = _facts()
    if arguments.json:
        print_json(facts)
        return 0
    rows = table()
    for name, value in facts.items():
        rows.add_row(name.replace("_", " "), _text(name, value))
    console().print(rows)
    return 0


def _facts() -> dict[str, Any]:
    from importlib.metadata import version

    import exactops
    from exactops.codegen.paths import default_path, paths
    from exactops.codegen.target import host_target
    from exactops.runtime import object_cache as cache
    from exactops.system import folders

    cpu = host_target()
    try:
        default = default_path()
    except ValueError as error:  # EXACTOPS_PATH names one that this CPU lacks
        raise CommandError(error) from None
    kernels, size = cache.statistics()
    folder = folders.cache_folder()
    return {
        "exactops": exactops.__version__,
        "cpu": cpu.name,
        "architecture": cpu.architecture,
        "paths": list(paths()),
        "default_path": default,
        "fused_multiply_add": cpu.fused,
        "half_conversions": cpu.half,
        "rounding_instructions": cpu.rounding,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba", "llvmlite", "ml_dtypes")},
        "cache_folder": None if folder is None else str(folder),
        "cached_kernels": kernels,
        "cached_bytes": size,
    }


def _text(name: str, value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
