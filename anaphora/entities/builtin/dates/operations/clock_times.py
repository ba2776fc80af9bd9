"""Operations: times of day (five o'clock, half past six, a quarter to nine)."""

from __future__ import annotations

from anaphora.entities.builtin.dates.intervals import Grain
from anaphora.entities.builtin.dates.operations.registry import (
    ClockTime,
    TimeExpression,
    clock_operation,
    evaluate_clock,
)

_HALF_DAY = 12
_DAY = 24 * 60  # minutes


@clock_operation("time")
def _time(hours: int, minutes: int | None = None, seconds: int | None = None) -> ClockTime:
    """A time on a 12-hour or 24-hour clock: an hour from 1 to 12 may be in the afternoon."""
    return _clock24(hours, minutes, seconds)._replace(open=1 <= hours <= _HALF_DAY)


@clock_operation("clock24")
def _clock24(hours: int, minutes: int | None = None, seconds: int | None = None) -> ClockTime:
    """A time on a 24-hour clock."""
    if not (0 <= hours <= 24 and 0 <= (minutes or 0) < 60 and 0 <= (seconds or 0) < 60):
        raise ValueError("no such time of day")
    grain: Grain = "second"
    if seconds is None:
        grain = "hour" if minutes is None else "minute"
    return ClockTime(hours, int(minutes or 0), int(seconds or 0), grain)


@clock_operation("am")
def _am(clock: TimeExpression) -> ClockTime:
    """Before noon: 12 am is midnight."""
    shown = evaluate_clock(clock)
    if shown.hours > _HALF_DAY:
        raise ValueError("no such time of day")
    return shown._replace(hours=shown.hours % _HALF_DAY, open=False, half="am")


@clock_operation("pm")
def _pm(clock: TimeExpression) -> ClockTime:
    """After noon: 12 pm is noon, 17 pm is 17."""
    shown = evaluate_clock(clock)
    if shown.hours > _HALF_DAY:
        return shown
    hours = shown.hours % _HALF_DAY + _HALF_DAY
    return shown._replace(hours=hours, open=False, half="pm")


@clock_operation("to")
def _to(clock: TimeExpression, minutes: int) -> ClockTime:
    """Minutes before a time: a quarter to six, halb sechs."""
    return _shift_clock(evaluate_clock(clock), -int(minutes))


@clock_operation("past")
def _past(clock: TimeExpression, minutes: int) -> ClockTime:
    """Minutes after a time: ten past five."""
    return _shift_clock(evaluate_clock(clock), int(minutes))


def _shift_clock(shown: ClockTime, minutes: int) -> ClockTime:
    total = (shown.hours * 60 + shown.minutes + minutes) % _DAY
    if shown.open and total < 60:
        total += _HALF_DAY * 60  # half an hour before one o'clock is half past twelve
    hours, minutes = divmod(total, 60)
    return shown._replace(hours=hours, minutes=minutes, grain="minute")
