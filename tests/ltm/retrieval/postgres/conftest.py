"""Recall stores in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore
from tests.ltm.retrieval.postgres.database import SETTINGS
from tests.support.postgres_server import PostgresServer, with_pgvector


@pytest.fixture
def schema(postgres_server) -> str:
    return postgres_server.schema()


@pytest.fixture
def store(postgres_server, schema) -> Iterator[PostgresRecallStore]:
    with closing(PostgresRecallStore(postgres_server.url, settings=SETTINGS, schema=schema)) as it:
        yield it


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server that a test may harm."""
    with PostgresServer(with_pgvector()) as server:
        yield server
