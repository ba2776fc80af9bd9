"""The questions that this worker has to answer, in order.

Questions of one conversation are answered one after the other: "And in Kyoto?" follows the question
before it, even if no client waits for that answer. Different conversations proceed in parallel.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from anaphora.server.nlpcraft.state_store import HEARTBEAT_INTERVAL, QueueFullError
from anaphora.server.nlpcraft.states import QueryState
from anaphora.stm.conversation import ConversationKey

__all__ = ["QuestionQueue", "QueueSlot"]

_log = logging.getLogger(__name__)


async def _do_nothing() -> None:
    pass


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """A task, its cancellation callback, and the future of its result."""

    work: Callable[[], Awaitable[QueryState]]
    give_up: Callable[[], Awaitable[None]]
    done: asyncio.Future[QueryState]


class QueueSlot:
    """A reserved place in the queue of a conversation."""

    def __init__(self, queue: QuestionQueue, key: ConversationKey) -> None:
        self._queue = queue
        self._key = key
        self.is_taken = False

    def submit(
        self,
        work: Callable[[], Awaitable[QueryState]],
        *,
        give_up: Callable[[], Awaitable[None]] = _do_nothing,
    ) -> asyncio.Future[QueryState]:
        """Run ``work`` after the jobs before it. ``give_up`` is called instead if it is not done
        when the queue closes. The caller need not await the result."""
        self.is_taken = True
        job = _Job(work, give_up, asyncio.get_running_loop().create_future())
        self._queue.put(self._key, job)
        return job.done


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
        self._queues: dict[ConversationKey, deque[_Job]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
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
        place = QueueSlot(self, key)
        try:
            yield place
        finally:
            if not place.is_taken:
                self._release(key)

    async def close(self, grace: float) -> None:
        """Accept no more jobs, wait at most ``grace`` seconds for the queued ones, then give them
        up."""
        self._closed = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for job in [job for line in self._queues.values() for job in line]:
            try:
                await job.give_up()
            except Exception:
                _log.exception("a question that was given up could not be marked so")
            job.done.cancel()
        left = [*self._tasks, *([self._heartbeat_task] if self._heartbeat_task else [])]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def put(self, key: ConversationKey, job: _Job) -> None:
        """Append a job to the queue of a conversation; for :class:`QueueSlot`."""
        if line := self._queues.get(key):
            line.append(job)
            return
        self._queues[key] = deque([job])
        task = asyncio.create_task(self._process(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._heartbeat_task is None:
            self._heartbeat_task = asyncio.create_task(self._send_heartbeats())

    async def _process(self, key: ConversationKey) -> None:
        line = self._queues[key]
        while line:
            job = line[0]
            try:
                state = await job.work()
                if not job.done.done():
                    job.done.set_result(state)
            except Exception as error:
                if not job.done.done():
                    job.done.set_exception(error)
                    job.done.exception()  # the result may have no consumer
            finally:
                line.popleft()
                self._release(key)
                if not line:
                    del self._queues[key]

    async def _send_heartbeats(self) -> None:
        while self._queues:
            try:
                await self._heartbeat()
            except Exception as error:
                _log.warning("the store does not take a sign of life: %s", error)
            await asyncio.sleep(HEARTBEAT_INTERVAL.total_seconds())
        self._heartbeat_task = None

    def _release(self, key: ConversationKey) -> None:
        owner = (key.tenant, key.user)
        self._counts[owner] -= 1
        if not self._counts[owner]:
            del self._counts[owner]
