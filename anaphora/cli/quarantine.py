"""``anaphora quarantine``: what a long-term memory has put aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from anaphora.errors import AnaphoraError

if TYPE_CHECKING:
    from anaphora.ltm.quarantine import QuarantinedItem

__all__ = ["quarantine"]

_MOST = 1_000  # items that are listed


def quarantine(
    memory: Annotated[
        str,
        typer.Argument(help="The URL of the long-term memory, such as sqlite:///memory.db."),
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
    """
    from anaphora.ltm.memory import LongTermMemory

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


def _chosen(ids: list[str] | None, listed: list[QuarantinedItem]) -> list[str]:
    return [item.id for item in listed] if ids == ["all"] else ids or []
