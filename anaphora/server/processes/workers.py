"""The processes of the service: a single one, or several workers with a supervisor that restarts
them."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import signal
import socket
import sys
import tempfile
import time
from asyncio import Protocol
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

import structlog
import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from anaphora.errors import AnaphoraError
from anaphora.ltm.memory import LongTermMemory
from anaphora.server.http.connection_pool import ConnectionPool, HttpLimits
from anaphora.server.http.protocol import BoundedProtocol
from anaphora.server.observability.instrumented_store import InstrumentedStore
from anaphora.server.observability.logs import configure_logs
from anaphora.server.observability.metrics import MULTIPROCESS_DIR_VARIABLE
from anaphora.server.observability.tracing import create_tracing
from anaphora.server.processes.shutdown import (
    CLOSE_TIMEOUT,
    EXIT_INTERRUPTED,
    STOP_SIGNALS,
    exit_with_parent,
    handle_stop_signals,
)
from anaphora.server.processes.startup import (
    bind_socket,
    check_settings,
    close_engine,
    connection_limit,
    listen,
    open_engine,
)
from anaphora.server.service.agents import close_agents, open_agents
from anaphora.server.settings.model import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from anaphora.agents.agent import Agent
    from anaphora.engine.engine import Engine
    from anaphora.stm.stores.store import Store

__all__ = ["WORKER_SETTINGS_VARIABLE", "serve", "worker_app"]

WORKER_SETTINGS_VARIABLE = "ANAPHORA_WORKER"
"""The variable that passes the settings to a worker, as JSON."""

_log = structlog.get_logger("anaphora.server")

_KEEP_ALIVE = 75  # seconds; longer than load balancers keep a connection that they may reuse
_DEADLINE_MARGIN = 2  # seconds that the server waits longer than the application
_KILL_MARGIN = 6  # seconds after that until hanging workers are killed
_WORKER_TIMEOUT = 10  # seconds without a response after which a worker is restarted
_START_TIMEOUT = 600  # the same before its first response


def serve(settings: Settings, *, announce: Callable[[str], None]) -> int:
    """Serve until a stop signal arrives, and return the exit code.

    All checks run before the first request; then ``announce`` is called with the URL of the
    service. Requests under way are finished after the signal. Raises
    :class:`~anaphora.errors.AnaphoraError` for everything that prevents serving.
    """
    check_settings(settings)
    listener = bind_socket(settings)
    with listener:
        create_tracing(settings.tracing).close()  # check that the dependencies are installed
        configure_logs(settings.log)
        engine, store = open_engine(settings)
        agents = _open_agents(settings, engine, store)
        for model in engine.models:
            for warning in model.warnings:
                _log.warning("a model may have a mistake", model=model.id, problem=str(warning))
        if settings.workers > 1:
            close_agents(agents)
            close_engine(engine, store)  # this was a check: each worker opens its own
            return _run_workers(settings, listener, announce)
        return _run_here(
            settings, lambda: _create_app(settings, engine, store, agents), listener, announce
        )


def worker_app() -> FastAPI:
    """Create the application of a worker, from the settings in the environment."""
    settings = Settings.model_validate_json(os.environ[WORKER_SETTINGS_VARIABLE])
    configure_logs(settings.log)
    exit_with_parent()
    try:
        engine, store = open_engine(settings)
        return _create_app(settings, engine, store, _open_agents(settings, engine, store))
    except AnaphoraError as error:
        _log.error("cannot start", reason=str(error))
        sys.exit(1)


def _run_here(
    settings: Settings,
    make_app: Callable[[], FastAPI],
    listener: socket.socket,
    announce: Callable[[str], None],
) -> int:
    os.environ.pop(MULTIPROCESS_DIR_VARIABLE, None)  # one process needs no metrics files
    signals = _StartupSignals()

    def factory() -> FastAPI:
        signals.are_taken = True
        return make_app()

    server = uvicorn.Server(_uvicorn_config(settings, factory))
    announce(listen(listener, settings))
    server.run(sockets=[listener])
    return 0


def _run_workers(
    settings: Settings, listener: socket.socket, announce: Callable[[str], None]
) -> int:
    os.environ[WORKER_SETTINGS_VARIABLE] = settings.model_dump_json()
    config = _uvicorn_config(settings, f"{worker_app.__module__}:{worker_app.__name__}")
    with tempfile.TemporaryDirectory(prefix="anaphora-metrics-") as folder:
        os.environ[MULTIPROCESS_DIR_VARIABLE] = folder
        supervisor = _Supervisor(config, [listener])
        announce(listen(listener, settings))
        supervisor.run()
    return EXIT_INTERRUPTED if signal.SIGINT in supervisor.signal_queue else 0  # a second signal


class _WorkerHealth:
    """Whether a worker responds in time. It never blocks, since that would delay signals."""

    def __init__(self, worker: Process, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._worker = worker
        self._clock = clock
        self._timeout = _START_TIMEOUT
        self._asked: float | None = None  # when it was asked; None after it has answered

    def is_responsive(self) -> bool:
        now, pipe = self._clock(), self._worker.parent_conn
        try:
            if self._asked is not None and pipe.poll():
                pipe.recv()
                self._asked, self._timeout = None, _WORKER_TIMEOUT
            if self._asked is None:
                pipe.send(b"ping")
                self._asked = now
        except (OSError, EOFError):
            return False
        return now - self._asked < self._timeout


class _Supervisor(Multiprocess):
    """Starts workers, and restarts those that end early or hang. A worker that is still importing
    its modules on a busy machine does not count as hanging."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._health: dict[Process, _WorkerHealth] = {}

    def keep_subprocess_alive(self) -> None:
        self._health = {one: self._health.get(one) or _WorkerHealth(one) for one in self.processes}
        for index, worker in enumerate(self.processes):
            if worker.process.is_alive() and self._health[worker].is_responsive():
                continue
            worker.kill()
            worker.join()
            if worker.exitcode == STARTUP_FAILURE:  # its successor would fail, too
                _log.error("a worker cannot start")
                self.should_exit.set()
                return
            _log.warning("a worker has ended or hangs: another one is started", pid=worker.pid)
            self.processes[index] = Process(self.config, self.sockets)
            self.processes[index].start()

    def terminate_all(self) -> None:
        for listener in self.sockets:  # else connections would wait here for workers that shut down
            listener.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait for the workers, and kill those that do not end: code that never releases the
        interpreter lock blocks everything else in its process."""
        end = time.monotonic() + (self.config.timeout_graceful_shutdown or 0) + _KILL_MARGIN
        for worker in self.processes:
            worker.process.join(max(0.0, end - time.monotonic()))
            if worker.process.is_alive():
                _log.error("a worker does not end: it is killed", pid=worker.pid)
                worker.process.kill()
                worker.process.join()


class _StartupSignals:
    """Handles stop signals while the server does not: before it starts, they end the process; after
    it ends, there is nothing left to do (the server raises its signals once more)."""

    def __init__(self) -> None:
        self.are_taken = False
        for sign in STOP_SIGNALS:
            signal.signal(sign, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if not self.are_taken:
            raise SystemExit(0)


def _open_agents(settings: Settings, engine: Engine, store: Store) -> tuple[Agent, ...]:
    """Open the agents; if that fails, close the engine."""
    memory = engine.long_term if isinstance(engine.long_term, LongTermMemory) else None
    try:
        return open_agents(settings, memory)
    except BaseException:
        close_engine(engine, store)
        raise


def _create_app(
    settings: Settings, engine: Engine, store: Store, agents: tuple[Agent, ...]
) -> FastAPI:
    """Create the application. Call this after the server has installed its signal handlers."""
    from anaphora.server.app import create_app

    app = create_app(settings, engine=engine, agents=agents)
    if isinstance(store, InstrumentedStore):
        store.instrument(app.state.service.metrics, app.state.service.tracing)
    forced = handle_stop_signals(app.state.gate, grace=settings.shutdown_grace)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        async with inner(app) as state:
            gc.collect()
            gc.freeze()  # models stay: scanning them in each full collection took 100 ms
            # Connections find their metrics in the state of the ASGI lifespan.
            yield {**(state or {}), "metrics": app.state.service.metrics}
        left = app.state.gate.deadline.left
        await asyncio.to_thread(close_agents, agents)
        await asyncio.to_thread(close_engine, engine, store, grace=left + CLOSE_TIMEOUT)
        _log.info("ended")
        forced.mark_closed(is_busy=app.state.service.is_busy or app.state.agents.is_busy)

    app.router.lifespan_context = lifespan
    return app


def _uvicorn_config(settings: Settings, factory: Callable[[], FastAPI] | str) -> uvicorn.Config:
    limits = HttpLimits(max_connections=connection_limit(settings))
    protocol = partial(BoundedProtocol, ConnectionPool(limits))  # the connections share a pool
    return uvicorn.Config(
        factory,
        factory=True,
        workers=settings.workers,
        proxy_headers=False,  # the application trusts the proxies of the settings
        # The deadline of the application comes first: it still answers waiting clients.
        timeout_graceful_shutdown=math.ceil(settings.shutdown_grace) + _DEADLINE_MARGIN,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_worker_healthcheck=_WORKER_TIMEOUT,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        http=cast("type[Protocol]", protocol),  # only called, never inspected
        root_path=settings.root_path,
        ws="none",
    )
