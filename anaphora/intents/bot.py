"""A model brought to life: its pipeline, its intents, its handlers and its responses."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from datetime import datetime, timedelta
from functools import partial
from random import random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from anaphora.entities.ahead import Readings, Unread
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.variants import variants
from anaphora.errors import HandlerError
from anaphora.grammar.context import Surroundings
from anaphora.grammar.intent import Intent
from anaphora.grammar.request import Request, User
from anaphora.intents.decision import Bridged, Decision, Mind, decide, pending_of
from anaphora.intents.exchanges import has_dates
from anaphora.intents.fitting import Fitting
from anaphora.intents.handlers import Handler, Reject, Skip, handlers_of
from anaphora.intents.hooks import Hooks
from anaphora.intents.live import LiveConversation
from anaphora.intents.match import Filling, Match, slots_of
from anaphora.intents.partial_dates import with_remembered_dates
from anaphora.intents.responses import Responses, SlotView
from anaphora.intents.solver import Question
from anaphora.intents.unused import UnusedPart, unused_in
from anaphora.intents.wording import declined, left_over, name_of, still_about
from anaphora.models.domain import Model, Status
from anaphora.models.formatting.filters import LOCALITY
from anaphora.models.template_values import template_value
from anaphora.models.utterance import Utterance
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, Forgotten, Pending, Rule
from anaphora.storage.cache import Cache

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Bot", "Outcome"]

_Respond: TypeAlias = Callable[[Decision, Match], tuple[LiveConversation, Any]]

_TOLD_FOR = timedelta(minutes=1)
_DECLINED = "the offer was declined"
_ENVIRONMENT: Mapping[str, str] = MappingProxyType(os.environ)  # not to be changed by a model
_MOST_REMATCHES = 10  # a hook that always wants another match must come to an end


class Outcome(Struct, frozen=True):
    """What became of a question, and the conversation after it.

    ``filling`` is the intent that answered or that is to be completed; ``winner`` the match
    among the decision's that did; ``skipped`` those whose handlers passed; ``decision`` the one
    that led there, if a hook had the question matched again; ``is_reset`` whether a handler or a
    hook has forgotten on purpose.
    """

    status: Status
    conversation: Conversation
    filling: Filling | None = None
    winner: Match | None = None
    skipped: tuple[Match, ...] = ()
    evicted: tuple[Forgotten, ...] = ()
    text: str = ""
    reason: str = ""
    result: Any = None
    decision: Decision | None = None
    is_reset: bool = False


class _Again(Exception):  # noqa: N818 - what is to happen, not something that failed
    """A hook wants the question to be matched again in this conversation."""

    def __init__(self, live: LiveConversation) -> None:
        self.conversation, self.forgotten = live.settled()
        self.is_reset = live.is_reset


class Bot:
    """One model with everything that answering needs, shared by all its conversations.

    ``nlp`` is a spaCy pipeline to extend instead of a blank one (or one for each language);
    ``random`` gives the numbers of ``rand``; ``cache`` keeps what takes long to learn. Raises
    :class:`ModelError` for a handler that the model names and that cannot answer its intent.
    """

    def __init__(
        self,
        model: Model,
        *,
        nlp: Language | Mapping[str, Language] | None = None,
        max_characters: int = 10_000,
        random: Callable[[], float] = random,
        cache: Cache | None = None,
    ) -> None:
        self.model = model
        self.pipeline = Pipeline(model, nlp, cache=cache)
        self.has_dates = has_dates(model)
        self.responses = Responses(model)
        self.fitting = Fitting(model)
        self.handlers = handlers_of(model)
        self.hooks = Hooks()
        self._registered: dict[str, Callable[..., Any]] = {}
        # Who comes back a little too late is told what was forgotten, and why.
        self.kept_for = min(model.conversation.timeout, timedelta.max - _TOLD_FOR) + _TOLD_FOR
        self.answers_from_memory = any(one.options.allow_stm_only for one in model.intents)
        self._mind = Mind.of(model)
        self._facts = model.facts
        self._has_recognizers = any(element.recognition for element in model.elements)
        self._random = random
        self._max_characters = max_characters
        self._is_read_at_once = not model.pipelines and all(
            element.recognition is None or element.recognition.kind == "built-in"
            for element in model.elements
        )

    @property
    def mind(self) -> Mind:
        return self._mind

    @property
    def is_declared(self) -> bool:
        """Whether all that answers is declared in the model: no function that could take its
        time, no statistical pipeline."""
        return self._is_read_at_once and not self.handlers and self.hooks.are_empty

    def on(self, intent: Intent, function: Callable[..., Any]) -> None:
        """Let ``function`` answer ``intent``; raises :class:`HandlerError` if it cannot."""
        self.handlers[intent.id] = Handler.bind(function, intent)
        self._registered[intent.id] = function

    def take_over(self, other: Bot) -> None:
        """Let the functions that were registered with ``other``, an earlier state of the model,
        answer its intents. One whose intent is gone waits for it to come back.

        Raises :class:`HandlerError` for a function that cannot answer its intent any more.
        """
        self.hooks = other.hooks
        self._registered = dict(other._registered)
        for id, function in other._registered.items():
            if intent := self.model.intent(id):
                self.on(intent, function)

    def read(
        self,
        text: str,
        language: str | None = None,
        *,
        usual: str = "",
        at: datetime | None = None,
        ahead: Readings | None = None,
    ) -> Utterance:
        """Tag the elements of ``text``. One that is too long is not read at all. Without a
        ``language`` it is found; ``usual`` is the one if others fit as well. ``at`` is the local
        time of the one who asks. ``ahead`` is what was read before, if this bot did.

        Raises :class:`ModelError` for a language that the model doesn't have.
        """
        too_long = len(text) > self._max_characters
        if ahead is not None and ahead.by is self.pipeline:
            utterance = ahead.settled(usual)
        else:
            utterance = self.pipeline("" if too_long else text, language, usual=usual, at=at)
        if too_long:
            return replace(utterance, text=text)
        return _without_reset_phrases(utterance) if utterance.resets else utterance

    def read_ahead(self, texts: Sequence[Unread]) -> list[Readings | None]:
        """What :meth:`read` can go by when the turn of each text comes, read at once; None where
        it must read itself."""
        fitting = [one for one in texts if len(one.text) <= self._max_characters]
        read = iter(self.pipeline.read_ahead(fitting))
        return [next(read) if len(one.text) <= self._max_characters else None for one in texts]

    def decide(
        self,
        utterance: Utterance,
        conversation: Conversation,
        at: datetime,
        user: User,
        request: Request,
    ) -> Decision:
        """Resolve the utterance against the conversation; see :func:`decision.decide`."""
        surroundings = Surroundings(
            text=utterance.text,
            at=at,
            request=request,
            user=user,
            model=self._facts,
            conversation_data=conversation.data,
            environment=_ENVIRONMENT,
            random=self._random,
        )
        dated = None
        if self._has_recognizers:
            dated = with_remembered_dates(
                utterance,
                conversation,
                at,
                self.model.conversation,
                lambda then: self.read(utterance.text, utterance.language, at=then),
            )
        try:
            if dated is not None:
                question = self._question(dated.utterance, surroundings)
                question = replace(question, notes=dated.notes)
                decision = decide(self._mind, question, conversation, at)
                if decision.goes_on:
                    return decision
            question = self._question(utterance, surroundings)
        except HandlerError as error:
            return Decision(
                Question(utterance, (), surroundings),
                conversation,
                (),
                error=str(error),
                failure=error,
            )
        return decide(self._mind, question, conversation, at)

    def _question(self, utterance: Utterance, surroundings: Surroundings) -> Question:
        """The question of an utterance, with those of its variants that the hooks allow."""
        ways = variants(utterance)
        if not self.hooks.are_empty:
            ways = tuple(filter(self.hooks.allows, ways))
        if not utterance.fallback:
            return Question(utterance, ways, surroundings)
        other = replace(utterance, entities=utterance.fallback, fallback=())
        return Question(utterance, ways, surroundings, self._question(other, surroundings))

    def answer(self, decision: Decision, at: datetime) -> Outcome:
        """Answer with the best match whose handler takes it, ask for what is missing, or say
        why not.

        Raises :class:`HandlerError` if a handler, a hook or a template fails.
        """
        if decision.failure:
            raise decision.failure
        first = decision
        try:
            at_once = self._answered_at_once(decision, at)
        except Reject as rejection:
            return self._consoled(self._rejected(decision, at, _reason(rejection)))
        except _Again as again:
            at_once, decision = None, self._again(decision, again, again.conversation, at)
        if at_once:
            return at_once
        for _ in range(_MOST_REMATCHES):
            try:
                outcome = self._conclude(decision, at, self._respond)
            except _Again as again:
                # What the topic of a match has wiped out comes back for the next one.
                same = again.conversation == decision.conversation
                conversation = decision.before if same else again.conversation
                decision = self._again(decision, again, conversation, at)
                continue
            outcome = self._consoled(outcome)
            return outcome if decision is first else replace(outcome, decision=decision)
        reason = f"the hook 'intent' sent back {_MOST_REMATCHES} matches"
        return self._consoled(self._rejected(decision, at, reason))

    def _again(
        self, decision: Decision, why: _Again, conversation: Conversation, at: datetime
    ) -> Decision:
        """The question matched again; what the bridge has brought back is in the conversation."""
        bridged = decision.bridged
        if bridged and bridged.how == "offered":
            bridged = None
        stays = (gone for gone in decision.forgotten if gone.rule is not Rule.TOPIC)
        again = decide(self._mind, decision.question, conversation, at)
        return replace(
            again,
            bridged=bridged,
            forgotten=(*stays, *why.forgotten, *again.forgotten),
            is_reset=decision.is_reset or why.is_reset,
        )

    def _answered_at_once(self, decision: Decision, at: datetime) -> Outcome | None:
        """The answer of the hook that comes before the intents, which may forget; None if it
        leaves the question to them. Raises :class:`_Again` if it does so and has forgotten
        something."""
        if not self.hooks.may_answer_at_once:
            return None
        live = LiveConversation(decision.before)
        result = self.hooks.answer_at_once(decision.question.utterance, live)
        conversation, forgotten = live.settled()
        if result is None and conversation != decision.before:
            raise _Again(live)
        if result is None:
            return None
        return Outcome(
            "matched",
            rules.answered(conversation, at),
            evicted=forgotten,
            text=_as_text(result),
            result=result,
            is_reset=live.is_reset,
        )

    def recover(self, error: HandlerError, conversation: Conversation) -> Outcome:
        """The answer of the hook to an error, with the ``conversation`` as it was before the
        question. Raises the error if there is none."""
        result = self.hooks.answer_to_error(error)
        if result is None:
            raise error
        return Outcome(
            "rejected", conversation, text=_as_text(result), reason=str(error), result=result
        )

    def foresee(self, decision: Decision, at: datetime) -> Outcome:
        """What :meth:`answer` would come to if no handler passed; nothing is called for it."""
        return self._conclude(
            decision, at, lambda decision, match: (LiveConversation(decision.conversation), None)
        )

    def _conclude(self, decision: Decision, at: datetime, respond: _Respond) -> Outcome:
        if len(decision.question.utterance.text) > self._max_characters:
            return self._rejected(decision, at, self._why_not(decision))
        if decision.pending_is == "declined":
            return self._declined(decision, at)
        skipped: list[Match] = []
        for match in decision.matches:
            if self.model.unused and (unused := self._left_over(decision, match)):
                return self._asking_about_unused(decision, match, unused, at)
            try:
                return self._matched(decision, match, tuple(skipped), at, respond)
            except Skip:
                skipped.append(match)
            except Reject as rejection:
                return self._rejected(decision, at, _reason(rejection))
        if decision.reset_phrase:
            return Outcome("reset", rules.reset(decision.conversation, at)[0])
        if decision.bridged and decision.bridged.how == "offered":
            return self._offering(decision, decision.bridged, at)
        if decision.asking:
            return self._incomplete(decision, decision.asking, at)
        if decision.bridged and decision.bridged.how == "declined":
            return self._declined(decision, at)
        return self._rejected(decision, at, self._why_not(decision), tuple(skipped))

    def _matched(
        self,
        decision: Decision,
        match: Match,
        skipped: tuple[Match, ...],
        at: datetime,
        respond: _Respond,
    ) -> Outcome:
        live, result = respond(decision, match)
        filling = match.filling
        conversation, forgotten = live.settled()
        conversation, evicted = rules.remember(
            conversation,
            at,
            intent=match.intent.id,
            new=[taken.entity for taken in filling.taken if not taken.remembered],
            used=[taken.remembered for taken in filling.taken if taken.remembered],
        )
        return Outcome(
            "matched",
            conversation,
            filling,
            winner=match,
            skipped=skipped,
            evicted=(*forgotten, *evicted),
            text=_as_text(result),
            result=result,
            is_reset=live.is_reset,
        )

    def _respond(self, decision: Decision, match: Match) -> tuple[LiveConversation, Any]:
        """What the handler returns or, if that is nothing, the response of the model; with the
        conversation as the handler leaves it."""
        conversation, utterance = decision.conversation, decision.question.utterance
        live = LiveConversation(conversation)
        if not self.hooks.accepts(match, live):
            raise _Again(live)
        handler, result = self.handlers.get(match.intent.id), None
        if handler:
            data = deepcopy(dict(conversation.data))  # a handler may change it and then fail
            result = handler(
                match,
                data=data,
                text=utterance.text,
                user=conversation.user,
                conversation=live,
                at=decision.question.surroundings.at,
                language=utterance.language,
            )
            live.keep(_as_json(data, match.intent))
        if result is None:
            values = partial(self._values, decision, match.filling)
            result = self.responses.response(match.intent.id, utterance.language, values)
        return live, self.hooks.changed_result(match, result)

    def _incomplete(self, decision: Decision, asking: Filling, at: datetime) -> Outcome:
        before = decision.conversation
        if decision.pending_is == "asked again":
            conversation = rules.asked_again(before, at)
        else:
            pending = pending_of(decision, at)
            if asking.intent.id in self.model.unused:
                unused = (*self._unused_before(decision, asking), *_unused_texts(decision, asking))
                pending = replace(pending, unused=unused)
            conversation = rules.incomplete(before, at, pending)
        if not asking.missing:
            assert before.pending is not None
            text = self._question_about_unused(decision, asking, before.pending.unused)
            return Outcome("incomplete", conversation, asking, text=text)
        prompt = self.responses.prompt(
            asking.intent.id,
            asking.missing[0].label,
            decision.question.utterance.language,
            partial(self._values, decision, asking),
        )
        return Outcome("incomplete", conversation, asking, text=prompt)

    def _left_over(self, decision: Decision, match: Match) -> tuple[str, ...]:
        """What the user is to be asked about before the match is answered: what it does not use
        of the sentence, and of the ones that it completes."""
        if match.intent.id not in self.model.unused or decision.pending_is == "confirmed":
            return ()
        filling = match.filling
        return (*self._unused_before(decision, filling), *_unused_texts(decision, filling))

    def _unused_before(self, decision: Decision, filling: Filling) -> tuple[str, ...]:
        """What was left of the sentences that this one completes, until a yes or a no. What the
        user was asked about is settled as well by a sentence that fills a required term anew, but
        for what turns the sense of others, such as a "not"."""
        pending = decision.conversation.pending if decision.pending else None
        if pending is None or pending.missing or not pending.unused:
            return pending.unused if pending else ()
        if not _fills_required(filling):
            return pending.unused
        language = decision.question.utterance.language
        return tuple([text for text in pending.unused if self.read(text, language).qualifiers])

    def _asking_about_unused(
        self, decision: Decision, match: Match, unused: tuple[str, ...], at: datetime
    ) -> Outcome:
        """Carry nothing out, and ask whether to go on without what is unused."""
        filling = match.filling
        pending = Pending(
            match.intent.id,
            tuple(taken.entity for taken in filling.taken if not taken.remembered),
            missing=(),
            at=at,
            unused=unused,
        )
        return Outcome(
            "incomplete",
            rules.incomplete(decision.conversation, at, pending),
            filling,
            winner=match,
            text=self._question_about_unused(decision, filling, unused),
            reason=f"it leaves unused: {', '.join(unused)}",
        )

    def _question_about_unused(
        self, decision: Decision, filling: Filling, unused: tuple[str, ...]
    ) -> str:
        language = decision.question.utterance.language
        values = partial(self._values, decision, filling, unused)
        return self.responses.unused(filling.intent.id, language, values) or left_over(
            unused, language
        )

    def _offering(self, decision: Decision, bridged: Bridged, at: datetime) -> Outcome:
        """Ask whether it is still about what the long-term memory brings back."""
        offer, match = bridged.offer, bridged.match
        assert offer is not None
        assert match is not None
        filling = match.filling
        language = decision.question.utterance.language
        values = partial(self._values, decision, filling)
        text = self.responses.offer(filling.intent.id, language, values)
        if not text:
            named = (name_of(taken.entity) for taken in filling.taken if taken.remembered)
            text = still_about(named, language)
        pending = pending_of(decision, at) if decision.asking else None
        conversation = rules.offering(decision.conversation, at, offer, pending)
        return Outcome("incomplete", conversation, filling, text=text)

    def _declined(self, decision: Decision, at: datetime) -> Outcome:
        """Take a no to an offer for what it is: nothing that was misunderstood."""
        return Outcome(
            "rejected",
            rules.answered(decision.conversation, at),
            text=declined(decision.question.utterance.language),
            reason=_DECLINED,
        )

    def _rejected(
        self, decision: Decision, at: datetime, reason: str, skipped: tuple[Match, ...] = ()
    ) -> Outcome:
        before = decision.before  # a topic that was refused is no change
        conversation, evicted = rules.rejected(before, at, self.model.conversation)
        return Outcome(
            "rejected",
            conversation,
            skipped=skipped,
            evicted=evicted,
            text=reason,
            reason=reason,
        )

    def _consoled(self, outcome: Outcome) -> Outcome:
        """A rejection with what the hook answers to it."""
        if outcome.status != "rejected" or outcome.reason == _DECLINED:
            return outcome
        result = self.hooks.answer_to_rejection(outcome.reason)
        return outcome if result is None else replace(outcome, text=_as_text(result), result=result)

    def _values(
        self, decision: Decision, filling: Filling, unused: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """What a template may name; ``unused`` is what the sentence leaves, if not given."""
        slots, question = slots_of(filling), decision.question
        utterance = question.utterance
        values: dict[str, Any] = {
            "intent": filling.intent.id,
            "user": decision.conversation.user,
            "text": utterance.text,
            "slots": SlotView(slots),
            "unused": _unused_parts(decision, filling) if unused is None else unused,
            LOCALITY: (utterance.language, question.surroundings.at.tzinfo),
        }
        for term in filling.intent.terms:  # an empty slot hides what else bears its name
            if term.id in values:
                del values[term.id]
        for name, slot in slots.items():
            found = [template_value(taken.entity) for taken in slot.taken]
            values[name] = found if slot.several else found[0]
        return values

    def _why_not(self, decision: Decision) -> str:
        utterance = decision.question.utterance
        if len(utterance.text) > self._max_characters:
            return f"the question is longer than {self._max_characters:,} characters"
        if decision.error:
            return decision.error
        if decision.matches:
            return "every intent that matched passed on it"
        if not utterance.text.strip():
            return "the question is empty"
        if not utterance.entities:
            return "nothing in it is known to this bot"
        if decision.nearest:
            near = decision.nearest
            if not near.missing:
                return f"it is no {near.intent.id}: {near.obstacle}"
            lacking = " and ".join(term.label for term in near.missing)
            return f"for {near.intent.id} it lacks: {lacking}"
        named = ", ".join(dict.fromkeys(entity.text for entity in utterance.entities))
        return f"no intent can do anything with: {named}"


def _fills_required(filling: Filling) -> bool:
    """Whether a required term takes something of the sentence."""
    return any(
        taken.source == "sentence"
        for match in filling.terms
        if match.term.min > 0
        for taken in match.taken
    )


def _unused_parts(decision: Decision, filling: Filling) -> Sequence[UnusedPart]:
    """What of the sentence is unused; nothing of one that said yes."""
    if decision.pending_is == "confirmed":
        return ()
    return unused_in(decision.question.utterance, filling)


def _unused_texts(decision: Decision, filling: Filling) -> Iterator[str]:
    return (one.text for one in _unused_parts(decision, filling))


def _reason(rejection: Reject) -> str:
    return str(rejection) or "the bot refused it"


def _as_text(result: Any) -> str:
    return result if isinstance(result, str) else ""


def _as_json(data: dict[str, Any], intent: Intent) -> dict[str, Any]:
    """What a handler leaves with the conversation, apart from whatever it still holds of it.

    Raises :class:`HandlerError` for what no store could keep.
    """
    if not data:
        return {}
    try:
        kept: dict[str, Any] = json.loads(json.dumps(data, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise HandlerError(
            f"the handler of '{intent.id}' left something in 'data' that is not JSON: {error}"
        ) from error
    return kept


def _without_reset_phrases(utterance: Utterance) -> Utterance:
    """The utterance without the entities that are words of a reset phrase ("enough of the
    weather" asks for no weather)."""
    resets = {index for reset in utterance.resets for index in reset}
    entities = (entity for entity in utterance.entities if resets.isdisjoint(entity.tokens))
    return replace(utterance, entities=tuple(entities), fallback=())
