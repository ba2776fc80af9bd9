"""Sentences about the last command, from the tables ``home``: "undo that", "a bit louder"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anaphora.entities.languages import cached_table
from anaphora.grammar.sentences.parser import parse_sentence
from anaphora.models.hassil.collection import SentenceBlock, TextList, TextValue
from anaphora.models.hassil.elements import ALL, LESS, MORE, OTHER, QUALITY, UNDO

__all__ = ["DIALOG_INTENTS", "build_dialog_blocks"]

DIALOG_INTENTS = frozenset((UNDO, MORE, LESS, OTHER, ALL))
"""The intents of sentences about the last command."""

_SENTENCES = {"undo": UNDO, "other": OTHER, "all": ALL}
_STEPS = {"more": MORE, "less": LESS}


def build_dialog_blocks(language: str) -> Iterator[SentenceBlock]:
    """Blocks of the sentences about the last command in a language."""
    table = cached_table(language, "home")
    for key, intent in _SENTENCES.items():
        yield SentenceBlock(intent, tuple(map(parse_sentence, table.get(key) or ())))
    templates = tuple(map(parse_sentence, table.get("step") or ()))
    rules = {name: parse_sentence(body) for name, body in (table.get("rules") or {}).items()}
    for key, intent in _STEPS.items():
        words = _build_list(table.get(key) or {})
        if words.values:
            yield SentenceBlock(intent, templates, rules=rules, lists={QUALITY: words})


def _build_list(words: Mapping[str, Any]) -> TextList:
    """The list of the words that change a value, each with the quality that it changes."""
    return TextList(
        tuple(
            TextValue(parse_sentence(word), quality)
            for quality, listed in words.items()
            for word in listed
        )
    )
