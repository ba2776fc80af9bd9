"""Tells in a microsecond or two that a text names no place: most texts name none.

What stands between blanks is *idle* if none of its words begins a name that could be meant,
whatever stands around it: neither "breakfast" nor "order" (Order is too small a place for a common
word). Idle ones are remembered as they are written, so that a text of them takes one set test.
A word such as "the" begins names ("the hague"): it is idle before most others, and such pairs are
remembered. Whatever is not idle is left to the recognizer, which reads the text in full.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeVar

from anaphora.entities.places.containment import Containers
from anaphora.entities.places.evidence import Judge
from anaphora.entities.places.search import NOWHERE, NameSearch
from anaphora.entities.places.spelling import Word, words_of
from anaphora.entities.places.tables import LanguageTable

__all__ = ["Skimmer"]

_MOST_REMEMBERED, _LONGEST_REMEMBERED = 8192, 40
# What begins a text is judged otherwise, if it has a capital; a blank tells it from the rest.
_BEGINNING = "\n"

_Idle = TypeVar("_Idle", str, tuple[str, str])


class Skimmer:
    """Looks through texts for anything that might name a place."""

    def __init__(
        self, search: NameSearch, judge: Judge, containers: Containers, table: LanguageTable
    ) -> None:
        self._search = search
        self._judge = judge
        self._containers = containers
        self._titles = frozenset(title.split(" ")[0] for title in table.titles)
        # Many threads may add to these; what one of them clears is found anew.
        self._idle: set[str] = set()
        self._pairs: set[tuple[str, str]] = set()
        self._busy: set[str] = set()
        self._leading: set[tuple[str, str]] = set()

    def finds_nothing(self, text: str) -> bool:
        """Whether no place is named in ``text``; False where only the recognizer can tell."""
        chunks = text.split()
        idle, pairs = self._idle, self._pairs
        if idle.issuperset(chunks):
            return True
        if not self._busy.isdisjoint(chunks[1:]):
            return False
        begins = True
        for pair in pairwise((*chunks, "")):
            if pair in self._leading:
                return False
            known = pair[0] in idle or pair in pairs
            if not (known or self._is_idle(*pair) or (begins and self._is_idle_first(*pair))):
                return False
            begins = False
        return True

    def _is_idle_first(self, chunk: str, following: str) -> bool:
        return self._is_idle(_BEGINNING + chunk, following)

    def _is_idle(self, chunk: str, following: str) -> bool:
        if chunk in self._idle or (chunk, following) in self._pairs:
            return True
        words = words_of(chunk)
        begins = chunk.startswith(_BEGINNING)
        if not all(self._means_nothing(word, begins=begins and word is words[0]) for word in words):
            if not begins and len(chunk) <= _LONGEST_REMEMBERED:
                _remember(chunk, self._busy)
            return False
        after = words_of(following)[:1]
        short = len(chunk) + len(following) <= _LONGEST_REMEMBERED
        if any(self._lead_on(*two) for two in pairwise((*words, *after))):
            if short and not begins:
                _remember((chunk, following), self._leading)
            return False
        if short:
            if words and self._search.first(words[-1].written).beams:
                _remember((chunk, following), self._pairs)
            else:
                _remember(chunk, self._idle)
        return True

    def _means_nothing(self, word: Word, *, begins: bool) -> bool:
        """Whether a word by itself names nothing, nor tells anything of what stands before it."""
        if word.unspaced:
            return not any(map(self._search.begins, map("".join, pairwise(word.text))))
        if word.text in self._titles or self._containers.by_code(word.written):
            return False
        name = self._search.first(word.written).name
        return name is None or self._judge.hopeless(name, word.written, begins=begins)

    def _lead_on(self, word: Word, following: Word) -> bool:
        beams = self._search.first(word.written).beams
        return bool(beams) and self._search.next(beams, following.text) is not NOWHERE


def _remember(what: _Idle, known: set[_Idle]) -> None:
    if len(known) >= _MOST_REMEMBERED:
        known.clear()
    known.add(what)
