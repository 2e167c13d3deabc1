"""The whole test session shares one kernel cache of its own, unless the environment names one."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

_VARIABLE = "EXACTOPS_CACHE_DIR"
_OWN = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Choose the cache folder before exactops is imported; workers of pytest-xdist inherit it from the controller."""
    if not os.environ.get(_VARIABLE):
        folder = tempfile.mkdtemp(prefix="exactops-tests-")
        config.stash[_OWN] = os.environ[_VARIABLE] = folder


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Campaigns run only when a marker expression asks for them (``pytest -m campaign``); what reads the cache comes last."""
    items.sort(key=lambda item: item.path.name == "test_machine_code.py")
    if not config.option.markexpr:
        campaigns = [item for item in items if item.get_closest_marker("campaign")]
        if campaigns:
            config.hook.pytest_deselected(items=campaigns)
            items[:] = [item for item in items if item not in campaigns]


def pytest_unconfigure(config: pytest.Config) -> None:
    """The process that made the folder removes it."""
    folder = config.stash.get(_OWN, None)
    if folder:
        os.environ.pop(_VARIABLE, None)
        shutil.rmtree(folder, ignore_errors=True)
