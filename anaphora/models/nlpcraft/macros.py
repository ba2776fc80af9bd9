"""Their macros → ours: a list of ``{name, macro}`` becomes a mapping."""

from __future__ import annotations

from collections.abc import Iterator

from anaphora.models.nlpcraft.rules import Entry, Sheet
from anaphora.models.nodes import ListNode, MapNode, Node, TextNode

__all__ = ["macro_texts", "read_macros"]


def read_macros(sheet: Sheet, entry: Entry) -> None:
    """The rule of ``macros``."""
    written = sheet.texts.rewritten(entry.node)
    if not isinstance(written, ListNode):
        sheet.put("macros", entry.at, written)
        return
    macros = MapNode(written.start)
    for index, item in enumerate(written.items):
        name, at, text = _macro(item)
        where = f"{entry.key}[{index}]"
        if isinstance(item, MapNode):
            for key in item.items.keys() - {"name", "macro"}:
                unknown = Entry(f"{where}.{key}", item.keys[key], item)
                sheet.note("ignored", unknown, "unknown key; the keys here are name and macro")
        if name in macros.items:
            reason = f"the macro {name} is there twice; the later one holds"
            sheet.note("changed", Entry(where, at, item), reason)
        macros.items[name] = text
        macros.keys[name] = at
    sheet.put("macros", entry.at, macros)
    sheet.note("mapped", entry, "a list of macros → a mapping from names to texts")


def macro_texts(root: MapNode) -> dict[str, str]:
    """The macros of a file of theirs by name, as they are written."""
    return {name: node.text for name, node in _macros(root) if isinstance(node, TextNode)}


def _macros(root: MapNode) -> Iterator[tuple[str, Node]]:
    match root.items.get("macros"):
        case ListNode(items=items):
            for item in items:
                name, _, text = _macro(item)
                yield name, text
        case MapNode(items=items):
            yield from items.items()


def _macro(item: Node) -> tuple[str, int, Node]:
    """The name of a macro, where it stands, and the text.

    What has another shape gets a name that is none, of which the validation complains.
    """
    if isinstance(item, TextNode):
        return item.text, item.start, item
    if isinstance(item, ListNode):
        return "", item.start, item
    text = item.items.get("macro", TextNode(item.start, item.start, "", ""))
    name = item.items.get("name")
    return (name.text, name.start, text) if isinstance(name, TextNode) else ("", item.start, text)
