"""The engine as the endpoints call it: from the event loop, in a bounded number of threads."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar
from zoneinfo import ZoneInfo

from anaphora.core.request import Request, User
from anaphora.engine.reply import Reply
from anaphora.errors import AnaphoraError, Conflict, HandlerError, StoreError, UnknownModel
from anaphora.intents.explanation import Explanation
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import History
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.search import Page
from anaphora.ltm.retrieval.store import UserKey
from anaphora.models.domain import Model, ResetScope
from anaphora.server.problems import FieldError, ProblemError, to_problem
from anaphora.server.service.conversation_locks import AsyncConversationLocks
from anaphora.server.service.deadline import CommitGuard, Deadline
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.quarantine import quarantine_of
from anaphora.stm.stores.store import commit_guard

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine
    from anaphora.server.auth.keys import KeyRing
    from anaphora.server.observability.metrics import Metrics
    from anaphora.server.observability.tracing import Tracing
    from anaphora.server.rate_limits.limiter import RateLimiter
    from anaphora.server.settings.model import Settings
    from anaphora.stm.stores.quarantine import Quarantine

__all__ = ["Service"]

_EMPTY_REQUEST = Request()
_MAX_INLINE_LENGTH = 300  # characters; the time that reading takes grows with them
_PING_TIMEOUT = 2.0  # seconds that the store has to answer before it counts as gone
_COMMIT_TIMEOUT = 1.0  # seconds beyond the deadline for a commit that has begun
_POLL_INTERVAL = 5.0  # seconds between two looks at the long-term memory, and at the quarantine

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


def _wrap_future(future: Future[_Result]) -> asyncio.Future[_Result]:
    """To be awaited, or given up: an error that nobody waits for any more is none of the loop."""
    awaited = asyncio.wrap_future(future)
    awaited.add_done_callback(lambda done: done.cancelled() or done.exception())
    return awaited


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Service:
    """Everything that endpoints share.

    Its methods are those of the engine, to be awaited. They raise the engine's errors, which are
    counted and logged here, without what was said. At most ``settings.threads`` of them run at
    once, the others wait. One that has begun ends, whoever still waits for it. What is done in one
    conversation takes one thread, however many there are: nobody's questions can keep those of
    all others waiting. At the ``deadline`` of a shutdown a call is refused and changes nothing,
    unless it is keeping its changes.
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        keys: KeyRing,
        limits: RateLimiter,
        metrics: Metrics,
        tracing: Tracing,
        *,
        clock: Callable[[], datetime] = _utc_now,
        deadline: Deadline | None = None,
    ) -> None:
        self.engine = engine
        self.settings = settings
        self.keys = keys
        self.limits = limits
        self.metrics = metrics
        self.tracing = tracing
        self.deadline = deadline or Deadline()
        self._clock = clock
        self._is_store_local = isinstance(engine.store, MemoryStore)
        kept = engine.long_term
        self.memory = kept if isinstance(kept, LongTermMemory) else None
        self._quarantine = quarantine_of(engine.store)
        self._is_quarantine_counted = True
        self.quarantined_conversations = 0  # when it was last counted
        self._locks = AsyncConversationLocks()
        self._running: set[Future[Any]] = set()
        self._pool = ThreadPoolExecutor(settings.threads, thread_name_prefix="anaphora")

    async def ask(
        self,
        text: str,
        *,
        user: User,
        model: str | None = None,
        at: datetime | None = None,
        language: str | None = None,
        request: Request = _EMPTY_REQUEST,
        explain: bool = False,
    ) -> Reply:
        """Answer one question, as :meth:`Engine.ask` does."""

        def show(reply: Reply, _: str) -> Reply:
            return reply

        options = {"at": at, "language": language, "request": request, "explain": explain}
        return await self.ask_and_render(show, text, user=user, model=model, options=options)

    async def ask_and_render(
        self,
        render: Callable[[Reply, str], _Result],
        text: str,
        *,
        user: User,
        model: str | None,
        options: Mapping[str, Any],
    ) -> _Result:
        """Answer one question; returns what ``show`` makes of the reply and the id of the model
        that gave it. ``options`` are the further arguments of :meth:`Engine.ask`.

        Raises :class:`ProblemError` for a language that the model does not have.
        """

        def work() -> _Result:
            begin = time.perf_counter()
            id = self._model_id(model, user, options["language"])
            with self.tracing.ask(id) as span:
                reply = self.engine.ask(text, user=user, model=id, **options)
                span.set("anaphora.status", reply.status)
            self.metrics.observe_question(id, reply.status, time.perf_counter() - begin)
            return render(reply, id)

        async with self._lock_conversation(user, model) as known:
            if self._runs_inline(known, text):
                return self._run_inline(work)
            return await self.run(work)

    async def explain(
        self, text: str, *, user: User, model: str | None, options: Mapping[str, Any]
    ) -> Explanation:
        """Tell how a question would be answered, as :meth:`Engine.explain` does."""

        def work() -> Explanation:
            id = self._model_id(model, user, options["language"])
            return self.engine.explain(text, user=user, model=id, **options)

        return await self.run(work)

    async def conversation(
        self, *, user: User, model: str | None = None
    ) -> tuple[Conversation, Model, datetime]:
        """What a conversation holds, its model, and the time at which it does."""
        return await self.run(self._load_conversation, user, model)

    async def forget(
        self,
        *,
        user: User,
        model: str | None = None,
        what: ResetScope = "all",
        group: str | None = None,
    ) -> tuple[Conversation, Model, datetime]:
        """Forget as :meth:`Engine.forget` does; what is left of the conversation."""

        def work() -> tuple[Conversation, Model, datetime]:
            id = self._model_id(model, user)
            self.engine.forget(user=user, model=id, what=what, group=group)
            return self._load_conversation(user, id)

        async with self._lock_conversation(
            user, model
        ):  # waiting in a thread would keep others from theirs
            return await self.run(work)

    async def active_model(self, *, user: User) -> str:
        """The id of the model that is asked when a question of ``user`` names none."""
        return await self.run(self._model_id, None, user)

    async def switch(self, model: str | None, *, user: User) -> str:
        """Switch the user to a model, None for the default; the id of the one that is active."""

        def work() -> str:
            self.engine.switch(model, user=user)
            return self.engine.active_model(user=user)

        return await self.run_to_completion(work)

    async def history(
        self, *, user: User, model: str | None = None
    ) -> tuple[ConversationKey, History, Measure]:
        """The long-term memory's history of a conversation, and what it is measured in.

        Raises :class:`ProblemError` if there is no such memory.
        """
        memory = self._require_memory()

        def work() -> tuple[ConversationKey, History, Measure]:
            known = self.engine.model(self._model_id(model, user))
            key = ConversationKey(user.id, known.id, _tenant(user))
            return key, memory.history(key), memory.store.measure

        return await self.run(work)

    async def recall(self, text: str, *, user: User, **options: Any) -> Page:
        """What was said, as :meth:`LongTermMemory.recall` finds it; "yesterday" is that of the
        ``time_zone``, else of the zone of ``at``.

        Raises :class:`ProblemError` if there is no long-term memory, and for a search by meaning if
        it has no embedder.
        """
        memory, settings = self._require_memory(), self.settings.memory
        if options["mode"] not in (None, "text") and settings.url and settings.embedder == "none":
            mistake = FieldError("query.how", "There is no embedder (the setting memory.embedder)")
            detail = f"{mistake.where}: {mistake.message}"
            raise ProblemError("invalid-request", detail, errors=[mistake])

        if options["language"] is None:
            models = self.engine.models
            options["language"] = [one for model in models for one in model.languages]

        if (zone := options.pop("time_zone")) is not None:
            options["at"] = (options["at"] or self._clock()).astimezone(ZoneInfo(zone))

        def work() -> Page:
            return memory.recall(UserKey(user.id, _tenant(user)), text, **options)

        return await self.run(work)

    async def erase(self, *, user: User) -> int:
        """Erase all that is kept of a user, as :meth:`Engine.erase` does."""

        def work() -> int:
            return self.engine.erase(user=user)

        return await self.run_to_completion(work)

    async def is_store_ready(self) -> bool:
        """Whether the store answers soon."""
        return await _responds(self.engine.store.ping)

    async def is_memory_ready(self) -> bool:
        """Whether the long-term memory, which there must be, answers soon."""
        return await _responds(self._require_memory().ping)

    async def poll_memory_metrics(self) -> None:
        """Keep the metrics of the long-term memory up to date."""
        while True:
            self.update_memory_metrics()
            await asyncio.sleep(_POLL_INTERVAL)

    def update_memory_metrics(self) -> None:
        """Let the metrics say how the long-term memory is."""
        if self.memory is not None:
            status = self.memory.status()
            self.metrics.update_memory(status.waiting, status.kept, status.dropped, status.failures)

    async def poll_quarantine(self) -> None:
        """Keep :attr:`quarantined_conversations` up to date, if the store has a quarantine."""
        while self._quarantine is not None:
            try:
                await self.run(self._count_quarantine, self._quarantine)
            except ProblemError:
                return  # the service is ending
            await asyncio.sleep(_POLL_INTERVAL)

    def _count_quarantine(self, quarantine: Quarantine) -> None:
        try:
            self.quarantined_conversations = quarantine.count()
        except StoreError as error:
            if self._is_quarantine_counted:
                _log.warning(
                    "the quarantine of the store cannot be counted", extra={"reason": str(error)}
                )
            self._is_quarantine_counted = False
        else:
            self._is_quarantine_counted = True

    async def run(self, function: Callable[..., _Result], *args: Any) -> _Result:
        """Call ``function`` in a thread, in the context of the caller (its request id, its span).

        Not by anyio's threads: 46 µs a call there, 37 µs here. Raises :class:`ProblemError` if the
        deadline comes before it returns or commits a conversation.
        """
        return await self._run(CommitGuard(), function, *args)

    async def run_to_completion(self, function: Callable[..., _Result], *args: Any) -> _Result:
        """The same for what changes more than one conversation, or none: once it has begun it is
        not called undone."""
        guard = CommitGuard()

        def work() -> _Result:
            guard.begin()
            return function(*args)

        return await self._run(guard, work)

    async def _run(
        self, guard: CommitGuard, function: Callable[..., _Result], *args: Any
    ) -> _Result:
        if not self.deadline.left:
            raise self._abandon()
        context = copy_context()
        context.run(commit_guard.set, guard.begin)
        future = self._pool.submit(context.run, function, *args)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        try:
            async with self.deadline.limit() as limit:
                return await _wrap_future(future)
        except TimeoutError:
            if not limit.expired():
                raise
            return await self._await_commit(guard, future)
        except AnaphoraError as error:
            self._record_error(error)
            raise

    async def _await_commit(self, guard: CommitGuard, future: Future[_Result]) -> _Result:
        """The result of what was not ready at the deadline, if it is keeping its changes."""
        if guard.refuse():
            raise self._abandon()
        try:
            async with asyncio.timeout(_COMMIT_TIMEOUT) as limit:
                return await _wrap_future(future)
        except TimeoutError:
            if not limit.expired():
                raise
        guard.refuse(force=True)
        self.metrics.count_failure("store-unavailable")
        raise ProblemError(
            "store-unavailable",
            "This server is shutting down, and the store has not confirmed the change: look "
            "whether it is there before you send the request again.",
        )

    def _abandon(self) -> ProblemError:
        self.metrics.count_failure("shutting-down")
        _log.warning("a request was given up: the service is shutting down")
        return ProblemError("shutting-down")

    @asynccontextmanager
    async def _lock_conversation(self, user: User, model: str | None) -> AsyncIterator[str | None]:
        """The turn in a conversation; the id of its model, None if only the store knows it."""
        if model is None and self._is_store_local:
            model = self.engine.active_model(user=user)
        turn = (_tenant(user), user.id, model)
        try:
            async with self.deadline.limit() as limit:
                await self._locks.acquire(turn)
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._abandon() from None
        try:
            yield model
        finally:
            self._locks.release(turn)

    def _runs_inline(self, model: str | None, text: str) -> bool:
        """Whether a question is so short, and its bot so simple, that it needs no thread."""
        if model is None or len(text) > _MAX_INLINE_LENGTH:
            return False
        try:
            return not self.engine.may_wait(model)
        except UnknownModel:  # which asking it will tell
            return False

    def _run_inline(self, work: Callable[[], _Result]) -> _Result:
        """Do in the event loop what waits for nothing: handing it to a thread would take longer
        than a quarter of the questions, and the two would take the interpreter's lock from each
        other."""
        try:
            return work()
        except AnaphoraError as error:
            self._record_error(error)
            raise

    @property
    def is_busy(self) -> bool:
        """Whether a thread is still at work."""
        return bool(self._running)

    async def close(self) -> None:
        """Wait until the deadline for what is running, and let go of connections."""
        self.deadline.start(self.settings.shutdown_grace)
        if running := [_wrap_future(future) for future in tuple(self._running)]:
            await asyncio.wait(running, timeout=self.deadline.left)
        self._pool.shutdown(wait=False, cancel_futures=True)
        await self.limits.close()
        await asyncio.to_thread(self.tracing.close)

    def _require_memory(self) -> LongTermMemory:
        if self.memory is None:
            raise ProblemError("no-memory")
        return self.memory

    def _model_id(self, model: str | None, user: User, language: str | None = None) -> str:
        id = self.engine.active_model(user=user) if model is None else model
        if language is not None:
            known = self.engine.model(id).languages
            if language not in known:
                mistake = FieldError("language", f"The model speaks: {', '.join(known)}")
                raise ProblemError(
                    "invalid-request", f"{mistake.where}: {mistake.message}", errors=[mistake]
                )
        return id

    def _load_conversation(
        self, user: User, model: str | None
    ) -> tuple[Conversation, Model, datetime]:
        now, id = self._clock(), self._model_id(model, user)
        conversation = self.engine.conversation(user=user, model=id, at=now)
        return conversation, self.engine.model(id), now

    def _record_error(self, error: AnaphoraError) -> None:
        refusal = to_problem(error)
        self.metrics.count_failure(refusal.slug)
        match error:
            case HandlerError():
                _log.error("a handler failed", exc_info=error)
            case StoreError():
                _log.error("the store failed", exc_info=error)
            case Conflict():
                _log.warning("a conversation was busy for too long")
            case _ if refusal.slug == "internal":  # whose answer says that the log tells more
                _log.error("a request failed", exc_info=error)


def _tenant(user: User) -> str:
    return user.company.id if user.company else ""


async def _responds(ping: Callable[[], None]) -> bool:
    try:
        async with asyncio.timeout(_PING_TIMEOUT):
            await asyncio.to_thread(ping)
    except (StoreError, TimeoutError):
        return False
    return True
