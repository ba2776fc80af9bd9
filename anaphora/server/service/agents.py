"""The agents of the service: their events in threads, one at a time for each user."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from anaphora.core.name_hints import did_you_mean
from anaphora.core.request import User
from anaphora.engine.asynchronous.conversation_locks import AsyncConversationLocks
from anaphora.engine.identity import tenant_id
from anaphora.errors import AnaphoraError, Problem
from anaphora.server.problems import ProblemError
from anaphora.server.service.futures import wrap_future

if TYPE_CHECKING:
    from anaphora.agents.agent import Agent
    from anaphora.agents.answer import AgentAnswer
    from anaphora.ltm.memory import LongTermMemory
    from anaphora.server.service.service import Service
    from anaphora.server.settings.model import Settings

__all__ = ["AgentService", "close_agents", "find_fallback", "open_agents"]

_KEPT = (
    "This server is shutting down before the agent has answered. The message is kept: send it "
    "again with the same id, or send another one, and the answer comes."
)
_Result = TypeVar("_Result")


class AgentService:
    """The asynchronous interface of ``agents``, beside the ``service`` of the models.

    An event runs in a thread to its end, even if its client is gone: its answer is in the store.
    At most ``settings.agent_threads`` events run at once; the others wait, those of one user
    without a thread. Errors are counted and logged, without users' texts.
    """

    def __init__(self, service: Service, agents: Iterable[Agent] = ()) -> None:
        self._service = service
        self._agents = {agent.name: agent for agent in agents}
        self._locks = AsyncConversationLocks()
        self._running: set[Future[Any]] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        threads = service.settings.agent_threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="anaphora-agent")

    def __iter__(self) -> Iterator[Agent]:
        return iter(self._agents.values())

    def get(self, name: str) -> Agent:
        """Return an agent by its name. Raises :class:`ProblemError` if there is none."""
        agent = self._agents.get(name)
        if agent is None:
            hint = did_you_mean(name, self._agents, label="there are")
            detail = hint or "The service has no agents (the setting 'agents')."
            raise ProblemError("unknown-agent", f"There is no agent with this name; {detail}")
        return agent

    async def process(
        self, agent: Agent, user: User, work: Callable[[], AgentAnswer | None]
    ) -> AgentAnswer | None:
        """Process an event of a user by ``work``, after the one that is being processed."""

        def measured() -> AgentAnswer | None:
            begin = time.perf_counter()
            with self._service.tracing.event(agent.name) as span:
                answer = work()
                if answer is not None:
                    span.set_attribute("anaphora.ended", answer.ended)
                    self._service.metrics.observe_event(
                        agent.name,
                        answer.ended,
                        time.perf_counter() - begin,
                        prompt=answer.usage.prompt_tokens,
                        completion=answer.usage.completion_tokens,
                    )
            return answer

        return await self.change(agent, user, measured)

    async def change(self, agent: Agent, user: User, work: Callable[[], _Result]) -> _Result:
        """Call ``work``, which changes an agent with a user, in a thread.

        Raises :class:`ProblemError` at the deadline of a shutdown, and :class:`Conflict` if an
        event of the user takes too long.
        """
        async with self._lock(agent, user):
            return await self._run(work)

    async def erase(self, user: User) -> int:
        """Erase everything that the agents know of a user; return the number of records."""
        tenant = tenant_id(user)
        erasures = {agent: partial(agent.erase, user.id, tenant=tenant) for agent in self}
        return sum([await self.change(agent, user, work) for agent, work in erasures.items()])

    async def is_ready(self) -> bool:
        """Whether the stores of all agents respond."""
        return all([await self._service.responds(agent.ping) for agent in self])

    @property
    def is_busy(self) -> bool:
        """Whether an event is still running."""
        return bool(self._running)

    async def close(self) -> None:
        """Wait for running events until the deadline of the shutdown."""
        deadline = self._service.deadline
        deadline.start(self._service.settings.shutdown_grace)
        if running := [wrap_future(future) for future in tuple(self._running)]:
            await asyncio.wait(running, timeout=deadline.left)
        self._pool.shutdown(wait=False, cancel_futures=True)

    def keep_task(self, task: asyncio.Task[_Result]) -> asyncio.Task[_Result]:
        """Keep a reference to a task until it ends; the event loop has none."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    @asynccontextmanager
    async def _lock(self, agent: Agent, user: User) -> AsyncIterator[None]:
        key = agent.name, tenant_id(user), user.id
        try:
            async with self._service.deadline.limit() as limit:
                await self._locks.acquire(key)
        except TimeoutError:
            if not limit.expired():
                raise
            raise ProblemError("shutting-down") from None
        except AnaphoraError as error:
            self._service.record_error(error)
            raise
        try:
            yield
        finally:
            self._locks.release(key)

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        deadline = self._service.deadline
        if not deadline.left:
            raise ProblemError("shutting-down")
        future = self._pool.submit(copy_context().run, work)
        self._running.add(future)
        future.add_done_callback(self._running.discard)
        try:
            async with deadline.limit() as limit:
                return await wrap_future(future)
        except TimeoutError:
            if not limit.expired():
                raise
            self._service.metrics.count_failure("shutting-down")
            # A work that waited for a thread has been cancelled, and has changed nothing.
            raise ProblemError("shutting-down", "" if future.cancelled() else _KEPT) from None
        except AnaphoraError as error:
            self._service.record_error(error)
            raise


def open_agents(settings: Settings, memory: LongTermMemory | None) -> tuple[Agent, ...]:
    """Load the agents of the settings, whose recall memory is the long-term ``memory`` (None: each
    has one of its own in the memory of the process).

    Raises :class:`AnaphoraError` for files with mistakes, for stores that cannot be used, and if
    the fallback of the settings is none of the agents.
    """
    if not settings.agents:
        find_fallback(settings, ())
        return ()
    from anaphora.agents.files.loader import load_agent

    opened: list[Agent] = []
    try:
        for source in settings.agents:
            opened.append(
                load_agent(
                    source,
                    url=settings.chat_model.url,
                    model=settings.chat_model.name,
                    window=settings.chat_model.window,
                    memory=memory or "memory:",
                )
            )
            opened[-1].ping()
        counted = Counter(agent.name for agent in opened)
        if twice := next((name for name, times in counted.items() if times > 1), None):
            raise AnaphoraError(f"two agents are called '{twice}': rename one")
        find_fallback(settings, opened)
    except BaseException:
        close_agents(opened)
        raise
    return tuple(opened)


def find_fallback(settings: Settings, agents: Iterable[Agent]) -> Agent | None:
    """Return the agent that answers what no intent fits; None without one.

    Raises :class:`AnaphoraError` if the settings name none of the agents.
    """
    if settings.fallback is None:
        return None
    by_name = {agent.name: agent for agent in agents}
    if settings.fallback not in by_name:
        hint = did_you_mean(settings.fallback, by_name, label="there are")
        message = f"the fallback '{settings.fallback}' is none of the agents"
        raise AnaphoraError(str(Problem(message, hint=hint)))
    return by_name[settings.fallback]


def close_agents(agents: Iterable[Agent]) -> None:
    """Close agents."""
    for agent in agents:
        agent.close()
