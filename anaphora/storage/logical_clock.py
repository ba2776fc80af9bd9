"""Clocks: a hybrid logical clock that orders events, and helpers for times in UTC.

A logical time (Kulkarni et al., *Logical Physical Clocks*, 2014) is the wall-clock time in
microseconds or, if that is not later than every known number, the largest known number plus one.
It stays close to the wall clock and still increases when a wall clock is set back.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["from_microseconds", "next_tick", "to_microseconds", "to_utc", "utc_now"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def next_tick(now: int, *known: int) -> int:
    """Return the next logical time: after all ``known`` ones, and not before ``now``
    (microseconds since 1970)."""
    latest = now
    for number in known:
        if number >= latest:
            latest = number + 1
    return latest


def utc_now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


def to_utc(time: datetime) -> datetime:
    """Convert ``time`` to UTC. Raises ValueError if it has no time zone.

    Compute with UTC only: Python subtracts two times of one zone by their local clocks, which is
    an hour wrong across a clock change.
    """
    if time.utcoffset() is None:
        raise ValueError(f"the time {time} has no time zone")
    return time.astimezone(UTC)


def to_microseconds(time: datetime) -> int:
    """Return the microseconds from 1970 to ``time``, which has a time zone."""
    return (time - _EPOCH) // _MICROSECOND


def from_microseconds(number: int) -> datetime:
    """Return the time in UTC that is ``number`` microseconds after the start of 1970."""
    return _EPOCH + timedelta(microseconds=number)
