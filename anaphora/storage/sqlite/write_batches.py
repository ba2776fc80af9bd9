"""Writes that share a transaction, and so one wait for the disk (group commit)."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import uniform
from typing import NamedTuple, TypeAlias

from anaphora.errors import AnaphoraError
from anaphora.storage.sqlite.errors import primary_error_code

__all__ = [
    "RETRY_PAUSE",
    "WriteBatch",
    "WriteFunction",
    "WriteTask",
    "begin",
    "run_tasks",
    "try_to_begin",
]

RETRY_PAUSE = 0.0002, 0.002
"""The range of seconds between two attempts to write."""

WriteFunction: TypeAlias = Callable[[sqlite3.Connection], object]


@dataclass(slots=True, eq=False)
class WriteTask:
    """A queued write, and its result; ``ended`` is called when it is ``done``."""

    work: WriteFunction
    ended: Callable[[], None] | None = None
    done: bool = False
    error: Exception | None = None

    def end(self, error: Exception | None) -> None:
        """Say how it has ended."""
        self.done, self.error = True, error
        if self.ended is not None:
            self.ended()


class WriteBatch(NamedTuple):
    """Tasks that ran in a transaction which is not committed, with the errors that they raised."""

    connection: sqlite3.Connection
    tasks: Sequence[WriteTask]
    refusals: Sequence[Exception | None]


def begin(connection: sqlite3.Connection, *, patience: float) -> None:
    """Begin a write transaction as soon as no other process writes, within ``patience`` seconds.
    SQLite itself would retry only every 100 ms (measured with four busy processes: 1 % of all
    writes waited half a second)."""
    deadline = time.monotonic() + patience
    while not try_to_begin(connection, last=time.monotonic() > deadline):
        time.sleep(uniform(*RETRY_PAUSE))


def try_to_begin(connection: sqlite3.Connection, *, last: bool = False) -> bool:
    """Begin a write transaction; return whether no other process was writing. The ``last`` attempt
    raises an error if one was."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if primary_error_code(error) != sqlite3.SQLITE_BUSY or last:
            raise
        return False
    return True


def run_tasks(tasks: Sequence[WriteTask], connection: sqlite3.Connection) -> WriteBatch:
    """Run tasks in the transaction of a connection."""
    return WriteBatch(connection, tasks, [_run(task, connection) for task in tasks])


def _run(task: WriteTask, connection: sqlite3.Connection) -> Exception | None:
    """Run the task. Returns the error by which it refused, or None."""
    try:
        task.work(connection)
    except AnaphoraError as error:
        return error
    return None
