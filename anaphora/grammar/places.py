"""From an offset in a source text to the line and column that an error shows."""

from __future__ import annotations

from anaphora.errors import Problem

__all__ = ["problem_at"]


def problem_at(text: str, source: str, at: int, message: str, hint: str = "") -> Problem:
    """A problem at the offset ``at`` of ``text``; without a place if it lies outside."""
    if not 0 <= at <= len(text) or not text:
        return Problem(message, source=source, hint=hint)
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    return Problem(
        message,
        source=source,
        line=text.count("\n", 0, at) + 1,
        column=at - start + 1,
        excerpt=text[start : len(text) if end < 0 else end].rstrip("\r"),
        hint=hint,
    )
