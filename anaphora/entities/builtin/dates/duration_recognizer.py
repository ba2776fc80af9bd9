"""The built-in entity ``duration``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from operator import itemgetter
from typing import Any
from unicodedata import category

from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.dates.date_parser import DateParser, get_date_parser
from anaphora.entities.builtin.dates.grammar.date_grammar import load_grammar
from anaphora.entities.builtin.dates.grammar.islands import DateMatch
from anaphora.entities.builtin.dates.named_days.table_cache import keep_tables_in
from anaphora.entities.builtin.dates.operations.durations import (
    Duration,
    duration_seconds,
    evaluate_duration_range,
)
from anaphora.entities.builtin.numbers.number_phrases import (
    Comparison,
    NumberPhrases,
    load_number_phrases,
)
from anaphora.entities.builtin.numbers.number_recognizer import (
    build_range_metadata,
    format_quantity,
    to_json_number,
)
from anaphora.entities.builtin.numbers.quantities.amounts import Quantity
from anaphora.entities.builtin.numbers.quantities.comparisons import apply_comparison
from anaphora.entities.recognizers.recognizer import Mention, TokenizedText, get_text
from anaphora.storage.cache import Cache

__all__ = ["DurationRecognizer", "create", "describe_duration", "load"]

_CURRENCY_BEHIND = re.compile(r"[^\S\n]?(\W)(?![^\S\n]?\d)")
_CURRENCY_BEFORE = re.compile(r"(?<!\d)(?<!\d )([^\w\s])[^\S\n]?\Z")
_ISO_LETTERS = {"year": "Y", "month": "M", "week": "W", "day": "D", "hour": "H", "minute": "M"}
_DATE_UNITS = ("year", "month", "week", "day")
_ISO_EQUIVALENTS: Mapping[str, tuple[int, str]] = {
    "century": (100, "year"), "decade": (10, "year"), "quarter": (3, "month"),
    "season": (3, "month"), "weekend": (2, "day"), "night": (1, "day"),
    "workday": (1, "day"),
}  # fmt: skip


def create(language: str, options: Mapping[str, Any]) -> DurationRecognizer:
    """Create the recognizer of durations in texts in ``language``."""
    return DurationRecognizer(get_date_parser(language), ahead=options.get("ahead", False))


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Load the data of a recognizer through the ``cache``."""
    load_grammar(language, cache)
    keep_tables_in(cache)


class DurationRecognizer:
    """Finds durations.

    The value of a mention is the duration in ISO 8601 (``PT1H30M``, ``P3D``). Its metadata:
    ``seconds`` (months and years have their average length); ``amount`` and ``unit`` of a duration
    in a single unit. A range (3 to 4 days) has the value ``P3D..P4D``, with ``from`` and ``to`` in
    seconds, and ``unit``. A comparison adds a sign (``>=P2D``) and the keys of a compared number.

    ``ahead``: a time ahead that contains no duration is one, too ("in a bit").
    """

    def __init__(self, parser: DateParser, *, ahead: bool = False) -> None:
        self._parser = parser
        self._ahead = ahead
        self._phrases = load_number_phrases(parser.language)

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        text = get_text(doc)
        return self.read(text) or self._find_answer(text)

    def read(self, text: str) -> list[Mention]:
        """The durations in ``text``."""
        found = [one for one in self._parser.find_durations(text) if not _is_money(text, *one[:2])]
        if self._ahead:
            found = sorted((*found, *self._find_times_ahead(text, found)), key=itemgetter(0))
        if not found:
            return []
        atoms = self._parser.get_atoms(text)
        find_comparison = _ComparisonFinder(text, atoms, self._parser, found, self._phrases)
        mentions = []
        for start, end, meaning in found:
            try:
                least, most = evaluate_duration_range(meaning)
            except (ValueError, OverflowError):
                continue
            if least == most:
                start, end, comparison = find_comparison(start, end)
                end = self._parser.find_word_end(atoms, end)
                value, meta = describe_duration(most, comparison)
                if meaning[0] == "more":
                    meta = {**meta, "more": True}
                mentions.append(Mention(start, end, value, meta))
            else:
                end = self._parser.find_word_end(atoms, end)
                value = f"{_format_iso(least)}..{_format_iso(most)}"
                mentions.append(Mention(start, end, value, _build_range_metadata(least, most)))
        return mentions

    def _find_times_ahead(self, text: str, durations: Sequence[DateMatch]) -> Iterator[DateMatch]:
        """The lengths of the times ahead that contain none of the ``durations``."""
        for start, end, meaning in self._parser.find_dates(text):
            match meaning:
                case ("ahead", ("amount", *_) as length):
                    if all(last <= start or end <= first for first, last, _ in durations):
                        yield start, end, length

    def _find_answer(self, text: str) -> list[Mention]:
        """What the whole text is as the answer to "how long?"."""
        answer = self._parser.find_duration_answer(text)
        if answer is None:
            return []
        start, end, meaning = answer
        duration, _ = evaluate_duration_range(meaning)
        return [Mention(start, end, *describe_duration(duration, "plain"), fallback=True)]


def _is_money(text: str, start: int, end: int) -> bool:
    """Whether a currency sign stands beside what may be a duration: 3M€, $3m. One that has a number
    of its own does not count: 3h €5."""
    behind = _CURRENCY_BEHIND.match(text, end)
    before = _CURRENCY_BEFORE.search(text, 0, start)
    return any(found is not None and category(found[1]) == "Sc" for found in (behind, before))


class _ComparisonFinder:
    """Finds the comparisons of the ``durations`` of a text. Words of dates and of other durations
    compare nothing ("less than 3 days ago")."""

    def __init__(
        self,
        text: str,
        atoms: Sequence[Atom],
        parser: DateParser,
        durations: Sequence[DateMatch],
        phrases: NumberPhrases,
    ) -> None:
        self._atoms = atoms
        self._starts = [atom.start for atom in self._atoms]
        dates = [date for date in parser.find_dates(text) if date[-1] != ("never",)]
        self._taken = [(start, end) for start, end, _ in (*dates, *durations)]
        self._phrases = phrases

    def __call__(self, start: int, end: int) -> tuple[int, int, Comparison]:
        """The start and the end of a duration with its comparison, and the comparison."""
        atoms = self._atoms
        first = bisect_left(self._starts, start)
        inside = self._phrases.comparisons_before.find_after(atoms, first)
        if inside is not None and inside[1] != "about" and atoms[inside[0] - 1].end < end:
            # Such a unit is a duration only beside a comparison ("не больше недели").
            whole = self._phrases.comparisons_before.find_before(atoms, inside[0])
            assert whole is not None
            return atoms[whole[0]].start, end, whole[1]
        before = self._phrases.comparisons_before.find_before(atoms, first)
        last = bisect_left(self._starts, end)
        ending = self._phrases.comparisons_after.find_before(atoms, last)
        if ending is not None and first < ending[0]:
            return start, end, ending[1]  # 三日以上, where 三日 alone is a day
        behind = self._phrases.comparisons_after.find_after(atoms, last)
        if before is not None and self._is_unclaimed(atoms[before[0]].start, start, end):
            return atoms[before[0]].start, end, before[1]
        if behind is not None and self._is_unclaimed(end, atoms[behind[0] - 1].end, start):
            return start, atoms[behind[0] - 1].end, behind[1]
        return start, end, "plain"

    def _is_unclaimed(self, start: int, end: int, other: int) -> bool:
        """Whether no date or duration overlaps ``start`` to ``end``, unless it lies within the
        duration between one of the two and ``other``."""
        first, last = min(start, other), max(end, other)
        own = (end, other) if other > end else (other, start)
        return all(
            last <= one or two <= first or (own[0] <= one and two <= own[1])
            for one, two in self._taken
        )


def describe_duration(
    duration: Duration, comparison: Comparison = "plain"
) -> tuple[str, Mapping[str, Any]]:
    """The value and the metadata of a duration; a comparison is that of its seconds."""
    plain = Quantity(0, 0, "cardinal", None, duration_seconds(duration))
    compared = apply_comparison(plain, 0, 0, comparison)
    value = format_quantity(compared, lambda _: _format_iso(duration))
    meta: dict[str, Any] = {} if compared.value is None else {"seconds": _total_seconds(duration)}
    if len(duration) == 1:
        ((n, meta["unit"]),) = duration
        if compared.value is not None:
            meta["amount"] = to_json_number(n)
    return value, {**meta, **build_range_metadata(compared)}


def _total_seconds(duration: Duration) -> int | float:
    return to_json_number(duration_seconds(duration))


def _build_range_metadata(least: Duration, most: Duration) -> dict[str, Any]:
    meta: dict[str, Any] = {"from": _total_seconds(least), "to": _total_seconds(most)}
    units = {unit for _, unit in (*least, *most)}
    if len(units) == 1:
        meta["unit"] = units.pop()
    return meta


def _format_iso(duration: Duration) -> str:
    """Format a duration in ISO 8601, in its own units, fractions as decimals."""
    dates, times = "", ""
    for n, name in duration:
        factor, unit = _ISO_EQUIVALENTS.get(name, (1, name))
        number = _format_decimal(n * factor)
        if unit in _DATE_UNITS:
            dates += f"{number}{_ISO_LETTERS[unit]}"
        else:
            times += f"{number}{_ISO_LETTERS.get(unit, 'S')}"
    return f"P{dates}" + (f"T{times}" if times else "")


def _format_decimal(n: Fraction) -> str:
    plain = to_json_number(n)
    return str(plain) if isinstance(plain, int) else f"{plain:.10g}"
