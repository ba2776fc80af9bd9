"""The stream of events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Any

import anyio
import httpx
import pytest

from anaphora.client import (
    AsyncClient,
    Client,
    EndEvent,
    Invalid,
    InvalidResponse,
    QuestionEvent,
    ServerError,
    Unreachable,
)
from tests.client.conftest import REPLY, Caller, Service, problem, stream, type_names

EXPLANATION = {"text": "a", "status": "matched"}
EVENTS: list[tuple[str, Any]] = [
    ("question", {"index": 0, "text": "a"}),
    ("explanation", EXPLANATION),
    ("reply", REPLY),
    ("end", {"answered": 1}),
]


class Bits(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that comes bit by bit, and may break; it knows whether it was closed."""

    def __init__(self, data: bytes, *, size: int = 1, error: Exception | None = None) -> None:
        self._bits = [data[at : at + size] for at in range(0, len(data), size)]
        self._error = error
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        yield from self._bits
        if self._error:
            raise self._error

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for bit in self:
            yield bit

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


def coming(bits: Bits) -> httpx.Response:
    return httpx.Response(200, stream=bits, headers={"Content-Type": "text/event-stream"})


def test_events_come_as_values_in_their_order(call: Caller, service: Service) -> None:
    service.answers(stream(*EVENTS))
    found = call("events", ["a"], user="ann", explain=True)
    assert type_names(found) == ["QuestionEvent", "Explanation", "Reply", "EndEvent"]
    assert (found[0], found[-1]) == (QuestionEvent(0, "a"), EndEvent(1))
    assert found[2].text == "Fine."
    assert service.sent == [
        ("POST", "/v1/ask/events", {"texts": ["a"], "user": "ann", "explain": True})
    ]


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_they_may_come_in_any_pieces(
    call: Caller, service: Service, size: int, newline: str
) -> None:
    text = "日本\u2028\u0085語 🌧️"
    raw = stream(("reply", REPLY | {"text": text}), EVENTS[-1]).content
    data = b": still there\n\n" + raw
    service.answers(coming(Bits(data.replace(b"\n", newline.encode()), size=size)))
    assert call("events", ["a"])[0].text == text


def test_events_of_a_newer_server_are_passed_over(call: Caller, service: Service) -> None:
    service.answers(stream(("mood", {"sunny": True}), ("", {}), *EVENTS))
    assert len(call("events", ["a"])) == 4


def test_a_problem_is_raised_where_it_comes_up(call: Caller, service: Service) -> None:
    failed = problem(500, "handler-failed", detail="It is broken.").json()
    service.answers(stream(*EVENTS[:3], ("problem", failed), EVENTS[-1]))
    with pytest.raises(ServerError, match="It is broken") as told:
        call("events", ["a", "b"])
    assert told.value.slug == "handler-failed"


def test_what_came_before_the_problem_was_there(service: Service) -> None:
    service.answers(stream(*EVENTS[:3], ("problem", problem(500, "internal").json())))
    with Client("http://server", transport=httpx.MockTransport(service)) as client:
        events = client.events(["a"])
        assert type_names(next(events) for _ in range(3)) == [
            "QuestionEvent",
            "Explanation",
            "Reply",
        ]
        with pytest.raises(ServerError):
            next(events)


def test_a_stream_that_ends_too_early_is_told(call: Caller, service: Service) -> None:
    service.answers(stream(*EVENTS[:3]))
    with pytest.raises(Unreachable, match="ended early") as told:
        call("events", ["a"])
    assert told.value.maybe_done


def test_a_stream_that_breaks_is_told_and_not_begun_again(call: Caller, service: Service) -> None:
    bits = Bits(stream(*EVENTS[:2]).content, error=httpx.ReadError("reset by peer"))
    service.answers(coming(bits), stream(*EVENTS))
    with pytest.raises(Unreachable, match="reset by peer") as told:
        call("events", ["a"])
    assert told.value.maybe_done
    assert bits.closed
    assert len(service.requests) == 1


@pytest.mark.parametrize("data", ["", "{", "[]", "[" * 100_000, '{"status": 5}'])
def test_an_event_that_cannot_be_read_is_told(call: Caller, service: Service, data: str) -> None:
    content = f"event: reply\ndata: {data}\n\n"
    service.answers(
        httpx.Response(200, text=content, headers={"Content-Type": "text/event-stream"})
    )
    with pytest.raises(InvalidResponse, match="the event 'reply'"):
        call("events", ["a"])


def test_a_refused_request_is_told_in_full(call: Caller, service: Service) -> None:
    service.answers(problem(422, "invalid-request", detail="Too many texts."))
    with pytest.raises(Invalid, match="Too many texts"):
        call("events", ["a"])


def test_a_page_instead_of_a_stream_is_told(call: Caller, service: Service) -> None:
    service.answers(httpx.Response(200, html="<p>Log in</p>"))
    with pytest.raises(InvalidResponse, match="expected a stream of events"):
        call("events", ["a"])


def test_whoever_leaves_early_lets_go_of_the_connection(service: Service) -> None:
    bits = Bits(stream(*EVENTS).content)
    service.answers(coming(bits))
    with Client("http://server", transport=httpx.MockTransport(service)) as client:
        events = client.events(["a"])
        assert next(events) == QuestionEvent(0, "a")
        assert not bits.closed
        events.close()  # type: ignore[attr-defined]  # it is a generator
        assert bits.closed


def test_so_does_whoever_leaves_early_with_await(service: Service) -> None:
    bits = Bits(stream(*EVENTS).content)
    service.answers(coming(bits))

    async def leave() -> None:
        async with AsyncClient("http://server", transport=httpx.MockTransport(service)) as client:
            async with aclosing(client.events(["a"])) as events:  # type: ignore[type-var]
                async for _ in events:
                    break
            assert bits.closed

    anyio.run(leave)


def test_a_stream_may_be_silent_for_longer_than_an_answer(call: Caller, service: Service) -> None:
    service.answers(stream(*EVENTS), REPLY)
    call("events", ["a"])
    call("ask", "a")
    assert [one.extensions["timeout"]["read"] for one in service.requests] == [30.0, 10.0]
