"""Connections and transactions of a PostgreSQL server, and errors with hints.

psycopg_pool is not used: its threads don't survive a fork, and when no connection is available it
does not say why.
"""

from __future__ import annotations

import re
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Concatenate, ParamSpec, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from anaphora.errors import PermanentStoreError, StoreError
from anaphora.storage.forks import ForkAware, register_fork_aware

__all__ = ["ConnectionPool", "Row", "Transaction", "UnavailableError", "client_options"]

Row = tuple[Any, ...]
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_MAX_CONNECTIONS = 8
_TIMEOUT_FACTOR = 1.5  # times the server's own limit, after which the connection is given up
_MAX_ATTEMPTS = 4  # of a transaction with serialization failures or deadlocks

# Options in the URL take precedence. Without these, TCP detects a dead machine only after hours.
_CONNECT_OPTIONS = {
    "application_name": "anaphora",
    "connect_timeout": "5",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
_NO_CONNECTION = "it has no connection left: raise its max_connections"
_RESTARTING = "it is restarting or stopping: try again later"
_UNREACHABLE = "it cannot be reached: does it run, and is the URL correct?"
_COLLISION = "it was changed by others at the same time: try again"
_TRANSIENT_HINTS = (_NO_CONNECTION, _RESTARTING, _UNREACHABLE, _COLLISION)
_HINTS = {
    "0A": "this server cannot do that: PostgreSQL 13 or later is needed",
    "25006": "it is a replica: name the primary in the URL",
    "22": "it rejects a value",
    "3F": "its schema was dropped while it was in use: restart this process",
    "42501": "its user may not do this: let it CREATE in the database, or create its schema for it",
    "42": "its tables are not as they should be: were they dropped or changed?",
    "53100": "its disk is full: free some space",
    "40": _COLLISION,
    "53300": _NO_CONNECTION,
    "53": "it lacks memory or another resource",
    "55P03": "another session held a lock for too long",
    "57014": "it took too long: is it overloaded, or does another session keep a transaction open?",
    "57P": _RESTARTING,
    "25P03": "it ended a transaction that was idle for too long",
}
_VALUE_ERROR_CLASSES = ("22", "54")  # permanent: the server rejects a value
_TEXT_HINTS = (  # errors while connecting have no code
    (r"password|authentication|pg_hba", "check the user and the password in the URL"),
    (r"database .* does not exist|no such database", "create the database first: createdb NAME"),
    (r"role .* does not exist", "check the user in the URL"),
    (r"too many clients|connection slots", _NO_CONNECTION),
    (r"starting up|shutting down|recovery", _RESTARTING),
    (r"SSL|certificate", "check the encryption options in the URL: sslmode, sslrootcert"),
)


class UnavailableError(StoreError):
    """The server cannot be reached, is starting or stopping, or has no connection left: the same
    may succeed later."""


class ConnectionPool(ForkAware):
    """Runs transactions on the server at ``url``, from any thread and also after a fork.

    ``prepare`` is called with every new connection before its first use. No operation waits longer
    than ``server_timeout`` seconds for the server. Raises :class:`StoreError` for an invalid URL
    and for any failure; then nothing has changed, unless the connection was lost during a commit.

    With ``stateless``, a connection has neither settings nor prepared statements of its own, so
    that a pooler between may run each transaction in another session. Then the server does not
    limit its operations, only the client does.
    """

    def __init__(
        self,
        url: str,
        *,
        prepare: Callable[[Transaction], None],
        server_timeout: float,
        stateless: bool = False,
    ) -> None:
        self._settings = _parse_url(url)
        self._stateless = stateless
        self.display_url = _format_url(self._settings)
        self._prepare, self._server_timeout = prepare, server_timeout
        self._closed = False
        self._parent_connections: list[deque[_Connection]] = []
        self._reset()
        register_fork_aware(self)

    def query(self, query: str, *values: Any) -> list[Row]:
        """Run one statement and return its rows."""
        with self._connection() as connection:
            return Transaction(connection).fetch_all(query, *values)

    def run(
        self,
        work: Callable[Concatenate[Transaction, _Parameters], _Result],
        *args: _Parameters.args,
        **kwargs: _Parameters.kwargs,
    ) -> _Result:
        """Run the work in a transaction and return its result. It may run several times, so it
        should have no other effects."""
        attempts = _MAX_ATTEMPTS
        while True:
            attempts -= 1
            with self._connection() as connection:
                try:
                    with connection.transaction():
                        return work(Transaction(connection), *args, **kwargs)
                except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                    if not attempts:
                        raise

    def run_outside_transaction(self, *statements: str) -> None:
        """Run statements that are not allowed in a transaction, one after another."""

        def run_all(session: Transaction) -> None:
            for statement in statements:
                session.execute(statement)

        self.run_in_session(run_all)

    def run_in_session(
        self,
        work: Callable[Concatenate[Transaction, _Parameters], _Result],
        *args: _Parameters.args,
        **kwargs: _Parameters.kwargs,
    ) -> _Result:
        """Run the work on one connection, each of its statements by itself."""
        with self._connection() as connection:
            return work(Transaction(connection), *args, **kwargs)

    def close(self) -> None:
        """Close the idle connections; the others are closed when they are returned."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _connection(self) -> Iterator[_Connection]:
        idle, turns = self._idle, self._free_connections
        if not turns.acquire(timeout=self._server_timeout):
            raise StoreError(
                f"{self.display_url}: all {_MAX_CONNECTIONS} connections of this process are busy: "
                "is the server overloaded?"
            )
        try:
            connection = self._take_idle(idle) or self._connect()
            try:
                yield connection
            except BaseException:
                # Its state may be unknown; errors are rare.
                connection.close()
                raise
            if self._closed:
                connection.close()
            else:
                idle.append(connection)
        except psycopg.Error as error:
            raise self._to_store_error(error) from error
        finally:
            turns.release()

    def _take_idle(self, idle: deque[_Connection]) -> _Connection | None:
        """Take an idle connection that the server has not closed."""
        with suppress(IndexError):
            while True:
                connection = idle.pop()
                if not connection.closed and _is_quiet(connection):
                    return connection
                connection.close()
        return None

    def _connect(self) -> _Connection:
        if self._closed:
            raise StoreError(f"the store {self.display_url} is closed")
        connection = _Connection.connect(**(_CONNECT_OPTIONS | self._settings), autocommit=True)
        try:
            if self._stateless:
                connection.server_timeout = self._server_timeout
                connection.prepare_threshold = None
            else:
                connection.server_timeout = self._server_timeout * _TIMEOUT_FACTOR
                connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
                connection.execute(_session_settings(self._server_timeout).encode())
            self._prepare(Transaction(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def after_fork_in_child(self) -> None:
        """Continue with new connections."""
        self._parent_connections.append(self._idle)  # kept open: they belong to the parent
        self._reset()

    def _reset(self) -> None:
        self._idle: deque[_Connection] = deque()
        self._free_connections = threading.Semaphore(_MAX_CONNECTIONS)

    def _to_store_error(self, error: psycopg.Error) -> StoreError:
        # Only the first line: the others may quote user data.
        message = error.diag.message_primary or (str(error).splitlines() or ["no reason"])[0]
        hint = _find_hint(error, message)
        kind = StoreError
        if (error.sqlstate or "")[:2] in _VALUE_ERROR_CLASSES:
            kind = PermanentStoreError
        elif hint in _TRANSIENT_HINTS:
            kind = UnavailableError
        return kind(f"{self.display_url}: {hint} ({message.strip()})")


class Transaction:
    """A transaction on a connection; placeholders are ``%s``."""

    __slots__ = ("_connection", "_cursor")

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._cursor = connection.cursor(binary=True)

    def fetch_all(self, query: str, *values: Any) -> list[Row]:
        """Run a statement and return its rows."""
        return self._cursor.execute(query.encode(), values or None).fetchall()

    def fetch_one(self, query: str, *values: Any) -> Row | None:
        """Run a statement and return its first row."""
        return self._cursor.execute(query.encode(), values or None).fetchone()

    def execute(self, query: str, *values: Any) -> int:
        """Run a statement and return the number of affected rows."""
        return self._cursor.execute(query.encode(), values or None).rowcount

    def execute_many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row of values, in a pipeline."""
        self._cursor.executemany(query.encode(), rows)

    def execute_script(self, statements: str) -> None:
        """Run several statements."""
        self._connection.execute(statements.encode())

    def try_execute(self, query: str) -> psycopg.Error | None:
        """Run a statement that may fail without harm; return its error if it does."""
        try:
            with self._connection.transaction():
                self._cursor.execute(query.encode())
        except psycopg.Error as error:
            if self._connection.closed:
                raise
            return error
        return None


class _Connection(psycopg.Connection[Row]):
    """A connection that gives up an unresponsive server after ``server_timeout`` seconds."""

    server_timeout: float | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            return super().wait(gen, interval, self.server_timeout if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                self.pgconn.finish()  # a rollback would wait for the server again
            raise


def client_options() -> list[str]:
    """Return the names of the options that the query of a URL may have."""
    return [option.keyword.decode() for option in Conninfo.get_defaults()]


def _session_settings(server_timeout: float) -> str:
    milliseconds = int(server_timeout * 1_000)
    # Compilation takes longer than any of these queries, and a generic plan takes ten times as long
    # as one for the given values.
    return (
        "SET jit = off; SET plan_cache_mode = force_custom_plan; "
        f"SET statement_timeout = {milliseconds}; "
        f"SET lock_timeout = {milliseconds}; "
        f"SET idle_in_transaction_session_timeout = {milliseconds}"
    )


def _is_quiet(connection: psycopg.Connection[Any]) -> bool:
    """Whether the server has sent nothing unasked, which it does when it terminates (1 µs)."""
    poll = select.poll()
    poll.register(connection.pgconn.socket, select.POLLIN)
    return not poll.poll(0)


def _parse_url(url: str) -> dict[str, Any]:
    try:
        if not url.startswith(("postgresql://", "postgres://")):
            raise StoreError("it is another kind of URL")
        authority, _, rest = url.partition("//")[2].partition("/")
        settings = conninfo_to_dict(url)
        ports = str(settings.get("port") or "0")
        if not ports.replace(",", "").isdigit() or ("@" in rest and "@" not in authority):
            raise StoreError("a password with a / in it, most likely")
        return settings
    except (StoreError, psycopg.Error):  # the message may contain a part of the password
        raise StoreError(
            "this is not a URL of a PostgreSQL server: write postgresql://user:password@host:5432/"
            "database, and / @ : % in a password as %2F %40 %3A %25"
        ) from None


def _format_url(settings: dict[str, Any]) -> str:
    """Format the URL without the password."""
    user = f"{settings['user']}@" if settings.get("user") else ""
    host = settings.get("host") or settings.get("hostaddr") or "localhost"
    port = f":{settings['port']}" if settings.get("port") else ""
    return f"postgresql://{user}{host}{port}/{settings.get('dbname', '')}"


def _find_hint(error: psycopg.Error, message: str) -> str:
    code = error.sqlstate or ""
    for length in (5, 3, 2):
        if code[:length] in _HINTS:
            return _HINTS[code[:length]]
    for pattern, hint in _TEXT_HINTS:
        if re.search(pattern, message, re.IGNORECASE):
            return hint
    if isinstance(error, psycopg.OperationalError):
        return _UNREACHABLE
    return "it rejects a command"
