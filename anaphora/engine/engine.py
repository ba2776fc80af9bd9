"""The engine: bots and a store of conversations behind one method, ``ask``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from copy import copy
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from pathlib import Path
from random import random
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from msgspec.structs import replace

from anaphora.core.request import Request, User
from anaphora.core.utterance import Entity
from anaphora.engine.backends import resolve_long_term, resolve_store
from anaphora.engine.batches import Question, ReplyIterator, prefetch_readings
from anaphora.engine.bot import Bot, BotAnswer
from anaphora.engine.callbacks.hooks import HookName
from anaphora.engine.identity import (
    NAMESPACE_KINDS,
    conversation_key,
    parse_time_zone,
    tenant_id,
    to_user,
    user_namespace,
)
from anaphora.engine.long_term.bridge import decide_with_long_term
from anaphora.engine.long_term.exchanges import (
    build_exchange,
    build_reset_mark,
    find_sentence_dates,
)
from anaphora.engine.long_term.protocol import LongTerm
from anaphora.engine.reply import Reply
from anaphora.entities.pipeline import BATCH_SIZE
from anaphora.entities.prefetch import PrefetchedReadings, UnreadText
from anaphora.errors import AnaphoraError, HandlerError, ModelError, Problem, UnknownModel
from anaphora.gc_control import gc_paused
from anaphora.intents.decision import Decision
from anaphora.intents.explanation import Explanation, explain
from anaphora.intents.match import build_slots
from anaphora.intents.unused import find_unused_parts
from anaphora.ltm.exchange import Exchange
from anaphora.models.domain import Model, ResetScope
from anaphora.models.loader import load_model
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, ConversationKey, RememberedEntity
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.quarantine import quarantine_of
from anaphora.stm.stores.store import Session, Store
from anaphora.storage.cache import Cache
from anaphora.storage.forks import fork_safe_lock, forks_delayed

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Engine"]

_log = logging.getLogger(__name__)

_NO_REQUEST = Request()
_ACTIVE_MODEL_TTL = timedelta(days=30)  # how long the model that a user chose stays chosen
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Engine:
    """Answers the questions of many users with one or more models.

    ``models`` are models, paths of model files, or names of bundled models; the first is asked
    when a question names none. ``store`` keeps the conversations: a store or the URL of one
    (``memory:``, ``sqlite:///bot.db``, ``redis://host``), the memory of this process if left out.
    ``long_term`` keeps what was said for good: a long-term memory or the URL of one
    (``sqlite:///history.db``, ``postgresql://host/database``); nothing does if left out.
    ``nlp`` is a spaCy pipeline to extend instead of a blank one (or one for each language).
    ``clock`` tells the time (with a time zone) of a question that comes without one, ``random``
    gives the numbers of ``rand`` in predicates. Longer texts than ``max_characters`` are rejected
    unread. ``cache`` is a folder in which what is made of the models is kept, so that the next
    engine with the same ones starts sooner; nothing is if left out.

    All methods may be called from any thread. Questions of one conversation are answered one
    after the other, those of different conversations side by side. A user is an id or a
    :class:`User`; the users of one company are not those of another, whatever their ids.

    Raises :class:`ModelError` for a model that cannot be loaded, :class:`StoreError` for a store
    that cannot be used.
    """

    def __init__(
        self,
        *models: Model | str | Path,
        store: Store | str | None = None,
        long_term: LongTerm | str | None = None,
        clock: Callable[[], datetime] = _utc_now,
        nlp: Language | Mapping[str, Language] | None = None,
        max_characters: int = 10_000,
        random: Callable[[], float] = random,
        cache: str | Path | None = None,
    ) -> None:
        if not models:
            raise AnaphoraError("an engine needs at least one model")
        self._cache = None if cache is None else Cache(cache)

        def live(model: Model) -> Bot:
            return Bot(
                model,
                nlp=nlp,
                max_characters=max_characters,
                random=random,
                cache=self._cache,
            )

        self._create_bot = live
        self._uses_blank_pipelines = nlp is None
        self._bots_lock = fork_safe_lock()  # which bots there are, and what they call
        with gc_paused(), forks_delayed():
            loaded = [
                model if isinstance(model, Model) else load_model(model, cache=self._cache)
                for model in models
            ]
            _check_models(loaded, nlp)
            # Shared by copies of this engine, which get a reloaded model as it does.
            self._bots = {model.id: live(model) for model in loaded}
        self._reload_locks = {id: fork_safe_lock() for id in self._bots}
        self._default_model = loaded[0].id
        self._clock = clock
        self._owns_store = store is None or isinstance(store, str)
        self._store = resolve_store(store, clock)
        self._owns_long_term = isinstance(long_term, str)
        try:
            self._long_term = resolve_long_term(long_term, clock)
        except BaseException:
            self._close_store()
            raise

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
        """Let go of the store and the long-term memory, unless they were given as such. No
        question can be asked then."""
        try:
            if self._long_term is not None and self._owns_long_term:
                self._long_term.close()
        finally:
            self._close_store()

    def _close_store(self) -> None:
        if self._owns_store:
            self._store.close()

    def with_long_term(self, long_term: LongTerm | None) -> Engine:
        """This engine with another long-term memory, or without any: its models, handlers and
        conversations are the same. Closing it closes nothing."""
        other = copy(self)
        other._long_term = long_term
        other._owns_store = other._owns_long_term = False
        return other

    @property
    def store(self) -> Store:
        """Where the conversations are kept."""
        return self._store

    @property
    def long_term(self) -> LongTerm | None:
        """Where what was said is kept for good, None if nowhere."""
        return self._long_term

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, the one asked by default first."""
        return tuple(bot.model for bot in self._bots.values())

    def model(self, id: str | None = None) -> Model:
        """The model of that id; the one asked by default if left out.

        Raises :class:`UnknownModel` if there is none.
        """
        return self._get_bot(self._default_model if id is None else id).model

    def may_wait(self, model: str) -> bool:
        """Whether a question to ``model`` may have to wait for something else than a processor:
        for functions of the bot's author, for a store outside of this process, or for a
        long-term memory. If not, a short one is best answered where it is asked, without
        another thread.

        Raises :class:`UnknownModel` if there is no such model.
        """
        bot = self._get_bot(model)
        at_hand = isinstance(self._store, MemoryStore) and self._long_term is None
        return not (bot.is_declarative and self._uses_blank_pipelines and at_hand)

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

        The conversation is that of the user's id; what else a :class:`User` tells and what
        comes with the ``request`` is there for predicates (``user_admin``, ``meta_req('k')``).
        ``at`` is the time of the question, now if left out (conversations leave the store by
        the engine's clock: give it one if the questions lie in the past); ``language`` is one
        of the model's, detected if left out. A question that can't be understood is answered
        with the status ``rejected``.

        Raises :class:`HandlerError` if the handler or the response template of the intent
        fails: the conversation is then as it was before the question. Raises :class:`Conflict`
        if a handler asks in the very conversation it is answering, or if the conversation stays
        busy for too long; :class:`StoreError` if it cannot be read or kept.
        """
        return self._answer(Question(text, user, model, at, language, request, explain))

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
        """The replies to many questions in their order: those that :meth:`ask` would give to one
        after the other. Each is answered when its reply is asked for, and not before.

        A question is a text, or an :class:`Ask` that says itself of whom it is, of when, and the
        like; what is said here goes for all others. Where a spaCy pipeline of the user's reads
        them, ``batch_size`` questions are taken and read at once, which takes a neural one far
        less time; "today" in one without a time is then the day on which it was read.

        What :meth:`ask` raises for a question is raised in its turn. Nothing is lost by that:
        the iterator goes on with the question after it, if it is asked to. Raises ValueError for
        a ``batch_size`` less than 1, TypeError for a single text.
        """
        if isinstance(questions, str):
            raise TypeError("ask_many takes several questions: write ask(…) for a single one")
        if batch_size < 1:
            raise ValueError(f"a batch has at least one question, not {batch_size}")
        return ReplyIterator(
            questions,
            Question("", user, model, at, language, request, explain),
            answer=self._answer,
            read_ahead=lambda asked: prefetch_readings([self._prepare_read(one) for one in asked]),
            look_ahead=lambda: batch_size if self._benefits_from_batches() else 1,
        )

    def _answer(self, asked: Question, ahead: PrefetchedReadings | None = None) -> Reply:
        """Answer a question, of which ``ahead`` may have been read before."""
        text, request = asked.text, _request_of(asked)
        _check_question(text, request)
        now, who = self._resolve_time(asked.at, request), to_user(asked.user)
        bot = self._select_bot(asked.model, who)
        with self._store.open(conversation_key(who, bot.model.id), bot.time_to_live) as session:
            before = bot.model_upgrade(session.conversation)
            usual = before.language
            utterance = bot.read(
                text, asked.language, preferred_language=usual, at=now, prefetched=ahead
            )
            decision = decide_with_long_term(
                bot, utterance, before, now, who, request, self._long_term
            )
            has_failed = False
            try:
                outcome = bot.answer(decision, now)
            except HandlerError as error:
                outcome, has_failed = bot.answer_error(error, before), True
            decision = outcome.decision or decision
            explanation = _build_explanation(bot, decision, outcome) if asked.explain else None
            spoken, clock = decision.question.utterance.language, self._next_clock(session)
            after = rules.stamp(
                outcome.conversation,
                language=spoken,
                fingerprint=bot.model_upgrade.fingerprint,
                clock=clock,
            )
            is_reset = decision.has_reset_phrase or decision.is_reset or outcome.is_reset
            # If the question says more, what was forgotten has a mark of its own before it.
            forgotten = clock - (outcome.status != "reset") if is_reset else 0
            session.commit(replace(after, forgotten=forgotten) if is_reset else after)
        reply = _build_reply(decision, outcome, explanation)
        if self._long_term is not None and not has_failed:
            self._record_exchange(text, bot, now, decision, outcome, reply, clock, forgotten)
        return reply

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
        """Tell how ``text`` would be answered now, and why.

        Nothing happens: no handler is called and nothing is remembered. To have the
        explanation of a question that is really asked, use ``ask(..., explain=True)``.
        """
        _check_question(text, request)
        now, who = self._resolve_time(at, request), to_user(user)
        bot = self._select_bot(model, who)
        conversation = self._peek_conversation(who, bot)
        utterance = bot.read(text, language, preferred_language=conversation.language, at=now)
        decision = decide_with_long_term(
            bot, utterance, conversation, now, who, request, self._long_term
        )
        return _build_explanation(bot, decision, bot.dry_run(decision, now))

    def on(self, intent: str, *, model: str | None = None) -> Callable[[_Function], _Function]:
        """Register the decorated function as the handler of ``intent``.

        The function is called with the values of the slots by the names of its parameters; a
        parameter of a slot that is empty gets its default or None. It may also take ``match``
        (whose slots have metadata), ``data`` (a dictionary kept with the conversation), ``text``,
        ``user``, ``conversation`` (of which it may forget entities and flow), ``at`` (the local
        time) and ``language``. A text that it returns is the reply; None leaves the reply to the
        model's response. It may raise :class:`Skip` or :class:`Reject`. Without ``model`` it
        serves all models that have the intent. It comes before a handler that the model names.

        Raises :class:`HandlerError` for an unknown intent or a parameter that is no slot.
        """
        if not isinstance(intent, str):
            raise HandlerError("name the intent that the handler answers: @engine.on('order')")
        self._check_intent(intent, model)

        def register(function: _Function) -> _Function:
            with self._bots_lock:  # no reload may hand on meanwhile what was registered
                self._check_intent(intent, model)
                for bot in self._select_bots(model):
                    if declared := bot.model.intent(intent):
                        bot.on(declared, function)
            return function

        return register

    def hook(self, name: HookName, *, model: str | None = None) -> Callable[[_Function], _Function]:
        """Register the decorated function as a hook, of one model or of all.

        ``variant(variant)`` returns False to drop a way to read the sentence;
        ``context(utterance, conversation)`` may return an answer before any intent is looked
        for; ``intent(match, conversation)`` returns False to have the question matched again
        (at most ten times), with what it has forgotten of the conversation;
        ``result(match, result)`` may return another result, ``rejection(reason)`` an answer to
        a question that was rejected, and ``error(error)`` one to a question whose handler has
        failed (the memory is then as before the question). None leaves all as it is.

        Raises :class:`HandlerError` for an unknown name.
        """
        self._select_bots(model)

        def register(function: _Function) -> _Function:
            with self._bots_lock:
                for bot in self._select_bots(model):
                    bot.hooks.set(name, function)
            return function

        return register

    def active_model(self, *, user: str | User = "user") -> str:
        """The id of the model that is asked when a question of ``user`` names none."""
        return self._select_bot(None, to_user(user)).model.id

    def switch(self, model: str | None, *, user: str | User = "user") -> None:
        """Let ``model`` be asked when a question of ``user`` names none; None for the default.

        It is the explicit change of context: each model has its own memory of the user, which
        is kept until its own timeout. Raises :class:`UnknownModel` if there is no such model.
        """
        shelf = user_namespace(to_user(user))
        if model is None:
            self._store.delete_note(shelf, "model")
        else:
            self._store.put_note(shelf, "model", self._get_bot(model).model.id, _ACTIVE_MODEL_TTL)

    def reload(self, model: str | None = None) -> Model:
        """Read the file of a model again, and answer with it from the next question on. What is
        remembered stays as far as it fits; so do registered handlers and hooks. Engines made of
        this one (:meth:`with_long_term`) answer with it as well. Of several calls for a model
        each reads the file when the one before has ended.

        Raises :class:`ModelError` or :class:`HandlerError` if that cannot be: the model as it was
        goes on answering.
        """
        id = self._get_bot(self._default_model if model is None else model).model.id
        with self._reload_locks[id], forks_delayed():
            source = self._bots[id].model.source
            if not source:
                raise AnaphoraError(f"the model '{id}' does not come from a file")
            now = load_model(source, cache=self._cache)
            if now.id != id:
                raise ModelError(
                    Problem(
                        f"the id of this model was '{id}' and is '{now.id}' now",
                        source,
                        hint="conversations are kept by the model's id; start anew to change it",
                    )
                )
            after = self._create_bot(now)
            with self._bots_lock:
                after.adopt_callbacks(self._bots[id])
                self._bots[id] = after
        return now

    def forget(
        self,
        *,
        user: str | User = "user",
        model: str | None = None,
        what: ResetScope = "all",
        group: str | None = None,
        where: Callable[[Entity], bool] | None = None,
    ) -> None:
        """Forget a user's conversation with a model: ``all`` of it, its remembered ``entities``
        or its dialog ``flow``; or only the entities of a ``group``, or those for which
        ``where`` is true. What was said stays in the long-term memory, but nothing of it is
        offered any more as what the conversation was about.

        Raises :class:`AnaphoraError` for something else in ``what``, and as :meth:`ask` does for
        the store.
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
                raise AnaphoraError(f"what is all, entities or flow, not '{what}'")
            if not conversation.questions:
                # Of one that has not begun there is nothing to keep, not even which model it fits.
                conversation = Conversation.empty(conversation.key)
            clock = self._next_clock(session)
            is_marked = self._long_term is not None and (
                what != "flow" or group is not None or where
            )
            forgotten = clock if is_marked else conversation.forgotten
            session.commit(replace(conversation, clock=clock, forgotten=forgotten))
        is_all = what == "all" and group is None and where is None
        if is_all and (quarantine := quarantine_of(self._store)) is not None:
            quarantine.forget(conversation.key)
        if is_marked:
            left = (held.entity for held in conversation.remembered)
            self._add_exchange(conversation.key, build_reset_mark(self._clock(), left, clock=clock))

    def erase(self, *, user: str | User) -> int:
        """Erase all that is kept of a user, with whatever model: the conversations, which model
        they chose, the questions that the service answers in the background, and what the
        long-term memory has; how many exchanges that had. Files of the store hold nothing of it
        afterwards.

        Raises :class:`Conflict` for a conversation that stays busy, and :class:`StoreError` if
        something cannot be erased now: ask for it again then.
        """
        who = to_user(user)
        tenant = tenant_id(who)
        keys = {conversation_key(who, id) for id in self._bots}
        kept = self._store.keys()
        keys.update(key for key in kept if (key.user, key.tenant) == (who.id, tenant))
        erased, failure = 0, None
        with ExitStack() as held:  # no question of the user is answered meanwhile
            clocks = [held.enter_context(self._store.hold_and_forget(key)) for key in sorted(keys)]
            if self._long_term is not None:
                try:
                    erased = self._long_term.erase(who.id, tenant=tenant, clock=max(clocks))
                except Exception as error:  # which is passed on when all else is erased
                    failure = error
        for shelf in (user_namespace(who, kind) for kind in NAMESPACE_KINDS):
            for name in self._store.list_notes(shelf):
                self._store.delete_note(shelf, name)
        self._store.scrub(who.id, tenant)
        if failure is not None:
            raise failure
        return erased

    def conversation(
        self, *, user: str | User = "user", model: str | None = None, at: datetime | None = None
    ) -> Conversation:
        """What the conversation holds at the time ``at`` (now if left out), the timeouts
        applied; an empty one if there is none."""
        who = to_user(user)
        bot = self._select_bot(model, who)
        return rules.expire(
            self._peek_conversation(who, bot), self._resolve_time(at), bot.model.conversation
        )[0]

    def memory(
        self, *, user: str | User = "user", model: str | None = None, at: datetime | None = None
    ) -> tuple[RememberedEntity, ...]:
        """The entities that are remembered at the time ``at``, newest first."""
        return self.conversation(user=user, model=model, at=at).remembered

    def _prepare_read(self, asked: Question) -> tuple[Bot, UnreadText] | None:
        """What will have to be read and by whom, as far as that can be told before its turn; None
        for a question that cannot be asked, as will be told in its turn."""
        request = _request_of(asked)
        try:
            _check_question(asked.text, request)
            bot = self._select_bot(asked.model, to_user(asked.user))
            return bot, UnreadText(
                asked.text, asked.language, self._resolve_time(asked.at, request)
            )
        except Exception:
            return None

    def _benefits_from_batches(self) -> bool:
        return any(bot.pipeline.benefits_from_batches for bot in self._bots.values())

    def _record_exchange(
        self,
        text: str,
        bot: Bot,
        now: datetime,
        decision: Decision,
        outcome: BotAnswer,
        reply: Reply,
        clock: int,
        forgotten: int,
    ) -> None:
        """Give the long-term memory a question and its answer."""
        conversation = outcome.conversation
        if 0 < forgotten < clock:
            self._add_exchange(conversation.key, build_reset_mark(now, clock=forgotten))
        # A next question would not find what has gone unused for long enough by now.
        left = rules.expire(conversation, now, bot.model.conversation)[0].remembered
        is_all = left is conversation.remembered
        memory = reply.memory if is_all else tuple(held.entity for held in left)
        exchange = build_exchange(
            text,
            reply,
            at=now,
            language=decision.question.utterance.language,
            memory=memory,
            clock=clock,
            dates=find_sentence_dates(outcome.slot_filling.taken)
            if outcome.slot_filling is not None and bot.has_dates
            else None,
        )
        self._add_exchange(conversation.key, exchange)

    def _next_clock(self, session: Session) -> int:
        """The logical time of what is done in a conversation: two after all that was done before,
        for it may take the place between to mark that something was forgotten."""
        known = 0 if self._long_term is None else self._long_term.clock
        return max(session.clock, session.conversation.clock + 1, known + 1) + 1

    def _add_exchange(self, key: ConversationKey, exchange: Exchange) -> None:
        """Keep an exchange for good. Whatever becomes of that, the question was answered."""
        assert self._long_term is not None
        try:
            self._long_term.add(key, exchange)
        except Exception:  # a long-term memory may be anybody's code
            _log.exception("the long-term memory does not take an exchange")

    def _check_intent(self, intent: str, model: str | None) -> None:
        known = {one.id: bot for bot in self._select_bots(model) for one in bot.model.intents}
        if intent not in known:
            raise HandlerError(f"no model has an intent '{intent}'{_format_hint(intent, known)}")

    def _select_bots(self, model: str | None) -> list[Bot]:
        return list(self._bots.values()) if model is None else [self._get_bot(model)]

    def _peek_conversation(self, user: User, bot: Bot) -> Conversation:
        key = conversation_key(user, bot.model.id)
        kept = self._store.peek(key)
        return Conversation.empty(key) if kept is None else bot.model_upgrade(kept)

    def _select_bot(self, model: str | None, user: User) -> Bot:
        """The bot of the model that a question names or, if it names none, the active one."""
        if model is not None:
            return self._get_bot(model)
        chosen = (
            self._store.get_note(user_namespace(user), "model") if len(self._bots) > 1 else None
        )
        return self._bots.get(chosen or self._default_model) or self._bots[self._default_model]

    def _get_bot(self, id: str) -> Bot:
        if id not in self._bots:
            raise UnknownModel(f"this engine has no model '{id}'{_format_hint(id, self._bots)}")
        return self._bots[id]

    def _resolve_time(self, at: datetime | None, request: Request = _NO_REQUEST) -> datetime:
        now = self._clock() if at is None else at
        if not isinstance(now, datetime):
            raise TypeError(f"the time is a datetime, not {type(now).__name__}")
        if now.tzinfo is None:
            raise ValueError(f"the time {now} has no time zone: write datetime(…, tzinfo=UTC)")
        return now.astimezone(parse_time_zone(request.time_zone)) if request.time_zone else now


def _check_models(models: list[Model], nlp: object) -> None:
    ids = [model.id for model in models]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise AnaphoraError(f"two models have the id '{twice}': an engine tells them by it")
    if nlp is not None and len(models) > 1:
        raise AnaphoraError("a spaCy pipeline of your own serves one model: make an engine of it")


def _build_reply(decision: Decision, outcome: BotAnswer, explanation: Explanation | None) -> Reply:
    filling = outcome.slot_filling
    is_answer = decision.pending_action == "confirmed"  # a yes is used
    incomplete = outcome.status == "incomplete"
    return Reply(
        status=outcome.status,
        intent=filling.intent.id if filling else None,
        slots=build_slots(filling) if filling else {},
        missing=tuple(term.label for term in filling.missing) if filling else (),
        prompt=outcome.text if incomplete else None,
        text=outcome.text,
        reason=outcome.reason,
        result=outcome.result,
        memory=tuple(held.entity for held in outcome.conversation.remembered),
        unused=find_unused_parts(decision.question.utterance, filling)
        if filling and not is_answer
        else (),
        explanation=explanation,
    )


def _build_explanation(bot: Bot, decision: Decision, outcome: BotAnswer) -> Explanation:
    return explain(
        bot.indexed_model,
        decision,
        outcome.status,
        outcome.reason,
        winner=outcome.winner,
        skipped=outcome.skipped,
        evicted=outcome.forgotten,
    )


def _request_of(asked: Question) -> Request:
    return _NO_REQUEST if asked.request is None else asked.request


def _check_question(text: object, request: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"a question is a text, not {type(text).__name__}")
    if not isinstance(request, Request):
        raise TypeError(f"write request=Request(data={{…}}), not {type(request).__name__}")


def _format_hint(name: str, known: Collection[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are: {', '.join(known)}"
