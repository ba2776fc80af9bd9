"""What each event loop has of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

__all__ = ["of_running_loop"]

T = TypeVar("T")


def of_running_loop(
    known: dict[asyncio.AbstractEventLoop, T], make: Callable[[asyncio.AbstractEventLoop], T]
) -> T:
    """Return what the running event loop has in ``known``, made if it has nothing yet; then what
    closed loops have is dropped."""
    loop = asyncio.get_running_loop()
    found = known.get(loop)
    if found is None:
        for one in tuple(known):
            if one.is_closed():
                known.pop(one, None)
        found = known[loop] = make(loop)
    return found
