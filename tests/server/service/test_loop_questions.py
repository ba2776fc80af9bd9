"""A service whose bot is only declared answers from its event loop, with a store on a server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from starlette.testclient import TestClient

from anaphora import Engine, StoreError, parse_model
from anaphora.server.observability.instrumented_store import InstrumentedStore
from anaphora.server.observability.metrics import Metrics
from anaphora.server.observability.tracing import NO_TRACING
from anaphora.server.problems import ProblemError
from anaphora.server.service.deadline import CommitGuard
from anaphora.stm.stores.redis.store import RedisStore
from tests.server.conftest import Serve
from tests.server.sample_bots import LAMP, TEA
from tests.server.test_problems import slug
from tests.support.redis_server import RedisServer, redis_server  # noqa: F401 - a fixture


@pytest.fixture
def store(redis_server: RedisServer) -> Iterator[RedisStore]:  # noqa: F811
    with redis_server.client() as client:
        client.flushall()
    with closing(RedisStore(redis_server.url)) as store:
        yield store


@pytest.fixture
def metrics() -> Metrics:
    return Metrics()


@pytest.fixture
def api(serve: Serve, store: RedisStore, metrics: Metrics) -> TestClient:
    instrumented = InstrumentedStore(store)
    instrumented.instrument(metrics, NO_TRACING)
    return serve(of=Engine(parse_model(LAMP), parse_model(TEA), store=instrumented))


def ask(api: TestClient, text: str, **fields: str) -> dict[str, object]:
    answer = api.post("/v1/ask", json={"user": "ann", "text": text, **fields})
    body: dict[str, object] = answer.json()
    return body


def test_questions_need_no_thread_and_their_store_is_measured(
    api: TestClient, metrics: Metrics
) -> None:
    before = {thread.name for thread in threading.enumerate()}
    assert ask(api, "lamp on", model="lamp")["status"] == "matched"
    assert ask(api, "lamp on")["model"] == "lamp"  # the active one
    new = {thread.name for thread in threading.enumerate()} - before
    assert not [name for name in new if name.startswith("anaphora_")]
    measured = metrics.render().decode()
    for operation in ("open", "commit"):
        assert f'anaphora_store_seconds_count{{operation="{operation}"}} 2.0' in measured


def test_errors_are_problems_and_a_refused_question_changes_nothing(
    api: TestClient, store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = api.post("/v1/ask", json={"text": "lamp on", "model": "lamp", "language": "xx"})
    assert answer.status_code == 422

    def refuse(guard: CommitGuard) -> None:
        raise ProblemError("shutting-down")

    with monkeypatch.context() as patched:
        patched.setattr(CommitGuard, "begin", refuse)
        refused = api.post("/v1/ask", json={"text": "lamp on", "model": "lamp"})
        assert slug(refused) == "shutting-down"
    assert list(store.keys()) == []

    def fail(*_: object, **__: object) -> None:
        raise StoreError("away")

    monkeypatch.setattr(RedisStore, "_hold", fail)
    monkeypatch.setattr(store, "_asynchronous", None)
    assert (
        slug(api.post("/v1/ask", json={"text": "lamp on", "model": "lamp"})) == "store-unavailable"
    )
