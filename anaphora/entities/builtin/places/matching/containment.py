"""Find the container behind a name: "Paris, Texas", "Paris TX", "Cambridge, UK", «Париж, США»."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex

from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer
from anaphora.entities.builtin.places.matching.name_search import DEAD_END, NameMatch, NameSearch
from anaphora.entities.builtin.places.name_normalization import NameWord, fold, normalize_name
from anaphora.entities.builtin.places.place_tables import PlaceWords

__all__ = ["ContainerFinder", "QualifiedPlaces"]

_COMMA = regex.compile(r"\s*[,，،(]\s*")
_BLANK = regex.compile(r"\s+")
_CODE = regex.compile(r"[A-Z]{2}|[a-z]{2}")
# Countries whose states or provinces have codes of two letters: "Portland OR", "Vancouver, BC".
_COUNTRIES_WITH_CODES = ("US", "CA", "AU")
_MAX_FILLER_WORDS = 3


class QualifiedPlaces(NamedTuple):
    """The places of a name that lie in the container; ``last`` is the last word of the container,
    ``end`` its end. ``by_comma`` means that a comma is between both, ``joined`` that a word is
    ("Nice in France")."""

    places: tuple[tuple[int, bool], ...]
    last: int
    end: int
    by_comma: bool
    joined: bool


class ContainerFinder:
    """Finds the container of the places of a name."""

    def __init__(self, gazetteer: Gazetteer, search: NameSearch, table: PlaceWords) -> None:
        self._gazetteer = gazetteer
        self._search = search
        self._table = table
        self._place = lru_cache(maxsize=1024)(gazetteer.place)
        phrases = table.joins | table.fillers
        self._openings = frozenset(phrase.split(" ")[0] for phrase in phrases)
        self._may_be_container = lru_cache(maxsize=4096)(self._compute_may_be_container)

    def find_after(self, found: NameMatch) -> QualifiedPlaces | None:
        """The places of a name that lie in the container behind it; None if there is no
        container."""
        text, words, index = found.text, found.words, found.last + 1
        if index >= len(words):
            return None
        gap = text[words[found.last].end : words[index].start]
        by_comma = _COMMA.fullmatch(gap) is not None
        if not by_comma and not _BLANK.fullmatch(gap):
            return None
        if not self._may_be_container(words[index].surface):
            return None
        joined = words[index].text in self._table.joins
        for start in self._starts_after_fillers(words, index + joined):
            for last, end, container in self._find_containers(words, start, text):
                if places := self.find_inside(found, container):
                    return QualifiedPlaces(places, last, end, by_comma, joined)
        return self._find_other_name(found, index) if by_comma else None

    def _find_other_name(self, found: NameMatch, index: int) -> QualifiedPlaces | None:
        """The places of a name that the name behind a comma is another one of: Washington, D.C."""
        for other in self._search.find_at(found.words, index, found.text):
            numbers = {number for number, _ in other.places}
            places = tuple(place for place in found.places if place[0] in numbers)
            if places and other.key != found.key:
                return QualifiedPlaces(places, other.last, other.end, by_comma=True, joined=False)
        return None

    def find_inside(self, found: NameMatch, container: int) -> tuple[tuple[int, bool], ...]:
        """The places of a name inside the container; if there are none, namesakes of the likeliest
        place by its English name (Paris in Texas has no Russian name in the data)."""
        places = self._inside(found.places, container)
        if places or not found.places:
            return places
        likeliest = self._gazetteer.rank(found.places)[0]
        name = normalize_name(self._place(likeliest).name)
        namesakes = [place for place in self._gazetteer.names.places(name) if place[1]]
        return () if name == found.key else self._inside(namesakes, container)

    def _inside(
        self, places: Iterable[tuple[int, bool]], container: int
    ) -> tuple[tuple[int, bool], ...]:
        outer = self._place(container)
        return tuple(
            (number, main)
            for number, main in places
            if number != container and self._place(number).lies_in(outer)
        )

    def _compute_may_be_container(self, written: str) -> bool:
        """Whether a container, or the words before one, may start with a word."""
        return (
            self._search.first_step(written) is not DEAD_END
            or fold(written) in self._openings
            or bool(self.find_by_code(written))
        )

    def find_by_code(self, written: str) -> list[int]:
        """The places with a code of two letters; in lower case only if it is no stop word."""
        small = written.islower()
        if not _CODE.fullmatch(written) or (small and written in self._table.stops):
            return []
        countries = [] if small else [written]
        codes = [*(f"{country}-{written.upper()}" for country in _COUNTRIES_WITH_CODES), *countries]
        numbers = (self._gazetteer.number(code) for code in codes)
        return [number for number in numbers if number is not None]

    def _starts_after_fillers(self, words: Sequence[NameWord], index: int) -> list[int]:
        starts = [
            index + length
            for length in range(_MAX_FILLER_WORDS, 0, -1)
            if " ".join(word.text for word in words[index : index + length]) in self._table.fillers
        ]
        return [start for start in (*starts, index) if start < len(words)]

    def _find_containers(
        self, words: Sequence[NameWord], index: int, text: str
    ) -> list[tuple[int, int, int]]:
        """The regions and countries that start with a word: the last word, the end, the number."""
        word = words[index]
        by_code = [(index, word.end, number) for number in self.find_by_code(word.surface)]
        by_name = [
            (found.last, found.end, number)
            for found in self._search.find_at(words, index, text)
            for number, _ in found.places
            if self._gazetteer.kind(number) in ("region", "country")
        ]
        return [*by_code, *by_name]
