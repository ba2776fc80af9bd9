"""A command for several things: "open both", "turn off everything on the ground floor".

A reply has one command. It is given for as many of the things as the sentences can name together:
the blinds in the bedroom; its text says which are left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from anaphora.core.utterance import Entity, SentenceReading, Variant
from anaphora.entities.sentences.reader import TIMER
from anaphora.entities.sentences.repairs import ALL, BOTH, EVERYTHING, OTHER
from anaphora.intents.decision.sentences.completion import Completion, build_candidates
from anaphora.intents.decision.sentences.history.commands import (
    DEVICES_BEFORE,
    find_name,
    find_things,
    pack_entities,
    unpack_entities,
)
from anaphora.intents.decision.sentences.history.rest import (
    ALL_IN,
    Task,
    find_tasks,
    is_done,
    note_tasks,
)
from anaphora.intents.decision.sentences.repetition.kinds import find_alike, find_kind, kind_of
from anaphora.intents.decision.sentences.repetition.other_devices import complete_all, find_others
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    OPENED,
    PLACES,
    TARGETS,
    build_device,
    build_entity,
    find_combination,
    find_devices,
    find_last_domains,
    find_last_used,
    last_command_meta,
    property_of,
)
from anaphora.models.hassil.inverse_intents import INVERSE_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = [
    "complete_both",
    "complete_kind",
    "complete_plural",
    "complete_several",
    "keep_place_of_all",
]

_DOMAIN, _CLASS = "domain", "device_class"


class _Part(NamedTuple):
    """A command for some of the devices: what it is about, in ``entities``."""

    entities: tuple[Entity, ...]
    devices: frozenset[str]
    response: str


def complete_several(
    model: SentenceIntents, conversation: Conversation, readings: Sequence[SentenceReading]
) -> Completion | None:
    """The command of the first of some ``readings`` that can be given for the devices that it is
    about. None if that is clear of none."""
    readings = [one for one in readings if TIMER not in one.references]
    readings = [one for one in readings if _closes_last(model, conversation, one)] or readings
    for reading in _find_widest(model, conversation, readings):
        if reading.quantity == ALL and reading.elliptical and not reading.excluded:
            found = complete_all(model, conversation, reading.intent)
            if found is not None:
                return found
        same = [one for one in readings if one.intent == reading.intent]
        excluded = {
            device
            for one in reading.excluded
            for device in (
                [one.value_or_text]
                if one.element == NAME
                else find_devices(model, {one.element: one.value_or_text})
            )
        }
        wanted = [
            one for one in _find_wanted(model, conversation, reading, same) if one not in excluded
        ]
        values = [one for one in reading.entities if one.element not in (*TARGETS, *PLACES)]
        found = _give(model, conversation, reading.intent, wanted, values)
        if found is not None:
            places = [one for one in reading.entities if one.element in PLACES]
            noted = {ALL_IN: pack_entities(places)} if places else {}
            return found._replace(meta={**found.meta, **noted})
    return None


def _closes_last(
    model: SentenceIntents, conversation: Conversation, reading: SentenceReading
) -> bool:
    """Whether a reading about everything is for such things alone as were opened or closed last:
    the French *ferme tout* may close or switch off."""
    accepted = _find_accepted((reading,)) or frozenset()
    is_last = bool(accepted & find_last_domains(model, conversation))
    return reading.quantity == EVERYTHING and is_last and accepted <= OPENED


def _find_widest(
    model: SentenceIntents, conversation: Conversation, readings: Sequence[SentenceReading]
) -> Sequence[SentenceReading]:
    """The readings without those about everything that are not for all that these are for: "turn
    everything off" is more than the music. Empty if none is: "stop everything"."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for one in readings:
        if one.quantity == EVERYTHING:
            same = [two for two in readings if two.intent == one.intent]
            wanted[one.intent].update(_find_wanted(model, conversation, one, same))
    if len(wanted) < 2:
        return readings
    whole = set().union(*wanted.values())
    return [one for one in readings if wanted.get(one.intent) == whole]


def keep_place_of_all(
    model: SentenceIntents, conversation: Conversation, completion: Completion
) -> Completion:
    """The completion that names a kind alone, for the place of all things of which the last command
    was: "turn off everything in the bedroom", "no, only the lights". It is refused if no sentence
    names both."""
    packed = last_command_meta(conversation).get(ALL_IN)
    entities = [one.entity for one in completion.candidates]
    slots = {one.element for one in entities}
    if not packed or not slots.isdisjoint((NAME, *PLACES)) or slots.isdisjoint((_DOMAIN, _CLASS)):
        return completion
    places = unpack_entities(model, packed)
    combination = find_combination(model, completion.intent, (*entities, *places))
    if combination is None:
        return completion._replace(refusal="all")
    added = build_candidates(conversation, places, ())
    return completion._replace(
        candidates=(*completion.candidates, *added), response=combination.response
    )


def complete_both(
    model: SentenceIntents, conversation: Conversation, other: Completion | None = None
) -> Completion | None:
    """The last command, or the ``other`` one for the thing that was meant last, for both of two
    things: the one that was meant before as well."""
    if not conversation.flow:
        return None
    if other is not None:
        entities = [one.entity for one in other.candidates]
        values = [one for one in entities if one.element not in (*TARGETS, *PLACES)]
        pair = _find_pair(model, conversation, None)
        return _give(model, conversation, other.intent, pair, values) if values else None
    intent, last = conversation.flow[-1].intent, find_last_used(conversation)
    values = [one.entity for one in last if one.entity.element not in (*TARGETS, *PLACES)]
    return _give(model, conversation, intent, _find_pair(model, conversation, None), values)


def complete_plural(
    model: SentenceIntents, conversation: Conversation, reading: SentenceReading
) -> Completion | None:
    """The command of a reading that refers to several things: the devices to which the last command
    was given one by one, and which the reading is for: no door is turned off. None if it was given
    to one alone."""
    last = find_name(find_last_used(conversation))
    accepted = _find_accepted((reading,))
    wanted = _find_together(model, conversation, last, accepted) if last else ()
    return _give(model, conversation, reading.intent, wanted, reading.entities)


def complete_kind(
    model: SentenceIntents, conversation: Conversation, reading: SentenceReading | None = None
) -> Completion | None:
    """The last command, which was about one device, for all of its kind; or that of a ``reading``
    for all things that the last command was about together, if it is for such things: a kind,
    everywhere or in a place."""
    last = find_last_used(conversation)
    name = find_name(last)
    if not conversation.flow or bool(name) == bool(reading):
        return None
    said = {one.entity.element: one.entity.value_or_text for one in last}
    if reading is not None and _DOMAIN not in said:
        return None
    values = [one.entity for one in last if one.entity.element not in (*TARGETS, *PLACES)]
    accepted = None if reading is None else _find_accepted((reading,))
    wanted = find_alike(model, name) if name else find_devices(model, said, accepted)
    if len(wanted) < 2:
        return None
    intent = conversation.flow[-1].intent if reading is None else reading.intent
    found = _give(model, conversation, intent, wanted, values if name else ())
    if found is not None and name and any(one.entity.element == NAME for one in found.candidates):
        return None  # no sentence is about the kind
    return found


def _is_repeated(conversation: Conversation) -> bool:
    """Whether the last command was that before it as well."""
    intents = [one.intent for one in conversation.flow[-2:]]
    return len(intents) == 2 and intents[0] == intents[1]


def _find_wanted(
    model: SentenceIntents,
    conversation: Conversation,
    reading: SentenceReading,
    same: Sequence[SentenceReading],
) -> Iterable[str]:
    """The devices that a reading is about; none if they are not known. ``same`` are the readings
    with its intent."""
    said = {one.element: one.value_or_text for one in reading.entities}
    accepted = _find_accepted(same)
    is_placed = not said.keys().isdisjoint(PLACES)
    if reading.quantity == OTHER:
        others = find_others(model, conversation)
        fitting = find_devices(model, said, accepted)
        return others if len(others) == 1 and others[0] in fitting else ()
    if not reading.elliptical:
        pair = _find_pair(model, conversation, None) if reading.quantity == BOTH else ()
        kind = find_kind(model, reading, said, accepted)
        if reading.quantity != BOTH or len(kind) == 2:
            return kind
        return pair if set(pair) <= set(kind) and not is_placed else ()
    if reading.quantity == BOTH:
        return _find_pair(model, conversation, accepted)
    if reading.quantity == EVERYTHING:
        return find_devices(model, said, _without_scenes(model, reading.intent, accepted))
    name = find_name(find_last_used(conversation))
    if not name or is_placed:
        return ()
    together = _find_together(model, conversation, name, accepted)
    if together:
        return together
    return find_alike(model, name, accepted)


def _find_together(
    model: SentenceIntents, conversation: Conversation, name: str, accepted: Collection[str] | None
) -> Sequence[str]:
    """The devices to which the last command was given one by one, up to the one with a ``name``:
    "them all" are these. Empty if it was given to one alone."""
    before = last_command_meta(conversation).get(DEVICES_BEFORE, ())
    if not before or not _is_repeated(conversation):
        return ()
    return [
        one
        for one in (*before, name)
        if accepted is None or model.devices.get(one, {}).get(_DOMAIN) in accepted
    ]


def _without_scenes(
    model: SentenceIntents, intent: str, accepted: frozenset[str] | None
) -> frozenset[str] | None:
    """The accepted domains without those that take the command, but not its opposite: everything
    that is turned on may be turned off again."""
    opposite = model.domains.get(INVERSE_INTENTS.get(intent, ""))
    return accepted & opposite if accepted is not None and opposite else accepted


def _find_accepted(readings: Iterable[SentenceReading]) -> frozenset[str] | None:
    """The domains that some readings are for; None if it may be any."""
    accepted: set[str] = set()
    for one in readings:
        domains = one.accepts.get(_DOMAIN)
        if domains is None:
            return None
        accepted.update(map(str, domains))
    return frozenset(accepted)


def _find_pair(
    model: SentenceIntents, conversation: Conversation, accepted: Collection[str] | None
) -> tuple[str, ...]:
    """The two devices that "both" stands for: the last one and the one before, or the other one of
    its kind; the two of the place that was meant. Empty if it is unclear."""
    last = find_last_used(conversation)
    name = find_name(last)
    if not name:
        said = {one.entity.element: one.entity.value_or_text for one in last}
        found = find_devices(model, said, accepted) if _DOMAIN in said else ()
        return tuple(found) if len(found) == 2 else ()
    before = last_command_meta(conversation).get(DEVICES_BEFORE, ())
    if len(before) > 1:
        return ()  # three things in a row
    tasks = (dict(find_things(one.entities)) for one in find_tasks(model, conversation))
    left = [one[NAME] for one in tasks if NAME in one]
    others = left or find_others(model, conversation)
    pair = (*before, name) if before else (name, *others)
    domains = {model.devices.get(one, {}).get(_DOMAIN) for one in pair}
    is_alike = len(domains) < 2 or domains.isdisjoint(OPENED)  # on and off mean the same
    is_pair = len(pair) == 2 and is_alike and (accepted is None or domains <= set(accepted))
    return pair if is_pair else ()


def _give(
    model: SentenceIntents,
    conversation: Conversation,
    intent: str,
    wanted: Sequence[str],
    values: Sequence[Entity],
) -> Completion | None:
    """A command for as many of the ``wanted`` devices as one can be given for, without those for
    which it was given last; it notes those for the others. None if it cannot be given for one of
    them; refused if it was given for all."""
    parts = list(_divide(model, intent, wanted, values)) if wanted else []
    if not parts or sum(len(one.devices) for one in parts) < len(wanted):
        return None
    left = [one for one in parts if not is_done(model, conversation, intent, one.entities)]
    first, *others = left or parts
    candidates = build_candidates(conversation, first.entities, ())
    found = Completion(intent, Variant(()), candidates, first.response)
    if not left and len(wanted) > 1:
        return found._replace(refusal="unchanged")
    words = list(_name_parts((first, *others)))
    tasks = (
        Task(", ".join(words[index:]), intent, one.entities) for index, one in enumerate(others)
    )
    return found._replace(meta=note_tasks(tasks))


def _name_parts(parts: Sequence[_Part]) -> Iterator[str]:
    """Each of the parts after the first in words: its place if that is all in which they differ,
    else its devices."""
    kinds = {tuple(two.value for two in one.entities if two.element not in PLACES) for one in parts}
    for one in parts[1:]:
        if len(kinds) == 1:
            yield ", ".join(two.value_or_text for two in one.entities if two.element in PLACES)
        else:
            yield ", ".join(sorted(one.devices))


def _divide(
    model: SentenceIntents, intent: str, wanted: Sequence[str], values: Sequence[Entity]
) -> Iterator[_Part]:
    """The fewest commands for all of the ``wanted`` devices for which there is one."""
    left = dict.fromkeys(wanted)
    kinds = list(_find_kinds(model, intent, left, values)) if len(left) > 1 else []
    while left:
        whole = [one for one in kinds if len(one.devices & left.keys()) > 1]
        best = max(whole, key=lambda one: len(one.devices & left.keys()), default=None)
        if best is None:
            break
        yield best._replace(devices=best.devices & left.keys())
        left = {name: None for name in left if name not in best.devices}
    for name in left:
        said = (build_device(model, name), *values)
        combination = find_combination(model, intent, said)
        if combination is not None:
            yield _Part(said, frozenset((name,)), combination.response)


def _find_kinds(
    model: SentenceIntents, intent: str, wanted: Collection[str], values: Sequence[Entity]
) -> Iterator[_Part]:
    """The commands for all things of a kind, everywhere or in a place, that are for ``wanted``
    devices alone: what is not known of another device may be so."""
    kinds = {tuple(kind_of(model, name).items()) for name in wanted}
    kinds |= {kind[:1] for kind in kinds}
    known = ((slot, property_of(model, name, slot)) for name in wanted for slot in PLACES)
    places = [*({slot: place} for slot, place in sorted(set(known)) if place), {}]
    for place, kind in product(places, sorted(kinds - {()}, key=lambda one: (len(one), one))):
        slots = {**dict(kind), **place}
        found = frozenset(
            name
            for name in model.devices
            if all(property_of(model, name, slot) in (value, "") for slot, value in slots.items())
        )
        if not found or not found <= set(wanted):
            continue
        said = (*(build_entity(model, slot, value) for slot, value in slots.items()), *values)
        combination = find_combination(model, intent, said)
        if combination is not None:
            yield _Part(said, found, combination.response)
