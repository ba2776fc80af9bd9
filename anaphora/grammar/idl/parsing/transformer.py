"""Build nodes from the rules of ``idl.lark`` during parsing.

``Parsed…`` nodes are intermediate: they still know the offsets of their parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from lark import Token, Transformer
from msgspec import Struct

from anaphora.grammar.idl.parsing.literals import parse_literal, parse_number, unquote
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    ImportNode,
    ListNode,
    LiteralNode,
    PythonFunctionNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
)
from anaphora.grammar.lark_support import SourceError, offset_of
from anaphora.grammar.values import MIN_INT64

__all__ = [
    "IdlTransformer",
    "ParsedClause",
    "ParsedFragment",
    "ParsedIntent",
    "ParsedJson",
    "ParsedPart",
    "ParsedPredicate",
    "ParsedReference",
    "ParsedStatement",
    "ParsedTerm",
]

MAX_REPETITIONS = 100  # the maximum of "*", "+" and any quantifier

_FUNCTION_BY_PROPERTY = {
    "id": "#",
    "groups": "ent_groups",
    "parent": "tok_parent",
    "ancestors": "tok_ancestors",
    "value": "tok_value",
}


class ParsedJson(Struct, frozen=True):
    value: Any
    at: int


class ParsedClause(Struct, frozen=True):
    name: str
    value: Any
    at: int
    value_at: int


class ParsedPredicate(Struct, frozen=True):
    variables: tuple[VariableDeclaration, ...]
    expression: Expression


class ParsedTerm(Struct, frozen=True):
    at: int
    name: Token | None
    conversational: bool
    predicate: ParsedPredicate | PythonFunctionNode
    begin: int  # of the text between the braces
    end: int
    quantifier: tuple[int, int]


class ParsedReference(Struct, frozen=True):
    at: int
    name: Token
    arguments: ParsedJson | None


ParsedPart: TypeAlias = ParsedTerm | ParsedReference


class ParsedFragment(Struct, frozen=True):
    at: int
    name: Token
    parts: tuple[ParsedPart, ...]


class ParsedIntent(Struct, frozen=True):
    at: int
    name: Token
    clauses: tuple[ParsedClause, ...]
    parts: tuple[ParsedPart, ...]


ParsedStatement: TypeAlias = ParsedIntent | ParsedFragment | ImportNode


class IdlTransformer(Transformer[Token, Any]):
    """One method per rule of the grammar."""

    def start(self, children: list[ParsedStatement]) -> list[ParsedStatement]:
        return children

    def import_statement(self, children: list[Token]) -> ImportNode:
        keyword, location = children
        return ImportNode(unquote(location), offset_of(keyword))

    def fragment(self, children: list[Any]) -> ParsedFragment:
        keyword, name, *parts = children
        return ParsedFragment(offset_of(keyword), name, tuple(parts))

    def fragment_reference(self, children: list[Any]) -> ParsedReference:
        keyword, name, arguments = children
        return ParsedReference(offset_of(keyword), name, arguments)

    def intent(self, children: list[Any]) -> ParsedIntent:
        keyword, name, *rest = children
        clauses = tuple(part for part in rest if isinstance(part, ParsedClause))
        parts = tuple(part for part in rest if not isinstance(part, ParsedClause))
        _check_duplicate_clauses(clauses)
        return ParsedIntent(offset_of(keyword), name, clauses, parts)

    def short_intent(self, children: list[Any]) -> ParsedIntent:
        return self.intent(children)

    def options(self, children: list[Any]) -> ParsedClause:
        return ParsedClause("options", children[1].value, offset_of(children[0]), children[1].at)

    def meta(self, children: list[Any]) -> ParsedClause:
        return ParsedClause("meta", children[1].value, offset_of(children[0]), children[1].at)

    def ordered(self, children: list[Any]) -> ParsedClause:
        return ParsedClause("ordered", children[1], offset_of(children[0]), offset_of(children[0]))

    def flow(self, children: list[Any]) -> ParsedClause:
        return ParsedClause(
            "flow", unquote(children[1]), offset_of(children[0]), offset_of(children[1])
        )

    def flow_method(self, children: list[Any]) -> ParsedClause:
        keyword, method = children
        return ParsedClause(
            "flow", _build_function_node(method), offset_of(keyword), offset_of(method)
        )

    def term(self, children: list[Any]) -> ParsedTerm:
        keyword, name, reach, brace, predicate, end, quantifier = children
        return ParsedTerm(
            at=offset_of(keyword),
            name=name,
            conversational=reach,
            predicate=predicate,
            begin=offset_of(brace) + 1,
            end=offset_of(end),
            quantifier=quantifier or (1, 1),
        )

    def method_term(self, children: list[Any]) -> ParsedTerm:
        keyword, name, reach, method, quantifier = children
        return ParsedTerm(
            at=offset_of(keyword),
            name=name,
            conversational=reach,
            predicate=_build_function_node(method),
            begin=offset_of(method),
            end=offset_of(method) + len(method),
            quantifier=quantifier or (1, 1),
        )

    def short_term(self, children: list[Any]) -> ParsedTerm:
        keyword, name, _, brace, expression, end, quantifier = children
        predicate = ParsedPredicate((), expression)
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
        return 0, MAX_REPETITIONS

    def one_or_more(self, children: list[Token]) -> tuple[int, int]:
        return 1, MAX_REPETITIONS

    def between(self, children: list[Token]) -> tuple[int, int]:
        least, most = (parse_number(child) for child in children[1:])
        if not isinstance(least, int) or not isinstance(most, int):
            raise SourceError(
                offset_of(children[1]), "a quantifier takes whole numbers, such as [1,2]"
            )
        if most < 1 or most > MAX_REPETITIONS:
            raise SourceError(
                offset_of(children[2]),
                f"the maximum must be from 1 to {MAX_REPETITIONS}, not {most}",
            )
        if least > most:
            raise SourceError(
                offset_of(children[1]), f"the minimum {least} is above the maximum {most}"
            )
        return least, most

    def predicate(self, children: list[Any]) -> ParsedPredicate:
        *variables, expression = children
        return ParsedPredicate(tuple(variables), expression)

    def variable_declaration(self, children: list[Any]) -> VariableDeclaration:
        sign, name, value = children
        return VariableDeclaration(str(name), value, offset_of(sign))

    def binary(self, children: list[Any]) -> BinaryNode:
        left, operator, right = children
        return BinaryNode(str(operator), left, right, offset_of(operator))

    def unary(self, children: list[Any]) -> UnaryNode:
        operator, operand = children
        return UnaryNode(str(operator), operand, offset_of(operator))

    def variable(self, children: list[Token]) -> VariableNode:
        return VariableNode(str(children[1]), offset_of(children[0]))

    def call(self, children: list[Any]) -> CallNode:
        name, arguments = children
        return CallNode(str(name), arguments or (), offset_of(name))

    def arguments(self, children: list[Expression]) -> tuple[Expression, ...]:
        return tuple(children)

    def bracketed(self, children: list[Any]) -> ListNode:
        return ListNode(children[1] or (), offset_of(children[0]))

    def parenthesized(self, children: list[Expression]) -> Expression:
        inner = children[0]
        return replace(inner, grouped=True) if isinstance(inner, BinaryNode | UnaryNode) else inner

    def short_comparison(self, children: list[Any]) -> Expression:
        left, operator, right = children
        several = isinstance(left, CallNode) and left.name in ("ent_groups", "tok_ancestors")
        listed = isinstance(right, ListNode)
        if operator not in ("@@", "!@") and (not several or listed or operator not in ("==", "!=")):
            return BinaryNode(str(operator), left, right, offset_of(operator))
        # "contains", or "is one of" if a list follows a single value
        arguments = (right, left) if listed and not several else (left, right)
        name = "has_all" if listed and several else "has"
        contains = CallNode(name, arguments, offset_of(operator))
        return contains if operator in ("@@", "==") else UnaryNode("!", contains, contains.at)

    def bare_property(self, children: list[Token]) -> CallNode:
        word = children[0]
        if word not in _FUNCTION_BY_PROPERTY:
            known = ", ".join(_FUNCTION_BY_PROPERTY)
            raise SourceError(
                offset_of(word),
                f"an entity has no property '{word}'",
                f"there are {known}, and ~name for metadata",
            )
        return CallNode(_FUNCTION_BY_PROPERTY[word], (), offset_of(word))

    def metadata(self, children: list[Token]) -> CallNode:
        sign, name = children
        return CallNode("meta_ent", (LiteralNode(str(name), offset_of(name)),), offset_of(sign))

    def negative(self, children: list[Token]) -> UnaryNode:
        sign, digits = children
        return UnaryNode("-", LiteralNode(parse_number(digits), offset_of(digits)), offset_of(sign))

    def smallest(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(MIN_INT64, offset_of(children[0]))

    def literal(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(parse_literal(children[0]), offset_of(children[0]))

    def boolean(self, children: list[Token]) -> bool:
        return children[0].type == "TRUE"

    def object(self, children: list[Any]) -> ParsedJson:
        brace, *members, _ = children
        value: dict[str, Any] = {}
        for at, key, held in (member for member in members if member is not None):
            if key in value:
                raise SourceError(at, f"duplicate key '{key}'")
            value[key] = held
        return ParsedJson(value, offset_of(brace))

    def member(self, children: list[Any]) -> tuple[int, str, Any]:
        key, value = children
        return offset_of(key), unquote(key), value.value

    def array(self, children: list[Any]) -> ParsedJson:
        bracket, *items = children
        return ParsedJson([item.value for item in items if item is not None], offset_of(bracket))

    def negative_number(self, children: list[Any]) -> ParsedJson:
        sign, digits = children
        return ParsedJson(-parse_number(digits), offset_of(sign))

    def smallest_number(self, children: list[Token]) -> ParsedJson:
        return ParsedJson(MIN_INT64, offset_of(children[0]))

    def unquoted(self, children: list[Token]) -> LiteralNode:
        return LiteralNode(str(children[0]), offset_of(children[0]))

    def short_values(self, children: list[Expression]) -> tuple[Expression, ...]:
        return tuple(children)

    def short_list(self, children: list[Any]) -> ListNode:
        return ListNode(children[1] or (), offset_of(children[0]))


def _build_function_node(token: Token) -> PythonFunctionNode:
    module, name = token[1:-1].split("#")
    return PythonFunctionNode(module, name, offset_of(token))


def _check_duplicate_clauses(clauses: Iterable[ParsedClause]) -> None:
    given: dict[str, ParsedClause] = {}
    for clause in clauses:
        if clause.name in given:
            raise SourceError(clause.at, f"'{clause.name}' is given twice")
        given[clause.name] = clause
    options, ordered = given.get("options"), given.get("ordered")
    if options and ordered and "ordered" in options.value:  # ordered=… is short for the option
        raise SourceError(max(options.at, ordered.at), "'ordered' is given twice")
