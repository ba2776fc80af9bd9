"""The syntax tree of the intent definition language: plain, frozen data.

Every node carries ``at``, the offset of its first character in the source. Equality ignores
offsets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

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


@dataclass(frozen=True, slots=True)
class LiteralNode:
    """``null``, ``true``, ``'text'``, ``42``, ``4.2``."""

    value: bool | int | float | str | None
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ListNode:
    """``['a', 'b']``; in the short form ``(a, b)``."""

    items: tuple[Expression, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class VariableNode:
    """``@name`` where it is used."""

    name: str
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class UnaryNode:
    """``-x`` or ``!x``."""

    operator: str
    operand: Expression
    at: int = field(default=0, compare=False)
    grouped: bool = field(default=False, compare=False)  # whether it is in parentheses


@dataclass(frozen=True, slots=True)
class BinaryNode:
    """``left operator right``; ``at`` is the offset of the operator."""

    operator: str
    left: Expression
    right: Expression
    at: int = field(default=0, compare=False)
    grouped: bool = field(default=False, compare=False)  # whether it is in parentheses


@dataclass(frozen=True, slots=True)
class CallNode:
    """``name(arguments)``; ``#`` is a call of the function named ``#``."""

    name: str
    arguments: tuple[Expression, ...]
    at: int = field(default=0, compare=False)


Expression: TypeAlias = LiteralNode | ListNode | VariableNode | UnaryNode | BinaryNode | CallNode


@dataclass(frozen=True, slots=True)
class VariableDeclaration:
    """``@name = expression``, evaluated at its first use, once per entity."""

    name: str
    value: Expression
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PredicateNode:
    """The content of the braces of a term. ``text`` is its source."""

    variables: tuple[VariableDeclaration, ...]
    expression: Expression
    text: str = field(default="", compare=False)
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PythonFunctionNode:
    """``/module#name/``, a reference to a function in Python; ``module`` may be ''."""

    module: str
    name: str
    at: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"/{self.module}#{self.name}/"


@dataclass(frozen=True, slots=True)
class TermNode:
    """``term(id)~{predicate}[min,max]``."""

    id: str | None
    predicate: PredicateNode | PythonFunctionNode
    conversational: bool
    min: int = 1
    max: int = 1
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class FragmentReference:
    """``fragment(id, {…})``: the terms of a fragment, with arguments for ``meta_frag``."""

    id: str
    arguments: Mapping[str, Json] = field(default_factory=dict)
    at: int = field(default=0, compare=False)


IntentPartNode: TypeAlias = TermNode | FragmentReference


@dataclass(frozen=True, slots=True)
class IntentNode:
    """``intent=id options={…} flow='…' meta={…} term…``."""

    id: str
    terms: tuple[IntentPartNode, ...]
    options: Mapping[str, Json] = field(default_factory=dict)
    flow: str | PythonFunctionNode | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)
    at: int = field(default=0, compare=False)
    options_at: int = field(default=0, compare=False)
    flow_at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class FragmentNode:
    """``fragment=id term…``."""

    id: str
    terms: tuple[IntentPartNode, ...]
    at: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ImportNode:
    """``import('location')``."""

    location: str
    at: int = field(default=0, compare=False)


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
