"""Futures of threads and tasks, as the event loop awaits them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TypeAlias, TypeVar

__all__ = ["AnyFuture", "wrap_future"]

_Result = TypeVar("_Result")

AnyFuture: TypeAlias = Future[_Result] | asyncio.Future[_Result]


def wrap_future(future: AnyFuture[_Result]) -> asyncio.Future[_Result]:
    """Wrap a future for asyncio. If it is abandoned, what has started runs to its end, and the
    event loop does not report its error."""
    if isinstance(future, asyncio.Future):
        return asyncio.shield(future)
    awaited = asyncio.wrap_future(future)
    awaited.add_done_callback(lambda done: done.cancelled() or done.exception())
    return awaited
