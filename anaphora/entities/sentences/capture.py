"""Find the values of the slots in a text that a template accepts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from anaphora.entities.sentences.automaton import Place
from anaphora.entities.sentences.segments import (
    Choice,
    ListValue,
    Literal,
    NumberSlot,
    TextSlot,
    WildcardSlot,
)
from anaphora.entities.sentences.word_trie import BLANKS, UNIT, End, Node

__all__ = ["Capture", "Captures", "find_captures"]

_INTEGER = re.compile(r"\s*(-?\d+)", re.ASCII)
_DECIMAL = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)", re.ASCII)
_BREAKS = tuple(BLANKS.strip())
_BLANKS = ("", " ", *_BREAKS)
_MAX_WAYS = 200


class Capture(NamedTuple):
    """A value of a slot, at ``start`` to ``end`` of the normalized text.

    ``listed`` is the value of a text list; ``number`` that of a range; neither for a wildcard.
    """

    slot: str
    start: int
    end: int
    listed: ListValue | None = None
    number: float | None = None
    response_only: bool = False

    @property
    def is_wildcard(self) -> bool:
        return self.listed is None and self.number is None


class Captures(NamedTuple):
    """One way to read a text by a template. ``weight`` is the number of literal characters, those
    of values not counted."""

    captures: tuple[Capture, ...]
    weight: int


def find_captures(start: Place, text: str, accepts: Callable[[ListValue], bool]) -> list[Captures]:
    """All ways to read a normalized text by the template that begins at ``start``. ``accepts``
    tells which values of lists the template may take. Of very many ways, the first are returned."""
    reader = _Reader(f"{text} ", accepts)
    reader.read((start, 0, True, (), 0))
    return reader.ways


_Branch: TypeAlias = tuple[Place, int, bool, tuple[Capture, ...], int]
"""Where a way goes on: the place, the position, whether a word begins there, what was found before,
and its weight."""


class _Reader:
    """Reads by backtracking and collects the ``ways`` that lead to the end.

    ``_dead`` are the places and positions from which none does: each is tried once, so that several
    wildcards in a row stay cheap.
    """

    __slots__ = ("_accepts", "_dead", "_end", "_text", "ways")

    def __init__(self, text: str, accepts: Callable[[ListValue], bool]) -> None:
        self._text, self._accepts = text, accepts
        self._end = len(text.rstrip())
        self._dead: set[tuple[Place, int, bool]] = set()
        self.ways: list[Captures] = []

    def read(self, branch: _Branch) -> None:
        """Follow all ways of a branch. The last one needs no recursion: most places have one."""
        ways, dead = self.ways, self._dead
        passed: list[tuple[Place, int, bool]] = []
        known = len(ways)
        while (place := branch[0]).template < 0:
            key = branch[:3]
            if key in dead or len(ways) >= _MAX_WAYS:
                break
            passed.append(key)
            branches = self._branch(place, branch)
            if not branches:
                break
            branch = branches.pop()
            if branches:
                for other in branches:
                    self.read(other)
                if len(ways) > known:
                    passed.clear()
                    known = len(ways)
        else:
            _, at, _, found, weight = branch
            if at >= self._end:
                ways.append(Captures(found, weight))
                return
        dead.update(passed)

    def _branch(self, place: Place, branch: _Branch) -> list[_Branch]:
        """The ways through the segment at a place."""
        segment, after = place.path[place.index], place.next()
        if isinstance(segment, Literal):
            return self._read_literal(segment, after, branch)
        if isinstance(segment, Choice):
            return [(after.enter(path), *branch[1:]) for path in segment.paths]
        if isinstance(segment, TextSlot):
            return self._read_value(segment, after, branch)
        if isinstance(segment, NumberSlot):
            return self._read_number(segment, after, branch)
        assert isinstance(segment, WildcardSlot)
        return self._read_wildcard(segment, after, branch)

    def _walk(self, node: Node | None, at: int, *, begins: bool) -> list[tuple[int, End]]:
        """The texts of a trie that begin at a position: where each ends, and what ends there."""
        text = self._text
        if begins:
            while text[at : at + 1] == " " or (at and text[at : at + 1] in _BREAKS):
                at += 1
        found: list[tuple[int, End]] = []
        while node is not None and (
            (first := text[at : at + 1]) in node.firsts or first in _BREAKS
        ):
            unit = UNIT.match(text, at)
            assert unit is not None
            word = unit[0]
            following = None
            for form in (word, f"{word[:-1]} ") if word[-1] in _BREAKS else (word,):
                for length in node.lengths.get(form[0], ()):
                    end = node.ends.get(form[:length])
                    if end is not None and length <= len(form):
                        found.append((at + length, end))
                following = following or node.following.get(form)
            node, at = following, unit.end()
        return found

    def _read_literal(self, segment: Literal, after: Place, branch: _Branch) -> list[_Branch]:
        _, at, begins, found, weight = branch
        text = self._text
        root = segment.word_start if begins else segment.mid_word
        branches: list[_Branch] = []
        for end, (_, starts_word) in self._walk(root, at, begins=begins):
            more = weight + end - at - text.count(" ", at, end)
            branches.append((after, end, bool(starts_word), found, more))
        if segment.is_blank and not begins and text[at : at + 1] in _BLANKS:
            branches.append((after, min(at + 1, len(text)), True, found, weight))
        if segment.is_optional or (segment.is_blank and begins):
            branches.append((after, at, begins, found, weight))
        return branches

    def _read_value(self, segment: TextSlot, after: Place, branch: _Branch) -> list[_Branch]:
        _, at, begins, found, weight = branch
        root = segment.trie.word_start if begins else segment.trie.mid_word
        branches: list[_Branch] = []
        for end, (values, _) in self._walk(root, at, begins=begins):
            for value in values:
                if self._accepts(value):
                    one = Capture(segment.slot, at, end, value, None, segment.capture)
                    branches.append((after, end, begins, (*found, one), weight))
        return branches

    def _read_number(self, segment: NumberSlot, after: Place, branch: _Branch) -> list[_Branch]:
        _, at, begins, found, weight = branch
        numbers = segment.numbers
        digits = (_DECIMAL if numbers.fractions else _INTEGER).match(self._text, at)
        if digits is not None:
            number = float(digits[1].replace(",", "."))
            if not numbers.digits or number not in numbers:
                return []
            start, end = digits.span(1)
            one = _number_capture(segment, start, end, number)
            return [(after, end, begins, (*found, one), weight)]
        branches: list[_Branch] = []
        for end, (values, _) in self._walk(segment.words, at, begins=begins):
            more = weight + len(self._text[at:end].strip())
            for number in values:
                one = _number_capture(segment, at, end, number)
                branches.append((after, end, begins, (*found, one), more))
        return branches

    def _read_wildcard(self, segment: WildcardSlot, after: Place, branch: _Branch) -> list[_Branch]:
        _, at, _, found, weight = branch
        text = self._text
        while at < len(text) and text[at] == " ":
            at += 1
        last = len(text) - 1
        first = at + 1 if after.template < 0 else max(at + 1, self._end)
        branches: list[_Branch] = []
        for end in range(first, last + 1):
            if end < last and segment.ends_word and text[end - 1].isalnum() and text[end].isalnum():
                continue
            if text[end - 1] == " ":
                continue  # the same wildcard without the blank was tried
            one = Capture(segment.slot, at, end, response_only=segment.capture)
            branches.append((after, end, True, (*found, one), weight))
        return branches


def _number_capture(segment: NumberSlot, start: int, end: int, number: float) -> Capture:
    multiplier = segment.numbers.multiplier
    value: Any = number if multiplier is None else number * multiplier
    if float(value).is_integer():
        value = int(value)
    return Capture(segment.slot, start, end, number=value, response_only=segment.capture)
