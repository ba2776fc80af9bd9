"""A long-term memory in this process, for sample dialogs."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from anaphora.ltm.exchange import Exchange
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.forks import fork_safe_lock

__all__ = ["InProcessLongTerm"]


class InProcessLongTerm:
    """The exchanges of each conversation in the memory of this process, for sample dialogs. See
    :class:`~anaphora.engine.long_term.protocol.LongTerm` for the methods. ``clock`` is
    always 0: the engine's own times order these exchanges. Nothing is ever dropped."""

    clock = 0

    def __init__(self) -> None:
        self._exchanges: defaultdict[ConversationKey, list[Exchange]] = defaultdict(list)
        self._mutex = fork_safe_lock()

    def add(self, key: ConversationKey, exchange: Exchange) -> None:
        with self._mutex:
            insort(self._exchanges[key], exchange, key=attrgetter("clock"))

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        with self._mutex:
            numbered = enumerate(self._exchanges.get(key, ()), 1)
            return [replace(one, number=number) for number, one in numbered][: -limit - 1 : -1]

    def erase(
        self, user: str, *, tenant: str = "", model: str | None = None, clock: int = 0
    ) -> int:
        with self._mutex:
            gone = [
                key
                for key in self._exchanges
                if (key.user, key.tenant) == (user, tenant) and model in (None, key.model)
            ]
            return sum(len(self._exchanges.pop(key)) for key in gone)

    def close(self) -> None:
        pass
