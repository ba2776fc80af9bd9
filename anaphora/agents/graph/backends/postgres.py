"""A knowledge graph in PostgreSQL, shared by processes on many machines."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from anaphora.agents.graph.backends.backend import GraphBackend, Row, Sql
from anaphora.agents.graph.backends.schema import OWNED_TABLES, build_schema
from anaphora.errors import StoreError
from anaphora.storage.postgres.schema import check_schema_name, upgrade_tables

if TYPE_CHECKING:
    from anaphora.storage.postgres.connection import Transaction

__all__ = ["PostgresBackend"]

_DIALECT = {
    "int": "bigint",
    "text": "text",
    "bytes": "bytea",
    "float": "double precision",
    "identity": "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
    "clustered": "",
}
# User data is kept out of the statistics of the query planner, where erased names would remain
# until the next ANALYZE.
_PRIVATE_COLUMNS = {
    "entities": ("name_key", "name", "words"),
    "relations": ("name",),
    "facts": ("source",),
    "evidence": ("source",),
    "mentions": ("source",),
}
_TYPES: dict[type, str] = {int: "bigint", str: "text", bytes: "bytea", float: "double precision"}
# Each query looks up rows by an index, joined as written. Planning one takes twenty times as long
# as running it (measured: 8 ms and 0.4 ms), so plans are made once.
_PLANNER_SETTINGS = (
    "SET plan_cache_mode = force_generic_plan; SET join_collapse_limit = 1; "
    "SET from_collapse_limit = 1; SET enable_seqscan = off; SET enable_hashjoin = off; "
    "SET enable_mergejoin = off"
)
_INDEX_HINT = re.compile(r" INDEXED BY \w+")
_Result = TypeVar("_Result")
_log = logging.getLogger(__name__)


class PostgresBackend(GraphBackend):
    """The graph in the database at ``url``, in a ``schema`` of its own, which is created on first
    use. An unresponsive server is given up after ``server_timeout`` seconds.

    Erased data is gone for every reader at once; PostgreSQL may keep its bytes on disk until they
    are overwritten, in the write-ahead log until that is recycled, and in backups.

    Raises :class:`~anaphora.errors.StoreError` for an invalid URL, and if the client is not
    installed. The server is contacted on first use.
    """

    def __init__(
        self, url: str, *, schema: str = "anaphora_graph", server_timeout: float = 30.0
    ) -> None:
        check_schema_name(schema)
        try:
            from anaphora.storage.postgres.connection import ConnectionPool
        except ImportError as error:
            raise StoreError(
                "a knowledge graph in PostgreSQL needs its client: pip install 'anaphora[postgres]'"
            ) from error
        self._schema = schema
        self._pool = ConnectionPool(url, prepare=self._prepare, server_timeout=server_timeout)

    def read(self, work: Callable[[Sql], _Result]) -> _Result:
        return self._pool.run(lambda transaction: work(_PostgresSql(transaction)))

    def write(self, work: Callable[[Sql], _Result]) -> _Result:
        return self._pool.run(lambda transaction: work(_PostgresSql(transaction)))

    def reclaim(self) -> None:
        try:
            self._pool.run_outside_transaction(
                *(f"VACUUM (SKIP_LOCKED) {table}" for table in OWNED_TABLES)
            )
        except StoreError as error:
            _log.info("erased rows are not vacuumed yet: %s", error)

    def ping(self) -> None:
        self._pool.query("SELECT 1 FROM owners LIMIT 1")

    def close(self) -> None:
        self._pool.close()

    def _prepare(self, transaction: Transaction) -> None:
        """Prepare a new connection; create or migrate the tables if necessary."""
        schema = self._schema
        transaction.fetch_all(
            "SELECT set_config('search_path', quote_ident(%s::text), false)", schema
        )
        transaction.execute_script(_PLANNER_SETTINGS)
        upgrade_tables(
            transaction,
            schema,
            format_table="graph_format",
            version=len(build_schema(_DIALECT)),
            migrations_after=_migrations,
        )


class _PostgresSql(Sql):
    __slots__ = ("_transaction",)

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def select(self, query: str, *values: Any) -> Sequence[Row]:
        return self._transaction.fetch_all(_to_psycopg(query), *values)

    def select_many(self, query: str, values: Sequence[Row]) -> Sequence[Sequence[Row]]:
        if not values:
            return []
        types = tuple(_TYPES[type(one)] for one in values[0])
        columns = [list(column) for column in zip(*values, strict=True)]
        found: list[list[Row]] = [[] for _ in values]
        for place, *row in self._transaction.fetch_all(_to_lateral(query, types), *columns):
            found[place - 1].append(tuple(row))
        return found

    def execute(self, query: str, *values: Any) -> int:
        return self._transaction.execute(_to_psycopg(query), *values)

    def execute_many(self, query: str, values: Iterable[Row]) -> None:
        self._transaction.execute_many(_to_psycopg(query), values)


@lru_cache(maxsize=256)
def _to_psycopg(query: str) -> str:
    return _INDEX_HINT.sub("", query).replace("?", "%s")


@lru_cache(maxsize=256)
def _to_lateral(query: str, types: tuple[str, ...]) -> str:
    """Return a query that runs ``query`` for each row of the values, in one round trip."""
    numbers = count()
    parts = _INDEX_HINT.sub("", query).split("?")
    body = parts[0] + "".join(f"given.v{next(numbers)}{part}" for part in parts[1:])
    arrays = ", ".join(f"%s::{one}[]" for one in types)
    names = ", ".join(f"v{place}" for place in range(len(types)))
    return (
        f"SELECT given.place, found.* FROM unnest({arrays}) WITH ORDINALITY "
        f"AS given ({names}, place) CROSS JOIN LATERAL ({body}) AS found"
    )


def _migrations(version: int) -> Iterator[str]:
    """Iterate over the scripts that follow a version."""
    if not version:
        yield "CREATE TABLE graph_format (version integer NOT NULL)"
        yield "INSERT INTO graph_format VALUES (0)"
    yield from (";".join(statements) for statements in build_schema(_DIALECT)[version:])
    for table, columns in _PRIVATE_COLUMNS.items():
        changes = ", ".join(f"ALTER COLUMN {column} SET STATISTICS 0" for column in columns)
        yield f"ALTER TABLE {table} {changes}"
