"""PyInstaller's door to the package: entry point ``pyinstaller40``, group ``hook-dirs``."""

from pathlib import Path


def hook_folders() -> list[str]:
    """The folders with hooks: this one."""
    return [str(Path(__file__).parent)]
