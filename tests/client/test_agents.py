"""Agents over the clients: what they send, what they read, and what they try again."""

from __future__ import annotations

import inspect
from contextlib import closing
from datetime import UTC, datetime

import httpx
import pytest

from anaphora import Agent, AgentLimits
from anaphora.chat_model.chat_model import ChatModel
from anaphora.client import (
    AgentAnswer,
    AgentStep,
    AsyncClient,
    Client,
    NotFound,
    ServerError,
    TextEvent,
    TooManyRequests,
    Unreachable,
)
from tests.client.conftest import Service, problem, stream
from tests.server.app_server import AppServer
from tests.support.chat_endpoint import ScriptedEndpoint, call, calls, fault, say

HELLO = call("send_message", {"message": "Hello, Ann!"}, thought="A new user.")
STEP = {"number": 2, "thought": "A new user.", "calls": [], "at": "2026-01-05T09:00:00Z"}
ANSWER = {"agent": "ada", "user": "ann", "event": "x", "messages": ["Hello!"], "ended": "done"}


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def client(service: Service) -> Client:
    return Client(
        "http://server", transport=httpx.MockTransport(service), sleep=service.slept.append
    )


class TestRequests:
    def test_each_method_sends_what_it_is_given(self, client: Client, service: Service) -> None:
        ada = client.agent("ada", user="ann")
        page = {"agent": "ada", "user": "ann"}
        service.answers(*[ANSWER] * 2, *[page] * 5, *[{"agent": "ada", "source": "s"}] * 2, page)
        ada.send("Hi!", id="x")
        ada.notify("login", id="y")
        ada.edit_block("human", "Name: Ann.")
        ada.edit_memory("hero", {"class": "elf"})
        ada.queue()
        ada.archive("temple", page=2)
        ada.graph("Kyoto", depth=2, at=datetime(2026, 1, 5, tzinfo=UTC))
        ada.add_document("s", "A text.")
        ada.remove_document("s")
        ada.steps(limit=3)
        assert service.sent == [
            ("POST", "/v1/agents/ada/messages", {"user": "ann", "text": "Hi!", "id": "x"}),
            (
                "POST",
                "/v1/agents/ada/events",
                {"user": "ann", "kind": "login", "text": "", "id": "y"},
            ),
            ("PUT", "/v1/agents/ada/core/human", {"user": "ann", "value": "Name: Ann."}),
            (
                "PUT",
                "/v1/agents/ada/memories/hero",
                {"user": "ann", "value": {"class": "elf"}},
            ),
            ("GET", "/v1/agents/ada/queue?user=ann", None),
            ("GET", "/v1/agents/ada/archive?user=ann&q=temple&page=2", None),
            (
                "GET",
                "/v1/agents/ada/graph?user=ann&entity=Kyoto&depth=2"
                "&at=2026-01-05T00%3A00%3A00%2B00%3A00",
                None,
            ),
            ("POST", "/v1/agents/ada/archive", {"user": "ann", "source": "s", "text": "A text."}),
            ("DELETE", "/v1/agents/ada/archive?user=ann&source=s", None),
            ("GET", "/v1/agents/ada/steps?user=ann&limit=3", None),
        ]

    def test_a_message_is_sent_again_with_the_same_id(
        self, client: Client, service: Service
    ) -> None:
        away = problem(503, "chat-model-unavailable", retry_after="5")
        service.answers(httpx.ReadError("broken"), away, ANSWER)
        assert client.agent("ada").send("Hi!").messages == ("Hello!",)
        ids = {body["id"] for _, _, body in service.sent}
        assert (len(ids), len(service.sent), service.slept[1]) == (1, 3, 5.0)

    def test_it_waits_for_a_slow_model(self, client: Client, service: Service) -> None:
        service.answers(ANSWER)
        client.agent("ada").send("Hi!")
        assert service.requests[0].extensions["timeout"]["read"] == 600.0

    def test_a_quota_is_not_waited_for(self, client: Client, service: Service) -> None:
        service.answers(problem(429, "quota-exceeded", retry_after="36000"))
        with pytest.raises(TooManyRequests, match="try again in 36000 s"):
            client.agent("ada").send("Hi!")

    def test_both_clients_have_the_same_methods(self) -> None:
        ours, theirs = (
            {
                name: str(inspect.signature(method).replace(return_annotation=None))
                for name, method in inspect.getmembers(type(client.agent("ada")), callable)
                if not name.startswith("_")
            }
            for client in (Client("http://server"), AsyncClient("http://server"))
        )
        assert ours == theirs
        assert ours["send"] == "(self, /, text: 'str', *, id: 'str | None' = None) -> None"


class TestStream:
    def test_events_come_as_values(self, client: Client, service: Service) -> None:
        service.answers(stream(("step", STEP), ("text", {"text": "He"}), ("answer", ANSWER)))
        step, text, answer = client.agent("ada").stream("Hi!")
        assert isinstance(step, AgentStep)
        assert text == TextEvent("He")
        assert isinstance(answer, AgentAnswer)
        assert service.requests[0].headers["accept"] == "text/event-stream"

    def test_a_problem_is_raised(self, client: Client, service: Service) -> None:
        wrong = {"type": "urn:anaphora:problem:chat-model-failed", "status": 502, "detail": "no"}
        service.answers(stream(("step", STEP), ("error", wrong)))
        events = client.agent("ada").stream("Hi!")
        assert isinstance(next(events), AgentStep)
        with pytest.raises(ServerError, match="see the log of the server"):
            next(events)

    def test_an_event_of_a_newer_server_is_left_out(self, client: Client, service: Service) -> None:
        service.answers(stream(("dream", {}), ("answer", ANSWER)))
        assert [type(one) for one in client.agent("ada").stream("Hi!")] == [AgentAnswer]

    def test_a_stream_that_ends_early_is_an_error(self, client: Client, service: Service) -> None:
        service.answers(stream(("step", STEP)))
        with pytest.raises(Unreachable, match="ended early"):
            list(client.agent("ada").stream("Hi!"))


def test_a_real_service_and_a_real_agent() -> None:
    saved = call("core_memory_append", {"name": "human", "content": "Name: Ann."})
    script = [calls(saved, HELLO), say("I search."), HELLO, fault("status 400", "no")]
    with (
        ScriptedEndpoint(script) as endpoint,
        closing(ChatModel(endpoint.url, max_retries=0)) as model,
        Agent(model, name="ada", graph="beside", limits=AgentLimits()) as agent,
        AppServer(agents=[agent]) as url,
        Client(url, retries=0) as client,
    ):
        assert [one.name for one in client.agents()] == ["ada"]
        ada = client.agent("ada", user="ann")
        answer = ada.send("Hi, I'm Ann.", id="x")
        assert answer.messages == ("Hello, Ann!",)
        assert ada.send("Hi, I'm Ann.", id="x") == answer
        assert ada.core().blocks[1].value == "Name: Ann."
        assert ada.edit_block("human", "Name: Anna.").blocks[1].value == "Name: Anna."
        *_, last = ada.stream("And now?")
        assert isinstance(last, AgentAnswer)
        assert last.messages == ("I search.",)
        assert [one.event for one in ada.steps().answers] == ["x", last.event]
        assert ada.queue().context.window == 8_192
        assert ada.usage().total.calls == 2
        agent.flush()
        assert ada.recall("Ann").passages
        assert ada.add_document("diary", "The temple is golden.").passages == 1
        assert ada.archive("temple").passages[0].source == "diary"
        assert ada.archive().sources[0].passages == 1
        assert ada.remove_document("diary").passages == 1
        assert ada.graph().facts == ()
        with pytest.raises(NotFound, match=r"agents\(\) lists the agents"):
            client.agent("adam").core()
        assert client.erase(user="ann").agent_records > 0


@pytest.mark.anyio
async def test_a_real_service_and_the_asynchronous_client() -> None:
    with (
        ScriptedEndpoint([HELLO, HELLO]) as endpoint,
        closing(ChatModel(endpoint.url)) as model,
        Agent(model, name="ada") as agent,
        AppServer(agents=[agent]) as url,
    ):
        async with AsyncClient(url) as client:
            ada = client.agent("ada", user="ann")
            assert (await ada.send("Hi!")).messages == ("Hello, Ann!",)
            events = [event async for event in ada.stream("Hi again!")]
            assert isinstance(events[-1], AgentAnswer)
            assert events[-1].messages == ("Hello, Ann!",)
            assert (await ada.queue()).total == 6
