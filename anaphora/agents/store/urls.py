"""Opens stores of agents by URL: ``memory:``, ``sqlite:///path``, ``postgresql://…``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from weakref import finalize

from anaphora.agents.store.sqlite import SqliteAgentStore
from anaphora.agents.store.store import AgentStore
from anaphora.errors import StoreError
from anaphora.ltm.retrieval.urls import database_file

__all__ = ["open_agent_store", "sibling_url"]


def open_agent_store(url: str) -> AgentStore:
    """Open the store at ``url``. ``memory:`` is a temporary file; ``postgresql://`` takes the
    options of PostgreSQL and ``?schema=name``.

    Raises :class:`StoreError` for any other URL, and for a store that cannot be used. Messages
    never contain passwords.
    """
    if url == "memory:":
        folder = TemporaryDirectory(prefix="anaphora-")
        store = SqliteAgentStore(Path(folder.name) / "agents.db", synchronous="normal")
        finalize(store, folder.cleanup)
        return store
    if (path := database_file(url)) is not None:
        return SqliteAgentStore(path)
    if urlsplit(url).scheme in ("postgresql", "postgres"):
        return _open_postgres(url)
    raise StoreError(
        "the URL of a store of agents is memory:, sqlite:///relative.db, sqlite:////absolute.db "
        "or postgresql://user:password@host/database"
    )


def _open_postgres(url: str) -> AgentStore:
    try:
        from anaphora.agents.store.postgres import PostgresAgentStore
    except ImportError as error:
        raise StoreError(
            "a store of agents in PostgreSQL needs its client: pip install 'anaphora[postgres]'"
        ) from error
    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    schema = dict(options).get("schema", "anaphora_agents")
    # The options of PostgreSQL stay as they were written: a space in them is %20.
    query = "&".join(part for part in parts.query.split("&") if not part.startswith("schema="))
    return PostgresAgentStore(urlunsplit(parts._replace(query=query)), schema=schema)


def sibling_url(url: str | None, part: str) -> str:
    """Return the URL of a store beside that of the long-term memory at ``url`` (None: unknown):
    a file of its own, or a schema of its own.

    Raises :class:`StoreError` if the URL is unknown.
    """
    if url is None:
        raise StoreError(f"name a URL for the {part} of the agent: its memory has none")
    if url == "memory:":
        return url
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        path = Path(parts.path)
        return f"sqlite://{path.with_name(f'{path.stem}-{part}{path.suffix}')}"
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    options["schema"] = f"{options.get('schema', 'anaphora')}_{part}"
    return urlunsplit(parts._replace(query=urlencode(options)))
