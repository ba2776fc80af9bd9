"""Parse the synonym language to its syntax tree.

``synonyms.lark`` defines the language; :mod:`~anaphora.grammar.synonyms.fast_parser` parses most
texts without Lark. Embedded regular expressions and predicates are compiled during parsing, so
that a parsed text is valid; a cache keeps them.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedInput

from anaphora.errors import GrammarError
from anaphora.grammar.diagnostics import offset_at
from anaphora.grammar.idl.compiler import compile_entity_part
from anaphora.grammar.idl.intent import Predicate
from anaphora.grammar.lark_support import (
    SourceError,
    check_text,
    grammar_errors,
    load_parser,
    offset_of,
)
from anaphora.grammar.patterns import Pattern
from anaphora.grammar.synonyms.error_messages import explain_syntax_error, mask_literals, shorten
from anaphora.grammar.synonyms.fast_parser import parse_simple
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

__all__ = [
    "MAX_NESTING",
    "compile_part_predicate",
    "compile_pattern",
    "parse_cached",
    "parse_or_none",
    "parse_synonym",
]

MAX_TEXT_LENGTH = 16 * 1024  # characters
MAX_NESTING = 50
MAX_REPETITIONS = 100

_BRACE = re.compile(r"[{}]")
_ESCAPED = re.compile(r"\\(.)")
_ALIAS = re.compile(r"\s*(?:\[([^\[\]{}]*)\]\s*)?")
_NAME = re.compile(r"[^\W\d][\w:-]*")
_EXAMPLE = "^^{# == 'city'}^^"


def parse_synonym(text: str, source: str = "") -> Piece:
    """Parse a synonym; ``source`` names it in messages.

    Raises :class:`GrammarError` for a syntax error. Macros need not exist.
    """
    with grammar_errors(text, source, explain_syntax_error):
        return parse_cached(text)


@lru_cache(maxsize=1_000)  # a macro is parsed again for each synonym that uses it
def parse_cached(text: str) -> Piece:
    """Like :func:`parse_synonym`, but raises the exceptions of Lark and ``SourceError``."""
    check_text(text, MAX_TEXT_LENGTH)
    depth = 0
    for brace in _BRACE.finditer(mask_literals(text)):
        depth += 1 if brace[0] == "{" else -1
        if depth > MAX_NESTING:
            raise SourceError(brace.start(), f"groups are nested over {MAX_NESTING} deep")
    parsed: Any = parse_simple(text) or _parser().parse(text)
    tree: Piece = parsed
    return tree


def parse_or_none(text: str) -> Piece | None:
    """Like :func:`parse_synonym`; None for a text with a syntax error."""
    try:
        return parse_cached(text)
    except (UnexpectedInput, SourceError):
        return None


@lru_cache(maxsize=1_000)
def compile_pattern(text: str) -> Pattern:
    """Compile a regular expression. Raises GrammarError with a position in ``text``."""
    return Pattern(text)


@lru_cache(maxsize=1_000)
def compile_part_predicate(text: str) -> Predicate:
    """Compile a predicate. Raises GrammarError with a position in ``text``."""
    return compile_entity_part(text)


@cache
def _parser() -> Lark:
    return load_parser("synonyms/synonyms.lark", _SynonymTransformer())


@v_args(inline=True)
class _SynonymTransformer(Transformer[Token, Any]):
    """One method per rule of the grammar."""

    def start(self, sequence: Piece | None) -> Piece:
        return sequence or EMPTY_SEQUENCE

    def sequence(self, *pieces: Piece) -> Piece:
        return pieces[0] if len(pieces) == 1 else SequencePiece(pieces, pieces[0].at)

    def text(self, *tokens: Token) -> TextPiece:
        return TextPiece(_ESCAPED.sub(r"\1", "".join(tokens)), offset_of(tokens[0]))

    def blank(self, token: Token) -> BlankPiece:
        return BlankPiece(offset_of(token))

    def regex(self, token: Token) -> RegexPiece:
        at = offset_of(token)
        if len(token) == 4:
            raise SourceError(at, "this regular expression is empty")
        piece = RegexPiece(token[2:-2], at)
        try:
            compile_pattern(piece.text)
        except GrammarError as error:
            raise SourceError(at, error.message, error.hint) from None
        return piece

    def part(self, token: Token) -> EntityPiece:
        alias, text, at = _split_part(token, offset_of(token))
        try:
            compile_part_predicate(text)
        except GrammarError as error:
            inside = offset_at(text, error.line, error.column)
            raise SourceError(at + inside, error.message, error.hint) from None
        return EntityPiece(alias, text, offset_of(token))

    def reference(self, token: Token) -> ReferencePiece:
        return ReferencePiece(str(token), offset_of(token))

    def nothing(self, *tokens: Token | None) -> Piece:
        return EMPTY_SEQUENCE

    def alternative(self, piece: Piece) -> Piece:
        return piece

    def group(self, brace: Token, *children: Any) -> GroupPiece:
        *alternatives, quantifier = children
        at = offset_of(brace)
        if all(alternative == EMPTY_SEQUENCE for alternative in alternatives):
            raise SourceError(at, "a group of nothing but _ is empty", "write {word|_} or {word}?")
        for alternative in alternatives:
            if isinstance(alternative, BlankPiece):
                raise SourceError(alternative.at, "an alternative is empty", "write _ for nothing")
        least, most = quantifier or (1, 1)
        return GroupPiece(tuple(alternatives), least, most, at)

    def zero_or_one(self, sign: Token) -> tuple[int, int]:
        return 0, 1

    def between(self, lower: Token, upper: Token) -> tuple[int, int]:
        least, most = int(lower[:9]), int(upper[:9])
        if not 1 <= most <= MAX_REPETITIONS:
            message = f"the maximum must be from 1 to {MAX_REPETITIONS}, not {shorten(upper)}"
            raise SourceError(offset_of(upper), message)
        if least > most:
            message = f"the minimum {shorten(lower)} is above the maximum {most}"
            hint = f"write [{most},{shorten(lower)}]" if least <= MAX_REPETITIONS else ""
            raise SourceError(offset_of(lower), message, hint)
        return least, most


def _split_part(part: str, start: int) -> tuple[str, str, int]:
    """Split ``^^[alias]{predicate}^^`` at the offset ``start`` into the alias, the predicate and
    the offset of the predicate."""
    named = _ALIAS.match(part, 2)
    assert named is not None  # it also matches an empty text
    alias, at = named[1], named.end()
    rest = part[at:-2].rstrip()
    if alias is not None and not _NAME.fullmatch(alias):
        message = f"'{shorten(alias)}' cannot be the name of a part"
        hint = "a name begins with a letter and goes on with letters, digits, _, - and :"
        raise SourceError(start + named.start(1), message, hint)
    if rest.startswith("["):
        raise SourceError(
            start + at, "the name of a part is put in brackets", f"write ^^[where]{_EXAMPLE[2:]}"
        )
    if not rest.strip("{}").strip():
        raise SourceError(start + at, "this predicate is empty", f"write {_EXAMPLE}")
    if not rest.startswith("{"):
        message = "the predicate of a part is put in braces"
        raise SourceError(start + at, message, f"write {_EXAMPLE}")
    if not rest.endswith("}"):
        closed = "}" in rest
        message = f"{'nothing may follow' if closed else 'there is no'} '}}' of this predicate"
        raise SourceError(start + at + len(rest), message, f"write {_EXAMPLE}")
    text = rest[1:-1].strip()
    return alias or "", text, start + part.index(text, at + 1)
