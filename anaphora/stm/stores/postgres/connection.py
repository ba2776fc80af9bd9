"""Statements to a PostgreSQL server, repeated while it is not available."""

from __future__ import annotations

import time
from random import uniform

from anaphora.errors import UnconfirmedError
from anaphora.stm.stores.postgres.schema import prepare_schema, render_statement
from anaphora.storage.postgres.connection import ConnectionPool, Row, Transaction, UnavailableError
from anaphora.storage.postgres.schema import check_schema_name, quote_identifier

__all__ = ["PostgresConnection"]

_SERVER_TIMEOUT = 15.0  # seconds, longer than functions wait for a row
_FIRST_PAUSE, _LONGEST_PAUSE = 0.005, 0.25


class PostgresConnection:
    """Runs statements in the database at ``url``, from any thread and also after a fork.

    If a connection is lost or the server restarts, it retries for ``patience`` seconds (unless it
    has never connected), so statements may run twice. Each is a transaction of its own, and none
    depends on its session. ``{schema}`` in a statement is the schema, which is created on first
    use. Raises :class:`~anaphora.errors.StoreError` for an invalid URL and for every failure.
    """

    def __init__(self, url: str, *, schema: str, patience: float) -> None:
        check_schema_name(schema)
        self._schema, self._quoted = schema, quote_identifier(schema)
        self._in_queries = self._quoted.replace("%", "%%")
        self._patience = patience
        self._has_connected = False
        self._pool = ConnectionPool(
            url, prepare=self._prepare, server_timeout=_SERVER_TIMEOUT, stateless=True
        )

    def query(
        self, statement: str, *values: str | bytes | int | None, patience: float | None = None
    ) -> list[Row]:
        """Run a statement with at least one placeholder, and return its rows."""
        query = render_statement(statement, self._in_queries)
        end = time.monotonic() + (self._patience if patience is None else patience)
        pause = 0.0  # the first failure may just be a connection that was closed meanwhile
        while True:
            try:
                return self._pool.query(query, *values)
            except UnavailableError:
                if not self._has_connected or time.monotonic() + pause >= end:
                    raise
            time.sleep(uniform(pause / 2, pause))
            pause = min(max(pause * 2, _FIRST_PAUSE), _LONGEST_PAUSE)

    def commit(self, statement: str, *values: str | bytes | int | None) -> list[Row]:
        """Run a statement as :meth:`query` does. Raises :class:`~anaphora.errors.UnconfirmedError`
        if it may have been executed."""
        try:
            return self.query(statement, *values)
        except UnavailableError as error:
            raise UnconfirmedError(f"{error}; its changes may be stored all the same") from error

    def execute(self, *statements: str) -> None:
        """Run statements without placeholders, one after another, and not a second time."""
        self._pool.run_outside_transaction(
            *(render_statement(each, self._quoted) for each in statements)
        )

    def close(self) -> None:
        self._pool.close()

    def _prepare(self, transaction: Transaction) -> None:
        prepare_schema(transaction, self._schema, self._quoted)
        self._has_connected = True
