"""What becomes of a question: the rules of memory and of asking, in the order in which they apply.

Everything here is a pure function of the model, the question and the conversation. Handlers
are not called and nothing is stored: the engine does that with the decision.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from anaphora.core.utterance import Entity, Variant
from anaphora.errors import EvaluationError, HandlerError
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.confirmation import parse_confirmation
from anaphora.intents.index import IntentIndex
from anaphora.intents.match import Match, ReadingRank, SlotFilling
from anaphora.intents.near_miss import find_blocked, find_near_miss
from anaphora.intents.ranking import rank_coverage
from anaphora.intents.solver import (
    MatchContext,
    ParsedQuestion,
    build_match_contexts,
    drop_replaced,
    fill_intents,
    find_content_words,
    find_exact_phrases,
    reads_part_of_phrase,
    solve,
)
from anaphora.intents.utterance_limits import find_breach
from anaphora.models.domain import Model, UtteranceLimits
from anaphora.stm.conversation import (
    Conversation,
    ForgetRule,
    ForgottenEntity,
    PendingQuestion,
    RecallOffer,
)
from anaphora.stm.rules import expire, forget_all

__all__ = ["BridgeResult", "Decision", "IndexedModel", "build_pending", "decide"]


@dataclasses.dataclass(frozen=True, slots=True)
class IndexedModel:
    """A model with what is derived from it once. ``limits`` is None for a model without any."""

    model: Model
    index: IntentIndex
    intents_by_id: Mapping[str, Intent]
    limits: UtteranceLimits | None

    @classmethod
    def from_model(cls, model: Model) -> IndexedModel:
        by_id = {intent.id: intent for intent in model.intents}
        limits = None if model.limits == UtteranceLimits() else model.limits
        return cls(model, IntentIndex(model.intents), by_id, limits)


class BridgeResult(Struct, frozen=True):
    """What the long-term memory, or an offer that was made of it, had to do with a question.

    ``match`` is what the ``offer`` would let the question be; ``looked_at`` counts the exchanges
    that were held against it; ``said`` is what accepted or declined the offer.
    """

    outcome: Literal[
        "unreadable", "nothing found", "offered", "used", "accepted", "declined", "dropped"
    ]
    offer: RecallOffer | None = None
    match: Match | None = None
    exchanges_tried: int = 0
    answer_text: str = ""


class Decision(Struct, frozen=True):
    """What a question comes to, before any handler has run.

    ``conversation`` is the memory in which it was answered: after the timeouts, and after a
    reset if the question brought one. ``matches`` are best first. Without any, ``asking`` is
    the intent whose missing terms can be asked for, else ``nearest`` the one that came nearest.
    ``pending`` are the entities of an earlier question that this one completes; ``left`` is the
    memory that a change of topic left behind; ``error`` says why it cannot be answered at all:
    what a predicate could not work with, or the limit that it breaks; ``failure`` is that of a
    hook, to be raised when the question is answered. ``bridged`` is what the long-term memory had
    to do with it; ``is_reset`` whether a hook has forgotten on purpose before. ``pending_action``
    says what becomes of the pending question through a sentence that adds nothing to it.
    """

    question: ParsedQuestion
    conversation: Conversation
    match_contexts: tuple[MatchContext, ...]
    matches: tuple[Match, ...] = ()
    incomplete: SlotFilling | None = None
    near_miss: SlotFilling | None = None
    pending_entities: tuple[Entity, ...] = ()
    forgotten: tuple[ForgottenEntity, ...] = ()
    previous_topic: Conversation | None = None
    has_reset_phrase: bool = False
    error: str = ""
    hook_error: HandlerError | None = None
    bridge: BridgeResult | None = None
    is_reset: bool = False
    pending_action: Literal["", "asked again", "confirmed", "declined"] = ""

    @property
    def uses_memory(self) -> bool:
        """Whether what was said before has a part in it: remembered, or still to be completed."""
        filling = self.matches[0].filling if self.matches else self.incomplete
        if filling is None or self.previous_topic is not None or self.has_reset_phrase:
            return False
        return any(taken.source == "memory" for taken in filling.taken)

    @property
    def before_topic_change(self) -> Conversation:
        """The memory without the change of topic that the question may have brought."""
        return self.previous_topic or self.conversation


def decide(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation, at: datetime
) -> Decision:
    """Resolve ``question`` against ``conversation`` as it is at the time ``at``."""
    conversation, forgotten = expire(conversation, at, indexed.model.conversation)
    try:
        decision = _check_refusal(indexed, question, conversation) or _resolve(
            indexed, question, conversation
        )
    except EvaluationError as error:
        decision = _build_error_decision(question, conversation, str(error))
    if not forgotten:
        return decision
    return replace(decision, forgotten=(*forgotten, *decision.forgotten))


def _resolve(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    decision = _resolve_reading(indexed, question, conversation)
    if question.fallback is None or not _needs_fallback_entities(decision, question.fallback):
        return decision
    other = _resolve_reading(indexed, question.fallback, conversation)
    return other if _is_completed_by(decision, other) else decision


def _needs_fallback_entities(decision: Decision, fallback: ParsedQuestion) -> bool:
    """Whether nothing matches, or only with something remembered for which a fallback entity of
    the sentence stands in."""
    if not decision.matches:
        return True
    recalled = {
        taken.entity.groups
        for taken in decision.matches[0].filling.taken
        if taken.pending or taken.remembered is not None
    }
    if not recalled:
        return False
    new = _entities_only_in(fallback, decision.question)
    return any(entity.groups <= groups for entity in new for groups in recalled)


def _is_completed_by(decision: Decision, other: Decision) -> bool:
    """Whether fallback entities complete a question, or fill one of the terms to be asked for."""
    filling = other.matches[0].filling if other.matches else None
    if filling is None and not decision.matches and decision.incomplete and other.incomplete:
        filling = (
            other.incomplete if other.incomplete.intent is decision.incomplete.intent else None
        )
    if filling is None:
        return False
    new = _entities_only_in(other.question, decision.question)
    filled = [
        match.term.label for match in filling.terms if any(c.entity in new for c in match.taken)
    ]
    pending = other.conversation.pending
    if pending is not None and pending.intent == filling.intent.id:
        return any(label in pending.missing for label in filled)  # nothing else was asked for
    return bool(filled)


def _entities_only_in(question: ParsedQuestion, other: ParsedQuestion) -> list[Entity]:
    """The entities of a question that the other one does not have."""
    known = other.utterance.entities
    return [entity for entity in question.utterance.entities if entity not in known]


def _resolve_reading(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    if question.utterance.resets:
        return _resolve_reset(indexed, question, conversation)
    if conversation.pending and (answer := _resolve_confirmation(indexed, question, conversation)):
        return answer
    return (
        _resolve_topic_change(indexed, question, conversation)
        or _complete_pending(indexed, question, conversation)
        or _resolve_alone(indexed, question, conversation)
    )


def _check_refusal(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """A question that cannot be read, or that the limits of the model forbid; None for others."""
    utterance = question.utterance
    error = utterance.error
    if not error and not question.variants:
        error = "every way to read it was refused"
    if not error and not utterance.resets:
        limits = indexed.limits
        error = find_breach(limits, utterance, question.variants[0]) if limits else ""
    return _build_error_decision(question, conversation, error) if error else None


def _build_error_decision(
    question: ParsedQuestion, conversation: Conversation, error: str
) -> Decision:
    return Decision(
        question, conversation, build_match_contexts(question, conversation), error=error
    )


def build_pending(decision: Decision, at: datetime) -> PendingQuestion:
    """What an incomplete question understood, kept until it is completed or dropped."""
    filling = decision.incomplete
    assert filling is not None
    waiting = decision.conversation.pending
    if waiting is not None and decision.pending_action == "asked again":
        return replace(waiting, at=at)
    return PendingQuestion(
        intent=filling.intent.id,
        entities=tuple(taken.entity for taken in filling.taken if not taken.remembered),
        missing=tuple(term.label for term in filling.missing),
        at=at,
    )


def _resolve_reset(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    """A reset phrase forgets everything; a question beside it is answered afresh if it is
    complete."""
    fresh, wiped = forget_all(conversation, ForgetRule.RESET)
    try:
        decision = _solve(indexed, question, fresh)
    except EvaluationError as error:  # whatever else the sentence says, it is a reset
        decision = _build_error_decision(question, fresh, str(error))
    return replace(decision, forgotten=wiped, has_reset_phrase=True)


def _resolve_topic_change(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """A question that is complete without any memory and whose topic is not the remembered
    one: the memory is reset before it is matched. None if this is no such question."""
    current = _current_topics(conversation)
    if not current or _topics_of(question.utterance.entities) <= current:
        return None
    fresh, wiped = forget_all(conversation, ForgetRule.TOPIC)
    # The flow so far may be what lets an intent match; it is forgotten with the rest then.
    decision = _solve(indexed, question, replace(fresh, flow=conversation.flow))
    if not decision.matches or _topics_of(decision.matches[0].entities) <= current:
        return None
    return replace(decision, conversation=fresh, forgotten=wiped, previous_topic=conversation)


def _complete_pending(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """The pending question with what this sentence adds to it. None if nothing is pending, if
    it adds nothing, or if the sentence makes sense by its own strength."""
    pending = conversation.pending
    intent = indexed.intents_by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return None
    if _solve(indexed, question, replace(conversation, remembered=())).matches:
        return None
    alone = IndexedModel.from_model(dataclasses.replace(indexed.model, intents=(intent,)))
    # An answer stands in for what was said before or, where more is needed, is added to it.
    ways = [
        _solve(alone, replace(question, variants=(variant,)), conversation, entities)
        for keep in (False, True)
        for variant in question.variants
        for entities in [pending.entities if keep else drop_replaced(pending.entities, variant)]
    ]
    ways = [way if way.matches else _find_incomplete(alone, way) for way in ways]
    words = find_content_words(question.utterance)

    def filling_of(way: Decision) -> SlotFilling | None:
        filling = way.matches[0].filling if way.matches else way.incomplete
        return filling if filling is not None and filling.from_sentence else None

    def rank(way: Decision) -> tuple[ReadingRank, bool, int]:
        """The better reading of the answer first, then what it completes."""
        filling = filling_of(way)
        assert filling is not None
        taken = 0 if way.matches else -len(filling.taken)
        return rank_coverage(filling, words), not way.matches, taken

    return min(filter(filling_of, ways), key=rank, default=None)


def _resolve_alone(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    decision = _solve(indexed, question, conversation)
    if not decision.matches:
        decision = _find_incomplete(indexed, decision)
    if decision.matches or decision.incomplete:
        return decision
    return _repeat_prompt(indexed, question, conversation) or decision


def _repeat_prompt(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """What is pending, to be asked for again after a sentence of which nothing came. None if
    nothing is pending, or if that has happened so often that it is given up."""
    pending = conversation.pending
    intent = indexed.intents_by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return None
    if conversation.rejections >= indexed.model.conversation.depth:
        return None
    (scene,) = build_match_contexts(_without_entities(question), conversation, pending.entities)
    (filling,) = fill_intents((intent,), (0,), scene)
    if bool(filling.missing) != bool(pending.missing):  # what it took from memory is gone
        return None
    asking = replace(filling, variant=question.variants[0])
    return Decision(
        question,
        conversation,
        build_match_contexts(question, conversation, pending.entities),
        incomplete=asking,
        near_miss=asking,
        pending_entities=pending.entities,
        pending_action="asked again",
    )


def _resolve_confirmation(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision | None:
    """The pending question that waits for nothing but a yes or a no, if this is one; one that
    waits for more is dropped by a command such as "stop". A command is none where an intent of
    the model takes it."""
    pending = conversation.pending
    intent = indexed.intents_by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return None
    if (pending.missing and question.utterance.entities) or not (pending.missing or pending.unused):
        return None
    languages = (question.utterance.language, conversation.language, *indexed.model.languages)
    answer = parse_confirmation(question.utterance.text, languages)
    if answer is None or (
        answer.is_command and _matches_whole_sentence(indexed, question, conversation)
    ):
        return None
    if pending.missing and (answer.is_yes or not answer.is_command):
        return None
    if not answer.is_yes:
        dropped = replace(conversation, pending=None)
        return Decision(
            question, dropped, build_match_contexts(question, dropped), pending_action="declined"
        )
    options = dataclasses.replace(intent.options, allow_stm_only=True)  # all that it takes is there
    intent = dataclasses.replace(intent, options=options)
    alone = IndexedModel.from_model(dataclasses.replace(indexed.model, intents=(intent,)))
    decision = _solve(alone, _without_entities(question), conversation, pending.entities)
    return replace(decision, pending_action="confirmed") if decision.matches else None


def _matches_whole_sentence(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> bool:
    """Whether an intent matches by all that the sentence says, some element of the model's own in
    it, and by nothing else."""
    alone = _solve(indexed, question, replace(conversation, remembered=()))
    fillings = (match.filling for match in alone.matches)
    return any(
        not filling.variant.uncovered
        and len(filling.from_sentence) == len(filling.variant.entities)
        and any(taken.entity.own for taken in filling.from_sentence)
        for filling in fillings
    )


def _without_entities(question: ParsedQuestion) -> ParsedQuestion:
    """The question as if nothing had been found in it."""
    return replace(question, variants=(Variant(()),))


def _solve(
    indexed: IndexedModel,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: Sequence[Entity] = (),
) -> Decision:
    where = build_match_contexts(question, conversation, pending)
    matches = solve(indexed.model.intents, indexed.index, where)
    return Decision(question, conversation, where, matches, pending_entities=tuple(pending))


def _find_incomplete(indexed: IndexedModel, decision: Decision) -> Decision:
    """Look for an intent that can be completed by asking, else for the nearest one."""
    intents, index, where = indexed.model.intents, indexed.index, decision.match_contexts
    prompts = indexed.model.prompts
    phrases = find_exact_phrases(where)

    def is_whole(filling: SlotFilling) -> bool:
        return not reads_part_of_phrase(filling, intents, phrases)

    def askable(filling: SlotFilling) -> bool:
        known = prompts.get(filling.intent.id, {})
        return all(term.id in known for term in filling.missing) and is_whole(filling)

    if prompts:
        asking = find_near_miss(intents, index, where, askable)
        if asking:
            return replace(decision, incomplete=asking, near_miss=asking)
    near = find_blocked(intents, index, where) or find_near_miss(intents, index, where, is_whole)
    return replace(decision, near_miss=near)


def _current_topics(conversation: Conversation) -> set[tuple[str, str | None]]:
    """The topics that were used last: an incomplete question may have left older ones."""
    topics = [held for held in conversation.remembered if held.entity.topic]
    if not topics:
        return set()
    last = max(held.used_match for held in topics)
    return _topics_of(held.entity for held in topics if held.used_match == last)


def _topics_of(entities: Iterable[Entity]) -> set[tuple[str, str | None]]:
    return {(entity.element, entity.value) for entity in entities if entity.topic}
