"""Signed events are answered once, and nothing else is."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from webhook_bot import FOLDER, Deliveries, create_app

from anaphora import Engine

SECRET, NOW = "8f742231b10e", 1_767_600_000
PAYLOADS = Path(__file__).parent / "payloads"


class Channel:
    """A channel on loopback, which keeps what is posted to it."""

    def __init__(self) -> None:
        posted = self.posted = []
        self.says = says = {"ok": True}

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                posted.append((self.path, self.headers["Authorization"], json.loads(body)))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(json.dumps(says).encode())

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def texts(self) -> list[str]:
        return [message["text"] for _, _, message in self.posted]


@pytest.fixture
def channel(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    channel = Channel()
    yield channel
    channel.server.shutdown()
    channel.server.server_close()


@pytest.fixture
def client(channel):
    app = create_app(
        Engine(FOLDER / "shops.yaml"),
        secret=SECRET,
        token="xoxb-1",
        api=channel.url,
        clock=lambda: float(NOW),
    )
    with TestClient(app) as client:
        yield client


def sign(body: bytes, timestamp: int, secret: str = SECRET) -> str:
    base = f"v0:{timestamp}:".encode() + body
    return "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()


def deliver(client: TestClient, name: str, **changed):
    return send(client, (PAYLOADS / f"{name}.json").read_bytes(), **changed)


def send(client: TestClient, body: bytes, *, timestamp: int = NOW, **changed: str):
    headers = {
        "X-Slack-Request-Timestamp": str(timestamp),
        "X-Slack-Signature": sign(body, timestamp),
        "Content-Type": "application/json",
    }
    return client.post("/events", content=body, headers=headers | changed)


def test_questions_are_answered_with_the_memory_of_the_channel(client, channel):
    assert deliver(client, "question").json() == {"ok": True}
    deliver(client, "follow-up")
    assert channel.texts == [
        "In Paris we are open from 9 to 20.",
        "In London we are open from 9 to 19.",
    ]
    path, authorization, message = channel.posted[0]
    assert (path, authorization) == ("/chat.postMessage", "Bearer xoxb-1")
    assert message["channel"] == "D024"


def test_an_event_that_is_delivered_twice_is_answered_once(client, channel):
    deliver(client, "question")
    again = deliver(client, "question", **{"X-Slack-Retry-Num": "1"})
    assert again.status_code == 200
    assert len(channel.posted) == 1


def test_what_was_taken_is_known_after_a_restart(tmp_path):
    first = Deliveries(tmp_path / "taken.db")
    assert first.take("Ev1", NOW)
    first.close()
    second = Deliveries(tmp_path / "taken.db")
    assert not second.take("Ev1", NOW + 60)
    assert second.take("Ev1", NOW + 90_000)  # a day later it is forgotten
    second.close()


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Slack-Signature": "v0=" + "0" * 64},
        {"X-Slack-Signature": ""},
        {"X-Slack-Request-Timestamp": str(NOW - 1)},  # not the one that was signed
        {"X-Slack-Request-Timestamp": "soon"},
    ],
)
def test_a_wrong_signature_is_refused(client, channel, headers):
    assert deliver(client, "question", **headers).status_code == 401
    assert not channel.posted


@pytest.mark.parametrize("age", [301, -301])
def test_an_old_request_is_refused_though_its_signature_is_right(client, channel, age):
    assert deliver(client, "question", timestamp=NOW - age).status_code == 401
    assert not channel.posted
    assert deliver(client, "question", timestamp=NOW - 299).status_code == 200


def test_its_own_messages_are_not_answered(client, channel):
    assert deliver(client, "own-message").status_code == 200
    assert not channel.posted


@pytest.mark.parametrize("missing", ["user", "channel", "text"])
def test_an_event_without_user_channel_or_text_is_no_question(client, channel, missing):
    message = json.loads((PAYLOADS / "question.json").read_bytes())
    del message["event"][missing]
    assert send(client, json.dumps(message).encode()).json() == {"ok": True}
    assert not channel.posted


@pytest.mark.parametrize("body", [b"[1]", b"1", b"null", b"{", b"\xff"])
def test_a_signed_body_that_is_no_object_is_refused(client, body):
    assert send(client, body).status_code == 400


def test_what_the_channel_refuses_is_logged(client, channel, caplog):
    channel.says |= {"ok": False, "error": "not_in_channel"}
    deliver(client, "question")
    assert "refused the answer: not_in_channel" in caplog.text


def test_the_channel_can_verify_the_address(client):
    assert deliver(client, "verification").json()["challenge"].startswith("3eZbrw1")


def test_a_large_body_is_not_read(client):
    assert client.post("/events", content=b"x" * 200_000).status_code == 413
