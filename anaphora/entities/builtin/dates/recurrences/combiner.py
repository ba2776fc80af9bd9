"""The combiner of recurrences: "at 8" after "every Monday at 9" is every Monday at 8.

A recurrence is combined with another one, and with the dates beside it: what a date says of the
time, the weekday, the beginning or the end is that of the recurrence. A date of its own ("on May
5") replaces the recurrence, whose time it takes if it has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace as replace_struct

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.combining.combination import combine_dates
from anaphora.entities.builtin.dates.combining.completion import complete_date
from anaphora.entities.builtin.dates.combining.readings import (
    DateReading,
    TimeOfDay,
    join_date,
    read_date,
)
from anaphora.entities.builtin.dates.conventions import resolve_conventions
from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.intervals import Moment
from anaphora.entities.builtin.dates.operations.recurrence_patterns import (
    CLOCK_UNITS,
    RecurrencePattern,
    leave_out_date,
)
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.dates.recurrences.pattern_changes import (
    add_days,
    bound_pattern,
    complete_pattern,
    days_of,
    limit_to_duration,
    replace_days,
)
from anaphora.entities.builtin.dates.recurrences.pattern_data import parse_pattern
from anaphora.entities.builtin.dates.recurrences.recurrence_parser import get_recurrence_parser
from anaphora.entities.builtin.dates.recurrences.resolution import resolve_recurrence
from anaphora.entities.builtin.dates.resolution.date_resolution import resolve_date
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code
from anaphora.models.schema.builtin_entities import resolve_options

__all__ = ["RecurrenceCombiner", "create_combiner"]

_WEEK = timedelta(weeks=1)


def create_combiner(
    name: str, language: str, options: Mapping[str, Any], *, is_full: bool
) -> RecurrenceCombiner:
    """Create the combiner of recurrences."""
    return RecurrenceCombiner(language, options)


class RecurrenceCombiner:
    """Combines recurrences with each other and with dates; a bare time ("8"), a part of the day,
    a number of times ("once") and a duration ("for three months") complete one."""

    completes = True

    def __init__(self, language: str, options: Mapping[str, Any]) -> None:
        self._date_options = resolve_options("date", options)
        self._conventions = resolve_conventions(language, self._date_options)

    def may_combine(self, new: Entity) -> bool:
        return True

    def combine(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        return self.change(old, new, at)

    def add(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        """Combine an old recurrence with days or a time that are added to it: on Wednesday too.
        None if no rule can say both."""
        pattern, moment = parse_pattern(old.meta.get("pattern")), self._moment(at)
        if pattern is None:
            return None
        other = parse_pattern(new.meta.get("pattern"))
        if other is None:
            said = read_date(new.meta, moment)
            if said is None or said.bound:
                return None
            if said.day is None:
                return self._add_time(old, new, pattern, said, moment)
            other = days_of(pattern, said.day)
            if other is None:
                return None
            other = _with_time(other, said.time, said.zone)
        is_same_time = not other.has_time or (other.clocks, other.part, other.hours) == (
            pattern.clocks,
            pattern.part,
            pattern.hours,
        )
        changed = add_days(pattern, other) if is_same_time else None
        text = f"{old.text} {new.text}"
        return _resolve(changed, replace_struct(old, text=text), new, moment) if changed else None

    def leave_out(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        """The old recurrence without the days that a date says: not on Thursdays. None if nothing
        would be left, or if the date says no days."""
        pattern, moment = parse_pattern(old.meta.get("pattern")), self._moment(at)
        said = read_date(new.meta, moment)
        if pattern is None or said is None or said.day is None or said.bound:
            return None
        rest = leave_out_date(pattern, said.day)
        changed = _resolve(rest, old, new, moment) if rest is not None else None
        return changed and replace_struct(changed, negated=False)

    def change(self, old: Entity, new: Entity, at: datetime) -> Entity | None:
        """Combine an old recurrence with a new one or a date, or an old date with a new
        recurrence. None if the new one replaces the old one."""
        moment = self._moment(at)
        pattern = parse_pattern(old.meta.get("pattern"))
        other = parse_pattern(new.meta.get("pattern"))
        if pattern is None:
            return self._place_at_time(old, new, other, moment) if other is not None else None
        if other is not None:
            changed = complete_pattern(pattern, other)
            return _resolve(changed, new, new, moment) if changed != other else None
        said = read_date(new.meta, moment)
        if said is None or said.day is None:
            return self._change_time(old, new, pattern, moment)
        bounded = bound_pattern(pattern, said.expression)
        if bounded is not None:
            text = f"{old.text} {new.text}"
            return _resolve(bounded, replace_struct(old, text=text), new, moment)
        if said.bound:
            return None
        days = days_of(pattern, said.day)
        if days is None:
            occurrence = self._occurrence(old, new, pattern, moment)
            is_day = said.period == "day" and occurrence is not None
            return combine_dates(occurrence, new, moment) if is_day and occurrence else None
        changed_days = replace_days(pattern, days)
        if changed_days is None:
            return None
        if said.time != TimeOfDay():
            changed_days = _with_time(changed_days, said.time, said.zone)
        return _resolve(changed_days, replace_struct(old, text=new.text), new, moment)

    def complete(self, old: Entity, text: str, language: str, at: datetime) -> Mention | None:
        pattern, moment = parse_pattern(old.meta.get("pattern")), self._moment(at)
        if pattern is None:
            return None
        count = get_recurrence_parser(base_code(language)).find_count(text)
        if count is not None:
            limited = replace(pattern, count=count, lasting=None, bounds=_without_end(pattern))
            found = _resolve(limited, old, old, moment)
            return Mention(0, len(text), found.value, found.meta) if found is not None else None
        lasting = _find_lasting(text, base_code(language))
        if lasting is not None:
            found = _resolve(limit_to_duration(pattern, lasting), old, old, moment)
            return Mention(0, len(text), found.value, found.meta) if found is not None else None
        occurrence = self._occurrence(old, old, pattern, moment)
        if occurrence is None:
            return None
        mention = complete_date(occurrence, text, language, self._date_options, moment)
        said = mention and read_date(mention.meta, moment)
        if not mention or not said or said.time == TimeOfDay():
            return None
        changed = _with_time(pattern, said.time, said.zone or pattern.zone)
        found = _resolve(changed, old, old, moment)
        if found is None:
            return None
        return replace_struct(mention, value=found.value, meta=found.meta)

    def _change_time(
        self, old: Entity, new: Entity, pattern: RecurrencePattern, moment: Moment
    ) -> Entity | None:
        """The recurrence at the time that the date says: at 8, in the evening, an hour later."""
        occurrence = self._occurrence(old, new, pattern, moment)
        combined = occurrence and combine_dates(occurrence, new, moment)
        said = combined and read_date(combined.meta, moment)
        if not said or said.time == TimeOfDay() or said.bound:
            return None
        changed = _with_time(pattern, said.time, said.zone or pattern.zone)
        return _resolve(changed, replace_struct(old, text=new.text), new, moment)

    def _add_time(
        self,
        old: Entity,
        new: Entity,
        pattern: RecurrencePattern,
        said: DateReading,
        moment: Moment,
    ) -> Entity | None:
        """The recurrence at its own times and another one: and at 6 pm."""
        if not pattern.clocks or len(said.time.clock) != 1 or said.zone or said.time.part:
            return None
        clocks = tuple(dict.fromkeys((*pattern.clocks, *said.time.clock)))
        text = f"{old.text} {new.text}"
        changed = replace(pattern, clocks=clocks)
        return _resolve(changed, replace_struct(old, text=text), new, moment)

    def _place_at_time(
        self, old: Entity, new: Entity, pattern: RecurrencePattern, moment: Moment
    ) -> Entity | None:
        """The new recurrence at the time of an old date: every Monday after tomorrow at 9."""
        said = read_date(old.meta, moment)
        has_time = pattern.has_time or pattern.unit in CLOCK_UNITS
        if said is None or said.time == TimeOfDay() or said.bound or has_time:
            return None
        return _resolve(_with_time(pattern, said.time, said.zone), new, new, moment)

    def _occurrence(
        self, old: Entity, new: Entity, pattern: RecurrencePattern, moment: Moment
    ) -> Entity | None:
        """A date of the old recurrence with its time, of the kind of the new entity. It is a week
        after the next one, so that no time of that day is over."""
        following = old.meta.get("next")
        if following is None or pattern.unit in CLOCK_UNITS:
            return None
        day = datetime.fromisoformat(following).astimezone(moment.zone).date() + _WEEK
        time = TimeOfDay(pattern.part, pattern.hours or pattern.clocks[-1:])
        expression: TimeExpression = join_date(("ymd", day.year, day.month, day.day), time)
        if pattern.zone:
            expression = "in_zone", expression, pattern.zone
        try:
            found = resolve_date(expression, moment)
        except (LookupError, TypeError, ValueError, OverflowError):
            return None
        return replace_struct(new, text=old.text, value=found[0], meta=found[1]) if found else None

    def _moment(self, at: datetime) -> Moment:
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return Moment(at.replace(second=0, microsecond=0), True, self._conventions)


def _with_time(pattern: RecurrencePattern, time: TimeOfDay, zone: str) -> RecurrencePattern:
    first, *rest = time.clock or (None,)
    hours = (first, rest[0]) if first is not None and rest else None
    return replace(
        pattern,
        clocks=(first,) if first is not None and not rest else (),
        hours=hours,
        length=pattern.length if hours is None else None,
        part=time.part,
        zone=zone,
    )


def _find_lasting(text: str, language: str) -> TimeExpression | None:
    """The duration that the whole text is, but for one word before it: for three months."""
    found = get_date_parser(language).find_durations(text)
    if len(found) != 1:
        return None
    ((start, end, meaning),) = found
    is_whole = end == len(text) and len(text[:start].split()) <= 1
    return meaning if is_whole and meaning[0] != "range" else None


def _without_end(pattern: RecurrencePattern) -> tuple[TimeExpression, ...]:
    return tuple([one for one in pattern.bounds if one[0] not in ("until", "before")])


def _resolve(
    pattern: RecurrencePattern, kind: Entity, new: Entity, moment: Moment
) -> Entity | None:
    """A recurrence of the element and with the text of ``kind`` in the place of the ``new`` entity;
    None if it never occurs."""
    try:
        resolved = next(iter(resolve_recurrence((pattern,), moment)), None)
    except (LookupError, TypeError, ValueError, OverflowError):
        return None
    if resolved is None:
        return None
    value, meta = resolved
    return replace_struct(
        kind,
        value=value,
        meta=meta,
        tokens=new.tokens,
        start=new.start,
        end=new.end,
        stem=new.stem,
        lemma=new.lemma,
        negated=new.negated,
    )
