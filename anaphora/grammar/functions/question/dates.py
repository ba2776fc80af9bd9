"""Functions on the time of the question, in UTC.

Weeks follow ISO 8601: they begin on Monday, and the first week of a year or month is the first
one with at least four of its days.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from anaphora.grammar.context import EntityContext
from anaphora.grammar.functions.registry import function

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@function("dates", examples=("year == 2026",))
def year(context: EntityContext) -> int:
    """The year."""
    return _moment(context).year


@function("dates", examples=("month == 1",))
def month(context: EntityContext) -> int:
    """The month, from 1 to 12."""
    return _moment(context).month


@function("dates", examples=("quarter == 1",))
def quarter(context: EntityContext) -> int:
    """The quarter of the year, from 1 to 4."""
    return (_moment(context).month + 2) // 3


@function("dates", examples=("day_of_month == 5",))
def day_of_month(context: EntityContext) -> int:
    """The day of the month, from 1."""
    return _moment(context).day


@function("dates", examples=("day_of_week == 1",))
def day_of_week(context: EntityContext) -> int:
    """The day of the week, from 1 for Monday to 7 for Sunday."""
    return _moment(context).isoweekday()


@function("dates", examples=("day_of_year == 5",))
def day_of_year(context: EntityContext) -> int:
    """The day of the year, from 1."""
    return _moment(context).timetuple().tm_yday


@function("dates", examples=("week_of_month == 2",))
def week_of_month(context: EntityContext) -> int:
    """The week of the month; the days before the first week are in week 0."""
    moment = _moment(context)
    days_before_monday = (8 - moment.replace(day=1).isoweekday()) % 7
    first_week = 1 if days_before_monday >= 4 else 0
    return (moment.day - 1 - days_before_monday) // 7 + 1 + first_week


@function("dates", examples=("week_of_year == 2",))
def week_of_year(context: EntityContext) -> int:
    """The week of the year, from 1 to 53. The first days of January may belong to week 52 or 53 of
    the previous year, the last days of December to week 1 of the next."""
    return _moment(context).isocalendar().week


@function("dates", examples=("hour == 9",))
def hour(context: EntityContext) -> int:
    """The hour, from 0 to 23."""
    return _moment(context).hour


@function("dates", examples=("minute == 30",))
def minute(context: EntityContext) -> int:
    """The minute, from 0 to 59."""
    return _moment(context).minute


@function("dates", examples=("second == 15",))
def second(context: EntityContext) -> int:
    """The second, from 0 to 59."""
    return _moment(context).second


@function("dates", examples=("now == req_tstamp",))
def now(context: EntityContext) -> int:
    """The time of the question, in milliseconds since 1970."""
    return to_milliseconds(context.question.at)


def to_milliseconds(moment: datetime) -> int:
    """Convert a time to milliseconds since 1970."""
    return (_to_utc(moment) - _EPOCH) // timedelta(milliseconds=1)


def _moment(context: EntityContext) -> datetime:
    return _to_utc(context.question.at)


def _to_utc(moment: datetime) -> datetime:
    """Convert to UTC; a time without a zone is in UTC, not in the local zone of the server."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
