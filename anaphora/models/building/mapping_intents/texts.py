"""Move the texts of intents that are written as mappings to the sections of the model."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.models.reading.nodes import MappingNode, NodePath, ScalarNode, mappings_in
from anaphora.models.reading.source import FileDiagnostics
from anaphora.models.schema.field_types import is_language

__all__ = ["move_intent_texts"]

_SECTIONS: Mapping[str, str] = {
    "response": "responses",
    "confirm": "confirm",
    "mentions": "mentions",
    "offers": "offers",
}
_SECTIONS_OF_SLOTS: Mapping[str, str] = {"ask": "prompts", "validate": "validate"}


def move_intent_texts(root: MappingNode, diagnostics: FileDiagnostics) -> None:
    """Move the texts of intents and slots to the sections in which others stand, so that they are
    checked and built alike; report what is in both. Nodes keep their offsets.

    Call this before validation, which reports what is not moved because it is malformed.
    """
    for intent in mappings_in(root.items.get("intents")):
        id, slots = intent.items.get("id"), intent.items.get("slots")
        if not isinstance(id, ScalarNode):
            continue
        for key, section in _SECTIONS.items():
            _move(intent, key, root, (section, id.text), diagnostics)
        if "fallback" in intent.items:
            _make_room(root, intent.key_offsets["fallback"])
            _move(intent, "fallback", root, ("fallback", "intents", id.text), diagnostics)
        for name, slot in slots.items.items() if isinstance(slots, MappingNode) else ():
            if isinstance(slot, MappingNode):
                for key, section in _SECTIONS_OF_SLOTS.items():
                    _move(slot, key, root, (section, id.text, name), diagnostics)


def _make_room(root: MappingNode, at: int) -> None:
    """Give the fallback of the model the form in which intents have texts of their own."""
    whole = root.items.get("fallback")
    if whole is None:
        return
    if isinstance(whole, MappingNode) and not (whole.items and all(map(is_language, whole.items))):
        return
    wrapped = MappingNode(at)
    wrapped.items["text"] = whole
    wrapped.key_offsets["text"] = root.key_offsets["fallback"]
    root.items["fallback"] = wrapped


def _move(
    owner: MappingNode, key: str, root: MappingNode, path: NodePath, diagnostics: FileDiagnostics
) -> None:
    if key not in owner.items:
        return
    at = owner.key_offsets[key]
    target = root
    for step in map(str, path[:-1]):
        target.key_offsets.setdefault(step, at)
        inner = target.items.setdefault(step, MappingNode(at))
        if not isinstance(inner, MappingNode):
            return
        target = inner
    last = str(path[-1])
    if last in target.items:
        line = diagnostics.source.line_of(target.key_offsets[last])
        whose = " of ".join(f"'{step}'" for step in reversed(path[1:]))
        message = f"the '{key}' of {whose} is written twice; the other one is on line {line}"
        diagnostics.add_error(at, message)
        return
    target.items[last] = owner.items.pop(key)
    target.key_offsets[last] = owner.key_offsets.pop(key)
