"""Describe an exception raised by user code, with file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

__all__ = ["describe_failure", "describe_place"]


def describe_failure(error: BaseException, function: Callable[..., Any] | None = None) -> str:
    """The class and the text of an error.

    With ``function``, a function of the bot's author, also the file and the line in it that
    raised the error, if it got that far.
    """
    description = type(error).__name__
    try:
        description = f"{description}: {error}" if str(error) else description
    except Exception:  # str() of a foreign exception may fail as well
        return description
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    line, step = 0, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == file:
            line = step.tb_lineno
        step = step.tb_next
    return f"{description} ({PurePath(file).name}, line {line})" if file and line else description


def describe_place(function: Callable[..., Any]) -> str:
    """Where a function of the bot's author stands: " (bot.py, line 7)"; '' if unknown."""
    code = getattr(function, "__code__", None)
    return f" ({PurePath(code.co_filename).name}, line {code.co_firstlineno})" if code else ""
