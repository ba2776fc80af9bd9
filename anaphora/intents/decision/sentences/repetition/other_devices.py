"""Repeat the last command for another thing: "the other one", "the left one too", "everywhere"."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Utterance, Variant
from anaphora.intents.decision.sentences.completion import Completion, build_candidates
from anaphora.intents.decision.sentences.fragments.fragment import (
    find_by_part_of_name,
    find_commanded,
    find_linking_words,
    find_states,
)
from anaphora.intents.decision.sentences.fragments.name_words import is_form_of
from anaphora.intents.decision.sentences.fragments.values import read_values
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    NUMBER,
    PLACES,
    TARGETS,
    build_device,
    build_entity,
    find_combination,
    find_devices,
    find_last_domain,
    find_last_used,
    fits_device,
    property_of,
    sets_otherwise,
    switches_otherwise,
)
from anaphora.stm.conversation import Conversation

__all__ = [
    "complete_all",
    "complete_by_part_of_name",
    "complete_other",
    "find_others",
    "set_by_part_of_name",
]

_MAX_VARIANTS = 6


def complete_all(
    model: SentenceIntents, conversation: Conversation, intent: str = ""
) -> Completion | None:
    """The last command, or another ``intent``, for all things of the same kind, wherever they
    are."""
    if not conversation.flow:
        return None
    intent = intent or conversation.flow[-1].intent
    last = find_last_used(conversation)
    held = [one for one in last if one.entity.element not in (NAME, *PLACES)]
    if intent != conversation.flow[-1].intent:  # its values are not those of another intent
        held = [one for one in held if one.entity.element in TARGETS]
    said = []
    for one in last:
        domain = model.devices.get(one.entity.value_or_text, {}).get("domain")
        if one.entity.element == NAME and domain:
            said.append(build_entity(model, "domain", str(domain)))
    entities = [*said, *(one.entity for one in held)]
    combination = find_combination(model, intent, entities) if entities else None
    if combination is None or (len(held) == len(last) and not said):
        return None
    candidates = build_candidates(conversation, said, held)
    return Completion(intent, Variant(()), candidates, combination.response)


def complete_other(model: SentenceIntents, conversation: Conversation) -> Completion | None:
    """The last command for the other device of the same domain: the only one, the only one whose
    name has a word in common with it, or the only one in the same area. None if there are
    several."""
    return _repeat_for_device(model, conversation, find_others(model, conversation))


def find_others(model: SentenceIntents, conversation: Conversation) -> list[str]:
    """The devices that may be the other one: one if it is clear. After a command for all things of
    a kind in a place it is none of these."""
    meant = {one.entity.element: one.entity.value_or_text for one in find_last_used(conversation)}
    if NAME in meant:
        others = _others(model, conversation)
    elif "domain" in meant:
        there = find_devices(model, meant)
        kind = {slot: value for slot, value in meant.items() if slot not in PLACES}
        others = [one for one in find_devices(model, kind) if one not in there] if there else []
    else:
        others = []
    if len(others) > 1:
        last = next(iter(_last_names(conversation)), "")
        area, words = model.areas.get(last), set(last.lower().split())
        alike = [name for name in others if not words.isdisjoint(name.lower().split())]
        near = [name for name in others if area and model.areas.get(name) == area]
        others = alike if len(alike) == 1 else near
    return others


def complete_by_part_of_name(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation, domain: str = ""
) -> Completion | None:
    """The last command for the device of the same ``domain``, or of another one, whose name has all
    words of an utterance: "the right one too" after the left blind, "the lamp too" after the fan.
    With a verb of its own ("open the blind") it is that command, and may be for the last device."""
    negations = set(utterance.qualifiers) - find_linking_words(model, utterance)
    left_out = model.fillers | model.restrictions
    if any(utterance.tokens[index].lower not in left_out for index in negations):
        return None
    whole = {one.value_or_text for one in utterance.entities if one.element == NAME and one.exact}
    others, states = _others(model, conversation, domain), find_states(model, utterance)
    others = [one for one in others if not whole or one in whole]  # "the front DOOR" is no other
    commanded = find_commanded(model, utterance)
    if not commanded:
        named = find_by_part_of_name(model, utterance, others)
        found = _repeat_for_device(model, conversation, named)
        entities = [one.entity for one in found.candidates] if found else []
        is_other = found and sets_otherwise(model, found.intent, states, entities)
        return None if is_other else found
    last = _last_names(conversation)
    named = find_by_part_of_name(model, utterance, [*last, *others])
    if len(named) > 1 and set(last) & set(named) and not _is_plural(utterance, last[0]):
        named = last
    if len(named) != 1 or len(commanded) > 1:
        return None
    said, intent = build_device(model, named[0]), next(iter(commanded))
    combination = find_combination(model, intent, [said])
    readings = (one for one in utterance.sentences if one.intent == intent)
    if combination is None or not any(fits_device(model, one, named[0]) for one in readings):
        return None
    candidates = build_candidates(conversation, (said,), ())
    return Completion(intent, Variant(()), candidates, combination.response)


def _is_plural(utterance: Utterance, name: str) -> bool:
    """Whether an utterance has a word of a name in another form, which may be for several."""
    parts = name.lower().split()
    words = (one.lower for one in utterance.tokens if one.lower not in parts)
    return any(is_form_of(word, part) for word in words for part in parts)


def set_by_part_of_name(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Sequence[Variant],
    conversation: Conversation,
) -> Completion | None:
    """The completion of an utterance that names a value for one of the devices that were meant, by
    a part of its name: "the left one to 20". None for any other utterance."""
    for variant in variants[:_MAX_VARIANTS] if conversation.flow else ():
        numbers = tuple(one for one in variant.entities if one.element == NUMBER)
        named_slots = {one.element for one in variant.entities}.intersection((*TARGETS, *PLACES))
        if len(numbers) != 1 or named_slots or utterance.qualifiers:
            continue
        valued = {index for one in numbers for index in one.tokens}
        shortened = replace(utterance, understood=utterance.understood | valued)
        devices = [*_last_names(conversation), *_others(model, conversation)]
        named = find_by_part_of_name(model, shortened, dict.fromkeys(devices))
        if len(named) != 1:
            continue
        device = Variant((build_device(model, named[0]), *numbers))
        commanded = find_commanded(model, utterance)
        intents = commanded or frozenset(model.combinations) - model.asking_intents
        for said in read_values(model, utterance, device, conversation):
            for intent in (one for one in model.combinations if one in intents):
                combination = find_combination(model, intent, said)
                if combination is not None and len(said) > 1:
                    candidates = build_candidates(conversation, said, ())
                    return Completion(intent, device, candidates, combination.response)
    return None


def _last_names(conversation: Conversation) -> list[str]:
    used = find_last_used(conversation)
    return [held.entity.value_or_text for held in used if held.entity.element == NAME]


def _others(model: SentenceIntents, conversation: Conversation, domain: str = "") -> list[str]:
    """The devices of a domain, by default that of what was used last, except the device that was;
    those in the area that was used last, if that was no device. None if neither was used."""
    used = {held.entity.element: held.entity.value_or_text for held in find_last_used(conversation)}
    last, area = used.get(NAME), used.get("area")
    if last is None and "domain" not in used:
        return []
    domain = domain or used.get("domain") or model.devices.get(last or "", {}).get("domain", "")
    return [
        name
        for name, context in model.devices.items()
        if domain
        and name != last
        and context.get("domain") == domain
        and (last is not None or area is None or model.areas.get(name) == area)
    ]


def _repeat_for_device(
    model: SentenceIntents, conversation: Conversation, names: list[str]
) -> Completion | None:
    """The last command for the device with one of the ``names``, if there is only one."""
    if len(names) != 1 or not conversation.flow:
        return None
    said, intent = build_device(model, names[0]), conversation.flow[-1].intent
    known, domain = find_last_domain(model, conversation), property_of(model, names[0], "domain")
    if known and switches_otherwise(intent, known, domain):
        return None
    held = [
        one
        for one in find_last_used(conversation)
        if one.entity.element != NAME
        and not (
            one.entity.element in PLACES
            and property_of(model, names[0], one.entity.element)
            not in ("", one.entity.value_or_text)
        )
    ]
    for kept in (held, [one for one in held if one.entity.element not in (*TARGETS, *PLACES)]):
        combination = find_combination(model, intent, [said, *(one.entity for one in kept)])
        if combination is not None:
            candidates = build_candidates(conversation, (said,), kept)
            return Completion(intent, Variant(()), candidates, combination.response)
    return None
