"""Tries of texts, word by word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any, Final, NamedTuple

from anaphora.grammar.sentences.normalization import CJK_RANGES

__all__ = ["BLANKS", "UNIT", "End", "Lazy", "Node"]


class Lazy:
    """Computes slots when they are first read: of most templates a process reads little.

    Two threads may compute one at once; what they find is equal.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:  # is called for what is not set yet
        if name in self.__slots__:
            self._compute(name)
        return object.__getattribute__(self, name)

    def _compute(self, name: str) -> None:
        raise NotImplementedError


UNIT: Final = re.compile(f"[{CJK_RANGES}][ _-]?|[^ _{CJK_RANGES}-]+[ _-]?|[ _-]")
"""What a trie goes on by: a word, or a character of a script without blanks, with the blank or
hyphen that follows it."""

BLANKS: Final = " -_"
"""What separates words: hyphens count as blanks."""


class End(NamedTuple):
    """What ends with a text of a trie: the mark True of a literal, or the values of a list.
    ``starts_word``: whether a word begins after it; None: as before it."""

    values: list[Any]
    starts_word: bool | None


class Node(Lazy):
    """A node of a trie of texts, word by word.

    ``following`` are the nodes after a word, ``ends`` what ends within or with one, ``lengths`` how
    long the latter are that begin with a character, ascending; ``firsts`` the characters that may
    come first. ``entries`` are the texts, each with what ends at it. ``starts_word`` tells whether
    a word begins after a text (None: as before it). With ``skips_blank`` blanks may come first.
    """

    __slots__ = (
        "_entries",
        "_starts_word",
        "ends",
        "firsts",
        "following",
        "lengths",
        "skips_blank",
    )

    ends: Mapping[str, End]
    firsts: Set[str]
    following: Mapping[str, Node]
    lengths: Mapping[str, tuple[int, ...]]

    def __init__(
        self,
        entries: Iterable[tuple[str, Any]] = (),
        *,
        starts_word: Callable[[str], bool | None] = lambda _: None,
        skips_blank: bool = False,
    ) -> None:
        self._entries = tuple(entries)
        self._starts_word, self.skips_blank = starts_word, skips_blank

    def _compute(self, name: str) -> None:
        if name == "firsts":  # most nodes are asked for nothing else
            blanks = BLANKS if self.skips_blank else ""
            self.firsts = {text[0] for text, _ in self._entries}.union(blanks)
            return
        ends: dict[str, End] = {}
        following: dict[str, list[tuple[str, Any]]] = {}
        lengths: dict[str, set[int]] = {}
        for text, value in self._entries:
            unit = UNIT.match(text)
            assert unit is not None, text
            if unit.end() < len(text):
                following.setdefault(unit[0], []).append((text[unit.end() :], value))
                continue
            lengths.setdefault(text[0], set()).add(len(text))
            end = ends.setdefault(text, End([], self._starts_word(text)))
            if value not in end.values:
                end.values.append(value)
        self.lengths = {first: tuple(sorted(found)) for first, found in lengths.items()}
        self.following = {
            unit: Node(entries, starts_word=self._starts_word)
            for unit, entries in following.items()
        }
        self.ends = ends

    @property
    def is_empty(self) -> bool:
        """Whether no text is in the trie."""
        return not self._entries
