"""Turns of a dialog, and summaries written as a dialog: one line per turn.

    [2026-01-05] User: I'd like to cancel my flight tomorrow (2026-01-06).
    Bot: It is cancelled.

A line starts with its day, if known and new, and its speaker. "Earlier" marks text of an unknown
speaker. A text is a single line, whatever line breaks it had, so that it cannot imitate a line of
another speaker, however often it is summarized.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date
from typing import Literal, TypeAlias

import regex

from anaphora.ltm.dates.mentions import add_dates, annotate_dates
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.working_history import HistoryPart

__all__ = [
    "BOT",
    "DEFAULT_SPEAKERS",
    "EARLIER",
    "LINE_SUMMARIZERS",
    "USER",
    "Speaker",
    "SpeakerNames",
    "Turn",
    "first_day",
    "iterate_turns",
    "normalize_whitespace",
]

USER, BOT, EARLIER = "User", "Bot", "Earlier"
LINE_SUMMARIZERS = frozenset(("extractive", "cut"))
"""The summarizers that write one line per turn."""

Speaker: TypeAlias = Literal["user", "bot", ""]


@dataclass(frozen=True, slots=True)
class Turn:
    """What a speaker ("": unknown) said in one turn, on a ``day`` (None: unknown)."""

    speaker: Speaker
    text: str
    day: date | None
    language: str


def normalize_whitespace(text: str) -> str:
    """Return ``text`` on one line, with single spaces."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class SpeakerNames:
    """The names of the speakers in summaries. Raises ValueError if the names, with white space
    normalized, are not distinct."""

    user: str = USER
    bot: str = BOT

    def __post_init__(self) -> None:
        names = {normalize_whitespace(self.user), normalize_whitespace(self.bot)} - {"", EARLIER}
        if len(names) < 2:
            raise ValueError("the user and the bot need names that tell them apart")

    def label(self, speaker: Speaker) -> str:
        """Return the prefix of a line."""
        name = {"user": self.user, "bot": self.bot, "": EARLIER}[speaker]
        return f"{normalize_whitespace(name)}:"

    def parse_line(self, line: str) -> tuple[date | None, Speaker, str]:
        """Parse a line of a summary into day, speaker and text."""
        day, rest = None, line
        if found := _DAY.match(line):
            with suppress(ValueError):  # such as February 30
                day, rest = date.fromisoformat(found[1]), line[found.end() :]
        for speaker in _SPEAKERS:
            label = self.label(speaker)
            if rest == label or rest.startswith(f"{label} "):
                return day, speaker, rest[len(label) + 1 :]
        return day, "", rest


DEFAULT_SPEAKERS = SpeakerNames()


def iterate_turns(
    parts: Iterable[HistoryPart],
    *,
    speakers: SpeakerNames = DEFAULT_SPEAKERS,
    language: str = "en",
    resolved: bool = True,
) -> Iterator[Turn]:
    """Yield the turns of exchanges, with dates annotated if ``resolved``, and of summaries.
    ``language`` applies to parts without one.

    A summary not written line by line (see :data:`LINE_SUMMARIZERS`) is a turn of an unknown
    speaker; its day is known only if it covers a single one.
    """
    for part in parts:
        if isinstance(part, Summary):
            yield from _summary_turns(part, speakers, language)
        else:
            yield from _exchange_turns(part, part.language or language, resolved=resolved)


def first_day(part: HistoryPart) -> date:
    """Return the first day of a part, in UTC."""
    return (part.since if isinstance(part, Summary) else part.at).astimezone(UTC).date()


_SPEAKERS: tuple[Speaker, ...] = ("user", "bot", "")
_DAY = regex.compile(r"\[(\d{4}-\d\d-\d\d)\]\s")


def _exchange_turns(exchange: Exchange, language: str, *, resolved: bool) -> Iterator[Turn]:
    day = exchange.at.date()
    question, answer = exchange.question, exchange.answer
    if resolved:
        dated = add_dates(exchange)
        question = annotate_dates(question, dated.question_dates, day)
        answer = annotate_dates(answer, dated.answer_dates, day)
    yield Turn("user", question, day, language)
    yield Turn("bot", answer, day, language)


def _summary_turns(summary: Summary, speakers: SpeakerNames, language: str) -> Iterator[Turn]:
    first = first_day(summary)
    if summary.by not in LINE_SUMMARIZERS:
        is_one = first == summary.until.astimezone(UTC).date()
        yield Turn("", summary.text, first if is_one else None, language)
        return
    # Custom speaker names rarely change between summaries; "cut" always uses the default ones.
    reader = DEFAULT_SPEAKERS if summary.by == "cut" else speakers
    day = first
    for line in summary.text.split("\n"):
        own_day, speaker, text = reader.parse_line(line.strip())
        day = own_day or day
        if text.strip():
            yield Turn(speaker, text, day, language)
