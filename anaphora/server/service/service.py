"""The engine for the endpoints: callable from the event loop, with a bounded number of threads."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import Context, copy_context
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar
from zoneinfo import ZoneInfo

from anaphora.core.request import Request, User
from anaphora.engine.asynchronous.conversation_locks import AsyncConversationLocks
from anaphora.engine.asynchronous.loop_questions import (
    active_model_in_loop,
    ask_in_loop,
    store_for_loop,
)
from anaphora.engine.identity import conversation_key, tenant_id
from anaphora.engine.reply import Reply
from anaphora.engine.turn import MAX_INLINE_LENGTH
from anaphora.errors import (
    AnaphoraError,
    ChatModelError,
    Conflict,
    HandlerError,
    StoreError,
    UnknownModel,
)
from anaphora.intents.explanation import Explanation
from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import History
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.search import Page
from anaphora.ltm.retrieval.store import SearchFilter, UserKey
from anaphora.models.domain import Model, ResetScope
from anaphora.server.problems import ProblemError, invalid_field, to_problem
from anaphora.server.service.deadline import CommitGuard, Deadline
from anaphora.server.service.futures import AnyFuture, wrap_future
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.memory import MemoryStore
from anaphora.stm.stores.quarantine import quarantine_of
from anaphora.stm.stores.store import AsyncStore, async_store_of, commit_guard

if TYPE_CHECKING:
    from anaphora.engine.engine import Engine
    from anaphora.server.auth.keys import KeyRing
    from anaphora.server.observability.metrics import Metrics
    from anaphora.server.observability.tracing import Tracing
    from anaphora.server.rate_limits.limiter import RateLimiter
    from anaphora.server.schemas.requests import RecallQuery
    from anaphora.server.settings.model import Settings
    from anaphora.stm.stores.quarantine import Quarantine

__all__ = ["AskOptions", "Service"]

_EMPTY_REQUEST = Request()
_PING_TIMEOUT = 2.0  # seconds for the store to respond before it counts as unavailable
_COMMIT_TIMEOUT = 1.0  # seconds after the deadline for a commit that has started
_POLL_INTERVAL = 5.0  # seconds between updates of memory metrics and quarantine counts

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


class AskOptions(TypedDict):
    """The arguments that :meth:`Engine.ask` and :meth:`Engine.explain` take beside the text, the
    user and the model."""

    at: datetime | None
    language: str | None
    request: Request


class Service:
    """The shared state of the endpoints.

    Its methods are asynchronous versions of the engine's. They raise the engine's errors, which are
    counted and logged here, without users' texts. At most ``settings.threads`` calls run at once;
    the others wait. A call that has started runs to its end even if its caller is gone. The
    requests of one conversation use one thread at a time, so that no user can block all others. At
    the ``deadline`` of a shutdown, a call is refused and changes nothing, unless it is committing
    its changes.
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        keys: KeyRing,
        rate_limiter: RateLimiter,
        metrics: Metrics,
        tracing: Tracing,
        *,
        clock: Callable[[], datetime],
        deadline: Deadline,
    ) -> None:
        self.engine = engine
        self.settings = settings
        self.keys = keys
        self.rate_limiter = rate_limiter
        self.metrics = metrics
        self.tracing = tracing
        self.deadline = deadline
        self.clock = clock
        self._is_store_local = isinstance(engine.store, MemoryStore)
        memory = engine.long_term
        self.long_term = memory if isinstance(memory, LongTermMemory) else None
        self._quarantine = quarantine_of(engine.store)
        self._is_quarantine_counted = True
        self.quarantined_conversations = 0  # as of the last count
        self._locks = AsyncConversationLocks()
        self._running: set[AnyFuture[Any]] = set()
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
        options: AskOptions = {"at": at, "language": language, "request": request}
        return await self.ask_and_render(
            lambda reply, _: reply, text, user=user, model=model, options=options, explain=explain
        )

    async def ask_and_render(
        self,
        render: Callable[[Reply, str], _Result],
        text: str,
        *,
        user: User,
        model: str | None,
        options: AskOptions,
        explain: bool,
    ) -> _Result:
        """Answer one question; return ``render`` of the reply and the id of its model.

        Raises :class:`ProblemError` for a language that the model does not support.
        """

        def work() -> _Result:
            begin = time.perf_counter()
            id = self._model_id(model, user, options["language"])
            with self.tracing.ask(id) as span:
                reply = self.engine.ask(text, user=user, model=id, explain=explain, **options)
                span.set_attribute("anaphora.status", reply.status)
            self.metrics.observe_question(id, reply.status, time.perf_counter() - begin)
            return render(reply, id)

        async def work_in_loop(id: str, store: AsyncStore) -> _Result:
            begin = time.perf_counter()
            self._model_id(id, user, options["language"])
            with self.tracing.ask(id) as span:
                reply = await ask_in_loop(
                    self.engine, store, text, user=user, model=id, explain=explain, **options
                )
                span.set_attribute("anaphora.status", reply.status)
            self.metrics.observe_question(id, reply.status, time.perf_counter() - begin)
            return render(reply, id)

        async with self._lock_conversation(user, model) as model_id:
            if self._runs_inline(model_id, text):
                return self._run_inline(work)
            if model_id is not None and (store := self._store_for_loop(model_id, text)):
                return await self._run_in_loop(partial(work_in_loop, model_id, store))
            return await self.run(work)

    async def explain(
        self, text: str, *, user: User, model: str | None, options: AskOptions
    ) -> Explanation:
        """Explain how a question would be answered, as :meth:`Engine.explain` does."""

        def work() -> Explanation:
            id = self._model_id(model, user, options["language"])
            return self.engine.explain(text, user=user, model=id, **options)

        return await self.run(work)

    async def conversation(
        self, *, user: User, model: str | None = None
    ) -> tuple[Conversation, Model, datetime]:
        """Return a conversation, its model, and the time of this snapshot."""
        return await self.run(self._load_conversation, user, model)

    async def forget(
        self,
        *,
        user: User,
        model: str | None = None,
        what: ResetScope = "all",
        group: str | None = None,
    ) -> tuple[Conversation, Model, datetime]:
        """Forget as :meth:`Engine.forget` does; return the remaining conversation."""

        def work() -> tuple[Conversation, Model, datetime]:
            id = self._model_id(model, user)
            self.engine.forget(user=user, model=id, what=what, group=group)
            return self._load_conversation(user, id)

        async with self._lock_conversation(user, model):  # a waiting thread would block others
            return await self.run(work)

    async def active_model(self, *, user: User) -> str:
        """Return the id of the model for questions of ``user`` that name none."""
        return await self.run(self._model_id, None, user)

    async def switch(self, model: str | None, *, user: User) -> str:
        """Switch the user to a model, None for the default; return the id of the active model."""

        def work() -> str:
            self.engine.switch(model, user=user)
            return self.engine.active_model(user=user)

        return await self.run_to_completion(work)

    async def history(
        self, *, user: User, model: str | None = None
    ) -> tuple[ConversationKey, History, Measure]:
        """Return the long-term memory's history of a conversation, and the unit of its size.

        Raises :class:`ProblemError` if the service has no long-term memory.
        """
        memory = self._require_memory()

        def work() -> tuple[ConversationKey, History, Measure]:
            key = conversation_key(user, self.engine.model(self._model_id(model, user)).id)
            return key, memory.history(key), memory.store.measure

        return await self.run(work)

    async def recall(self, query: RecallQuery, *, user: User) -> Page:
        """Search the long-term memory, as :meth:`LongTermMemory.recall` does. "Yesterday" is
        relative to the ``time_zone`` of the query, else to the zone of its ``at``.

        Raises :class:`ProblemError` if the service has no long-term memory, and for a semantic
        search without an embedder.
        """
        memory, settings = self._require_memory(), self.settings.memory
        if query.how not in (None, "text") and settings.url and settings.embedder == "none":
            message = "There is no embedder (the setting memory.embedder)"
            raise invalid_field("query.how", message)
        languages = [one for model in self.engine.models for one in model.languages]
        at = query.at
        if query.time_zone is not None:
            at = (at or self.clock()).astimezone(ZoneInfo(query.time_zone))

        def work() -> Page:
            return memory.recall(
                UserKey(user.id, tenant_id(user)),
                query.text,
                mode=query.how,
                filters=SearchFilter(
                    query.model, query.since, query.until, query.intent, query.slots
                ),
                language=query.language or languages,
                at=at,
                page=query.page,
                size=query.size,
                neighbours=query.neighbours,
            )

        return await self.run(work)

    async def erase(self, *, user: User) -> int:
        """Erase all data of a user, as :meth:`Engine.erase` does."""
        return await self.run_to_completion(partial(self.engine.erase, user=user))

    async def is_store_ready(self) -> bool:
        """Whether the store responds in time."""
        return await self.responds(self.engine.store.ping)

    async def is_memory_ready(self) -> bool:
        """Whether the long-term memory, which must exist, responds in time."""
        return await self.responds(self._require_memory().ping)

    async def responds(self, ping: Callable[[], None]) -> bool:
        """Whether a store responds to ``ping`` in time."""
        try:
            async with asyncio.timeout(_PING_TIMEOUT):
                await asyncio.to_thread(ping)
        except (StoreError, TimeoutError):
            return False
        return True

    async def poll_memory_metrics(self) -> None:
        """Keep the metrics of the long-term memory up to date, forever."""
        while True:
            self.update_memory_metrics()
            await asyncio.sleep(_POLL_INTERVAL)

    def update_memory_metrics(self) -> None:
        """Update the metrics of the long-term memory."""
        if self.long_term is not None:
            status = self.long_term.status()
            self.metrics.update_memory(
                status.waiting, status.stored, status.dropped, status.failures
            )

    async def poll_quarantine(self) -> None:
        """Keep :attr:`quarantined_conversations` up to date, forever, if the store has a
        quarantine."""
        while self._quarantine is not None:
            try:
                await self.run(self._count_quarantine, self._quarantine)
            except ProblemError:
                return  # the service is shutting down
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
        """Call ``function`` in a thread, in the context of the caller (request id, span).

        It avoids anyio's threads: a call takes 46 µs there, 37 µs here. Raises
        :class:`ProblemError` if the deadline passes before the function returns or commits a
        conversation.
        """
        return await self._run(CommitGuard(), function, *args)

    async def run_to_completion(self, function: Callable[..., _Result], *args: Any) -> _Result:
        """Call ``function`` as :meth:`run` does, for changes to several conversations or to none.
        Once it has started, it is never reported as refused."""
        guard = CommitGuard()

        def work() -> _Result:
            guard.begin()
            return function(*args)

        return await self._run(guard, work)

    async def _run(
        self, guard: CommitGuard, function: Callable[..., _Result], *args: Any
    ) -> _Result:
        context = self._guarded_context(guard)
        return await self._await_result(guard, self._pool.submit(context.run, function, *args))

    async def _run_in_loop(self, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """Run ``work`` in the event loop, on the terms of :meth:`run`."""
        guard = CommitGuard()
        context = self._guarded_context(guard)
        task = asyncio.get_running_loop().create_task(work(), context=context)
        return await self._await_result(guard, task)

    def _guarded_context(self, guard: CommitGuard) -> Context:
        """The context for a call that commits only if the ``guard`` lets it."""
        if not self.deadline.left:
            raise self._abandon()
        context = copy_context()
        context.run(commit_guard.set, guard.begin)
        return context

    async def _await_result(self, guard: CommitGuard, future: AnyFuture[_Result]) -> _Result:
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        try:
            async with self.deadline.limit() as limit:
                return await wrap_future(future)
        except TimeoutError:
            if not limit.expired():
                raise
            return await self._await_commit(guard, future)
        except AnaphoraError as error:
            self.record_error(error)
            raise

    async def _await_commit(self, guard: CommitGuard, future: AnyFuture[_Result]) -> _Result:
        """Wait at the deadline for a result that is being committed."""
        if guard.refuse():
            raise self._abandon()
        try:
            async with asyncio.timeout(_COMMIT_TIMEOUT) as limit:
                return await wrap_future(future)
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
        """Lock a conversation; yield the id of its model, None if only the store knows it."""
        if model is None:
            model = await self._find_active_model(user)
        key = (tenant_id(user), user.id, model)
        try:
            async with self.deadline.limit() as limit:
                await self._locks.acquire(key)
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._abandon() from None
        try:
            yield model
        finally:
            self._locks.release(key)

    async def _find_active_model(self, user: User) -> str | None:
        """The active model of a user; None if it takes a thread to find it."""
        if self._is_store_local or len(self.engine.models) == 1:
            return self.engine.active_model(user=user)
        try:
            return await active_model_in_loop(self.engine, user)
        except StoreError as error:
            self.record_error(error)
            raise

    def _store_for_loop(self, model: str, text: str) -> AsyncStore | None:
        try:
            return store_for_loop(self.engine, model, text)
        except UnknownModel:  # asking reports it
            return None

    def _runs_inline(self, model: str | None, text: str) -> bool:
        """Whether a question is so short, and its bot so simple, that it needs no thread."""
        if model is None or len(text) > MAX_INLINE_LENGTH:
            return False
        try:
            return not self.engine.may_block(model)
        except UnknownModel:  # asking reports it
            return False

    def _run_inline(self, work: Callable[[], _Result]) -> _Result:
        """Run ``work`` in the event loop. It never blocks, and a thread would cost more than a
        quarter of the questions take and compete for the interpreter lock."""
        try:
            return work()
        except AnaphoraError as error:
            self.record_error(error)
            raise

    @property
    def is_busy(self) -> bool:
        """Whether a call is still running."""
        return bool(self._running)

    async def close(self) -> None:
        """Wait for running calls until the deadline, and close the connections."""
        self.deadline.start(self.settings.shutdown_grace)
        if running := [wrap_future(future) for future in tuple(self._running)]:
            await asyncio.wait(running, timeout=self.deadline.left)
        self._pool.shutdown(wait=False, cancel_futures=True)
        if (store := async_store_of(self.engine.store)) is not None:
            await store.close()
        await self.rate_limiter.close()
        await asyncio.to_thread(self.tracing.close)

    def _require_memory(self) -> LongTermMemory:
        if self.long_term is None:
            raise ProblemError("no-memory")
        return self.long_term

    def _model_id(self, model: str | None, user: User, language: str | None = None) -> str:
        id = self.engine.active_model(user=user) if model is None else model
        if language is not None:
            asked = self.engine.model(id)
            if asked.find_language(language) is None:
                raise invalid_field("language", f"The model supports: {', '.join(asked.languages)}")
        return id

    def _load_conversation(
        self, user: User, model: str | None
    ) -> tuple[Conversation, Model, datetime]:
        now, id = self.clock(), self._model_id(model, user)
        conversation = self.engine.conversation(user=user, model=id, at=now)
        return conversation, self.engine.model(id), now

    def record_error(self, error: AnaphoraError) -> None:
        """Count and log an error of a request."""
        refusal = to_problem(error)
        self.metrics.count_failure(refusal.slug)
        match error:
            case HandlerError():
                _log.error("a handler failed", exc_info=error)
            case StoreError():
                _log.error("the store failed", exc_info=error)
            case ChatModelError():
                _log.warning("a language model failed", exc_info=error)
            case Conflict():
                _log.warning("a conversation was busy for too long")
            case _ if refusal.slug == "internal":  # the response refers to the log
                _log.error("a request failed", exc_info=error)
