"""The synonyms and macros of a file, with the blanks that NLPCraft reads into them.

Theirs joins neighbouring pieces by a blank where ours joins them without one: ``ben{z|s}`` is
``ben z`` and ``ben s`` to NLPCraft, ``benz`` and ``bens`` to us.
"""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.synonyms.spacing import insert_blanks
from anaphora.models.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode

__all__ = ["SynonymRewriter"]


class SynonymRewriter:
    """Rewrites the texts of one file; ``macros`` are those of the file, by name.

    ``first`` is the first text that was changed, as it was and as it is, and where it stands;
    ``changed`` says how many were.
    """

    def __init__(self, macros: Mapping[str, str]) -> None:
        self._macros = macros
        self.change_count = 0
        self.first_change: tuple[str, str, int] | None = None

    def rewrite(self, node: Node) -> Node:
        """``node`` with every text in it, at any depth, written in our way."""
        match node:
            case ScalarNode():
                return self._rewrite_text(node)
            case SequenceNode():
                listed = SequenceNode(node.start)
                listed.items = [self.rewrite(item) for item in node.items]
                return listed
            case MappingNode():
                mapped = MappingNode(node.start)
                mapped.key_offsets = dict(node.key_offsets)
                mapped.items = {key: self.rewrite(item) for key, item in node.items.items()}
                return mapped

    def _rewrite_text(self, node: ScalarNode) -> ScalarNode:
        if "{" not in node.text and "<" not in node.text:
            return node
        text = insert_blanks(node.text, self._macros)
        if text == node.text:
            return node
        self.change_count += 1
        self.first_change = self.first_change or (node.text, text, node.start)
        return ScalarNode(node.start, node.end, text, node.style)
