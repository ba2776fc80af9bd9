"""The engine: bots, a store of conversations and a long-term memory behind one method, ``ask``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from copy import copy
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import random
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from msgspec.structs import replace

from anaphora.core.request import Request, User
from anaphora.core.utterance import Entity
from anaphora.engine.answering.confirmation_claim import claim_confirmation
from anaphora.engine.answering.dialog_update import record_statement
from anaphora.engine.ask import ask, explain
from anaphora.engine.batches import Question, ReplyIterator, prefetch_utterances
from anaphora.engine.bots.bot import Bot
from anaphora.engine.bots.bot_registry import BotRegistry
from anaphora.engine.callbacks.answer import Answer
from anaphora.engine.callbacks.fallback_agent import FallbackAgent
from anaphora.engine.callbacks.fallback_handler import FallbackHandler
from anaphora.engine.callbacks.hooks import HookName
from anaphora.engine.identity import (
    NAMESPACE_KINDS,
    conversation_key,
    parse_time_zone,
    tenant_id,
    to_user,
    user_namespace,
)
from anaphora.engine.long_term.exchanges import build_reset_mark
from anaphora.engine.long_term.protocol import LongTerm, open_long_term
from anaphora.engine.long_term.recorder import add_exchange, next_clock
from anaphora.engine.reply import Reply
from anaphora.engine.turn import Turn
from anaphora.entities.pipeline import BATCH_SIZE
from anaphora.entities.prefetch import PrefetchedUtterances
from anaphora.errors import AnaphoraError, HandlerError
from anaphora.intents.explanation import Explanation
from anaphora.models.domain import Model, ResetScope
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, RememberedEntity
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.quarantine import quarantine_of
from anaphora.stm.stores.store import Store
from anaphora.stm.stores.urls import store_at
from anaphora.storage.cache import Cache
from anaphora.storage.logical_clock import utc_now

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Engine"]

_log = logging.getLogger(__name__)

_NO_REQUEST = Request()
_ACTIVE_MODEL_TTL = timedelta(days=30)  # since the user switched to it
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Engine:
    """Answers the questions of many users with one or more models.

    ``models`` are models, paths of model files, or names of bundled models; the first is the
    default. ``store`` keeps the conversations: a store or its URL (``memory:``,
    ``sqlite:///bot.db``, ``redis://host``, ``postgresql://host/database``); the memory of this
    process if left out. ``long_term`` is a long-term memory or its URL (``sqlite:///history.db``,
    ``postgresql://host/database``); none if left out. ``fallback`` is an agent that answers what no
    intent fits, an :class:`~anaphora.agents.agent.Agent` for example. ``nlp`` is a spaCy pipeline
    to extend instead of a blank one (or one for each language). ``clock`` gives the time, with a
    time zone, of a question without one; ``random`` the numbers of ``rand`` in predicates. Texts of
    more than ``max_characters`` are rejected unread. ``cache`` is a folder for compiled models, so
    that the next engine starts faster; none if left out.

    All methods are thread-safe. Questions of one conversation are answered in turn, those of
    different conversations in parallel. A user is an id or a :class:`User`; users of different
    companies are different, even if their ids are equal.

    Raises :class:`ModelError` for a model that cannot be loaded, :class:`StoreError` for a store
    that cannot be used.
    """

    def __init__(
        self,
        *models: Model | str | Path,
        store: Store | str | None = None,
        long_term: LongTerm | str | None = None,
        fallback: FallbackAgent | None = None,
        clock: Callable[[], datetime] = utc_now,
        nlp: Language | Mapping[str, Language] | None = None,
        max_characters: int = 10_000,
        random: Callable[[], float] = random,
        cache: str | Path | None = None,
    ) -> None:
        if not models:
            raise AnaphoraError("an engine needs at least one model")
        self._bots = BotRegistry(
            models,
            nlp=nlp,
            max_characters=max_characters,
            random=random,
            cache=None if cache is None else Cache(cache),
        )
        self._uses_blank_pipelines = nlp is None
        self._clock, self._fallback = clock, fallback
        self._owns_store = store is None or isinstance(store, str)
        if store is None or isinstance(store, str):
            store = store_at("memory:" if store is None else store, clock=clock)
        self._store = store
        self._owns_long_term = isinstance(long_term, str)
        try:
            self._long_term = open_long_term(long_term, clock)
        except BaseException:
            self._close_store()
            raise

    def __repr__(self) -> str:
        return f"Engine({', '.join(repr(model.id) for model in self.models)})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store and the long-term memory, unless the caller created them. No question
        can be asked afterwards."""
        try:
            if self._long_term is not None and self._owns_long_term:
                self._long_term.close()
        finally:
            self._close_store()

    def _close_store(self) -> None:
        if self._owns_store:
            self._store.close()

    def with_long_term(self, long_term: LongTerm | None) -> Engine:
        """A copy of this engine with another long-term memory, or none. It shares models, handlers
        and conversations; closing it closes nothing."""
        other = copy(self)
        other._long_term = long_term
        other._owns_store = other._owns_long_term = False
        return other

    def with_fallback(self, fallback: FallbackAgent | None) -> Engine:
        """A copy of this engine with another agent as its fallback, or none. It shares models,
        handlers, conversations and long-term memory; closing it closes nothing."""
        other = copy(self)
        other._fallback = fallback
        other._owns_store = other._owns_long_term = False
        return other

    @property
    def store(self) -> Store:
        """The store of conversations."""
        return self._store

    @property
    def long_term(self) -> LongTerm | None:
        """The long-term memory, if there is one."""
        return self._long_term

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, the default first."""
        return tuple(bot.model for bot in self._bots)

    def model(self, id: str | None = None) -> Model:
        """The model with this id; the default if left out. Raises :class:`UnknownModel`."""
        return self._bots.get(id).model

    def may_block(self, model: str) -> bool:
        """Whether a question to ``model`` may block: on functions of the bot's author, on a store
        outside this process, or on a long-term memory. If not, a short question is best answered
        without another thread.

        Raises :class:`UnknownModel`.
        """
        return not (isinstance(self._store, MemoryStore) and self._waits_for_store_only(model))

    def _waits_for_store_only(self, model: str) -> bool:
        """Whether a question to ``model`` may block on nothing but the store."""
        bot = self._bots.get(model)
        has_others = self._long_term is not None or self._fallback is not None
        return bot.answers_without_blocking and self._uses_blank_pipelines and not has_others

    def has_handler(self, intent: str, *, model: str | None = None) -> bool:
        """Whether a handler of the bot's author answers ``intent``.

        Raises :class:`UnknownModel`.
        """
        return intent in self._bots.get(model).handlers

    def ask(
        self,
        text: str,
        *,
        user: str | User = "user",
        model: str | None = None,
        at: datetime | None = None,
        language: str | None = None,
        request: Request = _NO_REQUEST,
        explain: bool = False,
    ) -> Reply:
        """Answer one question of ``user``'s conversation with ``model`` (its id).

        Predicates can read the other fields of a :class:`User` and the ``request``
        (``user_admin``, ``meta_req('k')``). ``at`` is the time of the question, now if left out;
        the store expires conversations by the engine's clock, so pass a ``clock`` if questions lie
        in the past. ``language`` is one of the model's, with any region, detected if left out. A
        question that is not understood gets the status ``rejected``.

        Raises :class:`HandlerError` if the handler or the response template fails; the
        conversation is then as it was before the question. Raises :class:`Conflict` if a handler
        asks in the conversation that it is answering, or if the conversation stays locked for too
        long; :class:`StoreError` if it cannot be read or written.
        """
        return self._answer(Question(text, user, model, at, language, request, explain))

    def say(
        self,
        answer: Answer,
        *,
        user: str | User = "user",
        model: str | None = None,
        intent: str = "",
        at: datetime | None = None,
    ) -> None:
        """Say something to a user who has not asked: what ``answer`` mentions is remembered, and
        what it offers lies on the table, as if ``intent`` had said it with the last answer. The
        long-term memory does not store it.

        Raises :class:`HandlerError` for what cannot be an entity of the model, and for offers that
        have no intent; :class:`Conflict` and :class:`StoreError` as :meth:`ask` does.
        """
        who = to_user(user)
        bot = self._select_bot(model, who)
        with self._store.open(conversation_key(who, bot.model.id), bot.time_to_live) as session:
            conversation = bot.model_upgrade(session.conversation)
            after = record_statement(bot, conversation, answer, intent, self._resolve_time(at))
            clock = next_clock(session, self._long_term)
            fingerprint, language = bot.model_upgrade.fingerprint, conversation.language
            session.commit(
                rules.stamp(after, language=language, fingerprint=fingerprint, clock=clock)
            )

    def ask_many(
        self,
        questions: Iterable[str | Question],
        *,
        user: str | User = "user",
        model: str | None = None,
        at: datetime | None = None,
        language: str | None = None,
        request: Request = _NO_REQUEST,
        explain: bool = False,
        batch_size: int = BATCH_SIZE,
    ) -> Iterator[Reply]:
        """Answer many questions in order, as :meth:`ask` would one by one. Each is answered when
        its reply is requested.

        A question is a text, or a :class:`Question` with its own user, time and so on; the
        arguments here are the defaults. If the model has a spaCy pipeline of its own, it reads
        ``batch_size`` texts at once, which is much faster with a neural one; "today" in a question
        without a time is then the day on which the batch was read.

        An error of a question is raised in its turn, and the iterator can go on with the next
        question. Raises ValueError for a ``batch_size`` less than 1, TypeError for a single text.
        """
        if isinstance(questions, str):
            raise TypeError("ask_many takes several questions: write ask(…) for a single one")
        if batch_size < 1:
            raise ValueError(f"a batch has at least one question, not {batch_size}")
        return ReplyIterator(
            questions,
            Question("", user, model, at, language, request, explain),
            answer=self._answer,
            prefetch=lambda batch: prefetch_utterances([self._try_prepare(one) for one in batch]),
            choose_batch_size=lambda: (
                batch_size if any(bot.pipeline.benefits_from_batches for bot in self._bots) else 1
            ),
        )

    def explain(
        self,
        text: str,
        *,
        user: str | User = "user",
        model: str | None = None,
        at: datetime | None = None,
        language: str | None = None,
        request: Request = _NO_REQUEST,
    ) -> Explanation:
        """Explain how ``text`` would be answered now.

        No handler is called and nothing is remembered. To explain a question while asking it, use
        ``ask(..., explain=True)``.
        """
        turn = self._prepare(Question(text, user, model, at, language, request))
        return explain(turn, self._peek_conversation(turn.user, turn.bot), self._long_term)

    def on(self, intent: str, *, model: str | None = None) -> Callable[[_Function], _Function]:
        """Register the decorated function as the handler of ``intent``.

        Its parameters are named after slots and get their values; a parameter of an empty slot
        gets its default or None. It may also take ``match`` (whose slots have metadata), ``data``
        (a dictionary stored with the conversation), ``text``, ``user``, ``conversation`` (which
        can forget entities and flow), ``at`` (the local time) and ``language``. If it returns a
        text, that is the reply; an :class:`Answer` has entities besides; None leaves the reply to
        the model's response. It may raise :class:`Skip` or :class:`Reject`. Without ``model`` it
        serves all models with the intent. It takes precedence over a handler that the model names.

        Raises :class:`HandlerError` for an unknown intent or a parameter that is not a slot.
        """
        if not isinstance(intent, str):
            raise HandlerError("name the intent that the handler answers: @engine.on('order')")
        self._bots.check_intent(intent, model)

        def register(function: _Function) -> _Function:
            self._bots.set_handler(intent, function, model)
            return function

        return register

    def hook(self, name: HookName, *, model: str | None = None) -> Callable[[_Function], _Function]:
        """Register the decorated function as a hook of one model, or of all.

        ``variant(variant)`` returns False to drop a variant; ``context(utterance, conversation)``
        may return an answer before any intent is matched; ``intent(match, conversation)`` returns
        False to have the question matched again (at most ten times), without what it forgot;
        ``result(match, result)`` may return another result, ``rejection(reason)`` an answer to a
        rejected question, and ``error(error)`` an answer to a question whose handler failed (the
        memory is then as it was before the question). None changes nothing.

        Raises :class:`HandlerError` for an unknown name.
        """
        self._bots.select(model)

        def register(function: _Function) -> _Function:
            self._bots.set_hook(name, function, model)
            return function

        return register

    def on_fallback(self, function: _Function, *, model: str | None = None) -> _Function:
        """Register ``function`` as the handler of questions that nothing fits, of one model or of
        all; usable as a decorator.

        It is called for every rejected question, unless a handler has rejected it in words of its
        own, and unless the hook ``rejection`` answers it. It may take ``text``, ``kind`` (why, as
        one word: ``unknown``, ``incomplete``, ``too_long``, ``refused``, ``empty``), ``reason``
        (the same as a sentence), ``unknown`` (the unknown parts of the question), ``failures`` (how
        many questions in a row were rejected, with this one), ``examples`` (of the model),
        ``user``, ``language``, ``at``, ``conversation`` and ``data``. If it returns a text, that is
        the reply; None leaves the reply to the texts of the model. It takes precedence over the
        handler that the model names.

        Raises :class:`HandlerError` for a parameter that nothing can fill.
        """
        self._bots.set_fallback_handler(FallbackHandler.bind(function), model)
        return function

    def active_model(self, *, user: str | User = "user") -> str:
        """The id of the model for questions of ``user`` that name none."""
        return self._select_bot(None, to_user(user)).model.id

    def switch(self, model: str | None, *, user: str | User = "user") -> None:
        """Set the active model, for questions of ``user`` that name none; None: the default.

        This is an explicit change of context: each model has its own memory of the user, with its
        own timeout. Raises :class:`UnknownModel`.
        """
        namespace = user_namespace(to_user(user))
        if model is None:
            self._store.delete_note(namespace, "model")
        else:
            id = self._bots.get(model).model.id
            self._store.put_note(namespace, "model", id, _ACTIVE_MODEL_TTL)

    def prepare(self) -> None:
        """Build now what a model with sentences else builds for the first question that is no
        whole sentence: a service does it before it takes questions."""
        for bot in self._bots:
            bot.prepare()

    def reload(self, model: str | None = None) -> Model:
        """Load the file of a model again; the next question uses it. Registered handlers and hooks
        stay, and so does the memory as far as it fits the new model. Copies of this engine
        (:meth:`with_long_term`) use the new model, too. Concurrent calls for one model run in turn.

        Raises :class:`ModelError` or :class:`HandlerError` if the new model is invalid; the old
        one stays in use.
        """
        return self._bots.reload(model)

    def forget(
        self,
        *,
        user: str | User = "user",
        model: str | None = None,
        what: ResetScope = "all",
        group: str | None = None,
        where: Callable[[Entity], bool] | None = None,
    ) -> None:
        """Forget a user's conversation with a model: ``all`` of it, its remembered ``entities``,
        or its dialog ``flow``; or only the entities of a ``group``, or those for which ``where``
        is true. The long-term memory keeps the exchanges, but no longer offers them as context.

        Raises :class:`AnaphoraError` for another value of ``what``, and what :meth:`ask` raises
        for the store.
        """
        who = to_user(user)
        bot = self._select_bot(model, who)
        with self._store.open(conversation_key(who, bot.model.id), bot.time_to_live) as session:
            conversation = bot.model_upgrade(session.conversation)
            if group is not None:
                conversation, _ = rules.forget_group(conversation, group)
            elif where is not None:
                conversation, _ = rules.forget(conversation, where)
            elif what == "flow":
                conversation = rules.forget_flow(conversation)
            elif what == "entities":
                conversation, _ = rules.forget(conversation, lambda entity: True)
            elif what == "all":
                conversation = Conversation.empty(conversation.key)
            else:
                raise AnaphoraError(f"'what' must be 'all', 'entities' or 'flow', not '{what}'")
            if not conversation.questions:
                # A conversation without questions is stored as empty, without a fingerprint.
                conversation = Conversation.empty(conversation.key)
            clock = next_clock(session, self._long_term)
            is_marked = what != "flow" or group is not None or where is not None
            is_marked = is_marked and self._long_term is not None
            forgotten = clock if is_marked else conversation.forgotten_clock
            session.commit(replace(conversation, clock=clock, forgotten_clock=forgotten))
        is_all = what == "all" and group is None and where is None
        if is_all and (quarantine := quarantine_of(self._store)) is not None:
            quarantine.forget(conversation.key)
        if self._long_term is not None and is_marked:
            left = (held.entity for held in conversation.remembered)
            mark = build_reset_mark(self._clock(), left, clock=clock)
            add_exchange(self._long_term, conversation.key, mark)

    def erase(self, *, user: str | User) -> int:
        """Erase all data of a user, for all models: the conversations, the active model, the
        questions submitted to the NLPCraft endpoints, and the exchanges of the long-term memory.
        Nothing of it remains in the files of the store. Returns the number of exchanges erased.

        Raises :class:`Conflict` for a conversation that stays locked, and :class:`StoreError` if
        something cannot be erased now: call it again then.
        """
        who = to_user(user)
        tenant = tenant_id(who)
        keys = {conversation_key(who, bot.model.id) for bot in self._bots}
        kept = self._store.keys()
        keys.update(key for key in kept if (key.user, key.tenant) == (who.id, tenant))
        erased, failure = 0, None
        with ExitStack() as held:  # blocks the user's questions meanwhile
            clocks = [held.enter_context(self._store.hold_and_forget(key)) for key in sorted(keys)]
            if self._long_term is not None:
                try:
                    erased = self._long_term.erase(who.id, tenant=tenant, clock=max(clocks))
                except Exception as error:  # raised when all else is erased
                    failure = error
            if self._fallback is not None:
                try:
                    erased += self._fallback.erase(who.id, tenant=tenant)
                except Exception as error:
                    failure = failure or error
        for namespace in (user_namespace(who, kind) for kind in NAMESPACE_KINDS):
            for name in self._store.list_notes(namespace):
                self._store.delete_note(namespace, name)
        self._store.scrub(who.id, tenant)
        if failure is not None:
            raise failure
        return erased

    def conversation(
        self, *, user: str | User = "user", model: str | None = None, at: datetime | None = None
    ) -> Conversation:
        """The conversation at the time ``at`` (now if left out), after the timeouts; an empty one
        if there is none."""
        who = to_user(user)
        bot = self._select_bot(model, who)
        return rules.expire(
            self._peek_conversation(who, bot), self._resolve_time(at), bot.model.conversation
        )[0]

    def memory(
        self, *, user: str | User = "user", model: str | None = None, at: datetime | None = None
    ) -> tuple[RememberedEntity, ...]:
        """The entities remembered at the time ``at``, newest first."""
        return self.conversation(user=user, model=model, at=at).remembered

    def _answer(self, question: Question, prefetched: PrefetchedUtterances | None = None) -> Reply:
        turn = self._prepare(question, prefetched)
        confirmed = claim_confirmation(turn, self._store)
        opened = self._store.open(turn.key, turn.bot.time_to_live)
        return ask(turn, opened, self._long_term, self._fallback, confirmed=confirmed)

    def _prepare(self, question: Question, prefetched: PrefetchedUtterances | None = None) -> Turn:
        """Check a question, and find who asks, when, and which bot answers.

        Raises TypeError, ValueError, :class:`AnaphoraError` or :class:`UnknownModel`.
        """
        request = _NO_REQUEST if question.request is None else question.request
        _check_question(question.text, request)
        user = to_user(question.user)
        return Turn(
            text=question.text,
            bot=self._select_bot(question.model, user),
            user=user,
            now=self._resolve_time(question.at, request),
            request=request,
            language=question.language,
            explain=bool(question.explain),
            prefetched=prefetched,
        )

    def _try_prepare(self, question: Question) -> Turn | None:
        """As :meth:`_prepare`; None for an invalid question, which raises in its turn."""
        try:
            return self._prepare(question)
        except Exception:
            return None

    def _peek_conversation(self, user: User, bot: Bot) -> Conversation:
        key = conversation_key(user, bot.model.id)
        kept = self._store.peek(key)
        return Conversation.empty(key) if kept is None else bot.model_upgrade(kept)

    def _select_bot(self, model: str | None, user: User) -> Bot:
        """The bot of the model that a question names, else of the active model."""
        if model is not None or len(self._bots) == 1:
            return self._bots.get(model)
        return self._bots.get_or_default(self._store.get_note(user_namespace(user), "model"))

    def _resolve_time(self, at: datetime | None, request: Request = _NO_REQUEST) -> datetime:
        now = self._clock() if at is None else at
        if not isinstance(now, datetime):
            raise TypeError(f"the time is a datetime, not {type(now).__name__}")
        if now.tzinfo is None:
            raise ValueError(f"the time {now} has no time zone: write datetime(…, tzinfo=UTC)")
        try:
            now.astimezone(UTC)  # what is remembered has times in UTC
            return now.astimezone(parse_time_zone(request.time_zone)) if request.time_zone else now
        except OverflowError:
            problem = f"the time {now} is outside the years 1 to 9999 in UTC or in the user's zone"
            raise ValueError(problem) from None


def _check_question(text: object, request: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"a question is a text, not {type(text).__name__}")
    if not isinstance(request, Request):
        raise TypeError(f"write request=Request(data={{…}}), not {type(request).__name__}")
