"""What the grammar of the intent language makes of a text while it is read: one method a rule.

The nodes that begin with ``Written`` are between the text and the tree: they still know where
their parts began and ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from lark import Token, Transformer
from msgspec import Struct

from anaphora.grammar.literals import SMALLEST, literal, number, unquoted
from anaphora.grammar.parsing import MistakeError, offset
from anaphora.grammar.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    ImportNode,
    ListNode,
    LiteralNode,
    MethodNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
)

__all__ = [
    "Builder",
    "WrittenClause",
    "WrittenFragment",
    "WrittenIntent",
    "WrittenJson",
    "WrittenPart",
    "WrittenPredicate",
    "WrittenReference",
    "WrittenStatement",
    "WrittenTerm",
]

MOST = 100  # what "*" and "+" stand for, and the highest maximum of a quantifier

_PROPERTIES = {
    "id": "#",
    "groups": "ent_groups",
    "parent": "tok_parent",
    "ancestors": "tok_ancestors",
    "value": "tok_value",
}


class WrittenJson(Struct, frozen=True):
    value: Any
    at: int


class WrittenClause(Struct, frozen=True):
    name: str
    value: Any
    at: int
    value_at: int


class WrittenPredicate(Struct, frozen=True):
    variables: tuple[VariableDeclaration, ...]
    expression: Expression


class WrittenTerm(Struct, frozen=True):
    at: int
    name: Token | None
    conversational: bool
    predicate: WrittenPredicate | MethodNode
    begin: int  # of what stands between the braces
    end: int
    quantifier: tuple[int, int]


class WrittenReference(Struct, frozen=True):
    at: int
    name: Token
    arguments: WrittenJson | None


WrittenPart: TypeAlias = WrittenTerm | WrittenReference


class WrittenFragment(Struct, frozen=True):
    at: int
    name: Token
    parts: tuple[WrittenPart, ...]


class WrittenIntent(Struct, frozen=True):
    at: int
    name: Token
    clauses: tuple[WrittenClause, ...]
    parts: tuple[WrittenPart, ...]


WrittenStatement: TypeAlias = WrittenIntent | WrittenFragment | ImportNode


class Builder(Transformer[Token, Any]):
    """One method for each rule of the grammar."""

    def start(self, children: list[WrittenStatement]) -> list[WrittenStatement]:
        return children

    def import_statement(self, children: list[Token]) -> ImportNode:
        keyword, location = children
        return ImportNode(unquoted(location), offset(keyword))

    def fragment(self, children: list[Any]) -> WrittenFragment:
        keyword, name, *parts = children
        return WrittenFragment(offset(keyword), name, tuple(parts))

    def fragment_reference(self, children: list[Any]) -> WrittenReference:
        keyword, name, arguments = children
        return WrittenReference(offset(keyword), name, arguments)

    def intent(self, children: list[Any]) -> WrittenIntent:
        keyword, name, *rest = children
        clauses = tuple(part for part in rest if isinstance(part, WrittenClause))
        parts = tuple(part for part in rest if not isinstance(part, WrittenClause))
        _refuse_twice(clauses)
        return WrittenIntent(offset(keyword), name, clauses, parts)

    def short_intent(self, children: list[Any]) -> WrittenIntent:
        return self.intent(children)

    def options(self, children: list[Any]) -> WrittenClause:
        return WrittenClause("options", children[1].value, offset(children[0]), children[1].at)

    def meta(self, children: list[Any]) -> WrittenClause:
        return WrittenClause("meta", children[1].value, offset(children[0]), children[1].at)

    def ordered(self, children: list[Any]) -> WrittenClause:
        return WrittenClause("ordered", children[1], offset(children[0]), offset(children[0]))

    def flow(self, children: list[Any]) -> WrittenClause:
        return WrittenClause(
            "flow", unquoted(children[1]), offset(children[0]), offset(children[1])
        )

    def flow_method(self, children: list[Any]) -> WrittenClause:
        keyword, method = children
        return WrittenClause("flow", _method(method), offset(keyword), offset(method))

    def term(self, children: list[Any]) -> WrittenTerm:
        keyword, name, reach, brace, predicate, end, quantifier = children
        return WrittenTerm(
            at=offset(keyword),
            name=name,
            conversational=reach,
            predicate=predicate,
            begin=offset(brace) + 1,
            end=offset(end),
            quantifier=quantifier or (1, 1),
        )

    def method_term(self, children: list[Any]) -> WrittenTerm:
        keyword, name, reach, method, quantifier = children
        return WrittenTerm(
            at=offset(keyword),
            name=name,
            conversational=reach,
            predicate=_method(method),
            begin=offset(method),
            end=offset(method) + len(method),
            quantifier=quantifier or (1, 1),
        )

    def short_term(self, children: list[Any]) -> WrittenTerm:
        keyword, name, _, brace, expression, end, quantifier = children
        predicate = WrittenPredicate((), expression)
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

    def predicate(self, children: list[Any]) -> WrittenPredicate:
        *variables, expression = children
        return WrittenPredicate(tuple(variables), expression)

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
        inner = children[0]
        return replace(inner, grouped=True) if isinstance(inner, BinaryNode | UnaryNode) else inner

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

    def negative(self, children: list[Token]) -> UnaryNode:
        sign, digits = children
        return UnaryNode("-", LiteralNode(number(digits), offset(digits)), offset(sign))

    def smallest(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(SMALLEST, offset(children[0]))

    def literal(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(literal(children[0]), offset(children[0]))

    def boolean(self, children: list[Token]) -> bool:
        return children[0].type == "TRUE"

    def object(self, children: list[Any]) -> WrittenJson:
        brace, *members, _ = children
        value: dict[str, Any] = {}
        for at, key, held in (member for member in members if member is not None):
            if key in value:
                raise MistakeError(at, f"the key '{key}' stands here twice")
            value[key] = held
        return WrittenJson(value, offset(brace))

    def member(self, children: list[Any]) -> tuple[int, str, Any]:
        key, value = children
        return offset(key), unquoted(key), value.value

    def array(self, children: list[Any]) -> WrittenJson:
        bracket, *items = children
        return WrittenJson([item.value for item in items if item is not None], offset(bracket))

    def negative_number(self, children: list[Any]) -> WrittenJson:
        sign, digits = children
        return WrittenJson(-number(digits), offset(sign))

    def smallest_number(self, children: list[Token]) -> WrittenJson:
        return WrittenJson(SMALLEST, offset(children[0]))

    def unquoted(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(str(children[0]), offset(children[0]))

    def short_values(self, children: list[Expression]) -> tuple[Expression, ...]:
        return tuple(children)

    def short_list(self, children: list[Any]) -> ListNode:
        return ListNode(children[1] or (), offset(children[0]))


def _method(token: Token) -> MethodNode:
    module, name = token[1:-1].split("#")
    return MethodNode(module, name, offset(token))


def _refuse_twice(clauses: Iterable[WrittenClause]) -> None:
    given: dict[str, WrittenClause] = {}
    for clause in clauses:
        if clause.name in given:
            raise MistakeError(clause.at, f"'{clause.name}' is given twice")
        given[clause.name] = clause
    options, ordered = given.get("options"), given.get("ordered")
    if options and ordered and "ordered" in options.value:  # ordered=… is short for the option
        raise MistakeError(max(options.at, ordered.at), "'ordered' is given twice")
