"""Join a recurrence with the time or the day that is said apart from it: *every Monday* remind me
*at 9*."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from anaphora.entities.builtin.dates.coordination.gaps import COMMAS, find_gap, split_gap
from anaphora.entities.builtin.dates.grammar.islands import DateMatch
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.operations.recurrence_patterns import (
    CLOCK_UNITS,
    RECURRENCE_OPERATIONS,
    Patterns,
)
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, evaluate_bounded

__all__ = ["RecurrenceMatch", "join_distant_time", "needs_time"]

_TIMES = frozenset({"clock", "times", "part"})  # operations
_DAYS = {"week": "weekday", "month": "day_of_month", "year": "monthday"}  # operations, by unit
_SOME_MOMENT = Moment(datetime(2000, 1, 1, tzinfo=UTC))
_SOME_DAY: TimeExpression = ("ymd", 2000, 1, 3)


class RecurrenceMatch(NamedTuple):
    """A recurrence in a text; the words in its ``gap`` are no part of it."""

    start: int
    end: int
    patterns: Patterns
    gap: tuple[int, int] | None = None


def join_distant_time(
    text: str,
    recurrence: RecurrenceMatch,
    dates: Sequence[DateMatch],
    conjunctions: Collection[str],
) -> RecurrenceMatch:
    """The recurrence at the time that is said before or behind it, if that is the only further one
    of the ``dates``, in the same clause; else the same."""
    start, end, patterns, _ = recurrence
    apart = [one for one in dates if one[1] <= start or one[0] >= end]
    if len(apart) != 1 or not _is_missing(apart[0][2], patterns):
        return recurrence
    ((first, last, time),) = apart
    gap = find_gap(start, end, first, last)
    if not _is_in_clause(text, recurrence, gap, conjunctions):
        return recurrence
    placed = RECURRENCE_OPERATIONS["narrow"](patterns, time)
    if not placed:
        return recurrence
    return RecurrenceMatch(min(start, first), max(end, last), placed, gap)


def needs_time(patterns: Patterns) -> bool:
    """Whether a recurrence leaves the time of day open, or has a part of the day for it."""
    return not any(
        one.clocks or one.hours or one.times or one.unit in CLOCK_UNITS for one in patterns
    )


def _is_missing(meaning: TimeExpression, patterns: Patterns) -> bool:
    """Whether a date is a time or a part of any day, or the day that every week, month or year
    leaves open; beside a part of the day a time in it."""
    if any(one.part for one in patterns):
        return meaning[0] == "clock" and all(_is_in_part(meaning[1], one.part) for one in patterns)
    if _is_time(meaning):
        return True
    day = meaning[1] if meaning[0] in ("at", "at_times", "within") else meaning
    return all(one.is_bare and day[0] == _DAYS.get(one.unit) for one in patterns)


def _is_in_part(clock: TimeExpression, part: str) -> bool:
    """Whether a time, said in a part of the day, is in its usual hours: at 8 every evening."""
    if not part:
        return False
    day_part = "within", _SOME_DAY, part
    try:
        whole = evaluate_bounded(day_part, _SOME_MOMENT)
        start = evaluate_bounded(("at", day_part, clock), _SOME_MOMENT).start
    except (LookupError, TypeError, ValueError):  # no such time
        return False
    return whole.start <= start < whole.end


def _is_time(meaning: TimeExpression) -> bool:
    """Whether a date is a time or a part of any day."""
    if meaning[0] in ("at", "at_times", "in_zone"):
        return _is_time(meaning[1])
    return meaning[0] in _TIMES


def _is_in_clause(
    text: str, recurrence: RecurrenceMatch, gap: tuple[int, int], conjunctions: Collection[str]
) -> bool:
    """Whether only words are between both, no conjunction and no mark but a comma behind a
    recurrence at the beginning of the text."""
    words = split_gap(text, gap)
    if words and recurrence.start == 0 and words[0] in COMMAS:
        words = words[1:]
    if not words or not COMMAS.isdisjoint(words):
        return False
    return not any(one in conjunctions for one in words)
