"""An application behind a real server in a thread, whose clients may leave."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from datetime import datetime

import uvicorn

from anaphora import Engine, parse_model
from anaphora.agents.agent import Agent
from anaphora.server.app import create_app
from anaphora.server.settings.model import Settings
from anaphora.storage.logical_clock import utc_now
from tests.server.sample_bots import LAMP, WAIT_LIMIT

__all__ = ["AppServer"]


class AppServer:
    """Serves agents beside an engine (None: the lamp); a context manager that returns the URL."""

    def __init__(
        self,
        *,
        agents: Iterable[Agent],
        engine: Engine | None = None,
        settings: Settings | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        app = create_app(
            settings or Settings(),
            engine=engine or Engine(parse_model(LAMP)),
            agents=agents,
            clock=clock,
        )
        config = uvicorn.Config(app, port=0, log_config=None, lifespan="on", ws="none")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)

    def __enter__(self) -> str:
        self._thread.start()
        end = time.monotonic() + WAIT_LIMIT
        while not self._server.started:
            assert time.monotonic() < end
            time.sleep(0.005)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join(WAIT_LIMIT)
