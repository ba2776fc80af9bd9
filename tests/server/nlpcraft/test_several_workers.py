"""Workers that share a store: what one has enlisted, another tells and cancels."""

from __future__ import annotations

import pytest

from anaphora import MemoryStore, store_at
from tests.server.nlpcraft.api_client import (
    ANNS,
    KEYS,
    OTHER,
    SHOP,
    BlockingHandler,
    running_api,
    weather,
)
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.redis_server import RedisServer


@pytest.fixture(scope="module", params=["memory", "sqlite", "redis", "postgres"])
def stores(request, tmp_path_factory):
    """Makes the stores of several workers, which share what they keep."""
    if request.param == "memory":
        shared = MemoryStore()
        yield lambda: shared
        return
    if request.param == "sqlite":
        file = tmp_path_factory.mktemp("store") / "bot.db"
        yield lambda: store_at(f"sqlite:///{file}")
        return
    with RedisServer() if request.param == "redis" else PostgresServer(with_pgvector()) as server:
        yield lambda: store_at(server.url)


@pytest.fixture(scope="module")
def workers(stores):
    """Two workers, and a gate in the first."""
    made = [stores(), stores()]
    one, other = (weather(store=store) for store in made)
    gate = BlockingHandler(one)
    with running_api(one, *KEYS) as first, running_api(other, *KEYS) as second:
        yield first.with_key(SHOP), second.with_key(SHOP), gate
    for store in made:
        store.close()


def test_a_question_of_one_is_ready_at_the_other(workers):
    first, second, _ = workers
    id = first.ask("weather in Tokyo today", usrId="a")
    assert second.ready(id, usrId="a")["resBody"] == "Tokyo, today"
    assert second.check(usrId="a") == first.check(usrId="a")


def test_a_dialog_goes_on_from_worker_to_worker(workers):
    first, second, _ = workers
    cities = ["Tokyo", "Kyoto", "New York"]
    for number, city in enumerate(cities * 2):
        worker, other = (first, second) if number % 2 else (second, first)
        id = worker.ask(f"And in {city}?" if number else "weather in Tokyo now", usrId="b")
        assert other.ready(id, usrId="b")["resBody"] == f"{city}, now"


def test_each_tells_which_worker_answers(workers):
    first, second, _ = workers
    one, other = first.ask("weather", usrId="c"), second.ask("weather", usrId="c")
    probes = {first.ready(id, usrId="c")["probeId"] for id in (one, other)}
    assert len(probes) == 2


def test_the_other_cancels_what_waits_and_what_is_being_answered(workers):
    first, second, gate = workers
    gate.close()
    first.ask("weather in Tokyo", usrId="d")
    gate.wait()
    waiting = first.ask("weather in Kyoto", usrId="d")
    assert {state["status"] for state in second.check(usrId="d")} == {"QRY_ENLISTED"}
    second.post("cancel", usrId="d")
    gate.open()
    assert first.ready(first.ask("weather in New York", usrId="d"), usrId="d")
    assert gate.cities == ["Tokyo", "New York"]
    assert waiting not in {state["srvReqId"] for state in first.check(usrId="d")}
    assert len(second.check(usrId="d")) == 1


def test_no_key_sees_another_tenants_questions_on_any_worker(workers):
    first, second, _ = workers
    id = first.ask("weather in Tokyo", usrId="ann")
    first.ready(id, usrId="ann")
    for worker in (first, second):
        other = worker.with_key(OTHER)
        assert other.check(usrId="ann") == []
        other.post("cancel", usrId="ann", srvReqIds=[id])
    assert second.with_key(ANNS).check(srvReqIds=[id]) == first.check(usrId="ann")


def test_clearing_at_one_clears_for_both(workers):
    first, second, _ = workers
    first.ask_sync("weather in Tokyo now", usrId="e")
    second.post("clear/conversation", usrId="e")
    assert first.ask_sync("And in Kyoto?", usrId="e")["errorCode"] == 1


def test_twenty_questions_of_a_user_wait_on_all_workers_together(workers):
    first, second, gate = workers
    gate.close()
    ids = [first.ask("weather in Tokyo", usrId="f") for _ in range(20)]
    assert second.refused("ask", txt="weather", usrId="f")[0] == 429
    gate.open()
    for id in ids:
        second.ready(id, usrId="f")
    assert second.ready(second.ask("weather", usrId="f"), usrId="f")["resBody"] == "Tokyo"
