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
preposition ("in", "from", "in the"), of
several words ("nizhny novgorod"), as the
whole text, or a listed name ("vegas")
*bare*: none of these                      300,000, a capital    1,000,000, a capital
=========================================  ====================  ====================

Other names than the main one need less, 50,000 people, in another script than the Latin, where
towns abroad have a name too, if they are *likely*; in Latin letters those of up to four letters
need a million, and never count *bare*: they are anything in any language (Seoul is Soul, Jinzhou
Chin). Inflected ones need a million where they are *bare*, and a capital counts *bare* from 100,000
people on.

Names of countries, regions and continents need no more than *bare*. In German, where all nouns
have capitals, a capital speaks for a name only after a preposition; for a common word only after
one of the surest ("in Essen", not "im Essen"). Texts in capitals throughout
are taken as if they were in small letters; so are scripts without capitals, but for Han and kana,
where names of two letters must be those of 100,000 people or more, and others are *sure*.

A *common word* that is a name as well (table ``common``) counts only with a capital, within a
sentence (in German after a preposition), without an article in front ("in Reading", not "the
Mobile app"); a *given name* (table ``people``) only with a capital after a preposition such as
"in"; a stop word never. Countries and the greatest cities count after a preposition in small
letters as well ("in turkey"), and so do *homonyms* (table ``homonyms``) between one of the surest
prepositions and a word that no name is followed by ("in nice today", not "in nice weather"), given
names among them also as the whole text, as the answer to a question ("florence"), and
all cities behind a title ("the city of orange"). An inflected word is as common as any word of
which it may be a case, but if it is the name of a capital or a city of a million as it stands
(«Wien» is no case of «wie»). What lifts all doubt is the greater place behind it: "Nice, France",
"reading, uk"; without a comma ("florence italy") that of a city of 50,000.
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
    """How much the writing and the surroundings of a name speak for it."""

    BARE = 0
    LIKELY = 1
    SURE = 2


# Least people of a place, by its main name and by others; of these by such ones in another script
# than the Latin, in which even towns abroad have a name, and by short ones in Latin letters, which
# are anything in any language (Seoul is Soul, Jinzhou Chin).
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
# How likely a common word in small letters must be a place, after a preposition: any country is.
_SCORE_OF_COUNTRY = 3_000_000
_SENTENCE_ENDS = frozenset('.!?…:;\n"«“„”»(。！？')
_MAX_PREPOSITION_WORDS, _MAX_ARTICLES = 3, 2


class NameClassifier:
    """Judges names by the tables of a language and the size of places."""

    def __init__(self, gazetteer: Gazetteer, search: NameSearch, table: PlaceWords) -> None:
        self._gazetteer = gazetteer
        self._search = search
        self._table = table
        # What a text brings of these stays the same: 5 µs a name.
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
        # Few words stand before a name that are none of these: most are looked up but once.
        self._last_words = frozenset(
            phrase.rsplit(" ", 1)[-1] for phrase in (*self._prepositions, *table.articles)
        )

    def accepts(
        self, found: NameMatch, words: Sequence[NameWord], text: str, *, all_caps: bool = False
    ) -> bool:
        """Whether the name is meant as one; ``shouted`` says that the text is in capitals."""
        if words[found.first].unspaced:
            return found.key not in self._common and self._accepts_unspaced(found)
        preposition = self.preposition(words, found.first, text)
        capital = has_capital(found, words) and not all_caps
        if preposition and not capital and self._is_after_the(found, words):
            preposition = None
        begins = _begins_sentence(words, found.first, text)
        if self.is_stop(found, words):
            return False
        if self.is_common(found, words):
            return self._accepts_common(
                found, words, text, preposition, capital=capital, begins=begins
            )
        evidence = self._evidence(found, words, preposition, capital=capital, begins=begins)
        return self._are_great(found.key, found.places, evidence, found.inflected)

    def is_stop(self, found: NameMatch, words: Sequence[NameWord]) -> bool:
        """Whether it is a word of the language that is hardly ever anything else."""
        stops = self._table.stops
        if found.first == found.last:
            stop = words[found.first].text in stops or found.key in stops
        else:
            stop = all(word.text in stops for word in _words_of_match(found, words))
        return stop and not any(self._is_greater(number) for number, _ in found.places)

    def is_common(self, found: NameMatch, words: Sequence[NameWord]) -> bool:
        """Whether it is a common word or a given name as well."""
        if found.first != found.last:
            return found.key in self._common
        word = words[found.first]
        if self._search.is_abbreviation(word.surface):
            return False
        return self._is_doubtful(found.key, word.text, found.places)

    def is_never_place(self, name: PlaceName, written: str, *, begins: bool) -> bool:
        """Whether a word is never meant as that name, but for a greater place behind it; ``begins``
        says that it is the first one of a text."""
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
        """Whether one of the places, all in a greater one, is great enough to be meant by a common
        word."""
        return any(main and self._population(number) >= _MIN_QUALIFIED for number, main in places)

    def preposition(self, words: Sequence[NameWord], index: int, text: str) -> Preposition | None:
        """The kind of the preposition in front of a word, over articles."""
        last = index
        for _ in range(_MAX_ARTICLES + 1):
            if last == 0 or words[last - 1].text not in self._last_words:
                return None
            for length in range(min(_MAX_PREPOSITION_WORDS, last), 0, -1):
                kind = self._prepositions.get(_phrase(words, last - length, last))
                if kind is not None and _is_spaced(words, last - length, last, text):
                    return kind
            article = words[last - 1].text in self._table.articles
            if not article or not _is_spaced(words, last - 1, last, text):
                return None
            last -= 1
        return None

    def has_article(self, found: NameMatch, words: Sequence[NameWord]) -> bool:
        """Whether an article, or what may stand in place of one, stands in front of a name."""
        return found.first > 0 and words[found.first - 1].text in self._table.articles

    def _is_after_the(self, found: NameMatch, words: Sequence[NameWord]) -> bool:
        """Whether it is a city behind an article: "to the airport" is not to the city Airport."""
        article = words[found.first - 1].text
        if article not in self._table.articles or article not in self._table.stops:
            return False
        return not any(self._is_greater(number) for number, _ in found.places)

    def _evidence(
        self,
        found: NameMatch,
        words: Sequence[NameWord],
        preposition: Preposition | None,
        *,
        capital: bool,
        begins: bool,
    ) -> Evidence:
        supported = preposition is not None or found.prefixed
        if capital and not self._table.nouns_in_capitals:
            return Evidence.LIKELY if begins and not supported else Evidence.SURE
        if capital and supported:
            return Evidence.SURE
        # Such names are seldom anything else.
        telling = found.first != found.last or self._search.is_listed(found.key)
        alone = found.last - found.first + 1 == len(words)
        return Evidence.LIKELY if supported or telling or alone else Evidence.BARE

    def _accepts_common(
        self,
        found: NameMatch,
        words: Sequence[NameWord],
        text: str,
        preposition: Preposition | None,
        *,
        capital: bool,
        begins: bool,
    ) -> bool:
        scores = [self._gazetteer.score(number, main=main) for number, main in found.places]
        if preposition is not None and max(scores) >= _SCORE_OF_COUNTRY:
            return True
        if preposition == "title" and any(main for _, main in found.places):
            return True
        if found.key in self._table.homonyms:
            answer = len(words) == 1 and found.key in self._table.people
            if answer or self._stands_alone(found, words, text):
                return True
        if not capital or self.has_article(found, words):
            return False
        if not any(self._is_great(found.key, place, Evidence.LIKELY) for place in found.places):
            return False
        forms = self._search.forms(words[found.first].text)
        if found.key in self._table.people or not forms.isdisjoint(self._table.people):
            return preposition == "within"
        if self._table.nouns_in_capitals:
            return self._is_pointed_at(found, words, text)
        return preposition is not None or not begins

    def _is_pointed_at(self, found: NameMatch, words: Sequence[NameWord], text: str) -> bool:
        first = found.first
        pointed_at = first > 0 and words[first - 1].text in self._table.pointing
        return pointed_at and _is_spaced(words, first - 1, first, text)

    def _stands_alone(self, found: NameMatch, words: Sequence[NameWord], text: str) -> bool:
        """Whether the name stands right between a sure preposition and what ends it."""
        following = found.last + 1
        return self._is_pointed_at(found, words, text) and (
            following == len(words)
            or words[following].text in self._closing
            or not text[found.end : words[following].start].isspace()
        )

    def _compute_is_doubtful(self, key: str, word: str, places: Sequence[tuple[int, bool]]) -> bool:
        if key in self._doubtful or word in self._doubtful:
            return True
        at_home = key < _FIRST_NOT_LATIN
        if key == word and any(
            (main or at_home) and self._is_well_known(number) for number, main in places
        ):
            return False
        return not self._search.forms(word).isdisjoint(self._doubtful)

    def _is_well_known(self, number: int) -> bool:
        least = _MIN_WELL_KNOWN
        return self._population(number) >= least or self._gazetteer.is_capital(number)

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

    def _population(self, number: int) -> int:
        return self._gazetteer.population(number)


def has_capital(found: NameMatch, words: Sequence[NameWord]) -> bool:
    """Whether one of the words of a name begins with a capital."""
    return any(word.surface[0].isupper() for word in _words_of_match(found, words))


def _words_of_match(found: NameMatch, words: Sequence[NameWord]) -> Sequence[NameWord]:
    return words[found.first : found.last + 1]


def _phrase(words: Sequence[NameWord], first: int, last: int) -> str:
    if last - first == 1:
        return words[first].text
    return " ".join(word.text for word in words[first:last])


def _begins_sentence(words: Sequence[NameWord], index: int, text: str) -> bool:
    if index == 0:
        return True
    return not _SENTENCE_ENDS.isdisjoint(text[words[index - 1].end : words[index].start])


def _is_spaced(words: Sequence[NameWord], first: int, last: int, text: str) -> bool:
    """Whether nothing but blanks and apostrophes stands between the words up to ``last``."""
    return all(
        not text[words[index].end : words[index + 1].start].strip(" \t'’ʼ.")
        for index in range(first, last)
    )
