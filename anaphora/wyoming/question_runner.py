"""Ask the engine from the event loop."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial

from anaphora.engine.asynchronous.conversation_locks import AsyncConversationLocks
from anaphora.engine.engine import Engine
from anaphora.engine.reply import Reply
from anaphora.engine.turn import MAX_INLINE_LENGTH
from anaphora.errors import AnaphoraError, Conflict, HandlerError, StoreError
from anaphora.models.domain import Model
from anaphora.stm.stores.store import commit_guard
from anaphora.wyoming.context import QuestionContext
from anaphora.wyoming.limits import Limits

__all__ = ["QuestionRunner"]

_COMMIT_TIMEOUT = 1.0  # seconds for changes whose commit has begun

_log = logging.getLogger(__name__)


class QuestionRunner:
    """Asks ``engine`` in threads, or in the event loop if answering cannot block.

    The questions of one conversation are asked in the order of their arrival and use one thread at
    a time, so that none can block all others. A question that a thread has begun runs to its end,
    even if its client is gone.
    """

    def __init__(self, engine: Engine, limits: Limits) -> None:
        self.engine = engine
        self._locks = AsyncConversationLocks(timeout=limits.conversation_timeout)
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="anaphora-wyoming")
        self._running: set[Future[Reply]] = set()
        self._refuses_commits = False

    async def ask(
        self, text: str, *, model: Model, language: str | None, context: QuestionContext
    ) -> Reply:
        """Ask one question.

        Raises the engine's errors, which are logged here, without texts of users.
        """
        work = partial(
            self.engine.ask,
            text,
            user=context.user,
            model=model.id,
            language=language,
            request=context.request,
        )
        try:
            async with self._locks.hold((context.user.id, model.id)):
                if len(text) <= MAX_INLINE_LENGTH and not self.engine.may_block(model.id):
                    return work()
                return await self._run(work)
        except AnaphoraError as error:
            _log_error(error)
            raise

    @property
    def is_busy(self) -> bool:
        """Whether a thread is still asking."""
        return bool(self._running)

    async def close(self) -> None:
        """Refuse what has not begun to be committed: its client gets no answer."""
        self._refuses_commits = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        if running := [asyncio.wrap_future(future) for future in tuple(self._running)]:
            with suppress(TimeoutError):
                async with asyncio.timeout(_COMMIT_TIMEOUT):
                    await asyncio.gather(*running, return_exceptions=True)

    async def _run(self, work: partial[Reply]) -> Reply:
        context = copy_context()
        context.run(commit_guard.set, self._check_commit)
        future = self._pool.submit(context.run, work)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        return await asyncio.wrap_future(future)

    def _check_commit(self) -> None:
        if self._refuses_commits:
            raise AnaphoraError("the server is shutting down")


def _log_error(error: AnaphoraError) -> None:
    match error:
        case HandlerError():
            _log.error("a handler failed", exc_info=error)
        case StoreError():
            _log.error("the store failed: %s", error)
        case Conflict():
            _log.warning("a conversation was busy for too long")
        case _:
            _log.error("a question failed: %s", error)
