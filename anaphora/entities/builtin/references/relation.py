"""The built-in entity ``relation``: what is compared or correlated with what.

The words stand in ``languages/<code>/relations.yaml``, under ``compare`` and ``correlate``,
by where that which they connect stands: ``behind`` them ("compare …"), ``between`` which they
stand ("… versus …"), ``before`` them; under ``none`` phrases in which nothing is found.

The value and the ``type`` in the metadata are ``compare`` or ``correlate``; ``refers`` is
``between`` or ``before`` for the phrases of these sections. A phrase between two things that only
goes on with a comparison begun in the same sentence ("compare A versus B") is no other one. What
it refers to is found later: see :mod:`anaphora.entities.builtin.references.resolution`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.phrasebook import (
    NO_MATCH,
    Phrasebook,
    leftmost_longest,
    load_phrase_tables,
)
from anaphora.entities.builtin.references.clauses import SENTENCE_MARKS, split_clauses
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code

__all__ = ["create"]

_TYPES = ("compare", "correlate")
_SIDES = ("behind", "between", "before")


@dataclass(frozen=True, slots=True)
class _RelationKind:
    type: str
    refers: str


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """The recognizer of relations in a language."""
    return _RelationRecognizer(_phrasebook(base_code(language)))


@lru_cache(maxsize=32)
def _phrasebook(language: str) -> Phrasebook:
    book = Phrasebook(language)
    for table in load_phrase_tables("relations", language):
        book.add_beside(table.get("none", ()), NO_MATCH, table)
        for type in _TYPES:
            for refers in _SIDES:
                phrases = table.get(type, {}).get(refers, ())
                book.add(phrases, _RelationKind(type, refers), table)
    return book.finish()


class _RelationRecognizer:
    def __init__(self, book: Phrasebook) -> None:
        self._book = book

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        found = self._book.atoms(get_text(doc))
        if not found:
            return []
        phrases = [
            item for item in leftmost_longest(self._book.read(found)) if item.meaning != NO_MATCH
        ]
        return [
            _to_mention(item, found[item.start].start, found[item.end - 1].end)
            for sentence in split_clauses(phrases, found, SENTENCE_MARKS)
            for item in _drop_continuations(sentence.items)
        ]


def _drop_continuations(phrases: Iterable[Item]) -> Iterable[Item]:
    """Those that don't go on with another one of the same sentence."""
    goes_on = False
    for item in phrases:
        if not (goes_on and item.meaning.refers == "between"):
            yield item
        goes_on = goes_on or item.meaning.refers == "behind"


def _to_mention(item: Item, start: int, end: int) -> Mention:
    kind: _RelationKind = item.meaning
    meta = {"type": kind.type}
    if kind.refers != "behind":
        meta["refers"] = kind.refers
    return Mention(start, end, kind.type, meta)
