"""Stores in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from anaphora.stm.stores.postgres.store import PostgresStore
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture


@pytest.fixture
def schema(postgres_server: PostgresServer) -> str:  # noqa: F811
    return postgres_server.schema()


@pytest.fixture
def open_store(
    postgres_server: PostgresServer,  # noqa: F811
    schema: str,
) -> Iterator[Callable[..., PostgresStore]]:
    """Stores that know nothing of each other, as those of different processes."""
    made: list[PostgresStore] = []

    def open_one(**options: Any) -> PostgresStore:
        made.append(PostgresStore(postgres_server.url, schema=schema, **options))
        return made[-1]

    yield open_one
    for store in made:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., PostgresStore]) -> PostgresStore:
    return open_store()


@pytest.fixture
def client(
    postgres_server: PostgresServer,  # noqa: F811
    schema: str,
) -> Iterator[psycopg.Connection[Any]]:
    """A client of the server, for which the tables of the stores need no schema."""
    with postgres_server.client() as client:
        client.execute(f"SET search_path TO {schema}")
        yield client
