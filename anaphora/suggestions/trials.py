"""Try whether an intent would match if some words were a known synonym."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants.search import find_variants
from anaphora.errors import EvaluationError
from anaphora.grammar.context import QuestionContext
from anaphora.intents.index import IntentIndex, entity_keys
from anaphora.intents.match import SlotFilling
from anaphora.intents.solver import (
    MatchContext,
    ParsedQuestion,
    build_match_contexts,
    fill_intents,
    match_intents,
)
from anaphora.models.domain import Model
from anaphora.stm.conversation import Conversation
from anaphora.suggestions.candidates import Occurrence, find_unknown_words

__all__ = ["SynonymTrials", "TrialOutcome"]

_MAX_INTENTS = 20  # evaluated for a question without a match
_IN_CONVERSATION = 0.25  # the credit if memory would have to fill the other terms


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """The result of a changed question: it ``matches`` by itself, or it ``follows``, which means
    that an earlier conversation could supply everything it lacks. ``unknown_words`` counts its
    remaining unknown words."""

    matches: bool = False
    follows: bool = False
    unknown_words: int = 0

    @property
    def credit(self) -> float:
        """Its value as evidence, shared with the remaining unknown words, each of which might have
        been the one to replace."""
        worth = 1.0 if self.matches else _IN_CONVERSATION if self.follows else 0.0
        return worth / (1 + self.unknown_words)


_NO_EFFECT = TrialOutcome()


class SynonymTrials:
    """Replaces words by synonyms and runs the solver, at most ``budget`` times.

    The dialog before a question is unknown, so intents are evaluated without their flow.
    """

    def __init__(self, model: Model, pipeline: Pipeline, *, budget: int) -> None:
        self._intents = tuple(replace(intent, flow=None) for intent in model.intents)
        self._index = IntentIndex(self._intents)
        self._pipeline = pipeline
        self._model = model
        self._empty_conversation = Conversation("", model.id)
        self._budget = budget
        self._outcomes: dict[tuple[str, str, str, str, str], TrialOutcome] = {}

    @property
    def is_exhausted(self) -> bool:
        """Whether the budget is spent."""
        return self._budget <= 0

    def understands(self, utterance: Utterance) -> bool:
        """Whether the model understands an utterance: as a reset, by an intent that matches, or,
        if it has no unknown word, as a part of a conversation."""
        if utterance.resets:
            return True
        contexts = self._match_contexts(utterance)
        if self._find_matches(contexts):
            return True
        return (
            not find_unknown_words(utterance)
            and bool(utterance.entities)
            and self._follows(contexts)
        )

    def try_synonym(
        self, occurrence: Occurrence, element: str, synonym: str
    ) -> TrialOutcome | None:
        """Replace an occurrence by ``synonym``, a synonym of ``element``; None if the budget is
        spent. A question that is understood already gets no credit."""
        if occurrence.question.understood:
            return _NO_EFFECT
        utterance = occurrence.question.utterance
        start, end = occurrence.span
        before, after = utterance.text[:start], utterance.text[end:]
        key = (utterance.language, before, after, element, synonym)
        if key not in self._outcomes:
            if self.is_exhausted:
                return None
            self._budget -= 1
            self._outcomes[key] = self._run_trial(*key)
        return self._outcomes[key]

    def _run_trial(
        self, language: str, before: str, after: str, element: str, synonym: str
    ) -> TrialOutcome:
        changed = self._pipeline(f"{before}{synonym}{after}", language)
        start, end = len(before), len(before) + len(synonym)
        inserted = [
            entity
            for entity in changed.entities
            if entity.start < end and start < entity.end and element in _iter_elements(entity)
        ]
        if not inserted or changed.resets:
            return _NO_EFFECT
        contexts = self._match_contexts(changed)
        unknown = len(find_unknown_words(changed))
        if any(_uses_any(filling, inserted) for filling in self._find_matches(contexts)):
            return TrialOutcome(matches=True, unknown_words=unknown)
        return TrialOutcome(follows=self._follows(contexts, inserted), unknown_words=unknown)

    def _match_contexts(self, utterance: Utterance) -> tuple[MatchContext, ...]:
        question_context = QuestionContext(text=utterance.text, model=self._model.info)
        question = ParsedQuestion(utterance, find_variants(utterance), question_context)
        return build_match_contexts(question, self._empty_conversation)

    def _find_matches(self, contexts: Iterable[MatchContext]) -> list[SlotFilling]:
        try:
            return [match.filling for match in match_intents(self._intents, self._index, contexts)]
        except EvaluationError:  # then the model does not understand the question
            return []

    def _follows(
        self, contexts: Iterable[MatchContext], inserted: list[Entity] | None = None
    ) -> bool:
        """Whether memory could fill all missing terms of an intent that uses an inserted
        entity."""
        try:
            return any(
                all(term.conversational for term in filling.missing)
                for context in contexts
                for filling in fill_intents(self._intents, self._find_related(context), context)
                if filling.taken and not filling.blocking_reason
                if inserted is None or _uses_any(filling, inserted)
            )
        except EvaluationError:
            return False

    def _find_related(self, context: MatchContext) -> list[int]:
        """Return the indexes of intents with a term that the sentence may fill."""
        keys = {key for one in context.sentence_candidates for key in entity_keys(one.entity)}
        indexes = (
            index for _, filed in self._index.intents_by_required_terms(keys) for index in filed
        )
        distinct = (index for index, _ in groupby(indexes))  # the index may repeat one
        return list(islice(distinct, _MAX_INTENTS))


def _uses_any(filling: SlotFilling, entities: list[Entity]) -> bool:
    return any(taken.entity in entities for taken in filling.taken)


def _iter_elements(entity: Entity) -> Iterator[str]:
    yield entity.element
    for part in entity.parts:
        yield from _iter_elements(part)
