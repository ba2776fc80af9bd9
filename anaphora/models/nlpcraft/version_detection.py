"""Detect whether a file was written for NLPCraft 0.9, NLPCraft 1.0 or Anaphora."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal, TypeAlias

from anaphora.models.nlpcraft.rules.elements import ELEMENT_RULES
from anaphora.models.nlpcraft.rules.model import MODEL_RULES
from anaphora.models.nlpcraft.rules.rule import canonical_key
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    SequenceNode,
    elements_by_id,
    mappings_in,
    scalars_in,
)
from anaphora.models.schema.model_file import section_keys

__all__ = ["MODEL_KEYS", "NlpcraftVersion", "assume_version", "detect_version"]

NlpcraftVersion: TypeAlias = Literal["0.9", "1.0"]

MODEL_KEYS = frozenset(section_keys(()))
"""The keys of Anaphora's model files."""

_ELEMENT_KEYS = frozenset(section_keys(("elements",)))
_KEYS_OF_1_0 = frozenset({"type", "properties"})
_SERVER_ENTITY = re.compile(r"""(?<=['"])(?:nlpcraft|google|opennlp|stanford|spacy):\w+(?=['"])""")
_WEAK_EVIDENCE = frozenset({"metadata"})


def detect_version(root: MappingNode) -> NlpcraftVersion | None:
    """The NLPCraft version of a file; None for a file of Anaphora.

    The evidence is counted, each kind once. For 1.0: every element has a ``type`` and none an
    ``id``; ``properties`` beside it. For 0.9: each key that only NLPCraft has
    (``enabledBuiltInTokens``, ``parentId``, ``isSparse`` …), macros as a list of ``{name, macro}``
    or as an empty list, values as a list of ``{name, synonyms}`` or ``{value, synonyms}``, an empty
    alternative in a synonym, an intent or a synonym that names an entity of a server of NLPCraft
    (``nlpcraft:num``) which the file does not declare;
    ``metadata`` counts only together with other evidence, because it is an easy slip in Anaphora's
    files. For Anaphora: each key that NLPCraft lacks (``language``, ``conversation``,
    ``responses``, ``meta``, ``topic`` …).

    NLPCraft needs more evidence than Anaphora: with as much, a file is one of Anaphora with
    errors; without any, it means the same in both formats.
    """
    elements = mappings_in(root.items.get("elements"))
    for_anaphora = _evidence_for_anaphora(root, elements)
    if len(_evidence_for_1_0(elements)) > len(for_anaphora):
        return "1.0"
    evidence = _evidence_for_0_9(root, elements)
    return "0.9" if evidence - _WEAK_EVIDENCE and len(evidence) > len(for_anaphora) else None


def assume_version(root: MappingNode) -> NlpcraftVersion | None:
    """The NLPCraft version of a file that is said to be one of NLPCraft; None if it has neither
    elements nor intents, or evidence against that."""
    version = detect_version(root)
    elements = mappings_in(root.items.get("elements"))
    if (
        version
        or not (elements or "intents" in root.items)
        or _evidence_for_anaphora(root, elements)
    ):
        return version
    return "0.9"


def _evidence_for_1_0(elements: Collection[MappingNode]) -> set[str]:
    if not elements or any("id" in one.items or "type" not in one.items for one in elements):
        return set()
    return {key for one in elements for key in one.items.keys() & _KEYS_OF_1_0}


def _evidence_for_0_9(root: MappingNode, elements: Collection[MappingNode]) -> set[str]:
    evidence = _nlpcraft_keys(root, MODEL_RULES.keys(), MODEL_KEYS)
    for element in elements:
        evidence |= _nlpcraft_keys(element, ELEMENT_RULES.keys() - _KEYS_OF_1_0, _ELEMENT_KEYS)
    macros = root.items.get("macros")
    if any("macro" in one.items for one in mappings_in(macros)) or _is_empty_list(macros):
        evidence.add("{name, macro}")
    values = [one for element in elements for one in mappings_in(element.items.get("values"))]
    if any("name" in one.items or "value" in one.items for one in values):
        evidence.add("{name, synonyms}")
    synonyms = [text for one in elements for text in scalars_in(one.items.get("synonyms"))]
    if any("||" in text.partition("^^")[0] for text in synonyms):
        evidence.add("{a||b}")
    named = {
        name
        for text in (*synonyms, *scalars_in(root.items.get("intents")))
        for name in _SERVER_ENTITY.findall(text)
    }
    if named - elements_by_id(root).keys():
        evidence.add("entities of a server")
    return evidence


def _evidence_for_anaphora(root: MappingNode, elements: Collection[MappingNode]) -> set[str]:
    evidence = root.items.keys() & MODEL_KEYS - MODEL_RULES.keys()
    for element in elements:
        evidence |= element.items.keys() & _ELEMENT_KEYS - ELEMENT_RULES.keys()
    return evidence


def _nlpcraft_keys(
    node: MappingNode, nlpcraft_keys: Collection[str], anaphora_keys: Collection[str]
) -> set[str]:
    """The keys of ``node`` that only NLPCraft has, such as ``parentId`` and ``isSparse``."""
    return {
        canonical_key(key)
        for key in node.items
        if key not in anaphora_keys and canonical_key(key) in nlpcraft_keys
    }


def _is_empty_list(node: Node | None) -> bool:
    return isinstance(node, SequenceNode) and not node.items
