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

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.boolean import Confirmation
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_finder import find_cues
from anaphora.entities.cues.cue_words import CueWords, load_cue_words
from anaphora.errors import EvaluationError
from anaphora.intents.decision import (
    Decision,
    IndexedModel,
    ask_again,
    decide,
    find_incomplete,
)
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.interpretation.answers import (
    denies,
    find_declined,
    is_pending_newer,
    read_confirmation,
    read_demonstratives,
    say_selected,
)
from anaphora.intents.interpretation.corrections import Corrections, take_back
from anaphora.intents.interpretation.offer_answers import OfferAnswers
from anaphora.intents.interpretation.references import bind_references, negate_references
from anaphora.intents.interpretation.repetition import ask_for_rest
from anaphora.intents.interpretation.rewriting import find_new, remove_referred
from anaphora.intents.interpretation.settling import (
    drop_corrected,
    mark_negated,
    read_bare_no,
    read_bare_place,
    settle_cues,
)
from anaphora.intents.match import Match
from anaphora.intents.ranking_steps import is_close
from anaphora.intents.solver import ParsedQuestion, build_match_contexts
from anaphora.models.domain import ANY_LANGUAGE
from anaphora.stm.conversation import (
    Conversation,
    ForgottenEntity,
    Offers,
    PendingQuestion,
)
from anaphora.stm.rules import expire, set_aside

__all__ = ["Interpreter"]

_NOT_AFRESH = frozenset({"correct", "decline", "only", "instead"})


class Interpreter:
    """Interprets the questions to a model with dialog acts by their cues."""

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        self._offers = OfferAnswers(indexed)
        self._corrections = Corrections(indexed)
        elements = indexed.model.elements
        self._fresh = frozenset(one.id for one in elements if one.fresh)
        self._asks_afresh = frozenset(one.id for one in elements if one.fresh == "ask")
        referents: defaultdict[str, set[str]] = defaultdict(set)
        for element in elements:
            for kind in element.refers:
                referents[kind].add(element.id)
        self._referents: Mapping[str, Collection[str]] = dict(referents)
        self._several = frozenset(one.id for one in elements if one.several)
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
        return find_cues(utterance, self._words_of(utterance.language))

    def _words_of(self, language: str) -> CueWords:
        words = self._cue_words.get(language)
        if words is None:
            words = self._cue_words[language] = self._load_words(language)
        return words

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
        if not cues and (cues := read_bare_place(question, conversation)):
            understood = [replace(one, uncovered=0) for one in question.variants]
            question = replace(question, variants=tuple(understood))
        cues, question = settle_cues(
            cues,
            question,
            conversation.offers,
            pending,
        )
        cues, question = read_bare_no(mark_negated(question, cues), cues, conversation)
        question = drop_corrected(question, cues)
        if pending is not None and denies(question, pending.entities):
            no = Confirmation(is_yes=False, is_command=True)
            question = replace(question, confirmation=no)
            return decide(self._indexed, question, conversation, at)
        if repeated and read_confirmation(question, cues):
            if self._corrections.is_about_last(conversation):
                cues = read_demonstratives(question, cues)
            else:  # "book it": the whole question
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
            declined = find_declined(question, cues, offers)
            if declined is not None:
                return self._offers.decline(question, cues, conversation, offers, declined, at)
        if offers is not None and offers.taken is not None:
            decision = self._offers.take_another(question, cues, conversation, offers, at)
            if decision is not None:
                return decision
            offers = None  # what is taken is remembered; the others are only named
        offered = offers.bundles[0] if offers and len(offers.bundles) == 1 else ()
        if pending is not None:
            decision = self._corrections.follow_up(question, cues, conversation)
            if decision is not None:
                return decision
            before = pending
            question = negate_references(question, cues, pending.entities, self._referents)
            if offers is None:
                question = self._corrections.point_into_list(question, cues, pending.entities)
            question = self._corrections.recount(question, cues, conversation)
            conversation, pending = take_back(conversation, pending, question)
            if pending is not before and not find_new(question):
                decision = self._corrections.ask_for_taken_back(question, conversation, pending)
                if decision is not None:
                    return decision
            question, conversation, pending = self._corrections.join_pending(
                question, cues, conversation, pending
            )
            offered = _newest_first(conversation, pending, offers, offered)
        else:
            question = self._corrections.recount(question, cues, conversation)
        question = bind_references(
            question,
            cues,
            conversation,
            self._referents,
            offered,
            pending.entities if pending else (),
            self._several,
        )
        question = replace(question, confirmation=read_confirmation(question, cues, pending))
        decision = None
        if offers is not None and offers.bundles:
            if is_pending_newer(conversation, offers):
                question = say_selected(question, cues, offers)
            else:
                decision = self._correct_side_question(question, cues, conversation, offers)
                if decision is None:
                    decision = self._offers.answer(question, cues, conversation, offers, at)
                if decision is not None:
                    return decision
                question = self._offers.mean_offered(question, cues, conversation, offers)
        if pending is not None:  # what it says is newer than anything remembered
            newest = _newest_first(conversation, pending, offers, question.offered)
            question = replace(question, offered=newest)
        decision = (
            self._corrections.correct(question, cues, conversation)
            or self._corrections.change(question, cues, conversation)
            or self._corrections.follow_up(question, cues, conversation)
            or decide(self._indexed, question, conversation, at)
        )
        if pending is not None and question.referred and _is_about(decision, pending.intent):
            # What it has already is not said anew by a word for it.
            question = remove_referred(question)
            decision = decide(self._indexed, question, conversation, at)
        if pending is not None and pending.confirms and self._cancels(decision, pending):
            return replace(decision, act=DialogAct("cancelled"))
        if decision.matches and decision.act is None:
            return self._ask_if_close(decision, at)
        if decision.matches or offers is None or len(offers.bundles) < 2:
            return decision
        return self._offers.ask_which(question, conversation, offers, at) or decision

    def _correct_side_question(
        self,
        question: ParsedQuestion,
        cues: Sequence[Cue],
        conversation: Conversation,
        offers: Offers,
    ) -> Decision | None:
        """Correct the question about the offers that was just answered, not the offers."""
        flow = conversation.flow
        is_last = bool(flow) and flow[-1].at == conversation.last
        if not is_last or flow[-1].intent == offers.intent or not find_new(question):
            return None
        if not any(cue.kind in ("correct", "decline") for cue in cues):
            return None
        return self._corrections.correct(question, cues, conversation)

    def _cancels(self, decision: Decision, pending: PendingQuestion) -> bool:
        """Whether another intent answers, whose words begin with one for cancelling."""
        if not decision.matches or decision.matches[0].intent.id == pending.intent:
            return False
        utterance = decision.question.utterance
        atoms, phrases = self._words_of(utterance.language).read(utterance.text)
        starts = {
            atoms[phrase.first].start
            for phrase in phrases
            if phrase.reading.kind == "cancel" or phrase.reading.value == "remove"
        }
        named = [one.entity for one in decision.matches[0].filling.from_sentence]
        return any(one.value is None and one.start in starts for one in named)

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
        question = bind_references(question, cues, begun, self._referents, several=self._several)
        decision = decide(self._indexed, question, begun, at)
        if not decision.matches and not decision.incomplete:
            return None
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

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
        answer, intent = (
            read_confirmation(question, cues),
            self._indexed.intents_by_id.get(pending.intent),
        )
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
                incomplete = ask_for_rest(
                    self._indexed, intent, question, settled, pending.entities
                )
                if incomplete is None:
                    return None
                decision = incomplete
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

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


def _newest_first(
    conversation: Conversation,
    pending: PendingQuestion,
    offers: Offers | None,
    offered: tuple[Entity, ...],
) -> tuple[Entity, ...]:
    """What the question that waits has, and what is ``offered``, the newest first."""
    if offers is None or is_pending_newer(conversation, offers):
        return (*pending.entities, *offered)
    return (*offered, *pending.entities)


def _is_about(decision: Decision, intent: str) -> bool:
    """Whether a decision is about an intent."""
    filling = decision.matches[0].filling if decision.matches else decision.incomplete
    return filling is not None and filling.intent.id == intent


def _taken_now(match: Match) -> tuple[Entity, ...]:
    """What a match takes from the sentence and from the question that it completes."""
    return tuple([one.entity for one in match.filling.taken if one.remembered is None])


def _values_of(bundle: Iterable[Entity]) -> tuple[tuple[str, str], ...]:
    return tuple([(one.element, one.value_or_text) for one in bundle])
