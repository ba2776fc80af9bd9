"""A service that answers as a test says, and both clients before it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import anyio
import httpx
import pytest

from anaphora.client import AsyncClient, Client

REPLY = {
    "status": "matched",
    "intent": "weather",
    "slots": {"city": {"value": "Kyoto", "text": "kyoto", "element": "city", "source": "sentence"}},
    "missing": [],
    "prompt": None,
    "text": "Fine.",
    "reason": "",
    "memory": [{"element": "city", "value": "Kyoto", "groups": ["city"]}],
    "unused": [
        {
            "text": "Osaka now",
            "start": 18,
            "end": 27,
            "entities": [{"element": "city", "value": "Osaka", "text": "Osaka"}],
            "words": ["now"],
        }
    ],
    "model": "weather",
    "user": "ann",
}


def problem(status: int, slug: str, **more: Any) -> httpx.Response:
    """An answer of the service that tells of a problem; ``retry_after`` is a header."""
    retry_after = more.pop("retry_after", None)
    plain = {"type": f"urn:anaphora:problem:{slug}", "title": slug, "status": status} | more
    return httpx.Response(
        status,
        content=json.dumps(plain),
        headers={"Content-Type": "application/problem+json"}
        | ({} if retry_after is None else {"Retry-After": retry_after}),
    )


def stream(*events: tuple[str, Any]) -> httpx.Response:
    """An answer of the service that is a stream of events."""
    text = "".join(
        f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n" for name, data in events
    )
    return httpx.Response(
        200, content=text.encode(), headers={"Content-Type": "text/event-stream; charset=utf-8"}
    )


Outcome = httpx.Response | Exception


class Service:
    """Answers the requests in turn with what it was told to, and keeps them."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.requests: list[httpx.Request] = []
        self.slept: list[float] = []
        self.now = 1_800_000_000.0

    def answers(self, *outcomes: Outcome | dict[str, Any]) -> None:
        self.outcomes = [
            httpx.Response(200, json=one) if isinstance(one, dict) else one for one in outcomes
        ]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        outcome = self.outcomes[len(self.requests) - 1]
        if isinstance(outcome, Exception):
            raise outcome
        if not outcome.is_closed:
            return outcome
        # A new one: tests share them, and one that was sent once cannot be sent again.
        return httpx.Response(outcome.status_code, headers=outcome.headers, content=outcome.content)

    @property
    def sent(self) -> list[tuple[str, str, Any]]:
        """Method, target and body of every request."""
        return [
            (
                one.method,
                one.url.raw_path.decode(),
                json.loads(one.content) if one.content else None,
            )
            for one in self.requests
        ]


class SyncCaller:
    """The client for programs that wait."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def make(self, url: str = "http://server", key: str | None = None, **options: Any) -> Client:
        options = {"sleep": self._service.slept.append, **options}
        return Client(
            url,
            key,
            transport=httpx.MockTransport(self._service),
            clock=lambda: self._service.now,
            **options,
        )

    def __call__(self, method: str, *arguments: Any, **options: Any) -> Any:
        """What a method of a new client gives."""
        return self.on(self.make(), method, *arguments, **options)

    def on(self, client: Client, method: str, *arguments: Any, **options: Any) -> Any:
        with client:
            found = getattr(client, method)(*arguments, **options)
            return list(found) if isinstance(found, Iterator) else found


class AsyncCaller:
    """The client for programs that do other things meanwhile."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def make(
        self, url: str = "http://server", key: str | None = None, **options: Any
    ) -> AsyncClient:
        async def sleep(seconds: float) -> None:
            self._service.slept.append(seconds)

        return AsyncClient(
            url,
            key,
            transport=httpx.MockTransport(self._service),
            sleep=sleep,
            clock=lambda: self._service.now,
            **options,
        )

    def __call__(self, method: str, *arguments: Any, **options: Any) -> Any:
        return self.on(self.make(), method, *arguments, **options)

    def on(self, client: AsyncClient, method: str, *arguments: Any, **options: Any) -> Any:
        async def run() -> Any:
            async with client:
                found = getattr(client, method)(*arguments, **options)
                if hasattr(found, "__aiter__"):
                    return [event async for event in found]
                return await found

        return anyio.run(run)


Caller = SyncCaller | AsyncCaller


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture(params=[SyncCaller, AsyncCaller], ids=["sync", "async"])
def call(request: pytest.FixtureRequest, service: Service) -> Caller:
    """Calls a method of a client: ``call("ask", "And in Kyoto?")``. Every test runs with both."""
    kind: Callable[[Service], Caller] = request.param
    return kind(service)


def type_names(items: Iterable[Any]) -> list[str]:
    return [type(item).__name__ for item in items]
