"""Conversations in the memory of this process, safe under threads."""

from __future__ import annotations

import heapq
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from types import TracebackType

from msgspec.structs import replace

from anaphora.stm.conversation import Conversation, Key
from anaphora.stm.stores.store import Session
from anaphora.stm.stores.turns import Turns, forked
from anaphora.storage.forks import follow_forks
from anaphora.storage.logical_clock import in_microseconds, tick

__all__ = ["MemoryStore"]

_SLACK = 64  # entries of the heap that need not be of anything that is kept
_SWEPT_AT_ONCE = 8  # for each that is opened: more leave than come
_NEVER = datetime.max.replace(tzinfo=UTC)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class _Shelf:
    """Notes, and until when the last of them is kept."""

    __slots__ = ("expiry", "notes")

    def __init__(self) -> None:
        self.notes: dict[str, str] = {}
        self.expiry = datetime.min.replace(tzinfo=UTC)


class MemoryStore:
    """Keeps conversations until they have been idle for longer than their timeout.

    Questions of one conversation take turns; those of different ones don't wait for each other.
    ``clock`` tells (with a time zone) when a conversation has been idle for too long. ``wait`` is
    for how many seconds a question waits for its turn: handlers that ask in each other's
    conversations would wait for ever. At most ``most_conversations`` and ``most_shelves`` are kept:
    a further one takes the place of the one that was written longest ago. A process may fork: the
    child has a copy of what is kept. See :class:`~anaphora.stm.stores.store.Store` for the methods.
    """

    def __init__(
        self,
        clock: Callable[[], datetime] = _utc_now,
        *,
        wait: float = 60.0,
        most_conversations: int = 1_000_000,
        most_shelves: int = 10_000,
    ) -> None:
        self._clock = clock
        self._wait = wait
        self._turns = Turns(wait)
        self._latest = 0  # clock of all that was committed
        self._most_conversations = most_conversations
        self._most_shelves = most_shelves
        # Both in the order in which they were written last.
        self._kept: OrderedDict[Key, tuple[Conversation, datetime]] = OrderedDict()
        self._shelves: OrderedDict[str, _Shelf] = OrderedDict()
        # A heap with one entry at most for each conversation and each shelf, and what is in it;
        # numbers between, for a conversation and a shelf cannot be compared.
        self._expiries: list[tuple[datetime, int, Key | str]] = []
        self._numbers = count()
        self._queued: set[Key | str] = set()
        self._mutex = threading.Lock()
        follow_forks(self)

    def __len__(self) -> int:
        return len(self._kept)

    def open(self, key: Key, timeout: timedelta) -> AbstractContextManager[Session]:
        return _Opened(self, key, timeout)

    def peek(self, key: Key) -> Conversation | None:
        return self._kept_at(key, self._now())

    def _kept_at(self, key: Key, now: datetime) -> Conversation | None:
        kept = self._kept.get(key)
        return kept[0] if kept and kept[1] >= now else None

    def forget(self, key: Key) -> None:
        with self.forget_after(key):
            pass

    @contextmanager
    def forget_after(self, key: Key) -> Iterator[int]:
        with self.open(key, timedelta()) as session:
            yield session.clock
            session.commit(replace(Conversation.of(key), clock=session.clock))

    def keys(self) -> Iterator[Key]:
        with self._mutex:
            now = self._now()
            kept = [key for key, (_, expiry) in self._kept.items() if expiry >= now]
        return iter(kept)

    def note(self, shelf: str, name: str) -> str | None:
        return self.notes(shelf).get(name)

    def notes(self, shelf: str) -> Mapping[str, str]:
        with self._mutex:
            found = self._shelves.get(shelf)
            return dict(found.notes) if found and found.expiry >= self._now() else {}

    def put_note(self, shelf: str, name: str, text: str, ttl: timedelta) -> None:
        with self._mutex:
            now = self._now()
            found = self._shelves.get(shelf)
            if found is None or found.expiry < now:
                found = self._shelves[shelf] = _Shelf()
            found.notes[name] = text
            found.expiry = max(found.expiry, _after(now, ttl))
            self._shelves.move_to_end(shelf)
            if len(self._shelves) > self._most_shelves:
                self._shelves.popitem(last=False)
            self._queue(shelf, found.expiry)
            self._sweep(now)

    def drop_note(self, shelf: str, name: str) -> None:
        with self._mutex:
            if found := self._shelves.get(shelf):
                found.notes.pop(name, None)
                if not found.notes:
                    del self._shelves[shelf]

    def scrub(self, user: str, tenant: str = "") -> None:
        with self._mutex:
            now = self._now()
            while self._expiries and self._expiries[0][0] < now:
                self._sweep(now)
            self._compact()  # what has been forgotten still waits there by its id

    def ping(self) -> None:
        pass

    def close(self) -> None:
        pass

    def before_fork(self) -> None:
        self._mutex.acquire()

    def after_fork(self) -> None:
        self._mutex.release()

    def after_fork_in_child(self) -> None:
        """Go on without what the threads of the parent hold."""
        self._mutex.release()
        self._turns = Turns(self._wait)

    def _keep(
        self, key: Key, conversation: Conversation, timeout: timedelta, now: datetime
    ) -> None:
        self._latest = max(self._latest, conversation.clock)
        if conversation.is_new:  # it would be found so anyway
            self._kept.pop(key, None)
            return
        expiry = _after(now, timeout)
        self._queue(key, expiry)
        self._kept[key] = (conversation, expiry)
        self._kept.move_to_end(key)
        if len(self._kept) > self._most_conversations:
            self._kept.popitem(last=False)

    def _queue(self, what: Key | str, expiry: datetime) -> None:
        if what not in self._queued:
            if len(self._expiries) > 2 * (len(self._kept) + len(self._shelves)) + _SLACK:
                self._compact()
            heapq.heappush(self._expiries, (expiry, next(self._numbers), what))
            self._queued.add(what)

    def _compact(self) -> None:
        """Leave out of the heap what is not kept any more, without waiting for its expiry."""
        self._expiries = [one for one in self._expiries if self._expiry(one[2]) is not None]
        heapq.heapify(self._expiries)
        self._queued = {what for _, _, what in self._expiries}

    def _sweep(self, now: datetime) -> None:
        """Drop some of what has been idle for too long.

        A conversation has one entry in the heap, however often it is committed or forgotten: one
        that comes up too early is put back with its present expiry.
        """
        for _ in range(_SWEPT_AT_ONCE):
            if not self._expiries or self._expiries[0][0] >= now:
                return
            what = self._expiries[0][2]
            expiry = self._expiry(what)
            if expiry is not None and expiry >= now:
                heapq.heapreplace(self._expiries, (expiry, next(self._numbers), what))
                continue
            heapq.heappop(self._expiries)
            self._queued.discard(what)
            if isinstance(what, str):
                self._shelves.pop(what, None)
            else:
                self._kept.pop(what, None)

    def _expiry(self, what: Key | str) -> datetime | None:
        if isinstance(what, str):
            shelf = self._shelves.get(what)
            return shelf.expiry if shelf else None
        kept = self._kept.get(what)
        return kept[1] if kept else None

    def _now(self) -> datetime:
        """The time in UTC: adding to a local time is an hour out when the clocks change."""
        now = self._clock()
        if now.utcoffset() is None:
            raise ValueError(f"the time {now} has no time zone")
        return now.astimezone(UTC)


class _Opened:
    """A session with its turn, from the time it is entered (a generator would take a third of
    all the time that a question spends here)."""

    __slots__ = ("_key", "_session", "_store", "_timeout", "_turn", "_turns")

    def __init__(self, store: MemoryStore, key: Key, timeout: timedelta) -> None:
        self._store = store
        self._key = key
        self._timeout = timeout

    def __enter__(self) -> Session:
        store, key = self._store, self._key
        self._turns = store._turns
        self._turn = self._turns.take(key)
        try:
            now = store._now()
            clock = tick(in_microseconds(now), store._latest)
            self._session = Session(store._kept_at(key, now) or Conversation.of(key), clock)
        except BaseException:
            self._turns.give_back(key, self._turn)
            raise
        return self._session

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        store, key = self._store, self._key
        committed = self._session.committed if kind is None else None
        if self._turns is not store._turns:
            if committed is not None:
                raise forked(key)
            return
        try:
            now = store._now()
            with store._mutex:
                if committed is not None:
                    store._keep(key, committed, self._timeout, now)
                store._sweep(now)
        finally:
            self._turns.give_back(key, self._turn)


def _after(now: datetime, timeout: timedelta) -> datetime:
    try:
        return now + timeout
    except OverflowError:
        return _NEVER
