"""Dates joined by a conjunction, of which a later one leaves out what the first one said: the
Thursday of "Tuesday or Thursday of next week", the 20th of "December 5 and 20", the three o'clock
of "tomorrow at two or three"."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.dates.operations.clock_times import HALF_DAY
from anaphora.entities.builtin.dates.operations.registry import TimeExpression

__all__ = ["complete_coordinated"]

_Match = tuple[int, int, TimeExpression]
_DAY, _TIME = 1, 2  # the places of the arguments of "at"
_HALVES = ("am", "pm")
_DAY_HOLDERS = ("at", "within", "at_times", "in_year")  # operations on a day and something else
_SERIAL_MARKS = frozenset("、・")
_COMMAS = ",，"


def complete_coordinated(
    dates: Iterable[_Match], atoms: Sequence[Atom], conjunctions: Collection[str]
) -> Iterator[_Match]:
    """The dates of a text with these atoms, each completed by the one before it if the two are
    joined by a conjunction or a mark of East Asian lists."""
    before: _Match | None = None
    for date in dates:
        start, end, meaning = date
        if before is not None and _are_joined(before[1], start, atoms, conjunctions):
            meaning = _complete(before[2], meaning) or meaning
        before = start, end, meaning
        yield before


def _are_joined(end: int, start: int, atoms: Sequence[Atom], conjunctions: Collection[str]) -> bool:
    """Whether a conjunction stands between two offsets, or as an ending before them."""
    first, last = (bisect_left(atoms, offset, key=attrgetter("start")) for offset in (end, start))
    between = "".join([atom.text for atom in atoms[first:last]])
    if not between:
        return first > 0 and atoms[first - 1].glued and atoms[first - 1].text in conjunctions
    return between in _SERIAL_MARKS or between.strip(_COMMAS) in conjunctions


def _complete(said: TimeExpression, date: TimeExpression) -> TimeExpression | None:
    """A date with the week, the month or the day of the one before it; None if it leaves none
    open, or that one has none."""
    if date[0] == "clock":
        return _place_clock(said, date[1])
    if date[0] in _DAY_HOLDERS:
        inner = _complete(said, date[_DAY])
        return None if inner is None else (date[0], inner, *date[2:])
    if said[0] == "in_year" and (inner := _complete(said[_DAY], date)) is not None:
        return ("in_year", inner, *said[2:])
    if said[0] in _DAY_HOLDERS:
        return _complete(said[_DAY], date)
    match said, date:
        case (("weekday", _, int(shift)), ("weekday", day)):
            return "weekday", day, shift
        case (("weekday_in", _, week), ("weekday", day)):
            return "weekday_in", day, week
        case (("monthday", month, int(first), *year), ("day_of_month", int(day))) if day > first:
            return "monthday", month, day, *year
        case (("nth", int(first), "day", month), ("day_of_month", int(day))) if day > first:
            return "nth", day, "day", month
    return None


def _place_clock(said: TimeExpression, clock: TimeExpression) -> TimeExpression | None:
    """The time on the day of the one before it, in the same half of it."""
    if said[0] == "clock":
        later = _in_same_half(said[1], clock)
        return None if later == clock else ("clock", later)
    if said[0] == "at":
        return "at", said[_DAY], _in_same_half(said[_TIME], clock)
    return None


def _in_same_half(said: TimeExpression, clock: TimeExpression) -> TimeExpression:
    """The time in the half of the day of the one before it; after eleven in the morning, one
    o'clock is in the afternoon."""
    match said, clock:
        case ((str(half), ("time", int(first), *_)), ("time", int(hour), *_)):
            if half not in _HALVES or hour >= HALF_DAY:
                return clock
            if first < hour:
                return half, clock
            return ("pm", clock) if half == "am" else clock
    return clock
