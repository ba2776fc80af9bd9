"""Their macros → ours: a list of ``{name, macro}`` becomes a mapping."""

from __future__ import annotations

from collections.abc import Iterator

from anaphora.models.nlpcraft.rules import SourceEntry, TranslationTarget
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode

__all__ = ["find_macro_texts", "translate_macros"]


def translate_macros(sheet: TranslationTarget, entry: SourceEntry) -> None:
    """The rule of ``macros``."""
    written = sheet.texts.rewrite(entry.node)
    if not isinstance(written, SequenceNode):
        sheet.set_node("macros", entry.at, written)
        return
    macros = MappingNode(written.start)
    for index, item in enumerate(written.items):
        name, at, text = _parse_macro(item)
        where = f"{entry.key}[{index}]"
        if isinstance(item, MappingNode):
            for key in item.items.keys() - {"name", "macro"}:
                unknown = SourceEntry(f"{where}.{key}", item.key_offsets[key], item)
                sheet.add_note("ignored", unknown, "unknown key; the keys here are name and macro")
        if name in macros.items:
            reason = f"the macro {name} is there twice; the later one holds"
            sheet.add_note("changed", SourceEntry(where, at, item), reason)
        macros.items[name] = text
        macros.key_offsets[name] = at
    sheet.set_node("macros", entry.at, macros)
    sheet.add_note("mapped", entry, "a list of macros → a mapping from names to texts")


def find_macro_texts(root: MappingNode) -> dict[str, str]:
    """The macros of a file of theirs by name, as they are written."""
    return {name: node.text for name, node in _iter_macros(root) if isinstance(node, ScalarNode)}


def _iter_macros(root: MappingNode) -> Iterator[tuple[str, Node]]:
    match root.items.get("macros"):
        case SequenceNode(items=items):
            for item in items:
                name, _, text = _parse_macro(item)
                yield name, text
        case MappingNode(items=items):
            yield from items.items()


def _parse_macro(item: Node) -> tuple[str, int, Node]:
    """The name of a macro, where it stands, and the text.

    What has another shape gets a name that is none, of which the validation complains.
    """
    if isinstance(item, ScalarNode):
        return item.text, item.start, item
    if isinstance(item, SequenceNode):
        return "", item.start, item
    text = item.items.get("macro", ScalarNode(item.start, item.start, "", ""))
    name = item.items.get("name")
    return (name.text, name.start, text) if isinstance(name, ScalarNode) else ("", item.start, text)
