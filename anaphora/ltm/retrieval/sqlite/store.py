"""The recall store in one SQLite file, shared by the processes of one machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any, TypeVar, get_args
from weakref import finalize

import numpy as np

from anaphora.errors import StoreError
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history.measure import WORDS, Measure
from anaphora.ltm.history.working_history import History, HistoryPart, HistorySettings
from anaphora.ltm.ingestion.quarantine import QuarantinedItem
from anaphora.ltm.retrieval.sqlite import erasure as forgetting
from anaphora.ltm.retrieval.sqlite import quarantine
from anaphora.ltm.retrieval.sqlite import queries as reading
from anaphora.ltm.retrieval.sqlite import writer as histories
from anaphora.ltm.retrieval.sqlite.postings import document_frequencies, rank_by_bm25
from anaphora.ltm.retrieval.sqlite.records import (
    EXCHANGE_COLUMNS,
    SUMMARY_COLUMNS,
    DamagedRowsError,
    load_exchange,
    load_summary,
    parse_rows,
    to_microseconds,
)
from anaphora.ltm.retrieval.sqlite.reindexing import reindex
from anaphora.ltm.retrieval.sqlite.schema import APPLICATION, PRAGMAS, SCHEMA
from anaphora.ltm.retrieval.store import (
    Document,
    JournalPosition,
    NewExchange,
    SearchFilter,
    TermStatistics,
    TermUpdate,
    UserKey,
)
from anaphora.ltm.retrieval.vector_cache import VectorCache
from anaphora.stm.conversation import ConversationKey
from anaphora.storage.byte_range_locks import ByteRangeLocks
from anaphora.storage.forks import register_fork_aware
from anaphora.storage.sqlite.database import Database, Synchronous
from anaphora.storage.sqlite.text_encoding import decode_text, encode_text

__all__ = ["SqliteRecallStore"]

_SETUP_TIMEOUT = 60.0  # seconds for it
_BATCH_SIZE = 1_000
_GIBIBYTE = 1 << 30
_DAY = 24 * 60 * 60 * 1_000_000  # microseconds


class SqliteRecallStore:
    """Keeps everything in the SQLite file at ``path``, made private to its owner if it is not
    there; its folder must be.

    ``settings`` say how long working histories may be, ``measure`` in what they are measured.
    With ``synchronous`` "full" what is kept survives a power cut; with "normal" it survives the
    death of a process, and the last moments before a power cut may be lost. Vectors are searched
    in memory, which takes at most ``matrices`` bytes (and those of one user more, if they must).
    A process may fork. See :class:`~anaphora.ltm.retrieval.store.RecallStore` for the methods.

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
            raise StoreError(f"synchronous is full or normal, not '{synchronous}'")
        self._path = Path(os.path.realpath(path))
        self._settings, self._measure = settings, measure
        self._vector_memory = vector_memory
        self._reset_caches()
        self._locks = ByteRangeLocks(
            self._path.with_name(f"{self._path.name}-lock"), permissions_of=self._path
        )
        self._database = Database(
            self._path,
            schema=SCHEMA,
            synchronous=synchronous,
            application=APPLICATION,
            holds="long-term memory",
            pragmas=PRAGMAS,
        )
        register_fork_aware(self)  # no connection to SQLite may cross one
        try:
            self._database.open(
                self._locks, wait=_SETUP_TIMEOUT, after_migration=self._recount_histories
            )
        except BaseException:
            self.close()
            raise
        finalize(self, _close_all, self._database, self._locks)

    # -- what is said --------------------------------------------------------------------------

    def add(self, new: Sequence[NewExchange], *, mark: JournalPosition | None = None) -> None:
        rows = [histories.prepare_exchange(each, self._measure) for each in new]

        def write(connection: Connection) -> None:
            left = forgetting.filter_erased(connection, rows)
            histories.add_exchanges(connection, left, self._settings, self._measure)
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
        values = (encode_text(journal),)
        self._write_transaction(lambda connection: connection.execute(_UNMARK, values))

    # -- the working history -------------------------------------------------------------------

    def history(self, key: ConversationKey) -> History:
        def read(connection: Connection) -> History:
            talk = histories.find_conversation(connection, key)
            if talk is None:
                return History()
            summaries = tuple(histories.load_summaries(connection, talk))
            exchanges = tuple(histories.load_verbatim(connection, talk))
            if talk.measure != encode_text(self._measure.name):
                talk.size = self._measure.total((*summaries, *exchanges))
            return History(summaries, exchanges, talk.size)

        return self._read_snapshot(read)

    def find_oversized(self, limit: int) -> Mapping[ConversationKey, int]:
        values = (encode_text(self._measure.name), self._settings.max_size, limit)
        found = self._database.read(_OVERSIZED, values)
        return {key: size for size, *names in found for key in _read_keys(names)}

    def compress(
        self, key: ConversationKey, replaced: Sequence[HistoryPart], by: Sequence[Summary]
    ) -> bool:
        return self._write_transaction(
            lambda connection: histories.replace_parts(connection, key, replaced, by, self._measure)
        )

    def summary(self, key: ConversationKey, id: int) -> Summary | None:
        def find(connection: Connection) -> Summary | None:
            talk = histories.find_conversation(connection, key)
            rows = connection.execute(_SUMMARY, (id, talk.id)) if talk else ()
            return next(iter(parse_rows("summary", rows, load_summary)), None)

        return self._read_snapshot(find)

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: ConversationKey, *, first: int, last: int) -> Sequence[Exchange]:
        return self._exchanges(key, _RANGE, first, last)

    def latest(self, key: ConversationKey, limit: int) -> Sequence[Exchange]:
        return self._exchanges(key, _LATEST, limit)

    def fetch(
        self, user_key: UserKey, ids: Sequence[int]
    ) -> Mapping[int, tuple[ConversationKey, Exchange]]:
        def fetch(connection: Connection) -> Mapping[int, tuple[ConversationKey, Exchange]]:
            owner = reading.find_owner(connection, user_key)
            rows = reading.select_in_batches(connection, _FETCH, owner.id, ids) if owner else []
            exchanges = parse_rows(
                "exchange", [(id, *each) for id, _, *each in rows], load_exchange
            )
            found = {
                id: (ConversationKey(user_key.user, decode_text(model), user_key.tenant), exchange)
                for (id, model, *_), exchange in zip(rows, exchanges, strict=True)
            }
            return {id: found[id] for id in ids if id in found}

        return self._read_snapshot(fetch)

    def list_ids(
        self, user_key: UserKey, filters: SearchFilter, *, skip: int, limit: int
    ) -> Sequence[int]:
        with self._database.snapshot() as connection:
            owner = reading.find_owner(connection, user_key)
            if owner is None:
                return []
            where, values = reading.build_conditions(owner.id, filters)
            rows = connection.execute(
                f"SELECT id FROM exchanges WHERE {where} AND terms <> '' "
                "ORDER BY at DESC, clock DESC, id DESC LIMIT ? OFFSET ?",
                (*values, limit, skip),
            ).fetchall()
        return [id for (id,) in rows]

    # -- searching -----------------------------------------------------------------------------

    def statistics(self, user_key: UserKey, terms: Sequence[str]) -> TermStatistics:
        with self._database.snapshot() as connection:
            owner = reading.find_owner(connection, user_key)
            known = document_frequencies(connection, owner, terms) if owner else {}
        frequency = {term: known.get(term, 0) for term in terms}
        if owner is None:
            return TermStatistics(0, 0.0, frequency)
        return TermStatistics(owner.documents, owner.length / owner.documents, frequency)

    def find_matching(
        self, user_key: UserKey, terms: Sequence[str], filters: SearchFilter, limit: int
    ) -> Sequence[Document]:
        with self._database.snapshot() as connection:
            owner = reading.find_owner(connection, user_key)
            if owner is None:
                return []
            ids = rank_by_bm25(
                connection,
                owner,
                terms,
                reading.find_filtered_ids(connection, owner, filters),
                limit,
            )
            return reading.load_documents(connection, owner.id, ids)

    def with_neighbours(self, documents: Sequence[Document], reach: int) -> Sequence[Document]:
        with self._database.snapshot() as connection:
            return reading.load_neighbours(connection, documents, reach)

    def documents(self, user_key: UserKey, ids: Sequence[int]) -> Sequence[Document]:
        with self._database.snapshot() as connection:
            owner = reading.find_owner(connection, user_key)
            return reading.load_documents(connection, owner.id, ids) if owner else []

    def find_nearest(
        self, user_key: UserKey, embedder: str, vector: Vectors, filters: SearchFilter, limit: int
    ) -> Sequence[tuple[int, float]]:
        with self._database.snapshot() as connection:
            owner = reading.find_owner(connection, user_key)
            found = reading.find_embedder(connection, embedder)
            if owner is None or found is None:
                return []
            id, dimension = found
            reading.check_dimension(embedder, dimension, vector.shape[-1])
            matrix = self._vector_cache.get((owner.id, id), dimension)
            with matrix.lock:
                reading.update_matrix(matrix, connection, owner, id)
            ids = reading.find_filtered_ids(connection, owner, filters)
        self._vector_cache.trim()
        return matrix.find_nearest(vector, limit, ids)

    def find_outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        def find(connection: Connection) -> list[tuple[int, Exchange]]:
            rows = connection.execute(_OUTDATED, (version, limit)).fetchall()
            return list(
                zip(
                    [id for id, *_ in rows],
                    parse_rows("exchange", rows, load_exchange),
                    strict=True,
                )
            )

        return self._read_snapshot(find)

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        self._write_transaction(lambda connection: reindex(connection, version, exchanges))

    # -- vectors -------------------------------------------------------------------------------

    def find_unembedded(
        self, embedder: str, limit: int
    ) -> Sequence[tuple[int, Sequence[Exchange]]]:
        begin = self._embedded_up_to.get(embedder, 0)

        def find(connection: Connection) -> tuple[list[tuple[int, Sequence[Exchange]]], int]:
            found = reading.find_embedder(connection, embedder)
            number = found[0] if found else None
            values = (begin, number, encode_text(embedder), limit)
            rows = connection.execute(_UNEMBEDDED, values).fetchall()
            again = connection.execute(_EMBED_AGAIN, (encode_text(embedder), limit)).fetchall()
            (last,) = connection.execute("SELECT max(id) FROM exchanges").fetchone()
            pairs: list[tuple[int, Sequence[Exchange]]] = [
                (id, parse_rows("exchange", connection.execute(_PAIR, values), load_exchange))
                for id, talk, number in dict.fromkeys((*rows, *again))
                for values in ((talk, talk, number, number),)
            ]
            return pairs, rows[0][0] - 1 if rows else last or 0

        waiting, done = self._read_snapshot(find)
        # Nothing up to here will ever be without a vector again, for ids only grow.
        self._embedded_up_to[embedder] = done
        return waiting[:limit]

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        data = np.ascontiguousarray(vectors, dtype="<f4")
        rows = [(id, data[place].tobytes()) for place, id in enumerate(ids)]

        def write(connection: Connection) -> None:
            found = reading.find_embedder(connection, embedder)
            if found is None:
                connection.execute(_ADD_EMBEDDER, (encode_text(embedder), data.shape[-1]))
                found = reading.find_embedder(connection, embedder)
            assert found is not None
            reading.check_dimension(embedder, found[1], data.shape[-1])
            for id, vector in rows:
                reading.put_vector(connection, found[0], id, vector)
                connection.execute(_EMBEDDED, (id, encode_text(embedder)))

        if rows:
            self._database.write(write)

    # -- forgetting ----------------------------------------------------------------------------

    def erase(self, user_key: UserKey, *, model: str | None = None, clock: int = 0) -> int:
        """As the contract says. The file is made anew without what was erased, which takes as
        long as copying it, and other writers wait meanwhile.

        Should that fail, the :class:`StoreError` says so: then searches find nothing more, and
        another call makes the file anew.
        """
        erased = self._write_transaction(
            lambda connection: forgetting.erase_user(
                connection, user_key, model, clock, self._measure
            )
        )
        self._vector_cache.clear()
        self._scrub_if_due()
        return erased

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        """As the contract says. The file is made anew without what is gone when nothing more is
        too old, but not twice within a day."""
        time = to_microseconds(before)
        gone = self._write_transaction(
            lambda connection: forgetting.expire_exchanges(connection, time, limit, self._measure)
        )
        if gone < limit:
            self._scrub_if_due(now=time)
        return gone

    def keys(self) -> Iterator[ConversationKey]:
        last = 0
        while rows := self._database.read(_KEYS, (last,)):
            for _, *names in rows:
                yield from _read_keys(names)
            last = rows[-1][0]

    # -- quarantine ----------------------------------------------------------------------------

    def quarantine_embedding(self, embedder: str, id: int, reason: str) -> None:
        name = encode_text(embedder)
        self._write_transaction(
            lambda connection: quarantine.quarantine_item(connection, "embed", name, id, reason)
        )

    def quarantine_compression(self, key: ConversationKey, reason: str) -> None:
        def refuse(connection: Connection) -> None:
            talk = histories.find_conversation(connection, key)
            if talk is not None:
                quarantine.quarantine_item(connection, "compress", -1, talk.id, reason)

        self._write_transaction(refuse)

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        with self._database.snapshot() as connection:
            return quarantine.list_items(connection, limit)

    def count_quarantined(self) -> int:
        ((count,),) = self._database.read("SELECT count(*) FROM quarantine WHERE state = 0")
        return int(count)

    def release(self, id: str) -> bool:
        return id.isdecimal() and self._write_transaction(
            lambda connection: quarantine.release_item(connection, int(id), self._measure)
        )

    def discard(self, id: str) -> bool:
        return id.isdecimal() and self._write_transaction(
            lambda connection: quarantine.discard_item(connection, int(id))
        )

    # -- the rest ------------------------------------------------------------------------------

    @property
    def measure(self) -> Measure:
        return self._measure

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
        """Go on without what the threads of the parent hold."""
        self._reset_caches()
        self._locks.resume_in_child()
        self._database.resume_in_child()

    def _reset_caches(self) -> None:
        self._vector_cache = VectorCache(self._vector_memory)
        self._embedded_up_to: dict[str, int] = {}  # up to which id all exchanges have vectors

    def _recount_histories(self) -> None:
        """Count the histories anew that were measured in something else."""
        name = encode_text(self._measure.name)
        last = 0
        while rows := self._database.read(_OTHER_MEASURE, (name, name, last)):

            def recount(connection: Connection, rows: list[Any] = rows) -> None:
                for (id,) in rows:
                    talk = histories.load_conversation(connection, id)
                    if talk is not None:
                        histories.recount_size(connection, talk, self._measure)
                        histories.save_conversation(connection, talk)

            self._database.write(recount)
            ((last,),) = rows[-1:]

    def _scrub_if_due(self, now: int | None = None) -> None:
        """Make the file anew if something was deleted from it; if the time is given, only after
        a day without that."""
        ((due, last),) = self._database.read("SELECT due, last FROM scrubbing")
        if due <= 0 or (now is not None and last is not None and abs(now - last) < _DAY):
            return
        try:
            self._database.scrub()
        except StoreError as error:
            raise StoreError(
                f"it is erased, but the file may still hold copies of it: {error}; then erase again"
            ) from error
        # What another has deleted meanwhile is still due.
        self._write_transaction(lambda connection: connection.execute(_SCRUBBED, (due, now)))

    def _exchanges(self, key: ConversationKey, query: str, *values: int) -> list[Exchange]:
        def find(connection: Connection) -> list[Exchange]:
            talk = histories.find_conversation(connection, key)
            rows = connection.execute(query, (talk.id, *values)) if talk else ()
            return parse_rows("exchange", rows, load_exchange)

        return self._read_snapshot(find)

    def _read_snapshot(self, work: Callable[[Connection], _Result]) -> _Result:
        """Read in a snapshot. Rows that turn out to be damaged are put in quarantine, and it is
        done again without them."""
        while True:
            try:
                with self._database.snapshot() as connection:
                    return work(connection)
            except DamagedRowsError as damage:
                self._quarantine_rows(damage)

    def _quarantine_rows(self, damage: DamagedRowsError) -> None:
        self._database.write(
            lambda connection: quarantine.quarantine_rows(connection, damage, self._measure)
        )

    def _write_transaction(self, work: Callable[[Connection], _Result]) -> _Result:
        """Do the work in a transaction; what it gave the last time that it was done."""
        results: list[_Result] = []
        while True:
            try:
                self._database.write(lambda connection: results.append(work(connection)))
            except DamagedRowsError as damage:
                self._quarantine_rows(damage)
            else:
                return results[-1]


_Result = TypeVar("_Result")

_OF_KEY = "o.tenant, o.user, c.model FROM conversations c JOIN owners o ON o.id = c.owner"
_OVERSIZED = (
    f"SELECT c.size, {_OF_KEY} WHERE c.measure = ? AND c.size > ? AND NOT EXISTS (SELECT 1 FROM "
    "quarantine q WHERE q.kind = 'compress' AND q.source = c.id) LIMIT ?"
)
_OTHER_MEASURE = (
    "SELECT id FROM conversations WHERE (measure < ? OR measure > ?) AND id > ? "
    f"ORDER BY id LIMIT {_BATCH_SIZE}"
)
_KEYS = (
    "SELECT c.id, o.tenant, o.user, c.model FROM conversations c JOIN owners o ON o.id = c.owner "
    f"WHERE c.id > ? ORDER BY c.id LIMIT {_BATCH_SIZE}"
)
_UNMARK = "DELETE FROM marks WHERE journal = ?"
_SUMMARY = f"SELECT id, {SUMMARY_COLUMNS} FROM summaries WHERE id = ? AND conversation = ?"
_RANGE = (
    f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE conversation = ? AND number "
    "BETWEEN ? AND ? ORDER BY number"
)
_OUTDATED = (
    f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE terms_version < ? ORDER BY id DESC LIMIT ?"
)
_LATEST = (
    f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE conversation = ? "
    "ORDER BY number DESC LIMIT ?"
)
_PAIR = (
    f"SELECT id, {EXCHANGE_COLUMNS} FROM exchanges WHERE conversation = ? AND number >= coalesce("
    "(SELECT max(number) FROM exchanges WHERE conversation = ? AND number < ?), 0) "
    "AND number <= ? ORDER BY number"
)
_FETCH = (
    f"SELECT id, (SELECT model FROM conversations c WHERE c.id = conversation), {EXCHANGE_COLUMNS} "
    "FROM exchanges WHERE +owner = ? AND id IN ({})"
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
_ADD_EMBEDDER = "INSERT INTO embedders (name, dimension) VALUES (?, ?)"


def _read_keys(names: Sequence[Any]) -> Iterator[ConversationKey]:
    """The conversation of these names; none if they are damaged."""
    try:
        tenant, user, model = map(decode_text, names)
    except (AttributeError, UnicodeDecodeError):
        return
    yield ConversationKey(user, model, tenant)


def _close_all(database: Database, locks: ByteRangeLocks) -> None:
    database.close()
    locks.close()
