"""Find the words within a bounded edit distance (optimal string alignment).

A substituted, missing, additional or transposed letter counts as one edit. Most words are ruled out
by their set of letters, for all words at once, before any is compared letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["MIN_LENGTH", "SpellingIndex"]

MIN_LENGTH = 4
"""Shorter words are never treated as misspelt."""

_MIN_STEM_LENGTH = 5  # letters; shorter stems are similar to too many words
_MIN_LENGTH_FOR_TWO_TYPOS = 7  # letters
_MAX_RESULTS = 8  # words

_Numbers: TypeAlias = npt.NDArray[np.int64]


class SpellingIndex:
    """Words that may be misspelt: their spellings and stems, with the number of typos allowed in
    each."""

    def __init__(self, words: Mapping[tuple[str, str], int]) -> None:
        self._words = _WordIndex((lower, stem, typos) for (lower, stem), typos in words.items())
        # A word with another ending may be nearer by its stem.
        self._stems = _WordIndex(
            (stem, stem, typos)
            for (lower, stem), typos in words.items()
            if stem != lower and len(stem) >= _MIN_STEM_LENGTH
        )

    def find_nearest(
        self, lower: str, stem: str, alternatives: Iterable[str] = ()
    ) -> list[tuple[str, int]]:
        """Return the stems of the words nearest to ``lower``, each with its edit distance.
        ``alternatives`` are other stems that ``lower`` may stand for."""
        if len(lower) < MIN_LENGTH:
            return []
        # The ending alone may make a word too distant (İstnbulda, İstanbul).
        stems = [stem] if stem != lower and len(stem) >= _MIN_STEM_LENGTH else []
        texts = dict.fromkeys(
            (lower, *stems, *(one for one in alternatives if len(one) >= MIN_LENGTH))
        )
        nearest = chain(*map(self._words.find_near, texts), self._stems.find_near(stem))
        found: dict[str, int] = {}
        for one, typos in nearest:
            found[one] = min(typos, found.get(one, typos))
        least = min(found.values(), default=0)
        return sorted((one, typos) for one, typos in found.items() if typos == least)[:_MAX_RESULTS]


class _WordIndex:
    """Texts, each with stems and the number of typos allowed."""

    def __init__(self, words: Iterable[tuple[str, str, int]]) -> None:
        known: dict[str, dict[str, int]] = {}
        for text, stem, typos in words:
            allowed = typos if len(text) >= _MIN_LENGTH_FOR_TWO_TYPOS else min(typos, 1)
            stems = known.setdefault(text, {})
            stems[stem] = max(allowed, stems.get(stem, 0))
        self._known = {text: tuple(stems.items()) for text, stems in known.items()}
        self._texts = list(self._known)
        most = (allowed for stems in self._known.values() for _, allowed in stems)
        self._most = max(most, default=0)
        self._lengths: _Numbers = np.array(list(map(len, self._texts)), np.int64)
        self._letters: _Numbers = np.array(list(map(_letter_bits, self._texts)), np.int64)

    def find_near(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield the stem of each text within its allowed edit distance, and the distance."""
        from rapidfuzz import process  # here: most models allow no typos
        from rapidfuzz.distance import OSA

        nearest = process.extract(
            text, self._prefilter(text), scorer=OSA.distance, score_cutoff=self._most, limit=None
        )
        for one, distance, _ in nearest:
            for stem, allowed in self._known[one]:
                if distance <= allowed:
                    yield stem, int(distance)

    def _prefilter(self, text: str) -> list[str]:
        """Return the texts of similar length with almost the same set of letters."""
        likely = np.flatnonzero(np.abs(self._lengths - len(text)) <= self._most)
        differing = self._letters[likely] ^ _letter_bits(text)
        for _ in range(2 * self._most):  # a substitution removes one letter and adds one
            differing &= differing - 1
        return [self._texts[index] for index in likely[differing == 0]]


def _letter_bits(text: str) -> int:
    """Return the set of letters as bits; several letters share one."""
    bits = 0
    for char in text:
        bits |= 1 << ord(char) % 63
    return bits
