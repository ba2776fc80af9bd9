"""Normalize an utterance for matching, keeping the positions of the original text."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from anaphora.grammar.sentences.normalization import CJK_SPACE, fold_case

__all__ = ["InputText", "Piece", "SkipWords", "normalize_input", "replace_pieces"]

_BREAKS = " ,，、"  # between words that only link and what follows
_MARKS = ".。,，?¿？؟!¡！;；:：…—–―"
_WORD = re.compile(r"\S+")
_INITIALS = re.compile(r"(?:\w\.){2,}")
_PLAIN = re.compile(r"[a-z0-9' ]*")


@dataclass(frozen=True, slots=True)
class InputText:
    """A normalized text. ``starts`` are the positions in it at which a run begins that stands at
    ``origins`` in the original text."""

    text: str
    starts: tuple[int, ...] = (0,)
    origins: tuple[int, ...] = (0,)

    def original(self, position: int) -> int:
        """The position in the original text of a character of this one."""
        run = max(bisect_right(self.starts, position) - 1, 0) if len(self.starts) > 1 else 0
        return self.origins[run] + position - self.starts[run]

    def position(self, original: int) -> int:
        """The position in this text of a character of the original one, or of what follows it."""
        return bisect_left(range(len(self.text)), original, key=self.original)

    def find(self, start: int, end: int, text: str) -> tuple[int, int]:
        """Where the characters ``start`` to ``end`` of this text stand in the original ``text``."""
        first, last = self.original(start), self.original(end - 1) + 1
        if not text.isascii():
            while last < len(text) and _continues(text[first:last], text[last]):
                last += 1
        return first, last

    def spell(self, start: int, end: int, text: str) -> str:
        """The characters ``start`` to ``end`` of this text in the case of the original ``text``:
        without punctuation, skip words and repeated blanks."""
        if len(self.starts) == 1:
            return text[self.original(start) : self.original(end)].replace("’", "'")
        spelt = []
        last = len(text) - 1
        for position in range(start, end):
            character, written = self.text[position], text[min(self.original(position), last)]
            if written == character or fold_case(written) == character:
                spelt.append(written)
            else:
                spelt.append(character.upper() if written.isupper() else character)
        return "".join(spelt)

    def cut(self, pieces: Iterable[tuple[int, int]]) -> InputText:
        """The text of which only ``pieces`` (from, to) are left, joined by blanks."""
        parts: list[str] = []
        starts: list[int] = []
        origins: list[int] = []
        length = 0
        for start, end in pieces:
            if start >= end:
                continue
            if parts:
                length += 1
            parts.append(self.text[start:end])
            first = max(bisect_right(self.starts, start) - 1, 0)
            starts.append(length)
            origins.append(self.original(start))
            for run in range(first + 1, len(self.starts)):
                if self.starts[run] >= end:
                    break
                starts.append(length + self.starts[run] - start)
                origins.append(self.origins[run])
            length += end - start
        return InputText(" ".join(parts), tuple(starts or (0,)), tuple(origins or (0,)))


class Piece(NamedTuple):
    """Characters ``start`` to ``end`` of a text, and what they are replaced by."""

    start: int
    end: int
    text: str


def replace_pieces(text: InputText, pieces: Iterable[Piece]) -> InputText:
    """The text with pieces replaced; positions of what is replaced are those of its ends."""
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0
    for start, end, new in pieces:
        if not new:
            continue
        if text.text[start:end] == new:
            kept = text.cut([(start, end)])
            starts += [length + one for one in kept.starts]
            origins += kept.origins
        else:
            last = len(new.rstrip()) - 1
            starts += [length, length + max(last, 1)]
            origins += [text.original(start), text.original(end - 1)]
        parts.append(new)
        length += len(new)
    return InputText("".join(parts), tuple(starts or (0,)), tuple(origins or (0,)))


def normalize_input(text: str, *, ignores_spaces: bool = False) -> InputText:
    """Compose characters, fold case and white space, and drop the punctuation around words."""
    if text.isascii():
        folded = text.lower()
    else:
        folded = fold_case(unicodedata.normalize("NFC", text).replace("’", "'"))
    if _PLAIN.fullmatch(folded) and "  " not in folded:
        start = 1 if folded.startswith(" ") else 0
        return InputText(folded.strip(" "), (0,), (start,))
    pieces = []
    for word in _WORD.finditer(folded):
        start, end = word.span()
        while start < end and folded[start] in _MARKS:
            start += 1
        if not _INITIALS.fullmatch(folded, start, end):
            while end > start and folded[end - 1] in _MARKS:
                end -= 1
        pieces.append((start, end))
    whole = InputText(folded) if len(folded) == len(text) else _compose(folded, text)
    if not ignores_spaces:
        return whole.cut(pieces)
    return _join_cjk(whole.cut(pieces))


def _compose(folded: str, text: str) -> InputText:
    """The composed form of a text, with the positions of what was composed."""
    origins: list[int] = []
    begin = 0
    for position in range(1, len(text) + 1):
        if position < len(text) and _continues(text[begin:position], text[position]):
            continue
        length = len(unicodedata.normalize("NFC", text[begin:position]))
        origins += (min(begin + one, position - 1) for one in range(length))
        begin = position
    return InputText(folded, tuple(range(len(origins))), tuple(origins))


def _continues(before: str, character: str) -> bool:
    """Whether a character is composed with what is before it."""
    if character.isascii():
        return False
    if unicodedata.combining(character):
        return True
    tail = before[-2:]
    whole = unicodedata.normalize("NFC", tail + character)
    return len(whole) <= len(unicodedata.normalize("NFC", tail))


def _join_cjk(text: InputText) -> InputText:
    """Drop the white space between characters of scripts that write none."""
    kept, at = [], 0
    for space in CJK_SPACE.finditer(text.text):
        kept.append((at, space.start()))
        at = space.end()
    if not kept:
        return text
    kept.append((at, len(text.text)))
    parts: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0
    for start, end in kept:
        part = text.cut([(start, end)])
        parts.append(part.text)
        starts += [length + one for one in part.starts]
        origins += part.origins
        length += len(part.text)
    return InputText("".join(parts), tuple(starts), tuple(origins))


class SkipWords:
    """Words and phrases that may stand anywhere and mean nothing: "please"."""

    def __init__(self, phrases: Iterable[str], *, ignores_spaces: bool = False) -> None:
        listed = {fold_case(one).strip() for one in phrases} - {""}
        self._spaceless = ignores_spaces
        self._is_empty = not listed
        either = "|".join(map(re.escape, sorted(listed, key=lambda one: (-len(one), one))))
        before, after = ("", "") if ignores_spaces else (r"(?<!\w)", r"(?!\w)")
        self._anywhere = re.compile(f"{before}(?:{either}){after}")
        self._at_start = re.compile(f"(?:{either}){after}")
        self._at_end = re.compile(rf"{before}(?:{either})\s*\Z")

    def remove(self, text: InputText) -> InputText:
        """The text without any of them; the same object if there are none."""
        if self._is_empty or not self._anywhere.search(text.text):
            return text
        kept, at = [], 0
        for found in self._anywhere.finditer(text.text):
            kept.append((at, found.start()))
            at = found.end()
        return _cut_words(text, [*kept, (at, len(text.text))])

    def remove_at_start(self, text: InputText) -> InputText:
        """The text without those at its beginning."""
        if self._is_empty:
            return text
        at = 0
        while found := self._at_start.match(text.text, at):
            at = found.end()
            while at < len(text.text) and text.text[at] in _BREAKS:
                at += 1
        return _cut_words(text, [(at, len(text.text))]) if at else text

    def remove_at_end(self, text: InputText) -> InputText:
        """The text without those at its end."""
        if self._is_empty:
            return text
        end = len(text.text)
        while found := self._at_end.search(text.text[:end]):
            end = found.start()
            while end and text.text[end - 1] == " ":
                end -= 1
        return _cut_words(text, [(0, end)]) if end < len(text.text) else text


def _cut_words(text: InputText, pieces: list[tuple[int, int]]) -> InputText:
    """The text of which only ``pieces`` are left, without blanks at their ends."""
    trimmed = []
    for start, end in pieces:
        while start < end and text.text[start] == " ":
            start += 1
        while end > start and text.text[end - 1] == " ":
            end -= 1
        trimmed.append((start, end))
    return text.cut(trimmed)
