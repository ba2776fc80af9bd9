"""Five o'clock, half past six, a quarter to nine: what a clock shows."""

from __future__ import annotations

from anaphora.entities.dates.calendar import Grain
from anaphora.entities.dates.operations.registry import Clock, Meaning, clock, clock_of

_HALF_DAY = 12
_DAY = 24 * 60  # minutes


@clock("time")
def _time(hours: int, minutes: int | None = None, seconds: int | None = None) -> Clock:
    """As it is said: an hour from 1 to 12 may be one of the afternoon."""
    return _clock24(hours, minutes, seconds)._replace(open=1 <= hours <= _HALF_DAY)


@clock("clock24")
def _clock24(hours: int, minutes: int | None = None, seconds: int | None = None) -> Clock:
    """As a clock with 24 hours shows it."""
    if not (0 <= hours <= 24 and 0 <= (minutes or 0) < 60 and 0 <= (seconds or 0) < 60):
        raise ValueError("no clock shows that")
    grain: Grain = "second"
    if seconds is None:
        grain = "hour" if minutes is None else "minute"
    return Clock(hours, int(minutes or 0), int(seconds or 0), grain)


@clock("am")
def _am(clock: Meaning) -> Clock:
    """Before noon: 12 am is midnight."""
    shown = clock_of(clock)
    if shown.hours > _HALF_DAY:
        raise ValueError("no clock shows that")
    return shown._replace(hours=shown.hours % _HALF_DAY, open=False, half="am")


@clock("pm")
def _pm(clock: Meaning) -> Clock:
    """After noon: 12 pm is noon, 17 pm is 17."""
    shown = clock_of(clock)
    if shown.hours > _HALF_DAY:
        return shown
    hours = shown.hours % _HALF_DAY + _HALF_DAY
    return shown._replace(hours=hours, open=False, half="pm")


@clock("to")
def _to(clock: Meaning, minutes: int) -> Clock:
    """So many minutes before it: a quarter to six, halb sechs."""
    return _moved(clock_of(clock), -int(minutes))


@clock("past")
def _past(clock: Meaning, minutes: int) -> Clock:
    """So many minutes after it: ten past five."""
    return _moved(clock_of(clock), int(minutes))


def _moved(shown: Clock, minutes: int) -> Clock:
    total = (shown.hours * 60 + shown.minutes + minutes) % _DAY
    if shown.open and total < 60:
        total += _HALF_DAY * 60  # half an hour before one is half past twelve
    hours, minutes = divmod(total, 60)
    return shown._replace(hours=hours, minutes=minutes, grain="minute")
