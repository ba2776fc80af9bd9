"""Print syntax trees of the intent language as text that parses to the same tree.

Intents in the short form are printed in the equivalent long form; comments are lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, assert_never

from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    FragmentNode,
    FragmentReference,
    ImportNode,
    IntentNode,
    IntentPartNode,
    Json,
    ListNode,
    LiteralNode,
    PredicateNode,
    PythonFunctionNode,
    Statement,
    TermNode,
    UnaryNode,
    VariableNode,
)

__all__ = ["print_expression", "print_predicate", "print_statements"]

# As in idl.lark.
_PRECEDENCE: Mapping[str, int] = {
    "&&": 1,
    "||": 1,
    "==": 2,
    "!=": 2,
    "<": 3,
    "<=": 3,
    ">": 3,
    ">=": 3,
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
    "%": 5,
}
_UNARY_PRECEDENCE = 6
_QUANTIFIERS = {(1, 1): "", (0, 1): "?", (0, 100): "*", (1, 100): "+"}
_ESCAPED = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def print_statements(statements: Iterable[Statement]) -> str:
    """Print statements, separated by blank lines."""
    return "\n\n".join(_print_statement(statement) for statement in statements)


def print_predicate(node: PredicateNode) -> str:
    """Print a predicate, without the braces of its term."""
    condition = print_expression(node.expression)
    if not node.variables:
        return condition
    variables = (
        f"@{one.name} = {_protect_value(print_expression(one.value))}" for one in node.variables
    )
    # A "-" after the last variable would continue its value.
    return "  ".join((*variables, f"({condition})" if condition.startswith("-") else condition))


def _protect_value(value: str) -> str:
    """The value of a variable, protected so that a "(" after it does not make it a call."""
    return f"{value}()" if value.endswith("#") else value


def print_expression(node: Expression) -> str:
    """Print an expression with the fewest parentheses."""
    match node:
        case LiteralNode():
            return _print_literal(node.value)
        case ListNode():
            return f"[{', '.join(map(print_expression, node.items))}]"
        case VariableNode():
            return f"@{node.name}"
        case UnaryNode():
            return f"{node.operator}{_print_operand(node.operand, _UNARY_PRECEDENCE)}"
        case BinaryNode():
            level = _PRECEDENCE[node.operator]
            left, right = _print_operand(node.left, level), _print_operand(node.right, level + 1)
            return f"{left} {node.operator} {right}"
        case CallNode():
            arguments = ", ".join(map(print_expression, node.arguments))
            return node.name if node.name == "#" and not arguments else f"{node.name}({arguments})"
        case _:
            assert_never(node)


def _print_operand(node: Expression, level: int) -> str:
    """An operand, in parentheses if its precedence is below ``level``."""
    text = print_expression(node)
    if isinstance(node, BinaryNode):
        return text if _PRECEDENCE[node.operator] >= level else f"({text})"
    return text


def _print_statement(statement: Statement) -> str:
    match statement:
        case IntentNode():
            return "\n  ".join(_print_intent(statement))
        case FragmentNode():
            return "\n  ".join((f"fragment={statement.id}", *map(_print_part, statement.terms)))
        case ImportNode():
            return f"import({_quote(statement.location)})"
        case _:
            assert_never(statement)


def _print_intent(node: IntentNode) -> Iterable[str]:
    yield f"intent={node.id}"
    if node.options:
        yield f"options={_print_json(node.options)}"
    if isinstance(node.flow, PythonFunctionNode):
        yield f"flow={node.flow}"
    elif node.flow is not None:
        yield f"flow={_quote(node.flow)}"
    if node.meta:
        yield f"meta={_print_json(node.meta)}"
    yield from map(_print_part, node.terms)


def _print_part(node: IntentPartNode) -> str:
    if isinstance(node, FragmentReference):
        arguments = f", {_print_json(node.arguments)}" if node.arguments else ""
        return f"fragment({node.id}{arguments})"
    return _print_term(node)


def _print_term(node: TermNode) -> str:
    name = "" if node.id is None else f"({node.id})"
    reach = "~" if node.conversational else "="
    inner = node.predicate
    predicate = (
        str(inner) if isinstance(inner, PythonFunctionNode) else f"{{{print_predicate(inner)}}}"
    )
    quantifier = _QUANTIFIERS.get((node.min, node.max), f"[{node.min},{node.max}]")
    return f"term{name}{reach}{predicate}{quantifier}"


def _print_json(value: Any) -> str:
    """JSON as the language writes it: texts in single quotes."""
    match value:
        case Mapping():
            items = (f"{_quote(key)}: {_print_json(held)}" for key, held in value.items())
            return f"{{{', '.join(items)}}}"
        case list():
            return f"[{', '.join(map(_print_json, value))}]"
        case _:
            return _print_literal(value)


def _print_literal(value: Json) -> str:
    match value:
        case None | bool():
            return json.dumps(value)
        case str():
            return _quote(value)
        case int() | float():
            return repr(value)
        case _:
            raise TypeError(f"{value!r} is no literal of the language")


def _quote(text: str) -> str:
    return f"'{''.join(map(_escape_character, text))}'"


def _escape_character(char: str) -> str:
    if char in _ESCAPED:
        return _ESCAPED[char]
    if char.isprintable() or ord(char) > 0xFFFF:
        return char
    return f"\\u{ord(char):04x}"
