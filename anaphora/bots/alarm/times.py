"""The times that users say, as times of alarms: in UTC, which skips no hour."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from anaphora.core.utterance import Entity

__all__ = [
    "MAX_AHEAD",
    "TooFarError",
    "find_day",
    "find_first_of_several_days",
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
    kind, *rest = new.meta.get("expression") or [""]
    if kind != "clock":
        return time
    clocks = [time.astimezone(at.tzinfo)]
    if rest[0][0] == "time" and 0 < rest[0][1] <= _NOON:
        clocks.append(clocks[0].replace(hour=(clocks[0].hour + _NOON) % (2 * _NOON)))
    moved = [place_on_day(local.date(), one) for one in clocks]
    ahead = [one for one in moved if one > at.astimezone(UTC)]
    return min(ahead, key=lambda one: abs(one - alarm), default=time)


def read_as_timer(entity: Entity, unit: str) -> Entity:
    """A bare hour as a length of time in a unit; the same for anything else."""
    if entity.element != "hour" or unit not in _UNIT_SECONDS:
        return entity
    seconds = entity.meta["expression"][1][1] * _UNIT_SECONDS[unit]
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
