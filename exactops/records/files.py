"""Where the records are: proofs, fingerprints, and what other machines were found to give. They lie in this package."""

from __future__ import annotations

import importlib.resources
import os
from importlib.resources.abc import Traversable
from pathlib import Path

PROOFS, FINGERPRINTS, MACHINES = "proofs.json", "fingerprints.json", "machines.json"


def find(name: str) -> Traversable:
    """A record's file, which need not exist: a path, or a member of the archive that the package was imported from."""
    return importlib.resources.files(__package__) / name


def writable(name: str) -> Path:
    """A record's path, where it can be written.

    Raises
    ------
    OSError
        The package lies in an archive, or in a folder that this user may not write to.
    """
    found = find(name)
    if not isinstance(found, Path) or not os.access(found.parent, os.W_OK):
        raise PermissionError(f"the records of this installation cannot be written: {found}")
    return found
