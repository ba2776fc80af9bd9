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

from anaphora.core.request import Request, User
from anaphora.core.utterance import Utterance
from anaphora.engine.callbacks.handlers import Handler, Reject, Skip, bind_handlers
from anaphora.engine.callbacks.hooks import Hooks
from anaphora.engine.callbacks.live_conversation import LiveConversation
from anaphora.engine.long_term.exchanges import has_date_element
from anaphora.engine.model_upgrade import ModelUpgrade
from anaphora.engine.responses import Responses, SlotView
from anaphora.entities.pipeline import Pipeline
from anaphora.entities.prefetch import PrefetchedReadings, UnreadText
from anaphora.entities.variants.search import find_variants
from anaphora.errors import HandlerError
from anaphora.grammar.context import QuestionContext
from anaphora.grammar.idl.intent import Intent
from anaphora.intents.confirmation import (
    display_name,
    format_declined,
    format_offer,
    format_unused_question,
)
from anaphora.intents.decision import BridgeResult, Decision, IndexedModel, build_pending, decide
from anaphora.intents.match import Match, SlotFilling, build_slots
from anaphora.intents.partial_dates import resolve_partial_dates
from anaphora.intents.solver import ParsedQuestion
from anaphora.intents.unused import UnusedPart, find_unused_parts
from anaphora.models.domain import Model, Status
from anaphora.models.templates.entity_text import to_template_value
from anaphora.models.templates.formatting.filters import FORMAT_LOCALE_KEY
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, ForgetRule, ForgottenEntity, PendingQuestion
from anaphora.storage.cache import Cache

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Bot", "BotAnswer"]

_Responder: TypeAlias = Callable[[Decision, Match], tuple[LiveConversation, Any]]

_EXPIRY_NOTICE = timedelta(minutes=1)
_DECLINED_REASON = "the offer was declined"
_ENVIRONMENT: Mapping[str, str] = MappingProxyType(os.environ)  # not to be changed by a model
_MAX_REMATCHES = 10  # a hook that always wants another match must come to an end


class BotAnswer(Struct, frozen=True):
    """What became of a question, and the conversation after it.

    ``filling`` is the intent that answered or that is to be completed; ``winner`` the match
    among the decision's that did; ``skipped`` those whose handlers passed; ``decision`` the one
    that led there, if a hook had the question matched again; ``is_reset`` whether a handler or a
    hook has forgotten on purpose.
    """

    status: Status
    conversation: Conversation
    slot_filling: SlotFilling | None = None
    winner: Match | None = None
    skipped: tuple[Match, ...] = ()
    forgotten: tuple[ForgottenEntity, ...] = ()
    text: str = ""
    reason: str = ""
    result: Any = None
    decision: Decision | None = None
    is_reset: bool = False


class _RematchRequest(Exception):  # noqa: N818 - what is to happen, not something that failed
    """A hook wants the question to be matched again in this conversation."""

    def __init__(self, live: LiveConversation) -> None:
        self.conversation, self.forgotten = live.collect_changes()
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
        self.has_dates = has_date_element(model)
        self.responses = Responses(model)
        self.model_upgrade = ModelUpgrade(model)
        self.handlers = bind_handlers(model)
        self.hooks = Hooks()
        self._registered: dict[str, Callable[..., Any]] = {}
        # Who comes back a little too late is told what was forgotten, and why.
        self.time_to_live = (
            min(model.conversation.timeout, timedelta.max - _EXPIRY_NOTICE) + _EXPIRY_NOTICE
        )
        self.has_memory_only_intents = any(one.options.allow_stm_only for one in model.intents)
        self._indexed_model = IndexedModel.from_model(model)
        self._model_facts = model.info
        self._has_recognizers = any(element.recognition for element in model.elements)
        self._random = random
        self._max_characters = max_characters
        self._reads_without_waiting = not model.pipelines and all(
            element.recognition is None or element.recognition.kind == "built-in"
            for element in model.elements
        )

    @property
    def indexed_model(self) -> IndexedModel:
        return self._indexed_model

    @property
    def is_declarative(self) -> bool:
        """Whether all that answers is declared in the model: no function that could take its
        time, no statistical pipeline."""
        return self._reads_without_waiting and not self.handlers and self.hooks.is_empty

    def on(self, intent: Intent, function: Callable[..., Any]) -> None:
        """Let ``function`` answer ``intent``; raises :class:`HandlerError` if it cannot."""
        self.handlers[intent.id] = Handler.bind(function, intent)
        self._registered[intent.id] = function

    def adopt_callbacks(self, other: Bot) -> None:
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
        preferred_language: str = "",
        at: datetime | None = None,
        prefetched: PrefetchedReadings | None = None,
    ) -> Utterance:
        """Tag the elements of ``text``. One that is too long is not read at all. Without a
        ``language`` it is found; ``usual`` is the one if others fit as well. ``at`` is the local
        time of the one who asks. ``ahead`` is what was read before, if this bot did.

        Raises :class:`ModelError` for a language that the model doesn't have.
        """
        too_long = len(text) > self._max_characters
        if prefetched is not None and prefetched.pipeline is self.pipeline:
            utterance = prefetched.select_likeliest(preferred_language)
        else:
            utterance = self.pipeline(
                "" if too_long else text, language, preferred=preferred_language, at=at
            )
        if too_long:
            return replace(utterance, text=text)
        return _drop_reset_entities(utterance) if utterance.resets else utterance

    def read_ahead(self, texts: Sequence[UnreadText]) -> list[PrefetchedReadings | None]:
        """What :meth:`read` can go by when the turn of each text comes, read at once; None where
        it must read itself."""
        fitting = [one for one in texts if len(one.text) <= self._max_characters]
        read = iter(self.pipeline.prefetch(fitting))
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
        surroundings = QuestionContext(
            text=utterance.text,
            at=at,
            request=request,
            user=user,
            model=self._model_facts,
            conversation_data=conversation.data,
            environment=_ENVIRONMENT,
            random=self._random,
        )
        dated = None
        if self._has_recognizers:
            dated = resolve_partial_dates(
                utterance,
                conversation,
                at,
                self.model.conversation,
                lambda then: self.read(utterance.text, utterance.language, at=then),
            )
        try:
            if dated is not None:
                question = self._build_question(dated.utterance, surroundings)
                question = replace(question, notes=dated.notes)
                decision = decide(self._indexed_model, question, conversation, at)
                if decision.uses_memory:
                    return decision
            question = self._build_question(utterance, surroundings)
        except HandlerError as error:
            return Decision(
                ParsedQuestion(utterance, (), surroundings),
                conversation,
                (),
                error=str(error),
                hook_error=error,
            )
        return decide(self._indexed_model, question, conversation, at)

    def _build_question(
        self, utterance: Utterance, surroundings: QuestionContext
    ) -> ParsedQuestion:
        """The question of an utterance, with those of its variants that the hooks allow."""
        ways = find_variants(utterance)
        if not self.hooks.is_empty:
            ways = tuple(filter(self.hooks.run_variant, ways))
        if not utterance.fallback:
            return ParsedQuestion(utterance, ways, surroundings)
        other = replace(utterance, entities=utterance.fallback, fallback=())
        return ParsedQuestion(
            utterance, ways, surroundings, self._build_question(other, surroundings)
        )

    def answer(self, decision: Decision, at: datetime) -> BotAnswer:
        """Answer with the best match whose handler takes it, ask for what is missing, or say
        why not.

        Raises :class:`HandlerError` if a handler, a hook or a template fails.
        """
        if decision.hook_error:
            raise decision.hook_error
        first = decision
        try:
            at_once = self._run_context_hook(decision, at)
        except Reject as rejection:
            return self._run_rejection_hook(self._reject(decision, at, _rejection_text(rejection)))
        except _RematchRequest as again:
            at_once, decision = None, self._rematch(decision, again, again.conversation, at)
        if at_once:
            return at_once
        for _ in range(_MAX_REMATCHES):
            try:
                outcome = self._answer_decision(decision, at, self._respond)
            except _RematchRequest as again:
                # What the topic of a match has wiped out comes back for the next one.
                same = again.conversation == decision.conversation
                conversation = decision.before_topic_change if same else again.conversation
                decision = self._rematch(decision, again, conversation, at)
                continue
            outcome = self._run_rejection_hook(outcome)
            return outcome if decision is first else replace(outcome, decision=decision)
        reason = f"the hook 'intent' sent back {_MAX_REMATCHES} matches"
        return self._run_rejection_hook(self._reject(decision, at, reason))

    def _rematch(
        self, decision: Decision, request: _RematchRequest, conversation: Conversation, at: datetime
    ) -> Decision:
        """The question matched again; what the bridge has brought back is in the conversation."""
        bridged = decision.bridge
        if bridged and bridged.outcome == "offered":
            bridged = None
        stays = (gone for gone in decision.forgotten if gone.rule is not ForgetRule.TOPIC)
        again = decide(self._indexed_model, decision.question, conversation, at)
        return replace(
            again,
            bridge=bridged,
            forgotten=(*stays, *request.forgotten, *again.forgotten),
            is_reset=decision.is_reset or request.is_reset,
        )

    def _run_context_hook(self, decision: Decision, at: datetime) -> BotAnswer | None:
        """The answer of the hook that comes before the intents, which may forget; None if it
        leaves the question to them. Raises :class:`_RematchRequest` if it does so and has forgotten
        something."""
        if not self.hooks.has_context_hook:
            return None
        live = LiveConversation(decision.before_topic_change)
        result = self.hooks.run_context(decision.question.utterance, live)
        conversation, forgotten = live.collect_changes()
        if result is None and conversation != decision.before_topic_change:
            raise _RematchRequest(live)
        if result is None:
            return None
        return BotAnswer(
            "matched",
            rules.record_answer(conversation, at),
            forgotten=forgotten,
            text=_text_or_empty(result),
            result=result,
            is_reset=live.is_reset,
        )

    def answer_error(self, error: HandlerError, conversation: Conversation) -> BotAnswer:
        """The answer of the hook to an error, with the ``conversation`` as it was before the
        question. Raises the error if there is none."""
        result = self.hooks.run_error(error)
        if result is None:
            raise error
        return BotAnswer(
            "rejected", conversation, text=_text_or_empty(result), reason=str(error), result=result
        )

    def dry_run(self, decision: Decision, at: datetime) -> BotAnswer:
        """What :meth:`answer` would come to if no handler passed; nothing is called for it."""
        return self._answer_decision(
            decision, at, lambda decision, match: (LiveConversation(decision.conversation), None)
        )

    def _answer_decision(self, decision: Decision, at: datetime, respond: _Responder) -> BotAnswer:
        if len(decision.question.utterance.text) > self._max_characters:
            return self._reject(decision, at, self._rejection_reason(decision))
        if decision.pending_action == "declined":
            return self._accept_decline(decision, at)
        skipped: list[Match] = []
        for match in decision.matches:
            if self.model.unused and (unused := self._find_unused_texts(decision, match)):
                return self._ask_about_unused(decision, match, unused, at)
            try:
                return self._answer_match(decision, match, tuple(skipped), at, respond)
            except Skip:
                skipped.append(match)
            except Reject as rejection:
                return self._reject(decision, at, _rejection_text(rejection))
        if decision.has_reset_phrase:
            return BotAnswer("reset", rules.record_reset(decision.conversation, at)[0])
        if decision.bridge and decision.bridge.outcome == "offered":
            return self._make_offer(decision, decision.bridge, at)
        if decision.incomplete:
            return self._ask_for_missing(decision, decision.incomplete, at)
        if decision.bridge and decision.bridge.outcome == "declined":
            return self._accept_decline(decision, at)
        return self._reject(decision, at, self._rejection_reason(decision), tuple(skipped))

    def _answer_match(
        self,
        decision: Decision,
        match: Match,
        skipped: tuple[Match, ...],
        at: datetime,
        respond: _Responder,
    ) -> BotAnswer:
        live, result = respond(decision, match)
        filling = match.filling
        conversation, forgotten = live.collect_changes()
        conversation, evicted = rules.record_match(
            conversation,
            at,
            intent=match.intent.id,
            new=[taken.entity for taken in filling.taken if not taken.remembered],
            used=[taken.remembered for taken in filling.taken if taken.remembered],
        )
        return BotAnswer(
            "matched",
            conversation,
            filling,
            winner=match,
            skipped=skipped,
            forgotten=(*forgotten, *evicted),
            text=_text_or_empty(result),
            result=result,
            is_reset=live.is_reset,
        )

    def _respond(self, decision: Decision, match: Match) -> tuple[LiveConversation, Any]:
        """What the handler returns or, if that is nothing, the response of the model; with the
        conversation as the handler leaves it."""
        conversation, utterance = decision.conversation, decision.question.utterance
        live = LiveConversation(conversation)
        if not self.hooks.run_intent(match, live):
            raise _RematchRequest(live)
        handler, result = self.handlers.get(match.intent.id), None
        if handler:
            data = deepcopy(dict(conversation.data))  # a handler may change it and then fail
            result = handler(
                match,
                data=data,
                text=utterance.text,
                user=conversation.user,
                conversation=live,
                at=decision.question.question_context.at,
                language=utterance.language,
            )
            live.replace_data(_to_json_data(data, match.intent))
        if result is None:
            values = partial(self._template_values, decision, match.filling)
            result = self.responses.render_response(match.intent.id, utterance.language, values)
        return live, self.hooks.run_result(match, result)

    def _ask_for_missing(self, decision: Decision, filling: SlotFilling, at: datetime) -> BotAnswer:
        before = decision.conversation
        if decision.pending_action == "asked again":
            conversation = rules.record_repeated_prompt(before, at)
        else:
            pending = build_pending(decision, at)
            if filling.intent.id in self.model.unused:
                unused = (
                    *self._pending_unused_texts(decision, filling),
                    *_iter_unused_texts(decision, filling),
                )
                pending = replace(pending, unused=unused)
            conversation = rules.record_incomplete(before, at, pending)
        if not filling.missing:
            assert before.pending is not None
            text = self._format_unused_question(decision, filling, before.pending.unused)
            return BotAnswer("incomplete", conversation, filling, text=text)
        prompt = self.responses.render_prompt(
            filling.intent.id,
            filling.missing[0].label,
            decision.question.utterance.language,
            partial(self._template_values, decision, filling),
        )
        return BotAnswer("incomplete", conversation, filling, text=prompt)

    def _find_unused_texts(self, decision: Decision, match: Match) -> tuple[str, ...]:
        """What the user is to be asked about before the match is answered: what it does not use
        of the sentence, and of the ones that it completes."""
        if match.intent.id not in self.model.unused or decision.pending_action == "confirmed":
            return ()
        filling = match.filling
        return (
            *self._pending_unused_texts(decision, filling),
            *_iter_unused_texts(decision, filling),
        )

    def _pending_unused_texts(self, decision: Decision, filling: SlotFilling) -> tuple[str, ...]:
        """What was left of the sentences that this one completes, until a yes or a no. What the
        user was asked about is settled as well by a sentence that fills a required term anew, but
        for what turns the sense of others, such as a "not"."""
        pending = decision.conversation.pending if decision.pending_entities else None
        if pending is None or pending.missing or not pending.unused:
            return pending.unused if pending else ()
        if not _fills_required_term(filling):
            return pending.unused
        language = decision.question.utterance.language
        return tuple([text for text in pending.unused if self.read(text, language).qualifiers])

    def _ask_about_unused(
        self, decision: Decision, match: Match, unused: tuple[str, ...], at: datetime
    ) -> BotAnswer:
        """Carry nothing out, and ask whether to go on without what is unused."""
        filling = match.filling
        pending = PendingQuestion(
            match.intent.id,
            tuple(taken.entity for taken in filling.taken if not taken.remembered),
            missing=(),
            at=at,
            unused=unused,
        )
        return BotAnswer(
            "incomplete",
            rules.record_incomplete(decision.conversation, at, pending),
            filling,
            winner=match,
            text=self._format_unused_question(decision, filling, unused),
            reason=f"it leaves unused: {', '.join(unused)}",
        )

    def _format_unused_question(
        self, decision: Decision, filling: SlotFilling, unused: tuple[str, ...]
    ) -> str:
        language = decision.question.utterance.language
        values = partial(self._template_values, decision, filling, unused)
        return self.responses.render_unused_question(
            filling.intent.id, language, values
        ) or format_unused_question(unused, language)

    def _make_offer(self, decision: Decision, bridge: BridgeResult, at: datetime) -> BotAnswer:
        """Ask whether it is still about what the long-term memory brings back."""
        offer, match = bridge.offer, bridge.match
        assert offer is not None
        assert match is not None
        filling = match.filling
        language = decision.question.utterance.language
        values = partial(self._template_values, decision, filling)
        text = self.responses.render_offer(filling.intent.id, language, values)
        if not text:
            named = (display_name(taken.entity) for taken in filling.taken if taken.remembered)
            text = format_offer(named, language)
        pending = build_pending(decision, at) if decision.incomplete else None
        conversation = rules.record_offer(decision.conversation, at, offer, pending)
        return BotAnswer("incomplete", conversation, filling, text=text)

    def _accept_decline(self, decision: Decision, at: datetime) -> BotAnswer:
        """Take a no to an offer for what it is: nothing that was misunderstood."""
        return BotAnswer(
            "rejected",
            rules.record_answer(decision.conversation, at),
            text=format_declined(decision.question.utterance.language),
            reason=_DECLINED_REASON,
        )

    def _reject(
        self, decision: Decision, at: datetime, reason: str, skipped: tuple[Match, ...] = ()
    ) -> BotAnswer:
        before = decision.before_topic_change  # a topic that was refused is no change
        conversation, evicted = rules.record_rejection(before, at, self.model.conversation)
        return BotAnswer(
            "rejected",
            conversation,
            skipped=skipped,
            forgotten=evicted,
            text=reason,
            reason=reason,
        )

    def _run_rejection_hook(self, outcome: BotAnswer) -> BotAnswer:
        """A rejection with what the hook answers to it."""
        if outcome.status != "rejected" or outcome.reason == _DECLINED_REASON:
            return outcome
        result = self.hooks.run_rejection(outcome.reason)
        return (
            outcome
            if result is None
            else replace(outcome, text=_text_or_empty(result), result=result)
        )

    def _template_values(
        self, decision: Decision, filling: SlotFilling, unused: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """What a template may name; ``unused`` is what the sentence leaves, if not given."""
        slots, question = build_slots(filling), decision.question
        utterance = question.utterance
        values: dict[str, Any] = {
            "intent": filling.intent.id,
            "user": decision.conversation.user,
            "text": utterance.text,
            "slots": SlotView(slots),
            "unused": _find_unused(decision, filling) if unused is None else unused,
            FORMAT_LOCALE_KEY: (utterance.language, question.question_context.at.tzinfo),
        }
        for term in filling.intent.terms:  # an empty slot hides what else bears its name
            if term.id in values:
                del values[term.id]
        for name, slot in slots.items():
            found = [to_template_value(taken.entity) for taken in slot.taken]
            values[name] = found if slot.is_multiple else found[0]
        return values

    def _rejection_reason(self, decision: Decision) -> str:
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
        if decision.near_miss:
            near = decision.near_miss
            if not near.missing:
                return f"it is no {near.intent.id}: {near.blocking_reason}"
            lacking = " and ".join(term.label for term in near.missing)
            return f"for {near.intent.id} it lacks: {lacking}"
        named = ", ".join(dict.fromkeys(entity.text for entity in utterance.entities))
        return f"no intent can do anything with: {named}"


def _fills_required_term(filling: SlotFilling) -> bool:
    """Whether a required term takes something of the sentence."""
    return any(
        taken.source == "sentence"
        for match in filling.terms
        if match.term.min > 0
        for taken in match.taken
    )


def _find_unused(decision: Decision, filling: SlotFilling) -> Sequence[UnusedPart]:
    """What of the sentence is unused; nothing of one that said yes."""
    if decision.pending_action == "confirmed":
        return ()
    return find_unused_parts(decision.question.utterance, filling)


def _iter_unused_texts(decision: Decision, filling: SlotFilling) -> Iterator[str]:
    return (one.text for one in _find_unused(decision, filling))


def _rejection_text(rejection: Reject) -> str:
    return str(rejection) or "the bot refused it"


def _text_or_empty(result: Any) -> str:
    return result if isinstance(result, str) else ""


def _to_json_data(data: dict[str, Any], intent: Intent) -> dict[str, Any]:
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


def _drop_reset_entities(utterance: Utterance) -> Utterance:
    """The utterance without the entities that are words of a reset phrase ("enough of the
    weather" asks for no weather)."""
    resets = {index for reset in utterance.resets for index in reset}
    entities = (entity for entity in utterance.entities if resets.isdisjoint(entity.tokens))
    return replace(utterance, entities=tuple(entities), fallback=())
