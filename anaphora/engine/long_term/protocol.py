"""What the engine wants of a long-term memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anaphora.ltm.exchange import Exchange
from anaphora.stm.conversation import ConversationKey

__all__ = ["LongTerm"]


class LongTerm(Protocol):
    """Takes every exchange and gives back the last ones. Any thread may call it."""

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        """Take an exchange of the conversation ``key``. It returns in microseconds, and never
        fails: what cannot be kept is logged and counted. Exchanges are in the order of their
        clocks, and may come in another one."""
        ...

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        """The last ``limit`` exchanges of a conversation, newest first: all that were added
        before by this process, and those of others as soon as they have kept them.

        Raises :class:`StoreError` if they cannot be read.
        """
        ...

    @property
    def clock(self) -> int:
        """The largest logical time that is known of exchanges and erasures, 0 if none is: those
        of later exchanges are larger. It is read for each question, so nothing is waited for."""
        ...

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        """Erase all that is kept of a user (with one model), and keep nothing of them any more
        whose clock is not larger than ``clock``; how many exchanges that were.

        Raises :class:`StoreError` if it cannot be done now.
        """
        ...

    def close(self) -> None:
        """Keep what is still to be kept, and let go of the store."""
        ...
