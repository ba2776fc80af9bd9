"""What the tables can say that a date is: one small function for each operation.

A meaning is a tuple of the name of an operation and its arguments, some of which are meanings.
It knows nothing of the time of the question, so that a text is read once and its dates are
resolved as often as it is asked. An operation that comes to nothing (February 30, a year 0)
raises ValueError or OverflowError; :func:`resolve` makes None of that.
"""

from __future__ import annotations

from functools import lru_cache

from anaphora.entities.dates.calendar import Interval, Moment
from anaphora.entities.dates.operations import (  # noqa: F401 - they register their operations
    clocks,
    distances,
    names,
    portions,
    ranges,
    times,
)
from anaphora.entities.dates.operations.amounts import AMOUNTS, Amount, amounts_of
from anaphora.entities.dates.operations.gaps import assumed, disagrees, is_daily, names_day
from anaphora.entities.dates.operations.registry import CLOCKS, OPERATIONS, Meaning, date_of

__all__ = [
    "KNOWN",
    "Amount",
    "Meaning",
    "amounts_of",
    "assumed",
    "disagrees",
    "is_daily",
    "is_fine",
    "names_day",
    "resolve",
]

KNOWN = frozenset({*OPERATIONS, *CLOCKS, *AMOUNTS})
"""The names of all operations: those of dates, of times of the day, and of durations."""


def resolve(meaning: Meaning, moment: Moment) -> Interval | None:
    """The interval that a date comes to at that moment, None if there is no such date."""
    try:
        found = date_of(meaning, moment)
    except (ValueError, OverflowError):
        return None
    return found if found.is_sound else None


@lru_cache(maxsize=4096)
def is_fine(meaning: Meaning) -> bool:
    """Whether it depends on the seconds of the time of the question."""
    return meaning == ("now",) or any(
        part == "second" or (isinstance(part, tuple) and is_fine(part)) for part in meaning
    )
