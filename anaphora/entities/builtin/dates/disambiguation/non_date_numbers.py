"""Tell words and numbers that belong to a name or a noun from those of dates: 12 Baker Street, the
3rd candidate, lost 5 to 4, from 9 to 18 euros, 7時2名, Anna Niedziela."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import TypeAlias

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.dates.grammar.date_grammar import DateGrammar
from anaphora.entities.builtin.dates.operations.registry import TimeExpression
from anaphora.entities.builtin.numbers.number_phrases import load_number_phrases
from anaphora.entities.builtin.numbers.numerals.numeral_reader import get_numeral_reader
from anaphora.entities.words.function_words import load_courtesy_phrases, load_stop_words
from anaphora.entities.words.normalization import base_code, create_normalizer

__all__ = ["PLAIN_OPERATIONS", "NonDateNumbers", "PlainNumbers"]

_Match: TypeAlias = tuple[int, int, TimeExpression]

_MAX_NAME_WORDS = 4  # of a street, with the word for it
_NO_NOUN_ENDINGS = ("s", "ly")  # the 3rd works, the 3rd preferably
_MARKS_BEHIND_HOURS = frozenset(".,;:!?…)")
_MAX_CASE_ENDING = 4  # letters
_MOST_NUMERAL_ATOMS = 8
_MAX_SCORE_ATOMS = 8  # from a word for winning or losing to the numbers
_LEAST_MINUTE = 5  # of what is a minute in words, before a noun
_MIN_RUN = 4  # numbers with blanks between them: 12 05 2019 33
_MIN_PHONE_RUN, _MIN_PHONE_GROUP = 3, 3  # 06 1234 5678; a second number of so many digits
_YEAR_DIGITS = 4


class NonDateNumbers:
    """Finds numbers in texts of a language that are no parts of dates."""

    def __init__(self, language: str, grammar: DateGrammar) -> None:
        self._street_words = grammar.street_words
        self._articles = grammar.articles
        self._suffixes = grammar.ordinal_suffixes
        self._hour_words = grammar.hour_words
        self._pronouns, self._choosing = grammar.pronouns, grammar.choosing_words
        self._first_names = tuple(grammar.first_names)
        self._date_words = grammar.words
        self._has_capital_nouns = base_code(language) == "de"
        self._prepositions = grammar.prepositions
        self._words = frozenset(map(create_normalizer(language), load_stop_words(language)))
        self._counters = grammar.counters
        self._endings = grammar.endings
        self._number_breaks = grammar.number_breaks
        self._scores, self._separators = grammar.score_words, grammar.score_separators
        self._days = frozenset({*grammar.names, *grammar.near_days})
        self._weak = grammar.weak
        self._numerals = get_numeral_reader(language)

    def remove(self, text: str, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The ``grades`` of the atoms with 0, no part of a date, for such words and numbers."""
        if self._first_names:
            grades = self._remove_surnames(text, atoms, grades)
        if self._counters:
            grades = self._remove_counted(atoms, grades)
        if [atom.kind for atom in atoms].count("digits") >= _MIN_PHONE_RUN:
            grades = _remove_runs(atoms, grades)
        if self._has_capital_nouns:
            grades = self._remove_ordinals(text, atoms, grades)
        if not self._hour_words.isdisjoint([atom.text for atom in atoms]):
            grades = self._remove_articles(atoms, grades)
        if not self._scores.isdisjoint([atom.text for atom in atoms]):
            grades = self._remove_scores(atoms, grades)
        if not (self._street_words or self._articles):
            return grades
        texts = [atom.text for atom in atoms]
        if not self._pronouns.isdisjoint(texts):
            grades = self._remove_pronouns(texts, grades)
        has_street = not self._street_words.isdisjoint(texts)
        has_ordinal = bool(self._articles) and not self._suffixes.isdisjoint(texts)
        if not (has_street or has_ordinal):
            return grades
        graded = bytearray(grades)
        for at, atom in enumerate(atoms):
            if atom.kind != "digits":
                continue
            is_ordinal = self._is_glued_suffix(atoms, at + 1)
            behind = at + 1 + is_ordinal
            if (has_street and self._is_street(text, atoms, grades, behind)) or (
                is_ordinal and self._is_counted(text, atoms, grades, at)
            ):
                graded[at:behind] = bytes(behind - at)
        return bytes(graded)

    def _remove_scores(self, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The grades without the two numbers of a score or a ratio, with a word for it before or
        right behind them: lost 5 to 4, 10 to 6 odds. A unit behind them makes them a time: lost 5
        to 10 minutes ago."""
        graded = bytearray(grades)
        said = [at for at, atom in enumerate(atoms) if atom.text in self._scores]
        for at in range(1, len(atoms) - 1):
            if atoms[at].text not in self._separators:
                continue
            start, end = at - 1, at + 2
            is_scored = any(start - _MAX_SCORE_ATOMS <= one < start or one == end for one in said)
            if not (is_scored and all(map(self._is_number, (atoms[start], atoms[at + 1])))):
                continue
            if end == len(atoms) or not grades[end] or self._may_follow_score(atoms[end]):
                graded[start:end] = bytes(end - start)
        return bytes(graded)

    def _is_number(self, atom: Atom) -> bool:
        return atom.kind == "digits" or bool(self._numerals.find_in_words((atom,)))

    def _may_follow_score(self, atom: Atom) -> bool:
        """Whether an atom of a date may stand behind a score: a day, or what stands before one; or
        another score."""
        return (
            atom.kind != "word"
            or atom.text in self._weak
            or atom.text in self._prepositions
            or atom.text in self._days
            or atom.text in self._scores
        )

    def _remove_articles(self, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The grades without small numerals in words behind an hour and before a noun: German *15
        Uhr ein Taxi*."""
        graded = bytearray(grades)
        for at in range(2, len(atoms) - 1):
            word, noun = atoms[at], atoms[at + 1]
            if not grades[at] or word.kind != "word" or grades[at + 1] or noun.kind != "word":
                continue
            if noun.text in self._words or not self._is_number(atoms[at - 2]):
                continue
            if atoms[at - 1].text in self._hour_words and self._is_small(word):
                graded[at] = 0
        return bytes(graded)

    def _is_small(self, word: Atom) -> bool:
        found = self._numerals.find_in_words((word,))
        return bool(found) and found[0].value < _LEAST_MINUTE

    def _remove_counted(self, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The grades without the numbers that count something: the 2 of 7時2名 is no minute."""
        graded = bytearray(grades)
        for at in range(1, len(atoms)):
            pair = "".join(atom.text for atom in atoms[at : at + 2])  # Chinese 4 个人
            is_counter = self._is_counter(atoms[at].text) or pair in self._counters
            if not graded[at - 1] or not is_counter:
                continue
            if atoms[at - 1].kind == "digits":
                graded[at - 1] = 0
                continue
            start = max(0, at - _MOST_NUMERAL_ATOMS)
            for before in range(start, at):
                start = before + 1 if atoms[before].text in self._number_breaks else start
            found = self._numerals.find_in_words(atoms[start:at])
            if found and start + found[-1].end == at:
                first = start + found[-1].start
                graded[first:at] = bytes(at - first)
        return bytes(graded)

    def _is_counter(self, word: str) -> bool:
        """Whether a word is what numbers count, with a particle or without one."""
        if word in self._counters or word in self._date_words:
            return word in self._counters
        return any(
            word[:end] in self._counters and word[end:] in self._endings
            for end in range(1, len(word))
        )

    def _remove_pronouns(self, texts: Sequence[str], grades: bytes) -> bytes:
        """The grades without numerals that stand for a thing, before another part of the sentence:
        the second *one* to 2 pm, but not the one o'clock train."""
        graded = bytearray(grades)
        for at in range(1, len(texts) - 1):
            if texts[at] in self._pronouns and texts[at + 1] in self._words:
                before = texts[at - 1]
                if before in self._choosing or before in self._suffixes:
                    graded[at] = 0
        return bytes(graded)

    def _remove_surnames(self, text: str, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The grades without capitalized words behind a first name or a title, in a language that
        writes weekdays and months small."""
        graded = bytearray(grades)
        for at, (before, atom) in enumerate(pairwise(atoms), 1):
            if atom.glued or atom.text not in self._date_words or not self._is_first_name(before):
                continue
            if text[atom.start].isupper() and not text[before.end - 1].isupper():
                graded[at] = 0
        return bytes(graded)

    def _remove_ordinals(self, text: str, atoms: Sequence[Atom], grades: bytes) -> bytes:
        """The grades without ordinals in words behind a preposition and before a noun, in a
        language that writes nouns with a capital: am zweiten Tisch."""
        graded = bytearray(grades)
        for at in range(1, len(atoms) - 1):
            if atoms[at - 1].text not in self._prepositions or atoms[at].kind != "word":
                continue
            noun = atoms[at + 1]
            is_noun = noun.kind == "word" and not grades[at + 1] and text[noun.start].isupper()
            if is_noun and any(one.ordinal for one in self._numerals.find_in_words((atoms[at],))):
                graded[at] = 0
        return bytes(graded)

    def _is_first_name(self, atom: Atom) -> bool:
        """Whether an atom is a first name with a case ending, or a title."""
        word, shortest = atom.text, len(atom.text) - _MAX_CASE_ENDING
        return word.startswith(self._first_names) and any(
            word.startswith(name) for name in self._first_names if len(name) >= shortest
        )

    def _is_glued_suffix(self, atoms: Sequence[Atom], at: int) -> bool:
        return at < len(atoms) and atoms[at].glued and atoms[at].text in self._suffixes

    def _is_street(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether the name of a street begins at an atom: capitalized words, or a single one,
        before the word for it."""
        for count, place in enumerate(range(at, min(at + _MAX_NAME_WORDS, len(atoms)))):
            atom = atoms[place]
            if atom.glued or atom.kind != "word":
                return False
            if atom.text in self._street_words:
                return True
            is_name = text[atom.start].isupper() or not count
            if is_name and self._is_street_name(text, atoms, place):
                return True
            if grades[place] or atom.text in self._words or not is_name:
                return False
        return False

    def _is_street_name(self, text: str, atoms: Sequence[Atom], at: int) -> bool:
        """Whether a word of a date is the name of a street, both capitalized: March Lane."""
        street = atoms[at + 1] if at + 1 < len(atoms) else None
        return (
            street is not None
            and street.text in self._street_words
            and text[atoms[at].start].isupper()
            and text[street.start].isupper()
        )

    def _is_counted(self, text: str, atoms: Sequence[Atom], grades: bytes, at: int) -> bool:
        """Whether an ordinal is that of the noun behind it: no preposition stands before its
        article, and a content word behind it."""
        if not at or atoms[at - 1].text not in self._articles or at + 2 >= len(atoms):
            return False
        noun = atoms[at + 2]
        is_governed = at > 1 and (atoms[at - 2].text in self._words or grades[at - 2])
        return not (
            is_governed
            or noun.kind != "word"
            or grades[at + 2]
            or noun.text in self._words
            or text[noun.start].isupper()
            or noun.text.endswith(_NO_NOUN_ENDINGS)
        )


def _remove_runs(atoms: Sequence[Atom], grades: bytes) -> bytes:
    """The grades without the numbers of an account or a telephone: four or more with blanks between
    them, or three with a long one in the middle, of which the first is no year."""
    graded = bytearray(grades)
    first = 0
    for at in range(len(atoms) + 1):
        if at < len(atoms) and atoms[at].kind == "digits" and not (at > first and atoms[at].glued):
            continue
        is_run = at - first >= _MIN_RUN or (
            at - first >= _MIN_PHONE_RUN and len(atoms[first + 1].text) >= _MIN_PHONE_GROUP
        )
        if is_run and len(atoms[first].text) != _YEAR_DIGITS:
            graded[first:at] = bytes(at - first)
        first = at + 1
    return bytes(graded)


_BESIDE_DAY = "plain_beside_day"
PLAIN_OPERATIONS = ("plain", "plain_monthday", _BESIDE_DAY)
"""The operations whose last number may count what is behind it. What is a time only in a text with
a day (*von 9 bis 11*) is ``plain_beside_day``."""


_TIMED = frozenset(
    {"at", "at_times", "clock", "times", "in_zone", "ahead", "until", "onward", "after", "before"}
)  # operations of dates that have a time or leave none open


class PlainNumbers:
    """Tells dates of plain numbers (from 9 to 18, к восьми, 2027) from numbers that count or label
    something (from 9 to 18 euros, к восьми гостям, room 2027)."""

    OPERATIONS = (*PLAIN_OPERATIONS, "year")

    def __init__(self, language: str, grammar: DateGrammar) -> None:
        phrases = load_number_phrases(language)
        self._labels = phrases.labels
        self._comparisons = phrases.comparisons_after
        self._numerals = get_numeral_reader(language)
        self._conjunctions = grammar.conjunctions
        self._uncounted = tuple(grammar.uncounted)
        courtesy = {words[0] for words in load_courtesy_phrases(language) if len(words) == 1}
        self._little = (grammar.weak & load_stop_words(language)) | courtesy

    def select(self, found: Iterable[_Match], atoms: Sequence[Atom]) -> Iterator[_Match]:
        """The dates among ``found``, with plain ones for what they are."""
        found = list(found)
        for start, end, meaning in found:
            if meaning[0] == _BESIDE_DAY and not _has_day_beside(found, start):
                continue
            first = bisect_left(atoms, start, key=attrgetter("start"))
            if meaning[0] == "year" and atoms[first].kind == "digits":
                if self._labels.find_before(atoms, first):
                    continue
            elif meaning[0] in PLAIN_OPERATIONS:
                behind = bisect_left(atoms, end, key=attrgetter("start"))
                is_counted = self._is_counted(atoms, behind)
                if meaning[0] == "plain_monthday":
                    meaning = ("monthday", *meaning[1:])
                    if is_counted:  # 1 May 30 guests
                        end, meaning = atoms[behind - 2].end, meaning[:3]
                elif is_counted or (
                    meaning[0] != _BESIDE_DAY and self._labels.find_before(atoms, first)
                ):
                    continue
                else:
                    meaning = meaning[1]
            yield start, end, meaning

    def _is_counted(self, atoms: Sequence[Atom], at: int) -> bool:
        """Whether the number before an atom may count what begins there, or goes on there."""
        if at == len(atoms):
            return False
        atom = atoms[at]
        following = atoms[at + 1] if at + 1 < len(atoms) else None
        if atom.kind == "mark":
            is_inside = atom.glued and following is not None and following.glued
            return atom.text not in _MARKS_BEHIND_HOURS or is_inside
        if atom.text in self._conjunctions and following is not None:
            if following.kind == "digits" or self._numerals.find_in_words((following,)):
                return True
            if self._comparisons.find_after(atoms, at):
                return True
        return not (atom.text in self._little or atom.text.endswith(self._uncounted))


def _has_day_beside(found: Sequence[_Match], start: int) -> bool:
    """Whether the one other date has no time."""
    others = [one for first, _, one in found if first != start and one != ("never",)]
    return len(others) == 1 and others[0][0] not in _TIMED
