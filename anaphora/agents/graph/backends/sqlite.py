"""A knowledge graph in one SQLite file, shared by the processes of one machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from sqlite3 import Connection
from typing import Any, TypeVar
from weakref import finalize

from anaphora.agents.graph.backends.backend import GraphBackend, Row, Sql
from anaphora.agents.graph.backends.schema import build_schema
from anaphora.storage.byte_range_locks import ByteRangeLocks
from anaphora.storage.forks import register_fork_aware
from anaphora.storage.sqlite.applications import KNOWLEDGE_GRAPH
from anaphora.storage.sqlite.database import Database, Synchronous

__all__ = ["SqliteBackend"]

_SETUP_TIMEOUT = 60.0  # seconds
_PRAGMAS = ("cache_size = -16000",)
_DIALECT = {
    "int": "INTEGER",
    "text": "TEXT",
    "bytes": "BLOB",
    "float": "REAL",
    "identity": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "clustered": "WITHOUT ROWID",
}
_Result = TypeVar("_Result")


class SqliteBackend(GraphBackend):
    """The graph in the file at ``path``, which is created private to its owner; its folder must
    exist. With ``synchronous`` "full", what was added survives a power cut. A process may fork.

    Raises :class:`~anaphora.errors.StoreError` if the file cannot be used.
    """

    def __init__(self, path: str | Path, *, synchronous: Synchronous = "full") -> None:
        path = Path(os.path.realpath(path))
        self._locks = ByteRangeLocks(path.with_name(f"{path.name}-lock"), permissions_of=path)
        self._database = Database(
            path,
            schema=build_schema(_DIALECT),
            synchronous=synchronous,
            application=KNOWLEDGE_GRAPH,
            holds="knowledge graph",
            pragmas=_PRAGMAS,
        )
        register_fork_aware(self)  # SQLite connections must not cross a fork
        try:
            self._database.open(self._locks, wait=_SETUP_TIMEOUT)
        except BaseException:
            self.close()
            raise
        finalize(self, _close, self._database, self._locks)

    def read(self, work: Callable[[Sql], _Result]) -> _Result:
        with self._database.snapshot() as connection:
            return work(_SqliteSql(connection))

    def write(self, work: Callable[[Sql], _Result]) -> _Result:
        results: list[_Result] = []
        self._database.write(lambda connection: results.append(work(_SqliteSql(connection))))
        return results[-1]

    def reclaim(self) -> None:
        self._database.scrub()

    def ping(self) -> None:
        self._database.ping()
        self._locks.check()

    def close(self) -> None:
        _close(self._database, self._locks)

    def before_fork(self) -> None:
        self._database.pause()
        self._locks.pause()

    def after_fork(self) -> None:
        self._locks.resume()
        self._database.resume()

    def after_fork_in_child(self) -> None:
        self._locks.resume_in_child()
        self._database.resume_in_child()


class _SqliteSql(Sql):
    __slots__ = ("_connection",)

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def select(self, query: str, *values: Any) -> Sequence[Row]:
        return self._connection.execute(query, values).fetchall()

    def select_many(self, query: str, values: Sequence[Row]) -> Sequence[Sequence[Row]]:
        execute = self._connection.execute
        return [execute(query, row).fetchall() for row in values]

    def execute(self, query: str, *values: Any) -> int:
        return self._connection.execute(query, values).rowcount

    def execute_many(self, query: str, values: Iterable[Row]) -> None:
        self._connection.executemany(query, values)


def _close(database: Database, locks: ByteRangeLocks) -> None:
    database.close()
    locks.close()
