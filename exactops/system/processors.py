"""The processors that this process may use."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


def available() -> int:
    """How many processors this process may use: its affinity counts, where the system has one."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pin() -> int | None:
    """Keep this process on one processor from now on, where the system can; returns its number."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    chosen = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {chosen})
    return chosen


@contextlib.contextmanager
def pinned() -> Iterator[int | None]:
    """Keep this process on one processor for a while, where the system can; yields its number."""
    before = os.sched_getaffinity(0) if hasattr(os, "sched_setaffinity") else None
    chosen = pin()
    try:
        yield chosen
    finally:
        if before is not None:
            os.sched_setaffinity(0, before)
