"""Convert the metadata of a date to a range of days, and format days in a language."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

from anaphora.bots.tables import load_texts

__all__ = ["date_range", "format_clock", "format_day", "format_days"]

_WEEKDAY_SPAN = timedelta(days=13)  # longer ranges are shown without weekdays


def date_range(meta: Mapping[str, Any] | None, today: date) -> tuple[date, date]:
    """The first and the last day of a date, from its metadata.

    An open range starts or ends today; without metadata, both are today. A night belongs to the day
    on which it begins.
    """
    if not meta:
        return today, today
    first = datetime.fromisoformat(meta["start"]).date() if "start" in meta else None
    last = None
    if "end" in meta:
        last = (datetime.fromisoformat(meta["end"]) - timedelta(microseconds=1)).date()
    if first is None and last is None:
        return today, today
    if first is None:
        assert last is not None
        return min(today, last), last
    if meta.get("grain") == "part":
        return first, first
    return first, max(first, today if last is None else last)


def format_days(first: date, last: date, language: str, today: date) -> str:
    """ "Tue 6 Jan", "Mon 5 Jan – Sun 11 Jan", "January 2024", "June – August", "2030"."""
    if first == last:
        return format_day(first, language, today)
    if first.day == 1 and last.day == monthrange(last.year, last.month)[1]:
        return _format_months(first, last, language, today)
    short = last - first <= _WEEKDAY_SPAN
    return _format_range(
        *(format_day(day, language, today, weekday=short) for day in (first, last))
    )


def format_day(day: date, language: str, today: date, *, weekday: bool = True) -> str:
    """ "Tue 6 Jan", with the year if it differs from that of ``today``."""
    words = load_texts("days", language)
    text: str = words["date"].format(day=day.day, month=words["months"][day.month - 1])
    if day.year != today.year:
        text = words["year"].format(date=text, year=day.year)
    if weekday:
        text = words["weekday"].format(date=text, weekday=words["weekdays"][day.weekday()])
    return text


def _format_months(first: date, last: date, language: str, today: date) -> str:
    """A range of whole months or whole years."""
    if (first.month, last.month) == (1, 12):
        return _format_range(str(first.year), str(last.year))
    words = load_texts("days", language)
    names = [words["whole_months"][day.month - 1] for day in (first, last)]
    if first.year != today.year or last.year != today.year:
        names[1] = words["year"].format(date=names[1], year=last.year)
    if first.year != last.year:
        names[0] = words["year"].format(date=names[0], year=first.year)
    elif first.month == last.month:
        return str(names[1])
    return _format_range(*names)


def _format_range(first: str, last: str) -> str:
    return first if first == last else f"{first} – {last}"


def format_clock(time: datetime) -> str:
    """ "07:00"."""
    return f"{time:%H:%M}"
