"""Corrections of what was said, and what is added or taken away (rules 16 and 21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.entities.matching.quantity_linker import count_of
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision import (
    Decision,
    IndexedModel,
    ask_again,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import entity_keys
from anaphora.intents.interpretation.repetition import (
    ask_for_rest,
    entities_of_last_match,
    is_complete,
    is_other_question,
    keep_unreplaced,
)
from anaphora.intents.interpretation.rewriting import (
    add_entities,
    change_entities,
    find_negated_entities,
    find_new,
    stand_in,
)
from anaphora.intents.solver import ParsedQuestion
from anaphora.stm.conversation import (
    Conversation,
    ForgetRule,
    ForgottenEntity,
    PendingQuestion,
)
from anaphora.stm.offers import is_same_meaning
from anaphora.stm.rules import find_replacement

__all__ = ["Corrections", "take_back"]

_Kind: TypeAlias = Literal["corrected", "changed"]


class Corrections:
    """Asks the last question, or the one that waits, again with other values."""

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        elements = indexed.model.elements
        self._several = frozenset(one.id for one in elements if one.several)
        self._counted_by = {one.id: one.counts for one in elements if one.counts}

    def correct(
        self, question: ParsedQuestion, cues: Sequence[Cue], conversation: Conversation
    ) -> Decision | None:
        """Ask the last question again with the values that correct it (rule 16). None if the
        sentence corrects nothing."""
        kinds = {cue.kind for cue in cues}
        negated = find_negated_entities(question)
        said = find_new(question)
        takes_back = any(
            is_same_meaning(held.entity, one) for held in conversation.remembered for one in negated
        )
        is_correction = bool(kinds & {"correct", "instead"} or ("decline" in kinds and said))
        takes_away = any(one.element in self._several for one in negated)
        if not (is_correction or takes_back or takes_away):
            return None
        is_change = takes_away or not (is_correction or said)
        kind: _Kind = "changed" if is_change else "corrected"
        return self._ask_last_again(question, cues, conversation, negated, kind)

    def count_again(
        self, question: ParsedQuestion, cues: Iterable[Cue], conversation: Conversation
    ) -> ParsedQuestion:
        """Read a number alone ("no, three") as another quantity of the only counted thing that the
        last question took, or the one that waits."""
        said = find_new(question)
        if not self._counted_by or len(said) != 1:
            return question
        (number,) = said
        count = count_of(number)
        corrects = any(cue.kind in ("correct", "decline", "instead") for cue in cues)
        if count is None or not corrects:
            return question
        pending = conversation.pending
        held = entities_of_last_match(conversation) if pending is None else pending.entities
        things = [one for one in held if self._counted_by.get(one.element) == number.element]
        if len(things) != 1 or self._find_corrected(conversation, said):
            return question
        thing = replace(stand_in(things[0], number.tokens, question.utterance), quantity=count)
        return change_entities(question, lambda own: [thing if e is number else e for e in own])

    def change(
        self, question: ParsedQuestion, cues: Sequence[Cue], conversation: Conversation
    ) -> Decision | None:
        """Ask the last question again with something added to what it took several of (rule 21)."""
        if not self._several:
            return None
        if not any(cue.kind == "add" for cue in cues):
            return None
        if not any(one.element in self._several for one in find_new(question)):
            return None
        explicit = any(cue.kind == "add" and cue.value != "maybe" for cue in cues)
        if not explicit and is_complete(self._indexed, question, conversation):
            return None
        return self._ask_last_again(question, cues, conversation, (), "changed")

    def ask_for_taken_back(
        self, question: ParsedQuestion, conversation: Conversation, pending: PendingQuestion
    ) -> Decision | None:
        """Ask for what the user takes back of a question that waits; None if it is not asked
        for."""
        intent = self._indexed.intents_by_id.get(pending.intent)
        if intent is None:
            return None
        bare = replace(question, offered=())
        decision: Decision | None = ask_again(
            self._indexed, intent, bare, conversation, pending.entities
        )
        if decision is None or not decision.matches:
            decision = ask_for_rest(self._indexed, intent, bare, conversation, pending.entities)
        return decision and replace(decision, act=DialogAct("changed"))

    def join_several(
        self, question: ParsedQuestion, cues: Sequence[Cue], held: Iterable[tuple[int, Entity]]
    ) -> ParsedQuestion:
        """Add the earlier entities that new ones join rather than replace; ``held`` are those with
        the numbers of their questions. Another number of the same joins the rest as well."""
        new = [one for one in find_new(question) if one.element in self._several]
        if not new or any(cue.kind in ("only", "instead") for cue in cues):
            return question
        held = sorted(held, key=lambda one: one[0])
        tokens = [i for cue in cues if cue.kind in ("add", "negate") for i in cue.tokens]
        if not tokens and all(
            one.quantity is not None and any(is_same_meaning(one, other) for _, other in held)
            for one in new
        ):
            tokens = [i for cue in cues if cue.kind in ("correct", "decline") for i in cue.tokens]
        if not tokens:
            return question
        joined = [
            stand_in(entity, tokens, question.utterance)
            for _, entity in held
            if entity.element in self._several
            and find_replacement(entity.groups, new) is not None
            and not any(is_same_meaning(entity, other) for other in new)
        ]
        return add_entities(question, joined)

    def _ask_last_again(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        negated: Sequence[Entity],
        kind: _Kind,
    ) -> Decision | None:
        if conversation.pending is not None or not conversation.flow:
            return None
        said = find_new(question)
        intent = self._find_corrected(conversation, said or negated)
        if intent is None or (
            said and is_other_question(self._indexed, question, conversation, intent.id)
        ):
            return None
        is_last = intent.id == conversation.flow[-1].intent
        kept, taken_back = [], []
        for held in conversation.remembered:
            by = next((one for one in negated if is_same_meaning(held.entity, one)), None)
            if by is None:
                kept.append(held)
            else:
                taken_back.append(ForgottenEntity(held, ForgetRule.EVICTED, by))
        after = replace(conversation, remembered=tuple(kept))
        held_now = [(held.question_number, held.entity) for held in after.remembered]
        question = self.join_several(question, cues, held_now)
        taken = entities_of_last_match(after) if is_last else [one.entity for one in kept]
        frame = keep_unreplaced(taken, find_new(question))
        asked = ask_again(self._indexed, intent, question, after, frame)
        decision: Decision | None = asked
        if not asked.matches:
            decision = (
                ask_for_rest(self._indexed, intent, question, after, frame) if taken_back else None
            )
        elif not (asked.matches[0].filling.from_sentence or negated):
            return None
        if decision is None:
            return None
        act = DialogAct(kind)
        return replace(decision, act=act, forgotten=(*taken_back, *decision.forgotten))

    def _find_corrected(
        self, conversation: Conversation, entities: Iterable[Entity]
    ) -> Intent | None:
        """The intent that waits, or that answered last, of those which can take one of the
        entities."""
        keys = {key for entity in entities for key in entity_keys(entity)}
        ids = [step.intent for step in reversed(conversation.flow)]
        if conversation.pending is not None:
            ids.insert(0, conversation.pending.intent)
        for id in dict.fromkeys(ids):
            intent = self._indexed.intents_by_id.get(id)
            if intent is not None and any(
                term.predicate.requires is None or not keys.isdisjoint(term.predicate.requires)
                for term in intent.terms
            ):
                return intent
        return None


def take_back(
    conversation: Conversation, pending: PendingQuestion, question: ParsedQuestion
) -> tuple[Conversation, PendingQuestion]:
    """Forget what the sentence negates, while a question waits."""
    negated = find_negated_entities(question)
    if not negated:
        return conversation, pending

    def stays(entity: Entity) -> bool:
        return not any(is_same_meaning(entity, one) for one in negated)

    left = tuple(filter(stays, pending.entities))
    if len(left) < len(pending.entities):
        pending = replace(pending, entities=left)
    remembered = tuple([held for held in conversation.remembered if stays(held.entity)])
    return replace(conversation, remembered=remembered, pending=pending), pending
