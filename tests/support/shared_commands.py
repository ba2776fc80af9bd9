"""All tests of a command line share the commands that Typer makes of its functions: that takes
20 ms."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from typer.main import get_command

__all__ = ["share_commands"]


@contextmanager
def share_commands() -> Iterator[None]:
    """Let ``CliRunner`` make the commands of each application once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.testing._get_command", cache(get_command))
        yield
