"""Fill a slot that takes any words again: "and eggs" after "add milk to the list"."""

from __future__ import annotations

from anaphora.core.utterance import Entity, Utterance, Variant
from anaphora.entities.sentences.reader import ANY_WORDS
from anaphora.intents.decision.sentences.completion import (
    Completion,
    build_candidates,
    fill_combination,
)
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.stm.conversation import Conversation

__all__ = ["complete_wildcard"]

_MAX_WORDS = 6


def complete_wildcard(
    model: SentenceIntents, utterance: Utterance, conversation: Conversation
) -> Completion | None:
    """Complete "and eggs" after "add milk to the list": any words may fill a slot that any words
    filled in the last question."""
    text = utterance.text
    first, _, rest = text.strip().partition(" ")
    rest = rest.strip().rstrip(".!?…")
    if first.lower() not in model.joiners or not rest or len(rest.split()) > _MAX_WORDS:
        return None
    if not conversation.flow or utterance.entities:
        return None
    last = [held for held in conversation.remembered if held.used_match == conversation.matches]
    for held in last:
        slot = held.entity.element
        if ANY_WORDS not in held.entity.marks:
            continue
        start = text.index(rest)
        said = Entity(
            element=slot,
            groups=held.entity.groups,
            text=rest,
            start=start,
            end=start + len(rest),
            value=rest,
            marks=held.entity.marks,
        )
        memory = {one.entity.element: one for one in last if one.entity.element != slot}
        for combination in model.combinations.get(conversation.flow[-1].intent, ()):
            filled = fill_combination(model, combination, {slot: said}, memory)
            if filled is not None:
                candidates = build_candidates(conversation, filled.sentence, filled.memory)
                return Completion(combination.intent, Variant(()), candidates, combination.response)
    return None
