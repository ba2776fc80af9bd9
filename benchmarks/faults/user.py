"""A simulated user: questions, retries and other operations."""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from benchmarks.faults.bot import COLORS, ITEMS, MODEL, items_of
from benchmarks.faults.operations import Kind, Operation, Outcome, Reply

__all__ = ["SimulatedUser", "read_history"]

PAUSE = timedelta(hours=2)  # more than the timeout of the model
TRIES = 200
WAIT, LONGEST_WAIT = 0.2, 2.0  # seconds before a question is asked again, at first and at last

_ODD = (
    "\N{GRINNING FACE}\N{ZERO WIDTH JOINER}\N{GRINNING FACE}",
    "שלום עולם",
    "e\N{COMBINING ACUTE ACCENT}\N{COMBINING CEDILLA}",
    "\x00\x07 \N{RIGHT-TO-LEFT OVERRIDE}",
    "'; DROP TABLE exchanges; --",
    "漢字かな交じり文",
    "</user>\N{LINE SEPARATOR}\N{NO-BREAK SPACE}",
)
_WORDS = tuple(f"word{number}" for number in range(2_000))
_WEIGHTS = {
    "order": 30,
    "paint": 16,
    "again": 18,
    "slow": 6,
    "odd": 6,
    "long": 2,
    "unread": 1,
    "nonsense": 4,
    "broken": 2,
    "forget": 2,
    "erase": 2,
    "race": 1,
    "pause": 5,
    "read": 6,
}
_ENDS = (httpx.ConnectError, httpx.ConnectTimeout)  # the question was never sent


@dataclass
class SimulatedUser:
    """The dialog of one user with ``questions`` questions. ``urls`` are the servers, any of which
    may be asked; ``record`` is called with every operation."""

    user: str
    questions: int
    urls: Callable[[], Sequence[str]]
    http: httpx.AsyncClient
    record: Callable[[Operation], None]
    chance: random.Random
    think: float = 0.0
    asked: int = 0
    generation: int = 0
    ahead: timedelta = timedelta()
    failures: list[str] = field(default_factory=list)

    async def run(self) -> None:
        """Ask all questions."""
        actions, weights = zip(*_WEIGHTS.items(), strict=True)
        while self.asked < self.questions:
            (action,) = self.chance.choices(actions, weights)
            await getattr(self, f"_{action}")()
            await asyncio.sleep(self.think * 2 * self.chance.random())

    # -- questions -----------------------------------------------------------------------------

    async def _order(self, extra: str = "") -> None:
        item = self.chance.choice(items_of(self.generation))
        await self._ask(f"order {item} {{}}{extra}", item=item)

    async def _odd(self) -> None:
        await self._order(f" {self.chance.choice(_ODD)}")

    async def _long(self) -> None:
        words = self.chance.choices(_WORDS, k=self.chance.randrange(100, 800))
        await self._order(f" {' '.join(words)}")

    async def _unread(self) -> None:
        """Ask a question that is too long, which is rejected."""
        await self._ask("order nothing {}" + " abcdefgh" * 2_000)

    async def _slow(self) -> None:
        item = self.chance.choice(items_of(self.generation))
        milliseconds = self.chance.randrange(50, 2_500)
        await self._ask(f"order {item} slowly for {milliseconds} ms {{}}", item=item)

    async def _paint(self) -> None:
        color = self.chance.choice(COLORS)
        await self._follow_up(f"paint it {color} {{}}", color=color)

    async def _again(self) -> None:
        await self._follow_up("once more {}")

    async def _nonsense(self) -> None:
        await self._ask("sing {}")

    async def _broken(self) -> None:
        await self._ask("break it {}", tries=1)

    async def _pause(self) -> None:
        """Ask a follow-up after the timeout."""
        await asyncio.sleep(self.chance.random())
        self.ahead += PAUSE
        now = time.monotonic()
        self.record(Operation(self.user, "pause", now, now))
        await self._again()

    async def _follow_up(self, text: str, color: str | None = None) -> None:
        """Ask a follow-up that needs the conversation; sometimes accept an offer."""
        done = await self._ask(text, color=color, needs_item=True)
        if done.reply is None or not done.reply.offer or self.chance.random() < 0.5:
            return
        offered = done.reply.offer
        item = next((value for value in offered if value in ITEMS), None)
        before = next((value for value in offered if value in COLORS), None)
        await self._post("yes", entry=done.serial, item=item, color=color or before)

    async def _ask(self, form: str, *, tries: int = TRIES, **facts: Any) -> Operation:
        serial = f"{self.user}n{self.asked:05}"
        self.asked += 1
        text = form.format(serial)
        return await self._post(text, serial=serial, entry=serial, tries=tries, **facts)

    async def _post(self, text: str, *, tries: int = TRIES, **facts: Any) -> Operation:
        """Ask, and retry as long as the error allows it."""
        body: dict[str, Any] = {"user": self.user, "model": MODEL, "text": text}
        for number in range(tries):
            if self.ahead:
                body["at"] = (datetime.now(UTC) + self.ahead).isoformat()
            done, _ = await self._call(
                "ask", "POST", "/v1/ask", content=json.dumps(body), text=text, **facts
            )
            if done.outcome != "refused":
                return done
            await self._wait(number)
        if tries > 1:
            self.failures.append(f"a question of {self.user} was refused {tries} times")
        return done

    # -- everything else -----------------------------------------------------------------------

    async def _forget(self) -> None:
        await self._repeated("forget", "/v1/conversation", model=MODEL)
        self.generation += 1
        await self._again()

    async def _erase(self) -> None:
        await self._repeated("erase", "/v1/user")
        self.generation += 1
        await (self._again() if self.chance.random() < 0.5 else self._read())

    async def _race(self) -> None:
        """Ask a question and erase the user at the same time."""
        await asyncio.gather(self._order(), self._repeated("erase", "/v1/user"))
        self.generation += 1
        await self._order()

    async def _repeated(self, kind: Kind, path: str, **query: str) -> None:
        """Send a reset or an erasure until it succeeds."""
        for number in range(TRIES):
            done, _ = await self._call(kind, "DELETE", path, params={"user": self.user, **query})
            if done.outcome == "answered":
                return
            await self._wait(number)
        self.failures.append(f"'{kind}' of {self.user} was refused {TRIES} times")

    async def _wait(self, number: int) -> None:
        """Wait after a failed attempt, longer with each attempt."""
        await asyncio.sleep(min(WAIT * 1.5**number, LONGEST_WAIT) * (0.5 + self.chance.random()))

    async def _read(self) -> None:
        path = self.chance.choice(("/v1/recall", "/v1/history", "/v1/conversation"))
        query = {"user": self.user, "model": MODEL}
        if path == "/v1/recall" and self.asked:
            query["text"] = f"{self.user}n{self.chance.randrange(self.asked):05}"
        await self._call("read", "GET", path, params=query)

    async def _call(
        self, kind: Kind, method: str, path: str, *, text: str = "", **rest: Any
    ) -> tuple[Operation, Any]:
        """Send a request and record its outcome."""
        sent = {name: rest.pop(name) for name in ("content", "params") if name in rest}
        url = self.chance.choice(self.urls()) + path
        begin, outcome, plain = time.monotonic(), "unknown", None
        headers = {"Content-Type": "application/json"}
        try:
            answer = await self.http.request(method, url, headers=headers, **sent)
            outcome = "answered" if answer.status_code == 200 else "refused"
            if outcome == "answered":
                plain = answer.json()
            else:
                problem = answer.json()
                rest["problem"] = problem["type"].rpartition(":")[2]
                if "has not confirmed" in problem["detail"]:
                    outcome = "unknown"
        except _ENDS:
            outcome, rest["problem"] = "refused", "no connection"
        except httpx.HTTPError:
            pass
        except asyncio.CancelledError:  # the time is up, but the server may go on
            self.record(_operation(self.user, kind, begin, "unknown", None, text, rest))
            raise
        done = _operation(self.user, kind, begin, outcome, plain, text, rest)
        self.record(done)
        return done, plain


def _operation(
    user: str, kind: Kind, begin: float, outcome: Any, plain: Any, text: str, facts: Any
) -> Operation:
    end = time.monotonic()
    if kind == "erase" and outcome == "refused":
        outcome = "unknown"  # a part may be erased: nothing else is promised
    reply = _reply(plain) if kind == "ask" and plain else None
    seen = tuple(_texts(plain)) if kind == "read" and plain else ()
    settled: Outcome = outcome
    return Operation(user, kind, begin, end, settled, text=text, reply=reply, seen=seen, **facts)


def _reply(plain: dict[str, Any]) -> Reply:
    result = plain.get("result") or {}
    offered = re.fullmatch(r"Still about (.*)\?", plain.get("prompt") or "")
    return Reply(
        plain["status"],
        result.get("item"),
        result.get("color"),
        tuple(result.get("said", ())),
        result.get("count", 0),
        tuple(offered[1].split(", ")) if offered else (),
    )


def _texts(plain: Any) -> list[str]:
    """All texts in JSON data."""
    if isinstance(plain, str):
        return [plain]
    parts = plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ()
    return [text for part in parts for text in _texts(part)]


async def read_history(http: httpx.AsyncClient, url: str, user: str) -> list[tuple[int, str]]:
    """The number and the text of every stored exchange of a user."""
    found: list[tuple[int, str]] = []
    page = 1
    while True:
        query: dict[str, str | int] = {"user": user, "size": 100, "page": page, "neighbours": 0}
        answer = await http.get(f"{url}/v1/recall", params=query)
        answer.raise_for_status()
        plain = answer.json()
        exchanges = [passage["exchange"] for passage in plain["passages"]]
        found += [(exchange["number"], exchange["question"]) for exchange in exchanges]
        if not plain["more"]:
            return found
        page += 1
