"""``anaphora quarantine``: what a long-term memory has put aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from anaphora.errors import AnaphoraError, Problem

if TYPE_CHECKING:
    from anaphora.ltm.quarantine import QuarantinedItem

__all__ = ["quarantine"]

_MOST = 1_000  # items that are listed
_SQLITE = b"SQLite format 3\0"  # how each of its files begins
_MEMORY_OF_SERVICE = "the one that 'anaphora serve' gets as --memory"


def quarantine(
    memory: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="Where the long-term memory is: sqlite:///memory.db, sqlite:////var/lib/memory.db "
            "or postgresql://user:password@host/database.",
        ),
    ],
    retry: Annotated[
        list[str] | None,
        typer.Option("--retry", metavar="ID", help="Try this item again ('all': each)."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", metavar="ID", help="Delete this item for good ('all': each)."),
    ] = None,
) -> None:
    """List what a long-term memory could not process and has put aside.

    An entry, an exchange or a summary is damaged; the embedder or the summarizer refuses what is
    to 'embed' or to 'compress'. A service that uses the memory may go on meanwhile.

    Example: anaphora quarantine sqlite:///memory.db --retry all
    """
    from anaphora.ltm.memory import LongTermMemory

    _require_existing(memory)
    with LongTermMemory(memory, summarizer=None) as opened:
        listed = opened.quarantined(_MOST)
        for id in _chosen(retry, listed):
            if not opened.release(id):
                raise AnaphoraError(f"{id} is not in quarantine, or is still unreadable")
            typer.echo(f"{id} is tried again")
        for id in _chosen(drop, listed):
            if not opened.discard(id):
                raise AnaphoraError(f"{id} is not in quarantine")
            typer.echo(f"{id} is dropped")
        if retry or drop:
            return
        if not listed:
            typer.echo("nothing is in quarantine")
        for item in listed:
            whose = "?" if item.key is None else f"{item.key.user} with {item.key.model}"
            when = f"{item.at.astimezone():%Y-%m-%d %H:%M}"
            typer.echo(f"{item.id}  {item.kind}  {when}  {whose}: {item.reason}")


def _require_existing(url: str) -> None:
    """Raises :class:`AnaphoraError` where opening the memory would make a new one."""
    from anaphora.ltm.recall.urls import database_file

    if url == "memory:":
        raise _refusal("memory: is empty in each process, so nothing is in quarantine there", "URL")
    path = database_file(url)
    if path is None:
        return
    if not path.is_file():
        raise _refusal("there is no such file", "file", str(path))
    with path.open("rb") as file:
        if file.read(len(_SQLITE)) != _SQLITE:
            raise _refusal("this file is no SQLite database", "file", str(path))


def _refusal(message: str, what: str, source: str = "") -> AnaphoraError:
    hint = f"name the {what} of the long-term memory: {_MEMORY_OF_SERVICE}"
    return AnaphoraError(str(Problem(message, source, hint=hint)))


def _chosen(ids: list[str] | None, listed: list[QuarantinedItem]) -> list[str]:
    return [item.id for item in listed] if ids == ["all"] else ids or []
