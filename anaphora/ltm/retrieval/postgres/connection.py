"""The way to a PostgreSQL server: connections, transactions, and errors that say how to mend them.

Connections are kept here and not by psycopg_pool: its threads don't come along into a forked
process, and it tells that there is no connection, but not why.
"""

from __future__ import annotations

import re
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from anaphora.errors import PermanentStoreError, StoreError
from anaphora.storage.forks import ForkAware, register_fork_aware

__all__ = ["ConnectionPool", "Row", "Transaction"]

Row = tuple[Any, ...]
_Result = TypeVar("_Result")

_MAX_CONNECTIONS = 8
_TIMEOUT_FACTOR = 1.5  # times the server's own limit before it is given up
_MAX_ATTEMPTS = 4  # of a transaction that the server broke off in favour of another one

# What the URL says itself comes first. Of a machine that is gone TCP would learn after hours.
_CONNECT_OPTIONS = {
    "application_name": "anaphora",
    "connect_timeout": "5",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
_HINTS = {
    "0A": "this server cannot do that: PostgreSQL 13 or later is needed",
    "25006": "it is a replica: name the primary in the URL",
    "22": "it refuses a value",
    "3F": "its schema was dropped while it was in use: start anew",
    "42501": "its user may not do this: let it CREATE in the database, or make its schema for it",
    "42": "its tables are not as they should be: were they dropped or changed?",
    "53100": "its disk is full: make room there",
    "53300": "it has no connection left: raise its max_connections",
    "53": "it lacks memory or another resource",
    "55P03": "another kept what is needed locked for too long",
    "57014": "it took too long: is it overloaded, or does another keep a transaction open?",
    "57P": "it is restarting or stopping: try again later",
    "25P03": "it ended a transaction that had done nothing for too long",
}
_VALUE_ERROR_CLASSES = ("22", "54")  # it refuses a value, and always will
_TEXT_HINTS = (  # of what fails before there is a connection only the text tells why
    (r"password|authentication|pg_hba", "check the user and the password in the URL"),
    (r"database .* does not exist", "make the database first: createdb NAME"),
    (r"role .* does not exist", "check the user in the URL"),
    (r"too many clients|connection slots", "it has no connection left: raise its max_connections"),
    (r"starting up|shutting down|recovery", "it is restarting or stopping: try again later"),
    (r"SSL|certificate", "check how the URL says to encrypt: sslmode, sslrootcert"),
)


class ConnectionPool(ForkAware):
    """Runs transactions on the server at ``url``, from any thread and also after a fork.

    ``prepare`` is called with every new connection before it is used. Nothing waits for longer
    than ``patience`` seconds for the server, and nothing for ever. Raises :class:`StoreError` for
    a URL that cannot be read and for whatever fails; then nothing has changed, unless the
    connection was lost while the server was about to commit.
    """

    def __init__(
        self, url: str, *, prepare: Callable[[Transaction], None], server_timeout: float
    ) -> None:
        self._settings = _parse_url(url)
        self.display_url = _format_url(self._settings)
        self._prepare, self._server_timeout = prepare, server_timeout
        self._closed = False
        self._parent_connections: list[deque[_Connection]] = []
        self._reset()
        register_fork_aware(self)

    def query(self, query: str, *values: Any) -> list[Row]:
        """The rows that one statement finds."""
        with self._connection() as connection:
            return Transaction(connection).fetch_all(query, *values)

    def run(self, work: Callable[[Transaction], _Result]) -> _Result:
        """Do the work in a transaction and return what it returns. It is done again if it must
        be, so it should do nothing else."""
        attempts = _MAX_ATTEMPTS
        while True:
            attempts -= 1
            with self._connection() as connection:
                try:
                    with connection.transaction():
                        return work(Transaction(connection))
                except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                    if not attempts:
                        raise

    def run_outside_transaction(self, *statements: str) -> None:
        """Do statements that cannot be in a transaction, one after another."""
        with self._connection() as connection:
            for statement in statements:
                Transaction(connection).execute(statement)

    def close(self) -> None:
        """Close the connections that nobody uses; the others when they are given back."""
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
                # Its state may be unknown, and errors are rare.
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
        """An idle connection that the server has not closed meanwhile."""
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
            connection.server_timeout = self._server_timeout * _TIMEOUT_FACTOR
            connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            milliseconds = int(self._server_timeout * 1_000)
            # Compiling a query takes longer than running any of these, and a plan that is made
            # for any values takes ten times as long as one for those that are asked for.
            connection.execute(
                "SET jit = off; SET plan_cache_mode = force_custom_plan; "
                f"SET statement_timeout = {milliseconds}; "
                f"SET lock_timeout = {milliseconds}; "
                f"SET idle_in_transaction_session_timeout = {milliseconds}".encode()
            )
            self._prepare(Transaction(connection))
        except BaseException:
            connection.close()
            raise
        return connection

    def after_fork_in_child(self) -> None:
        """Go on with connections of its own."""
        self._parent_connections.append(self._idle)  # they belong to the parent, which uses them
        self._reset()

    def _reset(self) -> None:
        self._idle: deque[_Connection] = deque()
        self._free_connections = threading.Semaphore(_MAX_CONNECTIONS)

    def _to_store_error(self, error: psycopg.Error) -> StoreError:
        # The first line of what it says: the others may quote what was to be kept.
        said = error.diag.message_primary or (str(error).splitlines() or ["no reason"])[0]
        kind = (
            PermanentStoreError
            if (error.sqlstate or "")[:2] in _VALUE_ERROR_CLASSES
            else StoreError
        )
        return kind(f"{self.display_url}: {_find_hint(error, said)} ({said.strip()})")


class Transaction:
    """What can be done on a connection; placeholders are ``%s``."""

    __slots__ = ("_connection", "_cursor")

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._cursor = connection.cursor(binary=True)

    def fetch_all(self, query: str, *values: Any) -> list[Row]:
        """The rows that a statement finds or returns."""
        return self._cursor.execute(query.encode(), values or None).fetchall()

    def fetch_one(self, query: str, *values: Any) -> Row | None:
        """The first of them."""
        return self._cursor.execute(query.encode(), values or None).fetchone()

    def execute(self, query: str, *values: Any) -> int:
        """Run a statement; how many rows it changed."""
        return self._cursor.execute(query.encode(), values or None).rowcount

    def execute_many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each of the rows of values, without waiting between them."""
        self._cursor.executemany(query.encode(), rows)

    def execute_script(self, statements: str) -> None:
        """Run several statements."""
        self._connection.execute(statements.encode())

    def try_execute(self, query: str) -> psycopg.Error | None:
        """Run a statement that may fail without harm; the error, if it did."""
        try:
            with self._connection.transaction():
                self._cursor.execute(query.encode())
        except psycopg.Error as error:
            if self._connection.closed:
                raise
            return error
        return None


class _Connection(psycopg.Connection[Row]):
    """A connection that gives a silent server up after ``patience`` seconds."""

    server_timeout: float | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            return super().wait(gen, interval, self.server_timeout if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                self.pgconn.finish()  # or it would be asked to roll back, and waited for again
            raise


def _is_quiet(connection: psycopg.Connection[Any]) -> bool:
    """Whether the server has sent nothing: what it sends unasked is that it ends (1 µs)."""
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
    except (StoreError, psycopg.Error):  # what it says may be a part of the password
        raise StoreError(
            "this is no URL of a PostgreSQL server: write postgresql://user:password@host:5432/"
            "database, and / @ : % in a password as %2F %40 %3A %25"
        ) from None


def _format_url(settings: dict[str, Any]) -> str:
    """The URL without the password."""
    user = f"{settings['user']}@" if settings.get("user") else ""
    host = settings.get("host") or settings.get("hostaddr") or "localhost"
    port = f":{settings['port']}" if settings.get("port") else ""
    return f"postgresql://{user}{host}{port}/{settings.get('dbname', '')}"


def _find_hint(error: psycopg.Error, said: str) -> str:
    code = error.sqlstate or ""
    for length in (5, 3, 2):
        if code[:length] in _HINTS:
            return _HINTS[code[:length]]
    for pattern, hint in _TEXT_HINTS:
        if re.search(pattern, said, re.IGNORECASE):
            return hint
    if isinstance(error, psycopg.OperationalError):
        return "it cannot be reached: does it run, and is the URL right?"
    return "it refuses a command"
