"""The synonyms and macros of a file, with the blanks that NLPCraft reads into them.

Theirs joins neighbouring pieces by a blank where ours joins them without one: ``ben{z|s}`` is
``ben z`` and ``ben s`` to NLPCraft, ``benz`` and ``bens`` to us.
"""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.macro_spacing import separate
from anaphora.models.nodes import ListNode, MapNode, Node, TextNode

__all__ = ["Texts"]


class Texts:
    """Rewrites the texts of one file; ``macros`` are those of the file, by name.

    ``first`` is the first text that was changed, as it was and as it is, and where it stands;
    ``changed`` says how many were.
    """

    def __init__(self, macros: Mapping[str, str]) -> None:
        self._macros = macros
        self.changed = 0
        self.first: tuple[str, str, int] | None = None

    def rewritten(self, node: Node) -> Node:
        """``node`` with every text in it, at any depth, written in our way."""
        match node:
            case TextNode():
                return self._text(node)
            case ListNode():
                listed = ListNode(node.start)
                listed.items = [self.rewritten(item) for item in node.items]
                return listed
            case MapNode():
                mapped = MapNode(node.start)
                mapped.keys = dict(node.keys)
                mapped.items = {key: self.rewritten(item) for key, item in node.items.items()}
                return mapped

    def _text(self, node: TextNode) -> TextNode:
        if "{" not in node.text and "<" not in node.text:
            return node
        text = separate(node.text, self._macros)
        if text == node.text:
            return node
        self.changed += 1
        self.first = self.first or (node.text, text, node.start)
        return TextNode(node.start, node.end, text, node.style)
