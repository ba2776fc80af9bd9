"""The service as processes: one that answers, or several below one that starts them again."""

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
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

import structlog
import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from anaphora.errors import AnaphoraError
from anaphora.server.http.connection_pool import HttpLimits
from anaphora.server.http.protocol import BoundedProtocolFactory
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
from anaphora.server.settings.model import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from anaphora.engine.engine import Engine
    from anaphora.stm.stores.store import Store

__all__ = ["WORKER_SETTINGS_VARIABLE", "serve", "worker_app"]

WORKER_SETTINGS_VARIABLE = "ANAPHORA_WORKER"
"""What tells a worker its settings, as JSON."""

_log = structlog.get_logger("anaphora.server")

_KEEP_ALIVE = 75  # seconds; longer than balancers keep a connection that they may use again
_DEADLINE_MARGIN = 2  # seconds that the server waits longer than the application
_KILL_MARGIN = 6  # seconds after that, until workers are killed that do not end
_WORKER_TIMEOUT = 10  # seconds after which a worker that says nothing any more is started again
_START_TIMEOUT = 600  # the same for one that has said nothing yet


def serve(settings: Settings, *, announce: Callable[[str], None]) -> int:
    """Serve until a signal to end comes; the exit code then.

    Everything that may be wrong is checked before the first request can come; ``announce`` is
    then called with the URL of the service. What is under way when the signal comes is finished.
    Raises :class:`~anaphora.errors.AnaphoraError` for whatever keeps it from serving.
    """
    check_settings(settings)
    listener = bind_socket(settings)
    with listener:
        create_tracing(settings.tracing).close()  # whether what it needs is installed
        configure_logs(settings.log)
        engine, store = open_engine(settings)
        for model in engine.models:
            for warning in model.warnings:
                _log.warning("a model may have a mistake", model=model.id, problem=str(warning))
        if settings.workers > 1:
            close_engine(engine, store)  # they have shown that workers can make theirs
            return _run_workers(settings, listener, announce)
        return _run_here(settings, lambda: _create_app(settings, engine, store), listener, announce)


def worker_app() -> FastAPI:
    """The application of a worker, which finds its settings in the environment."""
    settings = Settings.model_validate_json(os.environ[WORKER_SETTINGS_VARIABLE])
    configure_logs(settings.log)
    exit_with_parent()
    try:
        return _create_app(settings, *open_engine(settings))
    except AnaphoraError as error:
        _log.error("cannot start", reason=str(error))
        sys.exit(1)


def _run_here(
    settings: Settings,
    make_app: Callable[[], FastAPI],
    listener: socket.socket,
    announce: Callable[[str], None],
) -> int:
    os.environ.pop(MULTIPROCESS_DIR_VARIABLE, None)  # one process counts for itself
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
    return EXIT_INTERRUPTED if signal.SIGINT in supervisor.signal_queue else 0  # a second one


class _WorkerHealth:
    """Whether a worker has been heard from in time. Never waits for it: signals would, too."""

    def __init__(self, worker: Process, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._worker = worker
        self._clock = clock
        self._timeout = _START_TIMEOUT
        self._asked: float | None = None  # when it was; None once it has answered

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
    """Starts workers, and starts those again that end before they should, or hang. One that has
    yet to load its modules on a busy machine does not hang."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket]) -> None:
        super().__init__(config, sockets)
        self._pulses: dict[Process, _WorkerHealth] = {}

    def keep_subprocess_alive(self) -> None:
        self._pulses = {one: self._pulses.get(one) or _WorkerHealth(one) for one in self.processes}
        for place, worker in enumerate(self.processes):
            if worker.process.is_alive() and self._pulses[worker].is_responsive():
                continue
            worker.kill()
            worker.join()
            if worker.exitcode == STARTUP_FAILURE:  # as would be that of the next one
                _log.error("a worker cannot start")
                self.should_exit.set()
                return
            _log.warning("a worker has ended or hangs: another one is started", pid=worker.pid)
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()

    def terminate_all(self) -> None:
        for listener in self.sockets:  # else connections would wait here for workers that leave
            listener.close()
        super().terminate_all()

    def join_all(self) -> None:
        """Wait for the workers, and kill those that do not even end by force: code that never
        lets go of the interpreter keeps everything else of its process from running."""
        end = time.monotonic() + (self.config.timeout_graceful_shutdown or 0) + _KILL_MARGIN
        for worker in self.processes:
            worker.process.join(max(0.0, end - time.monotonic()))
            if worker.process.is_alive():
                _log.error("a worker does not end: it is killed", pid=worker.pid)
                worker.process.kill()
                worker.process.join()


class _StartupSignals:
    """What signals to end do outside of the time in which the server takes them: before, they
    end the process; after, nothing is left to do (the server raises those it took once more)."""

    def __init__(self) -> None:
        self.are_taken = False
        for sign in STOP_SIGNALS:
            signal.signal(sign, self._end)

    def _end(self, number: int, frame: FrameType | None) -> None:
        if not self.are_taken:
            raise SystemExit(0)


def _create_app(settings: Settings, engine: Engine, store: Store) -> FastAPI:
    """The application; to be called when the server has taken the signals of this process."""
    from anaphora.server.app import create_app

    app = create_app(settings, engine=engine)
    if isinstance(store, InstrumentedStore):
        store.instrument(app.state.service.metrics, app.state.service.tracing)
    forced = handle_stop_signals(app.state.door, grace=settings.shutdown_grace)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[Any]:
        async with inner(app) as state:
            gc.collect()
            gc.freeze()  # models stay: to look through them at each full collection took 100 ms
            # What the connections count, they find where ASGI has state for them.
            yield {**(state or {}), "metrics": app.state.service.metrics}
        left = app.state.door.deadline.left
        await asyncio.to_thread(close_engine, engine, store, grace=left + CLOSE_TIMEOUT)
        _log.info("ended")
        forced.mark_closed(is_busy=app.state.service.is_busy)

    app.router.lifespan_context = lifespan
    return app


def _uvicorn_config(settings: Settings, factory: Callable[[], FastAPI] | str) -> uvicorn.Config:
    limits = HttpLimits(max_connections=connection_limit(settings))
    return uvicorn.Config(
        factory,
        factory=True,
        workers=settings.workers,
        proxy_headers=False,  # the application believes those that the settings trust
        # The deadline of the application comes first: it has an answer for who still waits.
        timeout_graceful_shutdown=math.ceil(settings.shutdown_grace) + _DEADLINE_MARGIN,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_worker_healthcheck=_WORKER_TIMEOUT,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="on",
        http=cast("type[Protocol]", BoundedProtocolFactory(limits)),  # which is only called
        root_path=settings.root_path,
        ws="none",
    )
