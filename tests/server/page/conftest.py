"""The page in a browser, before a real server on a free port."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import httpx
import pytest
import uvicorn
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from anaphora import Engine
from anaphora.agents.agent import Agent
from anaphora.server.app import create_app
from anaphora.server.settings.model import Settings
from tests.support.chromium import chromium_path

_PATIENCE = 20_000  # ms: for a machine with much to do
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_USERS = count(1)


class MovingClock:
    """The clock of the machine, and what a test has put it ahead."""

    def __init__(self) -> None:
        self._ahead = timedelta(0)

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def pass_time(self, **duration: float) -> None:
        self._ahead += timedelta(**duration)


class Server:
    """A service that can go away and come back at the same address."""

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        clock: Callable[[], datetime],
        agents: Iterable[Agent] = (),
    ) -> None:
        self.engine, self.clock, self.agents = engine, clock, tuple(agents)
        self._settings = settings
        self._port = 0
        self._running: tuple[uvicorn.Server, threading.Thread] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self._port))
        self._port = listener.getsockname()[1]
        app = create_app(self._settings, engine=self.engine, agents=self.agents, clock=self.clock)
        config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        self._running = server, thread
        deadline = time.monotonic() + 30
        while not server.started:
            if time.monotonic() > deadline or not thread.is_alive():
                raise AssertionError("the server has not started")
            time.sleep(0.01)

    def stop(self) -> None:
        if self._running is None:
            return
        server, thread = self._running
        server.should_exit = True
        thread.join(30)
        self._running = None

    def ask(self, text: str, *, user: str, model: str) -> None:
        """Ask on another channel than the page."""
        httpx.post(
            f"{self.url}/v1/ask", json={"text": text, "user": user, "model": model}
        ).raise_for_status()


@contextmanager
def serving(
    engine: Engine,
    settings: Settings,
    clock: Callable[[], datetime] | None = None,
    *,
    agents: Iterable[Agent] = (),
) -> Iterator[Server]:
    server = Server(engine, settings, clock or (lambda: datetime.now(UTC)), agents)
    server.start()
    try:
        yield server
    finally:
        server.stop()


# Playwright runs a loop of its own in this thread for as long as it lives, and the tests of other
# packages need theirs: nothing here may outlive this one.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.fail("the page is tested in Chromium: sudo apt-get install chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        expect.set_options(timeout=_PATIENCE)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def moving_clock() -> MovingClock:
    return MovingClock()


@pytest.fixture(scope="package")
def server(moving_clock: MovingClock) -> Iterator[Server]:
    """Serves sales, weather and cafe to anyone."""
    models = ("sales", "weather", "cafe")
    with (
        Engine(*models, clock=moving_clock) as engine,
        serving(engine, Settings(models=models), moving_clock) as server,
    ):
        yield server


class Visit:
    """A browser's window at the page of a server."""

    def __init__(self, page: Page, server: Server, user: str) -> None:
        self.page, self.server, self.user = page, server, user

    def open(self, model: str | None = None) -> Visit:
        self.page.goto(f"{self.server.url}/?user={self.user}")
        expect(self.page.locator("#welcome h2")).to_be_visible()
        if model is not None:
            self.switch(model)
        return self

    def switch(self, model: str) -> None:
        self.page.locator("#model").select_option(model)
        expect(self.page.locator("main")).not_to_have_attribute("aria-busy", "true")
        expect(self.page.locator("#model")).to_have_value(model)

    def ask(self, *texts: str) -> None:
        """Ask by the keyboard, and wait for each answer."""
        for text in texts:
            answered = self.page.locator(".turn.done").count()
            self.page.locator("#question").fill(text)
            self.page.locator("#question").press("Enter")
            expect(self.page.locator(".turn.done")).to_have_count(answered + 1)

    def come_back(self) -> None:
        """What a browser tells its page when one returns to it: it looks at once."""
        self.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    @property
    def cards(self) -> list[str]:
        return self.page.locator("#memory .card .main").all_inner_texts()


class Watch:
    """What a window should not do: ask other hosts, complain in its console."""

    def __init__(self, context: BrowserContext) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("console", self._listen)
        context.on("weberror", lambda error: self.complaints.append(str(error.error)))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} ({message.location['url']})")

    def check(self, origin: str, *, refused: bool) -> None:
        strangers = [url for url in self.requests if not url.startswith(origin)]
        assert strangers == []
        network = "Failed to load resource"  # what the browser itself says of a refused request
        assert [one for one in self.complaints if not (refused and network in one)] == []


@pytest.fixture
def visit(
    browser: Browser, server: Server, request: pytest.FixtureRequest
) -> Iterator[Callable[..., Visit]]:
    """Makes a visit; at the end no foreign host was asked and the console is silent."""
    made: list[tuple[BrowserContext, Watch, str, bool]] = []

    def make(at: Server | None = None, *, refused: bool = False, **options: Any) -> Visit:
        where = at or server
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        context.set_default_timeout(_PATIENCE)
        made.append((context, Watch(context), where.url, refused))
        return Visit(context.new_page(), where, f"visitor-{next(_USERS)}")

    yield make
    for context, watch, origin, refused in made:
        context.close()
        watch.check(origin, refused=refused)
