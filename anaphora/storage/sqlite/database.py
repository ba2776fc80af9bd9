"""One SQLite file, shared by the threads and event loops of this process and by other processes.

Readers do not wait for writers. What is written at the same time shares one transaction.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from random import uniform
from typing import Any, Literal, TypeVar

from anaphora.errors import StoreError
from anaphora.storage.byte_range_locks import ByteRangeLocks
from anaphora.storage.forks import fork_safe_lock
from anaphora.storage.sqlite.applications import CONVERSATIONS
from anaphora.storage.sqlite.errors import BUSY_FOR, primary_error_code, to_store_error
from anaphora.storage.sqlite.pages import SharedFile
from anaphora.storage.sqlite.scrubbing import (
    WalBusyError,
    clear_pages,
    return_free_pages,
    set_version,
    truncate_wal,
    wal_size,
)
from anaphora.storage.sqlite.write_batches import (
    WriteBatch,
    WriteFunction,
    WriteTask,
    begin,
    run_tasks,
    try_to_begin,
)

__all__ = ["Database", "Synchronous"]

Synchronous = Literal["full", "normal"]
_Result = TypeVar("_Result")

_SETUP_LOCK = 2**61  # the offset of the lock for creating or migrating the file
_WAL_RETRY_PAUSE = 0.05, 0.15  # seconds between two attempts to empty the WAL
_READERS = 4  # reading takes microseconds and holds the interpreter's lock for most of them
_TIDIED_EVERY = 512  # writes
_LONGEST_LOG = 16 << 20  # bytes of the WAL
_INCREMENTAL_VACUUM = 2  # a value of PRAGMA auto_vacuum
_FREE_PAGES = 1024  # kept for new rows; if there are more, some are returned to the disk

_log = logging.getLogger(__name__)
_creating = fork_safe_lock()


class Database:
    """The database at ``path``; ``schema`` has a step (a list of statements) for each version.

    ``application`` is the application_id of the file; messages call its content ``holds``.
    ``pragmas`` are set in every connection. With ``synchronous`` "full", committed data survives a
    power cut; with "normal", the last commits before one may be lost. Every method may be called
    from any thread and raises :class:`StoreError` with the file and a hint; then nothing is
    written.
    """

    def __init__(
        self,
        path: Path,
        *,
        schema: Sequence[Sequence[str]],
        synchronous: Synchronous,
        application: int = CONVERSATIONS,
        holds: str = "conversations",
        pragmas: Sequence[str] = (),
    ) -> None:
        self._path, self._schema, self._synchronous = path, schema, synchronous
        self._application, self._content_name, self._pragmas = application, holds, pragmas
        self._uri = f"{path.as_uri()}?mode=rw"
        self._closed = False
        self._writer: sqlite3.Connection | None = None
        self._written = 0
        self._file: SharedFile | None = None
        self._queue: deque[WriteTask] = deque()
        self._idle: list[sqlite3.Connection] = []
        self._make_locks()

    def create_file(self) -> None:
        """Create the file, empty and private to its owner, if it does not exist."""
        try:
            # An existing file must not be opened here, because another store of this process may
            # use it: closing it would drop SQLite's locks.
            with _creating, suppress(FileExistsError):
                os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            raise to_store_error(error, self._path) from error
        if self._file is None:
            self._file = SharedFile.acquire(self._path)

    def open(
        self,
        locks: ByteRangeLocks,
        *,
        wait: float,
        after_migration: Callable[[], None] | None = None,
    ) -> None:
        """Create the file if it does not exist, migrate its schema, and call ``after_migration``.
        One process at a time does so, under a lock of ``locks``; the others wait up to ``wait``
        seconds.

        Raises :class:`StoreError` if the file cannot be used, or if the lock is not free in time.
        """
        self.create_file()
        self._check_foreign()
        if not locks.acquire(_SETUP_LOCK, wait=wait):
            raise StoreError(
                f"{self._path} has been set up by another process for {wait:g} seconds"
            )
        try:
            self.migrate()
            if after_migration is not None:
                after_migration()
        finally:
            locks.release(_SETUP_LOCK)

    def _check_foreign(self) -> None:
        """Raise :class:`StoreError` for the database of another program, before any file is
        created beside it."""
        try:
            # Closed at once: another process may be rewriting the file, which needs exclusive use.
            with self._reading, closing(self._connect()) as connection:
                self._check_owner(connection)
        except sqlite3.Error as error:
            raise to_store_error(error, self._path) from error

    def migrate(self) -> None:
        """Migrate the schema. No other process may do so at the same time."""
        try:
            with self._reader() as connection:
                self._check_version(connection)
                connection.execute("PRAGMA journal_mode = WAL")
            self.write(self._migrate)
            self._enable_auto_vacuum()
        except sqlite3.Error as error:
            raise to_store_error(error, self._path) from error

    def read(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a query."""
        try:
            with self._reader() as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise to_store_error(error, self._path) from error

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Open a read transaction: all reads through the connection see the same state."""
        try:
            with self._reader() as connection:
                connection.execute("BEGIN")
                yield connection
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise to_store_error(error, self._path) from error

    def write(self, work: WriteFunction) -> None:
        """Run ``work`` in a transaction, more than once if necessary: it must have no other side
        effects. An error that it raises itself is passed on, and must come before any change."""
        task = self.enqueue(work)
        try:
            self.write_queued(task)
        except BaseException:  # Ctrl-C while it waits
            self.withdraw(task)
            raise
        if not task.done:
            raise StoreError(f"{self._path}: the write was interrupted; nothing was changed")
        if task.error is not None:
            raise task.error

    def enqueue(self, work: WriteFunction, ended: Callable[[], None] | None = None) -> WriteTask:
        """Queue a write as :meth:`write` runs it, for whoever writes next. ``ended`` is called
        after it, in any thread."""
        task = WriteTask(work, ended)
        self._queue.append(task)
        return task

    def withdraw(self, task: WriteTask) -> bool:
        """Take a write out of the queue; return whether it was still there."""
        try:
            self._queue.remove(task)
        except ValueError:
            return False
        return True

    @property
    def has_queued(self) -> bool:
        """Whether there are writes that nobody has begun."""
        return bool(self._queue)

    def write_queued(self, last: WriteTask | None = None) -> None:
        """Write what is queued, unless ``last`` has been written meanwhile."""
        with self._writing:
            if self._queue and (last is None or not last.done):
                self._write_all(list(self._drain_queue()))

    def begin_queued(self) -> Callable[[], None] | None:
        """Run what is queued in a transaction, without waiting for anything, and return what
        commits it and ends the tasks, to be called once, in any thread. None if another thread or
        another process is writing."""
        if not self._writing.acquire(blocking=False):
            return None
        end = None
        try:
            end = self._begin_and_run()
        finally:
            if end is None:
                self._writing.release()
        return None if end is None else partial(self._end_and_release, end)

    def _begin_and_run(self) -> Callable[[], None] | None:
        tasks: list[WriteTask] = []
        begun = False
        try:
            connection = self._writing_connection()
            begun = try_to_begin(connection)
            if not begun:
                return None
            tasks += self._drain_queue()
            return partial(self._commit, run_tasks(tasks, connection))
        except BaseException as error:
            tasks += self._drain_queue()
            end = partial(self._fail, tasks, error, begun=begun)
            if isinstance(error, Exception):
                return end
            end()  # Ctrl-C
            raise

    def _end_and_release(self, end: Callable[[], None]) -> None:
        try:
            end()
        finally:
            self._writing.release()

    def scrub(self) -> None:
        """Erase deleted data from the file and its WAL, and return free pages to the disk.

        Works in steps of some megabytes, between which others can write. See
        :mod:`anaphora.storage.sqlite.pages` for what the pragma secure_delete leaves behind.

        Raises :class:`StoreError` if another program keeps an old read transaction open too long.
        """
        while self._exclusively(partial(return_free_pages, path=self._path)):
            pass
        page = 1
        while page:
            page = self._exclusively(partial(self._clear_pages, page))
        self._exclusively(partial(truncate_wal, path=self._path))

    def _clear_pages(self, first: int, connection: sqlite3.Connection) -> int:
        assert self._file is not None
        version = len(self._schema)
        following = clear_pages(connection, self._path, self._file, first, version=version)
        self._close_writer()
        return following

    def _exclusively(self, step: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Run a step on the writing connection while no other thread writes. Between attempts to
        empty a WAL in use, others can write."""
        deadline = time.monotonic() + BUSY_FOR
        while True:
            try:
                return self._exclusively_once(step)
            except WalBusyError:
                if time.monotonic() > deadline:
                    raise
            time.sleep(uniform(*_WAL_RETRY_PAUSE))

    def _exclusively_once(self, step: Callable[[sqlite3.Connection], _Result]) -> _Result:
        with self._writing:
            try:
                connection = self._writing_connection()
                connection.execute(f"PRAGMA busy_timeout = {BUSY_FOR * 1000:.0f}")
                result = step(connection)
                if self._writer is not None:
                    self._writer.execute("PRAGMA busy_timeout = 0")
            except BaseException as error:
                self._close_writer()
                raise to_store_error(error, self._path) from error
        return result

    def ping(self) -> None:
        """Check that the file can be read and written."""
        self.write(lambda connection: set_version(connection, len(self._schema)))
        if not self._path.exists():
            raise StoreError(f"{self._path} was deleted while it was in use: restart")

    def pause(self) -> None:
        """Wait for all reads and writes, and close the file; :meth:`resume` must follow."""
        self._writing.acquire()
        for _ in range(_READERS):
            self._reading.acquire()
        for connection in self._idle:
            connection.close()
        self._idle.clear()
        self._close_writer()

    def resume(self) -> None:
        """Resume after a :meth:`pause`."""
        for _ in range(_READERS):
            self._reading.release()
        self._writing.release()

    def resume_in_child(self) -> None:
        """Resume after a :meth:`pause` in a process that was forked meanwhile."""
        self._queue.clear()  # tasks of the parent's threads
        self._make_locks()

    def close(self) -> None:
        """Write everything into the file itself, and close it."""
        self.pause()
        self._closed = True
        shared, self._file = self._file, None
        if shared is not None:
            shared.release()
        self.resume()

    def _make_locks(self) -> None:
        self._writing = threading.Lock()
        self._reading = threading.Semaphore(_READERS)

    def _drain_queue(self) -> Iterator[WriteTask]:
        with suppress(IndexError):
            while True:
                yield self._queue.popleft()

    def _write_all(self, tasks: list[WriteTask]) -> None:
        """Run all tasks in one transaction; if that fails, each in its own, so that only the
        task at fault fails."""
        begun = False
        try:
            connection = self._writing_connection()
            begin(connection, patience=BUSY_FOR)
            begun = True
            batch = run_tasks(tasks, connection)
        except BaseException as error:
            self._fail(tasks, error, begun=begun)
        else:
            self._commit(batch)

    def _commit(self, batch: WriteBatch) -> None:
        try:
            batch.connection.execute("COMMIT")
        except BaseException as error:
            self._fail(batch.tasks, error, begun=True)
            return
        for task, refusal in zip(batch.tasks, batch.refusals, strict=True):
            task.end(refusal)
        self._maintain_periodically(batch.connection, len(batch.tasks))

    def _fail(self, tasks: Sequence[WriteTask], error: BaseException, *, begun: bool) -> None:
        """End a transaction that failed, before or after it was ``begun``."""
        self._close_writer()  # which rolls back
        if begun and len(tasks) > 1 and isinstance(error, Exception):
            for task in tasks:
                self._write_all([task])
            return
        for task in tasks:
            task.end(to_store_error(error, self._path))
        if not isinstance(error, Exception):  # Ctrl-C
            raise error

    def _writing_connection(self) -> sqlite3.Connection:
        if self._writer is None:
            self._writer = self._connect()
            self._writer.execute("PRAGMA busy_timeout = 0")
        return self._writer

    def _close_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    @contextmanager
    def _reader(self) -> Iterator[sqlite3.Connection]:
        with self._reading:
            connection = self._idle.pop() if self._idle else self._connect()
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreError("this store is closed")
        connection = sqlite3.connect(
            self._uri, uri=True, timeout=BUSY_FOR, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in (
                f"synchronous = {self._synchronous}",
                f"fullfsync = {int(self._synchronous == 'full')}",
                f"journal_size_limit = {_LONGEST_LOG}",
                # Deleted data is overwritten; temporary data goes to a file.
                "secure_delete = ON",
                "temp_store = FILE",
                *self._pragmas,
            ):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _check_version(self, connection: sqlite3.Connection) -> None:
        """Raise :class:`StoreError` for a file of another program or of a later version; enable
        auto_vacuum in an empty file."""
        tables = self._check_owner(connection)
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > len(self._schema):
            raise StoreError(
                f"{self._path} was created by a later version (its schema is {version}, this one "
                f"supports {len(self._schema)}): update anaphora or name another file"
            )
        if not tables:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")

    def _check_owner(self, connection: sqlite3.Connection) -> int:
        """Return the number of tables. Raises :class:`StoreError` for a file of another program."""
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if tables and application != self._application:
            raise StoreError(
                f"{self._path} is the database of another program or of another part of this one: "
                f"name another file for the {self._content_name}"
            )
        return int(tables)

    def _enable_auto_vacuum(self) -> None:
        """Rewrite, once, a file that was created without auto_vacuum (by a tool that restored it,
        for example): it could never shrink. Nobody else may have it open, because a connection
        reads this property only when it opens the file."""
        with self._reading, closing(self._connect()) as connection:  # delays a fork
            (mode,) = connection.execute("PRAGMA auto_vacuum").fetchone()
        if mode == _INCREMENTAL_VACUUM:
            return
        self.pause()
        try:
            with closing(self._connect()) as connection:
                connection.execute("PRAGMA busy_timeout = 0")
                connection.execute("PRAGMA journal_mode = DELETE")  # fails if the file is open
                _log.info("a database is rewritten once, so that it can shrink: %s", self._path)
                try:
                    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                    connection.execute("VACUUM")
                finally:
                    connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            _log.warning(
                "a database cannot shrink; the next start tries again",
                extra={"reason": str(error), "path": str(self._path)},
            )
        finally:
            self.resume()

    def _migrate(self, connection: sqlite3.Connection) -> None:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        for statements in self._schema[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {self._application}")
        set_version(connection, len(self._schema))

    def _maintain_periodically(self, connection: sqlite3.Connection, written: int) -> None:
        """Return some free pages to the disk, and truncate a WAL that long reads let grow."""
        self._written += written
        if self._written < _TIDIED_EVERY:
            return
        self._written = 0
        try:
            connection.execute("PRAGMA busy_timeout = 200")
            (free,) = connection.execute("PRAGMA freelist_count").fetchone()
            if free > _FREE_PAGES:
                # A script, because execute() stops after the first page.
                connection.executescript(f"PRAGMA incremental_vacuum({_FREE_PAGES // 2})")
            if wal_size(self._path) > _LONGEST_LOG:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            connection.execute("PRAGMA busy_timeout = 0")
        except sqlite3.Error as error:  # the tasks are committed already
            self._close_writer()
            if primary_error_code(error) != sqlite3.SQLITE_BUSY:
                _log.warning("a database could not be maintained", extra={"reason": str(error)})
