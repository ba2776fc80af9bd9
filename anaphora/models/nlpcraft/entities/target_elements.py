"""Add elements and entities to a translated model file, and find those that it has."""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.models.nlpcraft.rules.rule import TranslationTarget
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    elements_by_id,
    scalars_in,
)

__all__ = ["add_element", "append_to_list", "enabled_names", "group_names", "remove_entity"]


def enabled_names(context: TranslationTarget) -> set[str]:
    """The ids of the elements and entities in the target."""
    return {*scalars_in(context.target.items.get("entities")), *elements_by_id(context.target)}


def group_names(context: TranslationTarget) -> set[str]:
    """The groups of the elements in the target."""
    elements = elements_by_id(context.target).values()
    return {name for one in elements for name in scalars_in(one.items.get("groups"))}


def remove_entity(context: TranslationTarget, name: str) -> None:
    """Remove a name under ``entities``."""
    node = context.target.items.get("entities")
    if isinstance(node, SequenceNode):
        kept = [one for one in node.items if not (isinstance(one, ScalarNode) and one.text == name)]
        context.target.items["entities"] = SequenceNode(node.start, kept)


def add_element(
    context: TranslationTarget,
    id: ScalarNode,
    recognizer: str,
    options: Mapping[str, object] | None = None,
) -> MappingNode:
    """Add an element with a recognizer."""
    at = id.start
    items: dict[str, Node] = {"id": id, "recognizer": ScalarNode(at, at, recognizer, '"')}
    if options:
        config: dict[str, Node] = {
            key: SequenceNode(at, [ScalarNode(at, at, one, '"') for one in value])
            if isinstance(value, tuple)
            else ScalarNode(at, at, str(value).lower(), "")
            for key, value in options.items()
        }
        items["config"] = MappingNode(at, config, dict.fromkeys(config, at))
    element = MappingNode(at, items, dict.fromkeys(items, at))
    append_to_list(context, "elements", element)
    return element


def append_to_list(context: TranslationTarget, key: str, node: Node) -> None:
    """Append ``node`` to the list under ``key``, as a copy: source and target may share it."""
    known = context.target.items.get(key)
    if known is not None and not isinstance(known, SequenceNode):
        return  # reported by the validation
    items = [*known.items, node] if known else [node]
    context.target.items[key] = SequenceNode((known or node).start, items)
    context.target.key_offsets.setdefault(key, node.start)
