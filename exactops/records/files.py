"""Where the records are that came with the package: proofs and fingerprints."""

from __future__ import annotations

from pathlib import Path

PROOFS, FINGERPRINTS = "proofs.json", "fingerprints.json"


def in_checkout(name: str) -> Path | None:
    """The file, which need not exist, in ``testdata`` of the checkout that the package runs from; None where there is none."""
    folder = Path(__file__).resolve().parents[2] / "testdata"
    return folder / name if folder.is_dir() else None


def find(name: str) -> Path | None:
    """The file in the checkout, else the one that was packed into the package; None where there is neither."""
    packed = Path(__file__).resolve().parent / name
    return next((file for file in (in_checkout(name), packed) if file is not None and file.is_file()), None)
