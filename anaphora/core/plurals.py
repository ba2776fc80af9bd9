"""Counts in messages."""

from __future__ import annotations

__all__ = ["pluralize"]


def pluralize(count: int, noun: str) -> str:
    """Format a count with its noun: "1 dialog", "2 dialogs", "1,200 summaries"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else plural}"
