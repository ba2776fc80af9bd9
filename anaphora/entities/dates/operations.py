"""What the tables can say that a date is: one small function for each operation.

A meaning is a tuple of the name of an operation and its arguments, some of which are meanings.
It knows nothing of the time of the question, so that a text is read once and its dates are
resolved as often as it is asked. An operation that comes to nothing (February 30, a year 0)
raises ValueError or OverflowError; :func:`resolve` makes None of that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from dateutil.easter import easter as easter_sunday

from anaphora.entities.dates.calendar import GRAINS, Grain, Interval, Moment

__all__ = ["KNOWN", "Amount", "Clock", "Meaning", "amount_of", "is_fine", "resolve"]

Meaning: TypeAlias = tuple[Any, ...]

Clock: TypeAlias = tuple[int, int, int, str]
"""Hours, minutes, seconds, and what is known of it: a grain, with ``?`` behind it if an hour from
1 to 12 may be one of the morning or of the afternoon."""

Amount: TypeAlias = tuple[tuple[Fraction, Grain], ...]
"""So many of each unit."""

_HALF_DAY = 12
# When the parts of a day begin and end; hours beyond 24 are in the next day.
_PARTS: Mapping[str, tuple[int, int]] = {
    "dawn": (4, 8), "morning": (6, 12), "forenoon": (9, 12), "noon": (11, 14),
    "afternoon": (12, 18), "evening": (18, 23), "night": (21, 30), "midnight": (23, 25),
    "small hours": (0, 5), "tonight": (18, 29), "day": (8, 20),
    "start of the day": (0, 9), "end of the day": (16, 24),
}  # fmt: skip
_SEASONS = ("winter", "spring", "summer", "autumn")
_FINE = ("second", "minute", "hour", "part")


def resolve(meaning: Meaning, moment: Moment) -> Interval | None:
    """The interval that a date comes to at that moment, None if there is no such date."""
    try:
        found = _date(meaning, moment)
    except (ValueError, OverflowError):
        return None
    return found if found.is_sound else None


@lru_cache(maxsize=4096)
def is_fine(meaning: Meaning) -> bool:
    """Whether it depends on the seconds of the time of the question."""
    return meaning == ("now",) or any(
        part == "second" or (isinstance(part, tuple) and is_fine(part)) for part in meaning
    )


def amount_of(meaning: Meaning) -> Amount:
    """The amount that a duration comes to. Raises ValueError for one that is not positive."""
    amount: Amount = _AMOUNTS[meaning[0]](*meaning[1:])
    if not amount or any(n <= 0 for n, _ in amount):
        raise ValueError("a duration is longer than nothing")
    return amount


def _date(meaning: Meaning, moment: Moment) -> Interval:
    return _OPERATIONS[meaning[0]](moment, *meaning[1:])


# Amounts


def _amount(n: Any, unit: Grain | None = None) -> Amount:
    if unit == "half":
        return ((Fraction(n) * 6, "month"),)
    return ((Fraction(n), unit or "day"),)


def _sum(one: Meaning, other: Meaning) -> Amount:
    return amount_of(one) + amount_of(other)


_AMOUNTS: Mapping[str, Callable[..., Amount]] = {"amount": _amount, "sum": _sum}


def _later(moment: Moment, of: datetime, amount: Amount, sign: int) -> datetime:
    for n, unit in amount:
        of = moment.later(n * sign, unit, of)
    return of


def _finest(amount: Amount) -> Grain:
    return min((unit for _, unit in amount), key=GRAINS.index)


def _point(moment: Moment, of: datetime, grain: Grain) -> Interval:
    """The cell around a point in time that was said in units of ``grain``."""
    if grain == "second":
        return moment.cell("second", of)
    if grain in ("minute", "hour"):
        return Interval(_minute(of), moment.passed(_minute(of), 60), "minute", whole=True)
    if grain in ("day", "week", "weekend"):
        return moment.day(of.date())
    return moment.cell(grain, of)


def _minute(of: datetime) -> datetime:
    return of.replace(second=0, microsecond=0)


# Cells, and what lies so far from now


def _now(moment: Moment) -> Interval:
    return moment.cell("second")


def _never(moment: Moment) -> Interval:
    raise ValueError("there is no such day")


def _cell(moment: Moment, unit: Grain, shift: int = 0) -> Interval:
    return moment.cell(unit, shift=shift)


def _ago(moment: Moment, duration: Meaning) -> Interval:
    amount = amount_of(duration)
    return _point(moment, _later(moment, moment.at, amount, -1), _finest(amount))


def _ahead(moment: Moment, duration: Meaning) -> Interval:
    amount = amount_of(duration)
    return _point(moment, _later(moment, moment.at, amount, 1), _finest(amount))


def _past(moment: Moment, duration: Meaning) -> Interval:
    """The last 3 days are those before today; the last 2 hours end now."""
    amount = amount_of(duration)
    grain = _finest(amount)
    end = _minute(moment.at) if grain in _FINE else moment.cell(grain).start
    assert end is not None
    return Interval(_later(moment, end, amount, -1), end, grain)


def _coming(moment: Moment, duration: Meaning) -> Interval:
    """The next 3 days are those after today; the next 2 hours begin now."""
    amount = amount_of(duration)
    grain = _finest(amount)
    start = _minute(moment.at) if grain in _FINE else moment.cell(grain).end
    assert start is not None
    return Interval(start, _later(moment, start, amount, 1), grain)


def _during(moment: Moment, duration: Meaning) -> Interval:
    """Within the next 3 days: from now on."""
    amount = amount_of(duration)
    start = _minute(moment.at)
    return Interval(start, _later(moment, start, amount, 1), _finest(amount))


def _from(moment: Moment, origin: Meaning, duration: Meaning) -> Interval:
    """Two days after Christmas, an hour after midnight."""
    return _aside(moment, origin, duration, 1)


def _before_by(moment: Moment, origin: Meaning, duration: Meaning) -> Interval:
    return _aside(moment, origin, duration, -1)


def _aside(moment: Moment, origin: Meaning, duration: Meaning, sign: int) -> Interval:
    found, amount = _date(origin, moment), amount_of(duration)
    if found.start is None:
        raise ValueError("it has no beginning to count from")
    return _point(moment, _later(moment, found.start, amount, sign), _finest(amount))


def _lasting(moment: Moment, origin: Meaning, duration: Meaning) -> Interval:
    """Three days from Monday on, tomorrow at 5 for two hours."""
    found, amount = _date(origin, moment), amount_of(duration)
    if found.start is None:
        raise ValueError("it has no beginning to count from")
    end = _later(moment, found.start, amount, 1)
    return Interval(found.start, end, _finest(amount))


# Days and months by their names


def _weekday(moment: Moment, day: int, week: int | None = None) -> Interval:
    """That day, 0 for Monday, of the week which is so many weeks from this one; without a week
    the next one, or the last one: never today."""
    if week is None:
        if not moment.ahead:
            return _last_weekday(moment, day)
        return moment.day(moment.today + timedelta(days=(day - moment.today.weekday() - 1) % 7 + 1))
    return _day_of_week(moment, moment.cell("week", shift=week), day)


def _day_of_week(moment: Moment, week: Interval, day: int) -> Interval:
    assert week.start is not None
    first = week.start.date()
    return moment.day(first + timedelta(days=(day - first.weekday()) % 7))


def _last_weekday(moment: Moment, day: int) -> Interval:
    """The latest such day before today."""
    return moment.day(moment.today - timedelta(days=(moment.today.weekday() - day - 1) % 7 + 1))


def _weekday_in(moment: Moment, day: int, within: Meaning) -> Interval:
    """The first such day in a week, a month …"""
    found = _date(within, moment)
    if found.start is None or found.end is None:
        raise ValueError("it has no end")
    first = found.start.date()
    when = moment.day(first + timedelta(days=(day - first.weekday()) % 7))
    assert when.start is not None
    if when.start >= found.end:
        raise ValueError("there is no such day in it")
    return when


def _nth_weekday(moment: Moment, n: int, day: int, within: Meaning) -> Interval:
    """The second Monday of May, the last one (-1) of the year."""
    whole = _closed(moment, within)
    first, end = whole.start.date(), whole.end.date()
    days = [first + timedelta(days=(day - first.weekday()) % 7)]
    while (following := days[-1] + timedelta(weeks=1)) < end:
        days.append(following)
    if n == 0 or not -len(days) <= n <= len(days) or days[0] >= end:
        raise ValueError("there are not as many in it")
    return moment.day(days[n - 1 if n > 0 else n])


def _month(moment: Moment, month: int, year: int | None = None) -> Interval:
    """That month of the year which is so many years from this one; without a year this one or
    the nearest one ahead, or behind."""
    if year is None:
        passed = month < moment.today.month if moment.ahead else month > moment.today.month
        year = int(passed) if moment.ahead else -int(passed)
    return _month_of(moment, month, moment.today.year + year)


def _next_month(moment: Moment, month: int) -> Interval:
    """The next such month after this one."""
    return _month(moment, month, int(month <= moment.today.month))


def _last_month(moment: Moment, month: int) -> Interval:
    """The latest such month before this one."""
    return _month(moment, month, -int(month >= moment.today.month))


def _month_of(moment: Moment, month: int, year: int) -> Interval:
    return moment.cell("month", _noon(moment, date(year, month, 1)))


def _monthday(moment: Moment, month: int, day: int, year: int | None = None) -> Interval:
    """A day of a year, or without one the nearest such day from today on, or up to it."""
    if year is not None:
        return moment.day(date(year, month, day))
    step = 1 if moment.ahead else -1
    for when in range(moment.today.year, moment.today.year + 9 * step, step):
        try:
            found = date(when, month, day)
        except ValueError:  # February 29
            continue
        if (found - moment.today).days * step >= 0:
            return moment.day(found)
    raise ValueError("there is no such day")


def _day_of_month(moment: Moment, day: int, month: int | None = None) -> Interval:
    """The 3rd: the nearest one from today on, or up to it; or that of the month which is so many
    months from this one."""
    step = 1 if moment.ahead else -1
    for shift in range(0, 9 * step, step) if month is None else (month,):
        cell = moment.cell("month", shift=shift)
        assert cell.start is not None
        try:
            found = cell.start.date().replace(day=day)
        except ValueError:
            continue
        if month is not None or (found - moment.today).days * step >= 0:
            return moment.day(found)
    raise ValueError("there is no such day")


def _ymd(moment: Moment, year: int, month: int, day: int) -> Interval:
    return moment.day(date(year, month, day))


def _year(moment: Moment, year: int) -> Interval:
    return moment.cell("year", _noon(moment, date(year, 1, 1)))


def _decade(moment: Moment, year: int) -> Interval:
    """The 90s are those of the last century, the 20s of this one."""
    if year < 100:
        century = moment.today.year - moment.today.year % 100
        year += century if century + year <= moment.today.year + 10 else century - 100
    return moment.cell("decade", _noon(moment, date(year, 1, 1)))


def _century(moment: Moment, number: int) -> Interval:
    return moment.cell("century", _noon(moment, date(number * 100 - 50, 1, 1)))


def _quarter(moment: Moment, number: int, year: Meaning | int | None = None) -> Interval:
    return _part_of_year(moment, "quarter", number, 4, year)


def _half_year(moment: Moment, number: int, year: Meaning | int | None = None) -> Interval:
    return _part_of_year(moment, "half", number, 2, year)


def _part_of_year(
    moment: Moment, grain: Grain, number: int, of: int, year: Meaning | int | None
) -> Interval:
    """Without a year: that of this year, whether it has passed or not; -1 is the last one."""
    number = of + 1 + number if number < 0 else number
    if not 1 <= number <= of:
        raise ValueError(f"a year has no {grain} {number}")
    if isinstance(year, tuple):
        whole = _date(year, moment)
        assert whole.start is not None
        year = whole.start.year
    months = (number - 1) * (12 // of)
    first = date(moment.today.year if year is None else year, months + 1, 1)
    return moment.cell(grain, _noon(moment, first))


def _season(moment: Moment, name: str, year: int | None = None) -> Interval:
    """A season of the northern half of the earth: the one that is, or the nearest ahead, or
    behind; or that which is so many years from this one (0: in this year)."""
    if name not in _SEASONS:
        raise ValueError(f"there is no season {name}")
    first = 3 * _SEASONS.index(name)  # of the months, 0 for the December before
    if year is not None:
        start = date(moment.today.year + year, first or 12, 1)
        return moment.cell("season", _noon(moment, start))
    found = moment.cell("season")
    assert found.start is not None
    shifts = (_SEASONS.index(name) - found.start.month % 12 // 3) % 4
    return moment.cell("season", shift=shifts if moment.ahead or not shifts else shifts - 4)


def _season_of(moment: Moment, name: str, year: int) -> Interval:
    """The winter of 2024 begins in December 2024."""
    return moment.cell("season", _noon(moment, date(year, 3 * _SEASONS.index(name) or 12, 1)))


def _workweek(moment: Moment, shift: int = 0) -> Interval:
    """From Monday to Friday."""
    monday = moment.today - timedelta(days=moment.today.weekday()) + timedelta(weeks=shift)
    return moment.days(monday, monday + timedelta(days=5), "day")


def _easter(moment: Moment, days: int = 0) -> Interval:
    """So many days after Easter Sunday, by the western calendar."""
    step = 1 if moment.ahead else -1
    for year in (moment.today.year, moment.today.year + step):
        found = easter_sunday(year) + timedelta(days=days)
        if (found - moment.today).days * step >= 0:
            return moment.day(found)
    raise ValueError("there is no such day")


# Parts of what is longer


def _nth(moment: Moment, n: int, unit: Grain, of: Meaning) -> Interval:
    """The n-th day, week, month … of it, -1 for the last one; the first week of a month is the
    one that holds its first day."""
    whole = _closed(moment, of)
    first = moment.cell(unit, whole.start)
    last = moment.cell(unit, moment.passed(whole.end, -1))
    found = moment.cell(unit, first.start, shift=n - 1)
    if n < 0:
        found = moment.cell(unit, last.start, shift=n + 1)
    assert found.start is not None
    assert found.end is not None
    if n == 0 or found.start >= whole.end or found.end <= whole.start:
        raise ValueError("there are not as many in it")
    return found


def _first(moment: Moment, duration: Meaning, of: Meaning) -> Interval:
    """The first two weeks of it."""
    whole, amount = _closed(moment, of), amount_of(duration)
    end = _later(moment, whole.start, amount, 1)
    return Interval(whole.start, min(end, whole.end), _finest(amount))


def _last(moment: Moment, duration: Meaning, of: Meaning) -> Interval:
    """The last two weeks of it."""
    whole, amount = _closed(moment, of), amount_of(duration)
    start = _later(moment, whole.end, amount, -1)
    return Interval(max(start, whole.start), whole.end, _finest(amount))


def _edge(moment: Moment, which: str, of: Meaning) -> Interval:
    """The beginning, the middle or the end of it: a third of its months, if it has several, of
    its days, or of its time."""
    whole = _closed(moment, of)
    cuts = {"begin": (0, 1), "middle": (1, 2), "end": (2, 3)}[which]
    first, end = whole.start.date(), whole.end.date()
    days, months = (end - first).days, (end.year - first.year) * 12 + end.month - first.month
    if months >= 3 and first.day == end.day == 1:
        from_, to = (
            moment.later(Fraction(months * cut // 3), "month", whole.start) for cut in cuts
        )
        return Interval(from_, to, "month")
    if days >= 3:
        from_day, to_day = (first + timedelta(days=days * cut // 3) for cut in cuts)
        return moment.days(from_day, to_day, "day")
    seconds = (whole.end - whole.start).total_seconds()
    from_, to = (moment.passed(whole.start, seconds * cut // 3) for cut in cuts)
    return Interval(from_, to, "hour")


class _Closed:
    """An interval with both ends."""

    __slots__ = ("end", "start")

    def __init__(self, start: datetime, end: datetime) -> None:
        self.start, self.end = start, end


def _closed(moment: Moment, of: Meaning) -> _Closed:
    found = _date(of, moment)
    if found.start is None or found.end is None:
        raise ValueError("it has no end")
    return _Closed(found.start, found.end)


# Times of the day


def _part(moment: Moment, name: str) -> Interval:
    """That part of today; of tomorrow if it is over and dates lie ahead, of yesterday if it is
    still to come and they lie behind."""
    found = _part_of_day(moment, moment.today, name)
    assert found.start is not None
    assert found.end is not None
    if moment.ahead and found.end <= moment.at:
        return _part_of_day(moment, moment.today + timedelta(days=1), name)
    if not moment.ahead and found.start > moment.at:
        return _part_of_day(moment, moment.today - timedelta(days=1), name)
    return found


def _within(moment: Moment, day: Meaning, name: str) -> Interval:
    """The morning of a day, or of the first day of something longer."""
    found = _date(day, moment)
    if found.start is None or (found.grain in _FINE and found.grain != "part"):
        raise ValueError("it is no day")
    return _part_of_day(moment, found.start.date(), name)


def _part_of_day(moment: Moment, day: date, name: str) -> Interval:
    start, end = _PARTS[name]
    return Interval(moment.clock(day, start), moment.clock(day, end), "part")


def _at(moment: Moment, day: Meaning, clock: Meaning) -> Interval:
    """A time of a day, or of a part of it: five in the evening is 17:00."""
    found = _date(day, moment)
    if found.start is None or (found.grain in _FINE and found.grain != "part"):
        raise ValueError("it is no day")
    hours, minutes, seconds, grain = _clock(clock)
    if found.grain == "part":
        assert found.end is not None
        day_of = found.start.date()
        begins = found.start.hour
        hours_long = (found.end - found.start).total_seconds() / 3600
        for candidate in (hours, hours + _HALF_DAY, hours + 24):
            is_open = grain.endswith("?") or candidate != hours + _HALF_DAY
            if is_open and begins <= candidate + minutes / 60 < begins + hours_long:
                hours = candidate
                break
        return _shown(moment, day_of, hours, minutes, seconds, grain)
    return _shown(moment, found.start.date(), hours, minutes, seconds, grain)


def _clock_now(moment: Moment, clock: Meaning) -> Interval:
    """The next such time, or the last one; an hour that may be one of the morning or of the
    afternoon is the nearer of both."""
    hours, minutes, seconds, grain = _clock(clock)
    shown = [hours, hours % 12 + 12] if grain.endswith("?") and 1 <= hours <= 12 else [hours]
    shown = [
        one % 24 if one == 24 else one for one in (*shown, *([0] if shown == [12, 12] else []))
    ]
    days = (0, 1) if moment.ahead else (0, -1)
    found = [
        _shown(moment, moment.today + timedelta(days=day), one, minutes, seconds, grain)
        for day in days
        for one in shown
    ]
    starts = [one for one in found if one.start and _fits(one.start, moment)]
    return min(starts, key=lambda one: abs(one.start - moment.at) if one.start else timedelta())


def _fits(start: datetime, moment: Moment) -> bool:
    return start >= _minute(moment.at) if moment.ahead else start <= moment.at


def _shown(
    moment: Moment, day: date, hours: int, minutes: int, seconds: int, grain: str
) -> Interval:
    if not (0 <= hours <= 48 and 0 <= minutes < 60 and 0 <= seconds < 60):
        raise ValueError("no clock shows that")
    start = moment.clock(day, hours, minutes, seconds)
    fine: Grain = "second" if grain.startswith("second") else "minute"
    if grain.startswith("hour"):
        fine = "hour" if not minutes else "minute"
    end = moment.passed(start, {"second": 1, "minute": 60, "hour": 3600}[fine])
    return Interval(start, end, fine, whole=True)


def _clock(meaning: Meaning) -> Clock:
    return _CLOCKS[meaning[0]](*meaning[1:])


def _time(hours: int, minutes: int | None = None, seconds: int | None = None) -> Clock:
    """Half past five has an open half of the day, 17:30 and 05:30 have not."""
    if not (0 <= hours <= 24 and 0 <= (minutes or 0) < 60 and 0 <= (seconds or 0) < 60):
        raise ValueError("no clock shows that")
    grain = "hour" if minutes is None else "minute" if seconds is None else "second"
    return hours, minutes or 0, seconds or 0, grain + ("?" if 1 <= hours <= 12 else "")


def _exact_time(hours: int, minutes: int | None = None, seconds: int | None = None) -> Clock:
    hours, minute, second, grain = _time(hours, minutes, seconds)
    return hours, minute, second, grain.rstrip("?")


def _am(clock: Meaning) -> Clock:
    return _half_of_day(clock, 0)


def _pm(clock: Meaning) -> Clock:
    return _half_of_day(clock, _HALF_DAY)


def _half_of_day(clock: Meaning, begins: int) -> Clock:
    hours, minutes, seconds, grain = _clock(clock)
    if hours > 12:
        if not begins:
            raise ValueError("no clock shows that")
        return hours, minutes, seconds, grain.rstrip("?")
    return hours % 12 + begins, minutes, seconds, grain.rstrip("?")


def _to(clock: Meaning, minutes: int) -> Clock:
    """So many minutes before it: a quarter to six, halb sechs."""
    hours, minute, seconds, grain = _clock(clock)
    total = hours * 60 + minute - int(minutes)
    if total < 0:
        total += 24 * 60
    if total < 60 and hours <= 12 and grain.endswith("?"):
        total += 12 * 60  # half to one is half past twelve
    shown = total // 60, total % 60, seconds
    return (*shown, "minute?" if grain.endswith("?") else "minute")


def _past_hour(clock: Meaning, minutes: int) -> Clock:
    """So many minutes after it: ten past five."""
    hours, minute, seconds, grain = _clock(clock)
    total = hours * 60 + minute + int(minutes)
    return total // 60, total % 60, seconds, "minute?" if grain.endswith("?") else "minute"


_CLOCKS: Mapping[str, Callable[..., Clock]] = {
    "time": _time, "clock24": _exact_time, "am": _am, "pm": _pm, "to": _to, "past": _past_hour,
}  # fmt: skip


# Ranges


def _span(moment: Moment, first: Meaning, last: Meaning) -> Interval:
    """From the beginning of the first one to the end of the last one; to the beginning of a
    time of the day. A last one that would come before the first is the next one after it."""
    one = _date(first, moment)
    other = _date(last, moment)
    if one.start is None or other.start is None or other.end is None:
        raise ValueError("it has no end")
    if other.end <= one.start:
        other = _date(last, moment.moved_to(one.start))
    end = other.start if other.grain in _FINE and other.grain != "part" else other.end
    grain = min(one.grain, other.grain, key=GRAINS.index)
    return Interval(one.start, end, grain)


def _times(moment: Moment, first: Meaning, last: Meaning) -> Interval:
    """From five to seven: the next such time."""
    one, other = _halves(_clock(first), _clock(last))
    start = (
        _clock_now(moment, ("clock24", one[0], one[1]))
        if not one[3].endswith("?")
        else (_clock_now(moment, ("time", one[0], one[1])))
    )
    assert start.start is not None
    return _timespan(moment, start.start.date(), (start.start.hour, *one[1:]), other)


def _at_times(moment: Moment, day: Meaning, first: Meaning, last: Meaning) -> Interval:
    """Tomorrow from five to seven."""
    found = _date(day, moment)
    if found.start is None or (found.grain in _FINE and found.grain != "part"):
        raise ValueError("it is no day")
    one, other = _halves(_clock(first), _clock(last))
    if found.grain == "part":
        at = _at(moment, day, ("time", one[0], one[1]))
        assert at.start is not None
        one = (at.start.hour, *one[1:])
    return _timespan(moment, found.start.date(), one, other)


def _halves(one: Clock, other: Clock) -> tuple[Clock, Clock]:
    """From 5 to 7 pm is from 5 pm."""
    if one[3].endswith("?") and not other[3].endswith("?") and other[0] >= 12 and one[0] < 12:
        moved = (one[0] + _HALF_DAY, *one[1:3], one[3].rstrip("?"))
        if moved[:2] < other[:2]:
            one = moved
    return one, other


def _timespan(moment: Moment, day: date, one: tuple[Any, ...], other: Clock) -> Interval:
    hours = other[0]
    while (hours, other[1]) <= (one[0], one[1]):
        hours += _HALF_DAY if other[3].endswith("?") else 24
    start = moment.clock(day, one[0], one[1], one[2])
    return Interval(start, moment.clock(day, hours, other[1], other[2]), "minute")


def _since(moment: Moment, first: Meaning) -> Interval:
    """From then up to now; without an end, if that is still to come. Since Monday is since the
    last one."""
    behind = Moment(moment.at, ahead=False, first_day=moment.first_day)
    found = _date(first, behind)
    if found.start is None:
        raise ValueError("it has no beginning")
    now = _minute(moment.at)
    return Interval(found.start, now if found.start < now else None, found.grain)


def _until(moment: Moment, last: Meaning) -> Interval:
    """From now up to then, that day itself included; without a beginning, if that has passed."""
    found = _date(last, moment)
    end = found.start if found.grain in _FINE else found.end
    if end is None:
        raise ValueError("it has no end")
    now = _minute(moment.at)
    return Interval(now if now < end else None, end, found.grain)


def _onward(moment: Moment, first: Meaning) -> Interval:
    """From then on."""
    found = _date(first, moment)
    if found.start is None:
        raise ValueError("it has no beginning")
    return Interval(found.start, None, found.grain)


def _after(moment: Moment, date_: Meaning) -> Interval:
    found = _date(date_, moment)
    if found.end is None:
        raise ValueError("it has no end")
    start = found.start if found.grain in _FINE and found.grain != "part" else found.end
    return Interval(start, None, found.grain)


def _before(moment: Moment, date_: Meaning) -> Interval:
    found = _date(date_, moment)
    if found.start is None:
        raise ValueError("it has no beginning")
    return Interval(None, found.start, found.grain)


def _in_year(moment: Moment, date_: Meaning, year: Meaning) -> Interval:
    """Christmas of next year, May last year."""
    whole = _closed(moment, year)
    before = moment.passed(whole.start, 0)
    return _date(date_, Moment(before, ahead=True, first_day=moment.first_day))


def _noon(moment: Moment, day: date) -> datetime:
    return moment.clock(day, 12)


_OPERATIONS: Mapping[str, Callable[..., Interval]] = {
    "now": _now, "never": _never, "cell": _cell, "ago": _ago, "ahead": _ahead, "past": _past,
    "coming": _coming, "during": _during, "from": _from, "before_by": _before_by,
    "lasting": _lasting,
    "weekday": _weekday, "last_weekday": _last_weekday, "weekday_in": _weekday_in,
    "nth_weekday": _nth_weekday, "month": _month, "next_month": _next_month,
    "last_month": _last_month, "month_of": _month_of, "monthday": _monthday, "ymd": _ymd,
    "day_of_month": _day_of_month, "year": _year, "decade": _decade, "century": _century,
    "quarter": _quarter, "half_year": _half_year, "season": _season, "season_of": _season_of,
    "workweek": _workweek, "easter": _easter, "nth": _nth, "first": _first, "last": _last,
    "edge": _edge, "part": _part, "within": _within, "at": _at, "clock": _clock_now,
    "span": _span, "times": _times, "at_times": _at_times, "since": _since, "until": _until,
    "onward": _onward, "after": _after, "before": _before, "in_year": _in_year,
}  # fmt: skip

KNOWN = frozenset({*_OPERATIONS, *_CLOCKS, *_AMOUNTS})
"""The names of all operations: those of dates, of times of the day, and of durations."""
