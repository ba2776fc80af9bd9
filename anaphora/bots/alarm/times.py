"""The times that users say, as times of alarms: in UTC, which skips no hour."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from babel import Locale
from dateutil.rrule import rrulestr
from msgspec.structs import replace

from anaphora.models.templates.formatting.recurrences import format_recurrence, parse_recurrence

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity

__all__ = [
    "MAX_AHEAD",
    "TooFarError",
    "find_clock",
    "find_day",
    "find_ends",
    "find_first",
    "find_first_of_several_days",
    "find_unit",
    "format_repeat",
    "may_be_am_or_pm",
    "place_on_day",
    "read_as_timer",
    "resolve_new_time",
    "resolve_on_asked_day",
    "resolve_time",
    "split_range",
]

MAX_AHEAD = timedelta(days=3660)
_CLOCKS = frozenset({"second", "minute", "hour", "part"})  # grains of times of the day
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
_NOON = 12
_UNIT_SECONDS = {"second": 1, "minute": 60, "hour": 3600}
_CLOCK_FACES = ("time", "clock24")
_TIME_PARTS = ("BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS")
_MAX_TRIED = 3  # days
_BARE_CLOCK = re.compile(r"(?:\w+ )?0?(\d{1,2})(?:[:.]\d\d)?")  # "at 7": am or pm
_RELATIVE = re.compile(r"[^\d:]*\d+(?![\d:.])\D*")  # "in 20 minutes", but not "7:20"


class TooFarError(Exception):
    """The time is more than ten years ahead."""


def resolve_time(entity: Entity, at: datetime) -> datetime:
    """The start of a date, in UTC, or now plus a duration; "before 8" is at 8. Raises
    :class:`TooFarError`."""
    meta, now = entity.meta, at.astimezone(UTC)
    try:
        if "seconds" in meta:
            time = now + timedelta(seconds=meta["seconds"])
        else:
            start, end = (
                datetime.fromisoformat(meta[key]).astimezone(UTC) if key in meta else None
                for key in ("start", "end")
            )
            time = start or end or now
            if meta.get("grain") == "part":  # "in the morning" is over at noon
                today = time.astimezone(at.tzinfo).date() == at.date()
                time += _DAY if today and time <= now else timedelta()
            elif start and start <= now and meta.get("expression", ("",))[0] in ("clock", "at"):
                time += _DAY if meta["expression"][0] == "clock" else timedelta()  # 9 am at 9:05
            elif end and time <= now and end - now > _MINUTE:
                time = end
    except OverflowError:
        raise TooFarError from None
    if time - now > MAX_AHEAD:
        raise TooFarError
    return time


def resolve_on_asked_day(
    day: date | None, time: datetime, entity: Entity, at: datetime
) -> datetime:
    """Move the time to the day that the bot asked about, unless the words name another one; a time
    that may be am or pm is am."""
    ahead = time - at.astimezone(UTC)
    if day is None or not timedelta() < ahead <= _DAY or "seconds" in entity.meta:
        return time
    if entity.meta.get("grain") != "hour" and _RELATIVE.fullmatch(entity.text):
        return time
    clock = time.astimezone(at.tzinfo)
    bare = _BARE_CLOCK.fullmatch(entity.text)
    if bare and int(bare[1]) == clock.hour - 12:
        clock = clock.replace(hour=clock.hour - 12)
    return place_on_day(day, clock)


def resolve_new_time(new: Entity, alarm: datetime, at: datetime) -> datetime:
    """The time that an alarm is moved to, in UTC. A new day keeps its time, a new time its day; one
    that may be am or pm is the nearest to it. Raises :class:`TooFarError`."""
    local = alarm.astimezone(at.tzinfo)
    if (day := find_day(new)) is not None:
        return place_on_day(day, local)
    time = resolve_time(new, at)
    if new.meta.get("expression", ("",))[0] != "clock":
        return time
    clocks = [time.astimezone(at.tzinfo)]
    if may_be_am_or_pm(new):
        clocks.append(clocks[0].replace(hour=(clocks[0].hour + _NOON) % (2 * _NOON)))
    moved = [place_on_day(local.date(), one) for one in clocks]
    ahead = [one for one in moved if one > at.astimezone(UTC)]
    return min(ahead, key=lambda one: abs(one - alarm), default=time)


def read_as_timer(entity: Entity, unit: str) -> Entity:
    """A bare number, which may have been read as an hour or in another unit, as a length of time in
    a unit; the same for anything else."""
    is_bare = entity.element == "hour" or (entity.element == "duration" and entity.text.isdecimal())
    if not is_bare or unit not in _UNIT_SECONDS:
        return entity
    is_hour = entity.element == "hour"
    number = entity.meta["expression"][1][1] if is_hour else int(entity.text)
    seconds = number * _UNIT_SECONDS[unit]
    return replace(entity, element="duration", meta={"seconds": seconds, "unit": unit})


def place_on_day(day: date, clock: datetime) -> datetime:
    """The same local time on another day, in UTC."""
    return clock.replace(year=day.year, month=day.month, day=day.day).astimezone(UTC)


def find_day(entity: Entity) -> date | None:
    """The (first) day of a date without a time of the day, or with that of another one ("the same
    time on Sunday"), else None."""
    meta = entity.meta
    start, grain = meta.get("start") or meta.get("end"), meta.get("grain")
    has_time = grain in _CLOCKS and meta.get("expression", ("",))[0] != "at_now"
    if "seconds" in meta or start is None or has_time:
        return None
    return datetime.fromisoformat(start).date()


def find_first_of_several_days(entity: Entity) -> datetime | None:
    """The time on the first day, if a date names several days and a time ("Monday to Friday at
    6"), else None."""
    meta = entity.meta
    if meta.get("grain") not in _CLOCKS or not {"start", "end"} <= meta.keys():
        return None
    start, end = (datetime.fromisoformat(meta[key]) for key in ("start", "end"))
    return datetime.combine(start, end.timetz()) if end - start > _DAY else None


def find_ends(entity: Entity) -> tuple[Entity, ...]:
    """The start and the end of a range of times in a day ("from 5 to 7"); empty for other
    dates."""
    kind = entity.meta.get("expression", ("",))[0]
    ends = split_range((entity,)) if kind in ("times", "at_times") else ()
    return ends if len(ends) > 1 else ()


def find_unit(entity: Entity) -> str:
    """The unit of a length of time from now ("20 minutes", "in 20 minutes"); '' for a time."""
    if unit := entity.meta.get("unit"):
        return str(unit)
    match entity.meta.get("expression"):
        case ["ahead", ["amount", _, str(unit)]]:
            return unit
    return ""


def may_be_am_or_pm(entity: Entity) -> bool:
    """Whether it is a time of the day alone, from 1 to 12 o'clock, without a half of the day."""
    kind, *rest = entity.meta.get("expression") or [""]
    return kind == "clock" and rest[0][0] in _CLOCK_FACES and 0 < rest[0][1] <= _NOON


def find_clock(repeat: Entity, alarm: datetime | None, at: datetime) -> datetime | None:
    """The time of the day of a recurring time: that of an ``alarm``, if the words leave it or its
    half of the day open; None if nothing says it."""
    if "byhour" not in repeat.meta["rule"]:
        return alarm
    said = datetime.fromisoformat(repeat.meta["next"])
    if alarm is None:
        return said
    hours = (alarm.astimezone(at.tzinfo) - said).total_seconds() / _UNIT_SECONDS["hour"]
    return said if hours % _NOON else alarm


def find_first(repeat: Entity, clock: datetime, at: datetime) -> datetime:
    """The first day from now on of a recurring time, at the time of the day ``clock``."""
    parts = [one for one in repeat.value_or_text.split(";") if not one.startswith(_TIME_PARTS)]
    today = at.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    days = rrulestr(";".join(parts), dtstart=today)
    for day in islice(days.xafter(today, inc=True), _MAX_TRIED):
        first = clock.replace(year=day.year, month=day.month, day=day.day)
        if first > at:
            return first
    return datetime.fromisoformat(repeat.meta["next"])


def format_repeat(repeat: Entity, language: str) -> str:
    """A recurring time in words: "every Monday at 9:00 AM"."""
    rule = parse_recurrence(repeat.value)
    if rule is None:
        return repeat.text
    return format_recurrence(rule, repeat.meta, Locale.parse(language, sep="-"))


def split_range(times: tuple[Entity, ...]) -> tuple[Entity, ...]:
    """Replace a single range ("at 8 to 9 am") by its start and its end. An end at midnight is a
    day."""
    meta = times[0].meta if len(times) == 1 and "/" in times[0].value_or_text else {}
    if not {"start", "end"} <= meta.keys():
        return times
    start, end = (datetime.fromisoformat(meta[key]) for key in ("start", "end"))
    first = {"grain": "hour", "start": start.isoformat()}
    last = {"grain": "hour", "start": end.isoformat()}
    if (end.hour, end.minute) == (0, 0):
        last = {"grain": "day", "start": (end - _DAY).isoformat()}
    return replace(times[0], meta=first), replace(times[0], meta=last)
