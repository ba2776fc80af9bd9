"""Would an intent match if these words were a synonym that the model knows?"""

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
    solve,
)
from anaphora.models.domain import Model
from anaphora.stm.conversation import Conversation
from anaphora.suggestions.candidates import Occurrence, find_unknown_words

__all__ = ["SynonymTrials", "TrialOutcome"]

_MAX_INTENTS = 20  # of which a question without a match is held against
_IN_CONVERSATION = 0.25  # what it is worth if memory would have to fill the rest


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What a changed question comes to: ``matches`` by itself, or ``follows``: it lacks only
    what a conversation before it could have given. ``left`` counts its unknown words."""

    matches: bool = False
    follows: bool = False
    unknown_words: int = 0

    @property
    def credit(self) -> float:
        """What it is worth as evidence. Words that are still unknown share it: each of them
        might have been the one to replace."""
        worth = 1.0 if self.matches else _IN_CONVERSATION if self.follows else 0.0
        return worth / (1 + self.unknown_words)


_NO_EFFECT = TrialOutcome()


class SynonymTrials:
    """Puts synonyms in the place of words and asks the solver; at most ``budget`` times.

    What came before a question is not known, so that intents are taken without their flow.
    """

    def __init__(self, model: Model, pipeline: Pipeline, *, budget: int) -> None:
        self._intents = tuple(replace(intent, flow=None) for intent in model.intents)
        self._index = IntentIndex(self._intents)
        self._pipeline = pipeline
        self._model = model
        self._nobody = Conversation("", model.id)
        self._budget = budget
        self._outcomes: dict[tuple[str, str, str, str, str], TrialOutcome] = {}

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing new can be tried any more."""
        return self._budget <= 0

    def understands(self, utterance: Utterance) -> bool:
        """Whether the model understands it: as a reset, by an intent that matches or, if no
        unknown word is in it, as a part of a conversation."""
        if utterance.resets:
            return True
        where = self._scenes(utterance)
        if self._matching(where):
            return True
        return (
            not find_unknown_words(utterance) and bool(utterance.entities) and self._follows(where)
        )

    def try_synonym(self, place: Occurrence, element: str, synonym: str) -> TrialOutcome | None:
        """What the question comes to with ``synonym``, which stands for ``element``, at that
        place; None when the budget is spent. What is understood already can't gain."""
        if place.question.understood:
            return _NO_EFFECT
        utterance = place.question.utterance
        start, end = place.span
        before, behind = utterance.text[:start], utterance.text[end:]
        key = (utterance.language, before, behind, element, synonym)
        if key not in self._outcomes:
            if self.is_exhausted:
                return None
            self._budget -= 1
            self._outcomes[key] = self._run_trial(*key)
        return self._outcomes[key]

    def _run_trial(
        self, language: str, before: str, behind: str, element: str, synonym: str
    ) -> TrialOutcome:
        changed = self._pipeline(f"{before}{synonym}{behind}", language)
        start, end = len(before), len(before) + len(synonym)
        put_in = [
            entity
            for entity in changed.entities
            if entity.start < end and start < entity.end and element in _iter_elements(entity)
        ]
        if not put_in or changed.resets:
            return _NO_EFFECT
        where = self._scenes(changed)
        left = len(find_unknown_words(changed))
        if any(_uses_any(filling, put_in) for filling in self._matching(where)):
            return TrialOutcome(matches=True, unknown_words=left)
        return TrialOutcome(follows=self._follows(where, put_in), unknown_words=left)

    def _scenes(self, utterance: Utterance) -> tuple[MatchContext, ...]:
        model = self._model
        surroundings = QuestionContext(text=utterance.text, model=model.info)
        question = ParsedQuestion(utterance, find_variants(utterance), surroundings)
        return build_match_contexts(question, self._nobody)

    def _matching(self, where: Iterable[MatchContext]) -> list[SlotFilling]:
        try:
            return [match.filling for match in solve(self._intents, self._index, where)]
        except EvaluationError:  # a question that the model fails on is none that it understands
            return []

    def _follows(self, where: Iterable[MatchContext], put_in: list[Entity] | None = None) -> bool:
        """Whether an intent lacks nothing but what memory may hold."""
        try:
            return any(
                all(term.conversational for term in filling.missing)
                for scene in where
                for filling in fill_intents(self._intents, self._touched(scene), scene)
                if filling.taken and not filling.blocking_reason
                if put_in is None or _uses_any(filling, put_in)
            )
        except EvaluationError:
            return False

    def _touched(self, scene: MatchContext) -> list[int]:
        keys = {key for candidate in scene.sentence for key in entity_keys(candidate.entity)}
        orders = (
            order for _, filed in self._index.orders_by_required_terms(keys) for order in filed
        )
        distinct = (order for order, _ in groupby(orders))  # the index says it several times
        return list(islice(distinct, _MAX_INTENTS))


def _uses_any(filling: SlotFilling, entities: list[Entity]) -> bool:
    return any(taken.entity in entities for taken in filling.taken)


def _iter_elements(entity: Entity) -> Iterator[str]:
    yield entity.element
    for part in entity.parts:
        yield from _iter_elements(part)
