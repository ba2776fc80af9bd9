"""Reads the dates and durations in a text, whatever the time is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from anaphora.entities.atoms import Atom, AtomKind, atoms_of
from anaphora.entities.charts import Item
from anaphora.entities.dates.calendars import calendar_dates
from anaphora.entities.dates.operations import Meaning
from anaphora.entities.dates.tables import Table, table
from anaphora.entities.numbers.numerals import Numeral, numerals

__all__ = ["Found", "Reader", "reader"]

Found: TypeAlias = tuple[int, int, Meaning]
"""Where it stands in the text (half open), and what it means."""

_LONGEST = 60  # atoms that are looked at together; no date is longer
_KEPT = 4096  # islands
_NAMES = ("date", "duration")
_KNOWN_WORDS = 50_000  # remembered words, until all are forgotten
_LONGEST_NUMBER = 6  # digits
_UNKNOWN, _WEAK, _STRONG, _NUMBER = 0, 1, 2, 4  # the last one beside one of the others
_Read: TypeAlias = tuple[tuple[tuple[int, int, Meaning], ...], ...]


@lru_cache(maxsize=128)
def reader(language: str, order: str = "") -> Reader:
    """The reader of a language, which all pipelines share."""
    return Reader(language, order)


class Reader:
    """Finds islands, runs of atoms that dates may consist of, and reads each by the rules.

    An island in which there is nothing but weak words ("in the") is not read; what was read is
    remembered by its atoms.
    """

    def __init__(self, language: str, order: str = "") -> None:
        self._language = language
        self._order = order
        self._grades: dict[str, int] = {}
        self._read = lru_cache(maxsize=_KEPT)(self._read_island)

    def dates(self, text: str) -> list[Found]:
        """The longest dates in their order."""
        return self._found(text, "date")

    def durations(self, text: str) -> list[Found]:
        """The longest durations in their order."""
        return self._found(text, "duration")

    def _found(self, text: str, category: str) -> list[Found]:
        found = atoms_of(text, self._language)
        known = self._grades
        grades = [
            self._grade(atom) if (grade := known.get(atom.text)) is None else grade
            for atom in found
        ]
        strongest = max(grades, default=_UNKNOWN)
        spaced = table(self._language).spaced
        if strongest <= _WEAK and (spaced or not strongest):
            return []
        spoken = self._spoken(found) if strongest >= _NUMBER else frozenset()
        results = []
        for start, end in _islands(grades, spoken):
            is_strong = any(grade & _STRONG for grade in grades[start:end])
            is_strong = is_strong or (not spaced and end - start > 1)
            if not (is_strong or _is_numeric(found, start, end, spoken)):
                continue
            island = tuple([(atom.text, atom.kind, atom.glued) for atom in found[start:end]])
            for first, last, meaning in self._read(island)[_NAMES.index(category)]:
                results.append((found[start + first].start, found[start + last - 1].end, meaning))
        return results

    def _spoken(self, found: Sequence[Atom]) -> AbstractSet[int]:
        """The atoms of numbers in words."""
        numbers = numerals(self._language).words(found)
        return {at for number in numbers for at in range(number.start, number.end)}

    def _grade(self, atom: Atom) -> int:
        """Whether dates may have that atom, whether some consist of it alone, and whether it may
        be a number."""
        if len(self._grades) >= _KNOWN_WORDS:
            self._grades.clear()
        grade = self._grades[atom.text] = self._graded(atom)
        return grade

    def _graded(self, atom: Atom) -> int:
        known = table(self._language)
        text = atom.text
        if atom.kind == "digits":
            return _WEAK | _NUMBER if len(text) <= _LONGEST_NUMBER else _UNKNOWN
        number = _NUMBER if numerals(self._language).words((atom,)) else _UNKNOWN
        if text in known.weak or text in known.between or text in ".,/-":
            return _WEAK | number
        if text in known.words or any(map(text.startswith, known.prefixes)):
            return _STRONG | number
        if text in known.months or text in known.suffixes or text in known.behind:
            return _STRONG | number
        return number

    def _read_island(self, island: tuple[tuple[str, AtomKind, bool], ...]) -> _Read:
        """The longest dates and durations in it, by its atoms."""
        known = table(self._language)
        found = [Atom(text, kind, at, at, glued) for at, (text, kind, glued) in enumerate(island)]
        items = [*_digits(found, known), *_spoken(found, known)]
        items += calendar_dates(found, known, self._order)
        chart = known.rules.read(found, items)
        return tuple(_longest(chart.items(name)) for name in _NAMES)


def _islands(grades: Sequence[int], spoken: AbstractSet[int]) -> Iterator[tuple[int, int]]:
    """The runs of atoms that dates may have, cut where they are too long."""
    start = 0
    for at in range(len(grades) + 1):
        has = at < len(grades) and (grades[at] & (_WEAK | _STRONG) or at in spoken)
        if has and at - start < _LONGEST:
            continue
        if at > start:
            yield start, at
        start = at if has else at + 1


def _is_numeric(found: Sequence[Atom], start: int, end: int, spoken: AbstractSet[int]) -> bool:
    """Whether there is a number beside other words (at 7, in 2024, ten to nine), or one with
    marks inside (1.5.2024)."""
    for at in range(start, end):
        if at in spoken and end - start > 1:
            return True
        if found[at].kind != "digits" or at == start:
            continue
        before = found[at - 1]
        if before.kind == "word":
            return True
        if at > start + 1 and found[at].glued and before.glued:
            return True
    return False


def _longest(items: Sequence[Item]) -> tuple[Found, ...]:
    """Those that do not lie inside another one; of two that overlap the first. Words at their
    ends that change nothing are left out: what they belong to besides ("what's on tomorrow") is
    found as well then."""
    kept: list[Found] = []
    reach = 0
    for item in items:
        if item.start >= reach:
            reach = item.end
            inside = [one for one in items if item.start <= one.start and one.end <= item.end]
            same = [one for one in inside if one.meaning == item.meaning]
            core = min(same, key=lambda one: one.end - one.start)
            kept.append((core.start, core.end, core.meaning))
    return tuple(kept)


def _digits(found: Sequence[Atom], known: Table) -> Iterator[Item]:
    """What numbers in digits may be."""
    for at, atom in enumerate(found):
        if atom.kind != "digits":
            continue
        number, length = int(atom.text), len(atom.text)
        yield Item(at, at + 1, "number", number)
        if length == 4 and atom.text[0] != "0":
            yield Item(at, at + 1, "year", number)
        if length <= 2:
            yield Item(at, at + 1, "day", number)
            yield from _hours(at, at + 1, number, leads=atom.text[0] == "0")
        if length == 2:
            yield Item(at, at + 1, "minute", number)
        yield from _longer(found, at, number, known)


def _longer(found: Sequence[Atom], at: int, number: int, known: Table) -> Iterator[Item]:
    """An ordinal (3rd) or a number with a fraction (2.5)."""
    if at + 1 == len(found) or not found[at + 1].glued:
        return
    behind = found[at + 1]
    if behind.text in known.suffixes:
        for category in ("ordinal", "suffixed", "day"):
            yield Item(at, at + 2, category, number)
    if at + 2 == len(found) or not found[at + 2].glued:
        return
    last = found[at + 2]
    if behind.text in ".," and last.kind == "digits":
        yield Item(at, at + 3, "number", Fraction(f"{number}.{last.text}"))
    if behind.text == "-" and last.text in known.suffixes:
        for category in ("ordinal", "suffixed", "day"):
            yield Item(at, at + 3, category, number)


def _spoken(found: Sequence[Atom], known: Table) -> Iterator[Item]:
    """What numbers in words may be."""
    words = numerals(known.language)
    start = 0
    for at in range(len(found) + 1):
        if at < len(found) and found[at].text not in known.apart:
            continue
        for numeral in words.words(found[start:at]):
            yield from _meant(start + numeral.start, start + numeral.end, numeral)
        start = at + 1


def _meant(start: int, end: int, numeral: Numeral) -> Iterator[Item]:
    number = numeral.value
    yield Item(start, end, "ordinal" if numeral.ordinal else "number", number)
    if not isinstance(number, int):
        return
    yield Item(start, end, "day", number)
    if 1000 <= number < 3000:
        yield Item(start, end, "year", number)
    if numeral.ordinal:
        return
    yield from _hours(start, end, number, leads=False)
    if number < 60:
        yield Item(start, end, "minute", number)


def _hours(start: int, end: int, number: int, *, leads: bool) -> Iterator[Item]:
    if number <= 24:
        yield Item(start, end, "fullhour" if leads else "hour", number)
