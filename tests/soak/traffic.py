"""What people and an operator do with a service."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count, cycle
from pathlib import Path
from typing import Any

import httpx

from tests.server.sample_bots import LAMP, WAIT_LIMIT

__all__ = ["Traffic", "visitors"]

_RETURN = 3  # rounds until a visitor comes back, for the last time
_AGENT = "/v1/agents/ada"
_CAN_FAIL = (200, 502, 503)  # as the chat model may
_BROKEN_LAMP = LAMP.replace("# == 'on'", "# ==")


class Traffic:
    """Talks to the service at ``url``, which has the tea room and the lamp of the file ``lamp``.
    ``seconds`` lists those of each request, by its kind."""

    def __init__(self, url: str, lamp: Path) -> None:
        self.seconds: defaultdict[str, list[float]] = defaultdict(list)
        self._url, self._lamp = url, lamp
        self._numbers = count()
        self._words = cycle(["milk", "honey", "wxyz", "Ünter", "grün", "千恵"])  # known early

    def play_round(self, number: int, visits: int) -> None:
        """At the same time, visitors come, those of an earlier round come back (and in every other
        round are erased), and an operator reloads a model and looks at everything."""
        with ThreadPoolExecutor(3) as pool:
            tasks = [
                pool.submit(self._operate, number),
                *(pool.submit(self._visit, user) for user in visitors(number, visits)),
                *(
                    pool.submit(self._visit_again, user, erased=number % 2 == 1)
                    for user in visitors(number - _RETURN, visits)
                ),
            ]
        for task in tasks:
            task.result()

    def read_history(self, user: str) -> dict[str, Any]:
        """Return the working history of a user."""
        with self._client() as client:
            history: dict[str, Any] = client.get("/v1/history", params={"user": user}).json()
            return history

    def _visit(self, user: str) -> None:
        who, word = {"user": user}, next(self._words)
        message = {"text": f"Hello, do you like {word}?", **who}
        with self._client() as client:

            def ask(kind: str, text: str, *status: int, **rest: str) -> None:
                body = {"text": text, **who, **rest}
                self._send(client, kind, "POST", "/v1/ask", *status, json=body)

            ask("ask", "I'd like a large tea")
            ask("ask", f"And a coffee with {word}")
            ask("ask", "Give me")
            ask("ask", "switch on the lamp", model="lamp")
            ask("refuse", "tea", 404, model=word)
            ask("fallback", f"Is {word} in the sky?", *_CAN_FAIL)
            self._stream(client, "/v1/ask/events", {"texts": ["a small chai"], **who})
            self._send(client, "agent", "POST", f"{_AGENT}/messages", *_CAN_FAIL, json=message)
            self._stream(client, f"{_AGENT}/messages", message)
            for path in ("/v1/conversation", "/v1/history", f"{_AGENT}/queue", f"{_AGENT}/graph"):
                self._send(client, "read", "GET", path, params=who)
            self._send(client, "recall", "GET", "/v1/recall", params={"text": word, **who})

    def _visit_again(self, user: str, *, erased: bool) -> None:
        self._visit(user)
        if erased:
            with self._client() as client:
                self._send(client, "erase", "DELETE", "/v1/user", params={"user": user})

    def _operate(self, number: int) -> None:
        changed, lamp = LAMP.replace("It is", f"{next(self._words)}: it is"), {"id": "lamp"}
        with self._client() as client:
            for kind, text, status in (("refuse", _BROKEN_LAMP, 422), ("reload", changed, 200)):
                self._lamp.write_text(text, encoding="utf-8")
                self._send(client, kind, "POST", "/v1/model/reload", status, params=lamp)
            if number % 3 == 0:  # it takes as long as all visits of a round
                self._send(client, "check", "POST", "/v1/model/check", params=lamp)
            for path in ("/ready", "/metrics", "/v1/models", "/v1/agents", "/"):
                self._send(client, "look", "GET", path)

    def _client(self) -> httpx.Client:
        return httpx.Client(base_url=self._url, timeout=WAIT_LIMIT, verify=False)

    def _send(
        self, client: httpx.Client, kind: str, method: str, path: str, *status: int, **rest: Any
    ) -> None:
        with self._timed(kind):
            answer = client.request(method, path, **rest)
        assert answer.status_code in (status or (200,)), (method, path, rest, answer.text)

    def _stream(self, client: httpx.Client, path: str, body: dict[str, Any]) -> None:
        """Read a stream; every other time only its begin, as somebody who leaves."""
        leaves = next(self._numbers) % 2
        headers = {"accept": "text/event-stream"}
        stream = client.stream("POST", path, json=body, headers=headers)
        with self._timed("stream"), stream as answer:
            assert answer.status_code == 200, answer.read()
            for _ in answer.iter_lines():
                if leaves:
                    break

    @contextmanager
    def _timed(self, kind: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.seconds[kind].append(time.perf_counter() - begin)


def visitors(number: int, visits: int) -> list[str]:
    """Return who comes in a round for the first time; nobody before round 0."""
    return [f"visitor {number}-{one}" for one in range(visits) if number >= 0]
