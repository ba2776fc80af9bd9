"""Recall store in one SQLite file, shared by the processes of one machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Concatenate, ParamSpec, TypeVar, get_args
from weakref import finalize

import numpy as np

from anaphora.errors import StoreError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistoryPart, HistorySettings
from anaphora.ltm.retrieval.records import (
    DamagedRowsError,
    retry_without_damaged,
    to_microseconds,
)
from anaphora.ltm.retrieval.sqlite import conversations, erasure, quarantine, writer
from anaphora.ltm.retrieval.sqlite.postings import select_in_batches
from anaphora.ltm.retrieval.sqlite.records import EXCHANGE_COLUMNS, parse_exchanges
from anaphora.ltm.retrieval.sqlite.schema import PRAGMAS, SCHEMA
from anaphora.ltm.retrieval.sqlite.search import (
    PACKED,
    SqliteSearch,
    check_dimension,
    find_embedder,
    find_owner,
)
from anaphora.ltm.retrieval.store import (
    JournalPosition,
    NewExchange,
    QuarantinedItem,
    TermUpdate,
    UserKey,
)
from anaphora.ltm.retrieval.terms import TERMS_VERSION
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.byte_range_locks import ByteRangeLocks
from anaphora.storage.forks import ForkAware, register_fork_aware
from anaphora.storage.sqlite.applications import LONG_TERM_MEMORY
from anaphora.storage.sqlite.database import Database, Synchronous
from anaphora.storage.sqlite.text_encoding import decode_text, encode_text

__all__ = ["SqliteRecallStore"]

_SETUP_TIMEOUT = 60.0  # seconds
_BATCH_SIZE = 1_000
_GIBIBYTE = 1 << 30
_DAY = 24 * 60 * 60 * 1_000_000  # microseconds

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class SqliteRecallStore(SqliteSearch, ForkAware):
    """A recall store in the SQLite file at ``path``. A missing file is created, private to its
    owner; its folder must exist.

    ``settings`` limit the working histories, in the unit of ``measure``. With ``synchronous``
    "full", stored data survives a power cut; with "normal" it survives the death of a process,
    but a power cut may lose the last moments. Vectors are searched in memory, which takes at most
    ``vector_memory`` bytes (or those of a single user, if they need more). A process may fork. See
    :class:`~anaphora.ltm.retrieval.store.RecallStore` for the methods.

    Raises :class:`StoreError` if the file cannot be used.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        settings: HistorySettings,
        measure: Measure = WORDS,
        synchronous: Synchronous = "full",
        vector_memory: int = _GIBIBYTE,
    ) -> None:
        if synchronous not in get_args(Synchronous):
            raise StoreError(f"synchronous must be full or normal, not '{synchronous}'")
        path = Path(os.path.realpath(path))
        self._settings, self.measure = settings, measure
        self._embedded_up_to: dict[str, int] = {}  # id up to which all exchanges have vectors
        self._locks = ByteRangeLocks(path.with_name(f"{path.name}-lock"), permissions_of=path)
        database = Database(
            path,
            schema=SCHEMA,
            synchronous=synchronous,
            application=LONG_TERM_MEMORY,
            holds="long-term memory",
            pragmas=PRAGMAS,
        )
        super().__init__(database, vector_memory=vector_memory)
        register_fork_aware(self)  # SQLite connections must not cross a fork
        try:
            self._database.open(
                self._locks, wait=_SETUP_TIMEOUT, after_migration=self._recount_histories
            )
        except BaseException:
            self.close()
            raise
        finalize(self, _close_all, self._database, self._locks)

    # -- ingestion -----------------------------------------------------------------------------

    def add(self, new: Sequence[NewExchange], *, mark: JournalPosition | None = None) -> None:
        rows = [writer.prepare_exchange(each, self.measure) for each in new]

        def write(connection: Connection) -> None:
            left = erasure.filter_erased(connection, rows)
            writer.add_exchanges(connection, left, self._settings, self.measure)
            if mark is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO marks (journal, position) VALUES (?, ?)",
                    (encode_text(mark.journal), mark.position),
                )

        self._database.write(write)

    def clock(self) -> int:
        ((clock,),) = self._database.read(
            "SELECT max(coalesce((SELECT max(at) FROM erasures), 0), "
            "coalesce((SELECT max(clock) FROM conversations), 0))"
        )
        return int(clock)

    def journal_position(self, journal: str) -> int:
        rows = self._database.read(
            "SELECT position FROM marks WHERE journal = ?", (encode_text(journal),)
        )
        return rows[0][0] if rows else 0

    def forget_journal(self, journal: str) -> None:
        self._write(
            Connection.execute, "DELETE FROM marks WHERE journal = ?", (encode_text(journal),)
        )

    # -- the working history -------------------------------------------------------------------

    @retry_without_damaged
    def history(self, key: ConversationKey) -> History:
        with self._database.snapshot() as connection:
            row = conversations.find_conversation(connection, key)
            if row is None:
                return History()
            summaries = tuple(writer.load_summaries(connection, row))
            exchanges = tuple(writer.load_verbatim(connection, row))
        if row.measure != encode_text(self.measure.name):
            row.size = self.measure.total((*summaries, *exchanges))
        return History(summaries, exchanges, row.size)

    def find_oversized(self, limit: int) -> Mapping[ConversationKey, int]:
        values = (encode_text(self.measure.name), self._settings.max_size, limit)
        found = self._database.read(_OVERSIZED, values)
        keys = ((quarantine.read_key(*names), size) for size, *names in found)
        return {key: size for key, size in keys if key is not None}

    def claim_oversized(self, keys: Sequence[ConversationKey]) -> Sequence[ConversationKey]:
        """Return all: one process of the machine compresses, by its lock on a file."""
        return keys

    def compress(
        self, key: ConversationKey, replaced: Sequence[HistoryPart], by: Sequence[Summary]
    ) -> bool:
        return self._write(writer.replace_parts, key, replaced, by, self.measure)

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        return self._exchanges(key, "AND number BETWEEN ? AND ? ORDER BY number", first, last)

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        return self._exchanges(key, "ORDER BY number DESC LIMIT ?", limit)

    @retry_without_damaged
    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        with self._database.snapshot() as connection:
            owner = find_owner(connection, user_key)
            rows = select_in_batches(connection, _FETCH, owner.id, ids) if owner else []
        exchanges = parse_exchanges((id, *columns) for id, _, *columns in rows)
        found = {
            id: (ConversationKey(user_key.user, decode_text(model), user_key.tenant), exchange)
            for (id, model, *_), exchange in zip(rows, exchanges, strict=True)
        }
        return {id: found[id] for id in ids if id in found}

    def count_by_model(self, user_key: UserKey) -> Mapping[str, int]:
        names = encode_text(user_key.tenant), encode_text(user_key.user)
        return {decode_text(model): count for model, count in self._database.read(_COUNTS, names)}

    # -- searching -----------------------------------------------------------------------------

    @retry_without_damaged
    def find_outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        rows = self._database.read(_OUTDATED, (version, limit))
        return list(zip((id for id, *_ in rows), parse_exchanges(rows), strict=True))

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        self._write(writer.reindex, version, exchanges)

    # -- vectors -------------------------------------------------------------------------------

    @retry_without_damaged
    def find_unembedded(
        self, embedder: str, limit: int
    ) -> Sequence[tuple[int, Sequence[Exchange]]]:
        name = encode_text(embedder)
        with self._database.snapshot() as connection:
            found = find_embedder(connection, embedder)
            outdated = connection.execute(_OUTDATED_IDS, (TERMS_VERSION,)).fetchone()
            begin = 0 if outdated else self._embedded_up_to.get(embedder, 0)
            id = found[0] if found else None
            rows = connection.execute(_UNEMBEDDED, (begin, id, name, limit)).fetchall()
            again = connection.execute(_EMBED_AGAIN, (name, limit)).fetchall()
            (last,) = connection.execute("SELECT max(id) FROM exchanges").fetchone()
            waiting = [
                (id, parse_exchanges(connection.execute(_PAIR, values)))
                for id, conversation, number in dict.fromkeys((*rows, *again))
                for values in ((conversation, conversation, number, number),)
            ]
        # Ids only grow, so everything up to here has a vector for good; but reindexing drops it.
        if outdated is None:
            self._embedded_up_to[embedder] = rows[0][0] - 1 if rows else last or 0
        return waiting[:limit]

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        data = np.ascontiguousarray(vectors, dtype="<f4")
        self._put(embedder, data.shape[-1], ids, [row.tobytes() for row in data])

    def put_token_vectors(self, embedder: str, ids: Sequence[int], packed: Sequence[bytes]) -> None:
        self._put(embedder, PACKED, ids, packed)

    def index_vectors(self, embedder: str) -> bool:
        """Do nothing: vectors are compared in memory."""
        return False

    def _put(
        self, embedder: str, dimension: int, ids: Sequence[int], vectors: Sequence[bytes]
    ) -> None:
        rows = list(zip(ids, vectors, strict=True))

        def write(connection: Connection) -> None:
            connection.execute(_ADD_EMBEDDER, (encode_text(embedder), dimension))
            found = find_embedder(connection, embedder)
            assert found is not None
            check_dimension(embedder, found[1], dimension)
            for id, vector in rows:
                _put_vector(connection, found[0], id, vector)
                connection.execute(_EMBEDDED, (id, encode_text(embedder)))

        if rows:
            self._database.write(write)

    # -- erasure -------------------------------------------------------------------------------

    def erase(
        self, user_key: UserKey, *, model: str | frozenset[str] | None = None, clock: int = 0
    ) -> int:
        """See :meth:`~anaphora.ltm.retrieval.store.RecallStore.erase`. The file is rewritten
        without the erased data, which takes as long as copying it and blocks other writers.

        If rewriting fails, a :class:`StoreError` says so: searches no longer find the data, and
        another call rewrites the file.
        """
        erased = self._write(erasure.erase_user, user_key, model, clock, self.measure)
        self._vector_cache.clear()
        self._scrub_if_due()
        return erased

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        """See :meth:`~anaphora.ltm.retrieval.store.RecallStore.expire`. The file is rewritten
        without the erased data once nothing more has expired, at most once a day."""
        time = to_microseconds(before)
        gone = self._write(erasure.expire_exchanges, time, limit, self.measure)
        if gone < limit:
            self._scrub_if_due(now=time)
        return gone

    # -- quarantine ----------------------------------------------------------------------------

    def quarantine_embedding(self, embedder: str, id: int, reason: str) -> None:
        self._write(quarantine.quarantine_item, "embed", encode_text(embedder), id, reason)

    def quarantine_compression(self, key: ConversationKey, reason: str) -> None:
        def reject(connection: Connection) -> None:
            row = conversations.find_conversation(connection, key)
            if row is not None:
                quarantine.quarantine_item(connection, "compress", -1, row.id, reason)

        self._write(reject)

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        with self._database.snapshot() as connection:
            return quarantine.list_items(connection, limit)

    def count_quarantined(self) -> int:
        ((count,),) = self._database.read("SELECT count(*) FROM quarantine WHERE state = 0")
        return int(count)

    def release(self, id: str) -> bool:
        return id.isdecimal() and self._write(quarantine.release_item, int(id), self.measure)

    def discard(self, id: str) -> bool:
        return id.isdecimal() and self._write(quarantine.discard_item, int(id))

    # -- maintenance ---------------------------------------------------------------------------

    def ping(self) -> None:
        self._database.ping()

    def close(self) -> None:
        _close_all(self._database, self._locks)
        self._vector_cache.clear()

    def before_fork(self) -> None:
        self._database.pause()
        self._locks.pause()

    def after_fork(self) -> None:
        self._locks.resume()
        self._database.resume()

    def after_fork_in_child(self) -> None:
        self._locks.resume_in_child()
        self._database.resume_in_child()

    def _recount_histories(self) -> None:
        """Recount the histories whose sizes are in another measure."""
        name = encode_text(self.measure.name)
        last = 0
        while rows := self._database.read(_OTHER_MEASURE, (name, name, last)):

            def recount(connection: Connection, rows: list[Any] = rows) -> None:
                for (id,) in rows:
                    row = conversations.load_conversation(connection, id)
                    if row is not None:
                        conversations.recount_size(connection, row, self.measure)
                        conversations.save_conversation(connection, row)

            self._database.write(recount)
            ((last,),) = rows[-1:]

    def _scrub_if_due(self, now: int | None = None) -> None:
        """Rewrite the file if data was deleted from it; if ``now`` is given, only once a day."""
        ((due, last),) = self._database.read("SELECT due, last FROM scrubbing")
        if due <= 0 or (now is not None and last is not None and abs(now - last) < _DAY):
            return
        try:
            self._database.scrub()
        except StoreError as error:
            raise StoreError(
                f"it is erased, but the file may still contain copies: {error}; then erase again"
            ) from error
        # What another process deleted meanwhile is still due.
        self._write(Connection.execute, _SCRUBBED, (due, now))

    @retry_without_damaged
    def _exchanges(self, key: ConversationKey, which: str, *values: int) -> list[Exchange]:
        query = f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE conversation = ? {which}"
        with self._database.snapshot() as connection:
            row = conversations.find_conversation(connection, key)
            return parse_exchanges(connection.execute(query, (row.id, *values)) if row else ())

    def _quarantine_rows(self, damage: DamagedRowsError) -> None:
        self._database.write(
            lambda connection: quarantine.quarantine_rows(connection, damage, self.measure)
        )

    @retry_without_damaged
    def _write(
        self,
        work: Callable[Concatenate[Connection, _Parameters], _Result],
        /,
        *args: _Parameters.args,
        **kwargs: _Parameters.kwargs,
    ) -> _Result:
        """Run the work in a transaction and return its result."""
        results: list[_Result] = []
        self._database.write(lambda connection: results.append(work(connection, *args, **kwargs)))
        return results[-1]


_OF_KEY = "o.tenant, o.user, c.model FROM conversations c JOIN owners o ON o.id = c.owner"
_OVERSIZED = (
    f"SELECT c.size, {_OF_KEY} WHERE c.measure = ? AND c.size > ? AND NOT EXISTS (SELECT 1 FROM "
    "quarantine q WHERE q.kind = 'compress' AND q.source = c.id) LIMIT ?"
)
_OTHER_MEASURE = (
    "SELECT id FROM conversations WHERE (measure < ? OR measure > ?) AND id > ? "
    f"ORDER BY id LIMIT {_BATCH_SIZE}"
)
_OUTDATED = (
    f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE terms_version < ? ORDER BY id DESC LIMIT ?"
)
_OUTDATED_IDS = "SELECT id FROM exchanges WHERE terms_version < ? LIMIT 1"
_PAIR = (
    f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE conversation = ? AND number >= coalesce("
    "(SELECT max(number) FROM exchanges WHERE conversation = ? AND number < ?), 0) "
    "AND number <= ? ORDER BY number"
)
_FETCH = (
    f"SELECT id, (SELECT model FROM conversations c WHERE c.id = conversation), {EXCHANGE_COLUMNS} "
    "FROM exchanges WHERE +owner = ? AND id IN ({})"
)
_COUNTS = (
    "SELECT c.model, count(e.id) FROM owners o JOIN conversations c ON c.owner = o.id "
    "JOIN exchanges e ON e.conversation = c.id WHERE o.tenant = ? AND o.user = ? "
    "GROUP BY c.id ORDER BY c.id"
)
_UNEMBEDDED = (
    "SELECT id, conversation, number FROM exchanges WHERE id > ? AND NOT EXISTS (SELECT 1 FROM "
    "vectors v WHERE v.exchange = exchanges.id AND v.embedder = ?) AND NOT EXISTS (SELECT 1 FROM "
    "quarantine q WHERE q.kind = 'embed' AND q.source = exchanges.id AND q.embedder = ?) "
    "ORDER BY id LIMIT ?"
)
_EMBED_AGAIN = (
    "SELECT id, conversation, number FROM exchanges WHERE id IN (SELECT source FROM quarantine "
    "WHERE kind = 'embed' AND embedder = ? AND state = 2) ORDER BY id LIMIT ?"
)
_EMBEDDED = "DELETE FROM quarantine WHERE kind = 'embed' AND source = ? AND embedder = ?"
_SCRUBBED = (
    "UPDATE scrubbing SET due = CASE due WHEN ? THEN -due ELSE due END, last = coalesce(?, last)"
)
_ADD_EMBEDDER = "INSERT OR IGNORE INTO embedders (name, dimension) VALUES (?, ?)"


def _put_vector(connection: Connection, embedder: int, id: int, vector: bytes) -> None:
    """Store the vector of an exchange, replacing an older one, if the exchange still exists."""
    row = connection.execute("SELECT owner FROM exchanges WHERE id = ?", (id,)).fetchone()
    if row is None:
        return
    before = connection.execute(
        "DELETE FROM vectors WHERE exchange = ? AND embedder = ?", (id, embedder)
    )
    if before.rowcount:
        connection.execute("UPDATE owners SET generation = generation + 1 WHERE id = ?", row)
    connection.execute(
        "INSERT INTO vectors (owner, embedder, exchange, vector) VALUES (?, ?, ?, ?)",
        (row[0], embedder, id, vector),
    )


def _close_all(database: Database, locks: ByteRangeLocks) -> None:
    database.close()
    locks.close()
