"""What Anaphora understands becomes a tool call; everything else goes to the model."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from fastapi.testclient import TestClient
from tool_router import FOLDER, create_app

from anaphora import Engine


def tool(name: str, *parameters: str) -> dict:
    properties = {parameter: {"type": "string"} for parameter in parameters}
    schema = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


TOOLS = [tool("switch_light", "state", "room"), tool("dim_light", "percent", "room")]


class Endpoint:
    """A chat-completions endpoint on loopback, which keeps the requests."""

    def __init__(self) -> None:
        requests = self.requests = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                requests.append((self.path, self.headers["Authorization"], body))
                busy = body["model"] == "busy"
                answer = {"choices": [{"message": {"role": "assistant", "content": "A poem."}}]}
                text = (
                    f"data: {json.dumps(answer)}\n\n" if body.get("stream") else json.dumps(answer)
                )
                kind = "text/event-stream" if body.get("stream") else "application/json"
                self.send_response(429 if busy else 200)
                self.send_header("Content-Type", kind)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    endpoint = Endpoint()
    yield endpoint
    endpoint.close()


@pytest.fixture
def client(endpoint):
    with TestClient(create_app(Engine(FOLDER / "lights.yaml"), upstream=endpoint.url)) as client:
        yield client


def ask(client: TestClient, text: str, **more):
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": text}]
    body = {"model": "m", "messages": messages, "tools": TOOLS, "user": "ann"} | more
    return client.post("/v1/chat/completions", json=body, headers={"Authorization": "Bearer key"})


def called(response) -> tuple[str, dict]:
    (choice,) = response.json()["choices"]
    assert choice["finish_reason"] == "tool_calls"
    (made,) = choice["message"]["tool_calls"]
    return made["function"]["name"], json.loads(made["function"]["arguments"])


def test_tool_calls_are_filled_and_follow_ups_understood(client, endpoint):
    first = ask(client, "Turn on the light in the kitchen")
    assert called(first) == ("switch_light", {"state": "on", "room": "kitchen"})
    second = ask(client, "and in the bedroom?")
    assert called(second) == ("switch_light", {"state": "on", "room": "bedroom"})
    assert not endpoint.requests


def test_what_is_missing_is_asked_for(client, endpoint):
    (choice,) = ask(client, "turn off the lights").json()["choices"]
    assert choice["message"] == {"role": "assistant", "content": "In which room?"}
    assert called(ask(client, "the lounge"))[1] == {"state": "off", "room": "living room"}
    assert not endpoint.requests


def test_a_share_is_a_number(client):
    ask(client, "Turn on the light in the kitchen")
    assert called(ask(client, "dim it to 40 percent")) == (
        "dim_light",
        {"percent": 40, "room": "kitchen"},
    )


@pytest.mark.parametrize(
    "text",
    [
        "could you switch the bedroom light off, please?",
        "I'd like to turn the lights off in the bedroom",
    ],
)
def test_polite_requests_are_understood(client, text):
    arguments = {"state": "off", "room": "bedroom"}
    assert called(ask(client, text)) == ("switch_light", arguments)


@pytest.mark.parametrize(
    "text",
    [
        "Write a story in which someone turns on the light in the kitchen",
        "she turned on the light in the kitchen",
        "why are the lights on?",
        "Is it on in the lounge?",
        "lights off in the lounge?",
        "should I turn off the lights?",
        "what does 50 percent of 80 make?",
        "set it to 150 percent",
        "don't turn on the light in the kitchen",
        "never turn it off",
        "turn off everything except the kitchen",
        "turn on the light in the garage",
        "turn it off in 10 minutes",
        "turn on the light in the kitchen after dinner",
        "set the lights to 30 % in the living room and turn off the kitchen",
        "turn off the lights in the kitchen and in the bedroom",
    ],
)
def test_what_says_more_or_asks_or_forbids_goes_to_the_model(client, endpoint, text):
    ask(client, "Turn on the light in the kitchen")
    ask(client, text)
    assert len(endpoint.requests) == 1


def test_what_comes_after_an_answer_of_the_model_is_about_that(client, endpoint):
    ask(client, "Turn on the light in the kitchen")
    ask(client, "Who painted The Potato Eaters?")
    ask(client, "and in the bedroom?")
    assert len(endpoint.requests) == 2


def test_everything_else_goes_to_the_model_unchanged(client, endpoint):
    answer = ask(client, "Write a poem about the sea", temperature=0.5)
    assert answer.json()["choices"][0]["message"]["content"] == "A poem."
    ((path, authorization, body),) = endpoint.requests
    assert (path, authorization) == ("/v1/chat/completions", "Bearer key")
    assert body["temperature"] == 0.5
    assert body["tools"] == TOOLS


@pytest.mark.parametrize("tools", [[], [tool("dim_light", "percent", "room")]])
@pytest.mark.parametrize("text", ["Turn on the light in the kitchen", "turn off the lights"])
def test_a_tool_that_is_not_offered_is_neither_called_nor_asked_about(
    client, endpoint, text, tools
):
    ask(client, text, tools=tools)
    ask(client, "in the kitchen")
    assert len(endpoint.requests) == 2


def test_results_of_tools_go_to_the_model(client, endpoint):
    messages = [{"role": "tool", "content": "done", "tool_call_id": "1"}]
    client.post("/v1/chat/completions", json={"model": "m", "messages": messages})
    assert len(endpoint.requests) == 1


def test_streams_work_for_both(client, endpoint):
    own = ask(client, "Turn on the light in the kitchen", stream=True)
    *chunks, end = [line[6:] for line in own.text.splitlines() if line]
    assert end == "[DONE]"
    delta = json.loads(chunks[0])["choices"][0]["delta"]
    assert delta["tool_calls"][0]["function"]["name"] == "switch_light"
    assert json.loads(chunks[1])["choices"][0]["finish_reason"] == "tool_calls"
    model = ask(client, "Write a poem", stream=True)
    assert model.headers["content-type"].startswith("text/event-stream")
    assert "A poem." in model.text


def test_users_have_conversations_of_their_own(client, endpoint):
    ask(client, "Turn on the light in the kitchen")
    ask(client, "and in the bedroom?", user="ben")
    assert len(endpoint.requests) == 1


def test_errors_of_the_model_are_passed_on(client, endpoint):
    assert ask(client, "Write a poem", model="busy").status_code == 429
    endpoint.close()
    gone = ask(client, "Write a poem")
    assert gone.status_code == 502
    assert client.post("/v1/chat/completions", json={}).status_code == 400
