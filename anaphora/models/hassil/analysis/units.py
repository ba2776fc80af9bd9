"""The words that follow the numbers of a slot: "percent", "degrees"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from anaphora.grammar.sentences.expansion import TextExpander, join_texts
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    ListReference,
    Permutation,
    RuleReference,
    Sequence,
)
from anaphora.models.hassil.collection import RangeList, SentenceCollection

__all__ = ["find_units"]

_MAX_TEXTS = 60
_MAX_ITEMS = 3


def find_units(collection: SentenceCollection) -> dict[str, frozenset[str]]:
    """The words that may follow a number right away, by the slot that it fills."""
    shared = _FollowerFinder(collection.rules)
    found: dict[str, set[str]] = defaultdict(set)
    for block in collection.blocks:
        finder = _FollowerFinder({**collection.rules, **block.rules}) if block.rules else shared
        lists = {**collection.lists, **block.lists} if block.lists else collection.lists
        for sentence in block.sentences:
            for name, slot, texts in finder.find(sentence):
                if isinstance(lists.get(name), RangeList):
                    found[slot] |= texts
    return {slot: frozenset(texts) for slot, texts in found.items()}


_Follower: TypeAlias = tuple[str, str, frozenset[str]]
"""A list, its slot, and the words right behind it."""


class _FollowerFinder:
    """Finds the lists in expressions with ``rules``, each with the words right behind it."""

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._expander = TextExpander(rules, _MAX_TEXTS)
        self._known: dict[str, tuple[_Follower, ...]] = {}

    def find(self, expression: Expression) -> Iterator[_Follower]:
        match expression:
            case RuleReference(rule):
                if rule not in self._known:
                    self._known[rule] = tuple(dict.fromkeys(self.find(self._rules[rule])))
                yield from self._known[rule]
            case Alternative(items) | Permutation(items):
                for item in items:
                    yield from self.find(item)
            case Sequence(items):
                for index, item in enumerate(items):
                    if isinstance(item, ListReference):
                        words = _first_words(items[index + 1 :], self._expander)
                        yield item.list, item.slot, words
                    else:
                        yield from self.find(item)


def _first_words(items: tuple[Expression, ...], expander: TextExpander) -> frozenset[str]:
    """The words with which the texts of a sequence may begin."""
    whole = frozenset(("",))
    for item in items[:_MAX_ITEMS]:
        joined = join_texts(whole, expander.expand(item), _MAX_TEXTS)
        if joined is None:
            break
        whole = joined
    return frozenset(text.split()[0] for text in whole if text.strip())
