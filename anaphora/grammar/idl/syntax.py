"""The syntax tree of the intent definition language: plain, frozen data.

Every node carries ``at``, the offset of its first character in the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

__all__ = [
    "BinaryNode",
    "CallNode",
    "Expression",
    "FragmentNode",
    "FragmentReference",
    "ImportNode",
    "IntentNode",
    "IntentPartNode",
    "Json",
    "ListNode",
    "LiteralNode",
    "PredicateNode",
    "PythonFunctionNode",
    "Statement",
    "TermNode",
    "UnaryNode",
    "VariableDeclaration",
    "VariableNode",
    "child_nodes",
    "iter_nodes",
]

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


_NOT_COMPARED = frozenset({"at", "end", "flow_at", "grouped", "options_at", "text"})


class _Node(Struct, frozen=True, eq=False, tag=True):
    """The base of all nodes. Equality ignores offsets and source texts."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            getattr(self, name) == getattr(other, name)
            for name in self.__struct_fields__
            if name not in _NOT_COMPARED
        )


class LiteralNode(_Node, frozen=True):
    """``null``, ``true``, ``'text'``, ``42``, ``4.2``."""

    value: bool | int | float | str | None
    at: int = 0


class ListNode(_Node, frozen=True):
    """``['a', 'b']``; in the short form ``(a, b)``."""

    items: tuple[Expression, ...]
    at: int = 0


class VariableNode(_Node, frozen=True):
    """``@name`` where it is used."""

    name: str
    at: int = 0


class UnaryNode(_Node, frozen=True):
    """``-x`` or ``!x``."""

    operator: str
    operand: Expression
    at: int = 0
    grouped: bool = False  # whether it is in parentheses


class BinaryNode(_Node, frozen=True):
    """``left operator right``; ``at`` is the offset of the operator."""

    operator: str
    left: Expression
    right: Expression
    at: int = 0
    grouped: bool = False  # whether it is in parentheses


class CallNode(_Node, frozen=True):
    """``name(arguments)``; ``#`` is a call of the function named ``#``."""

    name: str
    arguments: tuple[Expression, ...]
    at: int = 0


Expression: TypeAlias = LiteralNode | ListNode | VariableNode | UnaryNode | BinaryNode | CallNode


class VariableDeclaration(_Node, frozen=True):
    """``@name = expression``, evaluated at its first use, once per entity."""

    name: str
    value: Expression
    at: int = 0


class PredicateNode(_Node, frozen=True):
    """The content of the braces of a term. ``text`` is its source, which ends before ``end``."""

    variables: tuple[VariableDeclaration, ...]
    expression: Expression
    text: str = ""
    at: int = 0
    end: int = 0


class PythonFunctionNode(_Node, frozen=True):
    """``/module#name/``, a reference to a function in Python; ``module`` may be ''."""

    module: str
    name: str
    at: int = 0

    def __str__(self) -> str:
        return f"/{self.module}#{self.name}/"


class TermNode(_Node, frozen=True):
    """``term(id)~{predicate}[min,max]``."""

    id: str | None
    predicate: PredicateNode | PythonFunctionNode
    conversational: bool
    min: int = 1
    max: int = 1
    at: int = 0


class FragmentReference(_Node, frozen=True):
    """``fragment(id, {…})``: the terms of a fragment, with arguments for ``meta_frag``."""

    id: str
    arguments: Mapping[str, Json] = {}
    at: int = 0


IntentPartNode: TypeAlias = TermNode | FragmentReference


class IntentNode(_Node, frozen=True):
    """``intent=id options={…} flow='…' meta={…} term…``."""

    id: str
    terms: tuple[IntentPartNode, ...]
    options: Mapping[str, Json] = {}
    flow: str | PythonFunctionNode | None = None
    meta: Mapping[str, Json] = {}
    at: int = 0
    options_at: int = 0
    flow_at: int = 0


class FragmentNode(_Node, frozen=True):
    """``fragment=id term…``."""

    id: str
    terms: tuple[IntentPartNode, ...]
    at: int = 0


class ImportNode(_Node, frozen=True):
    """``import('location')``."""

    location: str
    at: int = 0


Statement: TypeAlias = IntentNode | FragmentNode | ImportNode


def child_nodes(node: Expression) -> tuple[Expression, ...]:
    """The direct parts of an expression."""
    match node:
        case BinaryNode():
            return node.left, node.right
        case UnaryNode():
            return (node.operand,)
        case CallNode():
            return node.arguments
        case ListNode():
            return node.items
    return ()


def iter_nodes(expressions: Iterable[Expression]) -> Iterator[Expression]:
    """The expressions and all their parts."""
    pending = list(expressions)
    while pending:
        node = pending.pop()
        yield node
        pending += child_nodes(node)
