"""What is told when something is refused."""

from __future__ import annotations

import pickle
import subprocess
import sys

import httpx
import pytest

from anaphora.client import (
    ApiError,
    Busy,
    FieldError,
    Forbidden,
    Invalid,
    InvalidResponse,
    NotFound,
    ServerError,
    TooManyRequests,
    Unauthorized,
)
from anaphora.errors import AnaphoraError
from tests.client.conftest import REPLY, Caller, Service, problem

each = pytest.mark.parametrize


@each(
    ("status", "slug", "kind", "hint"),
    [
        (400, "not-json", Invalid, "correct the request"),
        (401, "unauthorized", Unauthorized, "Client(url, key="),
        (403, "forbidden", Forbidden, "scope"),
        (404, "unknown-model", NotFound, "models()"),
        (404, "not-found", NotFound, "check the address"),
        (405, "method-not-allowed", ApiError, ""),
        (409, "conflict", Busy, "ask again"),
        (413, "too-large", Invalid, "less at once"),
        (415, "unsupported-media-type", Invalid, "correct the request"),
        (422, "invalid-request", Invalid, "correct the request"),
        (422, "model-invalid", Invalid, "correct the file"),
        (429, "too-many-requests", TooManyRequests, "rate"),
        (500, "handler-failed", ServerError, "the memory is unchanged"),
        (500, "internal", ServerError, "log"),
        (503, "store-unavailable", ServerError, "store"),
        (418, "of-a-newer-server", ApiError, ""),
    ],
)
def test_each_problem_is_an_error_that_says_what_to_do(
    call: Caller, service: Service, status: int, slug: str, kind: type[ApiError], hint: str
) -> None:
    service.answers(problem(status, slug, title="A title", detail="What it is."))
    with pytest.raises(ApiError) as told:
        call("ask", "Hi")
    error = told.value
    assert hint in str(error)
    assert type(error) is kind
    assert isinstance(error, AnaphoraError)
    assert (error.status, error.slug) == (status, slug)
    assert (error.title, error.detail) == ("A title", "What it is.")
    assert str(error).startswith(f"What it is. ({status} {slug})")


def test_every_mistake_is_listed(call: Caller, service: Service) -> None:
    errors = [{"where": "texts.0", "message": "no text"}, {"where": "at", "message": "no zone"}]
    service.answers(problem(422, "invalid-request", detail="Two.", errors=errors))
    with pytest.raises(Invalid, match=r"(?s)texts\.0: no text.*at: no zone") as told:
        call("ask", "Hi")
    assert told.value.errors == (FieldError("texts.0", "no text"), FieldError("at", "no zone"))


def test_the_id_of_the_request_is_told(call: Caller, service: Service) -> None:
    refusal = problem(500, "internal")
    refusal.headers["X-Request-ID"] = "abc-1"
    service.answers(refusal)
    with pytest.raises(ServerError, match="request: abc-1"):
        call("ask", "Hi")


@each(
    ("answer", "kind", "said"),
    [
        (httpx.Response(502, text="<h1>Bad   Gateway</h1>"), ServerError, "<h1>Bad Gateway</h1>"),
        (httpx.Response(502, content=b""), ServerError, "Bad Gateway"),
        (httpx.Response(404, content=b"\xff\xfe"), NotFound, "404"),
        (httpx.Response(403, json=["no"]), Forbidden, "Forbidden"),
        (httpx.Response(500, json={"type": 5, "detail": [], "errors": 7}), ServerError, "Internal"),
        (httpx.Response(429, text="[" * 100_000), TooManyRequests, "429"),
    ],
)
def test_whoever_answers_instead_of_the_service_is_quoted(
    call: Caller, service: Service, answer: httpx.Response, kind: type[ApiError], said: str
) -> None:
    service.answers(answer)
    with pytest.raises(kind) as told:
        call("ask", "Hi")
    assert said in str(told.value)
    assert told.value.slug == ""
    assert len(str(told.value)) < 500


@each(
    ("answer", "said"),
    [
        (httpx.Response(200, text="<html>Log in</html>"), "not from the service"),
        (httpx.Response(200, json=[REPLY]), "expected a JSON object"),
        (httpx.Response(200, json={"text": "no status"}), "status"),
        (httpx.Response(200, json={**REPLY, "slots": 5}), "slots"),
        (httpx.Response(204), "unexpected response"),
        (httpx.Response(302, headers={"Location": "http://login"}), "redirects to http://login"),
    ],
)
def test_an_answer_of_something_else_than_the_service_is_an_error(
    call: Caller, service: Service, answer: httpx.Response, said: str
) -> None:
    service.answers(answer)
    with pytest.raises(InvalidResponse, match=said):
        call("ask", "Hi")
    assert len(service.requests) == 1, "a key must not follow to another server"


def test_errors_can_be_handed_to_another_process(call: Caller, service: Service) -> None:
    service.answers(problem(429, "too-many-requests", retry_after="99", detail="Slow down."))
    with pytest.raises(TooManyRequests) as told:
        call("ask", "Hi")
    copy = pickle.loads(pickle.dumps(told.value))
    assert (type(copy), str(copy)) == (TooManyRequests, str(told.value))


@each("missing", ["httpx", "httpx_sse"])
def test_without_its_package_the_client_says_what_to_install(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; import anaphora.client"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"needs the package {missing}: pip install 'anaphora[client]'" in done.stderr
