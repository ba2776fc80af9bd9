"""The faults of a run: each kind recurs independently of the others."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self

import httpx
import psycopg
import redis

from benchmarks.faults.bot import MODEL
from benchmarks.faults.service import Service, ask_once

__all__ = ["FAULTS", "Fault", "Injection", "possible_faults"]

_SERVER_JUMPS = (-3, -1, 0, 1, 3)  # seconds; three leases apart at most
_JUMPS = (-1_200, -300, -5, 5, 300, 1_200)  # seconds; less than half of the model's timeout

FAULTS: dict[str, str] = {
    "kill": "SIGKILL to a worker, which is started again",
    "terminate": "SIGTERM to a server with slow questions under way, and a new start",
    "stop": "SIGSTOP and SIGCONT to a worker",
    "clock": "the wall clock of a worker jumps forwards or back by up to 20 minutes",
    "redis": "Redis is killed, and started again with its append-only file",
    "failover": "one of several Redis primaries is killed; a replica takes its place",
    "cut": "one of several Redis primaries is cut off from the other servers, or from all",
    "slots": "a slot of the Redis Cluster is moved to another primary",
    "skew": "the clocks of several Redis servers are set apart by up to 6 seconds",
    "postgres": "a connection to PostgreSQL is cut in the middle of a COMMIT",
    "database": "PostgreSQL with the conversations is killed, recovers, and starts again",
    "damage": "a user's rows in the stores are overwritten with unreadable bytes",
    "reload": "the model is read anew from its file",
    "hostile": "clients that pipeline without reading, stay idle, or send broken requests",
}
_IN_TURN = {  # faults of one group come one after the other
    "kill": "processes",
    "terminate": "processes",
    "redis": "processes",
    "database": "processes",
    "failover": "primaries",
    "cut": "primaries",
    "slots": "primaries",
}
_PROGRESS = 25  # answers between two faults of a group
_EVERY = {  # seconds from one to the next, on average
    "kill": 6.0,
    "terminate": 9.0,
    "stop": 5.0,
    "clock": 3.0,
    "redis": 10.0,
    "failover": 10.0,
    "cut": 10.0,
    "slots": 4.0,
    "skew": 8.0,
    "postgres": 2.0,
    "database": 10.0,
    "damage": 8.0,
    "reload": 3.0,
    "hostile": 4.0,
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, from ``begin`` to ``end`` in seconds of a monotonic clock."""

    name: str
    begin: float
    end: float


def possible_faults(service: Service) -> list[str]:
    """The faults that are possible with the stores of a service."""
    missing = {
        "redis": service.redis is None,
        "failover": service.several is None,
        "cut": service.several is None,
        "slots": service.store != "cluster",
        "skew": service.several is None,
        "postgres": service.postgres is None,
        "database": service.store != "postgres",
    }
    return [name for name in FAULTS if not missing.get(name)]


class Injection:
    """Inject the named faults during the block, ``pace`` times as often as usual. ``faults`` lists
    those that happened, ``failures`` those that could not be injected.

    A process is killed, and a primary replaced, only if ``answered``, the number of answers, has
    grown since the last one: otherwise slow starts would leave no service."""

    def __init__(
        self,
        service: Service,
        names: list[str],
        *,
        seed: int,
        pace: float,
        answered: Callable[[], int],
    ) -> None:
        self._service = service
        self._pace = pace
        self._answered = answered
        self._answered_before = -1
        self._due = dict.fromkeys(_IN_TURN.values(), _PROGRESS)
        self._turns = {group: threading.Lock() for group in self._due}
        self._ended = threading.Event()
        self._victims = 0
        self.faults: list[Fault] = []
        self.failures: list[str] = []
        self._threads = [
            threading.Thread(target=self._repeat, args=(name, random.Random(f"{seed} {name}")))
            for name in names
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, name: str, chance: random.Random) -> None:
        inject: Callable[[random.Random], None] = getattr(self, f"_{name}")
        while not self._ended.wait(_EVERY[name] / self._pace * (0.5 + chance.random())):
            if group := _IN_TURN.get(name):
                with self._turns[group]:
                    self._await_progress(group)
                    if self._ended.is_set():
                        return
                    self._inject(name, inject, chance)
                    self._due[group] = self._answered() + _PROGRESS
            else:
                self._inject(name, inject, chance)

    def _inject(
        self, name: str, inject: Callable[[random.Random], None], chance: random.Random
    ) -> None:
        begin = time.monotonic()
        try:
            inject(chance)
        except Exception as error:
            self.failures.append(f"{name}: {type(error).__name__}: {error}")
        self.faults.append(Fault(name, begin, time.monotonic()))

    def _await_progress(self, group: str) -> None:
        while self._answered() < self._due[group] and not self._ended.wait(0.05):
            pass

    def _worker(self, chance: random.Random) -> int | None:
        workers = self._service.workers()
        return chance.choice(workers) if workers else None

    def _kill(self, chance: random.Random) -> None:
        if self._service.layout == "separate":
            self._service.restart(chance.choice(self._service.servers), signal.SIGKILL)
        elif worker := self._worker(chance):
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)

    def _terminate(self, chance: random.Random) -> None:
        self._service.restart(chance.choice(self._service.servers), signal.SIGTERM)

    def _stop(self, chance: random.Random) -> None:
        worker = self._worker(chance)
        if worker is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker, signal.SIGSTOP)
            self._ended.wait(chance.uniform(0.2, 4.0))
            os.kill(worker, signal.SIGCONT)

    def _clock(self, chance: random.Random) -> None:
        worker = self._worker(chance)
        if worker is not None:
            self._service.clocks.set(worker, chance.choice(_JUMPS))
            self._ended.wait(chance.uniform(0.5, 5.0))
            self._service.clocks.set(worker, 0)

    def _redis(self, chance: random.Random) -> None:
        assert self._service.redis is not None
        self._service.redis.kill()
        self._ended.wait(chance.uniform(0.0, 1.0))
        self._service.redis.start()

    def _failover(self, chance: random.Random) -> None:
        self._service.fail_over(chance)

    def _cut(self, chance: random.Random) -> None:
        with self._service.cut(chance):  # for long enough that a replica takes over, or shorter
            self._ended.wait(chance.uniform(0.2, 5.0))

    def _slots(self, chance: random.Random) -> None:
        with self._service.moving(chance):
            self._ended.wait(chance.uniform(0.0, 1.0))

    def _skew(self, chance: random.Random) -> None:
        self._service.set_server_clocks(chance.choices(_SERVER_JUMPS, k=6))
        self._ended.wait(chance.uniform(0.5, 8.0))

    def _postgres(self, chance: random.Random) -> None:
        assert self._service.proxy is not None
        if self._answered() == self._answered_before:
            return  # else a starting server would never get ready
        self._answered_before = self._answered()
        self._service.proxy.fault = chance.choice(("answer lost", "late commit", "commit lost"))

    def _database(self, chance: random.Random) -> None:
        assert self._service.postgres is not None
        self._service.postgres.kill()
        self._ended.wait(chance.uniform(0.0, 1.0))
        self._service.postgres.start()

    def _damage(self, chance: random.Random) -> None:
        self._victims += 1
        user = f"victim {self._victims}"
        # The server may be about to end, or the store be down.
        with contextlib.suppress(httpx.HTTPError, redis.RedisError, psycopg.OperationalError):
            ask_once(self._service, user, "order baba")
            self._ended.wait(1.0)
            self._service.damage(user)
            ask_once(self._service, user, "order baba")

    def _reload(self, chance: random.Random) -> None:
        with contextlib.suppress(httpx.HTTPError):
            url = chance.choice(self._service.urls())
            httpx.post(f"{url}/v1/model/reload", params={"id": MODEL}, timeout=30)

    def _hostile(self, chance: random.Random) -> None:
        port = chance.choice(self._service.servers).port
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            connect = partial(_connected, stack, port)
            for _ in range(20):
                connect()  # idle
            connect().sendall(b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2_000)
            connect().sendall(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nConte")
            connect().sendall(
                b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"
            )
            self._ended.wait(chance.uniform(0.5, 3.0))


def _connected(stack: contextlib.ExitStack, port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=2)
    return stack.enter_context(connection)
