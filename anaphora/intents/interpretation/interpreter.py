"""Interpret a question as a part of a dialog, and decide what follows from it.

:meth:`Interpreter.decide` takes the cues of an utterance and the state of the conversation::

    an option by its place             is that value: "the second one" after "Anna or Ben?"
    a question that begins afresh      sets aside what was filled before (rule 22)
    reference words                    are bound (rule 17)
    an answer to an offer              accepts, declines, or asks which (rules 13 and 14)
    a correction, something added      asks the last question again (rules 16 and 21)
    anything else                      :func:`anaphora.intents.decision.decide.decide`
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from anaphora.core.utterance import Entity, Utterance
from anaphora.entities.builtin.boolean import Confirmation
from anaphora.entities.cues.cue import Cue
from anaphora.entities.cues.cue_finder import find_cues
from anaphora.entities.cues.cue_words import CueWords, load_cue_words
from anaphora.errors import EvaluationError
from anaphora.intents.decision.decide import decide
from anaphora.intents.decision.decision import Decision
from anaphora.intents.decision.matching import IndexedModel, find_incomplete
from anaphora.intents.dialog_act import DialogAct
from anaphora.intents.interpretation.alternatives import ask_if_alternatives, ask_if_close
from anaphora.intents.interpretation.answers import (
    CHOOSING,
    answer_with_offer,
    read_confirmation,
    refuses_whole,
    take_option,
)
from anaphora.intents.interpretation.corrections import Corrections, read_corrected_values
from anaphora.intents.interpretation.dialog_turn import DialogTurn, find_affirmed, remove_referred
from anaphora.intents.interpretation.fresh_starts import FreshStarts
from anaphora.intents.interpretation.normalization import drop_names, normalize
from anaphora.intents.interpretation.offer_answers import OfferAnswers
from anaphora.intents.interpretation.references import References
from anaphora.intents.interpretation.repetition import find_asked_term
from anaphora.intents.interpretation.roles import Roles
from anaphora.intents.solver import ParsedQuestion, build_match_contexts
from anaphora.models.domain import ANY_LANGUAGE
from anaphora.stm.conversation import Conversation
from anaphora.stm.rules import expire

__all__ = ["Interpreter"]


class Interpreter:
    """Interprets the questions to a model with dialog acts by their cues."""

    def __init__(self, indexed: IndexedModel) -> None:
        self._indexed = indexed
        self._offers = OfferAnswers(indexed)
        self._corrections = Corrections(indexed)
        self._references = References(indexed.model.elements)
        self._roles = Roles(indexed)
        self._fresh_starts = FreshStarts(indexed, self._references)
        terms = [term for intent in indexed.model.intents for term in intent.terms]
        self._excluding = [term for term in terms if term.predicate.reads_negation]
        self._listing = [term for term in terms if term.max > 1]
        settings = indexed.model.dialog_acts
        self._added_words = settings.words if settings else {}
        self._cue_words: dict[str, CueWords] = {}  # by language

    def read_cues(self, utterance: Utterance) -> tuple[Cue, ...]:
        """Find the cues of an utterance."""
        return find_cues(utterance, self._words_of(utterance.language))

    @staticmethod
    def may_choose(cues: Sequence[Cue]) -> bool:
        """Whether an utterance with these cues may choose among the values of a question."""
        return any(cue.kind in CHOOSING for cue in cues)

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
        options: Sequence[Entity] = (),
    ) -> Decision:
        """Resolve ``question``, in which there are these ``cues``, asked at the time ``at``.
        ``options`` are the values that the question which waits names."""
        utterance = question.utterance
        if utterance.resets or utterance.error or not question.variants:
            return decide(self._indexed, question, conversation, at)
        if self._excluding:
            question = replace(question, has_negated=True)
        social = [cue.value for cue in cues if cue.kind == "social"]
        if social and not find_affirmed(question):
            question = replace(question, small_talk=social[-1])
        conversation, forgotten = expire(conversation, at, self._indexed.model.conversation)
        turn = DialogTurn(question, tuple(cues), conversation, at, options=tuple(options))
        turn = drop_names(turn)
        stands = conversation.offers or conversation.pending
        try:
            if cues or stands or self._fresh_starts.may_begin(turn.question):
                decision = self._interpret(turn)
            else:
                decision = self._follow_last(turn, self._decide(turn))
                decision = self._ask_rather_than_ignore(turn, decision)
                decision = ask_if_close(self._indexed.model, decision, at)
        except EvaluationError as error:
            contexts = build_match_contexts(question, conversation)
            decision = Decision(question, conversation, contexts, refusal_reason=str(error))
        if decision.act is None and conversation.open_offers is None:
            words = self._words_of(question.utterance.language)
            decision = ask_if_alternatives(decision, words, at)
        return replace(decision, forgotten=(*forgotten, *decision.forgotten))

    def _interpret(self, turn: DialogTurn) -> Decision:
        asked = find_asked_term(self._indexed, turn)
        turn = self._roles.assign(
            take_option(normalize(turn, asked, self._excluding, self._listing), asked)
        )
        turn = read_corrected_values(turn, asked)
        if refuses_whole(turn):
            no = Confirmation(is_yes=False, is_command=True)
            return self._decide(replace(turn, question=replace(turn.question, confirmation=no)))
        decision = self._fresh_starts.decide(turn) or self._offers.look_further(turn)
        if decision is not None:
            return decision
        turn, decision = self._join_waiting(turn)
        if decision is None:
            turn = self._references.bind(turn, _find_on_table(turn))
            confirmation = read_confirmation(turn)
            turn = replace(turn, question=replace(turn.question, confirmation=confirmation))
            turn, decision = self._answer_offers(turn)
        decision = decision or self._finish(turn)
        return replace(decision, forgotten=(*turn.forgotten, *decision.forgotten))

    def _decide(self, turn: DialogTurn) -> Decision:
        return decide(self._indexed, turn.question, turn.conversation, turn.at)

    def _join_waiting(self, turn: DialogTurn) -> tuple[DialogTurn, Decision | None]:
        """Hold the question against the one that waits: what it takes back of that, adds to it and
        counts anew. A decision if nothing else is to be done."""
        if turn.pending is None:
            return self._corrections.recount(turn), None
        decision = self._corrections.follow_up(turn)
        if decision is not None:
            return turn, decision
        turn = self._references.negate(turn)
        turn = self._corrections.recount(self._corrections.point_into_list(turn))
        turn, decision = self._corrections.take_back(turn)
        return self._corrections.join_waiting(turn), decision

    def _answer_offers(self, turn: DialogTurn) -> tuple[DialogTurn, Decision | None]:
        """Hold the question against what lies on the table: a decision if it answers that, else the
        question with what it means of it."""
        offers, decision = turn.offers, None
        if offers is not None and turn.answers_pending:
            turn = answer_with_offer(turn, offers)
        elif offers is not None:
            decision = self._corrections.correct_side_question(turn)
            if decision is None and turn.meant_before is not None:
                about, pointed = self._offers.point_at(turn, offers)
                decision = self._corrections.follow_up_about(about, offers, pointed)
            decision = decision or self._offers.answer(turn, offers)
            turn = self._offers.resolve_offered(turn, offers) if decision is None else turn
        if turn.pending is not None:  # what it says is newer than anything remembered
            newest = _put_newest_first(turn, turn.question.offered)
            turn = replace(turn, question=replace(turn.question, offered=newest))
        return turn, decision

    def _finish(self, turn: DialogTurn) -> Decision:
        """Decide a question that is rewritten as if it had been said in full."""
        pending, offers = turn.pending, turn.offers
        decision = (
            self._corrections.correct(turn)
            or self._corrections.change(turn)
            or self._corrections.follow_up(turn)
            or self._decide(turn)
        )
        if pending is not None and turn.question.referred and _is_about(decision, pending.intent):
            # What it has already is not said anew by a word for it.
            turn = replace(turn, question=remove_referred(turn.question))
            decision = self._decide(turn)
        decision = self._ask_rather_than_ignore(turn, decision)
        if self._cancels(turn, decision):
            return replace(decision, act=DialogAct("cancelled"))
        if decision.matches and decision.act is None:
            return ask_if_close(self._indexed.model, decision, turn.at)
        if decision.matches or offers is None or len(offers.bundles) < 2:
            return decision
        if decision.incomplete is None and pending is None:
            decision = self._offers.complete_asking(turn, offers) or decision
        return decision if decision.matches else self._offers.ask_which(turn, offers) or decision

    def _follow_last(self, turn: DialogTurn, decision: Decision) -> Decision:
        """Prefer the intent that answered last, if it takes all that the sentence says, to another
        one that takes more from the memory: "at most 700" of a budget, not of a payment before."""
        flow = turn.conversation.flow
        if not (flow and decision.matches and decision.uses_memory):
            return decision
        if decision.matches[0].intent.id == flow[-1].intent:
            return decision
        return self._corrections.follow_up(turn) or decision

    def _ask_rather_than_ignore(self, turn: DialogTurn, decision: Decision) -> Decision:
        """Prefer an intent that takes all that the sentence says, and asks for what it lacks, to
        one that takes a part of it: "book Umi for Friday" after a search."""
        if turn.pending is not None or decision.act is not None or not decision.matches:
            return decision
        filling = decision.matches[0].filling
        count = len(turn.said)
        if len(filling.from_sentence) >= count or not decision.uses_memory:
            return decision
        other = find_incomplete(self._indexed, replace(decision, matches=()))
        if other.incomplete is None or len(other.incomplete.from_sentence) < count:
            return decision
        return other

    def _cancels(self, turn: DialogTurn, decision: Decision) -> bool:
        """Whether another intent than the one to be confirmed answers, and its words begin with one
        for cancelling."""
        pending = turn.pending
        if pending is None or not pending.confirms or not decision.matches:
            return False
        if decision.matches[0].intent.id == pending.intent:
            return False
        utterance = turn.question.utterance
        atoms, phrases = self._words_of(utterance.language).read(utterance.text)
        starts = {
            atoms[phrase.first].start
            for phrase in phrases
            if phrase.reading.kind == "cancel" or phrase.reading.value == "remove"
        }
        named = [one.entity for one in decision.matches[0].filling.from_sentence]
        return any(one.value is None and one.start in starts for one in named)


def _find_on_table(turn: DialogTurn) -> tuple[Entity, ...]:
    """What reference words may stand for: the one offer on the table, and what waits."""
    offers = turn.offers
    offered = offers.bundles[0] if offers is not None and len(offers.bundles) == 1 else ()
    return _put_newest_first(turn, offered)


def _put_newest_first(turn: DialogTurn, offered: tuple[Entity, ...]) -> tuple[Entity, ...]:
    """What the question that waits has, and what is ``offered``, the newest first."""
    if turn.answers_pending:
        return (*turn.waiting, *offered)
    return (*offered, *turn.waiting)


def _is_about(decision: Decision, intent: str) -> bool:
    """Whether a decision is about an intent."""
    filling = decision.matches[0].filling if decision.matches else decision.incomplete
    return filling is not None and filling.intent.id == intent
