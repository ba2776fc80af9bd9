"""Complete a date with words that are a part of it, and no date by themselves: Russian *в восемь*
or *пятого*, "evening", "pm", a bare number."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.builtin.atoms import get_atoms
from anaphora.entities.builtin.completion import find_completion
from anaphora.entities.builtin.dates.combining.combination import combine_dates, in_half
from anaphora.entities.builtin.dates.combining.durations import express_duration, find_longest_unit
from anaphora.entities.builtin.dates.combining.readings import (
    ENDS,
    STARTS,
    DateReading,
    TimeOfDay,
    join_date,
    read_date,
)
from anaphora.entities.builtin.dates.date_parser import get_date_parser
from anaphora.entities.builtin.dates.grammar.date_grammar import load_grammar
from anaphora.entities.builtin.dates.grammar.islands import DateMatch
from anaphora.entities.builtin.dates.intervals import CLOCK_GRAINS, Moment
from anaphora.entities.builtin.dates.operations.clock_times import (
    HALF_DAY,
    ClockTime,
    evaluate_clock,
)
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.dates.resolution.date_resolution import (
    parse_expression,
    resolve_date,
)
from anaphora.entities.builtin.numbers.prefilter import build_prefilter
from anaphora.entities.recognizers.recognizer import Mention
from anaphora.entities.words.normalization import base_code

__all__ = ["complete_date", "find_date_answer"]

_JANUARY, _DECEMBER = 1, 12
_POINTED_TIME = re.compile(r"(\d{1,2})\.([0-5]\d)")
_HOURS = range(25)
_PLAIN_NUMBERS: Mapping[str, Any] = MappingProxyType({})  # options


def complete_date(
    old: Entity, text: str, language: str, options: Mapping[str, Any], moment: Moment
) -> Mention | None:
    """Find at the start of ``text`` what is a part of an ``old`` date: a mention with the value and
    the metadata of the whole. ``options`` are those of the date."""
    if not _may_complete(text, language):
        return None
    return _Completion(old, text, language, options, moment).find()


def _may_complete(text: str, language: str) -> bool:
    """A fast negative test: whether there is a number or a word of dates in a text."""
    grammar = load_grammar(language)
    words = (atom.text for atom in get_atoms(text, language))
    may_be_date = any(word in grammar.words and word not in grammar.weak for word in words)
    return may_be_date or build_prefilter(language)(text)


def find_date_answer(text: str, language: str) -> DateMatch | None:
    """What a whole text is as the answer to a question about a date, from its first word on."""
    answer = get_date_parser(base_code(language)).find_answer(text)
    return None if answer is None or answer[0] else answer


class _Completion(NamedTuple):
    """Reads at the start of a text what is a part of an ``old`` date, and no date by itself."""

    old: Entity
    text: str
    language: str
    options: Mapping[str, Any]
    moment: Moment

    def find(self) -> Mention | None:
        whole = read_date(self.old.meta, self.moment)
        if whole is None:
            return self._find_distance()
        return (
            self._find_date()
            or self._find_bound(whole)
            or self._find_answer(whole)
            or self._find_time()
            or self._find_weekday()
            or self._find_day(whole)
            or self._find_minutes(whole)
            or self._find_length(whole)
            or self._find_stay(whole)
            or self._find_hour(whole)
            or self._find_hours(whole)
            or self._find_half(whole)
        )

    def _find_date(self) -> Mention | None:
        """A date by itself, which other words hide in its sentence."""
        found = self._parse("", "")
        combined = found and combine_dates(
            self.old, replace(self.old, value=found.value, meta=found.meta), self.moment
        )
        if found is None or combined is None:
            return found
        return replace(found, value=combined.value, meta=combined.meta)

    def _find_distance(self) -> Mention | None:
        """The number of the units from now that a time is away, in the place of the one that it
        was: "30" after "in 20 minutes"."""
        number = self._find_number() if self.old.meta.get("grain") in CLOCK_GRAINS else None
        match parse_expression(self.old.meta.get("expression")):
            case (("ahead" | "ago") as side, ("amount", _, unit)) if number is not None:
                said = side, ("amount", number.meta["value"], unit)
                new = resolve_date(said, self.moment)
                return new and replace(number, value=new[0], meta=new[1])
        return None

    def _find_time(self) -> Mention | None:
        """A time, or a part of the day, as it stands beside a day: Russian *в восемь*, "evening",
        *утра*."""
        today = self.moment.today.isoformat()
        for before, behind in ((f"{today} ", ""), ("", f" {today}")):
            found = self._parse(before, behind)
            said = found and read_date(found.meta, self.moment)
            if found and said and not said.bound and said.time != TimeOfDay():
                return self._combine(found, join_date(None, said.time))
        return None

    def _find_bound(self, whole: DateReading) -> Mention | None:
        """Another start or end of a time: "from 1" after "from 2 to 4"."""
        return self._find_answer(whole, (*STARTS, *ENDS))

    def _find_answer(
        self, whole: DateReading, operations: Collection[str] = ("clock",)
    ) -> Mention | None:
        """Another time in words that are one only as a whole answer: "5.30", also where numbers
        with a point are days, if there is no such month."""
        text = self.text
        parts = _POINTED_TIME.fullmatch(text)
        if parts is not None and int(parts[2]) > _DECEMBER:
            text = f"{parts[1]}:{parts[2]}"
        answer = find_date_answer(text, self.language) if whole.time.clock else None
        if answer is None or answer[2][0] not in operations:
            return None
        number = self._find_number() if answer[2][0] == "clock" else None
        if number is not None and number.end >= len(self.text):
            return None  # which may be the end of a range
        return self._combine(Mention(0, answer[1]), answer[2])

    def _find_hour(self, whole: DateReading) -> Mention | None:
        """The hour that a bare number is, of a day or a time."""
        number = self._find_number()
        if number is None or number.meta["value"] not in _HOURS:
            return None
        is_span = whole.expression[0] == "span" and whole.grain in CLOCK_GRAINS
        if not (whole.time.clock or whole.period == "day" or is_span):
            return None
        if (len(whole.time.clock) > 1 and whole.expression[0] != "lasting") or is_span:
            changed = self._change_range(number, whole)
            if changed is not None or is_span:
                return changed
        if whole.bound in ENDS and len(whole.time.clock) == 1 and whole.end and not whole.zone:
            return self._change_end(number, whole, whole.end)
        said: TimeExpression = ("clock", ("time", number.meta["value"]))
        combined = self._combine(number, (whole.bound, said) if whole.bound else said)
        if combined is not None or whole.day is not None or whole.bound:
            return combined
        new = resolve_date(said, self.moment)  # "6" after "5 pm", which says no day
        return replace(number, value=new[0], meta=new[1]) if new is not None else None

    def _change_end(self, hour: Mention, whole: DateReading, end: datetime) -> Mention | None:
        """Another hour of a date that only has an end: "9" after "until 8 pm"."""
        clock = in_half(("time", hour.meta["value"]), end.hour)
        said = whole.bound, join_date(whole.day, whole.time._replace(clock=(clock,)))
        resolved = resolve_date(said, self.moment)
        return resolved and replace(hour, value=resolved[0], meta=resolved[1])

    def _find_length(self, whole: DateReading) -> Mention | None:
        """Another length of a date that has one: "three hours", "three" after "at nine for two
        hours". A bare number is rather another time if it is nearer to that."""
        if whole.expression[0] != "lasting" or whole.start is None or whole.end is None:
            return None
        found = self._parse("", "", "duration")
        length = None if found is None else found.value
        if found is None and (found := self._find_number()) is not None:
            number, seconds = found.meta["value"], (whole.end - whole.start).total_seconds()
            unit = find_longest_unit(seconds)
            away = abs(number - whole.start.hour) % HALF_DAY
            if unit is not None and abs(number - seconds / unit.seconds) < away:
                length = unit.form.format(number)
        amount = express_duration(length)
        if found is None or amount is None:
            return None
        resolved = resolve_date(("lasting", whole.expression[1], amount), self.moment)
        return resolved and replace(found, value=resolved[0], meta=resolved[1])

    def _find_stay(self, whole: DateReading) -> Mention | None:
        """How long a time lasts, in the words that say so behind a time: "for two hours"."""
        is_point = len(whole.time.clock) == 1 and not (whole.bound or whole.zone)
        found = self._parse("10:00 ", "") if is_point else None
        match found and parse_expression(found.meta.get("expression")):
            case ("lasting", ("clock", _), amount) if found is not None:
                said = "lasting", whole.expression, amount
                resolved = resolve_date(said, self.moment)
                return resolved and replace(found, value=resolved[0], meta=resolved[1])
        return None

    def _change_range(self, hour: Mention, whole: DateReading) -> Mention | None:
        """The hours of a date with another end, or start if the hour is before theirs: "5" after
        "from 2 to 4"."""
        if whole.start is None or whole.end is None:
            return None
        clock = in_half(("time", hour.meta["value"]), whole.end.hour)
        is_end = evaluate_clock(clock).hours > whole.start.hour
        return self._combine(hour, ("until" if is_end else "onward", ("clock", clock)))

    def _find_hours(self, whole: DateReading) -> Mention | None:
        """The hours that a bare range of numbers is, of a time or a part of the day: "2 to 4"."""
        is_timed = whole.time != TimeOfDay()
        number = self._parse("", "", "number") if is_timed else None
        if number is None or number.meta.get("comparison") != "between":
            return None
        hours = number.meta["from"], number.meta["to"]
        if any(hour not in range(HALF_DAY * 2 + 1) for hour in hours):
            return None
        first, last = (("time", int(hour)) for hour in hours)
        return self._combine(number, ("times", first, last))

    def _find_half(self, whole: DateReading) -> Mention | None:
        """The half of the day of a time: "pm"."""
        shown = _read_clock(whole)
        if shown is None:
            return None
        minutes = f":{shown.minutes:02}" if shown.minutes else ""
        found = self._parse(f"{(shown.hours - 1) % HALF_DAY + 1}{minutes} ", "")
        said = found and read_date(found.meta, self.moment)
        if not found or not said or said.bound or said.day or not said.time.clock:
            return None
        is_half = said.time.part or said.time.clock[0][0] in ("am", "pm")
        return self._combine(found, said.expression) if is_half else None

    def _find_minutes(self, whole: DateReading) -> Mention | None:
        """The minutes before or after the hour of a time: "half past", Spanish *y media*."""
        old, number = _read_clock(whole), self._find_number()
        if old is None or any(letter.isdigit() for letter in self.text):
            return None
        if number is not None and number.end == len(self.text):
            return None
        hours = (old.hours, old.hours + 1) if old.minutes else (old.hours,)
        faces = [(hour - 1) % HALF_DAY + 1 for hour in hours]
        contexts = [pair for face in faces for pair in (("", f" {face}"), (f"{face} ", ""))]
        if not old.minutes:
            contexts.append((f"{self.old.text} ", ""))  # cinq heures *et demie*
        for before, behind in contexts:
            found = self._parse(before, behind)
            said = found and read_date(found.meta, self.moment)
            if not found or not said or said.bound or len(said.time.clock) != 1:
                continue
            new = evaluate_clock(said.time.clock[0])
            if new.minutes and (old.hours - new.hours) % HALF_DAY <= (0 if old.minutes else 1):
                return self._combine(found, ("clock", *said.time.clock))
        return None

    def _find_weekday(self) -> Mention | None:
        """A weekday in a word that is one only as a whole answer: Portuguese *sexta* (sixth)."""
        answer = find_date_answer(self.text, self.language)
        if answer is None or answer[2][0] != "weekday":
            return None
        return self._combine(Mention(0, answer[1]), answer[2])

    def _find_day(self, whole: DateReading) -> Mention | None:
        """The day of a month: Russian *пятого*, and a bare number after a month."""
        if whole.period != "month" and self._find_number() is not None:
            return None
        month = _find_month_name(self.language)
        found = month and self._parse("", f" {month}")
        said = found and parse_expression(found.meta.get("expression"))
        if not found or not said or said[:2] != ("monthday", _JANUARY):
            return None
        return self._combine(found, ("day_of_month", said[2]))

    def _find_number(self) -> Mention | None:
        """A whole number that is no ordinal."""
        number = self._parse("", "", "number")
        if number is None or number.meta.get("kind") == "ordinal":
            return None
        return number if isinstance(number.meta.get("value"), int) else None

    def _parse(self, before: str, behind: str, name: str = "date") -> Mention | None:
        """The mention that begins the text, between the words ``before`` and ``behind``; with
        words behind, it is the whole text."""
        options = self.options if name == "date" else _PLAIN_NUMBERS
        return find_completion(
            name, self.language, options, self.text, self.moment.at, before=before, behind=behind
        )

    def _combine(self, found: Mention, said: TimeExpression) -> Mention | None:
        """Combine the old date with what a mention says."""
        part = resolve_date(said, self.moment)
        if part is None:
            return None
        new = replace(self.old, value=part[0], meta=part[1])
        combined = combine_dates(self.old, new, self.moment)
        if combined is None:
            return None
        return replace(found, value=combined.value, meta=combined.meta)


def _read_clock(whole: DateReading) -> ClockTime | None:
    """The single time of a date; None without one."""
    if len(whole.time.clock) != 1:
        return None
    try:
        return evaluate_clock(whole.time.clock[0])
    except (LookupError, TypeError, ValueError):
        return None


@lru_cache(maxsize=64)
def _find_month_name(language: str) -> str:
    """The name of January beside a day; '' if the language writes it otherwise."""
    parser = get_date_parser(language)
    for name, month in load_grammar(language).months.items():
        text = f"31 {name}"
        if month == _JANUARY and parser.find_dates(text) == [
            (0, len(text), ("monthday", _JANUARY, 31))
        ]:
            return name
    return ""
