"""Undo what was done last: "undo that"."""

from __future__ import annotations

from anaphora.core.utterance import Variant
from anaphora.intents.decision.sentences.follow_up import Completion
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.match import Candidate
from anaphora.models.hassil.elements import ACTION
from anaphora.models.hassil.inverse_intents import INVERSE_INTENTS
from anaphora.stm.conversation import Conversation

__all__ = ["complete_undo"]


def complete_undo(model: SentenceIntents, conversation: Conversation) -> Completion | None:
    """The intent that undoes the last one, with its slots; None if there is none."""
    if not conversation.flow:
        return None
    inverse = INVERSE_INTENTS.get(conversation.flow[-1].intent, "")
    combinations = model.combinations.get(inverse, ())
    number = conversation.questions + 1
    candidates = tuple(
        Candidate(held.entity, remembered=held, distance=number - held.question_number)
        for held in conversation.remembered
        if held.used_match == conversation.matches and held.entity.element != ACTION
    )
    slots = {one.entity.element for one in candidates}
    response = next(
        (one.response for one in combinations if one.required <= slots <= one.slots), None
    )
    if response is None:
        known = {slot for one in combinations for slot in one.slots}
        candidates = tuple(one for one in candidates if one.entity.element in known)
        if inverse not in model.combinations or not candidates:
            return None
    return Completion(inverse, Variant(()), candidates, response or "")
