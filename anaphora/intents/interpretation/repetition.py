"""Ask an intent again, with what an earlier question said."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision import (
    Decision,
    IndexedModel,
    ask_again,
    find_incomplete,
    match_question,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.interpretation.rewriting import (
    find_new,
)
from anaphora.intents.solver import ParsedQuestion, build_match_contexts, fill_intents
from anaphora.stm.conversation import (
    Conversation,
)
from anaphora.stm.rules import find_replacement

__all__ = [
    "acknowledge",
    "ask_for_rest",
    "continue_with",
    "entities_of_last_match",
    "is_complete",
    "is_other_question",
    "keep_unreplaced",
]


def ask_for_rest(
    indexed: IndexedModel,
    intent: Intent,
    question: ParsedQuestion,
    conversation: Conversation,
    entities: Sequence[Entity],
) -> Decision | None:
    """Ask for what an intent lacks; None if it does not ask for all of it."""
    contexts = build_match_contexts(question, conversation, entities)
    (filling,) = fill_intents((intent,), (0,), contexts[0])
    prompts = indexed.model.prompts.get(intent.id, {})
    if not filling.missing or any(term.id not in prompts for term in filling.missing):
        return None
    return Decision(
        question,
        conversation,
        contexts,
        incomplete=filling,
        nearest=filling,
        pending_entities=tuple(entities),
    )


def continue_with(
    indexed: IndexedModel, intent: Intent, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """Match one intent, also with the entities of the last question, or of the one that waits;
    None if it lacks something that has no prompt."""
    pending = conversation.pending
    if pending is not None and pending.intent == intent.id:
        held: Sequence[Entity] = pending.entities
    else:
        held = entities_of_last_match(conversation)
    frame = keep_unreplaced(held, find_new(question))
    decision = ask_again(indexed, intent, question, conversation, frame)
    if not decision.matches:
        decision = find_incomplete(indexed.with_only(intent), decision)
    return decision if decision.matches or decision.incomplete else None


def is_complete(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> bool:
    """Whether the sentence is complete without memory."""
    bare, said = replace(conversation, remembered=()), replace(question, offered=())
    return bool(match_question(indexed, said, bare).matches)


def is_other_question(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation, intent: str
) -> bool:
    """Whether the sentence is complete without memory, for another intent."""
    bare, said = replace(conversation, remembered=()), replace(question, offered=())
    matches = match_question(indexed, said, bare).matches
    return bool(matches) and matches[0].intent.id != intent


def acknowledge(question: ParsedQuestion, conversation: Conversation, act: DialogAct) -> Decision:
    """A decision that no intent answers."""
    contexts = build_match_contexts(question, conversation)
    return Decision(question, conversation, contexts, act=act)


def entities_of_last_match(conversation: Conversation) -> list[Entity]:
    """The entities that the last matched question took."""
    last = conversation.matches
    return [held.entity for held in conversation.remembered if held.used_match == last]


def keep_unreplaced(entities: Iterable[Entity], new: Sequence[Entity]) -> list[Entity]:
    """Return the entities that no new one replaces."""
    return [one for one in entities if find_replacement(one.groups, new) is None]
