"""Match a question by the sentences of a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anaphora.core.utterance import Entity, SentenceReading, Variant
from anaphora.intents.decision.sentences.follow_up import (
    Completion,
    complete_fragment,
    complete_reading,
    is_allowed,
    remembered_by_slot,
)
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.decision.sentences.undo import complete_undo
from anaphora.intents.match import Candidate, ContentWords, Match, SlotFilling, TermMatch
from anaphora.intents.ranking import rank_match
from anaphora.intents.solver import ParsedQuestion
from anaphora.models.hassil.combinations import Combination
from anaphora.models.hassil.elements import ACTION, UNDO
from anaphora.stm.conversation import Conversation, RememberedEntity

__all__ = ["match_fragment", "match_sentence"]

_TARGETS = frozenset(("name", "domain", "device_class"))
_PLACES = frozenset(("area", "floor"))


def match_sentence(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> tuple[Match, ...]:
    """The match of the best whole sentence that needs nothing else, or finds it in the memory."""
    for reading in question.utterance.sentences:
        if reading.intent == UNDO:
            completion = complete_undo(model, conversation)
        else:
            completion = _complete(model, reading, conversation)
        if completion is not None:
            return (_build_match(model, completion),)
    return ()


def match_fragment(
    model: SentenceIntents, question: ParsedQuestion, conversation: Conversation
) -> tuple[Match, ...]:
    """The match of the best completion of what is no whole sentence."""
    completion = complete_fragment(model, question.utterance, question.variants, conversation)
    return () if completion is None else (_build_match(model, completion),)


def _complete(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> Completion | None:
    """Complete a whole sentence by what it refers to and leaves to the context."""
    held: Sequence[RememberedEntity] = ()
    response = reading.response
    if reading.references:
        held = _find_remembered(model, reading, conversation)
        entities = [*reading.entities, *(one.entity for one in held)]
        combination = _find_combination(model, reading, entities) if held else None
        if combination is None:
            return None
        response = combination.response
    elif reading.missing:
        return complete_reading(model, reading, conversation)
    number = conversation.questions + 1
    candidates = (
        *map(Candidate, reading.entities),
        *(
            Candidate(one.entity, remembered=one, distance=number - one.question_number)
            for one in held
        ),
    )
    return Completion(reading.intent, Variant(()), candidates, response)


def _find_remembered(
    model: SentenceIntents, reading: SentenceReading, conversation: Conversation
) -> list[RememberedEntity]:
    """What a sentence refers to, and what it leaves to the context; empty if it is not known."""
    said = reading.entities
    memory = remembered_by_slot(conversation, said)
    wanted: dict[str, RememberedEntity] = {}
    if "name" in reading.references:
        targets = [memory[slot] for slot in sorted(_TARGETS) if slot in memory]
        if not targets:
            return []
        last = max(one.used_match for one in targets)
        wanted |= {one.entity.element: one for one in targets if one.used_match == last}
        names_place = any(entity.element in _PLACES for entity in said)
        if "name" not in wanted and not names_place:  # the lights of the kitchen, not all lights
            wanted |= {slot: memory[slot] for slot in sorted(_PLACES) if slot in memory}
    if "area" in reading.references:
        places = [memory[slot] for slot in sorted(_PLACES) if slot in memory]
        if not places:
            return []
        wanted[places[0].entity.element] = places[0]
    for slot in reading.missing:
        if slot not in memory:
            return []
        wanted[slot] = memory[slot]
    return list(wanted.values())


def _find_combination(
    model: SentenceIntents, reading: SentenceReading, entities: Sequence[Entity]
) -> Combination | None:
    """The combination of the intent that has these slots; None if no sentence has them."""
    slots = {entity.element: entity.value_or_text for entity in entities}
    for one in model.combinations.get(reading.intent, ()):
        fixed = {name: str(value) for name, value in one.fixed.items()}
        if (
            one.required <= slots.keys() <= one.slots
            and all(slots.get(name, value) == value for name, value in fixed.items())
            and is_allowed(
                model, {key: rule.values for key, rule in one.requires.items()}, entities
            )
        ):
            return one
    return None


def _build_match(model: SentenceIntents, completion: Completion) -> Match:
    index, intent = model.intents[completion.intent]
    action = Entity(
        element=ACTION,
        groups=model.action_groups,
        text=completion.intent,
        value=completion.intent,
        meta={"response": completion.response},
    )
    by_element = {one.entity.element: one for one in completion.candidates}
    by_element[ACTION] = Candidate(action)
    terms = []
    for term in intent.terms:
        elements: Iterable[str] = term.predicate.elements or ()
        taken = tuple(by_element[one] for one in elements if one in by_element)
        terms.append(TermMatch(term, taken, len(taken)))
    filling = SlotFilling(
        intent=intent,
        intent_index=index,
        variant=completion.variant,
        terms=tuple(terms),
        taken=tuple(one for term in terms for one in term.taken),
    )
    return Match(filling, rank_match(filling, ContentWords()))
