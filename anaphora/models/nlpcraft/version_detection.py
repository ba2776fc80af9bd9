"""Whose file is it: NLPCraft's of 0.9 or of 1.0, or one of ours?"""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain
from typing import Literal, TypeAlias

from anaphora.models.nlpcraft.element_rules import ELEMENT_RULES
from anaphora.models.nlpcraft.model_rules import MODEL_RULES
from anaphora.models.nlpcraft.rules import canonical_key
from anaphora.models.reading.nodes import MappingNode, Node, SequenceNode
from anaphora.models.schema.model_file import ElementSchema, ModelSchema

__all__ = ["MODEL_KEYS", "Version", "detect_version"]

Version: TypeAlias = Literal["0.9", "1.0"]

MODEL_KEYS = frozenset(field.alias or name for name, field in ModelSchema.model_fields.items())
"""The keys that a model file of ours can have."""

_ELEMENT_KEYS = frozenset(ElementSchema.model_fields)
_KEYS_OF_1_0 = frozenset({"type", "properties"})
_WEAK_EVIDENCE = frozenset({"metadata"})


def detect_version(root: MappingNode) -> Version | None:
    """The version of NLPCraft whose file this is; None for a file of ours.

    Marks are counted, each once however often it stands in the file. Marks of 1.0: every
    element has a ``type`` and none an ``id``; ``properties`` beside it. Marks of 0.9: each key
    that only theirs has (``enabledBuiltInTokens``, ``parentId``, ``isSparse`` …), macros as a
    list of ``{name, macro}``, values as a list of ``{name, synonyms}`` or ``{value,
    synonyms}``; but ``metadata`` counts only beside another mark, for it is an easy slip in a
    file of ours. Marks of ours: each key that theirs doesn't have (``language``,
    ``conversation``, ``responses``, ``meta``, ``topic`` …). Keys that both have (``id``,
    ``name``, ``elements``, ``synonyms``, ``intents`` …) say nothing.

    The file is theirs if it has more marks of theirs than of ours: one with as many is a file
    of ours with mistakes in it, and one without any reads the same in both.
    """
    elements = [one for one in _items(root.items.get("elements")) if isinstance(one, MappingNode)]
    ours = _evidence_for_anaphora(root, elements)
    if len(_evidence_for_1_0(elements)) > len(ours):
        return "1.0"
    marks = _evidence_for_0_9(root, elements)
    return "0.9" if marks - _WEAK_EVIDENCE and len(marks) > len(ours) else None


def _evidence_for_1_0(elements: Collection[MappingNode]) -> set[str]:
    if not elements or any("id" in one.items or "type" not in one.items for one in elements):
        return set()
    return {key for one in elements for key in one.items.keys() & _KEYS_OF_1_0}


def _evidence_for_0_9(root: MappingNode, elements: Collection[MappingNode]) -> set[str]:
    marks = _nlpcraft_keys(root, MODEL_RULES.keys(), MODEL_KEYS)
    for element in elements:
        marks |= _nlpcraft_keys(element, ELEMENT_RULES.keys() - _KEYS_OF_1_0, _ELEMENT_KEYS)
    if any(_has_any_key(item, "macro") for item in _items(root.items.get("macros"))):
        marks.add("{name, macro}")
    values = chain.from_iterable(_items(element.items.get("values")) for element in elements)
    if any(_has_any_key(item, "name", "value") for item in values):
        marks.add("{name, synonyms}")
    return marks


def _evidence_for_anaphora(root: MappingNode, elements: Collection[MappingNode]) -> set[str]:
    marks = root.items.keys() & MODEL_KEYS - MODEL_RULES.keys()
    for element in elements:
        marks |= element.items.keys() & _ELEMENT_KEYS - ELEMENT_RULES.keys()
    return marks


def _nlpcraft_keys(node: MappingNode, theirs: Collection[str], ours: Collection[str]) -> set[str]:
    """The keys of ``node`` that are theirs alone, such as ``parentId`` and ``isSparse``."""
    return {
        canonical_key(key) for key in node.items if key not in ours and canonical_key(key) in theirs
    }


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, SequenceNode) else []


def _has_any_key(node: Node, *keys: str) -> bool:
    return isinstance(node, MappingNode) and any(key in node.items for key in keys)
