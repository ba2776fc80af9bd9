"""Transcript of a dialog for a language model: one line per turn, after its speaker's name.

    Earlier, 2026-01-05 to 2026-01-07: They planned a trip to Kyoto.
    Earlier, 2026-01-08, User: I'd like a room with a view.
    User: What is the weather there?
    Bot: It is sunny in Kyoto.

Every text is on a single line, whatever white space it contains, so that no text can imitate a
turn of another speaker. The same holds for the lines of a summary with speakers.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import regex

from anaphora.ltm.exchange import Summary
from anaphora.ltm.history.working_history import HistoryPart
from anaphora.ltm.summarizers.turns import (
    BOT,
    DEFAULT_SPEAKERS,
    EARLIER,
    USER,
    Turn,
    iterate_turns,
    normalize_whitespace,
)

__all__ = ["BOT", "LINE_HEAD", "USER", "format_parts", "format_parts_with_times"]

LINE_HEAD = regex.compile(
    rf"(?:{EARLIER}, [\d-]+(?: to [\d-]+)?(?:, (?:{USER}|{BOT}))?|{USER}|{BOT}): "
)
"""The start of a line."""


def format_parts(parts: Iterable[HistoryPart]) -> list[str]:
    """Return the lines of each non-empty part, in order: one text per part."""
    return [text for part in parts if (text := _format_part(part))]


def format_parts_with_times(parts: Iterable[HistoryPart]) -> list[str]:
    """As :func:`format_parts`, with the time before each exchange ("2026-01-05 09:30, Monday")."""
    return [
        text if isinstance(part, Summary) else f"({part.at:%Y-%m-%d %H:%M, %A})\n{text}"
        for part in parts
        if (text := _format_part(part))
    ]


def _format_part(part: HistoryPart) -> str:
    return "\n".join(
        _format_line(part, turn, text)
        for turn in iterate_turns([part])
        if (text := normalize_whitespace(turn.text))
    )


def _format_line(part: HistoryPart, turn: Turn, text: str) -> str:
    label = DEFAULT_SPEAKERS.label(turn.speaker)
    if not isinstance(part, Summary):
        return f"{label} {text}"
    span = _format_span(part.since, part.until)
    return f"{EARLIER}, {span}{f', {label}' if turn.speaker else ':'} {text}"


def _format_span(since: datetime, until: datetime) -> str:
    first, last = since.date().isoformat(), until.date().isoformat()
    return first if first == last else f"{first} to {last}"
