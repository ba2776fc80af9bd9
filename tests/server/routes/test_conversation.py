"""Conversations over HTTP: what they hold, what is to be forgotten, which model is asked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora.api.conversations import Conversation
from tests.conftest import Clock
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.server.sample_bots import WAIT_LIMIT, BlockingHandler, OrderHandler, wait_for

EMPTY = {
    "language": "",
    "questions": 0,
    "matches": 0,
    "rejections": 0,
    "now": "2026-01-05T09:00:00Z",
    "last": None,
    "expires": None,
    "timeout": 300.0,
    "depth": 3,
    "remembered": [],
    "flow": [],
    "pending": None,
    "offer": None,
}


def ask(api: TestClient, *texts: str, **more: Any) -> None:
    response = api.post("/v1/dialog", json={"texts": texts, **more})
    assert response.json()["problem"] is None


def show(api: TestClient, **query: str) -> dict[str, Any]:
    return shown(api.get("/v1/conversation", params=query))


def shown(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    assert_described(Conversation, found)
    return found


def remembered(conversation: dict[str, Any]) -> list[str]:
    return [held["value"] for held in conversation["remembered"]]


class TestShow:
    def test_a_conversation_that_never_was_is_empty(self, api: TestClient) -> None:
        assert show(api) == {"user": "user", "model": "tea"} | EMPTY

    def test_what_is_remembered_comes_with_its_age(self, api: TestClient, now: Clock) -> None:
        ask(api, "I'd like a big tea")
        now.pass_time(minutes=2)
        ask(api, "give me a coffee")
        now.pass_time(minutes=1)

        found = show(api)

        assert remembered(found) == ["give me", "coffee", "large"]
        assert found["remembered"][2] == {
            "element": "size",
            "value": "large",
            "text": "big",
            "groups": ["size"],
            "meta": {},
            "stored_at": "2026-01-05T09:00:00Z",
            "used_at": "2026-01-05T09:02:00Z",
            "expires_at": "2026-01-05T09:07:00Z",
            "questions_ago": 1,
            "matches_left": 3,
        }
        assert (found["now"], found["last"]) == ("2026-01-05T09:03:00Z", "2026-01-05T09:02:00Z")
        assert found["expires"] == "2026-01-05T09:07:00Z"
        assert [step["intent"] for step in found["flow"]] == ["order", "order"]
        assert (found["questions"], found["matches"], found["language"]) == (2, 2, "en")

    def test_what_is_pending_tells_what_it_waits_for(self, api: TestClient) -> None:
        ask(api, "give me a large one")
        pending = show(api)["pending"]
        assert (pending["intent"], pending["missing"]) == ("order", ["drink"])
        assert [one["value"] for one in pending["entities"]] == ["give me", "large"]
        assert pending["at"] == "2026-01-05T09:00:00Z"

    def test_after_the_timeout_it_is_empty(self, api: TestClient, now: Clock) -> None:
        ask(api, "I'd like a big tea")
        now.pass_time(minutes=5, seconds=1)
        assert remembered(show(api)) == []

    @pytest.mark.parametrize(
        "user", ["a/b?c=d&e#f", "../..", "ünï 🙂", "%2e%2e%2f", "a\0b", " ", "ann\n", "u" * 500]
    )
    def test_the_id_of_a_user_may_hold_anything(self, api: TestClient, user: str) -> None:
        ask(api, "I'd like a tea", user=user)
        found = show(api, user=user)
        assert (found["user"], found["questions"]) == (user, 1)
        assert show(api, user=f"{user[:400]}x")["questions"] == 0

    def test_a_model_of_its_own_has_a_memory_of_its_own(self, api: TestClient) -> None:
        ask(api, "I'd like a tea")
        ask(api, "switch on the lamp", model="lamp")
        assert remembered(show(api)) == ["I'd like", "tea"]
        assert remembered(show(api, model="lamp")) == ["lamp", "switch on"]

    @pytest.mark.parametrize(
        ("query", "where"),
        [("usr=ann", "query.usr"), ("user=", "query.user"), ("model=", "query.model")],
    )
    def test_a_wrong_parameter_is_told(self, api: TestClient, query: str, where: str) -> None:
        response = api.get(f"/v1/conversation?{query}")
        assert response.status_code == 422
        assert response.json()["errors"][0]["where"] == where

    def test_an_unknown_model_is_told(self, api: TestClient) -> None:
        assert api.get("/v1/conversation?model=no").status_code == 404


class TestForget:
    @pytest.mark.parametrize(
        ("query", "left", "steps"),
        [
            ({}, [], 0),
            ({"what": "all"}, [], 0),
            ({"what": "entities"}, [], 1),
            ({"what": "flow"}, ["I'd like", "tea", "large"], 0),
            ({"group": "size"}, ["I'd like", "tea"], 1),
            ({"group": "nothing"}, ["I'd like", "tea", "large"], 1),
        ],
    )
    def test_all_of_it_or_a_part(
        self, api: TestClient, query: dict[str, str], left: list[str], steps: int
    ) -> None:
        ask(api, "I'd like a big tea", user="ann")
        ask(api, "I'd like a big tea", user="bob")

        found = shown(api.delete("/v1/conversation", params={"user": "ann"} | query))

        assert (remembered(found), len(found["flow"])) == (left, steps)
        assert show(api, user="ann") == found
        assert remembered(show(api, user="bob")) == ["I'd like", "tea", "large"]

    def test_a_typing_error_forgets_nothing(self, api: TestClient) -> None:
        ask(api, "I'd like a big tea")
        for query in ("what=everything", "grup=size", "what=", "group="):
            assert api.delete(f"/v1/conversation?{query}").status_code == 422
        assert len(remembered(show(api))) == 3


class TestActiveModel:
    def test_switching_changes_who_is_asked_when_a_question_names_nobody(
        self, api: TestClient
    ) -> None:
        assert api.get("/v1/active-model?user=ann").json() == {"user": "ann", "model": "tea"}
        ask(api, "I'd like a tea", user="ann")

        switched = api.put("/v1/active-model", json={"user": "ann", "model": "lamp"})

        assert switched.json() == {"user": "ann", "model": "lamp"}
        ask(api, "switch on the lamp", user="ann")
        assert show(api, user="ann")["model"] == "lamp"
        assert remembered(show(api, user="ann", model="tea")) == ["I'd like", "tea"]
        assert api.get("/v1/active-model?user=bob").json()["model"] == "tea"

    def test_back_to_the_default(self, api: TestClient) -> None:
        api.put("/v1/active-model", json={"model": "lamp"})
        assert api.delete("/v1/active-model").json() == {"user": "user", "model": "tea"}
        assert api.get("/v1/active-model").json()["model"] == "tea"

    def test_nobody_is_switched_to_an_unknown_model(self, api: TestClient) -> None:
        response = api.put("/v1/active-model", json={"model": "lam"})
        assert response.status_code == 404
        assert "did you mean 'lamp'" in response.json()["detail"]

    def test_a_model_must_be_named(self, api: TestClient) -> None:
        response = api.put("/v1/active-model", json={"user": "ann"})
        assert response.json()["errors"] == [{"where": "model", "message": "Field required"}]


def test_what_handlers_keep_is_not_shown(api: TestClient, bar: OrderHandler) -> None:
    bar.handler = lambda data: data.update(card="4929 1234")
    ask(api, "I'd like a tea")
    assert "4929" not in api.get("/v1/conversation").text


def test_those_who_wait_to_forget_keep_nobody_else_waiting(serve: Serve, bar: OrderHandler) -> None:
    gate = BlockingHandler()
    bar.handler = gate
    api = serve(threads=2)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(api.post, "/v1/ask", json={"text": "I'd like a tea", "user": "ann"})
        assert gate.entered.wait(WAIT_LIMIT)
        forgetting = [pool.submit(api.delete, "/v1/conversation?user=ann") for _ in range(2)]
        lines = api.app.state.service._locks._entries  # type: ignore[attr-defined]  # our app has it
        wait_for(lambda: [line.users for line in lines.values()] == [3])
        looking = pool.submit(api.get, "/v1/conversation?user=bob")
        try:
            assert looking.result(WAIT_LIMIT).status_code == 200
        finally:
            gate.opened.set()
        assert asked.result(WAIT_LIMIT).status_code == 200
        assert [one.result(WAIT_LIMIT).json()["questions"] for one in forgetting] == [0, 0]
