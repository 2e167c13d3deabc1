"""Modules and their sources by the import system: the same from a folder, from a zip archive and from a frozen program."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import marshal
import os
import pkgutil
from collections.abc import Iterator
from typing import Any


def submodules(package: str) -> Iterator[tuple[str, Any]]:
    """The dotted names of a package and of all modules under it, in order, each with its loader. Imports only the package."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        raise ModuleNotFoundError(package)
    yield package, spec.loader
    if spec.submodule_search_locations is not None:
        yield from _under(package, list(spec.submodule_search_locations))


def _under(package: str, locations: list[str]) -> Iterator[tuple[str, Any]]:
    for found in sorted(pkgutil.iter_modules(locations), key=lambda each: each.name):
        name = f"{package}.{found.name}"
        yield name, found.module_finder.find_spec(name).loader  # type: ignore[call-arg, union-attr]
        if found.ispkg:
            yield from _under(name, [os.path.join(location, found.name) for location in locations])


def source(name: str, loader: Any = None) -> bytes:
    """The source text of a module as it is now; its code where a frozen program carries no sources.

    Raises
    ------
    ModuleNotFoundError
        There is no such module.
    """
    if loader is None:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ModuleNotFoundError(name)
        loader = spec.loader
    text = text_by(loader, name)
    return marshal.dumps(loader.get_code(name)) if text is None else text.encode()


def text_by(loader: Any, name: str) -> str | None:
    """The source text of a module by its loader; None where a frozen program carries no sources.

    A loader that changes sources need not hand them out: pytest's takes every module whose name ends in ``_test`` for a test.
    """
    if hasattr(loader, "get_source"):
        return loader.get_source(name)
    spec = importlib.machinery.PathFinder.find_spec(name, importlib.import_module(name.rpartition(".")[0]).__path__)
    if spec is None:
        raise ModuleNotFoundError(name)
    return spec.loader.get_source(name)  # type: ignore[union-attr]


def is_module(name: str) -> bool:
    """Whether a dotted name is that of a module; only its outermost package is imported."""
    package = name.partition(".")[0]
    return name in _names(package) if importlib.util.find_spec(package) is not None else False


@functools.cache
def _names(package: str) -> frozenset[str]:
    """The dotted names of a package and of all modules under it."""
    return frozenset(name for name, _ in submodules(package))
