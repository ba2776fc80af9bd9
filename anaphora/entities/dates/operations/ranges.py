"""From Monday to Friday, since May, until tomorrow: what has a beginning and an end."""

from __future__ import annotations

from anaphora.entities.dates.calendar import GRAINS, Interval, Moment
from anaphora.entities.dates.operations.amounts import minute_of
from anaphora.entities.dates.operations.registry import FINE, Meaning, date_of, operation


@operation("span")
def _span(moment: Moment, first: Meaning, last: Meaning) -> Interval:
    """From the beginning of the first one to the end of the last one; to the beginning of a
    time of the day. A last one that would come before the first is the next one after it."""
    one = date_of(first, moment)
    other = date_of(last, moment)
    if one.start is None or other.start is None or other.end is None:
        raise ValueError("it has no end")
    if other.end <= one.start:
        other = date_of(last, moment.moved_to(one.start))
    end = other.start if other.grain in FINE and other.grain != "part" else other.end
    grain = min(one.grain, other.grain, key=GRAINS.index)
    return Interval(one.start, end, grain)


@operation("since")
def _since(moment: Moment, first: Meaning) -> Interval:
    """From then up to now; without an end, if that is still to come. Since Monday is since the
    last one."""
    behind = Moment(moment.at, ahead=False, first_day=moment.first_day)
    found = date_of(first, behind)
    if found.start is None:
        raise ValueError("it has no beginning")
    now = minute_of(moment.at)
    return Interval(found.start, now if found.start < now else None, found.grain)


@operation("until")
def _until(moment: Moment, last: Meaning) -> Interval:
    """From now up to then, that day itself included; without a beginning, if that has passed."""
    found = date_of(last, moment)
    end = found.start if found.grain in FINE else found.end
    if end is None:
        raise ValueError("it has no end")
    now = minute_of(moment.at)
    return Interval(now if now < end else None, end, found.grain)


@operation("onward")
def _onward(moment: Moment, first: Meaning) -> Interval:
    """From then on."""
    found = date_of(first, moment)
    if found.start is None:
        raise ValueError("it has no beginning")
    return Interval(found.start, None, found.grain)


@operation("after")
def _after(moment: Moment, date_: Meaning) -> Interval:
    found = date_of(date_, moment)
    if found.end is None:
        raise ValueError("it has no end")
    start = found.start if found.grain in FINE and found.grain != "part" else found.end
    return Interval(start, None, found.grain)


@operation("before")
def _before(moment: Moment, date_: Meaning) -> Interval:
    found = date_of(date_, moment)
    if found.start is None:
        raise ValueError("it has no beginning")
    return Interval(None, found.start, found.grain)
