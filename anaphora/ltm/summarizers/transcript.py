"""How a dialog is written for a language model: a line for each turn, under its speaker's name.

    Earlier, 2026-01-05 to 2026-01-07: They planned a trip to Kyoto.
    User: What is the weather there?
    Bot: It is sunny in Kyoto.

Every text stands on a line of its own, whatever white space it has, so that no text can look as
if another speaker had gone on.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from anaphora.ltm.exchange import Summary
from anaphora.ltm.history import Part

__all__ = ["BOT", "USER", "turns", "turns_with_times"]

USER, BOT = "User", "Bot"


def turns(parts: Iterable[Part]) -> list[str]:
    """The lines of each part that says something, in their order: one text for each part."""
    return [text for part in parts if (text := _lines(part))]


def turns_with_times(parts: Iterable[Part]) -> list[str]:
    """The same, and before each exchange when it was ("2026-01-05 09:30, Monday")."""
    return [
        text if isinstance(part, Summary) else f"({part.at:%Y-%m-%d %H:%M, %A})\n{text}"
        for part in parts
        if (text := _lines(part))
    ]


def _lines(part: Part) -> str:
    if isinstance(part, Summary):
        text = _one_line(part.text)
        return text and f"Earlier, {_span(part.since, part.until)}: {text}"
    said = ((USER, part.question), (BOT, part.answer))
    return "\n".join(f"{who}: {line}" for who, text in said if (line := _one_line(text)))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _span(since: datetime, until: datetime) -> str:
    first, last = since.date().isoformat(), until.date().isoformat()
    return first if first == last else f"{first} to {last}"
