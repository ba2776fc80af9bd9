"""``anaphora backup`` and ``anaphora restore``: copy the file of a store, and put a copy back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from anaphora.cli.completion import complete_database
from anaphora.cli.terminal import create_error_console, exit_if_interrupted
from anaphora.errors import AnaphoraError

if TYPE_CHECKING:
    from anaphora.storage.sqlite.backup import DatabaseCopy, Progress

__all__ = ["backup", "restore"]

_StoreArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="STORE",
        help="The store: sqlite:///bot.db, or the path of its file.",
        autocompletion=complete_database,
    ),
]
_ForceOption: TypeAlias = Annotated[
    bool, typer.Option("--force", help="Replace a file that exists.")
]
_MEGABYTE = 1 << 20


def backup(
    store: _StoreArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup.", show_default=False)],
    *,
    force: _ForceOption = False,
) -> None:
    """Copy the SQLite file of a store (conversations, a long-term memory, agents) while it is in
    use.

    The copy has one state of the store, and SQLite has checked it. FILE appears when it is
    complete. Exchanges that still wait in the journal of a long-term memory are not part of it.

    Example: anaphora backup sqlite:///bot.db bot-monday.db
    """
    from anaphora.storage.sqlite.backup import back_up

    source = _to_path(store)
    _run(lambda progress: back_up(source, file, force=force, progress=progress), source)


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup.", show_default=False)],
    store: _StoreArgument,
    *,
    force: _ForceOption = False,
) -> None:
    """Put a backup in the place of a store, which no process may use meanwhile.

    FILE must be a sound copy that holds the same kind of data as STORE. It may come from an
    earlier version: it is migrated when a service opens it.

    Example: anaphora restore bot-monday.db sqlite:///bot.db --force
    """
    from anaphora.storage.sqlite.backup import restore as restore_file

    target = _to_path(store)
    _run(lambda progress: restore_file(file, target, force=force, progress=progress), file)


def _run(copy: Callable[[Progress], DatabaseCopy], source: Path) -> None:
    with exit_if_interrupted("Interrupted; nothing was changed."), _progress_bar() as progress:
        made = copy(progress)
    size = f"{made.size / _MEGABYTE:.1f} MB"
    typer.echo(f"{source} → {made.path}: {made.content}, {size}, checked")


@contextmanager
def _progress_bar() -> Iterator[Progress]:
    """Show the progress on a terminal."""
    console = create_error_console()
    if not console.is_terminal:
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, TaskProgressColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _to_path(store: str) -> Path:
    """The file of a store, which is named by its URL or its path."""
    scheme, colon, rest = store.partition(":")
    if not colon or (len(scheme) == 1 and not rest.startswith("//")):  # C:\bot.db
        return Path(store)
    if scheme == "sqlite":
        from anaphora.stm.stores.urls import database_file

        path = database_file(store)
        assert path is not None, "a URL of SQLite names a file"
        return path
    raise AnaphoraError(_OTHER_STORES.get(scheme, _UNKNOWN_STORE).format(scheme))


_OTHER_STORES = {
    "memory": "memory: is empty in each process: there is nothing to copy",
    **dict.fromkeys(
        ("redis", "rediss", "unix"),
        "Redis copies its own data: redis-cli --rdb FILE, see https://redis.io/docs (persistence)",
    ),
    **dict.fromkeys(
        ("postgres", "postgresql"),
        "PostgreSQL copies its own data: pg_dump and pg_restore, with the schema of the memory",
    ),
}
_UNKNOWN_STORE = "'{}:' is not a store in a file: write sqlite:///bot.db or the path of the file"
