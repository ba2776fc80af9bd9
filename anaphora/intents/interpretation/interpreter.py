"""Interpret a question as a part of a dialog, and decide what follows from it.

:meth:`Interpreter.decide` takes the cues of an utterance and the state of the conversation::

    a question that begins afresh      sets aside what was filled before (rule 22)
    reference words                    are bound (rule 17)
    an answer to an offer              accepts, declines, or asks which (rules 13 and 14)
    a correction, something added      asks the last question again (rules 16 and 21)
    anything else                      :func:`anaphora.intents.decision.decide`
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.boolean import Confirmation
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_finder import find_cues
from anaphora.entities.cues.cue_words import CueWords, load_cue_words
from anaphora.entities.cues.negation import find_negated
from anaphora.errors import EvaluationError
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.decision import (
    Decision,
    IndexedModel,
    ask_again,
    decide,
    find_incomplete,
    match_question,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.index import entity_keys
from anaphora.intents.interpretation.references import bind_references
from anaphora.intents.interpretation.rewriting import (
    add_entities,
    change_entities,
    find_new,
    stand_in,
)
from anaphora.intents.interpretation.selection import Selection, is_same_value, select_bundles
from anaphora.intents.match import Match
from anaphora.intents.ranking_steps import is_close
from anaphora.intents.solver import ParsedQuestion, build_match_contexts, fill_intents
from anaphora.models.domain import ANY_LANGUAGE
from anaphora.stm.conversation import (
    Conversation,
    ForgetRule,
    ForgottenEntity,
    Offers,
    PendingQuestion,
)
from anaphora.stm.offers import clear_offers, is_same_meaning, remove_bundles, take_bundle
from anaphora.stm.rules import expire, find_replacement, set_aside

__all__ = ["Interpreter"]

_CONTRARY = frozenset({"decline", "other", "cancel", "correct", "negate", "instead"})
_Kind: TypeAlias = Literal["corrected", "changed"]

_CLOSING = frozenset({"thanks", "farewell"})
_NOT_AFRESH = frozenset({"correct", "decline", "only", "instead"})


class Interpreter:
    """Interprets the questions to a model with dialog acts by their cues."""

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        elements = indexed.model.elements
        self._several = frozenset(one.id for one in elements if one.several)
        self._fresh = frozenset(one.id for one in elements if one.fresh)
        self._bare_values = frozenset(  # numbers, dates and the like say little by themselves
            one.id for one in elements if one.recognition and one.recognition.kind == "built-in"
        )
        self._asks_afresh = frozenset(one.id for one in elements if one.fresh == "ask")
        referents: defaultdict[str, set[str]] = defaultdict(set)
        for element in elements:
            for kind in element.refers:
                referents[kind].add(element.id)
        self._referents: Mapping[str, Collection[str]] = dict(referents)
        self._remembers_negated = any(
            term.predicate.reads_negation
            for intent in indexed.model.intents
            for term in intent.terms
        )
        settings = indexed.model.dialog_acts
        self._added_words = settings.words if settings else {}
        self._cue_words: dict[str, CueWords] = {}  # by language

    def read_cues(self, utterance: Utterance) -> tuple[Cue, ...]:
        """Find the cues of an utterance."""
        words = self._cue_words.get(utterance.language)
        if words is None:
            words = self._cue_words[utterance.language] = self._load_words(utterance.language)
        return find_cues(utterance, words)

    def _load_words(self, language: str) -> CueWords:
        added: dict[str, list[str]] = {
            kind: [
                " ".join(str(step) for step in phrase)
                for code in (language, ANY_LANGUAGE)
                for phrase in phrases.get(code, ())
            ]
            for kind, phrases in self._added_words.items()
        }
        return load_cue_words(language, added)

    def decide(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        at: datetime,
    ) -> Decision:
        """Resolve ``question``, in which there are these ``cues``, asked at the time ``at``."""
        utterance = question.utterance
        if utterance.resets or utterance.error or not question.variants:
            return decide(self._indexed, question, conversation, at)
        if self._remembers_negated:
            question = replace(question, has_negated=True)
        said = find_new(question)
        if not said and (social := [cue.value for cue in cues if cue.kind == "social"]):
            question = replace(question, small_talk=social[-1])
        stands = conversation.offers or conversation.pending
        if not (cues or stands or self._begins_afresh(said)):
            return self._ask_if_close(decide(self._indexed, question, conversation, at), at)
        conversation, forgotten = expire(conversation, at, self._indexed.model.conversation)
        try:
            decision = self._interpret(question, cues, conversation, at)
        except EvaluationError as error:
            contexts = build_match_contexts(question, conversation)
            decision = Decision(question, conversation, contexts, refusal_reason=str(error))
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

    def _begins_afresh(self, said: Iterable[Entity]) -> bool:
        return bool(self._fresh) and any(one.element in self._fresh for one in said)

    def _interpret(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        at: datetime,
    ) -> Decision:
        pending = conversation.pending
        repeated = pending.entities if pending is not None and pending.confirms else ()
        cues, question = _settle_cues(
            cues or _read_bare_place(question, conversation),
            question,
            conversation.offers,
            repeated,
            is_pending=pending is not None,
        )
        question = _drop_corrected(_mark_negated(question, cues), cues)
        if repeated and _read_confirmation(question, cues):  # "book it": the whole question
            cues = tuple([cue for cue in cues if cue.kind != "reference"])
        kinds = {cue.kind for cue in cues}
        if pending is not None and pending.afresh:
            decision = self._answer_afresh(question, cues, conversation, pending, at)
            if decision is not None:
                return decision
        if (
            self._begins_afresh(find_new(question))
            and conversation.remembered
            and not kinds & _NOT_AFRESH
        ):
            decision = self._decide_afresh(question, cues, conversation, at)
            if decision is not None:
                return decision
        offers = conversation.offers
        if offers is not None and not offers.bundles:
            declined = _find_declined(question, cues, offers)
            if declined is not None:
                return self._decline(question, cues, conversation, offers, declined, at)
        if offers is not None and offers.taken is not None:
            decision = self._take_another(question, cues, conversation, offers, at)
            if decision is not None:
                return decision
            offers = None  # what is taken is remembered; the others are only named
        offered = offers.bundles[0] if offers and len(offers.bundles) == 1 else ()
        if pending is not None:
            before = pending
            conversation, pending = _take_back(conversation, pending, question)
            if pending is not before and not find_new(question):
                decision = self._ask_for_taken_back(question, conversation, pending)
                if decision is not None:
                    return decision
            held = [(0, one) for one in pending.entities]
            question = self._join_several(question, cues, held)
            offered = (*pending.entities, *offered)
        question = bind_references(
            question,
            cues,
            conversation,
            self._referents,
            offered,
            pending.entities if pending else (),
        )
        question = replace(question, confirmation=_read_confirmation(question, cues))
        decision = None
        if offers is not None and offers.bundles:
            if _pending_is_newer(conversation, offers):
                question = _say_selected(question, cues, offers)
            else:
                decision = self._answer_offers(question, cues, conversation, offers, at)
                if decision is not None:
                    return decision
                question = self._mean_offered(question, cues, conversation, offers)
        if pending is not None:  # what it says is newer than anything remembered
            question = replace(question, offered=(*pending.entities, *question.offered))
        decision = (
            self._correct(question, cues, conversation)
            or self._change(question, cues, conversation)
            or decide(self._indexed, question, conversation, at)
        )
        if decision.matches and decision.act is None:
            return self._ask_if_close(decision, at)
        if decision.matches or offers is None or len(offers.bundles) < 2:
            return decision
        return self._ask_which(question, conversation, offers, at) or decision

    def _take_another(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        at: datetime,
    ) -> Decision | None:
        """Resolve a sentence that takes another bundle than the one that is taken; None for
        others."""
        selection = select_bundles(offers, cues, find_new(question))
        if not selection.is_explicit or len(selection.bundles) != 1:
            return None
        if selection.bundles[0] == offers.taken or _asks_about(question, cues):
            return None
        if not _points_at_bundle(question, cues, selection, offers):
            return None  # "the blue hall": a correction of that value alone
        return self._accept(question, cues, conversation, offers, selection, at)

    def _decide_afresh(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        at: datetime,
    ) -> Decision | None:
        """Resolve a question that begins afresh: what was remembered is set aside. None if it means
        nothing without it."""
        if self._is_open_whether_afresh(question, conversation):
            decision = decide(self._indexed, question, conversation, at)
            if decision.matches:
                return replace(decision, act=DialogAct("afresh"))
        begun, forgotten = set_aside(conversation)
        question = bind_references(question, cues, begun, self._referents)
        decision = decide(self._indexed, question, begun, at)
        if not decision.matches and not decision.incomplete:
            return None
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

    def _mean_offered(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
    ) -> ParsedQuestion:
        """Let a question about the offers see the one that it means; what it points at ("the second
        one") is as good as said."""
        selection = select_bundles(offers, cues, find_new(question))
        if len(selection.bundles) != 1:
            return question
        bundle = offers.bundles[selection.bundles[0]]
        if selection.cues:
            tokens = [index for cue in selection.cues for index in cue.tokens]
            named = [stand_in(one, tokens, question.utterance) for one in bundle]
            named = [one for one in named if not _replaces(find_new(question), one)]
            pointed = add_entities(question, named)
            found = match_question(self._indexed, pointed, conversation).matches
            if found and any(one in named for one in found[0].entities):
                return pointed
        return replace(question, offered=bundle)

    def _ask_if_close(self, decision: Decision, at: datetime) -> Decision:
        """Ask which of the best two matches is meant if only the last steps of the ranking tell
        them apart (rule 19)."""
        settings = self._indexed.model.dialog_acts
        if settings is None or not settings.ask_if_close or len(decision.matches) < 2:
            return decision
        best = decision.matches[0].rank
        close = [one for one in decision.matches if is_close(best, one.rank)]
        bundles = tuple([_taken_now(match) for match in close])
        intents = tuple([match.intent.id for match in close])
        if len(close) < 2 or len(set(zip(map(_values_of, bundles), intents, strict=True))) < 2:
            return decision
        offers = Offers(intents[0], bundles, at.astimezone(UTC), intents=intents)
        conversation = replace(decision.conversation, offers=offers)
        act = DialogAct("unclear", choices=bundles)
        return replace(decision, conversation=conversation, matches=(), act=act)

    def _ask_which(
        self, question: ParsedQuestion, conversation: Conversation, offers: Offers, at: datetime
    ) -> Decision | None:
        """Ask which offer a question is about; None if it is about none of them."""
        about = replace(question, offered=offers.bundles[0])
        found = decide(self._indexed, about, conversation, at)
        if not found.matches:
            return None
        filling = found.matches[0].filling
        if not any(one.offered for one in filling.taken):
            return None
        missing = tuple(
            [one.term for one in filling.terms if any(taken.offered for taken in one.taken)]
        )
        terms = tuple(
            [
                replace(one, taken=tuple([taken for taken in one.taken if not taken.offered]))
                for one in filling.terms
            ]
        )
        taken = tuple([one for one in filling.taken if not one.offered])
        incomplete = replace(filling, terms=terms, taken=taken, missing=missing)
        act = DialogAct("unclear", choices=offers.bundles)
        return replace(found, matches=(), incomplete=incomplete, act=act)

    def _is_open_whether_afresh(self, question: ParsedQuestion, conversation: Conversation) -> bool:
        """Whether the user is to be asked: the topic is the one that is remembered."""
        said = {one.element for one in find_new(question)} & self._asks_afresh
        return any(held.entity.element in said for held in conversation.remembered)

    def _answer_afresh(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        pending: PendingQuestion,
        at: datetime,
    ) -> Decision | None:
        """Resolve the answer to the question whether to begin afresh; None for anything else."""
        answer, intent = _read_confirmation(question, cues), self._intent(pending.intent)
        settled = replace(conversation, pending=None)
        if answer is None or answer.is_command or intent is None:
            return None
        forgotten: tuple[ForgottenEntity, ...] = ()
        if answer.is_yes:
            settled, forgotten = set_aside(settled)
        decision = ask_again(self._indexed, intent, question, settled, pending.entities)
        if not decision.matches:
            decision = find_incomplete(self._indexed.with_only(intent), decision)
            if decision.incomplete is None:
                incomplete = self._ask_for_rest(intent, question, settled, pending.entities)
                if incomplete is None:
                    return None
                decision = incomplete
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

    def _answer_offers(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        at: datetime,
    ) -> Decision | None:
        """Resolve an answer to what lies on the table. None for another question."""
        kinds = {cue.kind for cue in cues}
        said = find_new(question)
        if "cancel" in kinds and not said:
            cleared = replace(clear_offers(conversation), pending=None)
            return self._acknowledge(question, cleared, DialogAct("cancelled"))
        declined = _find_declined(question, cues, offers)
        if declined is not None:
            return self._decline(question, cues, conversation, offers, declined, at)
        selection = select_bundles(offers, cues, said)
        others = [one for one in said if one not in selection.entities]
        if any(_contradicts(one, offers) for one in others) and (
            _last_answer(cues) == "accept"
            or not _points_at_bundle(question, cues, selection, offers)
        ):
            return None  # "okay, how about Oakland?", "the one in Oakland"
        if (
            _last_answer(cues) != "accept"
            and (
                any(_contradicts(one, offers) for one in others)
                or not self._names_next_intent(question, others, conversation, offers)
            )
            and (
                not selection.is_explicit
                or _asks_about(question, cues)
                or not self._only_selects(question, others, selection, conversation, offers, at)
            )
        ):
            is_closing = not said and any(cue.value in _CLOSING for cue in cues)
            if is_closing and len(offers.bundles) == 1:
                accepted = offers.bundles[0]
                act = DialogAct("accepted", accepted=accepted)
                return self._acknowledge(question, clear_offers(conversation), act)
            return None
        if len(selection.bundles) > 1:
            choices = tuple([offers.bundles[index] for index in selection.bundles])
            return self._acknowledge(question, conversation, DialogAct("unclear", choices=choices))
        return self._accept(question, cues, conversation, offers, selection, at)

    def _names_next_intent(
        self,
        question: ParsedQuestion,
        others: Sequence[Entity],
        conversation: Conversation,
        offers: Offers,
    ) -> bool:
        """Whether the sentence asks for the intent that the offers are for, with something besides
        the names of offers. A bare value among unknown words ("7 is too early") does not."""
        intent = self._intent(offers.then)
        if intent is None or offers.then == offers.intent:
            return False
        required = [term for term in intent.terms if term.min > 0]
        bare = replace(conversation, remembered=(), flow=conversation.flow)
        single = self._indexed.with_only(intent)
        question = replace(question, offered=(), variants=question.variants[:1])
        decision = match_question(single, question, bare)
        decision = decision if decision.matches else find_incomplete(single, decision)
        filling = decision.matches[0].filling if decision.matches else decision.nearest
        if filling is None:
            return False
        offering = self._intent(offers.intent)
        own = {key for term in required for key in term.predicate.requires or ()}
        if offering is not None:
            own -= {key for term in offering.terms for key in term.predicate.requires or ()}
        own -= {("element", one.element) for bundle in offers.bundles for one in bundle}
        is_clear = not question.variants[0].uncovered
        return any(
            ("element", one.entity.element) in own
            and one.entity in others
            and (is_clear or one.entity.element not in self._bare_values)
            for one in filling.from_sentence
        )

    def _only_selects(
        self,
        question: ParsedQuestion,
        others: Sequence[Entity],
        selection: Selection,
        conversation: Conversation,
        offers: Offers,
        at: datetime,
    ) -> bool:
        """Whether a sentence without a yes selects an offer, rather than asks about it: it has no
        entities but those of the selection (``others``), or they ask for what was offered."""
        if not others:
            return True
        if len(selection.bundles) > 1:
            return False
        about = replace(question, offered=offers.bundles[selection.bundles[0]])
        decision = decide(self._indexed, about, conversation, at)
        return not decision.matches or decision.matches[0].intent.id == offers.intent

    def _accept(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        selection: Selection,
        at: datetime,
    ) -> Decision:
        """Go on with the question as if the user had said the accepted bundle (rule 13)."""
        index = selection.bundles[0]
        tokens = {i for cue in cues if cue.kind == "accept" for i in cue.tokens}
        tokens.update(i for cue in selection.cues for i in cue.tokens)
        tokens.update(i for one in selection.entities for i in one.tokens)
        named = selection.entities

        def others(own: Sequence[Entity]) -> list[Entity]:
            return [one for one in own if one not in named]

        question = change_entities(question, others)
        said = find_new(question)
        accepted = tuple(
            [
                stand_in(one, tokens, question.utterance)
                for one in offers.bundles[index]
                if find_replacement(one.groups, said) is None
            ]
        )
        after = take_bundle(conversation, index)
        question = add_entities(question, accepted)
        act = DialogAct("accepted", accepted=accepted)
        goal = offers.intents[index] if offers.intents else offers.then
        decision = None
        if (intent := self._intent(goal)) is not None:
            naming = self._name_intent(intent, question, tokens)
            decision = self._go_on(intent, add_entities(question, naming), after)
        decision = decision or decide(self._indexed, question, after, at)
        if not (decision.matches or decision.incomplete) and (
            intent := self._intent(offers.intent)
        ):
            decision = self._go_on(intent, question, after) or decision
        if not (decision.matches or decision.incomplete):
            return self._acknowledge(question, after, act)
        return replace(decision, act=act)

    def _name_intent(
        self, intent: Intent, question: ParsedQuestion, tokens: Collection[int]
    ) -> list[Entity]:
        """The entities that only name the intent ("book"), as its offers have already done: those
        of required terms without a prompt."""
        prompts = self._indexed.model.prompts.get(intent.id, {})
        said = {one.element for one in find_new(question)}
        named = []
        for term in intent.terms:
            elements = term.predicate.elements or ()
            if term.min == 0 or term.id in prompts or len(elements) != 1 or said & set(elements):
                continue
            element = self._indexed.model.element(next(iter(elements)))
            if element is None or element.values or element.recognition is not None:
                continue
            entity = Entity(
                element.id,
                element.groups,
                element.id,
                ancestors=element.ancestors,
                meta=element.meta,
                topic=element.topic,
            )
            named.append(stand_in(entity, tokens, question.utterance))
        return named

    def _go_on(
        self, intent: Intent, question: ParsedQuestion, conversation: Conversation
    ) -> Decision | None:
        """Match one intent, also with the entities of the last question, or of the one that waits;
        None if it lacks something that has no prompt."""
        pending = conversation.pending
        if pending is not None and pending.intent == intent.id:
            held: Sequence[Entity] = pending.entities
        else:
            held = _entities_of_last_match(conversation)
        frame = _keep(held, find_new(question))
        decision = ask_again(self._indexed, intent, question, conversation, frame)
        if not decision.matches:
            decision = find_incomplete(self._indexed.with_only(intent), decision)
        return decision if decision.matches or decision.incomplete else None

    def _decline(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
        declined: Sequence[tuple[Entity, ...]],
        at: datetime,
    ) -> Decision:
        """Take the bundles from the table, and ask the intent that offered them again (rule 14)."""
        after = remove_bundles(conversation, declined)
        compared = (cue.value for cue in cues if cue.kind == "comparison" and not cue.number)
        wanted = next(compared, "")
        act = DialogAct("declined", declined=(*offers.declined, *declined), comparison=wanted)
        asked = self._intent(offers.intent)
        said = find_new(question)
        if said and not any(cue.kind in ("other", "comparison") for cue in cues):
            after = clear_offers(conversation)  # "no, in Oakland": it looks for something else
            act = DialogAct("corrected")
        if said and self._is_other_question(question, after, offers.intent):
            return decide(self._indexed, question, after, at)
        if asked is not None:
            frame = _keep([held.entity for held in after.remembered], said)
            decision = ask_again(self._indexed, asked, question, after, frame)
            if decision.matches:
                return replace(decision, act=act)
        if said:
            decision = decide(self._indexed, question, after, at)
            return replace(decision, act=act)
        return self._acknowledge(question, after, act)

    def _correct(
        self, question: ParsedQuestion, cues: Sequence[Cue], conversation: Conversation
    ) -> Decision | None:
        """Ask the last question again with the values that correct it (rule 16). None if the
        sentence corrects nothing."""
        kinds = {cue.kind for cue in cues}
        negated = _find_negated_entities(question)
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

    def _change(
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
        if not explicit and self._is_complete(question, conversation):
            return None
        return self._ask_last_again(question, cues, conversation, (), "changed")

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
        if intent is None or (said and self._is_other_question(question, conversation, intent.id)):
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
        question = self._join_several(question, cues, held_now)
        taken = _entities_of_last_match(after) if is_last else [one.entity for one in kept]
        frame = _keep(taken, find_new(question))
        decision: Decision | None = ask_again(self._indexed, intent, question, after, frame)
        assert decision is not None
        if not decision.matches:
            decision = self._ask_for_rest(intent, question, after, frame) if taken_back else None
        elif not (decision.matches[0].filling.from_sentence or negated):
            return None
        if decision is None:
            return None
        act = DialogAct(kind)
        return replace(decision, act=act, forgotten=(*taken_back, *decision.forgotten))

    def _ask_for_taken_back(
        self, question: ParsedQuestion, conversation: Conversation, pending: PendingQuestion
    ) -> Decision | None:
        """Ask for what the user takes back of a question that waits; None if it is not asked
        for."""
        intent = self._intent(pending.intent)
        if intent is None:
            return None
        bare = replace(question, offered=())
        decision: Decision | None = ask_again(
            self._indexed, intent, bare, conversation, pending.entities
        )
        if decision is None or not decision.matches:
            decision = self._ask_for_rest(intent, bare, conversation, pending.entities)
        return decision and replace(decision, act=DialogAct("changed"))

    def _ask_for_rest(
        self,
        intent: Intent,
        question: ParsedQuestion,
        conversation: Conversation,
        entities: Sequence[Entity],
    ) -> Decision | None:
        """Ask for what an intent lacks; None if it does not ask for all of it."""
        contexts = build_match_contexts(question, conversation, entities)
        (filling,) = fill_intents((intent,), (0,), contexts[0])
        prompts = self._indexed.model.prompts.get(intent.id, {})
        if not filling.missing or any(term.id not in prompts for term in filling.missing):
            return None
        return Decision(
            question,
            conversation,
            contexts,
            incomplete=filling,
            nearest=filling,
            pending_entities=tuple(entities),
        )

    def _find_corrected(
        self, conversation: Conversation, entities: Iterable[Entity]
    ) -> Intent | None:
        """The intent that answered last of those which can take one of the entities."""
        keys = {key for entity in entities for key in entity_keys(entity)}
        for id in dict.fromkeys(step.intent for step in reversed(conversation.flow)):
            intent = self._intent(id)
            if intent is not None and any(
                term.predicate.requires is None or not keys.isdisjoint(term.predicate.requires)
                for term in intent.terms
            ):
                return intent
        return None

    def _join_several(
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
            tokens = [i for cue in cues if cue.kind == "correct" for i in cue.tokens]
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

    def _is_complete(self, question: ParsedQuestion, conversation: Conversation) -> bool:
        """Whether the sentence is complete without memory."""
        bare, said = replace(conversation, remembered=()), replace(question, offered=())
        return bool(match_question(self._indexed, said, bare).matches)

    def _is_other_question(
        self, question: ParsedQuestion, conversation: Conversation, intent: str
    ) -> bool:
        """Whether the sentence is complete without memory, for another intent."""
        bare, said = replace(conversation, remembered=()), replace(question, offered=())
        matches = match_question(self._indexed, said, bare).matches
        return bool(matches) and matches[0].intent.id != intent

    def _intent(self, id: str) -> Intent | None:
        return self._indexed.intents_by_id.get(id)

    def _acknowledge(
        self, question: ParsedQuestion, conversation: Conversation, act: DialogAct
    ) -> Decision:
        """A decision that no intent answers."""
        contexts = build_match_contexts(question, conversation)
        return Decision(question, conversation, contexts, act=act)


def _settle_cues(
    cues: Sequence[Cue],
    question: ParsedQuestion,
    offers: Offers | None,
    repeated: Sequence[Entity] = (),
    *,
    is_pending: bool,
) -> tuple[tuple[Cue, ...], ParsedQuestion]:
    """Drop the cues that are words of the model, and the entities that are no more than a cue.

    What the model's own phrases cover means what the model says. Of a built-in entity and a cue on
    the same words, a yes or a no is the cue, and so is the place of an offer in its list ("the
    second"). What only repeats an entity that the user is to confirm ("book it") is a cue as well,
    and "cancel" drops a question that waits, whatever else the model cancels.
    """
    is_listed = offers is not None and bool(offers.bundles)
    settled: list[Cue] = []
    dropped: list[Entity] = []
    entities = question.variants[0].entities
    of_cues = {index for cue in cues for index in cue.tokens}
    for cue in cues:
        tokens = set(cue.tokens)
        covering = [one for one in entities if not tokens.isdisjoint(one.tokens)]
        is_answer = cue.kind in ("accept", "decline", "cancel")
        is_place = cue.kind == "ordinal" and (is_pending or offers is not None)
        of_list = is_listed and cue.kind in ("comparison", "other")
        wins = (is_answer and (is_pending or offers is not None)) or is_place or of_list
        is_own = (cue.kind != "cancel" or not is_pending) and any(
            one.is_from_phrase and not any(is_same_meaning(one, other) for other in repeated)
            for one in covering
        )
        if (
            covering
            and wins
            and not is_own
            and all(map(of_cues.issuperset, map(_tokens, covering)))
        ):
            dropped += covering
        elif (is_answer and is_own) or any(tokens.issubset(one.tokens) for one in covering):
            continue
        settled.append(cue)
    if dropped:
        question = change_entities(
            question, lambda own: [one for one in own if not any(one is gone for gone in dropped)]
        )
    return tuple(settled), question


def _read_bare_place(question: ParsedQuestion, conversation: Conversation) -> tuple[Cue, ...]:
    """A bare number that answers a list of offers is a place in it: "2"."""
    offers, text = conversation.open_offers, question.utterance.text.strip(" .!)#")
    if offers is None or _pending_is_newer(conversation, offers) or not text.isdecimal():
        return ()
    number = int(text) if len(text) < 3 else 0
    if not 1 <= number <= len(offers.bundles) or len(offers.bundles) < 2:
        return ()
    tokens = tuple([one.index for one in question.utterance.tokens if one.text.isdecimal()])
    return (Cue("ordinal", tokens, number=number),)


def _tokens(entity: Entity) -> tuple[int, ...]:
    return entity.tokens


def _mark_negated(question: ParsedQuestion, cues: Sequence[Cue]) -> ParsedQuestion:
    """Mark what the sentence negates: by its cues, and values that a recognizer read as "not"."""
    has_cue = any(cue.kind == "negate" or cue.value == "of" for cue in cues)
    if not has_cue and not any(map(_is_inequality, question.variants[0].entities)):
        return question

    def mark(entities: Sequence[Entity]) -> Sequence[Entity]:
        negated = find_negated(entities, question.utterance, cues) if has_cue else ()
        return [
            _negate(entity) if index in negated or _is_inequality(entity) else entity
            for index, entity in enumerate(entities)
        ]

    return replace(change_entities(question, mark), has_negated=True)


def _is_inequality(entity: Entity) -> bool:
    return not entity.is_from_phrase and (entity.value or "").startswith("!=")


def _negate(entity: Entity) -> Entity:
    value = entity.value
    if value is not None and _is_inequality(entity):
        value = value.removeprefix("!=")
    return replace(entity, value=value, negated=True)


def _drop_corrected(question: ParsedQuestion, cues: Sequence[Cue]) -> ParsedQuestion:
    """Drop what the sentence itself corrects: "in the kitchen, no, in the hall"."""
    middle = [cue for cue in cues if cue.kind in ("correct", "decline") and cue.tokens]
    if not middle:
        return question

    def keep(entities: Sequence[Entity]) -> Sequence[Entity]:
        kept = list(entities)
        for cue in middle:
            after = [one for one in kept if one.tokens and one.tokens[0] > cue.tokens[-1]]
            kept = [
                one
                for one in kept
                if not one.tokens
                or one.tokens[-1] > cue.tokens[0]
                or find_replacement(one.groups, after) is None
            ]
        return kept

    return change_entities(question, keep)


def _find_negated_entities(question: ParsedQuestion) -> tuple[Entity, ...]:
    return tuple([one for one in question.variants[0].entities if one.negated])


def _read_confirmation(question: ParsedQuestion, cues: Sequence[Cue]) -> Confirmation | None:
    """The yes or the no of a sentence that says nothing else; None for any other."""
    if find_new(question) or question.variants[0].uncovered:
        return None
    kinds = {cue.kind for cue in cues}
    answer = _last_answer(cues)
    if answer == "accept" and not (kinds & _CONTRARY - {"decline"}):
        return Confirmation(is_yes=True)
    if answer == "decline" or (not answer and "cancel" in kinds):
        return Confirmation(is_yes=False, is_command="decline" not in kinds)
    return None


def _last_answer(cues: Iterable[Cue]) -> str:
    """The last yes or no of a sentence: "okay, no" is a no, "no, that's fine" is a yes ('' for
    neither)."""
    answers = [cue.kind for cue in cues if cue.kind in ("accept", "decline")]
    return answers[-1] if answers else ""


def _take_back(
    conversation: Conversation, pending: PendingQuestion, question: ParsedQuestion
) -> tuple[Conversation, PendingQuestion]:
    """Forget what the sentence negates, while a question waits."""
    negated = _find_negated_entities(question)
    if not negated:
        return conversation, pending

    def stays(entity: Entity) -> bool:
        return not any(is_same_meaning(entity, one) for one in negated)

    pending = replace(pending, entities=tuple(filter(stays, pending.entities)))
    remembered = tuple([held for held in conversation.remembered if stays(held.entity)])
    return replace(conversation, remembered=remembered, pending=pending), pending


def _pending_is_newer(conversation: Conversation, offers: Offers) -> bool:
    """Whether the bot has asked something after it made its offers."""
    pending = conversation.pending
    return pending is not None and pending.at >= offers.at


def _find_declined(
    question: ParsedQuestion, cues: Sequence[Cue], offers: Offers
) -> tuple[tuple[Entity, ...], ...] | None:
    """The bundles that the sentence declines; None if it declines nothing."""
    kinds = {cue.kind for cue in cues}
    negated = _find_negated_entities(question)
    named = [
        bundle
        for bundle in offers.bundles
        if any(is_same_value(one, offered) for one in negated for offered in bundle)
    ]
    if named:
        return tuple(named)
    if not offers.bundles:  # there was nothing to offer, so this asks for something else
        return () if kinds & {"other", "comparison"} else None
    if "other" in kinds:
        return offers.bundles
    says_no = _last_answer(cues) == "decline"
    if says_no and len(offers.bundles) == 1:
        said = find_new(question)
        if any(_contradicts(one, offers) for one in said):
            return None  # "no, for three": a correction of what was offered
    pointed = [
        cue
        for cue in cues
        if cue.kind in ("ordinal", "reference") or (cue.kind == "comparison" and cue.number)
    ]
    if says_no or ("negate" in kinds and pointed and not find_new(question)):
        selection = select_bundles(offers, pointed, ())
        return tuple([offers.bundles[index] for index in selection.bundles])
    compared = [cue for cue in cues if cue.kind == "comparison" and not cue.number]
    return offers.bundles if compared else None


def _points_at_bundle(
    question: ParsedQuestion, cues: Iterable[Cue], selection: Selection, offers: Offers
) -> bool:
    """Whether a sentence means an offer as a whole: by its place, by comparison, by what it is
    named by, or by a value of "the one"; not by some value alone."""
    if selection.cues:
        return True
    said = [one for one in selection.entities if one not in question.referred]
    names = {bundle[0].element for bundle in offers.bundles}
    is_one = any(cue.kind == "reference" for cue in cues)
    return any(one.element in names or is_one for one in said)


def _asks_about(question: ParsedQuestion, cues: Sequence[Cue]) -> bool:
    """Whether a sentence that names an offer, without a yes, says more or asks something."""
    if any(cue.kind == "accept" for cue in cues):
        return False
    text = question.utterance.text.rstrip()
    return text.endswith(("?", "？", "؟")) or bool(question.variants[0].uncovered)


def _contradicts(entity: Entity, offers: Offers) -> bool:
    """Whether the entity would replace one that is offered."""
    return any(entity.groups <= one.groups for bundle in offers.bundles for one in bundle)


def _say_selected(question: ParsedQuestion, cues: Sequence[Cue], offers: Offers) -> ParsedQuestion:
    """Answer what the bot asks with an offer that is selected by its place or by comparison."""
    selection = select_bundles(offers, cues, ())
    if not selection.cues or len(selection.bundles) != 1:
        return question
    tokens = [index for cue in selection.cues for index in cue.tokens]
    bundle = offers.bundles[selection.bundles[0]]
    return add_entities(question, [stand_in(one, tokens, question.utterance) for one in bundle])


def _replaces(said: Sequence[Entity], entity: Entity) -> bool:
    return find_replacement(entity.groups, said) is not None


def _taken_now(match: Match) -> tuple[Entity, ...]:
    """What a match takes from the sentence and from the question that it completes."""
    return tuple([one.entity for one in match.filling.taken if one.remembered is None])


def _values_of(bundle: Iterable[Entity]) -> tuple[tuple[str, str], ...]:
    return tuple([(one.element, one.value_or_text) for one in bundle])


def _entities_of_last_match(conversation: Conversation) -> list[Entity]:
    """The entities that the last matched question took."""
    last = conversation.matches
    return [held.entity for held in conversation.remembered if held.used_match == last]


def _keep(entities: Iterable[Entity], new: Sequence[Entity]) -> list[Entity]:
    """Return the entities that no new one replaces."""
    return [one for one in entities if find_replacement(one.groups, new) is None]
