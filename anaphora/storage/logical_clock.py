"""Logical time: numbers by which what happens is ordered, whatever the clocks on the wall say.

A hybrid logical clock (Kulkarni et al., *Logical Physical Clocks*, 2014): the time in microseconds,
unless that is not later than a number that is known already. So the numbers are close to the time
where clocks can be trusted, and grow where a clock goes back.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

__all__ = ["next_tick", "to_microseconds"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def next_tick(now: int, *known: int) -> int:
    """The next number after all that are ``known``, at the time ``now`` (in microseconds since
    1970)."""
    latest = now
    for number in known:
        if number >= latest:
            latest = number + 1
    return latest


def to_microseconds(time: datetime) -> int:
    """The microseconds from 1970 to a time with a time zone."""
    return (time - _EPOCH) // _MICROSECOND
