"""The steps by which deleted data leaves a database and its write-ahead log (WAL). Each runs on a
connection that nobody else of this process writes through."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from anaphora.errors import StoreError
from anaphora.storage.sqlite.errors import BUSY_FOR
from anaphora.storage.sqlite.pages import SharedFile, clear_unallocated
from anaphora.storage.sqlite.write_batches import begin

__all__ = [
    "WalBusyError",
    "clear_pages",
    "return_free_pages",
    "set_version",
    "truncate_wal",
    "wal_size",
]

_WAL_TIMEOUT = 0.05  # seconds of waiting for the WAL, during which nobody can write
_PAGES_AT_ONCE = 2048  # in one step: 8 MB


class WalBusyError(StoreError):
    """The WAL cannot be emptied at the moment."""


def return_free_pages(connection: sqlite3.Connection, path: Path) -> bool:
    """Return some free pages to the disk; True if there may be more."""
    (before,) = connection.execute("PRAGMA freelist_count").fetchone()
    if not before:
        return False
    # A script, because execute() stops after the first page.
    connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")
    (after,) = connection.execute("PRAGMA freelist_count").fetchone()
    truncate_wal(connection, path)
    return bool(0 < after < before)


def clear_pages(
    connection: sqlite3.Connection, path: Path, file: SharedFile, first: int, *, version: int
) -> int:
    """Clear the unallocated space of some pages of the ``file``, whose schema has this ``version``.
    Returns the next page, 0 after the last. Then the connection must be closed, for it has cached
    the pages."""
    truncate_wal(connection, path)
    begin(connection, patience=BUSY_FOR)
    if wal_size(path):  # another process has written meanwhile; closing rolls back
        raise WalBusyError(f"{path}-wal was never empty for {BUSY_FOR:g} seconds")
    descriptor = file.descriptor()
    following = clear_unallocated(descriptor, first, _PAGES_AT_ONCE)
    os.fsync(descriptor)
    # A commit makes every connection drop its cached pages.
    set_version(connection, version)
    connection.execute("COMMIT")
    return following


def truncate_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Checkpoint the WAL and truncate it. Nobody can write while SQLite waits for readers of an
    older state, so the wait is short.

    Raises :class:`WalBusyError` if they are still reading.
    """
    connection.execute(f"PRAGMA busy_timeout = {_WAL_TIMEOUT * 1000:.0f}")
    if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
        raise WalBusyError(
            f"{path}-wal may still contain deleted data because another program has been reading "
            f"for {BUSY_FOR:g} seconds: erase again after it has ended"
        )
    connection.execute(f"PRAGMA busy_timeout = {BUSY_FOR * 1000:.0f}")


def wal_size(path: Path) -> int:
    """Return the size of the WAL of the database at ``path``, in bytes."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        return 0


def set_version(connection: sqlite3.Connection, version: int) -> None:
    """Write the version of the schema."""
    connection.execute(f"PRAGMA user_version = {version}")
