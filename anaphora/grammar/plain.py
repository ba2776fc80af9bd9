"""Syntax trees of predicates as plain data, and back: to read them again takes a tenth of the time
that the text takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from anaphora.grammar.syntax import (
    BinaryNode,
    CallNode,
    ListNode,
    LiteralNode,
    PredicateNode,
    UnaryNode,
    VariableDeclaration,
    VariableNode,
)

__all__ = ["plain_from", "predicate_from"]

_NODES = (
    BinaryNode, CallNode, ListNode, LiteralNode, PredicateNode, UnaryNode, VariableDeclaration,
    VariableNode,
)  # fmt: skip
_FIELDS = {kind: tuple(field.name for field in fields(kind)) for kind in _NODES}
_KINDS = {kind.__name__: kind for kind in _NODES}


def plain_from(node: PredicateNode) -> Any:
    """The data of a tree: a node is a mapping with its ``kind``, a tuple a list."""
    return _plain(node)


def predicate_from(data: Any) -> PredicateNode:
    """The tree that such data was made of. Raises LookupError, TypeError or ValueError for
    anything else."""
    node = _node(data)
    if not isinstance(node, PredicateNode):
        raise TypeError(f"this is no predicate: {node}")
    return node


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    kind = type(value)
    if kind not in _FIELDS:
        return value
    return {"kind": kind.__name__, **{name: _plain(getattr(value, name)) for name in _FIELDS[kind]}}


def _node(data: Any) -> Any:
    if isinstance(data, list):
        return tuple([_node(one) for one in data])
    if not isinstance(data, Mapping):
        return data
    own = {name: _node(value) for name, value in data.items() if name != "kind"}
    return _KINDS[data["kind"]](**own)
