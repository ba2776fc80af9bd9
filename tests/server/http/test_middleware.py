"""What stands around every request: its id, its line in the log, its metrics, its headers, and the
gate that closes when the server stops."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import httpx
import pytest
import structlog
from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.requests import Request
from structlog.testing import capture_logs

from anaphora.server.http.middleware import ObservabilityMiddleware, add_observability
from anaphora.server.observability.metrics import Metrics

SECRET = "what Ann said"


class Site:
    """A little application with a watch around it."""

    def __init__(self, *, texts: bool = False) -> None:
        self.app = FastAPI()
        self.metrics = Metrics()
        self.app.get("/things/{id}")(self.thing)
        self.app.get("/health")(self.health)
        self.app.get("/broken")(self.broken)
        self.app.get("/half")(self.half)
        self.app.get("/own")(self.own)
        self.gate = add_observability(self.app, metrics=self.metrics, texts=texts)
        self.seen: list[str] = []

    async def thing(self, request: Request, id: str) -> PlainTextResponse:
        request.scope["anaphora.key"] = "web"
        request.scope["anaphora.text"] = SECRET
        self.seen.append(request.scope["anaphora.request_id"])
        self.seen.append(structlog.contextvars.get_contextvars()["request_id"])
        return PlainTextResponse(id)

    async def health(self) -> PlainTextResponse:
        return PlainTextResponse("ok")

    async def broken(self) -> PlainTextResponse:
        raise RuntimeError(SECRET)

    async def half(self) -> StreamingResponse:
        async def parts() -> Any:
            yield b"a part"
            raise RuntimeError(SECRET)

        return StreamingResponse(parts())

    async def own(self) -> PlainTextResponse:
        headers = {"Content-Security-Policy": "default-src 'self'", "Cache-Control": "max-age=60"}
        return PlainTextResponse("", headers=headers)

    def get(self, path: str, *, method: str = "GET", **headers: str) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(self.app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                return await client.request(method, path, headers=headers)

        return asyncio.run(send())


@pytest.fixture
def site() -> Site:
    return Site()


def access_line(site: Site, path: str, **more: str) -> dict[str, Any]:
    with capture_logs() as lines:
        site.get(path, **more)
    (line,) = [line for line in lines if line["event"] == "request"]
    return dict(line)


def test_a_request_keeps_the_id_that_it_came_with(site: Site) -> None:
    answer = site.get("/things/1", **{"X-Request-ID": "from-a.proxy_7"})
    assert answer.headers["x-request-id"] == "from-a.proxy_7"
    assert site.seen == ["from-a.proxy_7"] * 2


@pytest.mark.parametrize("id", ["", "two words", "x" * 129, 'a"b', "a;b"])
def test_an_invalid_id_is_replaced(id: str, site: Site) -> None:
    given = site.get("/things/1", **{"X-Request-ID": id}).headers["x-request-id"]
    assert given != id
    assert given != site.get("/things/1").headers["x-request-id"]
    assert len(given) == 16


def test_the_line_of_a_request_tells_its_route_and_not_what_was_sent(site: Site) -> None:
    line = access_line(site, f"/things/{SECRET}?text={SECRET}")
    assert SECRET not in json.dumps(line)
    assert line["seconds"] >= 0
    assert {key: line[key] for key in ("method", "route", "status", "key")} == {
        "method": "GET",
        "route": "/things/{id}",
        "status": 200,
        "key": "web",
    }


def test_the_text_of_the_user_is_in_it_if_it_is_asked_for() -> None:
    assert access_line(Site(texts=True), "/things/1")["text"] == SECRET


def test_unknown_paths_and_methods_make_no_new_labels(site: Site) -> None:
    for number in range(20):
        site.get(f"/nothing/{number}")
        site.get(f"/things/{number}")
        site.get("/things/1", method=f"METHOD{number}")
    counted = [
        line for line in site.metrics.render().decode().splitlines() if "seconds_count" in line
    ]
    assert sorted(line.partition("{")[2] for line in counted if "request_seconds" in line) == [
        'code="200",method="GET",route="/things/{id}"} 20.0',
        'code="404",method="GET",route="other"} 20.0',
        'code="405",method="other",route="/things/{id}"} 20.0',
    ]


def test_every_answer_has_the_headers_that_keep_browsers_from_mischief(site: Site) -> None:
    for path in ("/things/1", "/nothing", "/broken"):
        headers = site.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert headers["content-security-policy"].startswith("default-src 'none'")


def test_a_header_that_a_route_sets_stays(site: Site) -> None:
    headers = site.get("/own").headers
    assert headers.get_list("content-security-policy") == ["default-src 'self'"]
    assert headers.get_list("cache-control") == ["max-age=60"]


def test_an_error_that_nobody_expected_is_a_problem_without_a_text(site: Site) -> None:
    with capture_logs() as lines:
        answer = site.get("/broken")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:anaphora:problem:internal"
    assert SECRET not in answer.text
    assert [line["event"] for line in lines] == ["failed", "request"]
    assert lines[0]["route"] == "/broken"


def test_where_nobody_has_said_how_to_log_only_errors_are_logged(
    site: Site, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    structlog.reset_defaults()
    with caplog.at_level(logging.INFO):
        site.get("/own")
        site.get("/broken")
    assert "".join(capsys.readouterr()) == ""
    ours = [record for record in caplog.records if record.name.startswith("anaphora")]
    assert [record.getMessage() for record in ours] == ["a request to /broken failed"]


def test_an_answer_that_breaks_in_the_middle_is_broken_off(site: Site) -> None:
    with capture_logs() as lines, pytest.raises(RuntimeError, match=SECRET):
        site.get("/half")
    assert [line["event"] for line in lines] == ["failed", "request"]


def test_a_closed_door_lets_nobody_in_but_who_asks_whether_it_lives(site: Site) -> None:
    site.gate.close()
    answer = site.get("/things/1")
    assert (answer.status_code, answer.json()["type"]) == (
        503,
        "urn:anaphora:problem:shutting-down",
    )
    assert answer.headers["connection"] == "close"
    assert "retry-after" in answer.headers
    assert site.get("/health").status_code == 200
    assert site.seen == []


def test_a_client_that_has_gone_is_told_of_as_one() -> None:
    async def never(scope: Any, receive: Any, send: Any) -> None:
        raise asyncio.CancelledError

    site = Site()
    gone = ObservabilityMiddleware(never, metrics=site.metrics, gate=site.gate)
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    with capture_logs() as lines, pytest.raises(asyncio.CancelledError):
        asyncio.run(gone(scope, None, None))  # type: ignore[arg-type]  # neither is used
    assert [(line["event"], line["status"]) for line in lines] == [("request", 499)]
