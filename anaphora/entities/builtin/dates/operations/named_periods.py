"""Operations: days, weeks, months, quarters and seasons by name and by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

from dateutil.easter import EASTER_ORTHODOX, EASTER_WESTERN
from dateutil.easter import easter as easter_sunday

from anaphora.entities.builtin.dates.intervals import BoundedInterval, Grain, Interval, Moment
from anaphora.entities.builtin.dates.named_days.calendars import ISLAMIC_YEARS
from anaphora.entities.builtin.dates.operations.named_days import is_islamic
from anaphora.entities.builtin.dates.operations.registry import (
    TimeExpression,
    evaluate,
    evaluate_bounded,
    evaluate_start,
    operation,
)

_MAX_MONTHS = 24  # within 20 months each day of the month falls on each weekday
_MIDWEEK = 2  # Wednesday
_CLOSE = timedelta(days=31)  # a date that has just passed or is about to come
SEASONS = ("winter", "spring", "summer", "autumn")


@operation("weekday")
def _weekday(moment: Moment, day: int, week: int | None = None) -> BoundedInterval:
    """A weekday (0 for Monday) of the week that is ``week`` weeks from this one; without a week the
    next or the last such day, never today."""
    if week is None:
        if not moment.prefer_future:
            return _last_weekday(moment, day)
        return moment.day(moment.today + timedelta(days=(day - moment.today.weekday() - 1) % 7 + 1))
    return _day_of_week(moment, moment.period("week", shift=week), day)


@operation("next_weekday")
def _next_weekday(moment: Moment, day: int) -> BoundedInterval:
    """Next Friday: that of the next week, or the first one from tomorrow on, by convention."""
    if moment.conventions.next_is_first:
        return _weekday(replace(moment, prefer_future=True), day)
    return _weekday(moment, day, 1)


def _day_of_week(moment: Moment, week: BoundedInterval, day: int) -> BoundedInterval:
    first = week.start.date()
    return moment.day(first + timedelta(days=(day - first.weekday()) % 7))


@operation("last_weekday")
def _last_weekday(moment: Moment, day: int) -> BoundedInterval:
    """The last such weekday before today."""
    return moment.day(moment.today - timedelta(days=(moment.today.weekday() - day - 1) % 7 + 1))


@operation("this_weekday")
def _this_weekday(moment: Moment, day: int) -> BoundedInterval:
    """The weekday of this week; of the next week, if it has passed and the future is preferred."""
    found = _day_of_week(moment, moment.period("week"), day)
    return _weekday(moment, day) if moment.prefer_future and found.end <= moment.at else found


@operation("on_weekday")
def _on_weekday(moment: Moment, day: int, date_: TimeExpression) -> Interval:
    """Friday, November 13: the next such date, or the last one. If that is on another weekday, the
    one in the other direction counts if it is on that weekday and close to today; otherwise the
    weekday is ignored as an error."""
    found = evaluate(date_, moment)
    if _falls_on(found, day):
        return found
    other = evaluate(date_, replace(moment, prefer_future=not moment.prefer_future))
    return other if _falls_on(other, day) and _is_close(moment, other) else found


def _is_close(moment: Moment, found: Interval) -> bool:
    return found.start is not None and abs(found.start.date() - moment.today) <= _CLOSE


def _falls_on(found: Interval, day: int) -> bool:
    return found.start is not None and found.start.weekday() == day


@operation("weekday_of_month")
def _weekday_of_month(moment: Moment, day: int, number: int) -> BoundedInterval:
    """Friday the 13th: the next such day from today on, or the last one."""

    def of_month(shift: int) -> date:
        found = _day_of_month(moment, number, shift)
        if not _falls_on(found, day):
            raise ValueError("another weekday")
        return found.start.date()

    return _nearest_day(moment, of_month, _MAX_MONTHS)


@operation("nth_weekday_of_month")
def _nth_weekday_of_month(moment: Moment, n: int, day: int) -> BoundedInterval:
    """The second Tuesday, of whichever month: the next such day from today on, or the last one."""

    def of_month(shift: int) -> date:
        return _nth_weekday(moment, n, day, ("cell", "month", shift)).start.date()

    return _nearest_day(moment, of_month, _MAX_MONTHS)


@operation("weekday_in")
def _weekday_in(moment: Moment, day: int, within: TimeExpression) -> BoundedInterval:
    """The first such weekday in a week, a month …"""
    whole = evaluate_bounded(within, moment)
    first = whole.start.date()
    found = moment.day(first + timedelta(days=(day - first.weekday()) % 7))
    if found.start >= whole.end:
        raise ValueError("there is no such day in it")
    return found


@operation("nth_weekday")
def _nth_weekday(moment: Moment, n: int, day: int, within: TimeExpression) -> BoundedInterval:
    """The second Monday of May, the last one (-1) of the year."""
    whole = evaluate_bounded(within, moment)
    first, end = whole.start.date(), whole.end.date()
    days = [first + timedelta(days=(day - first.weekday()) % 7)]
    while (following := days[-1] + timedelta(weeks=1)) < end:
        days.append(following)
    if n == 0 or not -len(days) <= n <= len(days) or days[0] >= end:
        raise ValueError("the period has fewer of these days")
    return moment.day(days[n - 1 if n > 0 else n])


@operation("weekday_beside")
def _weekday_beside(moment: Moment, day: int, date_: TimeExpression, n: int) -> BoundedInterval:
    """The n-th such weekday after a date, before it if n is negative: the Friday before
    Christmas."""
    if n == 0:
        raise ValueError("the ordinal must not be 0")
    found = evaluate_bounded(date_, moment)
    if n < 0:
        near = _last_weekday(replace(moment, at=found.start), day)
    else:
        near = _weekday(
            replace(moment, at=moment.add_seconds(found.end, -1), prefer_future=True), day
        )
    weeks = n + 1 if n < 0 else n - 1
    return moment.day(near.start.date() + timedelta(weeks=weeks))


@operation("closest_weekday")
def _closest_weekday(moment: Moment, day: int, date_: TimeExpression, n: int) -> BoundedInterval:
    """The n-th closest such weekday to a date: the Monday closest to May 5."""
    if n < 1:
        raise ValueError("the ordinal must be positive")
    at = evaluate_start(date_, moment)[0].date()
    first = at + timedelta(days=(day - at.weekday()) % 7)
    weeks = range(-n, n + 1)
    near = sorted((first + timedelta(weeks=week) for week in weeks), key=lambda one: abs(one - at))
    return moment.day(near[n - 1])


@operation("day_beside")
def _day_beside(
    moment: Moment, date_: TimeExpression, landmark: TimeExpression, n: int
) -> BoundedInterval:
    """The n-th such day after a date, before it if n is negative: the first Easter after 2030."""
    if n == 0:
        raise ValueError("the ordinal must not be 0")
    found = evaluate_bounded(landmark, moment)
    for _ in range(abs(n)):
        at = found.end if n > 0 else moment.add_seconds(found.start, -1)
        found = evaluate_bounded(date_, replace(moment, at=at, prefer_future=n > 0))
    return found


@operation("closest_day")
def _closest_day(
    moment: Moment, date_: TimeExpression, landmark: TimeExpression, n: int
) -> Interval:
    """The n-th closest such day to a date: the leap day closest to 2030."""
    if n < 1:
        raise ValueError("the ordinal must be positive")
    at = evaluate_start(landmark, moment)[0]
    around = [_day_beside(moment, date_, landmark, rank) for rank in range(-n, n + 1) if rank]
    return sorted(around, key=lambda one: abs(one.start - at))[n - 1]


@operation("weekend_of")
def _weekend_of(moment: Moment, date_: TimeExpression) -> Interval:
    """The weekend beside a feast: up to Monday if that is the feast, from Friday or Thursday on if
    that is; otherwise the weekend closest to it."""
    found = evaluate_bounded(date_, moment)
    day = found.start.date()
    near = moment.period("weekend", day, shift=-(day.weekday() < _MIDWEEK))
    if near.start <= found.start < near.end or day.weekday() == _MIDWEEK:
        return near
    return Interval(min(near.start, found.start), max(near.end, found.end), "weekend")


@operation("nth_weekday_of_year")
def _nth_weekday_of_year(
    moment: Moment, n: int, day: int, month: int, days: int = 0
) -> BoundedInterval:
    """A yearly feast, ``days`` days after the n-th such weekday of a month: the next one from today
    on, or the last one."""

    def of_year(shift: int) -> date:
        year = moment.today.year + shift
        found = _nth_weekday(moment, n, day, ("month_of", month, year))
        return found.start.date() + timedelta(days=days)

    return _nearest_day(moment, of_year, 2)


def _nearest_day(moment: Moment, day_of: Callable[[int], date], count: int) -> BoundedInterval:
    """The first day from today on, or up to it, of ``day_of`` the current year or month (0), the
    next (1) or the last one (-1), and so on, ``count`` of them. ``day_of`` raises ValueError for a
    year or month without such a day."""
    step = 1 if moment.prefer_future else -1
    for shift in range(0, count * step, step):
        try:
            found = day_of(shift)
        except ValueError:
            continue
        if (found - moment.today).days * step >= 0:
            return moment.day(found)
    raise ValueError("there is no such day")


@operation("month")
def _month(moment: Moment, month: int, year: int | None = None) -> BoundedInterval:
    """A month of the year that is ``year`` years from this one; without a year the current or next
    such month, or the current or last one."""
    if year is None:
        passed = month < moment.today.month if moment.prefer_future else month > moment.today.month
        year = int(passed) if moment.prefer_future else -int(passed)
    return _month_period(moment, month, moment.today.year + year)


@operation("next_month")
def _next_month(moment: Moment, month: int) -> BoundedInterval:
    """The next such month after the current month."""
    return _month(moment, month, int(month <= moment.today.month))


@operation("last_month")
def _last_month(moment: Moment, month: int) -> BoundedInterval:
    """The last such month before the current month."""
    return _month(moment, month, -int(month >= moment.today.month))


@operation("month_of")
def _month_period(moment: Moment, month: int, year: int) -> BoundedInterval:
    return moment.period("month", date(year, month, 1))


@operation("plain_monthday")
@operation("monthday")
def _monthday(moment: Moment, month: int, day: int, year: int | None = None) -> BoundedInterval:
    """A day of a year; without a year the next such day from today on, or the last one."""
    if year is not None:
        return moment.day(date(year, month, day))
    this_year = moment.today.year
    # February 29 may be up to eight years away.
    return _nearest_day(moment, lambda shift: date(this_year + shift, month, day), 9)


@operation("day_of_month")
def _day_of_month(moment: Moment, day: int, month: int | None = None) -> BoundedInterval:
    """The 3rd: the next one from today on, or the last one; or the one of the month that is
    ``month`` months from this one."""

    def of_month(shift: int) -> date:
        return moment.period("month", shift=shift).start.date().replace(day=day)

    return _nearest_day(moment, of_month, 9) if month is None else moment.day(of_month(month))


@operation("ymd")
def _ymd(moment: Moment, year: int, month: int, day: int) -> BoundedInterval:
    return moment.day(date(year, month, day))


@operation("year")
def _year(moment: Moment, year: int) -> BoundedInterval:
    return moment.period("year", date(year, 1, 1))


@operation("decade")
def _decade(moment: Moment, year: int) -> BoundedInterval:
    """A decade; with two digits the last one that has begun: the 90s of the last century, the 20s
    of this one."""
    if year < 100:
        century = moment.today.year - moment.today.year % 100
        year += century if century + year <= moment.today.year else century - 100
    return moment.period("decade", date(year, 1, 1))


@operation("decade_of")
def _decade_of(moment: Moment, tens: int, century: TimeExpression) -> BoundedInterval:
    """A decade of a century: the 80s of the 19th century."""
    first = evaluate_bounded(century, moment).start.year
    return moment.period("decade", date(first + tens % 100, 1, 1))


@operation("century")
def _century(moment: Moment, number: int) -> BoundedInterval:
    return moment.period("century", date(number * 100 - 50, 1, 1))


@operation("week_of_year")
def _week_of_year(moment: Moment, number: int, year: int | None = None) -> BoundedInterval:
    """The ISO 8601 week with that number; without a year the current or next one, or the current or
    last one."""

    def of_year(year: int) -> BoundedInterval:
        return moment.period("week", date.fromisocalendar(year, number, 1))

    return _this_or_nearest(moment, of_year) if year is None else of_year(year)


@operation("parity_week")
def _parity_week(moment: Moment, parity: int) -> BoundedInterval:
    """This week or the next one: that whose number in ISO 8601 is even (0) or odd (1)."""
    week = moment.period("week")
    number = (week.start + timedelta(days=1)).isocalendar().week  # it may start on Sunday
    return week if number % 2 == parity else moment.period("week", shift=1)


@operation("weekend")
def _weekend(moment: Moment) -> BoundedInterval:
    """The weekend of this week, or the last one that has begun."""
    has_begun = moment.period("weekend").start <= moment.at
    return moment.period("weekend", shift=0 if moment.prefer_future or has_begun else -1)


@operation("cell_of")
def _cell_of(moment: Moment, unit: Grain, date_: TimeExpression) -> BoundedInterval:
    """The week of December 7: the period that contains the start of a date."""
    return moment.period(unit, evaluate(date_, moment).start)


@operation("quarter", grain="quarter", of=4)
@operation("half_year", grain="half", of=2)
def _part_of_year(
    moment: Moment, number: int, year: TimeExpression | int | None = None, *, grain: Grain, of: int
) -> BoundedInterval:
    """A quarter or a half; -1 is the last one. Without a year the current or next one, or the
    current or last one."""
    number = of + 1 + number if number < 0 else number
    if not 1 <= number <= of:
        raise ValueError(f"a year has no {grain} {number}")
    if isinstance(year, tuple):
        year = evaluate_start(year, moment)[0].year
    month = (number - 1) * (12 // of) + 1

    def of_year(year: int) -> BoundedInterval:
        return moment.period(grain, date(year, month, 1))

    return _this_or_nearest(moment, of_year) if year is None else of_year(year)


def _this_or_nearest(moment: Moment, of_year: Callable[[int], BoundedInterval]) -> BoundedInterval:
    """The first part of a year that is not over, or the last one that has begun."""
    step = 1 if moment.prefer_future else -1
    for shift in range(-step, 8 * step, step):  # the first week may start in the year before
        try:
            found = of_year(moment.today.year + shift)
        except ValueError:  # week 53
            continue
        if found.end > moment.at if moment.prefer_future else found.start <= moment.at:
            return found
    raise ValueError("there is no such part of a year")


@operation("season")
def _season(moment: Moment, name: str, year: int | None = None) -> BoundedInterval:
    """A season of the northern hemisphere: the current or next one, or the current or last one; or
    the one in the year that is ``year`` years from this one."""
    if name not in SEASONS:
        raise ValueError(f"unknown season {name!r}")
    first = 3 * SEASONS.index(name)  # month, 0 for the December of the previous year
    found = moment.period("season")
    is_now = found.start.month == (first or 12)
    if year is not None and not (is_now and year == 0):
        return moment.period("season", date(moment.today.year + year, first or 12, 1))
    shifts = (SEASONS.index(name) - found.start.month % 12 // 3) % 4
    return moment.period(
        "season", shift=shifts if moment.prefer_future or not shifts else shifts - 4
    )


@operation("next_season")
def _next_season(moment: Moment, name: str) -> BoundedInterval:
    """The next such season that has not begun."""
    here = _season(replace(moment, prefer_future=True), name)
    return here if here.start > moment.at else moment.period("season", shift=4)


@operation("last_season")
def _last_season(moment: Moment, name: str) -> BoundedInterval:
    """The last such season that is over."""
    here = _season(replace(moment, prefer_future=False), name)
    return here if here.end <= moment.at else moment.period("season", shift=-4)


@operation("season_of")
def _season_of(moment: Moment, name: str, year: int) -> BoundedInterval:
    """A season of a year; the winter of 2024 starts in December 2024."""
    return moment.period("season", date(year, 3 * SEASONS.index(name) or 12, 1))


@operation("workweek")
def _workweek(moment: Moment, shift: int = 0) -> BoundedInterval:
    """Monday to Friday of the week that is ``shift`` weeks from this one."""
    monday = _day_of_week(moment, moment.period("week", shift=shift), 0).start.date()
    return moment.days(monday, monday + timedelta(days=5), "day")


@operation("easter")
def _easter(moment: Moment, days: int = 0, church: str = "western") -> BoundedInterval:
    """A day relative to Easter Sunday of the western or of the orthodox church."""
    method = EASTER_ORTHODOX if church == "orthodox" else EASTER_WESTERN
    year, offset = moment.today.year, timedelta(days=days)
    return _nearest_day(moment, lambda shift: easter_sunday(year + shift, method) + offset, 2)


@operation("in_year")
def _in_year(moment: Moment, date_: TimeExpression, year: TimeExpression) -> Interval:
    """A date in a year: Christmas of next year, May last year. Ramadan 1448 is in a year of the
    Islamic calendar."""
    if year[0] == "year" and year[1] in ISLAMIC_YEARS and is_islamic(date_):
        year = ("islamic_year", year[1])
    whole = evaluate_bounded(year, moment)
    found = evaluate(date_, replace(moment, at=whole.start, prefer_future=True))
    if found.start is not None and found.end is not None and found.start < whole.start:
        # Hanukkah that lasts over the new year is of the year in which it begins.
        found = evaluate(date_, replace(moment, at=found.end, prefer_future=True))
    if found.start is not None and found.start >= whole.end:
        raise ValueError("there is no such day in the year")  # February 29, 2027
    return found
