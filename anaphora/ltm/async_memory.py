"""Asynchronous long-term memory, for code that runs in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from anaphora.ltm.exchange import Exchange
from anaphora.ltm.memory import LongTermMemory, MemoryStatus
from anaphora.stm.conversation import ConversationKey

__all__ = ["AsyncLongTermMemory"]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def _in_thread(
    method: Callable[Concatenate[LongTermMemory, _Parameters], _Result],
) -> Callable[Concatenate[AsyncLongTermMemory, _Parameters], Coroutine[Any, Any, _Result]]:
    """Build the asynchronous twin of a method, which calls it in another thread."""

    @wraps(method)
    async def call(
        memory: AsyncLongTermMemory, /, *args: _Parameters.args, **kwargs: _Parameters.kwargs
    ) -> _Result:
        bound = getattr(memory._memory, method.__name__)
        result: _Result = await asyncio.to_thread(bound, *args, **kwargs)
        return result

    return call


class AsyncLongTermMemory:
    """A :class:`~anaphora.ltm.memory.LongTermMemory` with asynchronous methods, which access the
    store in another thread. Only :meth:`add` and :meth:`status`, which never block, are ordinary
    methods."""

    def __init__(self, memory: LongTermMemory) -> None:
        if not isinstance(memory, LongTermMemory):
            raise TypeError(f"write AsyncLongTermMemory(LongTermMemory({memory!r}))")
        self._memory = memory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Add an exchange to the conversation ``key``."""
        self._memory.add(key, exchange)

    def status(self) -> MemoryStatus:
        """Return the current counters and failures."""
        return self._memory.status()

    latest = _in_thread(LongTermMemory.latest)
    history = _in_thread(LongTermMemory.history)
    original_exchanges = _in_thread(LongTermMemory.original_exchanges)
    recall = _in_thread(LongTermMemory.recall)
    erase = _in_thread(LongTermMemory.erase)
    flush = _in_thread(LongTermMemory.flush)
    quarantined = _in_thread(LongTermMemory.quarantined)
    release = _in_thread(LongTermMemory.release)
    discard = _in_thread(LongTermMemory.discard)
    ping = _in_thread(LongTermMemory.ping)
    close = _in_thread(LongTermMemory.close)
