"""The turns of a dialog, and summaries that are written as a dialog: a line for each turn.

    [2026-01-05] User: I'd like to cancel my flight tomorrow (2026-01-06).
    Bot: It is cancelled.

A line begins with its day, if that is known and new, and with its speaker. "Earlier" stands before
text of which nobody knows who said it. A text is one line, whatever line ends it had: so no text
can begin a line of another speaker, however often it is summarized.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date
from typing import Literal, TypeAlias

import regex

from anaphora.ltm.dates.mentions import add_dates, annotate_dates
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.working_history import HistoryPart

__all__ = [
    "BOT",
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
"""The names of the summarizers that write a line for each turn."""

Speaker: TypeAlias = Literal["user", "bot", ""]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker ("": unknown) said at once, on a ``day`` (None: it is not known)."""

    speaker: Speaker
    text: str
    day: date | None
    language: str


@dataclass(frozen=True, slots=True)
class SpeakerNames:
    """What the speakers are called in summaries. Raises ValueError if their names, without
    superfluous blanks, don't tell them apart."""

    user: str = USER
    bot: str = BOT

    def __post_init__(self) -> None:
        names = {normalize_whitespace(self.user), normalize_whitespace(self.bot)} - {"", EARLIER}
        if len(names) < 2:
            raise ValueError("the user and the bot need names that tell them apart")

    def label(self, speaker: Speaker) -> str:
        """What stands before a line."""
        return (
            f"{normalize_whitespace({'user': self.user, 'bot': self.bot, '': EARLIER}[speaker])}:"
        )

    def parse_line(self, line: str) -> tuple[date | None, Speaker, str]:
        """The day, the speaker and the text of a line of a summary."""
        found = _DAY.match(line)
        day = _parse_date(found[1]) if found else None
        rest = line[found.end() :] if found and day else line
        for speaker in _SPEAKERS:
            label = self.label(speaker)
            if rest == label or rest.startswith(f"{label} "):
                return day, speaker, rest[len(label) + 1 :]
        return day, "", rest


def iterate_turns(
    parts: Iterable[HistoryPart], *, speakers: SpeakerNames, language: str, resolved: bool = True
) -> Iterator[Turn]:
    """The turns of exchanges, with the values of their dates if these are to be ``resolved``, and
    of summaries. ``language`` is that of parts that don't name theirs.

    The summary of a summarizer that writes no lines (:data:`LINE_SUMMARIZERS`) is a turn of an
    unknown speaker, on an unknown day unless all of it was said on one.
    """
    for part in parts:
        if isinstance(part, Summary):
            yield from _summary_turns(part, speakers, language)
        else:
            yield from _exchange_turns(part, part.language or language, resolved=resolved)


def first_day(part: HistoryPart) -> date:
    """The day on which a part begins, in UTC."""
    return (part.since if isinstance(part, Summary) else part.at).astimezone(UTC).date()


def normalize_whitespace(text: str) -> str:
    """``text`` on one line, with single blanks."""
    return " ".join(text.split())


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
    # One with speakers of the same names is the usual case; "cut" knows no others.
    reader = SpeakerNames() if summary.by == "cut" else speakers
    day = first
    for line in summary.text.split("\n"):
        said, speaker, text = reader.parse_line(line.strip())
        day = said or day
        if text.strip():
            yield Turn(speaker, text, day, language)


def _parse_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
