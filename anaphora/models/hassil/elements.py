"""The elements and intents of a sentence collection, as the data of a model file.

Sentences that are complete need none of them. They are for what follows: "and in the bedroom?",
and for what reads a model: its slots, its intents, its memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from anaphora.grammar.sentences.expansion import TextExpander
from anaphora.models.hassil.collection import (
    RangeList,
    SentenceCollection,
    SlotList,
    TextList,
)
from anaphora.models.hassil.summary import CollectionSummary, find_lists, merge_uses

__all__ = [
    "ACTION",
    "ALL",
    "AMOUNT",
    "CONTINUES",
    "DENIAL",
    "KEPT",
    "LESS",
    "MORE",
    "OTHER",
    "QUALITY",
    "REMAINING",
    "REST",
    "SET",
    "UNDO",
    "build_elements",
    "build_intents",
    "group_of",
]

ACTION = "intent"
"""The element that remembers which intent was meant."""

UNDO, MORE, LESS, OTHER, ALL = "<undo>", "<more>", "<less>", "<other>", "<all>"
SET, REMAINING, DENIAL = "<set>", "<remaining>", "<denial>"
"""The intents of sentences about the last command: undo it, do it with a higher or lower value, for
the other device, for all of them, with a value that is named, do what was left to do, or say no to
it. No collection can have an intent of such a name."""

QUALITY = "quality"
"""The slot of sentences for a higher or lower value that says what is to change."""

AMOUNT = "amount"
"""The slot of such sentences that says by how much, or which value to set."""

REST = "rest"
"""The metadata of a command with the words that it leaves out: it does one thing at a time."""

CONTINUES = "continues"
"""Of a command: it is part of what an earlier one has left to do."""

KEPT = "kept"
"""The metadata of a command with what stays as the command before it has set it, which this one
corrects."""

_GROUPS = {
    "area": "place", "floor": "place", "name": "target", "domain": "target",
    "device_class": "target", "state": "state",
}  # fmt: skip
_VALUE_GROUP = "value"
_SPELLED = frozenset(("area", "floor", "name", "domain"))
"""The slots whose words may have a wrong letter."""

_MAX_TEXTS = 60  # of a value of a list, or of a word for a domain
_MAX_VALUES = 2_000
_ESCAPED = re.compile(r"([\\{}<>\[\]|_,/^])")


def group_of(slot: str, listed: list[SlotList]) -> str:
    """The group of a slot: what it replaces in memory. Where a thing is, what it is, and the value
    that it gets are groups; other slots replace only themselves."""
    if slot in _GROUPS:
        return _GROUPS[slot]
    if any(isinstance(one, RangeList | TextList) for one in listed):
        return _VALUE_GROUP
    return slot


def build_elements(
    collection: SentenceCollection, summary: CollectionSummary, lists: Mapping[str, SlotList]
) -> list[dict[str, Any]]:
    """The elements of a collection with a home, as they would be written in a model file."""
    expander = TextExpander(collection.rules, _MAX_TEXTS)
    elements: list[dict[str, Any]] = [
        {"id": ACTION, "groups": [ACTION], "synonyms": [], "id_synonym": False}
    ]
    uses = merge_uses(summary.uses.values())
    for slot, listed in find_lists(uses, collection, lists).items():
        values: dict[str, list[str]] = {}
        for one in listed:
            if isinstance(one, TextList):
                _add_values(values, one, expander)
        if slot == "domain":
            for domain, words in summary.domain_words.items():
                values.setdefault(domain, []).extend(words)
        element: dict[str, Any] = {
            "id": slot,
            "groups": [group_of(slot, listed)],
            "synonyms": [],
            "id_synonym": False,
            "typos": int(slot in _SPELLED),
        }
        if values:
            element["values"] = {
                value: [_escape(text) for text in dict.fromkeys(texts)]
                for value, texts in list(values.items())[:_MAX_VALUES]
            }
        elements.append(element)
    return elements


def build_intents(summary: CollectionSummary) -> list[str]:
    """The intents of a collection in the intent language: a term for each slot."""
    order = {slot: index for index, slot in enumerate(merge_uses(summary.uses.values()))}
    return [
        " ".join(
            [
                f"intent={intent} term~{{# == '{ACTION}'}}?",
                *(
                    f"term({name})~{{# == '{name}'}}?"
                    for name in sorted(slots, key=order.__getitem__)
                ),
            ]
        )
        for intent, slots in summary.uses.items()
    ]


def _add_values(values: dict[str, list[str]], listed: TextList, expander: TextExpander) -> None:
    for one in listed.values:
        texts = sorted(expander.expand(one.phrase) or ())
        texts = [text.strip() for text in texts if text.strip()]
        for text in texts:
            name = text if one.value is None else str(one.value)
            values.setdefault(name, []).extend(() if text == name else (text,))


def _escape(text: str) -> str:
    return _ESCAPED.sub(r"\\\1", text)
