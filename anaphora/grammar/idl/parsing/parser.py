"""Parse the intent definition language to its syntax tree.

``idl.lark`` defines the language; :mod:`anaphora.grammar.idl.parsing.transformer` builds the nodes
during parsing; this module adds the texts of predicates.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from lark import Lark
from msgspec.structs import replace

from anaphora.grammar.idl.parsing.error_messages import explain_syntax_error
from anaphora.grammar.idl.parsing.transformer import IdlTransformer
from anaphora.grammar.idl.syntax import (
    FragmentNode,
    IntentNode,
    IntentPartNode,
    PredicateNode,
    Statement,
    TermNode,
)
from anaphora.grammar.lark_support import check_text, grammar_errors, load_parser

__all__ = ["parse_idl", "parse_legacy_idl", "parse_legacy_predicate", "parse_predicate"]

MAX_TEXT_LENGTH = 1024 * 1024  # characters


def parse_idl(text: str, source: str = "") -> tuple[Statement, ...]:
    """Parse the intents, fragments and imports of ``text``; ``source`` names it in messages.

    Raises :class:`GrammarError` for a syntax error.
    """
    with grammar_errors(text, source, explain_syntax_error):
        check_text(text, MAX_TEXT_LENGTH)
        parsed: Any = _parser().parse(text, start="start")
    return tuple(
        replace(one, terms=tuple(_add_text(part, text) for part in one.terms))
        if isinstance(one, IntentNode | FragmentNode)
        else one
        for one in parsed
    )


def parse_legacy_idl(text: str) -> tuple[IntentNode, ...]:
    """Parse intents in the dialect of NLPCraft 0.5 to 0.7, or in the short form.

    A clause ``conv`` becomes an option of that name. Raises :class:`GrammarError` for any other
    text, also for intents of later versions.
    """
    with grammar_errors(text, "", explain_syntax_error):
        check_text(text, MAX_TEXT_LENGTH)
        parsed: Any = _legacy_parser().parse(text, start="legacy")
    return tuple(parsed)


def parse_legacy_predicate(text: str) -> PredicateNode:
    """Parse a predicate in the dialect of NLPCraft 0.5 to 0.7, without braces.

    Raises :class:`GrammarError` for any other text.
    """
    with grammar_errors(text, "", partial(explain_syntax_error, inside="predicate")):
        check_text(text, MAX_TEXT_LENGTH)
        parsed: Any = _legacy_parser().parse(text, start="legacy_predicate")
    node: PredicateNode = parsed
    return node


def parse_predicate(text: str, source: str = "") -> PredicateNode:
    """Parse the content of the braces of a term: variables and an expression.

    Raises :class:`GrammarError` for a syntax error.
    """
    with grammar_errors(text, source, partial(explain_syntax_error, inside="predicate")):
        check_text(text, MAX_TEXT_LENGTH)
        parsed: Any = _parser().parse(text, start="predicate")
    return _with_text(replace(parsed, end=len(text)), text)


@cache
def _parser() -> Lark:
    return load_parser("idl/parsing/idl.lark", IdlTransformer(), "start", "predicate")


@cache
def _legacy_parser() -> Lark:
    return load_parser("idl/parsing/idl.lark", IdlTransformer(), "legacy", "legacy_predicate")


def _add_text(part: IntentPartNode, text: str) -> IntentPartNode:
    if not isinstance(part, TermNode) or not isinstance(part.predicate, PredicateNode):
        return part
    return replace(part, predicate=_with_text(part.predicate, text))


def _with_text(predicate: PredicateNode, text: str) -> PredicateNode:
    """The predicate with its text, and without the blanks around it."""
    written = text[predicate.at : predicate.end]
    at = predicate.at + len(written) - len(written.lstrip())
    return replace(predicate, text=written.strip(), at=at)
