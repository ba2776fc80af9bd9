"""Reads the intent definition language: text → syntax tree.

The language is defined by ``idl.lark``; :mod:`anaphora.grammar.idl_builder` makes its rules
nodes, and here they become a tree of a depth that can be compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

from lark import Lark

from anaphora.grammar.idl_builder import (
    Builder,
    WrittenFragment,
    WrittenIntent,
    WrittenPart,
    WrittenPredicate,
    WrittenReference,
    WrittenStatement,
    WrittenTerm,
)
from anaphora.grammar.idl_errors import problem_of
from anaphora.grammar.parsing import MistakeError, check_text, load_parser, located
from anaphora.grammar.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    ListNode,
    MethodNode,
    PartNode,
    PredicateNode,
    Statement,
    TermNode,
    UnaryNode,
)

__all__ = ["parse", "parse_predicate"]

LONGEST_TEXT = 1024 * 1024  # characters
DEEPEST_TREE = 200


def parse(text: str, source: str = "") -> tuple[Statement, ...]:
    """The intents, fragments and imports of ``text``, in its order; ``source`` names it in
    messages.

    Raises :class:`GrammarError` for anything that is not in the language.
    """
    with located(text, source, problem_of):
        check_text(text, LONGEST_TEXT)
        read: Any = _parser().parse(text, start="start")
        return tuple(_finished(statement, text) for statement in read)


def parse_predicate(text: str, source: str = "") -> PredicateNode:
    """What can stand between the braces of a term: variables and an expression.

    Raises :class:`GrammarError` for anything that is not in the language.
    """
    with located(text, source, partial(problem_of, inside="predicate")):
        check_text(text, LONGEST_TEXT)
        read: Any = _parser().parse(text, start="predicate")
        return _finished_predicate(read, text, 0)


@cache
def _parser() -> Lark:
    return load_parser("idl.lark", Builder(), "start", "predicate")


def _finished(statement: WrittenStatement, text: str) -> Statement:
    match statement:
        case WrittenIntent():
            return _finished_intent(statement, text)
        case WrittenFragment():
            parts = tuple(_finished_part(part, text) for part in statement.parts)
            return FragmentNode(str(statement.name), parts, statement.at)
        case ImportNode():
            return statement


def _finished_intent(intent: WrittenIntent, text: str) -> IntentNode:
    """The node of an intent, once its parts are known to be of a depth that can be compiled."""
    clauses = {clause.name: clause for clause in intent.clauses}
    options = clauses.get("options")
    flow = clauses.get("flow")
    meta = clauses.get("meta")
    ordered = {"ordered": clauses["ordered"].value} if "ordered" in clauses else {}
    for clause in (options, meta):
        if clause is not None:
            _check_depth_of_json(clause.value, clause.value_at)
    return IntentNode(
        id=str(intent.name),
        terms=tuple(_finished_part(part, text) for part in intent.parts),
        options={**ordered, **options.value} if options else ordered,
        flow=flow.value if flow else None,
        meta=meta.value if meta else {},
        at=intent.at,
        options_at=options.value_at if options else intent.at,
        flow_at=flow.value_at if flow else intent.at,
    )


def _finished_part(part: WrittenPart, text: str) -> PartNode:
    match part:
        case WrittenTerm():
            return _finished_term(part, text)
        case WrittenReference(at, name, arguments):
            if arguments is not None:
                _check_depth_of_json(arguments.value, arguments.at)
            return FragmentReference(str(name), arguments.value if arguments else {}, at)


def _finished_term(term: WrittenTerm, text: str) -> TermNode:
    predicate: PredicateNode | MethodNode
    if isinstance(term.predicate, MethodNode):
        predicate = term.predicate
    else:
        predicate = _finished_predicate(term.predicate, text[term.begin : term.end], term.begin)
    least, most = term.quantifier
    return TermNode(
        id=None if term.name is None else str(term.name),
        predicate=predicate,
        conversational=term.conversational,
        min=least,
        max=most,
        at=term.at,
    )


def _finished_predicate(predicate: WrittenPredicate, written: str, begin: int) -> PredicateNode:
    for expression in (*(one.value for one in predicate.variables), predicate.expression):
        _check_depth(expression)
    return PredicateNode(
        variables=predicate.variables,
        expression=predicate.expression,
        text=written.strip(),
        at=begin + len(written) - len(written.lstrip()),
    )


def _check_depth(expression: Expression) -> None:
    """Compilers and checkers walk the tree recursively: it must not be deeper than they can go.
    A chain of operators is as deep as it is long."""
    level: list[Expression] = [expression]
    for _ in range(DEEPEST_TREE):
        level = [child for node in level for child in _children(node)]
        if not level:
            return
    raise MistakeError(
        level[0].at,
        f"the expression is nested or chained more than {DEEPEST_TREE} deep",
        "use has(list(…), …) for long alternatives, or several terms",
    )


def _children(node: Expression) -> Iterator[Expression]:
    match node:
        case BinaryNode():
            yield node.left
            yield node.right
        case UnaryNode():
            yield node.operand
        case CallNode():
            yield from node.arguments
        case ListNode():
            yield from node.items


def _check_depth_of_json(value: Any, at: int) -> None:
    level = [value]
    for _ in range(DEEPEST_TREE):
        level = [
            child
            for held in level
            if isinstance(held, dict | list)
            for child in (held.values() if isinstance(held, dict) else held)
        ]
        if not level:
            return
    raise MistakeError(at, f"this is nested more than {DEEPEST_TREE} deep")
