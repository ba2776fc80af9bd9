"""Translate NLPCraft's elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anaphora.models.nlpcraft.rules.rule import (
    Rule,
    SourceEntry,
    TranslationTarget,
    apply_rules,
    copy_key,
    ignore_key,
    map_to,
)
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode, to_data
from anaphora.models.schema.model_file import ElementSchema

__all__ = ["ELEMENT_RULES", "translate_elements"]


def translate_elements(context: TranslationTarget, entry: SourceEntry) -> None:
    """The rule for ``elements``: translate each one; invalid nodes are kept for the validation to
    report."""
    if not isinstance(entry.node, SequenceNode):
        context.set_node("elements", entry.at, entry.node)
        return
    listed = SequenceNode(entry.node.start)
    for index, node in enumerate(entry.node.items):
        where = f"{entry.key}[{index}]."
        listed.items.append(
            _translate_element(node, context, where) if isinstance(node, MappingNode) else node
        )
    context.set_node("elements", entry.at, listed)


def _translate_element(source: MappingNode, context: TranslationTarget, where: str) -> MappingNode:
    inner = TranslationTarget(
        source,
        MappingNode(source.start),
        context.notes,
        context.texts,
        context.intents,
        where,
    )
    apply_rules(ELEMENT_RULES, inner, known_keys=ElementSchema.model_fields)
    target = inner.target
    if "properties" in source.items:
        target.items["meta"] = _add_typed_keys(target.items["meta"], source.items.get("type"))
    return target


def _translate_synonyms(context: TranslationTarget, entry: SourceEntry) -> None:
    context.set_node("synonyms", entry.at, context.texts.rewrite(entry.node))


def _translate_values(context: TranslationTarget, entry: SourceEntry) -> None:
    if not isinstance(entry.node, SequenceNode):
        context.set_node("values", entry.at, context.texts.rewrite(entry.node))
        return
    context.set_node("values", entry.at, _build_value_mapping(entry.node, context, entry))
    context.add_note("mapped", entry, "a list of values → a mapping from names to synonyms")


def _build_value_mapping(
    source: SequenceNode, context: TranslationTarget, entry: SourceEntry
) -> MappingNode:
    """Convert ``[{name: …, synonyms: […]}]`` to a mapping. The validation reports the empty name of
    an item without one."""
    values = MappingNode(source.start)
    for index, item in enumerate(source.items):
        name, at, synonyms = _parse_value(item)
        for key, offset in _unknown_keys(item):
            inner = SourceEntry(f"{entry.key}[{index}].{key}", offset, item)
            context.add_note("ignored", inner, "unknown key; the keys here are name and synonyms")
        synonyms = context.texts.rewrite(synonyms)
        known = values.items.get(name)
        if known is None:
            values.items[name] = synonyms
            values.key_offsets[name] = at
            continue
        values.items[name] = _join_synonyms(known, synonyms)
        again = SourceEntry(f"{entry.key}[{index}]", at, item)
        context.add_note("changed", again, f"duplicate value '{name}'; its synonyms are merged")
    return values


def _parse_value(item: Node) -> tuple[str, int, Node]:
    """The name of a value, its offset, and the synonyms."""
    nothing = ScalarNode(item.start, item.start, "", "")
    if isinstance(item, ScalarNode):
        return item.text, item.start, nothing
    if isinstance(item, SequenceNode):
        return "", item.start, item
    synonyms = item.items.get("synonyms", nothing)
    for key in ("name", "value"):
        name = item.items.get(key)
        if isinstance(name, ScalarNode) and to_data(name) is not None:
            return name.text, name.start, synonyms
    return "", item.start, synonyms


def _unknown_keys(item: Node) -> Iterator[tuple[str, int]]:
    if isinstance(item, MappingNode):
        known = ("name", "value", "synonyms")
        yield from ((key, at) for key, at in item.key_offsets.items() if key not in known)


def _join_synonyms(first: Node, second: Node) -> Node:
    if not (isinstance(first, SequenceNode) and isinstance(second, SequenceNode)):
        return first if isinstance(first, SequenceNode) or to_data(second) is None else second
    return SequenceNode(first.start, [*first.items, *second.items])


def _translate_value_loader(context: TranslationTarget, entry: SourceEntry) -> None:
    if "#" in str(to_data(entry.node)):
        context.set_node("value_loader", entry.at, entry.node)
        context.add_note("mapped", entry, "→ value_loader")
        return
    context.add_note(
        "ignored",
        entry,
        f"{_format_node(entry.node)} is a Java class; port it to a Python function and name that: "
        "value_loader: module#function",
    )


def _translate_group(context: TranslationTarget, entry: SourceEntry) -> None:
    """The only group of an element of 0.5."""
    if context.set_node("groups", entry.at, SequenceNode(entry.node.start, [entry.node])):
        context.add_note("mapped", entry, "→ groups")
    else:
        context.add_note("ignored", entry, "groups are given already")


def _translate_stop_words(context: TranslationTarget, entry: SourceEntry) -> None:
    if to_data(entry.node) is not True:
        reason = "only a whole model can allow stop words inside synonyms"
        context.add_note("ignored", entry, reason)


def _format_node(node: Node) -> str:
    return node.text if isinstance(node, ScalarNode) else "this value"


def _add_typed_keys(meta: Node, type: Node | None) -> Node:
    """Add each property under ``type:name`` as well, as in 1.0."""
    if not (isinstance(meta, MappingNode) and isinstance(type, ScalarNode)):
        return meta
    items = {f"{type.text}:{key}": node for key, node in meta.items.items()}
    offsets = {f"{type.text}:{key}": at for key, at in meta.key_offsets.items()}
    return MappingNode(meta.start, items | meta.items, offsets | meta.key_offsets)


ELEMENT_RULES: Mapping[str, Rule] = {
    "id": copy_key,
    "type": map_to("id"),
    "description": copy_key,
    "group": _translate_group,
    "groups": copy_key,
    "parentId": map_to("parent"),
    "synonyms": _translate_synonyms,
    "values": _translate_values,
    "metadata": map_to("meta"),
    "properties": map_to("meta"),
    "permutateSynonyms": map_to("permute"),
    "sparse": copy_key,
    "greedy": copy_key,
    "valueLoader": _translate_value_loader,
    "stopWordsAllowed": _translate_stop_words,
    "jiggleFactor": ignore_key(
        "words do not move by a distance; see permute and sparse", silent_values=[0]
    ),
}
"""The translation rule of each key of an element."""
