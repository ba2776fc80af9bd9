"""Change recurrence patterns by what is said after them: on Tuesdays instead, on Wednesday too,
until June."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from anaphora.entities.builtin.dates.combining.readings import ENDS, STARTS
from anaphora.entities.builtin.dates.operations.recurrence_patterns import (
    CLOCK_UNITS,
    RecurrencePattern,
    can_bound,
    is_within_day,
    unranked,
    weekdays_of,
)
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = [
    "add_days",
    "bound_pattern",
    "complete_pattern",
    "days_of",
    "limit_to_duration",
    "replace_days",
]


def complete_pattern(old: RecurrencePattern, new: RecurrencePattern) -> RecurrencePattern:
    """The new pattern with what it leaves open of the old one: the days (Mondays, every other
    week), the time, and then the beginning and the end."""
    changed = new
    if old.unit == new.unit and new.is_bare:
        changed = replace(
            changed,
            months=old.months,
            monthdays=old.monthdays,
            weekdays=old.weekdays,
            rank=old.rank,
            skipped=old.skipped,
        )
    elif old.unit == new.unit and old.is_bare and new.interval == 1:
        changed = replace(changed, interval=old.interval)
    if new.has_time or new.unit in CLOCK_UNITS:
        return changed
    changed = replace(changed, clocks=old.clocks, hours=old.hours, part=old.part, zone=old.zone)
    if new.length is None:
        changed = replace(changed, length=old.length)
    if not (new.bounds or new.lasting or new.count):
        changed = replace(changed, bounds=old.bounds, lasting=old.lasting, count=old.count)
    return changed


def days_of(old: RecurrencePattern, date_: TimeExpression) -> RecurrencePattern | None:
    """The days that recur if a date beside the old pattern says them: Wednesday, the weekend, the
    15th of a month. None for a date of its own, and for days that do not go with the pattern."""
    if (days := weekdays_of(date_)) is not None:
        if old.unit == "month" and any(rank for rank, _ in old.weekdays):
            ranks = sorted({rank for rank, _ in old.weekdays})
            both = tuple([(rank, day) for rank in ranks for day in days])
            return RecurrencePattern("month", weekdays=both)
        if old.unit in ("day", "week"):
            return RecurrencePattern("week", weekdays=unranked(days))
    if date_[0] == "day_of_month" and len(date_) == 2 and old.unit == "month":
        return RecurrencePattern("month", monthdays=(date_[1],))
    return None


def replace_days(old: RecurrencePattern, new: RecurrencePattern) -> RecurrencePattern | None:
    """The old pattern on the days of the new one; None if it is every so many days."""
    if old.unit == "day" and old.interval > 1:
        return None
    return replace(
        old,
        unit=new.unit,
        monthdays=new.monthdays,
        weekdays=new.weekdays,
        rank=new.rank,
        skipped=(),
    )


def add_days(old: RecurrencePattern, new: RecurrencePattern) -> RecurrencePattern | None:
    """The old pattern on its own days and those of the new one; None if no rule can say both."""
    if old.unit != new.unit or old.is_bare or new.is_bare:
        return None
    if old.rank != new.rank or new.months != old.months:
        return None
    if bool(old.monthdays) != bool(new.monthdays) or bool(old.weekdays) != bool(new.weekdays):
        return None
    added = {day for _, day in new.weekdays}
    return replace(
        old,
        monthdays=tuple(dict.fromkeys((*old.monthdays, *new.monthdays))),
        weekdays=tuple(dict.fromkeys((*old.weekdays, *new.weekdays))),
        skipped=tuple([day for day in old.skipped if day not in added]),
    )


def bound_pattern(old: RecurrencePattern, date_: TimeExpression) -> RecurrencePattern | None:
    """The old pattern from a date on, until one, or from one to another; None for other dates. A
    new end replaces an old one, however that was said."""
    bounds = _split_spans(old.bounds)
    if date_[0] in STARTS:
        kept = tuple([one for one in bounds if one[0] in ENDS])
        free = replace(old, bounds=kept)
    elif date_[0] in ENDS:
        kept = tuple([one for one in bounds if one[0] in STARTS])
        free = replace(old, bounds=kept, lasting=None, count=0)
    elif date_[0] == "span":
        free = replace(old, bounds=(), lasting=None, count=0)
    else:
        return None
    return replace(free, bounds=(*free.bounds, date_)) if can_bound(free, date_) else None


def limit_to_duration(old: RecurrencePattern, duration: TimeExpression) -> RecurrencePattern:
    """The old pattern for that long: for three months, or each time for an hour."""
    if old.unit not in CLOCK_UNITS and is_within_day(duration):
        return replace(old, length=duration, hours=None)
    bounds = tuple([one for one in _split_spans(old.bounds) if one[0] not in ENDS])
    return replace(old, bounds=bounds, lasting=duration, count=0)


def _split_spans(bounds: Iterable[TimeExpression]) -> list[TimeExpression]:
    """The bounds, with the beginning and the end of each span by themselves."""
    split: list[TimeExpression] = []
    for one in bounds:
        if one[0] == "span":
            split += [("onward", one[1]), ("until", one[2])]
        else:
            split.append(one)
    return split
