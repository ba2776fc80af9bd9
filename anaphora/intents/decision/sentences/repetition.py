"""Repeat the last command with another value or another device: "a bit less", "the other one"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.intents.decision.sentences.follow_up import Completion, is_allowed
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.match import Candidate
from anaphora.models.hassil.elements import ACTION
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = ["complete_by_part_of_name", "complete_other", "complete_step"]

_DIRECTIONS = {1: "up", -1: "down"}
_PERCENT_STEP, _STEP = 10, 1
_MIN_STEM, _STEM_SHARE = 4, 0.75  # letters, and of the longer word, that two forms share


def complete_step(
    model: SentenceIntents, conversation: Conversation, sign: int
) -> Completion | None:
    """The last command with a value that is a little higher (``sign`` 1) or lower (-1), or a
    command that takes such a direction for the thing that was meant: louder."""
    if not conversation.flow:
        return None
    last = conversation.flow[-1].intent
    for held in _last_used(conversation):
        changed = _change(model, held.entity, sign)
        if changed is not None:
            return _repeat(model, conversation, last, changed)
    for slot in model.directions:
        said = Entity(element=slot, groups=model.group_of(slot), text="", value=_DIRECTIONS[sign])
        for intent in model.combinations:
            found = _repeat(model, conversation, intent, said)
            if found is not None and len(found.candidates) > 1:
                return found
    return None


def complete_other(model: SentenceIntents, conversation: Conversation) -> Completion | None:
    """The last command for the other device of the same domain; None if there are several."""
    return _repeat_for_device(model, conversation, list(_others(model, conversation)))


def complete_by_part_of_name(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Completion | None:
    """The last command for the device of the same domain whose name has all words of an utterance:
    "the right one too" after the left blind."""
    tokens = [one for one in utterance.tokens if one.lower not in model.fillers]
    needed = [one.lower for one in tokens if one.index in utterance.content_words]
    words = {one.lower for one in tokens if len(one.lower) >= _MIN_STEM}.union(needed)
    if not words or utterance.qualifiers:
        return None
    named = []
    for name in _others(model, conversation):
        parts = name.lower().split()
        found = {word for word in words if any(_is_form_of(word, one) for one in parts)}
        if found and found.issuperset(needed):
            named.append(name)
    return _repeat_for_device(model, conversation, named)


def _is_form_of(word: str, other: str) -> bool:
    pairs = zip(word, other, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    longer = max(len(word), len(other))
    return word == other or (shared >= _MIN_STEM and shared >= _STEM_SHARE * longer)


def _last_used(conversation: Conversation) -> list[RememberedEntity]:
    return [
        held
        for held in conversation.remembered
        if held.used_match == conversation.matches and held.entity.element != ACTION
    ]


def _others(model: SentenceIntents, conversation: Conversation) -> Iterator[str]:
    """The devices of the domain of the one that was used last, except that one."""
    names = [
        held.entity.value for held in _last_used(conversation) if held.entity.element == "name"
    ]
    domain = model.devices.get(names[0] or "", {}).get("domain") if names else None
    if domain is not None:
        for name, context in model.devices.items():
            if name not in names and context.get("domain") == domain:
                yield name


def _repeat_for_device(
    model: SentenceIntents, conversation: Conversation, names: list[str]
) -> Completion | None:
    if len(names) != 1 or not conversation.flow:
        return None
    context = {"context": dict(model.devices[names[0]])}
    groups = model.group_of("name")
    said = Entity(element="name", groups=groups, text=names[0], value=names[0], meta=context)
    return _repeat(model, conversation, conversation.flow[-1].intent, said)


def _change(model: SentenceIntents, entity: Entity, sign: int) -> Entity | None:
    """The entity with a value that is a little higher or lower; None if it has no such value."""
    slot, value = entity.element, entity.meta.get("value")
    groups = model.group_of(slot)
    if slot in model.directions:
        if not isinstance(value, int | float):
            return Entity(element=slot, groups=groups, text="", value=_DIRECTIONS[sign])
        changed = sign * abs(value)
    elif isinstance(value, int | float):
        step = _PERCENT_STEP if "%" in model.units.get(slot, ()) else _STEP
        changed = value + sign * step
        if not any(changed / (one.multiplier or 1) in one for one in model.ranges.get(slot, ())):
            return None
    else:
        return None
    meta = {"value": changed}
    return Entity(element=slot, groups=groups, text="", value=str(changed), meta=meta)


def _repeat(
    model: SentenceIntents, conversation: Conversation, intent: str, said: Entity
) -> Completion | None:
    """A command with what the last one used, except what ``said`` replaces."""
    held = [one for one in _last_used(conversation) if one.entity.element != said.element]
    entities = [said, *(one.entity for one in held)]
    slots = {one.element for one in entities}
    number = conversation.questions + 1
    for one in model.combinations.get(intent, ()):
        accepts = {key: rule.values for key, rule in one.requires.items()}
        if one.required <= slots <= one.slots and is_allowed(model, accepts, entities):
            remembered = (
                Candidate(each.entity, remembered=each, distance=number - each.question_number)
                for each in held
            )
            return Completion(intent, Variant(()), (Candidate(said), *remembered), one.response)
    return None
