"""Rewrite synonyms and macros of NLPCraft for Anaphora.

NLPCraft joins adjacent pieces with a blank, Anaphora without one: ``ben{z|s}`` is ``ben z`` and
``ben s`` in NLPCraft, ``benz`` and ``bens`` here. It also skips alternatives that are left empty
(``{rain||snow}``), and reads predicates in several forms. Up to 0.7 ``*`` is the empty alternative:
``{all|*}`` is ``{all|_}``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from anaphora.grammar.synonyms.error_messages import mask_literals
from anaphora.grammar.synonyms.spacing import insert_blanks
from anaphora.models.nlpcraft.legacy_dialect import rewrite_parts
from anaphora.models.nlpcraft.notes import NoteCollector
from anaphora.models.reading.nodes import Node, ScalarNode, copy_tree

__all__ = ["SynonymRewriter"]

_EMPTY_ALTERNATIVE = re.compile(r"(?<=\{)(?:\s*\|)+\s*|\|\s*(?=[|}])")
_STAR = re.compile(r"(?<=[{|])(\s*)\*(?=\s*[|}])")
_UNDERSCORE = re.compile(r"[{|]\s*_\s*[|}]")
_IN_NEED = re.compile(r"[{<]|\^\^")


class _Change(NamedTuple):
    """The first changed text before and after, its offset, and the number of changed ``texts``."""

    before: str
    after: str
    at: int
    texts: int = 1


class SynonymRewriter:
    """Rewrites the texts of one file: ``macros`` by name, and ``synonyms``.

    ``*`` may be the empty alternative if ``stars`` are allowed and no text has ``_``.
    """

    def __init__(
        self, macros: Mapping[str, str], synonyms: Iterable[str] = (), *, stars: bool = False
    ) -> None:
        self._stars = stars and not any(map(_UNDERSCORE.search, (*macros.values(), *synonyms)))
        self._macros = {name: self._rewrite_groups(text) for name, text in macros.items()}
        self._changes: dict[str, _Change] = {}

    def rewrite(self, node: Node) -> Node:
        """A copy of ``node`` with every text in it rewritten, at any depth."""
        return copy_tree(node, self._rewrite_text)

    def add_notes(self, notes: NoteCollector) -> None:
        """Add a note on each kind of change."""
        for reason, change in self._changes.items():
            others = f" (and {change.texts - 1:,} more)" if change.texts > 1 else ""
            example = f"'{change.before}' → '{change.after}'"
            notes.add("changed", "synonyms", change.at, f"{reason}: {example}{others}")

    def _rewrite_text(self, node: ScalarNode) -> ScalarNode:
        if not _IN_NEED.search(node.text):
            return node
        text = node.text
        for reason, rewrite in self._steps():
            after = rewrite(text)
            if after != text:
                known = self._changes.get(reason)
                self._changes[reason] = (
                    known._replace(texts=known.texts + 1)
                    if known
                    else _Change(text, after, node.start)
                )
                text = after
        return node if text == node.text else ScalarNode(node.start, node.end, text, node.style)

    def _rewrite_groups(self, text: str) -> str:
        return _drop_empty_alternatives(self._replace_stars(text))

    def _replace_stars(self, text: str) -> str:
        """The text with ``_`` for an alternative that is only ``*``."""
        if not self._stars:
            return text
        at = {one.end() - 1 for one in _STAR.finditer(mask_literals(text))}
        return "".join("_" if index in at else char for index, char in enumerate(text))

    def _steps(self) -> tuple[tuple[str, Callable[[str], str]], ...]:
        return (
            ("predicates are in braces and in the intent language", rewrite_parts),
            ("the alternative * is nothing, as up to 0.7", self._replace_stars),
            ("an alternative that is left empty does not count", _drop_empty_alternatives),
            (
                "pieces are joined by a blank, as in NLPCraft",
                lambda text: insert_blanks(text, self._macros),
            ),
        )


def _drop_empty_alternatives(text: str) -> str:
    """The text without alternatives of nothing: ``{a||b}``, ``{a|}``."""
    if "|" not in text:
        return text
    found = list(_EMPTY_ALTERNATIVE.finditer(mask_literals(text)))
    starts = (0, *(one.end() for one in found))
    ends = (*(one.start() for one in found), len(text))
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))
