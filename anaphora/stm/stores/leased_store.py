"""What the stores on servers share: a question locks its conversation for the time of a lease.

The same coroutine serves threads and event loops; :mod:`anaphora.storage.waiting` says how.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from datetime import timedelta
from functools import partial
from random import uniform
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from anaphora.errors import StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import load_or_reset
from anaphora.stm.stores.leases import LeaseRenewer
from anaphora.stm.stores.locks import ConversationLocks, busy_error, forked_error
from anaphora.stm.stores.quarantine import Quarantine, try_load
from anaphora.stm.stores.store import Session, Store
from anaphora.storage.forks import ForkAware, register_fork_aware
from anaphora.storage.logical_clock import next_tick
from anaphora.storage.waiting import Waiting, enter_blocking

__all__ = ["FoundRecord", "LeasedStore", "RemoteLock"]

_FIRST_PAUSE, _PAUSE_GROWTH = 0.001, 1.5
_LONGEST_PAUSE = {True: 0.025, False: 0.1}  # seconds, by whether this question is next
_LEASE_RANGE = 0.1, 86_400.0  # seconds

_Load: TypeAlias = Callable[[bytes, ConversationKey, Callable[[str], None]], Conversation]

_log = logging.getLogger(__name__)


class FoundRecord(Protocol):
    """What a question finds when it gets the lock: the record, if one is stored, and the server's
    time in microseconds since 1970."""

    @property
    def record(self) -> bytes | None: ...
    @property
    def now(self) -> int: ...


_Found = TypeVar("_Found", bound=FoundRecord)


class RemoteLock(ABC, Generic[_Found]):
    """The lock of the conversation of ``key`` on the server that stores it, for one question. The
    lease at ``place`` is held by ``token``. The methods wait as ``waiting`` says, and raise
    :class:`StoreError` if the server fails."""

    key: ConversationKey
    place: bytes
    token: str
    waiting: Waiting

    @abstractmethod
    async def try_acquire(self) -> _Found | bool:
        """Return what was found if the lock is free now, otherwise whether this question is the
        next one to get it."""

    @abstractmethod
    async def save(self, found: _Found, conversation: Conversation, timeout: timedelta) -> bool:
        """Store a conversation for ``timeout``; return whether the lock is still held.

        Raises :class:`Conflict` if the lock was lost; then nothing has changed. Raises
        :class:`UnconfirmedError` if the conversation may be stored or not.
        """

    @abstractmethod
    async def release(self) -> None:
        """Release the lock if it is held."""

    @abstractmethod
    def quarantine(self, found: _Found, reason: str) -> None:
        """Copy a record that cannot be read into the quarantine; may block."""


class LeasedStore(Store, ForkAware, ABC, Generic[_Found]):
    """A store on a server. A lock has a ``lease`` in seconds, which is renewed while the question
    is being answered; ``wait`` is how many seconds a question waits for the lock.

    Raises :class:`StoreError` for a lease that is not possible.
    """

    def __init__(self, *, wait: float, lease: float) -> None:
        if not _LEASE_RANGE[0] <= lease <= _LEASE_RANGE[1]:
            raise StoreError(
                f"a lease of {lease:g} seconds is not possible: write {_LEASE_RANGE[0]:g} to "
                f"{_LEASE_RANGE[1]:g} (the default is 10)"
            )
        self._wait = wait
        self._lease = lease
        self._process_state = self._new_process()
        self._latest_clock = 0  # of all sessions
        register_fork_aware(self)

    @abstractmethod
    def _remote_lock(self, key: ConversationKey, timeout: timedelta) -> RemoteLock[_Found]:
        """The lock of a question that waits in its thread."""

    @abstractmethod
    def _renew(self, place: bytes, token: str) -> bool:
        """Renew the lease of a lock; return whether it is still held."""

    def _committed(self) -> None:
        """Called in the thread of a question, after it has committed and left its conversation."""
        return

    @property
    @abstractmethod
    def quarantine(self) -> Quarantine:
        """The records that were copied aside because they cannot be read."""

    def open(self, key: ConversationKey, timeout: timedelta) -> AbstractContextManager[Session]:
        return self._open_in_thread(key, timeout, load_or_reset)

    @contextmanager
    def hold_and_forget(self, key: ConversationKey) -> Iterator[int]:
        with self._open_in_thread(key, timedelta(), _load_or_empty) as session:
            yield session.clock
            self.quarantine.forget(key)
            session.commit(Conversation.empty(key))

    def after_fork_in_child(self) -> None:
        """Start with locks and leases of its own."""
        self._process_state = self._new_process()

    def close(self) -> None:
        self._process_state.leases.close()

    @contextmanager
    def _open_in_thread(
        self, key: ConversationKey, timeout: timedelta, load: _Load
    ) -> Iterator[Session]:
        process, end = self._process_state, time.monotonic() + self._wait
        lock = process.locks.acquire(key)  # the threads of a process wait here, not at the server
        try:
            remote = self._remote_lock(key, timeout)
            with enter_blocking(self._hold(remote, timeout, load=load, end=end)) as session:
                yield session
        finally:
            if process is self._process_state:
                process.locks.release(key, lock)
        if session.committed is not None:
            self._committed()

    @asynccontextmanager
    async def _hold(
        self,
        remote: RemoteLock[_Found],
        timeout: timedelta,
        *,
        load: _Load = load_or_reset,
        end: float | None = None,
    ) -> AsyncIterator[Session]:
        """Hold a conversation from reading it to storing it. ``end`` is the time of
        ``time.monotonic()`` until which to wait for the lock."""
        process = self._process_state
        is_held = True  # or may be, if the answer was lost
        try:
            end = time.monotonic() + self._wait if end is None else end
            found = await self._acquire(remote, end)
            process.leases.add(remote.place, remote.token)
            conversation = await self._load(remote, found, load)
            session = Session(conversation, self._next_clock(found.now, conversation))
            yield session
            if session.committed is not None:
                if process is not self._process_state:
                    raise forked_error(remote.key)
                is_held = await remote.save(found, session.committed, timeout)
        finally:
            if process is self._process_state:
                process.leases.remove(remote.token)
                if is_held:
                    await self._release(remote)

    async def _acquire(self, remote: RemoteLock[_Found], end: float) -> _Found:
        longest, pause = 0.0, _FIRST_PAUSE
        while True:
            found = await remote.try_acquire()
            if not isinstance(found, bool):
                return found
            rest = end - time.monotonic()
            if rest <= 0:
                raise busy_error(remote.key, self._wait)
            if longest != _LONGEST_PAUSE[found]:  # has become the next one
                longest, pause = _LONGEST_PAUSE[found], _FIRST_PAUSE
            await remote.waiting.sleep(min(uniform(pause / 2, pause), rest))
            pause = min(pause * _PAUSE_GROWTH, longest)

    async def _load(self, remote: RemoteLock[_Found], found: _Found, load: _Load) -> Conversation:
        if found.record is None:
            return Conversation.empty(remote.key)
        reasons: list[str] = []
        conversation = load(found.record, remote.key, reasons.append)
        for reason in reasons:
            await remote.waiting.call(partial(self._quarantine_record, remote, found, reason))
        return conversation

    def _quarantine_record(self, remote: RemoteLock[_Found], found: _Found, reason: str) -> None:
        """Copy an unreadable record into the quarantine; the next commit overwrites the original.
        A failure is only logged: the client may have no permission for the quarantine."""
        try:
            remote.quarantine(found, reason)
        except StoreError as error:
            _log.error(
                "a damaged conversation cannot be put in quarantine",
                extra={"reason": str(error), **remote.key._asdict()},
            )

    async def _release(self, remote: RemoteLock[_Found]) -> None:
        try:
            await remote.release()
        except StoreError as error:  # another error has been raised already; the lease will end
            _log.info("a lock cannot be released: %s", error)

    def _next_clock(self, now: int, conversation: Conversation) -> int:
        """Return the clock of a session: the server's time, which all processes share, or more if
        the server was replaced or its clock set back."""
        self._latest_clock = next_tick(now, self._latest_clock, conversation.clock)
        return self._latest_clock

    def _new_process(self) -> _ProcessState:
        return _ProcessState(
            ConversationLocks(self._wait), LeaseRenewer(self._renew, every=self._lease / 3)
        )


class _ProcessState(NamedTuple):
    """The locks and the leases of one process."""

    locks: ConversationLocks
    leases: LeaseRenewer


def _load_or_empty(record: bytes, key: ConversationKey, *_: Any) -> Conversation:
    """Deserialize a record; an empty conversation if it cannot be read."""
    return try_load(record) or Conversation.empty(key)
