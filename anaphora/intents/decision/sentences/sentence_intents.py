"""What deciding by sentences needs of a model, computed once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anaphora.entities.languages import cached_table
from anaphora.grammar.idl.intent import Intent
from anaphora.models.domain import Model
from anaphora.models.hassil.collection import HomeSentences, RangeList, TextList, WildcardList
from anaphora.models.hassil.combinations import Combination, find_combinations
from anaphora.models.hassil.elements import ACTION, find_slot_lists
from anaphora.models.hassil.units import find_units

__all__ = ["SentenceIntents"]


@dataclass(frozen=True, slots=True)
class SentenceIntents:
    """The combinations of slots of each intent, and the lists of the slots.

    ``ranges`` are the ranges of numbers by slot, ``units`` the words that may follow them.
    ``devices`` is the context of each device by its name. ``groups`` are those of the slots.
    ``wildcards`` are the slots that any text may fill, ``joiners`` the words that add something
    ("and").
    """

    combinations: Mapping[str, Sequence[Combination]]
    intents: Mapping[str, tuple[int, Intent]]
    ranges: Mapping[str, Sequence[RangeList]]
    units: Mapping[str, frozenset[str]]
    devices: Mapping[str, Mapping[str, Any]]
    groups: Mapping[str, frozenset[str]]
    wildcards: frozenset[str]
    joiners: frozenset[str]

    @classmethod
    def from_model(cls, model: Model) -> SentenceIntents | None:
        """None for a model without sentences."""
        if model.sentences is None:
            return None
        sentences = model.sentences
        by_intent: dict[str, list[Combination]] = {}
        for one in find_combinations(sentences.collection):
            by_intent.setdefault(one.intent, []).append(one)
        lists = find_slot_lists(sentences.collection, sentences.lists)
        ranges = {
            slot: [one for one in listed if isinstance(one, RangeList)]
            for slot, listed in lists.items()
        }
        return cls(
            combinations=by_intent,
            intents={one.id: (index, one) for index, one in enumerate(model.intents)},
            ranges={slot: listed for slot, listed in ranges.items() if listed},
            units=find_units(sentences.collection),
            devices=dict(_devices(sentences)),
            groups={element.id: element.groups for element in model.elements},
            wildcards=frozenset(
                slot
                for slot, listed in lists.items()
                if any(isinstance(one, WildcardList) for one in listed)
            ),
            joiners=frozenset(_joiners(model.languages[0])),
        )

    def group_of(self, slot: str) -> frozenset[str]:
        """The groups of a slot."""
        return self.groups.get(slot, frozenset((slot,)))

    @property
    def action_groups(self) -> frozenset[str]:
        """The groups of the element that remembers the intent."""
        return self.group_of(ACTION)


def _devices(sentences: HomeSentences) -> Iterator[tuple[str, Mapping[str, Any]]]:
    listed = sentences.lists.get("name")
    if isinstance(listed, TextList):
        for one in listed.values:
            yield str(one.value), one.context


def _joiners(language: str) -> Iterator[str]:
    """The words of a language that join what follows to what was said: "and", "also"."""
    for phrase in cached_table(language, "cues").get("joiners") or ():
        yield from re.findall(r"\w+", str(phrase).replace("_", " "))
