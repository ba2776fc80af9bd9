"""Corrections of what was said, and what is added or taken away (rules 16 and 21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity
from anaphora.entities.cues.negation import stands_behind
from anaphora.grammar.idl.intent import Intent, Term
from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.matching import IndexedModel, ask_again
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import may_take
from anaphora.intents.interpretation.dialog_turn import DialogTurn, stand_in
from anaphora.intents.interpretation.quantities import (
    add_up,
    count_anew,
    is_recount,
    take_off,
)
from anaphora.intents.interpretation.refusals import find_negated_places
from anaphora.intents.interpretation.repetition import (
    ask_for_rest,
    entities_of_last_match,
    is_complete_alone,
    is_other_question,
    keep_unreplaced,
)
from anaphora.stm.conversation import (
    Conversation,
    FlowStep,
    ForgetRule,
    ForgottenEntity,
    Offers,
    RememberedEntity,
)
from anaphora.stm.offers import is_same_meaning, takes_back
from anaphora.stm.rules import find_replacement

__all__ = ["Corrections", "read_corrected_values"]

_Kind: TypeAlias = Literal["corrected", "changed"]


class Corrections:
    """Asks the last question, or the one that waits, again with other values."""

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        elements = indexed.model.elements
        self._several = frozenset(one.id for one in elements if one.several)
        self._counted_by = {one.id: one.counts for one in elements if one.counts}

    def correct(self, turn: DialogTurn) -> Decision | None:
        """Ask the last question again with the values that correct it (rule 16). None if the
        sentence corrects nothing."""
        if turn.has("correct", "instead", "decline"):
            last = entities_of_last_match(turn.conversation)
            turn = turn.read_bare_values(
                lambda one: any(find_replacement(held.groups, [one]) for held in last)
            )
        said, negated = turn.said, turn.negated
        denies = any(
            takes_back(one, held.entity) for held in turn.conversation.remembered for one in negated
        )
        is_correction = turn.has("correct", "instead") or bool(turn.has("decline") and said)
        is_correction = is_correction or (bool(said) and _rejects_last(turn))
        takes_away = any(one.element in self._several for one in negated)
        recounts = is_recount(
            turn, entities_of_last_match(turn.conversation), self._counted_by
        ) and not is_complete_alone(self._indexed, turn)
        if not (is_correction or denies or takes_away or recounts):
            return None
        is_change = takes_away or not (is_correction or said)
        decision = self._ask_last_again(turn, "changed" if is_change else "corrected")
        return None if decision and self._is_said_of_another(turn, decision) else decision

    def _is_said_of_another(self, turn: DialogTurn, corrected: Decision) -> bool:
        """Whether all of "make it 2 degrees warmer" is said to another intent, and not all of it
        to the corrected one."""
        if not turn.said or turn.negated or _takes(corrected, turn.said):
            return False
        return _takes(decide(self._indexed, turn.question, turn.conversation, turn.at), turn.said)

    def correct_side_question(self, turn: DialogTurn) -> Decision | None:
        """Correct the question about the offers that was just answered, or the one before a list
        that takes nothing of what is said ("no, 2 hours" to a list of alarms); None if it was none,
        or the sentence may be about the offers themselves."""
        flow, offers = turn.conversation.flow, turn.offers
        is_last = bool(flow) and flow[-1].at == turn.conversation.last
        if offers is None or not is_last:
            return None
        if flow[-1].intent == offers.intent and self._concerns(offers, turn.said):
            return None
        return self.correct(turn) if turn.said and turn.has("correct", "decline") else None

    def _concerns(self, offers: Offers, said: Sequence[Entity]) -> bool:
        """Whether something said is what is offered, or what the intent that offers it takes."""
        intent = self._indexed.intents_by_id.get(offers.intent)
        terms = intent.terms if intent is not None else ()
        offered = {one.element for bundle in offers.bundles for one in bundle}
        return any(
            one.element in offered or any(may_take(term, one) for term in terms) for one in said
        )

    def change(self, turn: DialogTurn) -> Decision | None:
        """Ask the last question again with something added to what it took several of (rule 21)."""
        if not turn.has("add") or not any(one.element in self._several for one in turn.said):
            return None
        explicit = any(cue.kind == "add" and cue.value != "maybe" for cue in turn.cues)
        if not explicit and is_complete_alone(self._indexed, turn):
            return None
        return self._ask_last_again(turn, "changed")

    def follow_up(self, turn: DialogTurn, pointed: Sequence[Entity] = ()) -> Decision | None:
        """Ask the last question again with what a short sentence says, if it takes all of that, or
        what it has ``pointed`` at: "and a shave?" goes on with "how much is a manicure?", whatever
        else takes a shave. None for another sentence, and if the bot waits for an answer that this
        may be."""
        pending, flow = turn.pending, turn.conversation.flow
        if not flow or flow[-1].at != turn.conversation.last:
            return None
        if pending is None:  # "at most 700" of the budget
            last = entities_of_last_match(turn.conversation)
            turn = turn.read_bare_values(
                lambda one: any(find_replacement(held.groups, [one]) for held in last)
            )
        said = turn.said
        if not (said or pointed):
            return None
        intent = self._indexed.intents_by_id.get(flow[-1].intent)
        if intent is None or turn.has("accept"):
            return None
        if pending is not None and (pending.intent == intent.id or not _opens_question(turn)):
            return None
        if is_other_question(self._indexed, turn, intent.id):
            return None
        question = turn.add(pointed).question
        decision = ask_again(self._indexed, intent, question, turn.conversation)
        if not decision.matches:
            return None
        taken = [one.entity for one in decision.matches[0].filling.from_sentence]
        is_about = bool(said) or any(one in taken for one in pointed)
        return decision if is_about and _takes(decision, said) else None

    def follow_up_about(
        self, turn: DialogTurn, offers: Offers, pointed: Sequence[Entity]
    ) -> Decision | None:
        """Ask the question about one of the ``offers`` that was just answered again, about another
        one: "and the first one?". None for another sentence."""
        flow = turn.conversation.flow
        if not flow or flow[-1].intent == offers.intent or not _opens_question(turn):
            return None
        return self.follow_up(turn, pointed)

    def take_back(self, turn: DialogTurn) -> tuple[DialogTurn, Decision | None]:
        """Forget what the sentence negates, while a question waits. The decision asks for what is
        lacking then, if the sentence says nothing else."""
        negated, pending = turn.negated, turn.pending
        if pending is None or not negated:
            return turn, None
        left = [take_off(one, negated) for one in pending.entities]
        after = replace(pending, entities=tuple([one for one in left if one is not None]))
        kept, forgotten = _take_off_remembered(turn.conversation.remembered, negated)
        conversation = replace(turn.conversation, remembered=kept, pending=after)
        turn = replace(turn, conversation=conversation, forgotten=forgotten)
        if after == pending or turn.said:
            return turn, None
        return turn, self._ask_for_taken_back(turn)

    def _ask_for_taken_back(self, turn: DialogTurn) -> Decision | None:
        """Ask for what the user has taken back of the question that waits; None if it is not asked
        for."""
        assert turn.pending is not None
        intent = self._indexed.intents_by_id.get(turn.pending.intent)
        if intent is None:
            return None
        bare = replace(turn, question=replace(turn.question, offered=()))
        asked = ask_again(self._indexed, intent, bare.question, bare.conversation, bare.waiting)
        rest = None if asked.matches else ask_for_rest(self._indexed, intent, bare, bare.waiting)
        decision = asked if asked.matches else rest
        return decision and replace(decision, act=DialogAct("changed"))

    def recount(self, turn: DialogTurn) -> DialogTurn:
        """Give the counted things of a question the numbers that they have now: those of the
        question that waits, or of the last one."""
        pending, flow = turn.pending, turn.conversation.flow
        if not self._counted_by or not (pending or flow):
            return turn
        held = turn.waiting if pending else entities_of_last_match(turn.conversation)
        asked = pending.intent if pending else flow[-1].intent
        intent = self._indexed.intents_by_id.get(asked)
        anew = count_anew(turn, held, self._counted_by, intent)
        return anew if anew is not turn else add_up(turn, held, self._counted_by)

    def join_waiting(self, turn: DialogTurn) -> DialogTurn:
        """Add what new entities join to the question that waits, each thing once."""
        pending = turn.pending
        if pending is None:
            return turn
        turn = self._join_several(turn, [(0, one) for one in pending.entities])
        said = [one for one in turn.said if one.element in self._several]
        left = [
            one for one in pending.entities if not any(is_same_meaning(one, new) for new in said)
        ]
        after = replace(pending, entities=tuple(left))
        return replace(turn, conversation=replace(turn.conversation, pending=after))

    def point_into_list(self, turn: DialogTurn) -> DialogTurn:
        """Read places in a list of the question that waits ("only the first one", "without the
        second"), if the sentence names nothing of it."""
        listed = [one for one in turn.waiting if one.element in self._several]
        places = [
            cue for cue in turn.cues if cue.kind == "ordinal" and abs(cue.number) <= len(listed)
        ]
        if (
            not places
            or turn.offers is not None
            or not turn.has("negate", "only")
            or turn.question.variants[0].entities
        ):
            return turn
        negated = find_negated_places(turn)
        pointed = []
        for cue in places:
            one = listed[cue.number - 1 if cue.number > 0 else cue.number]
            entity = stand_in(one, cue.tokens, turn.question.utterance)
            pointed.append(replace(entity, negated=cue in negated))
        return turn.add(pointed)

    def _join_several(self, turn: DialogTurn, held: Iterable[tuple[int, Entity]]) -> DialogTurn:
        """Add the earlier entities that new ones join rather than replace; ``held`` are those with
        the numbers of their questions. Another number of the same joins the rest as well."""
        new = [one for one in turn.said if one.element in self._several]
        joins = {"add", "negate"}
        held = sorted(held, key=lambda one: one[0])
        recounts = is_recount(turn, [one for _, one in held], self._counted_by)
        if recounts or any(one.element in self._several for one in turn.negated):
            joins.add("instead")  # of one thing in the list
        if not new or turn.has(*({"only", "instead"} - joins)):
            return turn
        tokens = [i for cue in turn.cues if cue.kind in joins for i in cue.tokens]
        if not tokens and recounts:
            tokens = list(new[0].tokens)
        if not tokens:
            return turn
        joined = [
            stand_in(entity, tokens, turn.question.utterance)
            for _, entity in held
            if entity.element in self._several
            and find_replacement(entity.groups, new) is not None
            and not any(is_same_meaning(entity, other) for other in new)
        ]
        return turn.add(joined)

    def _ask_last_again(self, turn: DialogTurn, kind: _Kind) -> Decision | None:
        before = turn.conversation
        if before.pending is not None or not before.flow or _has_dropped(before):
            return None
        said, negated = turn.said, turn.negated
        intent = self._find_corrected(before.flow, said or negated)
        if intent is None or (said and is_other_question(self._indexed, turn, intent.id)):
            return None
        kept, taken_back = _take_off_remembered(before.remembered, negated)
        after = replace(before, remembered=kept)
        turn = replace(turn, conversation=after)
        turn = self._join_several(turn, [(held.question_number, held.entity) for held in kept])
        is_last = intent.id == before.flow[-1].intent
        taken = entities_of_last_match(after) if is_last else [held.entity for held in kept]
        frame = keep_unreplaced(taken, turn.said)
        if kind == "corrected":
            frame = _drop_from_same_terms(intent, frame, taken, turn.said)
        asked = ask_again(self._indexed, intent, turn.question, after, frame)
        decision: Decision | None = asked
        if not asked.matches:
            decision = ask_for_rest(self._indexed, intent, turn, frame) if taken_back else None
        elif not (asked.matches[0].filling.from_sentence or negated):
            return None
        if decision is None:
            return None
        forgotten = (*taken_back, *decision.forgotten)
        return replace(decision, act=DialogAct(kind), forgotten=forgotten)

    def _find_corrected(
        self, flow: Sequence[FlowStep], entities: Sequence[Entity]
    ) -> Intent | None:
        """The intent that answered last, of those which can take one of the entities."""
        for id in dict.fromkeys([step.intent for step in reversed(flow)]):
            intent = self._indexed.intents_by_id.get(id)
            if intent is not None and any(
                may_take(term, entity) for term in intent.terms for entity in entities
            ):
                return intent
        return None


def _rejects_last(turn: DialogTurn) -> bool:
    """Whether a sentence rejects what was said last, and nothing of its own: "that's too late"."""
    utterance = turn.question.utterance
    return any(
        cue.kind == "negate"
        and cue.tokens
        and stands_behind(cue, utterance)
        and not any(one.tokens and one.tokens[0] < cue.tokens[0] for one in utterance.entities)
        for cue in turn.cues
    )


def read_corrected_values(turn: DialogTurn, asked: Term | None) -> DialogTurn:
    """Read a bare value that corrects what the question that waits has already, unless it is what
    the bot asks for: "no, 150" after "send 100 euros" and "To whom?". To a question that waits for
    a yes it does so without a word for it: "150"."""
    if turn.pending is None:
        return turn
    is_bare = turn.pending.confirms and not any(one.is_from_phrase for one in turn.said)
    if not (is_bare or turn.has("correct", "instead", "decline")):
        return turn
    if asked is not None and any(may_take(asked, one) for one in turn.said):
        return turn
    return turn.read_bare_values(
        lambda one: (
            (asked is None or not may_take(asked, one))
            and not _is_counted(turn, one)
            and any(find_replacement(held.groups, [one]) for held in turn.waiting)
        )
    )


def _is_counted(turn: DialogTurn, bare: Entity) -> bool:
    """Whether a bare value is rather the number of something, behind a word for that: "for two"
    is no time."""
    tokens, before = turn.question.utterance.tokens, bare.tokens[0] - 1
    if before < 0 or not tokens[before].text.isalpha():
        return False
    if any(before in cue.tokens for cue in turn.cues):
        return False
    return any(
        one.tokens == bare.tokens and isinstance(one.meta.get("value"), int | float)
        for one in turn.said
    )


def _takes(decision: Decision, said: Sequence[Entity]) -> bool:
    """Whether an intent takes all that is said."""
    if not decision.matches:
        return False
    taken = [one.entity for one in decision.matches[0].filling.from_sentence]
    return all(one in taken for one in said)


def _drop_from_same_terms(
    intent: Intent, frame: Sequence[Entity], taken: Sequence[Entity], said: Iterable[Entity]
) -> list[Entity]:
    """The ``frame`` without what a new value corrects though it is of another kind: what fits the
    same term, if nothing that was ``taken`` has its groups ("tomorrow at 7" – "no, two hours")."""
    new = [one for one in said if all(find_replacement(old.groups, [one]) is None for old in taken)]
    terms = [term for term in intent.terms if any(may_take(term, one) for one in new)]
    return [one for one in frame if not any(may_take(term, one) for term in terms)]


def _has_dropped(conversation: Conversation) -> bool:
    """Whether a question was dropped after the last answer: what it said is newer than that."""
    answered = conversation.flow[-1].at
    return any(one.by == "user" and one.stored_at > answered for one in conversation.remembered)


def _opens_question(turn: DialogTurn) -> bool:
    """Whether the sentence asks something by its form: "and a shave?"."""
    return turn.is_asking or any(cue.kind == "add" and cue.value == "maybe" for cue in turn.cues)


def _take_off_remembered(
    remembered: Iterable[RememberedEntity], negated: Sequence[Entity]
) -> tuple[tuple[RememberedEntity, ...], tuple[ForgottenEntity, ...]]:
    """What is left in the memory without the ``negated``, and what is gone."""
    kept, gone = [], []
    for held in remembered:
        rest = take_off(held.entity, negated)
        if rest is not None:
            kept.append(held if rest is held.entity else replace(held, entity=rest))
            continue
        by = next(one for one in negated if takes_back(one, held.entity))
        gone.append(ForgottenEntity(held, ForgetRule.EVICTED, by))
    return tuple(kept), tuple(gone)
