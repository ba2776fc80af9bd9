"""Shared by the parsers of both languages: parser set-up, text limits, errors with offsets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.diagnostics import problem_at

__all__ = ["SourceError", "check_text", "grammar_errors", "load_parser", "offset_of"]

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")  # cannot be encoded as UTF-8


class SourceError(Exception):
    """A text that the grammar accepts and the language does not, with the offset of the error."""

    def __init__(self, at: int, message: str, hint: str = "") -> None:
        self.at, self.message, self.hint = at, message, hint


def load_parser(grammar: str, builder: Transformer[Token, Any], *starts: str) -> Lark:
    """The LALR parser of a grammar file in this package, with these start rules (by default
    "start"). ``builder`` builds the nodes during parsing, without an intermediate tree."""
    return Lark.open_from_package(
        __package__,
        grammar,
        parser="lalr",
        start=list(starts) or "start",
        transformer=builder,
        maybe_placeholders=True,
    )


def check_text(text: str, max_length: int) -> None:
    """Check the text; raises :class:`SourceError` if it has more than ``max_length`` characters
    or a lone surrogate."""
    if len(text) > max_length:
        message = f"the text has {len(text):,} characters, more than the {max_length:,} allowed"
        raise SourceError(0, message)
    if half := _LONE_SURROGATE.search(text):
        raise SourceError(half.start(), "unpaired surrogate")


@contextmanager
def grammar_errors(
    text: str, source: str, explain: Callable[[UnexpectedInput, str, str], Problem]
) -> Iterator[None]:
    """Convert the exceptions of a parser of ``text`` to :class:`GrammarError` with a position."""
    try:
        yield
    except UnexpectedInput as error:
        raise GrammarError(explain(error, text, source)) from None
    except SourceError as error:
        problem = problem_at(text, source, error.at, error.message, error.hint)
        raise GrammarError(problem) from None


def offset_of(token: Token) -> int:
    """The offset of a token in its text."""
    return token.start_pos or 0
