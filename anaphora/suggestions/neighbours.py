"""Count the words beside the entities of each element."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from anaphora.core.utterance import Utterance
from anaphora.entities.variants.search import find_variants
from anaphora.suggestions.candidates import Occurrence

__all__ = ["Neighbours"]

_EDGE = ""
_LEFT_SIDE, _RIGHT_SIDE = 0, 1

_Neighbour: TypeAlias = tuple[int, str]
"""The side on which a word stands, and its label."""


class Neighbours:
    """Counts in utterances which words precede and follow the entities of each element."""

    def __init__(self) -> None:
        self._beside: defaultdict[_Neighbour, Counter[str]] = defaultdict(Counter)

    def learn(self, utterance: Utterance, times: int = 1) -> None:
        """Count the neighbours of the entities of an utterance."""
        labels = _labels(utterance)
        for entity in find_variants(utterance, 1)[0].entities:
            for neighbour in _neighbours(labels, entity.tokens[0], entity.tokens[-1]):
                self._beside[neighbour][entity.element] += times

    def shares(self, occurrences: Sequence[Occurrence]) -> dict[str, float]:
        """Return for each element how typical its neighbours are of these occurrences, from 0 to
        1; elements with 0 are left out.

        The value is the mean, over the occurrences and the two sides of each, of the share of the
        element in all the entities beside that word. One more entity, of no element, is added to
        each count, so that a single entity proves little.
        """
        found: Counter[_Neighbour] = Counter()
        for occurrence in occurrences:
            labels = _labels(occurrence.question.utterance)
            found.update(_neighbours(labels, occurrence.first, occurrence.last))
        shares: defaultdict[str, float] = defaultdict(float)
        for neighbour, times in found.items():
            elements = self._beside.get(neighbour, Counter())
            total = (elements.total() + 1) * 2 * len(occurrences)
            for element, count in elements.items():
                shares[element] += times * count / total
        return shares


def _labels(utterance: Utterance) -> list[str]:
    """Return a label for each token: the word in lower case, '' for whitespace and punctuation,
    ``<element>`` within an entity."""
    labels = [
        token.lower if any(map(str.isalnum, token.lower)) else "" for token in utterance.tokens
    ]
    for entity in utterance.entities:
        for index in entity.tokens:
            labels[index] = f"<{entity.element}>"
    return labels


def _neighbours(labels: Sequence[str], first: int, last: int) -> tuple[_Neighbour, _Neighbour]:
    left = next(filter(None, reversed(labels[:first])), _EDGE)
    right = next(filter(None, labels[last + 1 :]), _EDGE)
    return (_LEFT_SIDE, left), (_RIGHT_SIDE, right)
