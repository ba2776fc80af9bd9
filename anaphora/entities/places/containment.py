"""The greater place behind a name: "Paris, Texas", "Paris TX", "Cambridge, UK", «Париж, США»."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from anaphora.entities.places.gazetteer import Gazetteer
from anaphora.entities.places.search import Found, NameSearch
from anaphora.entities.places.spelling import Word
from anaphora.entities.places.tables import LanguageTable

__all__ = ["Contained", "Containers"]

_COMMA = regex.compile(r"\s*[,，،(]\s*")
_BLANK = regex.compile(r"\s+")
_CODE = regex.compile(r"[A-Z]{2}")
# Where two letters stand for a state or a province: "Portland OR", "Vancouver, BC".
_BY_CODE = ("US", "CA", "AU")
_LONGEST_FILLER = 3


@dataclass(frozen=True, slots=True)
class Contained:
    """Those of the places of a name that lie in the greater one; ``last`` is the last word of
    that, ``end`` where it ends. ``by_comma`` says that a comma stands between them, ``joined``
    that a word does ("Nice in France")."""

    places: tuple[tuple[int, bool], ...]
    last: int
    end: int
    by_comma: bool
    joined: bool


class Containers:
    """Finds the greater place behind a name."""

    def __init__(self, gazetteer: Gazetteer, search: NameSearch, table: LanguageTable) -> None:
        self._gazetteer = gazetteer
        self._search = search
        self._table = table
        self._place = lru_cache(maxsize=1024)(gazetteer.place)

    def behind(self, found: Found, words: Sequence[Word], text: str) -> Contained | None:
        """What the greater place behind ``found`` makes of it; None where there is none."""
        index = found.last + 1
        if index >= len(words):
            return None
        gap = text[words[found.last].end : words[index].start]
        by_comma = _COMMA.fullmatch(gap) is not None
        if not by_comma and not _BLANK.fullmatch(gap):
            return None
        joined = words[index].text in self._table.joins
        for start in self._after_fillers(words, index + joined):
            for last, end, container in self._containers(words, start, text):
                if places := self.inside(found, container):
                    return Contained(places, last, end, by_comma, joined)
        return None

    def inside(self, found: Found, container: int) -> tuple[tuple[int, bool], ...]:
        """The places of the name that lie in that one."""
        greater = self._place(container)
        return tuple(
            (number, main)
            for number, main in found.places
            if number != container and self._place(number).lies_in(greater)
        )

    def _after_fillers(self, words: Sequence[Word], index: int) -> list[int]:
        starts = [
            index + length
            for length in range(_LONGEST_FILLER, 0, -1)
            if " ".join(word.text for word in words[index : index + length]) in self._table.fillers
        ]
        return [start for start in (*starts, index) if start < len(words)]

    def _containers(
        self, words: Sequence[Word], index: int, text: str
    ) -> list[tuple[int, int, int]]:
        """The regions and countries that begin with a word: the last word, the end, the number."""
        written = words[index].written
        codes = [f"{country}-{written}" for country in _BY_CODE] + [written]
        numbers = [self._gazetteer.number(code) for code in codes if _CODE.fullmatch(written)]
        by_code = [(index, words[index].end, number) for number in numbers if number is not None]
        by_name = [
            (found.last, found.end, number)
            for found in self._search.at(words, index, text)
            for number, _ in found.places
            if self._gazetteer.kind(number) in ("region", "country")
        ]
        return [*by_code, *by_name]
