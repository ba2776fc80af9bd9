"""Words by how many letters they differ in.

A letter that is wrong, missing, too much, or in its neighbour's place counts as one. Most words
are ruled out by which letters they have, for all at once, before any is compared letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["MIN_LENGTH", "SpellingIndex"]

MIN_LENGTH = 4
"""Shorter words are never taken for misspelt ones."""

_MIN_STEM_LENGTH = 5  # letters; shorter ones have too many near them
_MIN_LENGTH_FOR_TWO_TYPOS = 7  # letters of a word that may have two wrong ones
_MAX_RESULTS = 8  # words for which one may stand

_Numbers: TypeAlias = npt.NDArray[np.int64]


class SpellingIndex:
    """The words that may be misspelt: spellings with their stems, and how many wrong letters
    each may have."""

    def __init__(self, words: Mapping[tuple[str, str], int]) -> None:
        self._words = _WordIndex((lower, stem, typos) for (lower, stem), typos in words.items())
        # A word whose ending is another one may be nearer by its stem.
        self._stems = _WordIndex(
            (stem, stem, typos)
            for (lower, stem), typos in words.items()
            if stem != lower and len(stem) >= _MIN_STEM_LENGTH
        )

    def find_nearest(
        self, lower: str, stem: str, alternatives: Iterable[str] = ()
    ) -> list[tuple[str, int]]:
        """The stems of the words that are nearest to one that is no such word, each with the
        number of letters in which it differs; ``meant`` is what it may mean without what is
        attached to it."""
        if len(lower) < MIN_LENGTH:
            return []
        # The ending may be all that keeps a word from being near (İstnbulda, İstanbul).
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
    """Texts, each with a stem and how many letters of it may be wrong."""

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
        """The stem of each text that is near, and how many letters differ."""
        from rapidfuzz import process  # here: in most models no word may have wrong letters
        from rapidfuzz.distance import OSA

        nearest = process.extract(
            text, self._prefilter(text), scorer=OSA.distance, score_cutoff=self._most, limit=None
        )
        for one, distance, _ in nearest:
            for stem, allowed in self._known[one]:
                if distance <= allowed:
                    yield stem, int(distance)

    def _prefilter(self, text: str) -> list[str]:
        """The texts that are about as long, and have about the same letters."""
        likely = np.flatnonzero(np.abs(self._lengths - len(text)) <= self._most)
        differing = self._letters[likely] ^ _letter_bits(text)
        for _ in range(2 * self._most):  # a wrong letter takes one away and brings one
            differing &= differing - 1
        return [self._texts[index] for index in likely[differing == 0]]


def _letter_bits(text: str) -> int:
    """Which letters there are, as bits; several share one."""
    bits = 0
    for char in text:
        bits |= 1 << ord(char) % 63
    return bits
