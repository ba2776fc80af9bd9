"""What goes wrong is told as problem details, each of its own kind, without what was said."""

from __future__ import annotations

import asyncio
import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from anaphora import Engine, MemoryStore, StoreError, UnconfirmedError, parse_model
from anaphora.api.problems import ProblemDetails
from anaphora.api.values import to_plain
from anaphora.server.app import create_app
from anaphora.server.auth.keys import generate_key
from anaphora.server.http.body_limit import BodyLimitMiddleware
from anaphora.server.problems import MEDIA_TYPE, PROBLEM_TYPES, ProblemError
from anaphora.server.schemas.requests import Question, read_json
from anaphora.server.service import service
from anaphora.server.settings.model import Settings
from anaphora.stm.conversation import ConversationKey
from tests.server.api_schema import assert_described
from tests.server.conftest import Serve
from tests.server.sample_bots import LAMP, OrderHandler, http_scope

JSON = {"content-type": "application/json"}


def slug(response: Any) -> str:
    """The kind of problem that was answered, which must be one in all its parts."""
    assert response.headers["content-type"] == MEDIA_TYPE, response.text
    problem = response.json()
    assert_described(ProblemDetails, problem)
    kind = problem["type"].removeprefix("urn:anaphora:problem:")
    assert problem["status"] == response.status_code == PROBLEM_TYPES[kind].status
    assert problem["title"] == PROBLEM_TYPES[kind].title
    return str(kind)


class TestBodies:
    @pytest.mark.parametrize(
        ("body", "detail"),
        [
            (b"", "The body is not JSON: Expecting value at line 1, column 1."),
            (b'{"text": "secret', "Unterminated string"),
            (b'{"text": "a"} {', "Extra data"),
            (b'{"text": "a", "data": {"x": NaN}}', "NaN is not valid JSON."),
            (b'{"text": "a", "data": {"x": -Infinity}}', "-Infinity is not valid JSON."),
            (b'{"text": "a", "data": {"x": 1e999}}', "a number that is too large"),
            (b'{"text": "a", "data": {"x": ' + b"9" * 5_000 + b"}}", "too many digits"),
            (b'{"text": "a", "text": "b"}', "The key 'text' is repeated in an object."),
            (b'{"text": "a", "data": {"x": {"y": 1, "y": 1}}}', "The key 'y' is repeated"),
            (b'{"text": "\xff"}', "The body is not UTF-8 at byte 10."),
            ('{"text": "a"}'.encode("utf-16"), "The body is not UTF-8 at byte 0."),
            (b'{"text": "\\ud83d"}', "half of a surrogate pair"),
            (b'{"text": "a", "data": {"\\udc00": 1}}', "half of a surrogate pair"),
            (b'{"text": "a", "data": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "too deeply"),
            (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "too deeply"),
        ],
    )
    def test_what_is_no_json_is_told_without_quoting_it(
        self, api: TestClient, body: bytes, detail: str
    ) -> None:
        response = api.post("/v1/ask", content=body, headers=JSON)
        assert slug(response) == "not-json"
        assert detail in response.json()["detail"]
        assert "secret" not in response.text

    @pytest.mark.parametrize("body", [b"null", b"[]", b'"text"', b"1"])
    def test_a_body_is_an_object(self, api: TestClient, body: bytes) -> None:
        response = api.post("/v1/ask", content=body, headers=JSON)
        assert slug(response) == "invalid-request"

    def test_every_mistake_is_listed(self, api: TestClient) -> None:
        response = api.post("/v1/dialog", json={"texts": ["a", 1], "user": 7, "x": 0})
        assert {one["where"] for one in response.json()["errors"]} == {"texts.1", "user", "x"}
        assert response.json()["detail"].endswith("(and 2 more)")

    def test_of_very_many_mistakes_the_first_are_listed(self, api: TestClient) -> None:
        response = api.post("/v1/ask", json={"text": "a"} | {f"x{n}": 1 for n in range(3_000)})
        assert len(response.json()["errors"]) == 50
        assert response.json()["detail"].endswith("(and 2999 more)")

    def test_a_key_that_stands_twice_among_very_many_is_soon_found(self) -> None:
        keys = [f'"{number}": 1' for number in range(200_000)]  # for each with each: minutes
        with pytest.raises(ProblemError, match="The key '7' is repeated"):
            read_json(f'{{{", ".join(keys)}, "7": 1}}'.encode(), Question)

    def test_an_unknown_name_may_be_any(self, api: TestClient) -> None:
        for name in ("\0\x1b[2J", "x" * 50_000, "", "📎"):
            response = api.post("/v1/ask", json={"text": "a", name: 1})
            assert slug(response) == "invalid-request"
            assert len(response.content) < 1_000
            assert "\x1b" not in response.json()["detail"]

    @pytest.mark.parametrize(
        "body", [b'\xef\xbb\xbf{"text": "tea"}', b' \n{"text": "\\ud83d\\ude42"}\t']
    )
    def test_a_byte_order_mark_and_whole_pairs_are_fine(self, api: TestClient, body: bytes) -> None:
        assert api.post("/v1/ask", content=body, headers=JSON).status_code == 200

    @pytest.mark.parametrize(
        ("sent_as", "is_fine"),
        [
            ("application/json", True),
            ("Application/JSON; charset=UTF-8", True),
            ('application/json;charset="utf-8"', True),
            ("application/json; charset=latin-1", False),
            ("application/jsonp", False),
            ("text/plain", False),
            ("application/x-www-form-urlencoded", False),
            ("", False),
        ],
    )
    def test_it_is_sent_as_json(self, api: TestClient, sent_as: str, is_fine: bool) -> None:  # noqa: FBT001
        response = api.post(
            "/v1/ask", content=b'{"text": "tea"}', headers={"content-type": sent_as}
        )
        if is_fine:
            assert response.status_code == 200
        else:
            assert slug(response) == "unsupported-media-type"

    @pytest.mark.parametrize(("packed", "is_fine"), [("gzip", False), ("Identity", True)])
    def test_it_is_sent_as_it_is(self, api: TestClient, packed: str, is_fine: bool) -> None:  # noqa: FBT001
        response = api.post("/v1/ask", json={"text": "tea"}, headers={"content-encoding": packed})
        if is_fine:
            assert response.status_code == 200
        else:
            assert slug(response) == "unsupported-media-type"
            assert "without compressing" in response.json()["detail"]

    @given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode()))
    def test_any_bytes_are_read_or_refused(self, body: bytes) -> None:
        try:
            read_json(body, Question)
        except ProblemError as refusal:
            assert refusal.slug in ("not-json", "invalid-request")

    @given(
        st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5)
    )
    def test_any_json_is_read_or_refused(self, value: object) -> None:
        body = json.dumps({"text": "a", "data": {"x": value}}).encode()
        try:
            question = read_json(body, Question)
        except ProblemError as refusal:
            assert refusal.slug == "not-json"
        else:
            assert json.dumps(question.data) == json.dumps({"x": value})


class TestSizes:
    def test_a_body_may_have_so_many_bytes_and_no_more(self, serve: Serve) -> None:
        api = serve(max_body=100)
        exact = b'{"text": "tea"}'.ljust(100)
        assert api.post("/v1/ask", content=exact, headers=JSON).status_code == 200
        response = api.post("/v1/ask", content=exact + b" ", headers=JSON)
        assert slug(response) == "too-large"
        assert response.json()["detail"] == "A body may have 100 bytes."

    def test_one_without_a_length_is_cut_off_while_it_is_read(self, serve: Serve) -> None:
        chunks = (b" " * 50 for _ in range(1_000))
        response = serve(max_body=100).post("/v1/ask", content=chunks, headers=JSON)
        assert slug(response) == "too-large"

    @pytest.mark.parametrize("length", ["-5", "1e3", "abc", "9" * 4_000])
    def test_an_invalid_length_is_ignored(self, serve: Serve, length: str) -> None:
        api = serve(max_body=100)
        headers = JSON | {"content-length": length}
        response = api.post("/v1/ask", content=b" " * 101, headers=headers)
        assert slug(response) == "too-large"

    def test_it_is_so_for_every_endpoint_that_may_get_a_body(self, serve: Serve) -> None:
        api = serve(max_body=100)
        for path in ("/v1/model/reload?id=tea", "/nowhere"):
            assert slug(api.post(path, content=b" " * 101)) == "too-large"

    def test_a_body_that_never_comes_is_not_waited_for(self, engine: Engine) -> None:
        guard = BodyLimitMiddleware(
            create_app(Settings(), engine=engine), max_body=100, timeout=0.05
        )
        sent = []

        async def request() -> None:
            chunks = iter([b'{"text": ', b'"tea"'])

            async def receive() -> Any:
                if chunk := next(chunks, None):
                    return {"type": "http.request", "body": chunk, "more_body": True}
                return await asyncio.get_running_loop().create_future()

            async def send(message: Any) -> None:
                sent.append(message)

            await guard(http_scope("POST", "/v1/ask", JSON), receive, send)

        asyncio.run(request())
        start, body = sent
        assert start["status"] == 408
        assert (b"connection", b"close") in start["headers"]
        assert json.loads(body["body"])["type"] == "urn:anaphora:problem:request-timeout"


class TestAddresses:
    @pytest.mark.parametrize(
        "path", ["/nope", "/v1", "/v1/", "/v1/ask/", "//v1/ask", "/V1/ask", "/v1/ask%00", "/docs"]
    )
    def test_there_is_nothing_elsewhere(self, api: TestClient, path: str) -> None:
        assert slug(api.get(f"http://testserver{path}")) == "not-found"

    def test_a_method_that_is_not_there_is_told_with_those_that_are(self, api: TestClient) -> None:
        response = api.patch("/v1/conversation")
        assert slug(response) == "method-not-allowed"
        assert response.headers["allow"] == "DELETE, GET, HEAD, OPTIONS"
        assert api.get("/v1/ask").headers["allow"] == "OPTIONS, POST"

    def test_options_tells_the_methods(self, api: TestClient) -> None:
        response = api.options("/v1/active-model")
        assert (response.status_code, response.content) == (204, b"")
        assert response.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PUT"
        assert slug(api.options("/nope")) == "not-found"

    def test_head_is_get_without_a_body(self, api: TestClient) -> None:
        for path in ("/health", "/v1/models", "/v1/conversation?user=ann", "/"):
            got, head = api.get(path), api.head(path)
            assert (head.status_code, head.content) == (200, b"")
            assert head.headers["content-length"] == str(len(got.content))
        assert api.head("/v1/ask").status_code == 405
        assert api.head("/nope").status_code == 404


class TestFailures:
    @pytest.fixture
    def failing(self, bar: OrderHandler) -> None:
        def fail(text: str) -> str:
            raise ValueError(f"cannot brew {text!r}")

        bar.handler = fail

    ask: Any = staticmethod(lambda api: api.post("/v1/ask", json={"text": "I'd like a tea"}))

    @pytest.mark.usefixtures("failing")
    def test_what_a_handler_says_of_its_failure_is_for_admins_only(self, serve: Serve) -> None:
        text, kept = generate_key("web")
        boss, boss_kept = generate_key("boss", scopes=("ask", "admin"))
        api = serve(keys=[kept, boss_kept])
        api.headers["x-api-key"] = text
        response = self.ask(api)
        assert slug(response) == "handler-failed"
        assert "brew" not in response.text
        api.headers["x-api-key"] = boss
        assert "cannot brew" in self.ask(api).json()["detail"]

    def test_a_conversation_that_stays_busy_is_a_conflict(self, serve: Serve) -> None:
        engine = Engine(parse_model(LAMP), store=MemoryStore(wait=0.05))
        api = serve(of=engine)
        with engine.store.open(ConversationKey("user", "lamp"), timedelta(1)):
            for response in (self.ask(api), api.delete("/v1/conversation")):
                assert slug(response) == "conflict"
                assert response.headers["retry-after"] == "1"

    @pytest.mark.parametrize("path", ["/v1/ask", "/v1/explain", "/v1/conversation", "/ready"])
    def test_a_store_that_is_away_is_told_and_may_come_back(
        self, serve: Serve, engine: Engine, monkeypatch: pytest.MonkeyPatch, path: str
    ) -> None:
        def away(*args: object, **options: object) -> Any:
            raise StoreError("redis://10.0.0.7: it cannot be reached")

        def call() -> Any:
            if path in ("/v1/ask", "/v1/explain"):
                return api.post(path, json={"text": "tea"})
            return api.get(path)

        api = serve()
        with monkeypatch.context() as patch:
            for name in ("open", "peek", "ping"):
                patch.setattr(engine.store, name, away)
            response = call()
            assert "10.0.0.7" not in response.text
            if path == "/ready":
                assert response.status_code == 503
                assert response.json() == {
                    "status": "failed",
                    "checks": {"store": "failed", "models": "ok"},
                }
            else:
                assert slug(response) == "store-unavailable"
                assert response.headers["retry-after"] == "2"
        assert call().status_code == 200

    def test_a_store_that_has_not_confirmed_a_question_is_told(
        self, api: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*args: object) -> Any:
            raise UnconfirmedError("redis://10.0.0.7: it cannot be reached")

        monkeypatch.setattr(engine.store, "open", fail)
        response = self.ask(api)
        assert slug(response) == "store-unavailable"
        assert "has not confirmed the change: look" in response.json()["detail"]

    @pytest.mark.parametrize("path", ["/v1/ask", "/v1/explain"])
    def test_an_error_that_nobody_expected_tells_nothing(
        self, api: TestClient, engine: Engine, monkeypatch: pytest.MonkeyPatch, path: str
    ) -> None:
        def fail(text: str, **options: object) -> Any:
            raise KeyError(text)

        monkeypatch.setattr(engine, path.removeprefix("/v1/"), fail)
        response = api.post(path, json={"text": "my secret"})
        assert slug(response) == "internal"
        assert "secret" not in response.text
        assert "KeyError" not in response.text

    def test_who_comes_when_the_server_is_about_to_stop_is_sent_away(self, api: TestClient) -> None:
        api.app.state.gate.close()  # type: ignore[attr-defined]  # it is a FastAPI
        response = self.ask(api)
        assert slug(response) == "shutting-down"
        assert response.headers["retry-after"] == "1"
        assert api.get("/health").status_code == 200

    def test_a_store_that_answers_too_late_is_not_ready(
        self, serve: Serve, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        released = threading.Event()
        monkeypatch.setattr(service, "_PING_TIMEOUT", 0.05)
        monkeypatch.setattr(engine.store, "ping", lambda: released.wait(30))
        api = serve()
        try:
            assert api.get("/ready").json()["checks"]["store"] == "failed"
        finally:
            released.set()


def test_every_kind_of_problem_is_a_whole_one() -> None:
    for kind, about in PROBLEM_TYPES.items():
        plain = to_plain(ProblemError(kind).details)
        assert_described(ProblemDetails, plain)
        assert plain["detail"] == about.detail
