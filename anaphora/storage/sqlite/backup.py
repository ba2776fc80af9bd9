"""Copy the SQLite files of this package while they are in use, and put copies back.

A copy is written beside its destination and renamed at the end, when it has passed SQLite's
integrity check: whatever interrupts it, no partial file appears.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from anaphora.errors import StoreError
from anaphora.storage.sqlite.applications import CONTENT_NAMES

__all__ = ["DatabaseCopy", "Progress", "back_up", "find_damage", "inspect_file", "restore"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of pages copied and of all."""

_PAGES_AT_ONCE = 1024  # 4 MB, between which Ctrl-C and progress are heeded
_BUSY_FOR = 30.0  # seconds
_COMPANIONS = ("-wal", "-shm", "-journal")
_UNFINISHED = ".unfinished"
_MAX_REPORTED = 3


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """A finished copy: its file, what it holds, and its size in bytes."""

    path: Path
    content: str
    size: int


def back_up(
    source: Path, target: Path, *, force: bool = False, progress: Progress | None = None
) -> DatabaseCopy:
    """Copy the state that a file has now, also while other processes write to it. A file at
    ``target`` is replaced only with ``force``.

    Raises :class:`StoreError` if the source is no file of this package or is damaged, and if the
    copy cannot be written; then nothing at the target changes.
    """
    source, target = _real(source), _real(target)
    if source == target:
        raise StoreError(f"{source} cannot be its own backup: name another file")
    _check_free(target, force=force)
    content = inspect_file(source)
    return _copy(source, target, content, force=force, progress=progress)


def restore(
    backup: Path, target: Path, *, force: bool = False, progress: Progress | None = None
) -> DatabaseCopy:
    """Put a copy at ``target``, where no process may use it. A file at the target is replaced
    only with ``force``, and only by one that holds the same kind of data.

    Raises :class:`StoreError` if the copy is no file of this package or is damaged, if the target
    is in use, and if it cannot be written; then the target keeps its content.
    """
    backup, target = _real(backup), _real(target)
    if backup == target:
        raise StoreError(f"{backup} is already there: name another file")
    _check_free(target, force=force)
    content = inspect_file(backup)
    _check_same_content(target, content)
    return _copy(backup, target, content, force=force, progress=progress, replaces_store=True)


def inspect_file(path: Path) -> int:
    """Return the application_id of a file of this package. Nothing is written.

    Raises :class:`StoreError` if there is no file, or if it is of another program.
    """
    if not path.is_file():
        raise StoreError(f"{path}: there is no such file")
    try:
        with closing(_connect(path)) as connection:
            application = _application(connection)
    except sqlite3.Error as error:
        raise _to_store_error(path, error) from error
    if application not in CONTENT_NAMES:
        raise StoreError(
            f"{path} is the database of another program: name a file that Anaphora has written"
        )
    return application


def find_damage(path: Path) -> list[str]:
    """Return what SQLite's integrity check finds in a file; nothing if it is sound.

    Raises :class:`StoreError` if the file cannot be read.
    """
    try:
        with closing(_connect(path)) as connection:
            return _find_damage(connection)
    except sqlite3.Error as error:
        raise _to_store_error(path, error) from error


def _copy(
    source: Path,
    target: Path,
    application: int,
    *,
    force: bool,
    progress: Progress | None,
    replaces_store: bool = False,
) -> DatabaseCopy:
    with _unfinished_file(target) as made:
        try:
            _copy_pages(source, made, progress)
        except sqlite3.Error as error:
            raise _to_store_error(source, error) from error
        try:
            damage = find_damage(made)
        except StoreError as error:
            damage = [str(error)]
        if damage:
            found = "; ".join(damage[:_MAX_REPORTED])
            raise StoreError(
                f"{source} is damaged, so it was not copied: {found}. Restore an earlier backup, "
                "or rescue what is readable with .recover of the program sqlite3"
            )
        if replaces_store:
            _empty_log(target)
        size = made.stat().st_size
        _put(made, target, force=force)
    return DatabaseCopy(target, CONTENT_NAMES[application], size)


def _copy_pages(source: Path, made: Path, progress: Progress | None) -> None:
    def report(_: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    with closing(_connect(source)) as origin, closing(sqlite3.connect(made)) as copy:
        # In a read transaction the copy is of one state; without it, each write of another process
        # would have it start again.
        origin.execute("BEGIN")
        origin.execute("SELECT count(*) FROM sqlite_master").fetchone()
        origin.backup(copy, pages=_PAGES_AT_ONCE, progress=report)
        origin.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


@contextmanager
def _unfinished_file(target: Path) -> Iterator[Path]:
    """An empty private file beside ``target``, which is deleted unless it is renamed."""
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name}-", suffix=_UNFINISHED, dir=target.parent
        )
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror or error}") from error
    made = Path(name)
    try:
        os.close(handle)
        yield made
    finally:
        for path in (made, *(made.with_name(made.name + end) for end in _COMPANIONS)):
            with suppress(OSError):
                path.unlink()


def _put(made: Path, target: Path, *, force: bool) -> None:
    """Rename a finished file, after it has reached the disk."""
    try:
        _sync(made)
        if force:
            made.replace(target)
        else:
            _rename_to_free(made, target)
        _sync(target.parent)
    except FileExistsError:
        raise _occupied(target) from None
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror or error}") from error


def _rename_to_free(made: Path, target: Path) -> None:
    """Rename, unless the target has appeared meanwhile."""
    try:
        os.link(made, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        _check_free(target, force=False)
        made.replace(target)


def _sync(path: Path) -> None:
    if os.name == "nt" and path.is_dir():  # Windows opens no folders
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_free(target: Path, *, force: bool) -> None:
    if target.is_dir():
        raise StoreError(f"{target} is a folder: name a file in it")
    if target.exists() and not force:
        raise _occupied(target)


def _occupied(target: Path) -> StoreError:
    return StoreError(f"{target} exists already: name another file, or replace it with --force")


def _check_same_content(target: Path, application: int) -> None:
    """Refuse to replace a file that holds something else; a damaged one may be replaced."""
    if not target.exists() or target.stat().st_size == 0:
        return
    try:
        with closing(_connect(target)) as connection:
            there = _application(connection)
    except sqlite3.OperationalError as error:
        raise _to_store_error(target, error) from error
    except sqlite3.DatabaseError:  # not a database any more: that is why it is restored
        return
    if there != application:
        holds = CONTENT_NAMES.get(there, "the data of another program")
        raise StoreError(
            f"{target} holds {holds}, the backup {CONTENT_NAMES[application]}: name another file"
        )


def _empty_log(target: Path) -> None:
    """Write the log of the file at the target into it and delete the log, which would spoil the
    file that takes its place.

    Raises :class:`StoreError` if a process uses the file.
    """
    if not target.exists():
        _delete_companions(target)
        return
    try:
        with closing(_connect(target)) as connection:
            connection.execute("PRAGMA busy_timeout = 0")
            (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
            in_use = mode == "wal"
    except sqlite3.OperationalError as error:
        if "locked" not in str(error) and "busy" not in str(error):
            raise _to_store_error(target, error) from error
        in_use = True
    except sqlite3.DatabaseError:  # damaged, and about to be replaced
        in_use = False
    if in_use:
        raise StoreError(
            f"{target} is in use: stop the service (or whatever has opened it), and try again"
        )
    _delete_companions(target)


def _delete_companions(target: Path) -> None:
    for end in _COMPANIONS:
        try:
            target.with_name(target.name + end).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"{target}{end} cannot be deleted: {error.strerror or error}"
            ) from error


def _connect(path: Path) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode=rw"  # reading a log needs a file beside it
    if not os.access(path, os.W_OK):
        uri = f"{path.absolute().as_uri()}?mode=ro"
    return sqlite3.connect(uri, uri=True, timeout=_BUSY_FOR, isolation_level=None)


def _application(connection: sqlite3.Connection) -> int:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    return int(application) if tables else 0


def _find_damage(connection: sqlite3.Connection) -> list[str]:
    rows = [str(row) for (row,) in connection.execute("PRAGMA integrity_check")]
    return [] if rows == ["ok"] else rows


def _real(path: Path) -> Path:
    """The path that a link leads to: the file is replaced, not the link."""
    return Path(os.path.realpath(path))


def _to_store_error(path: Path, error: sqlite3.Error) -> StoreError:
    return StoreError(f"{path} cannot be read: {error}")
