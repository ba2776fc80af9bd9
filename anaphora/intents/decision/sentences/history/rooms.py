"""Go on with a conversation in another room: what "louder" means is what is there, and "here too"
is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from anaphora.core.utterance import Entity, SentenceReading, Utterance, Variant
from anaphora.intents.decision.sentences.completion import Completion
from anaphora.intents.decision.sentences.history.commands import (
    FROM,
    find_commands,
    unpack_entities,
)
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.slots import (
    NAME,
    build_entity,
    find_combination,
    find_last_domain,
    find_last_used,
    last_command_meta,
    switches_otherwise,
)
from anaphora.intents.match import Candidate
from anaphora.intents.solver import ParsedQuestion
from anaphora.models.hassil.elements import ACTION
from anaphora.stm.conversation import Conversation, FlowStep, RememberedEntity

__all__ = [
    "complete_here",
    "fill_here",
    "keep_memory",
    "leaves_place",
    "move_to_room",
    "name_here",
    "note_room",
]

_AREA = "area"


def name_here(model: SentenceIntents, question: ParsedQuestion, area: str) -> ParsedQuestion:
    """The question with the ``area`` of the speaker in the place of a word for it: "here too". It
    is the question itself without such a word, or if the area is not known."""
    utterance = question.utterance
    found = model.here.search(utterance.text.lower()) if model.here and area else None
    if found is None:
        return question
    start, end = found.span()
    tokens = tuple(one.index for one in utterance.tokens if one.start < end and one.end > start)
    here = replace(
        build_entity(model, _AREA, area), text=found[0], start=start, end=end, tokens=tokens
    )

    def add(entities: Iterable[Entity]) -> tuple[Entity, ...]:
        kept = (one for one in entities if one.end <= start or one.start >= end)
        return tuple(sorted((*kept, here), key=_start_of))

    variants = tuple(Variant(add(one.entities)) for one in question.variants)
    utterance = replace(utterance, entities=add(utterance.entities))
    return replace(question, utterance=utterance, variants=variants)


def fill_here(model: SentenceIntents, utterance: Utterance, area: str) -> Iterable[SentenceReading]:
    """The readings of an utterance as whole sentences, with the ``area`` of the speaker for a word
    that refers to it: "30 percent here"."""
    readings = utterance.sentences
    if not (area and model.here and any(_AREA in one.references for one in readings)):
        return readings
    if not model.here.search(utterance.text.lower()):
        return readings
    here = build_entity(model, _AREA, area)
    return [
        replace(one, entities=(*one.entities, here), references=one.references - {_AREA})
        if _AREA in one.references
        else one
        for one in readings
    ]


def complete_here(
    model: SentenceIntents, conversation: Conversation, domain: Entity, area: str
) -> Completion | None:
    """The last command for the things of a ``domain`` in the ``area`` of the speaker: "the lights
    too". None if no sentence names both."""
    if not conversation.flow:
        return None
    intent, said = conversation.flow[-1].intent, (domain, build_entity(model, _AREA, area))
    combination = find_combination(model, intent, said)
    last = find_last_domain(model, conversation)
    if combination is None or switches_otherwise(intent, last, domain.value_or_text):
        return None
    return Completion(intent, Variant(()), tuple(map(Candidate, said)), combination.response)


def leaves_place(model: SentenceIntents, reading: SentenceReading, utterance: Utterance) -> bool:
    """Whether a sentence names nothing, not even the room of the speaker, in which it is."""
    is_here = bool(model.here and model.here.search(utterance.text.lower()))
    return reading.leaves_place and not is_here


def note_room(conversation: Conversation, area: str) -> Mapping[str, Any]:
    """The room of the speaker, as metadata of a command; that of the command before, if it is not
    known."""
    area = area or last_command_meta(conversation).get(FROM, "")
    return {FROM: area} if area else {}


def move_to_room(model: SentenceIntents, conversation: Conversation, area: str) -> Conversation:
    """The conversation as it goes on in the ``area`` of a speaker, if the last command came from
    another one: with the last commands from there, else with the things there of the kind that was
    meant last. It is the conversation itself in the same room, or if what was meant is there, is in
    no room, or the home has nothing of its kind in the room."""
    meta = last_command_meta(conversation)
    if not area or meta.get(FROM, area) == area or not conversation.flow:
        return conversation
    used = {one.entity.element: one.entity.value_or_text for one in find_last_used(conversation)}
    name, domain = used.get(NAME), find_last_domain(model, conversation)
    place = model.areas.get(name, "") if name else used.get(_AREA)
    if place == area or not (domain or place):
        return conversation
    around = {
        known
        for device, known in model.areas.items()
        if model.devices.get(device, {}).get("domain") == domain
    }
    kind = [build_entity(model, _AREA, area)]
    if domain:
        kind.append(build_entity(model, "domain", domain))
    own = [one for one in reversed(find_commands(conversation)) if one[FROM] == area]
    if own:
        commands = [unpack_entities(model, one["slots"]) for one in own]
        return _replace_last(model, conversation, own[0]["intent"], (*commands, kind))
    if around and area not in around:
        return conversation
    return _replace_last(model, conversation, conversation.flow[-1].intent, (kind,))


def keep_memory(completion: Completion, conversation: Conversation) -> Completion:
    """The completion without candidates of another room that the conversation does not remember:
    they are as if they were said."""
    held = conversation.remembered
    candidates = tuple(
        one if one.remembered is None or one.remembered in held else Candidate(one.entity)
        for one in completion.candidates
    )
    return completion._replace(candidates=candidates)


def _start_of(entity: Entity) -> int:
    return entity.start


def _replace_last(
    model: SentenceIntents,
    conversation: Conversation,
    intent: str,
    used: Iterable[Sequence[Entity]],
) -> Conversation:
    """The conversation as if its last commands had ``used`` some entities, the last one first, and
    nothing else was said."""
    step = conversation.flow[-1]
    number, match = conversation.questions, conversation.matches
    action = Entity(element=ACTION, groups=model.action_groups, text=intent, value=intent)
    return replace(
        conversation,
        remembered=tuple(
            RememberedEntity(one, number - ago, step.at, step.at, match - ago)
            for ago, entities in enumerate(used)
            for one in ((action, *entities) if ago == 0 else entities)
        ),
        flow=(*conversation.flow[:-1], FlowStep(intent, step.at)),
    )
