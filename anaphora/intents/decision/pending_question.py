"""Pending questions: what the bot has asked for, and what answers, confirms or drops it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.confirmation import parse_confirmation
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.matching import (
    IndexedModel,
    ask_again,
    find_incomplete,
    match_or_find_near_miss,
    match_question,
    without_entities,
)
from anaphora.intents.match import SlotFilling, TermMatch
from anaphora.intents.ranking import rank_coverage
from anaphora.intents.ranking_steps import ReadingRank
from anaphora.intents.solver import (
    ParsedQuestion,
    build_match_contexts,
    fill_intents,
    find_content_words,
)
from anaphora.stm.conversation import Conversation, PendingQuestion
from anaphora.stm.rules import find_replacement, remember_pending

__all__ = [
    "asked_before",
    "build_pending",
    "complete_pending",
    "is_correction",
    "list_as_said",
    "repeat_prompt",
    "resolve_confirmation",
]


def build_pending(decision: Decision, at: datetime) -> PendingQuestion:
    """Build the pending question of an incomplete one."""
    filling = decision.incomplete
    assert filling is not None
    pending = decision.conversation.pending
    if pending is not None and decision.pending_action == "asked again":
        return replace(pending, at=at)
    return PendingQuestion(
        intent=filling.intent.id,
        entities=list_as_said(filling, pending),
        missing=tuple(term.label for term in filling.missing),
        at=at,
        asked=asked_before(decision.conversation, filling.intent.id),
        corrects=is_correction(decision, filling.intent.id),
    )


def list_as_said(filling: SlotFilling, before: PendingQuestion | None) -> tuple[Entity, ...]:
    """List the entities of a filling that are not remembered, in the order in which they were said:
    those of the question that waited ``before``, in its order, then those of the sentence, by the
    place of their terms in it."""

    def said_at(term: TermMatch) -> int:
        return max((one.entity.start for one in term.taken if one.source == "sentence"), default=0)

    terms = sorted(filling.terms, key=said_at)
    said = [one.entity for term in terms for one in term.taken if one.source == "sentence"]
    waiting = [
        one.entity for one in filling.taken if one.source != "sentence" and not one.remembered
    ]
    known = before.entities if before is not None else ()
    oldest = [one for one in known if one in waiting]
    return (*[one for one in waiting if one not in oldest], *oldest, *said)


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


def complete_pending(
    indexed: IndexedModel,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: PendingQuestion,
    intent: Intent,
) -> Decision | None:
    """Complete the pending question with the entities of this sentence. None if it adds nothing,
    or if it matches without memory. A question of another intent that takes more of the words goes
    first in a model with dialog acts, though the memory completes it, or it lacks something."""
    complete = question
    question = replace(question, offered=())  # of this question itself, among others
    if match_question(indexed, question, replace(conversation, remembered=())).matches:
        return None
    single_intent = indexed.with_only(intent)
    possible = _drop_replaced(pending.entities, question.utterance.void)
    # An answer replaces pending entities or, if more are needed, is added to them. Where all is
    # there, "next week" does not leave Friday at eight as it is.
    keeps = (False, True) if pending.missing else (False,)
    decisions = [
        match_question(
            single_intent, replace(question, variants=(variant,)), conversation, entities
        )
        for keep in keeps
        for variant in question.variants
        for entities in [possible if keep else _drop_replaced(possible, variant.entities)]
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
    if best is None:
        return best
    filling = filling_of(best)
    assert filling is not None
    own = rank_coverage(filling, words)
    others = match_question(indexed, complete, conversation).matches if pending.confirms else ()
    if others and others[0].filling.intent.id != intent.id:
        # "cancel my booking" says more than that it is a booking.
        other = rank_coverage(others[0].filling, words)
        if (other.uncovered, other.pieces) < (own.uncovered, own.pieces):
            return None
    if not own.uncovered or indexed.model.dialog_acts is None:
        return best
    # "What is the weather on Friday?" says more than a day, though it names no city.
    side = match_or_find_near_miss(indexed, question, conversation)
    filling = filling_of(side)
    if filling is None or filling.intent.id == intent.id:
        return best
    return side if rank_coverage(filling, words).uncovered < own.uncovered else best


def _drop_replaced(pending: Sequence[Entity], said: Sequence[Entity]) -> tuple[Entity, ...]:
    """Return the pending entities that nothing that is ``said`` replaces."""
    return tuple(held for held in pending if find_replacement(held.groups, said) is None)


def resolve_confirmation(
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
    may_choose = question.is_indifferent and pending.missing  # French "peu importe" drops nothing
    if answer is None and not (has_negated or question.open_reference or may_choose):
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
            indexed, intent, without_entities(question), conversation, pending.entities
        )
        return decision if decision.matches else None
    if answer is None or (
        answer.is_command and _matches_whole_sentence(indexed, question, conversation)
    ):
        return None
    if pending.missing and (answer.is_yes or not answer.is_command):
        return None
    if not answer.is_yes:
        dropped = replace(conversation, pending=pending.suspended)
        if pending.confirms and not answer.is_command:
            dropped = remember_pending(conversation, pending)
        return Decision(
            question, dropped, build_match_contexts(question, dropped), pending_action="declined"
        )
    # A "yes" has no entities.
    decision = ask_again(
        indexed, intent, without_entities(question), conversation, pending.entities
    )
    return replace(decision, pending_action="confirmed") if decision.matches else None


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


def repeat_prompt(
    question: ParsedQuestion, conversation: Conversation, pending: PendingQuestion, intent: Intent
) -> Decision | None:
    """Ask for the pending terms again. None if entities that the question needs were forgotten."""
    (context,) = build_match_contexts(without_entities(question), conversation, pending.entities)
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
