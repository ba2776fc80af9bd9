"""Find place names in the words of a text, whether or not they refer to places.

A name is looked up in its spelling, then without the endings of its cases («в Нижнем Новгороде»),
then without an attached prefix ("בתל אביב"). In scripts without spaces names start at letters
instead of words.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex

from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer
from anaphora.entities.builtin.places.name_normalization import NameWord, fold
from anaphora.entities.builtin.places.place_tables import load_place_names, load_place_words

__all__ = ["DEAD_END", "NameMatch", "NameSearch", "PlaceName", "SearchStep"]

# The characters between the words of one name: "Санкт-Петербург", "St. Louis", "Xi'an", "D.C.".
_GLUE = regex.compile(r"[\s\-‐‑–'’‘ʼ`׳״]{0,3}|\.[\s\-]?")
_LONGEST_BEFORE_DOT, _LONGEST_WORD, _MOST_FORMS = 3, 40, 24
_LEAST_INFLECTED, _LONGEST_ENDING, _LEAST_WITHOUT_PREFIX = 3, 4, 1
_KATAKANA = regex.compile(r"[\p{Katakana}ー]")


class PlaceName(NamedTuple):
    """A normalized name and its places, each with whether this is its main name. ``inflected``
    means that an ending was replaced, ``prefixed`` that a preposition or an article was removed."""

    key: str
    places: tuple[tuple[int, bool], ...]
    inflected: bool = False
    prefixed: bool = False


class NameMatch(NamedTuple):
    """A name in a ``text`` of ``words``; a fixed phrase that only looks like a name has no places.

    ``first`` and ``last`` are the indexes of its words, ``start`` and ``end`` offsets in the text.
    """

    text: str
    words: Sequence[NameWord]
    key: str
    places: tuple[tuple[int, bool], ...]
    first: int
    last: int
    start: int
    end: int
    inflected: bool = False
    prefixed: bool = False


class _NameForm(NamedTuple):
    """A possible normal form of words."""

    text: str
    inflected: bool = False
    prefixed: bool = False


class SearchStep(NamedTuple):
    """The state after some words: the likeliest ``name`` that they form, and the ``beams``, the
    forms with which longer names start."""

    name: PlaceName | None
    beams: tuple[_NameForm, ...]


DEAD_END = SearchStep(None, ())
"""No name starts with these words."""


class NameSearch:
    """Finds the names of a gazetteer and of the tables of a language."""

    def __init__(self, gazetteer: Gazetteer, language: str) -> None:
        self._gazetteer = gazetteer
        self._language = language
        self._index = gazetteer.names
        self._name_table = load_place_names(language)
        self._table = load_place_words(language)
        # Words recur in texts, and most of them start no name.
        self._lengths = lru_cache(maxsize=4096)(self._compute_lengths)
        self._first = lru_cache(maxsize=4096)(self._compute_first_step)
        self._next = lru_cache(maxsize=4096)(self._compute_next_step)
        self._unspaced = lru_cache(maxsize=4096)(self._places)
        self.forms = lru_cache(maxsize=4096)(
            lambda word: frozenset(form.text for form in self._inflected_forms(word))
        )

    def find_at(self, words: Sequence[NameWord], index: int, text: str) -> list[NameMatch]:
        """The names that start with a word, the longest first; of one length an exact name before
        inflected ones."""
        step = self.first_step(words[index].surface)
        if step is DEAD_END:
            return []
        found = [_to_match(step.name, text, words, index, index)] if step.name else []
        last = index + 1
        while step.beams and last < len(words) and _is_glued(words[last - 1], words[last], text):
            step = self.next_step(step.beams, words[last].text)
            if step.name:
                found.insert(0, _to_match(step.name, text, words, index, last))
            last += 1
        return found

    def first_step(self, written: str) -> SearchStep:
        """The state after the first word of a name."""
        return self._first(written) if len(written) <= _LONGEST_WORD else DEAD_END

    def next_step(self, beams: tuple[_NameForm, ...], word: str) -> SearchStep:
        """The state after a further word."""
        return self._next(beams, word) if len(word) <= _LONGEST_WORD else DEAD_END

    def is_abbreviation(self, written: str) -> bool:
        """Whether it is an abbreviation that counts only in capitals."""
        return written in self._name_table.capitals

    def is_listed(self, key: str) -> bool:
        """Whether the table of the language adds this name."""
        return key in self._name_table.listed

    def find_unspaced(
        self,
        text: str,
        words: Sequence[NameWord],
        index: int,
        offset: int,
        bounds: Container[int] | None,
    ) -> Iterator[NameMatch]:
        """The names that start at the letter ``offset`` of a run in a script without spaces, the
        longest first; only from and to ``bounds`` (offsets in the text), if given."""
        word = words[index]
        start = word.start + offset
        if bounds is not None and start not in bounds:
            return
        for length in self._lengths(word.text[offset : offset + 2]):
            end = offset + length
            key = word.text[offset:end]
            places = self._unspaced(key)
            if not places or (bounds is not None and word.start + end not in bounds):
                continue
            if not _cuts_katakana_word(word.text, offset, end):
                yield NameMatch(text, words, key, places, index, index, start, word.start + end)

    def may_begin(self, letters: str) -> bool:
        """Whether names start with these two letters of a script without spaces."""
        return bool(self._lengths(letters))

    def _compute_first_step(self, written: str) -> SearchStep:
        word = fold(written)
        forms = (*self._inflected_forms(word), *self._without_prefix(word))
        known = [form for form in forms if self._is_name_or_prefix(form.text)]
        name = self._likeliest(known)
        if written in self._name_table.capitals:
            name = PlaceName(word, self._places(word, written))
        elif word in self._table.stops and written == word:
            name = None
        return self._step(name, known)

    def _compute_next_step(self, beams: tuple[_NameForm, ...], word: str) -> SearchStep:
        forms = [
            _NameForm(longer, beam.inflected or form.inflected, beam.prefixed)
            for beam in beams
            for form in self._inflected_forms(word)
            if self._is_name_or_prefix(longer := f"{beam.text} {form.text}")
        ][:_MOST_FORMS]
        return self._step(self._likeliest(forms), forms)

    def _step(self, name: PlaceName | None, forms: Sequence[_NameForm]) -> SearchStep:
        beams = tuple(form for form in forms if self._is_prefix(form.text))
        return SearchStep(name, beams) if name or beams else DEAD_END

    def _likeliest(self, forms: Sequence[_NameForm]) -> PlaceName | None:
        """The name of the likeliest form."""
        names = [
            PlaceName(form.text, places, form.inflected, form.prefixed)
            for form in forms
            if (places := self._places(form.text)) or form.text in self._name_table.fixed
        ]
        return min(names, key=self._unlikeliness) if names else None

    def _unlikeliness(self, name: PlaceName) -> tuple[bool, bool, float]:
        scores = (self._gazetteer.score(number, main=main) for number, main in name.places)
        return name.prefixed, name.inflected, -max(scores, default=0.0)

    def _places(self, key: str, written: str = "") -> tuple[tuple[int, bool], ...]:
        if key in self._name_table.fixed:
            return ()
        named = self._gazetteer.find_numbers(self._language, key, written)
        return (*self._index.places(key), *((number, True) for number in named))

    def _inflected_forms(self, word: str) -> tuple[_NameForm, ...]:
        """The word itself, and the names, known or not, of which it may be a case."""
        endings = self._table.endings
        if not endings or len(word) < _LEAST_INFLECTED:
            return (_NameForm(word),)
        cases = (
            word[: len(word) - cut] + other
            for cut in range(min(_LONGEST_ENDING + 1, len(word) - 1))
            for other in endings.get(word[len(word) - cut :], ())
        )
        names = (_NameForm(name, inflected=True) for name in cases if len(name) >= _LEAST_INFLECTED)
        return (_NameForm(word), *names)

    def _compute_lengths(self, letters: str) -> tuple[int, ...]:
        lengths = {
            *self._index.lengths().get(letters, ()),
            *self._name_table.lengths.get(letters, ()),
        }
        return tuple(sorted(lengths, reverse=True))

    def _without_prefix(self, word: str) -> Iterator[_NameForm]:
        for prefix, rest in self._table.prefixes.items():
            if word.startswith(prefix) and len(word) - len(prefix) >= _LEAST_WITHOUT_PREFIX:
                yield _NameForm(rest + word[len(prefix) :], prefixed=True)

    def _is_name_or_prefix(self, words: str) -> bool:
        named = self._name_table
        return (
            words in named.places
            or words in named.word_prefixes
            or words in named.fixed
            or self._index.index_for(words).is_name_or_prefix(words)
        )

    def _is_prefix(self, words: str) -> bool:
        return words in self._name_table.word_prefixes or self._index.index_for(words).is_prefix(
            words
        )


def _to_match(
    name: PlaceName, text: str, words: Sequence[NameWord], first: int, last: int
) -> NameMatch:
    start, end = words[first].start, words[last].end
    return NameMatch(text, words, name.key, name.places, first, last, start, end, *name[2:])


def _is_glued(before: NameWord, after: NameWord, text: str) -> bool:
    """Whether two adjacent words may belong to one name."""
    gap = text[before.end : after.start]
    if gap == " ":  # the usual case
        return not (before.unspaced or after.unspaced)
    if before.unspaced or after.unspaced or not _GLUE.fullmatch(gap):
        return False
    return not gap.startswith(".") or len(before.text) <= _LONGEST_BEFORE_DOT


def _cuts_katakana_word(run: str, start: int, end: int) -> bool:
    """Whether a name in katakana is only part of a longer katakana word."""

    def cuts(at: int) -> bool:
        return 0 < at < len(run) and all(map(_KATAKANA.match, run[at - 1 : at + 1]))

    return cuts(start) or cuts(end)
