"""A long-term memory whose exchanges also enter a knowledge graph."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from anaphora.agents.graph.graph import KnowledgeGraph
from anaphora.errors import AnaphoraError
from anaphora.ltm.background.worker import BackgroundWorker
from anaphora.ltm.exchange import Exchange
from anaphora.ltm.memory import LongTermMemory
from anaphora.ltm.retrieval.store import UserKey
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.forks import ForkAware, register_fork_aware

__all__ = ["ObservedMemory"]

_MAX_WAITING = 10_000  # exchanges; the oldest are left out of the graph
_CLOSE_TIMEOUT = 5.0  # seconds

_log = logging.getLogger(__name__)


class ObservedMemory(ForkAware):
    """Passes exchanges to ``memory``, and in the background to ``graph``: the ``long_term`` of an
    :class:`~anaphora.engine.engine.Engine`. The facts come from the intents and slots of answered
    questions, without a model.

    The graph can be rebuilt from the memory, and exchanges wait for it in this process only: a
    process that is killed loses the facts of its last moments, not the exchanges.
    """

    def __init__(self, memory: LongTermMemory, graph: KnowledgeGraph) -> None:
        self.memory, self.graph = memory, graph
        self._waiting: deque[tuple[ConversationKey, Exchange]] = deque(maxlen=_MAX_WAITING)
        self._worker = BackgroundWorker(
            self._observe, name="anaphora-graph", debounce=0.0, poll_interval=None
        )
        register_fork_aware(self)

    @property
    def clock(self) -> int:
        """See :attr:`~anaphora.ltm.memory.LongTermMemory.clock`."""
        return self.memory.clock

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Add an exchange; returns within microseconds."""
        self.memory.add(key, exchange)
        if exchange.intent is not None and exchange.status == "matched":
            self._waiting.append((key, exchange))
            self._worker.wake()

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """See :meth:`~anaphora.ltm.memory.LongTermMemory.latest`."""
        return self.memory.latest(key, limit)

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        """Erase a user from both; see :meth:`~anaphora.ltm.memory.LongTermMemory.erase`."""
        erased = self.memory.erase(user, tenant=tenant, model=model, clock=clock)
        until = clock or self.memory.clock
        return erased + self.graph.erase(UserKey(user, tenant), model=model, clock=until)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until both have all exchanges; False if that takes more than ``timeout`` seconds."""
        is_observed = not self._waiting or self._worker.wait(lambda: not self._waiting, timeout)
        return is_observed and self.memory.flush(timeout)

    def close(self) -> None:
        """Finish with the graph, and close both."""
        if self._waiting:
            self._worker.wait(lambda: not self._waiting, _CLOSE_TIMEOUT)
        self._worker.stop(_CLOSE_TIMEOUT)
        self.graph.close()
        self.memory.close()

    def after_fork_in_child(self) -> None:
        self._waiting.clear()
        self._worker.reset()

    def _observe(self) -> None:
        while self._waiting and not self._worker.stopping:
            key, exchange = self._waiting[0]
            try:
                self.graph.observe(UserKey(key.user, key.tenant), exchange, model=key.model)
            except AnaphoraError as error:
                _log.warning("the knowledge graph does not take an exchange: %s", error)
            with suppress(IndexError):
                self._waiting.popleft()
