"""Complete dates that are joined to others, by what one of them says for all: Monday or *Tuesday
next week*, the 5th or *the 6th of May*, *tomorrow at two* or three, Monday or *Tuesday at nine*."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Chart, Item
from anaphora.entities.builtin.dates.operations.clock_times import HALF_DAY
from anaphora.entities.builtin.dates.operations.expression_analysis import TIMED_OPERATIONS
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.storage.forks import LazyProperty

__all__ = ["Coordination"]

_COMMAS: Final = frozenset({",", "،", "，", "/"})
_SERIAL_MARKS: Final = frozenset("、・")  # of East Asian lists
_WEEKDAYS: Final = frozenset({"weekday_in", "next_weekday", "last_weekday", "this_weekday"})
_DAYS: Final = _WEEKDAYS | {"weekday", "day_of_month", "monthday", "ymd", "nth", "on_weekday"}
# By the operation of a date, the category of the word that is its day, or its month.
_CORES: Final = {
    "weekday": "anyweekday", **dict.fromkeys(_WEEKDAYS, "anyweekday"), "day_of_month": "day",
    "nth": "day", "month": "anymonth", "month_of": "anymonth",
}  # fmt: skip
_CLOCK_OPERATIONS: Final = ("at", "at_times")  # on a day and its time or times
_DAY_OPERATIONS: Final = (*TIMED_OPERATIONS, "at_times")  # on a day, their first argument
_HALVES: Final = ("am", "pm")
_SHARED_HALVES: Final = (*_HALVES, "by_night")

_AtomDate: TypeAlias = tuple[int, int, TimeExpression]
"""A date by its atoms (half open)."""
_Side: TypeAlias = Literal["before", "behind", ""]


class _Joint(NamedTuple):
    """What joins a date, by its index, to the next one: a ``conjunction``, or a comma alone. It is
    ``tight`` if no preposition stands beside it; so is a mark of East Asian lists. With a
    ``hyphen`` before it the second half of a compound is that of both dates."""

    first: int
    conjunction: bool
    tight: bool
    hyphen: bool = False


class Coordination:
    """Completes dates that are joined by one of the ``conjunctions``, or a comma, with
    ``prepositions`` beside it; the atoms of these are separated by blanks.

    What stands before the first day belongs to all that follow (next week Monday or Tuesday), what
    stands behind the last day to all before it: a period, and a time if there is a conjunction
    (Monday, Tuesday or Wednesday at nine). A tight joint also carries on a week, a month for a
    later day, and the day of a time, which a conjunction does in any case. Of the ``weak`` words of
    dates one may stand before a time. ``parse`` makes a chart of some atoms.
    """

    def __init__(
        self,
        conjunctions: Collection[str],
        prepositions: Collection[str],
        weak: Collection[str],
        parse: Callable[[Sequence[Atom]], Chart],
    ) -> None:
        self._conjunctions = frozenset(conjunctions)
        self._weak = weak
        beside = _any_of(prepositions)
        marks = _COMMAS | _SERIAL_MARKS
        self._between = re.compile(
            rf" (?:{beside} )*(?:{_any_of(marks | self._conjunctions)} )+(?:{beside} )*"
        )
        self._conjunction = re.compile(rf" {_any_of(self._conjunctions)} ")
        self._parse = parse

    def complete(self, atoms: Sequence[Atom], dates: Sequence[_AtomDate]) -> list[_AtomDate]:
        """The dates, each with what its neighbors say for it."""
        found = [self._find_joint(atoms, at, *pair) for at, pair in enumerate(pairwise(dates))]
        joints = [joint for joint in found if joint is not None]
        if not joints:
            return list(dates)
        parts = [_Part(self._parse, atoms[start:end], meaning) for start, end, meaning in dates]
        for joint in joints:
            parts[joint.first + 1].follow(parts[joint.first], joint)
        listed = -1  # the first date of a list that ends with a conjunction
        for joint in reversed(joints):
            if joint.conjunction or listed == joint.first + 1:
                listed = joint.first
            behind = parts[joint.first + 1]
            parts[joint.first].precede(behind, in_list=listed == joint.first)
            if joint.hyphen:
                parts[joint.first].take_part(behind)
        return [
            (start, end, part.meaning) for (start, end, _), part in zip(dates, parts, strict=True)
        ]

    def _find_joint(
        self, atoms: Sequence[Atom], at: int, one: _AtomDate, other: _AtomDate
    ) -> _Joint | None:
        """What joins two dates: all that is between them, or the ending of the first one."""
        if one[1] == other[0]:
            last = atoms[one[1] - 1]
            is_ending = last.glued and last.text in self._conjunctions
            return _Joint(at, conjunction=True, tight=True) if is_ending else None
        words = [atom.text for atom in atoms[one[1] : other[0]]]
        if len(words) > 1 and _is_in_part(other[2]) and words[-1] in self._weak:
            words.pop()  # *at* 7 in the evening
        has_hyphen = len(words) > 1 and words[0] == "-" and atoms[one[1]].glued
        between = " ".join(["", *words[has_hyphen:], ""])
        if not self._between.fullmatch(between):
            return None
        return _Joint(
            at,
            conjunction=self._conjunction.search(between) is not None,
            tight=between.strip(" ,，") in self._conjunctions or between.strip() in _SERIAL_MARKS,
            hyphen=has_hyphen,
        )


class _Part:
    """A date among others that complete its ``meaning``."""

    def __init__(
        self, parse: Callable[[Sequence[Atom]], Chart], atoms: Sequence[Atom], said: TimeExpression
    ) -> None:
        self.meaning = said
        self._said = said
        self._parse = parse
        self._atoms = atoms
        self._period_side: _Side | None = None
        self._time_side: _Side | None = None

    def follow(self, before: _Part, joint: _Joint) -> None:
        """Take from the date before this one what it says for both."""
        whole = before.meaning
        found = _share_period(whole, self.meaning)
        if found is not None and before.period_side == "before":
            self.meaning, self._period_side = found, "before"
        elif found is not None and joint.tight and _is_carried_on(whole, self.meaning):
            self.meaning = found
        is_joined = joint.tight or joint.conjunction
        if is_joined and self.meaning[0] == "clock":
            self.meaning = _place_clock(whole, self.meaning[1])
        elif is_joined and _is_in_part(self.meaning):
            self.meaning = _place_part(whole, self.meaning)
        elif joint.conjunction and before.time_side == "before":
            self._take_time(before.meaning, "before")

    def precede(self, behind: _Part, *, in_list: bool) -> None:
        """Take from the date behind this one what it says for both; a time only from the end of a
        list that has a conjunction."""
        found = _share_period(behind.meaning, self.meaning)
        if found is not None and behind.period_side == "behind":
            self.meaning, self._period_side = found, "behind"
        if in_list and behind.time_side == "behind":
            self._take_time(behind.meaning, "behind")
        if in_list:
            self.meaning = _share_half(behind.meaning, self.meaning)

    def take_part(self, behind: _Part) -> None:
        """Take the part of the day from the date behind this one: Samstag- und Sonntagabend."""
        if _is_day(self.meaning):
            self.meaning = _share_part(behind.meaning, self.meaning)

    @property
    def period_side(self) -> _Side:
        """The side of its day on which the period of the date stands; '' if that is not known."""
        if self._period_side is None:
            self._period_side = self._find_period_side(_get_day(self._said))
        return self._period_side

    @property
    def time_side(self) -> _Side:
        """The side of its day on which the time of the date stands; '' if that is not known."""
        if self._time_side is None:
            self._time_side = self._find_time_side()
        return self._time_side

    def _take_time(self, whole: TimeExpression, side: _Side) -> None:
        """Take the time of another date, which stands on that side of it."""
        if self.meaning[0] in _CLOCK_OPERATIONS or not _is_day(self.meaning):
            return
        if whole[0] in _CLOCK_OPERATIONS and _is_day(whole[1]):
            self.meaning, self._time_side = (whole[0], self.meaning, *whole[2:]), side

    def _find_period_side(self, date_: TimeExpression) -> _Side:
        spans = [item for item in self._chart.items("date") if item.meaning == date_]
        if not spans:  # a day that has its month from the date behind it
            return "behind" if date_[0] in ("monthday", "ymd") else ""
        whole = min(spans, key=lambda item: item.end - item.start)
        if date_[0] == "ymd":
            years = [item for item in self._chart.items("year") if item.meaning == date_[1]]
            is_last = any(year.end == whole.end for year in years)
            return "behind" if is_last else "before" if years else ""
        cores = _find_cores(self._chart, date_)
        if any(core.start <= whole.start and core.end < whole.end for core in cores):
            return "behind"
        return "before" if any(core.end == whole.end for core in cores) else ""

    def _find_time_side(self) -> _Side:
        if self._said[0] not in _CLOCK_OPERATIONS:
            return ""
        days = [item for item in self._chart.items("date") if item.meaning == self._said[1]]
        if not days and self._said[1][0] == "weekday":  # one whose name is another word, too
            names = self._chart.items("dayname")
            days = [name for name in names if name.meaning == self._said[1][1]]
        if any(day.end == len(self._atoms) for day in days):
            return "before"
        return "behind" if any(day.start == 0 for day in days) else ""

    @LazyProperty
    def _chart(self) -> Chart:
        return self._parse(self._atoms)


def _any_of(words: Iterable[str]) -> str:
    """A pattern for one of the words."""
    return f"(?:{'|'.join(map(re.escape, words)) or '(?!)'})"


def _is_day(date_: TimeExpression) -> bool:
    """Whether a date is a day, without a time."""
    return date_[0] in _DAYS or date_[:2] == ("cell", "day")


def _find_cores(chart: Chart, date_: TimeExpression) -> list[Item]:
    """The items that may be the day of a date without its period."""
    if date_[0] == "in_year":
        date_ = date_[1]
    if date_[0] == "monthday":
        return [
            *[one for one in chart.items("date") if one.meaning == date_[:3]],
            *[one for one in chart.items("day") if one.meaning == date_[2]],
        ]
    return [one for one in chart.items(_CORES[date_[0]]) if one.meaning == date_[1]]


def _share_period(whole: TimeExpression, part: TimeExpression) -> TimeExpression | None:
    """The ``part``, with its time, in the week, month or year of the ``whole``; None if it is in
    one already, or the other one names none."""
    if part[0] in _DAY_OPERATIONS:
        inner = _share_period(whole, part[1])
        return inner and (part[0], inner, *part[2:])
    match part, _get_day(whole):
        case ("weekday", int(day)), ("weekday", _, int(week)):
            return "weekday", day, week
        case ("weekday", int(day)), (str(name), _, *period) if name in _WEEKDAYS:
            return name, day, *period
        case ("day_of_month", int(day)), ("monthday", int(month), _, *year):
            return "monthday", month, day, *year
        case ("day_of_month", int(day)), ("ymd", year, month, _):
            return "ymd", year, month, day
        case ("day_of_month", int(day)), ("day_of_month", _, month):
            return "day_of_month", day, month
        case ("day_of_month", int(day)), ("nth", _, "day", period):
            return "nth", day, "day", period
        case ("month", int(month)), ("month_of", _, year):
            return "month_of", month, year
        case ("month", int(month)), ("month", _, year):
            return "month", month, year
        case ("monthday", int(month), int(day)), ("monthday", _, _, int(year)):
            return "monthday", month, day, year
        case ("monthday", int(month), int(day)), ("ymd", year, _, _):
            return "ymd", year, month, day
        case (("month" | "monthday" | "day_of_month"), *_), ("in_year", date_, year):
            inner = part if date_[0] == part[0] else _share_period(date_, part)
            return inner and ("in_year", inner, year)
    return None


def _is_carried_on(whole: TimeExpression, part: TimeExpression) -> bool:
    """Whether a conjunction carries on the week of a date, or its month for a later day, wherever
    these stand."""
    whole = _get_day(whole)
    match _get_day(part), whole[1] if whole[0] == "in_year" else whole:
        case ("weekday", _), ("weekday" | "weekday_in", *_):
            return True
        case ("day_of_month", int(day)), ("monthday", _, int(first), *_):
            return day > first
        case ("day_of_month", int(day)), ("nth", int(first), "day", _):
            return day > first
    return False


def _get_day(date_: TimeExpression) -> TimeExpression:
    """The date without its times or its part of a day."""
    while date_[0] in _DAY_OPERATIONS:
        date_ = date_[1]
    return date_


def _place_clock(said: TimeExpression, clock: TimeExpression) -> TimeExpression:
    """The time on the day of the one before it, in the same half of it."""
    if said[0] == "clock":
        return "clock", _in_same_half(said[1], clock)
    if said[0] == "at":
        return "at", said[1], _in_same_half(said[2], clock)
    return "clock", clock


def _is_in_part(date_: TimeExpression) -> bool:
    """Whether a date is a time in a part of some day: 7 in the evening."""
    return bool(date_[0] == "at" and date_[1][0] == "part")


def _place_part(said: TimeExpression, part: TimeExpression) -> TimeExpression:
    """The time in a part of the day (7 in the evening), on the day of the one before it."""
    _, (_, name), clock = part
    return (
        ("at", ("within", said[1], name), clock) if said[0] == "at" and _is_day(said[1]) else part
    )


def _share_part(whole: TimeExpression, day: TimeExpression) -> TimeExpression:
    """The day with the part of the day and the time of another date, if it has a part."""
    match whole:
        case "within", inner, part if _is_day(inner):
            return "within", day, part
        case ("at" | "at_times") as name, inner, *times:
            found = _share_part(inner, day)
            return day if found == day else (name, found, *times)
    return day


def _share_half(behind: TimeExpression, time: TimeExpression) -> TimeExpression:
    """The bare time in the half or the part of the day of a later hour behind it: 6 or 7 pm."""
    match behind, time:
        case (
            (("clock" | "at"), *_, (str(half), ("time", int(later), *_))),
            (("clock" | "at"), *day, ("time", int(hour), *_) as clock),
        ) if half in _SHARED_HALVES and hour % HALF_DAY < later % HALF_DAY:
            return time[0], *day, (half, clock)
        case (
            ("at", ("part", str(name)) | ("within", _, str(name)), ("time", int(later), *_)),
            (("clock" | "at"), *day, ("time", int(hour), *_) as clock),
        ) if hour % HALF_DAY < later % HALF_DAY:
            if not day:
                return "at", ("part", name), clock
            if _is_day(day[0]):
                return "at", ("within", day[0], name), clock
    return time


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
