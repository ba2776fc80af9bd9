"""The service ends when it is told to: what is under way is finished, and nothing keeps it."""

from __future__ import annotations

import json
import signal
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from anaphora import Engine, parse_model
from anaphora.core.request import User
from anaphora.server.nlpcraft.state_store import StateStore
from anaphora.server.processes.shutdown import ForcedExit
from anaphora.stm.stores.memory import MemoryStore
from tests.server.conftest import Serve, Shop
from tests.server.sample_bots import TEA, WAIT_LIMIT, OrderHandler
from tests.server.server_process import ServerProcess, wait_until, write_bot
from tests.server.test_problems import slug


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def ask_slowly(server: ServerProcess, pool: ThreadPoolExecutor) -> Future[dict[str, Any]]:
    """A question that is being answered, until the file "go on" is there."""
    answer = pool.submit(server.ask, "apples slowly")
    wait_until((server.folder / "waiting").exists, "the question")
    return answer


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.thorough), "2"])
def test_what_is_under_way_is_finished_and_nobody_else_is_let_in(
    workers: str, tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    write_bot(tmp_path)
    store = "sqlite:///kept.db"
    arguments = ("counter.yaml", "--store", store, "--workers", workers)
    with ServerProcess(tmp_path, *arguments) as server, httpx.Client(timeout=WAIT_LIMIT) as early:
        early.get(f"{server.url}/health")  # a connection that is open when the end begins
        answer = ask_slowly(server, pool)
        server.send(signal.SIGTERM)

        def is_closed() -> bool:
            try:
                return server.get("/v1/models").status_code == 503
            except httpx.TransportError:
                return True

        wait_until(is_closed, "the end")
        assert server.process.poll() is None
        assert not answer.done()
        (tmp_path / "go on").touch()
        assert answer.result(WAIT_LIMIT)["result"] == {"thing": "apples", "questions": 1}
        assert server.process.wait(WAIT_LIMIT) == 0, server.errors
        assert "Traceback" not in server.errors
    with closing(sqlite3.connect(tmp_path / "kept.db")) as kept:
        assert kept.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with ServerProcess(tmp_path, "counter.yaml", "--store", store) as server:
        assert server.ask("again")["result"] == {"thing": "apples", "questions": 2}


def test_it_prints_its_address_and_ctrl_c_ends_it_without_a_traceback(tmp_path: Path) -> None:
    with ServerProcess(tmp_path, "sales") as server:
        assert server.output == f"Anaphora answers at {server.url} (Ctrl-C stops it)\n"
        assert server.stop(signal.SIGINT) == 0
        assert "Traceback" not in server.errors
        assert [json.loads(line)["event"] for line in server.errors.splitlines()][-1] == "ended"


def test_a_second_ctrl_c_ends_at_once(tmp_path: Path, pool: ThreadPoolExecutor) -> None:
    write_bot(tmp_path)
    with ServerProcess(tmp_path, "counter.yaml") as server:
        answer = ask_slowly(server, pool)
        server.send(signal.SIGINT)
        wait_until(server.is_down, "the end")
        assert server.stop(signal.SIGINT) == 130
        with pytest.raises(httpx.TransportError):
            answer.result(WAIT_LIMIT)


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.thorough), "2"])
def test_a_question_that_outlasts_the_grace_is_told_that_it_changed_nothing_and_it_has_not(
    workers: str, tmp_path: Path, pool: ThreadPoolExecutor
) -> None:
    write_bot(tmp_path)
    kept = ("counter.yaml", "--store", "sqlite:///kept.db", "--memory", "sqlite:///memory.db")
    grace = {"ANAPHORA_SHUTDOWN_GRACE": "0.5"}
    with ServerProcess(tmp_path, *kept, "--workers", workers, env=grace) as server:
        slow = pool.submit(server.try_ask, "apples slowly", user="ann")
        wait_until((tmp_path / "waiting").exists, "the question")
        server.send(signal.SIGTERM)
        answer = slow.result(WAIT_LIMIT)
        assert slug(answer) == "shutting-down"
        assert "changed nothing" in answer.json()["detail"]
        assert answer.headers["retry-after"].isdecimal()
        assert server.process.wait(WAIT_LIMIT) == 0, server.errors
        assert "Traceback" not in server.errors
        assert server.errors.count('"ended"') == int(workers)
    with ServerProcess(tmp_path, *kept) as server:
        assert server.get("/v1/conversation?user=ann").json()["questions"] == 0
        assert server.get("/v1/history?user=ann").json()["exchanges"] == []
        (tmp_path / "go on").touch()
        assert server.ask("apples slowly", user="ann")["result"]["questions"] == 1


class TestTheDeadline:
    """The moment at which what is under way is given up."""

    def test_a_handler_that_returns_too_late_keeps_nothing(
        self, serve: Serve, engine: Engine, bar: OrderHandler, pool: ThreadPoolExecutor
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()
        bar.handler = waiting(begun, go_on)
        api = serve()
        answer = pool.submit(api.post, "/v1/ask", json={"text": "I'd like a large tea"})
        assert begun.wait(WAIT_LIMIT)
        app(api).state.gate.close(0.0)
        assert slug(answer.result(WAIT_LIMIT)) == "shutting-down"
        go_on.set()
        wait_until(lambda: not app(api).state.service.is_busy, "the handler")
        assert engine.conversation().questions == 0

    def test_an_answer_that_is_being_kept_is_given(
        self, serve: Serve, shop: Shop, pool: ThreadPoolExecutor
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()
        engine = Engine(parse_model(TEA), store=SlowToKeep(begun, go_on), clock=shop.clock)
        engine.on("order")(lambda drink: drink)
        api = serve(of=engine)
        answer = pool.submit(api.post, "/v1/ask", json={"text": "I'd like a tea"})
        assert begun.wait(WAIT_LIMIT)
        app(api).state.gate.close(0.0)
        assert slug(api.get("/v1/models")) == "shutting-down"
        go_on.set()
        assert answer.result(WAIT_LIMIT).json()["status"] == "matched"
        assert engine.conversation().questions == 1

    def test_a_change_that_the_store_does_not_confirm_is_not_called_undone(
        self, serve: Serve, shop: Shop, pool: ThreadPoolExecutor
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()
        engine = Engine(parse_model(TEA), store=SlowToKeep(begun, go_on), clock=shop.clock)
        engine.on("order")(lambda drink: drink)
        api = serve(of=engine)
        answer = pool.submit(api.post, "/v1/ask", json={"text": "I'd like a tea"})
        assert begun.wait(WAIT_LIMIT)
        app(api).state.gate.close(0.0)
        assert slug(answer.result(WAIT_LIMIT)) == "store-unavailable"
        assert "has not confirmed" in answer.result().json()["detail"]
        go_on.set()

    def test_an_erasure_that_has_begun_is_not_called_undone(
        self, serve: Serve, shop: Shop, pool: ThreadPoolExecutor
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()
        engine = Engine(parse_model(TEA), store=SlowToScrub(begun, go_on), clock=shop.clock)
        engine.ask("I'd like a tea")
        api = serve(of=engine)
        answer = pool.submit(api.delete, "/v1/user")
        assert begun.wait(WAIT_LIMIT)
        app(api).state.gate.close(0.0)
        assert slug(answer.result(WAIT_LIMIT)) == "store-unavailable"
        assert "has not confirmed" in answer.result().json()["detail"]
        go_on.set()

    def test_what_waits_for_its_turn_is_not_asked_any_more(
        self, serve: Serve, bar: OrderHandler, pool: ThreadPoolExecutor
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()
        bar.handler = waiting(begun, go_on)
        api = serve()
        first = pool.submit(api.post, "/v1/ask", json={"text": "I'd like a large tea"})
        assert begun.wait(WAIT_LIMIT)
        second = pool.submit(api.post, "/v1/ask", json={"text": "I'd like a small tea"})
        forgetting = pool.submit(api.delete, "/v1/conversation")
        service = app(api).state.service
        wait_until(lambda: next(iter(service._locks._entries.values())).users == 3, "the others")
        app(api).state.gate.close(0.0)
        refused = [slug(one.result(WAIT_LIMIT)) for one in (first, second, forgetting)]
        assert refused == ["shutting-down"] * 3
        go_on.set()

    def test_of_a_dialog_what_was_answered_before_stays(
        self, serve: Serve, engine: Engine, bar: OrderHandler, pool: ThreadPoolExecutor
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()

        def serve_tea(size: str | None) -> Any:
            return waiting(begun, go_on)() if size else "tea"

        bar.handler = serve_tea
        api = serve()
        body = {"texts": ["I'd like a tea", "I'd like a large tea", "I'd like a tea"]}
        answer = pool.submit(api.post, "/v1/dialog", json=body)
        assert begun.wait(WAIT_LIMIT)
        app(api).state.gate.close(0.0)
        told = answer.result(WAIT_LIMIT).json()
        assert [reply["status"] for reply in told["replies"]] == ["matched"]
        assert told["problem"]["type"] == "urn:anaphora:problem:shutting-down"
        go_on.set()
        wait_until(lambda: not app(api).state.service.is_busy, "the handler")
        assert engine.conversation().questions == 1

    def test_an_enlisted_question_is_told_to_have_been_given_up(
        self, serve: Serve, engine: Engine, bar: OrderHandler
    ) -> None:
        begun, go_on = threading.Event(), threading.Event()
        bar.handler = waiting(begun, go_on)
        api = serve(nlpcraft=True)
        ask = {"txt": "I'd like a large tea", "mdlId": "tea"}
        assert api.post("/nlpcraft/api/v1/ask", json=ask).status_code == 200
        assert begun.wait(WAIT_LIMIT)
        app(api).state.gate.close(0.0)
        shelf = StateStore(engine.store, User("user"), clock=engine._clock)
        wait_until(lambda: shelf.states()[0].is_ready, "the state")
        assert "changed nothing" in str(shelf.states()[0].error)
        go_on.set()
        wait_until(lambda: not app(api).state.service.is_busy, "the handler")
        assert engine.conversation().questions == 0

    def test_a_process_that_has_closed_everything_ends_well_whatever_still_runs(self) -> None:
        codes: list[int] = []
        late, stuck, good = (ForcedExit(codes.append) for _ in range(3))
        late._end()
        stuck.mark_closed(is_busy=True)
        good.mark_closed(is_busy=False)
        assert codes == [1, 0]


class SlowToKeep(MemoryStore):
    """A store that waits before it keeps anything."""

    def __init__(self, begun: threading.Event, go_on: threading.Event) -> None:
        super().__init__()
        self._events = begun, go_on

    def _save(self, *args: Any) -> None:
        begun, go_on = self._events
        begun.set()
        assert go_on.wait(WAIT_LIMIT)
        super()._save(*args)


class SlowToScrub(MemoryStore):
    """A store that waits before it removes the last traces of a user."""

    def __init__(self, begun: threading.Event, go_on: threading.Event) -> None:
        super().__init__()
        self._pause = waiting(begun, go_on)

    def scrub(self, user: str, tenant: str = "") -> None:
        self._pause()
        super().scrub(user, tenant)


def waiting(begun: threading.Event, go_on: threading.Event) -> Any:
    """Who serves in the tea room, and waits."""

    def serve() -> str:
        begun.set()
        assert go_on.wait(WAIT_LIMIT)
        return "served"

    return serve


def app(api: TestClient) -> FastAPI:
    assert isinstance(api.app, FastAPI)
    return api.app
