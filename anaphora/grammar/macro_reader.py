"""Reads a text in the synonym language: text → tree. The language is defined by ``macro.lark``;
what :mod:`~anaphora.grammar.macro_simple` reads of it needs no parser.

The regular expressions and the predicates in it are compiled here, so that a text that can be
read is wrong no more; compiled again they come from a cache.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from lark import Lark, Token, Transformer

from anaphora.errors import GrammarError
from anaphora.grammar.compiler import compile_part
from anaphora.grammar.intent import Predicate
from anaphora.grammar.macro_errors import masked, problem_of, shortened
from anaphora.grammar.macro_simple import read_simple
from anaphora.grammar.macro_tree import (
    NOTHING,
    BlankPiece,
    GroupPiece,
    PartPiece,
    Piece,
    ReferencePiece,
    RegexPiece,
    SequencePiece,
    TextPiece,
)
from anaphora.grammar.parsing import MistakeError, check_text, load_parser, located, offset
from anaphora.grammar.patterns import Pattern

__all__ = ["DEEPEST_NESTING", "parse_macro", "pattern_of", "predicate_of", "read_macro"]

LONGEST_TEXT = 16 * 1024  # characters
DEEPEST_NESTING = 50
MOST_REPEATED = 100

_BRACE = re.compile(r"[{}]")
_ESCAPED = re.compile(r"\\(.)")
_ALIAS = re.compile(r"\s*(?:\[([^\[\]{}]*)\]\s*)?")
_NAME = re.compile(r"[^\W\d][\w:-]*")
_EXAMPLE = "^^{# == 'city'}^^"


def parse_macro(text: str, source: str = "") -> Piece:
    """The tree of ``text``; ``source`` names it in messages.

    Raises :class:`GrammarError` for anything that is not in the language. Whether the macros
    that it names exist is not asked.
    """
    with located(text, source, problem_of):
        return read_macro(text)


@lru_cache(maxsize=1_000)  # the macros of a model are read again for each synonym that names them
def read_macro(text: str) -> Piece:
    """As :func:`parse_macro`; raises what Lark raises, and ``MistakeError``."""
    check_text(text, LONGEST_TEXT)
    depth = 0
    for brace in _BRACE.finditer(masked(text)):
        depth += 1 if brace[0] == "{" else -1
        if depth > DEEPEST_NESTING:
            raise MistakeError(brace.start(), f"groups are nested over {DEEPEST_NESTING} deep")
    parsed: Any = read_simple(text) or _parser().parse(text)
    tree: Piece = parsed
    return tree


@lru_cache(maxsize=1_000)
def pattern_of(text: str) -> Pattern:
    """The regular expression of a piece. Raises GrammarError, its place counted in it."""
    return Pattern(text)


@lru_cache(maxsize=1_000)
def predicate_of(text: str) -> Predicate:
    """The predicate of a piece. Raises GrammarError, its place counted in the predicate."""
    return compile_part(text)


@cache
def _parser() -> Lark:
    return load_parser("macro.lark", _Builder())


class _Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    def start(self, children: list[Piece | None]) -> Piece:
        return children[0] or NOTHING

    def sequence(self, children: list[Piece]) -> Piece:
        if len(children) == 1:
            return children[0]
        return SequencePiece(tuple(children), children[0].at)

    def text(self, children: list[Token]) -> TextPiece:
        return TextPiece(_ESCAPED.sub(r"\1", "".join(children)), offset(children[0]))

    def blank(self, children: list[Token]) -> BlankPiece:
        return BlankPiece(offset(children[0]))

    def regex(self, children: list[Token]) -> RegexPiece:
        token = children[0]
        at = offset(token)
        if len(token) == 4:
            raise MistakeError(at, "this regular expression is empty")
        piece = RegexPiece(token[2:-2], at)
        try:
            pattern_of(piece.text)
        except GrammarError as error:
            raise MistakeError(at, error.message, error.hint) from None
        return piece

    def part(self, children: list[Token]) -> PartPiece:
        token = children[0]
        alias, text, at = _cut(token, offset(token))
        try:
            predicate_of(text)
        except GrammarError as error:
            inside = _offset_of(text, error.line, error.column)
            raise MistakeError(at + inside, error.message, error.hint) from None
        return PartPiece(alias, text, offset(token))

    def reference(self, children: list[Token]) -> ReferencePiece:
        return ReferencePiece(str(children[0]), offset(children[0]))

    def nothing(self, children: list[Token | None]) -> Piece:
        return NOTHING

    def alternative(self, children: list[Piece]) -> Piece:
        return children[0]

    def group(self, children: list[Any]) -> GroupPiece:
        brace, *alternatives, quantifier = children
        at = offset(brace)
        if all(alternative == NOTHING for alternative in alternatives):
            raise MistakeError(
                at, "a group of nothing but _ stands for nothing", "write {word|_} or {word}?"
            )
        for alternative in alternatives:
            if isinstance(alternative, BlankPiece):
                raise MistakeError(alternative.at, "an alternative is empty", "write _ for nothing")
        least, most = quantifier or (1, 1)
        return GroupPiece(tuple(alternatives), least, most, at)

    def zero_or_one(self, children: list[Token]) -> tuple[int, int]:
        return 0, 1

    def between(self, children: list[Token]) -> tuple[int, int]:
        least, most = (int(child[:9]) for child in children)
        if not 1 <= most <= MOST_REPEATED:
            message = f"the maximum must be from 1 to {MOST_REPEATED}, not {shortened(children[1])}"
            raise MistakeError(offset(children[1]), message)
        if least > most:
            raise MistakeError(
                offset(children[0]),
                f"the minimum {shortened(children[0])} is above the maximum {most}",
                f"write [{most},{shortened(children[0])}]" if least <= MOST_REPEATED else "",
            )
        return least, most


def _cut(part: str, start: int) -> tuple[str, str, int]:
    """The alias of ``^^[alias]{predicate}^^``, its predicate, and where that begins; ``start``
    is where the part does."""
    named = _ALIAS.match(part, 2)
    assert named is not None  # it matches nothing as well
    alias, at = named[1], named.end()
    rest = part[at:-2].rstrip()
    if alias is not None and not _NAME.fullmatch(alias):
        message = f"'{shortened(alias)}' cannot be the name of a part"
        hint = "a name begins with a letter and goes on with letters, digits, _, - and :"
        raise MistakeError(start + named.start(1), message, hint)
    if rest.startswith("["):
        raise MistakeError(
            start + at, "the name of a part stands in brackets", f"write ^^[where]{_EXAMPLE[2:]}"
        )
    if not rest.strip("{}").strip():
        raise MistakeError(start + at, "this predicate is empty", f"write {_EXAMPLE}")
    if not rest.startswith("{"):
        message = "the predicate of a part stands in braces"
        raise MistakeError(start + at, message, f"write {_EXAMPLE}")
    if not rest.endswith("}"):
        closed = "}" in rest
        message = f"{'nothing may follow' if closed else 'there is no'} '}}' of this predicate"
        raise MistakeError(start + at + len(rest), message, f"write {_EXAMPLE}")
    text = rest[1:-1].strip()
    return alias or "", text, start + part.index(text, at + 1)


def _offset_of(text: str, line: int, column: int) -> int:
    """Where a place of ``text`` lies, counted from its beginning."""
    before = text.split("\n")[: max(line - 1, 0)]
    return sum(len(one) + 1 for one in before) + max(column - 1, 0)
