"""Open the database of a knowledge graph by URL: ``memory:``, ``sqlite:///…``, ``postgresql://…``."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import cast, get_args
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from weakref import finalize

from anaphora.agents.graph.backends.backend import GraphBackend
from anaphora.agents.graph.backends.sqlite import SqliteBackend
from anaphora.errors import StoreError
from anaphora.ltm.retrieval.urls import database_file
from anaphora.storage.sqlite.database import Synchronous

__all__ = ["open_backend"]

_URL_FORMS = (
    "memory:, sqlite:///relative.db, sqlite:////absolute.db or "
    "postgresql://user:password@host/database"
)


def open_backend(url: str) -> GraphBackend:
    """Open the database at ``url``. ``memory:`` is a temporary file; ``sqlite:///`` takes
    ``?synchronous=normal``; ``postgresql://`` takes PostgreSQL's options and ``?schema=name``.

    Raises :class:`StoreError` for any other URL, and for a file that cannot be used. Messages never
    contain passwords.
    """
    if url == "memory:":
        return _TemporaryBackend()
    if (path := database_file(url)) is not None:
        return SqliteBackend(path, synchronous=_read_synchronous(url))
    if url.startswith(("postgresql://", "postgres://")):
        return _open_postgres(url)
    scheme = url.partition(":")[0] if ":" in url else ""
    begins = f"begins with '{scheme}'" if scheme else "has no scheme"
    raise StoreError(f"the URL of a knowledge graph {begins}; write {_URL_FORMS}")


class _TemporaryBackend(SqliteBackend):
    """A graph in a temporary file, which is removed when the backend is closed or forgotten."""

    def __init__(self) -> None:
        folder = Path(mkdtemp(prefix="anaphora-"))
        self._remove = finalize(self, _remove_folder, folder, os.getpid())
        super().__init__(folder / "graph.db", synchronous="normal")

    def close(self) -> None:
        super().close()
        self._remove()


def _remove_folder(folder: Path, owner: int) -> None:
    """Remove a folder, unless this process was forked from its ``owner``."""
    if os.getpid() == owner:
        rmtree(folder, ignore_errors=True)


def _read_synchronous(url: str) -> Synchronous:
    options = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    synchronous = options.pop("synchronous", "full")
    if options:
        raise StoreError(
            f"a knowledge graph in a file has no option '{next(iter(options))}'; the only one is "
            "synchronous"
        )
    if synchronous not in get_args(Synchronous):
        raise StoreError(f"synchronous must be full or normal, not '{synchronous}'")
    return cast("Synchronous", synchronous)


def _open_postgres(url: str) -> GraphBackend:
    from anaphora.agents.graph.backends.postgres import PostgresBackend

    parts = urlsplit(url)
    schema = dict(parse_qsl(parts.query, keep_blank_values=True)).get("schema", "anaphora_graph")
    query = "&".join(part for part in parts.query.split("&") if not part.startswith("schema="))
    return PostgresBackend(urlunsplit(parts._replace(query=query)), schema=schema)
