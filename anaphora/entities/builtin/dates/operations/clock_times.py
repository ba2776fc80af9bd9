"""Times of day (five o'clock, half past six, a quarter to nine), and the operations that return
them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Literal, NamedTuple

from anaphora.entities.builtin.dates.intervals import Grain
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = ["CLOCK_OPERATIONS", "HALF_DAY", "ClockTime", "evaluate_clock"]

HALF_DAY = 12  # hours
_DAY = 24 * 60  # minutes
_EARLIEST_HOUR = 7  # of a day
_FIRST_NIGHT_HOUR = 6  # of an evening; an earlier one is behind midnight
_WITH_FRACTIONS = frozenset({"to", "past", "to_hour"})
_LATEST_HOUR = 29  # of the night behind a day: 25時 is one in the morning


class ClockTime(NamedTuple):
    """A time of day; ``grain`` is the unit of the text. ``open`` means that an hour from 1 to 12
    may be in the morning or in the afternoon; ``half`` is the half of the day (``am``, ``pm``), if
    the text has it."""

    hours: int
    minutes: int = 0
    seconds: int = 0
    grain: Grain = "minute"
    open: bool = False
    half: Literal["", "am", "pm"] = ""


def evaluate_clock(meaning: TimeExpression) -> ClockTime:
    """The time of day of an expression; raises ValueError if there is no such time."""
    has_fraction = any(isinstance(argument, Fraction) for argument in meaning)
    if has_fraction and meaning[0] not in _WITH_FRACTIONS:
        raise ValueError("no such time of day")
    return CLOCK_OPERATIONS[meaning[0]](*meaning[1:])


def _time(hours: int, minutes: int | None = None, seconds: int | None = None) -> ClockTime:
    """A time on a 12-hour or 24-hour clock: an hour from 1 to 12 may be in the afternoon."""
    return _clock24(hours, minutes, seconds)._replace(open=1 <= hours <= HALF_DAY)


def _clock24(hours: int, minutes: int | None = None, seconds: int | None = None) -> ClockTime:
    """A time on a 24-hour clock."""
    if not (0 <= hours <= _LATEST_HOUR and 0 <= (minutes or 0) < 60 and 0 <= (seconds or 0) < 60):
        raise ValueError("no such time of day")
    grain: Grain = "second"
    if seconds is None:
        grain = "hour" if minutes is None else "minute"
    return ClockTime(hours, minutes or 0, seconds or 0, grain)


def _am(clock: TimeExpression) -> ClockTime:
    """Before noon: 12 am is midnight."""
    shown = evaluate_clock(clock)
    if shown.hours > HALF_DAY:
        raise ValueError("no such time of day")
    return shown._replace(hours=shown.hours % HALF_DAY, open=False, half="am")


def _pm(clock: TimeExpression) -> ClockTime:
    """After noon: 12 pm is noon, 17 pm is 17."""
    shown = evaluate_clock(clock)
    if shown.hours > HALF_DAY:
        return shown
    return shown._replace(hours=shown.hours % HALF_DAY + HALF_DAY, open=False, half="pm")


def _by_day(clock: TimeExpression) -> ClockTime:
    """A time that bounds an interval of a day: "after five" is in the afternoon."""
    shown = evaluate_clock(clock)
    is_late = shown.open and shown.hours < _EARLIEST_HOUR
    return _pm(clock) if is_late else shown


def _by_night(clock: TimeExpression) -> ClockTime:
    """A time of the night: six to twelve are an evening's and its midnight, one to five behind
    it."""
    shown = evaluate_clock(clock)
    if not 1 <= shown.hours <= HALF_DAY:
        return shown
    if shown.hours < _FIRST_NIGHT_HOUR:
        return shown._replace(open=False, half="am")
    return shown._replace(hours=shown.hours + HALF_DAY, open=False, half="pm")


def _past(clock: TimeExpression, minutes: int | Fraction) -> ClockTime:
    """Minutes after a time: ten past five. A fraction is one of an hour: *ocho menos cuarto*."""
    if isinstance(minutes, Fraction):
        minutes = _to_minutes(minutes)
    shown = evaluate_clock(clock)
    total = (shown.hours * 60 + shown.minutes + minutes) % _DAY
    if shown.open and total < 60:
        total += HALF_DAY * 60  # half an hour before one o'clock is half past twelve
    hours, minutes = divmod(total, 60)
    return shown._replace(hours=hours, minutes=minutes, grain="minute")


def _to(clock: TimeExpression, minutes: int | Fraction) -> ClockTime:
    """Minutes before a time: a quarter to six, halb sechs."""
    return _past(clock, -minutes)


def _to_minutes(hours: Fraction) -> int:
    """The whole minutes of a part of an hour, before or after."""
    minutes = hours * 60
    if not (minutes.denominator == 1 and -1 < hours < 1):
        raise ValueError("no such time of day")
    return minutes.numerator


CLOCK_OPERATIONS: Mapping[str, Callable[..., ClockTime]] = {
    "time": _time, "clock24": _clock24, "am": _am, "pm": _pm, "to": _to, "past": _past,
    "to_hour": _to,  # or a range of hours: ten to six
    "by_day": _by_day, "by_night": _by_night,
}  # fmt: skip
"""The operations that return times of day, by name."""
