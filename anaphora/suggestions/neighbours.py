"""Beside which words the entities of an element stand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from anaphora.core.utterance import Utterance
from anaphora.entities.variants.search import find_variants
from anaphora.suggestions.candidates import Occurrence

__all__ = ["Neighbours"]

_EDGE = ""
_LEFT_SIDE, _RIGHT_SIDE = 0, 1  # the word on the left, the word on the right


class Neighbours:
    """Learns from utterances which elements stand behind and before which words."""

    def __init__(self) -> None:
        self._beside: tuple[defaultdict[str, Counter[str]], ...] = (
            defaultdict(Counter),
            defaultdict(Counter),
        )

    def learn(self, utterance: Utterance, times: int = 1) -> None:
        """Take note of the entities of an utterance."""
        entities = find_variants(utterance, 1)[0].entities
        labels = _labels(utterance)
        for entity in entities:
            self._beside[_LEFT_SIDE][_left_label(labels, entity.tokens[0])][entity.element] += times
            self._beside[_RIGHT_SIDE][_right_label(labels, entity.tokens[-1])][entity.element] += (
                times
            )

    def shares(self, places: Sequence[Occurrence]) -> dict[str, float]:
        """How far these places are an element's, from 0 to 1, for each that has any share.

        It is the mean, over the places and the two sides of each, of the share that the element
        has in all the entities beside that word; one more entity, of no element, is counted with
        them so that a single one proves little.
        """
        sides: Counter[tuple[int, str]] = Counter()
        for place in places:
            labels = _labels(place.question.utterance)
            sides[_LEFT_SIDE, _left_label(labels, place.first)] += 1
            sides[_RIGHT_SIDE, _right_label(labels, place.last)] += 1
        shares: defaultdict[str, float] = defaultdict(float)
        for (side, label), times in sides.items():
            elements = self._beside[side].get(label, Counter())
            total = (elements.total() + 1) * 2 * len(places)
            for element, count in elements.items():
                shares[element] += times * count / total
        return shares


def _labels(utterance: Utterance) -> list[str]:
    """Each token as a neighbour: a word in lower case; '' for blanks and punctuation."""
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
