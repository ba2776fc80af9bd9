"""The syntax tree of the synonym language: plain, frozen data.

Every piece carries ``at``, the offset of its first character in the text that was parsed. Two
trees are equal when they say the same, wherever their texts stood.

In a tree that was parsed, no sequence holds a sequence or has one piece alone, texts don't touch
each other, nor do blanks, and no group consists of blanks or of nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "EMPTY_SEQUENCE",
    "BlankPiece",
    "EntityPiece",
    "GroupPiece",
    "Piece",
    "ReferencePiece",
    "RegexPiece",
    "SequencePiece",
    "TextPiece",
]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A word or a part of one, without the backslashes of its escapes."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class BlankPiece:
    """What stands between words, however long it is."""

    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RegexPiece:
    """``//text//``: characters without whitespace that the regular expression matches."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class EntityPiece:
    """``^^[alias]{text}^^``: an entity for which the predicate holds; ``alias`` may be ''."""

    alias: str
    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ReferencePiece:
    """A macro where it is used; ``name`` has its angle brackets."""

    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SequencePiece:
    """Pieces in a row; none at all are what ``_`` stands for."""

    pieces: tuple[Piece, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class GroupPiece:
    """``{a|b}[min,max]``: one of the alternatives, so many times in a row."""

    alternatives: tuple[Piece, ...]
    min: int = 1
    max: int = 1
    at: int = field(default=0, compare=False)


Piece: TypeAlias = (
    TextPiece | BlankPiece | RegexPiece | EntityPiece | ReferencePiece | SequencePiece | GroupPiece
)

EMPTY_SEQUENCE = SequencePiece(())
