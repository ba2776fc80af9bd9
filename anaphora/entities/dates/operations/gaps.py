"""What a date leaves open, or says twice: the month of "the 28th", Tuesday for a Monday."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import chain

from anaphora.entities.dates.calendar import Moment
from anaphora.entities.dates.operations.registry import Meaning, date_of

__all__ = ["assumed", "disagrees", "names_day"]

# What is left open without the argument at that place; at place 0 it always is.
_OPEN: Mapping[str, tuple[int, str]] = {
    "clock": (0, "day"), "times": (0, "day"), "part": (0, "day"), "weekday": (2, "week"),
    "day_of_month": (2, "month"), "weekday_of_month": (0, "month"), "monthday": (3, "year"),
    "month": (2, "year"), "week_of_year": (2, "year"), "quarter": (2, "year"),
    "half_year": (2, "year"), "season": (2, "year"), "nth_weekday_of_year": (0, "year"),
    "easter": (0, "year"),
}  # fmt: skip
_DAYS = ("missing", "monthday", "ymd")
_YEAR_IS_SAID = "in_year"


@lru_cache(maxsize=4096)
def assumed(meaning: Meaning) -> str | None:
    """The unit that was not said, and was taken from the time of the question: the month of
    "until the 28th", the year of "May 5". Of a range that of its end; None if nothing was."""
    name = meaning[0]
    if name == _YEAR_IS_SAID:
        return None
    if (gap := _OPEN.get(name)) is not None:
        place, unit = gap
        is_said = place and any(argument is not None for argument in meaning[place:])
        return None if is_said else unit
    for argument in reversed(meaning):
        if isinstance(argument, tuple) and (unit_of := assumed(argument)) is not None:
            return unit_of
    return None


def disagrees(meaning: Meaning, moment: Moment) -> bool:
    """Whether a weekday was said that is not that of the date beside it. Raises ValueError or
    OverflowError if there is no such date."""
    return any(
        (found := date_of(said, moment)).start is not None and found.start.weekday() != said[1]
        for said in _with_weekdays(meaning)
    )


@lru_cache(maxsize=4096)
def names_day(meaning: Meaning) -> bool:
    """Whether a day of the calendar is named in it, which there may not be: June 31."""
    return meaning[0] in _DAYS or any(
        names_day(part) for part in meaning if isinstance(part, tuple)
    )


@lru_cache(maxsize=4096)
def _with_weekdays(meaning: Meaning) -> tuple[Meaning, ...]:
    inside = [_with_weekdays(part) for part in meaning if isinstance(part, tuple)]
    own = (meaning,) if meaning[0] == "on_weekday" else ()
    return (*own, *chain.from_iterable(inside))
