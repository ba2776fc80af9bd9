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
from anaphora.ltm.history.working_history import HistoryPart
from anaphora.ltm.summarizers.turns import (
    BOT,
    EARLIER,
    USER,
    SpeakerNames,
    Turn,
    iterate_turns,
    normalize_whitespace,
)

__all__ = ["BOT", "LINE_HEAD", "USER", "format_parts", "format_parts_with_times"]

LINE_HEAD = regex.compile(
    rf"(?:{EARLIER}, [\d-]+(?: to [\d-]+)?(?:, (?:{USER}|{BOT}))?|{USER}|{BOT}): "
)
"""What a line begins with."""

_SPEAKERS = SpeakerNames()
_DEFAULT_LANGUAGE = "en"  # of what names none


def format_parts(parts: Iterable[HistoryPart]) -> list[str]:
    """The lines of each part that says something, in their order: one text for each part."""
    return [text for part in parts if (text := _format_part(part))]


def format_parts_with_times(parts: Iterable[HistoryPart]) -> list[str]:
    """The same, and before each exchange when it was ("2026-01-05 09:30, Monday")."""
    return [
        text if isinstance(part, Summary) else f"({part.at:%Y-%m-%d %H:%M, %A})\n{text}"
        for part in parts
        if (text := _format_part(part))
    ]


def _format_part(part: HistoryPart) -> str:
    said = iterate_turns([part], speakers=_SPEAKERS, language=_DEFAULT_LANGUAGE)
    return "\n".join(
        _format_line(part, turn, text) for turn in said if (text := normalize_whitespace(turn.text))
    )


def _format_line(part: HistoryPart, turn: Turn, text: str) -> str:
    label = _SPEAKERS.label(turn.speaker)
    if not isinstance(part, Summary):
        return f"{label} {text}"
    span = _format_span(part.since, part.until)
    return f"{EARLIER}, {span}{f', {label}' if turn.speaker else ':'} {text}"


def _format_span(since: datetime, until: datetime) -> str:
    first, last = since.date().isoformat(), until.date().isoformat()
    return first if first == last else f"{first} to {last}"
