"""Finds the names of places in the words of a text; whether they are meant is not asked here.

A name is tried as it is written, then with the endings of its language turned back («в Нижнем
Новгороде»), then without what is written as one with it ("בתל אביב"). In scripts without blanks
the letters are gone through instead of words.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import regex

from anaphora.entities.places.gazetteer import Gazetteer
from anaphora.entities.places.spelling import Word
from anaphora.entities.places.tables import names_in, table

__all__ = ["Found", "NameSearch"]

# What may stand between the words of one name: "Санкт-Петербург", "St. Louis", "Xi'an", "D.C.".
_GLUE = regex.compile(r"[\s\-‐‑–'’‘ʼ`]{0,3}|\.[\s\-]?")
_LONGEST_BEFORE_DOT, _LONGEST_WORD, _MOST_FORMS = 3, 40, 24
_LEAST_INFLECTED, _LONGEST_ENDING, _LEAST_WITHOUT_PREFIX = 3, 4, 2
_KATAKANA = regex.compile(r"[\p{Katakana}ー]")


@dataclass(frozen=True, slots=True)
class Found:
    """A name in a text: the places that bear it, each with whether it is its main name.

    ``key`` is the name as it is compared; ``first`` and ``last`` are its words by index, ``start``
    and ``end`` offsets of characters. ``inflected`` says that an ending was turned back,
    ``prefixed`` that a preposition or an article is written as one with it.
    """

    key: str
    places: tuple[tuple[int, bool], ...]
    first: int
    last: int
    start: int
    end: int
    inflected: bool = False
    prefixed: bool = False


@dataclass(frozen=True, slots=True)
class _Form:
    """How a word may be read."""

    text: str
    inflected: bool = False
    prefixed: bool = False


@dataclass(frozen=True, slots=True)
class _Opening:
    """The ways to read a word that begins names, those of them that are names, and those with
    which longer ones begin."""

    forms: tuple[_Form, ...]
    names: tuple[_Form, ...]
    beams: tuple[_Form, ...]


class NameSearch:
    """Finds the names that a gazetteer and the tables of a language know."""

    def __init__(self, gazetteer: Gazetteer, language: str) -> None:
        self._gazetteer = gazetteer
        self._language = language
        self._index = gazetteer.names
        self._named = names_in(language)
        self._table = table(language)
        # The words of texts repeat: most of them begin no name.
        self._lengths = lru_cache(maxsize=4096)(self._find_lengths)
        self._openings = lru_cache(maxsize=4096)(self._find_opening)
        self._forms = lru_cache(maxsize=4096)(self._find_forms)

    def at(self, words: Sequence[Word], index: int, text: str) -> list[Found]:
        """The names that begin with a word, the longest first; of one length the one that is
        written so before inflected ones."""
        word = words[index]
        opening = self._openings(word.text)
        if not opening.forms and word.written not in self._named.capitals:
            return []
        found = self._of_one_word(opening, word, index)
        beams = opening.beams
        last = index + 1
        while beams and last < len(words) and _is_glued(words[last - 1], words[last], text):
            forms = self._extended(beams, words[last])
            if longest := self._likeliest(forms, words, index, last):
                found.insert(0, longest)
            beams = tuple(form for form in forms if self._continues(form.text))
            last += 1
        return found

    def within(
        self, words: Sequence[Word], index: int, offset: int, bounds: Container[int] | None
    ) -> Iterator[Found]:
        """The names that begin with the letter at ``offset`` of a word in a script without
        blanks, the longest first; only between ``bounds`` (offsets in the text), if given."""
        word = words[index]
        start = word.start + offset
        if bounds is not None and start not in bounds:
            return
        for length in self._lengths(word.text[offset : offset + 2]):
            end = offset + length
            key = word.text[offset:end]
            if key not in self._named.places and not self._index.knows(key):
                continue
            if bounds is not None and word.start + end not in bounds:
                continue
            if not _is_torn(word.text, offset, end) and (places := self._places(key)):
                yield Found(key, places, index, index, start, word.start + end)

    def begins(self, letters: str) -> bool:
        """Whether names begin with these two letters of a script without blanks."""
        return bool(self._lengths(letters))

    def forms(self, word: str) -> list[str]:
        """The word, and the names of which it may be a case; known ones or not."""
        return [form.text for form in self._forms(word)]

    def _of_one_word(self, opening: _Opening, word: Word, index: int) -> list[Found]:
        if word.written in self._named.capitals:
            places = self._places(word.text, word.written)
            return [Found(word.text, places, index, index, word.start, word.end)]
        if word.text in self._table.stops and word.written == word.text:
            return []
        longest = self._likeliest(opening.names, (word,), 0, 0)
        return [replace(longest, first=index, last=index)] if longest else []

    def _likeliest(
        self, forms: Sequence[_Form], words: Sequence[Word], first: int, last: int
    ) -> Found | None:
        """What the words from ``first`` to ``last`` name, read in the likeliest of the ways."""
        start, end = words[first].start, words[last].end
        found = [
            Found(form.text, places, first, last, start, end, form.inflected, form.prefixed)
            for form in forms
            if (places := self._places(form.text))
        ]
        return min(found, key=self._unlikeliness) if len(found) > 1 else next(iter(found), None)

    def _unlikeliness(self, found: Found) -> tuple[bool, bool, float]:
        scores = [self._gazetteer.score(number, main=main) for number, main in found.places]
        return found.prefixed, found.inflected, -max(scores)

    def _places(self, key: str, written: str = "") -> tuple[tuple[int, bool], ...]:
        named = self._gazetteer.numbers(self._language, key, written)
        return (*self._index.places(key), *((number, True) for number in named))

    def _find_opening(self, word: str) -> _Opening:
        forms = (*self._forms(word), *self._without_prefix(word))
        known = tuple(form for form in forms if self._knows(form.text))
        return _Opening(
            known,
            tuple(form for form in known if self._places(form.text)),
            tuple(form for form in known if self._continues(form.text)),
        )

    def _extended(self, beams: tuple[_Form, ...], word: Word) -> list[_Form]:
        return [
            _Form(longer, beam.inflected or form.inflected, beam.prefixed)
            for beam in beams
            for form in self._forms(word.text)
            if self._knows(longer := f"{beam.text} {form.text}")
        ][:_MOST_FORMS]

    def _find_forms(self, word: str) -> tuple[_Form, ...]:
        """The word itself, and the names of which it may be a case."""
        if len(word) > _LONGEST_WORD:
            return ()
        endings = self._table.endings
        if not endings or len(word) < _LEAST_INFLECTED:
            return (_Form(word),)
        cases = (
            word[: len(word) - cut] + other
            for cut in range(min(_LONGEST_ENDING + 1, len(word) - 1))
            for other in endings.get(word[len(word) - cut :], ())
        )
        names = (_Form(name, inflected=True) for name in cases if len(name) >= _LEAST_INFLECTED)
        return (_Form(word), *names)

    def _find_lengths(self, letters: str) -> tuple[int, ...]:
        lengths = {*self._index.lengths(letters), *self._named.lengths.get(letters, ())}
        return tuple(sorted(lengths, reverse=True))

    def _without_prefix(self, word: str) -> Iterator[_Form]:
        for prefix, rest in self._table.prefixes.items():
            if word.startswith(prefix) and len(word) - len(prefix) >= _LEAST_WITHOUT_PREFIX:
                yield _Form(rest + word[len(prefix) :], prefixed=True)

    def _knows(self, words: str) -> bool:
        named = self._named
        return words in named.places or words in named.beginnings or self._index.knows(words)

    def _continues(self, words: str) -> bool:
        return words in self._named.beginnings or self._index.continues(words)


def _is_glued(before: Word, after: Word, text: str) -> bool:
    """Whether two words may be of one name."""
    gap = text[before.end : after.start]
    if gap == " ":
        return not (before.unspaced or after.unspaced)
    if before.unspaced or after.unspaced or not _GLUE.fullmatch(gap):
        return False
    return not gap.startswith(".") or len(before.text) <= _LONGEST_BEFORE_DOT


def _is_torn(run: str, start: int, end: int) -> bool:
    """Whether a name in katakana would be a part of a longer word in it."""

    def cuts(at: int) -> bool:
        return 0 < at < len(run) and all(map(_KATAKANA.match, run[at - 1 : at + 1]))

    return cuts(start) or cuts(end)
