"""A fast negative test for places: most texts name none, which takes 1 to 2 µs.

A chunk (text between blanks) is *idle* if none of its words starts a name that could refer to a
place in any context: "breakfast", but also "order" (Order is too small a place for a common word).
Idle chunks are remembered with their spelling, so a text of such chunks takes one set test. A word
like "the" starts names ("the hague"): it is idle before most other words, and such pairs are
remembered. All other texts go to the recognizer.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar

from anaphora.entities.builtin.places.matching.containment import ContainerFinder
from anaphora.entities.builtin.places.matching.name_classifier import NameClassifier
from anaphora.entities.builtin.places.matching.name_search import DEAD_END, NameSearch
from anaphora.entities.builtin.places.name_normalization import NameWord, split_words
from anaphora.entities.builtin.places.place_tables import PlaceWords

__all__ = ["PlacePrefilter"]

_MAX_CACHED, _MAX_CACHED_LENGTH = 8192, 40
# Marks the first chunk of a text, whose capital means nothing; no chunk contains this character.
_TEXT_START = "\n"

_Idle = TypeVar("_Idle", str, tuple[str, str])


class PlacePrefilter:
    """Rejects texts without place names."""

    def __init__(
        self,
        search: NameSearch,
        classifier: NameClassifier,
        containers: ContainerFinder,
        table: PlaceWords,
    ) -> None:
        self._search = search
        self._classifier = classifier
        self._containers = containers
        self._titles = frozenset(title.split(" ")[0] for title in table.titles)
        # Threads share these sets; a cleared entry is computed again.
        self._idle: set[str] = set()
        self._idle_pairs: set[tuple[str, str]] = set()
        self._possible: set[str] = set()
        self._continuing_pairs: set[tuple[str, str]] = set()

    def has_no_place(self, text: str) -> bool:
        """Whether ``text`` certainly names no place; otherwise the recognizer has to read it."""
        chunks = text.split()
        idle, pairs = self._idle, self._idle_pairs
        if idle.issuperset(chunks):
            return True
        if not self._possible.isdisjoint(chunks[1:]):
            return False
        begins = True
        for chunk, following in pairwise((*chunks, "")):
            pair = chunk, following
            if pair in self._continuing_pairs:
                return False
            if not (
                chunk in idle
                or pair in pairs
                or self._is_idle(chunk, following)
                or (begins and self._is_idle(_TEXT_START + chunk, following))
            ):
                return False
            begins = False
        return True

    def _is_idle(self, chunk: str, following: str) -> bool:
        if chunk in self._idle or (chunk, following) in self._idle_pairs:
            return True
        words = split_words(chunk)
        begins = chunk.startswith(_TEXT_START)
        if not all(self._names_nothing(word, begins=begins and word is words[0]) for word in words):
            if not begins and len(chunk) <= _MAX_CACHED_LENGTH:
                _add_bounded(chunk, self._possible)
            return False
        after = split_words(following)[:1]
        short = len(chunk) + len(following) <= _MAX_CACHED_LENGTH
        if any(self._may_continue(*two) for two in pairwise((*words, *after))):
            if short and not begins:
                _add_bounded((chunk, following), self._continuing_pairs)
            return False
        if short:
            if words and self._search.first_step(words[-1].surface).beams:
                _add_bounded((chunk, following), self._idle_pairs)
            else:
                _add_bounded(chunk, self._idle)
        return True

    def _names_nothing(self, word: NameWord, *, begins: bool) -> bool:
        """Whether a word by itself is no name, and no title or container of another name."""
        if word.unspaced:
            return not any(map(self._search.may_begin, map("".join, pairwise(word.text))))
        if word.text in self._titles or self._containers.find_by_code(word.surface):
            return False
        name = self._search.first_step(word.surface).name
        return name is None or self._classifier.is_never_place(name, word.surface, begins=begins)

    def _may_continue(self, word: NameWord, following: NameWord) -> bool:
        beams = self._search.first_step(word.surface).beams
        return bool(beams) and self._search.next_step(beams, following.text) is not DEAD_END


def _add_bounded(what: _Idle, known: set[_Idle]) -> None:
    if len(known) >= _MAX_CACHED:
        known.clear()
    known.add(what)
