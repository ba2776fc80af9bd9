"""A long-term memory backed by a list, for tests of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import count

from anaphora import Entity, StoreError
from anaphora.ltm.exchange import Exchange
from anaphora.stm.conversation import ConversationKey


class ListMemory:
    """A fake long-term memory. While it ``is_down``, every call fails; ``reads`` counts its
    reads."""

    def __init__(self, error: Exception | None = None) -> None:
        self.kept: list[tuple[ConversationKey, Exchange]] = []
        self.error = error or StoreError("no space left on the device")
        self.is_down = False
        self.is_closed = False
        self.reads = 0
        self._numbers = count(1)

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        self._check()
        self.kept.append((key, replace(exchange, number=next(self._numbers))))

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        self._check()
        self.reads += 1
        return [exchange for whose, exchange in reversed(self.kept) if whose == key][:limit]

    @property
    def clock(self) -> int:
        return 0

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        self._check()
        before = len(self.kept)
        self.kept = [
            (key, exchange)
            for key, exchange in self.kept
            if (key.user, key.tenant) != (user, tenant) or model not in (None, key.model)
        ]
        return before - len(self.kept)

    def close(self) -> None:
        self.is_closed = True

    @property
    def exchanges(self) -> list[Exchange]:
        return [exchange for _, exchange in self.kept]

    def _check(self) -> None:
        if self.is_down:
            raise self.error


def exchange_with_memory(at: datetime, *memory: Entity) -> Exchange:
    """An exchange with the given memory snapshot."""
    return Exchange("?", "!", at, memory=memory)
