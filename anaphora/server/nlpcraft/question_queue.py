"""The questions that this worker has to answer, in order.

Questions of one conversation are answered one after the other: "And in Kyoto?" follows the question
before it, even if no client waits for that answer. Different conversations proceed in parallel.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from anaphora.engine.asynchronous.conversation_locks import AsyncConversationLocks
from anaphora.server.nlpcraft.schemas import QuestionState
from anaphora.server.nlpcraft.state_store import HEARTBEAT_INTERVAL, QueueFullError
from anaphora.stm.conversation import ConversationKey

__all__ = ["QuestionQueue", "QueueSlot"]

_log = logging.getLogger(__name__)


async def _do_nothing() -> None:
    pass


class QueueSlot:
    """A reserved place in the queue of a conversation."""

    def __init__(self, queue: QuestionQueue, key: ConversationKey) -> None:
        self._queue = queue
        self._key = key
        self.is_taken = False

    def submit(
        self,
        work: Callable[[], Awaitable[QuestionState]],
        *,
        give_up: Callable[[], Awaitable[None]] = _do_nothing,
    ) -> asyncio.Task[QuestionState]:
        """Run ``work`` after the jobs before it. ``give_up`` is called instead if it is not done
        when the queue closes. The caller need not await the result."""
        self.is_taken = True
        return self._queue.put(self._key, work, give_up)


class QuestionQueue:
    """A queue of at most ``max_questions`` questions, ``max_per_user`` of them from one user. It
    calls ``heartbeat`` repeatedly while there is work, to show that this worker is alive."""

    def __init__(
        self,
        *,
        heartbeat: Callable[[], Awaitable[None]] = _do_nothing,
        max_questions: int = 1_000,
        max_per_user: int = 20,
    ) -> None:
        self._heartbeat = heartbeat
        self._max_questions = max_questions
        self._max_per_user = max_per_user
        self._counts: Counter[tuple[str, str]] = Counter()
        self._locks = AsyncConversationLocks(timeout=None)
        self._jobs: dict[asyncio.Task[QuestionState], Callable[[], Awaitable[None]]] = {}
        self._heartbeat_task: asyncio.Task[None] | None = None
        self._closed = False

    @contextmanager
    def reserve(self, key: ConversationKey) -> Iterator[QueueSlot]:
        """Reserve a place in the queue of a conversation. It is released at the end of the block if
        no job was submitted.

        Raises :class:`QueueFullError` if there is none.
        """
        owner = (key.tenant, key.user)
        if self._closed:
            raise QueueFullError("the service is shutting down")
        if self._counts.total() >= self._max_questions:
            raise QueueFullError(f"{self._max_questions:,} questions are waiting for their answers")
        if self._counts[owner] >= self._max_per_user:
            raise QueueFullError(
                f"{self._max_per_user} questions of this user are waiting for their answers"
            )
        self._counts[owner] += 1
        slot = QueueSlot(self, key)
        try:
            yield slot
        finally:
            if not slot.is_taken:
                self._release(key)

    async def close(self, grace: float) -> None:
        """Accept no more jobs, wait at most ``grace`` seconds for the queued ones, then give them
        up."""
        self._closed = True
        if self._jobs:
            await asyncio.wait(self._jobs, timeout=grace)
        tasks: list[asyncio.Task[QuestionState] | asyncio.Task[None]] = [*self._jobs]
        for give_up in [*self._jobs.values()]:
            try:
                await give_up()
            except Exception:
                _log.exception("a question that was given up could not be marked so")
        if self._heartbeat_task is not None:
            tasks.append(self._heartbeat_task)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def put(
        self,
        key: ConversationKey,
        work: Callable[[], Awaitable[QuestionState]],
        give_up: Callable[[], Awaitable[None]],
    ) -> asyncio.Task[QuestionState]:
        """Append a job to the queue of a conversation; for :class:`QueueSlot`."""
        task = asyncio.create_task(self._run(key, work))
        self._jobs[task] = give_up
        task.add_done_callback(self._forget)
        if self._heartbeat_task is None:
            self._heartbeat_task = asyncio.create_task(self._send_heartbeats())
        return task

    async def _run(
        self, key: ConversationKey, work: Callable[[], Awaitable[QuestionState]]
    ) -> QuestionState:
        try:
            async with self._locks.hold(key):
                return await work()
        finally:
            self._release(key)

    def _forget(self, task: asyncio.Task[QuestionState]) -> None:
        del self._jobs[task]
        if not task.cancelled():
            task.exception()  # the result may have no consumer

    async def _send_heartbeats(self) -> None:
        while self._jobs:
            try:
                await self._heartbeat()
            except Exception as error:
                _log.warning("the store does not accept a heartbeat: %s", error)
            await asyncio.sleep(HEARTBEAT_INTERVAL.total_seconds())
        self._heartbeat_task = None

    def _release(self, key: ConversationKey) -> None:
        owner = (key.tenant, key.user)
        self._counts[owner] -= 1
        if not self._counts[owner]:
            del self._counts[owner]
