"""Splits documents into passages, along headings, paragraphs and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import regex

from anaphora.ltm.history.measure import count_words
from anaphora.ltm.summarizers.sentences import split_sentences

__all__ = ["SPLITTER_VERSION", "Passage", "Section", "split_passages"]

SPLITTER_VERSION = 1
"""Version of the splitter. It is raised whenever a text is split differently."""

_MAX_WORDS = 180  # MiniLM reads some 180 English words
_ENOUGH_WORDS = 120  # a passage of this size ends with its paragraph
_LETTERS_PER_WORD = 8  # a longer word counts as several
_MAX_CHUNK = 240  # graphemes of a text without spaces that stay together
_PARAGRAPH_END = regex.compile(r"\n[^\S\n]*\n\s*")
_WORD = regex.compile(r"\S+\s*|\s+")
_GRAPHEMES = regex.compile(rf"\X{{1,{_MAX_CHUNK}}}")


@dataclass(frozen=True, slots=True)
class Section:
    """The text below a heading; ``headings`` are those above it and its own, outermost first."""

    text: str
    headings: tuple[str, ...] = ()


class Passage(NamedTuple):
    """A passage of at most some 180 words, and the headings above it."""

    text: str
    headings: tuple[str, ...] = ()


def split_passages(sections: Iterable[Section]) -> Iterator[Passage]:
    """Split sections into passages of at most 180 words (of some 360 characters in scripts without
    spaces). A passage ends with its section, with a paragraph once it has 120 words, else with a
    sentence. Longer sentences are split between words, and longer words between graphemes."""
    for section in sections:
        for text in _pack(_split_pieces(section.text)):
            yield Passage(text, section.headings)


class _Piece(NamedTuple):
    """A part of a text with its trailing white space, and whether a paragraph begins with it."""

    text: str
    size: int
    is_first: bool


def _pack(pieces: Iterable[_Piece]) -> Iterator[str]:
    """Join pieces to texts as long as possible."""
    parts: list[str] = []
    size = 0
    for piece in pieces:
        full = size + piece.size > _MAX_WORDS or (piece.is_first and size >= _ENOUGH_WORDS)
        if parts and full:
            yield "".join(parts).strip()
            parts, size = [], 0
        parts.append(piece.text)
        size += piece.size
    if text := "".join(parts).strip():
        yield text


def _split_pieces(text: str) -> Iterator[_Piece]:
    for paragraph in _split_after(_PARAGRAPH_END, text.strip()):
        is_first = True
        for sentence in split_sentences(paragraph):
            for part in _split_long(sentence):
                yield _Piece(part, _size(part), is_first)
                is_first = False


def _split_after(end: regex.Pattern[str], text: str) -> Iterator[str]:
    """Split a text behind each match; joined, the parts are the text."""
    start = 0
    for match in end.finditer(text):
        yield text[start : match.end()]
        start = match.end()
    if start < len(text):
        yield text[start:]


def _split_long(sentence: str) -> Iterator[str]:
    """Split a sentence that is too long for a passage into words, and words into graphemes."""
    if _size(sentence) <= _MAX_WORDS:
        yield sentence
        return
    for word in _WORD.findall(sentence):
        if len(word) <= _MAX_CHUNK:
            yield word
        else:
            yield from _GRAPHEMES.findall(word)


def _size(text: str) -> int:
    return max(count_words(text), len(text.strip()) // _LETTERS_PER_WORD)
