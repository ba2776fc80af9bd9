"""Convert an offset in a source text to line and column."""

from __future__ import annotations

from anaphora.errors import Problem

__all__ = ["problem_at"]


def problem_at(text: str, source: str, offset: int, message: str, hint: str = "") -> Problem:
    """A problem at an offset of ``text``; without a position if the offset is out of range."""
    if not 0 <= offset <= len(text) or not text:
        return Problem(message, source=source, hint=hint)
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    return Problem(
        message,
        source=source,
        line=text.count("\n", 0, offset) + 1,
        column=offset - start + 1,
        excerpt=text[start : len(text) if end < 0 else end].rstrip("\r"),
        hint=hint,
    )
