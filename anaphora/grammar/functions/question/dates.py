"""Functions on the time of the question, in UTC.

Weeks follow ISO 8601: they begin on Monday, and the first week of a year or month is the first
one with at least four of its days.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.registry import declare_attributes
from anaphora.grammar.values import INTEGER

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_milliseconds(moment: datetime) -> int:
    """Convert a time to milliseconds since 1970."""
    return (_to_utc(moment) - _EPOCH) // timedelta(milliseconds=1)


def _to_utc(moment: datetime) -> datetime:
    """Convert to UTC; a time without a zone is in UTC, not in the local zone of the server."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _read_time(read: Callable[[datetime], int]) -> Callable[[EntityContext], int]:
    return lambda context: read(_to_utc(context.question.at))


def _week_of_month(moment: datetime) -> int:
    days_before_monday = (8 - moment.replace(day=1).isoweekday()) % 7
    first_week = 1 if days_before_monday >= 4 else 0
    return (moment.day - 1 - days_before_monday) // 7 + 1 + first_week


# fmt: off
date_functions = declare_attributes("dates", (
    ("year", INTEGER, "The year.", "year == 2026", lambda moment: moment.year),
    ("month", INTEGER, "The month, from 1 to 12.", "month == 1", lambda moment: moment.month),
    ("quarter", INTEGER, "The quarter of the year, from 1 to 4.", "quarter == 1",
     lambda moment: (moment.month + 2) // 3),
    ("day_of_month", INTEGER, "The day of the month, from 1.", "day_of_month == 5",
     lambda moment: moment.day),
    ("day_of_week", INTEGER, "The day of the week, from 1 for Monday to 7 for Sunday.",
     "day_of_week == 1", lambda moment: moment.isoweekday()),
    ("day_of_year", INTEGER, "The day of the year, from 1.", "day_of_year == 5",
     lambda moment: moment.timetuple().tm_yday),
    ("week_of_month", INTEGER,
     "The week of the month; the days before the first week are in week 0.", "week_of_month == 2",
     _week_of_month),
    ("week_of_year", INTEGER,
     "The week of the year, from 1 to 53. The first days of January may belong to week 52 or 53 "
     "of\nthe previous year, the last days of December to week 1 of the next.",
     "week_of_year == 2", lambda moment: moment.isocalendar().week),
    ("hour", INTEGER, "The hour, from 0 to 23.", "hour == 9", lambda moment: moment.hour),
    ("minute", INTEGER, "The minute, from 0 to 59.", "minute == 30", lambda moment: moment.minute),
    ("second", INTEGER, "The second, from 0 to 59.", "second == 15", lambda moment: moment.second),
    ("now", INTEGER, "The time of the question, in milliseconds since 1970.", "now == req_tstamp",
     to_milliseconds),
), _read_time)
# fmt: on
