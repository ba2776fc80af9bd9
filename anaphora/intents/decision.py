"""Resolve a parsed question against a conversation.

:func:`decide` expires the memory and refuses what breaks a limit; then::

    _decide_with_fallback_entities    once, or again with the fallback entities
        _decide_by_state              reset phrase, confirmation, topic change, pending question
            _match_or_find_near_miss
                match_question        the matches, best first
                find_incomplete       the intent that lacks the fewest terms

All functions are pure. The engine takes the decision, calls handlers and stores the conversation.
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
from anaphora.intents.checks.utterance_limits import find_breach
from anaphora.intents.confirmation import parse_confirmation
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import IntentIndex
from anaphora.intents.match import Candidate, Match, SlotFilling
from anaphora.intents.near_miss import find_blocked, find_near_miss
from anaphora.intents.ranking import rank_coverage
from anaphora.intents.ranking_steps import ReadingRank
from anaphora.intents.solver import (
    MatchContext,
    ParsedQuestion,
    build_match_contexts,
    fill_intents,
    find_content_words,
    find_exact_multiword_entities,
    match_intents,
    uses_part_of_longer_entity,
)
from anaphora.models.domain import Model, UtteranceLimits
from anaphora.stm.conversation import (
    Conversation,
    ForgetRule,
    ForgottenEntity,
    PendingQuestion,
    RecallOffer,
)
from anaphora.stm.rules import expire, find_replacement, forget_all, remember_pending

__all__ = [
    "BridgeResult",
    "Decision",
    "IndexedModel",
    "ask_again",
    "asked_before",
    "build_pending",
    "decide",
    "find_incomplete",
    "is_correction",
    "match_question",
    "repeat_prompt",
]


@dataclasses.dataclass(frozen=True, slots=True)
class IndexedModel:
    """A model with its intent index and its utterance limits (None if it has none)."""

    model: Model
    index: IntentIndex
    intents_by_id: Mapping[str, Intent]
    limits: UtteranceLimits | None

    @classmethod
    def from_model(cls, model: Model) -> IndexedModel:
        by_id = {intent.id: intent for intent in model.intents}
        limits = None if model.limits == UtteranceLimits() else model.limits
        return cls(model, IntentIndex(model.intents), by_id, limits)

    def with_only(self, intent: Intent) -> IndexedModel:
        """Return the model with this intent alone."""
        return IndexedModel.from_model(dataclasses.replace(self.model, intents=(intent,)))


class BridgeResult(Struct, frozen=True):
    """How the long-term memory, or an offer made from it, affected a question.

    ``match`` is the match of the question with the entities of ``offer``; ``exchanges_tried``
    counts the past exchanges that were tried; ``answer_text`` accepted or declined the offer.
    """

    outcome: Literal[
        "unreadable", "nothing found", "offered", "used", "accepted", "declined", "dropped"
    ]
    offer: RecallOffer | None = None
    match: Match | None = None
    exchanges_tried: int = 0
    answer_text: str = ""


class Decision(Struct, frozen=True):
    """The result of resolving a question, before any handler runs.

    ``conversation`` is the memory after expiry, and after a reset or a change of topic if the
    question causes one; ``forgotten`` is what it lost; ``previous_topic`` is the memory before a
    change of topic. ``matches`` are best first. Without a match, ``incomplete`` is the intent whose
    missing terms can be asked for, and ``nearest`` the intent that came closest: a near miss, or
    one that is blocked. ``pending_entities`` belong to an earlier question that this one completes,
    and ``pending_action`` is what a sentence that adds nothing does to that question.
    ``refusal_reason`` tells why the question cannot be answered at all (a predicate failed, or a
    limit is broken); ``hook_error`` is to be raised when it is answered. ``bridge`` tells how the
    long-term memory was used; ``forgets_on_purpose`` whether a hook has forgotten something.
    ``act`` is what the question does to what was said before, if it does anything.
    """

    question: ParsedQuestion
    conversation: Conversation
    match_contexts: tuple[MatchContext, ...]
    matches: tuple[Match, ...] = ()
    incomplete: SlotFilling | None = None
    nearest: SlotFilling | None = None
    pending_entities: tuple[Entity, ...] = ()
    forgotten: tuple[ForgottenEntity, ...] = ()
    previous_topic: Conversation | None = None
    has_reset_phrase: bool = False
    refusal_reason: str = ""
    hook_error: HandlerError | None = None
    bridge: BridgeResult | None = None
    forgets_on_purpose: bool = False
    pending_action: Literal["", "asked again", "confirmed", "declined"] = ""
    act: DialogAct | None = None

    @property
    def uses_memory(self) -> bool:
        """Whether the answer uses remembered or pending entities."""
        filling = self.matches[0].filling if self.matches else self.incomplete
        if filling is None or self.previous_topic is not None or self.has_reset_phrase:
            return False
        return any(taken.source == "memory" for taken in filling.taken)

    @property
    def before_topic_change(self) -> Conversation:
        """The memory before the change of topic, if the question causes one."""
        return self.previous_topic or self.conversation


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
    if question.fallback is None or not _needs_fallback_entities(
        decision, question.fallback, conversation.pending
    ):
        return decision
    other = _decide_by_state(indexed, question.fallback, conversation)
    return other if _is_completed_by(decision, other) else decision


def _needs_fallback_entities(
    decision: Decision, fallback: ParsedQuestion, pending: PendingQuestion | None
) -> bool:
    """Whether nothing matches, unless an undivided sentence answers what the bot has asked; or if
    something matches only with a remembered entity that a fallback entity of the sentence replaces,
    while its words are not used otherwise."""
    if not decision.matches:
        is_divided = bool(_entities_only_in(decision.question, fallback))
        return is_divided or not _answers(decision.incomplete, pending)
    filling = decision.matches[0].filling
    groups_from_memory = {
        taken.entity.groups for taken in filling.taken if not _is_from_sentence(taken)
    }
    if not groups_from_memory:
        return False
    said = [{*taken.entity.tokens} for taken in filling.taken if _is_from_sentence(taken)]
    new = [
        one for one in _find_new_entities(fallback, decision.question) if {*one.tokens} not in said
    ]
    return any(find_replacement(groups, new) for groups in groups_from_memory)


def _answers(filling: SlotFilling | None, pending: PendingQuestion | None) -> bool:
    """Whether the sentence fills the term that the bot has asked for."""
    if filling is None or pending is None or pending.intent != filling.intent.id:
        return False
    return any(
        one.term.label in pending.missing[:1] and any(map(_is_from_sentence, one.taken))
        for one in filling.terms
    )


def _is_from_sentence(taken: Candidate) -> bool:
    return not taken.pending and taken.remembered is None


def _is_completed_by(decision: Decision, other: Decision) -> bool:
    """Whether the fallback entities complete a question, or fill one of its missing terms."""
    filling = other.matches[0].filling if other.matches else other.incomplete
    if filling is None:
        return False
    if not other.matches:
        asked = None if decision.matches else decision.incomplete
        if asked is None or asked.intent is not filling.intent:
            return False
        is_divided = _entities_only_in(decision.question, other.question)
        if is_divided and len(filling.missing) >= len(asked.missing):
            return False
    new = _find_new_entities(other.question, decision.question)
    filled = [one.term.label for one in filling.terms if any(c.entity in new for c in one.taken)]
    pending = other.conversation.pending
    if pending is not None and pending.intent == filling.intent.id and not pending.confirms:
        return any(label in pending.missing for label in filled)  # the bot asked for these only
    return bool(filled)


def _find_new_entities(fallback: ParsedQuestion, question: ParsedQuestion) -> list[Entity]:
    """Return the entities that only the fallback has; if it divides one, the parts of that."""
    divided = {index for one in _entities_only_in(question, fallback) for index in one.tokens}
    if divided:
        parts = [
            one
            for one in fallback.utterance.entities
            if not (one.is_from_phrase or divided.isdisjoint(one.tokens))
        ]
        spans = [frozenset(one.tokens) for one in parts]
        return [one for one in parts if not any(map(frozenset(one.tokens).__lt__, spans))]
    return _entities_only_in(fallback, question)


def _entities_only_in(question: ParsedQuestion, other: ParsedQuestion) -> list[Entity]:
    """Return the entities of a question that the other one does not have."""
    known = other.utterance.entities
    return [entity for entity in question.utterance.entities if entity not in known]


def _decide_by_state(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    if question.utterance.resets:
        return _resolve_reset(indexed, question, conversation)
    pending = conversation.pending
    intent = indexed.intents_by_id.get(pending.intent) if pending else None
    if pending is None or intent is None:
        return _resolve_topic_change(indexed, question, conversation) or _match_or_find_near_miss(
            indexed, question, conversation
        )
    decision = (
        _resolve_confirmation(indexed, question, conversation, pending, intent)
        or _resolve_topic_change(indexed, question, conversation)
        or _complete_pending(indexed, question, conversation, pending, intent)
        or _match_or_find_near_miss(indexed, question, conversation)
    )
    if decision.matches or decision.incomplete or decision.pending_action:
        return decision
    prompts = indexed.model.prompts.get(pending.intent, {})
    if conversation.rejections >= indexed.model.conversation.depth or any(
        label not in prompts for label in pending.missing
    ):
        return decision
    return repeat_prompt(question, conversation, pending, intent) or decision


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


def build_pending(decision: Decision, at: datetime) -> PendingQuestion:
    """Build the pending question of an incomplete one."""
    filling = decision.incomplete
    assert filling is not None
    pending = decision.conversation.pending
    if pending is not None and decision.pending_action == "asked again":
        return replace(pending, at=at)
    return PendingQuestion(
        intent=filling.intent.id,
        entities=tuple(taken.entity for taken in filling.taken if not taken.remembered),
        missing=tuple(term.label for term in filling.missing),
        at=at,
        asked=asked_before(decision.conversation, filling.intent.id),
        corrects=is_correction(decision, filling.intent.id),
    )


def is_correction(decision: Decision, intent: str) -> bool:
    """Whether the question changes one of the intent that was answered before."""
    act, pending = decision.act, decision.conversation.pending
    if pending is not None and pending.intent == intent:
        return pending.corrects
    return act is not None and act.kind in ("corrected", "changed")


def asked_before(conversation: Conversation, intent: str) -> tuple[str, ...]:
    """The optional terms of an intent that the bot has asked for in the pending question."""
    pending = conversation.pending
    return pending.asked if pending is not None and pending.intent == intent else ()


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


def _complete_pending(
    indexed: IndexedModel,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: PendingQuestion,
    intent: Intent,
) -> Decision | None:
    """Complete the pending question with the entities of this sentence. None if it adds nothing,
    or if it matches without memory."""
    complete = question
    question = replace(question, offered=())  # of this question itself, among others
    if match_question(indexed, question, replace(conversation, remembered=())).matches:
        return None
    single_intent = indexed.with_only(intent)
    # An answer replaces pending entities or, if more are needed, is added to them. Where all is
    # there, "next week" does not leave Friday at eight as it is.
    keeps = (False, True) if pending.missing else (False,)
    decisions = [
        match_question(
            single_intent, replace(question, variants=(variant,)), conversation, entities
        )
        for keep in keeps
        for variant in question.variants
        for entities in [pending.entities if keep else _drop_replaced(pending.entities, variant)]
    ]
    decisions = [one if one.matches else find_incomplete(single_intent, one) for one in decisions]
    words = find_content_words(question.utterance)

    def filling_of(decision: Decision) -> SlotFilling | None:
        filling = decision.matches[0].filling if decision.matches else decision.incomplete
        return filling if filling is not None and filling.from_sentence else None

    def rank(decision: Decision) -> tuple[ReadingRank, bool, int]:
        """Prefer the better reading of the answer, then the one that completes more."""
        filling = filling_of(decision)
        assert filling is not None
        taken = 0 if decision.matches else -len(filling.taken)
        return rank_coverage(filling, words), not decision.matches, taken

    best = min(filter(filling_of, decisions), key=rank, default=None)
    if best is None or not pending.confirms:
        return best
    others = match_question(indexed, complete, conversation).matches
    filling = filling_of(best)
    if others and filling and others[0].filling.intent.id != intent.id:
        # "cancel my booking" says more than that it is a booking.
        own, other = rank_coverage(filling, words), rank_coverage(others[0].filling, words)
        if (other.uncovered, other.pieces) < (own.uncovered, own.pieces):
            return None
    return best


def _drop_replaced(pending: Sequence[Entity], variant: Variant) -> tuple[Entity, ...]:
    """Return the pending entities that no entity of the variant replaces."""
    return tuple(
        held for held in pending if find_replacement(held.groups, variant.entities) is None
    )


def _match_or_find_near_miss(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    decision = match_question(indexed, question, conversation)
    return decision if decision.matches else find_incomplete(indexed, decision)


def repeat_prompt(
    question: ParsedQuestion, conversation: Conversation, pending: PendingQuestion, intent: Intent
) -> Decision | None:
    """Ask for the pending terms again. None if entities that the question needs were forgotten."""
    (context,) = build_match_contexts(_without_entities(question), conversation, pending.entities)
    (filling,) = fill_intents((intent,), (0,), context)
    is_optional = any(term.min == 0 and term.id in pending.missing for term in intent.terms)
    if bool(filling.missing) != (bool(pending.missing) and not is_optional):
        return None
    incomplete = replace(filling, variant=question.variants[0])
    return Decision(
        question,
        conversation,
        build_match_contexts(question, conversation, pending.entities),
        incomplete=incomplete,
        nearest=incomplete,
        pending_entities=pending.entities,
        pending_action="asked again",
    )


def _resolve_confirmation(
    indexed: IndexedModel,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: PendingQuestion,
    intent: Intent,
) -> Decision | None:
    """Resolve a yes or a no to a pending question that lacks nothing else; a command such as
    "stop" drops any pending question, unless an intent of the model matches it. None for other
    sentences."""
    if pending.missing and question.utterance.entities and question.confirmation is None:
        return None
    if not (pending.missing or pending.unused or pending.confirms or pending.afresh):
        return None
    answer = question.confirmation
    has_negated = any(one.negated for one in question.variants[0].entities)
    if answer is None and not (has_negated or question.open_reference):
        languages = (question.utterance.language, conversation.language, *indexed.model.languages)
        answer = parse_confirmation(question.utterance.text, languages)
    if pending.afresh and answer is not None and not answer.is_command:
        return None
    is_optional = bool(pending.missing) and all(
        term.min == 0 for term in intent.terms if term.id in pending.missing
    )
    is_indifferent = question.is_indifferent and not question.variants[0].uncovered
    is_plain_no = answer is not None and not answer.is_yes and not answer.is_command
    if is_optional and (is_indifferent or is_plain_no):
        # The user does not want it, or does not mind: the question is answered without it.
        decision = ask_again(
            indexed, intent, _without_entities(question), conversation, pending.entities
        )
        return decision if decision.matches else None
    if answer is None or (
        answer.is_command and _matches_whole_sentence(indexed, question, conversation)
    ):
        return None
    if pending.missing and (answer.is_yes or not answer.is_command):
        return None
    if not answer.is_yes:
        dropped = replace(conversation, pending=None)
        if pending.confirms and not answer.is_command:
            dropped = remember_pending(conversation, pending)
        return Decision(
            question, dropped, build_match_contexts(question, dropped), pending_action="declined"
        )
    # A "yes" has no entities.
    decision = ask_again(
        indexed, intent, _without_entities(question), conversation, pending.entities
    )
    return replace(decision, pending_action="confirmed") if decision.matches else None


def ask_again(
    indexed: IndexedModel,
    intent: Intent,
    question: ParsedQuestion,
    conversation: Conversation,
    entities: Sequence[Entity] = (),
) -> Decision:
    """Match one intent alone, even if the sentence adds nothing, with the ``entities`` of an
    earlier question."""
    options = dataclasses.replace(intent.options, allow_stm_only=True)
    single_intent = indexed.with_only(dataclasses.replace(intent, options=options))
    return match_question(single_intent, question, conversation, entities)


def _matches_whole_sentence(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> bool:
    """Whether an intent matches without memory and covers the whole sentence, in which there is a
    user-defined entity."""
    bare = replace(question, offered=())
    without_memory = match_question(indexed, bare, replace(conversation, remembered=()))
    fillings = (match.filling for match in without_memory.matches)
    return any(
        not filling.variant.uncovered
        and len(filling.from_sentence) == len(filling.variant.entities)
        and any(taken.entity.is_from_phrase for taken in filling.from_sentence)
        for filling in fillings
    )


def _without_entities(question: ParsedQuestion) -> ParsedQuestion:
    """Return the question as if it had no entities."""
    return replace(question, variants=(Variant(()),), offered=())


def match_question(
    indexed: IndexedModel,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: Sequence[Entity] = (),
) -> Decision:
    contexts = build_match_contexts(question, conversation, pending)
    matches = match_intents(indexed.model.intents, indexed.index, contexts)
    return Decision(question, conversation, contexts, matches, pending_entities=tuple(pending))


def find_incomplete(indexed: IndexedModel, decision: Decision) -> Decision:
    """Look for an intent whose missing terms have prompts, else for the nearest one."""
    intents, index, contexts = indexed.model.intents, indexed.index, decision.match_contexts
    prompts = indexed.model.prompts
    longer = find_exact_multiword_entities(contexts)

    def is_whole(filling: SlotFilling) -> bool:
        return not uses_part_of_longer_entity(filling, intents, longer)

    def has_prompts(filling: SlotFilling) -> bool:
        known = prompts.get(filling.intent.id, {})
        return all(term.id in known for term in filling.missing) and is_whole(filling)

    if prompts:
        incomplete = find_near_miss(intents, index, contexts, has_prompts)
        if incomplete:
            return replace(decision, incomplete=incomplete, nearest=incomplete)
    nearest = find_blocked(intents, index, contexts)
    nearest = nearest or find_near_miss(intents, index, contexts, is_whole)
    return replace(decision, nearest=nearest)


def _current_topics(conversation: Conversation) -> set[tuple[str, str | None]]:
    """Return the topics that were used last; an incomplete question may have left older ones."""
    topics = [held for held in conversation.remembered if held.entity.topic]
    if not topics:
        return set()
    last = max(held.used_match for held in topics)
    return _topics_of(held.entity for held in topics if held.used_match == last)


def _topics_of(entities: Iterable[Entity]) -> set[tuple[str, str | None]]:
    return {(entity.element, entity.value) for entity in entities if entity.topic}
