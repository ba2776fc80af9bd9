"""The syntax tree of the synonym language: plain, frozen data.

Every piece carries ``at``, the offset of its first character in the source. Equality ignores
offsets.

In a parsed tree no sequence contains a sequence or a single piece, texts are never adjacent, nor
are blanks, and no group consists of blanks or of nothing.
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
    """White space of any length between words."""

    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class RegexPiece:
    """``//text//``: characters without whitespace that match the regular expression."""

    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class EntityPiece:
    """``^^[alias]{text}^^``: an entity that satisfies the predicate; ``alias`` may be ''."""

    alias: str
    text: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ReferencePiece:
    """A reference to a macro; ``name`` includes the angle brackets."""

    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class SequencePiece:
    """Pieces in a row; an empty sequence is ``_``."""

    pieces: tuple[Piece, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class GroupPiece:
    """``{a|b}[min,max]``: one of the alternatives, repeated."""

    alternatives: tuple[Piece, ...]
    min: int = 1
    max: int = 1
    at: int = field(default=0, compare=False)


Piece: TypeAlias = (
    TextPiece | BlankPiece | RegexPiece | EntityPiece | ReferencePiece | SequencePiece | GroupPiece
)

EMPTY_SEQUENCE = SequencePiece(())
