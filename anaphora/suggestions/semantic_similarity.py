"""Compare the meaning of phrases with the synonyms of a model, by vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anaphora.suggestions.synonyms import Synonym

__all__ = ["SemanticMatch", "Vectors", "find_closest"]

_MOST_OF_AN_ELEMENT = 200  # synonyms that are compared
_BLOCK = 512  # phrases compared at once
_NOTHING = 0.3  # a cosine that any two words may have


class Vectors(Protocol):
    """Returns a unit vector for each text, or zeros if its meaning is unknown."""

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


@dataclass(frozen=True, slots=True)
class SemanticMatch:
    """The synonym whose meaning is closest to a phrase."""

    synonym: Synonym
    cosine: float

    @property
    def strength(self) -> float:
        return min(1.0, max(0.0, (self.cosine - _NOTHING) / (1 - _NOTHING)))

    def __str__(self) -> str:
        return f"close in meaning to '{self.synonym.text}' ({self.cosine:.2f})"


def find_closest(
    vectors: Vectors, forms: Sequence[str], synonyms: Iterable[Synonym]
) -> list[dict[str, SemanticMatch]]:
    """Return for each phrase, by element, the synonym with the closest meaning, if it is closer
    than chance."""
    known = sorted(_limit_per_element(synonyms), key=lambda synonym: synonym.element)
    if not forms or not known:
        return [{} for _ in forms]
    rows = vectors([*forms, *(synonym.form for synonym in known)])
    mine, theirs = rows[: len(forms)], rows[len(forms) :].T
    elements = [synonym.element for synonym in known]
    starts = [i for i, one in enumerate(elements) if i == 0 or elements[i - 1] != one]
    found: list[dict[str, SemanticMatch]] = []
    for begin in range(0, len(forms), _BLOCK):
        cosines = mine[begin : begin + _BLOCK] @ theirs
        for row in cosines:
            best = [
                start + int(np.argmax(row[start:end]))
                for start, end in pairwise([*starts, len(known)])
            ]
            found.append(
                {
                    elements[index]: SemanticMatch(known[index], min(1.0, float(row[index])))
                    for index in best
                    if row[index] > _NOTHING
                }
            )
    return found


def _limit_per_element(synonyms: Iterable[Synonym]) -> Iterator[Synonym]:
    counts: Counter[str] = Counter()
    for synonym in synonyms:
        counts[synonym.element] += 1
        if counts[synonym.element] <= _MOST_OF_AN_ELEMENT:
            yield synonym
