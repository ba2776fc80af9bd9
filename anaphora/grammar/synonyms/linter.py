"""Warn about symbols and regular expressions in a synonym that have no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from anaphora.errors import Problem
from anaphora.grammar.diagnostics import problem_at
from anaphora.grammar.synonyms.error_messages import shorten
from anaphora.grammar.synonyms.parser import parse_or_none
from anaphora.grammar.synonyms.regex_analysis import can_match_word
from anaphora.grammar.synonyms.syntax import (
    BlankPiece,
    GroupPiece,
    Piece,
    ReferencePiece,
    RegexPiece,
    SequencePiece,
    TextPiece,
)

__all__ = ["lint_synonym"]

_SUSPICIOUS = re.compile(r"//|[}>\]?][*+?]")
_SUSPICIOUS_SPACED = re.compile(r"//|[}>\]?]\s*[*+?]")


def lint_synonym(text: str, *, spaced: bool = False) -> list[Problem]:
    """Warnings about a synonym; none about one with a syntax error.

    ``spaced``: the blanks before symbols may have been inserted, as for files of NLPCraft.
    """
    if not (_SUSPICIOUS_SPACED if spaced else _SUSPICIOUS).search(text):
        return []
    if (tree := parse_or_none(text)) is None:
        return []
    found = sorted(_iter_warnings(tree, text, spaced=spaced), key=lambda warning: warning[0])
    return [problem_at(text, "", at, message, hint) for at, message, hint in found]


def _iter_warnings(tree: Piece, text: str, *, spaced: bool) -> Iterator[tuple[int, str, str]]:
    pending = [tree]
    while pending:
        match pending.pop():
            case RegexPiece(expression, at) if not can_match_word(expression):
                yield (
                    at,
                    f"no word matches the regular expression '{shorten(expression)}'",
                    "it matches characters without whitespace between them: for two words write "
                    "two expressions, as in //[0-9]+// //km|mi//",
                )
            case SequencePiece(pieces):
                pending.extend(pieces)
                row = [one for one in pieces if not (spaced and isinstance(one, BlankPiece))]
                for left, right in pairwise(row):
                    if warning := _check_trailing_sign(left, right, text):
                        yield warning
            case GroupPiece(alternatives):
                pending.extend(alternatives)


def _check_trailing_sign(left: Piece, right: Piece, text: str) -> tuple[int, str, str] | None:
    if not (isinstance(left, GroupPiece | ReferencePiece) and isinstance(right, TextPiece)):
        return None
    sign = text[right.at]  # a backslash, if the symbol is escaped
    if sign not in "*+?":
        return None
    what = "macro" if isinstance(left, ReferencePiece) else "group"
    if what == "group" and sign == "?":
        what = "repetition"
    return (
        right.at,
        f"this '{sign}' after a {what} is an ordinary character",
        f"write {{a}}[1,3] to repeat, {{a}}? for optional, \\{sign} for the character itself",
    )
