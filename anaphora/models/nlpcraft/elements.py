"""Their elements → ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anaphora.models.nlpcraft.rules import Entry, Rule, Sheet, apply, ignored, kept, moved
from anaphora.models.nodes import ListNode, MapNode, Node, TextNode, plain
from anaphora.models.schema import ElementSchema

__all__ = ["ELEMENT_RULES", "read_elements"]


def read_elements(sheet: Sheet, entry: Entry) -> None:
    """The rule of ``elements``: each one is translated; what is none of them is passed on for
    the validation to complain of."""
    if not isinstance(entry.node, ListNode):
        sheet.put("elements", entry.at, entry.node)
        return
    listed = ListNode(entry.node.start)
    for index, node in enumerate(entry.node.items):
        where = f"{entry.key}[{index}]."
        listed.items.append(_element(node, sheet, where) if isinstance(node, MapNode) else node)
    sheet.put("elements", entry.at, listed)


def _element(source: MapNode, sheet: Sheet, where: str) -> MapNode:
    inner = Sheet(source, MapNode(source.start), sheet.notes, sheet.texts, where)
    apply(ELEMENT_RULES, inner, ours=ElementSchema.model_fields)
    target = inner.target
    if "properties" in source.items:
        target.items["meta"] = _with_typed_keys(target.items["meta"], source.items.get("type"))
    return target


def _synonyms(sheet: Sheet, entry: Entry) -> None:
    sheet.put("synonyms", entry.at, sheet.texts.rewritten(entry.node))


def _values(sheet: Sheet, entry: Entry) -> None:
    if not isinstance(entry.node, ListNode):
        sheet.put("values", entry.at, sheet.texts.rewritten(entry.node))
        return
    sheet.put("values", entry.at, _named_values(entry.node, sheet, entry))
    sheet.note("mapped", entry, "a list of values → a mapping from names to synonyms")


def _named_values(source: ListNode, sheet: Sheet, entry: Entry) -> MapNode:
    """``[{name: …, synonyms: […]}]`` as a mapping. An item without a name gets an empty one, of
    which the validation complains at its place."""
    values = MapNode(source.start)
    for index, item in enumerate(source.items):
        name, at, synonyms = _named_value(item)
        for key, offset in _unknown_keys(item):
            inner = Entry(f"{entry.key}[{index}].{key}", offset, item)
            sheet.note("ignored", inner, "unknown key; the keys here are name and synonyms")
        synonyms = sheet.texts.rewritten(synonyms)
        known = values.items.get(name)
        if known is None:
            values.items[name] = synonyms
            values.keys[name] = at
            continue
        values.items[name] = _joined(known, synonyms)
        again = Entry(f"{entry.key}[{index}]", at, item)
        sheet.note("changed", again, f"the value '{name}' is there twice; its synonyms are joined")
    return values


def _named_value(item: Node) -> tuple[str, int, Node]:
    """The name of a value, where it stands, and its synonyms."""
    nothing = TextNode(item.start, item.start, "", "")
    if isinstance(item, TextNode):
        return item.text, item.start, nothing
    if isinstance(item, ListNode):
        return "", item.start, item
    synonyms = item.items.get("synonyms", nothing)
    for key in ("name", "value"):
        name = item.items.get(key)
        if isinstance(name, TextNode) and plain(name) is not None:
            return name.text, name.start, synonyms
    return "", item.start, synonyms


def _unknown_keys(item: Node) -> Iterator[tuple[str, int]]:
    if isinstance(item, MapNode):
        known = ("name", "value", "synonyms")
        yield from ((key, at) for key, at in item.keys.items() if key not in known)


def _joined(first: Node, second: Node) -> Node:
    if not (isinstance(first, ListNode) and isinstance(second, ListNode)):
        return first if isinstance(first, ListNode) or plain(second) is None else second
    both = ListNode(first.start)
    both.items = [*first.items, *second.items]
    return both


def _value_loader(sheet: Sheet, entry: Entry) -> None:
    if "#" in str(plain(entry.node)):
        sheet.put("value_loader", entry.at, entry.node)
        sheet.note("mapped", entry, "→ value_loader")
        return
    sheet.note(
        "ignored",
        entry,
        f"{_shown(entry.node)} is a Java class; port it to a Python function and name that: "
        "value_loader: module#function",
    )


def _stop_words(sheet: Sheet, entry: Entry) -> None:
    if plain(entry.node) is not True:
        reason = "only a whole model says whether stop words may stand inside of synonyms"
        sheet.note("ignored", entry, reason)


def _shown(node: Node) -> str:
    return node.text if isinstance(node, TextNode) else "what stands here"


def _with_typed_keys(meta: Node, type: Node | None) -> Node:
    """Properties under their own name and, as in 1.0, under ``type:name``."""
    if not (isinstance(meta, MapNode) and isinstance(type, TextNode)):
        return meta
    both = MapNode(meta.start)
    both.items = {f"{type.text}:{key}": node for key, node in meta.items.items()} | meta.items
    both.keys = {f"{type.text}:{key}": at for key, at in meta.keys.items()} | meta.keys
    return both


ELEMENT_RULES: Mapping[str, Rule] = {
    "id": kept,
    "type": moved("id"),
    "description": kept,
    "groups": kept,
    "parentId": moved("parent"),
    "synonyms": _synonyms,
    "values": _values,
    "metadata": moved("meta"),
    "properties": moved("meta"),
    "permutateSynonyms": moved("permute"),
    "sparse": kept,
    "greedy": kept,
    "valueLoader": _value_loader,
    "stopWordsAllowed": _stop_words,
    "jiggleFactor": ignored("words do not move by a distance; see permute and sparse", unless=[0]),
}
"""What becomes of each key of an element."""
