"""Errors of SQLite, translated to ones that name the file and say how to mend it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from anaphora.errors import PermanentStoreError, StoreError

__all__ = ["BUSY_FOR", "primary_error_code", "to_store_error"]

BUSY_FOR = 30.0
"""The seconds that another process may take to write."""

_HINTS = {
    sqlite3.SQLITE_FULL: "make room on the disk; nothing was changed",
    sqlite3.SQLITE_IOERR: "check whether the disk is full, over its quota or failing",
    sqlite3.SQLITE_READONLY: "give this user the right to write the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "check that the file and its folder exist and can be written",
    sqlite3.SQLITE_PERM: "give this user the right to write the file and its folder",
    sqlite3.SQLITE_NOTADB: "name another file, or move this one away: a new one is created",
    sqlite3.SQLITE_CORRUPT: "rescue the data with sqlite3's .recover, or move the file, its "
    "-wal and its -shm away: a new one is created",
    sqlite3.SQLITE_BUSY: f"another program has kept it locked for {BUSY_FOR:g} seconds",
}


def to_store_error(error: BaseException, path: Path) -> StoreError:
    """Convert ``error`` to one that names the file at ``path`` and gives a hint."""
    if isinstance(error, StoreError):
        return error
    # Only the reason of an OSError: its text would repeat the name of the file.
    reason = error.strerror if isinstance(error, OSError) else error
    # Permanent: values that SQLite cannot store. Anything else may succeed later.
    is_permanent = isinstance(error, sqlite3.DataError | OverflowError)
    kind = PermanentStoreError if is_permanent else StoreError
    raised = kind(f"{path}: {reason or error}{_hint(error, path)}")
    raised.__cause__ = error
    return raised


def primary_error_code(error: BaseException) -> int:
    """Return the primary SQLite result code of an error, -1 if it has none."""
    code = getattr(error, "sqlite_errorcode", None)
    return -1 if code is None else code & 0xFF


def _hint(error: BaseException, path: Path) -> str:
    if isinstance(error, FileNotFoundError) and not path.parent.is_dir():
        return f"; create the folder first: mkdir -p '{path.parent}'"
    hint = _HINTS.get(primary_error_code(error))
    return f"; {hint}" if hint else ""
