"""The built-in entity ``duration``."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import get_atoms
from anaphora.entities.builtin.dates.date_parser import DateMatch, DateParser, get_date_parser
from anaphora.entities.builtin.dates.date_recognizer import load
from anaphora.entities.builtin.dates.operations import Duration, evaluate_duration_range
from anaphora.entities.builtin.dates.operations.durations import duration_seconds
from anaphora.entities.builtin.numbers.number_phrases import (
    Comparison,
    NumberPhrases,
    load_number_phrases,
)
from anaphora.entities.recognizers.recognizer import Mention, TokenizedText, get_text

__all__ = ["DurationRecognizer", "create", "load"]

_SIGNS: Mapping[Comparison, str] = {
    "more": ">", "least": ">=", "less": "<", "most": "<=", "about": "~", "not": "!=",
}  # fmt: skip
_ISO_LETTERS = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "H", "minute": "M"}
_DATE_UNITS = ("year", "month", "week", "day")
_ISO_EQUIVALENTS: Mapping[str, tuple[int, str]] = {
    "century": (100, "year"), "decade": (10, "year"), "quarter": (3, "month"),
    "season": (3, "month"), "weekend": (2, "day"), "night": (1, "day"),
}  # fmt: skip


def create(language: str, options: Mapping[str, Any]) -> DurationRecognizer:
    """A recognizer of durations in texts in ``language``."""
    return DurationRecognizer(get_date_parser(language))


class DurationRecognizer:
    """Finds lengths of time. The value of a mention is the duration as ISO 8601 writes it
    (``PT1H30M``, ``P3D``); its metadata: ``seconds`` (months and years by their average), and
    ``amount`` and ``unit`` of one that has one unit. A range of them (3 to 4 days) is written
    ``P3D..P4D``, and has ``from`` and ``to``, in seconds, and ``unit``. One that is compared has
    a sign (``>=P2D``) and the keys that a number has then."""

    def __init__(self, reader: DateParser) -> None:
        self._reader = reader
        self._wording = load_number_phrases(reader.language)

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        return self.read(get_text(doc))

    def read(self, text: str) -> list[Mention]:
        """The durations in ``text``."""
        found = self._reader.find_durations(text)
        if not found:
            return []
        compare = _ComparisonFinder(text, self._reader, found, self._wording)
        mentions = []
        for start, end, meaning in found:
            try:
                least, most = evaluate_duration_range(meaning)
            except (ValueError, OverflowError):
                continue
            if least == most:
                start, end, comparison = compare(start, end)
                told = _apply_comparison(comparison, _format_iso(most), _build_metadata(most))
            else:
                told = (
                    f"{_format_iso(least)}..{_format_iso(most)}",
                    _build_range_metadata(least, most),
                )
            mentions.append(Mention(start, end, *told))
        return mentions


class _ComparisonFinder:
    """Finds what compares the durations ``found`` in a text. Words of dates and of other durations
    do not ("less than 3 days ago")."""

    def __init__(
        self, text: str, reader: DateParser, found: Sequence[DateMatch], words: NumberPhrases
    ) -> None:
        self._atoms = get_atoms(text, reader.language)
        self._starts = [atom.start for atom in self._atoms]
        self._taken = [(start, end) for start, end, _ in (*reader.find_dates(text), *found)]
        self._words = words

    def __call__(self, start: int, end: int) -> tuple[int, int, Comparison]:
        """Where a duration stands with what compares it, and how that compares."""
        found = self._atoms
        first = bisect_left(self._starts, start)
        inside = self._words.comparisons_before.find_after(found, first)
        if inside is not None and inside[1] != "about" and found[inside[0] - 1].end < end:
            # A unit that is a duration only beside what compares it ("не больше недели").
            whole = self._words.comparisons_before.find_before(found, inside[0])
            assert whole is not None
            return found[whole[0]].start, end, whole[1]
        before = self._words.comparisons_before.find_before(found, first)
        behind = self._words.comparisons_after.find_after(found, bisect_left(self._starts, end))
        if before is not None and self._is_unclaimed(found[before[0]].start, start, end):
            return found[before[0]].start, end, before[1]
        if behind is not None and self._is_unclaimed(end, found[behind[0] - 1].end, start):
            return start, found[behind[0] - 1].end, behind[1]
        return start, end, "plain"

    def _is_unclaimed(self, start: int, end: int, other: int) -> bool:
        """Whether nothing else is found between ``start`` and ``end``, nor reaches out of the
        duration that lies between one of these and ``other``."""
        first, last = min(start, other), max(end, other)
        own = (end, other) if other > end else (other, start)
        return all(
            last <= one or two <= first or (own[0] <= one and two <= own[1])
            for one, two in self._taken
        )


def _apply_comparison(
    comparison: Comparison, value: str, meta: Mapping[str, Any]
) -> tuple[str, Mapping[str, Any]]:
    """The value and the metadata, compared as numbers are."""
    if comparison == "plain":
        return value, meta
    value = _SIGNS[comparison] + value
    if comparison in ("about", "not"):
        return value, {**meta, "comparison": comparison}
    bound, name = ("from", "more") if comparison in ("more", "least") else ("to", "less")
    rest = {key: kept for key, kept in meta.items() if key == "unit"}
    is_included = comparison in ("least", "most")
    return value, {bound: meta["seconds"], f"{bound}incl": is_included, "comparison": name, **rest}


def _total_seconds(amount: Duration) -> int | float:
    return _to_number(duration_seconds(amount))


def _build_metadata(amount: Duration) -> dict[str, Any]:
    meta: dict[str, Any] = {"seconds": _total_seconds(amount)}
    if len(amount) == 1:
        ((n, unit),) = amount
        meta |= {"amount": _to_number(n), "unit": unit}
    return meta


def _build_range_metadata(least: Duration, most: Duration) -> dict[str, Any]:
    meta: dict[str, Any] = {"from": _total_seconds(least), "to": _total_seconds(most)}
    units = {unit for _, unit in (*least, *most)}
    if len(units) == 1:
        meta["unit"] = units.pop()
    return meta


def _format_iso(amount: Duration) -> str:
    """Fractions as decimals, in the unit that was said."""
    dates, times = "", ""
    for n, said in amount:
        factor, unit = _ISO_EQUIVALENTS.get(said, (1, said))
        number = _format_decimal(n * factor)
        if unit in _DATE_UNITS:
            dates += f"{number}{_ISO_LETTERS[unit]}"
        else:
            times += f"{number}{_ISO_LETTERS.get(unit, 'S')}"
    return f"P{dates}" + (f"T{times}" if times else "")


def _format_decimal(n: Fraction) -> str:
    plain = _to_number(n)
    return str(plain) if isinstance(plain, int) else f"{plain:.10g}"


def _to_number(n: Fraction | int) -> int | float:
    return int(n) if n == int(n) else float(n)
