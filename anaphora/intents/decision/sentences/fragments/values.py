"""Read numbers as the values that a command takes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    NUMBER,
    PLACES,
    QUALITIES,
    STATE,
    TARGETS,
    USUAL_VALUES,
    find_last_domains,
    find_last_used,
)
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = ["SLOTS_BY_UNIT", "find_numeric_slots", "find_units", "read_values"]

SLOTS_BY_UNIT: Mapping[str, Mapping[str, str]] = {
    "datetime": {"h": "hours", "min": "minutes", "s": "seconds"},
    "temperature": {"°": "temperature", "°C": "temperature", "°F": "temperature"},
}
"""The slots of the units of built-in numbers, by the type of the unit."""

_UNIT = re.compile(r"[^\W\d_]+|[%°]")


def read_values(
    model: SentenceIntents,
    utterance: Utterance,
    variant: Variant,
    conversation: Conversation,
    quality: str = "",
) -> Iterator[tuple[Entity, ...]]:
    """The entities of a variant, with a slot for each number; one of the ``quality``, if it has a
    name: "louder, to 30"."""
    known = (
        QUALITIES.get(quality)
        or _usual_slots(_find_named_domain(model, variant))
        or find_numeric_slots(find_last_used(conversation))
        or _usual_slots(*find_last_domains(model, conversation))
        or find_numeric_slots(conversation.remembered)
    )
    options: list[list[Entity]] = []
    for entity in map(_as_number, variant.entities):
        if entity.element == NUMBER:
            found = list(_number_slots(model, utterance, entity, known))
            if found:
                options.append(found)
        elif entity.element in model.groups and (entity.exact or entity.element != STATE):
            options.append([entity])
    if options:
        yield from product(*options)


def _as_number(entity: Entity) -> Entity:
    """A value of a list that is a mere number (the Spanish "1" of "una hora"), as a number."""
    if not entity.text.isdigit() or entity.element in (*TARGETS, *PLACES, NUMBER):
        return entity
    return replace(entity, element=NUMBER, meta={"value": int(entity.text), "kind": "cardinal"})


def find_numeric_slots(remembered: Iterable[RememberedEntity]) -> set[str]:
    return {
        held.entity.element
        for held in remembered
        if isinstance(held.entity.meta.get("value"), int | float)
    }


def _usual_slots(*domains: str) -> set[str]:
    """The slots of the number that things of some domains take: the brightness of a light."""
    return {USUAL_VALUES[one] for one in domains if one in USUAL_VALUES}


def _find_named_domain(model: SentenceIntents, variant: Variant) -> str:
    """The domain of the thing that a variant names; '' if it names none."""
    said = {one.element: one.value_or_text for one in variant.entities}
    return str(model.devices.get(said.get(NAME, ""), {}).get("domain", said.get("domain", "")))


def _number_slots(
    model: SentenceIntents, utterance: Utterance, entity: Entity, known: Collection[str]
) -> Iterator[Entity]:
    """The slots that a number may fill: those whose unit it has, else the ``known`` ones."""
    number = entity.meta.get("value")
    if not isinstance(number, int | float) or entity.meta.get("kind") == "ordinal":
        return
    words = find_units(model, utterance, entity)
    if entity.text.isalpha() and _is_no_value(model, utterance, entity, number, words):
        return
    fitting = [
        slot for slot, ranges in model.ranges.items() if any(number in one for one in ranges)
    ]
    by_unit = [slot for slot in fitting if not words.isdisjoint(model.units.get(slot, ()))]
    if not by_unit and entity.meta.get("unittype") in SLOTS_BY_UNIT:
        slots = SLOTS_BY_UNIT[entity.meta["unittype"]]
        by_unit = [slot for slot in fitting if slot == slots.get(entity.meta["unit"])]
        known = ()
    if entity.text.isalpha() and entity.meta.get("kind") == "fraction":
        known = ()  # half of what is not said
    for slot in by_unit or [slot for slot in fitting if slot in known]:
        factors = {one.multiplier or 1 for one in model.ranges[slot] if number in one}
        if not by_unit and (len(factors) > 1 or number % 1):
            factors &= {1}  # without its unit a number is what it says: "half" is no half an hour
        for factor in sorted(factors, reverse=True):
            value = number * factor
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            groups, meta = model.group_of(slot), {"value": value}
            yield replace(entity, element=slot, groups=groups, value=str(value), meta=meta)


def _is_no_value(
    model: SentenceIntents, utterance: Utterance, entity: Entity, number: float, units: set[str]
) -> bool:
    """Whether a number in words stands for things or for none: "not this ONE", "NOTHING"."""
    text, start = utterance.text, entity.start
    if entity.text.lower() in model.not_numbers:
        return True
    if number == 1:
        return not model.senses.follows_preposition(text, start)
    return model.senses.stands_for_things(text, start, entity.end, number, units)


def find_units(model: SentenceIntents, utterance: Utterance, entity: Entity) -> set[str]:
    """The words that may be the unit of a number: those of its entity and behind it."""
    between = model.increases | model.decreases  # "2 MORE minutes"
    small = {one.lower for one in utterance.tokens if not one.is_content_word}
    after = _UNIT.findall(utterance.text[entity.end :].lower())
    after = [one for one in after if not (one.isalpha() and one in small)]  # "maak er 12 VAN"
    words = {*_UNIT.findall(entity.text.lower()), *[one for one in after if one not in between][:1]}
    words.add("".join(after[:2]))  # "por cento" is what some sentences write as "porcento"
    if entity.meta.get("kind") == "percent":
        words.add("%")
    if entity.text.isalpha():
        words.discard(entity.text.lower())  # the number itself: "half"
    return words
