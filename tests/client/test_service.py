"""The clients before the service itself: over a socket, and (with await) in one process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
import uvicorn

from anaphora.client import (
    AsyncClient,
    Client,
    Forbidden,
    Invalid,
    NotFound,
    Reply,
    ServerError,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)
from anaphora.engine.engine import Engine
from anaphora.server.app import create_app
from anaphora.server.auth.keys import generate_key
from anaphora.server.settings.model import Settings
from tests.client.conftest import type_names

SHOP = """\
id: shop
elements:
  - {id: buy, id_synonym: false, synonyms: [I want]}
  - {id: thing, id_synonym: false, values: [tea, cake, poison]}
intents:
  - "intent=order term(buy)~{# == 'buy'} term(thing)~{# == 'thing'}"
prompts:
  order: {thing: What?}
samples:
  - dialog:
      - {ask: I want tea, intent: order}
"""
DEADLINE = 60.0  # seconds; nothing here takes as many


@dataclass
class Running:
    """A service under test: its address, its keys, and what its handler was asked for."""

    url: str
    app: Any
    keys: dict[str, str]
    orders: list[str]
    file: Path


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    file = tmp_path_factory.mktemp("shop") / "shop.yaml"
    file.write_text(SHOP, encoding="utf-8")
    made = {
        "all": generate_key("all", scopes=("ask", "read", "write", "admin"), rate="100000/minute"),
        "asks": generate_key("asks", scopes=("ask",)),
        "slow": generate_key("slow", scopes=("ask",), rate="1/day"),
        "brisk": generate_key("brisk", scopes=("ask",), rate="1/second"),
        "ann": generate_key("ann", scopes=("ask", "read"), user="ann"),
    }
    settings = Settings(models=(str(file), "cafe"), keys=[kept for _, kept in made.values()])
    orders: list[str] = []
    with Engine(*settings.models) as engine:

        @engine.on("order")
        def order(thing: str) -> str:
            orders.append(thing)
            if thing == "poison":
                raise RuntimeError("never")
            return f"Here is your {thing}."

        app = create_app(settings, engine=engine)
        with serving(app) as url:
            keys = {name: text for name, (text, _) in made.items()}
            yield Running(url, app, keys, orders, file)


class serving:  # noqa: N801 - a context manager
    """The address of an app that a server in a thread serves."""

    def __init__(self, app: Any) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._server = uvicorn.Server(uvicorn.Config(app, log_config=None, access_log=False))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    def __enter__(self) -> str:
        self._thread.start()
        wait_until(lambda: self._server.started)
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(DEADLINE)
        self._socket.close()
        assert not self._thread.is_alive()


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(params=["sync", "async", "in-process"])
def call(request: pytest.FixtureRequest, running: Running) -> Callable[..., Any]:
    """``call("ask", "I want tea", key="asks")``, as a new client."""

    def call(method: str, *arguments: Any, key: str = "all", **options: Any) -> Any:
        text = running.keys.get(key, key)
        if request.param == "sync":
            with Client(running.url, text) as client:
                found = getattr(client, method)(*arguments, **options)
                return list(found) if isinstance(found, Iterator) else found

        async def run() -> Any:
            inside = request.param == "in-process"
            transport = httpx.ASGITransport(running.app) if inside else None
            async with AsyncClient(running.url, text, transport=transport) as client:
                found = getattr(client, method)(*arguments, **options)
                if hasattr(found, "__aiter__"):
                    return [event async for event in found]
                return await found

        return anyio.run(run)

    call.user = f"user of {request.node.name}"  # type: ignore[attr-defined]  # each test its own
    return call


def test_a_follow_up_is_completed_from_memory(call: Any) -> None:
    assert call("ask", "I want tea", user=call.user).text == "Here is your tea."
    reply = call("ask", "and a cake", user=call.user, explain=True)
    assert reply.text == "Here is your cake."
    assert (reply.slots["buy"].source, reply.slots["thing"].source) == ("memory", "sentence")
    assert reply.explanation.forgotten[0].rule == "evicted"
    assert (reply.model, reply.user) == ("shop", call.user)


def test_an_incomplete_question_says_what_it_lacks(call: Any) -> None:
    reply = call("ask", "I want", user=call.user)
    assert (reply.status, reply.missing, reply.prompt) == ("incomplete", ("thing",), "What?")
    found = call("conversation", user=call.user)
    assert found.pending.missing == ("thing",)
    assert found.pending.entities[0].element == "buy"


def test_the_conversation_is_shown_and_forgotten(call: Any) -> None:
    call("ask", "I want tea", user=call.user)
    found = call("conversation", user=call.user)
    assert {one.element: one.value for one in found.remembered}["thing"] == "tea"
    assert found.flow[0].intent == "order"
    assert found.expires - found.last == found.timeout
    after = call("forget", user=call.user, group="thing")
    assert [one.element for one in after.remembered] == ["buy"]
    assert not call("forget", user=call.user).remembered


def test_why_is_told_without_asking(call: Any, running: Running) -> None:
    before = len(running.orders)
    found = call("explain", "I want cake", user=call.user)
    assert (found.status, found.matches[0].intent) == ("matched", "order")
    assert len(running.orders) == before
    assert call("conversation", user=call.user).questions == 0


def test_several_questions_stop_at_the_first_that_fails(call: Any) -> None:
    dialog = call("dialog", ["I want tea", "and poison", "and cake"], user=call.user)
    assert [reply.text for reply in dialog.replies] == ["Here is your tea."]
    assert isinstance(dialog.problem, ServerError)
    assert dialog.problem.slug == "handler-failed"
    assert call("conversation", user=call.user).questions == 1


def test_events_come_for_each_question(call: Any) -> None:
    found = call("events", ["I want tea", "and cake"], user=call.user, explain=True)
    assert type_names(found) == ["QuestionEvent", "Explanation", "Reply"] * 2 + ["EndEvent"]
    texts = [event.text for event in found if isinstance(event, Reply)]
    assert texts == ["Here is your tea.", "Here is your cake."]
    assert found[-1].answered == 2


def test_an_event_that_is_a_problem_is_raised(call: Any) -> None:
    with pytest.raises(ServerError) as told:
        call("events", ["I want tea", "and poison"], user=call.user)
    assert told.value.slug == "handler-failed"


def test_the_model_of_a_user_is_switched(call: Any) -> None:
    assert call("active_model", user=call.user).model == "shop"
    assert call("switch", "cafe", user=call.user).model == "cafe"
    reply = call("ask", "How much is a coffee at Costa?", user=call.user)
    assert (reply.model, reply.intent) == ("cafe", "price")
    assert call("switch", None, user=call.user).model == "shop"


def test_models_are_listed_shown_checked_and_reloaded(call: Any) -> None:
    shop, cafe = call("models")
    assert (shop.id, shop.default, cafe.id, cafe.default) == ("shop", True, "cafe", False)
    assert (shop.elements, shop.intents) == (2, 1)
    found = call("model", "shop")
    assert found.elements[1].values == ("tea", "cake", "poison")
    assert [term.name for term in found.intents[0].terms] == ["buy", "thing"]
    assert found.samples == (("I want tea",),)
    report = call("check", "cafe")
    assert report.passed
    assert report.dialogs[0].turns[0].status == "matched"
    assert call("reload", "shop").id == "shop"


def test_a_model_with_mistakes_is_told_with_its_place(call: Any, running: Running) -> None:
    running.file.write_text(SHOP.replace("term(buy)", "term(buy"), encoding="utf-8")
    try:
        with pytest.raises(Invalid) as told:
            call("reload", "shop")
    finally:
        running.file.write_text(SHOP, encoding="utf-8")
    assert told.value.slug == "model-invalid"
    assert "shop.yaml:" in told.value.errors[0].where
    assert call("ask", "I want tea", user=call.user).status == "matched"


def test_the_service_tells_of_itself(call: Any) -> None:
    health = call("health")
    assert (health.status, health.quarantined) == ("ok", 0)
    assert call("ready").ready
    found = call("key", key="ann")
    assert (found.id, found.user, set(found.scopes)) == ("ann", "ann", {"ask", "read"})


def test_a_key_of_one_user_speaks_for_that_user(call: Any) -> None:
    assert call("conversation", key="ann").user == "ann"
    with pytest.raises(Forbidden):
        call("conversation", user="ben", key="ann")


@pytest.mark.parametrize("key", ["ana_all_wrong", "ana_nobody_x"])
def test_a_wrong_key_is_told_without_being_shown(call: Any, key: str) -> None:
    with pytest.raises(Unauthorized) as told:
        call("ask", "I want tea", key=key)
    assert key not in str(told.value)


def test_a_key_without_the_scope_is_told(call: Any) -> None:
    with pytest.raises(Forbidden):
        call("models", key="asks")


def test_an_unknown_model_is_told(call: Any) -> None:
    with pytest.raises(NotFound, match=r"models\(\) lists") as told:
        call("ask", "I want tea", model="shoop")
    assert told.value.slug == "unknown-model"


def test_a_mistake_in_the_request_is_told_with_its_place(call: Any) -> None:
    with pytest.raises(Invalid) as told:
        call("ask", "I want tea", time_zone="Europe/Nowhere")
    assert told.value.errors[0].where == "time_zone"


def test_a_used_up_rate_says_when_to_try_again(call: Any) -> None:
    with suppress(TooManyRequests):  # an earlier test may have used it up
        call("ask", "I want tea", key="slow", user=call.user)
    with pytest.raises(TooManyRequests) as told:
        call("ask", "I want tea", key="slow", user=call.user)
    assert told.value.retry_after > 60


def test_a_short_wait_for_the_rate_is_waited(running: Running) -> None:
    with Client(running.url, running.keys["brisk"], retries=5) as client:
        replies = [client.ask("I want tea", user="brisk") for _ in range(2)]
    assert [reply.status for reply in replies] == ["matched", "matched"]


def test_many_threads_share_a_client(running: Running) -> None:
    texts: list[str] = []
    with Client(running.url, running.keys["all"]) as client:

        def ask(number: int) -> None:
            texts.extend(
                client.ask(text, user=f"thread {number}").text
                for text in ("I want tea", "and cake")
            )

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
    assert sorted(texts) == ["Here is your cake."] * 8 + ["Here is your tea."] * 8


def test_many_requests_are_under_way_at_once(running: Running) -> None:
    async def ask_all() -> list[str]:
        found: list[str] = []
        async with AsyncClient(running.url, running.keys["all"]) as client:

            async def ask(number: int) -> None:
                found.append((await client.ask("I want tea", user=f"task {number}")).text)

            async with anyio.create_task_group() as group:
                for number in range(16):
                    group.start_soon(ask, number)
        return found

    assert anyio.run(ask_all) == ["Here is your tea."] * 16


def test_a_port_where_nobody_listens_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with (
        Client(f"http://127.0.0.1:{port}", sleep=lambda seconds: None) as client,
        pytest.raises(Unreachable, match=f"127.0.0.1:{port} cannot be reached"),
    ):
        client.health()


def test_a_server_that_dies_in_the_middle_is_not_asked_twice() -> None:
    """It takes the question, and closes the connection without a word."""
    asked: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                asked.append(connection.recv(65_536))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with (
            Client(url, sleep=lambda seconds: None) as client,
            pytest.raises(Unreachable) as told,
        ):
            client.ask("I want tea")
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(DEADLINE)
    assert told.value.maybe_done
    assert len(asked) == 1
