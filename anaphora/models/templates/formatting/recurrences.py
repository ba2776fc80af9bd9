"""Format recurring times: rules of RFC 5545, as the entity ``recurrence`` has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

import yaml
from babel import Locale
from babel.dates import format_date, format_skeleton, format_time, get_day_names, get_month_names

from anaphora.models.templates.formatting.locales import join_list
from anaphora.models.templates.formatting.numbers import format_measure

__all__ = ["RecurrenceRule", "format_recurrence", "parse_recurrence"]

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
_FREQUENCIES = ("SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_WORKDAYS, _WEEKEND = [0, 1, 2, 3, 4], [5, 6]
_LEAP_YEAR = 2000
_LAST, _LAST_BUT_ONE = 5, 6  # among the ranks of a table


@dataclass(frozen=True, slots=True)
class RecurrenceRule:
    """The parts of a rule; ``weekdays`` with their ranks (0 for every one)."""

    unit: int
    interval: int
    months: Sequence[int]
    monthdays: Sequence[int]
    weekdays: Sequence[tuple[int, int]]
    times: Sequence[time]
    is_last: bool
    until: datetime | None
    count: int


def parse_recurrence(value: Any) -> RecurrenceRule | None:
    """Parse a rule; None for any other value. Raises ``ValueError`` for an impossible one."""
    if not isinstance(value, str) or not value.startswith("FREQ="):
        return None
    parts = dict(part.split("=", 1) for part in value.split(";"))

    def numbers(name: str) -> list[int]:
        return [int(one) for one in parts.get(name, "").split(",") if one]

    places = numbers("BYSETPOS")
    hours, minutes = numbers("BYHOUR"), numbers("BYMINUTE") or [0]
    times = [time(*one) for one in product(hours, minutes)]
    if len(places) > 1:  # some of the times of each day
        times = [times[place - 1] for place in places if place <= len(times)]
    until = parts.get("UNTIL")
    return RecurrenceRule(
        unit=_FREQUENCIES.index(parts["FREQ"]),
        interval=int(parts.get("INTERVAL", "1")),
        months=numbers("BYMONTH"),
        monthdays=numbers("BYMONTHDAY"),
        weekdays=[_parse_weekday(one) for one in parts.get("BYDAY", "").split(",") if one],
        times=times,
        is_last=places == [-1],
        until=datetime.strptime(until, "%Y%m%dT%H%M%S") if until else None,
        count=int(parts.get("COUNT", "0")),
    )


def _parse_weekday(text: str) -> tuple[int, int]:
    return int(text[:-2] or 0), _WEEKDAYS.index(text[-2:])


def format_recurrence(rule: RecurrenceRule, meta: Mapping[str, Any], locale: Locale) -> str:
    """Format a rule as "every Monday at 9:00 AM"; in English if the language has no texts.
    ``meta`` is the metadata of the entity: how often, or from when to when."""
    texts = _load_texts().get(locale.language)
    if texts is None:
        texts, locale = _load_texts()["en"], Locale("en")
    text = _Formatter(texts, locale).format_days(rule, int(meta.get("times", 0)))
    if rule.times:
        times = [format_time(one, "short", locale=locale) for one in rule.times]
        if "hours" in meta and len(times) == 1:
            last = time.fromisoformat(meta["hours"].partition("/")[2])
            text = f"{text}, {times[0]}–{format_time(last, 'short', locale=locale)}"
        else:
            text = texts["at"].format(text=text, times=join_list(times, "standard", locale))
    if rule.until is not None:
        until = format_date(rule.until, "long", locale)
        text = texts["until"].format(text=text, date=until)
    return texts["count"].format(text=text, n=rule.count) if rule.count else text


@cache
def _load_texts() -> Mapping[str, Mapping[str, Any]]:
    file = files("anaphora.models.templates.formatting").joinpath("recurrences.yaml")
    texts: Mapping[str, Mapping[str, Any]] = yaml.safe_load(file.read_text("utf-8"))
    return texts


class _Formatter:
    """Formats the days of rules with the texts of one language."""

    def __init__(self, texts: Mapping[str, Any], locale: Locale) -> None:
        self._texts = texts
        self._locale = locale

    def format_days(self, rule: RecurrenceRule, times: int) -> str:
        """The days, weeks … of a rule; with how many ``times`` in each, if not 0."""
        if rule.unit == _UNITS.index("year") and rule.months and rule.monthdays:
            day = date(_LEAP_YEAR, rule.months[0], abs(rule.monthdays[0]))
            return self._tell("yearly", date=format_skeleton("MMMMd", day, locale=self._locale))
        text = self._format_period(rule, times)
        if not rule.months:
            return text
        # Babel gives the stand-alone names of a language that has none of its own in the language
        # that was asked first.
        context = self._texts.get("months", "format")
        names = get_month_names("wide", context=context, locale=self._locale)
        return f"{text} ({self._join(names[month] for month in rule.months)})"

    def _format_period(self, rule: RecurrenceRule, times: int) -> str:
        if times:
            return self._format_how_often(rule, times)
        if rule.monthdays and rule.weekdays:  # Friday the 13th
            names = self._weekday_names()
            days = self._join(names[day] for _, day in rule.weekdays)
            return f"{self._format_monthdays(rule)} ({days})"
        if rule.monthdays:
            return self._format_monthdays(rule)
        if rule.is_last and rule.weekdays:
            return self._tell("last_workday")
        if any(rank for rank, _ in rule.weekdays):
            return self._format_ranked(rule)
        if rule.weekdays:
            return self._format_weekdays(rule)
        return self._format_every(rule)

    def _format_every(self, rule: RecurrenceRule) -> str:
        if rule.interval == 1:
            each: str = self._texts["each"][rule.unit]
            return each
        unit = f"duration-{_UNITS[rule.unit]}"
        amount = format_measure(Decimal(rule.interval), unit, "long", self._locale)
        every: str | list[str] = self._texts["every"]
        pattern = every if isinstance(every, str) else every[rule.unit]
        return pattern.format(amount=amount)

    def _format_how_often(self, rule: RecurrenceRule, times: int) -> str:
        known = self._texts["times"]
        often = known[min(times, len(known)) - 1].format(n=times)
        per = self._texts["per"][rule.unit] if rule.interval == 1 else self._format_every(rule)
        return self._tell("how_often", times=often, per=per)

    def _format_weekdays(self, rule: RecurrenceRule) -> str:
        days = [day for _, day in rule.weekdays]
        names = self._texts.get("days") or self._weekday_names()
        listed = self._join(names[day] for day in days)
        if rule.interval > 1 or _UNITS[rule.unit] != "week":
            is_daily = rule.interval == 1 and _UNITS[rule.unit] == "day"
            if not is_daily:
                return self._tell("some_weeks", every=self._format_every(rule), days=listed)
        if days == _WORKDAYS:
            return self._tell("workdays")
        return self._tell("weekend") if days == _WEEKEND else self._tell("weekly", days=listed)

    def _format_ranked(self, rule: RecurrenceRule) -> str:
        names = self._texts.get("ranked_days") or self._weekday_names()
        genders = self._texts.get("genders", "m" * 7)
        ranks: dict[int, list[str]] = {}
        for rank, day in rule.weekdays:
            place = rank - 1 if rank > 0 else _LAST if rank == -1 else _LAST_BUT_ONE
            ranks.setdefault(day, []).append(self._texts["ranks"][genders[day]][place])
        return self._join(
            self._tell("ranked", ranks=self._join(listed), day=names[day])
            for day, listed in ranks.items()
        )

    def _format_monthdays(self, rule: RecurrenceRule) -> str:
        pattern = self._texts.get("monthday", "{n}")
        numbers = [pattern.format(n=day) for day in rule.monthdays if day > 0]
        told = [self._tell("monthly", days=self._join(numbers))] if numbers else []
        if any(day < 0 for day in rule.monthdays):
            told.append(self._tell("last_day"))
        return self._join(told)

    def _weekday_names(self) -> Mapping[int, str]:
        return get_day_names("wide", context="format", locale=self._locale)

    def _join(self, parts: Iterable[str]) -> str:
        return join_list(list(parts), "standard", self._locale)

    def _tell(self, key: str, **parts: str) -> str:
        told: str = self._texts[key].format(**parts)
        return told
