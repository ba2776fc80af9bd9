"""``GET /health`` counts the conversations that a store has put aside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora import Engine, StoreError, parse_model, store_at
from anaphora.api.operations import Health
from anaphora.server.observability.instrumented_store import InstrumentedStore
from anaphora.server.service import service
from anaphora.stm.conversation import ConversationKey
from anaphora.stm.stores.redis.keys import KeySpace
from anaphora.stm.stores.sqlite.store import SqliteStore
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.server.sample_bots import TEA
from tests.server.server_process import ServerProcess, wait_until, write_bot
from tests.support.postgres_server import PostgresServer, postgres_server  # noqa: F401 - a fixture
from tests.support.redis_server import RedisServer, redis_server  # noqa: F401 - a fixture

ANN = ConversationKey("ann", "tea")


@pytest.fixture(params=["sqlite", "redis", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[InstrumentedStore]:
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'bot.db'}"
    elif request.param == "postgres":
        database: PostgresServer = request.getfixturevalue("postgres_server")
        with database.client() as client:
            client.execute("DROP SCHEMA IF EXISTS anaphora_conversations CASCADE")
        url = database.url
    else:
        server: RedisServer = request.getfixturevalue("redis_server")
        url = server.url
        with server.client() as client:
            client.flushall()
    with closing(InstrumentedStore(store_at(url))) as store:
        yield store


@pytest.fixture
def api(serve: Serve, store: InstrumentedStore, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(service, "_POLL_INTERVAL", 0.01)
    return serve(of=Engine(parse_model(TEA), store=store))


def damage(request: pytest.FixtureRequest, key: ConversationKey) -> None:
    if "redis" in request.node.name:
        with request.getfixturevalue("redis_server").client() as client:
            client.set(KeySpace("anaphora").record_key(key), b"{", keepttl=True)
        return
    if "postgres" in request.node.name:
        with request.getfixturevalue("postgres_server").client() as client:
            client.execute("UPDATE anaphora_conversations.stm_conversations SET record = '{'")
        return
    path = request.getfixturevalue("tmp_path") / "bot.db"
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE conversations SET record = x'7b'")


def health(api: TestClient) -> dict[str, Any]:
    answer = api.get("/health")
    assert answer.status_code == 200
    assert_described(Health, answer.json())
    plain: dict[str, Any] = answer.json()
    return plain


def ask(api: TestClient, text: str) -> None:
    assert api.post("/v1/ask", json={"user": "ann", "text": text}).status_code == 200


def test_health_counts_the_conversations_that_were_put_aside(
    api: TestClient, request: pytest.FixtureRequest
) -> None:
    ask(api, "I'd like a large tea")
    assert health(api)["quarantined_conversations"] == 0
    damage(request, ANN)
    ask(api, "a coffee")
    wait_until(lambda: health(api)["quarantined_conversations"] == 1, "the count")
    assert health(api)["quarantined"] == 0
    assert api.delete("/v1/conversation", params={"user": "ann"}).status_code == 200
    wait_until(lambda: health(api)["quarantined_conversations"] == 0, "the count")


def test_a_store_that_cannot_be_counted_is_logged_once_and_health_answers(
    api: TestClient,
    store: InstrumentedStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    counted = []

    def fail(self: object) -> int:
        counted.append(1)
        raise StoreError("the disk is gone")

    monkeypatch.setattr(type(store.quarantine), "count", fail)
    wait_until(lambda: len(counted) > 3, "the counts")
    assert health(api)["quarantined_conversations"] == 0
    assert caplog.text.count("the quarantine of the store cannot be counted") == 1


def test_a_store_in_memory_has_none(serve: Serve) -> None:
    assert health(serve())["quarantined_conversations"] == 0


def test_what_is_dropped_while_a_service_runs_is_counted_no_longer(tmp_path: Path) -> None:
    write_bot(tmp_path)
    with (
        ServerProcess(tmp_path, "counter.yaml", "--store", "sqlite:///bot.db") as server,
        closing(SqliteStore(tmp_path / "bot.db")) as store,
    ):

        def count() -> int:
            plain: dict[str, int] = server.get("/health").json()
            return plain["quarantined_conversations"]

        server.ask("apples", user="ann")
        with closing(sqlite3.connect(tmp_path / "bot.db")) as file, file:
            file.execute("UPDATE conversations SET record = x'7b'")
        assert server.ask("apples", user="ann")["result"]["questions"] == 1
        wait_until(lambda: count() == 1, "the count")
        (item,) = store.quarantine.items()
        assert store.quarantine.discard(item.id)
        wait_until(lambda: count() == 0, "the count")
