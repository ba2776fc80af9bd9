"""Where PyTorch is installed, spaCy loads it at each start, which takes two seconds; only BART, a
summarizer of long-term memory, needs it. So the tests load spaCy without it, and the processes that
they start have none."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["PYTHONPATH", "leave_out_torch", "processes_without_torch", "with_torch"]

_NO_TORCH = Path(__file__).with_name("no_torch")
_ROOT = Path(__file__).parents[2]

PYTHONPATH = f"{_NO_TORCH}{os.pathsep}{_ROOT}"
"""The ``PYTHONPATH`` of a process that finds this checkout, but no PyTorch."""


@contextmanager
def leave_out_torch() -> Iterator[None]:
    """Let what is imported do without PyTorch, unless that is there already."""
    if "torch" in sys.modules:
        yield
        return
    # None makes an import fail, though typeshed allows modules alone
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["torch"]


@contextmanager
def processes_without_torch() -> Iterator[None]:
    """Let Python processes that start meanwhile find no PyTorch."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(_NO_TORCH), before]))
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before


def with_torch() -> dict[str, str]:
    """The environment of a process that finds PyTorch again."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(one for one in paths if one != str(_NO_TORCH)),
    }
