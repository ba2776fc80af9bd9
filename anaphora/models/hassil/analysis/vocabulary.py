"""The words of the templates of a collection, those of its lists not counted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from anaphora.grammar.sentences.normalization import fold_case
from anaphora.grammar.sentences.syntax import Alternative, Expression, Permutation, Sequence, Text
from anaphora.models.hassil.collection import SentenceCollection

__all__ = ["find_words"]

_WORD = re.compile(r"[^\W\d_]+")


def find_words(collection: SentenceCollection) -> frozenset[str]:
    """The words of the sentences and rules: "dim", "lights", "percent"."""
    texts = {text for expression in _expressions(collection) for text in _texts(expression)}
    return frozenset(word for text in texts for word in _WORD.findall(fold_case(text)))


def _expressions(collection: SentenceCollection) -> Iterator[Expression]:
    yield from collection.rules.values()
    for block in collection.blocks:
        yield from block.sentences
        yield from block.rules.values()


def _texts(expression: Expression) -> Iterator[str]:
    match expression:
        case Text(text):
            yield text
        case Sequence(items) | Alternative(items) | Permutation(items):
            for item in items:
                yield from _texts(item)
