"""The page is served, and its questions are answered."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from booking_page import FOLDER, create_app
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from anaphora import Engine
from anaphora.cli import app

MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


@pytest.fixture
def client():
    engine = Engine(FOLDER / "salon.yaml", clock=lambda: MONDAY)
    with TestClient(create_app(engine)) as client:
        yield client


def say(client: TestClient, text: str, user: str = "ann-12345678") -> dict:
    return client.post("/ask", json={"text": text, "user": user}).json()


def test_an_appointment_is_booked_in_a_dialog(client):
    assert say(client, "I'd like an appointment")["text"] == "A haircut, coloring or a shave?"
    assert "On what day" in say(client, "a haircut")["text"]
    confirmation = say(client, "on Friday at 3 pm")
    assert confirmation["text"] == "Haircut, Friday 9 January at 15:00. Shall I book it?"
    assert len(confirmation["buttons"]) == 2  # a yes and a no
    booked = say(client, confirmation["buttons"][0])
    assert booked["text"] == "Booked: haircut, Friday 9 January at 15:00."
    assert "haircut on Friday" in say(client, "what have I booked?")["text"]


def test_the_bot_is_what_anaphora_new_writes(tmp_path):
    CliRunner().invoke(app, ["new", "salon", "--kind", "booking", "-d", str(tmp_path)])
    schema, model = (tmp_path / "salon" / "salon.yaml").read_text("utf-8").split("\n", 1)
    assert "schema" in schema  # for editors, in a file that is not here
    model = model.replace("code: handlers", "code: salon_handlers")
    assert (FOLDER / "salon.yaml").read_text("utf-8") == model
    handlers = (tmp_path / "salon" / "handlers.py").read_text("utf-8")
    assert (FOLDER / "salon_handlers.py").read_text("utf-8") == handlers


def test_users_have_conversations_of_their_own(client):
    say(client, "I need a shave on Friday at 3 pm")
    assert say(client, "yes", user="ben-12345678")["status"] == "rejected"


def test_the_page_is_there(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    assert 'fetch("ask"' in page.text


@pytest.mark.parametrize("body", [{"text": "hi"}, {"text": "x" * 1001, "user": "ann-12345678"}])
def test_wrong_bodies_are_refused(client, body):
    assert client.post("/ask", json=body).status_code == 422
