"""Agents over HTTP: messages, events, streams, and what can go wrong with the language model."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from anaphora.agents.agent import Agent
from anaphora.api import replies as api_replies
from anaphora.api.agents import AgentAnswer, AgentAnswers, AgentList
from anaphora.api.values import decode
from anaphora.chat_model.chat_model import ChatModel
from anaphora.errors import AnaphoraError
from anaphora.server.auth.keys import generate_key
from tests.conftest import Clock
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.server.routes.conftest import hello
from tests.server.sample_bots import WAIT_LIMIT, wait_for
from tests.server.test_problems import slug
from tests.support.chat_endpoint import Reply, ScriptedEndpoint, call, calls, fault, say

EVENT_STREAM = {"accept": "text/event-stream"}


@pytest.fixture
def api(agent_api: TestClient) -> TestClient:
    return agent_api


def send(api: TestClient, text: str, **rest: Any) -> Any:
    return api.post("/v1/agents/ada/messages", json={"user": "ann", "text": text, **rest})


def read_events(response: Any) -> list[tuple[str, Any]]:
    assert response.headers["content-type"].startswith("text/event-stream")
    events = []
    for block in response.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] != ":")
        if fields:
            events.append((fields["event"], json.loads(fields["data"])))
    return events


class TestMessages:
    def test_the_answer_says_what_the_agent_did(
        self, api: TestClient, endpoint: ScriptedEndpoint
    ) -> None:
        saved = call("core_memory_append", {"name": "human", "content": "Name: Ann."})
        endpoint.play([calls(saved, hello())])
        response = send(api, "Hi, I'm Ann.", id="first")
        assert response.status_code == 200, response.text
        plain = response.json()
        assert_described(AgentAnswer, plain)
        assert plain["messages"] == ["Hello, Ann!"]
        (step,) = plain["steps"]
        assert step["thought"] == "A new user. I greet her."
        assert [one["name"] for one in step["calls"]] == ["core_memory_append", "send_message"]
        assert not any(one["failed"] for one in step["calls"])
        assert (plain["agent"], plain["user"], plain["event"]) == ("ada", "ann", "first")
        assert plain["event_text"] == "Hi, I'm Ann."
        assert (plain["kind"], plain["ended"], plain["earlier"]) == ("user_message", "done", [])
        assert plain["usage"]["calls"] == 1
        assert plain["usage"]["prompt_tokens"] > 100

    def test_a_message_with_a_known_id_is_answered_once(
        self, api: TestClient, endpoint: ScriptedEndpoint
    ) -> None:
        endpoint.play([hello(), say("never said")])
        first = send(api, "Hi!", id="x")
        assert send(api, "Hi!", id="x").json() == first.json()
        assert len(endpoint.requests) == 1

    def test_each_message_without_an_id_is_another(
        self, api: TestClient, endpoint: ScriptedEndpoint
    ) -> None:
        endpoint.play([hello("one"), hello("two")])
        first, second = send(api, "Hi!").json(), send(api, "Hi!").json()
        assert (first["messages"], second["messages"]) == (["one"], ["two"])
        assert first["event"] != second["event"]

    def test_users_and_tenants_are_apart(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        (acme, kept), (other, other_kept) = (
            generate_key(name, tenant=name, scopes=("ask", "read")) for name in ("acme", "other")
        )
        api = serve(agents=[ada], keys=(kept, other_kept))
        endpoint.play([hello()])
        body = {"user": "ann", "text": "Hi!"}
        sent = api.post("/v1/agents/ada/messages", json=body, headers={"x-api-key": acme})
        assert sent.status_code == 200, sent.text
        for key, total in ((acme, 3), (other, 0)):
            queue = api.get("/v1/agents/ada/queue?user=ann", headers={"x-api-key": key}).json()
            assert queue["total"] == total

    def test_the_list_names_the_agents(self, api: TestClient) -> None:
        plain = api.get("/v1/agents").json()
        assert_described(AgentList, plain)
        assert plain["agents"] == [
            {
                "name": "ada",
                "model": "small",
                "window": 8192,
                "blocks": ["persona", "human"],
                "graph": True,
            }
        ]

    def test_what_was_done_can_be_read_later(
        self, api: TestClient, endpoint: ScriptedEndpoint
    ) -> None:
        endpoint.play([hello("one"), hello("two")])
        answers = [send(api, "Hi!").json() for _ in range(2)]
        plain = api.get("/v1/agents/ada/steps", params={"user": "ann"}).json()
        assert_described(AgentAnswers, plain)
        assert plain["answers"] == answers
        assert [one["event_text"] for one in plain["answers"]] == ["Hi!", "Hi!"]
        last = api.get("/v1/agents/ada/steps", params={"user": "ann", "limit": 1}).json()
        assert last["answers"] == answers[1:]


class TestFallback:
    """The agent behind the models of the service: the setting `fallback`."""

    def test_what_no_intent_fits_is_answered_by_the_agent(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        api = serve(agents=[ada], fallback="ada")
        endpoint.play([hello("Only of tea.")])
        body = {"user": "ann", "text": "Do you dream?"}
        plain = api.post("/v1/ask", json=body).json()
        assert_described(api_replies.Reply, plain)
        assert (plain["status"], plain["text"]) == ("rejected", "Only of tea.")
        assert plain["answered_by"] == "ada"
        assert decode(api_replies.Reply, plain).answered_by == "ada"
        queue = api.get("/v1/agents/ada/queue?user=ann").json()
        assert queue["messages"][0]["text"] == "Do you dream?"

    def test_what_an_intent_fits_never_reaches_it(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        api = serve(agents=[ada], fallback="ada")
        plain = api.post("/v1/ask", json={"text": "I'd like a tea"}).json()
        assert plain["status"] == "matched"
        assert "answered_by" not in plain
        assert endpoint.requests == []

    def test_it_knows_the_user_of_the_tenant(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        acme, kept = generate_key("acme", tenant="acme", scopes=("ask", "read"))
        api = serve(agents=[ada], fallback="ada", keys=(kept,))
        endpoint.play([hello()])
        body = {"user": "ann", "text": "Do you dream?"}
        assert api.post("/v1/ask", json=body, headers={"x-api-key": acme}).json()["answered_by"]
        assert ada.state("ann", tenant="acme").messages == 3
        assert ada.state("ann").messages == 0

    def test_if_its_model_is_down_the_bot_answers_alone(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        alone = serve().post("/v1/ask", json={"text": "Do you dream?"}).json()
        endpoint.play([fault("status 503")])
        api = serve(agents=[ada], fallback="ada")
        assert api.post("/v1/ask", json={"text": "Do you dream?"}).json() == alone

    def test_nlpcraft_gets_its_answer_as_a_result(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        api = serve(agents=[ada], fallback="ada", nlpcraft=True)
        endpoint.play([hello("Only of tea.")])
        token = api.post(
            "/nlpcraft/api/v1/signin", json={"email": "admin@admin.com", "passwd": "admin"}
        ).json()["acsTok"]
        body = {"acsTok": token, "txt": "Do you dream?", "mdlId": "tea", "usrExtId": "ann"}
        state = api.post("/nlpcraft/api/v1/ask/sync", json=body).json()["state"]
        assert (state["resType"], state["resBody"]) == ("text", "Only of tea.")

    def test_a_name_of_no_agent_is_refused(self, serve: Serve, ada: Agent) -> None:
        with pytest.raises(AnaphoraError, match="the fallback 'adda' is none of the agents"):
            serve(agents=[ada], fallback="adda")


class TestStream:
    def test_steps_come_as_they_happen(self, api: TestClient, endpoint: ScriptedEndpoint) -> None:
        search = call("archival_memory_search", {"query": "Ann", "request_heartbeat": True})
        endpoint.play([search, say("Hello "), hello()])
        body = {"user": "ann", "text": "Hi!"}
        response = api.post("/v1/agents/ada/messages", json=body, headers=EVENT_STREAM)
        events = read_events(response)
        kinds = [kind for kind, _ in events]
        assert kinds[0] == "step"
        assert kinds[-1] == "answer"
        steps = [data for kind, data in events if kind == "step"]
        answer = events[-1][1]
        assert_described(AgentAnswer, answer)
        assert steps == answer["steps"]
        assert "".join([data["text"] for kind, data in events if kind == "text"]) == "Hello "
        assert kinds.index("text") > kinds.index("step")

    def test_a_problem_ends_it(self, api: TestClient, endpoint: ScriptedEndpoint) -> None:
        endpoint.play([fault("status 400", "no such model")])
        body = {"user": "ann", "text": "Hi!"}
        response = api.post("/v1/agents/ada/messages", json=body, headers=EVENT_STREAM)
        ((kind, problem),) = read_events(response)
        assert (kind, problem["status"]) == ("error", 502)

    def test_a_client_that_leaves_loses_no_answer(
        self, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        """A real server: the client of the tests cannot leave."""
        from tests.server.app_server import AppServer

        asked, let_go = threading.Event(), threading.Event()

        def answer_late(body: dict[str, Any]) -> Reply:
            asked.set()
            assert let_go.wait(WAIT_LIMIT)
            return hello()

        endpoint.play(answer_late)
        with AppServer(agents=[ada]) as url:
            body = {"user": "ann", "text": "Hi!", "id": "x"}
            path = f"{url}/v1/agents/ada/messages"
            with httpx.stream("POST", path, json=body, headers=EVENT_STREAM) as response:
                assert response.status_code == 200
                assert asked.wait(WAIT_LIMIT)
            let_go.set()
            wait_for(lambda: (found := ada.answer("x", user="ann")) and found.ended)
            again = httpx.post(path, json=body, timeout=WAIT_LIMIT).json()
        assert again["messages"] == ["Hello, Ann!"]
        assert len(endpoint.requests) == 1


class TestEvents:
    def test_an_agent_may_stay_silent(self, api: TestClient, endpoint: ScriptedEndpoint) -> None:
        endpoint.play([say("Nothing to do.")])
        plain = api.post(
            "/v1/agents/ada/events", json={"user": "ann", "kind": "login", "text": "Ann is back."}
        ).json()
        assert_described(AgentAnswer, plain)
        assert (plain["kind"], plain["messages"], plain["ended"]) == ("login", [], "done")
        assert plain["event_text"] == "Ann is back."
        assert "Ann is back." in json.dumps(endpoint.requests[0]["messages"])

    def test_a_heartbeat_is_ignored_while_they_are_paused(
        self, api: TestClient, endpoint: ScriptedEndpoint, now: Clock
    ) -> None:
        endpoint.play([call("pause_heartbeats", {"minutes": 30}), say("Silence.")])
        body = {"user": "ann", "kind": "heartbeat"}
        api.post("/v1/agents/ada/events", json=body)
        before = len(endpoint.requests)
        plain = api.post("/v1/agents/ada/events", json=body).json()
        assert_described(AgentAnswer, plain)
        assert (plain["ended"], len(endpoint.requests)) == ("ignored", before)
        now.pass_time(hours=1)
        endpoint.play([say("Awake.")])
        assert api.post("/v1/agents/ada/events", json=body).json()["ended"] == "done"

    def test_a_message_is_no_event(self, api: TestClient) -> None:
        body = {"user": "ann", "kind": "user_message", "text": "Hi!"}
        assert slug(api.post("/v1/agents/ada/events", json=body)) == "invalid-request"


class TestProblems:
    def test_an_unknown_agent(self, api: TestClient) -> None:
        response = api.post("/v1/agents/adam/messages", json={"text": "Hi!"})
        assert slug(response) == "unknown-agent"
        assert "ada" in response.json()["detail"]

    def test_a_service_without_agents(self, serve: Serve) -> None:
        response = serve().post("/v1/agents/ada/messages", json={"text": "Hi!"})
        assert slug(response) == "unknown-agent"
        assert "setting 'agents'" in response.json()["detail"]

    def test_an_empty_message(self, api: TestClient) -> None:
        response = send(api, " ")
        assert slug(response) == "agent-refused"
        assert response.json()["detail"] == "The message is empty."

    def test_a_model_that_is_away(self, api: TestClient, endpoint: ScriptedEndpoint) -> None:
        endpoint.play([fault("close"), hello()])
        response = send(api, "Hi!", id="x")
        assert slug(response) == "chat-model-unavailable"
        assert int(response.headers["retry-after"]) >= 1
        again = send(api, "Hi!", id="x")  # the message was kept
        assert again.json()["messages"] == ["Hello, Ann!"]
        assert json.dumps(endpoint.requests[-1]["messages"]).count("Hi!") == 1

    def test_a_model_that_refuses(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        key, kept = generate_key("only-ask", scopes=("ask",))
        api = serve(agents=[ada], keys=(kept,), headers={"x-api-key": key})
        endpoint.play([fault("status 400", "secret")])
        response = send(api, "Hi!")
        assert slug(response) == "chat-model-failed"
        assert "secret" not in response.text  # only an operator may see what the endpoint said

    @pytest.mark.parametrize("kind", ["status 400", "status 503", "not-json", "half-stream"])
    def test_what_failed_can_be_read_without_the_address_of_the_endpoint(
        self,
        serve: Serve,
        ada: Agent,
        endpoint: ScriptedEndpoint,
        kind: str,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        key, kept = generate_key("reader", scopes=("ask", "read"))
        api = serve(agents=[ada], keys=(kept,), headers={"x-api-key": key})
        endpoint.play([fault(kind, "the server at http://x.internal is full")])
        send(api, "Hi!")
        response = api.get("/v1/agents/ada/steps", params={"user": "ann"})
        (failed,) = response.json()["answers"]
        assert failed["ended"] == "failed"
        assert failed["detail"].startswith("the language model ")
        address = endpoint.url.removeprefix("http://").removesuffix("/v1")
        for secret in ("http", "internal", *address.split(":")):
            assert secret not in response.text
        assert endpoint.url in caplog.text

    def test_the_list_of_agents_does_not_name_the_endpoint(
        self, serve: Serve, ada: Agent, endpoint: ScriptedEndpoint
    ) -> None:
        model = ChatModel(endpoint.url)
        with closing(model), Agent(model, name="bob") as bob:
            listed = serve(agents=[bob]).get("/v1/agents")
        assert listed.json()["agents"][0]["model"] == ""
        assert "http" not in listed.text

    def test_a_quota_that_is_used_up(
        self, api: TestClient, endpoint: ScriptedEndpoint, now: Clock
    ) -> None:
        endpoint.play(lambda body: hello())
        responses = [send(api, "Hi!") for _ in range(60)]
        refused = next(one for one in responses if one.status_code != 200)
        assert slug(refused) == "quota-exceeded"
        assert "20,000 tokens a day" in refused.json()["detail"]
        assert int(refused.headers["retry-after"]) == 15 * 3600  # it is nine o'clock
        now.pass_time(days=1)
        assert send(api, "Hi!").status_code == 200

    def test_a_busy_agent(
        self, api: TestClient, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(api.app.state.agents._locks, "_timeout", 0.05)  # type: ignore[attr-defined]
        asked, let_go = threading.Event(), threading.Event()

        def answer_late(body: dict[str, Any]) -> Reply:
            asked.set()
            assert let_go.wait(WAIT_LIMIT)
            return hello()

        endpoint.play(answer_late)
        first = threading.Thread(target=send, args=(api, "Hi!"))
        first.start()
        try:
            assert asked.wait(WAIT_LIMIT)
            assert slug(send(api, "Hi again!")) == "conflict"
            bob = api.get("/v1/agents/ada/queue", params={"user": "bob"})
            assert bob.status_code == 200  # reading needs no turn
        finally:
            let_go.set()
            first.join()


class TestOperators:
    def test_metrics_count_events_and_tokens(
        self, api: TestClient, endpoint: ScriptedEndpoint
    ) -> None:
        endpoint.play([hello()])
        usage = send(api, "Hi!").json()["usage"]
        text = api.get("/metrics").text
        assert 'anaphora_agent_event_seconds_count{agent="ada",ended="done"} 1.0' in text
        read = usage["prompt_tokens"]
        assert f'anaphora_agent_tokens_total{{agent="ada",kind="prompt"}} {read}.0' in text

    def test_ready_asks_the_stores_of_the_agents(self, api: TestClient, ada: Agent) -> None:
        assert api.get("/ready").json()["checks"]["agents"] == "ok"
        ada.close()
        response = api.get("/ready")
        assert (response.status_code, response.json()["checks"]["agents"]) == (503, "failed")
