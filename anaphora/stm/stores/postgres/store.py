"""A store in PostgreSQL, shared by processes on many machines.

:mod:`anaphora.stm.stores.postgres.schema` describes the tables, and the functions that a question
calls.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import count
from random import randrange
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple

from anaphora.errors import Conflict, StoreError
from anaphora.stm.conversation import Conversation, ConversationKey
from anaphora.stm.records import dump, load_or_reset
from anaphora.stm.stores.leased_store import LeasedStore, RemoteLock
from anaphora.storage.postgres.text_encoding import decode_text, encode_text, names_digest
from anaphora.storage.waiting import IN_THREAD

if TYPE_CHECKING:
    from anaphora.stm.stores.postgres.connection import PostgresConnection
    from anaphora.stm.stores.postgres.quarantine import PostgresQuarantine

__all__ = ["PostgresStore", "client_options"]

_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000  # in microseconds, as all integers here
_SLACK = _SECOND  # a pause that lasts exactly the timeout must still find the conversation
_LONGEST_TTL = 2**60
_TTL_WITHOUT_RECORD = 60 * _SECOND  # of the tokens by which a repeated commit is recognized
_QUEUE_PATIENCE = _SECOND // 2  # for which the next one in the queue may be silent
_HAS_LOCK = 2
_SHORT_PATIENCE = 0.5  # seconds of retries for operations whose failure loses nothing
_LIST_BATCH = 1_000
_COMMITS_PER_SWEEP = 64
_SWEEP_BATCH = 8 * _COMMITS_PER_SWEEP  # expired rows: more than are added

_ACQUIRE = "SELECT * FROM {schema}.stm_acquire(%s, %s, %s, %s, %s, %s, %s, %s, %s)"
_COMMIT = "SELECT {schema}.stm_commit(%s, %s, %s, %s, %s)"
_RELEASE = "SELECT {schema}.stm_release(%s, %s)"
_RENEW = "SELECT {schema}.stm_renew(%s, %s, %s)"
_SWEEP = "SELECT {schema}.stm_sweep(%s)"
_PEEK = (
    "SELECT record FROM {schema}.stm_conversations "
    "WHERE place = %s AND record IS NOT NULL AND expires >= {schema}.stm_now()"
)
_LIST = (
    "SELECT place, tenant, name, model FROM {schema}.stm_conversations "
    "WHERE place > %s AND record IS NOT NULL AND expires >= {schema}.stm_now() "
    f"ORDER BY place LIMIT {_LIST_BATCH}"
)
_GET_NOTE = (
    "SELECT texts[array_position(names, %s)] FROM {schema}.stm_notes "
    "WHERE place = %s AND expires >= {schema}.stm_now()"
)
_LIST_NOTES = (
    "SELECT names, texts FROM {schema}.stm_notes WHERE place = %s AND expires >= {schema}.stm_now()"
)
_PUT_NOTE = "SELECT {schema}.stm_put_note(%s, %s, %s, %s)"
_DELETE_NOTE = "SELECT {schema}.stm_delete_note(%s, %s)"
# What is being answered is left alone.
_ERASE_REST = (
    "DELETE FROM {schema}.stm_conversations WHERE owner = %s "
    "AND (record IS NULL OR expires < {schema}.stm_now()) "
    "AND (holder IS NULL OR held_until < {schema}.stm_now()) RETURNING 1"
)
_PING = "UPDATE {schema}.stm_format SET version = version WHERE version > %s RETURNING 1"
_SETTINGS = "SELECT name, setting FROM pg_settings WHERE name = ANY (string_to_array(%s, ' '))"
_RISKS = {
    "fsync": "a crash of its machine may destroy all data: set fsync to on",
    "full_page_writes": "a crash of its machine may destroy data: set full_page_writes to on",
    "synchronous_commit": (
        "its crash loses the last moments: set synchronous_commit to on (for the user or the "
        "database of the URL)"
    ),
}

_log = logging.getLogger(__name__)


class PostgresStore(LeasedStore["_Found"]):
    """Stores conversations in the PostgreSQL database at ``url`` until they have been idle for
    longer than their timeout, by the time of that server.

    The tables are in a ``schema``, which is created on first use and may be that of a long-term
    memory. A question costs two round trips: one locks and reads its conversation, one writes and
    unlocks it. The lock is a row with a ``lease`` in seconds, which is renewed while the question
    is being answered. If the process dies, another question can go on after that time; a question
    that was suspended for longer gets :class:`Conflict` and changes nothing. ``wait`` is how many
    seconds a question waits for the lock. ``clock`` is accepted for the sake of other stores, but
    ignored, because the clocks of several machines differ. A server may take ``patience`` seconds
    to restart before a question fails. Poolers may run each transaction in another session
    (pgbouncer: ``pool_mode = transaction``). After a fork, both processes can use the store.

    Erased data is gone for every reader at once; PostgreSQL may keep its bytes on disk until they
    are overwritten, in the write-ahead log until that is recycled, and in backups.

    See :class:`~anaphora.stm.stores.store.Store` for the methods. Raises :class:`StoreError` for an
    invalid URL; the server is contacted on first use.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], datetime] | None = None,
        wait: float = 60.0,
        lease: float = 10.0,
        schema: str = "anaphora_conversations",
        patience: float = 5.0,
    ) -> None:
        super().__init__(wait=wait, lease=lease)
        self._connection = _connect(url, schema, patience)
        self._has_checked_risks = False
        self._commits = count(randrange(_COMMITS_PER_SWEEP))

    def peek(self, key: ConversationKey) -> Conversation | None:
        rows = self._connection.query(_PEEK, names_digest(*key))
        return load_or_reset(rows[0][0], key) if rows else None

    def keys(self) -> Iterator[ConversationKey]:
        last = b""
        while rows := self._connection.query(_LIST, last):
            for _, *names in rows:
                with suppress(UnicodeDecodeError):  # a damaged row
                    tenant, user, model = map(decode_text, names)
                    yield ConversationKey(user, model, tenant)
            last = rows[-1][0]

    def get_note(self, namespace: str, name: str) -> str | None:
        rows = self._connection.query(_GET_NOTE, encode_text(name), names_digest(namespace))
        return None if not rows or rows[0][0] is None else _decode_note(rows[0][0])

    def list_notes(self, namespace: str) -> Mapping[str, str]:
        rows = self._connection.query(_LIST_NOTES, names_digest(namespace))
        return {
            _decode_note(name): _decode_note(text)
            for names, texts in rows
            for name, text in zip(names, texts, strict=True)
        }

    def put_note(self, namespace: str, name: str, text: str, ttl: timedelta) -> None:
        self._connection.query(
            _PUT_NOTE,
            *(names_digest(namespace), encode_text(name), encode_text(text), _to_ttl(ttl)),
        )
        self._sweep_sometimes()

    def delete_note(self, namespace: str, name: str) -> None:
        self._connection.query(_DELETE_NOTE, names_digest(namespace), encode_text(name))

    def scrub(self, user: str, tenant: str = "") -> None:
        self._connection.query(_ERASE_REST, names_digest(tenant, user))
        self.quarantine.erase_user(user, tenant)
        self._connection.query(_SWEEP, _SWEEP_BATCH)
        with suppress(StoreError):  # the server vacuums the tables later
            self._connection.execute(
                "VACUUM (SKIP_LOCKED) {schema}.stm_conversations",
                "VACUUM (SKIP_LOCKED) {schema}.stm_notes",
                "VACUUM (SKIP_LOCKED) {schema}.stm_quarantine",
            )

    @property
    def quarantine(self) -> PostgresQuarantine:
        """The records that were copied aside because they cannot be read."""
        from anaphora.stm.stores.postgres.quarantine import PostgresQuarantine

        return PostgresQuarantine(self._connection, self.open)

    def ping(self) -> None:
        """Check that the tables can be written; the first time, log a warning if the settings of
        the server may lose conversations."""
        self._connection.query(_PING, 0, patience=_SHORT_PATIENCE)
        if not self._has_checked_risks:
            self._has_checked_risks = True
            names = " ".join(_RISKS)
            for name, setting in self._connection.query(_SETTINGS, names, patience=_SHORT_PATIENCE):
                if setting == "off":
                    _log.warning("this PostgreSQL may lose conversations: %s", _RISKS[name])

    def close(self) -> None:
        super().close()
        self._connection.close()

    def _remote_lock(self, key: ConversationKey, timeout: timedelta) -> _PostgresLock:
        return _PostgresLock(self, key, timeout)

    def _committed(self) -> None:
        self._sweep_sometimes()

    def _renew(self, place: bytes, token: str) -> bool:
        ((is_held,),) = self._connection.query(
            _RENEW,
            *(place, bytes.fromhex(token), self._lease_in_microseconds),
            patience=_SHORT_PATIENCE,
        )
        return bool(is_held)

    def _sweep_sometimes(self) -> None:
        """Delete expired rows with some of the commits."""
        if next(self._commits) % _COMMITS_PER_SWEEP:
            return
        try:
            self._connection.query(_SWEEP, _SWEEP_BATCH, patience=0)
        except StoreError as error:  # what was committed stays committed
            _log.info("expired conversations cannot be deleted yet: %s", error)

    @property
    def _lease_in_microseconds(self) -> int:
        return int(self._lease * _SECOND)


class _PostgresLock(RemoteLock["_Found"]):
    """See :class:`~anaphora.stm.stores.leased_store.RemoteLock` for the methods. In the row of the
    conversation, the token is the holder of the lock, and then the version of what it stored."""

    def __init__(self, store: PostgresStore, key: ConversationKey, timeout: timedelta) -> None:
        self._store, self._connection, self._timeout = store, store._connection, timeout
        self.key, self.token, self.waiting = key, token_hex(8), IN_THREAD
        self.place, self._version = names_digest(*key), bytes.fromhex(self.token)

    async def try_acquire(self) -> _Found | bool:
        key = self.key
        ((state, *found),) = self._connection.query(
            _ACQUIRE,
            *(self.place, self._version, self._store._lease_in_microseconds, _QUEUE_PATIENCE),
            *(_to_ttl(self._timeout), names_digest(key.tenant, key.user)),
            *map(encode_text, (key.tenant, key.user, key.model)),
        )
        return _Found(*found) if state == _HAS_LOCK else bool(state)

    async def save(self, found: _Found, conversation: Conversation, timeout: timedelta) -> bool:
        if conversation.is_empty:
            record, ttl = None, _TTL_WITHOUT_RECORD
        else:
            record, ttl = dump(conversation), _to_ttl(timeout)
        ((is_saved,),) = self._connection.commit(
            _COMMIT, self.place, self._version, found.version, record, ttl
        )
        if not is_saved:
            raise Conflict(
                f"the conversation of {self.key.user!r} with '{self.key.model}' was lost to "
                "another question: this one was suspended, or cut off from its store, for longer "
                f"than the lease of {self._store._lease:g} seconds, or the server crashed "
                "meanwhile; nothing was changed"
            )
        return False

    async def release(self) -> None:
        self._connection.query(_RELEASE, self.place, self._version, patience=_SHORT_PATIENCE)

    def quarantine(self, found: _Found, reason: str) -> None:
        assert found.record is not None
        self._store.quarantine.put(self.key, found.record, reason, at=found.now, ttl=found.rest)


class _Found(NamedTuple):
    """What was found when the lock was acquired, by the server's time ``now``: the record if one is
    stored, the microseconds until it expires, and the token of the last commit."""

    record: bytes | None
    now: int
    rest: int
    version: bytes


def client_options() -> list[str]:
    """Return the names of the options of the PostgreSQL client.

    Raises :class:`StoreError` if it is not installed.
    """
    with _explain_missing_client():
        from anaphora.storage.postgres.connection import client_options

    return client_options()


def _connect(url: str, schema: str, patience: float) -> PostgresConnection:
    with _explain_missing_client():
        from anaphora.stm.stores.postgres.connection import PostgresConnection

    return PostgresConnection(url, schema=schema, patience=patience)


@contextmanager
def _explain_missing_client() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise StoreError(
            "a PostgreSQL store needs the PostgreSQL client: pip install 'anaphora[postgres]'"
        ) from error


def _to_ttl(duration: timedelta) -> int:
    return min(max(duration // _MICROSECOND, 0) + _SLACK, _LONGEST_TTL)


def _decode_note(data: bytes) -> str:
    try:
        return decode_text(data)
    except UnicodeDecodeError as error:
        raise StoreError(f"a note cannot be read: {error}") from error
