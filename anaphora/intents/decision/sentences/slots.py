"""The slots of a home: which of them say what is meant, and which where it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from anaphora.core.utterance import Entity, SentenceReading
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.models.hassil.analysis.combinations import Combination
from anaphora.models.hassil.elements import ACTION
from anaphora.stm.conversation import Conversation, RememberedEntity
from anaphora.stm.rules import split_visible

__all__ = [
    "NAME",
    "NUMBER",
    "OPENED",
    "PLACES",
    "QUALITIES",
    "STATE",
    "SWITCHING",
    "TARGETS",
    "USUAL_VALUES",
    "build_device",
    "build_entity",
    "find_combination",
    "find_devices",
    "find_last_domain",
    "find_last_domains",
    "find_last_used",
    "fits_device",
    "is_allowed",
    "last_command_meta",
    "property_of",
    "remembered_by_slot",
    "sets_otherwise",
    "switches_otherwise",
]

NAME = "name"
"""The slot of a device."""

TARGETS = (NAME, "domain", "device_class")
"""The slots that say what is meant."""

PLACES = ("area", "floor")
"""The slots that say where it is."""

STATE = "state"
"""The slot of the state that a question asks for."""

NUMBER = "number"
"""The built-in entity of numbers."""

USUAL_VALUES = {
    "light": "brightness",
    "fan": "percentage",
    "cover": "position",
    "valve": "position",
    "media_player": "volume_level",
    "climate": "temperature",
}
"""The slot that a number without a unit fills for a device of a domain."""

QUALITIES: Mapping[str, frozenset[str]] = {
    "brightness": frozenset(("brightness",)),
    "volume": frozenset(("volume_level", "volume_step")),
    "temperature": frozenset(("temperature",)),
    "speed": frozenset(("percentage",)),
}
"""The slots of a quality, which an adjective raises or lowers: "brighter", "louder"."""


SWITCHING: Mapping[str, frozenset[str]] = {
    "HassTurnOn": frozenset(("on", "open", "locked")),
    "HassTurnOff": frozenset(("off", "closed", "unlocked")),
}
"""The intents that set a state, each with the states that it may set."""

OPENED = frozenset(("lock", "cover", "valve"))
"""The domains of what on and off open, close and lock."""

_ON_OR_OFF = frozenset(("on", "off"))


def sets_otherwise(
    model: SentenceIntents,
    intent: str,
    states: Collection[frozenset[str]],
    entities: Iterable[Entity],
) -> bool:
    """Whether one of the ``states`` that are said is not the one that an intent sets, or is none of
    the thing that it would be set for: no lamp is unlocked. With a value it may be none at all:
    the German "AUF 50"."""
    slots = {one.element: one.value_or_text for one in entities}
    wanted = SWITCHING.get(intent)
    if wanted is None:
        sets_value = not slots.keys() <= {*TARGETS, *PLACES}
        return bool(states) and not sets_value and intent not in model.asking_intents
    domain = model.devices.get(slots.get(NAME, ""), {}).get("domain") or slots.get("domain", "")
    return any(
        not one & wanted or not (one & _ON_OR_OFF or domain in ("", *OPENED)) for one in states
    )


def fits_device(model: SentenceIntents, reading: SentenceReading, name: str) -> bool:
    """Whether a sentence is for things of the domain of a device: what closes a blind unlocks a
    door."""
    domain = property_of(model, name, "domain")
    said = (one.value_or_text for one in reading.entities if one.element == "domain")
    accepted = reading.accepts.get("domain")
    return next(said, domain) == domain and (accepted is None or domain in accepted)


def switches_otherwise(intent: str, domain: str, other: str) -> bool:
    """Whether an intent does something else to things of one domain than to those of another: what
    turns off a lamp unlocks a door."""
    return intent in SWITCHING and domain != other and not {domain, other}.isdisjoint(OPENED)


def build_entity(
    model: SentenceIntents, slot: str, value: str, meta: Mapping[str, Any] | None = None
) -> Entity:
    """The entity of a slot that gets its value without any words of its own."""
    groups = model.group_of(slot)
    if not meta:
        return Entity(element=slot, groups=groups, text="", value=value)
    return Entity(element=slot, groups=groups, text="", value=value, meta=meta)


def build_device(model: SentenceIntents, name: str) -> Entity:
    """The entity of a device that is meant without its name."""
    context = {"context": dict(model.devices[name])}
    return Entity(element=NAME, groups=model.group_of(NAME), text=name, value=name, meta=context)


def find_combination(
    model: SentenceIntents, intent: str, entities: Sequence[Entity]
) -> Combination | None:
    """The combination of the intent that has these slots; None if no sentence has them."""
    slots = {entity.element: entity.value_or_text for entity in entities}
    for one in model.combinations.get(intent, ()):
        fixed = {name: str(value) for name, value in one.fixed.items()}
        if (
            one.required <= slots.keys() <= one.slots
            and all(slots.get(name, value) == value for name, value in fixed.items())
            and is_allowed(model, one, entities)
        ):
            return one
    return None


def is_allowed(
    model: SentenceIntents, combination: Combination, entities: Iterable[Entity]
) -> bool:
    """Whether entities satisfy what a sentence requires of the context: the domain of a device."""
    context: dict[str, Any] = {}
    for entity in entities:
        if entity.element == NAME:
            known: Mapping[str, Any] = model.devices.get(
                entity.value_or_text, entity.meta.get("context", {})
            )
            context = {**known, **context}
        else:
            context[entity.element] = entity.value_or_text
    return all(
        context.get(key) in rule.values
        for key, rule in combination.requires.items()
        if rule.values is not None
    )


def remembered_by_slot(
    conversation: Conversation, said: Sequence[Entity]
) -> dict[str, RememberedEntity]:
    """What is remembered and not replaced by what is ``said``, the newest of each slot."""
    visible, _ = split_visible(conversation, said)
    found: dict[str, RememberedEntity] = {}
    for held in visible:
        found.setdefault(held.entity.element, held)
    return found


def find_last_used(conversation: Conversation) -> list[RememberedEntity]:
    """What the last command used, except which command it was."""
    return [
        held
        for held in conversation.remembered
        if held.used_match == conversation.matches and held.entity.element != ACTION
    ]


def find_last_domain(model: SentenceIntents, conversation: Conversation) -> str:
    """The domain of what was meant last; '' if it is not known."""
    used = {one.entity.element: one.entity.value_or_text for one in find_last_used(conversation)}
    return str(model.devices.get(used.get(NAME, ""), {}).get("domain", used.get("domain", "")))


def find_last_domains(model: SentenceIntents, conversation: Conversation) -> frozenset[str]:
    """The domains that what was meant last may have: those of its intent, if it was not named.
    Empty if they are not known."""
    domain = find_last_domain(model, conversation)
    if domain or not conversation.flow:
        return frozenset((domain,) if domain else ())
    return model.domains.get(conversation.flow[-1].intent, frozenset())


def find_devices(
    model: SentenceIntents, said: Mapping[str, str], accepted: Collection[str] | None = None
) -> list[str]:
    """The devices of the home of the kind and in the place that are said, of the ``accepted``
    domains."""
    return [
        name
        for name, context in model.devices.items()
        if (accepted is None or context.get("domain") in accepted)
        and all(
            property_of(model, name, slot) == value
            for slot, value in said.items()
            if slot in (*PLACES, "domain", "device_class")
        )
    ]


def property_of(model: SentenceIntents, name: str, slot: str) -> str:
    """The domain, the class or the place of a device; '' if it is not known."""
    area = model.areas.get(name, "")
    if slot in PLACES:
        return area if slot == "area" else model.floors.get(area, "")
    return str(model.devices.get(name, {}).get(slot, ""))


def last_command_meta(conversation: Conversation) -> Mapping[str, Any]:
    """The metadata of the last command; empty if none is remembered."""
    held = next((one for one in conversation.remembered if one.entity.element == ACTION), None)
    return {} if held is None else held.entity.meta
