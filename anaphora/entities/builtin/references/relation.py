"""The built-in entity ``relation``: what is compared or correlated with what.

The phrases are in ``languages/<code>/relations.yaml``, under ``compare`` and ``correlate``, by the
position of the related things: ``behind`` the phrase ("compare …"), on both sides of it
(``between``: "… versus …"), or ``before`` it. ``none`` lists phrases that are no relations.

The value and the ``type`` in the metadata are ``compare`` or ``correlate``; ``refers`` is
``between`` or ``before`` for the phrases of these sections. A phrase between two things that
continues a comparison of the same sentence ("compare A versus B") is not another one. The targets
are resolved later: see :mod:`anaphora.entities.builtin.references.resolution`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.phrasebook import (
    NO_MATCH,
    Phrasebook,
    PhraseRecognizer,
    load_phrase_tables,
)
from anaphora.entities.builtin.references.clauses import SENTENCE_MARKS, split_clauses
from anaphora.entities.recognizers.recognizer import Mention, Recognizer
from anaphora.entities.words.normalization import base_code

__all__ = ["create"]

_TYPES = ("compare", "correlate")
_SIDES = ("behind", "between", "before")


@dataclass(frozen=True, slots=True)
class _RelationKind:
    type: str
    refers: str


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """Create the recognizer of relations in a language."""
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


class _RelationRecognizer(PhraseRecognizer):
    def _find_mentions(self, atoms: Sequence[Atom]) -> list[Mention]:
        return [
            _to_mention(item, atoms[item.start].start, atoms[item.end - 1].end)
            for sentence in split_clauses(self._book.find(atoms), atoms, SENTENCE_MARKS)
            for item in _drop_continuations(sentence.items)
        ]


def _drop_continuations(phrases: Iterable[Item]) -> Iterable[Item]:
    """The phrases that do not continue another one of the same sentence."""
    is_open = False
    for item in phrases:
        if not (is_open and item.meaning.refers == "between"):
            yield item
        is_open = is_open or item.meaning.refers == "behind"


def _to_mention(item: Item, start: int, end: int) -> Mention:
    kind: _RelationKind = item.meaning
    meta = {"type": kind.type}
    if kind.refers != "behind":
        meta["refers"] = kind.refers
    return Mention(start, end, kind.type, meta)
