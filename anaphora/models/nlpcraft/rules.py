"""What can become of a key: tables of rules say it, key by key, and a sheet carries it out."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from anaphora.grammar.suggestions import did_you_mean
from anaphora.models.nlpcraft.notes import NoteCollector, NoteKind
from anaphora.models.nlpcraft.synonym_rewriter import SynonymRewriter
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, to_data

__all__ = [
    "NO_LIMIT",
    "Rule",
    "SourceEntry",
    "TranslationTarget",
    "apply_rules",
    "canonical_key",
    "copy_key",
    "ignore_key",
    "is_unlimited",
    "map_to",
    "replacement_node",
]

NO_LIMIT = 2**31 - 1
"""Their greatest number, which stands for "as many as you like"."""

_IS = re.compile(r"is(?=[A-Z])")


def canonical_key(key: str) -> str:
    """A key as most of their files write it: ``sparse`` for ``isSparse``."""
    bare = _IS.sub("", key, count=1) if key.startswith("is") else key
    return bare if bare == key else bare[:1].lower() + bare[1:]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A key of their file as it is written there, its offset, and its value."""

    key: str
    at: int
    node: Node


@dataclass(frozen=True, slots=True)
class TranslationTarget:
    """A mapping of our file, ``target``, that is being filled from one of theirs, ``source``.

    ``where`` begins the paths of its keys in notes.
    """

    source: MappingNode
    target: MappingNode
    notes: NoteCollector
    texts: SynonymRewriter
    where: str = ""

    def set_node(self, key: str, at: int, node: Node) -> bool:
        """Gives ``key`` (a path with dots) a value, unless it has one already.

        Returns whether it did. What stands where a mapping belongs is left to the validation.
        """
        *sections, last = key.split(".")
        target = self.target
        for name in sections:
            inner = target.items.setdefault(name, MappingNode(at))
            target.key_offsets.setdefault(name, at)
            if not isinstance(inner, MappingNode):
                return False
            target = inner
        if last in target.items:
            return False
        target.items[last] = node
        target.key_offsets[last] = at
        return True

    def set_scalar(self, key: str, at: int, value: str) -> bool:
        """Gives ``key`` a number or a word such as ``true``, as :meth:`put` does."""
        return self.set_node(key, at, ScalarNode(at, at, value, ""))

    def source_value(self, key: str) -> Any:
        """What their file says under ``key``, with or without the ``is`` before it."""
        written = (one for name, one in self.source.items.items() if canonical_key(name) == key)
        node = next(written, None)
        return None if node is None else to_data(node)

    def has_key(self, key: str) -> bool:
        """Whether ``key`` (a path with dots) has a value already in our file."""
        node: Node | None = self.target
        for name in key.split("."):
            node = node.items.get(name) if isinstance(node, MappingNode) else None
        return node is not None

    def add_note(self, kind: NoteKind, entry: SourceEntry, reason: str) -> None:
        self.notes.add(kind, self.where + entry.key, entry.at, reason)


Rule: TypeAlias = Callable[[TranslationTarget, SourceEntry], None]


def apply_rules(
    rules: Mapping[str, Rule], sheet: TranslationTarget, *, known_keys: Container[str]
) -> None:
    """Fills ``sheet`` by the rule of each key of its source.

    A key without a rule is kept if it is one of ``ours``, else it is ignored with a note.
    """
    source = sheet.source
    entries = [
        SourceEntry(key, source.key_offsets[key], node) for key, node in source.items.items()
    ]
    for entry in entries:
        if canonical_key(entry.key) not in rules and entry.key in known_keys:
            sheet.set_node(entry.key, entry.at, _copy_mapping(entry.node))
    for entry in entries:
        if rule := rules.get(canonical_key(entry.key)):
            rule(sheet, entry)
        elif entry.key not in known_keys:
            hint = did_you_mean(entry.key, rules)
            sheet.add_note("ignored", entry, f"unknown key{'; ' if hint else ''}{hint}")


def copy_key(sheet: TranslationTarget, entry: SourceEntry) -> None:
    """The rule of a key that is the same in our files."""
    key = canonical_key(entry.key)
    if not sheet.set_node(key, entry.at, entry.node):
        sheet.add_note("ignored", entry, f"{key} is given already")


def map_to(key: str) -> Rule:
    """The rule of a key that is called ``key`` in our files."""

    def rule(sheet: TranslationTarget, entry: SourceEntry) -> None:
        if sheet.set_node(key, entry.at, entry.node):
            sheet.add_note("mapped", entry, f"→ {key}")
        else:
            sheet.add_note("ignored", entry, f"{key} is given already")

    return rule


def ignore_key(reason: str, *, silent_values: Sequence[object] = ()) -> Rule:
    """The rule of a key without effect. Where its value is among ``unless``, or empty, it would
    have none there either, and nothing is said."""

    def rule(sheet: TranslationTarget, entry: SourceEntry) -> None:
        value = to_data(entry.node)
        if value not in silent_values and value not in (None, [], {}):
            sheet.add_note("ignored", entry, reason)

    return rule


def is_unlimited(node: Node) -> bool:
    """Whether a value says that there is no limit."""
    value = to_data(node) if isinstance(node, ScalarNode) else None
    return isinstance(value, int) and value >= NO_LIMIT


def _copy_mapping(node: Node) -> Node:
    """A mapping to which something can be added; anything else as it is."""
    if not isinstance(node, MappingNode):
        return node
    copy = MappingNode(node.start)
    copy.items = dict(node.items)
    copy.key_offsets = dict(node.key_offsets)
    return copy


def replacement_node(node: Node, text: str) -> ScalarNode:
    """A text that takes the place of ``node``."""
    end = node.end if isinstance(node, ScalarNode) else node.start
    return ScalarNode(node.start, end, text, '"')
