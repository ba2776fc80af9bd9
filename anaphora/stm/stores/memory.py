"""A thread-safe store in the memory of this process."""

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

from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.stores.locks import ConversationLocks, forked_error
from anaphora.stm.stores.store import Session, Store
from anaphora.storage.forks import register_fork_aware
from anaphora.storage.logical_clock import next_tick, to_microseconds, to_utc, utc_now

__all__ = ["MemoryStore"]

_SLACK = 64  # stale entries that the heap may always have
_SWEEP_BATCH = 8  # expired entries dropped per session: more than are added
_NEVER = datetime.max.replace(tzinfo=UTC)


class _Namespace:
    """The notes of a namespace, and their common expiry."""

    __slots__ = ("expiry", "notes")

    def __init__(self) -> None:
        self.notes: dict[str, str] = {}
        self.expiry = datetime.min.replace(tzinfo=UTC)


class MemoryStore(Store):
    """Stores conversations in memory until they have been idle for longer than their timeout.

    Questions of one conversation take turns; those of different conversations run in parallel.
    ``clock`` returns the time, with a time zone, by which conversations expire. ``wait`` is how
    many seconds a question waits for the lock: handlers that ask in each other's conversations
    would wait for ever. There are at most ``max_conversations`` and ``max_namespaces``: a further
    one replaces the one written longest ago. After a fork, the child has a copy of the data. See
    :class:`~anaphora.stm.stores.store.Store` for the methods.
    """

    def __init__(
        self,
        clock: Callable[[], datetime] = utc_now,
        *,
        wait: float = 60.0,
        max_conversations: int = 1_000_000,
        max_namespaces: int = 10_000,
    ) -> None:
        self._clock = clock
        self._wait = wait
        self._locks = ConversationLocks(wait)
        self._latest_clock = 0  # of all commits
        self._max_conversations = max_conversations
        self._max_namespaces = max_namespaces
        # Both in the order of their last writes.
        self._conversations: OrderedDict[ConversationKey, tuple[Conversation, datetime]] = (
            OrderedDict()
        )
        self._namespaces: OrderedDict[str, _Namespace] = OrderedDict()
        # A heap with at most one entry for each conversation and namespace, and the set of those
        # in it. Numbers break ties, because keys and names of namespaces cannot be compared.
        self._expiries: list[tuple[datetime, int, ConversationKey | str]] = []
        self._numbers = count()
        self._scheduled: set[ConversationKey | str] = set()
        self._mutex = threading.Lock()
        register_fork_aware(self)

    def __len__(self) -> int:
        return len(self._conversations)

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        return _MemorySession(self, key, timeout)

    def peek(self, key: ConversationKey) -> Conversation | None:
        return self._find_unexpired(key, self._now())

    def _find_unexpired(self, key: ConversationKey, now: datetime) -> Conversation | None:
        kept = self._conversations.get(key)
        return kept[0] if kept and kept[1] >= now else None

    @contextmanager
    def hold_and_forget(self, key: ConversationKey) -> Iterator[int]:
        with self.open(key, timedelta()) as session:
            yield session.clock
            session.commit(replace(Conversation.empty(key), clock=session.clock))

    def keys(self) -> Iterator[ConversationKey]:
        with self._mutex:
            now = self._now()
            kept = [key for key, (_, expiry) in self._conversations.items() if expiry >= now]
        return iter(kept)

    def get_note(self, namespace: str, name: str) -> str | None:
        return self.list_notes(namespace).get(name)

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        with self._mutex:
            found = self._namespaces.get(namespace)
            return dict(found.notes) if found and found.expiry >= self._now() else {}

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        with self._mutex:
            now = self._now()
            found = self._namespaces.get(namespace)
            if found is None or found.expiry < now:
                found = self._namespaces[namespace] = _Namespace()
            found.notes[name] = text
            found.expiry = max(found.expiry, _add_saturating(now, ttl))
            self._namespaces.move_to_end(namespace)
            if len(self._namespaces) > self._max_namespaces:
                self._namespaces.popitem(last=False)
            self._schedule_expiry(namespace, found.expiry)
            self._sweep(now)

    def delete_note(self, namespace: str, name: str) -> None:
        with self._mutex:
            if found := self._namespaces.get(namespace):
                found.notes.pop(name, None)
                if not found.notes:
                    del self._namespaces[namespace]

    def scrub(self, user: str, tenant: str = "") -> None:
        with self._mutex:
            now = self._now()
            while self._expiries and self._expiries[0][0] < now:
                self._sweep(now)
            self._rebuild_expiries()  # it may still have the ids of deleted conversations

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
        if conversation.is_new:  # equal to one that is not stored
            self._conversations.pop(key, None)
            return
        expiry = _add_saturating(now, timeout)
        self._schedule_expiry(key, expiry)
        self._conversations[key] = (conversation, expiry)
        self._conversations.move_to_end(key)
        if len(self._conversations) > self._max_conversations:
            self._conversations.popitem(last=False)

    def _schedule_expiry(self, what: ConversationKey | str, expiry: datetime) -> None:
        if what not in self._scheduled:
            if (
                len(self._expiries)
                > 2 * (len(self._conversations) + len(self._namespaces)) + _SLACK
            ):
                self._rebuild_expiries()
            heapq.heappush(self._expiries, (expiry, next(self._numbers), what))
            self._scheduled.add(what)

    def _rebuild_expiries(self) -> None:
        """Remove the stale entries of the heap before they expire."""
        self._expiries = [one for one in self._expiries if self._expiry_of(one[2]) is not None]
        heapq.heapify(self._expiries)
        self._scheduled = {what for _, _, what in self._expiries}

    def _sweep(self, now: datetime) -> None:
        """Delete some expired conversations and namespaces.

        Each has one entry in the heap, however often it is written or deleted: an entry that comes
        up too early is put back with the present expiry.
        """
        for _ in range(_SWEEP_BATCH):
            if not self._expiries or self._expiries[0][0] >= now:
                return
            what = self._expiries[0][2]
            expiry = self._expiry_of(what)
            if expiry is not None and expiry >= now:
                heapq.heapreplace(self._expiries, (expiry, next(self._numbers), what))
                continue
            heapq.heappop(self._expiries)
            self._scheduled.discard(what)
            if isinstance(what, str):
                self._namespaces.pop(what, None)
            else:
                self._conversations.pop(what, None)

    def _expiry_of(self, what: ConversationKey | str) -> datetime | None:
        if isinstance(what, str):
            found = self._namespaces.get(what)
            return found.expiry if found else None
        kept = self._conversations.get(what)
        return kept[1] if kept else None

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
            self._session = Session(
                store._find_unexpired(key, now) or Conversation.empty(key), clock
            )
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
                store._sweep(now)
        finally:
            self._locks.release(key, self._lock)


def _add_saturating(now: datetime, timeout: timedelta) -> datetime:
    try:
        return now + timeout
    except OverflowError:
        return _NEVER
