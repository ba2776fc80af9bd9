"""What a match says of alarms and of times."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from anaphora.entities.cues.cue_words import load_cue_words

if TYPE_CHECKING:
    from anaphora.bots.alarm.alarm_list import AlarmList
    from anaphora.core.utterance import Entity
    from anaphora.intents.match import Candidate, Match, Slot

__all__ = [
    "asks_for_another",
    "counts_from_alarm",
    "entities_of",
    "find_added_seconds",
    "find_said_times",
    "find_several",
    "is_remembered",
    "offered_in",
    "sets_total",
]


def offered_in(match: Match) -> list[Entity]:
    """What a sentence means of a list of alarms."""
    return [one.entity for one in _taken(match.slots.get("listed")) if one.offered]


def _taken(slot: Slot | None) -> tuple[Candidate, ...]:
    return slot.taken if slot else ()


def entities_of(slot: Slot | None) -> tuple[Entity, ...]:
    """The entities in a slot; empty without one."""
    return slot.entities if slot else ()


def find_said_times(match: Match) -> tuple[Entity, ...]:
    """The times of a question, without an hour of the last one beside what corrects it."""
    taken = _taken(match.slots.get("time"))
    old = [one for one in taken if one.pending or one.remembered]
    if len(taken) == 1 + len(old) == 2 and old[0].entity.element == "hour":
        return tuple([one.entity for one in taken if one not in old])
    return tuple([one.entity for one in taken])


def is_remembered(slot: Slot | None) -> bool:
    """Whether something in a slot is from the memory."""
    return any(one.remembered for one in _taken(slot))


def asks_for_another(match: Match) -> bool:
    """Whether the sentence asks for another alarm beside the last one: "and one an hour later"."""
    slot = match.slots.get("another")
    return slot is not None and slot.source == "sentence"


def sets_total(match: Match, times: Sequence[Entity], text: str, language: str) -> bool:
    """Whether a sentence says how long the last timer is to run in all, without a word for more:
    "make it 10" after "30 seconds more"."""
    slot = match.slots.get("more")
    if slot is None or slot.source == "sentence" or any(map(counts_from_alarm, times)):
        return False
    _, phrases = load_cue_words(language).read(text)
    return any(one.reading.value == "set" for one in phrases)


def find_several(match: Match, alarms: AlarmList) -> list[datetime]:
    """The alarms that "all" or "both" means."""
    said = entities_of(match.slots.get("all"))
    if not said:
        return []
    return alarms.both() if said[0].value == "both" else alarms.times


def counts_from_alarm(length: Entity) -> bool:
    """Whether what is added counts from where an alarm is now, also in a correction."""
    return "added" in length.meta


def find_added_seconds(match: Match, times: Sequence[Entity]) -> float | None:
    """The length of what a question adds to the last alarm, or takes from it: "5 more minutes",
    "twice as long"; the correction of that is another one."""
    if len(times) != 1:
        return None
    length = times[0]
    if "added" in length.meta:
        added: float = length.meta["added"]
        return added
    ends = length.tokens[:1], length.tokens[-1:]  # none if the bot has offered it
    beside = {*(one - 1 for one in ends[0]), *(one + 1 for one in ends[1])}  # "another one for 5"
    slot = match.slots.get("more")
    is_added = length.meta.get("more") or any(
        slot is not None and (slot.source != "sentence" or not beside.isdisjoint(one.tokens))
        for one in entities_of(slot)
    )
    return length.meta.get("seconds") if is_added else None
