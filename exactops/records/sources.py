"""The sources that an operator is made of, and their digest."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

from exactops import ops

#: The folders of the package whose modules define what a kernel computes, without and with the lanes it is written in.
KERNEL, ALL = ("ops", "numerics"), ("ops", "numerics", "lanes")


@functools.cache
def sources(operator: str, folders: tuple[str, ...] = ALL) -> tuple[str, ...]:
    """The source files of an operator, relative to the package: its module and what that imports from the folders.

    The lanes count as one: what an operation means is in one of their modules, how it is compiled in another.
    """
    root = Path(ops.__file__).parents[1]
    found = {f"lanes/{path.name}" for path in (root / "lanes").glob("*.py") if "lanes" in folders}
    waiting = [f"ops/{_home(operator)}.py"]
    while waiting:
        name = waiting.pop()
        if name in found or not (root / name).is_file():
            continue
        found.add(name)
        waiting += _imports((root / name).read_bytes(), folders)
    return tuple(sorted(found))


def _home(operator: str) -> str:
    """The module that declares an operator."""
    for info in pkgutil.iter_modules(ops.__path__):
        module = importlib.import_module(f"{ops.__name__}.{info.name}")
        if any(each.name == operator for each in module.OPERATORS):
            return info.name
    raise LookupError(f"no module declares {operator!r}")


def _imports(text: bytes, folders: tuple[str, ...]) -> Iterator[str]:
    """Files of the folders that a module imports, and some that do not exist."""
    for node in ast.walk(ast.parse(text)):
        modules = []
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        for module in modules:
            package, *rest = module.split(".")
            if package == "exactops" and rest and rest[0] in folders:
                yield f"{'/'.join(rest)}.py"
                yield f"{'/'.join(rest)}/__init__.py"


def present_digest(operator: str, folders: tuple[str, ...] = ALL) -> str:
    """SHA-256 of the source files of an operator as they are on disk now."""
    root = Path(ops.__file__).parents[1]
    found = hashlib.sha256()
    for name in sources(operator, folders):
        text = (root / name).read_bytes()
        found.update(f"{name}:{len(text)}\n".encode() + text)
    return found.hexdigest()


#: The same, read once: what this process runs.
digest = functools.cache(present_digest)
