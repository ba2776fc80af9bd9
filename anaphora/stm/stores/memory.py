"""A thread-safe store in the memory of this process."""

from __future__ import annotations

import heapq
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta
from math import inf
from types import TracebackType
from typing import Generic, TypeVar

from msgspec.structs import replace

from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.locks import ConversationLocks, forked_error
from anaphora.stm.stores.packing import pack, unpack
from anaphora.stm.stores.store import Session, Store
from anaphora.storage.forks import register_fork_aware
from anaphora.storage.logical_clock import next_tick, to_microseconds, to_utc, utc_now

__all__ = ["MemoryStore"]

_SLACK = 64  # stale entries that the heap may always have
_SWEEP_BATCH = 8  # expired entries dropped per session: more than are added
_LONG_AGO, _NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_Key = TypeVar("_Key", str, ConversationKey)
_Value = TypeVar("_Value")


class _ExpiringDict(Generic[_Key, _Value]):
    """Values with their expiries, in the order of their last writes; beyond ``limit``, a new one
    replaces the one written longest ago."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.entries: OrderedDict[_Key, tuple[_Value, datetime]] = OrderedDict()
        # A heap with at most one entry for each key, and the keys in it.
        self.expiries: list[tuple[datetime, _Key]] = []
        self.scheduled: set[_Key] = set()

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, key: _Key, now: datetime) -> tuple[_Value, datetime] | None:
        """Return a value that has not expired, and its expiry."""
        entry = self.entries.get(key)
        return entry if entry and entry[1] >= now else None

    def put(self, key: _Key, value: _Value, expiry: datetime) -> None:
        if key not in self.scheduled:
            if len(self.expiries) > 2 * len(self.entries) + _SLACK:
                self.drop_stale()
            heapq.heappush(self.expiries, (expiry, key))
            self.scheduled.add(key)
        self.entries[key] = (value, expiry)
        self.entries.move_to_end(key)
        if len(self.entries) > self._limit:
            self.pop(next(iter(self.entries)))

    def pop(self, key: _Key) -> None:
        self.entries.pop(key, None)

    def drop_stale(self) -> None:
        """Remove the stale entries of the heap before they expire."""
        self.expiries = [one for one in self.expiries if one[1] in self.entries]
        heapq.heapify(self.expiries)
        self.scheduled = {key for _, key in self.expiries}

    def sweep(self, now: datetime, most: float = _SWEEP_BATCH) -> None:
        """Delete some expired values.

        Each has one entry in the heap, however often it is written or deleted: an entry that comes
        up too early is put back with the present expiry.
        """
        while most > 0 and self.expiries and self.expiries[0][0] < now:
            most -= 1
            key = self.expiries[0][1]
            if (entry := self.get(key, now)) is not None:
                heapq.heapreplace(self.expiries, (entry[1], key))
            else:
                heapq.heappop(self.expiries)
                self.scheduled.discard(key)
                self.pop(key)


class _Conversations(_ExpiringDict[ConversationKey, Conversation | bytes]):
    """Conversations, of which those written last are values and the others packed records: these
    take a third to a sixth of the space."""

    def __init__(self, limit: int, most_unpacked: int) -> None:
        super().__init__(limit)
        self._most_unpacked = most_unpacked
        self.unpacked: OrderedDict[ConversationKey, None] = OrderedDict()  # by their last writes

    def find(self, key: ConversationKey, now: datetime) -> Conversation | None:
        """Return a conversation that has not expired. No lock is needed: its entry is replaced at
        once when it is packed."""
        entry = self.get(key, now)
        if entry is None:
            return None
        found = entry[0]
        return found if isinstance(found, Conversation) else unpack(found)

    def put(self, key: ConversationKey, value: Conversation | bytes, expiry: datetime) -> None:
        self.unpacked[key] = None
        self.unpacked.move_to_end(key)
        super().put(key, value, expiry)
        if len(self.unpacked) > self._most_unpacked:  # by one, so a question packs one at most
            self._pack(self.unpacked.popitem(last=False)[0])

    def pop(self, key: ConversationKey) -> None:
        super().pop(key)
        self.unpacked.pop(key, None)

    def _pack(self, key: ConversationKey) -> None:
        value, expiry = self.entries[key]
        if isinstance(value, Conversation) and (record := pack(value)) is not None:
            self.entries[key] = (record, expiry)  # at its place in the order of writes


class MemoryStore(Store):
    """Stores conversations in memory until they have been idle for longer than their timeout.

    Questions of one conversation take turns; those of different conversations run in parallel.
    ``clock`` returns the time, with a time zone, by which conversations expire. ``wait`` is how
    many seconds a question waits for the lock: handlers that ask in each other's conversations
    would wait forever. There are at most ``max_conversations`` and ``max_namespaces``: a further
    one replaces the one written longest ago. All but the ``max_unpacked`` conversations written
    last are packed: they take some 1 KB each instead of 3 to 7, and the next question of one takes
    some 50 µs longer. One that JSON would change, as tuples of a handler, is never packed. After a
    fork, the child has a copy of the data. See :class:`~anaphora.stm.stores.store.Store` for the
    methods.
    """

    def __init__(
        self,
        clock: Callable[[], datetime] = utc_now,
        *,
        wait: float = 60.0,
        max_conversations: int = 1_000_000,
        max_unpacked: int = 10_000,
        max_namespaces: int = 10_000,
    ) -> None:
        self._clock = clock
        self._wait = wait
        self._locks = ConversationLocks(wait)
        self._latest_clock = 0  # of all commits
        self._conversations = _Conversations(max_conversations, max_unpacked)
        self._namespaces: _ExpiringDict[str, dict[str, str]] = _ExpiringDict(max_namespaces)
        self._mutex = threading.Lock()
        register_fork_aware(self)

    def __len__(self) -> int:
        return len(self._conversations)

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        return _MemorySession(self, key, timeout)

    def peek(self, key: ConversationKey) -> Conversation | None:
        return self._conversations.find(key, self._now())

    @contextmanager
    def hold_and_forget(self, key: ConversationKey) -> Iterator[int]:
        with self.open(key, timedelta()) as session:
            yield session.clock
            session.commit(replace(Conversation.empty(key), clock=session.clock))

    def keys(self) -> Iterator[ConversationKey]:
        with self._mutex:
            now = self._now()
            kept = [key for key in self._conversations.entries if self._conversations.get(key, now)]
        return iter(kept)

    def get_note(self, namespace: str, name: str) -> str | None:
        return self.list_notes(namespace).get(name)

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        with self._mutex:
            found = self._namespaces.get(namespace, self._now())
            return dict(found[0]) if found else {}

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        with self._mutex:
            now = self._now()
            notes, expiry = self._namespaces.get(namespace, now) or ({}, _LONG_AGO)
            notes[name] = text
            self._namespaces.put(namespace, notes, max(expiry, _add_saturating(now, ttl)))
            self._namespaces.sweep(now)

    def delete_note(self, namespace: str, name: str) -> None:
        with self._mutex:
            if found := self._namespaces.entries.get(namespace):
                found[0].pop(name, None)
                if not found[0]:
                    self._namespaces.pop(namespace)

    def scrub(self, user: str, tenant: str = "") -> None:
        with self._mutex:
            now = self._now()
            self._conversations.sweep(now, inf)
            self._namespaces.sweep(now, inf)
            self._conversations.drop_stale()  # the heap may still have deleted ids
            self._namespaces.drop_stale()

    def ping(self) -> None:
        pass

    def close(self) -> None:
        pass

    def before_fork(self) -> None:
        self._mutex.acquire()

    def after_fork(self) -> None:
        self._mutex.release()

    def after_fork_in_child(self) -> None:
        """Resume without the locks that threads of the parent hold."""
        self._mutex.release()
        self._locks = ConversationLocks(self._wait)

    def _save(
        self, key: ConversationKey, conversation: Conversation, timeout: timedelta, now: datetime
    ) -> None:
        self._latest_clock = max(self._latest_clock, conversation.clock)
        if conversation.is_empty:  # equal to one that is not stored
            self._conversations.pop(key)
            return
        self._conversations.put(key, conversation, _add_saturating(now, timeout))

    def _now(self) -> datetime:
        return to_utc(self._clock())


class _MemorySession:
    """A context manager that locks a conversation (a generator would take a third of the time
    that a question spends in the store)."""

    __slots__ = ("_key", "_lock", "_locks", "_session", "_store", "_timeout")

    def __init__(self, store: MemoryStore, key: ConversationKey, timeout: timedelta) -> None:
        self._store = store
        self._key = key
        self._timeout = timeout

    def __enter__(self) -> Session:
        store, key = self._store, self._key
        self._locks = store._locks
        self._lock = self._locks.acquire(key)
        try:
            now = store._now()
            clock = next_tick(to_microseconds(now), store._latest_clock)
            found = store._conversations.find(key, now)
            self._session = Session(found or Conversation.empty(key), clock)
        except BaseException:
            self._locks.release(key, self._lock)
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
        if self._locks is not store._locks:
            if committed is not None:
                raise forked_error(key)
            return
        try:
            now = store._now()
            with store._mutex:
                if committed is not None:
                    store._save(key, committed, self._timeout, now)
                store._conversations.sweep(now)
                if store._namespaces.expiries:
                    store._namespaces.sweep(now)
        finally:
            self._locks.release(key, self._lock)


def _add_saturating(now: datetime, timeout: timedelta) -> datetime:
    try:
        return now + timeout
    except OverflowError:
        return _NEVER
