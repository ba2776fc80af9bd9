"""The long-term memory for code that runs in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from types import TracebackType
from typing import Self

from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.working_history import History
from anaphora.ltm.memory import LongTermMemory, MemoryStatus
from anaphora.ltm.retrieval.search import Page, SearchMode
from anaphora.ltm.retrieval.store import SearchFilter, UserKey
from anaphora.stm.conversation import ConversationKey

__all__ = ["AsyncLongTermMemory"]

_NO_FILTER = SearchFilter()


class AsyncLongTermMemory:
    """A :class:`~anaphora.ltm.memory.LongTermMemory` whose methods are awaited: what reads or
    writes the store does so in another thread. Only :meth:`add` and :meth:`status`, which wait
    for nothing, are called as they are."""

    def __init__(self, memory: LongTermMemory) -> None:
        if not isinstance(memory, LongTermMemory):
            raise TypeError(f"write AsyncLongTermMemory(LongTermMemory({memory!r}))")
        self._memory = memory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Take an exchange of the conversation ``key``."""
        self._memory.add(key, exchange)

    def status(self) -> MemoryStatus:
        """How it is."""
        return self._memory.status()

    async def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """The last ``limit`` exchanges of a conversation, newest first."""
        return await asyncio.to_thread(self._memory.latest, key, limit)

    async def history(self, key: ConversationKey) -> History:
        """The working history of a conversation."""
        return await asyncio.to_thread(self._memory.history, key)

    async def original_exchanges(
        self, key: ConversationKey, summary: Summary
    ) -> Sequence[Exchange]:
        """What a summary stands for, as it was said."""
        return await asyncio.to_thread(self._memory.original_exchanges, key, summary)

    async def recall(
        self,
        user_key: UserKey,
        text: str = "",
        *,
        mode: SearchMode | None = None,
        filters: SearchFilter = _NO_FILTER,
        language: str | Sequence[str] | None = None,
        page: int = 1,
        size: int = 10,
        neighbours: int = 1,
        at: datetime | None = None,
    ) -> Page:
        """Look for what a user or the bot said."""
        return await asyncio.to_thread(
            self._memory.recall,
            user_key,
            text,
            mode=mode,
            filters=filters,
            language=language,
            page=page,
            size=size,
            neighbours=neighbours,
            at=at,
        )

    async def erase(self, user: str, *, tenant: str = "", model: str | None = None) -> int:
        """Erase all that is kept of a user (with one model); how many exchanges that were."""
        return await asyncio.to_thread(self._memory.erase, user, tenant=tenant, model=model)

    async def flush(self, timeout: float | None = None) -> bool:
        """Wait until all that was added before is kept, embedded and compressed."""
        return await asyncio.to_thread(self._memory.flush, timeout)

    async def close(self) -> None:
        """Bring into the store what waits, and let go of it."""
        await asyncio.to_thread(self._memory.close)
