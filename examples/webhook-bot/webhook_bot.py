"""A bot on a messaging channel, by webhooks: ``uvicorn --factory webhook_bot:app``.

The channel calls ``/events`` in the way of Slack's Events API: it signs the raw body and a
timestamp with HMAC-SHA256, and sends an event again if no answer came in time.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from fastapi import BackgroundTasks, FastAPI, HTTPException, Request

from anaphora import AsyncEngine, Engine

FOLDER = Path(__file__).parent
MAX_AGE = 300  # seconds; an older request is a replay
MAX_BODY = 100_000  # bytes

_LOGGER = logging.getLogger(__name__)


def is_signed(secret: str, timestamp: str, body: bytes, signature: str, now: float) -> bool:
    """Whether a request comes from the channel, and is not a replay of an old one."""
    if not timestamp.isascii() or not timestamp.isdigit() or abs(now - int(timestamp)) > MAX_AGE:
        return False
    base = b"v0:" + timestamp.encode() + b":" + body
    expected = "v0=" + hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


class Deliveries:
    """The ids of the events that were taken, so that each is answered once, also by several
    workers and after a restart."""

    def __init__(self, path: str | Path) -> None:
        self._database = sqlite3.connect(path, check_same_thread=False)
        self._database.execute(
            "CREATE TABLE IF NOT EXISTS taken (id TEXT PRIMARY KEY, at REAL NOT NULL)"
        )

    def take(self, id: str, now: float) -> bool:
        """Take an event; False if it was taken before."""
        with self._database:
            self._database.execute("DELETE FROM taken WHERE at < ?", (now - 86_400,))
            done = self._database.execute("INSERT OR IGNORE INTO taken VALUES (?, ?)", (id, now))
        return done.rowcount == 1

    def close(self) -> None:
        self._database.close()


def create_app(
    engine: Engine,
    *,
    secret: str,
    token: str,
    api: str,
    deliveries: str | Path = ":memory:",
    clock: Callable[[], float] = time.time,
) -> FastAPI:
    """Create the application: ``secret`` signs the events, ``token`` allows to post to ``api``."""
    bot, taken = AsyncEngine(engine), Deliveries(deliveries)
    http = httpx.AsyncClient(base_url=api, headers={"Authorization": f"Bearer {token}"})

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with bot, http:
            yield
        taken.close()

    app = FastAPI(title="Shops", lifespan=lifespan)

    @app.post("/events")
    async def receive(request: Request, tasks: BackgroundTasks) -> dict[str, Any]:
        body = await read_body(request)
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        if not is_signed(secret, timestamp, body, signature, clock()):
            raise HTTPException(401, "the signature is wrong, or the request is old")
        try:
            message = json.loads(body)
        except ValueError:
            raise HTTPException(400, "the body is not JSON") from None
        if not isinstance(message, dict):
            raise HTTPException(400, "the body is no JSON object")
        if message.get("type") == "url_verification":
            return {"challenge": message.get("challenge")}
        event = message.get("event")
        if is_question(event) and taken.take(str(message.get("event_id")), clock()):
            tasks.add_task(answer, event)  # the channel waits three seconds for our answer
        return {"ok": True}

    async def answer(event: dict[str, Any]) -> None:
        reply = await bot.ask(event["text"], user=f"{event['channel']}:{event['user']}")
        posted = {"channel": event["channel"], "text": reply.text}
        response = (await http.post("/chat.postMessage", json=posted)).raise_for_status().json()
        if not response.get("ok"):  # Slack refuses with the status 200
            _LOGGER.error("the channel refused the answer: %s", response.get("error"))

    return app


def is_question(event: Any) -> bool:
    """Whether an event is what a user has written, rather than a bot or the channel itself."""
    return (
        isinstance(event, dict)
        and event.get("type") == "message"
        and not event.get("bot_id")
        and not event.get("subtype")
        and all(event.get(name) for name in ("channel", "user", "text"))
    )


async def read_body(request: Request) -> bytes:
    """The raw body, as it was signed."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise HTTPException(413, "the body is too large")
    return body


def app() -> FastAPI:
    """The application with the secrets of the environment."""
    if missing := [name for name in ("SIGNING_SECRET", "BOT_TOKEN") if not os.environ.get(name)]:
        raise SystemExit(f"Set {' and '.join(missing)}: see README.md.")
    return create_app(
        Engine(FOLDER / "shops.yaml", store=f"sqlite:///{FOLDER}/shops.db"),
        secret=os.environ["SIGNING_SECRET"],
        token=os.environ["BOT_TOKEN"],
        api="https://slack.com/api",
        deliveries=FOLDER / "deliveries.db",
    )
