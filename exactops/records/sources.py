"""The sources that decide the bits of an operator's results, and their digests.

They come in two levels. The **kernel** is the operator's module in ``ops`` and what it imports of ``ops`` and ``numerics``. The
**engine** is what all kernels share: the lanes, the code generator, the formats of the stored types, and the making of ufuncs.
Both are found by following imports, and read by the import system, so that it does not matter how the package is installed.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import importlib.util
import pkgutil
from collections.abc import Iterable, Iterator

from exactops import ops
from exactops.system import modules

#: Where following imports begins for the engine; ``lanes`` and ``codegen`` are reached from there, as a test asserts.
_ENGINE_ROOTS = (
    "exactops.runtime.ufuncs",
    "exactops.codegen.loops",
    "exactops.codegen.lowering",
    "exactops.lanes.portable",
)
#: The packages that imports are followed into.
_KERNEL_PACKAGES = ("exactops.ops", "exactops.numerics")
_ENGINE_PACKAGES = ("exactops.lanes", "exactops.codegen", "exactops.table", "exactops.runtime")


@functools.cache
def kernel(operator: str) -> tuple[str, ...]:
    """The modules of an operator's kernel."""
    return _reached([_home(operator)], _KERNEL_PACKAGES)


@functools.cache
def engine() -> tuple[str, ...]:
    """The modules that all operators share."""
    return _reached(_ENGINE_ROOTS, _ENGINE_PACKAGES)


def kernel_digest(operator: str) -> str:
    """SHA-256 of the sources of an operator's kernel as they are now."""
    return digest(kernel(operator))


def engine_digest() -> str:
    """SHA-256 of the sources of the engine as they are now."""
    return digest(engine())


@functools.cache
def running_kernel(operator: str) -> str:
    """:func:`kernel_digest`, taken once: what this process runs."""
    return kernel_digest(operator)


@functools.cache
def running_engine() -> str:
    """:func:`engine_digest`, taken once."""
    return engine_digest()


@functools.cache
def revision(operator: str) -> str:
    """One digest, taken once, of all that decides the bits of an operator: of :func:`files`."""
    return digest({*kernel(operator), *engine()})


def files(operator: str) -> list[str]:
    """The source files behind :func:`revision`, relative to the package."""
    return sorted(_file(name) for name in {*kernel(operator), *engine()})


def digest(names: Iterable[str]) -> str:
    """SHA-256 of the sources of modules as they are now, each with its file's name and length before it, sorted by the name."""
    found = hashlib.sha256()
    for file, name in sorted((_file(name), name) for name in names):
        text = modules.source(name)
        found.update(f"{file}:{len(text)}\n".encode() + text)
    return found.hexdigest()


def _home(operator: str) -> str:
    """The module that declares an operator."""
    for info in pkgutil.iter_modules(ops.__path__):
        name = f"{ops.__name__}.{info.name}"
        if any(each.name == operator for each in importlib.import_module(name).OPERATORS):
            return name
    raise LookupError(f"no module declares {operator!r}")


def _reached(start: Iterable[str], packages: tuple[str, ...]) -> tuple[str, ...]:
    """The modules that imports lead to from some modules without leaving the packages."""
    found: set[str] = set()
    waiting = list(start)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += (each for each in imports(name) if any(f"{each}.".startswith(f"{package}.") for package in packages))
    return tuple(sorted(found))


@functools.cache
def imports(name: str) -> tuple[str, ...]:
    """The modules of this package that a module imports, at its top or anywhere else."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(name)
    text = modules.text_by(spec.loader, name)
    if text is None:  # a frozen program that carries no sources
        return ()
    found = set(_named(text, name, spec.submodule_search_locations is not None))
    return tuple(sorted(each for each in found if each.partition(".")[0] == "exactops" and modules.is_module(each)))


def _named(text: str, name: str, is_package: bool) -> Iterator[str]:
    """What the import statements of a module name: modules, and names in modules."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = name if is_package and node.level == 1 else name.rsplit(".", node.level - is_package)[0]
                base = f"{above}.{base}".rstrip(".")
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


@functools.cache
def _file(name: str) -> str:
    """The name of a module's file, relative to the package."""
    spec = importlib.util.find_spec(name)
    package = spec is not None and spec.submodule_search_locations is not None
    return "/".join(name.split(".")[1:]) + ("/__init__.py" if package else ".py")
