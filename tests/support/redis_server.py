"""A real Redis server for tests, on a free port and with its own data."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
import redis

from tests.support.network import CLIENTS, Network
from tests.support.real_server import RealServer


class RedisServer(RealServer):
    """``options`` are appended to the command line (``"--maxmemory", "2mb"``). On a ``network`` it
    has a host of its own. ``environment`` is added to that of the process."""

    name = "redis"
    stop_signal, kill_signal = signal.SIGTERM, signal.SIGKILL

    def __init__(
        self,
        *options: str,
        network: Network | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.options = options
        self.host, self._environment = CLIENTS, {**os.environ, **(environment or {})}
        if network is not None:
            self.host = network.add_host()
            self.port = network.listen_for(self.host)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def socket(self) -> str:
        """The path of its Unix socket."""
        return str(self.folder / "redis.sock")

    @property
    def unix_url(self) -> str:
        return f"unix://{self.socket}"

    @contextmanager
    def client(self, **options: object) -> Iterator[redis.Redis]:
        """A separate client for inspecting and changing the data."""
        with redis.Redis.from_url(self.unix_url, **options) as client:
            yield client

    def _launch(self) -> subprocess.Popen[bytes]:
        command = [
            *(_binary(), "--bind", self.host, "--bind-source-addr", self.host),
            *("--port", str(self.port), "--unixsocket", self.socket),
            *("--replica-announce-ip", CLIENTS),
            *("--dir", str(self.folder), "--save", "", "--appendonly", "yes"),
            *("--logfile", str(self.folder / "log"), *self.options),
        ]
        return subprocess.Popen(
            command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    def _is_up(self) -> bool:
        assert self.process is not None
        try:
            with self.client(password=self._password()) as client:
                return bool(client.info("server")["process_id"] == self.process.pid)
        except redis.ConnectionError:  # not yet there, or still loading
            return False

    def _password(self) -> str | None:
        if "--requirepass" not in self.options:
            return None
        return self.options[self.options.index("--requirepass") + 1]


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """A shared server, for tests that leave it running."""
    with RedisServer() as server:
        yield server


def _binary() -> str:
    found = shutil.which("redis-server")
    if found is None:
        pytest.fail("these tests need a real Redis server: apt-get install redis-server")
    return found
