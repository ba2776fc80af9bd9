"""Print the syntax tree of a synonym as a text that parses to the same tree."""

from __future__ import annotations

import re
from typing import assert_never

from anaphora.grammar.synonyms.syntax import (
    EMPTY_SEQUENCE,
    BlankPiece,
    EntityPiece,
    GroupPiece,
    Piece,
    ReferencePiece,
    RegexPiece,
    SequencePiece,
    TextPiece,
)

__all__ = ["print_synonym"]

# At its edges a text may meet what gives the sign a meaning: //, ^^ or the ? of a group.
_ESCAPED = re.compile(r"[{}\\_\[\]|<>]|^[/^?]|[/^]$|/(?=/)|(?<=/)/|\^(?=\^)|(?<=\^)\^")


def print_synonym(tree: Piece) -> str:
    """The text of a tree that was parsed, or that could have been: ``parse_synonym`` makes the
    same tree of it."""
    return "" if tree == EMPTY_SEQUENCE else _print_piece(tree)


def _print_piece(piece: Piece) -> str:
    match piece:
        case TextPiece(text):
            return _ESCAPED.sub(r"\\\g<0>", text)
        case BlankPiece():
            return " "
        case RegexPiece(text):
            return f"//{text}//"
        case EntityPiece(alias, text):
            return f"^^{f'[{alias}]' if alias else ''}{{{text}}}^^"
        case ReferencePiece(name):
            return name
        case SequencePiece(pieces):
            return "".join(map(_print_piece, pieces)) or "_"
        case GroupPiece(alternatives):
            return f"{{{'|'.join(map(_print_piece, alternatives))}}}{_print_quantifier(piece)}"
        case _:
            assert_never(piece)


def _print_quantifier(group: GroupPiece) -> str:
    match group.min, group.max:
        case 1, 1:
            return ""
        case 0, 1:
            return "?"
        case least, most:
            return f"[{least},{most}]"
