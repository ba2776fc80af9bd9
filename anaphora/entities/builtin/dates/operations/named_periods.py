"""Days, months, quarters and seasons by their names and numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta

from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN
from dateutil.easter import easter as easter_sunday

from anaphora.entities.builtin.dates.intervals import Grain, Interval, Moment
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    bounded_interval,
    evaluate,
    operation,
)

_MAX_MONTHS = 24  # within 20 each day of the month falls on each weekday
_SEASONS = ("winter", "spring", "summer", "autumn")


@operation("weekday")
def _weekday(moment: Moment, day: int, week: int | None = None) -> Interval:
    """That day, 0 for Monday, of the week which is so many weeks from this one; without a week
    the next one, or the last one: never today."""
    if week is None:
        if not moment.prefer_future:
            return _last_weekday(moment, day)
        return moment.day(moment.today + timedelta(days=(day - moment.today.weekday() - 1) % 7 + 1))
    return _day_of_week(moment, moment.period("week", shift=week), day)


def _day_of_week(moment: Moment, week: Interval, day: int) -> Interval:
    assert week.start is not None
    first = week.start.date()
    return moment.day(first + timedelta(days=(day - first.weekday()) % 7))


@operation("last_weekday")
def _last_weekday(moment: Moment, day: int) -> Interval:
    """The latest such day before today."""
    return moment.day(moment.today - timedelta(days=(moment.today.weekday() - day - 1) % 7 + 1))


@operation("this_weekday")
def _this_weekday(moment: Moment, day: int) -> Interval:
    """That of this week; that of the next one, if it has passed and dates lie ahead."""
    found = _day_of_week(moment, moment.period("week"), day)
    assert found.end is not None
    return _weekday(moment, day) if moment.prefer_future and found.end <= moment.at else found


@operation("on_weekday")
def _on_weekday(moment: Moment, day: int, date_: TimeExpression) -> Interval:
    """Friday, November 13: of the next and of the last such date the one on that weekday. A
    weekday that fits neither was an error."""
    if date_[0] == "on_weekday":
        raise ValueError("a date has one weekday")
    found = evaluate(date_, moment)
    if _falls_on(found, day):
        return found
    aside = replace(moment, prefer_future=not moment.prefer_future)
    other = evaluate(date_, aside)
    return other if _falls_on(other, day) else found


def _falls_on(found: Interval, day: int) -> bool:
    return found.start is not None and found.start.weekday() == day


@operation("weekday_of_month")
def _weekday_of_month(moment: Moment, day: int, number: int) -> Interval:
    """Friday the 13th: the nearest such one from today on, or up to it."""
    step = 1 if moment.prefer_future else -1
    for shift in range(0, _MAX_MONTHS * step, step):
        try:
            found = _day_of_month(moment, number, shift)
        except ValueError:  # a month without such a day
            continue
        assert found.start is not None
        if _falls_on(found, day) and (found.start.date() - moment.today).days * step >= 0:
            return found
    raise ValueError("there is no such day")


@operation("weekday_in")
def _weekday_in(moment: Moment, day: int, within: TimeExpression) -> Interval:
    """The first such day in a week, a month …"""
    found = evaluate(within, moment)
    if found.start is None or found.end is None:
        raise ValueError("it has no end")
    first = found.start.date()
    when = moment.day(first + timedelta(days=(day - first.weekday()) % 7))
    assert when.start is not None
    if when.start >= found.end:
        raise ValueError("there is no such day in it")
    return when


@operation("nth_weekday")
def _nth_weekday(moment: Moment, n: int, day: int, within: TimeExpression) -> Interval:
    """The second Monday of May, the last one (-1) of the year."""
    whole = bounded_interval(moment, within)
    first, end = whole.start.date(), whole.end.date()
    days = [first + timedelta(days=(day - first.weekday()) % 7)]
    while (following := days[-1] + timedelta(weeks=1)) < end:
        days.append(following)
    if n == 0 or not -len(days) <= n <= len(days) or days[0] >= end:
        raise ValueError("there are not as many in it")
    return moment.day(days[n - 1 if n > 0 else n])


@operation("weekday_beside")
def _weekday_beside(moment: Moment, day: int, date_: TimeExpression, n: int) -> Interval:
    """The n-th such day after a date, before it if n is negative: the Friday before Christmas."""
    if n == 0:
        raise ValueError("which of them?")
    found = bounded_interval(moment, date_)
    if n < 0:
        near = _last_weekday(replace(moment, at=found.start), day)
    else:
        near = _weekday(
            replace(moment, at=moment.add_seconds(found.end, -1), prefer_future=True), day
        )
    assert near.start is not None
    weeks = n + 1 if n < 0 else n - 1
    return moment.day(near.start.date() + timedelta(weeks=weeks))


@operation("nth_weekday_of_year")
def _nth_weekday_of_year(moment: Moment, n: int, day: int, month: int, days: int = 0) -> Interval:
    """So many days after the n-th such weekday of that month: a feast of each year, the nearest
    one from today on, or up to it."""

    def of_year(year: int) -> date:
        found = _nth_weekday(moment, n, day, ("month_of", month, year)).start
        assert found is not None
        return found.date() + timedelta(days=days)

    return _nearest_yearly_day(moment, of_year)


def _nearest_yearly_day(moment: Moment, of_year: Callable[[int], date]) -> Interval:
    """A day that each year has one of."""
    step = 1 if moment.prefer_future else -1
    for year in (moment.today.year, moment.today.year + step):
        found = of_year(year)
        if (found - moment.today).days * step >= 0:
            return moment.day(found)
    raise ValueError("there is no such day")


@operation("month")
def _month(moment: Moment, month: int, year: int | None = None) -> Interval:
    """That month of the year which is so many years from this one; without a year this one or
    the nearest one ahead, or behind."""
    if year is None:
        passed = month < moment.today.month if moment.prefer_future else month > moment.today.month
        year = int(passed) if moment.prefer_future else -int(passed)
    return month_period(moment, month, moment.today.year + year)


@operation("next_month")
def _next_month(moment: Moment, month: int) -> Interval:
    """The next such month after this one."""
    return _month(moment, month, int(month <= moment.today.month))


@operation("last_month")
def _last_month(moment: Moment, month: int) -> Interval:
    """The latest such month before this one."""
    return _month(moment, month, -int(month >= moment.today.month))


@operation("month_of")
def month_period(moment: Moment, month: int, year: int) -> Interval:
    return moment.period("month", noon_of(moment, date(year, month, 1)))


@operation("monthday")
def _monthday(moment: Moment, month: int, day: int, year: int | None = None) -> Interval:
    """A day of a year, or without one the nearest such day from today on, or up to it."""
    if year is not None:
        return moment.day(date(year, month, day))
    step = 1 if moment.prefer_future else -1
    for when in range(moment.today.year, moment.today.year + 9 * step, step):
        try:
            found = date(when, month, day)
        except ValueError:  # February 29
            continue
        if (found - moment.today).days * step >= 0:
            return moment.day(found)
    raise ValueError("there is no such day")


@operation("day_of_month")
def _day_of_month(moment: Moment, day: int, month: int | None = None) -> Interval:
    """The 3rd: the nearest one from today on, or up to it; or that of the month which is so many
    months from this one."""
    step = 1 if moment.prefer_future else -1
    for shift in range(0, 9 * step, step) if month is None else (month,):
        cell = moment.period("month", shift=shift)
        assert cell.start is not None
        try:
            found = cell.start.date().replace(day=day)
        except ValueError:
            continue
        if month is not None or (found - moment.today).days * step >= 0:
            return moment.day(found)
    raise ValueError("there is no such day")


@operation("ymd")
def _ymd(moment: Moment, year: int, month: int, day: int) -> Interval:
    return moment.day(date(year, month, day))


@operation("year")
def _year(moment: Moment, year: int) -> Interval:
    return moment.period("year", noon_of(moment, date(year, 1, 1)))


@operation("decade")
def _decade(moment: Moment, year: int) -> Interval:
    """The 90s are those of the last century, the 20s of this one: the latest that have begun."""
    if year < 100:
        century = moment.today.year - moment.today.year % 100
        year += century if century + year <= moment.today.year else century - 100
    return moment.period("decade", noon_of(moment, date(year, 1, 1)))


@operation("century")
def _century(moment: Moment, number: int) -> Interval:
    return moment.period("century", noon_of(moment, date(number * 100 - 50, 1, 1)))


@operation("week_of_year")
def _week_of_year(moment: Moment, number: int, year: int | None = None) -> Interval:
    """The week of that number, as ISO 8601 counts them; without a year this one or the nearest
    one ahead, or behind."""

    def of_year(year: int) -> Interval:
        return moment.period("week", noon_of(moment, date.fromisocalendar(year, number, 1)))

    return _this_or_nearest(moment, of_year) if year is None else of_year(year)


@operation("weekend")
def _weekend(moment: Moment) -> Interval:
    """The weekend of this week, or the latest one that has begun."""
    found = moment.period("weekend")
    assert found.start is not None
    return (
        found
        if moment.prefer_future or found.start <= moment.at
        else moment.period("weekend", shift=-1)
    )


@operation("cell_of")
def _cell_of(moment: Moment, unit: Grain, date_: TimeExpression) -> Interval:
    """The week of December 7: the one that holds the beginning of that date."""
    return moment.period(unit, evaluate(date_, moment).start)


@operation("quarter")
def _quarter(moment: Moment, number: int, year: TimeExpression | int | None = None) -> Interval:
    return _part_of_year(moment, "quarter", number, 4, year)


@operation("half_year")
def _half_year(moment: Moment, number: int, year: TimeExpression | int | None = None) -> Interval:
    return _part_of_year(moment, "half", number, 2, year)


def _part_of_year(
    moment: Moment, grain: Grain, number: int, of: int, year: TimeExpression | int | None
) -> Interval:
    """Without a year this one or the nearest one ahead, or behind; -1 is the last one."""
    number = of + 1 + number if number < 0 else number
    if not 1 <= number <= of:
        raise ValueError(f"a year has no {grain} {number}")
    if isinstance(year, tuple):
        whole = evaluate(year, moment)
        assert whole.start is not None
        year = whole.start.year
    month = (number - 1) * (12 // of) + 1

    def of_year(year: int) -> Interval:
        return moment.period(grain, noon_of(moment, date(year, month, 1)))

    return _this_or_nearest(moment, of_year) if year is None else of_year(year)


def _this_or_nearest(moment: Moment, of_year: Callable[[int], Interval]) -> Interval:
    """A part of the year that is not over yet, or that has begun, if dates lie behind."""
    step = 1 if moment.prefer_future else -1
    for shift in range(-step, 8 * step, step):  # the first week may begin in the year before
        try:
            found = of_year(moment.today.year + shift)
        except ValueError:  # week 53
            continue
        assert found.start is not None
        assert found.end is not None
        if found.end > moment.at if moment.prefer_future else found.start <= moment.at:
            return found
    raise ValueError("there is no such part of a year")


@operation("season")
def _season(moment: Moment, name: str, year: int | None = None) -> Interval:
    """A season of the northern half of the earth: the one that is, or the nearest ahead, or
    behind; or that which is so many years from this one (0: in this year)."""
    if name not in _SEASONS:
        raise ValueError(f"there is no season {name}")
    first = 3 * _SEASONS.index(name)  # of the months, 0 for the December before
    if year is not None:
        start = date(moment.today.year + year, first or 12, 1)
        return moment.period("season", noon_of(moment, start))
    found = moment.period("season")
    assert found.start is not None
    shifts = (_SEASONS.index(name) - found.start.month % 12 // 3) % 4
    return moment.period(
        "season", shift=shifts if moment.prefer_future or not shifts else shifts - 4
    )


@operation("next_season")
def _next_season(moment: Moment, name: str) -> Interval:
    """The next such season that is still to begin."""
    here = _season(replace(moment, prefer_future=True), name)
    assert here.start is not None
    return here if here.start > moment.at else moment.period("season", shift=4)


@operation("last_season")
def _last_season(moment: Moment, name: str) -> Interval:
    """The latest such season that is over."""
    here = _season(replace(moment, prefer_future=False), name)
    assert here.end is not None
    return here if here.end <= moment.at else moment.period("season", shift=-4)


@operation("season_of")
def _season_of(moment: Moment, name: str, year: int) -> Interval:
    """The winter of 2024 begins in December 2024."""
    return moment.period("season", noon_of(moment, date(year, 3 * _SEASONS.index(name) or 12, 1)))


@operation("workweek")
def _workweek(moment: Moment, shift: int = 0) -> Interval:
    """From Monday to Friday."""
    monday = _day_of_week(moment, moment.period("week", shift=shift), 0).start
    assert monday is not None
    return moment.days(monday.date(), monday.date() + timedelta(days=5), "day")


@operation("easter")
def _easter(moment: Moment, days: int = 0, church: str = "western") -> Interval:
    """So many days after Easter Sunday, of the western or of the orthodox church."""
    method = EASTER_ORTHODOX if church == "orthodox" else EASTER_WESTERN
    return _nearest_yearly_day(
        moment, lambda year: easter_sunday(year, method) + timedelta(days=days)
    )


@operation("in_year")
def _in_year(moment: Moment, date_: TimeExpression, year: TimeExpression) -> Interval:
    """Christmas of next year, May last year."""
    whole = bounded_interval(moment, year)
    found = evaluate(date_, replace(moment, at=whole.start, prefer_future=True))
    if found.start is not None and found.start >= whole.end:
        raise ValueError("there is no such day in it")  # February 29, 2027
    return found


def noon_of(moment: Moment, day: date) -> datetime:
    return moment.local_time(day, 12)
