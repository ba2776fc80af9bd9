"""The built-in entity ``sort``: the order of results.

The phrases are in ``languages/<code>/sorting.yaml``:

- ``sort``: requests for an order ("sort", "ranked"); ``weak``: words that are such requests only
  beside a criterion or a direction ("order", as in "order by price");
- ``ascending`` and ``descending``: directions that are enough by themselves ("in descending
  order"); ``ascending_of`` and ``descending_of``: directions that the criterion may follow
  directly («по убыванию цены»); ``up`` and ``down``: directions beside a request only ("desc");
- ``by``: words before a criterion; ``of``: words before a criterion only behind a direction ("in
  ascending order of price"); ``by_behind``: words behind a criterion (順); ``breaks``: words that
  end a criterion ("by price in Paris"), or precede one that ends with ``by_behind``;
- ``none``: phrases that are no requests ("in order to").

The value is ``asc``, ``desc`` or None. In the metadata ``asc`` is present with a direction, and
``by`` has the two offsets of the criterion in the text, if there is one. The targets are resolved
later: see :mod:`anaphora.entities.builtin.references.resolution`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from anaphora.entities.builtin.references.clauses import SENTENCE_MARKS, Clause, split_clauses
from anaphora.entities.recognizers.recognizer import Mention, Recognizer
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
    """Create the recognizer of sorts in a language."""
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


class _SortRecognizer(PhraseRecognizer):
    def _find_mentions(self, atoms: Sequence[Atom]) -> list[Mention]:
        return [
            mention
            for sentence in split_clauses(self._book.find(atoms), atoms, SENTENCE_MARKS)
            for one in _find_sort_phrases(sentence)
            if (mention := _to_mention(one, atoms)) is not None
        ]


@dataclass(frozen=True, slots=True)
class _SortPhrase:
    """The phrases of one request (``items[head]``), which has the atoms from ``start`` up to
    ``end``."""

    head: int
    items: tuple[Item, ...]
    start: int
    end: int


def _find_sort_phrases(sentence: Clause) -> Iterator[_SortPhrase]:
    """One for each request; without requests and criteria, other than weak ones, one for the first
    direction that is enough by itself. A phrase between two requests belongs to the first."""
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


def _to_mention(order: _SortPhrase, atoms: Sequence[Atom]) -> Mention | None:
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
        meta["by"] = [atoms[criterion[0]].start, atoms[criterion[1] - 1].end]
    value = None if not directions else "asc" if directions[0] else "desc"
    return Mention(atoms[start].start, atoms[end - 1].end, value, meta)


def _find_criterion(order: _SortPhrase) -> tuple[int, int] | None:
    """The atoms of the criterion (half open): behind "by", up to the end or a break; None if there
    is no criterion."""
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
    """The atoms of the head and of the phrases adjacent to it: directions before and behind, and
    the word before the criterion."""
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
