"""Commands that run in the process of the tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def restored_logging() -> Iterator[None]:
    """The logging of the tests themselves, as it was before a command configured it."""
    root, package = logging.getLogger(), logging.getLogger("anaphora")
    handlers, level, package_level = root.handlers[:], root.level, package.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    package.setLevel(package_level)
