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
from anaphora.ltm.counting import WORDS, Measure
from anaphora.ltm.embedders.embedder import Vectors
from anaphora.ltm.exchange import Exchange, Summary
from anaphora.ltm.history import History, HistorySettings, Part
from anaphora.ltm.quarantine import QuarantinedItem
from anaphora.ltm.recall import sqlite_forgetting as forgetting
from anaphora.ltm.recall import sqlite_histories as histories
from anaphora.ltm.recall import sqlite_quarantine as quarantine
from anaphora.ltm.recall import sqlite_reading as reading
from anaphora.ltm.recall.sqlite_postings import best, frequencies
from anaphora.ltm.recall.sqlite_records import (
    EXCHANGE,
    SUMMARY,
    DamagedRows,
    exchange_of,
    from_time,
    parsed,
    summary_of,
)
from anaphora.ltm.recall.sqlite_reindexing import reindex
from anaphora.ltm.recall.sqlite_schema import APPLICATION, PRAGMAS, SCHEMA
from anaphora.ltm.recall.store import (
    Among,
    Document,
    Mark,
    New,
    Statistics,
    TermUpdate,
    Whose,
)
from anaphora.ltm.recall.vectors import Matrices
from anaphora.stm.conversation import Key
from anaphora.storage.database import Database, Synchronous
from anaphora.storage.filelocks import FileLocks
from anaphora.storage.forks import follow_forks
from anaphora.storage.texts import kept, read

__all__ = ["SqliteRecallStore"]

_WAIT = 60.0  # seconds for it
_LISTED_AT_ONCE = 1_000
_GIBIBYTE = 1 << 30
_DAY = 24 * 60 * 60 * 1_000_000  # microseconds


class SqliteRecallStore:
    """Keeps everything in the SQLite file at ``path``, made private to its owner if it is not
    there; its folder must be.

    ``settings`` say how long working histories may be, ``measure`` in what they are measured.
    With ``synchronous`` "full" what is kept survives a power cut; with "normal" it survives the
    death of a process, and the last moments before a power cut may be lost. Vectors are searched
    in memory, which takes at most ``matrices`` bytes (and those of one user more, if they must).
    A process may fork. See :class:`~anaphora.ltm.recall.store.RecallStore` for the methods.

    Raises :class:`StoreError` if the file cannot be used.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        settings: HistorySettings,
        measure: Measure = WORDS,
        synchronous: Synchronous = "full",
        matrices: int = _GIBIBYTE,
    ) -> None:
        if synchronous not in get_args(Synchronous):
            raise StoreError(f"synchronous is full or normal, not '{synchronous}'")
        self._path = Path(os.path.realpath(path))
        self._settings, self._measure = settings, measure
        self._most = matrices
        self._forget_what_is_known()
        self._locks = FileLocks(self._path.with_name(f"{self._path.name}-lock"), like=self._path)
        self._database = Database(
            self._path,
            schema=SCHEMA,
            synchronous=synchronous,
            application=APPLICATION,
            holds="long-term memory",
            pragmas=PRAGMAS,
        )
        follow_forks(self)  # no connection to SQLite may cross one
        try:
            self._database.set_up(self._locks, wait=_WAIT, then=self._recount)
        except BaseException:
            self.close()
            raise
        finalize(self, _close, self._database, self._locks)

    # -- what is said --------------------------------------------------------------------------

    def add(self, new: Sequence[New], *, mark: Mark | None = None) -> None:
        rows = [histories.prepare(each, self._measure) for each in new]

        def write(connection: Connection) -> None:
            left = forgetting.not_erased(connection, rows)
            histories.add(connection, left, self._settings, self._measure)
            if mark is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO marks (journal, position) VALUES (?, ?)",
                    (kept(mark.journal), mark.position),
                )

        self._database.write(write)

    def clock(self) -> int:
        ((clock,),) = self._database.read(
            "SELECT max(coalesce((SELECT max(at) FROM erasures), 0), "
            "coalesce((SELECT max(clock) FROM conversations), 0))"
        )
        return int(clock)

    def marked(self, journal: str) -> int:
        rows = self._database.read("SELECT position FROM marks WHERE journal = ?", (kept(journal),))
        return rows[0][0] if rows else 0

    def unmark(self, journal: str) -> None:
        values = (kept(journal),)
        self._write(lambda connection: connection.execute(_UNMARK, values))

    # -- the working history -------------------------------------------------------------------

    def history(self, key: Key) -> History:
        def read(connection: Connection) -> History:
            talk = histories.talk_of(connection, key)
            if talk is None:
                return History()
            summaries = tuple(histories.summaries_of(connection, talk))
            exchanges = tuple(histories.verbatim_of(connection, talk))
            if talk.measure != kept(self._measure.name):
                talk.size = self._measure.total((*summaries, *exchanges))
            return History(summaries, exchanges, talk.size)

        return self._snapshot(read)

    def oversized(self, limit: int) -> Mapping[Key, int]:
        values = (kept(self._measure.name), self._settings.max_size, limit)
        found = self._database.read(_OVERSIZED, values)
        return {key: size for size, *names in found for key in _keys(names)}

    def compress(self, key: Key, replaced: Sequence[Part], by: Sequence[Summary]) -> bool:
        return self._write(
            lambda connection: histories.replace_parts(connection, key, replaced, by, self._measure)
        )

    def summary(self, key: Key, id: int) -> Summary | None:
        def find(connection: Connection) -> Summary | None:
            talk = histories.talk_of(connection, key)
            rows = connection.execute(_SUMMARY, (id, talk.id)) if talk else ()
            return next(iter(parsed("summary", rows, summary_of)), None)

        return self._snapshot(find)

    # -- reading -------------------------------------------------------------------------------

    def exchanges(self, key: Key, *, first: int, last: int) -> Sequence[Exchange]:
        return self._exchanges(key, _RANGE, first, last)

    def latest(self, key: Key, limit: int) -> Sequence[Exchange]:
        return self._exchanges(key, _LATEST, limit)

    def fetch(self, whose: Whose, ids: Sequence[int]) -> Mapping[int, tuple[Key, Exchange]]:
        def fetch(connection: Connection) -> Mapping[int, tuple[Key, Exchange]]:
            owner = reading.owner_of(connection, whose)
            rows = reading.rows_of(connection, _FETCH, owner.id, ids) if owner else []
            exchanges = parsed("exchange", [(id, *each) for id, _, *each in rows], exchange_of)
            found = {
                id: (Key(whose.user, read(model), whose.tenant), exchange)
                for (id, model, *_), exchange in zip(rows, exchanges, strict=True)
            }
            return {id: found[id] for id in ids if id in found}

        return self._snapshot(fetch)

    def listed(self, whose: Whose, among: Among, *, skip: int, limit: int) -> Sequence[int]:
        with self._database.snapshot() as connection:
            owner = reading.owner_of(connection, whose)
            if owner is None:
                return []
            where, values = reading.conditions(owner.id, among)
            rows = connection.execute(
                f"SELECT id FROM exchanges WHERE {where} AND terms <> '' "
                "ORDER BY at DESC, clock DESC, id DESC LIMIT ? OFFSET ?",
                (*values, limit, skip),
            ).fetchall()
        return [id for (id,) in rows]

    # -- searching -----------------------------------------------------------------------------

    def statistics(self, whose: Whose, terms: Sequence[str]) -> Statistics:
        with self._database.snapshot() as connection:
            owner = reading.owner_of(connection, whose)
            known = frequencies(connection, owner, terms) if owner else {}
        frequency = {term: known.get(term, 0) for term in terms}
        if owner is None:
            return Statistics(0, 0.0, frequency)
        return Statistics(owner.documents, owner.length / owner.documents, frequency)

    def matching(
        self, whose: Whose, terms: Sequence[str], among: Among, limit: int
    ) -> Sequence[Document]:
        with self._database.snapshot() as connection:
            owner = reading.owner_of(connection, whose)
            if owner is None:
                return []
            ids = best(connection, owner, terms, reading.ids_among(connection, owner, among), limit)
            return reading.documents_of(connection, owner.id, ids)

    def around(self, documents: Sequence[Document], reach: int) -> Sequence[Document]:
        with self._database.snapshot() as connection:
            return reading.documents_around(connection, documents, reach)

    def documents(self, whose: Whose, ids: Sequence[int]) -> Sequence[Document]:
        with self._database.snapshot() as connection:
            owner = reading.owner_of(connection, whose)
            return reading.documents_of(connection, owner.id, ids) if owner else []

    def nearest(
        self, whose: Whose, embedder: str, vector: Vectors, among: Among, limit: int
    ) -> Sequence[tuple[int, float]]:
        with self._database.snapshot() as connection:
            owner = reading.owner_of(connection, whose)
            found = reading.embedder_of(connection, embedder)
            if owner is None or found is None:
                return []
            id, dimension = found
            reading.check_dimension(embedder, dimension, vector.shape[-1])
            matrix = self._matrices.of((owner.id, id), dimension)
            with matrix.lock:
                reading.read_into(matrix, connection, owner, id)
            ids = reading.ids_among(connection, owner, among)
        self._matrices.trim()
        return matrix.nearest(vector, limit, ids)

    def outdated(self, version: int, limit: int) -> Sequence[tuple[int, Exchange]]:
        def find(connection: Connection) -> list[tuple[int, Exchange]]:
            rows = connection.execute(_OUTDATED, (version, limit)).fetchall()
            return list(
                zip([id for id, *_ in rows], parsed("exchange", rows, exchange_of), strict=True)
            )

        return self._snapshot(find)

    def reindex(self, version: int, exchanges: Sequence[TermUpdate]) -> None:
        self._write(lambda connection: reindex(connection, version, exchanges))

    # -- vectors -------------------------------------------------------------------------------

    def unembedded(self, embedder: str, limit: int) -> Sequence[tuple[int, Sequence[Exchange]]]:
        begin = self._embedded.get(embedder, 0)

        def find(connection: Connection) -> tuple[list[tuple[int, Sequence[Exchange]]], int]:
            found = reading.embedder_of(connection, embedder)
            number = found[0] if found else None
            values = (begin, number, kept(embedder), limit)
            rows = connection.execute(_UNEMBEDDED, values).fetchall()
            again = connection.execute(_EMBED_AGAIN, (kept(embedder), limit)).fetchall()
            (last,) = connection.execute("SELECT max(id) FROM exchanges").fetchone()
            pairs: list[tuple[int, Sequence[Exchange]]] = [
                (id, parsed("exchange", connection.execute(_PAIR, values), exchange_of))
                for id, talk, number in dict.fromkeys((*rows, *again))
                for values in ((talk, talk, number, number),)
            ]
            return pairs, rows[0][0] - 1 if rows else last or 0

        waiting, done = self._snapshot(find)
        # Nothing up to here will ever be without a vector again, for ids only grow.
        self._embedded[embedder] = done
        return waiting[:limit]

    def put_vectors(self, embedder: str, ids: Sequence[int], vectors: Vectors) -> None:
        data = np.ascontiguousarray(vectors, dtype="<f4")
        rows = [(id, data[place].tobytes()) for place, id in enumerate(ids)]

        def write(connection: Connection) -> None:
            found = reading.embedder_of(connection, embedder)
            if found is None:
                connection.execute(_ADD_EMBEDDER, (kept(embedder), data.shape[-1]))
                found = reading.embedder_of(connection, embedder)
            assert found is not None
            reading.check_dimension(embedder, found[1], data.shape[-1])
            for id, vector in rows:
                reading.put_vector(connection, found[0], id, vector)
                connection.execute(_EMBEDDED, (id, kept(embedder)))

        if rows:
            self._database.write(write)

    # -- forgetting ----------------------------------------------------------------------------

    def erase(self, whose: Whose, *, model: str | None = None, clock: int = 0) -> int:
        """As the contract says. The file is made anew without what was erased, which takes as
        long as copying it, and other writers wait meanwhile.

        Should that fail, the :class:`StoreError` says so: then searches find nothing more, and
        another call makes the file anew.
        """
        erased = self._write(
            lambda connection: forgetting.erase(connection, whose, model, clock, self._measure)
        )
        self._matrices.clear()
        self._scrub_if_due()
        return erased

    def expire(self, before: datetime, *, limit: int = 1_000) -> int:
        """As the contract says. The file is made anew without what is gone when nothing more is
        too old, but not twice within a day."""
        time = from_time(before)
        gone = self._write(
            lambda connection: forgetting.expire(connection, time, limit, self._measure)
        )
        if gone < limit:
            self._scrub_if_due(now=time)
        return gone

    def keys(self) -> Iterator[Key]:
        last = 0
        while rows := self._database.read(_KEYS, (last,)):
            for _, *names in rows:
                yield from _keys(names)
            last = rows[-1][0]

    # -- quarantine ----------------------------------------------------------------------------

    def refuse_embedding(self, embedder: str, id: int, reason: str) -> None:
        name = kept(embedder)
        self._write(lambda connection: quarantine.refuse(connection, "embed", name, id, reason))

    def refuse_compression(self, key: Key, reason: str) -> None:
        def refuse(connection: Connection) -> None:
            talk = histories.talk_of(connection, key)
            if talk is not None:
                quarantine.refuse(connection, "compress", -1, talk.id, reason)

        self._write(refuse)

    def quarantined(self, limit: int) -> Sequence[QuarantinedItem]:
        with self._database.snapshot() as connection:
            return quarantine.listed(connection, limit)

    def count_quarantined(self) -> int:
        ((count,),) = self._database.read("SELECT count(*) FROM quarantine WHERE state = 0")
        return int(count)

    def release(self, id: str) -> bool:
        return id.isdecimal() and self._write(
            lambda connection: quarantine.release(connection, int(id), self._measure)
        )

    def discard(self, id: str) -> bool:
        return id.isdecimal() and self._write(
            lambda connection: quarantine.discard(connection, int(id))
        )

    # -- the rest ------------------------------------------------------------------------------

    @property
    def measure(self) -> Measure:
        return self._measure

    def ping(self) -> None:
        self._database.ping()

    def close(self) -> None:
        _close(self._database, self._locks)
        self._matrices.clear()

    def before_fork(self) -> None:
        self._database.pause()
        self._locks.pause()

    def after_fork(self) -> None:
        self._locks.resume()
        self._database.resume()

    def after_fork_in_child(self) -> None:
        """Go on without what the threads of the parent hold."""
        self._forget_what_is_known()
        self._locks.resume_in_child()
        self._database.resume_in_child()

    def _forget_what_is_known(self) -> None:
        self._matrices = Matrices(self._most)
        self._embedded: dict[str, int] = {}  # up to which id all exchanges have vectors

    def _recount(self) -> None:
        """Count the histories anew that were measured in something else."""
        name = kept(self._measure.name)
        last = 0
        while rows := self._database.read(_OTHERWISE_MEASURED, (name, name, last)):

            def recount(connection: Connection, rows: list[Any] = rows) -> None:
                for (id,) in rows:
                    talk = histories.talk_by_id(connection, id)
                    if talk is not None:
                        histories.recount(connection, talk, self._measure)
                        histories.save(connection, talk)

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
        self._write(lambda connection: connection.execute(_SCRUBBED, (due, now)))

    def _exchanges(self, key: Key, query: str, *values: int) -> list[Exchange]:
        def find(connection: Connection) -> list[Exchange]:
            talk = histories.talk_of(connection, key)
            rows = connection.execute(query, (talk.id, *values)) if talk else ()
            return parsed("exchange", rows, exchange_of)

        return self._snapshot(find)

    def _snapshot(self, work: Callable[[Connection], _Result]) -> _Result:
        """Read in a snapshot. Rows that turn out to be damaged are put in quarantine, and it is
        done again without them."""
        while True:
            try:
                with self._database.snapshot() as connection:
                    return work(connection)
            except DamagedRows as damage:
                self._put_aside(damage)

    def _put_aside(self, damage: DamagedRows) -> None:
        self._database.write(lambda connection: quarantine.move(connection, damage, self._measure))

    def _write(self, work: Callable[[Connection], _Result]) -> _Result:
        """Do the work in a transaction; what it gave the last time that it was done."""
        results: list[_Result] = []
        while True:
            try:
                self._database.write(lambda connection: results.append(work(connection)))
            except DamagedRows as damage:
                self._put_aside(damage)
            else:
                return results[-1]


_Result = TypeVar("_Result")

_OF_KEY = "o.tenant, o.user, c.model FROM conversations c JOIN owners o ON o.id = c.owner"
_OVERSIZED = (
    f"SELECT c.size, {_OF_KEY} WHERE c.measure = ? AND c.size > ? AND NOT EXISTS (SELECT 1 FROM "
    "quarantine q WHERE q.kind = 'compress' AND q.source = c.id) LIMIT ?"
)
_OTHERWISE_MEASURED = (
    "SELECT id FROM conversations WHERE (measure < ? OR measure > ?) AND id > ? "
    f"ORDER BY id LIMIT {_LISTED_AT_ONCE}"
)
_KEYS = (
    "SELECT c.id, o.tenant, o.user, c.model FROM conversations c JOIN owners o ON o.id = c.owner "
    f"WHERE c.id > ? ORDER BY c.id LIMIT {_LISTED_AT_ONCE}"
)
_UNMARK = "DELETE FROM marks WHERE journal = ?"
_SUMMARY = f"SELECT id, {SUMMARY} FROM summaries WHERE id = ? AND conversation = ?"
_RANGE = (
    f"SELECT id, {EXCHANGE} FROM exchanges WHERE conversation = ? AND number BETWEEN ? AND ? "
    "ORDER BY number"
)
_OUTDATED = f"SELECT id, {EXCHANGE} FROM exchanges WHERE terms_version < ? ORDER BY id DESC LIMIT ?"
_LATEST = (
    f"SELECT id, {EXCHANGE} FROM exchanges WHERE conversation = ? ORDER BY number DESC LIMIT ?"
)
_PAIR = (
    f"SELECT id, {EXCHANGE} FROM exchanges WHERE conversation = ? AND number >= coalesce("
    "(SELECT max(number) FROM exchanges WHERE conversation = ? AND number < ?), 0) "
    "AND number <= ? ORDER BY number"
)
_FETCH = (
    f"SELECT id, (SELECT model FROM conversations c WHERE c.id = conversation), {EXCHANGE} "
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


def _keys(names: Sequence[Any]) -> Iterator[Key]:
    """The conversation of these names; none if they are damaged."""
    try:
        tenant, user, model = map(read, names)
    except (AttributeError, UnicodeDecodeError):
        return
    yield Key(user, model, tenant)


def _close(database: Database, locks: FileLocks) -> None:
    database.close()
    locks.close()
