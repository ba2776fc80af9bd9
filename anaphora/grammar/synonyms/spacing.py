"""Insert blanks around groups, for NLPCraft, where ``ben{z|s}`` means two words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Literal

from anaphora.grammar.synonyms.parser import parse_or_none
from anaphora.grammar.synonyms.syntax import (
    BlankPiece,
    GroupPiece,
    Piece,
    ReferencePiece,
    SequencePiece,
)

__all__ = ["insert_blanks"]


def insert_blanks(text: str, macros: Mapping[str, str] | None = None) -> str:
    """Insert a blank between adjacent pieces of which one is a group.

    A macro counts as a group on a side where its text has a group at the edge. A text with a
    syntax error is returned unchanged.
    """
    tree = parse_or_none(text)
    if tree is None:
        return text
    known = macros or {}
    cuts = [0, *sorted(_find_seams(tree, known)), len(text)]
    return " ".join(text[start:end] for start, end in pairwise(cuts))


def _find_seams(tree: Piece, macros: Mapping[str, str]) -> Iterator[int]:
    """The offsets for blanks."""
    match tree:
        case GroupPiece(pieces) | SequencePiece(pieces):
            for piece in pieces:
                yield from _find_seams(piece, macros)
    if not isinstance(tree, SequencePiece):
        return
    for left, right in pairwise(tree.pieces):
        if isinstance(left, BlankPiece) or isinstance(right, BlankPiece):
            continue
        if _has_group_at_edge(left, macros, "end") or _has_group_at_edge(right, macros, "start"):
            yield right.at


def _has_group_at_edge(
    piece: Piece, macros: Mapping[str, str], edge: Literal["start", "end"]
) -> bool:
    """Whether the piece, with its macros expanded, has a group at that edge."""
    passed = set()
    current: Piece | None = piece
    while isinstance(current, ReferencePiece | SequencePiece):
        if isinstance(current, SequencePiece):
            index = 0 if edge == "start" else -1
            current = current.pieces[index] if current.pieces else None
        elif current.name in passed or current.name not in macros:
            return False
        else:
            passed.add(current.name)
            current = parse_or_none(macros[current.name])
    return isinstance(current, GroupPiece)
