"""The words that follow the numbers of a slot: "percent", "degrees"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

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
    expander = TextExpander(collection.rules, _MAX_TEXTS)
    found: dict[str, set[str]] = defaultdict(set)
    for block in collection.blocks:
        rules = {**collection.rules, **block.rules}
        lists = {**collection.lists, **block.lists}
        for sentence in block.sentences:
            for slot, texts in _followers(sentence, rules, expander):
                if isinstance(lists.get(slot.list), RangeList):
                    found[slot.slot] |= texts
    return {slot: frozenset(texts) for slot, texts in found.items()}


def _followers(
    expression: Expression, rules: Mapping[str, Expression], expander: TextExpander
) -> Iterator[tuple[ListReference, frozenset[str]]]:
    """The lists in an expression, each with the words right behind it."""
    match expression:
        case RuleReference(rule):
            yield from _followers(rules[rule], rules, expander)
        case Alternative(items) | Permutation(items):
            for item in items:
                yield from _followers(item, rules, expander)
        case Sequence(items):
            for index, item in enumerate(items):
                if isinstance(item, ListReference):
                    yield item, _first_words(items[index + 1 :], expander)
                else:
                    yield from _followers(item, rules, expander)


def _first_words(items: tuple[Expression, ...], expander: TextExpander) -> frozenset[str]:
    """The words with which the texts of a sequence may begin."""
    whole = frozenset(("",))
    for item in items[:_MAX_ITEMS]:
        joined = join_texts(whole, expander.expand(item), _MAX_TEXTS)
        if joined is None:
            break
        whole = joined
    return frozenset(text.split()[0] for text in whole if text.strip())
