"""Reads the intent definition language: text → syntax tree.

The language is defined by ``idl.lark``; here each of its rules becomes a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer

from anaphora.grammar.idl_errors import problem_of
from anaphora.grammar.literals import literal, number, unquoted
from anaphora.grammar.parsing import MistakeError, check_text, load_parser, located, offset
from anaphora.grammar.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    IntentNode,
    ListNode,
    LiteralNode,
    PredicateNode,
    TermNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
)

__all__ = ["parse"]

LONGEST_TEXT = 64 * 1024  # characters
DEEPEST_TREE = 200
MOST = 100  # what "*" and "+" stand for, and the highest maximum of a quantifier

_PROPERTIES = {
    "id": "#",
    "groups": "ent_groups",
    "parent": "tok_parent",
    "ancestors": "tok_ancestors",
    "value": "tok_value",
}


def parse(text: str, source: str = "") -> tuple[IntentNode, ...]:
    """The intents that ``text`` declares, in its order; ``source`` names it in messages.

    Raises :class:`GrammarError` for anything that is not in the language.
    """
    with located(text, source, problem_of):
        check_text(text, LONGEST_TEXT)
        read: Any = _parser().parse(text)
        return tuple(_finished(intent, text) for intent in read)


@dataclass(frozen=True, slots=True)
class _Json:
    value: Any
    at: int


@dataclass(frozen=True, slots=True)
class _Clause:
    name: str
    value: Any
    at: int
    value_at: int


@dataclass(frozen=True, slots=True)
class _Predicate:
    variables: tuple[VariableDeclaration, ...]
    expression: Expression


@dataclass(frozen=True, slots=True)
class _Term:
    at: int
    name: Token | None
    conversational: bool
    predicate: _Predicate
    begin: int  # of what stands between the braces
    end: int
    quantifier: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Intent:
    at: int
    name: Token
    clauses: tuple[_Clause, ...]
    terms: tuple[_Term, ...]


@cache
def _parser() -> Lark:
    return load_parser("idl.lark", _Builder())


class _Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    def start(self, children: list[_Intent]) -> list[_Intent]:
        return children

    def intent(self, children: list[Any]) -> _Intent:
        keyword, name, *rest = children
        clauses = tuple(part for part in rest if isinstance(part, _Clause))
        terms = tuple(part for part in rest if isinstance(part, _Term))
        _refuse_twice(clauses)
        return _Intent(offset(keyword), name, clauses, terms)

    def short_intent(self, children: list[Any]) -> _Intent:
        return self.intent(children)

    def options(self, children: list[Any]) -> _Clause:
        return _Clause("options", children[1].value, offset(children[0]), children[1].at)

    def meta(self, children: list[Any]) -> _Clause:
        return _Clause("meta", children[1].value, offset(children[0]), children[1].at)

    def ordered(self, children: list[Any]) -> _Clause:
        return _Clause("ordered", children[1], offset(children[0]), offset(children[0]))

    def flow(self, children: list[Any]) -> _Clause:
        return _Clause("flow", unquoted(children[1]), offset(children[0]), offset(children[1]))

    def term(self, children: list[Any]) -> _Term:
        keyword, name, reach, brace, predicate, end, quantifier = children
        return _Term(
            at=offset(keyword),
            name=name,
            conversational=reach,
            predicate=predicate,
            begin=offset(brace) + 1,
            end=offset(end),
            quantifier=quantifier or (1, 1),
        )

    def short_term(self, children: list[Any]) -> _Term:
        keyword, name, _, brace, expression, end, quantifier = children
        predicate = _Predicate((), expression)
        return self.term([keyword, name, True, brace, predicate, end, quantifier])

    def name(self, children: list[Token]) -> Token:
        return children[0]

    def strict(self, children: list[Token]) -> bool:
        return False

    def conversational(self, children: list[Token]) -> bool:
        return True

    def zero_or_one(self, children: list[Token]) -> tuple[int, int]:
        return 0, 1

    def zero_or_more(self, children: list[Token]) -> tuple[int, int]:
        return 0, MOST

    def one_or_more(self, children: list[Token]) -> tuple[int, int]:
        return 1, MOST

    def between(self, children: list[Token]) -> tuple[int, int]:
        least, most = (number(child) for child in children[1:])
        if not isinstance(least, int) or not isinstance(most, int):
            raise MistakeError(
                offset(children[1]), "a quantifier takes whole numbers, such as [1,2]"
            )
        if most < 1 or most > MOST:
            raise MistakeError(
                offset(children[2]), f"the maximum must be from 1 to {MOST}, not {most}"
            )
        if least > most:
            raise MistakeError(
                offset(children[1]), f"the minimum {least} is above the maximum {most}"
            )
        return least, most

    def predicate(self, children: list[Any]) -> _Predicate:
        *variables, expression = children
        return _Predicate(tuple(variables), expression)

    def variable_declaration(self, children: list[Any]) -> VariableDeclaration:
        sign, name, value = children
        return VariableDeclaration(str(name), value, offset(sign))

    def binary(self, children: list[Any]) -> BinaryNode:
        left, operator, right = children
        return BinaryNode(str(operator), left, right, offset(operator))

    def unary(self, children: list[Any]) -> UnaryNode:
        operator, operand = children
        return UnaryNode(str(operator), operand, offset(operator))

    def variable(self, children: list[Token]) -> VariableNode:
        return VariableNode(str(children[1]), offset(children[0]))

    def call(self, children: list[Any]) -> CallNode:
        name, arguments = children
        return CallNode(str(name), arguments or (), offset(name))

    def arguments(self, children: list[Expression]) -> tuple[Expression, ...]:
        return tuple(children)

    def bracketed(self, children: list[Any]) -> ListNode:
        return ListNode(children[1] or (), offset(children[0]))

    def parenthesized(self, children: list[Expression]) -> Expression:
        return children[0]

    def short_comparison(self, children: list[Any]) -> Expression:
        left, operator, right = children
        several = isinstance(left, CallNode) and left.name in ("ent_groups", "tok_ancestors")
        listed = isinstance(right, ListNode)
        if operator not in ("@@", "!@") and (not several or listed or operator not in ("==", "!=")):
            return BinaryNode(str(operator), left, right, offset(operator))
        # "contains", or "is one of" where the list stands on the right of a single value
        arguments = (right, left) if listed and not several else (left, right)
        name = "has_all" if listed and several else "has"
        contains = CallNode(name, arguments, offset(operator))
        return contains if operator in ("@@", "==") else UnaryNode("!", contains, contains.at)

    def bare_property(self, children: list[Token]) -> CallNode:
        word = children[0]
        if word not in _PROPERTIES:
            known = ", ".join(_PROPERTIES)
            raise MistakeError(
                offset(word),
                f"an entity has no property '{word}'",
                f"there are {known}, and ~name for metadata",
            )
        return CallNode(_PROPERTIES[word], (), offset(word))

    def metadata(self, children: list[Token]) -> CallNode:
        sign, name = children
        return CallNode("meta_ent", (LiteralNode(str(name), offset(name)),), offset(sign))

    def negative(self, children: list[Token]) -> LiteralNode:
        sign, digits = children
        return LiteralNode(-number(digits), offset(sign))

    def literal(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(literal(children[0]), offset(children[0]))

    def boolean(self, children: list[Token]) -> bool:
        return children[0].type == "TRUE"

    def object(self, children: list[Any]) -> _Json:
        brace, *members, _ = children
        value: dict[str, Any] = {}
        for at, key, held in (member for member in members if member is not None):
            if key in value:
                raise MistakeError(at, f"the key '{key}' stands here twice")
            value[key] = held
        return _Json(value, offset(brace))

    def member(self, children: list[Any]) -> tuple[int, str, Any]:
        key, value = children
        return offset(key), unquoted(key), value.value

    def array(self, children: list[Any]) -> _Json:
        bracket, *items = children
        return _Json([item.value for item in items if item is not None], offset(bracket))

    def negative_number(self, children: list[Any]) -> _Json:
        sign, digits = children
        return _Json(-number(digits), offset(sign))

    def unquoted(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(str(children[0]), offset(children[0]))

    def short_values(self, children: list[Expression]) -> tuple[Expression, ...]:
        return tuple(children)

    def short_list(self, children: list[Any]) -> ListNode:
        return ListNode(children[1] or (), offset(children[0]))


def _refuse_twice(clauses: Iterable[_Clause]) -> None:
    given: dict[str, _Clause] = {}
    for clause in clauses:
        if clause.name in given:
            raise MistakeError(clause.at, f"'{clause.name}' is given twice")
        given[clause.name] = clause
    options, ordered = given.get("options"), given.get("ordered")
    if options and ordered and "ordered" in options.value:  # ordered=… is short for the option
        raise MistakeError(max(options.at, ordered.at), "'ordered' is given twice")


def _finished(intent: _Intent, text: str) -> IntentNode:
    """The node of an intent, once its parts are known to be of a depth that can be compiled."""
    clauses = {clause.name: clause for clause in intent.clauses}
    options = clauses.get("options")
    flow = clauses.get("flow")
    meta = clauses.get("meta")
    ordered = {"ordered": clauses["ordered"].value} if "ordered" in clauses else {}
    for clause in (options, meta):
        if clause is not None:
            _check_depth_of_json(clause)
    return IntentNode(
        id=str(intent.name),
        terms=tuple(_finished_term(term, text) for term in intent.terms),
        options={**ordered, **options.value} if options else ordered,
        flow=flow.value if flow else None,
        meta=meta.value if meta else {},
        at=intent.at,
        options_at=options.value_at if options else intent.at,
        flow_at=flow.value_at if flow else intent.at,
    )


def _finished_term(term: _Term, text: str) -> TermNode:
    for expression in (
        *(variable.value for variable in term.predicate.variables),
        term.predicate.expression,
    ):
        _check_depth(expression)
    least, most = term.quantifier
    written = text[term.begin : term.end]
    return TermNode(
        id=None if term.name is None else str(term.name),
        predicate=PredicateNode(
            variables=term.predicate.variables,
            expression=term.predicate.expression,
            text=written.strip(),
            at=term.begin + len(written) - len(written.lstrip()),
        ),
        conversational=term.conversational,
        min=least,
        max=most,
        at=term.at,
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


def _check_depth_of_json(clause: _Clause) -> None:
    level = [clause.value]
    for _ in range(DEEPEST_TREE):
        level = [
            child
            for value in level
            if isinstance(value, dict | list)
            for child in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise MistakeError(clause.value_at, f"this is nested more than {DEEPEST_TREE} deep")
