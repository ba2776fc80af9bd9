"""The words of the templates of each intent, those of its lists not counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from anaphora.grammar.sentences.normalization import fold_case
from anaphora.grammar.sentences.syntax import (
    Alternative,
    Expression,
    Permutation,
    RuleReference,
    Sequence,
    Text,
)
from anaphora.models.hassil.collection import SentenceCollection

__all__ = ["find_words"]

_WORD = re.compile(r"[^\W\d_]+")


def find_words(collection: SentenceCollection) -> dict[str, frozenset[str]]:
    """The words of the sentences of each intent, and of their rules: "dim", "lights", "percent"."""
    shared = _WordFinder(collection.rules)
    found: dict[str, set[str]] = {}
    for block in collection.blocks:
        finder = _WordFinder({**collection.rules, **block.rules}) if block.rules else shared
        words = found.setdefault(block.intent, set())
        for sentence in block.sentences:
            words.update(finder.find(sentence))
    return {intent: frozenset(words) for intent, words in found.items()}


class _WordFinder:
    """Finds the words of expressions with ``rules``."""

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._known: dict[str, frozenset[str]] = {}

    def find(self, expression: Expression) -> Iterator[str]:
        match expression:
            case Text(text):
                yield from _WORD.findall(fold_case(text))
            case RuleReference(rule):
                if rule not in self._known:
                    self._known[rule] = frozenset(self.find(self._rules[rule]))
                yield from self._known[rule]
            case Sequence(items) | Alternative(items) | Permutation(items):
                for item in items:
                    yield from self.find(item)
