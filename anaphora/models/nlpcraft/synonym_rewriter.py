"""Rewrite synonyms and macros with the blanks that NLPCraft implies.

NLPCraft joins adjacent pieces with a blank, Anaphora without one: ``ben{z|s}`` is ``ben z`` and
``ben s`` in NLPCraft, ``benz`` and ``bens`` here.
"""

from __future__ import annotations

from collections.abc import Mapping

from anaphora.grammar.synonyms.spacing import insert_blanks
from anaphora.models.reading.nodes import Node, ScalarNode, copy_tree

__all__ = ["SynonymRewriter"]


class SynonymRewriter:
    """Rewrites the texts of one file; ``macros`` are the macros of the file by name.

    ``first_change`` is the first changed text before and after, with its offset;
    ``change_count`` is the number of changed texts.
    """

    def __init__(self, macros: Mapping[str, str]) -> None:
        self._macros = macros
        self.change_count = 0
        self.first_change: tuple[str, str, int] | None = None

    def rewrite(self, node: Node) -> Node:
        """A copy of ``node`` with every text in it rewritten, at any depth."""
        return copy_tree(node, self._rewrite_text)

    def _rewrite_text(self, node: ScalarNode) -> ScalarNode:
        if "{" not in node.text and "<" not in node.text:
            return node
        text = insert_blanks(node.text, self._macros)
        if text == node.text:
            return node
        self.change_count += 1
        self.first_change = self.first_change or (node.text, text, node.start)
        return ScalarNode(node.start, node.end, text, node.style)
