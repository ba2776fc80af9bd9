"""Names of weekdays and months that are other words as well (Wed, May), where they are dates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from anaphora.entities.builtin.atoms import Atom, get_atoms, split_atoms
from anaphora.entities.builtin.boolean import parse_yes_no
from anaphora.entities.builtin.dates.date_grammar import DateGrammar
from anaphora.entities.builtin.dates.operations import TimeExpression
from anaphora.entities.words.function_words import load_courtesy_phrases, load_stop_words
from anaphora.entities.words.normalization import create_normalizer

__all__ = ["AmbiguousName", "AmbiguousNameFinder"]

_MAX_ANSWER_ATOMS = 40  # atoms of an answer


class AmbiguousName(NamedTuple):
    """A name with its place in the text (half open). It is a ``fallback`` where nothing but the
    length of the text tells that it is a date."""

    start: int
    end: int
    meaning: TimeExpression
    fallback: bool


class AmbiguousNameFinder:
    """Finds the short names in texts of a language.

    A name is a date where the text is an answer: names, dates, the prepositions and conjunctions
    beside them, and what is only polite ("for Wed or Thu, please"). In a longer text a weekday is
    one if it is capitalized and stands behind a preposition, or is joined to one that does.
    """

    def __init__(self, language: str, table: DateGrammar) -> None:
        self._language = language
        self._expressions_by_name = table.names
        self._prepositions = table.prepositions
        self._conjunctions = table.conjunctions
        normalize = create_normalizer(language)
        self._weak = table.weak.intersection(map(normalize, load_stop_words(language)))
        phrases = (
            split_atoms(" ".join(phrase), normalize) for phrase in load_courtesy_phrases(language)
        )
        self._courtesy = frozenset(tuple(atom.text for atom in phrase) for phrase in phrases)
        self._longest_courtesy = max(map(len, self._courtesy), default=0)

    def find(
        self, text: str, dates: Sequence[tuple[int, int, TimeExpression]]
    ) -> list[AmbiguousName]:
        """The short names in ``text``, of which the ``dates`` are known."""
        names = self._expressions_by_name
        found = get_atoms(text, self._language)
        at = [place for place, atom in enumerate(found) if atom.text in names]
        if not at:
            return []
        dated = {
            place
            for place, atom in enumerate(found)
            if any(start <= atom.start < end for start, end, _ in dates)
        }
        free = [place for place in at if place not in dated]
        if not free:
            return []
        certain = self._find_certain(text, found, free, dated)
        if self._is_answer(text, found, free, dated):
            fallback = set() if dated else set(free) - certain
        else:
            fallback, free = set(), sorted(certain)
        return [
            AmbiguousName(found[one].start, found[one].end, names[found[one].text], one in fallback)
            for one in free
        ]

    def _find_certain(
        self, text: str, found: Sequence[Atom], free: Sequence[int], dated: AbstractSet[int]
    ) -> AbstractSet[int]:
        """The weekdays that are capitalized, and stand behind a preposition or are joined."""
        certain: set[int] = set()
        for place in free:
            atom = found[place]
            is_weekday = self._expressions_by_name[atom.text][0] == "weekday"
            if not place or not is_weekday or not text[atom.start : atom.end].istitle():
                continue
            before = found[place - 1].text
            is_beside_date = place - 2 in dated or place - 2 in certain
            if before in self._prepositions or (before in self._conjunctions and is_beside_date):
                certain.add(place)
        return certain

    def _is_answer(
        self, text: str, found: Sequence[Atom], free: Sequence[int], dated: AbstractSet[int]
    ) -> bool:
        if len(found) > _MAX_ANSWER_ATOMS:
            return False
        if any(self._is_other_word(found, place) for place in free):
            return False
        polite = set(self._find_courtesy(found))
        if not polite.isdisjoint(free):  # may I
            return False
        known = {*free, *dated, *polite}
        around = self._prepositions | self._conjunctions
        rest = [
            place
            for place, atom in enumerate(found)
            if place not in known and atom.kind != "mark" and atom.text not in around
        ]
        if not rest:
            return True
        # "Yes, Wed", but nothing behind it
        is_first = rest[-1] < min({*free, *dated})
        return is_first and parse_yes_no(text[: found[rest[-1]].end], self._language) is not None

    def _is_other_word(self, found: Sequence[Atom], place: int) -> bool:
        """Whether a name is a function word (German "so") that nothing beside it makes a date."""
        if found[place].text not in self._weak:
            return False
        before = found[place - 1].text if place else ""
        behind = found[place + 1].text if place + 1 < len(found) else ""
        is_alone = sum(atom.kind != "mark" for atom in found) == 1
        is_joined = before in self._conjunctions or behind in self._conjunctions
        return not (is_alone or is_joined or before in self._prepositions)

    def _find_courtesy(self, found: Sequence[Atom]) -> Iterator[int]:
        """The places of courtesy words and phrases."""
        texts = [atom.text for atom in found]
        for start in range(len(texts)):
            for end in range(start + 1, min(start + self._longest_courtesy, len(texts)) + 1):
                if tuple(texts[start:end]) in self._courtesy:
                    yield from range(start, end)
