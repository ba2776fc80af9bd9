"""Whether a name is meant as one: rules against false friends ("nice", "most", "Sofia called").

People write without capitals on their phones, so a capital letter cannot be asked for; what is
asked for is that the place is the greater the less its surroundings speak for it:

=========================================  ====================  ====================
how the name is written                    its main name         any other name of it
=========================================  ====================  ====================
*sure*: with a capital within a sentence   any place             15,000 people
or after a preposition
*likely*: with a capital at the beginning  15,000 people         100,000 people
of a sentence; in small letters after a
preposition ("in", "from", "in the"), or
of several words ("nizhny novgorod")
*bare*: none of these                      300,000, a capital    1,000,000, a capital
=========================================  ====================  ====================

Names of countries, regions and continents need no more than *bare*. In German, where all nouns
have capitals, a capital speaks for a name only after a preposition. Texts in capitals throughout
are taken as if they were in small letters; so are scripts without capitals, but for Han and kana,
where names of two letters must be those of 100,000 people or more, and others are *sure*.

A *common word* that is a name as well (table ``common``) counts only with a capital, within a
sentence (in German after a preposition), without an article in front ("in Reading", not "the
Mobile app"); a *given name* (table ``people``) only with a capital after a preposition such as
"in"; a stop word never. Countries and the greatest cities count after a preposition in small
letters as well ("in turkey"). An inflected word is as common as any word of which it may be a
case. What lifts all doubt is the greater place behind it: "Nice, France", "reading, uk".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Literal

from anaphora.entities.places.gazetteer import Gazetteer
from anaphora.entities.places.search import Found, NameSearch
from anaphora.entities.places.spelling import Word
from anaphora.entities.places.tables import LanguageTable

__all__ = ["Evidence", "Judge", "Preposition"]

Preposition = Literal["within", "toward"]


class Evidence(IntEnum):
    """How much the writing and the surroundings of a name speak for it."""

    BARE = 0
    LIKELY = 1
    SURE = 2


# Least people of a place, by its main name and by others.
_LEAST = {
    Evidence.SURE: (0, 15_000),
    Evidence.LIKELY: (15_000, 100_000),
    Evidence.BARE: (300_000, 1_000_000),
}
_LEAST_OF_TWO_LETTERS = 100_000
# How likely a common word in small letters must be a place, after a preposition: any country is.
_SCORE_OF_COUNTRY = 3_000_000
_SENTENCE_ENDS = frozenset('.!?…:;\n"«“„”»(。！？')
_LONGEST_PREPOSITION, _MOST_ARTICLES = 3, 2


class Judge:
    """Judges names by the tables of a language and the size of places."""

    def __init__(self, gazetteer: Gazetteer, search: NameSearch, table: LanguageTable) -> None:
        self._gazetteer = gazetteer
        self._search = search
        self._table = table
        self._common = table.common | table.phrases

    def accepts(
        self, found: Found, words: Sequence[Word], text: str, *, shouted: bool = False
    ) -> bool:
        """Whether the name is meant as one; ``shouted`` says that the text is in capitals."""
        if words[found.first].unspaced:
            return found.key not in self._common and self._accepts_unspaced(found)
        preposition = self.preposition(words, found.first, text)
        capital = has_capital(found, words) and not shouted
        begins = _begins_sentence(words, found.first, text)
        if self.is_stop(found, words):
            return False
        if self.is_common(found, words):
            return self._accepts_common(found, words, preposition, capital=capital, begins=begins)
        evidence = self._evidence(found, preposition, capital=capital, begins=begins)
        return any(self._is_great(place, evidence) for place in found.places)

    def is_stop(self, found: Found, words: Sequence[Word]) -> bool:
        """Whether it is a word of the language that is hardly ever anything else."""
        if found.first != found.last:
            return all(word.text in self._table.stops for word in _of(found, words))
        return bool({words[found.first].text, found.key} & self._table.stops) and not any(
            self._is_country(number) for number, _ in found.places
        )

    def is_common(self, found: Found, words: Sequence[Word]) -> bool:
        """Whether it is a common word or a given name as well."""
        if found.first != found.last:
            return found.key in self._common
        forms = {found.key, *self._search.forms(words[found.first].text)}
        return not (forms.isdisjoint(self._common) and forms.isdisjoint(self._table.people))

    def preposition(self, words: Sequence[Word], index: int, text: str) -> Preposition | None:
        """The kind of the preposition in front of a word, over articles."""
        last = index
        for _ in range(_MOST_ARTICLES + 1):
            for length in range(min(_LONGEST_PREPOSITION, last), 0, -1):
                if not _is_spaced(words, last - length, last, text):
                    continue
                phrase = " ".join(word.text for word in words[last - length : last])
                if phrase in self._table.within:
                    return "within"
                if phrase in self._table.toward:
                    return "toward"
            if not self._has_article(words, last, text):
                return None
            last -= 1
        return None

    def _has_article(self, words: Sequence[Word], index: int, text: str) -> bool:
        before = index - 1
        return (
            before >= 0
            and words[before].text in self._table.articles
            and _is_spaced(words, before, index, text)
        )

    def _evidence(
        self, found: Found, preposition: Preposition | None, *, capital: bool, begins: bool
    ) -> Evidence:
        supported = preposition is not None or found.prefixed
        if capital and not self._table.nouns_in_capitals:
            return Evidence.LIKELY if begins and not supported else Evidence.SURE
        if capital and supported:
            return Evidence.SURE
        # Names of several words are seldom anything else.
        return Evidence.LIKELY if supported or found.first != found.last else Evidence.BARE

    def _accepts_common(
        self,
        found: Found,
        words: Sequence[Word],
        preposition: Preposition | None,
        *,
        capital: bool,
        begins: bool,
    ) -> bool:
        scores = [self._gazetteer.score(number, main=main) for number, main in found.places]
        if preposition is not None and max(scores) >= _SCORE_OF_COUNTRY:
            return True
        has_article = found.first > 0 and words[found.first - 1].text in self._table.articles
        if not capital or has_article:
            return False
        forms = {found.key, *self._search.forms(words[found.first].text)}
        if not forms.isdisjoint(self._table.people):
            return preposition == "within"
        if self._table.nouns_in_capitals:
            return preposition is not None
        return preposition is not None or not begins

    def _accepts_unspaced(self, found: Found) -> bool:
        if found.end - found.start > 2:
            return True
        return any(
            self._is_country(number) or self._people(number) >= _LEAST_OF_TWO_LETTERS
            for number, _ in found.places
        )

    def _is_great(self, place: tuple[int, bool], evidence: Evidence) -> bool:
        number, main = place
        if self._is_country(number):
            return True
        least = _LEAST[evidence][0 if main else 1]
        capital = self._gazetteer.is_capital(number)
        return self._people(number) >= least or capital

    def _is_country(self, number: int) -> bool:
        return self._gazetteer.kind(number) != "city"

    def _people(self, number: int) -> int:
        return self._gazetteer.population(number)


def has_capital(found: Found, words: Sequence[Word]) -> bool:
    """Whether one of the words of a name begins with a capital."""
    return any(word.written[0].isupper() for word in _of(found, words))


def _of(found: Found, words: Sequence[Word]) -> Sequence[Word]:
    return words[found.first : found.last + 1]


def _begins_sentence(words: Sequence[Word], index: int, text: str) -> bool:
    if index == 0:
        return True
    return not _SENTENCE_ENDS.isdisjoint(text[words[index - 1].end : words[index].start])


def _is_spaced(words: Sequence[Word], first: int, last: int, text: str) -> bool:
    """Whether nothing but blanks and apostrophes stands between the words up to ``last``."""
    return all(
        not text[words[index].end : words[index + 1].start].strip(" \t'’ʼ.")
        for index in range(first, last)
    )
