"""Exchanges in PostgreSQL, shared by processes on many machines.

Where everything is kept is told in :mod:`anaphora.ltm.retrieval.postgres.schema`, in which order it
is locked in :mod:`anaphora.ltm.retrieval.postgres.writer`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anaphora.errors import StoreError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistoryPart, HistorySettings
from anaphora.ltm.ingestion.quarantine import QuarantinedItem
from anaphora.ltm.retrieval.postgres.erasure import erase_user, expire_exchanges, filter_erased
from anaphora.ltm.retrieval.postgres.quarantine import (
    DamagedRowsError,
    discard_item,
    parse_rows,
    quarantine_item,
    quarantine_rows,
    release_item,
    to_items,
)
from anaphora.ltm.retrieval.postgres.records import (
    decode_text,
    encode_text,
    load_exchange,
    load_summary,
    names_digest,
    to_microseconds,
)
from anaphora.ltm.retrieval.postgres.reindexing import reindex
from anaphora.ltm.retrieval.postgres.schema import TABLES, has_pgvector, prepare_schema
from anaphora.ltm.retrieval.postgres.search import PostgresSearch, format_pgvector
from anaphora.ltm.retrieval.postgres.writer import (
    ExchangeBatch,
    PostgresWriter,
    advance_position,
    filter_stored,
    find_or_create_embedder,
)
from anaphora.ltm.retrieval.store import (
    Document,
    JournalPosition,
    NewExchange,
    SearchFilter,
    TermStatistics,
    TermUpdate,
    UserKey,
)
from anaphora.stm.conversation import ConversationKey

if TYPE_CHECKING:
    from anaphora.ltm.retrieval.postgres.connection import ConnectionPool, Transaction

__all__ = ["PostgresRecallStore"]

_BATCH_SIZE = 1_000
_DEFAULT_VECTOR_MEMORY = 1 << 30

_Result = TypeVar("_Result")

_log = logging.getLogger(__name__)


class PostgresRecallStore:
    """Keeps exchanges in the PostgreSQL database at ``url``, in tables of a ``schema`` of its own,
    which is made when it is first needed (unless ``create`` is False: then it must be there).

    Vectors are kept in pgvector's type if its extension is there, or may be made, when the tables
    are; else (or with ``pgvector=False``) as bytes. pgvector searches those of most users; those
    of users who have very many, and all that are bytes, are searched in the memory of this
    process, of which they take at most ``memory`` bytes (0: whatever pgvector can search, it
    does). Both look at all vectors of a user: what is nearest is found.

    A server that does not answer is given up after ``patience`` seconds. Processes that measure
    differently should not share a schema: each would count all sizes anew. A pooler between must
    keep a session for each connection (pgbouncer: ``pool_mode = session``). The store may be used
    in a process that was forked later.

    What is erased is gone for every reader at once, and :meth:`erase` tells PostgreSQL to give up
    the rows (VACUUM). What it is made of stays on the server's disk until something else is
    written there, in its write-ahead log until that is recycled, and in backups and archived logs
    as long as these are kept: what must go sooner needs VACUUM FULL, and archives that expire.

    See :class:`~anaphora.ltm.retrieval.store.RecallStore` for the methods. Raises
    :class:`StoreError` for a URL that cannot be read; whether there is a server shows when it is
    needed.
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
        if not schema or "\0" in schema or len(schema.encode()) > 63:
            raise StoreError("the name of a schema has 1 to 63 bytes")
        self._settings, self._measure = settings, measure
        self._schema, self._pgvector, self._create = schema, pgvector, create
        self._has_pgvector: bool | None = None
        try:
            from anaphora.ltm.retrieval.postgres.connection import ConnectionPool
        except ImportError as error:
            raise StoreError(
                "a recall store in PostgreSQL needs its client: pip install 'anaphora[postgres]'"
            ) from error
        self._pool: ConnectionPool = ConnectionPool(
            url, prepare=self._prepare, server_timeout=server_timeout
        )
        self._search = PostgresSearch(self._pool, vector_memory=vector_memory)
        self._writer = PostgresWriter(settings, measure)

    # -- what is said --------------------------------------------------------------------------

    def add(self, new: Sequence[NewExchange], *, mark: JournalPosition | None = None) -> None:
        batch = ExchangeBatch(new, self._measure)

        def add(transaction: Transaction) -> None:
            if mark is not None and not advance_position(transaction, mark):
                return  # it was kept before, and the answer that it was got lost
            left = filter_erased(transaction, filter_stored(transaction, new))
            if left:
                all_of_it = batch if len(left) == len(new) else ExchangeBatch(left, self._measure)
                self._writer.add(transaction, all_of_it)

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

    def history(self, key: ConversationKey) -> History:
        return self._retry_without_damaged(lambda: self._history(key))

    def _history(self, key: ConversationKey) -> History:
        # One statement sees one state of the tables.
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
        if rows[0][4] != encode_text(self._measure.name):
            self._recount_size(key)
            return self._history(key)
        found = [(id, (record, id)) for kind, id, record, *_ in rows if not kind]
        summaries = parse_rows("summary", found, lambda row: load_summary(*row))
        said = [(row[6], row[1:3]) for row in rows if row[0]]
        exchanges = parse_rows("exchange", said, lambda row: load_exchange(row[1], row[0]))
        return History(tuple(summaries), tuple(exchanges), rows[0][3])

    def find_oversized(self, limit: int) -> Mapping[ConversationKey, int]:
        """As the protocol says, the largest first."""
        measure = encode_text(self._measure.name)
        query = (
            "SELECT users.name, model, tenant, size FROM conversations "
            "JOIN users ON users.id = user_id WHERE {} LIMIT %s"
        )
        refused = "(SELECT source_id FROM quarantine WHERE kind = 'compress')"
        other = query.format("measure <> %s")
        while rows := self._pool.query(other, measure, _BATCH_SIZE):
            for key in _to_keys(row[:3] for row in rows):
                self._recount_size(key)
        larger = query.format(f"size > %s AND conversations.id NOT IN {refused} ORDER BY size DESC")
        rows = self._pool.query(larger, self._settings.max_size, max(limit, 0))
        return dict(zip(_to_keys(row[:3] for row in rows), (row[3] for row in rows), strict=True))

    def compress(
        self, key: ConversationKey, replaced: Sequence[HistoryPart], by: Sequence[Summary]
    ) -> bool:
        return self._retry_without_damaged(
            lambda: self._pool.run(
                lambda transaction: self._writer.compress(transaction, key, replaced, by)
            )
        )

    def summary(self, key: ConversationKey, id: int) -> Summary | None:
        rows = self._pool.query(
            "SELECT record FROM summaries WHERE id = %s AND conversation_id = "
            "(SELECT id FROM conversations WHERE place = %s)",
            *(id, names_digest(*key)),
        )
        return load_summary(rows[0][0], id) if rows else None

    def _retry_without_damaged(self, work: Callable[[], _Result]) -> _Result:
        """Do the work. Rows that turn out to be damaged are put in quarantine, and it is done
        again without them."""
        while True:
            try:
                return work()
            except DamagedRowsError as damage:
                self._quarantine_rows(damage)

    def _quarantine_rows(self, damage: DamagedRowsError) -> None:
        self._pool.run(lambda transaction: quarantine_rows(transaction, damage))

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        return self._exchanges(
            "AND number BETWEEN %s AND %s ORDER BY number", names_digest(*key), first, last
        )

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        return self._exchanges("ORDER BY number DESC LIMIT %s", names_digest(*key), max(limit, 0))

    def _exchanges(self, which: str, *values: Any) -> list[Exchange]:
        def find() -> list[Exchange]:
            rows = self._pool.query(
                "SELECT id, record, number FROM exchanges WHERE conversation_id = "
                f"(SELECT id FROM conversations WHERE place = %s) {which}",
                *values,
            )
            found = [(id, (record, number)) for id, record, number in rows]
            return parse_rows("exchange", found, lambda row: load_exchange(*row))

        return self._retry_without_damaged(find)

    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        return self._retry_without_damaged(lambda: self._fetch(user_key, ids))

    def _fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        rows = self._pool.query(
            "SELECT exchanges.id, model, record, number FROM exchanges JOIN conversations "
            "ON conversations.id = conversation_id WHERE exchanges.id = ANY(%s::bigint[]) "
            "AND exchanges.user_id = (SELECT id FROM users WHERE place = %s)",
            *(list(ids), names_digest(user_key.tenant, user_key.user)),
        )
        found = [(id, (record, number)) for id, _, record, number in rows]
        exchanges = parse_rows("exchange", found, lambda row: load_exchange(*row))
        return {
            id: (ConversationKey(user_key.user, decode_text(model), user_key.tenant), exchange)
            for (id, model, *_), exchange in zip(rows, exchanges, strict=True)
        }

    def list_ids(
        self, user_key: UserKey, filters: SearchFilter, *, skip: int, limit: int
    ) -> Sequence[int]:
        return self._search.list_ids(user_key, filters, skip=skip, limit=limit)

    # -- searching -----------------------------------------------------------------------------

    def statistics(self, user_key: UserKey, terms: Sequence[str]) -> TermStatistics:
        return self._search.statistics(user_key, terms)

    def find_matching(
        self, user_key: UserKey, terms: Sequence[str], filters: SearchFilter, limit: int
    ) -> Sequence[Document]:
        return self._search.find_matching(user_key, terms, filters, limit)

    def with_neighbours(self, documents: Sequence[Document], reach: int) -> Sequence[Document]:
        return self._search.with_neighbours(documents, reach)

    def documents(self, user_key: UserKey, ids: Sequence[int]) -> Sequence[Document]:
        return self._search.documents(user_key, ids)

    def find_nearest(
        self, user_key: UserKey, embedder: str, vector: Vectors, filters: SearchFilter, limit: int
    ) -> Sequence[tuple[int, float]]:
        pgvector = self._uses_pgvector
        return self._search.find_nearest(
            user_key, embedder, vector, filters, limit, pgvector=pgvector
        )

    def find_outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        def find() -> list[tuple[int, Exchange]]:
            rows = self._pool.query(
                "SELECT id, record, number FROM exchanges WHERE terms_version < %s "
                "ORDER BY id DESC LIMIT %s",
                *(version, max(limit, 0)),
            )
            found = [(id, (record, number)) for id, record, number in rows]
            exchanges = parse_rows("exchange", found, lambda row: load_exchange(*row))
            return list(zip([id for id, _ in found], exchanges, strict=True))

        return self._retry_without_damaged(find)

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        self._pool.run(lambda transaction: reindex(transaction, version, exchanges))

    # -- vectors -------------------------------------------------------------------------------

    def find_unembedded(
        self, embedder: str, limit: int
    ) -> Sequence[tuple[int, Sequence[Exchange]]]:
        def read(transaction: Transaction) -> list[tuple[int, Sequence[Exchange]]]:
            rows = transaction.fetch_all(
                "SELECT it.id, it.number, it.record, before.number, before.record, before.id "
                "FROM (SELECT exchange_id FROM unembedded WHERE embedder_id = %s "
                "ORDER BY exchange_id LIMIT %s) AS waiting "
                "JOIN exchanges AS it ON it.id = exchange_id "
                "LEFT JOIN LATERAL (SELECT id, number, record FROM exchanges "
                "WHERE conversation_id = it.conversation_id AND number < it.number "
                "ORDER BY number DESC LIMIT 1) AS before ON true ORDER BY it.id",
                *(find_or_create_embedder(transaction, embedder), max(limit, 0)),
            )
            pairs = [
                (id, [*([] if first is None else [(first, (old, before))]), (id, (record, number))])
                for id, number, record, before, old, first in rows
            ]
            return [
                (id, parse_rows("exchange", pair, lambda row: load_exchange(*row)))
                for id, pair in pairs
            ]

        return self._retry_without_damaged(lambda: self._pool.run(read))

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        if not len(ids):
            return
        rows = [
            format_pgvector(row) if self._uses_pgvector else row.astype("<f4").tobytes()
            for row in np.asarray(vectors, np.float32)
        ]
        self._pool.run(
            lambda transaction: self._writer.put_vectors(transaction, embedder, list(ids), rows)
        )

    # -- forgetting ----------------------------------------------------------------------------

    def erase(self, user_key: UserKey, *, model: str | None = None, clock: int = 0) -> int:
        count = self._pool.run(lambda transaction: erase_user(transaction, user_key, model, clock))
        self._search.clear_vectors()
        if count:
            self._vacuum()
        return count

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        until = to_microseconds(before)
        return self._pool.run(
            lambda transaction: expire_exchanges(transaction, until, max(limit, 0))
        )

    def keys(self) -> Iterator[ConversationKey]:
        last = 0
        while rows := self._pool.query(
            "SELECT users.name, model, tenant, conversations.id FROM conversations "
            "JOIN users ON users.id = user_id WHERE conversations.id > %s "
            "ORDER BY conversations.id LIMIT %s",
            *(last, _BATCH_SIZE),
        ):
            yield from _to_keys(row[:3] for row in rows)
            last = rows[-1][3]

    # -- quarantine ----------------------------------------------------------------------------

    def quarantine_embedding(self, embedder: str, id: int, reason: str) -> None:
        self._pool.run(
            lambda transaction: quarantine_item(
                transaction, "embed", find_or_create_embedder(transaction, embedder), id, reason
            )
        )

    def quarantine_compression(self, key: ConversationKey, reason: str) -> None:
        def put(transaction: Transaction) -> None:
            found = transaction.fetch_one(
                "SELECT id FROM conversations WHERE place = %s", names_digest(*key)
            )
            if found is not None:
                quarantine_item(transaction, "compress", 0, found[0], reason)

        self._pool.run(put)

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        rows = self._pool.query(
            "SELECT quarantine.id, kind, reason, at, users.name, model, tenant FROM quarantine "
            "LEFT JOIN users ON users.id = quarantine.user_id LEFT JOIN conversations "
            "ON conversations.id = conversation_id WHERE NOT discarded "
            "ORDER BY quarantine.id LIMIT %s",
            max(limit, 0),
        )
        return to_items(rows)

    def count_quarantined(self) -> int:
        ((count,),) = self._pool.query("SELECT count(*) FROM quarantine WHERE NOT discarded")
        return int(count)

    def release(self, id: str) -> bool:
        return id.isdecimal() and self._pool.run(
            lambda transaction: release_item(transaction, int(id))
        )

    def discard(self, id: str) -> bool:
        return id.isdecimal() and self._pool.run(
            lambda transaction: discard_item(transaction, int(id))
        )

    # -- the rest ------------------------------------------------------------------------------

    @property
    def measure(self) -> Measure:
        return self._measure

    def ping(self) -> None:
        self._pool.run(
            lambda transaction: transaction.execute("UPDATE format SET version = version")
        )

    def close(self) -> None:
        self._pool.close()
        self._search.clear_vectors()

    @property
    def _uses_pgvector(self) -> bool:
        if self._has_pgvector is None:
            self._has_pgvector = self._pool.run(has_pgvector)
        return self._has_pgvector

    def _prepare(self, transaction: Transaction) -> None:
        prepare_schema(transaction, self._schema, pgvector=self._pgvector, create=self._create)

    def _recount_size(self, key: ConversationKey) -> None:
        self._pool.run(lambda transaction: self._writer.lock_and_recount_size(transaction, key))

    def _vacuum(self) -> None:
        """Let the rows that are gone be overwritten. It is not needed for being right, and the
        server does so by itself sooner or later."""
        try:
            self._pool.run_outside_transaction(
                *(f"VACUUM (SKIP_LOCKED) {table}" for table in TABLES)
            )
        except StoreError as error:
            _log.info("what was erased is not vacuumed yet: %s", error)


def _to_keys(
    rows: Iterator[tuple[bytes, ...]] | Sequence[tuple[bytes, ...]],
) -> list[ConversationKey]:
    return [ConversationKey(*map(decode_text, row)) for row in rows]
