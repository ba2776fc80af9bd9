"""One call of the engine in a thread, as the event loop sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from concurrent.futures import Future
from contextvars import ContextVar
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any

from anaphora.errors import Conflict, HandlerError
from anaphora.stm.stores.store import commit_guard

__all__ = ["RunningCall", "current_call", "to_plain_function"]

current_call: ContextVar[RunningCall | None] = ContextVar("current_call", default=None)
"""The call of this context: that of an asynchronous engine whose handler is running."""


class RunningCall:
    """A call that holds the conversation ``key``, if any. A handler that it calls may make further
    calls. Once it is cancelled, it commits nothing more, and its coroutines are cancelled."""

    def __init__(self, loop: asyncio.AbstractEventLoop, key: Hashable = None) -> None:
        outer = current_call.get()
        self._is_running = True
        self._guard: Callable[[], None] | None = outer._guard if outer else commit_guard.get()
        self._outer = outer if outer is not None and outer._is_running else None
        self.depth: int = self._outer.depth + 1 if self._outer else 0
        self._loop, self._key = loop, key
        self._coroutines: set[Future[Any]] = set()
        self._is_cancelled = False

    def holds(self, key: Hashable) -> bool:
        """Whether this call, or one whose handler has made it, holds a conversation."""
        if self._is_running and self._key == key:
            return True
        return self._outer is not None and self._outer.holds(key)

    def enter(self) -> None:
        """Make this the call of the current context, and guard its commits."""
        current_call.set(self)
        commit_guard.set(self._check)

    def end(self) -> None:
        """Note that the call has ended, though tasks of its handler may go on."""
        self._is_running = False

    def cancel(self) -> None:
        """Keep the call from committing, and cancel what it awaits."""
        self._is_cancelled = True
        for future in tuple(self._coroutines):
            future.cancel()

    def run_coroutine(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the event loop, from the thread of the call; return its result."""
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        self._coroutines.add(future)
        try:
            if self._is_cancelled:
                future.cancel()
            return future.result()
        finally:
            self._coroutines.discard(future)

    def _check(self) -> None:
        if self._is_cancelled:
            raise Conflict("the question was cancelled before it was answered")
        if self._guard is not None:
            self._guard()


def to_plain_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plain function that runs an ``async`` one in the event loop of the question; other
    functions are returned unchanged."""
    if not iscoroutinefunction(function):
        return function

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        running = current_call.get()
        if running is None:
            raise HandlerError("an async handler answers only questions of an AsyncEngine")
        return running.run_coroutine(function(*arguments, **keywords))

    return call
