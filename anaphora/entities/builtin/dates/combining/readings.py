"""What a date says: a day or a longer period, a part of the day, and a time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, GRAINS, Grain, Moment
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.dates.resolution.date_resolution import parse_expression

__all__ = [
    "ENDS",
    "LENGTH_NAMES",
    "LONGER_THAN_DAY",
    "LONGEST_DAY",
    "SHIFTS",
    "SHIFT_NAMES",
    "SOME_DAY",
    "STARTS",
    "WEEKDAY_SHIFTS",
    "DateReading",
    "TimeOfDay",
    "is_relative",
    "join_date",
    "read_date",
    "read_direction",
]

# The operations on one date that make an interval which begins or ends with it.
STARTS = ("onward", "since", "since_or_from", "after")
ENDS = ("until", "before")
SHIFTS = {"later": "from", "earlier": "before_by"}  # to the operations with another date
WEEKDAY_SHIFTS = {"later_weekday": 1, "earlier_weekday": -1}  # to the rank of the weekday
SHIFT_NAMES = {1: "later", -1: "earlier"}
LENGTH_NAMES = {1: "longer", -1: "shorter"}  # of a range that begins as before
_DIRECTIONS = {**{name: sign for sign, name in SHIFT_NAMES.items()}, **WEEKDAY_SHIFTS}
SOME_DAY = "some_day"
"""The operation of a time on a day of a longer period that is not said yet."""
LONGER_THAN_DAY = GRAINS[GRAINS.index("day") + 1 :]
LONGEST_DAY = timedelta(hours=25)


class TimeOfDay(NamedTuple):
    """What a date says of the time of day: a part of the day, a time or the two of a range."""

    part: str = ""
    clock: tuple[TimeExpression, ...] = ()


class DateReading(NamedTuple):
    """What a date says: ``day`` is a day or a longer period, ``bound`` the operation of an interval
    that is open at one end ("until"). ``start`` and ``end`` are those of the resolved date; None at
    an open end. ``zone`` is the time zone in the text."""

    day: TimeExpression | None
    time: TimeOfDay
    bound: str
    expression: TimeExpression
    start: datetime | None
    end: datetime | None
    grain: Grain
    zone: str = ""

    @property
    def period(self) -> Grain | None:
        """The grain of the day or longer period, a week for several days; None without one."""
        if self.day is None:
            return None
        if self.time != TimeOfDay() and not self.is_open:
            return "day"
        return "week" if self.grain == "day" and self._has_several_days else self.grain

    @property
    def _has_several_days(self) -> bool:
        if self.bound or self.start is None or self.end is None:
            return False
        return self.end - self.start > LONGEST_DAY

    @property
    def is_open(self) -> bool:
        """Whether it has a time, but not yet the day: at eight on some day of next week."""
        name: str = self.expression[0]
        return name == SOME_DAY


def read_date(meta: Mapping[str, Any], moment: Moment) -> DateReading | None:
    """What a date says, by its metadata; None if that is not known."""
    expression, grain = parse_expression(meta.get("expression")), meta.get("grain")
    if expression is None or grain not in GRAINS:
        return None
    start, end = (
        datetime.fromisoformat(meta[key]).astimezone(moment.zone) if key in meta else None
        for key in ("start", "end")
    )
    inner, bound = expression, ""
    if len(expression) == 2 and expression[0] in (*STARTS, *ENDS):
        bound, inner = expression
    if inner[0] == "in_zone":
        _, inner, zone = inner
    else:
        zone = ""
    day, time = _split(inner)
    if inner[0] in ("lasting", "span") and grain in CLOCK_GRAINS and start and end:
        day, time = _split_range(inner, start, end)
    if day is not None and time == TimeOfDay() and grain in CLOCK_GRAINS:
        return None  # in two hours
    return DateReading(day, time, bound, expression, start, end, grain, zone)


def _split_range(
    expression: TimeExpression, start: datetime, end: datetime
) -> tuple[TimeExpression | None, TimeOfDay]:
    """Split a time with its end or its duration (at nine for two hours) into the day and both
    times; a range of several days stays whole."""
    day, time = _split(expression[1])
    is_of_day = expression[0] == "lasting" or start.date() == end.date()
    if len(time.clock) != 1 or not is_of_day:
        return expression, TimeOfDay()
    last = "clock24", end.hour, end.minute
    return day, time._replace(clock=(("clock24", start.hour, start.minute), last))


def _split(expression: TimeExpression) -> tuple[TimeExpression | None, TimeOfDay]:
    """Split a date into the day, or a longer period, and the time of day."""
    match expression:
        case ("clock", clock):
            return None, TimeOfDay(clock=(clock,))
        case ("times", first, last):
            return None, TimeOfDay(clock=(first, last))
        case ("part", name):
            return None, TimeOfDay(part=name)
        case ("within", day, name):
            return day, TimeOfDay(part=name)
        case ("some_day", day, time):
            return day, _split(time)[1]
        case ("at", day, *clock) | ("at_times", day, *clock):
            inner, time = _split(day)
            return inner, time._replace(clock=tuple(clock))
    return expression, TimeOfDay()


def join_date(day: TimeExpression | None, time: TimeOfDay) -> TimeExpression:
    """The date with that day and time of day; hours of a day begin at its time."""
    if day is not None and day[0] == "lasting" and time != TimeOfDay():
        joined = join_date(day[1], time)
        return joined if len(time.clock) > 1 else ("lasting", joined, day[2])
    if time.part:
        day = ("part", time.part) if day is None else ("within", day, time.part)
    name = "times" if len(time.clock) > 1 else "clock"
    if not time.clock:
        assert day is not None
        return day
    if day is None:
        return (name, *time.clock)
    return ("at" if name == "clock" else "at_times", day, *time.clock)


def is_relative(entity: Entity) -> bool:
    """Whether a date is later or earlier than one that was said before: "an hour later", "the
    Friday after"."""
    return bool(read_direction(entity))


def read_direction(entity: Entity) -> int:
    """1 for a date that is later than one that was said before, -1 for an earlier one, else 0."""
    expression = entity.meta.get("expression")
    if not isinstance(expression, list | tuple) or not expression:
        return 0
    return _DIRECTIONS.get(expression[0], 0)
