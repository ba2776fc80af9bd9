"""Build the nodes of the syntax tree from the rules of ``idl.lark``, during parsing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from lark import Token, Transformer, v_args
from msgspec import Struct
from msgspec.structs import replace

from anaphora.grammar.idl.parsing.literals import parse_literal, parse_number, unquote
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    IntentPartNode,
    ListNode,
    LiteralNode,
    PredicateNode,
    PythonFunctionNode,
    Statement,
    TermNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
    child_nodes,
)
from anaphora.grammar.lark_support import SourceError, offset_of
from anaphora.grammar.values import MIN_INT64

__all__ = ["IdlTransformer"]

MAX_REPETITIONS = 100  # the maximum of "*", "+" and any quantifier

MAX_TREE_DEPTH = 200

_FUNCTION_BY_PROPERTY = {
    "id": "#",
    "aliases": "tok_aliases",
    "startidx": "tok_start_idx",
    "endidx": "tok_end_idx",
    "groups": "ent_groups",
    "parent": "tok_parent",
    "ancestors": "tok_ancestors",
    "value": "tok_value",
}
_LIST_FUNCTIONS = ("ent_groups", "tok_ancestors", "tok_aliases")


class _Json(Struct, frozen=True):
    value: Any
    at: int


class _Clause(Struct, frozen=True):
    name: str
    value: Any
    at: int
    value_at: int


class _Operand(Struct, frozen=True):
    """The left side of a comparison in the short form; ``parts`` are conditions that an entity has
    the parts that it names."""

    value: CallNode
    parts: tuple[Expression, ...] = ()


@v_args(inline=True)
class IdlTransformer(Transformer[Token, Any]):
    """One method per rule of the grammar.

    The texts of predicates, which tokens do not know, are left empty.
    """

    def start(self, *statements: Statement) -> tuple[Statement, ...]:
        return statements

    def import_statement(self, keyword: Token, location: Token) -> ImportNode:
        return ImportNode(unquote(location), offset_of(keyword))

    def fragment(self, keyword: Token, name: Token, *parts: IntentPartNode) -> FragmentNode:
        return FragmentNode(str(name), parts, offset_of(keyword))

    def fragment_reference(
        self, keyword: Token, name: Token, arguments: _Json | None
    ) -> FragmentReference:
        value = _check_json_depth(arguments).value if arguments else {}
        return FragmentReference(str(name), value, offset_of(keyword))

    def intent(self, keyword: Token, name: Token, *rest: _Clause | IntentPartNode) -> IntentNode:
        listed = [part for part in rest if isinstance(part, _Clause)]
        _check_duplicate_clauses(listed)
        clauses = {clause.name: clause for clause in listed}
        options, flow, meta = (clauses.get(one) for one in ("options", "flow", "meta"))
        ordered = {"ordered": clauses["ordered"].value} if "ordered" in clauses else {}
        at = offset_of(keyword)
        return IntentNode(
            id=str(name),
            terms=tuple(part for part in rest if not isinstance(part, _Clause)),
            options={**ordered, **options.value} if options else ordered,
            flow=flow.value if flow else None,
            meta=meta.value if meta else {},
            at=at,
            options_at=options.value_at if options else at,
            flow_at=flow.value_at if flow else at,
        )

    short_intent = intent

    def legacy_intent(
        self, keyword: Token, name: Token, *rest: _Clause | IntentPartNode
    ) -> IntentNode:
        """An intent of NLPCraft 0.5 to 0.7, with ``conv`` as an option: true in the short form."""
        node = self.intent(keyword, name, *rest)
        conv = [one.value for one in rest if isinstance(one, _Clause) and one.name == "conv"]
        if keyword.type == "ID_KEYWORD":
            conv.append(True)
        return replace(node, options={**node.options, "conv": conv[0]}) if conv else node

    def legacy(self, *statements: Statement) -> tuple[Statement, ...]:
        return statements

    def options(self, keyword: Token, options: _Json) -> _Clause:
        at = offset_of(keyword)
        return _Clause(str(keyword), _check_json_depth(options).value, at, options.at)

    meta = options

    def ordered(self, keyword: Token, value: bool) -> _Clause:  # noqa: FBT001 - a child
        return _Clause("ordered", value, offset_of(keyword), offset_of(keyword))

    def conv(self, keyword: Token, value: bool) -> _Clause:  # noqa: FBT001 - a child
        return _Clause("conv", value, offset_of(keyword), offset_of(keyword))

    def flow(self, keyword: Token, pattern: Token) -> _Clause:
        return _Clause("flow", unquote(pattern), offset_of(keyword), offset_of(pattern))

    def flow_method(self, keyword: Token, method: Token) -> _Clause:
        function = self.method(method)
        return _Clause("flow", function, offset_of(keyword), function.at)

    def term(
        self,
        keyword: Token,
        name: Token | None,
        conversational: bool,  # noqa: FBT001 - a child
        predicate: PredicateNode | PythonFunctionNode,
        quantifier: tuple[int, int] | None,
    ) -> TermNode:
        least, most = quantifier or (1, 1)
        id = None if name is None else str(name)
        return TermNode(id, predicate, conversational, least, most, offset_of(keyword))

    def short_term(
        self,
        keyword: Token,
        name: Token | None,
        _: object,
        predicate: PredicateNode,
        quantifier: Any,
    ) -> TermNode:
        return self.term(keyword, name, True, predicate, quantifier)

    legacy_term = term

    def braced(self, brace: Token, predicate: PredicateNode, end: Token) -> PredicateNode:
        return replace(predicate, at=offset_of(brace) + 1, end=offset_of(end))

    def legacy_predicate(self, expression: Expression) -> PredicateNode:
        return self.predicate(expression)

    def short_condition(self, brace: Token, expression: Expression, end: Token) -> PredicateNode:
        return self.braced(brace, self.predicate(expression), end)

    def method(self, token: Token) -> PythonFunctionNode:
        module, name = token[1:-1].split("#")
        return PythonFunctionNode(module, name, offset_of(token))

    def name(self, name: Token) -> Token:
        return name

    def strict(self, sign: Token) -> bool:
        return False

    def conversational(self, sign: Token) -> bool:
        return True

    def zero_or_one(self, sign: Token) -> tuple[int, int]:
        return 0, 1

    def zero_or_more(self, sign: Token) -> tuple[int, int]:
        return 0, MAX_REPETITIONS

    def one_or_more(self, sign: Token) -> tuple[int, int]:
        return 1, MAX_REPETITIONS

    def between(self, bracket: Token, lower: Token, upper: Token) -> tuple[int, int]:
        least, most = parse_number(lower), parse_number(upper)
        if not isinstance(least, int) or not isinstance(most, int):
            raise SourceError(offset_of(lower), "a quantifier takes whole numbers, such as [1,2]")
        if most < 1 or most > MAX_REPETITIONS:
            message = f"the maximum must be from 1 to {MAX_REPETITIONS}, not {most}"
            raise SourceError(offset_of(upper), message)
        if least > most:
            message = f"the minimum {least} is above the maximum {most}"
            raise SourceError(offset_of(lower), message)
        return least, most

    def predicate(self, *children: Any) -> PredicateNode:
        *variables, expression = children
        for one in chain((variable.value for variable in variables), (expression,)):
            _check_depth(one)
        return PredicateNode(tuple(variables), expression)

    def variable_declaration(
        self, sign: Token, name: Token, value: Expression
    ) -> VariableDeclaration:
        return VariableDeclaration(str(name), value, offset_of(sign))

    def binary(self, left: Expression, operator: Token, right: Expression) -> BinaryNode:
        return BinaryNode(str(operator), left, right, offset_of(operator))

    def unary(self, operator: Token, operand: Expression) -> UnaryNode:
        return UnaryNode(str(operator), operand, offset_of(operator))

    def variable(self, sign: Token, name: Token) -> VariableNode:
        return VariableNode(str(name), offset_of(sign))

    def call(self, name: Token, arguments: tuple[Expression, ...] | None) -> CallNode:
        return CallNode(str(name), arguments or (), offset_of(name))

    def arguments(self, *arguments: Expression) -> tuple[Expression, ...]:
        return arguments

    short_values = arguments

    def bracketed(self, bracket: Token, items: tuple[Expression, ...] | None) -> ListNode:
        return ListNode(items or (), offset_of(bracket))

    short_list = bracketed

    def parenthesized(self, inner: Expression) -> Expression:
        return replace(inner, grouped=True) if isinstance(inner, BinaryNode | UnaryNode) else inner

    def short_comparison(self, operand: _Operand, operator: Token, right: Expression) -> Expression:
        comparison = self._compare(operand.value, operator, right)
        for part in reversed(operand.parts):  # false for an entity without such a part
            comparison = BinaryNode("&&", part, comparison, offset_of(operator), grouped=True)
        return comparison

    def _compare(self, left: Expression, operator: Token, right: Expression) -> Expression:
        several = isinstance(left, CallNode) and left.name in _LIST_FUNCTIONS
        listed = isinstance(right, ListNode)
        if operator not in ("@@", "!@") and (not several or listed or operator not in ("==", "!=")):
            return self.binary(left, operator, right)
        # "contains", or "is one of" if a list follows a single value
        arguments = (right, left) if listed and not several else (left, right)
        name = "has_all" if listed and several else "has"
        contains = CallNode(name, arguments, offset_of(operator))
        return contains if operator in ("@@", "==") else UnaryNode("!", contains, contains.at)

    def bare_property(self, path: _Operand | None, word: Token) -> _Operand:
        if word not in _FUNCTION_BY_PROPERTY:
            known = ", ".join(_FUNCTION_BY_PROPERTY)
            raise SourceError(
                offset_of(word),
                f"an entity has no property '{word}'",
                f"there are {known}, and ~name for metadata",
            )
        owner = (path.value,) if path else ()
        value = CallNode(_FUNCTION_BY_PROPERTY[word], owner, offset_of(word))
        return _Operand(value, path.parts if path else ())

    def metadata(
        self, path: _Operand | None, sign: Token, name: Token, index: LiteralNode | None
    ) -> _Operand:
        at, key = offset_of(sign), self.unquoted(name)
        value = CallNode("meta_part", (path.value, key), at) if path else None
        value = value or CallNode("meta_ent", (key,), at)
        if index is not None:
            value = CallNode("get", (value, index), index.at)
        return _Operand(value, path.parts if path else ())

    def metadata_index(self, bracket: Token, index: LiteralNode) -> LiteralNode:
        return index

    def short_call(self, name: Token, operand: _Operand) -> _Operand:
        return _Operand(CallNode(str(name), (operand.value,), offset_of(name)), operand.parts)

    def part_path(self, whole: _Operand | None, name: Token) -> _Operand:
        """The part of the entity with that name, or the part of a part."""
        at = offset_of(name)
        arguments = (whole.value if whole else CallNode("tok_this", (), at), self.unquoted(name))
        condition = CallNode("tok_has_part", arguments, at)
        value = CallNode("tok_find_part", arguments, at)
        return _Operand(value, (*whole.parts, condition) if whole else (condition,))

    def negative(self, sign: Token, digits: Token) -> UnaryNode:
        return self.unary(sign, LiteralNode(parse_number(digits), offset_of(digits)))

    def smallest(self, sign: Token, digits: Token) -> LiteralNode:
        return LiteralNode(MIN_INT64, offset_of(sign))

    def literal(self, token: Token) -> LiteralNode:
        return LiteralNode(parse_literal(token), offset_of(token))

    def boolean(self, token: Token) -> bool:
        return token.type == "TRUE"

    def object(self, brace: Token, *rest: Any) -> _Json:
        value: dict[str, Any] = {}
        for at, key, item in (member for member in rest[:-1] if member is not None):
            if key in value:
                raise SourceError(at, f"duplicate key '{key}'")
            value[key] = item
        return _Json(value, offset_of(brace))

    def member(self, key: Token, value: _Json | LiteralNode) -> tuple[int, str, Any]:
        return offset_of(key), unquote(key), value.value

    def array(self, bracket: Token, *items: Any) -> _Json:
        return _Json([item.value for item in items if item is not None], offset_of(bracket))

    def negative_number(self, sign: Token, digits: Token) -> _Json:
        return _Json(-parse_number(digits), offset_of(sign))

    smallest_number = smallest

    def unquoted(self, word: Token) -> LiteralNode:
        return LiteralNode(str(word), offset_of(word))


def _check_duplicate_clauses(clauses: Iterable[_Clause]) -> None:
    given: dict[str, _Clause] = {}
    for clause in clauses:
        if clause.name in given:
            raise SourceError(clause.at, f"'{clause.name}' is given twice")
        given[clause.name] = clause
    options, ordered = given.get("options"), given.get("ordered")
    if options and ordered and "ordered" in options.value:  # ordered=… is short for the option
        raise SourceError(max(options.at, ordered.at), "'ordered' is given twice")


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


def _check_json_depth(json: _Json) -> _Json:
    level = [json.value]
    for _ in range(MAX_TREE_DEPTH):
        level = [
            child
            for value in level
            if isinstance(value, dict | list)
            for child in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return json
    raise SourceError(json.at, f"this is nested more than {MAX_TREE_DEPTH} deep")
