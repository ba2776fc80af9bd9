"""Exchanges in PostgreSQL, shared by processes on many machines.

Where everything is kept is told in :mod:`anaphora.ltm.recall.postgres_schema`, in which order it
is locked in :mod:`anaphora.ltm.recall.postgres_writing`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anaphora.errors import StoreError
from anaphora.ltm.counting import WORDS, Measure
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history import History, HistorySettings, Part
from anaphora.ltm.quarantine import QuarantinedItem
from anaphora.ltm.recall.postgres_forgetting import erase, expire, not_erased
from anaphora.ltm.recall.postgres_quarantine import (
    DamagedRows,
    discard,
    listed,
    move,
    parsed,
    refuse,
    release,
)
from anaphora.ltm.recall.postgres_records import (
    as_bytes,
    as_text,
    load_exchange,
    load_summary,
    moment,
    place_of,
)
from anaphora.ltm.recall.postgres_reindexing import reindex
from anaphora.ltm.recall.postgres_schema import TABLES, has_pgvector, prepare
from anaphora.ltm.recall.postgres_search import Search, as_pgvector
from anaphora.ltm.recall.postgres_writing import Batch, Writer, advance, embedder_of, not_kept
from anaphora.ltm.recall.store import (
    Among,
    Document,
    Mark,
    New,
    Statistics,
    TermUpdate,
    Whose,
)
from anaphora.stm.conversation import Key

if TYPE_CHECKING:
    from anaphora.ltm.recall.postgres_link import Link, Transaction

__all__ = ["PostgresRecallStore"]

_LISTED_AT_ONCE = 1_000
_MEMORY = 1 << 30

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

    See :class:`~anaphora.ltm.recall.store.RecallStore` for the methods. Raises
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
        memory: int = _MEMORY,
        patience: float = 30.0,
        create: bool = True,
    ) -> None:
        if not schema or "\0" in schema or len(schema.encode()) > 63:
            raise StoreError("the name of a schema has 1 to 63 bytes")
        self._settings, self._measure = settings, measure
        self._schema, self._pgvector, self._create = schema, pgvector, create
        self._in_database: bool | None = None
        try:
            from anaphora.ltm.recall.postgres_link import Link
        except ImportError as error:
            raise StoreError(
                "a recall store in PostgreSQL needs its client: pip install 'anaphora[postgres]'"
            ) from error
        self._link: Link = Link(url, prepare=self._prepare, patience=patience)
        self._search = Search(self._link, memory=memory)
        self._writer = Writer(settings, measure)

    # -- what is said --------------------------------------------------------------------------

    def add(self, new: Sequence[New], *, mark: Mark | None = None) -> None:
        batch = Batch(new, self._measure)

        def add(transaction: Transaction) -> None:
            if mark is not None and not advance(transaction, mark):
                return  # it was kept before, and the answer that it was got lost
            left = not_erased(transaction, not_kept(transaction, new))
            if left:
                all_of_it = batch if len(left) == len(new) else Batch(left, self._measure)
                self._writer.add(transaction, all_of_it)

        self._link.do(add)

    def clock(self) -> int:
        ((clock,),) = self._link.read(
            "SELECT greatest((SELECT max(at) FROM erasures), (SELECT max(clock) FROM "
            "conversations), 0)"
        )
        return int(clock)

    def marked(self, journal: str) -> int:
        rows = self._link.read("SELECT position FROM marks WHERE place = %s", place_of(journal))
        return rows[0][0] if rows else 0

    def unmark(self, journal: str) -> None:
        self._link.do(
            lambda transaction: transaction.do(
                "DELETE FROM marks WHERE place = %s", place_of(journal)
            )
        )

    # -- the working history -------------------------------------------------------------------

    def history(self, key: Key) -> History:
        return self._sound(lambda: self._history(key))

    def _history(self, key: Key) -> History:
        # One statement sees one state of the tables.
        rows = self._link.read(
            "WITH it AS (SELECT * FROM conversations WHERE place = %s) "
            "SELECT 0, summaries.id, summaries.record, it.size, it.measure, summaries.first, 0 "
            "FROM it JOIN summaries ON conversation_id = it.id AND active "
            "UNION ALL SELECT 1, number, record, it.size, it.measure, number, exchanges.id "
            "FROM it JOIN exchanges ON conversation_id = it.id AND number >= it.first "
            "ORDER BY 1, 6, 2",
            place_of(*key),
        )
        if not rows:
            return History()
        if rows[0][4] != as_bytes(self._measure.name):
            self._measure_anew(key)
            return self._history(key)
        found = [(id, (record, id)) for kind, id, record, *_ in rows if not kind]
        summaries = parsed("summary", found, lambda row: load_summary(*row))
        said = [(row[6], row[1:3]) for row in rows if row[0]]
        exchanges = parsed("exchange", said, lambda row: load_exchange(row[1], row[0]))
        return History(tuple(summaries), tuple(exchanges), rows[0][3])

    def oversized(self, limit: int) -> Mapping[Key, int]:
        """As the protocol says, the largest first."""
        measure = as_bytes(self._measure.name)
        query = (
            "SELECT users.name, model, tenant, size FROM conversations "
            "JOIN users ON users.id = user_id WHERE {} LIMIT %s"
        )
        refused = "(SELECT source_id FROM quarantine WHERE kind = 'compress')"
        other = query.format("measure <> %s")
        while rows := self._link.read(other, measure, _LISTED_AT_ONCE):
            for key in _keys(row[:3] for row in rows):
                self._measure_anew(key)
        larger = query.format(f"size > %s AND conversations.id NOT IN {refused} ORDER BY size DESC")
        rows = self._link.read(larger, self._settings.max_size, max(limit, 0))
        return dict(zip(_keys(row[:3] for row in rows), (row[3] for row in rows), strict=True))

    def compress(self, key: Key, replaced: Sequence[Part], by: Sequence[Summary]) -> bool:
        return self._sound(
            lambda: self._link.do(
                lambda transaction: self._writer.compress(transaction, key, replaced, by)
            )
        )

    def summary(self, key: Key, id: int) -> Summary | None:
        rows = self._link.read(
            "SELECT record FROM summaries WHERE id = %s AND conversation_id = "
            "(SELECT id FROM conversations WHERE place = %s)",
            *(id, place_of(*key)),
        )
        return load_summary(rows[0][0], id) if rows else None

    def _sound(self, work: Callable[[], _Result]) -> _Result:
        """Do the work. Rows that turn out to be damaged are put in quarantine, and it is done
        again without them."""
        while True:
            try:
                return work()
            except DamagedRows as damage:
                self._put_aside(damage)

    def _put_aside(self, damage: DamagedRows) -> None:
        self._link.do(lambda transaction: move(transaction, damage))

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: Key, *, first: int, last: int) -> Sequence[Exchange]:
        return self._exchanges(
            "AND number BETWEEN %s AND %s ORDER BY number", place_of(*key), first, last
        )

    def latest(self, key: Key, limit: int) -> Sequence[Exchange]:
        return self._exchanges("ORDER BY number DESC LIMIT %s", place_of(*key), max(limit, 0))

    def _exchanges(self, which: str, *values: Any) -> list[Exchange]:
        def find() -> list[Exchange]:
            rows = self._link.read(
                "SELECT id, record, number FROM exchanges WHERE conversation_id = "
                f"(SELECT id FROM conversations WHERE place = %s) {which}",
                *values,
            )
            found = [(id, (record, number)) for id, record, number in rows]
            return parsed("exchange", found, lambda row: load_exchange(*row))

        return self._sound(find)

    def fetch(self, whose: Whose, ids: Sequence[int]) -> Mapping[int, tuple[Key, Exchange]]:
        return self._sound(lambda: self._fetch(whose, ids))

    def _fetch(self, whose: Whose, ids: Sequence[int]) -> Mapping[int, tuple[Key, Exchange]]:
        rows = self._link.read(
            "SELECT exchanges.id, model, record, number FROM exchanges JOIN conversations "
            "ON conversations.id = conversation_id WHERE exchanges.id = ANY(%s::bigint[]) "
            "AND exchanges.user_id = (SELECT id FROM users WHERE place = %s)",
            *(list(ids), place_of(whose.tenant, whose.user)),
        )
        found = [(id, (record, number)) for id, _, record, number in rows]
        exchanges = parsed("exchange", found, lambda row: load_exchange(*row))
        return {
            id: (Key(whose.user, as_text(model), whose.tenant), exchange)
            for (id, model, *_), exchange in zip(rows, exchanges, strict=True)
        }

    def listed(self, whose: Whose, among: Among, *, skip: int, limit: int) -> Sequence[int]:
        return self._search.listed(whose, among, skip=skip, limit=limit)

    # -- searching -----------------------------------------------------------------------------

    def statistics(self, whose: Whose, terms: Sequence[str]) -> Statistics:
        return self._search.statistics(whose, terms)

    def matching(
        self, whose: Whose, terms: Sequence[str], among: Among, limit: int
    ) -> Sequence[Document]:
        return self._search.matching(whose, terms, among, limit)

    def around(self, documents: Sequence[Document], reach: int) -> Sequence[Document]:
        return self._search.around(documents, reach)

    def documents(self, whose: Whose, ids: Sequence[int]) -> Sequence[Document]:
        return self._search.documents(whose, ids)

    def nearest(
        self, whose: Whose, embedder: str, vector: Vectors, among: Among, limit: int
    ) -> Sequence[tuple[int, float]]:
        pgvector = self._vectors_in_database
        return self._search.nearest(whose, embedder, vector, among, limit, pgvector=pgvector)

    def outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        def find() -> list[tuple[int, Exchange]]:
            rows = self._link.read(
                "SELECT id, record, number FROM exchanges WHERE terms_version < %s "
                "ORDER BY id DESC LIMIT %s",
                *(version, max(limit, 0)),
            )
            found = [(id, (record, number)) for id, record, number in rows]
            exchanges = parsed("exchange", found, lambda row: load_exchange(*row))
            return list(zip([id for id, _ in found], exchanges, strict=True))

        return self._sound(find)

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        self._link.do(lambda transaction: reindex(transaction, version, exchanges))

    # -- vectors -------------------------------------------------------------------------------

    def unembedded(self, embedder: str, limit: int) -> Sequence[tuple[int, Sequence[Exchange]]]:
        def read(transaction: Transaction) -> list[tuple[int, Sequence[Exchange]]]:
            rows = transaction.rows(
                "SELECT it.id, it.number, it.record, before.number, before.record, before.id "
                "FROM (SELECT exchange_id FROM unembedded WHERE embedder_id = %s "
                "ORDER BY exchange_id LIMIT %s) AS waiting "
                "JOIN exchanges AS it ON it.id = exchange_id "
                "LEFT JOIN LATERAL (SELECT id, number, record FROM exchanges "
                "WHERE conversation_id = it.conversation_id AND number < it.number "
                "ORDER BY number DESC LIMIT 1) AS before ON true ORDER BY it.id",
                *(embedder_of(transaction, embedder), max(limit, 0)),
            )
            pairs = [
                (id, [*([] if first is None else [(first, (old, before))]), (id, (record, number))])
                for id, number, record, before, old, first in rows
            ]
            return [
                (id, parsed("exchange", pair, lambda row: load_exchange(*row)))
                for id, pair in pairs
            ]

        return self._sound(lambda: self._link.do(read))

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        if not len(ids):
            return
        rows = [
            as_pgvector(row) if self._vectors_in_database else row.astype("<f4").tobytes()
            for row in np.asarray(vectors, np.float32)
        ]
        self._link.do(
            lambda transaction: self._writer.put_vectors(transaction, embedder, list(ids), rows)
        )

    # -- forgetting ----------------------------------------------------------------------------

    def erase(self, whose: Whose, *, model: str | None = None, clock: int = 0) -> int:
        count = self._link.do(lambda transaction: erase(transaction, whose, model, clock))
        self._search.forget_matrices()
        if count:
            self._vacuum()
        return count

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        until = moment(before)
        return self._link.do(lambda transaction: expire(transaction, until, max(limit, 0)))

    def keys(self) -> Iterator[Key]:
        last = 0
        while rows := self._link.read(
            "SELECT users.name, model, tenant, conversations.id FROM conversations "
            "JOIN users ON users.id = user_id WHERE conversations.id > %s "
            "ORDER BY conversations.id LIMIT %s",
            *(last, _LISTED_AT_ONCE),
        ):
            yield from _keys(row[:3] for row in rows)
            last = rows[-1][3]

    # -- quarantine ----------------------------------------------------------------------------

    def refuse_embedding(self, embedder: str, id: int, reason: str) -> None:
        self._link.do(
            lambda transaction: refuse(
                transaction, "embed", embedder_of(transaction, embedder), id, reason
            )
        )

    def refuse_compression(self, key: Key, reason: str) -> None:
        def put(transaction: Transaction) -> None:
            found = transaction.row("SELECT id FROM conversations WHERE place = %s", place_of(*key))
            if found is not None:
                refuse(transaction, "compress", 0, found[0], reason)

        self._link.do(put)

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        rows = self._link.read(
            "SELECT quarantine.id, kind, reason, at, users.name, model, tenant FROM quarantine "
            "LEFT JOIN users ON users.id = quarantine.user_id LEFT JOIN conversations "
            "ON conversations.id = conversation_id WHERE NOT discarded "
            "ORDER BY quarantine.id LIMIT %s",
            max(limit, 0),
        )
        return listed(rows)

    def count_quarantined(self) -> int:
        ((count,),) = self._link.read("SELECT count(*) FROM quarantine WHERE NOT discarded")
        return int(count)

    def release(self, id: str) -> bool:
        return id.isdecimal() and self._link.do(lambda transaction: release(transaction, int(id)))

    def discard(self, id: str) -> bool:
        return id.isdecimal() and self._link.do(lambda transaction: discard(transaction, int(id)))

    # -- the rest ------------------------------------------------------------------------------

    @property
    def measure(self) -> Measure:
        return self._measure

    def ping(self) -> None:
        self._link.do(lambda transaction: transaction.do("UPDATE format SET version = version"))

    def close(self) -> None:
        self._link.close()
        self._search.forget_matrices()

    @property
    def _vectors_in_database(self) -> bool:
        if self._in_database is None:
            self._in_database = self._link.do(has_pgvector)
        return self._in_database

    def _prepare(self, transaction: Transaction) -> None:
        prepare(transaction, self._schema, pgvector=self._pgvector, create=self._create)

    def _measure_anew(self, key: Key) -> None:
        self._link.do(lambda transaction: self._writer.measure_again(transaction, key))

    def _vacuum(self) -> None:
        """Let the rows that are gone be overwritten. It is not needed for being right, and the
        server does so by itself sooner or later."""
        try:
            self._link.alone(*(f"VACUUM (SKIP_LOCKED) {table}" for table in TABLES))
        except StoreError as error:
            _log.info("what was erased is not vacuumed yet: %s", error)


def _keys(rows: Iterator[tuple[bytes, ...]] | Sequence[tuple[bytes, ...]]) -> list[Key]:
    return [Key(*map(as_text, row)) for row in rows]
