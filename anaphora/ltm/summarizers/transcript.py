"""How a dialog is written for a language model: a line for each turn, under its speaker's name.

    Earlier, 2026-01-05 to 2026-01-07: They planned a trip to Kyoto.
    Earlier, 2026-01-08, User: I'd like a room with a view.
    User: What is the weather there?
    Bot: It is sunny in Kyoto.

Every text stands on a line of its own, whatever white space it has, so that no text can look as
if another speaker had gone on. So do the lines of a summary that says who said what.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import regex

from anaphora.ltm.exchange import Summary
from anaphora.ltm.history import Part
from anaphora.ltm.summarizers.turns import BOT, EARLIER, USER, Speakers, Turn, fold, turns_of

__all__ = ["BOT", "HEAD", "USER", "turns", "turns_with_times"]

HEAD = regex.compile(rf"(?:{EARLIER}, [\d-]+(?: to [\d-]+)?(?:, (?:{USER}|{BOT}))?|{USER}|{BOT}): ")
"""What a line begins with."""

_SPEAKERS = Speakers()
_LANGUAGE = "en"  # of what names none


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
    said = turns_of([part], speakers=_SPEAKERS, language=_LANGUAGE)
    return "\n".join(_line(part, turn, text) for turn in said if (text := fold(turn.text)))


def _line(part: Part, turn: Turn, text: str) -> str:
    label = _SPEAKERS.label(turn.speaker)
    if not isinstance(part, Summary):
        return f"{label} {text}"
    span = _span(part.since, part.until)
    return f"{EARLIER}, {span}{f', {label}' if turn.speaker else ':'} {text}"


def _span(since: datetime, until: datetime) -> str:
    first, last = since.date().isoformat(), until.date().isoformat()
    return first if first == last else f"{first} to {last}"
