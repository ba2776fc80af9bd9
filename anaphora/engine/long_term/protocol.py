"""The interface of a long-term memory, as the engine uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from inspect import iscoroutinefunction
from typing import Protocol

from anaphora.ltm.exchange import Exchange
from anaphora.stm.conversation import ConversationKey

__all__ = ["LongTerm", "open_long_term"]


class LongTerm(Protocol):
    """Records every exchange and returns the latest ones. Any thread may call it."""

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Record an exchange of the conversation ``key``. Returns in microseconds and never
        raises: failures are logged and counted. The order of exchanges is that of their clocks,
        whatever the order of the calls."""

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """Return the last ``limit`` exchanges of a conversation, newest first: all that this
        process has added, and those of other processes as soon as they are stored.

        Raises :class:`StoreError` if they cannot be read.
        """

    @property
    def clock(self) -> int:
        """The largest known logical time of exchanges and erasures, 0 if there are none; later
        exchanges get larger ones. It is read for each question and must not wait."""

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        """Erase everything about a user (with one model), and never record anything of them
        whose clock is not larger than ``clock``. Returns the number of erased exchanges.

        Raises :class:`StoreError` if it cannot be done now.
        """

    def close(self) -> None:
        """Write pending exchanges and close the store."""


def open_long_term(
    long_term: LongTerm | str | None, clock: Callable[[], datetime]
) -> LongTerm | None:
    """Open the long-term memory at a URL; check and return an object; None for None."""
    if long_term is None:
        return None
    if not isinstance(long_term, str):
        if not hasattr(long_term, "add") or iscoroutinefunction(getattr(long_term, "latest", None)):
            raise TypeError(f"a long-term memory is a LongTermMemory or a URL, not {long_term!r}")
        return long_term
    from anaphora.ltm.memory import LongTermMemory  # imported only if used

    return LongTermMemory(long_term, clock=clock)
