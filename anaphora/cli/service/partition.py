"""``anaphora partition``: spread the tables of a long-term memory over partitions."""

from __future__ import annotations

from time import monotonic
from typing import Annotated

import typer

from anaphora.cli.terminal import exit_if_interrupted
from anaphora.errors import AnaphoraError

__all__ = ["partition"]


def partition(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="The long-term memory: postgresql://user:password@host/database.",
            show_default=False,
        ),
    ],
    count: Annotated[
        int, typer.Argument(metavar="COUNT", help="The number of partitions.", show_default=False)
    ],
) -> None:
    """Spread the large tables of a long-term memory in PostgreSQL over partitions by a hash of the
    user.

    The tables are created if they are missing. Existing ones are copied in one transaction, which
    needs the disk space for them once more. Services may keep running: meanwhile they answer
    without the memory, and keep what is said in their journals.

    Example: anaphora partition postgresql://localhost/bots 64
    """
    from anaphora.ltm.history.working_history import HistorySettings
    from anaphora.ltm.retrieval.urls import open_recall_store

    if not url.startswith(("postgresql://", "postgres://")):
        raise AnaphoraError(
            "only a long-term memory in PostgreSQL has partitions: write "
            "postgresql://user:password@host/database"
        )
    opened = open_recall_store(url, settings=HistorySettings())
    from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore

    assert isinstance(opened.store, PostgresRecallStore)
    begun = monotonic()
    try:
        with exit_if_interrupted("Interrupted; nothing was changed."):
            opened.store.partition(count)
    finally:
        opened.close()
    typer.echo(f"{count} partitions, after {monotonic() - begun:.0f} s")
