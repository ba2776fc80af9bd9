"""Recall store in PostgreSQL, shared by processes on many machines.

:mod:`anaphora.ltm.retrieval.postgres.schema` describes the tables,
:mod:`anaphora.ltm.retrieval.postgres.writer` the order of locks.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anaphora.errors import StoreError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistoryPart, HistorySettings
from anaphora.ltm.retrieval.postgres.erasure import erase_user, expire_exchanges, filter_erased
from anaphora.ltm.retrieval.postgres.leases import COMPRESS, Leases, embed_kind, index_kind
from anaphora.ltm.retrieval.postgres.partitioning import check_partition_count, partition_tables
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
from anaphora.ltm.retrieval.postgres.schema import prepare_schema
from anaphora.ltm.retrieval.postgres.search import PostgresSearch, format_pgvector
from anaphora.ltm.retrieval.postgres.vector_index import (
    build_index,
    find_index_work,
    request_indexes,
)
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
    from anaphora.storage.postgres.connection import ConnectionPool, Row, Transaction

__all__ = ["PostgresRecallStore"]

_BATCH_SIZE = 1_000
_DEFAULT_VECTOR_MEMORY = 1 << 30
_DEFAULT_INDEX_VECTORS_FROM = 200_000
_DEFAULT_LEASE = 600.0  # seconds; a batch takes some seconds, with BART some minutes
_MAINTENANCE_TIMEOUT = 7 * 24 * 3_600.0  # seconds, of what copies or indexes whole tables

_VACUUMED = ("users", "conversations", "unembedded", "quarantine")
_VACUUMED_PARTITIONS = ("exchanges", "words", "summaries", "vectors", "token_vectors")

_Result = TypeVar("_Result")

_log = logging.getLogger(__name__)


class PostgresRecallStore(PostgresSearch):
    """A recall store in the PostgreSQL database at ``url``, in a ``schema`` of its own, which is
    created on first use (unless ``create`` is False: then it must exist).

    Vectors have pgvector's type if its extension exists or can be created together with the tables;
    otherwise, or with ``pgvector=False``, they are bytes. pgvector searches the vectors of most
    users. Those of users with very many, and all that are bytes, are searched in the memory of this
    process, within ``vector_memory`` bytes (0: pgvector searches all it can). Both ways compare all
    vectors of a user, so the result is exact. A user with ``index_vectors_from`` exchanges or more
    gets an index of pgvector (HNSW), which is approximate and finds at most 1,000; searches with a
    filter remain exact.

    The large tables can be spread over partitions by :meth:`partition`. Several stores share the
    background work: what :meth:`find_unembedded`, :meth:`find_outdated` and
    :meth:`claim_oversized` return is leased to one of them for ``lease`` seconds.

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
        index_vectors_from: int = _DEFAULT_INDEX_VECTORS_FROM,
        lease: float = _DEFAULT_LEASE,
        server_timeout: float = 30.0,
        create: bool = True,
    ) -> None:
        check_schema_name(schema)
        self._settings, self.measure = settings, measure
        self._schema, self._pgvector, self._create = schema, pgvector, create
        self._url, self._leases = url, Leases(lease)
        try:
            from anaphora.storage.postgres.connection import ConnectionPool
        except ImportError as error:
            raise StoreError(
                "a recall store in PostgreSQL needs its client: pip install 'anaphora[postgres]'"
            ) from error
        pool = ConnectionPool(url, prepare=self._prepare, server_timeout=server_timeout)
        super().__init__(pool, vector_memory=vector_memory, index_vectors_from=index_vectors_from)

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
        rows = self._read_of_user(
            UserKey(key.user, key.tenant),
            "WITH it AS (SELECT * FROM conversations WHERE place = %s) "
            "SELECT 0, summaries.id, summaries.record, it.size, it.measure, summaries.first, 0 "
            "FROM it JOIN summaries ON summaries.user_id = {user} AND conversation_id = it.id "
            "AND active "
            "UNION ALL SELECT 1, number, record, it.size, it.measure, number, exchanges.id "
            "FROM it JOIN exchanges ON exchanges.user_id = {user} AND conversation_id = it.id "
            "AND number >= it.first "
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
        available, held = self._leases.available(COMPRESS, "conversations.id")
        other = query.format("measure <> %s")
        while rows := self._pool.query(other, measure, _BATCH_SIZE):
            for row in rows:
                self._recount_size(_to_key(row))
        larger = query.format(
            f"size > %s AND conversations.id NOT IN {rejected} AND {available} ORDER BY size DESC"
        )
        rows = self._pool.query(larger, self._settings.max_size, *held, max(limit, 0))
        return {_to_key(row): row[3] for row in rows}

    def claim_oversized(self, keys: Sequence[ConversationKey]) -> Sequence[ConversationKey]:
        places = {names_digest(*key): key for key in keys}
        rows = self._pool.run(
            self._leases.take,
            COMPRESS,
            "SELECT conversations.id, place FROM conversations "
            "WHERE place = ANY(%s::bytea[]) AND {}",
            list(places),
            item="conversations.id",
        )
        claimed = {bytes(place) for _, place in rows}
        return [key for place, key in places.items() if place in claimed]

    @retry_without_damaged
    def compress(
        self, key: ConversationKey, replaced: Sequence[HistoryPart], by: Sequence[Summary]
    ) -> bool:
        return self._pool.run(replace_parts, key, replaced, by, self.measure)

    def _quarantine_rows(self, damage: DamagedRowsError) -> None:
        self._pool.run(quarantine_rows, damage)

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        return self._exchanges(key, "AND number BETWEEN %s AND %s ORDER BY number", first, last)

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        return self._exchanges(key, "ORDER BY number DESC LIMIT %s", max(limit, 0))

    @retry_without_damaged
    def _exchanges(self, key: ConversationKey, which: str, *values: Any) -> list[Exchange]:
        return parse_exchanges(
            self._read_of_user(
                UserKey(key.user, key.tenant),
                "SELECT id, record, number FROM exchanges WHERE user_id = {user} AND "
                f"conversation_id = (SELECT id FROM conversations WHERE place = %s) {which}",
                *(names_digest(*key), *values),
            )
        )

    @retry_without_damaged
    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        rows = self._read_of_user(
            user_key,
            "SELECT exchanges.id, model, record, number FROM exchanges JOIN conversations "
            "ON conversations.id = conversation_id WHERE exchanges.id = ANY(%s::bigint[]) "
            "AND exchanges.user_id = {user}",
            list(ids),
        )
        exchanges = parse_exchanges((id, record, number) for id, _, record, number in rows)
        return {
            id: (ConversationKey(user_key.user, decode_text(model), user_key.tenant), exchange)
            for (id, model, *_), exchange in zip(rows, exchanges, strict=True)
        }

    def count_by_model(self, user_key: UserKey) -> Mapping[str, int]:
        rows = self._read_of_user(
            user_key,
            "SELECT model, count(exchanges.id) FROM conversations "
            "JOIN exchanges ON conversation_id = conversations.id AND exchanges.user_id = {user} "
            "WHERE conversations.user_id = {user} GROUP BY conversations.id "
            "ORDER BY conversations.id",
        )
        return {decode_text(model): count for model, count in rows}

    # -- searching -----------------------------------------------------------------------------

    @retry_without_damaged
    def find_outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        rows = self._pool.run(
            self._leases.take,
            index_kind(version),
            "SELECT id, record, number FROM exchanges WHERE terms_version < %s AND {} "
            "ORDER BY id DESC LIMIT %s",
            *(version, max(limit, 0)),
            item="exchanges.id",
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
            known = find_or_create_embedder(transaction, embedder)
            waiting = self._leases.take(
                transaction,
                embed_kind(known),
                "SELECT exchange_id, user_id FROM unembedded WHERE embedder_id = %s AND {} "
                "ORDER BY exchange_id LIMIT %s",
                *(known, max(limit, 0)),
                item="exchange_id",
            )
            if not waiting:
                return []
            ids, owners = (list(values) for values in zip(*waiting, strict=True))
            users = sorted(set(owners))
            return transaction.fetch_all(
                "SELECT it.id, it.number, it.record, before.id, before.record, before.number "
                "FROM exchanges AS it LEFT JOIN LATERAL (SELECT id, number, record "
                "FROM exchanges WHERE user_id = ANY(%s) AND user_id = it.user_id "
                "AND conversation_id = it.conversation_id AND number < it.number "
                "ORDER BY number DESC LIMIT 1) AS before ON true "
                "WHERE it.user_id = ANY(%s) AND it.id = ANY(%s) ORDER BY it.id",
                *(users, users, ids),
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

        def put(transaction: Transaction) -> None:
            known, users = put_vectors(transaction, embedder, list(ids), rows)
            if self._uses_pgvector:
                large = transaction.fetch_all(
                    "SELECT id FROM users WHERE id = ANY(%s) AND documents >= %s",
                    *(users, self._index_vectors_from),
                )
                dimension = np.shape(vectors)[1]
                request_indexes(transaction, (id for (id,) in large), known, dimension)

        self._pool.run(put)

    def put_token_vectors(self, embedder: str, ids: Sequence[int], packed: Sequence[bytes]) -> None:
        if ids:
            self._pool.run(put_token_vectors, embedder, list(ids), packed)

    def index_vectors(self, embedder: str) -> bool:
        work = self._pool.run(find_index_work, embedder)
        if not work:
            return False
        with self._maintenance_pool() as pool:
            return any(pool.run_in_session(build_index, user, id) for user, id in work)

    # -- erasure -------------------------------------------------------------------------------

    def erase(
        self, user_key: UserKey, *, model: str | frozenset[str] | None = None, clock: int = 0
    ) -> int:
        count, suffix = self._pool.run(erase_user, user_key, model, clock)
        self._vector_cache.clear()
        if count:
            self._vacuum([*_VACUUMED, *(f"{table}{suffix}" for table in _VACUUMED_PARTITIONS)])
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

    def partition(self, count: int) -> None:
        """Spread the large tables over ``count`` partitions by a hash of the user, in one
        transaction that copies all rows. Other stores wait or fail for as long; memories keep what
        is said in their journals. Nothing changes if there are as many partitions already.

        Raises :class:`StoreError` for an invalid ``count``, or if the server cannot do it.
        """
        check_partition_count(count)
        with self._maintenance_pool() as pool:
            pool.run(partition_tables, count)

    def close(self) -> None:
        if self._leases.may_hold_some:
            with suppress(StoreError):  # then others wait for the end of the leases
                self._pool.run(self._leases.release_all)
        self._pool.close()
        self._vector_cache.clear()

    def _prepare(self, transaction: Transaction) -> None:
        prepare_schema(transaction, self._schema, pgvector=self._pgvector, create=self._create)

    @contextmanager
    def _maintenance_pool(self) -> Iterator[ConnectionPool]:
        """Connections whose statements may take as long as they need."""
        from anaphora.storage.postgres.connection import ConnectionPool

        pool = ConnectionPool(self._url, prepare=self._prepare, server_timeout=_MAINTENANCE_TIMEOUT)
        with closing(pool):
            yield pool

    def _recount_size(self, key: ConversationKey) -> None:
        def recount(transaction: Transaction) -> None:
            if lock_user(transaction, UserKey(key.user, key.tenant)):
                recount_size(transaction, names_digest(*key), self.measure)

        self._pool.run(recount)

    def _vacuum(self, tables: Sequence[str]) -> None:
        """Let the space of deleted rows be reused now. The server would do so sooner or later."""
        try:
            self._pool.run_outside_transaction(
                *(f"VACUUM (SKIP_LOCKED) {table}" for table in tables)
            )
        except StoreError as error:
            _log.info("erased rows are not vacuumed yet: %s", error)


def _to_key(row: Row) -> ConversationKey:
    """Return the conversation that the first columns of a row name."""
    return ConversationKey(*map(decode_text, row[:3]))
