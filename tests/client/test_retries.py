"""What is sent again, and what never is."""

from __future__ import annotations

from contextlib import suppress

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphora.client import (
    ApiError,
    Busy,
    Client,
    ServerError,
    TooManyRequests,
    Unreachable,
)
from tests.client.conftest import REPLY, Caller, Service, problem, stream

CONVERSATION = {"user": "ann", "model": "weather"}

REFUSED = httpx.ConnectError("Connection refused")
BROKEN = [
    httpx.ReadError("reset by peer"),
    httpx.RemoteProtocolError("Server disconnected without sending a response."),
    httpx.WriteError("broken pipe"),
]
LATE = httpx.ReadTimeout("timed out")
PROXY = httpx.Response(503, text="<html>Service Unavailable</html>", headers={"Retry-After": "1"})

each = pytest.mark.parametrize


def test_a_refused_connection_is_tried_again(call: Caller, service: Service) -> None:
    service.answers(REFUSED, httpx.ConnectTimeout("no"), REPLY)
    assert call("ask", "Hi").text == "Fine."
    assert service.slept == [0.1, 0.2]


def test_a_server_that_stays_away_is_told_of_with_its_address(
    call: Caller, service: Service
) -> None:
    service.answers(REFUSED, REFUSED, REFUSED)
    with pytest.raises(Unreachable, match=r"http://server cannot be reached.*refused") as told:
        call("ask", "Hi")
    assert "check that the server is running" in str(told.value)
    assert not told.value.maybe_done
    assert len(service.requests) == 3


@each("error", [*BROKEN, LATE], ids=lambda error: type(error).__name__)
def test_a_question_that_may_have_been_answered_is_not_asked_again(
    call: Caller, service: Service, error: httpx.TransportError
) -> None:
    service.answers(error, REPLY)
    with pytest.raises(Unreachable, match="may have executed") as told:
        call("ask", "Hi")
    assert told.value.maybe_done
    assert (len(service.requests), service.slept) == (1, [])


@each("method", ["dialog", "events"])
def test_neither_are_several_questions(call: Caller, service: Service, method: str) -> None:
    service.answers(BROKEN[0], REPLY)
    with pytest.raises(Unreachable):
        call(method, ["Hi"])
    assert len(service.requests) == 1


@each("error", BROKEN, ids=lambda error: type(error).__name__)
def test_what_changes_nothing_is_sent_again(
    call: Caller, service: Service, error: httpx.TransportError
) -> None:
    service.answers(error, CONVERSATION)
    assert call("conversation").user == "ann"


def test_a_server_that_is_too_slow_is_not_asked_for_more(call: Caller, service: Service) -> None:
    service.answers(LATE, CONVERSATION)
    with pytest.raises(Unreachable, match="not answered in time") as told:
        call("conversation")
    assert "timeout=" in str(told.value)
    assert not told.value.maybe_done


@each(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("0", 0.0),
        ("Fri, 15 Jan 2027 08:00:05 GMT", 5.0),
        ("Fri, 15 Jan 2027 07:59:00 GMT", 0.0),
    ],
)
def test_too_many_requests_wait_as_long_as_the_server_says(
    call: Caller, service: Service, header: str, seconds: float
) -> None:
    service.answers(problem(429, "too-many-requests", retry_after=header), REPLY)
    assert call("ask", "Hi").text == "Fine."
    assert service.slept == [seconds]


@each("header", ["11", "Fri, 15 Jan 2027 09:00:00 GMT", "soon", "-1", None])
def test_a_wait_that_is_too_long_or_unknown_is_left_to_the_caller(
    call: Caller, service: Service, header: str | None
) -> None:
    service.answers(problem(429, "too-many-requests", retry_after=header), REPLY)
    with pytest.raises(TooManyRequests):
        call("ask", "Hi")
    assert service.slept == []


def test_how_long_to_wait_stands_in_the_error(call: Caller, service: Service) -> None:
    service.answers(problem(429, "too-many-requests", retry_after="60"))
    with pytest.raises(TooManyRequests, match="try again in 60 s") as told:
        call("ask", "Hi")
    assert told.value.retry_after == 60.0


def test_the_longest_wait_can_be_set(call: Caller, service: Service) -> None:
    service.answers(problem(429, "too-many-requests", retry_after="60"), REPLY)
    assert call.on(call.make(longest_wait=60.0), "ask", "Hi").text == "Fine."


@each("method", ["ask", "conversation"])
@each("header", [None, "1"])
def test_a_server_that_is_shutting_down_has_not_begun(
    call: Caller, service: Service, method: str, header: str | None
) -> None:
    good = REPLY if method == "ask" else CONVERSATION
    service.answers(problem(503, "shutting-down", retry_after=header), good)
    call(method, *(["Hi"] if method == "ask" else []))
    assert service.slept == [1.0 if header else 0.1]


@each(
    "refusal",
    [problem(503, "store-unavailable", retry_after="1"), PROXY],
    ids=["store", "proxy"],
)
def test_a_question_is_not_asked_again_if_the_handler_may_have_run(
    call: Caller, service: Service, refusal: httpx.Response
) -> None:
    service.answers(refusal, REPLY)
    with pytest.raises(ServerError) as told:
        call("ask", "Hi")
    assert told.value.status == 503
    assert len(service.requests) == 1


@each(
    "refusal",
    [problem(503, "store-unavailable", retry_after="1"), PROXY],
    ids=["store", "proxy"],
)
def test_what_changes_nothing_waits_for_the_store(
    call: Caller, service: Service, refusal: httpx.Response
) -> None:
    service.answers(refusal, CONVERSATION)
    assert call("conversation").user == "ann"
    assert service.slept == [1.0]


@each(
    ("status", "slug"), [(409, "conflict"), (500, "handler-failed"), (500, "internal"), (502, "")]
)
def test_other_failures_are_final(call: Caller, service: Service, status: int, slug: str) -> None:
    service.answers(problem(status, slug, retry_after="1"), REPLY)
    with pytest.raises((Busy, ServerError)):
        call("ask", "Hi")
    assert len(service.requests) == 1


def test_retries_can_be_switched_off(call: Caller, service: Service) -> None:
    service.answers(REFUSED, REPLY)
    with pytest.raises(Unreachable):
        call.on(call.make(retries=0), "ask", "Hi")
    assert service.slept == []


def test_after_the_last_retry_the_error_comes_through(call: Caller, service: Service) -> None:
    service.answers(*[problem(429, "too-many-requests", retry_after="1")] * 3)
    with pytest.raises(TooManyRequests):
        call("ask", "Hi")
    assert service.slept == [1.0, 1.0]


def test_a_stream_is_opened_again_where_none_has_begun(call: Caller, service: Service) -> None:
    service.answers(
        REFUSED,
        problem(503, "shutting-down"),
        stream(("end", {"answered": 0})),
    )
    assert len(call("events", ["Hi"])) == 1


def test_a_server_that_is_not_ready_is_an_answer(call: Caller, service: Service) -> None:
    checks = {"status": "failed", "checks": {"store": "failed", "models": "ok"}}
    service.answers(httpx.Response(503, json=checks, headers={"Retry-After": "1"}))
    found = call("ready")
    assert (found.ready, found.status, found.checks["store"]) == (False, "failed", "failed")


def test_a_server_that_shuts_down_is_not_ready(call: Caller, service: Service) -> None:
    service.answers(problem(503, "shutting-down", retry_after="1"))
    assert not call("ready").ready


# Whatever happens on the way

NOT_BEGUN = [
    lambda: REFUSED,
    lambda: problem(429, "too-many-requests", retry_after="1"),
    lambda: problem(503, "shutting-down"),
]
PERHAPS = [
    lambda: BROKEN[0],
    lambda: BROKEN[1],
    lambda: LATE,
    lambda: problem(503, "store-unavailable", retry_after="1"),
    lambda: problem(500, "internal"),
    lambda: httpx.Response(503, text="no", headers={"Retry-After": "0"}),
    lambda: httpx.Response(200, json=REPLY),
    lambda: httpx.Response(200, text="<html>"),
    lambda: httpx.Response(302, headers={"Location": "/login"}),
]


@given(
    steps=st.lists(st.sampled_from(NOT_BEGUN + PERHAPS), min_size=6, max_size=6),
    retries=st.integers(0, 4),
)
def test_a_question_is_never_sent_after_one_that_may_have_been_answered(steps, retries) -> None:
    service = Service()
    service.answers(*(make() for make in steps))
    transport = httpx.MockTransport(service)
    with (
        Client(
            "http://server", retries=retries, transport=transport, sleep=service.slept.append
        ) as client,
        suppress(ApiError, Unreachable),
    ):
        client.ask("Hi")
    begun = [make in PERHAPS for make in steps]
    first = begun.index(True) if True in begun else len(begun)
    assert len(service.requests) == min(first, retries) + 1
    assert len(service.slept) == len(service.requests) - 1
