"""Both sides of the dialog over HTTP: what the bot said, what it offers, what it waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora import Engine
from anaphora.api.conversations import Conversation
from anaphora.api.replies import Reply
from tests.conftest import Clock
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.support.plain_models import CINEMA

BRAZIL = {"element": "film", "value": "Brazil", "groups": ["film"]}


@pytest.fixture
def api(serve: Serve, clock: Clock) -> Iterator[TestClient]:
    with Engine(CINEMA, clock=clock) as engine:
        yield serve(of=engine)


def ask(api: TestClient, *texts: str) -> dict[str, Any]:
    for text in texts:
        reply: dict[str, Any] = api.post("/v1/ask", json={"text": text}).json()
        assert_described(Reply, reply)
    return reply


def show(api: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = api.get("/v1/conversation").json()
    assert_described(Conversation, found)
    return found


def test_a_reply_has_the_offers_until_one_is_accepted(api: TestClient) -> None:
    reply = ask(api, "What's on?")
    assert reply["offers"][1][0] == BRAZIL
    assert (reply["offered_by"], reply["quick_replies"][1]) == ("find", "Brazil")
    reply = ask(api, "option 2")
    assert reply["memory"][0] == BRAZIL | {"by": "bot"}
    assert "offers" not in reply


def test_a_reply_tells_that_it_waits_for_a_yes(api: TestClient) -> None:
    reply = ask(api, "What's on?", "option 2", "three")
    assert (reply["confirms"], reply["quick_replies"]) == (True, ["yes", "no"])


def test_a_conversation_shows_what_lies_on_the_table(api: TestClient) -> None:
    assert "offers" not in show(api)
    ask(api, "What's on?")
    found = show(api)
    assert [bundle[0]["value"] for bundle in found["offers"]] == ["Alien", "Brazil", "Casablanca"]
    assert found["offered_by"] == "find"
    assert found["offers_expire"] == found["expires"]
    assert found["quick_replies"] == ["option 1", "option 2", "option 3"]


def test_a_conversation_shows_who_said_what(api: TestClient) -> None:
    ask(api, "What's on?", "option 2", "three")
    found = show(api)
    said = {held["value"]: held.get("by", "user") for held in found["remembered"]}
    assert said == {"Brazil": "bot", "blue": "bot", "What's on": "user"}
    assert found["pending"]["confirms"] is True
    assert "offers" not in found
