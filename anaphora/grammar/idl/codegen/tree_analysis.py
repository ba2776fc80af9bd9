"""What can be told of an expression from its tree alone, before it is translated."""

from __future__ import annotations

from collections.abc import Iterable

from anaphora.grammar.functions import FUNCTIONS, collections
from anaphora.grammar.functions.entity import properties
from anaphora.grammar.idl.syntax import (
    BinaryNode,
    CallNode,
    Expression,
    ListNode,
    LiteralNode,
    PredicateNode,
    UnaryNode,
    VariableNode,
)
from anaphora.grammar.values import Kind, Type

__all__ = [
    "find_literal_texts",
    "find_variables",
    "is_leaf",
    "needs_functions",
    "reads_groups",
    "returns_list",
]

_LIST: Type = frozenset({Kind.LIST})


def find_variables(expressions: Iterable[Expression]) -> frozenset[str]:
    """The names of the variables that the expressions use."""
    waiting = list(expressions)
    found = set()
    while waiting:
        match waiting.pop():
            case VariableNode(name):
                found.add(name)
            case BinaryNode() as node:
                waiting += (node.left, node.right)
            case UnaryNode() as node:
                waiting.append(node.operand)
            case ListNode() as node:
                waiting += node.items
            case CallNode() as node:
                waiting += node.arguments
            case _:
                pass
    return frozenset(found)


def returns_list(node: Expression) -> bool:
    if isinstance(node, CallNode):
        return FUNCTIONS[node.name].returns <= _LIST
    return isinstance(node, ListNode)


def needs_functions(node: PredicateNode, max_depth: int) -> bool:
    """Whether functions of their own will evaluate some of it: what is evaluated only if it is
    needed, and branches that lie deep."""
    waiting: list[tuple[Expression, int]] = [(node.expression, 0)]
    waiting += [(variable.value, 0) for variable in node.variables]
    while waiting:
        part, depth = waiting.pop()
        if depth > max_depth:
            return True
        match part:
            case BinaryNode(operator="&&" | "||"):
                waiting += [(part.left, depth), (part.right, depth + 1)]
            case BinaryNode():
                waiting += [(part.left, depth), (part.right, depth)]
            case UnaryNode():
                waiting.append((part.operand, depth))
            case ListNode():
                waiting += [(item, depth) for item in part.items]
            case CallNode():
                if any(one.passing == "lazy" for one in FUNCTIONS[part.name].parameters):
                    return True
                waiting += [(argument, depth) for argument in part.arguments]
            case _:
                pass
    return False


def reads_groups(node: Expression) -> bool:
    return (
        isinstance(node, CallNode)
        and not node.arguments
        and FUNCTIONS[node.name] is properties.ent_groups
    )


def is_leaf(node: Expression) -> bool:
    if isinstance(node, CallNode):
        return not node.arguments
    return isinstance(node, LiteralNode | VariableNode)


def find_literal_texts(node: Expression) -> frozenset[str] | None:
    """The elements of a list that is written out and holds texts only, or None."""
    written: tuple[Expression, ...] | None = None
    if isinstance(node, ListNode):
        written = node.items
    elif isinstance(node, CallNode) and FUNCTIONS[node.name] is collections.list_of:
        written = node.arguments
    texts = [item.value for item in written or () if isinstance(item, LiteralNode)]
    found = frozenset(text for text in texts if isinstance(text, str))
    if written is None or not all(isinstance(text, str) for text in texts):
        return None
    return found if len(texts) == len(written) else None
