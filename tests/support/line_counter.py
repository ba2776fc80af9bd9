"""How much work something is: the lines of Python that run, the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")


def count_lines(call: Callable[[], T]) -> tuple[int, T]:
    """How many lines of the package ``call`` runs, and what it returns."""
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
