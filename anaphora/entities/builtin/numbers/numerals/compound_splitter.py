"""Words that are written as one: *vierundzwanzig*, двадцатипятитысячный."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["CompoundSplitter"]

_MAX_LETTERS = 150  # letters
_EDGE = 2


class CompoundSplitter:
    """Takes words apart that consist of others and of nothing else."""

    def __init__(self, words: Collection[str]) -> None:
        self._words = frozenset(words)
        self._longest = max(map(len, self._words), default=0)
        self._starts = frozenset(word[:_EDGE] for word in self._words)

    def split(self, word: str) -> list[str]:
        """The words that ``word`` consists of, the longest ones first in each place; none, where
        it does not."""
        if len(word) > _MAX_LETTERS or word[:_EDGE] not in self._starts:
            return []
        # From the end: how long a word may be in each place so that the rest comes out even.
        size, longest = len(word), [0] * len(word)
        for at in range(size - 1, -1, -1):
            for end in range(min(size, at + self._longest), at, -1):
                if (end == size or longest[end]) and word[at:end] in self._words:
                    longest[at] = end - at
                    break
        parts, at = [], 0
        while at < size and longest[at]:
            parts.append(word[at : at + longest[at]])
            at += longest[at]
        return parts
