"""The official days of countries, by the package ``holidays``.

A country is a code of two letters (``DE``), or that of a part of it (``DE-BY``).
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from anaphora.entities.words.normalization import base_code

if TYPE_CHECKING:
    from holidays import HolidayBase

__all__ = ["DaySpan", "find_official_names", "official_days"]

DaySpan = tuple[date, int]
"""The first day of a feast and the number of its days."""

_NAMED_YEARS = range(2000, 2041)  # in which names are looked for
_YEARS_IN_USE = 10  # a name that is not found for longer is a former one
_UNNAMED = ("school", "workday")  # categories of days that are no feasts
_SUBSTITUTED = re.compile(r"\d{2}[./]\d{2}|\d{4}")  # a day off for one at work
_BRACKETS = re.compile(r"\s*[(（].*?[)）]\s*")
_DELIMITER = "; "  # of the names of one day, in the package
_BRACKET = re.compile(r"[()（）]")
# The languages of a country besides the one in which the package has its days by default.
_FURTHER_LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "BE": ("de", "fr", "nl"), "CA": ("fr",), "CH": ("de", "fr", "it"), "FI": ("sv",),
    "HK": ("zh",), "IL": ("he",), "IN": ("hi",), "LU": ("de", "fr"), "MO": ("pt", "zh"),
    "UA": ("uk",), "KZ": ("kk", "ru"), "BY": ("be", "ru"), "AW": ("nl",), "CW": ("nl",),
}  # fmt: skip


def find_official_names(country: str, language: str) -> Iterator[tuple[str, str, str]]:
    """The names that a country's days have in a language and in its own ones: a text, the language
    by its code in the package, and the official name."""
    for code in _languages_of(country, base_code(language)):
        days = _read_days(_open_country(country, code, _NAMED_YEARS))
        last = max((listed[-1].year for listed in days.values()), default=0)
        in_use = [name for name, listed in days.items() if listed[-1].year > last - _YEARS_IN_USE]
        for name in sorted(in_use, key=lambda name: -len(days[name])):
            for text in {name, _BRACKETS.sub(" ", name), _BRACKET.sub(" ", name)}:
                yield from ((part.strip(), code, name) for part in text.split(" / "))


def _languages_of(country: str, language: str) -> list[str]:
    home = country.partition("-")[0]
    days = _open_class(home)
    own = [base_code(days.default_language or ""), *_FURTHER_LANGUAGES.get(home, ())]
    known = days.supported_languages or (days.default_language or "",)
    return [
        code
        for wanted in dict.fromkeys((language, *own))
        for code in sorted(known, key=lambda one: not one.endswith(f"_{home}"))
        if base_code(code) == wanted
    ] or [""]


@lru_cache(maxsize=512)
def official_days(country: str, language: str, year: int) -> Mapping[str, tuple[DaySpan, ...]]:
    """The days of a country that begin in a year, by their names in a language of the package."""
    days = _read_days(_open_country(country, language, range(year - 1, year + 2)))
    return {
        name: spans
        for name, listed in days.items()
        if (spans := tuple(span for span in _to_spans(listed) if span[0].year == year))
    }


def _read_days(days: HolidayBase) -> dict[str, list[date]]:
    """The days by their names, in their order."""
    found: dict[str, list[date]] = {}
    for day, names in sorted(days.items()):
        for name in names.split(_DELIMITER):
            if not _SUBSTITUTED.search(name):
                found.setdefault(_strip_estimated(name, days), []).append(day)
    return found


def _open_country(country: str, language: str, years: range) -> HolidayBase:
    import holidays  # here: an extra of the package; takes 60 ms

    code, _, part = country.partition("-")
    known = _open_class(code)
    first, last = max(years.start, known.start_year), min(years.stop - 1, known.end_year)
    with warnings.catch_warnings():  # of years for which a calendar is not known
        warnings.simplefilter("ignore")
        return holidays.country_holidays(
            code,
            subdiv=part or None,
            years=range(first, last + 1),
            language=language or None,
            categories=tuple(one for one in known.supported_categories if one not in _UNNAMED),
        )


@lru_cache(maxsize=64)
def _open_class(code: str) -> HolidayBase:
    """A country without days: what the package knows of it."""
    import holidays

    return holidays.country_holidays(code)


def _strip_estimated(name: str, days: HolidayBase) -> str:
    """A name without the mark of a date that is estimated; observed days keep theirs."""
    for label, plain in (
        ("observed_estimated_label", "observed_label"),
        ("estimated_label", ""),
    ):
        written = days.tr(getattr(days, label, None) or "")
        before, _, behind = written.partition("%s")
        if behind and name.startswith(before) and name.endswith(behind):
            base = name[len(before) : -len(behind)]
            return days.tr(getattr(days, plain)) % base if plain else base
    return name


def _to_spans(days: Iterable[date]) -> Iterator[DaySpan]:
    """Join days that follow each other."""
    first: date | None = None
    count = 0
    for day in days:
        if first is not None and day == first + timedelta(days=count):
            count += 1
            continue
        if first is not None:
            yield first, count
        first, count = day, 1
    if first is not None:
        yield first, count
