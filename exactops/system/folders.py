"""The folders of this user that the package writes to."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import platformdirs


def cache_folder() -> Path | None:
    """The folder of compiled kernels: ``EXACTOPS_CACHE_DIR``, else the platform's folder for caches.

    None where neither is known: a user without a home.
    """
    return _named() or _of_the_platform(platformdirs.user_cache_dir)


def data_folder() -> Path | None:
    """The folder of measurements: ``EXACTOPS_CACHE_DIR``, else the platform's folder for data; None as above."""
    return _named() or _of_the_platform(platformdirs.user_data_dir)


def _named() -> Path | None:
    named = os.environ.get("EXACTOPS_CACHE_DIR")
    return Path(named) if named else None


def _of_the_platform(folder: Callable[..., str]) -> Path | None:
    try:
        found = Path(folder("exactops", appauthor=False)).expanduser()
    except (RuntimeError, KeyError):  # no home in the environment, and no entry of the user id in the list of users
        return None
    # Some versions hand on "~" where there is no home: a folder of that name in the working directory helps nobody.
    return found if found.is_absolute() else None
