"""The service of a run: real servers and stores with injectable faults of processes, clocks and
connections."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Literal

import httpx
import psutil
from redis.crc import key_slot

from benchmarks.faults.bot import MODEL, write_bot
from benchmarks.faults.operations import serials_in
from benchmarks.faults.proxy import Proxy
from benchmarks.faults.wall_clock import Clocks
from tests.server.server_process import WAIT_LIMIT, ServerProcess
from tests.support.network import CLIENTS, Network
from tests.support.postgres_server import PostgresServer, with_pgvector
from tests.support.redis_cluster import RedisCluster
from tests.support.redis_sentinel import SentinelGroup
from tests.support.redis_server import RedisServer

__all__ = ["History", "Layout", "Service", "Store", "run_service"]

Store = Literal["redis", "cluster", "sentinel", "sqlite", "postgres"]
"""``cluster`` and ``sentinel`` are several Redis servers, with ``min_replicas=1``."""
History = Literal["sqlite", "postgres"]
Layout = Literal["supervised", "separate"]
"""``supervised``: workers behind one address, which the service restarts; ``separate``: services
with their own addresses and shared stores."""

GRACE = 1.0  # seconds that a question has when a server ends; some take longer
_LEASE = 2  # seconds for which a conversation stays locked when its worker was killed


@dataclass
class Service:
    """The running servers and stores. Hold ``settled`` to stop or start a server."""

    folder: Path
    servers: Sequence[ServerProcess]
    store: Store
    history: History
    layout: Layout
    clocks: Clocks
    redis: RedisServer | None
    several: RedisCluster | SentinelGroup | None
    network: Network | None
    postgres: PostgresServer | None
    proxy: Proxy | None
    settled: threading.RLock

    def urls(self) -> Sequence[str]:
        """The addresses for clients."""
        return [server.url for server in self.servers]

    def workers(self) -> list[int]:
        """The processes that answer requests."""
        with self.settled:
            mains = [server.process.pid for server in self.servers if _is_running(server)]
        if self.layout == "separate":
            return mains
        return [child for main in mains for child in _workers_of(main)]

    def restart(self, server: ServerProcess, sign: signal.Signals) -> None:
        """Stop a server and start it again at the same address."""
        with self.settled:
            if _is_running(server):
                for worker in _workers_of(server.process.pid):
                    _send(worker, signal.SIGCONT)
                server.stop(sign)
            self._start(server)

    def _start(self, server: ServerProcess) -> None:
        with contextlib.suppress(ProcessLookupError):  # what a killed one has left behind
            os.killpg(server.process.pid, signal.SIGKILL)
        self.await_start(server.start())

    def await_start(self, server: ServerProcess) -> None:
        """Wait until a launched server answers. Launch it again if it exits, as it does while a
        store is unreachable."""
        deadline = time.monotonic() + 2 * WAIT_LIMIT
        while True:
            try:
                server.wait_until_ready()
            except (AssertionError, httpx.HTTPError):
                if time.monotonic() > deadline:
                    raise
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(server.process.pid, signal.SIGKILL)
                server.process.wait()
                server.start()
            else:
                return

    def heal(self) -> None:
        """Undo all faults."""
        if self.proxy is not None:
            self.proxy.fault = None
        for worker in self.workers():
            _send(worker, signal.SIGCONT)
            self.clocks.set(worker, 0)
        for database in (self.redis, self.postgres, *self._several_servers()):
            if database is not None and database.process is None:
                database.start()
        self.set_server_clocks([0])
        if self.several is not None:
            self.several.wait_until_replicated()
        for server in self.servers:
            if not _is_running(server):
                self._start(server)

    def fail_over(self, chance: random.Random) -> None:
        """Kill one of several Redis primaries, until a replica has taken its place."""
        if isinstance(self.several, RedisCluster):
            self.several.fail_over(chance.choice(self.several.masters))
        elif self.several is not None:
            self.several.fail_over()

    @contextlib.contextmanager
    def cut(self, chance: random.Random) -> Iterator[None]:
        """Cut one of several Redis primaries off during the block: from the other servers, or also
        from the workers."""
        assert self.several is not None
        assert self.network is not None
        self.several.wait_until_replicated()
        primary = chance.choice(self._redis_primaries())
        with self.network.cut(primary.host, but=chance.choice((CLIENTS, None))):
            yield
        self.several.wait_until_replicated()

    @contextlib.contextmanager
    def moving(self, chance: random.Random) -> Iterator[None]:
        """Move the slot of a key to another primary of the cluster, beginning before the block."""
        assert isinstance(self.several, RedisCluster)
        key = chance.choice(self.several.masters).ask("RANDOMKEY") or ""
        with self.several.moving(key_slot(key.encode())):
            yield
        self.several.wait_until_replicated()

    def set_server_clocks(self, offsets: Sequence[int]) -> None:
        """Set the clocks of several Redis servers so many seconds ahead, in turn."""
        for server, offset in zip(self._several_servers(), cycle(offsets), strict=False):
            if server.process is not None:
                self.clocks.set(server.process.pid, offset)

    def stop(self) -> None:
        """Stop all servers as an operator would."""
        with self.settled:
            for server in self.servers:
                if _is_running(server):
                    server.stop(signal.SIGTERM)

    def flush(self) -> None:
        """Restart all servers, so that pending writes are stored."""
        for server in self.servers:
            self.restart(server, signal.SIGTERM)

    def logged(self) -> list[str]:
        """The log lines of the servers."""
        return [line for server in self.servers for line in server.errors.splitlines()]

    def files_with(self, serials: Collection[str]) -> dict[str, list[str]]:
        """The files, including logs, that contain any of the serials. Files of Redis and PostgreSQL
        are not searched."""
        found = {"the log": " ".join(self.logged()).encode()}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path.name not in ("clock.so", "clocks"):
                found[str(path.relative_to(self.folder))] = path.read_bytes()
        held = {name: serials_in(data.decode("ascii", "replace")) for name, data in found.items()}
        return {name: sorted({*held[name]}.intersection(serials)) for name in held}

    def damage(self, user: str) -> None:
        """Overwrite the stored data of a user with unreadable bytes."""
        for server in self._redis_primaries():
            with server.client() as client:
                for key in client.scan_iter(f"*{user}*:c"):
                    client.set(key, b"\x00damaged", keepttl=True)
        if self.store == "postgres":
            assert self.postgres is not None
            with self.postgres.client() as client:
                client.execute(
                    "UPDATE anaphora.stm_conversations SET record = '\\x0064' WHERE name = %s",
                    (user.encode(),),
                )
        elif self.store == "sqlite":
            with _file(self.folder / "bot.db") as file:
                file.execute("UPDATE conversations SET record = x'0064' WHERE user = ?", (user,))
        if self.history == "postgres":
            assert self.postgres is not None
            with self.postgres.client() as client:
                client.execute(
                    "UPDATE anaphora.exchanges SET record = '\\x0064' WHERE user_id IN "
                    "(SELECT id FROM anaphora.users WHERE name = %s)",
                    (user.encode(),),
                )
        else:
            with _file(self.folder / "memory.db") as file:
                file.execute(
                    "UPDATE exchanges SET rest = x'0064' WHERE owner IN "
                    "(SELECT id FROM owners WHERE user = ?)",
                    (user,),
                )

    def _several_servers(self) -> Sequence[RedisServer]:
        return () if self.several is None else self.several.servers

    def _redis_primaries(self) -> Sequence[RedisServer]:
        if isinstance(self.several, RedisCluster):
            return self.several.masters
        if self.several is not None:
            return [self.several.primary]
        return [] if self.redis is None else [self.redis]


@contextlib.contextmanager
def run_service(
    folder: Path, *, workers: int, store: Store, history: History, layout: Layout
) -> Iterator[Service]:
    """A service with its stores, which end with the block. Its files are in ``folder``."""
    model = write_bot(folder)
    with ExitStack() as stack:
        clocks = stack.enter_context(Clocks(folder))
        redis = network = postgres = proxy = None
        several: RedisCluster | SentinelGroup | None = None
        store_url, memory_url = "sqlite:///bot.db", "sqlite:///memory.db"
        if store == "redis":
            redis = stack.enter_context(RedisServer("--appendfsync", "always"))
            store_url = f"{redis.url}?lease={_LEASE}"
        elif store in ("cluster", "sentinel"):
            network = stack.enter_context(Network())
            if store == "cluster":
                several = RedisCluster(network=network, environment=clocks.environment)
            else:
                several = SentinelGroup(network=network, environment=clocks.environment)
            stack.enter_context(several)
            store_url = f"{several.url}?lease={_LEASE}&min_replicas=1"
        if "postgres" in (store, history):
            postgres = stack.enter_context(PostgresServer(with_pgvector()))
            proxy = stack.enter_context(Proxy(postgres.port))
            url = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres?schema=anaphora"
            store_url = f"{url}&lease={_LEASE}" if store == "postgres" else store_url
            memory_url = url if history == "postgres" else memory_url
        (folder / "tmp").mkdir()
        environment = {
            **clocks.environment,
            "TMPDIR": str(folder / "tmp"),
            "ANAPHORA_SHUTDOWN_GRACE": str(GRACE),
            "ANAPHORA_MEMORY__MAX_WORDS": "200",
            "ANAPHORA_MEMORY__JOURNAL": str(folder / "journal"),
            "ANAPHORA_LOG__FORMAT": "json",
        }
        arguments = [model, "--store", store_url, "--memory", memory_url]
        if layout == "supervised":
            arguments += ["--workers", str(workers)]
        count = 1 if layout == "supervised" else workers
        servers = [ServerProcess(folder, *arguments, env=environment) for _ in range(count)]
        service = Service(
            folder,
            servers,
            store,
            history,
            layout,
            clocks,
            redis,
            several,
            network,
            postgres,
            proxy,
            threading.RLock(),
        )
        for server in servers:
            stack.push(server.start())
        for server in servers:
            service.await_start(server)
        yield service


def ask_once(service: Service, user: str, text: str) -> None:
    """Ask a question and ignore the answer."""
    url = f"{service.urls()[0]}/v1/ask"
    httpx.post(url, json={"user": user, "text": text, "model": MODEL}, timeout=30)


def _workers_of(main: int) -> list[int]:
    try:
        children = psutil.Process(main).children()
        return [child.pid for child in children if "spawn_main" in " ".join(child.cmdline())]
    except psutil.Error:
        return []


def _is_running(server: ServerProcess) -> bool:
    return server.process.poll() is None


def _send(process: int, sign: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, sign)


@contextlib.contextmanager
def _file(path: Path) -> Iterator[sqlite3.Connection]:
    with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection, connection:
        yield connection


def wait_until_ready(service: Service, *, seconds: float) -> bool:
    """Wait until every server is ready."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if all(httpx.get(f"{url}/ready").status_code == 200 for url in service.urls()):
                return True
        time.sleep(0.1)
    return False
