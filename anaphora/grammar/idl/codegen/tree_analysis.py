"""Static analysis of expressions before code generation."""

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
    VariableNode,
    child_nodes,
    iter_nodes,
)
from anaphora.grammar.values import LIST

__all__ = [
    "find_literal_texts",
    "find_variables",
    "is_leaf",
    "needs_functions",
    "reads_groups",
    "returns_list",
]


def find_variables(expressions: Iterable[Expression]) -> frozenset[str]:
    """The names of the variables that the expressions use."""
    return frozenset(one.name for one in iter_nodes(expressions) if isinstance(one, VariableNode))


def returns_list(node: Expression) -> bool:
    if isinstance(node, CallNode):
        return FUNCTIONS[node.name].returns <= LIST
    return isinstance(node, ListNode)


def needs_functions(node: PredicateNode, max_depth: int) -> bool:
    """Whether parts of the predicate are compiled to functions of their own: lazy arguments and
    deep branches."""
    waiting: list[tuple[Expression, int]] = [(node.expression, 0)]
    waiting += [(variable.value, 0) for variable in node.variables]
    while waiting:
        part, depth = waiting.pop()
        if depth > max_depth:
            return True
        if isinstance(part, CallNode) and any(
            one.passing == "lazy" for one in FUNCTIONS[part.name].parameters
        ):
            return True
        waiting += [(child, depth) for child in child_nodes(part)]
        if isinstance(part, BinaryNode) and part.operator in ("&&", "||"):
            waiting[-1] = (part.right, depth + 1)
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
    """The elements of a literal list of texts, or None."""
    items: tuple[Expression, ...] | None = None
    if isinstance(node, ListNode):
        items = node.items
    elif isinstance(node, CallNode) and FUNCTIONS[node.name] is collections.list_of:
        items = node.arguments
    texts = [item.value for item in items or () if isinstance(item, LiteralNode)]
    found = frozenset(text for text in texts if isinstance(text, str))
    if items is None or not all(isinstance(text, str) for text in texts):
        return None
    return found if len(texts) == len(items) else None
