"""What can become of a key: tables of rules say it, key by key, and a sheet carries it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from anaphora.models.hints import did_you_mean
from anaphora.models.nlpcraft.notes import NoteKind, Notes
from anaphora.models.nlpcraft.texts import Texts
from anaphora.models.nodes import MapNode, Node, TextNode, plain

__all__ = [
    "NO_LIMIT",
    "Entry",
    "Rule",
    "Sheet",
    "apply",
    "canonical",
    "generated",
    "ignored",
    "is_endless",
    "kept",
    "moved",
]

NO_LIMIT = 2**31 - 1
"""Their greatest number, which stands for "as many as you like"."""

_IS = re.compile(r"is(?=[A-Z])")


def canonical(key: str) -> str:
    """A key as most of their files write it: ``sparse`` for ``isSparse``."""
    bare = _IS.sub("", key, count=1) if key.startswith("is") else key
    return bare if bare == key else bare[:1].lower() + bare[1:]


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of their file as it is written there, its offset, and its value."""

    key: str
    at: int
    node: Node


@dataclass(frozen=True, slots=True)
class Sheet:
    """A mapping of our file, ``target``, that is being filled from one of theirs, ``source``.

    ``where`` begins the paths of its keys in notes.
    """

    source: MapNode
    target: MapNode
    notes: Notes
    texts: Texts
    where: str = ""

    def put(self, key: str, at: int, node: Node) -> bool:
        """Gives ``key`` (a path with dots) a value, unless it has one already.

        Returns whether it did. What stands where a mapping belongs is left to the validation.
        """
        *sections, last = key.split(".")
        target = self.target
        for name in sections:
            inner = target.items.setdefault(name, MapNode(at))
            target.keys.setdefault(name, at)
            if not isinstance(inner, MapNode):
                return False
            target = inner
        if last in target.items:
            return False
        target.items[last] = node
        target.keys[last] = at
        return True

    def set(self, key: str, at: int, value: str) -> bool:
        """Gives ``key`` a number or a word such as ``true``, as :meth:`put` does."""
        return self.put(key, at, TextNode(at, at, value, ""))

    def theirs(self, key: str) -> Any:
        """What their file says under ``key``, with or without the ``is`` before it."""
        written = (one for name, one in self.source.items.items() if canonical(name) == key)
        node = next(written, None)
        return None if node is None else plain(node)

    def has(self, key: str) -> bool:
        """Whether ``key`` (a path with dots) has a value already in our file."""
        node: Node | None = self.target
        for name in key.split("."):
            node = node.items.get(name) if isinstance(node, MapNode) else None
        return node is not None

    def note(self, kind: NoteKind, entry: Entry, reason: str) -> None:
        self.notes.add(kind, self.where + entry.key, entry.at, reason)


Rule: TypeAlias = Callable[[Sheet, Entry], None]


def apply(rules: Mapping[str, Rule], sheet: Sheet, *, ours: Container[str]) -> None:
    """Fills ``sheet`` by the rule of each key of its source.

    A key without a rule is kept if it is one of ``ours``, else it is ignored with a note.
    """
    source = sheet.source
    entries = [Entry(key, source.keys[key], node) for key, node in source.items.items()]
    for entry in entries:
        if canonical(entry.key) not in rules and entry.key in ours:
            sheet.put(entry.key, entry.at, _copied(entry.node))
    for entry in entries:
        if rule := rules.get(canonical(entry.key)):
            rule(sheet, entry)
        elif entry.key not in ours:
            hint = did_you_mean(entry.key, rules)
            sheet.note("ignored", entry, f"unknown key{'; ' if hint else ''}{hint}")


def kept(sheet: Sheet, entry: Entry) -> None:
    """The rule of a key that is the same in our files."""
    key = canonical(entry.key)
    if not sheet.put(key, entry.at, entry.node):
        sheet.note("ignored", entry, f"{key} is given already")


def moved(key: str) -> Rule:
    """The rule of a key that is called ``key`` in our files."""

    def rule(sheet: Sheet, entry: Entry) -> None:
        if sheet.put(key, entry.at, entry.node):
            sheet.note("mapped", entry, f"→ {key}")
        else:
            sheet.note("ignored", entry, f"{key} is given already")

    return rule


def ignored(reason: str, *, unless: Sequence[object] = ()) -> Rule:
    """The rule of a key without effect. Where its value is among ``unless``, or empty, it would
    have none there either, and nothing is said."""

    def rule(sheet: Sheet, entry: Entry) -> None:
        value = plain(entry.node)
        if value not in unless and value not in (None, [], {}):
            sheet.note("ignored", entry, reason)

    return rule


def is_endless(node: Node) -> bool:
    """Whether a value says that there is no limit."""
    value = plain(node) if isinstance(node, TextNode) else None
    return isinstance(value, int) and value >= NO_LIMIT


def _copied(node: Node) -> Node:
    """A mapping to which something can be added; anything else as it is."""
    if not isinstance(node, MapNode):
        return node
    copy = MapNode(node.start)
    copy.items = dict(node.items)
    copy.keys = dict(node.keys)
    return copy


def generated(node: Node, text: str) -> TextNode:
    """A text that takes the place of ``node``."""
    end = node.end if isinstance(node, TextNode) else node.start
    return TextNode(node.start, end, text, '"')
