"""Find the values of the slots in a text that a template accepts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from anaphora.entities.sentences.automaton import Place
from anaphora.entities.sentences.segments import (
    Choice,
    ListValue,
    Literal,
    Node,
    NumberSlot,
    TextSlot,
    WildcardSlot,
)

__all__ = ["Capture", "Captures", "find_captures"]

_INTEGER = re.compile(r"\s*(-?\d+)", re.ASCII)
_DECIMAL = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)", re.ASCII)
_BREAKS = "-_"


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


def find_captures(
    start: Place, text: str, accepts: Callable[[ListValue], bool]
) -> Iterator[Captures]:
    """All ways to read a normalized text by the template that begins at ``start``. ``accepts``
    tells which values of lists the template may take."""
    return _Reader(f"{text} ", accepts).read(start, 0, (), 0, begins=True)


class _Reader:
    __slots__ = ("_accepts", "_text")

    def __init__(self, text: str, accepts: Callable[[ListValue], bool]) -> None:
        self._text, self._accepts = text, accepts

    def read(
        self, place: Place, at: int, found: tuple[Capture, ...], weight: int, *, begins: bool
    ) -> Iterator[Captures]:
        """Read from ``at``, where a word ``begins`` or not."""
        if place.template >= 0:
            if at >= len(self._text) - 1 or not self._text[at:].strip():
                yield Captures(found, weight)
            return
        segment = place.path[place.index]
        after = place.next()
        if isinstance(segment, Literal):
            yield from self._read_literal(segment, after, at, found, weight, begins=begins)
        elif isinstance(segment, Choice):
            for path in segment.paths:
                yield from self.read(after.enter(path), at, found, weight, begins=begins)
        elif isinstance(segment, TextSlot):
            trie = segment.trie
            root = trie.word_start if begins else trie.mid_word
            for end, node in self._walk(root, at, begins=begins):
                for value in node.ends:
                    if self._accepts(value):
                        one = Capture(segment.slot, at, end, value, response_only=segment.capture)
                        more = (*found, one)
                        yield from self.read(after, end, more, weight, begins=begins)
        elif isinstance(segment, NumberSlot):
            yield from self._read_number(segment, after, at, found, weight, begins=begins)
        else:
            assert isinstance(segment, WildcardSlot)
            yield from self._read_wildcard(segment, after, at, found, weight)

    def _walk(self, node: Node, at: int, *, begins: bool) -> Iterator[tuple[int, Node]]:
        """The texts of a trie that begin at a position: where each ends, and its node."""
        text = self._text
        if begins:
            while at < len(text) and (text[at] == " " or (text[at] in _BREAKS and at)):
                at += 1
        for index in range(at, len(text)):
            character = text[index]
            child = node.children.get(character)
            if child is None and character in _BREAKS:
                child = node.children.get(" ")
            if child is None:
                return
            node = child
            if node.ends:
                yield index + 1, node

    def _read_literal(
        self,
        segment: Literal,
        after: Place,
        at: int,
        found: tuple[Capture, ...],
        weight: int,
        *,
        begins: bool,
    ) -> Iterator[Captures]:
        root = segment.word_start if begins else segment.mid_word
        for end, node in self._walk(root, at, begins=begins):
            count = end - at - self._text.count(" ", at, end)
            more = weight + count
            yield from self.read(after, end, found, more, begins=node.starts_word)
        if segment.is_blank and not begins and self._text[at : at + 1] in ("", " ", *_BREAKS):
            behind = min(at + 1, len(self._text))
            yield from self.read(after, behind, found, weight, begins=True)
        if segment.is_optional or (segment.is_blank and begins):
            yield from self.read(after, at, found, weight, begins=begins)

    def _read_number(
        self,
        segment: NumberSlot,
        after: Place,
        at: int,
        found: tuple[Capture, ...],
        weight: int,
        *,
        begins: bool,
    ) -> Iterator[Captures]:
        numbers = segment.numbers
        digits = (_DECIMAL if numbers.fractions else _INTEGER).match(self._text, at)
        if digits is not None:
            number = float(digits[1].replace(",", "."))
            if numbers.digits and number in numbers:
                one = self._number(segment, digits.start(1), digits.end(), number)
                more = (*found, one)
                yield from self.read(after, digits.end(), more, weight, begins=begins)
            return
        for end, node in self._walk(segment.words, at, begins=begins):
            for number in node.ends:
                one = self._number(segment, at, end, number)
                count = len(self._text[at:end].strip())
                more = (*found, one)
                yield from self.read(after, end, more, weight + count, begins=begins)

    @staticmethod
    def _number(segment: NumberSlot, start: int, end: int, number: float) -> Capture:
        value: Any = (
            number if segment.numbers.multiplier is None else (number * segment.numbers.multiplier)
        )
        if float(value).is_integer():
            value = int(value)
        return Capture(segment.slot, start, end, number=value, response_only=segment.capture)

    def _read_wildcard(
        self, segment: WildcardSlot, after: Place, at: int, found: tuple[Capture, ...], weight: int
    ) -> Iterator[Captures]:
        text = self._text
        while at < len(text) and text[at] == " ":
            at += 1
        last = len(text) - 1
        for end in range(at + 1, last + 1):
            if end < last and segment.ends_word and text[end - 1].isalnum() and text[end].isalnum():
                continue
            one = Capture(segment.slot, at, end, response_only=segment.capture)
            if text[end - 1] == " ":
                continue  # the same wildcard without the blank was tried
            yield from self.read(after, end, (*found, one), weight, begins=True)
