"""Files that are replaced in one step, and locks that keep two processes from replacing one at the same time."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def replacing(target: Path, mode: int | None = None) -> Iterator[Path]:
    """A new, empty file beside the target, which takes the target's name when the block ends without an error.

    Whoever opens the target sees the old content or the new one, whole. If anything goes wrong, the new file is removed.

    Parameters
    ----------
    target : Path
        The file to make or to replace. Where it is a symbolic link, the link is replaced.
    mode : int, optional
        The permissions of the new file. By default those of the file that is replaced; for a new one what the umask leaves.

    Yields
    ------
    Path
        The new file: to be written, or mapped.

    Raises
    ------
    OSError
        The folder or the file cannot be written.
    """
    temporary = target.with_name(f".{target.name[:64]}.{secrets.token_hex(8)}.new")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL
    os.close(os.open(temporary, flags, 0o666 if mode is None else mode))
    try:
        yield temporary
        if mode is None:
            with contextlib.suppress(FileNotFoundError):
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_bytes(target: Path, content: bytes, mode: int | None = None) -> None:
    """Replace a file's content in one step: see :func:`replacing`."""
    with replacing(target, mode) as temporary:
        temporary.write_bytes(content)


def write_text(target: Path, content: str) -> None:
    """Replace a file's content with UTF-8 text and plain line ends in one step: see :func:`replacing`."""
    write_bytes(target, content.encode())


def write_json(target: Path, content: Any) -> None:
    """Replace a file's content with indented JSON in one step: see :func:`replacing`."""
    write_text(target, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


@contextlib.contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the lock of a file, whether or not it exists: for reading, changing and replacing it as one step.

    The lock is a file of its own beside it, which stays there. Processes that do not take the lock are not kept out.

    Raises
    ------
    OSError
        The lock cannot be made.
    """
    from filelock import FileLock

    with FileLock(target.with_name(f".{target.name}.lock")):
        yield
