"""One piece of code for threads and event loops: coroutines that wait in the one way or the other.

With :data:`IN_THREAD`, whatever a coroutine waits for blocks the thread. Such a coroutine never
suspends, so that :func:`enter_blocking` gets by without an event loop.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Protocol, TypeVar

__all__ = ["IN_LOOP", "IN_THREAD", "Waiting", "enter_blocking", "run_blocking"]

_FIRST_PAUSE, _LONGEST_PAUSE, _PAUSE_GROWTH = 0.0005, 0.02, 1.5  # of seconds, for a lock

_Result = TypeVar("_Result")


class Waiting(Protocol):
    """How a coroutine waits."""

    async def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""

    async def acquire(self, lock: threading.Lock, seconds: float) -> bool:
        """Lock a lock of threads within so many seconds; return whether that succeeded."""

    async def call(self, function: Callable[[], _Result]) -> _Result:
        """Call a function that may block."""


class _InThread:
    async def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    async def acquire(self, lock: threading.Lock, seconds: float) -> bool:
        return lock.acquire(timeout=max(seconds, 0))

    async def call(self, function: Callable[[], _Result]) -> _Result:
        return function()


class _InLoop:
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def acquire(self, lock: threading.Lock, seconds: float) -> bool:
        end, pause = time.monotonic() + seconds, _FIRST_PAUSE
        while not lock.acquire(blocking=False):
            left = end - time.monotonic()
            if left <= 0:
                return False
            await asyncio.sleep(min(pause, left))
            pause = min(pause * _PAUSE_GROWTH, _LONGEST_PAUSE)
        return True

    async def call(self, function: Callable[[], _Result]) -> _Result:
        return await asyncio.to_thread(function)


IN_THREAD: Waiting = _InThread()
IN_LOOP: Waiting = _InLoop()


def run_blocking(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Run a coroutine that waits :data:`IN_THREAD`; return its result."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: _Result = end.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine that should block its thread waits for an event loop")


@contextmanager
def enter_blocking(
    manager: AbstractAsyncContextManager[_Result],
) -> Iterator[_Result]:
    """Enter and leave a context manager that waits :data:`IN_THREAD`."""
    value = run_blocking(_enter(manager))
    try:
        yield value
    except BaseException as error:
        if not run_blocking(_leave(manager, error)):
            raise
    else:
        run_blocking(_leave(manager, None))


async def _enter(manager: AbstractAsyncContextManager[_Result]) -> _Result:
    return await manager.__aenter__()


async def _leave(
    manager: AbstractAsyncContextManager[Any], error: BaseException | None
) -> bool | None:
    if error is None:
        return await manager.__aexit__(None, None, None)
    return await manager.__aexit__(type(error), error, error.__traceback__)
