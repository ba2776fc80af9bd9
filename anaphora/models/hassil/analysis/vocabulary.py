"""The words of the templates of each intent, those of its lists not counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

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

__all__ = ["find_first_words", "find_words"]

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


def find_first_words(collection: SentenceCollection) -> dict[str, frozenset[str]]:
    """The words that the sentences of each intent may begin with: "is", "turn"."""
    shared = _FirstWordFinder(collection.rules)
    found: dict[str, set[str]] = {}
    for block in collection.blocks:
        finder = _FirstWordFinder({**collection.rules, **block.rules}) if block.rules else shared
        words = found.setdefault(block.intent, set())
        for sentence in block.sentences:
            words |= finder.find(sentence).words
    return {intent: frozenset(words) for intent, words in found.items()}


class _First(NamedTuple):
    """The ``words`` that an expression may begin with, and whether it may be left out."""

    words: frozenset[str]
    is_optional: bool


class _FirstWordFinder:
    """Finds the first words of expressions with ``rules``; a value of a list has none."""

    def __init__(self, rules: Mapping[str, Expression]) -> None:
        self._rules = rules
        self._known: dict[str, _First] = {}

    def find(self, expression: Expression) -> _First:
        match expression:
            case Text(text):
                word = _WORD.match(fold_case(text).lstrip())
                return _First(frozenset([word[0]] if word else ()), not text.strip())
            case RuleReference(rule):
                if rule not in self._known:
                    self._known[rule] = self.find(self._rules[rule])
                return self._known[rule]
            case Sequence(items):
                words: set[str] = set()
                for one in map(self.find, items):
                    words |= one.words
                    if not one.is_optional:
                        return _First(frozenset(words), is_optional=False)
                return _First(frozenset(words), is_optional=True)
            case Alternative(items) | Permutation(items):
                found = [self.find(item) for item in items]
                is_optional = (all if isinstance(expression, Permutation) else any)(
                    one.is_optional for one in found
                )
                return _First(frozenset().union(*(one.words for one in found)), is_optional)
        return _First(frozenset(), is_optional=False)


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
