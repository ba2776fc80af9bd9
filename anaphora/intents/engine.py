"""The engine: bots and a store of conversations behind one method, ``ask``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from random import random
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from anaphora.errors import AnaphoraError, HandlerError
from anaphora.grammar.request import Request, User
from anaphora.intents.bot import Bot, Outcome
from anaphora.intents.decision import Decision
from anaphora.intents.explanation import Explanation, explain
from anaphora.intents.hooks import HookName
from anaphora.intents.match import slots_of
from anaphora.intents.reply import Reply
from anaphora.models.domain import Model, ResetWhat
from anaphora.models.loader import load_model
from anaphora.models.utterance import Entity
from anaphora.stm import rules
from anaphora.stm.conversation import Conversation, Remembered
from anaphora.stm.stores.memory import MemoryStore

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["Engine"]

_NO_REQUEST = Request()
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Engine:
    """Answers the questions of many users with one or more models.

    ``models`` are models, paths of model files, or names of bundled models; the first is asked
    when a question names none. ``nlp`` is a spaCy pipeline to extend instead of a blank one (or
    one for each language). ``clock`` tells the time (with a time zone) of a question that comes
    without one, ``random`` gives the numbers of ``rand`` in predicates. Longer texts than
    ``max_characters`` are rejected unread.

    All methods may be called from any thread. Questions of one conversation are answered one
    after the other, those of different conversations side by side.

    Raises :class:`ModelError` for a model that cannot be loaded.
    """

    def __init__(
        self,
        *models: Model | str | Path,
        store: MemoryStore | None = None,
        clock: Callable[[], datetime] = _utc_now,
        nlp: Language | Mapping[str, Language] | None = None,
        max_characters: int = 10_000,
        random: Callable[[], float] = random,
    ) -> None:
        if not models:
            raise AnaphoraError("an engine needs at least one model")
        loaded = [model if isinstance(model, Model) else load_model(model) for model in models]
        _check(loaded, nlp)
        self._bots = {
            model.id: Bot(model, nlp=nlp, max_characters=max_characters, random=random)
            for model in loaded
        }
        self._default = loaded[0].id
        self._clock = clock
        self._store = MemoryStore(clock) if store is None else store

    @property
    def models(self) -> tuple[Model, ...]:
        """The models, the one asked by default first."""
        return tuple(bot.model for bot in self._bots.values())

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
        if a handler asks in the very conversation it is answering.
        """
        _check_question(text, request)
        bot, now, who = self._bot(model), self._time(at, request), _as_user(user)
        usual = self._peek(who.id, bot).language
        utterance = bot.read(text, language, usual=usual, at=now)
        with self._store.open(who.id, bot.model.id, bot.model.conversation.timeout) as session:
            decision = bot.decide(utterance, session.conversation, now, who, request)
            try:
                outcome = bot.answer(decision, now)
            except HandlerError as error:
                outcome = bot.recover(error, session.conversation)
            decision = outcome.decision or decision
            explanation = _explain(bot, decision, outcome) if explain else None
            session.commit(rules.in_language(outcome.conversation, utterance.language))
        return _reply(outcome, explanation)

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
        bot, now, who = self._bot(model), self._time(at, request), _as_user(user)
        conversation = self._peek(who.id, bot)
        utterance = bot.read(text, language, usual=conversation.language, at=now)
        decision = bot.decide(utterance, conversation, now, who, request)
        return _explain(bot, decision, bot.foresee(decision, now))

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
        bots = [self._bot(model)] if model else list(self._bots.values())
        known = {
            declared.id: [bot for bot in bots if bot.model.intent(declared.id)]
            for bot in bots
            for declared in bot.model.intents
        }
        if intent not in known:
            raise HandlerError(f"no model has an intent '{intent}'{_meant(intent, known)}")

        def register(function: _Function) -> _Function:
            for bot in known[intent]:
                declared = bot.model.intent(intent)
                assert declared is not None
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
        bots = [self._bot(model)] if model else list(self._bots.values())

        def register(function: _Function) -> _Function:
            for bot in bots:
                bot.hooks.set(name, function)
            return function

        return register

    def forget(
        self,
        *,
        user: str = "user",
        model: str | None = None,
        what: ResetWhat = "all",
        group: str | None = None,
        where: Callable[[Entity], bool] | None = None,
    ) -> None:
        """Forget a user's conversation with a model: ``all`` of it, its remembered ``entities``
        or its dialog ``flow``; or only the entities of a ``group``, or those for which
        ``where`` is true."""
        bot = self._bot(model)
        with self._store.open(user, bot.model.id, bot.model.conversation.timeout) as session:
            conversation = session.conversation
            if group is not None:
                conversation, _ = rules.forget_group(conversation, group)
            elif where is not None:
                conversation, _ = rules.forget(conversation, where)
            elif what == "flow":
                conversation = rules.forget_flow(conversation)
            elif what == "entities":
                conversation, _ = rules.forget(conversation, lambda entity: True)
            else:
                conversation = Conversation(user, bot.model.id)
            session.commit(conversation)

    def conversation(
        self, *, user: str = "user", model: str | None = None, at: datetime | None = None
    ) -> Conversation:
        """What the conversation holds at the time ``at`` (now if left out), the timeouts
        applied; an empty one if there is none."""
        bot = self._bot(model)
        return rules.recall(self._peek(user, bot), self._time(at), bot.model.conversation)[0]

    def memory(
        self, *, user: str = "user", model: str | None = None, at: datetime | None = None
    ) -> tuple[Remembered, ...]:
        """The entities that are remembered at the time ``at``, newest first."""
        return self.conversation(user=user, model=model, at=at).remembered

    def _peek(self, user: str, bot: Bot) -> Conversation:
        return self._store.peek(user, bot.model.id) or Conversation(user, bot.model.id)

    def _bot(self, model: str | None) -> Bot:
        id = self._default if model is None else model
        if id not in self._bots:
            raise AnaphoraError(f"this engine has no model '{id}'{_meant(id, self._bots)}")
        return self._bots[id]

    def _time(self, at: datetime | None, request: Request = _NO_REQUEST) -> datetime:
        now = self._clock() if at is None else at
        if not isinstance(now, datetime):
            raise TypeError(f"the time is a datetime, not {type(now).__name__}")
        if now.tzinfo is None:
            raise ValueError(f"the time {now} has no time zone: write datetime(…, tzinfo=UTC)")
        return now.astimezone(_zone(request.time_zone)) if request.time_zone else now


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # no name, no file, a folder
        raise AnaphoraError(
            f"'{name}' is no time zone; they are called Europe/Berlin, Asia/Tokyo, UTC"
        ) from error


def _check(models: list[Model], nlp: object) -> None:
    ids = [model.id for model in models]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise AnaphoraError(f"two models have the id '{twice}': an engine tells them by it")
    if nlp is not None and len(models) > 1:
        raise AnaphoraError("a spaCy pipeline of your own serves one model: make an engine of it")


def _reply(outcome: Outcome, explanation: Explanation | None) -> Reply:
    filling = outcome.filling
    incomplete = outcome.status == "incomplete"
    return Reply(
        status=outcome.status,
        intent=filling.intent.id if filling else None,
        slots=slots_of(filling) if filling else {},
        missing=tuple(term.label for term in filling.missing) if filling else (),
        prompt=outcome.text if incomplete else None,
        text=outcome.text,
        reason=outcome.reason,
        result=outcome.result,
        memory=tuple(held.entity for held in outcome.conversation.remembered),
        explanation=explanation,
    )


def _explain(bot: Bot, decision: Decision, outcome: Outcome) -> Explanation:
    return explain(
        bot.mind,
        decision,
        outcome.status,
        outcome.reason,
        winner=outcome.winner,
        skipped=outcome.skipped,
        evicted=outcome.evicted,
    )


def _check_question(text: object, request: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"a question is a text, not {type(text).__name__}")
    if not isinstance(request, Request):
        raise TypeError(f"write request=Request(data={{…}}), not {type(request).__name__}")


def _as_user(user: str | User) -> User:
    if isinstance(user, str):
        return User(user)
    if isinstance(user, User):
        return user
    raise TypeError(f"a user is an id or a User, not {type(user).__name__}")


def _meant(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"; did you mean '{close[0]}'?" if close else f"; there are: {', '.join(known)}"
