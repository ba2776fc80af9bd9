"""Count the words beside the entities of each element."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from anaphora.core.utterance import Utterance
from anaphora.entities.variants.search import find_variants
from anaphora.suggestions.candidates import Occurrence

__all__ = ["Neighbours"]

_EDGE = ""
_LEFT_SIDE, _RIGHT_SIDE = 0, 1


class Neighbours:
    """Counts in utterances which words precede and follow the entities of each element."""

    def __init__(self) -> None:
        self._beside: tuple[defaultdict[str, Counter[str]], ...] = (
            defaultdict(Counter),
            defaultdict(Counter),
        )

    def learn(self, utterance: Utterance, times: int = 1) -> None:
        """Count the neighbours of the entities of an utterance."""
        entities = find_variants(utterance, 1)[0].entities
        labels = _labels(utterance)
        for entity in entities:
            self._beside[_LEFT_SIDE][_left_label(labels, entity.tokens[0])][entity.element] += times
            self._beside[_RIGHT_SIDE][_right_label(labels, entity.tokens[-1])][entity.element] += (
                times
            )

    def shares(self, occurrences: Sequence[Occurrence]) -> dict[str, float]:
        """Return for each element how typical its neighbours are of these occurrences, from 0 to
        1; elements with 0 are left out.

        The value is the mean, over the occurrences and the two sides of each, of the share of the
        element in all the entities beside that word. One more entity, of no element, is added to
        each count, so that a single entity proves little.
        """
        sides: Counter[tuple[int, str]] = Counter()
        for occurrence in occurrences:
            labels = _labels(occurrence.question.utterance)
            sides[_LEFT_SIDE, _left_label(labels, occurrence.first)] += 1
            sides[_RIGHT_SIDE, _right_label(labels, occurrence.last)] += 1
        shares: defaultdict[str, float] = defaultdict(float)
        for (side, label), times in sides.items():
            elements = self._beside[side].get(label, Counter())
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


def _left_label(labels: Sequence[str], index: int) -> str:
    return next((label for label in reversed(labels[:index]) if label), _EDGE)


def _right_label(labels: Sequence[str], index: int) -> str:
    return next((label for label in labels[index + 1 :] if label), _EDGE)
