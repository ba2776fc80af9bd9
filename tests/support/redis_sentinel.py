"""A real primary with a replica for tests, watched by three Sentinels, on free ports."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any, Self

import pytest
import redis

from tests.support.network import CLIENTS, Network
from tests.support.real_server import RealServer, wait_until
from tests.support.redis_server import RedisServer

SERVICE = "bot"
_SERVER_OPTIONS = ("--repl-diskless-sync-delay", "0")


class SentinelServer(RealServer):
    """One Sentinel, which watches a primary."""

    name = "sentinel"
    stop_signal, kill_signal = RedisServer.stop_signal, RedisServer.kill_signal

    def __init__(self, primary: int, quorum: int, silence: int, network: Network | None) -> None:
        super().__init__()
        self.host = CLIENTS
        if network is not None:
            self.host = network.add_host()
            self.port = network.listen_for(self.host)
        (self.folder / "sentinel.conf").write_text(
            f"sentinel announce-ip {CLIENTS}\n"
            f"sentinel monitor {SERVICE} {CLIENTS} {primary} {quorum}\n"
            f"sentinel down-after-milliseconds {SERVICE} {silence}\n"
            f"sentinel failover-timeout {SERVICE} 5000\n"
        )

    def ask(self, *words: str | int) -> Any:
        """Send a command; its result."""
        with redis.Redis(self.host, self.port, decode_responses=True) as client:
            return client.execute_command(*words)

    def _launch(self) -> subprocess.Popen[bytes]:
        found = shutil.which("redis-server")
        if found is None:
            pytest.fail("these tests need a real Redis server: apt-get install redis-server")
        command = [
            *(found, str(self.folder / "sentinel.conf"), "--sentinel", "--bind", self.host),
            *("--bind-source-addr", self.host),
            *("--port", str(self.port), "--dir", str(self.folder)),
            *("--logfile", str(self.folder / "log")),
        ]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def _is_up(self) -> bool:
        assert self.process is not None
        try:
            return bool(self.ask("INFO", "server")["process_id"] == self.process.pid)
        except redis.ConnectionError:
            return False


class SentinelGroup:
    """A context manager: all servers run inside the block. ``silence`` is after how many
    milliseconds a primary is taken for dead. For ``network`` and ``environment`` see
    :class:`~tests.support.redis_server.RedisServer`."""

    def __init__(
        self,
        silence: int = 1_500,
        *,
        network: Network | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.servers = [
            RedisServer(*_SERVER_OPTIONS, network=network, environment=environment)
            for _ in range(2)
        ]
        self._network = network
        self.sentinels: list[SentinelServer] = []
        self._silence = silence
        self._running = ExitStack()

    @property
    def url(self) -> str:
        return self.url_of(SERVICE)

    def url_of(self, service: str) -> str:
        hosts = ",".join(f"{CLIENTS}:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{hosts}/{service}"

    @property
    def primary(self) -> RedisServer:
        """The primary of which all living Sentinels know."""
        known: set[int] = set()

        def agreed() -> bool:
            nonlocal known
            known = self._primaries()
            return len(known) == 1

        wait_until(agreed)
        return next(server for server in self.servers if server.port in known)

    def fail_over(self) -> None:
        """Kill the primary, wait for another, and let the old one come back as its replica."""
        old = self.primary
        old.kill()
        wait_until(lambda: self._primaries() not in ({old.port}, set()))
        old.options = (*_SERVER_OPTIONS, "--replicaof", f"{CLIENTS} {self.primary.port}")
        old.start()
        self.wait_until_replicated()

    def wait_until_replicated(self) -> None:
        """Wait until the other server is a replica that has everything."""

        def is_whole() -> bool:
            primary = self.primary
            others = [server for server in self.servers if server is not primary]
            return all(_role(server)[::3] == ["slave", "connected"] for server in others) and all(
                int(sentinel.ask("SENTINEL", "MASTER", SERVICE)["num-slaves"]) == len(others)
                and int(sentinel.ask("SENTINEL", "MASTER", SERVICE)["num-other-sentinels"]) == 2
                for sentinel in self.sentinels
            )

        wait_until(is_whole)

    def __enter__(self) -> Self:
        with ExitStack() as running:
            primary, replica = self.servers
            running.enter_context(primary)
            replica.options += ("--replicaof", f"{CLIENTS} {primary.port}")
            running.enter_context(replica)
            for _ in range(3):
                sentinel = SentinelServer(primary.port, 2, self._silence, self._network)
                self.sentinels.append(running.enter_context(sentinel))
            self.wait_until_replicated()
            self._running = running.pop_all()
        return self

    def __exit__(self, *exc: object) -> None:
        self._running.close()

    def _primaries(self) -> set[int]:
        asked = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", SERVICE)
        return {int(one.ask(*asked)[1]) for one in self.sentinels if one.process is not None}


@pytest.fixture(scope="session")
def redis_sentinels() -> Iterator[SentinelGroup]:
    """Shared Sentinels with their servers, for tests that leave them whole."""
    with SentinelGroup() as group:
        yield group


def _role(server: RedisServer) -> list[Any]:
    try:
        with server.client(decode_responses=True) as client:
            role: list[Any] = client.execute_command("ROLE")
            return role
    except redis.ConnectionError:  # a Sentinel cuts the connections of a server that it demotes
        return []
