"""The lock of one question on a Redis server: from reading its conversation to storing it."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import timedelta
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from anaphora.errors import Conflict, StoreError, UnconfirmedError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import dump
from anaphora.stm.stores.leased_store import RemoteLock
from anaphora.stm.stores.redis.errors import InDoubtError
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.redis.replication import NotReplicatedError
from anaphora.stm.stores.redis.scripts import ACQUIRE, COMMIT, RELEASE, STAGE, UNDO, Script
from anaphora.storage.waiting import Waiting

if TYPE_CHECKING:
    from anaphora.stm.stores.redis.topology import Word

__all__ = ["LockSettings", "PutInQuarantine", "RedisLock", "RedisRecord", "ScriptRunner", "to_ttl"]

_MILLISECOND = timedelta(milliseconds=1)
_SLACK = 1_000  # ms; a pause that lasts exactly the timeout must still find the conversation
_COMMIT_MARK_MS = 15_000  # ms beyond the patience for which a commit may be repeated
_QUEUE_PATIENCE = 500  # ms for which the next one in the queue may be silent
_SHORT_PATIENCE = 0.5  # seconds of retries for operations whose failure loses nothing
_UNCHANGED = "nothing was changed"
_UNDONE_HERE = "its changes were undone, but a replica that takes over now may have them"
_MAY_BE_STORED = "its changes may be stored all the same"

_log = logging.getLogger(__name__)


class ScriptRunner(Protocol):
    """Runs scripts in a thread or in an event loop; see
    :meth:`~anaphora.stm.stores.redis.connection.RedisConnection.run_script`."""

    waiting: Waiting

    async def run_script(
        self,
        script: Script,
        keys: Sequence[bytes],
        *arguments: Word,
        patience: float | None = None,
        replicated: bool = False,
    ) -> Any: ...


class PutInQuarantine(Protocol):
    """Puts a record into the quarantine."""

    def __call__(
        self, key: ConversationKey, record: bytes, reason: str, *, at: int, ttl: int
    ) -> None: ...


class LockSettings(NamedTuple):
    """What the locks of a store have in common. Times are in seconds."""

    key_space: KeySpace
    lease: float
    patience: float
    is_replicated: bool
    put_in_quarantine: PutInQuarantine

    @property
    def lease_in_ms(self) -> int:
        return max(int(self.lease * 1_000), 1)


class RedisRecord(NamedTuple):
    """A record if one is stored, the server's time in microseconds, and the milliseconds until the
    record expires."""

    record: bytes | None
    now: int
    ttl: int


class RedisLock(RemoteLock[RedisRecord]):
    """See :class:`~anaphora.stm.stores.leased_store.RemoteLock` for the methods."""

    def __init__(self, runner: ScriptRunner, key: ConversationKey, settings: LockSettings) -> None:
        self._runner, self._settings = runner, settings
        self.key, self.token, self.waiting = key, token_hex(8), runner.waiting
        self._names = settings.key_space.session_keys(key, self.token)
        self.place = self._names.lock

    async def try_acquire(self) -> RedisRecord | bool:
        names = self._names
        is_mine, answer, server_time, ttl = await self._runner.run_script(
            ACQUIRE,
            (names.lock, names.record, names.next),
            *(self.token, self._settings.lease_in_ms, _QUEUE_PATIENCE),
            replicated=True,
        )
        if not is_mine:
            return bool(answer)
        seconds, microseconds = map(int, server_time)
        now = seconds * 1_000_000 + microseconds
        return RedisRecord(answer, now or time.time_ns() // 1_000, ttl)

    async def save(
        self, found: RedisRecord, conversation: Conversation, timeout: timedelta
    ) -> bool:
        """With replicas, the record is stored on the primary and on them, or not at all, and the
        lock is kept: nobody goes on with what may be undone."""
        is_replicated, names = self._settings.is_replicated, self._names
        record = b"" if conversation.is_empty else dump(conversation)
        mark_ttl = int(self._settings.patience * 1_000) + _COMMIT_MARK_MS
        try:
            is_stored = await self._runner.run_script(
                STAGE if is_replicated else COMMIT,
                (names.lock, names.record, names.done),
                *(self.token, record, to_ttl(timeout), mark_ttl),
                replicated=is_replicated,
            )
        except NotReplicatedError as error:
            left = await self._undo(found)
            kind = NotReplicatedError if left == _UNCHANGED else UnconfirmedError
            raise kind(f"{error}; {left}") from error
        except InDoubtError as error:
            raise UnconfirmedError(f"{error}; {_MAY_BE_STORED}") from error
        if not is_stored:
            raise self._lost_error()
        return is_replicated

    async def release(self) -> None:
        names = self._names
        await self._runner.run_script(
            RELEASE, (names.lock, names.next), self.token, patience=_SHORT_PATIENCE
        )

    def quarantine(self, found: RedisRecord, reason: str) -> None:
        assert found.record is not None
        self._settings.put_in_quarantine(
            self.key, found.record, reason, at=found.now // 1_000, ttl=found.ttl
        )

    async def _undo(self, found: RedisRecord) -> str:
        """Restore the record that the question has found. Returns what has become of its changes:
        a replica may have received them and not that they were undone."""
        names, record = self._names, found.record or b""
        keys = (names.lock, names.record, names.done)
        arguments = (UNDO, keys, self.token, record, max(found.ttl, 0))
        try:
            for replicated in (False, True):  # the lock is not held up by the replicas
                if not await self._runner.run_script(*arguments, replicated=replicated):
                    return _MAY_BE_STORED
        except NotReplicatedError:
            return _UNDONE_HERE
        except StoreError as error:
            _log.error("a question cannot be undone", extra={"reason": str(error)})
            return _MAY_BE_STORED
        return _UNCHANGED

    def _lost_error(self) -> Conflict:
        return Conflict(
            f"the conversation of {self.key.user!r} with '{self.key.model}' was lost to another "
            f"question: this one was suspended, or cut off from its store, for longer than "
            f"the lease of {self._settings.lease:g} seconds; nothing was changed"
        )


def to_ttl(timeout: timedelta) -> int:
    """The milliseconds for which a record lives."""
    return max(timeout // _MILLISECOND, 0) + _SLACK
