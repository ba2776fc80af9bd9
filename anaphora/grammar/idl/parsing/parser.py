"""Parse the intent definition language to its syntax tree.

``idl.lark`` defines the language; :mod:`anaphora.grammar.idl.parsing.transformer` builds nodes
during parsing; this module makes syntax trees of them and limits their depth.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from lark import Lark

from anaphora.grammar.idl.parsing.error_messages import explain_syntax_error
from anaphora.grammar.idl.parsing.transformer import (
    IdlTransformer,
    ParsedFragment,
    ParsedIntent,
    ParsedPart,
    ParsedPredicate,
    ParsedReference,
    ParsedStatement,
    ParsedTerm,
)
from anaphora.grammar.idl.syntax import (
    Expression,
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    IntentPartNode,
    PredicateNode,
    PythonFunctionNode,
    Statement,
    TermNode,
    child_nodes,
)
from anaphora.grammar.lark_support import SourceError, check_text, grammar_errors, load_parser

__all__ = ["parse_idl", "parse_predicate"]

MAX_TEXT_LENGTH = 1024 * 1024  # characters
MAX_TREE_DEPTH = 200


def parse_idl(text: str, source: str = "") -> tuple[Statement, ...]:
    """Parse the intents, fragments and imports of ``text``; ``source`` names it in messages.

    Raises :class:`GrammarError` for a syntax error.
    """
    with grammar_errors(text, source, explain_syntax_error):
        check_text(text, MAX_TEXT_LENGTH)
        read: Any = _parser().parse(text, start="start")
        return tuple(_build_statement(statement, text) for statement in read)


def parse_predicate(text: str, source: str = "") -> PredicateNode:
    """Parse the content of the braces of a term: variables and an expression.

    Raises :class:`GrammarError` for a syntax error.
    """
    with grammar_errors(text, source, partial(explain_syntax_error, inside="predicate")):
        check_text(text, MAX_TEXT_LENGTH)
        read: Any = _parser().parse(text, start="predicate")
        return _build_predicate(read, text, 0)


@cache
def _parser() -> Lark:
    return load_parser("idl/parsing/idl.lark", IdlTransformer(), "start", "predicate")


def _build_statement(statement: ParsedStatement, text: str) -> Statement:
    match statement:
        case ParsedIntent():
            return _build_intent(statement, text)
        case ParsedFragment():
            parts = tuple(_build_part(part, text) for part in statement.parts)
            return FragmentNode(str(statement.name), parts, statement.at)
        case ImportNode():
            return statement


def _build_intent(intent: ParsedIntent, text: str) -> IntentNode:
    """Build the node of an intent and check the depth of its parts."""
    clauses = {clause.name: clause for clause in intent.clauses}
    options = clauses.get("options")
    flow = clauses.get("flow")
    meta = clauses.get("meta")
    ordered = {"ordered": clauses["ordered"].value} if "ordered" in clauses else {}
    for clause in (options, meta):
        if clause is not None:
            _check_json_depth(clause.value, clause.value_at)
    return IntentNode(
        id=str(intent.name),
        terms=tuple(_build_part(part, text) for part in intent.parts),
        options={**ordered, **options.value} if options else ordered,
        flow=flow.value if flow else None,
        meta=meta.value if meta else {},
        at=intent.at,
        options_at=options.value_at if options else intent.at,
        flow_at=flow.value_at if flow else intent.at,
    )


def _build_part(part: ParsedPart, text: str) -> IntentPartNode:
    match part:
        case ParsedTerm():
            return _build_term(part, text)
        case ParsedReference(at, name, arguments):
            if arguments is not None:
                _check_json_depth(arguments.value, arguments.at)
            return FragmentReference(str(name), arguments.value if arguments else {}, at)


def _build_term(term: ParsedTerm, text: str) -> TermNode:
    predicate: PredicateNode | PythonFunctionNode
    if isinstance(term.predicate, PythonFunctionNode):
        predicate = term.predicate
    else:
        predicate = _build_predicate(term.predicate, text[term.begin : term.end], term.begin)
    least, most = term.quantifier
    return TermNode(
        id=None if term.name is None else str(term.name),
        predicate=predicate,
        conversational=term.conversational,
        min=least,
        max=most,
        at=term.at,
    )


def _build_predicate(predicate: ParsedPredicate, written: str, begin: int) -> PredicateNode:
    for expression in (*(one.value for one in predicate.variables), predicate.expression):
        _check_depth(expression)
    return PredicateNode(
        variables=predicate.variables,
        expression=predicate.expression,
        text=written.strip(),
        at=begin + len(written) - len(written.lstrip()),
    )


def _check_depth(expression: Expression) -> None:
    """Check the depth of a tree, which the checker and the compiler walk recursively. A chain of
    operators is as deep as it is long."""
    level: list[Expression] = [expression]
    for _ in range(MAX_TREE_DEPTH):
        level = [child for node in level for child in child_nodes(node)]
        if not level:
            return
    raise SourceError(
        level[0].at,
        f"the expression is nested or chained more than {MAX_TREE_DEPTH} deep",
        "use has(list(…), …) for long alternatives, or several terms",
    )


def _check_json_depth(value: Any, at: int) -> None:
    level = [value]
    for _ in range(MAX_TREE_DEPTH):
        level = [
            child
            for held in level
            if isinstance(held, dict | list)
            for child in (held.values() if isinstance(held, dict) else held)
        ]
        if not level:
            return
    raise SourceError(at, f"this is nested more than {MAX_TREE_DEPTH} deep")
