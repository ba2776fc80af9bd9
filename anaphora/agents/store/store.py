"""The protocol of stores of agents."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from anaphora.agents.state.records import Record
from anaphora.agents.state.state import AgentState
from anaphora.stm.conversation import ConversationKey

__all__ = ["AgentKey", "AgentStore"]

AgentKey = ConversationKey
"""An agent (``model``) with a user of a tenant."""


class AgentStore(Protocol):
    """Stores the log of each agent with each user, and its state.

    All methods may be called from any thread, and raise :class:`~anaphora.errors.StoreError` if
    the store cannot be used.
    """

    def lock(self, key: AgentKey) -> AbstractContextManager[object]:
        """Lock an agent among all threads and processes that share the store. The lock of a process
        that dies becomes free.

        Raises :class:`~anaphora.errors.Conflict` if it is not free in time.
        """

    def load(self, key: AgentKey) -> AgentState:
        """Return the present state; an empty one for an unknown agent."""

    def append(self, key: AgentKey, records: Sequence[Record], state: AgentState) -> None:
        """Append records to the log, all or nothing; ``state`` is the state after them.

        Raises :class:`~anaphora.errors.Conflict` if the log has grown since the state before them.
        """

    def records(
        self, key: AgentKey, *, after: int = 0, until: int | None = None
    ) -> Sequence[Record]:
        """Return the records with numbers greater than ``after``, up to ``until``, in order.
        The number of a message is set."""

    def event_records(self, key: AgentKey, event: str) -> Sequence[Record]:
        """Return the records of an event, in order; none if it is unknown."""

    def latest_events(self, key: AgentKey, limit: int) -> Sequence[str]:
        """Return the ids of the last ``limit`` events, oldest first."""

    def erase(self, user: str, tenant: str = "", *, agent: str | None = None) -> int:
        """Erase all agents of a user, or one of them, from the files as well. Returns the number
        of erased records."""

    def ping(self) -> None:
        """Check that the store can be read and written."""

    def close(self) -> None:
        """Close files and connections."""
