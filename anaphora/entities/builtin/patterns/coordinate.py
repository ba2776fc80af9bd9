"""The built-in entity ``coordinate``: points on the earth.

Two angles are a point if words before or behind them name the axes: latitude and longitude, or
north or south and east or west (``languages/<code>/coordinates.yaml``). Without such words both
angles need minutes or two decimals (three, if only a blank separates them), and must not be part of
a longer list. Both must be in range.

The value is ``latitude,longitude`` in degrees (``48.8567,2.3508``); the metadata has the numbers
``latitude`` and ``longitude``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import regex
from spacy.tokens import Doc

from anaphora.entities.builtin.phrasebook import load_phrase_tables
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code
from anaphora.entities.words.scripts import UNSPACED, starts_unspaced

__all__ = ["create"]


_PREFILTER = re.compile(r"\d\D{1,60}\d")
_DECIMALS = 6  # of a degree: 10 cm
_MIN_DECIMALS = 2
_MIN_DECIMALS_WITHOUT_MARK = 3

_Axis: TypeAlias = Literal["latitude", "longitude"]
_MAX_LATITUDE, _MAX_LONGITUDE = 90, 180
_DIRECTIONS: Mapping[str, tuple[_Axis, int]] = {
    "north": ("latitude", 1),
    "south": ("latitude", -1),
    "east": ("longitude", 1),
    "west": ("longitude", -1),
    "latitude": ("latitude", 0),
    "longitude": ("longitude", 0),
}


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of coordinates in a language; it has no options."""
    return _create_cached(base_code(language))


class _CoordinateRecognizer:
    def __init__(self, language: str) -> None:
        words: dict[str, list[str]] = {}
        for table in load_phrase_tables("coordinates", language):
            for kind, listed in table.items():
                words.setdefault(kind, []).extend(listed)
        self._pattern = _pattern(words)
        self._directions: dict[str, tuple[_Axis, int]] = {}
        for kind, direction in _DIRECTIONS.items():
            for word in words[kind]:
                # The table of the language comes first: O is east in German.
                self._directions.setdefault(_key(word), direction)

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        text = get_text(doc)
        return self._find_mentions(text) if _PREFILTER.search(text) else []

    def _find_mentions(self, text: str) -> Iterator[Mention]:
        start = 0
        while (match := self._pattern.search(text, start)) is not None:
            point = self._parse_point(match)
            if point is None:
                start = match.start() + 1
                continue
            start = match.end()
            latitude, longitude = point
            meta = {"latitude": latitude, "longitude": longitude}
            yield Mention(match.start(), start, f"{latitude:.15g},{longitude:.15g}", meta)

    def _parse_point(self, match: regex.Match[str]) -> tuple[float, float] | None:
        one, other = _parse_angle(match, "1"), _parse_angle(match, "2")
        if one is None or other is None:
            return None
        if match["uri"]:
            return _to_point(one.degrees, other.degrees)
        called = [self._find_direction(match, which) for which in "12"]
        if any(called):
            return _named_point(((one, called[0]), (other, called[1])))
        return _bare_point(one, other, match["between"])

    def _find_direction(self, match: regex.Match[str], which: str) -> tuple[_Axis, int] | None:
        """The axis that the words before and behind an angle name, and the sign (0 without one);
        None without such words, or if they contradict each other."""
        words = [word for word in (match[f"before{which}"], match[f"behind{which}"]) if word]
        named = [self._directions[_key(word)] for word in words]
        if not named or len({axis for axis, _ in named}) > 1:
            return None
        signs = [sign for _, sign in named if sign]
        return named[0][0], signs[0] if signs else 0


_create_cached = lru_cache(maxsize=32)(_CoordinateRecognizer)


@dataclass(frozen=True, slots=True)
class _Angle:
    """An angle. ``decimals`` counts the decimals of the degrees, ``mark`` is their decimal mark;
    ``precise`` and ``explicit`` tell how much it looks like an angle; ``signed`` that it has a plus
    or a minus."""

    degrees: float
    decimals: int
    mark: str
    precise: bool
    explicit: bool
    signed: bool


def _parse_angle(match: regex.Match[str], which: str) -> _Angle | None:
    written = match[f"d{which}"]
    minutes, seconds = (_parse_number(match[f"{part}{which}"]) for part in "ms")
    if minutes >= 60 or seconds >= 60:
        return None
    mark = next((char for char in written if not char.isdigit()), "")
    decimals = len(written.partition(mark)[2]) if mark else 0
    sign = match[f"sign{which}"] or ""
    degrees = _parse_number(written) + minutes / 60 + seconds / 3600
    return _Angle(
        degrees=-degrees if sign and sign[0] in "-−–" else degrees,
        decimals=decimals,
        mark=mark,
        precise=match[f"m{which}"] is not None or decimals >= _MIN_DECIMALS,
        explicit=bool(match[f"m{which}"] or match[f"degree{which}"] or decimals),
        signed=bool(sign),
    )


def _named_point(
    named: Iterable[tuple[_Angle, tuple[_Axis, int] | None]],
) -> tuple[float, float] | None:
    """The point of two angles with words for their axes; None if these make no sense."""
    degrees: dict[_Axis, float] = {}
    for angle, called in named:
        if called is None:
            return None
        axis, sign = called
        if sign and (angle.signed or not angle.explicit):
            return None
        degrees[axis] = angle.degrees * (sign or 1)
    if len(degrees) < 2:
        return None
    return _to_point(degrees["latitude"], degrees["longitude"])


def _bare_point(one: _Angle, other: _Angle, between: str | None) -> tuple[float, float] | None:
    separator = between or ""
    if one.mark and other.mark and one.mark != other.mark:
        return None
    if not (one.precise and other.precise) or (separator == one.mark == ","):
        return None
    if not separator.strip() and min(one.decimals, other.decimals) < _MIN_DECIMALS_WITHOUT_MARK:
        return None
    return _to_point(one.degrees, other.degrees)


def _to_point(latitude: float, longitude: float) -> tuple[float, float] | None:
    if abs(latitude) > _MAX_LATITUDE or abs(longitude) > _MAX_LONGITUDE:
        return None
    # Adding 0 turns -0.0 into 0.0.
    return round(latitude, _DECIMALS) + 0.0, round(longitude, _DECIMALS) + 0.0


def _parse_number(written: str | None) -> float:
    return float(written.replace(",", ".").replace("٫", ".")) if written else 0.0


def _key(word: str) -> str:
    return " ".join(word.casefold().split())


def _pattern(words: Mapping[str, list[str]]) -> regex.Pattern[str]:
    """A pattern of two angles: a geo URI, angles with words before or behind them, and bare
    ones."""
    named = _alternatives([word for kind in _DIRECTIONS for word in words[kind]])
    sides = _alternatives(
        [word for kind in ("north", "south", "east", "west") for word in words[kind]]
    )
    gap = r"\s{0,2}"
    between = rf"{gap}[,;/&|，、；،]?\s{{0,3}}"
    before = rf"(?P<before%s>{named}){gap}[:=]?{gap}"
    behind = rf"{gap}(?P<behind%s>{sides})"
    forms = (
        r"geo:(?P<uri>(?P<sign1>-)?(?P<d1>\d{1,2}(?:\.\d{1,15})?),"
        r"(?P<sign2>-)?(?P<d2>\d{1,3}(?:\.\d{1,15})?))(?:,-?[\d.]{1,15})?(?:;[\w.=-]{1,30})*",
        before % 1 + _angle_pattern("1", words) + f"(?:{behind % 1})?" + between
        + before % 2 + _angle_pattern("2", words) + f"(?:{behind % 2})?",
        _angle_pattern("1", words) + behind % 1 + between
        + _angle_pattern("2", words) + behind % 2,
        _BARE_BEFORE + _angle_pattern("1", words)
        + r"(?P<between>\s{0,2}[,;/，、；،]\s{0,3}|\s{1,3})"
        + _angle_pattern("2", words) + _BARE_BEHIND,
    )  # fmt: skip
    start = rf"(?<![[\p{{L}}\p{{Nd}}_]--[{UNSPACED}]])(?<!\d[.,])"
    return regex.compile(f"{start}(?:{'|'.join(forms)})(?![\\p{{Nd}}])", regex.V1 | regex.I)


_BARE_BEFORE = r"(?<![\p{Sc}#:]\s?)(?<!\d\s{0,2}[,;/]\s{0,3})(?<![\d.,:/-])"
_BARE_BEHIND = r"(?!\s?[\p{Sc}%:]|\s{0,2}[,;/]\s{0,3}[+-]?\d|\.\d|-\d|\p{L})"


def _angle_pattern(which: str, words: Mapping[str, list[str]]) -> str:
    """A pattern of an angle with marks (48°51'24"), with words, or of bare numbers (48 51 24)."""
    number = r"(?>\d{1,3}(?:[.,٫]\d{1,15})?)(?![\d])"
    sixtieth = r"(?>\d{1,2}(?:[.,٫]\d{1,12})?)(?![\d])"
    degree, minute, second = (_alternatives(words[kind]) for kind in ("degree", "minute", "second"))
    gap = r"\s{0,2}"
    return (
        rf"(?P<sign{which}>[+\-−–]\s?)?(?P<d{which}>{number})"
        rf"(?:{gap}(?P<degree{which}>{degree}))?"
        rf"(?:{gap}(?P<m{which}>{sixtieth}){gap}(?:{minute})(?!['′])"
        rf"(?:{gap}(?P<s{which}>{sixtieth}){gap}(?:{second}))?"
        rf"|\s(?P<m{which}>\d{{1,2}})(?:\s(?P<s{which}>{sixtieth}))?(?![\d.,]))?"
    )


def _alternatives(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longer ones first; behind letters no letter may follow."""
    written = []
    for word in sorted(set(words), key=lambda word: (-len(word), word)):
        plain = r"\s".join(map(regex.escape, word.split()))
        ends = word[-1].isalpha() and not starts_unspaced(word[-1])
        written.append(plain + (r"(?!\p{L})" if ends else ""))
    return f"(?:{'|'.join(written)})"
