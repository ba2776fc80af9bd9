"""Resolve a parsed question against a conversation.

:func:`decide` expires the memory and refuses what breaks a limit; then::

    _decide_with_fallback_entities    once, or again with the fallback entities
        _decide_by_state              reset phrase, confirmation, topic change, pending question
            match_or_find_near_miss
                match_question        the matches, best first
                find_incomplete       the intent that lacks the fewest terms

All functions are pure. The engine takes the decision, calls handlers and stores the conversation.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.errors import EvaluationError
from anaphora.intents.checks.utterance_limits import find_breach
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.fallback_entities import (
    covers_more,
    ignores_words,
    is_completed_by,
    needs_fallback_entities,
)
from anaphora.intents.decision.matching import (
    IndexedModel,
    find_incomplete,
    match_or_find_near_miss,
    match_question,
)
from anaphora.intents.decision.pending_question import (
    complete_pending,
    repeat_prompt,
    resolve_confirmation,
)
from anaphora.intents.solver import ParsedQuestion, build_match_contexts
from anaphora.stm.conversation import Conversation, ForgetRule, PendingQuestion
from anaphora.stm.rules import expire, forget_all

__all__ = ["decide"]


def decide(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation, at: datetime
) -> Decision:
    """Resolve ``question``, asked at the time ``at``, against ``conversation``."""
    conversation, forgotten = expire(conversation, at, indexed.model.conversation)
    try:
        decision = _check_refusal(
            indexed, question, conversation
        ) or _decide_with_fallback_entities(indexed, question, conversation)
    except EvaluationError as error:
        decision = _build_refusal(question, conversation, str(error))
    if not forgotten:
        return decision
    return replace(decision, forgotten=(*forgotten, *decision.forgotten))


def _decide_with_fallback_entities(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    decision = _decide_by_state(indexed, question, conversation)
    fallback = question.fallback
    if fallback is None:
        return decision
    if needs_fallback_entities(decision, fallback, decision.conversation.pending):
        other = _decide_by_state(indexed, fallback, conversation)
        return other if is_completed_by(decision, other) else decision
    if not ignores_words(decision):
        return decision
    other = _decide_by_state(indexed, fallback, conversation)
    if covers_more(other, decision):
        return other
    other = find_incomplete(indexed, replace(other, matches=()))
    return other if covers_more(other, decision) else decision


def _decide_by_state(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    if question.utterance.resets:
        return _resolve_reset(indexed, question, conversation)
    pending = conversation.pending
    intent = indexed.intents_by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return _resolve_topic_change(indexed, question, conversation) or match_or_find_near_miss(
            indexed, question, conversation
        )
    decision = (
        resolve_confirmation(indexed, question, conversation, pending, intent)
        or _resolve_topic_change(indexed, question, conversation)
        or complete_pending(indexed, question, conversation, pending, intent)
        or _complete_suspended(indexed, question, conversation, pending)
        or match_or_find_near_miss(indexed, question, conversation)
    )
    if decision.matches or decision.incomplete or decision.pending_action:
        return decision
    prompts = indexed.model.prompts.get(pending.intent, {})
    if conversation.rejections >= indexed.model.conversation.depth or any(
        label not in prompts for label in pending.missing
    ):
        return decision
    return repeat_prompt(question, conversation, pending, intent) or decision


def _complete_suspended(
    indexed: IndexedModel,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: PendingQuestion,
) -> Decision | None:
    """Complete the question that the pending one suspends, which is given up by that. None if
    the sentence adds nothing to it."""
    suspended = pending.suspended
    intent = indexed.intents_by_id.get(suspended.intent) if suspended else None
    if suspended is None or intent is None:
        return None
    back = replace(conversation, pending=suspended)
    return complete_pending(indexed, question, back, suspended, intent)


def _check_refusal(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """Refuse a question that cannot be read or breaks a limit of the model; None for others."""
    utterance = question.utterance
    reason = utterance.error
    if not reason and not question.variants:
        reason = "every reading of it was rejected"
    if not reason and not utterance.resets:
        limits = indexed.limits
        reason = find_breach(limits, utterance, question.variants[0]) if limits else ""
    return _build_refusal(question, conversation, reason) if reason else None


def _build_refusal(question: ParsedQuestion, conversation: Conversation, reason: str) -> Decision:
    return Decision(
        question, conversation, build_match_contexts(question, conversation), refusal_reason=reason
    )


def _resolve_reset(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    """Forget everything because of a reset phrase; a complete question beside it is answered."""
    fresh, forgotten = forget_all(conversation, ForgetRule.RESET)
    try:
        decision = match_question(indexed, question, fresh)
    except EvaluationError as error:  # the sentence is a reset, whatever else it says
        decision = _build_refusal(question, fresh, str(error))
    return replace(decision, forgotten=forgotten, has_reset_phrase=True)


def _resolve_topic_change(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """Resolve a question that is complete without memory and has another topic than the
    remembered one: the memory is reset before it is matched. None for other questions."""
    current = _current_topics(conversation)
    if not current or _topics_of(question.utterance.entities) <= current:
        return None
    if question.open_reference:
        return None
    question = replace(question, offered=())
    fresh, forgotten = forget_all(conversation, ForgetRule.TOPIC)
    # The dialog flow may be needed for the match; it is forgotten afterwards.
    decision = match_question(indexed, question, replace(fresh, flow=conversation.flow))
    if not decision.matches or _topics_of(decision.matches[0].entities) <= current:
        return None
    return replace(decision, conversation=fresh, forgotten=forgotten, previous_topic=conversation)


def _current_topics(conversation: Conversation) -> set[tuple[str, str | None]]:
    """Return the topics that were used last; an incomplete question may have left older ones."""
    topics = [held for held in conversation.remembered if held.entity.topic]
    if not topics:
        return set()
    last = max(held.used_match for held in topics)
    return _topics_of(held.entity for held in topics if held.used_match == last)


def _topics_of(entities: Iterable[Entity]) -> set[tuple[str, str | None]]:
    return {(entity.element, entity.value) for entity in entities if entity.topic}
