"""Find the ranges of a text between quotation marks or brackets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate

__all__ = ["Enclosures", "find_brackets", "find_quotes", "has_enclosures"]

# Closing marks, each with its possible opening marks.
_QUOTES = {
    '"': '"', "'": "'", "”": "“„", "“": "„", "’": "‘‚", "‘": "‚", "»": "«", "«": "»",
    "›": "‹", "‹": "›", "」": "「", "』": "『",
}  # fmt: skip
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}

_QUOTE = re.compile("[" + "".join({*_QUOTES, *"".join(_QUOTES.values())}) + "]")
_BRACKET = re.compile(r"[()\[\]{}<>]")
_ANY = re.compile(f"[{_QUOTE.pattern[1:-1]}{_BRACKET.pattern[1:-1]}]")
_APOSTROPHES = "'’"
_OPENING = frozenset("".join(_QUOTES.values()))


class Enclosures:
    """Ranges of a text, each from behind an opening mark to its closing one."""

    __slots__ = ("_reaches", "_starts")

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        ordered = sorted(ranges)
        self._starts = [start for start, _ in ordered]
        # The greatest end of the ranges that start here or before.
        self._reaches = list(accumulate((end for _, end in ordered), max))

    def enclose(self, start: int, end: int) -> bool:
        """Whether one of the ranges contains all from ``start`` to ``end``."""
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and self._reaches[at] >= end


def has_enclosures(text: str) -> bool:
    """Whether a text contains quotation marks or brackets."""
    return _ANY.search(text) is not None


def find_quotes(text: str) -> Enclosures | None:
    """Find the ranges between quotation marks; None for a text without such marks.

    Apostrophes don't count: a single mark opens before a word and closes behind one.
    """
    return Enclosures(_quote_ranges(text)) if _QUOTE.search(text) else None


def find_brackets(text: str) -> Enclosures | None:
    """Find the ranges in round, square, curly or angle brackets; None for a text without
    brackets."""
    return Enclosures(_bracket_ranges(text)) if _BRACKET.search(text) else None


def _quote_ranges(text: str) -> Iterator[tuple[int, int]]:
    opened: dict[str, int] = {}  # the last position of each mark
    for found in _QUOTE.finditer(text):
        sign, at = found[0], found.start()
        after_word = text[at - 1 : at].isalnum()
        before_word = text[at + 1 : at + 2].isalnum()
        if sign in _APOSTROPHES and after_word and before_word:
            continue
        begun = [opened[one] for one in _QUOTES.get(sign, "") if one in opened]
        if begun and not (sign == "'" and before_word):
            start = max(begun)
            yield start + 1, at
            opened = {one: place for one, place in opened.items() if place < start}
        elif sign in _OPENING and not (sign == "'" and after_word):
            opened[sign] = at


def _bracket_ranges(text: str) -> Iterator[tuple[int, int]]:
    opened: dict[str, list[int]] = {sign: [] for sign in _BRACKETS.values()}
    for found in _BRACKET.finditer(text):
        sign, at = found[0], found.start()
        if sign in opened:
            opened[sign].append(at)
        elif begun := opened[_BRACKETS[sign]]:
            yield begun.pop() + 1, at
