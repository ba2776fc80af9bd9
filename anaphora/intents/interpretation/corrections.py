"""Corrections of what was said, and what is added or taken away (rules 16 and 21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.cues.cue import Cue
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision import (
    Decision,
    IndexedModel,
    ask_again,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import entity_keys
from anaphora.intents.interpretation.quantities import (
    add_up,
    count_anew,
    is_recount,
    take_off,
)
from anaphora.intents.interpretation.repetition import (
    ask_for_rest,
    entities_of_last_match,
    is_complete,
    is_other_question,
    keep_unreplaced,
)
from anaphora.intents.interpretation.rewriting import (
    add_entities,
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
        recounts = is_recount(
            question, entities_of_last_match(conversation), self._counted_by
        ) and not is_complete(self._indexed, question, conversation)
        if not (is_correction or takes_back or takes_away or recounts):
            return None
        is_change = takes_away or not (is_correction or said)
        kind: _Kind = "changed" if is_change else "corrected"
        return self._ask_last_again(question, cues, conversation, negated, kind)

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

    def is_about_last(self, conversation: Conversation) -> bool:
        """Whether a question in between was about another value of what waits: "that one" may mean
        that."""
        pending = conversation.pending
        if pending is None:
            return False
        return any(
            held.question_number == conversation.questions
            and any(
                held.entity.element == one.element and not is_same_meaning(held.entity, one)
                for one in pending.entities
            )
            for held in conversation.remembered
        )

    def follow_up(
        self, question: ParsedQuestion, cues: Sequence[Cue], conversation: Conversation
    ) -> Decision | None:
        """Ask the last question again with what a short sentence says, if it takes all of that:
        "and a shave?" goes on with "how much is a manicure?", whatever else takes a shave. None for
        another sentence, and if the bot waits for an answer that this may be."""
        said, pending = find_new(question), conversation.pending
        if not said or not conversation.flow or conversation.flow[-1].at != conversation.last:
            return None
        intent = self._indexed.intents_by_id.get(conversation.flow[-1].intent)
        if intent is None or any(cue.kind == "accept" for cue in cues):
            return None
        if pending is not None and (
            pending.intent == intent.id or not _opens_question(question, cues)
        ):
            return None
        if is_other_question(self._indexed, question, conversation, intent.id):
            return None
        decision = ask_again(self._indexed, intent, question, conversation)
        if not decision.matches:
            return None
        taken = [one.entity for one in decision.matches[0].filling.from_sentence]
        return decision if all(one in taken for one in said) else None

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
        joins = {"add", "negate"}
        held = sorted(held, key=lambda one: one[0])
        recounts = is_recount(question, [one for _, one in held], self._counted_by)
        is_negated = any(one.element in self._several for one in find_negated_entities(question))
        if recounts or is_negated:
            joins.add("instead")  # of one thing in the list
        if not new or any(cue.kind in {"only", "instead"} - joins for cue in cues):
            return question
        tokens = [i for cue in cues if cue.kind in joins for i in cue.tokens]
        if not tokens and recounts:
            tokens = list(new[0].tokens)
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

    def recount(
        self, question: ParsedQuestion, cues: Sequence[Cue], conversation: Conversation
    ) -> ParsedQuestion:
        """Give the counted things of a question the numbers that they have now: those of the
        question that waits, or of the last one."""
        if not self._counted_by:
            return question
        pending, flow = conversation.pending, conversation.flow
        if pending is not None:
            held, asked = list(pending.entities), pending.intent
        elif flow:
            held, asked = entities_of_last_match(conversation), flow[-1].intent
        else:
            return question
        intent = self._indexed.intents_by_id.get(asked)
        anew = count_anew(question, cues, held, self._counted_by, intent)
        return anew if anew is not question else add_up(question, cues, held, self._counted_by)

    def join_pending(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        pending: PendingQuestion,
    ) -> tuple[ParsedQuestion, Conversation, PendingQuestion]:
        """Add what new entities join to the question that waits, each thing once."""
        question = self.join_several(question, cues, [(0, one) for one in pending.entities])
        said = [one for one in find_new(question) if one.element in self._several]
        left = tuple(
            [one for one in pending.entities if not any(is_same_meaning(one, new) for new in said)]
        )
        if len(left) < len(pending.entities):
            pending = replace(pending, entities=left)
            conversation = replace(conversation, pending=pending)
        return question, conversation, pending

    def point_into_list(
        self, question: ParsedQuestion, cues: Sequence[Cue], held: Sequence[Entity]
    ) -> ParsedQuestion:
        """Read places in a list of what is ``held`` ("only the first one", "without the second"),
        if the sentence names nothing of it."""
        listed = [one for one in held if one.element in self._several]
        places = [cue for cue in cues if cue.kind == "ordinal" and abs(cue.number) <= len(listed)]
        is_change = any(cue.kind in ("negate", "only") for cue in cues)
        if not places or not is_change or question.variants[0].entities:
            return question
        pointed = []
        for cue in places:
            one = listed[cue.number - 1 if cue.number > 0 else cue.number]
            negations = [other for other in cues if other.kind == "negate"]
            is_negated = any(other.tokens[0] < cue.tokens[0] for other in negations)
            entity = stand_in(one, cue.tokens, question.utterance)
            pointed.append(replace(entity, negated=is_negated))
        return add_entities(question, pointed)

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
            rest = take_off(held.entity, negated)
            if rest is not None:
                kept.append(held if rest is held.entity else replace(held, entity=rest))
                continue
            by = next(one for one in negated if is_same_meaning(held.entity, one))
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


def _opens_question(question: ParsedQuestion, cues: Sequence[Cue]) -> bool:
    """Whether the sentence asks something by its form: "and a shave?"."""
    is_asked = question.utterance.text.rstrip().endswith(("?", "？", "؟"))
    return is_asked or any(cue.kind == "add" and cue.value == "maybe" for cue in cues)


def take_back(
    conversation: Conversation, pending: PendingQuestion, question: ParsedQuestion
) -> tuple[Conversation, PendingQuestion]:
    """Forget what the sentence negates, while a question waits."""
    negated = find_negated_entities(question)
    if not negated:
        return conversation, pending

    left = _without(pending.entities, negated)
    if left != pending.entities:
        pending = replace(pending, entities=left)
    remembered = []
    for held in conversation.remembered:
        rest = take_off(held.entity, negated)
        if rest is not None:
            remembered.append(held if rest is held.entity else replace(held, entity=rest))
    return replace(conversation, remembered=tuple(remembered), pending=pending), pending


def _without(entities: Iterable[Entity], negated: Sequence[Entity]) -> tuple[Entity, ...]:
    rest = [take_off(one, negated) for one in entities]
    return tuple([one for one in rest if one is not None])
