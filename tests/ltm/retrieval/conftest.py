"""The kinds of recall stores that the contract suite runs against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anaphora.ltm.history.measure import Measure
from anaphora.ltm.history.working_history import HistorySettings
from anaphora.ltm.retrieval.store import RecallStore
from tests.ltm.retrieval.store_contract import Home
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture

STORES = ("sqlite", "postgres", "postgres without pgvector")


@pytest.fixture(params=STORES)
def home(request, new_home) -> Iterator[Home]:
    """A home of any kind of store."""
    with new_home(request.param) as made:
        yield made


@pytest.fixture
def make_store(home) -> Callable[..., RecallStore]:
    """Makes another store on the same data, of these settings and this measure."""
    return home.store


@pytest.fixture
def store(home) -> RecallStore:
    return home.store()


@pytest.fixture
def new_home(request, tmp_path) -> Callable[[str], Home]:
    """Makes a home of the named kind."""

    def make(kind: str) -> Home:
        if kind == "sqlite":
            return _in_files(tmp_path)
        server = request.getfixturevalue("postgres_server")
        return _in_postgres(server, pgvector=kind == "postgres")

    return make


def _in_files(folder: Path) -> Home:
    from anaphora.ltm.retrieval.sqlite.store import SqliteRecallStore

    def make(place: int, settings: HistorySettings, measure: Measure) -> RecallStore:
        return SqliteRecallStore(  # not waiting for the disk is quicker
            folder / f"{place}.db", settings=settings, measure=measure, synchronous="normal"
        )

    return Home(make)


def _in_postgres(server: PostgresServer, *, pgvector: bool) -> Home:
    from anaphora.ltm.retrieval.postgres.store import PostgresRecallStore

    schema = server.schema()

    def make(place: int, settings: HistorySettings, measure: Measure) -> RecallStore:
        return PostgresRecallStore(
            server.url,
            settings=settings,
            measure=measure,
            schema=f"{schema}_{place}",
            pgvector=pgvector,
        )

    return Home(make)
