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

from anaphora.server.nlpcraft.shelf import BEAT, Full
from anaphora.server.nlpcraft.states import State
from anaphora.stm.conversation import Key

__all__ = ["Desk", "Place"]

_log = logging.getLogger(__name__)


async def _nothing() -> None:
    pass


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """Some work, what is to be done if it is never done, and who waits for its result."""

    work: Callable[[], Awaitable[State]]
    give_up: Callable[[], Awaitable[None]]
    done: asyncio.Future[State]


class Place:
    """A place in the line of a conversation."""

    def __init__(self, desk: Desk, key: Key) -> None:
        self._desk = desk
        self._key = key
        self.is_taken = False

    def take(
        self,
        work: Callable[[], Awaitable[State]],
        *,
        give_up: Callable[[], Awaitable[None]] = _nothing,
    ) -> asyncio.Future[State]:
        """Have ``work`` done when those before it are through; ``give_up`` is called instead if
        it is not done when the desk closes. What comes of it need not be waited for."""
        self.is_taken = True
        job = _Job(work, give_up, asyncio.get_running_loop().create_future())
        self._desk.put(self._key, job)
        return job.done


class Desk:
    """Takes at most ``most`` questions at once, and ``most_of_user`` of one user; ``beat`` says
    that this worker is alive, again and again while there is something to do."""

    def __init__(
        self,
        *,
        beat: Callable[[], Awaitable[None]] = _nothing,
        most: int = 1_000,
        most_of_user: int = 20,
    ) -> None:
        self._beat = beat
        self._most = most
        self._most_of_user = most_of_user
        self._taken: Counter[tuple[str, str]] = Counter()
        self._lines: dict[Key, deque[_Job]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._beating: asyncio.Task[None] | None = None
        self._closed = False

    @contextmanager
    def place(self, key: Key) -> Iterator[Place]:
        """A place in the line of a conversation, given back at the end of the block unless
        something was put in it.

        Raises :class:`Full` if there is none.
        """
        owner = (key.tenant, key.user)
        if self._closed:
            raise Full("the service is shutting down")
        if self._taken.total() >= self._most:
            raise Full(f"{self._most:,} questions are waiting for their answers")
        if self._taken[owner] >= self._most_of_user:
            raise Full(f"{self._most_of_user} questions of this user are waiting for their answers")
        self._taken[owner] += 1
        place = Place(self, key)
        try:
            yield place
        finally:
            if not place.is_taken:
                self._leave(key)

    async def close(self, grace: float) -> None:
        """Take no more, and wait ``grace`` seconds at most for what is in line; then give it up."""
        self._closed = True
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for job in [job for line in self._lines.values() for job in line]:
            try:
                await job.give_up()
            except Exception:
                _log.exception("a question that was given up could not be marked so")
            job.done.cancel()
        left = [*self._tasks, *([self._beating] if self._beating else [])]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def put(self, key: Key, job: _Job) -> None:
        """Put a job at the end of a line; for :class:`Place`."""
        if line := self._lines.get(key):
            line.append(job)
            return
        self._lines[key] = deque([job])
        task = asyncio.create_task(self._serve(key))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._beating is None:
            self._beating = asyncio.create_task(self._keep_beating())

    async def _serve(self, key: Key) -> None:
        line = self._lines[key]
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
                self._leave(key)
                if not line:
                    del self._lines[key]

    async def _keep_beating(self) -> None:
        while self._lines:
            try:
                await self._beat()
            except Exception as error:
                _log.warning("the store does not take a sign of life: %s", error)
            await asyncio.sleep(BEAT.total_seconds())
        self._beating = None

    def _leave(self, key: Key) -> None:
        owner = (key.tenant, key.user)
        self._taken[owner] -= 1
        if not self._taken[owner]:
            del self._taken[owner]
