"""Format an interval as ISO 8601 text and as metadata."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, Interval, Moment

__all__ = ["build_metadata", "format_value"]

_OPEN_END = ".."


def format_value(interval: Interval, moment: Moment) -> str:
    """Format one whole period by its name (``2026-11``), another interval by its first and last
    day, or by its times if it does not start and end at midnight."""
    start, end, grain = interval.start, interval.end, interval.grain
    if interval.whole:
        return _format_period(interval)
    by_days = all(one is None or one == moment.local_time(one.date()) for one in (start, end))
    if not by_days or grain in CLOCK_GRAINS:
        of_seconds = bool(grain == "second" and start and end and (start.second or end.second))
        unit = "seconds" if of_seconds else "minutes"
        return "/".join([_format_time(end, unit) if end else _OPEN_END for end in (start, end)])
    last = end - timedelta(days=1) if end is not None else None
    if start is not None and last is not None and start.date() == last.date():
        return _format_day(start)
    return (
        f"{_format_day(start) if start else _OPEN_END}/{_format_day(last) if last else _OPEN_END}"
    )


def build_metadata(interval: Interval) -> dict[str, Any]:
    """The metadata of a date for intents and handlers."""
    meta: dict[str, Any] = {"grain": interval.grain}
    if interval.start is not None:
        meta |= {"from": _to_milliseconds(interval.start), "start": interval.start.isoformat()}
    if interval.end is not None:
        meta |= {"to": _to_milliseconds(interval.end), "end": interval.end.isoformat()}
    return meta


def _format_period(interval: Interval) -> str:
    start, end = interval.start, interval.end
    assert start is not None
    assert end is not None
    match interval.grain:
        case "second":
            return _format_time(start, "seconds")
        case "minute" | "hour":
            return _format_time(start)
        case "day":
            return _format_day(start)
        case "week":
            year, week, _ = (start + timedelta(days=1)).isocalendar()  # it may start on Sunday
            return f"{year:04}-W{week:02}"
        case "month":
            return f"{start.year:04}-{start.month:02}"
        case "quarter":
            return f"{start.year:04}-Q{(start.month + 2) // 3}"
        case "year":
            return f"{start.year:04}"
    return f"{_format_day(start)}/{_format_day(end - timedelta(days=1))}"


def _format_day(of: datetime) -> str:
    return of.date().isoformat()


def _format_time(of: datetime, unit: str = "minutes") -> str:
    return of.replace(tzinfo=None).isoformat(timespec=unit)


def _to_milliseconds(of: datetime) -> int:
    return int(of.timestamp() * 1000)
