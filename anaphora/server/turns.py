"""Whose turn it is among the requests of one worker that ask in the same conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from anaphora.errors import Conflict

__all__ = ["Turns"]


class _Line:
    __slots__ = ("lock", "users")

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.users = 0


class Turns:
    """Lets one request at a time into each conversation, in the order in which they came. Others
    wait at most ``wait`` seconds, and without a thread."""

    def __init__(self, *, wait: float = 60.0) -> None:
        self._wait = wait
        self._lines: dict[Hashable, _Line] = {}

    def __len__(self) -> int:
        return len(self._lines)

    async def take(self, key: Hashable) -> None:
        """Wait for the turn; :meth:`give_back` must follow.

        Raises :class:`Conflict` if it does not come in time.
        """
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = _Line()
        line.users += 1
        try:
            if line.lock.locked():
                async with asyncio.timeout(self._wait):
                    await line.lock.acquire()
            else:
                await line.lock.acquire()
        except TimeoutError:
            self._leave(key, line)
            raise Conflict(f"the conversation has been busy for {self._wait:g} seconds") from None
        except BaseException:
            self._leave(key, line)
            raise

    def give_back(self, key: Hashable) -> None:
        """Let the next one in."""
        line = self._lines[key]
        line.lock.release()
        self._leave(key, line)

    def _leave(self, key: Hashable, line: _Line) -> None:
        line.users -= 1
        if not line.users:
            del self._lines[key]
