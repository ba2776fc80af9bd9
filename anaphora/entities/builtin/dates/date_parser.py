"""Parse time expressions in texts, without resolving them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import TypeAlias

from anaphora.entities.builtin.atoms import Atom, AtomKind, get_atoms
from anaphora.entities.builtin.chart_parser import Chart, Item
from anaphora.entities.builtin.dates.absolute_dates import find_absolute_dates
from anaphora.entities.builtin.dates.coordination.completion import Coordination
from anaphora.entities.builtin.dates.coordination.joined_hours import JoinedHours
from anaphora.entities.builtin.dates.coordination.listed_days import (
    FollowingDays,
    expand_weekdays,
    find_listed_days,
)
from anaphora.entities.builtin.dates.disambiguation.ambiguous_names import (
    AmbiguousName,
    AmbiguousNameFinder,
)
from anaphora.entities.builtin.dates.disambiguation.misspelt_date_names import MisspeltDateNames
from anaphora.entities.builtin.dates.disambiguation.non_date_names import NonDateNames
from anaphora.entities.builtin.dates.disambiguation.non_date_numbers import (
    NonDateNumbers,
    PlainNumbers,
)
from anaphora.entities.builtin.dates.disambiguation.short_dates import ShortDateFinder
from anaphora.entities.builtin.dates.grammar.date_grammar import (
    DATE_TABLES,
    load_grammar,
)
from anaphora.entities.builtin.dates.grammar.islands import DateMatch, Island, select_matches
from anaphora.entities.builtin.dates.grammar.number_items import find_number_items
from anaphora.entities.builtin.dates.grammar.word_endings import WordSplitter
from anaphora.entities.builtin.dates.named_days.day_names import NameFinder, NameMatch
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.words.function_words import load_stop_words
from anaphora.entities.words.scripts import is_hangul
from anaphora.storage.forks import LazyProperty

__all__ = ["DateParser", "get_date_parser"]

_MAX_ISLAND_ATOMS = 40  # no date is longer
_MAX_ANSWER_ATOMS, _MAX_CACHED_LENGTH = 20, 200
_CACHED_ISLANDS, _CACHED_TEXTS = 4096, 256
# The grades of atoms as bytes; an atom without a grade is part of no date.
_ISLAND = re.compile(rb"[^\0]{1,%d}" % _MAX_ISLAND_ATOMS)
_MAX_HOURS_ATOMS = 10  # from 9:30 am to 12:15 pm
_MAX_CACHED_WORDS = 50_000
_MAX_WORD_LETTERS = 60  # of a cached word
_MAX_NUMBER_DIGITS = 6
# The last three are flags beside the others: it may be a number, it may begin the name of a day, it
# may be a misspelt weekday or month.
_UNKNOWN, _WEAK, _STRONG, _NUMBER, _NAME, _MISSPELT = 0, 1, 2, 4, 8, 16
_MAX_EDGES = 20_000  # of all charts of a text, some 0.1 s; dates behind that are not found


_AtomRun: TypeAlias = tuple[tuple[str, AtomKind, bool], ...]
"""The texts and kinds of some atoms, and whether each is glued to the one before it."""


@lru_cache(maxsize=128)
def get_date_parser(language: str, order: str = "", countries: tuple[str, ...] = ()) -> DateParser:
    """The shared parser of a language; ``order`` is that of day, month and year (``DMY``), if not
    the one of the language. It knows the official days of the ``countries``."""
    return DateParser(language, order, countries)


class DateParser:
    """Finds islands, runs of atoms that may form dates, and parses each by the date grammar.

    An island of weak words only ("in the") is not parsed. Parsed islands are cached by their
    atoms. The parser is thread-safe.
    """

    tables = DATE_TABLES

    def __init__(self, language: str, order: str = "", countries: tuple[str, ...] = ()) -> None:
        self.language = language
        self._order = order
        self._grammar = load_grammar(language, tables=self.tables)  # now, not during a question
        self._countries = countries
        self.ambiguous_names = AmbiguousNameFinder(language, self._grammar)
        self._non_date_numbers = NonDateNumbers(language, self._grammar)
        self._non_date_names = NonDateNames(language, self._grammar)
        self._misspelt_date_names = MisspeltDateNames(language, self._grammar)
        self._coordination = Coordination(
            self._split_words(self._grammar.conjunctions),
            self._split_words(self._grammar.prepositions | self._grammar.articles),
            self._grammar.weak,
            self._parse_chart,
        )
        self._joined_hours = JoinedHours(
            self._grammar.conjunctions, self._grammar.prepositions, self._read_clock
        )
        self._following_days = FollowingDays(
            self._grammar.conjunctions,
            self._grammar.ordinal_suffixes,
            load_stop_words(language),
        )
        self._short_dates = ShortDateFinder(language, self._grammar, order)
        self._plain_numbers = PlainNumbers(language, self._grammar)
        self._moving_words = tuple(self._grammar.moving_words)
        self._grades: dict[str, int] = {}
        self._has_spaces = self._grammar.has_spaces
        self._has_endings = bool(self._grammar.endings)
        splits = self._has_endings or self._grammar.plain_letters
        self._splitter = self._create_splitter() if splits else None
        self._has_whole_words = self._has_spaces and not self._has_endings
        self._parse_island_cached = lru_cache(maxsize=_CACHED_ISLANDS)(self._parse_island)
        self._parse_answer_cached = lru_cache(maxsize=_CACHED_ISLANDS)(self._parse_answer)
        self._find_dates_cached = lru_cache(maxsize=_CACHED_TEXTS)(self._find_dates)
        self._find_answer_cached = lru_cache(maxsize=_CACHED_TEXTS)(self._find_answer)
        # For the recognizers that look at the same long text one after the other.
        self._find_dates_in_long = lru_cache(maxsize=2)(self._find_dates)
        self._split_atoms_cached = lru_cache(maxsize=2)(self._split_atoms)

    def _create_splitter(self) -> WordSplitter:
        grammar = self._grammar
        marked = {*grammar.words, *grammar.months, *grammar.marked_words}
        return WordSplitter(
            grammar.endings, grammar.openings, grammar.plain_letters, marked, self._is_word
        )

    def _is_word(self, atom: Atom) -> bool:
        """Whether a word may have endings of dates behind it. Where endings are particles, names of
        days may; elsewhere a name has its own cases."""
        in_name = is_hangul(atom.text) and self._day_names.has_word(atom.text)
        return in_name or bool(self._grade_word(atom))

    def get_atoms(self, text: str) -> Sequence[Atom]:
        """The atoms of ``text``, endings by themselves in a language that has some, and letters
        with their marks."""
        if self._splitter is None:
            return get_atoms(text, self.language)
        return self._split_atoms_cached(text)

    def _split_atoms(self, text: str) -> Sequence[Atom]:
        assert self._splitter is not None
        atoms = get_atoms(text, self.language)
        names: dict[int, int] = {}
        if any(self._day_names.may_begin(atom.text) for atom in atoms):
            for start, end, _ in self._day_names.find(atoms):
                names[start] = max(end, names.get(start, 0))
        found: list[Atom] = []
        at = 0
        while at < len(atoms):
            end = names.get(at, at)
            found += self._cut_name(atoms[at:end]) if end > at else self._splitter.split(atoms[at])
            at = max(end, at + 1)
        return found

    def _cut_name(self, name: Sequence[Atom]) -> Sequence[Atom]:
        """The name of a day, its ending by itself: *anneler günü* and *nden*."""
        assert self._splitter is not None
        *before, last = name
        for stem, ending in self._splitter.cut(last):
            ends = [end for start, end, _ in self._day_names.find((*before, stem)) if not start]
            if len(name) in ends:
                return *before, stem, ending
        return name

    @LazyProperty
    def _day_names(self) -> NameFinder:
        return NameFinder(self.language, self._countries)  # with the first text

    def find_dates(self, text: str) -> list[DateMatch]:
        """The longest dates, in the order of the text."""
        is_long = len(text) > _MAX_CACHED_LENGTH
        find = self._find_dates_in_long if is_long else self._find_dates_cached
        return list(find(text))

    def _find_dates(self, text: str) -> list[DateMatch]:
        is_move = self.is_move(text)
        found = self._find_with_endings(
            text, lambda island: island.moved if is_move else island.dates
        )
        if any(meaning[0] in PlainNumbers.OPERATIONS for *_, meaning in found):
            found = list(self._plain_numbers.select(found, self.get_atoms(text)))
        if self._has_spaces and found:
            atoms = self.get_atoms(text)
            found = list(self._joined_hours.add(found, atoms))
            found = list(self._following_days.add(found, atoms))
        return found if len(found) <= 1 else self._complete_joined(found, text)

    def find_with_names(self, text: str) -> list[AmbiguousName]:
        """The longest dates, in the order of the text, and those whose names are other words,
        too."""
        dates = [AmbiguousName(*date, fallback=False) for date in self.find_dates(text)]
        names = self.ambiguous_names.find(text, [date[:3] for date in dates])
        names += self._short_dates.find(text, self.get_atoms(text), dates)
        if not names:
            return dates
        found = sorted([*dates, *names])
        found = list(self._place_hours(found, self.get_atoms(text)))
        if len(found) > 1:
            completed = self._complete_joined([one[:3] for one in found], text)
            found = [
                one._replace(meaning=meaning)
                for one, (*_, meaning) in zip(found, completed, strict=True)
            ]
        return found

    def _place_hours(
        self, found: Iterable[AmbiguousName], atoms: Sequence[Atom]
    ) -> Iterator[AmbiguousName]:
        """The dates, and a weekday and the hours right behind it as one: Wed from 9 to 12."""
        left = list(found)
        while left:
            one = left.pop(0)
            behind = bisect_left(atoms, one.end, key=attrgetter("start"))
            following = left[0] if left else None
            if one.meaning[0] != "weekday" or behind == len(atoms):
                yield one
                continue
            hours: tuple[int, TimeExpression] | None = None
            if following is None or atoms[behind].start < following.start:
                limit = atoms[-1].end if following is None else following.start
                hours = self._find_hours(atoms[behind : behind + _MAX_HOURS_ATOMS], limit)
            elif following.meaning[0] in ("clock", "times"):
                hours = left.pop(0)[1:3]
            if hours is not None:
                end, (name, *times) = hours
                placed = "at" if name == "clock" else "at_times", one.meaning, *times
                one = one._replace(end=end, meaning=placed)
            yield one

    def _find_hours(self, atoms: Sequence[Atom], limit: int) -> tuple[int, TimeExpression] | None:
        """The hours that some atoms begin with, no further than the ``limit``, and their end."""
        if not any(atom.kind == "digits" for atom in atoms):
            return None
        spans = [
            (atoms[one.end - 1].end, ("times", *one.meaning))
            for one in self._parse_chart(atoms).items("fromhours")
            if not one.start and atoms[one.end - 1].end <= limit
        ]
        return max(spans, default=None)

    def _read_clock(self, atom: Atom) -> TimeExpression | None:
        """The time that an atom is as a whole answer."""
        found = self._parse_answer_cached(((atom.text, atom.kind, False),), "answer")
        return found[2] if found is not None and found[2][0] == "clock" else None

    def is_move(self, text: str) -> bool:
        """Whether a text is about moving something from one day to another."""
        moving = self._moving_words
        return (
            any(atom.text.startswith(moving) for atom in self.get_atoms(text)) if moving else False
        )

    def _split_words(self, words: Iterable[str]) -> list[str]:
        """The words with a blank between the atoms of each."""
        return [" ".join([atom.text for atom in get_atoms(one, self.language)]) for one in words]

    def _complete_joined(self, dates: Sequence[DateMatch], text: str) -> list[DateMatch]:
        """The dates, each with what those that it is joined to say for it."""
        atoms = self._correct_spelling(text, self.get_atoms(text))
        placed = [
            (
                bisect_left(atoms, start, key=attrgetter("start")),
                bisect_left(atoms, end, key=attrgetter("start")),
                meaning,
            )
            for start, end, meaning in dates
        ]
        completed = self._coordination.complete(atoms, placed)
        return [
            (start, end, meaning)
            for (start, end, _), (*_, meaning) in zip(dates, completed, strict=True)
        ]

    def find_durations(self, text: str) -> list[DateMatch]:
        """The longest durations, in the order of the text, without endings of their last words that
        may belong to what follows (bir hafta|dan fazla)."""
        return self._find_matches(text, lambda island: island.durations)

    def find_word_end(self, atoms: Sequence[Atom], end: int) -> int:
        """The end of the word at whose end, or before whose endings, the offset ``end`` is."""
        if self._splitter is None:
            return end
        behind = bisect_left(atoms, end, key=attrgetter("start"))
        return atoms[self._splitter.find_end(atoms, behind) - 1].end if behind else end

    def find_answer(self, text: str) -> DateMatch | None:
        """What the whole text is as the answer to a question about a date (7, 2/15, morning): words
        and numbers that mean something else in a longer text."""
        return self._find_answer_in(text, "answer")

    def find_duration_answer(self, text: str) -> DateMatch | None:
        """What the whole text is as the answer to "how long?" (неделя): a unit alone, in a language
        without articles."""
        return self._find_answer_in(text, "lengthanswer")

    def _find_answer_in(self, text: str, category: str) -> DateMatch | None:
        if len(text) > _MAX_CACHED_LENGTH:
            return None
        return self._find_answer_cached(text, category)

    def _find_answer(self, text: str, category: str) -> DateMatch | None:
        atoms = self.get_atoms(text)
        if len(atoms) > _MAX_ANSWER_ATOMS:
            return None
        first, last = self.ambiguous_names.strip_courtesy(atoms)
        grades = [self._grade(atom) for atom in atoms[first:last]]
        if not all(grades) or (max(grades, default=_UNKNOWN) <= _WEAK and self._has_spaces):
            return None
        island = tuple([(atom.text, atom.kind, atom.glued) for atom in atoms[first:last]])
        found = self._parse_answer_cached(island, category)
        if found is None:
            return None
        start, end, meaning = found
        last = atoms[first + end - 1].end
        return atoms[first + start].start, self.find_word_end(atoms, last), meaning

    def _find_with_endings(
        self, text: str, select: Callable[[Island], Iterable[DateMatch]]
    ) -> list[DateMatch]:
        """The matches with the endings of their last words."""
        found = self._find_matches(text, select)
        if not (found and self._has_endings):
            return found
        atoms = self.get_atoms(text)
        return [(start, self.find_word_end(atoms, end), meaning) for start, end, meaning in found]

    def _find_matches(
        self, text: str, select: Callable[[Island], Iterable[DateMatch]]
    ) -> list[DateMatch]:
        return [
            (atoms[start + first].start, atoms[start + last - 1].end, meaning)
            for atoms, start, island in self._parse_islands(text)
            for first, last, meaning in select(island)
            if not (self._has_whole_words and self._cuts_word(atoms, start + first, start + last))
        ]

    def _cuts_word(self, atoms: Sequence[Atom], start: int, end: int) -> bool:
        """Whether letters or digits other than a weak word (19:00|h) go on before or behind some
        atoms, without a blank: 3a of 7f3a9e."""
        weak = self._grammar.weak
        beside = []
        if start and atoms[start].glued:
            beside.append(atoms[start - 1])
        if end < len(atoms) and atoms[end].glued:
            beside.append(atoms[end])
        return any(atom.kind != "mark" and atom.text not in weak for atom in beside)

    def _parse_islands(self, text: str) -> Iterator[tuple[Sequence[Atom], int, Island]]:
        """The islands of a text, each with all atoms and its start among them."""
        # Most texts have no date: 2 µs for nine words, if their atoms are cached.
        atoms = self.get_atoms(text)
        known = self._grades
        try:
            grades = bytes([known[atom.text] for atom in atoms])
        except KeyError:
            grades = bytes([self._grade(atom) for atom in atoms])
        if max(grades, default=_UNKNOWN) >= _MISSPELT:
            atoms = self._correct_spelling(text, atoms)
            grades = bytes([self._grade(atom) & ~_MISSPELT for atom in atoms])
        if "'" in text or "’" in text:
            grades = _grade_apostrophe_words(atoms, grades)
        names: list[NameMatch] = []
        if self._has_endings or max(grades, default=_UNKNOWN) >= _NAME:
            names = self._find_names(text, atoms)
            grades = _grade_names(grades, names)
        spaced = self._grammar.has_spaces
        if max(grades, default=_UNKNOWN) <= (_WEAK if spaced else _UNKNOWN):
            return
        if self._grammar.zone_words and (
            not self._grammar.zone_words.isdisjoint([atom.text for atom in atoms])
        ):
            grades = self._grade_zone_places(atoms, grades)
        grades = self._non_date_numbers.remove(text, atoms, grades)
        grades = self._non_date_names.remove(text, atoms, grades)
        edges = 0
        for match in _ISLAND.finditer(grades):
            start, end = match.span()
            if max(match.group()) <= _WEAK and (spaced or end == start + 1):
                continue
            island = tuple([(atom.text, atom.kind, atom.glued) for atom in atoms[start:end]])
            inside = tuple(
                [
                    (first - start, last - start, name)
                    for first, last, name in names
                    if start <= first and last <= end
                ]
            )
            read = self._parse_island_cached(island, inside)
            yield atoms, start, read
            edges += read.edges
            if edges > _MAX_EDGES:
                return

    def _find_names(self, text: str, atoms: Sequence[Atom]) -> list[NameMatch]:
        """The named days, by the atoms. A name may be written with an ending inside (kadınlar
        *günü*) that is an atom here."""
        found = self._day_names.find(atoms)
        if not self._has_endings:
            return found
        whole = get_atoms(text, self.language)
        starts = {atom.start: at for at, atom in enumerate(atoms)}
        ends = {atom.end: at for at, atom in enumerate(atoms, 1)}
        written = [
            (starts[whole[first].start], ends[whole[last - 1].end], name)
            for first, last, name in self._day_names.find(whole)
        ]
        return list(dict.fromkeys([*written, *found]))

    def _grade_zone_places(self, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """Grade the cities of time zones as words of dates."""
        places = self._grammar.zone_places
        return bytes(
            [
                grade or (_WEAK if atom.text in places else _UNKNOWN)
                for atom, grade in zip(atoms, grades, strict=True)
            ]
        )

    def find_corrections(self, date: str) -> Iterator[tuple[str, str]]:
        """The misspelt words of a date, each with the one that it is read as."""
        atoms = self.get_atoms(date)
        for one, corrected in zip(atoms, self._correct_spelling(date, atoms), strict=True):
            if one.text != corrected.text:
                yield date[one.start : one.end], corrected.text

    def _correct_spelling(self, text: str, atoms: Sequence[Atom]) -> Sequence[Atom]:
        """The atoms with the weekdays and months that misspelt ones are meant for."""
        if not any(self._grade(atom) & _MISSPELT for atom in atoms):
            return atoms
        return self._misspelt_date_names.correct(text, atoms)

    def _grade(self, atom: Atom) -> int:
        """The grade of an atom: whether a date may contain it, whether it may be a date by itself,
        and whether it may be a number."""
        if (grade := self._grades.get(atom.text)) is not None:
            return grade
        grade = self._compute_grade(atom)
        if len(atom.text) <= _MAX_WORD_LETTERS:
            if len(self._grades) >= _MAX_CACHED_WORDS:
                self._grades.clear()
            self._grades[atom.text] = grade
        return grade

    def _compute_grade(self, atom: Atom) -> int:
        name = _NAME if self._day_names.may_begin(atom.text) else _UNKNOWN
        grade = self._grade_word(atom)
        if not grade and atom.kind == "word" and self._misspelt_date_names.find(atom.text):
            grade = _MISSPELT
        return grade | name

    def _grade_word(self, atom: Atom) -> int:
        grammar = self._grammar
        text = atom.text
        if atom.kind == "digits":
            return _WEAK | _NUMBER if len(text) <= _MAX_NUMBER_DIGITS else _UNKNOWN
        if self._grammar.measured_words.may_be(text):
            return _STRONG
        number = _NUMBER if get_numeral_reader(self.language).find_in_words((atom,)) else _UNKNOWN
        if text in grammar.weak or text in grammar.connectors or text in ".,/-":
            return _WEAK | number
        if text in grammar.words or text.startswith(grammar.prefixes):
            return _STRONG | number
        if (
            text in grammar.months
            or text in grammar.ordinal_suffixes
            or text in grammar.year_suffixes
        ):
            return _STRONG | number
        return number

    def _parse_answer(self, island: _AtomRun, category: str) -> DateMatch | None:
        """The longest answer, with nothing but prepositions and marks beside it."""
        found = _to_atoms(island)
        items = self._parse_chart(found).items(category)
        if not items:
            return None
        item = min(items, key=lambda item: (item.start - item.end, item.start))
        beside = [*found[: item.start], *found[item.end :]]
        known = self._grammar.prepositions
        if not all(atom.kind == "mark" or atom.text in known for atom in beside):
            return None
        return item.start, item.end, item.meaning

    def _parse_chart(self, atoms: Sequence[Atom], names: Iterable[NameMatch] = ()) -> Chart:
        grammar = self._grammar
        items = [Item(start, end, "holiday", meaning) for start, end, meaning in names]
        items += find_number_items(atoms, grammar)
        items += find_absolute_dates(atoms, grammar, self._order)
        return grammar.rules.parse(atoms, items)

    def _parse_island(self, island: _AtomRun, names: tuple[NameMatch, ...]) -> Island:
        """The longest dates and durations of an island, in which there are ``names`` of days;
        offsets count its atoms."""
        grammar = self._grammar
        found = _to_atoms(island)
        grades = [self._grade(atom) for atom in found]
        if (
            grammar.has_spaces
            and not names
            and not any(grade & _STRONG for grade in grades)
            and not _is_numeric(found)
            # ten to nine
            and not (len(found) > 1 and get_numeral_reader(self.language).find_in_words(found))
        ):
            return Island()
        is_weak = [
            atom.text in grammar.weak
            and not _is_joined(found, at)
            and not (grammar.has_spaces and _is_suffix(found, at))
            for at, atom in enumerate(found)
        ]
        chart = self._parse_chart(found, names)
        read = self._select(chart, is_weak)
        dates = read.dates if self._has_spaces else tuple(expand_weekdays(chart, read.dates))
        listed = find_listed_days(found, chart, dates, grammar.conjunctions, grammar.weak)
        return read._replace(dates=tuple(listed))

    def _select(self, chart: Chart, is_weak: Sequence[bool]) -> Island:
        """What is found on the chart of an island; another grammar has more to find."""
        return select_matches(chart, is_weak)


def _to_atoms(island: _AtomRun) -> list[Atom]:
    return [Atom(text, kind, at, at, glued) for at, (text, kind, glued) in enumerate(island)]


def _grade_apostrophe_words(atoms: Sequence[Atom], grades: bytes) -> bytes:
    """Grade both sides of an apostrophe as a possible number (п'ять)."""
    joined = bytearray(grades)
    for at in range(1, len(atoms) - 1):
        if atoms[at].text in "'’" and atoms[at].glued and atoms[at + 1].glued:
            for side in (at - 1, at, at + 1):
                joined[side] = joined[side] or _WEAK | _NUMBER
    return bytes(joined)


def _grade_names(grades: bytes, names: Iterable[NameMatch]) -> bytes:
    """Grade the names of days as parts of dates."""
    graded = bytearray([grade & ~_NAME for grade in grades])
    for start, end, _ in names:
        for at in range(start, end):
            graded[at] |= _STRONG
    return bytes(graded)


def _is_numeric(atoms: Sequence[Atom]) -> bool:
    """Whether there is a number in digits behind a word (at 7, in 2024), or one with punctuation
    inside (1.5.2024), with blanks behind a year (2024. 5. 1.) or before it (1 . 5 . 2024)."""
    for at in range(1, len(atoms)):
        before = atoms[at - 1]
        is_inside = at > 1 and before.glued and (atoms[at].glued or len(atoms[at - 2].text) == 4)
        is_year = at > 3 and len(atoms[at].text) == 4 and before.text == atoms[at - 3].text
        if atoms[at].kind == "digits" and (before.kind == "word" or is_inside or is_year):
            return True
    return False


def _is_joined(atoms: Sequence[Atom], at: int) -> bool:
    """Whether an atom is written as one with the next one: ה-24, ב5."""
    following = atoms[at + 1] if at + 1 < len(atoms) else None
    if following is None or not following.glued:
        return False
    if atoms[at].text == "-":
        return at > 0 and atoms[at].glued and atoms[at - 1].kind == "word"
    return atoms[at].kind == "word" and following.kind == "digits"


def _is_suffix(atoms: Sequence[Atom], at: int) -> bool:
    """Whether a word is written as one with the digits before it: 24e, 20h."""
    return (
        at > 0 and atoms[at].glued and atoms[at].kind == "word" and atoms[at - 1].kind == "digits"
    )
