"""What a user is told whose command is impossible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anaphora.core.utterance import Entity, SentenceReading, Utterance, Variant
from anaphora.intents.decision.sentences.fragments.fragment import (
    find_other_words,
    says_only,
)
from anaphora.intents.decision.sentences.fragments.values import (
    SLOTS_BY_UNIT,
    find_numeric_slots,
    find_units,
)
from anaphora.intents.decision.sentences.history.undo import find_undo_refusal
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    NUMBER,
    PLACES,
    TARGETS,
    USUAL_VALUES,
    find_last_domain,
    find_last_used,
)
from anaphora.intents.solver import ParsedQuestion
from anaphora.models.hassil import elements
from anaphora.models.hassil.collection import RangeList
from anaphora.models.hassil.inverse_intents import TIMER_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = ["find_refusal", "refuse_stopping", "refuse_value"]


def find_refusal(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> str:
    """What a user is told who asks for what cannot be done with the last command."""
    match reading.intent:
        case elements.UNDO:
            return model.refusals[find_undo_refusal(conversation)]
        case elements.MORE | elements.LESS if conversation.flow:
            is_timer = conversation.flow[-1].intent in TIMER_INTENTS
            return "" if is_timer else model.refusals["value"]
        case elements.OTHER | elements.REMAINING if conversation.flow:
            return model.refusals["which"]
        case elements.ALL if conversation.flow:
            narrow = (NAME, *PLACES)
            names = any(one.entity.element in narrow for one in find_last_used(conversation))
            return model.refusals["all" if names else "unchanged"]
    return ""


def refuse_stopping(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> str:
    """What a user is told who stops what no sentence stops: which thing it is. '' for others."""
    if not model.stop or not model.stop.search(utterance.text.lower()):
        return ""
    if any(one.intent in (elements.MORE, elements.LESS) for one in utterance.sentences):
        return ""  # the Spanish "más alto" is no "alto"
    meant = (*TARGETS, *PLACES)
    said = [one for one in utterance.entities if one.element in meant]
    if not says_only(model, utterance, model.stop, said):
        return ""
    used = said or [held.entity for held in find_last_used(conversation)]
    kinds = {one.element for one in used}
    things = [
        one.value_or_text if one.element == NAME else one.text or one.value_or_text
        for one in used
        if one.element in meant and not (one.element == "domain" and kinds & {"device_class"})
    ]
    listed = ", ".join(dict.fromkeys(filter(None, things)))
    return model.refusals["stop"].format(thing=listed) if listed else ""


def refuse_value(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> str:
    """What a user is told who sets a value beyond its range; '' for others."""
    exceeded = _find_exceeded_ranges(model, question.utterance, question.variants, conversation)
    listed = ", ".join(dict.fromkeys(f"{one.start}–{one.stop}" for one in exceeded))
    return model.refusals["range"].format(range=listed) if listed else ""


def _find_exceeded_ranges(
    model: SentenceIntents,
    utterance: Utterance,
    variants: Sequence[Variant],
    conversation: Conversation,
) -> list[RangeList]:
    """The ranges of the slots that a number would fill, if it were not beyond them: "300 percent"
    for a lamp. Empty if there is no such number, or nothing that it could be set for."""
    for variant in variants[:1]:
        numbers = [one for one in variant.entities if one.element == NUMBER]
        said = {one.element: one.value_or_text for one in variant.entities}
        number = numbers[0].meta.get("value") if len(numbers) == 1 else None
        others = find_other_words(model, utterance, variant)
        if not isinstance(number, int | float):
            continue
        if said.keys().isdisjoint(TARGETS):
            is_set = any(one.entity.element in TARGETS for one in find_last_used(conversation))
        else:
            is_set = bool(_find_slots_by_unit(model, utterance, numbers[0]))  # not "999 lamps"
        if not others and not is_set:
            continue
        known = [model.find_intents_by_parts(one) for one in others]
        domain = _find_domain(model, said, conversation)
        slots = _find_meant_slots(model, utterance, numbers[0], domain, conversation)
        ranges = [
            one
            for intent in frozenset(model.combinations).intersection(*known)
            if not domain or domain in (model.domains[intent] or (domain,))
            for slot, listed in model.ranges_of[intent].items()
            for one in listed
            if slot in slots and intent not in model.asking_intents
        ]
        if all(number < one.start or number > one.stop for one in ranges):
            return sorted((one for one in ranges if one.multiplier is None), key=_start_of)
    return []


def _start_of(listed: RangeList) -> int:
    return listed.start


def _find_domain(
    model: SentenceIntents, said: Mapping[str, str], conversation: Conversation
) -> str:
    domain = model.devices.get(said.get(NAME, ""), {}).get("domain", said.get("domain"))
    return str(domain or find_last_domain(model, conversation))


def _find_meant_slots(
    model: SentenceIntents,
    utterance: Utterance,
    number: Entity,
    domain: str,
    conversation: Conversation,
) -> set[str]:
    """The slots that a number is for, whatever its value: by its unit, else by what it is said
    of."""
    by_unit = _find_slots_by_unit(model, utterance, number)
    usual = USUAL_VALUES.get(domain)
    if by_unit:
        return by_unit & {usual} or by_unit
    return {usual} if usual else find_numeric_slots(find_last_used(conversation))


def _find_slots_by_unit(model: SentenceIntents, utterance: Utterance, number: Entity) -> set[str]:
    units = find_units(model, utterance, number)
    slots = {slot for slot, words in model.units.items() if not units.isdisjoint(words)}
    if number.meta.get("unittype") in SLOTS_BY_UNIT:
        slots.update(SLOTS_BY_UNIT[number.meta["unittype"]].values())
    return slots
