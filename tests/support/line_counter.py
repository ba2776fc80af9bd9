"""Count executed lines of Python: a measure of work that is the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


def count_lines(call: Callable[[], T]) -> tuple[int, T]:
    """The number of lines of the package that ``call`` executes, and its result."""
    lines = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal lines
        if event == "call":
            ours = frame.f_globals.get("__name__", "").startswith("anaphora.")
            return trace if ours else None
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = call()
    finally:
        sys.settrace(before)
    return lines, result
