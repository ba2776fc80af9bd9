"""Futures of threads, as the event loop awaits them."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import TypeVar

__all__ = ["wrap_future"]

_Result = TypeVar("_Result")


def wrap_future(future: Future[_Result]) -> asyncio.Future[_Result]:
    """Wrap a future for asyncio. If it is abandoned, the event loop does not report its error."""
    awaited = asyncio.wrap_future(future)
    awaited.add_done_callback(lambda done: done.cancelled() or done.exception())
    return awaited
