"""Recall store in PostgreSQL, shared by processes on many machines.

:mod:`anaphora.ltm.retrieval.postgres.schema` describes the tables,
:mod:`anaphora.ltm.retrieval.postgres.writer` the order of locks.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anaphora.errors import StoreError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistoryPart, HistorySettings
from anaphora.ltm.retrieval.postgres.erasure import erase_user, expire_exchanges, filter_erased
from anaphora.ltm.retrieval.postgres.quarantine import (
    discard_item,
    list_items,
    quarantine_conversation,
    quarantine_exchange,
    quarantine_rows,
    release_item,
)
from anaphora.ltm.retrieval.postgres.records import load_summary, parse_exchanges
from anaphora.ltm.retrieval.postgres.reindexing import reindex
from anaphora.ltm.retrieval.postgres.schema import TABLES, prepare_schema
from anaphora.ltm.retrieval.postgres.search import PostgresSearch, format_pgvector
from anaphora.ltm.retrieval.postgres.vectors import (
    find_or_create_embedder,
    put_token_vectors,
    put_vectors,
)
from anaphora.ltm.retrieval.postgres.writer import (
    add_exchanges,
    advance_position,
    filter_stored,
    lock_user,
    prepare_exchange,
    recount_size,
    replace_parts,
)
from anaphora.ltm.retrieval.records import (
    DamagedRowsError,
    parse_rows,
    retry_without_damaged,
    to_microseconds,
)
from anaphora.ltm.retrieval.store import (
    JournalPosition,
    NewExchange,
    QuarantinedItem,
    TermUpdate,
    UserKey,
)
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.postgres.schema import check_schema_name
from anaphora.storage.postgres.text_encoding import decode_text, encode_text, names_digest

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Row, Transaction

__all__ = ["PostgresRecallStore"]

_BATCH_SIZE = 1_000
_DEFAULT_VECTOR_MEMORY = 1 << 30

_Result = TypeVar("_Result")

_log = logging.getLogger(__name__)


class PostgresRecallStore(PostgresSearch):
    """A recall store in the PostgreSQL database at ``url``, in a ``schema`` of its own, which is
    created on first use (unless ``create`` is False: then it must exist).

    Vectors have pgvector's type if its extension exists or can be created together with the tables;
    otherwise, or with ``pgvector=False``, they are bytes. pgvector searches the vectors of most
    users. Those of users with very many, and all that are bytes, are searched in the memory of this
    process, within ``vector_memory`` bytes (0: pgvector searches all it can). Both ways compare all
    vectors of a user, so the result is exact.

    An unresponsive server is given up after ``server_timeout`` seconds. Processes with different
    measures should not share a schema: each would recount all sizes. A connection pooler must
    provide sessions (pgbouncer: ``pool_mode = session``). The process may fork.

    Erased data is gone for every reader at once, and :meth:`erase` lets PostgreSQL reuse the space
    (VACUUM). The bytes stay on the server's disk until they are overwritten, in the write-ahead log
    until it is recycled, and in backups and archived logs as long as these exist. To remove them
    sooner, use VACUUM FULL and expire the archives.

    See :class:`~anaphora.ltm.retrieval.store.RecallStore` for the methods. Raises
    :class:`StoreError` for an invalid URL. The server is contacted on first use.
    """

    def __init__(
        self,
        url: str,
        *,
        settings: HistorySettings,
        measure: Measure = WORDS,
        schema: str = "anaphora",
        pgvector: bool = True,
        vector_memory: int = _DEFAULT_VECTOR_MEMORY,
        server_timeout: float = 30.0,
        create: bool = True,
    ) -> None:
        check_schema_name(schema)
        self._settings, self.measure = settings, measure
        self._schema, self._pgvector, self._create = schema, pgvector, create
        try:
            from anaphora.storage.postgres.connection import ConnectionPool
        except ImportError as error:
            raise StoreError(
                "a recall store in PostgreSQL needs its client: pip install 'anaphora[postgres]'"
            ) from error
        pool = ConnectionPool(url, prepare=self._prepare, server_timeout=server_timeout)
        super().__init__(pool, vector_memory=vector_memory)

    # -- ingestion -----------------------------------------------------------------------------

    def add(self, new: Sequence[NewExchange], *, mark: JournalPosition | None = None) -> None:
        rows = [prepare_exchange(each, self.measure) for each in new]

        def add(transaction: Transaction) -> None:
            if mark is not None and not advance_position(transaction, mark):
                return  # stored before, but the commit was not confirmed
            left = filter_erased(transaction, filter_stored(transaction, rows))
            if left:
                add_exchanges(transaction, left, self._settings, self.measure)

        self._pool.run(add)

    def clock(self) -> int:
        ((clock,),) = self._pool.query(
            "SELECT greatest((SELECT max(at) FROM erasures), (SELECT max(clock) FROM "
            "conversations), 0)"
        )
        return int(clock)

    def journal_position(self, journal: str) -> int:
        rows = self._pool.query(
            "SELECT position FROM marks WHERE place = %s", names_digest(journal)
        )
        return rows[0][0] if rows else 0

    def forget_journal(self, journal: str) -> None:
        self._pool.run(
            lambda transaction: transaction.execute(
                "DELETE FROM marks WHERE place = %s", names_digest(journal)
            )
        )

    # -- the working history -------------------------------------------------------------------

    @retry_without_damaged
    def history(self, key: ConversationKey) -> History:
        # A single statement reads a consistent state.
        rows = self._pool.query(
            "WITH it AS (SELECT * FROM conversations WHERE place = %s) "
            "SELECT 0, summaries.id, summaries.record, it.size, it.measure, summaries.first, 0 "
            "FROM it JOIN summaries ON conversation_id = it.id AND active "
            "UNION ALL SELECT 1, number, record, it.size, it.measure, number, exchanges.id "
            "FROM it JOIN exchanges ON conversation_id = it.id AND number >= it.first "
            "ORDER BY 1, 6, 2",
            names_digest(*key),
        )
        if not rows:
            return History()
        if rows[0][4] != encode_text(self.measure.name):
            self._recount_size(key)
            return self.history(key)
        found = [(id, (record, id)) for kind, id, record, *_ in rows if not kind]
        summaries = parse_rows("summary", found, lambda row: load_summary(*row))
        exchanges = parse_exchanges((row[6], row[2], row[1]) for row in rows if row[0])
        return History(tuple(summaries), tuple(exchanges), rows[0][3])

    def find_oversized(self, limit: int) -> Mapping[ConversationKey, int]:
        """See :meth:`~anaphora.ltm.retrieval.store.RecallStore.find_oversized`; largest first."""
        measure = encode_text(self.measure.name)
        query = (
            "SELECT users.name, model, tenant, size FROM conversations "
            "JOIN users ON users.id = user_id WHERE {} LIMIT %s"
        )
        rejected = "(SELECT source_id FROM quarantine WHERE kind = 'compress')"
        other = query.format("measure <> %s")
        while rows := self._pool.query(other, measure, _BATCH_SIZE):
            for row in rows:
                self._recount_size(_to_key(row))
        larger = query.format(
            f"size > %s AND conversations.id NOT IN {rejected} ORDER BY size DESC"
        )
        rows = self._pool.query(larger, self._settings.max_size, max(limit, 0))
        return {_to_key(row): row[3] for row in rows}

    @retry_without_damaged
    def compress(
        self, key: ConversationKey, replaced: Sequence[HistoryPart], by: Sequence[Summary]
    ) -> bool:
        return self._pool.run(replace_parts, key, replaced, by, self.measure)

    def _quarantine_rows(self, damage: DamagedRowsError) -> None:
        self._pool.run(quarantine_rows, damage)

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        return self._exchanges(
            "AND number BETWEEN %s AND %s ORDER BY number", names_digest(*key), first, last
        )

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        return self._exchanges("ORDER BY number DESC LIMIT %s", names_digest(*key), max(limit, 0))

    @retry_without_damaged
    def _exchanges(self, which: str, *values: Any) -> list[Exchange]:
        return parse_exchanges(
            self._pool.query(
                "SELECT id, record, number FROM exchanges WHERE conversation_id = "
                f"(SELECT id FROM conversations WHERE place = %s) {which}",
                *values,
            )
        )

    @retry_without_damaged
    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        rows = self._pool.query(
            "SELECT exchanges.id, model, record, number FROM exchanges JOIN conversations "
            "ON conversations.id = conversation_id WHERE exchanges.id = ANY(%s::bigint[]) "
            "AND exchanges.user_id = (SELECT id FROM users WHERE place = %s)",
            *(list(ids), names_digest(user_key.tenant, user_key.user)),
        )
        exchanges = parse_exchanges((id, record, number) for id, _, record, number in rows)
        return {
            id: (ConversationKey(user_key.user, decode_text(model), user_key.tenant), exchange)
            for (id, model, *_), exchange in zip(rows, exchanges, strict=True)
        }

    def count_by_model(self, user_key: UserKey) -> Mapping[str, int]:
        rows = self._pool.query(
            "SELECT model, count(exchanges.id) FROM conversations "
            "JOIN exchanges ON conversation_id = conversations.id WHERE conversations.user_id = "
            "(SELECT id FROM users WHERE place = %s) GROUP BY conversations.id "
            "ORDER BY conversations.id",
            names_digest(user_key.tenant, user_key.user),
        )
        return {decode_text(model): count for model, count in rows}

    # -- searching -----------------------------------------------------------------------------

    @retry_without_damaged
    def find_outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        rows = self._pool.query(
            "SELECT id, record, number FROM exchanges WHERE terms_version < %s "
            "ORDER BY id DESC LIMIT %s",
            *(version, max(limit, 0)),
        )
        return list(zip((id for id, *_ in rows), parse_exchanges(rows), strict=True))

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        self._pool.run(reindex, version, exchanges)

    # -- vectors -------------------------------------------------------------------------------

    @retry_without_damaged
    def find_unembedded(
        self, embedder: str, limit: int
    ) -> Sequence[tuple[int, Sequence[Exchange]]]:
        def read(transaction: Transaction) -> list[Row]:
            return transaction.fetch_all(
                "SELECT it.id, it.number, it.record, before.id, before.record, before.number "
                "FROM (SELECT exchange_id FROM unembedded WHERE embedder_id = %s "
                "ORDER BY exchange_id LIMIT %s) AS waiting "
                "JOIN exchanges AS it ON it.id = exchange_id "
                "LEFT JOIN LATERAL (SELECT id, number, record FROM exchanges "
                "WHERE conversation_id = it.conversation_id AND number < it.number "
                "ORDER BY number DESC LIMIT 1) AS before ON true ORDER BY it.id",
                *(find_or_create_embedder(transaction, embedder), max(limit, 0)),
            )

        return [
            (
                id,
                parse_exchanges(
                    row for row in (before, (id, record, number)) if row[0] is not None
                ),
            )
            for id, number, record, *before in self._pool.run(read)
        ]

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        if not len(ids):
            return
        rows = [
            format_pgvector(row) if self._uses_pgvector else row.astype("<f4").tobytes()
            for row in np.asarray(vectors, np.float32)
        ]
        self._pool.run(put_vectors, embedder, list(ids), rows)

    def put_token_vectors(self, embedder: str, ids: Sequence[int], packed: Sequence[bytes]) -> None:
        if ids:
            self._pool.run(put_token_vectors, embedder, list(ids), packed)

    # -- erasure -------------------------------------------------------------------------------

    def erase(
        self, user_key: UserKey, *, model: str | frozenset[str] | None = None, clock: int = 0
    ) -> int:
        count = self._pool.run(erase_user, user_key, model, clock)
        self._vector_cache.clear()
        if count:
            self._vacuum()
        return count

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        return self._pool.run(expire_exchanges, to_microseconds(before), max(limit, 0))

    # -- quarantine ----------------------------------------------------------------------------

    def quarantine_embedding(self, embedder: str, id: int, reason: str) -> None:
        def put(transaction: Transaction) -> None:
            number = find_or_create_embedder(transaction, embedder)
            quarantine_exchange(transaction, number, id, reason)

        self._pool.run(put)

    def quarantine_compression(self, key: ConversationKey, reason: str) -> None:
        self._pool.run(quarantine_conversation, names_digest(*key), reason)

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        return self._pool.run(list_items, limit)

    def count_quarantined(self) -> int:
        ((count,),) = self._pool.query("SELECT count(*) FROM quarantine WHERE NOT discarded")
        return int(count)

    def release(self, id: str) -> bool:
        return id.isdecimal() and self._pool.run(release_item, int(id))

    def discard(self, id: str) -> bool:
        return id.isdecimal() and self._pool.run(discard_item, int(id))

    # -- maintenance ---------------------------------------------------------------------------

    def ping(self) -> None:
        self._pool.run(
            lambda transaction: transaction.execute("UPDATE format SET version = version")
        )

    def close(self) -> None:
        self._pool.close()
        self._vector_cache.clear()

    def _prepare(self, transaction: Transaction) -> None:
        prepare_schema(transaction, self._schema, pgvector=self._pgvector, create=self._create)

    def _recount_size(self, key: ConversationKey) -> None:
        def recount(transaction: Transaction) -> None:
            if lock_user(transaction, UserKey(key.user, key.tenant)):
                recount_size(transaction, names_digest(*key), self.measure)

        self._pool.run(recount)

    def _vacuum(self) -> None:
        """Let the space of deleted rows be reused now. The server would do so sooner or later."""
        try:
            self._pool.run_outside_transaction(
                *(f"VACUUM (SKIP_LOCKED) {table}" for table in TABLES)
            )
        except StoreError as error:
            _log.info("erased rows are not vacuumed yet: %s", error)


def _to_key(row: Row) -> ConversationKey:
    """Return the conversation that the first columns of a row name."""
    return ConversationKey(*map(decode_text, row[:3]))
