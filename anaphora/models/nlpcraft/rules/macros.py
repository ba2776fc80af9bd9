"""Translate NLPCraft's macros from a list of ``{name, macro}`` to a mapping."""

from __future__ import annotations

from collections.abc import Iterator

from anaphora.models.nlpcraft.rules.rule import SourceEntry, TranslationTarget
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode

__all__ = ["find_macro_texts", "translate_macros"]


def translate_macros(context: TranslationTarget, entry: SourceEntry) -> None:
    """The rule for ``macros``."""
    written = context.texts.rewrite(entry.node)
    if not isinstance(written, SequenceNode):
        context.set_node("macros", entry.at, written)
        return
    macros = MappingNode(written.start)
    for index, item in enumerate(written.items):
        name, at, text = _parse_macro(item)
        where = f"{entry.key}[{index}]"
        if isinstance(item, MappingNode):
            for key in item.items.keys() - {"name", "macro"}:
                unknown = SourceEntry(f"{where}.{key}", item.key_offsets[key], item)
                context.add_note(
                    "ignored", unknown, "unknown key; the keys here are name and macro"
                )
        if name in macros.items:
            reason = f"duplicate macro {name}; the last one is used"
            context.add_note("changed", SourceEntry(where, at, item), reason)
        macros.items[name] = text
        macros.key_offsets[name] = at
    context.set_node("macros", entry.at, macros)
    context.add_note("mapped", entry, "a list of macros → a mapping from names to texts")


def find_macro_texts(root: MappingNode) -> dict[str, str]:
    """The macros of an NLPCraft file by name, untranslated."""
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
    """The name of a macro, its offset, and the text.

    An item with another shape gets an empty name, which the validation reports.
    """
    if isinstance(item, ScalarNode):
        return item.text, item.start, item
    if isinstance(item, SequenceNode):
        return "", item.start, item
    text = item.items.get("macro", ScalarNode(item.start, item.start, "", ""))
    name = item.items.get("name")
    return (name.text, name.start, text) if isinstance(name, ScalarNode) else ("", item.start, text)
