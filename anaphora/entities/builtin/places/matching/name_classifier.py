"""Decide whether a word that is a place name refers to the place ("nice", "most", "Sofia called").

People write without capitals on their phones, so a capital letter cannot be required. Instead, the
weaker the evidence of the context is, the larger the place must be:

=========================================  ====================  ====================
evidence                                   its main name         any other name of it
=========================================  ====================  ====================
*sure*: with a capital within a sentence   any place             15,000 people
or after a preposition
*likely*: with a capital at the beginning  15,000 people         100,000 people
of a sentence; in lower case after a
preposition ("in", "from", "in the"), of
several words ("nizhny novgorod"), as the
whole text, or a listed name ("vegas")
*bare*: none of these                      300,000, a capital    1,000,000, a capital
=========================================  ====================  ====================

A *likely* name other than the main one needs only 50,000 people in another script than Latin, where
towns abroad have a name too. In Latin letters, other names of up to four letters need a million,
and never count *bare*, because such words exist in many languages (Seoul is Soul, Jinzhou Chin).
An inflected name needs a million if it is *bare*; a capital city counts *bare* from 100,000 people
on.

Names of countries, regions and continents always count. In German, which capitalizes all nouns, a
capital letter is evidence only after a preposition; for a common word only after one of the most
reliable ones ("in Essen", not "im Essen"). A text in capitals throughout is treated as lower case,
and so are scripts without case, except Han and kana: there names of two letters need 100,000
people, and longer ones are *sure*.

A *common word* that is also a name (table ``common``) counts only with a capital within a sentence
(in German after a preposition) and without an article before it ("in Reading", not "the Mobile
app"). A *given name* (table ``people``) counts only with a capital after a preposition such as
"in". A stop word never counts. Countries and the largest cities count in lower case too after a
preposition ("in turkey"), and so do *homonyms* (table ``homonyms``) between one of the most
reliable prepositions and a word that follows no name ("in nice today", not "in nice weather");
homonyms that are given names also count as the whole text, as an answer ("florence"); all cities
count behind a title ("the city of orange"). An inflected word is as common as any word of which it
may be a case, unless it is exactly the name of a capital or of a city of a million («Wien» is no
case of «wie»). A container behind the name removes all doubt: "Nice, France", "reading, uk";
without a comma ("florence italy") the city needs 50,000 people.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Literal

from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer
from anaphora.entities.builtin.places.matching.name_search import NameMatch, NameSearch, PlaceName
from anaphora.entities.builtin.places.name_normalization import NameWord, fold
from anaphora.entities.builtin.places.place_tables import PlaceWords

__all__ = ["Evidence", "NameClassifier", "Preposition"]

Preposition = Literal["within", "toward", "title"]


class Evidence(IntEnum):
    """The strength of the evidence from the spelling and the context of a name."""

    BARE = 0
    LIKELY = 1
    SURE = 2


# The least population by the kind of name: the main one; another one; another one in another script
# than Latin; a short other one in Latin letters.
_MIN_POPULATION = {
    Evidence.SURE: (0, 15_000, 0, 15_000),
    Evidence.LIKELY: (15_000, 100_000, 50_000, 1_000_000),
    Evidence.BARE: (300_000, 1_000_000, 1_000_000, 10**9),
}
_MAX_SHORT_LETTERS = 4
_MIN_CAPITAL = 100_000
_FIRST_NOT_LATIN = "\u0370"
_MIN_TWO_LETTERS = 100_000
_MIN_QUALIFIED = 50_000
_MIN_WELL_KNOWN = 1_000_000
# The least score of a common word in lower case after a preposition: that of any country.
_SCORE_OF_COUNTRY = 3_000_000
_SENTENCE_ENDS = frozenset('.!?…:;\n"«“„”»(。！？')
_MAX_PREPOSITION_WORDS, _MAX_ARTICLES = 3, 2


class NameClassifier:
    """Classifies names by the tables of a language and the size of places."""

    def __init__(self, gazetteer: Gazetteer, search: NameSearch, table: PlaceWords) -> None:
        self._gazetteer = gazetteer
        self._search = search
        self._table = table
        self._population = gazetteer.population
        # The results for a name are constant, and take 5 µs.
        self._are_great = lru_cache(maxsize=4096)(self._compute_are_great)
        self._is_doubtful = lru_cache(maxsize=4096)(self._compute_is_doubtful)
        self._common = table.common | table.phrases
        self._doubtful = self._common | table.people
        self._closing = table.closing | table.stops
        self._prepositions: dict[str, Preposition] = {
            **dict.fromkeys(table.toward, "toward"),
            **dict.fromkeys(table.within, "within"),
            **dict.fromkeys(table.titles, "title"),
        }
        # Most words before a name end no preposition and no article.
        self._last_words = frozenset(
            phrase.rsplit(" ", 1)[-1] for phrase in (*self._prepositions, *table.articles)
        )

    def accepts(self, found: NameMatch, *, all_caps: bool = False) -> bool:
        """Whether the name refers to a place; ``all_caps`` means that the text is in capitals."""
        if found.words[found.first].unspaced:
            return found.key not in self._common and self._accepts_unspaced(found)
        preposition = self._preposition_before(found)
        capital = has_capital(found) and not all_caps
        if preposition and not capital and self._is_after_the(found):
            preposition = None
        begins = _begins_sentence(found)
        if self.is_stop(found):
            return False
        if self.is_common(found):
            return self._accepts_common(found, preposition, capital=capital, begins=begins)
        evidence = self._evidence(found, preposition, capital=capital, begins=begins)
        return self._are_great(found.key, found.places, evidence, found.inflected)

    def is_stop(self, found: NameMatch) -> bool:
        """Whether the name is a stop word of the language, and no country or region."""
        stops = self._table.stops
        stop = all(word.text in stops for word in _words_of_match(found))
        stop = stop or (found.first == found.last and found.key in stops)
        return stop and not any(self._is_greater(number) for number, _ in found.places)

    def is_common(self, found: NameMatch) -> bool:
        """Whether the name is also a common word or a given name."""
        if found.first != found.last:
            return found.key in self._common
        word = found.words[found.first]
        if self._search.is_abbreviation(word.surface):
            return False
        return self._is_doubtful(found.key, word.text, found.places)

    def is_never_place(self, name: PlaceName, written: str, *, begins: bool) -> bool:
        """Whether a word never refers to the name, unless a container follows; ``begins`` tells
        that it is the first word of a text."""
        word = fold(written)
        if word in self._table.stops or name.key in self._table.stops:
            return not any(self._is_greater(number) for number, _ in name.places)
        if written != word and not begins:
            return False
        if self._is_doubtful(name.key, word, name.places):
            if self._search.is_abbreviation(written):
                return False
            if begins and written != word:
                return True
            scores = [self._gazetteer.score(number, main=main) for number, main in name.places]
            homonym = name.key in self._table.homonyms
            return not homonym and max(scores, default=0.0) < _SCORE_OF_COUNTRY
        return not any(self._is_great(name.key, place, Evidence.LIKELY) for place in name.places)

    def is_likely_place(self, places: Sequence[tuple[int, bool]]) -> bool:
        """Whether a place, of those in a container, is large enough for a common word."""
        return any(main and self._population(number) >= _MIN_QUALIFIED for number, main in places)

    def _preposition_before(self, found: NameMatch) -> Preposition | None:
        """The kind of the preposition before a name and its articles."""
        words, last = found.words, found.first
        for _ in range(_MAX_ARTICLES + 1):
            if last == 0 or words[last - 1].text not in self._last_words:
                return None
            for length in range(min(_MAX_PREPOSITION_WORDS, last), 0, -1):
                kind = self._prepositions.get(_phrase(words, last - length, last))
                if kind is not None and _is_spaced(found, last - length, last):
                    return kind
            article = words[last - 1].text in self._table.articles
            if not article or not _is_spaced(found, last - 1, last):
                return None
            last -= 1
        return None

    def has_article(self, found: NameMatch) -> bool:
        """Whether an article, or a word in place of one, is before a name."""
        return found.first > 0 and found.words[found.first - 1].text in self._table.articles

    def _is_after_the(self, found: NameMatch) -> bool:
        """Whether the name is a city behind an article: "to the airport" is not the city
        Airport."""
        article = found.words[found.first - 1].text
        if article not in self._table.articles or article not in self._table.stops:
            return False
        return not any(self._is_greater(number) for number, _ in found.places)

    def _evidence(
        self, found: NameMatch, preposition: Preposition | None, *, capital: bool, begins: bool
    ) -> Evidence:
        supported = preposition is not None or found.prefixed
        if capital and not self._table.nouns_in_capitals:
            return Evidence.LIKELY if begins and not supported else Evidence.SURE
        if capital and supported:
            return Evidence.SURE
        # Such names rarely mean anything else.
        is_distinctive = found.first != found.last or self._search.is_listed(found.key)
        is_alone = found.last - found.first + 1 == len(found.words)
        return Evidence.LIKELY if supported or is_distinctive or is_alone else Evidence.BARE

    def _accepts_common(
        self, found: NameMatch, preposition: Preposition | None, *, capital: bool, begins: bool
    ) -> bool:
        scores = [self._gazetteer.score(number, main=main) for number, main in found.places]
        if preposition is not None and max(scores) >= _SCORE_OF_COUNTRY:
            return True
        if preposition == "title" and any(main for _, main in found.places):
            return True
        if found.key in self._table.homonyms:
            answer = len(found.words) == 1 and found.key in self._table.people
            if answer or self._stands_alone(found):
                return True
        if not capital or self.has_article(found):
            return False
        if not any(self._is_great(found.key, place, Evidence.LIKELY) for place in found.places):
            return False
        forms = self._search.forms(found.words[found.first].text)
        if found.key in self._table.people or not forms.isdisjoint(self._table.people):
            return preposition == "within"
        if self._table.nouns_in_capitals:
            return self._is_pointed_at(found)
        return preposition is not None or not begins

    def _is_pointed_at(self, found: NameMatch) -> bool:
        first = found.first
        pointed_at = first > 0 and found.words[first - 1].text in self._table.pointing
        return pointed_at and _is_spaced(found, first - 1, first)

    def _stands_alone(self, found: NameMatch) -> bool:
        """Whether the name is between a reliable preposition and the end of its phrase."""
        words, following = found.words, found.last + 1
        return self._is_pointed_at(found) and (
            following == len(words)
            or words[following].text in self._closing
            or not found.text[found.end : words[following].start].isspace()
        )

    def _compute_is_doubtful(self, key: str, word: str, places: Sequence[tuple[int, bool]]) -> bool:
        if key in self._doubtful or word in self._doubtful:
            return True
        at_home = key < _FIRST_NOT_LATIN
        if key == word and any(
            (main or at_home)
            and (self._population(number) >= _MIN_WELL_KNOWN or self._gazetteer.is_capital(number))
            for number, main in places
        ):
            return False
        return not self._search.forms(word).isdisjoint(self._doubtful)

    def _accepts_unspaced(self, found: NameMatch) -> bool:
        if found.end - found.start > 2:
            return True
        return any(
            self._is_greater(number) or self._population(number) >= _MIN_TWO_LETTERS
            for number, _ in found.places
        )

    def _compute_are_great(
        self, key: str, places: Sequence[tuple[int, bool]], evidence: Evidence, inflected: int
    ) -> bool:
        if evidence is Evidence.BARE and inflected:
            return any(
                self._population(number) >= _MIN_POPULATION[evidence][1] for number, _ in places
            )
        return any(self._is_great(key, place, evidence) for place in places)

    def _is_great(self, key: str, place: tuple[int, bool], evidence: Evidence) -> bool:
        number, main = place
        if self._is_greater(number):
            return True
        other = 2 if key >= _FIRST_NOT_LATIN else 3 if len(key) <= _MAX_SHORT_LETTERS else 1
        least = _MIN_POPULATION[evidence][0 if main else other]
        if self._gazetteer.is_capital(number) and (main or other != 3):
            least = min(least, _MIN_CAPITAL if evidence is Evidence.BARE else 0)
        return self._population(number) >= least

    def _is_greater(self, number: int) -> bool:
        return self._gazetteer.kind(number) != "city"


def has_capital(found: NameMatch) -> bool:
    """Whether one of the words of a name starts with a capital."""
    return any(word.surface[0].isupper() for word in _words_of_match(found))


def _words_of_match(found: NameMatch) -> Sequence[NameWord]:
    return found.words[found.first : found.last + 1]


def _phrase(words: Sequence[NameWord], first: int, last: int) -> str:
    if last - first == 1:
        return words[first].text
    return " ".join(word.text for word in words[first:last])


def _begins_sentence(found: NameMatch) -> bool:
    if found.first == 0:
        return True
    gap = found.text[found.words[found.first - 1].end : found.words[found.first].start]
    return not _SENTENCE_ENDS.isdisjoint(gap)


def _is_spaced(found: NameMatch, first: int, last: int) -> bool:
    """Whether only blanks and apostrophes are between the words up to ``last``."""
    words = found.words
    return all(
        not found.text[words[index].end : words[index + 1].start].strip(" \t'’ʼ.")
        for index in range(first, last)
    )
