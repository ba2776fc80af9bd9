"""Sentences about the last command, from the tables ``home``: "undo that", "a bit louder"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from anaphora.entities.languages import cached_table
from anaphora.grammar.sentences.parser import parse_sentence
from anaphora.models.hassil.collection import (
    RangeList,
    SentenceBlock,
    SlotList,
    TextList,
    TextValue,
)
from anaphora.models.hassil.elements import ALL, AMOUNT, LESS, MORE, OTHER, QUALITY, UNDO

__all__ = ["DIALOG_INTENTS", "build_dialog_blocks"]

DIALOG_INTENTS = frozenset((UNDO, MORE, LESS, OTHER, ALL))
"""The intents of sentences about the last command."""

_SENTENCES = {"undo": UNDO, "other": OTHER, "all": ALL}
_STEPS = {"more": MORE, "less": LESS}
_DEGREE = "degree"
_AMOUNTS = RangeList(1, 1_000, fractions="halves")


def build_dialog_blocks(language: str) -> Iterator[SentenceBlock]:
    """Blocks of the sentences about the last command in a language."""
    table = cached_table(language, "home")
    for key, intent in _SENTENCES.items():
        yield SentenceBlock(intent, tuple(map(parse_sentence, table.get(key) or ())))
    written = dict(table.get("rules") or {})
    steps = table.get("step") or ()
    with_amount = ("<amount> {quality}", *(f"{step} <amount>" for step in steps))
    templates = tuple(map(parse_sentence, (*steps, *with_amount)))
    written[_DEGREE] = f"({written.get(_DEGREE, '')}|<{AMOUNT}>)"
    rules = {name: parse_sentence(body) for name, body in written.items()}
    for key, intent in _STEPS.items():
        words = _build_list(table.get(key) or {})
        if words.values:
            lists: dict[str, SlotList] = {QUALITY: words, AMOUNT: _AMOUNTS}
            yield SentenceBlock(intent, templates, rules=rules, lists=lists)


def _build_list(words: Mapping[str, Any]) -> TextList:
    """The list of the words that change a value, each with the quality that it changes."""
    return TextList(
        tuple(
            TextValue(parse_sentence(word), quality)
            for quality, listed in words.items()
            for word in listed
        )
    )
