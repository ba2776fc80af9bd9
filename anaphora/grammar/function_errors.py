"""What is said of a function of a bot's author that has failed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

__all__ = ["describe_failure"]


def describe_failure(error: BaseException, function: Callable[..., Any]) -> str:
    """The kind and the text of an error, whatever its text does, and the line of the file of
    ``function`` (one of a bot's author's) that it came from, if it ran that far."""
    said = type(error).__name__
    try:
        said = f"{said}: {error}" if str(error) else said
    except Exception:  # its own text may fail as well, and there is nothing more to say then
        return said
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            line = step.tb_lineno
        step = step.tb_next
    return f"{said} ({PurePath(file).name}, line {line})" if file and line else said
