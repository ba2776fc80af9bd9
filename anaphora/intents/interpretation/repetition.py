"""Ask an intent again, with what an earlier question said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.grammar.idl.intent import Intent, Term
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.matching import (
    IndexedModel,
    ask_again,
    find_incomplete,
    match_question,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.interpretation.dialog_turn import DialogTurn
from anaphora.intents.match import Match
from anaphora.intents.solver import build_match_contexts, fill_intents
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import find_replacement

__all__ = [
    "ask_for_rest",
    "continue_intent",
    "decide_without_intent",
    "entities_of_last_match",
    "find_asked_term",
    "is_complete_alone",
    "is_other_question",
    "keep_unreplaced",
]


def find_asked_term(indexed: IndexedModel, turn: DialogTurn) -> Term | None:
    """The term that the question that waits lacks first; None if it lacks nothing."""
    pending = turn.pending
    intent = indexed.intents_by_id.get(pending.intent) if pending is not None else None
    if pending is None or intent is None or not pending.missing:
        return None
    return next((one for one in intent.terms if one.label == pending.missing[0]), None)


def ask_for_rest(
    indexed: IndexedModel, intent: Intent, turn: DialogTurn, entities: Sequence[Entity]
) -> Decision | None:
    """Ask for what an intent lacks; None if it does not ask for all of it."""
    contexts = build_match_contexts(turn.question, turn.conversation, entities)
    (filling,) = fill_intents((intent,), (0,), contexts[0])
    prompts = indexed.model.prompts.get(intent.id, {})
    if not filling.missing or any(term.id not in prompts for term in filling.missing):
        return None
    return Decision(
        turn.question,
        turn.conversation,
        contexts,
        incomplete=filling,
        nearest=filling,
        pending_entities=tuple(entities),
    )


def continue_intent(indexed: IndexedModel, intent: Intent, turn: DialogTurn) -> Decision | None:
    """Match one intent, also with the entities of the last question, or of the one that waits;
    None if it lacks something that has no prompt."""
    is_waiting = turn.pending is not None and turn.pending.intent == intent.id
    held = turn.waiting if is_waiting else entities_of_last_match(turn.conversation)
    frame = keep_unreplaced(held, turn.said)
    decision = ask_again(indexed, intent, turn.question, turn.conversation, frame)
    if not decision.matches:
        decision = find_incomplete(indexed.with_only(intent), decision)
    return decision if decision.matches or decision.incomplete else None


def is_complete_alone(indexed: IndexedModel, turn: DialogTurn) -> bool:
    """Whether the sentence is complete without memory."""
    return bool(_match_without_memory(indexed, turn))


def is_other_question(indexed: IndexedModel, turn: DialogTurn, intent: str) -> bool:
    """Whether the sentence is complete without memory, for another intent."""
    matches = _match_without_memory(indexed, turn)
    return bool(matches) and matches[0].intent.id != intent


def _match_without_memory(indexed: IndexedModel, turn: DialogTurn) -> Sequence[Match]:
    bare = replace(turn.conversation, remembered=())
    return match_question(indexed, replace(turn.question, offered=()), bare).matches


def decide_without_intent(turn: DialogTurn, act: DialogAct) -> Decision:
    """A decision that no intent answers."""
    contexts = build_match_contexts(turn.question, turn.conversation)
    return Decision(turn.question, turn.conversation, contexts, act=act)


def entities_of_last_match(conversation: Conversation) -> Sequence[Entity]:
    """The entities that the last matched question took."""
    last = conversation.matches
    return [held.entity for held in conversation.remembered if held.used_match == last]


def keep_unreplaced(entities: Iterable[Entity], new: Sequence[Entity]) -> list[Entity]:
    """Return the entities that no new one replaces."""
    return [one for one in entities if find_replacement(one.groups, new) is None]
