"""Now, this week, the last three days: what is told by how far it is from now."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from fractions import Fraction

from anaphora.entities.dates.calendar import GRAINS, Grain, Interval, Moment
from anaphora.entities.dates.operations.amounts import (
    Amount,
    amount_of,
    amounts_of,
    finest,
    later,
    minute_of,
    point,
)
from anaphora.entities.dates.operations.registry import FINE, Meaning, date_of, operation


@operation("now")
def _now(moment: Moment) -> Interval:
    return moment.cell("second")


@operation("never")
@operation("missing")
def _never(moment: Moment) -> Interval:
    raise ValueError("there is no such day")


@operation("behind")
def _behind(moment: Moment, date: Meaning) -> Interval:
    """The date as it is understood where dates lie behind: the latest one before now."""
    return date_of(date, replace(moment, ahead=False))


@operation("cell")
def _cell(moment: Moment, unit: Grain, shift: int = 0) -> Interval:
    return moment.cell(unit, shift=shift)


@operation("ago")
def _ago(moment: Moment, duration: Meaning) -> Interval:
    return _away(moment, moment.at, duration, -1)


@operation("ahead")
def _ahead(moment: Moment, duration: Meaning) -> Interval:
    return _away(moment, moment.at, duration, 1)


def _away(
    moment: Moment, origin: datetime, duration: Meaning, sign: int, coarsest: Grain = "century"
) -> Interval:
    """What lies that far from the origin; of 3 to 4 days all that lies between both."""
    least, most = amounts_of(duration)
    grain = min(finest(most), coarsest, key=GRAINS.index)
    near, far = (
        point(moment, later(moment, origin, amount, sign), grain) for amount in (least, most)
    )
    if near == far:
        return near
    first, last = (near, far) if sign > 0 else (far, near)
    return Interval(first.start, last.end, grain)


@operation("past")
def _past(moment: Moment, duration: Meaning) -> Interval:
    """The last 3 days are those before today; the last 2 hours end now."""
    amount = amount_of(duration)
    grain = finest(amount)
    end = minute_of(moment.at) if grain in FINE else moment.cell(grain).start
    assert end is not None
    return Interval(later(moment, end, amount, -1), end, grain)


@operation("coming")
def _coming(moment: Moment, duration: Meaning) -> Interval:
    """The next 3 days are those after today; the next 2 hours begin now."""
    amount = amount_of(duration)
    grain = finest(amount)
    start = minute_of(moment.at) if grain in FINE else moment.cell(grain).end
    assert start is not None
    return Interval(start, later(moment, start, amount, 1), grain)


@operation("alike")
def _alike(moment: Moment, unit: Grain, duration: Meaning, sign: int) -> Interval:
    """The same minute, day, week … so much later, or earlier (-1): this time tomorrow, the same
    week last year, a year ago today."""
    return moment.cell(unit, later(moment, moment.at, amount_of(duration), sign))


@operation("during")
def _during(moment: Moment, duration: Meaning) -> Interval:
    """Within the next 3 days: from now on."""
    amount = amount_of(duration)
    start = minute_of(moment.at)
    return Interval(start, later(moment, start, amount, 1), finest(amount))


@operation("from")
def _from(moment: Moment, origin: Meaning, duration: Meaning) -> Interval:
    """Two days after Christmas, an hour after midnight."""
    return _aside(moment, origin, duration, 1)


@operation("before_by")
def _before_by(moment: Moment, origin: Meaning, duration: Meaning) -> Interval:
    return _aside(moment, origin, duration, -1)


def _aside(moment: Moment, origin: Meaning, duration: Meaning, sign: int) -> Interval:
    """A day aside of a day is a day, though it is a year."""
    found = date_of(origin, moment)
    if found.start is None:
        raise ValueError("it has no beginning to count from")
    coarsest: Grain = "day" if found.grain == "part" else found.grain
    return _away(moment, found.start, duration, sign, coarsest)


@operation("starting")
def _starting(moment: Moment, origin: Meaning, duration: Meaning) -> Interval:
    """Two weeks from Friday is a day, two nights from Friday are a stay."""
    return (_lasting if _has_nights(amount_of(duration)) else _from)(moment, origin, duration)


@operation("lasting")
def _lasting(moment: Moment, origin: Meaning, duration: Meaning) -> Interval:
    """Three days from Monday on, tomorrow at 5 for two hours. Whoever stays two nights from the
    24th on leaves on the 26th, as who stays from the 24th to the 26th."""
    found, amount = date_of(origin, moment), amount_of(duration)
    if found.start is None:
        raise ValueError("it has no beginning to count from")
    end = later(moment, found.start, amount, 1)
    if _has_nights(amount):
        end = later(moment, end, ((Fraction(1), "day"),), 1)
    return Interval(found.start, end, finest(amount))


def _has_nights(amount: Amount) -> bool:
    return any(unit == "night" for _, unit in amount)
