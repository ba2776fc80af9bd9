"""Translation rules for keys, and the target that they fill."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from anaphora.core.name_hints import did_you_mean
from anaphora.models.nlpcraft.legacy_dialect import LegacyIntents
from anaphora.models.nlpcraft.notes import NoteCollector, NoteKind
from anaphora.models.nlpcraft.synonym_rewriter import SynonymRewriter
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, copy_mapping, to_data

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
"""NLPCraft's value for an unlimited number."""

_IS = re.compile(r"is(?=[A-Z])")


def canonical_key(key: str) -> str:
    """The usual spelling of a key: ``sparse`` for ``isSparse``."""
    bare = _IS.sub("", key, count=1) if key.startswith("is") else key
    return bare if bare == key else bare[:1].lower() + bare[1:]


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A key of the original file, its offset and its value."""

    key: str
    at: int
    node: Node


@dataclass(frozen=True, slots=True)
class TranslationTarget:
    """A mapping ``target`` of the translation that is filled from a mapping ``source``.

    ``texts`` rewrites synonyms and macros, ``intents`` intents. ``where`` is the prefix of its
    keys in notes.
    """

    source: MappingNode
    target: MappingNode
    notes: NoteCollector
    texts: SynonymRewriter
    intents: LegacyIntents
    where: str = ""

    def set_node(self, key: str, at: int, node: Node) -> bool:
        """Set ``key`` (a path with dots), unless it has a value already; returns whether it did.

        An invalid section is left for the validation to report.
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
        """Like :meth:`set_node`, for a number or a word such as ``true``."""
        return self.set_node(key, at, ScalarNode(at, at, value, ""))

    def source_value(self, key: str) -> Any:
        """The value of ``key`` in the original file, in any spelling."""
        written = (one for name, one in self.source.items.items() if canonical_key(name) == key)
        node = next(written, None)
        return None if node is None else to_data(node)

    def has_key(self, key: str) -> bool:
        """Whether ``key`` (a path with dots) has a value in the target."""
        node: Node | None = self.target
        for name in key.split("."):
            node = node.items.get(name) if isinstance(node, MappingNode) else None
        return node is not None

    def add_note(self, kind: NoteKind, entry: SourceEntry, reason: str) -> None:
        self.notes.add(kind, self.where + entry.key, entry.at, reason)


Rule: TypeAlias = Callable[[TranslationTarget, SourceEntry], None]


def apply_rules(
    rules: Mapping[str, Rule], context: TranslationTarget, *, known_keys: Container[str]
) -> None:
    """Apply the rule of each key of the source.

    A key without a rule is copied if it is one of ``known_keys``, else ignored with a note.
    """
    source = context.source
    entries = [
        SourceEntry(key, source.key_offsets[key], node) for key, node in source.items.items()
    ]
    for entry in entries:
        if canonical_key(entry.key) not in rules and entry.key in known_keys:
            node = entry.node
            if isinstance(node, MappingNode):  # a copy, to which sections can be added
                node = copy_mapping(node, node.items)
            context.set_node(entry.key, entry.at, node)
    for entry in entries:
        if rule := rules.get(canonical_key(entry.key)):
            rule(context, entry)
        elif entry.key not in known_keys:
            hint = did_you_mean(entry.key, rules)
            context.add_note("ignored", entry, f"unknown key{'; ' if hint else ''}{hint}")


def copy_key(context: TranslationTarget, entry: SourceEntry) -> None:
    """The rule for a key that is the same in Anaphora's files."""
    key = canonical_key(entry.key)
    if not context.set_node(key, entry.at, entry.node):
        context.add_note("ignored", entry, f"{key} is given already")


def map_to(key: str) -> Rule:
    """The rule for a key that is called ``key`` in Anaphora's files."""

    def rule(context: TranslationTarget, entry: SourceEntry) -> None:
        if context.set_node(key, entry.at, entry.node):
            context.add_note("mapped", entry, f"→ {key}")
        else:
            context.add_note("ignored", entry, f"{key} is given already")

    return rule


def ignore_key(reason: str, *, silent_values: Sequence[object] = ()) -> Rule:
    """The rule for a key without effect, with a note unless its value is empty or one of
    ``silent_values``, which have no effect in NLPCraft either."""

    def rule(context: TranslationTarget, entry: SourceEntry) -> None:
        value = to_data(entry.node)
        if value not in silent_values and value not in (None, [], {}):
            context.add_note("ignored", entry, reason)

    return rule


def is_unlimited(node: Node) -> bool:
    """Whether a value means that there is no limit."""
    value = to_data(node) if isinstance(node, ScalarNode) else None
    return isinstance(value, int) and value >= NO_LIMIT


def replacement_node(node: Node, text: str) -> ScalarNode:
    """A text that replaces ``node``."""
    end = node.end if isinstance(node, ScalarNode) else node.start
    return ScalarNode(node.start, end, text, '"')
