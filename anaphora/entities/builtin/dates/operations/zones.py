"""Operations: times in another time zone (nine o'clock in Tokyo's time)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from anaphora.entities.builtin.dates.intervals import Interval, Moment
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    evaluate,
    operation,
)

__all__ = ["load_zone"]

_OFFSET = re.compile(r"([+-])(\d{1,2}):?(\d{2})?")
_MAX_OFFSET = timedelta(hours=15)


@operation("in_zone")
def _in_zone(moment: Moment, date_: TimeExpression, zone: str) -> Interval:
    """A time in a zone, by its name in the IANA database or its offset from UTC (``+05:30``)."""
    there = load_zone(zone)
    found = evaluate(date_, replace(moment, at=moment.at.astimezone(there)))

    def to_local(at: datetime | None) -> datetime | None:
        return None if at is None else at.astimezone(moment.zone)

    return Interval(to_local(found.start), to_local(found.end), found.grain, found.whole)


@lru_cache(maxsize=256)
def load_zone(name: str) -> tzinfo:
    """The zone of a name in the IANA database, or of an offset from UTC. Raises ValueError if there
    is none."""
    if match := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
        if offset >= _MAX_OFFSET:
            raise ValueError("there is no such time zone")
        return timezone(-offset if match[1] == "-" else offset)
    return ZoneInfo(name)
