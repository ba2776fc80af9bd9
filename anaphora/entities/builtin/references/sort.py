"""The built-in entity ``sort``: in which order.

The words stand in ``languages/<code>/sorting.yaml``:

- ``sort``: those that ask for an order ("sort", "ranked"); ``weak``: those that do so only where a
  criterion or a direction is named as well ("order", as in "order by price");
- ``ascending`` and ``descending``: directions that are enough by themselves ("in descending
  order"), ``ascending_of`` and ``descending_of`` such ones which the criterion may follow at once
  («по убыванию цены»); ``up`` and ``down``: those that only say how, beside such a word ("desc");
- ``by``: words before a criterion, ``of`` those that are such only behind a direction ("in
  ascending order of price"), ``by_behind`` those behind it (順); ``breaks``: words at which a
  criterion ends ("by price in Paris"), or behind which one begins that has its word behind it;
- ``none``: phrases in which nothing is found ("in order to").

The value is ``asc``, ``desc`` or nothing; the metadata has ``asc`` where a direction is said, and
under ``by``, where a criterion is, the two offsets in the text between which it stands. What it
refers to is found later: see :mod:`anaphora.entities.builtin.references.resolution`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from anaphora.entities.builtin.references.clauses import SENTENCE_MARKS, Clause, split_clauses
from anaphora.entities.recognizers.recognizer import Mention, Recognizer, TokenizedText, get_text
from anaphora.entities.words.normalization import base_code

__all__ = ["create"]

_SECTIONS = (
    "sort", "weak", "ascending", "descending", "up", "down", "by", "of", "by_behind", "breaks",
    "ascending_of", "descending_of",
)  # fmt: skip
_HEADS = frozenset({"sort", "weak"})
_DIRECTIONS: Mapping[str, bool] = {
    "ascending": True, "ascending_of": True, "up": True,
    "descending": False, "descending_of": False, "down": False,
}  # fmt: skip
_OF = frozenset({"ascending_of", "descending_of"})
_STRONG = _OF | {"ascending", "descending"}


def create(language: str, options: Mapping[str, Any]) -> Recognizer:
    """The recognizer of orders in a language."""
    return _SortRecognizer(_phrasebook(base_code(language)))


@lru_cache(maxsize=32)
def _phrasebook(language: str) -> Phrasebook:
    book = Phrasebook(language)
    for table in load_phrase_tables("sorting", language):
        book.add_beside(table.get("none", ()), NO_MATCH, table)
        for section in _SECTIONS:
            add = book.add if section in _STRONG or section in _HEADS else book.add_beside
            add(table.get(section, ()), section, table)
    return book.finish()


class _SortRecognizer:
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
            mention
            for sentence in split_clauses(phrases, found, SENTENCE_MARKS)
            for one in _find_sort_phrases(sentence)
            if (mention := _to_mention(one, found)) is not None
        ]


@dataclass(frozen=True, slots=True)
class _SortPhrase:
    """The phrases of one order, by the word at ``head`` among ``items``; they stand between the
    atoms ``start`` and ``end``."""

    head: int
    items: tuple[Item, ...]
    start: int
    end: int


def _find_sort_phrases(sentence: Clause) -> Iterator[_SortPhrase]:
    """One for each word that asks for an order; if there is none but weak ones, and no criterion,
    for the first direction that is enough by itself. A phrase between two such words belongs to
    the first of them."""
    items = sentence.items
    heads = [at for at, item in enumerate(items) if item.meaning in _HEADS]
    directions = [at for at, item in enumerate(items) if item.meaning in _STRONG]
    if directions and not any(item.meaning in {"sort", "by"} for item in items):
        heads = directions[:1]
    for place, head in enumerate(heads):
        first = head if place else 0
        last = heads[place + 1] if place + 1 < len(heads) else len(items)
        start = items[first].start if place else sentence.start
        end = items[last].start if last < len(items) else sentence.end
        yield _SortPhrase(head - first, items[first:last], start, end)


def _to_mention(order: _SortPhrase, found: Sequence[Atom]) -> Mention | None:
    head = order.items[order.head]
    directions = [_DIRECTIONS[one.meaning] for one in order.items if one.meaning in _DIRECTIONS]
    criterion = _find_criterion(order)
    if head.meaning == "weak" and criterion is None and not directions:
        return None
    start, end = _mention_bounds(order)
    meta: dict[str, Any] = {}
    if directions:
        meta["asc"] = directions[0]
    if criterion is not None and criterion[0] < criterion[1]:
        meta["by"] = [found[criterion[0]].start, found[criterion[1] - 1].end]
    value = None if not directions else "asc" if directions[0] else "desc"
    return Mention(found[start].start, found[end - 1].end, value, meta)


def _find_criterion(order: _SortPhrase) -> tuple[int, int] | None:
    """Between which atoms the criterion stands: behind "by", up to the end or to a head that
    follows; None if there is none."""
    head = order.items[order.head]
    for at, item in enumerate(order.items):
        if item.meaning == "by_behind" and item.end <= head.start:
            breaks = [one.end for one in order.items[:at] if one.meaning == "breaks"]
            return max((order.start, *breaks)), item.start
    behind = [
        item for item in order.items if _leads_criterion(item, order) and item.start >= head.end
    ]
    behind = behind or [item for item in order.items if item.meaning in _OF]
    if behind:
        start = behind[0].end
        breaks = [one.start for one in order.items if one.meaning == "breaks"]
        return start, min((at for at in breaks if at >= start), default=order.end)
    before = [
        item for item in order.items if _leads_criterion(item, order) and item.end <= head.start
    ]
    return (before[-1].end, head.start) if before else None


def _leads_criterion(item: Item, order: _SortPhrase) -> bool:
    if item.meaning == "of":
        return any(one.end == item.start and one.meaning in _STRONG for one in order.items)
    return bool(item.meaning == "by")


def _mention_bounds(order: _SortPhrase) -> tuple[int, int]:
    """The atoms of the head and of what hangs together with it: directions before and behind,
    and the word that leads to the criterion."""
    start, end = order.items[order.head].start, order.items[order.head].end
    for item in order.items[order.head + 1 :]:
        if item.start != end or not (item.meaning in _DIRECTIONS or _leads_criterion(item, order)):
            break
        end = item.end
        if item.meaning not in _DIRECTIONS:
            break
    for item in reversed(order.items[: order.head]):
        if item.end != start or item.meaning not in {*_DIRECTIONS, "by_behind"}:
            break
        start = item.start
    return start, end
