"""The tree of a model file, with the offset of each node; the same for YAML and JSON.

A reader (:mod:`anaphora.models.reading.yaml_reader`, :mod:`anaphora.models.reading.json_reader`)
feeds a :class:`TreeBuilder`; :func:`to_data` converts the finished tree to plain data.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from anaphora.models.reading.source import FileDiagnostics

__all__ = [
    "MAX_DEPTH",
    "MappingNode",
    "Node",
    "NodePath",
    "ScalarNode",
    "SequenceNode",
    "SourceFloat",
    "SourceInt",
    "TreeBuilder",
    "copy_mapping",
    "copy_tree",
    "elements_by_id",
    "iter_texts",
    "mappings_in",
    "node_at",
    "scalars_in",
    "to_data",
]

MAX_DEPTH = 100
"""Levels of lists and mappings that a file may have."""

_EXPANSION_FACTOR, _EXPANSION_FREE = 10, 10_000

NodePath: TypeAlias = Sequence[str | int]


class ScalarNode(Struct, eq=False):
    """A scalar. ``style`` is its quote or block character; '' for a plain scalar."""

    start: int
    end: int
    text: str
    style: str


class SequenceNode(Struct, eq=False):
    """A list."""

    start: int
    items: list[Node] = []


class MappingNode(Struct, eq=False):
    """A mapping with text keys; ``key_offsets`` has the offset of each key.

    ``removed_keys`` are the keys from whose values something invalid was removed.
    """

    start: int
    items: dict[str, Node] = {}
    key_offsets: dict[str, int] = {}
    removed_keys: frozenset[str] = frozenset()


Node: TypeAlias = ScalarNode | SequenceNode | MappingNode


class SourceInt(int):
    """An integer with its source text (``007``)."""

    written: str


class SourceFloat(float):
    """A float with its source text (``1.10``)."""

    written: str


def to_data(node: Node) -> Any:
    """Convert a tree to dicts, lists, texts, numbers, booleans and None.

    Plain scalars follow the core schema of YAML 1.2: ``on`` and ``no`` are texts.
    """
    match node:
        case ScalarNode():
            return _parse_scalar(node.text) if node.style == "" else node.text
        case SequenceNode():
            return [to_data(item) for item in node.items]
        case MappingNode():
            return {key: to_data(value) for key, value in node.items.items()}


def node_at(root: Node, path: NodePath) -> Node:
    """The node at ``path``, without the steps that lead nowhere.

    Validated data has levels that a file may omit (a language above a plain list of synonyms).
    """
    node = root
    for step in path:
        node = _child(node, step) or node
    return node


def copy_tree(node: Node, transform: Callable[[ScalarNode], ScalarNode] | None = None) -> Node:
    """A copy of the lists and mappings in a tree, with its scalars transformed."""
    if isinstance(node, ScalarNode):
        return transform(node) if transform else node
    if isinstance(node, SequenceNode):
        return SequenceNode(node.start, [copy_tree(item, transform) for item in node.items])
    items = {key: copy_tree(item, transform) for key, item in node.items.items()}
    return copy_mapping(node, items)


def copy_mapping(node: MappingNode, items: Mapping[str, Node]) -> MappingNode:
    """A mapping at the same place with other items, whose keys ``node`` has as well."""
    offsets = {key: node.key_offsets[key] for key in items}
    return MappingNode(node.start, dict(items), offsets, node.removed_keys)


def iter_texts(node: Node | None) -> Iterator[str]:
    """The texts of all scalars in a tree."""
    match node:
        case ScalarNode():
            yield node.text
        case SequenceNode():
            for item in node.items:
                yield from iter_texts(item)
        case MappingNode():
            for item in node.items.values():
                yield from iter_texts(item)


def mappings_in(node: Node | None) -> list[MappingNode]:
    """The mappings in a list of a file; none for any other node."""
    items = node.items if isinstance(node, SequenceNode) else ()
    return [item for item in items if isinstance(item, MappingNode)]


def scalars_in(node: Node | None) -> list[str]:
    """The texts of the scalars in a list of a file; none for any other node."""
    items = node.items if isinstance(node, SequenceNode) else ()
    return [item.text for item in items if isinstance(item, ScalarNode)]


def elements_by_id(root: MappingNode) -> dict[str, MappingNode]:
    """The elements of a model file that are mappings with an id."""
    return {
        id.text: element
        for element in mappings_in(root.items.get("elements"))
        if isinstance(id := element.items.get("id"), ScalarNode)
    }


def _child(node: Node, step: str | int) -> Node | None:
    if isinstance(node, MappingNode):
        return node.items.get(str(step))
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.items):
        return node.items[step]
    return None


_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = dict.fromkeys(("true", "True", "TRUE"), True) | dict.fromkeys(
    ("false", "False", "FALSE"), False
)
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_INFINITE = re.compile(r"([-+]?)\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_NUMBER_STARTS = frozenset("+-.0123456789")
_MAX_NUMBER_LENGTH = 400  # int() rejects thousands of digits, which nobody means as a number


def _parse_scalar(text: str) -> Any:
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text[0] not in _NUMBER_STARTS or len(text) > _MAX_NUMBER_LENGTH:
        return text
    return _parse_number(text)


def _parse_number(text: str) -> Any:
    number: SourceInt | SourceFloat
    if _INTEGER.fullmatch(text):
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        number = SourceInt(int(text, base))
    elif _FLOAT.fullmatch(text):
        number = SourceFloat(text)
    elif found := _INFINITE.fullmatch(text):
        infinite = math.copysign(math.inf, -1 if found[1] == "-" else 1)
        number = SourceFloat(infinite if found[2] else math.nan)
    else:
        return text
    number.written = text
    return number


class _OpenCollection(Struct, eq=False):
    """A list or mapping under construction. ``key`` is that of the next value (its text is None
    if it is invalid), ``size`` and ``height`` are those of the tree so far."""

    node: SequenceNode | MappingNode
    anchor: str | None
    key: tuple[str | None, int] | None = None
    size: int = 1
    height: int = 1


class TreeBuilder:
    """Builds a tree from the events of a reader.

    Reports duplicate keys, keys that are not texts, and unknown or cyclic aliases; raises
    ``ModelError`` for a tree that is too deep or expands to too much data.
    """

    def __init__(self, diagnostics: FileDiagnostics) -> None:
        self._diagnostics = diagnostics
        self._open: list[_OpenCollection] = []
        self._anchored: dict[str, tuple[Node, int, int]] = {}
        self._distinct = 0
        self._shared = False
        self.root: Node | None = None

    def add_scalar(self, node: ScalarNode, anchor: str | None = None) -> None:
        """Add a scalar: an item, a value, or the key of the next value."""
        self._distinct += 1
        if anchor is not None:
            self._anchored[anchor] = (node, 1, 0)
        self._attach(node, 1, 0)

    def open_collection(self, node: SequenceNode | MappingNode, anchor: str | None = None) -> None:
        """Begin a list or a mapping."""
        self._distinct += 1
        self._check_depth(node.start, 1)
        if anchor is not None:
            self._anchored.pop(anchor, None)
        self._open.append(_OpenCollection(node, anchor))

    def close_collection(self) -> None:
        """End the innermost open list or mapping."""
        done = self._open.pop()
        if done.anchor is not None:
            self._anchored[done.anchor] = (done.node, done.size, done.height)
        self._attach(done.node, done.size, done.height)

    def add_alias(self, name: str, offset: int) -> None:
        """Repeat the node of the anchor ``name``."""
        self._distinct += 1
        if any(one.anchor == name for one in self._open):
            self._diagnostics.abort(offset, f"the alias '*{name}' is inside what it repeats")
        if name not in self._anchored:
            self._diagnostics.add_error(offset, f"there is no anchor '&{name}' before this alias")
            return self._attach(ScalarNode(offset, offset, "", ""), 1, 0)
        node, size, height = self._anchored[name]
        self._shared = True
        self._check_depth(offset, height)
        self._attach(node, size, height, offset)
        expanded = sum(one.size for one in self._open)
        if expanded > _EXPANSION_FACTOR * self._distinct + _EXPANSION_FREE:
            self._diagnostics.abort(
                offset, f"the aliases of this file expand to far too much data, here with '*{name}'"
            )
        return None

    def finish(self) -> Node | None:
        """The finished tree, without shared nodes; None for an empty file."""
        if self._shared and self.root is not None:
            self.root = copy_tree(self.root)
        return self.root

    def _attach(self, node: Node, size: int, height: int, offset: int | None = None) -> None:
        if not self._open:
            self.root = node
            return
        inner = self._open[-1]
        inner.size += size
        inner.height = max(inner.height, height + 1)
        if isinstance(inner.node, SequenceNode):
            inner.node.items.append(node)
        elif inner.key is None:
            inner.key = self._parse_key(node, node.start if offset is None else offset)
        else:
            (key, at), inner.key = inner.key, None
            self._set_item(inner.node, key, at, node)

    def _set_item(self, parent: MappingNode, key: str | None, offset: int, node: Node) -> None:
        if key is None:
            return None
        if key in parent.items:
            first = self._diagnostics.source.line_of(parent.key_offsets[key])
            return self._diagnostics.add_error(
                offset, f"duplicate key '{key}'; first on line {first}"
            )
        parent.items[key] = node
        parent.key_offsets[key] = offset
        return None

    def _parse_key(self, node: Node, offset: int) -> tuple[str | None, int]:
        """The text of a key; None for an invalid key, whose value is ignored."""
        if not isinstance(node, ScalarNode):
            kind = "list" if isinstance(node, SequenceNode) else "mapping"
            self._diagnostics.add_error(
                offset, f"a key must be text, not a {kind}", "a text with braces needs quotes"
            )
        elif not (node.text or node.style):
            self._diagnostics.add_error(offset, "a key is missing before the colon")
        elif node.text == "<<" and not node.style:
            self._diagnostics.add_error(
                offset, "merge keys (<<) are not supported", "write the keys out, or use macros"
            )
        else:
            return node.text, offset
        return None, offset

    def _check_depth(self, offset: int, more: int) -> None:
        if len(self._open) + more > MAX_DEPTH:
            self._diagnostics.abort(offset, f"nested deeper than {MAX_DEPTH} levels")
