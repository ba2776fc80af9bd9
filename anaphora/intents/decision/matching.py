"""Match a question with the intents of a model, and find the intent that it nearly matches."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Variant
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.sentences.history.denials import find_denial, is_plain_no
from anaphora.intents.decision.sentences.history.not_understood import note_not_understood
from anaphora.intents.decision.sentences.matching import match_fragment, match_sentence
from anaphora.intents.decision.sentences.sentence_intents import SentenceIntents
from anaphora.intents.index import IntentIndex
from anaphora.intents.match import Match, SlotFilling
from anaphora.intents.near_miss import find_blocked, find_near_miss
from anaphora.intents.solver import (
    MatchContext,
    ParsedQuestion,
    build_match_contexts,
    find_exact_multiword_entities,
    match_intents,
    uses_part_of_longer_entity,
)
from anaphora.models.domain import Model, UtteranceLimits
from anaphora.stm.conversation import Conversation

__all__ = [
    "IndexedModel",
    "ask_again",
    "find_incomplete",
    "match_or_find_near_miss",
    "match_question",
    "without_entities",
]


@dataclasses.dataclass(frozen=True, slots=True)
class IndexedModel:
    """A model with its intent index, its utterance limits and what its sentences need (None if it
    has none)."""

    model: Model
    index: IntentIndex
    intents_by_id: Mapping[str, Intent]
    limits: UtteranceLimits | None
    sentences: SentenceIntents | None = None

    @classmethod
    def from_model(cls, model: Model) -> IndexedModel:
        by_id = {intent.id: intent for intent in model.intents}
        limits = None if model.limits == UtteranceLimits() else model.limits
        sentences = SentenceIntents.from_model(model)
        return cls(model, IntentIndex(model.intents), by_id, limits, sentences)

    def with_only(self, intent: Intent) -> IndexedModel:
        """Return the model with this intent alone."""
        return IndexedModel.from_model(dataclasses.replace(self.model, intents=(intent,)))


def match_question(
    indexed: IndexedModel,
    question: ParsedQuestion,
    conversation: Conversation,
    pending: Sequence[Entity] = (),
) -> Decision:
    """Match the intents of a model, with the ``pending`` entities of an earlier question."""
    sentences = indexed.sentences
    refusal = ""
    is_no = sentences is not None and is_plain_no(sentences, question.utterance)
    if sentences is not None and not (is_no and conversation.flow):
        answer = match_sentence(sentences, question, conversation)
        if answer.match is not None:
            question = _as_whole_sentence(question)
            contexts = build_match_contexts(question, conversation)
            return Decision(question, conversation, contexts, (answer.match,))
        refusal = answer.refusal
    contexts = build_match_contexts(question, conversation, pending)
    if sentences is None:
        matches = match_intents(indexed.model.intents, indexed.index, contexts)
    else:
        matches = _match_own_intents(indexed, sentences, contexts)
        if not matches and not is_no:
            answer = match_fragment(sentences, question, conversation)
            matches = () if answer.match is None else (answer.match,)
            refusal = answer.refusal or refusal
        denial = None if matches else find_denial(sentences, question.utterance, conversation)
        if denial is not None and not refusal:
            return Decision(
                question,
                denial.conversation,
                contexts,
                pending_action="declined",
                acknowledgement=denial.text,
            )
        if denial is not None:
            conversation = denial.conversation
        elif not matches:
            conversation = note_not_understood(
                sentences, question.utterance, conversation, is_refused=bool(refusal)
            )
    return Decision(
        question,
        conversation,
        contexts,
        matches,
        pending_entities=tuple(pending),
        refusal_reason="" if matches else refusal,
    )


def _as_whole_sentence(question: ParsedQuestion) -> ParsedQuestion:
    """The question without entities of its own: a sentence covers all of its words."""
    utterance = question.utterance
    understood = frozenset(range(len(utterance.tokens)))
    utterance = replace(utterance, entities=(), understood=understood)
    return replace(question, utterance=utterance, variants=(Variant(()),))


def _match_own_intents(
    indexed: IndexedModel, sentences: SentenceIntents, contexts: Sequence[MatchContext]
) -> tuple[Match, ...]:
    """Match the intents that the model declares beside those of its sentences."""
    if len(sentences.combinations) == len(indexed.model.intents):
        return ()
    matches = match_intents(indexed.model.intents, indexed.index, contexts)
    return tuple(one for one in matches if one.intent.id not in sentences.combinations)


def match_or_find_near_miss(
    indexed: IndexedModel, question: ParsedQuestion, conversation: Conversation
) -> Decision:
    """Match the intents of a model; if none matches, find the one that nearly does."""
    decision = match_question(indexed, question, conversation)
    return decision if decision.matches else find_incomplete(indexed, decision)


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


def without_entities(question: ParsedQuestion) -> ParsedQuestion:
    """Return the question as if it had no entities."""
    return replace(question, variants=(Variant(()),), offered=())
