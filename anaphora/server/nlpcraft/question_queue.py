"""The questions that this worker has been given to answer, and in which order it does.

Those of one conversation stand in line: "And in Kyoto?" is asked after the question it follows,
though nobody waited for the answer to that one. Different lines go side by side.
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
    """Some work, what is to be done if it is never done, and who waits for its result."""

    work: Callable[[], Awaitable[QueryState]]
    give_up: Callable[[], Awaitable[None]]
    done: asyncio.Future[QueryState]


class QueueSlot:
    """A place in the line of a conversation."""

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
        """Have ``work`` done when those before it are through; ``give_up`` is called instead if
        it is not done when the desk closes. What comes of it need not be waited for."""
        self.is_taken = True
        job = _Job(work, give_up, asyncio.get_running_loop().create_future())
        self._queue.put(self._key, job)
        return job.done


class QuestionQueue:
    """Takes at most ``most`` questions at once, and ``most_of_user`` of one user; ``beat`` says
    that this worker is alive, again and again while there is something to do."""

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
        """A place in the line of a conversation, given back at the end of the block unless
        something was put in it.

        Raises :class:`Full` if there is none.
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
        """Take no more, and wait ``grace`` seconds at most for what is in line; then give it up."""
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
        """Put a job at the end of a line; for :class:`QueueSlot`."""
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
                    job.done.exception()  # nobody may be waiting for it
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
