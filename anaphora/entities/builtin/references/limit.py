"""The built-in entity ``limit``: how many of something, and from which end.

The words stand in ``languages/<code>/limits.yaml``; ``#`` is a number or one of the amounts:

- ``descending`` and ``ascending``: phrases that begin with the greatest, best or latest ("top #"),
  or with the least, worst or first ("bottom #"), ``either`` those that don't say ("# of");
- ``before``: those that stand behind what they limit ("# in total");
- ``bare``: ``descending`` and ``ascending`` ones without a number ("top cities"), which mean as
  many as the option ``default`` says;
- ``alone``: amounts that limit by themselves ("a few"), ``amounts``: those that do not ("dozen"),
  each under its number;
- ``none``: phrases in which nothing is found ("on top of").

The value is the number; the metadata has it under ``limit``, and under ``asc`` whether the least
come first (absent, if that is not said). ``refers`` is ``before`` for those of that section. What
it refers to is found later: see :mod:`anaphora.entities.builtin.references.resolution`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from spacy.tokens import Doc

from anaphora.entities.builtin.atoms import Atom
from anaphora.entities.builtin.chart_parser import Item
from anaphora.entities.builtin.phrasebook import (
    NO_MATCH,
    Phrasebook,
    leftmost_longest,
    load_phrase_tables,
)
from anaphora.entities.builtin.references.counts import find_counts
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code

__all__ = ["create"]

_DIRECTIONS: Mapping[str, bool | None] = {"descending": False, "ascending": True, "either": None}


@dataclass(frozen=True, slots=True)
class _LimitKind:
    """``count`` is that of an amount; ``bare`` says that the default is meant."""

    asc: bool | None = None
    before: bool = False
    bare: bool = False
    count: int = 0


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """The recognizer of limits in a language; of its options it takes ``default``."""
    code = base_code(language)
    return _LimitRecognizer(_phrasebook(code), code, int(options.get("default", 10)))


@lru_cache(maxsize=32)
def _phrasebook(language: str) -> Phrasebook:
    book = Phrasebook(language)
    for table in load_phrase_tables("limits", language):
        book.add_beside(table.get("none", ()), NO_MATCH, table)
        for section, asc in _DIRECTIONS.items():
            book.add(table.get(section, ()), _LimitKind(asc), table)
            bare = table.get("bare", {}).get(section, ())
            book.add(bare, _LimitKind(asc, bare=True), table)
        book.add(table.get("before", ()), _LimitKind(before=True), table)
        for count, phrases in table.get("alone", {}).items():
            book.add(phrases, _LimitKind(count=int(count)), table)
            book.add_count(phrases, int(count), table)
        for count, phrases in table.get("amounts", {}).items():
            book.add_count(phrases, int(count), table)
    return book.finish()


class _LimitRecognizer:
    def __init__(self, book: Phrasebook, language: str, default: int) -> None:
        self._book = book
        self._language = language
        self._default = default

    def __call__(self, doc: Doc | TokenizedText, at: datetime) -> Iterable[Mention]:
        found = self._book.atoms(get_text(doc))
        if not found:
            return []
        phrases = self._book.read(found, find_counts(found, self._language))
        usable = [item for item in phrases if not _is_bare(item) or _is_word_at(found, item.end)]
        return [
            self._to_mention(item, found)
            for item in leftmost_longest(usable)
            if item.meaning != NO_MATCH
        ]

    def _to_mention(self, item: Item, found: Sequence[Atom]) -> Mention:
        match item.meaning:
            case (_LimitKind() as kind, int(limit)):
                pass
            case _:
                kind = item.meaning
                limit = kind.count or self._default
        meta: dict[str, Any] = {"limit": limit}
        if kind.asc is not None:
            meta["asc"] = kind.asc
        if kind.before:
            meta["refers"] = "before"
        return Mention(found[item.start].start, found[item.end - 1].end, str(limit), meta)


def _is_bare(item: Item) -> bool:
    return isinstance(item.meaning, _LimitKind) and item.meaning.bare


def _is_word_at(found: Sequence[Atom], end: int) -> bool:
    """Whether a word stands there: "top cities", and not "the top" or "top 10.5"."""
    return end < len(found) and found[end].kind == "word"
