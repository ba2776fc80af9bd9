"""Questions over HTTP: one, several, as events, and why."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from anaphora import Engine
from anaphora import Reply as EngineReply
from anaphora.api.explanations import Explanation
from anaphora.api.problems import ProblemDetails
from anaphora.api.replies import DialogReplies, Reply
from anaphora.server.app import create_app
from anaphora.server.settings.model import Settings
from tests.conftest import Clock
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.server.sample_bots import WAIT_LIMIT, BlockingHandler, OrderHandler, http_scope


def ask(api: TestClient, text: str, **more: Any) -> dict[str, Any]:
    response = api.post("/v1/ask", json={"text": text, **more})
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    assert_described(Reply, reply)
    return reply


def problem(api: TestClient, path: str, **body: Any) -> dict[str, Any]:
    response = api.post(path, json=body)
    assert response.headers["content-type"] == "application/problem+json", response.text
    found: dict[str, Any] = response.json()
    assert found["status"] == response.status_code
    assert_described(ProblemDetails, found)
    return found


def events_of(text: str) -> list[tuple[str, Any]]:
    """The events of a stream; comments are left out."""
    events = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if line[:1] not in ":")
        if fields:
            events.append((fields["event"], json.loads(fields["data"])))
    return events


class TestAsk:
    def test_a_follow_up_takes_from_memory_what_it_leaves_out(self, api: TestClient) -> None:
        ask(api, "I'd like a large tea")

        reply = ask(api, "And a coffee")

        assert reply["status"] == "matched"
        assert reply["intent"] == "order"
        assert reply["text"] == "One large coffee for user."
        assert reply["slots"]["drink"] == {
            "value": "coffee",
            "text": "coffee",
            "element": "drink",
            "source": "sentence",
        }
        assert reply["slots"]["size"]["source"] == "memory"
        assert reply["model"] == "tea"
        assert reply["memory"][0] == {"element": "drink", "value": "coffee", "groups": ["drink"]}

    def test_what_the_answer_does_not_use_is_named(self, api: TestClient) -> None:
        text = "give me a coffee and an espresso"
        (rest,) = ask(api, text)["unused"]
        drink = {"element": "drink", "value": "coffee", "text": "espresso"}
        assert rest == {
            "text": "espresso",
            "start": 24,
            "end": 32,
            "entities": [drink],
            "words": [],
        }

    def test_an_incomplete_question_asks_for_what_is_missing(self, api: TestClient) -> None:
        reply = ask(api, "give me")
        assert (reply["status"], reply["missing"]) == ("incomplete", ["drink"])
        assert reply["prompt"] == "What would you like to drink?"

        assert ask(api, "espresso")["text"] == "One coffee for user."

    def test_a_rejected_question_says_what_it_lacked(self, api: TestClient) -> None:
        reply = ask(api, "tea")
        assert reply["status"] == "rejected"
        assert reply["reason"] == "for order it lacks: order"

    def test_a_reset_phrase_forgets(self, api: TestClient) -> None:
        ask(api, "I'd like a large tea")
        assert ask(api, "forget it")["status"] == "reset"
        assert ask(api, "And a coffee")["status"] == "rejected"

    def test_a_question_that_is_too_long_is_rejected_unread(self, api: TestClient) -> None:
        reply = ask(api, "x" * 10_001)
        assert (reply["status"], reply["reason"]) == (
            "rejected",
            "the question is longer than 10,000 characters",
        )

    def test_users_have_memories_of_their_own(self, api: TestClient) -> None:
        ask(api, "I'd like a large tea", user="ann")
        assert ask(api, "And a coffee", user="bob")["status"] == "rejected"
        assert ask(api, "And a coffee", user="ann")["text"] == "One large coffee for ann."

    def test_a_model_is_asked_by_its_id(self, api: TestClient) -> None:
        reply = ask(api, "switch on the lamp", model="lamp")
        assert (reply["intent"], reply["model"]) == ("on", "lamp")

    def test_an_unknown_model_is_a_problem_that_names_the_likeliest(self, api: TestClient) -> None:
        found = problem(api, "/v1/ask", text="tea", model="tee")
        assert found["type"] == "urn:anaphora:problem:unknown-model"
        assert found["detail"] == "There is no model with this id; did you mean 'tea'?"

    def test_the_explanation_comes_if_it_is_asked_for(self, api: TestClient) -> None:
        assert "explanation" not in ask(api, "I'd like a tea")
        explanation = ask(api, "I'd like a tea", explain=True)["explanation"]
        assert explanation["matches"][0]["intent"] == "order"

    @pytest.mark.parametrize("result", [{"price": [2, None]}, [1.5], 3, False, "two pounds"])
    def test_what_a_handler_returns_comes_along(
        self, api: TestClient, bar: OrderHandler, result: object
    ) -> None:
        bar.handler = lambda: result
        reply = ask(api, "I'd like a tea")
        assert reply["result"] == result
        assert reply["text"] == (result if isinstance(result, str) else "")

    @pytest.mark.parametrize("result", [object(), float("nan"), {1: 2}, {"a": {1}}])
    def test_what_is_no_json_is_left_out(
        self, api: TestClient, bar: OrderHandler, result: object
    ) -> None:
        bar.handler = lambda: result
        assert "result" not in ask(api, "I'd like a tea")

    def test_half_a_character_of_a_handler_is_no_error(
        self, api: TestClient, bar: OrderHandler
    ) -> None:
        bar.handler = lambda: "\ud83d"
        assert ask(api, "I'd like a tea")["status"] == "matched"

    def test_a_question_has_the_time_and_the_zone_that_it_says(
        self, api: TestClient, bar: OrderHandler
    ) -> None:
        bar.handler = lambda at: at.isoformat()
        at = "2026-01-05T09:30:00+01:00"
        assert ask(api, "I'd like a tea")["text"] == "2026-01-05T09:00:00+00:00"
        assert ask(api, "I'd like a tea", user="ann", at=at)["text"] == at
        reply = ask(api, "I'd like a tea", user="bob", at=at, time_zone="Asia/Tokyo")
        assert reply["text"] == "2026-01-05T17:30:00+09:00"

    @pytest.mark.parametrize(
        ("name", "wrong"),
        [
            ("at", "2026-01-05T09:30:00"),
            ("at", "yesterday"),
            ("at", 1767603600),
            ("at", "0001-01-01T00:00:00+14:00"),
            ("at", "9999-12-31T23:59:59-12:00"),
            ("time_zone", "Middle/Earth"),
            ("time_zone", "../../etc/passwd"),
            ("time_zone", "Europe"),
            ("time_zone", "a\0b"),
            ("language", "fr"),
            ("language", ""),
            ("user", ""),
            ("user", "u" * 501),
            ("data", []),
            ("explain", 1),
            ("text", None),
            ("text", 7),
        ],
    )
    def test_a_wrong_value_is_told_with_its_place(
        self, api: TestClient, name: str, wrong: object
    ) -> None:
        found = problem(api, "/v1/ask", **{"text": "I'd like a tea"} | {name: wrong})
        assert found["type"] == "urn:anaphora:problem:invalid-request"
        assert [one["where"] for one in found["errors"]] == [name]
        assert found["detail"].startswith(f"{name}: ")

    def test_an_unknown_name_is_told_with_the_one_that_was_meant(self, api: TestClient) -> None:
        found = problem(api, "/v1/ask", text="tea", modell="tea")
        assert found["errors"] == [
            {"where": "modell", "message": "There is no 'modell'; did you mean 'model'?"}
        ]

    def test_the_language_can_be_told(self, api: TestClient) -> None:
        assert ask(api, "ich möchte tea", language="de")["status"] == "matched"
        assert ask(api, "ich möchte tea", language="en", user="bob")["status"] == "rejected"

    def test_data_reaches_predicates(self, bot: Any, serve: Serve) -> None:
        vip = bot("""
            id: vip
            elements: [{id: hello}]
            intents: ["intent=vip term={# == 'hello' && meta_req('level') == 'gold'}"]
            responses: {vip: Welcome back!}
        """)
        api = serve(of=vip)
        assert ask(api, "hello")["status"] == "rejected"
        assert ask(api, "hello", data={"level": "gold"})["status"] == "matched"

    def test_a_handler_that_fails_leaves_no_trace(self, api: TestClient, bar: OrderHandler) -> None:
        ask(api, "I'd like a large tea")
        before = api.get("/v1/conversation").json()

        def order(drink: str) -> str:
            raise ValueError(f"out of {drink}")

        bar.handler = order
        found = problem(api, "/v1/ask", text="And a coffee")
        assert found["type"] == "urn:anaphora:problem:handler-failed"
        assert api.get("/v1/conversation").json() == before


class TestManyAtOnce:
    def test_a_slow_handler_holds_nobody_else_up(self, api: TestClient, bar: OrderHandler) -> None:
        gate = bar.handler = BlockingHandler()
        with ThreadPoolExecutor() as threads:
            slow = threads.submit(ask, api, "I'd like a tea", user="ann")
            assert gate.entered.wait(WAIT_LIMIT)
            assert ask(api, "switch on the lamp", model="lamp")["status"] == "matched"
            assert not slow.done()
            gate.opened.set()
            assert slow.result(WAIT_LIMIT)["text"] == "one tea"

    def test_questions_of_one_user_take_one_thread(self, serve: Serve, bar: OrderHandler) -> None:
        api = serve(threads=2)
        gate = bar.handler = BlockingHandler()
        with ThreadPoolExecutor() as threads:
            slow = [threads.submit(ask, api, "I'd like a tea", user="ann") for _ in range(4)]
            assert gate.entered.wait(WAIT_LIMIT)
            assert ask(api, "switch on the lamp", model="lamp")["status"] == "matched"
            gate.opened.set()
            assert all(one.result(WAIT_LIMIT)["status"] == "matched" for one in slow)
        assert gate.drinks == ["tea"] * 4

    def test_when_all_threads_are_busy_questions_wait(
        self, serve: Serve, bar: OrderHandler
    ) -> None:
        api = serve(threads=1)
        gate = bar.handler = BlockingHandler()
        with ThreadPoolExecutor() as threads:
            slow = threads.submit(ask, api, "I'd like a tea", user="ann")
            assert gate.entered.wait(WAIT_LIMIT)
            later = threads.submit(ask, api, "I'd like a coffee", user="bob")
            assert api.get("/health").status_code == 200
            assert not later.done()
            gate.opened.set()
            assert (
                slow.result(WAIT_LIMIT)["status"] == later.result(WAIT_LIMIT)["status"] == "matched"
            )

    def test_a_bot_that_waits_for_nothing_answers_when_all_threads_are_busy(
        self, serve: Serve, bar: OrderHandler
    ) -> None:
        api = serve(threads=1)
        gate = bar.handler = BlockingHandler()
        with ThreadPoolExecutor() as threads:
            slow = threads.submit(ask, api, "I'd like a tea", user="ann")
            assert gate.entered.wait(WAIT_LIMIT)
            assert ask(api, "switch on the lamp", model="lamp")["status"] == "matched"
            assert not slow.done()
            gate.opened.set()
            assert slow.result(WAIT_LIMIT)["status"] == "matched"

    def test_each_question_of_many_is_answered_once(
        self, api: TestClient, bar: OrderHandler
    ) -> None:
        asked: list[str] = []
        bar.handler = lambda user: asked.append(user)
        users = [f"u{number % 10}" for number in range(60)]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda user: ask(api, "I'd like a tea", user=user), users))
        assert sorted(asked) == sorted(users)
        shown = api.get("/v1/conversation", params={"user": "u3"}).json()
        assert shown["questions"] == 6


class TestDialog:
    def test_several_questions_are_one_dialog(self, api: TestClient) -> None:
        body = {"texts": ["I'd like a large tea", "And a coffee"], "user": "ann"}
        answer = api.post("/v1/dialog", json=body).json()
        assert_described(DialogReplies, answer)
        assert [reply["text"] for reply in answer["replies"]] == [
            "One large tea for ann.",
            "One large coffee for ann.",
        ]
        assert answer["problem"] is None

    def test_the_first_failure_ends_it_and_what_was_answered_stays(
        self, api: TestClient, bar: OrderHandler
    ) -> None:
        def order(drink: str) -> str:
            if drink == "coffee":
                raise ValueError("no beans")
            return drink

        bar.handler = order
        texts = ["I'd like a tea", "And a coffee", "And a chai"]
        answer = api.post("/v1/dialog", json={"texts": texts}).json()
        assert [reply["text"] for reply in answer["replies"]] == ["tea"]
        assert answer["problem"]["type"] == "urn:anaphora:problem:handler-failed"
        shown = api.get("/v1/conversation").json()
        assert (shown["questions"], shown["remembered"][1]["value"]) == (1, "tea")

    def test_an_error_that_nobody_expected_ends_it_as_well(
        self, api: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answered = engine.ask

        def failing(text: str, **options: Any) -> EngineReply:
            if "coffee" in text:
                raise RuntimeError("my secret")
            return answered(text, **options)

        monkeypatch.setattr(engine, "ask", failing)
        response = api.post("/v1/dialog", json={"texts": ["I'd like a tea", "And a coffee"]})
        assert len(response.json()["replies"]) == 1
        assert response.json()["problem"]["type"] == "urn:anaphora:problem:internal"
        assert "secret" not in response.text

    @pytest.mark.parametrize("number", [0, 101])
    def test_it_has_at_least_one_question_and_not_too_many(
        self, api: TestClient, number: int
    ) -> None:
        assert problem(api, "/v1/dialog", texts=["tea"] * number)["errors"][0]["where"] == "texts"

    def test_an_unknown_model_is_told_before_anything_is_asked(self, api: TestClient) -> None:
        found = problem(api, "/v1/dialog", texts=["tea"], model="no")
        assert found["type"] == "urn:anaphora:problem:unknown-model"


class TestEvents:
    def test_each_answer_is_told_when_it_is_there(self, api: TestClient) -> None:
        body = {"texts": ["I'd like a large tea", "And a coffee"]}
        response = api.post("/v1/ask/events", json=body)
        assert response.headers["content-type"].startswith("text/event-stream")
        events = events_of(response.text)

        assert [name for name, _ in events] == ["question", "explanation", "reply"] * 2 + ["end"]
        assert events[3][1] == {"index": 1, "text": "And a coffee"}
        assert events[4][1]["offered"][0]["element"] == "order"
        assert events[5][1]["text"] == "One large coffee for user."
        assert "explanation" not in events[5][1]
        assert events[6][1] == {"answered": 2}
        assert_described(Explanation, events[4][1])
        assert_described(Reply, events[5][1])

    def test_a_problem_ends_the_stream(self, api: TestClient, bar: OrderHandler) -> None:
        def order(drink: str) -> str:
            raise ValueError("no beans")

        bar.handler = order
        body = {"texts": ["tea", "I'd like a tea", "tea"]}
        events = events_of(api.post("/v1/ask/events", json=body).text)
        assert [name for name, _ in events][3:] == ["question", "problem", "end"]
        assert events[-2][1]["type"] == "urn:anaphora:problem:handler-failed"
        assert events[-1][1] == {"answered": 1}

    def test_what_can_be_told_before_is_told_by_the_status(self, api: TestClient) -> None:
        assert problem(api, "/v1/ask/events", texts=[1])["status"] == 422
        assert problem(api, "/v1/ask/events", texts=["tea"], model="no")["status"] == 404

    def test_a_line_break_in_a_text_breaks_no_event(self, api: TestClient) -> None:
        text = "I'd like\n\nevent: end\ndata: {}\n\ntea \u2028 \r"
        events = events_of(api.post("/v1/ask/events", json={"texts": [text]}).text)
        assert [name for name, _ in events] == ["question", "explanation", "reply", "end"]
        assert events[0][1]["text"] == text

    def test_one_who_goes_away_aborts_nothing_and_asks_nothing_more(
        self, engine: Engine, bar: OrderHandler, now: Clock
    ) -> None:
        gate = bar.handler = BlockingHandler()
        app = create_app(Settings(), engine=engine, clock=now)
        body = json.dumps({"texts": ["I'd like a tea", "And a coffee"]}).encode()

        async def leave() -> None:
            messages = [{"type": "http.request", "body": body}]

            async def receive() -> Any:
                if messages:
                    return messages.pop()
                await asyncio.to_thread(gate.entered.wait, WAIT_LIMIT)
                return {"type": "http.disconnect"}

            async def send(message: Any) -> None:
                pass

            scope = http_scope("POST", "/v1/ask/events", {"content-type": "application/json"})
            async with app.router.lifespan_context(app):
                await app(scope, receive, send)
                gate.opened.set()
                while not engine.conversation().matches:
                    await asyncio.sleep(0.01)

        asyncio.run(asyncio.wait_for(leave(), WAIT_LIMIT))
        assert gate.drinks == ["tea"]
        assert engine.conversation().questions == 1


class TestExplain:
    def test_it_tells_what_would_be_answered_and_changes_nothing(self, api: TestClient) -> None:
        ask(api, "I'd like a large tea")
        before = api.get("/v1/conversation").json()
        explanation = api.post("/v1/explain", json={"text": "And a coffee"}).json()
        assert_described(Explanation, explanation)
        assert explanation["status"] == "matched"
        assert [gone["value"] for gone in explanation["forgotten"]] == ["tea"]
        assert api.get("/v1/conversation").json() == before

    def test_it_reads_the_conversation_of_the_user_with_their_model(self, api: TestClient) -> None:
        ask(api, "switch on the lamp", model="lamp", user="ann")
        body = {"text": "switch off", "model": "lamp", "user": "ann"}
        assert api.post("/v1/explain", json=body).json()["status"] == "matched"
        assert api.post("/v1/explain", json=body | {"user": "bob"}).json()["status"] == "rejected"
