"""The version, the clock and the extensions of a PostgreSQL server."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit, urlunsplit

from anaphora.ltm.retrieval.postgres.connection import ConnectionPool, Transaction

__all__ = ["PostgresServerState", "read_server_state"]

_TIMEOUT = 10.0  # seconds
_STATE = (
    "SELECT current_setting('server_version'), clock_timestamp(), pg_is_in_recovery(), "
    "EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector'), "
    "EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector')"
)


@dataclass(frozen=True, slots=True)
class PostgresServerState:
    """The ``version`` and the ``time`` of a server, and whether the extension pgvector is created
    in its database, or can be."""

    version: str
    time: datetime
    is_replica: bool
    has_pgvector: bool
    can_have_pgvector: bool


def read_server_state(url: str) -> PostgresServerState:
    """Ask the server at the URL of a long-term memory. Creates no tables.

    Raises :class:`StoreError` for an invalid URL, and if the server does not answer.
    """
    parts = urlsplit(url)
    query = "&".join(part for part in parts.query.split("&") if not part.startswith("schema="))
    plain = urlunsplit(parts._replace(query=query))
    with closing(ConnectionPool(plain, prepare=_prepare, server_timeout=_TIMEOUT)) as pool:
        (row,) = pool.query(_STATE)
    return PostgresServerState(*row)


def _prepare(_: Transaction) -> None:
    pass
