"""What the readers of both languages share: the parser, the limits of a text, and mistakes that
are found while nodes are built."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from anaphora.errors import GrammarError, Problem
from anaphora.grammar.source_positions import problem_at

__all__ = ["SourceError", "check_text", "grammar_errors", "load_parser", "offset_of"]

_LONE_SURROGATE = re.compile(
    r"[\ud800-\udfff]"
)  # of a character: no text that can be stored holds one


class SourceError(Exception):
    """Something that the grammar allows and the language doesn't, at an offset of the text."""

    def __init__(self, at: int, message: str, hint: str = "") -> None:
        self.at, self.message, self.hint = at, message, hint


def load_parser(grammar: str, builder: Transformer[Token, Any], *starts: str) -> Lark:
    """The parser of a grammar file of this package, for texts that are one of ``starts`` (by
    default "start"). ``builder`` makes the nodes while the text is read: no tree is walked."""
    return Lark.open_from_package(
        __package__,
        grammar,
        parser="lalr",
        start=list(starts) or "start",
        transformer=builder,
        maybe_placeholders=True,
    )


def check_text(text: str, max_length: int) -> None:
    """Raises :class:`SourceError` for a text of more than ``longest`` characters or with half
    a character in it."""
    if len(text) > max_length:
        message = f"the text has {len(text):,} characters, more than the {max_length:,} allowed"
        raise SourceError(0, message)
    if half := _LONE_SURROGATE.search(text):
        raise SourceError(half.start(), "half of a character stands here")


@contextmanager
def grammar_errors(
    text: str, source: str, explain: Callable[[UnexpectedInput, str, str], Problem]
) -> Iterator[None]:
    """Turns what a reader of ``text`` raises into a :class:`GrammarError` with its place."""
    try:
        yield
    except UnexpectedInput as error:
        raise GrammarError(explain(error, text, source)) from None
    except SourceError as mistake:
        problem = problem_at(text, source, mistake.at, mistake.message, mistake.hint)
        raise GrammarError(problem) from None


def offset_of(token: Token) -> int:
    """Where a token begins in its text."""
    return token.start_pos or 0
