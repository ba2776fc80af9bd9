"""Conversations in the memory of this process, safe under threads."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from anaphora.errors import Conflict
from anaphora.stm.conversation import Conversation

__all__ = ["MemoryStore", "Session"]

Key: TypeAlias = tuple[str, str]

_SWEPT_AT_ONCE = 8  # for each that is opened: more leave than come
_NEVER = datetime.max.replace(tzinfo=UTC)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Session:
    """One conversation, held by one question: ``conversation`` is as it was found, and only
    :meth:`commit` changes what the store keeps."""

    __slots__ = ("_committed", "conversation")

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self._committed: Conversation | None = None

    def commit(self, conversation: Conversation) -> None:
        """Keep ``conversation`` when the session ends without an error."""
        self._committed = conversation

    @property
    def committed(self) -> Conversation | None:
        return self._committed


class _Turn:
    """The lock of one conversation, there as long as somebody holds it or waits for it."""

    __slots__ = ("lock", "owner", "users")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.owner: int | None = None
        self.users = 0


class MemoryStore:
    """Keeps conversations until they have been idle for longer than their timeout.

    Questions of one conversation take turns; those of different ones don't wait for each other.
    ``clock`` tells (with a time zone) when a conversation has been idle for too long. ``wait`` is
    for how many seconds a question waits for its turn: handlers that ask in each other's
    conversations would wait for ever.
    """

    def __init__(self, clock: Callable[[], datetime] = _utc_now, *, wait: float = 60.0) -> None:
        self._clock = clock
        self._wait = wait
        self._kept: dict[Key, tuple[Conversation, datetime]] = {}
        self._expiries: list[tuple[datetime, Key]] = []  # a heap with one entry a key at most
        self._queued: set[Key] = set()  # the keys in it
        self._turns: dict[Key, _Turn] = {}
        self._mutex = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @contextmanager
    def open(self, user: str, model: str, timeout: timedelta) -> Iterator[Session]:
        """The conversation of ``user`` with ``model``, for this thread alone until the block
        ends; an empty one if none is kept.

        What was committed is kept for ``timeout``; nothing is if the block raises. Raises
        :class:`Conflict` if this thread holds the conversation already, or if its turn doesn't
        come in time.
        """
        key = (user, model)
        turn = self._queue(key)
        try:
            self._take(turn, key)
            try:
                session = Session(self.peek(user, model) or Conversation(user, model))
                yield session
                if session.committed is not None:
                    self._keep(key, session.committed, timeout)
            finally:
                turn.owner = None
                turn.lock.release()
        finally:
            self._leave(key, turn)

    def peek(self, user: str, model: str) -> Conversation | None:
        """The conversation as it was last committed, None if none is kept."""
        kept = self._kept.get((user, model))
        return kept[0] if kept else None

    def keys(self) -> tuple[Key, ...]:
        """The user and the model of each conversation that is kept."""
        with self._mutex:
            return tuple(self._kept)

    def forget(self, user: str, model: str) -> None:
        """Drop a conversation, once a question that is being answered in it is through.

        Raises :class:`Conflict` as :meth:`open` does.
        """
        with self.open(user, model, timedelta()) as session:
            session.commit(Conversation(user, model))

    def _queue(self, key: Key) -> _Turn:
        with self._mutex:
            turn = self._turns.get(key)
            if turn is None:
                turn = self._turns[key] = _Turn()
            elif turn.owner == threading.get_ident():
                raise Conflict(
                    f"the conversation of {key[0]!r} with '{key[1]}' is being answered by this "
                    "very thread: a handler cannot ask in its own conversation"
                )
            turn.users += 1
            return turn

    def _take(self, turn: _Turn, key: Key) -> None:
        if not turn.lock.acquire(timeout=self._wait):
            raise Conflict(
                f"the conversation of {key[0]!r} with '{key[1]}' has been busy for "
                f"{self._wait} seconds"
            )
        turn.owner = threading.get_ident()

    def _leave(self, key: Key, turn: _Turn) -> None:
        with self._mutex:
            turn.users -= 1
            if not turn.users:
                del self._turns[key]
            self._sweep()

    def _keep(self, key: Key, conversation: Conversation, timeout: timedelta) -> None:
        with self._mutex:
            if conversation == Conversation(*key):  # it would be found so anyway
                self._kept.pop(key, None)
                return
            expiry = _after(self._now(), timeout)
            if key not in self._queued:
                heapq.heappush(self._expiries, (expiry, key))
                self._queued.add(key)
            self._kept[key] = (conversation, expiry)

    def _sweep(self) -> None:
        """Drop some of the conversations that have been idle for too long.

        A conversation has one entry in the heap, however often it is committed or forgotten: one
        that comes up too early is put back with its present expiry.
        """
        now = self._now()
        for _ in range(_SWEPT_AT_ONCE):
            if not self._expiries or self._expiries[0][0] >= now:
                return
            _, key = self._expiries[0]
            kept = self._kept.get(key)
            if kept is not None and kept[1] >= now:
                heapq.heapreplace(self._expiries, (kept[1], key))
            else:
                heapq.heappop(self._expiries)
                self._queued.discard(key)
                self._kept.pop(key, None)

    def _now(self) -> datetime:
        """The time in UTC: adding to a local time is an hour out when the clocks change."""
        now = self._clock()
        if now.utcoffset() is None:
            raise ValueError(f"the time {now} has no time zone")
        return now.astimezone(UTC)


def _after(now: datetime, timeout: timedelta) -> datetime:
    try:
        return now + timeout
    except OverflowError:
        return _NEVER
