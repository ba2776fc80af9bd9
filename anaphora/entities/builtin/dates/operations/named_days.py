"""Operations: named days of the world, and the official days of countries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta

from anaphora.entities.builtin.dates.intervals import BoundedInterval, Moment
from anaphora.entities.builtin.dates.named_days.calendars import from_islamic, islamic_days
from anaphora.entities.builtin.dates.named_days.moon_and_sun import chinese_month
from anaphora.entities.builtin.dates.operations.registry import TimeExpression, operation

__all__ = ["is_islamic"]

_LAST_MONTH = 12  # of a year

_MAX_YEARS = 9  # from one February 29 to the next, at most eight years


@operation("named_day")
def _named_day(moment: Moment, id: str) -> BoundedInterval:
    """The named day or period that is not over, or the last one that has begun."""
    from anaphora.entities.builtin.dates.named_days.day_table import find_named_day  # takes 2 ms

    rule = find_named_day(id)
    return _nearest(moment, lambda year: rule.occurrences(moment, year))


@operation("official_day")
def _official_day(moment: Moment, country: str, language: str, name: str) -> BoundedInterval:
    """As :func:`_named_day`, for a day of a country by its official name in a language."""
    from anaphora.entities.builtin.dates.named_days.official_days import official_days

    return _nearest(
        moment,
        lambda year: (
            moment.day(first)
            if days == 1
            else moment.days(first, first + timedelta(days=days), "day")
            for first, days in official_days(country, language, year).get(name, ())
        ),
    )


@operation("islamic_day")
def _islamic_day(moment: Moment, month: int, day: int, year: int | None = None) -> BoundedInterval:
    """A day of the Islamic calendar: 1 Ramadan 1448; without a year the next one, or the last."""
    if year is not None:
        return moment.day(from_islamic(year, month, day))
    return _nearest(moment, lambda near: map(moment.day, islamic_days(month, day, near)))


@operation("islamic_month")
def _islamic_month(moment: Moment, month: int, year: int) -> BoundedInterval:
    following = (year + 1, 1) if month == _LAST_MONTH else (year, month + 1)
    return moment.days(from_islamic(year, month, 1), from_islamic(*following, 1), "day")


@operation("islamic_year")
def _islamic_year(moment: Moment, year: int) -> BoundedInterval:
    return moment.days(from_islamic(year, 1, 1), from_islamic(year + 1, 1, 1), "day")


@operation("lunar_day")
def _lunar_day(
    moment: Moment, month: int, day: int, zone: int = 8, year: int | None = None
) -> BoundedInterval:
    """A day of the Chinese calendar, not in a leap month, as it is told ``zone`` hours east of
    Greenwich; without a year the next one, or the last."""

    def of_year(year: int) -> Iterator[BoundedInterval]:
        first, end = chinese_month(month, year, zone=zone)
        if 1 <= day <= (end - first).days:
            yield moment.day(first + timedelta(days=day - 1))

    return _of_year_or_nearest(moment, year, of_year)


@operation("lunar_month")
def _lunar_month(
    moment: Moment, month: int, zone: int = 8, year: int | None = None
) -> BoundedInterval:
    """A month of the Chinese calendar, as :func:`_lunar_day`."""

    def of_year(year: int) -> Iterator[BoundedInterval]:
        yield moment.days(*chinese_month(month, year, zone=zone), "day")

    return _of_year_or_nearest(moment, year, of_year)


def _of_year_or_nearest(
    moment: Moment, year: int | None, of_year: Callable[[int], Iterable[BoundedInterval]]
) -> BoundedInterval:
    if year is None:
        return _nearest(moment, of_year)
    for found in of_year(year):
        return found
    raise ValueError("there is no such day")


def is_islamic(date_: TimeExpression) -> bool:
    """Whether a date is a named day or period of the Islamic calendar."""
    from anaphora.entities.builtin.dates.named_days.day_table import find_named_day

    return date_[0] == "named_day" and getattr(find_named_day(date_[1]), "islamic", False)


def _nearest(
    moment: Moment, of_year: Callable[[int], Iterable[BoundedInterval]]
) -> BoundedInterval:
    """The first that is not over at the moment, or the last one that has begun."""
    step = 1 if moment.prefer_future else -1
    year = moment.today.year
    for shift in range(-step, _MAX_YEARS * step, step):  # a period may begin in the year before
        try:
            found = list(of_year(year + shift))
        except ValueError:  # a calendar that is not known for that year
            continue
        for one in found if step > 0 else reversed(found):
            if one.end > moment.at if step > 0 else one.start <= moment.at:
                return one
    raise ValueError("there is no such day")
