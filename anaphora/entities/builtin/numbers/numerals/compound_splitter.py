"""Split compound numerals: *vierundzwanzig*, двадцатипятитысячный."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["CompoundSplitter"]

_MAX_LETTERS = 150
_PREFIX_LETTERS = 2


class CompoundSplitter:
    """Splits words that consist of known words only."""

    def __init__(self, words: Collection[str]) -> None:
        self._words = frozenset(words)
        self._longest = max(map(len, self._words), default=0)
        self._starts = frozenset(word[:_PREFIX_LETTERS] for word in self._words)

    def split(self, word: str) -> list[str]:
        """The known words that ``word`` consists of, at each position the longest possible one;
        none, if there is any remainder."""
        if len(word) > _MAX_LETTERS or word[:_PREFIX_LETTERS] not in self._starts:
            return []
        # From the end: the longest word at each position after which the rest can be split.
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
