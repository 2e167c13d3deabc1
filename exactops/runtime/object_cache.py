"""Compiled kernels on disk: object code by key, written atomically, never trusted blindly.

A file is used only if it lies in a private folder, belongs to this user, and its content matches its own checksum; anything
else is compiled anew and replaced. A folder that cannot be made or written costs one warning and nothing else.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import importlib.util
import os
import stat
import threading
import warnings
from pathlib import Path

from exactops.errors import CacheWarning
from exactops.system import files, folders, modules

#: More kernels than this, of old versions and other CPUs mostly, and the longest unused half of them goes.
KERNEL_LIMIT = 8192

_MAGIC = b"exactops kernel 1\n"
_DIGEST = hashlib.sha256().digest_size

#: The packages and modules whose text decides what a kernel compiles to.
_SOURCES = (
    "exactops.lanes",
    "exactops.numerics",
    "exactops.ops",
    "exactops.codegen",
    "exactops.table",
    "exactops.frontend.accelerator",
)


@functools.cache
def _sources() -> str:
    digest = hashlib.sha256()
    for package in _SOURCES:
        for name, loader in modules.submodules(package):
            text = modules.source(name, loader)
            digest.update(f"{name}:{len(text)}\n".encode() + text)
    return digest.hexdigest()


@functools.cache
def _environment() -> str:
    import llvmlite

    from exactops.codegen.target import host_target

    cpu = host_target()
    versions = f"numba={_numba_version()} llvmlite={llvmlite.__version__}"
    return f"{_sources()} {versions} {cpu.architecture} {cpu.name} {cpu.features}"


def _numba_version() -> str:
    """Numba's version without importing Numba, which would cost a first use more than all the rest of it."""
    spec = importlib.util.find_spec("numba")
    try:
        # The generated file that holds the version; a search of the installed packages' metadata takes ten times as long.
        return (Path(spec.origin).parent / "_version.py").read_text() if spec and spec.origin else ""
    except OSError:
        return importlib.metadata.version("numba")


def key_of(kernel: str) -> str:
    """File name of a kernel: a digest of its description, the package sources, numba, llvmlite, CPU name and features."""
    return hashlib.sha256(f"{_environment()}\n{kernel}".encode()).hexdigest()


def load(key: str) -> bytes | None:
    """The object code kept under a key; None if there is none that can be trusted."""
    root = _private_folder(create=False)
    if root is None:
        return None
    try:
        descriptor = os.open(root / key, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return None
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode) or not _is_mine(state):
        os.close(descriptor)
        return None
    try:
        with os.fdopen(descriptor, "rb") as file:
            content = file.read()
    except OSError:
        return None
    start = len(_MAGIC) + _DIGEST
    code = content[start:]
    if content[: len(_MAGIC)] != _MAGIC or hashlib.sha256(key.encode() + code).digest() != content[len(_MAGIC) : start]:
        return None
    return code


def save(key: str, code: bytes) -> None:
    """Keep object code under a key. Two processes may do so at once: each writes its own file and renames it."""
    root = _private_folder(create=True)
    if root is None:
        return
    _prune(root)
    try:
        files.write_bytes(root / key, _MAGIC + hashlib.sha256(key.encode() + code).digest() + code, mode=0o600)
    except OSError as error:
        _warn_once(f"the kernel cache in {root} cannot be written ({error.strerror})")


@functools.cache
def _prune(root: Path) -> None:
    """Once a process that compiles: keep the folder from growing for ever. A kernel deleted too early is compiled again."""
    with contextlib.suppress(OSError):
        with os.scandir(root) as entries:
            kernels = sorted((max(s.st_atime, s.st_mtime), e.path) for e in entries for s in [e.stat(follow_symlinks=False)])
        if len(kernels) > KERNEL_LIMIT:
            for _, path in kernels[: len(kernels) - KERNEL_LIMIT // 2]:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def statistics() -> tuple[int, int]:
    """Number of kernels on disk (of every version and CPU) and their bytes."""
    root = _private_folder(create=False)
    try:
        sizes = [entry.stat().st_size for entry in os.scandir(root)] if root else []
    except OSError:
        sizes = []
    return len(sizes), sum(sizes)


def _is_mine(state: os.stat_result) -> bool:
    """Whether nobody else could have written it (always so where the platform has no users of this kind)."""
    return not hasattr(os, "geteuid") or (state.st_uid == os.geteuid() and not state.st_mode & 0o022)


def _private_folder(create: bool) -> Path | None:
    folder = folders.cache_folder()
    if folder is None:
        if create:
            _warn_once("there is no folder for the kernel cache, since this user has no home folder")
        return None
    root = folder / "kernels"
    try:
        if create:
            root.parent.mkdir(parents=True, exist_ok=True)
            root.mkdir(mode=0o700, exist_ok=True)
        state = os.stat(root)
    except (OSError, ValueError) as error:
        if create:
            _warn_once(f"the kernel cache folder {root} cannot be made ({getattr(error, 'strerror', None) or error})")
        return None
    if not stat.S_ISDIR(state.st_mode) or not _is_mine(state):
        _warn_once(f"the kernel cache folder {root} is not a private folder of this user, so it is not used")
        return None
    return root


_warned = threading.Event()


def _warn_once(message: str) -> None:
    if not _warned.is_set():
        _warned.set()
        hint = "EXACTOPS_CACHE_DIR chooses another"
        warnings.warn(f"{message}; kernels are compiled anew in each process ({hint})", CacheWarning, stacklevel=2)
